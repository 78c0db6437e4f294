//! The hazard that the partial likelihood leaves open, and survival from it.
//!
//! For a row with predictor $\eta$ the chance to be without the event after time $t$ is $\exp(-\Lambda_0(t)\,e^{\eta - c})$, with $\Lambda_0(t) = \sum_{t_k \le t}\sum_lm_k\omega_{kl}/S_{kl}$ the estimate of Breslow or Efron for a row at
//! the mean predictor $c$ of the fit: a number of ordinary size, whatever the units of the columns.

use super::partial::PartialLikelihood;
use serde::{Deserialize, Serialize};

/// The cumulative hazard of each stratum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Baseline {
    /// The predictor that the hazards are for.
    pub center: f64,
    /// One for each stratum.
    pub strata: Vec<BaselineStratum>,
}

/// The cumulative hazard of one stratum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaselineStratum {
    /// What the stratum is called; empty where there is one only.
    pub name: String,
    /// The times of events, ascending.
    pub times: Vec<f64>,
    /// $\Lambda_0$ from each of them on.
    pub hazard: Vec<f64>,
}

impl Baseline {
    /// Of rows with these predictors; strata are called by their numbers in `names`.
    pub(crate) fn of(loss: &PartialLikelihood, predictors: &[f64], names: &[String]) -> Self {
        let (mut sum, mut weight) = (0.0, 0.0);
        for (value, w) in predictors.iter().zip(&loss.weights) {
            sum += w * value;
            weight += w;
        }
        let center = sum / weight;
        let at = loss.hazards(predictors);
        let jumps = loss.jumps(&at);
        let each = |(stratum, top): (&super::risk_sets::Stratum, &f64)| {
            let factor = (center - top).exp();
            let range = stratum.events.clone();
            let hazard = jumps[range.clone()].iter().scan(0.0, |sum, jump| {
                *sum += jump * factor;
                Some(*sum)
            });
            BaselineStratum {
                name: names.get(stratum.number).cloned().unwrap_or_default(),
                times: loss.sets.events[range].iter().map(|event| event.time).collect(),
                hazard: hazard.collect(),
            }
        };
        Self { center, strata: loss.sets.strata.iter().zip(&at.tops).map(each).collect() }
    }

    /// The stratum of this name; the only one if no name is given.
    pub fn stratum(&self, name: Option<&str>) -> Option<&BaselineStratum> {
        match name {
            None if self.strata.len() == 1 => self.strata.first(),
            None => None,
            Some(name) => self.strata.iter().find(|stratum| stratum.name == name),
        }
    }

    /// The chance to be without the event after a time, for a row of a stratum with this predictor.
    pub fn survival(&self, stratum: &BaselineStratum, predictor: f64, time: f64) -> f64 {
        let hazard = stratum.at(time);
        if hazard == 0.0 { 1.0 } else { (-hazard * (predictor - self.center).exp()).exp() }
    }
}

impl BaselineStratum {
    /// $\Lambda_0$ at a time.
    pub fn at(&self, time: f64) -> f64 {
        match self.times.partition_point(|event| *event <= time) {
            0 => 0.0,
            before => self.hazard[before - 1],
        }
    }
}
