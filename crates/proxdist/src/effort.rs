//! How much time the search for a better choice of features may take.

use crate::path::StartBudget;
use serde::{Deserialize, Serialize};

/// How hard to look for another choice of features with a lower F. More effort does all that less of it does, so that without a limit on time it never ends
/// at a higher F; beyond 40 000 rows, where the search is done on a sample of them, that holds for the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effort {
    /// Exchanges from the starts that cost nothing.
    Quick,
    /// Also from a path over all sizes, where that takes less than about two seconds, and walks that also go uphill.
    #[default]
    Normal,
    /// The same where it takes a minute or so, with longer walks.
    Thorough,
}

impl Effort {
    /// What starts from a path over all sizes may cost, one after the other.
    pub(crate) fn paths(self) -> &'static [StartBudget] {
        match self {
            Self::Quick => &[],
            Self::Normal => &[NORMAL],
            Self::Thorough => &[NORMAL, THOROUGH],
        }
    }
}

const NORMAL: StartBudget =
    StartBudget { operations: 2e9, walk: 300, kicks: 100, uphill: 3e8, restarts: 5, looks: 4.5e9 };
const THOROUGH: StartBudget =
    StartBudget { operations: 1e11, walk: 3000, kicks: 1000, uphill: 1e10, restarts: 30, looks: 4e10 };
