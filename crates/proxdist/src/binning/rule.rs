//! Rules for bins, and their text.

use super::BinFault;
use std::fmt;
use std::str::FromStr;

/// More bins than this are no summary of a column.
pub(super) const MOST: usize = 100;
/// The least share of a monotone bin, unless told.
const SHARE: f64 = 0.05;

/// How the bins of a column are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BinRule {
    /// Where the edges are.
    pub way: Way,
    /// Whether missing numbers have a bin of their own.
    pub missing: bool,
}

/// Where edges are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Way {
    /// Bins of nearly the same weight.
    Quantile {
        /// So many at most.
        most: usize,
    },
    /// Bins whose mean responses rise or fall.
    Monotone {
        /// So many at most.
        most: usize,
        /// The least share of the weight in each.
        share: f64,
    },
}

impl BinRule {
    /// Whether the response says where the edges are.
    pub fn uses_response(&self) -> bool {
        matches!(self.way, Way::Monotone { .. })
    }
}

impl FromStr for BinRule {
    type Err = BinFault;

    fn from_str(text: &str) -> Result<Self, BinFault> {
        let wrong = || BinFault::Rule { text: text.to_owned() };
        let (rule, missing) = match text.trim().split_once('+') {
            Some((rule, word)) if word.trim() == "missing" => (rule, true),
            Some(_) => return Err(wrong()),
            None => (text, false),
        };
        let (word, rest) = rule.trim().split_once(':').ok_or_else(wrong)?;
        let (count, share) = match rest.split_once(',') {
            Some((count, share)) => (count.trim(), Some(share.trim())),
            None => (rest.trim(), None),
        };
        let whole = || count.parse().ok().filter(|most| (2..=MOST).contains(most));
        let most = || whole().ok_or_else(|| BinFault::Count { found: count.to_owned() });
        let way = match (word.trim(), share) {
            ("quantile", None) => Way::Quantile { most: most()? },
            ("monotone", share) => {
                let read =
                    share.map_or(Some(SHARE), |share| share.parse().ok().filter(|share| (0.0..1.0).contains(share)));
                let fault = || BinFault::Share { found: share.unwrap_or_default().to_owned() };
                Way::Monotone { most: most()?, share: read.ok_or_else(fault)? }
            }
            _ => return Err(wrong()),
        };
        Ok(Self { way, missing })
    }
}

impl fmt::Display for BinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.way {
            Way::Quantile { most } => write!(f, "quantile:{most}")?,
            Way::Monotone { most, share: SHARE } => write!(f, "monotone:{most}")?,
            Way::Monotone { most, share } => write!(f, "monotone:{most},{share}")?,
        }
        if self.missing { f.write_str("+missing") } else { Ok(()) }
    }
}
