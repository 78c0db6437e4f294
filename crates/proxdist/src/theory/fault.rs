//! Why the theory has nothing to say about a problem, and what would help.

/// Which constant is missing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TheoryFault {
    /// No derivative, no L.
    #[error("the {loss} loss is not differentiable: Assumptions 3 and 4 fail, and there is no L")]
    NotDifferentiable {
        /// The loss.
        loss: String,
    },
    /// No bound of the second derivative, no L.
    #[error("the curvature of the {loss} loss has no known bound: Assumption 4 fails, and there is no L")]
    Unbounded {
        /// The loss.
        loss: String,
    },
    /// Features too large for their squares.
    #[error("the squared length of a row overflows")]
    RowOverflows,
    /// A Hessian that costs too much.
    #[error("mu needs the eigenvalues of a {dimension} x {dimension} Hessian, and {most} is the most")]
    TooLarge {
        /// Its rows.
        dimension: usize,
        /// The most that is decomposed.
        most: usize,
    },
    /// Curvatures that are not numbers.
    #[error("the Hessian at the solution is not finite")]
    NotFinite,
    /// A solution without features.
    #[error("mu is not defined: the solution has no nonzero coefficient")]
    NoCoefficient,
    /// Directions in which F does not bend.
    #[error("mu = 0: {why}")]
    Flat {
        /// Which directions those are.
        why: Flat,
        /// Whether the model has an intercept, which is never shrunk.
        has_intercept: bool,
        /// Whether it has a ridge term already.
        has_ridge: bool,
    },
}

/// Directions in which F does not bend.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Flat {
    /// All.
    #[error("no row has any curvature at the solution")]
    Everywhere,
    /// More coefficients than rows.
    #[error("{rows} rows cannot determine {coefficients} coefficients")]
    FewRows {
        /// Rows.
        rows: usize,
        /// Coefficients, with the intercept.
        coefficients: usize,
    },
    /// A change of the matrix.
    #[error("some change of the matrix leaves every prediction as it is")]
    Matrix,
    /// One column.
    #[error("column {name} changes no prediction where the loss is curved")]
    Column {
        /// Its name.
        name: String,
    },
    /// A combination of a few columns.
    #[error("a combination of the columns {} changes no prediction", names.join(", "))]
    Columns {
        /// Their names.
        names: Vec<String>,
    },
    /// A combination of many columns.
    #[error("a combination of {count} columns changes no prediction, among them {}", names.join(", "))]
    ManyColumns {
        /// How many.
        count: usize,
        /// The names of those with the largest part in it.
        names: Vec<String>,
    },
}

impl TheoryFault {
    /// Whether a ridge term would help.
    pub fn is_cured_by_ridge(&self) -> bool {
        matches!(self, Self::Flat { has_intercept, has_ridge, .. } if !(*has_intercept && *has_ridge))
    }

    /// What would help.
    pub fn remedy(&self) -> String {
        let remedy = match self {
            Self::NotDifferentiable { .. } | Self::Unbounded { .. } => {
                "the squared, logistic, huber and squared-hinge losses have all constants"
            }
            Self::RowOverflows | Self::NotFinite => "scale large features down",
            Self::TooLarge { .. } => "use fewer features, or a sparsity set, whose mu is that of the support",
            Self::NoCoefficient => "allow more coefficients",
            // An intercept is never shrunk, so a column that equals it must go.
            Self::Flat { has_intercept: true, has_ridge: true, .. } => "leave those columns or the intercept out",
            // Nor is the ridge a bound by itself then.
            Self::Flat { has_intercept: true, .. } => {
                "a ridge term makes mu positive, and without an intercept mu >= lambda, or leave columns out"
            }
            Self::Flat { .. } => "a ridge term lambda gives mu >= lambda, or leave columns out",
        };
        remedy.to_owned()
    }
}
