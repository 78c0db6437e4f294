//! Why there are no standard errors, or no resampling.

/// What stands in the way of an inference.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InferenceFault {
    /// Columns of the chosen features depend on each other, so that their coefficients are not determined by the data.
    #[error(
        "the coefficients of {} are not determined by these rows: their columns depend on each other",
        listed(columns)
    )]
    Singular {
        /// Names of the columns involved.
        columns: Vec<String>,
    },
    /// As many coefficients as rows, or more.
    #[error("{rows} rows are not enough for standard errors of {parameters} numbers")]
    TooFewRows {
        /// Rows with a positive weight.
        rows: usize,
        /// Coefficients and the intercept.
        parameters: usize,
    },
    /// A matrix of all pairs of coefficients would be too large.
    #[error("the model has {features} nonzero coefficients; standard errors are computed for {most} at most")]
    TooManyFeatures {
        /// Nonzero coefficients.
        features: usize,
        /// The limit.
        most: usize,
    },
    /// The loss has corners or no curvature at the model.
    #[error("the {loss} loss has no curvature that standard errors could be computed from")]
    NoCurvature {
        /// The loss.
        loss: String,
    },
    /// Model-based errors were asked for, and the loss is not a likelihood.
    #[error("the {loss} loss is no likelihood, so its standard errors cannot come from a model")]
    NoLikelihood {
        /// The loss.
        loss: String,
    },
    /// The model separates the classes: it has no finite best coefficients.
    #[error(
        "the model separates the classes of all rows: its coefficients have no natural size, and no standard errors"
    )]
    Separated,
    /// A repetition of the fit failed every time.
    #[error("all {count} repetitions of the fit failed, the first of them so: {reason}")]
    NothingRepeated {
        /// Repetitions.
        count: usize,
        /// What the first one said.
        reason: String,
    },
    /// Nothing was chosen on the first half.
    #[error("no feature was chosen on the first half of the rows, so there is nothing to estimate on the other")]
    NothingChosen,
}

impl InferenceFault {
    /// What would help.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Singular { .. } => "leave one of these columns out, or fit with a ridge",
            Self::TooFewRows { .. } => "fit a smaller model, or use more rows",
            Self::TooManyFeatures { .. } => "fit a sparser model, or use the bootstrap",
            Self::NoCurvature { .. } => "use the bootstrap, which needs no curvature",
            Self::NoLikelihood { .. } => "ask for robust errors, HC0 or HC1",
            Self::Separated => "fit with a ridge, or hold the coefficients in a ball",
            Self::NothingRepeated { .. } => "check that the fit succeeds on parts of the rows",
            Self::NothingChosen => "fit with a larger limit, or without constraint",
        }
    }
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 6;
    let shown = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown} and {} more", names.len() - MOST) } else { shown }
}
