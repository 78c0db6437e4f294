//! Why a column has no bins.

/// What is wrong with a rule, or with the column it is for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BinFault {
    /// A rule that is not one.
    #[error("{text:?} is no rule for bins")]
    Rule {
        /// What was written.
        text: String,
    },
    /// A number of bins that leaves nothing to tell apart.
    #[error("a column needs at least 2 bins and at most {most}, got {found}", most = super::rule::MOST)]
    Count {
        /// The number.
        found: String,
    },
    /// A share that no bin or every bin has.
    #[error("the least share of a bin must be at least 0 and below 1, got {found}")]
    Share {
        /// The share.
        found: String,
    },
    /// A number that no bin can have.
    #[error("row {row} has the value {value}, which is in no bin", row = row + 1)]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The value.
        value: f64,
    },
    /// Nothing but missing numbers, or rows without weight.
    #[error("there is no number to find bins for")]
    Empty,
    /// A response that no order of bins belongs to.
    #[error("monotone bins need a response of numbers or of two labels")]
    NoResponse,
    /// Numbers that do not belong together.
    #[error("{found} numbers beside a column of {expected}")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
}

impl BinFault {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Rule { .. } | Self::Count { .. } | Self::Share { .. } => {
                "write quantile:5, monotone:5 or monotone:5,0.05, with +missing behind for a bin of missing values"
            }
            Self::NotFinite { .. } => "correct the value",
            Self::Empty => "leave the column out",
            Self::NoResponse => "write quantile:5 instead",
            Self::Length { .. } => "give one number a row",
        }
    }
}
