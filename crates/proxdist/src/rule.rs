//! What a setting or an argument must be: the rules, with their numbers, so that a caller can say what would be right without reading a message.

use crate::solver::Setting;

/// A rule, in words that are read after "must be".
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// A loss with a likelihood.
    #[error("of a loss that is a negative log-likelihood")]
    Likelihood,
    /// A path that is not empty.
    #[error("of at least one point")]
    SomePoint,
    /// A set with a number of features that can be another one.
    #[error(
        "one that has exactly one number of features or groups, that of sparsity or group-sparsity, which the path replaces by each size"
    )]
    OneSize,
    /// That of a declared setting.
    #[error("{}", .0.declaration().rule)]
    Declared(Setting),
    /// A finite number.
    #[error("finite")]
    Finite,
    /// A share that is neither nothing nor all.
    #[error("above 0 and below 1")]
    Share,
    /// A share above one half.
    #[error("above 0.5 and at most 1")]
    AboveHalf,
    /// A finite number above zero.
    #[error("positive and finite")]
    Positive,
    /// A finite number that is not below zero.
    #[error("zero or positive, and finite")]
    NotNegative,
    /// The same for every column.
    #[error("finite and not negative for every column")]
    NotNegativeInColumns,
    /// A number up to a limit.
    #[error("from 0 to {most:e}")]
    UpTo {
        /// The limit.
        most: f64,
    },
    /// A factor that does not shrink.
    #[error("at least 1 and finite")]
    FiniteFromOne,
    /// A count that is not too small.
    #[error("at least {0}")]
    AtLeast(u64),
    /// A number of steps that is not zero.
    #[error("at least 1 step")]
    AtLeastOneStep,
    /// A number of steps up to a limit.
    #[error("from 1 to {most}")]
    Steps {
        /// The limit.
        most: u64,
    },
    /// A label of two classes.
    #[error("0 or 1")]
    ZeroOrOne,
    /// An index that fits into 32 bits.
    #[error("below 2^32")]
    Below32Bits,
    /// A number of rows, at least one.
    #[error("from 1 to the number of rows, {rows}")]
    SomeRows {
        /// Rows there are.
        rows: usize,
    },
    /// At most one for each row.
    #[error("at most the number of rows, {rows}")]
    AtMostRows {
        /// Rows there are.
        rows: usize,
    },
    /// The number of a row.
    #[error("below the number of rows, {rows}")]
    RowNumber {
        /// Rows there are.
        rows: usize,
    },
    /// At most one for each row of the smallest class.
    #[error("at most {rows}, the number of rows with label {label}")]
    AtMostInClass {
        /// Rows with the label.
        rows: usize,
        /// The label.
        label: f64,
    },
    /// At most one for each column.
    #[error("at most {columns}, the number of columns")]
    AtMostColumns {
        /// Columns there are.
        columns: usize,
    },
    /// At most one for every second column.
    #[error("at most {pairs}, half the columns")]
    AtMostPairs {
        /// Half the columns.
        pairs: usize,
    },
    /// A rank that the truth of the paper's matrix model can have.
    #[error("such that 128 ones in 64 x 64 can have it")]
    RankOfPattern,
    /// A schedule that needs no first penalty.
    #[error("poly unless rho1 is a number")]
    PolynomialWithoutRho1,
    /// A state that belongs to a run.
    #[error("a state that a run has handed out")]
    HandedOut,
    /// The numbers of parts that all have rows.
    #[error("numbers from 0 without a gap")]
    WithoutGap,
    /// A split with rows on both sides, no row on both.
    #[error("of rows to fit to and other rows to score on")]
    SplitOfRows,
    /// A split with both classes among the rows that are fitted to.
    #[error("fitted to rows of both classes")]
    BothClasses,
    /// A grid beside a schedule.
    #[error("without rho1 where a schedule is given")]
    WithoutRho1,
    /// Axes that can be told apart.
    #[error("of axes with different names")]
    DifferentAxes,
    /// A grid that is not too large.
    #[error("of at most {most} points")]
    AtMostPoints {
        /// The limit.
        most: usize,
    },
    /// A score that is defined for the response.
    #[error("loss or mse unless the response is 0 or 1")]
    ScoreOfNumbers,
    /// A score that is defined for the loss.
    #[error(
        "something else than deviance, unless the loss is a likelihood, and than d2, unless it is one of counts or amounts or about a quantile"
    )]
    ScoreOfLikelihood,
    /// A score that is defined where the response of a fold does not vary.
    #[error("something else than d2 where the response of a fold is constant")]
    ScoreOfConstant,
    /// A score that is defined where a fold has one class.
    #[error("something else than auc where a fold has one class only")]
    ScoreOfOneClass,
    /// A score of times.
    #[error("loss or concordance for times until an event")]
    ScoreOfTimes,
    /// A score of ordered labels.
    #[error("loss or accuracy for ordered labels")]
    ScoreOfLevels,
    /// A score of rows by themselves.
    #[error("a score of rows one by one: concordance compares times until an event")]
    ScoreOfRows,
    /// A score of rows of which some can be compared.
    #[error("loss where no two rows of a held-out part can be compared")]
    ScoreOfPairs,
    /// A score of several classes.
    #[error("loss, accuracy or auc where there are several classes")]
    ScoreOfClasses,
    /// A score of several responses.
    #[error("loss or mse where there are several responses")]
    ScoreOfResponses,
    /// A score that is defined where a fold lacks a class.
    #[error("something else than auc where a fold has no row of some class, or of that class only")]
    ScoreOfAbsentClass,
    /// Weights whose sums are numbers.
    #[error("such that the largest is from 1e-20 to 1e20 (only their sizes relative to each other count)")]
    UsualWeights,
    /// Blocks that are stored alike.
    #[error("dense or sparse as the first block was")]
    LikeTheFirst,
    /// A sample that has rows.
    #[error("a sample of at least one row, kept from the first block on")]
    SomeSample,
    /// A state that fits the problem and the settings it is resumed with.
    #[error("one of a stream with the same features, intercept and settings")]
    OfThisStream,
    /// How a point of the grid is chosen.
    #[error("one-standard-error or best")]
    Choice,
}
