//! A fitted model of several outputs: predictions, and a model file of version 2.
//!
//! The file has the format of [`crate::Model`], whose files stay at version 1: a program that knows one output only says so when it meets this one.

use super::loss::{OutputLoss, probabilities};
use super::separation::Separation;
use crate::certificate::Certificate;
use crate::data::{ChunkSource, products};
use crate::error::{Error, Result};
use crate::files;
use crate::layout::Layout;
use crate::model::{FORMAT, MOST_FEATURES, ModelFault, Unwritable};
use crate::preparation::Units;
use crate::solver::Stop;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

/// The version of model files of several outputs.
pub(crate) const VERSION: u32 = 2;

/// Which of the parameters with the same probabilities a model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unique {
    /// Responses are numbers: no two parameters have the same predictions for all rows.
    ByLoss,
    /// That whose coefficients and intercepts sum to zero over the classes.
    ZeroSum,
    /// That of the smallest ridge term, whose coefficients sum to zero over the classes by themselves.
    Ridge,
    /// Intercepts sum to zero over the classes; coefficients are as the set has them.
    Intercepts,
}

impl fmt::Display for Unique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ByLoss => "each response has its own coefficients",
            Self::ZeroSum => "coefficients sum to zero over the classes",
            Self::Ridge => "coefficients sum to zero over the classes, by the ridge",
            Self::Intercepts => "intercepts sum to zero over the classes",
        })
    }
}

/// What predictions need, and the provenance of a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutputsModel {
    /// The coefficients, feature by feature: that of feature `j` for output `k` is at `j * K + k`.
    pub coefficients: Vec<f64>,
    /// One intercept for each output, if there are any.
    pub intercepts: Option<Vec<f64>>,
    /// What the outputs are called: labels of classes, or names of responses.
    pub outputs: Vec<String>,
    /// Names of the features.
    pub names: Option<Vec<String>>,
    /// The loss.
    pub loss: OutputLoss,
    /// Which of the parameters with the same probabilities this is.
    pub unique: Unique,
    /// The set, in the grammar of specifications.
    pub constraint: String,
    /// Weight of the ridge term.
    pub ridge: f64,
    /// The seed.
    pub seed: u64,
    /// Rows a step; zero if no step was taken.
    pub batch_size: usize,
    /// The penalty of the first step, if steps were taken.
    pub rho1: Option<f64>,
    /// The schedule; `none` if no step was needed.
    pub schedule: String,
    /// Settings that were not as they are by default.
    pub settings: BTreeMap<String, String>,
    /// Steps taken.
    pub steps: u64,
    /// Why the run ended.
    pub stop: Stop,
    /// F at the result, on all rows.
    pub objective: f64,
    /// How good the result is.
    pub certificate: Certificate,
    /// Whether classes are told apart without error, as far as was seen.
    pub separation: Separation,
}

/// The file, field by field.
#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    features: usize,
    outputs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    names: Option<Vec<String>>,
    loss: String,
    unique: Unique,
    constraint: String,
    ridge: f64,
    intercepts: Option<Vec<f64>>,
    /// Feature, output and coefficient.
    nonzero: Vec<(usize, usize, f64)>,
    fit: Provenance,
}

#[derive(Serialize, Deserialize)]
struct Provenance {
    objective: f64,
    certificate: Certificate,
    #[serde(default, skip_serializing_if = "Separation::is_absent")]
    separation: Separation,
    stop: Stop,
    steps: u64,
    schedule: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    rho1: Option<f64>,
    batch_size: usize,
    seed: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<String, String>,
}

impl OutputsModel {
    /// Features, p.
    pub fn features(&self) -> usize {
        self.coefficients.len() / self.outputs.len().max(1)
    }

    /// The coefficient of a feature for an output.
    pub fn coefficient(&self, feature: usize, output: usize) -> f64 {
        self.coefficients[feature * self.outputs.len() + output]
    }

