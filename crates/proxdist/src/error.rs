//! Everything that can go wrong, in one enum. Each message names the value, the rule it breaks and the place.

use crate::constraint::{ProjectionFault, SetFault, brief};
use crate::data::SparseFault;
use crate::inference::InferenceFault;
use crate::loss::{KinkFault, LossEntry, Task};
use crate::model::{ModelFault, Unwritable};
use crate::rule::Rule;
use crate::scorecard::ScorecardFault;
use crate::theory::TheoryFault;
use std::path::PathBuf;

/// The library's error type; `Result<T>` below is the usual shorthand.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number in the data is NaN or infinite.
    #[error("{what} at row {row}{} is {value}, not a finite number", column_text(.column.as_deref()))]
    NotFiniteData {
        /// `feature`, `response`, `weight` or `offset`.
        what: &'static str,
        /// Zero-based row.
        row: usize,
        /// Name or number of the column, for features.
        column: Option<String>,
        /// The offending value.
        value: f64,
    },
    /// A finite number in the data whose products would overflow.
    #[error(
        "{what} at row {row}{} is {value:e}: products of numbers beyond {limit:e} overflow, so change its units", column_text(.column.as_deref())
    )]
    TooLarge {
        /// `feature`, `response` or `offset`.
        what: &'static str,
        /// Zero-based row.
        row: usize,
        /// Name or number of the column, for features.
        column: Option<String>,
        /// The offending value, in the units of the data.
        value: f64,
        /// The largest number that a fit takes.
        limit: f64,
    },
    /// A coefficient that scaled columns have and the units of the data cannot express.
    #[error(
        "the coefficient of column {column} is {scaled:e} on scaled columns, which no number expresses in the units of the data (one deviation is {deviation:e}): change the units of that column"
    )]
    Units {
        /// Name or number of the column.
        column: String,
        /// The coefficient on scaled columns.
        scaled: f64,
        /// The standard deviation of the column.
        deviation: f64,
    },
    /// A set depends on the units of the columns, which were to be scaled.
    #[error("the set {set} would be another one on scaled columns")]
    DependsOnUnits {
        /// The set.
        set: String,
    },
    /// Two lengths that must agree do not.
    #[error("{what} has length {found}, expected {expected} ({rule})")]
    Length {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it must have.
        expected: usize,
        /// Where the expectation comes from.
        rule: &'static str,
    },
    /// There is nothing to fit.
    #[error("the data have no {what}: at least one is needed")]
    Empty {
        /// `rows` or `columns`.
        what: &'static str,
    },
    /// A source that was asked for more than it can do.
    #[error(
        "these data can only be read in order, from the first row to the last, but rows in any order are needed here"
    )]
    InOrderOnly,
    /// What a fit would need in memory is more than it may take.
    #[error("{what} would take {} of memory, more than the {} that the fit may take", bytes(*.needed), bytes(*.allowed))]
    Memory {
        /// What is too large.
        what: &'static str,
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that there are for it.
        allowed: u64,
        /// What would help, besides more memory.
        remedy: &'static str,
    },
    /// Something is wrong with a part of the rows, such as one of several files.
    #[error("{part}: {source}")]
    InPart {
        /// What the part is called.
        part: String,
        /// What is wrong; rows are those of the part.
        source: Box<Error>,
    },
    /// A part of the rows is not what it was when it was read first.
    #[error("{part} has {found} rows, and had {expected} when it was read first: the data have changed during the fit")]
    Changed {
        /// What the part is called.
        part: String,
        /// Rows it has now.
        found: u64,
        /// Rows it had.
        expected: u64,
    },
    /// A fit was ended before there was a model.
    #[error("interrupted before the data had been read once")]
    Interrupted,
    /// A source that does not hand out the rows it was asked for.
    #[error("the data source gave {found} rows where {expected} rows from row {first} on were asked for")]
    Chunks {
        /// Zero-based number of the first row that was asked for.
        first: usize,
        /// Rows that came.
        found: usize,
        /// Rows that should have come.
        expected: usize,
    },
    /// An inconsistent sparse matrix.
    #[error("sparse matrix, {0}")]
    SparseStructure(SparseFault),
    /// A loss of two straight lines where one with second derivatives is needed.
    #[error("the {loss} loss has a kink: {fault}")]
    Kinked {
        /// The loss.
        loss: String,
        /// What it cannot do, or not with that.
        fault: KinkFault,
    },
    /// An observation weight that cannot be used.
    #[error("weight at row {row} is {value}: weights must be zero or positive")]
    NegativeWeight {
        /// Zero-based row.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// All weights are zero.
    #[error("all {rows} weights are zero: at least one must be positive")]
    ZeroWeights {
        /// Number of rows.
        rows: usize,
    },
    /// A response the loss is not defined for.
    #[error("response at row {row} is {value}: the {loss} loss needs {rule}")]
    Response {
        /// The loss.
        loss: String,
        /// What the loss explains.
        task: Task,
        /// Zero-based row.
        row: usize,
        /// The response.
        value: f64,
        /// The domain in words.
        rule: &'static str,
    },
    /// A loss that models of several outputs do not have.
    #[error("the loss {loss:?} is not one of several outputs: those are softmax, squared and huber")]
    OutputLoss {
        /// What was asked for.
        loss: String,
    },
    /// Something that models of several outputs cannot do.
    #[error("{what} is not available for several outputs")]
    NotForOutputs {
        /// What was asked for.
        what: &'static str,
    },
    /// All rows are of one class.
    #[error("all rows are of the class {class:?}: at least two classes are needed")]
    OneClass {
        /// The class.
        class: String,
    },
    /// A class that no row belongs to.
    #[error("no row with a positive weight is of the class {class:?}, one of {classes}: its coefficients have no size")]
    AbsentClass {
        /// The class.
        class: String,
        /// Classes there are to be.
        classes: usize,
    },
    /// A class with fewer rows than folds.
    #[error("the class {class:?} has {rows} of the rows, and {folds} folds need a row of it each")]
    FewOfClass {
        /// The class.
        class: String,
        /// Its rows.
        rows: usize,
        /// Folds there are to be.
        folds: usize,
    },
    /// A response that is not the number of a class.
    #[error("response at row {row} is {value}, not the number of one of {classes} classes, counted from 0")]
    ClassNumber {
        /// Zero-based row.
        row: usize,
        /// The response.
        value: f64,
        /// Classes there are.
        classes: usize,
    },
    /// An ordered label that no row has.
    #[error(
        "no row with a positive weight has the label {level:?}: the thresholds beside it would be the same, so leave it out of the levels"
    )]
    AbsentLevel {
        /// The label.
        level: String,
    },
    /// Times and events that cannot be used.
    #[error("{0}")]
    Survival(crate::survival::SurvivalFault),
    /// Something that models whose loss ties rows together cannot do.
    #[error("{what} is not available for the {loss} loss")]
    NotForJoint {
        /// What was asked for.
        what: &'static str,
        /// The loss.
        loss: &'static str,
    },
    /// A parameter of a loss outside its range.
    #[error("{} must be {rule}, got {value}", .loss.setting())]
    LossParameter {
        /// The loss.
        loss: &'static LossEntry,
        /// The range in words.
        rule: &'static str,
        /// What was given.
        value: f64,
    },
    /// A setting outside its range.
    #[error("{setting} must be {rule}, got {value}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// What it must be.
        rule: Rule,
        /// What was given.
        value: String,
    },
    /// A setting that there is not.
    #[error("there is no setting {name:?}; there are {}", setting_names())]
    UnknownSetting {
        /// What was asked for.
        name: String,
    },
    /// A set that does not fit the parameter, or whose own numbers make no sense.
    #[error("constraint {spec}: {fault}")]
    Constraint {
        /// The set as a specification such as `sparsity:20`.
        spec: String,
        /// What is wrong with it.
        fault: Box<SetFault>,
    },
    /// A specification that could not be read.
    #[error("cannot read {:?}, at {:?} (character {position}): {reason}", brief(text), brief(at))]
    Spec {
        /// The whole text.
        text: String,
        /// The part that failed.
        at: String,
        /// Where it starts, counted in characters from 1.
        position: usize,
        /// What was expected.
        reason: String,
    },
    /// A projection that could not be computed.
    #[error("projection onto {spec}: {fault}")]
    Projection {
        /// The set.
        spec: String,
        /// Why.
        fault: ProjectionFault,
    },
    /// The penalty of a step is not a positive finite number.
    #[error("the schedule gives rho = {rho:e} at step {step}: a penalty must be positive and finite")]
    Schedule {
        /// Step, counted from 1.
        step: u64,
        /// The penalty.
        rho: f64,
    },
    /// The loss at the anchor is not finite, for example when `exp` overflows.
    #[error(
        "the {loss} loss overflows at row {row}, where the linear predictor is {predictor:e}; smaller features or a larger rho1 help"
    )]
    Overflow {
        /// The loss.
        loss: String,
        /// Zero-based row of the data.
        row: usize,
        /// The linear predictor there.
        predictor: f64,
    },
    /// Newton's method on a batch ended above its tolerance.
    #[error("the proximal step stalled with relative residual {residual:e}, tolerance {tolerance:e}")]
    ProxStalled {
        /// Residual relative to the gradient at the anchor.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
    },
    /// The iterate is no longer finite.
    #[error("theta is no longer finite at step {step} (rho = {rho:e})")]
    Diverged {
        /// Step, counted from 1.
        step: u64,
        /// Penalty of that step.
        rho: f64,
    },
    /// F or its derivatives are no longer finite at the result.
    #[error("the numbers are too large: F is {objective:e} at the result")]
    Overflows {
        /// F.
        objective: f64,
    },
    /// One fit of a cross-validation failed.
    #[error("{point} fails in fold {fold} of {folds}: {source}")]
    Fold {
        /// The point of the grid.
        point: String,
        /// The fold that was held out, counted from 1.
        fold: usize,
        /// Folds in all.
        folds: usize,
        /// What went wrong there; rows are those of the whole data.
        source: Box<Error>,
    },
    /// The convergence theory has no finite constant for this problem.
    #[error("{0}; {remedy}", remedy = .0.remedy())]
    Theory(Box<TheoryFault>),
    /// There is no inference for this model on these rows.
    #[error("{0}; {remedy}", remedy = .0.remedy())]
    Inference(InferenceFault),
    /// A model or rows that have no scorecard.
    #[error("{0}; {remedy}", remedy = .0.remedy())]
    Scorecard(ScorecardFault),
    /// A model file that cannot be used.
    #[error("{}: {fault}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: ModelFault,
    },
    /// A model that no file could hold.
    #[error("the model cannot be written: {0}")]
    Unwritable(Unwritable),
    /// The operating system refused a file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
    /// The thread pool could not be started.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// The system's word.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// `std::result::Result` with the library's error.
