//! Why a model file cannot be used, and why a model cannot be written.

use crate::shape::Shape;

/// What is wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFault {
    /// Not even JSON, or not that of a model.
    #[error("not a model file: {0}")]
    NotJson(serde_json::Error),
    /// Another kind of file.
    #[error("not a model file: \"format\" is not {expected:?}")]
    Format {
        /// What a model file says.
        expected: &'static str,
    },
    /// A file that does not say its version.
    #[error("not a model file: it has no \"version\"")]
    NoVersion,
    /// A file of another version.
    #[error("model file of version {found}; this program reads version {expected}")]
    Version {
        /// That of the file.
        found: u32,
        /// The one that can be read.
        expected: u32,
    },
    /// A model of several outputs where one of one output is needed.
    #[error("this is a model of several outputs, and a model of one output is needed here")]
    SeveralOutputs,
    /// A model of times or ordered labels where one of one output is needed.
    #[error("this is a model of times or ordered labels, and one of another loss is needed here")]
    Joint,
    /// Hazards that do not belong to their times.
    #[error("damaged model file: the baseline hazard is not an ascending number for each time")]
    Baseline,
    /// Thresholds too many, too few or out of order.
    #[error("damaged model file: {thresholds} thresholds for {levels} levels, or not in ascending order")]
    Thresholds {
        /// Thresholds in the file.
        thresholds: usize,
        /// Levels of the model.
        levels: usize,
    },
    /// Intercepts too many, or too few.
    #[error("damaged model file: {intercepts} intercepts for {outputs} outputs")]
    Intercepts {
        /// Intercepts in the file.
        intercepts: usize,
        /// Outputs of the model.
        outputs: usize,
    },
    /// A loss that models of several outputs do not have.
    #[error("damaged model file: {loss:?} is not a loss of several outputs")]
    OutputLoss {
        /// What the file says.
        loss: String,
    },
    /// A field is missing or of the wrong kind.
    #[error("damaged model file: {0}")]
    Damaged(serde_json::Error),
    /// No model has so many features, or none at all.
    #[error("damaged model file: {features} features; a model has from 1 to {most}")]
    Features {
        /// What the file says.
        features: usize,
        /// The most there can be.
        most: usize,
    },
    /// A matrix of another size.
    #[error("damaged model file: {features} features do not make a {shape} matrix")]
    Matrix {
        /// Features of the model.
        features: usize,
        /// The matrix that the file speaks of.
        shape: Shape,
    },
    /// A name too many, or too few.
    #[error("damaged model file: {names} names for {features} features")]
    Names {
        /// Names in the file.
        names: usize,
        /// Features of the model.
        features: usize,
    },
    /// A coefficient of a feature that there is not.
    #[error("damaged model file: coefficient {index} of {features} features")]
    Coefficient {
        /// The feature, from 0.
        index: usize,
        /// Features of the model.
        features: usize,
    },
    /// The memory of this machine is too small.
    #[error("not enough memory for the {features} features of this model")]
    Memory {
        /// Features of the model.
        features: usize,
    },
}

/// Why no file could hold a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritable {
    /// It holds a number that is none.
    #[error("{what} is {value}, not a finite number")]
    NotFinite {
        /// Which of its numbers.
        what: String,
        /// The number.
        value: f64,
    },
    /// It cannot be put into words.
    #[error("{0}")]
    NotJson(serde_json::Error),
    /// What was written says something else.
    #[error("it reads back as another model")]
    ReadsBackAsAnother,
    /// What was written cannot be read.
    #[error("it cannot be read back: {0}")]
    Unreadable(ModelFault),
}
