//! Why there is no scorecard.

/// What stands in the way of a scorecard.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScorecardFault {
    /// The loss has no log odds.
    #[error("a scorecard needs the log odds of two labels, and the {loss} loss has none")]
    NoOdds {
        /// The loss.
        loss: String,
    },
    /// A coefficient matrix.
    #[error("a scorecard is for columns, and the features of this model form a matrix")]
    Matrix,
    /// A number of the scale.
    #[error("{what} must be {rule}, got {value}")]
    Scale {
        /// Which one.
        what: &'static str,
        /// What it must be.
        rule: &'static str,
        /// What it is.
        value: f64,
    },
    /// All rows have the same label.
    #[error("all rows have the same label, so no points are better than others")]
    OneLabel,
    /// A unit for a feature that has none.
    #[error("there is no number called {name:?} in this card that could have a unit")]
    NoUnit {
        /// Its name.
        name: String,
    },
    /// A number that is not finite.
    #[error("the points of {name:?} are not finite")]
    NotFinite {
        /// The feature.
        name: String,
    },
}

impl ScorecardFault {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoOdds { .. } => "fit two labels with the logistic loss",
            Self::Matrix => "fit the columns without a shape",
            Self::Scale { .. } => "600 points at odds of 50, and 20 more for twice the odds, are usual",
            Self::OneLabel => "give rows of both labels",
            Self::NoUnit { .. } => "units are for features with points per unit",
            Self::NotFinite { .. } => "fit again with a ridge",
        }
    }
}