pub type Result<T> = std::result::Result<T, Error>;

fn column_text(column: Option<&str>) -> String {
    column.map_or_else(String::new, |name| format!(", column {name}"))
}

/// An amount of memory for people.
fn bytes(amount: u64) -> String {
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.iter().find(|(size, _)| amount >= *size);
    unit.map_or_else(|| format!("{amount} bytes"), |(size, name)| format!("{:.1} {name}", amount as f64 / *size as f64))
}

fn setting_names() -> String {
    let names: Vec<&str> = crate::Setting::declarations().iter().map(|declared| declared.name).collect();
    names.join(", ")
}

impl Error {
    /// The zero-based row of the data that the error is about, open to change where rows are counted in another way.
    pub fn row_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::NotFiniteData { row, .. }
            | Self::NegativeWeight { row, .. }
            | Self::Response { row, .. }
            | Self::ClassNumber { row, .. }
            | Self::Overflow { row, .. } => Some(row),
            Self::Survival(fault) => fault.row_mut(),
            Self::Fold { source, .. } | Self::InPart { source, .. } => source.row_mut(),
            _ => None,
        }
    }

    pub(crate) fn setting(setting: &'static str, rule: Rule, value: impl std::fmt::Display) -> Self {
        Self::Setting { setting, rule, value: format!("{value}") }
    }

    pub(crate) fn constraint(spec: impl Into<String>, fault: impl Into<SetFault>) -> Self {
        Self::Constraint { spec: spec.into(), fault: Box::new(fault.into()) }
    }
}
