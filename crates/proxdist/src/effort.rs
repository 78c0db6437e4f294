//! How much time the search for a better choice of features may take.

use crate::path::StartBudget;
use serde::{Deserialize, Serialize};

/// How hard to look for another choice of features with a lower F. More effort never gives a higher F.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effort {
    /// Exchanges from the starts that cost nothing.
    Quick,
    /// Also from a path over all sizes, where that takes a second or so.
    #[default]
    Normal,
    /// The same with a long walk that also goes uphill, where that takes a minute or so.
    Thorough,
}

impl Effort {
    /// What a start from a path may cost; `None` for no such start.
    pub(crate) fn path(self) -> Option<StartBudget> {
        match self {
            Self::Quick => None,
            Self::Normal => Some(StartBudget { operations: 6e9, walk: 300 }),
            Self::Thorough => Some(StartBudget { operations: 1e12, walk: 3000 }),
        }
    }
}
