//! A fitted model: coefficients and where they come from; predictions; a versioned JSON file.
//!
//! The file stores nonzero coefficients only, with numbers that read back to the same bits. The text is read back and compared
//! before it replaces anything, and it replaces the file whole or not at all. A model with a number that is not finite has no
//! file. What is read is not trusted: memory is taken only for features that a file can really stand for.

pub use crate::model_fault::{ModelFault, Unwritable};

use crate::certificate::Certificate;
use crate::data::{ChunkSource, products};
use crate::error::{Error, Result};
use crate::files;
use crate::loss::{Loss, LossSpec, Task};
use crate::shape::Shape;
use crate::solver::Stop;
use crate::stream::Streamed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What predictions need, and the provenance of a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// The coefficients, a point of the set.
    pub coefficients: Vec<f64>,
    /// The intercept, if there is one.
    pub intercept: Option<f64>,
    /// Arrangement of the coefficients.
    pub shape: Shape,
    /// Names of the features.
    pub names: Option<Vec<String>>,
    /// The loss.
    pub loss: LossSpec,
    /// The set, in the grammar of specifications.
    pub constraint: String,
    /// Weight of the ridge term.
    pub ridge: f64,
    /// The method, as in [`crate::Method`].
    pub method: String,
    /// The schedule; `none` if no step was needed.
    pub schedule: String,
    /// The penalty of the first step, if it is known.
    pub rho1: Option<f64>,
    /// Rows a step.
    pub batch_size: usize,
    /// The seed.
    pub seed: u64,
    /// Settings that were not as they are by default, by name, as [`crate::Settings::set`] takes them.
    pub settings: BTreeMap<String, String>,
    /// Steps taken.
    pub steps: u64,
    /// Why the run ended.
    pub stop: Stop,
    /// F at the result, on all rows.
    pub objective: f64,
    /// How good the result is.
    pub certificate: Certificate,
    /// For a model of a stream: that it is one, and which rows its objective and certificate are about.
    pub streamed: Option<Streamed>,
}

pub(crate) const FORMAT: &str = "proxdist-model";
const VERSION: u32 = 1;

/// The file, field by field; see [`Model`] for their meaning.
#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    features: usize,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    matrix: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    names: Option<Vec<String>>,
    loss: String,
    constraint: String,
    ridge: f64,
    intercept: Option<f64>,
    nonzero: Vec<(usize, f64)>,
    fit: Provenance,
}

#[derive(Serialize, Deserialize)]
struct Provenance {
    objective: f64,
    certificate: Certificate,
    stop: Stop,
    steps: u64,
    // Files from before there was a choice do not say.
    #[serde(default = "first_method")]
    method: String,
    schedule: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    rho1: Option<f64>,
    batch_size: usize,
    seed: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    streamed: Option<Streamed>,
}

fn first_method() -> String {
    crate::solver::Method::default().to_string()
}

impl Model {
    /// Indices of the nonzero coefficients.
    pub fn support(&self) -> Vec<usize> {
        (0..self.coefficients.len()).filter(|&j| self.coefficients[j] != 0.0).collect()
    }

    /// Whether the model tells the classes of all rows apart, as far as its F shows: without a ridge F then has no smallest value, coefficients only grow,
    /// and where they ended says nothing.
    pub fn separates_classes(&self) -> bool {
        const NEGLIGIBLE: f64 = 1e-6;
        let is_likelihood = self.loss.known().is_ok_and(Loss::has_probabilities);
        is_likelihood && self.ridge == 0.0 && self.objective < NEGLIGIBLE
    }

    /// Linear predictors $x_i^T\theta + \beta_0$ of all rows, without any offset.
    pub fn linear_predictors(&self, source: &dyn ChunkSource) -> Result<Vec<f64>> {
        if source.columns() != self.coefficients.len() {
            let (found, expected) = (source.columns(), self.coefficients.len());
            let rule = "as many columns as the model has coefficients";
            return Err(Error::Length { what: "data to predict", found, expected, rule });
        }
        let mut predictors = products(source, &self.coefficients)?;
        let intercept = self.intercept.unwrap_or(0.0);
        predictors.iter_mut().for_each(|eta| *eta += intercept);
        Ok(predictors)
    }

    /// Mean responses: probabilities for logistic, rates for Poisson, the linear predictors otherwise.
    pub fn predict(&self, source: &dyn ChunkSource) -> Result<Vec<f64>> {
        let loss = self.loss.known()?;
        Ok(self.linear_predictors(source)?.into_iter().map(|eta| loss.mean(eta)).collect())
    }

    /// What the model predicts: numbers, one of two classes, or counts. Whether classes have probabilities is asked of the loss.
    pub fn task(&self) -> Result<Task> {
        Ok(self.loss.known()?.task())
    }

