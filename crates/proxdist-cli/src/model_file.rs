//! The model file: the library's JSON object with one more key, `data`, for what new files need to be read as in training.
//!
//! Readers that do not know the key ignore it, and files without it can be used as long as names or the number of columns
//! fit.

use crate::args::{DataArgs, UnitArgs};
use crate::failure::{Failure, Result, file_hint};
use crate::joint::TimeColumns;
use proxdist::Model;
use proxdist::joint::{JointKind, JointModel};
use proxdist::loss::{Link, Task};
use proxdist::outputs::OutputsModel;
use proxdist_io::Schema;
use serde::{Deserialize, Serialize};
use std::io::Read as _;
use std::path::Path;

/// A model and what is known about the data it was fitted to.
#[derive(Debug, PartialEq)]
pub(crate) struct StoredModel {
    /// The library's part.
    pub(crate) model: Model,
    /// Ours.
    pub(crate) training: Option<Training>,
}

/// How the training file was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Training {
    /// Columns, categories and labels.
    pub(crate) schema: Schema,
    /// Column of offsets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<String>,
    /// Columns of offsets of several outputs, one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) offsets: Vec<String>,
    /// Column of exposures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exposure: Option<String>,
    /// Column of observation weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) weights: Option<String>,
    /// Columns that are responses beside the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) more_targets: Vec<String>,
    /// Columns that belong to the times of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) times: Option<TimeColumns>,
    /// Rows kept out of the fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) holdout: Option<Holdout>,
    /// Whether columns were scaled for the fit; the coefficients are for columns as they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) standardized: bool,
    /// Whether the ridge acts on coefficients as they are, as `--no-standardize` has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) as_they_are: bool,
}

/// What makes the same split again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Holdout {
    /// Share of the rows kept out.
    pub(crate) share: f64,
    /// Seed of the split.
    pub(crate) seed: u64,
    /// Rows of the whole file.
    pub(crate) rows: usize,
}

impl Training {
    /// Of a table read from a file as the options say.
    pub(crate) fn new(schema: Schema, read: &DataArgs, holdout: Option<Holdout>, standardized: bool) -> Self {
        let (offset, exposure, weights) = (read.one_offset(), read.exposure.clone(), read.weights.clone());
        let (more_targets, offsets) = (Vec::new(), read.offsets());
        let times = None;
        Self {
            schema,
            offset,
            offsets,
            exposure,
            weights,
            more_targets,
            times,
            holdout,
            standardized,
            as_they_are: false,
        }
    }

    /// For a fit of these units.
    pub(crate) fn in_units(self, units: &UnitArgs) -> Self {
        Self { as_they_are: units.no_standardize, ..self }
    }
}

impl StoredModel {
    /// The text of the file, which has been read back: it says the same as this.
    pub(crate) fn to_json(&self) -> Result<String> {
        let core = self.model.to_json()?;
        let Some(training) = &self.training else { return Ok(core + "\n") };
        let text = with_training(&core, training)?;
        let same = Self::from_json(&text).map_err(|reason| unwritable(&reason))?;
        if same != *self {
            return Err(unwritable("it reads back as another one"));
        }
        Ok(text)
    }

    fn from_json(text: &str) -> std::result::Result<Self, String> {
        let model = Model::from_json(text).map_err(|fault| fault.to_string())?;
        let training = training(text, model.coefficients.len())?;
        Ok(Self { model, training })
    }

    /// What reading a file for the model needs.
    pub(crate) fn known(&self) -> Result<Known> {
        let (names, features) = (self.model.names.clone(), self.model.coefficients.len());
        let loss = self.model.loss.known()?;
        let known = Known::new(self.training.as_ref(), self.model.task()?, names, features);
        Ok(Known { link: loss.link(), loss: loss.spec(), ..known })
    }
}

/// A model of several outputs and what is known about the data it was fitted to.
#[derive(Debug, PartialEq)]
pub(crate) struct StoredOutputs {
    /// The library's part.
    pub(crate) model: OutputsModel,
    /// Ours.
    pub(crate) training: Option<Training>,
}

impl StoredOutputs {
    /// The text of the file, which has been read back: it says the same as this.
    pub(crate) fn to_json(&self) -> Result<String> {
        let core = self.model.to_json()?;
        let Some(training) = &self.training else { return Ok(core + "\n") };
        let text = with_training(&core, training)?;
        let same = Self::from_json(&text).map_err(|reason| unwritable(&reason))?;
        if same == *self { Ok(text) } else { Err(unwritable("it reads back as another one")) }
    }

    fn from_json(text: &str) -> std::result::Result<Self, String> {
        let model = OutputsModel::from_json(text).map_err(|fault| fault.to_string())?;
        let training = training(text, model.features())?;
        Ok(Self { model, training })
    }

    /// What reading a file for the model needs.
    pub(crate) fn known(&self) -> Known {
        let task = if self.model.loss.is_classification() { Task::TwoClasses } else { Task::Regression };
        let known = Known::new(self.training.as_ref(), task, self.model.names.clone(), self.model.features());
        Known { loss: self.model.loss.to_string(), ..known }
    }
}

