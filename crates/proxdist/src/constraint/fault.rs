//! What can be wrong with a set, by itself or for a parameter: the rule that is broken, with its numbers, so that a caller can say what
//! would be right without reading a message.

use super::brief;
use crate::error::Error;
use crate::spec::{SetSpec, positions};

/// Why a set is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetFault {
    /// More nonzero entries are allowed than there are entries.
    #[error("the parameter has {most} entries, so at most {most} can be nonzero")]
    TooManyNonzeros {
        /// Entries of the parameter.
        most: usize,
    },
    /// More nonzero groups are allowed than there are groups.
    #[error("there are {most} groups, so at most {most} can be nonzero")]
    TooManyGroups {
        /// Groups there are.
        most: usize,
    },
    /// More nonzero rows are allowed than there are rows.
    #[error("the coefficient matrix has {most} rows, so at most {most} can be nonzero")]
    TooManyRows {
        /// Rows there are.
        most: usize,
    },
    /// No matrix of that shape has the rank that is allowed.
    #[error("a {rows}x{columns} coefficient matrix has rank at most {}", rows.min(columns))]
    RankTooLarge {
        /// Rows of the matrix.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A set of matrices, but the parameter is a vector.
    #[error("the parameter is a vector of length {length}; rank needs a matrix, such as 64x64")]
    NeedsMatrix {
        /// Entries of the parameter.
        length: usize,
    },
    /// The set is about another number of coordinates.
    #[error("the set describes {expected} coordinates, but the parameter has {found}")]
    Dimension {
        /// Coordinates of the set.
        expected: usize,
        /// Entries of the parameter.
        found: usize,
    },
    /// A range of indices that the parameter does not have.
    #[error("{} beyond the parameter, which has {entries} entries", reach(*first, *last))]
    BeyondParameter {
        /// First index of the range, from 0.
        first: usize,
        /// Its last index, from 0.
        last: usize,
        /// Entries of the parameter.
        entries: usize,
    },
    /// The radius of a ball.
    #[error("the radius must be a finite number, zero or positive")]
    Radius,
    /// A set that had to be convex.
    #[error("{} is not convex", brief(part))]
    NotConvex {
        /// The set.
        part: SetSpec,
    },
    /// A set that had to be a cone.
    #[error("{} is not a cone", brief(part))]
    NotACone {
        /// The set.
        part: SetSpec,
    },
    /// Two sets without a way to project onto both at once.
    #[error(
        "no exact projection is known for {} together with {}. Sets that are not convex combine only as \
         choices of features (sparsity, group-sparsity and their rules) with convex sets of the grammar; and cones (sparsity, \
         group-sparsity, rank, nonneg, monotone, sparsity with nonneg) with one ball around the origin",
        brief(first),
        brief(second)
    )]
    NoExactProjection {
        /// One of them.
        first: SetSpec,
        /// The other.
        second: SetSpec,
    },
    /// A choice of features beside rows that are too many for a search.
    #[error(
        "beside a choice of features the nearest point is searched for among all choices, which is affordable with up to {most} rows \
         about several coefficients and no ball (here {rows} rows), or with few choices. Limits of single coefficients are exact at \
         any size, and so are simplex, l1, ball and rows with equal coefficients beside plain sparsity"
    )]
    TooManyChoices {
        /// Rows about several coefficients.
        rows: usize,
        /// The most that are searched with.
        most: usize,
    },
    /// No point lies in all parts.
    #[error("{why}: the set is empty")]
    Empty {
        /// Which parts exclude each other, or how.
        why: String,
    },
    /// A coordinate that two parts of a set lay claim to.
    #[error("position {} is in two parts", *index as u128 + 1)]
    InTwoParts {
        /// The coordinate, from 0.
        index: usize,
    },
    /// A part of a set of several parts.
    #[error("on {on}, {spec}: {fault}")]
    InPart {
        /// The coordinates of the part.
        on: String,
        /// The set of that part.
        spec: String,
        /// What is wrong with it.
        fault: Box<SetFault>,
    },
    /// A feature that is not there.
    #[error("no feature is called {name}, of {features}{}", like(nearest))]
    UnknownName {
        /// The name.
        name: String,
        /// The names most like it.
        nearest: Vec<String>,
        /// How many features there are.
        features: usize,
    },
    /// A name that several features have.
    #[error("several features are called {name}, those at {} and {} for two; say which by position", first + 1, second + 1)]
    SharedName {
        /// The name.
        name: String,
        /// Position of a feature of that name, from 0.
        first: usize,
        /// Position of another one.
        second: usize,
    },
    /// A pattern that no name fits.
    #[error("none of the {features} features has a name like {pattern}")]
    NoMatch {
        /// The pattern.
        pattern: String,
        /// How many features there are.
        features: usize,
    },
    /// A number that could be meant as a position or as a name.
    #[error(
        "{number} could be a position or the name of a feature: write the name in backquotes, `{number}`, or name the feature at that position"
    )]
    PositionOrName {
        /// The number.
        number: String,
    },
    /// A range of names that runs against the order of the columns.
    #[error("{first} comes after {last}: a range of names runs in the order of the columns")]
    NamesBackwards {
        /// Name of the first feature.
        first: String,
        /// Name of the last one.
        last: String,
    },
    /// A list from which everything was taken.
    #[error("the list {list} leaves no coordinate")]
    NoCoordinates {
        /// The list.
        list: String,
    },
    /// A name where the parameter is a matrix.
    #[error(
        "the parameter is a matrix, whose entries have positions only, counted row by row from 1; {name} is a name"
    )]
    MatrixHasPositions {
        /// The name.
        name: String,
    },
    /// Coordinates that are called free while another set holds them.
    #[error(
        "{} takes nothing from {}: sets that hold at once free nothing. Say where each holds, as in nonneg[!x] for all but x",
        brief(free),
        brief(beside)
    )]
    FreesNothing {
        /// The part that has no effect.
        free: SetSpec,
        /// A part beside it.
        beside: SetSpec,
    },
    /// Names where no data say what they mean.
    #[error("the set speaks of features by name, which have a meaning only with data")]
    NeedsNames,
    /// A projection that shows what is wrong.
    #[error(transparent)]
    Projection(#[from] ProjectionFault),
    /// Anything else, such as numbers that make no sense for one kind of set.
    #[error("{0}")]
    Other(String),
}

