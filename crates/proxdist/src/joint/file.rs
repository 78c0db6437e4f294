//! The model file of losses that tie rows together: version 3 of the format, with the coefficients that are not zero.

use super::model::{JointKind, JointModel};
use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::model::{FORMAT, MOST_FEATURES, ModelFault, Unwritable};
use crate::solver::Stop;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of these model files.
pub(crate) const VERSION: u32 = 3;

/// The file, field by field.
#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    features: usize,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    names: Option<Vec<String>>,
    #[serde(flatten)]
    kind: JointKind,
    constraint: String,
    ridge: f64,
    /// Feature and coefficient.
    nonzero: Vec<(usize, f64)>,
    fit: Provenance,
}

#[derive(Serialize, Deserialize)]
struct Provenance {
    objective: f64,
    certificate: Certificate,
    stop: Stop,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<String, String>,
}

impl JointModel {
    /// The text of the model file, which reads back as this model.
    pub fn to_json(&self) -> Result<String> {
        self.check_finite()?;
        let nonzero = self.support().into_iter().map(|j| (j, self.coefficients[j])).collect();
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            features: self.coefficients.len(),
            names: self.names.clone(),
            kind: self.kind.clone(),
            constraint: self.constraint.clone(),
            ridge: self.ridge,
            nonzero,
            fit: Provenance {
                objective: self.objective,
                certificate: self.certificate,
                stop: self.stop,
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

    /// Whether a text is that of such a model, as far as its head says.
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
}

impl File {
    fn into_model(self) -> std::result::Result<JointModel, ModelFault> {
        let features = self.features;
        if features == 0 || features > MOST_FEATURES {
            return Err(ModelFault::Features { features, most: MOST_FEATURES });
        }
        if let Some(names) = self.names.as_ref().filter(|names| names.len() != features) {
            return Err(ModelFault::Names { names: names.len(), features });
        }
        if let Some(&(index, _)) = self.nonzero.iter().find(|(j, _)| *j >= features) {
            return Err(ModelFault::Coefficient { index, features });
        }
        match &self.kind {
            JointKind::Cox { baseline, .. } => {
                let is_whole = |times: &[f64], hazard: &[f64]| {
                    let is_ascending = times.is_sorted() && hazard.is_sorted();
                    times.len() == hazard.len() && is_ascending && hazard.iter().all(|value| *value >= 0.0)
                };
                if !baseline.strata.iter().all(|stratum| is_whole(&stratum.times, &stratum.hazard)) {
                    return Err(ModelFault::Baseline);
                }
            }
            JointKind::Ordinal { levels, thresholds } => {
                let is_ascending = thresholds.windows(2).all(|pair| pair[0] < pair[1]);
                if levels.len() < 2 || thresholds.len() != levels.len() - 1 || !is_ascending {
                    return Err(ModelFault::Thresholds { thresholds: thresholds.len(), levels: levels.len() });
                }
            }
        }
        let mut coefficients = vec![0.0; features];
        self.nonzero.into_iter().for_each(|(j, value)| coefficients[j] = value);
        Ok(JointModel {
            coefficients,
            names: self.names,
            kind: self.kind,
            constraint: self.constraint,
            ridge: self.ridge,
            settings: self.fit.settings,
            stop: self.fit.stop,
            objective: self.fit.objective,
            certificate: self.fit.certificate,
        })
    }
}