/// A model of times or ordered labels and what is known about the data it was fitted to.
#[derive(Debug, PartialEq)]
pub(crate) struct StoredJoint {
    /// The library's part.
    pub(crate) model: JointModel,
    /// Ours.
    pub(crate) training: Option<Training>,
}

impl StoredJoint {
    /// The text of the file, which has been read back: it says the same as this.
    pub(crate) fn to_json(&self) -> Result<String> {
        let core = self.model.to_json()?;
        let Some(training) = &self.training else { return Ok(core + "\n") };
        let text = with_training(&core, training)?;
        let same = Self::from_json(&text).map_err(|reason| unwritable(&reason))?;
        if same == *self { Ok(text) } else { Err(unwritable("it reads back as another one")) }
    }

    fn from_json(text: &str) -> std::result::Result<Self, String> {
        let model = JointModel::from_json(text).map_err(|fault| fault.to_string())?;
        let training = training(text, model.coefficients.len())?;
        Ok(Self { model, training })
    }

    /// What reading a file for the model needs.
    pub(crate) fn known(&self) -> Known {
        let is_labels = matches!(self.model.kind, JointKind::Ordinal { .. });
        let task = if is_labels { Task::TwoClasses } else { Task::Regression };
        let (names, features) = (self.model.names.clone(), self.model.coefficients.len());
        let known = Known::new(self.training.as_ref(), task, names, features);
        Known { loss: self.model.kind.loss().to_owned(), ..known }
    }
}

/// What a file that was read for a model must be like.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// What the target is; several classes are labels like two.
    pub(crate) task: Task,
    /// Columns, categories and labels, if the model file has them.
    pub(crate) schema: Option<Schema>,
    /// Column of offsets in training.
    pub(crate) offset: Option<String>,
    /// Column of exposures in training.
    pub(crate) exposure: Option<String>,
    /// The loss as text.
    pub(crate) loss: String,
    /// What its predictor means.
    pub(crate) link: Link,
    /// Names of the features.
    pub(crate) names: Option<Vec<String>>,
    /// Their number.
    pub(crate) features: usize,
}

impl Known {
    fn new(training: Option<&Training>, task: Task, names: Option<Vec<String>>, features: usize) -> Self {
        let schema = training.map(|training| training.schema.clone());
        let offset = training.and_then(|training| training.offset.clone());
        let exposure = training.and_then(|training| training.exposure.clone());
        Self { task, schema, offset, exposure, loss: String::new(), link: Link::Identity, names, features }
    }
}

/// A model of one output or several, or of times or ordered labels.
#[derive(Debug)]
pub(crate) enum Stored {
    /// Of one.
    One(StoredModel),
    /// Of several.
    Several(StoredOutputs),
    /// Of times or ordered labels.
    Joint(StoredJoint),
}

impl Stored {
    /// Reads a model file; `-` is standard input.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let is_stdin = path.as_os_str() == "-";
        let shown = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        let read = if is_stdin {
            let mut text = String::new();
            std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
        } else {
            std::fs::read_to_string(path)
        };
        let text = read.map_err(|error| Failure::new(format!("{shown}: {error}"), file_hint(&error)))?;
        let foreign = |reason: String| {
            Failure::new(
                format!("{shown}: {reason}"),
                "give a file that `proxdist fit --out` has written; the model comes before the data",
            )
        };
        if OutputsModel::is_one(&text) {
            return StoredOutputs::from_json(&text).map(Self::Several).map_err(foreign);
        }
        if JointModel::is_one(&text) {
            return StoredJoint::from_json(&text).map(Self::Joint).map_err(foreign);
        }
        StoredModel::from_json(&text).map(Self::One).map_err(foreign)
    }
}

/// The library's text with ours in it. It stays as it is, so that its numbers keep every bit and its keys their order.
fn with_training(core: &str, training: &Training) -> Result<String> {
    let data = serde_json::to_string(training).map_err(|error| unwritable(&error.to_string()))?;
    let body = core.trim_end().strip_suffix('}').ok_or_else(|| unwritable("not an object"))?;
    Ok(format!("{},\n  \"data\": {data}\n}}\n", body.trim_end()))
}

/// Our part of a model file, for a model of so many features.
fn training(text: &str, features: usize) -> std::result::Result<Option<Training>, String> {
    #[derive(Deserialize)]
    struct Ours {
        data: Option<Training>,
    }
    let damaged = |reason: String| format!("damaged model file: {reason}");
    let ours: Ours = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
    let Some(training) = ours.data else { return Ok(None) };
    match training.schema.width() {
        width if width == features => Ok(Some(training)),
        width => Err(damaged(format!("\"data\" describes {width} columns, the model has {features}"))),
    }
}

fn unwritable(reason: &str) -> Failure {
    Failure::new(format!("the model cannot be written: {reason}"), "please report this as a bug")
}