/// Why a projection could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectionFault {
    /// The point is so large that arithmetic on it overflows.
    #[error("the numbers are too large")]
    TooLarge,
    /// A matrix that holds no finite number somewhere.
    #[error("an entry of the matrix is not finite")]
    NotFinite,
    /// No decomposition of the matrix was found.
    #[error("the singular value decomposition did not converge")]
    Decomposition,
    /// The product with the normal of a half-space overflows.
    #[error("the product a·x is not a finite number")]
    Product,
    /// More entries must be nonzero than may be.
    #[error("the limits exclude zero for {forced} entries, but at most {keep} may be nonzero: the set is empty")]
    ForcedNonzeros {
        /// Entries whose limits exclude zero.
        forced: usize,
        /// Entries that may be nonzero.
        keep: usize,
    },
    /// A search for the best choice of features that takes too long.
    #[error(
        "the nearest point was not found among the choices of features within {most} branches; fewer features, products or rows would be quicker"
    )]
    TooManyBranches {
        /// Branches that were looked at.
        most: usize,
    },
    /// Parts that exclude each other.
    #[error("{parts} have no common point")]
    NoCommonPoint {
        /// Their specifications.
        parts: String,
    },
    /// Parts whose projections do not come together.
    #[error("after {sweeps} sweeps the sets still pull {moved:e} apart; they may have no common point")]
    Apart {
        /// Rounds of projections.
        sweeps: usize,
        /// How far the last of them still moved the point.
        moved: f64,
    },
    /// Equations that cannot be solved to the last digits.
    #[error("the equations hold only up to {error:e}; their rows are nearly dependent")]
    NearlyDependent {
        /// What is left of the equations.
        error: f64,
    },
    /// What a projection of the user's own says.
    #[error("{0}")]
    Other(String),
}

impl SetFault {
    pub(crate) fn empty(why: impl Into<String>) -> Self {
        Self::Empty { why: why.into() }
    }
}

impl From<String> for SetFault {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

impl From<&str> for SetFault {
    fn from(text: &str) -> Self {
        Self::Other(text.to_owned())
    }
}

/// Whether a set is refused because it has no point.
pub(crate) fn is_empty(error: &Error) -> bool {
    let is_pointless = |fault: &ProjectionFault| {
        matches!(fault, ProjectionFault::ForcedNonzeros { .. } | ProjectionFault::NoCommonPoint { .. })
    };
    let mut fault = match error {
        Error::Constraint { fault, .. } => &**fault,
        Error::Projection { fault, .. } => return is_pointless(fault),
        _ => return false,
    };
    while let SetFault::InPart { fault: inner, .. } = fault {
        fault = inner;
    }
    match fault {
        SetFault::Empty { .. } => true,
        SetFault::Projection(fault) => is_pointless(fault),
        _ => false,
    }
}

fn reach(first: usize, last: usize) -> String {
    let text = positions(first, last);
    if first == last { format!("position {text} is") } else { format!("the range {text} goes") }
}

fn like(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}
