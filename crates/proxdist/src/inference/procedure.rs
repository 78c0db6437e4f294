//! A fit that can be repeated on other rows: the loss, the set, the ridge, the units and the settings of a model.
//!
//! A repetition does everything again that depends on the rows, the scaling of columns and the choice of features included. It does not start from the model.

use crate::constraint::Constraint;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::model::Model;
use crate::preparation::{Preparation, Standardize};
use crate::problem::Problem;
use crate::solver::{Settings, Stop};
use crate::trace::Observer;
use serde::{Deserialize, Serialize};

/// How a model was made.
#[derive(Clone, Debug)]
pub struct Procedure<'a> {
    /// The loss.
    pub loss: &'a dyn Loss,
    /// The set, for all columns of the data.
    pub set: &'a dyn Constraint,
    /// Weight of the ridge term.
    pub ridge: f64,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// In which units it is fitted, and what the ridge acts on.
    pub standardize: Standardize,
    /// The settings; the number of threads is that of all repetitions together.
    pub settings: Settings,
}

/// What a repetition found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replicate {
    /// Its number.
    pub number: u64,
    /// Coefficients that are not zero.
    pub nonzero: Vec<(usize, f64)>,
    /// The intercept.
    pub intercept: Option<f64>,
    /// Why there is no result, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The settings that a model was fitted with.
pub fn settings_of(model: &Model) -> Result<Settings> {
    model.settings.iter().try_fold(Settings::default(), |settings, (name, value)| settings.set(name, value))
}

impl Procedure<'_> {
    /// Fits some rows; `None` if it was interrupted.
    pub(super) fn repeat(&self, data: &Data, number: u64, observer: &mut dyn Observer) -> Option<Replicate> {
        match self.fitted(data, observer) {
            Ok(None) | Err(Error::Interrupted) => None,
            Ok(Some((coefficients, intercept))) => {
                let nonzero = coefficients.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect();
                Some(Replicate { number, nonzero, intercept, failure: None })
            }
            // Some rows may have one class only, or no two values of a column; that is a fact about the procedure.
            Err(error) => {
                let failure = Some(error.to_string());
                Some(Replicate { number, nonzero: Vec::new(), intercept: None, failure })
            }
        }
    }

    fn fitted(&self, data: &Data, observer: &mut dyn Observer) -> Result<Option<(Vec<f64>, Option<f64>)>> {
        let units = Preparation::decide(self.standardize, [self.set], self.intercept)?.units(data, self.ridge)?;
        let scaled = units.view(data)?;
        let problem = Problem::new(scaled.as_ref().unwrap_or(data), self.loss, self.set)
            .ridge(units.ridge(self.ridge))
            .intercept(self.intercept);
        let fit = problem.fit_observed(&Settings { threads: None, ..self.settings.clone() }, observer)?;
        if fit.stop() == Stop::Interrupted {
            return Ok(None);
        }
        let model = units.restored(fit.model())?;
        model.check_finite()?;
        Ok(Some((model.coefficients, model.intercept)))
    }
}
