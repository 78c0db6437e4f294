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
    /// Also from a path over all sizes, where that takes less than about a second.
    #[default]
    Normal,
    /// The same where it takes a minute or so; for squared loss with a longer walk that also goes uphill.
    Thorough,
}

impl Effort {
    /// What a start from a path may cost; `None` for no such start.
    pub(crate) fn path(self) -> Option<StartBudget> {
        match self {
            Self::Quick => None,
            Self::Normal => Some(StartBudget { operations: 8e8, walk: 300 }),
            Self::Thorough => Some(StartBudget { operations: 1e11, walk: 3000 }),
        }
    }
}