    /// Features with a coefficient that is not zero.
    pub fn support(&self) -> Vec<usize> {
        let rows = self.coefficients.chunks_exact(self.outputs.len().max(1)).enumerate();
        rows.filter(|(_, row)| row.iter().any(|value| *value != 0.0)).map(|(j, _)| j).collect()
    }

    /// Whether classes are told apart without error, as far as the fit or its F shows: without a ridge coefficients then have no natural size.
    pub fn separation(&self) -> Separation {
        const NEGLIGIBLE: f64 = 1e-6;
        let is_perfect = self.loss.is_classification() && self.ridge == 0.0 && self.objective < NEGLIGIBLE;
        if is_perfect { Separation::AllRows } else { self.separation }
    }

    /// Whether the model tells the classes of all rows apart.
    pub fn separates_classes(&self) -> bool {
        self.separation() == Separation::AllRows
    }

    /// The predictors of all rows, one for each output, row by row.
    pub fn linear_predictors(&self, source: &dyn ChunkSource) -> Result<Vec<f64>> {
        let (features, size) = (self.features(), self.outputs.len());
        if source.columns() != features {
            let rule = "as many columns as the model has features";
            let found = source.columns();
            return Err(Error::Length { what: "data to predict", found, expected: features, rule });
        }
        let mut out = vec![0.0; source.rows() * size];
        for k in 0..size {
            let column: Vec<f64> = (0..features).map(|j| self.coefficient(j, k)).collect();
            let intercept = self.intercepts.as_ref().map_or(0.0, |all| all[k]);
            for (row, product) in products(source, &column)?.into_iter().enumerate() {
                out[row * size + k] = product + intercept;
            }
        }
        Ok(out)
    }

    /// The probabilities of the classes, or the responses: one number for each output, row by row.
    pub fn predict(&self, source: &dyn ChunkSource) -> Result<Vec<f64>> {
        let mut out = self.linear_predictors(source)?;
        if self.loss.is_classification() {
            out.chunks_exact_mut(self.outputs.len()).for_each(probabilities);
        }
        Ok(out)
    }

    /// The model of scaled columns in the units of the data.
    pub fn restored(&self, units: &Units) -> Result<Self> {
        let layout = Layout::vector(self.features()).outputs(self.outputs.len()).intercepts(self.intercepts.is_some());
        let theta: Vec<f64> = self.coefficients.iter().chain(self.intercepts.iter().flatten()).copied().collect();
        let (coefficients, intercepts) = restored_parameter(units, layout, &theta)?;
        let intercepts = self.intercepts.as_ref().map(|_| intercepts);
        Ok(Self { coefficients, intercepts, ..self.clone() })
    }

    /// Refuses a model that holds a number which is not finite.
    pub fn check_finite(&self) -> Result<()> {
        let Certificate { distance, iterate_distance, stationarity, gap, .. } = self.certificate;
        let intercepts = self.intercepts.iter().flatten().map(|value| ("an intercept", *value));
        let numbers = self.coefficients.iter().map(|value| ("a coefficient", *value)).chain(intercepts);
        let certificate = [Some(distance), iterate_distance, Some(stationarity), gap.map(|gap| gap.value)];
        let certificate = certificate.into_iter().flatten().map(|value| ("a number of its certificate", value));
        let others = [("F", self.objective), ("the ridge", self.ridge)];
        match numbers.chain(certificate).chain(others).find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((what, value)) => Err(Error::Unwritable(Unwritable::NotFinite { what: what.to_owned(), value })),
        }
    }

    /// The text of the model file, which reads back as this model.
    pub fn to_json(&self) -> Result<String> {
        self.check_finite()?;
        let size = self.outputs.len();
        let nonzero = self.coefficients.iter().enumerate().filter(|(_, value)| **value != 0.0);
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            features: self.features(),
            outputs: self.outputs.clone(),
            names: self.names.clone(),
            loss: self.loss.to_string(),
            unique: self.unique,
            constraint: self.constraint.clone(),
            ridge: self.ridge,
            intercepts: self.intercepts.clone(),
            nonzero: nonzero.map(|(place, value)| (place / size, place % size, *value)).collect(),
            fit: Provenance {
                objective: self.objective,
                certificate: self.certificate,
                separation: self.separation,
                stop: self.stop,
                steps: self.steps,
                schedule: self.schedule.clone(),
                rho1: self.rho1,
                batch_size: self.batch_size,
                seed: self.seed,
                settings: self.settings.clone(),
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

    /// Whether a text is that of a model of several outputs, as far as its head says.
    pub fn is_one(text: &str) -> bool {
        #[derive(Deserialize)]
        struct Head {
            format: Option<String>,
            version: Option<u32>,
        }
        serde_json::from_str::<Head>(text)
            .is_ok_and(|head| head.format.as_deref() == Some(FORMAT) && head.version == Some(VERSION))
    }

    /// Reads the text of a model file; the error says what is wrong with it.
    pub fn from_json(text: &str) -> std::result::Result<Self, ModelFault> {
        let file: File = serde_json::from_str(text).map_err(ModelFault::Damaged)?;
        if file.format != FORMAT {
            return Err(ModelFault::Format { expected: FORMAT });
        }
        if file.version != VERSION {
            return Err(ModelFault::Version { found: file.version, expected: VERSION });
        }
        file.into_model()
    }

    /// Writes the model, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = self.to_json()? + "\n";
        files::write_whole(&path, text.as_bytes())
            .map_err(|source| Error::File { path: path.as_ref().to_owned(), source })
    }

    /// Reads a model that [`OutputsModel::save`] wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        Self::from_json(&text).map_err(|fault| Error::Model { path: path.to_owned(), fault })
    }
}

