//! The model file: the library's JSON object with one more key, `data`, for what new files need to be read as in training.
//!
//! Readers that do not know the key ignore it, and files without it can be used as long as names or the number of columns
//! fit.

use crate::failure::{Failure, Result, file_hint};
use proxdist::Model;
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
    /// Rows kept out of the fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) holdout: Option<Holdout>,
    /// Whether columns were scaled for the fit; the coefficients are for columns as they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    standardized: bool,
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
    /// Of a table read from a file.
    pub(crate) fn new(schema: Schema, offset: Option<String>, holdout: Option<Holdout>, standardized: bool) -> Self {
        Self { schema, offset, holdout, standardized }
    }
}

impl StoredModel {
    /// The text of the file, which has been read back: it says the same as this.
    pub(crate) fn to_json(&self) -> Result<String> {
        let core = self.model.to_json()?;
        let Some(training) = &self.training else { return Ok(core + "\n") };
        let data = serde_json::to_string(training).map_err(|error| unwritable(&error.to_string()))?;
        // The library's text stays as it is, so that its numbers keep every bit and its keys their order.
        let body = core.trim_end().strip_suffix('}').ok_or_else(|| unwritable("not an object"))?;
        let text = format!("{},\n  \"data\": {data}\n}}\n", body.trim_end());
        let same = Self::from_json(&text).map_err(|reason| unwritable(&reason))?;
        if same != *self {
            return Err(unwritable("it reads back as another one"));
        }
        Ok(text)
    }

    fn from_json(text: &str) -> std::result::Result<Self, String> {
        let model = Model::from_json(text).map_err(|fault| fault.to_string())?;
        let training = Self::training(text, &model)?;
        Ok(Self { model, training })
    }

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
        Self::from_json(&text).map_err(foreign)
    }

    fn training(text: &str, model: &Model) -> std::result::Result<Option<Training>, String> {
        #[derive(Deserialize)]
        struct Ours {
            data: Option<Training>,
        }
        let damaged = |reason: String| format!("damaged model file: {reason}");
        let ours: Ours = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        let Some(training) = ours.data else { return Ok(None) };
        let features = model.coefficients.len();
        match training.schema.width() {
            width if width == features => Ok(Some(training)),
            width => Err(damaged(format!("\"data\" describes {width} columns, the model has {features}"))),
        }
    }
}

fn unwritable(reason: &str) -> Failure {
    Failure::new(format!("the model cannot be written: {reason}"), "please report this as a bug")
}
