//! What a fit leaves behind: coefficients, the baseline hazard or the thresholds, and predictions from them.

use crate::certificate::Certificate;
use crate::data::{ChunkSource, products};
use crate::error::{Error, Result};
use crate::files;
use crate::model::{ModelFault, Unwritable};
use crate::ordinal::class_probabilities;
use crate::preparation::Units;
use crate::solver::Stop;
use crate::survival::{Baseline, SurvivalFault, Ties};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What is explained, with what predictions need besides coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "loss", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum JointKind {
    /// Times until an event.
    Cox {
        /// How events at the same time were counted.
        ties: Ties,
        /// The hazard of a row with the mean predictor.
        baseline: Baseline,
        /// Events of the fit, and rows of positive weight.
        events: usize,
        /// Rows of positive weight.
        rows: usize,
    },
    /// Ordered labels.
    Ordinal {
        /// The labels, ascending.
        levels: Vec<String>,
        /// One between each two of them: $P(y \le k) = \sigma(c_k - x^T\theta)$.
        thresholds: Vec<f64>,
    },
}

impl JointKind {
    /// The name of the loss.
    pub fn loss(&self) -> &'static str {
        match self {
            Self::Cox { .. } => "cox",
            Self::Ordinal { .. } => "ordinal",
        }
    }
}

/// What predictions need, and the provenance of a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointModel {
    /// One for each feature.
    pub coefficients: Vec<f64>,
    /// Names of the features.
    pub names: Option<Vec<String>>,
    /// What is explained.
    pub kind: JointKind,
    /// The set, in the grammar of specifications.
    pub constraint: String,
    /// Weight of the ridge term.
    pub ridge: f64,
    /// Settings that were not as they are by default.
    pub settings: BTreeMap<String, String>,
    /// Why the run ended.
    pub stop: Stop,
    /// F at the result.
    pub objective: f64,
    /// How good the result is.
    pub certificate: Certificate,
}

impl JointModel {
    /// Features with a coefficient that is not zero.
    pub fn support(&self) -> Vec<usize> {
        (0..self.coefficients.len()).filter(|&j| self.coefficients[j] != 0.0).collect()
    }

    /// $x^T\theta$ of each row, and its offset if there are any.
    pub fn linear_predictors(&self, source: &dyn ChunkSource, offset: Option<&[f64]>) -> Result<Vec<f64>> {
        let (found, expected) = (source.columns(), self.coefficients.len());
        if found != expected {
            let rule = "as many columns as the model has features";
            return Err(Error::Length { what: "data to predict", found, expected, rule });
        }
        let mut predictors = products(source, &self.coefficients)?;
        if let Some(offset) = offset {
            let (found, expected, rule) = (offset.len(), predictors.len(), "one for each row");
            if found != expected {
                return Err(Error::Length { what: "offset", found, expected, rule });
            }
            predictors.iter_mut().zip(offset).for_each(|(eta, offset)| *eta += offset);
        }
        Ok(predictors)
    }

    /// The chances of the labels for predictors, row by row; none for times.
    pub fn class_probabilities(&self, predictors: &[f64]) -> Option<Vec<f64>> {
        let JointKind::Ordinal { thresholds, .. } = &self.kind else { return None };
        let mut out = Vec::with_capacity(predictors.len() * (thresholds.len() + 1));
        predictors.iter().for_each(|eta| class_probabilities(*eta, thresholds, &mut out));
        Some(out)
    }

    /// The chance to be without the event after each of some times, row by row; strata are told by name if the model has several. None for labels.
    pub fn survival(&self, predictors: &[f64], strata: Option<&[String]>, times: &[f64]) -> Result<Option<Vec<f64>>> {
        let JointKind::Cox { baseline, .. } = &self.kind else { return Ok(None) };
        if let Some(strata) = strata.filter(|strata| strata.len() != predictors.len()) {
            let (found, expected, rule) = (strata.len(), predictors.len(), "one for each row");
            return Err(Error::Length { what: "strata", found, expected, rule });
        }
        let mut out = Vec::with_capacity(predictors.len() * times.len());
        for (row, &eta) in predictors.iter().enumerate() {
            let name = strata.map(|strata| strata[row].as_str());
            let Some(stratum) = baseline.stratum(name) else {
                let names: Vec<String> = baseline.strata.iter().map(|stratum| format!("{:?}", stratum.name)).collect();
                let stratum = name.unwrap_or_default().to_owned();
                return Err(Error::Survival(SurvivalFault::Stratum { stratum, known: names.join(", ") }));
            };
            out.extend(times.iter().map(|time| baseline.survival(stratum, eta, *time)));
        }
        Ok(Some(out))
    }

    /// The model of scaled columns in the units of the data.
    pub fn restored(&self, units: &Units) -> Result<Self> {
        let (coefficients, shift) = units.restored_point(self.coefficients.clone(), Some(0.0))?;
        // η on scaled columns is xᵀθ in the units of the data plus this.
        let shift = shift.unwrap_or(0.0);
        let mut model = Self { coefficients, ..self.clone() };
        match &mut model.kind {
            JointKind::Cox { baseline, .. } => baseline.center -= shift,
            JointKind::Ordinal { thresholds, .. } => thresholds.iter_mut().for_each(|cut| *cut -= shift),
        }
        Ok(model)
    }

    /// Refuses a model that holds a number which is not finite.
    pub fn check_finite(&self) -> Result<()> {
        let Certificate { distance, stationarity, gap, .. } = self.certificate;
        let own: Vec<(&str, f64)> = match &self.kind {
            JointKind::Cox { baseline, .. } => {
                let hazards = baseline.strata.iter().flat_map(|stratum| &stratum.hazard);
                hazards.chain([&baseline.center]).map(|value| ("the baseline hazard", *value)).collect()
            }
            JointKind::Ordinal { thresholds, .. } => thresholds.iter().map(|value| ("a threshold", *value)).collect(),
        };
        let numbers = self.coefficients.iter().map(|value| ("a coefficient", *value)).chain(own);
        let certificate = [Some(distance), Some(stationarity), gap.map(|gap| gap.value)];
        let certificate = certificate.into_iter().flatten().map(|value| ("a number of its certificate", value));
        let others = [("F", self.objective), ("the ridge", self.ridge)];
        match numbers.chain(certificate).chain(others).find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((what, value)) => Err(Error::Unwritable(Unwritable::NotFinite { what: what.to_owned(), value })),
        }
    }

    /// Writes the model, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = self.to_json()? + "\n";
        files::write_whole(&path, text.as_bytes())
            .map_err(|source| Error::File { path: path.as_ref().to_owned(), source })
    }

    /// Reads a model that [`JointModel::save`] wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        Self::from_json(&text).map_err(|fault: ModelFault| Error::Model { path: path.to_owned(), fault })
    }
}