    /// Refuses a model that holds a number which is not finite: it is no result, and no file could hold it.
    pub fn check_finite(&self) -> Result<()> {
        let wrong = |what: String, value: f64| Error::Unwritable(Unwritable::NotFinite { what, value });
        if let Some(j) = self.coefficients.iter().position(|value| !value.is_finite()) {
            let name = self.names.as_ref().and_then(|names| names.get(j));
            let what =
                name.map_or_else(|| format!("coefficient {}", j + 1), |name| format!("the coefficient of {name}"));
            return Err(wrong(what, self.coefficients[j]));
        }
        let others = [("the intercept", self.intercept), ("F", Some(self.objective)), ("the ridge", Some(self.ridge))];
        for (what, value) in others {
            if let Some(value) = value.filter(|value| !value.is_finite()) {
                return Err(wrong(what.to_owned(), value));
            }
        }
        let Certificate { distance, iterate_distance, stationarity, gap, .. } = self.certificate;
        let numbers = [Some(distance), iterate_distance, Some(stationarity), gap.map(|gap| gap.value)];
        match numbers.into_iter().flatten().find(|value| !value.is_finite()) {
            None => Ok(()),
            Some(value) => Err(wrong("a number of its certificate".to_owned(), value)),
        }
    }

    /// The text of the model file, which reads back as this model.
    pub fn to_json(&self) -> Result<String> {
        self.check_finite()?;
        let nonzero = self.support().into_iter().map(|j| (j, self.coefficients[j])).collect();
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            features: self.coefficients.len(),
            matrix: match self.shape {
                Shape::Vector(_) => None,
                Shape::Matrix { rows, columns } => Some([rows, columns]),
            },
            names: self.names.clone(),
            loss: self.loss.to_string(),
            constraint: self.constraint.clone(),
            ridge: self.ridge,
            intercept: self.intercept,
            nonzero,
            fit: Provenance {
                objective: self.objective,
                certificate: self.certificate,
                stop: self.stop,
                steps: self.steps,
                method: self.method.clone(),
                schedule: self.schedule.clone(),
                rho1: self.rho1,
                batch_size: self.batch_size,
                seed: self.seed,
                settings: self.settings.clone(),
                streamed: self.streamed,
            },
        };
        let text =
            serde_json::to_string_pretty(&file).map_err(|error| Error::Unwritable(Unwritable::NotJson(error)))?;
        match Self::from_json(&text) {
            Ok(same) if same == *self => Ok(text),
            Ok(_) => Err(Error::Unwritable(Unwritable::ReadsBackAsAnother)),
            Err(fault) => Err(Error::Unwritable(Unwritable::Unreadable(fault))),
        }
    }

    /// Reads the text of a model file; the error says what is wrong with it.
    pub fn from_json(text: &str) -> std::result::Result<Self, ModelFault> {
        #[derive(Deserialize)]
        struct Head {
            format: Option<String>,
            version: Option<u32>,
        }
        let head: Head = serde_json::from_str(text).map_err(ModelFault::NotJson)?;
        if head.format.as_deref() != Some(FORMAT) {
            return Err(ModelFault::Format { expected: FORMAT });
        }
        match head.version {
            Some(VERSION) => {}
            Some(crate::outputs::MODEL_VERSION) => return Err(ModelFault::SeveralOutputs),
            Some(crate::joint::MODEL_VERSION) => return Err(ModelFault::Joint),
            Some(found) => return Err(ModelFault::Version { found, expected: VERSION }),
            None => return Err(ModelFault::NoVersion),
        }
        let file: File = serde_json::from_str(text).map_err(ModelFault::Damaged)?;
        file.into_model()
    }

    /// Writes the model, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = self.to_json()? + "\n";
        files::write_whole(&path, text.as_bytes())
            .map_err(|source| Error::File { path: path.as_ref().to_owned(), source })
    }

    /// Reads a model that [`Model::save`] wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        Self::from_json(&text).map_err(|fault| Error::Model { path: path.to_owned(), fault })
    }
}

/// Features that a file may claim: as many as a fit could have had, half a gigabyte of coefficients.
pub(crate) const MOST_FEATURES: usize = 1 << 26;

impl File {
    fn into_model(self) -> std::result::Result<Model, ModelFault> {
        let features = self.features;
        if features == 0 || features > MOST_FEATURES {
            return Err(ModelFault::Features { features, most: MOST_FEATURES });
        }
        let shape = match self.matrix {
            None => Shape::Vector(features),
            Some([rows, columns]) => Shape::Matrix { rows, columns },
        };
        if shape.len() != features {
            return Err(ModelFault::Matrix { features, shape });
        }
        if let Some(names) = self.names.as_ref().filter(|names| names.len() != features) {
            return Err(ModelFault::Names { names: names.len(), features });
        }
        // Checked before there is room for all of them.
        if let Some(&(index, _)) = self.nonzero.iter().find(|(index, _)| *index >= features) {
            return Err(ModelFault::Coefficient { index, features });
        }
        // A refusal here can be told; one below would end the process. Zeros take no memory until they are touched.
        if Vec::<f64>::new().try_reserve_exact(features).is_err() {
            return Err(ModelFault::Memory { features });
        }
        let mut coefficients = vec![0.0; features];
        for (index, value) in self.nonzero {
            coefficients[index] = value;
        }
        Ok(Model {
            coefficients,
            intercept: self.intercept,
            shape,
            names: self.names,
            loss: LossSpec::new(self.loss),
            constraint: self.constraint,
            ridge: self.ridge,
            method: self.fit.method,
            schedule: self.fit.schedule,
            rho1: self.fit.rho1,
            batch_size: self.fit.batch_size,
            seed: self.fit.seed,
            settings: self.fit.settings,
            steps: self.fit.steps,
            stop: self.fit.stop,
            objective: self.fit.objective,
            certificate: self.fit.certificate,
            streamed: self.fit.streamed,
        })
    }
}