/// Coefficients and intercepts of a parameter on scaled columns, in the units of the data.
pub(super) fn restored_parameter(units: &Units, layout: Layout, theta: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    let size = layout.output_count();
    let (known, free) = layout.split(theta);
    let (mut coefficients, mut intercepts) = (known.to_vec(), free.to_vec());
    for k in 0..size {
        let column = known.iter().skip(k).step_by(size).copied().collect();
        let (column, intercept) = units.restored_point(column, free.get(k).copied())?;
        column.iter().enumerate().for_each(|(j, value)| coefficients[j * size + k] = *value);
        if let (Some(out), Some(intercept)) = (intercepts.get_mut(k), intercept) {
            *out = intercept;
        }
    }
    Ok((coefficients, intercepts))
}

impl File {
    fn into_model(self) -> std::result::Result<OutputsModel, ModelFault> {
        let (features, size) = (self.features, self.outputs.len());
        let count = features.saturating_mul(size);
        if count == 0 || count > MOST_FEATURES {
            return Err(ModelFault::Features { features: count, most: MOST_FEATURES });
        }
        if let Some(names) = self.names.as_ref().filter(|names| names.len() != features) {
            return Err(ModelFault::Names { names: names.len(), features });
        }
        if let Some(intercepts) = self.intercepts.as_ref().filter(|all| all.len() != size) {
            return Err(ModelFault::Intercepts { intercepts: intercepts.len(), outputs: size });
        }
        if let Some(&(index, _, _)) = self.nonzero.iter().find(|(j, k, _)| *j >= features || *k >= size) {
            return Err(ModelFault::Coefficient { index, features });
        }
        let loss = OutputLoss::parse(&self.loss).map_err(|_| ModelFault::OutputLoss { loss: self.loss.clone() })?;
        let mut coefficients = vec![0.0; count];
        for (j, k, value) in self.nonzero {
            coefficients[j * size + k] = value;
        }
        Ok(OutputsModel {
            coefficients,
            intercepts: self.intercepts,
            outputs: self.outputs,
            names: self.names,
            loss,
            unique: self.unique,
            constraint: self.constraint,
            ridge: self.ridge,
            seed: self.fit.seed,
            batch_size: self.fit.batch_size,
            rho1: self.fit.rho1,
            schedule: self.fit.schedule,
            settings: self.fit.settings,
            steps: self.fit.steps,
            stop: self.fit.stop,
            objective: self.fit.objective,
            certificate: self.fit.certificate,
            separation: self.fit.separation,
        })
    }
}
