//! Models of a stream: as it is, measured on some rows, and the exact fit of its sample.
//!
//! A stream has no "all data" to be measured on. So a model of it says on which rows its objective and its certificate were computed ([`Streamed`]), and claims nothing beyond them: the exact finish is one of the *sample*, and
//! its certificate compares with the best model for the sample, not for the stream. It removes what the steps have left to optimise; the chance in a sample of $R$ rows it cannot remove.

use super::block::Stream;
use super::rows::Flat;
use crate::certificate::{Certified, Judge, Reached};
use crate::constraint::Structure;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::exchanges::Exchanges;
use crate::loss::LossSpec;
use crate::model::Model;
use crate::objective::Objective;
use crate::polish::distance;
use crate::preparation::Units;
use crate::problem::Problem;
use crate::ridge::Ridge;
use crate::rule::Rule;
use crate::solver::{Fit, Method, Settings, Stop};
use crate::trace::{Observer, Silent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// That a model comes from a stream, and which rows its objective and certificate are about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Streamed {
    /// Rows of the stream so far.
    pub rows: u64,
    /// Rows after which a row counts half, if anything is forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_life: Option<f64>,
    /// Mean loss of all rows, each before it was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// The same of recent rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recent_loss: Option<f64>,
    /// Which rows the objective and the certificate were computed on.
    pub measured_on: MeasuredOn,
    /// How many they are.
    pub measured_rows: usize,
}

/// Rows that a model of a stream was measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasuredOn {
    /// The sample of the stream, which the model was also fitted to.
    Sample,
    /// Rows that were given, usually the last block.
    Block,
}

/// The exact fit of a sample.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finished {
    /// The model, in the units of the data.
    pub model: Model,
    /// The fit that it is of, in the units of the fit.
    pub fit: Fit,
    /// These units.
    pub units: Units,
}

impl Stream<'_> {
    fn streamed(&self, measured_on: MeasuredOn, measured_rows: usize) -> Streamed {
        let progressive = self.progressive();
        Streamed {
            rows: self.rows(),
            half_life: self.form.settings.half_life,
            loss: progressive.running.loss(),
            recent_loss: progressive.recent.loss(),
            measured_on,
            measured_rows,
        }
    }

    /// $s_j^2$ of the columns so far, where the ridge acts on standardised effects.
    fn squares(&self) -> Option<Vec<f64>> {
        let moments = self.state.learned.moments.as_ref().filter(|_| self.form.preparation.is_on_effects())?;
        let mut squares = Vec::new();
        moments.write_squares(&mut squares);
        Some(squares)
    }

    /// F of some rows, for columns as they are.
    fn objective<'s>(&'s self, rows: &'s Data<'s>, squares: Option<&'s [f64]>) -> Objective<'s> {
        let form = &self.form;
        let ridge = squares.map_or(Ridge::from(form.ridge), |squares| Ridge::on_effects(form.ridge, squares));
        Objective::new(rows, &*form.loss, ridge).intercept(form.layout.has_intercepts())
    }

    /// F of the model as it is, on some rows.
    pub fn objective_on(&self, rows: &Data) -> Result<f64> {
        self.objective(rows, self.squares().as_deref()).value(&self.point)
    }

    /// The model as it is, with its objective and certificate on some rows, usually the last block.
    pub fn model_on(&self, rows: &Data) -> Result<Model> {
        let form = &self.form;
        let iterate_distance = match self.leader() {
            Some(leader) => {
                let mut nearest = form.layout.coefficients(&leader.theta).to_vec();
                form.constraint.project(&mut nearest, &mut crate::constraint::Workspace::default())?;
                Some(distance(&nearest, form.layout.coefficients(&leader.theta)))
            }
            None => None,
        };
        let squares = self.squares();
        let objective = self.objective(rows, squares.as_deref());
        let schedule_meets_theory =
            form.settings.half_life.is_none() && form.settings.gamma > 0.5 && form.settings.gamma <= 1.0;
        let judge =
            Judge { objective, constraint: &*form.constraint, l1: 0.0, schedule_meets_theory, seed: self.state.seed };
        let mut reached = Reached::at(self.point.clone(), iterate_distance);
        if matches!(form.constraint.structure(), Structure::Choice(_)) {
            // Nobody has looked for another choice of features.
            reached.exchanges = Exchanges::CutShort;
        }
        let Certified { certificate, value, .. } = judge.certify(reached)?;
        Ok(Model {
            coefficients: self.coefficients().to_vec(),
            intercept: self.intercept(),
            shape: form.layout.shape(),
            names: form.names.clone(),
            loss: LossSpec::new(form.loss.spec()),
            constraint: form.constraint.spec().to_string(),
            ridge: form.ridge,
            method: Method::default().to_string(),
            schedule: self
                .rho1()
                .map_or_else(|| "none".to_owned(), |rho1| format!("poly:{rho1},{}", form.settings.gamma)),
            rho1: self.rho1(),
            batch_size: form.settings.batch_size,
            seed: self.state.seed,
            settings: BTreeMap::new(),
            steps: self.steps(),
            stop: Stop::Streaming,
            objective: value,
            certificate,
            streamed: Some(self.streamed(MeasuredOn::Block, rows.rows())),
        })
    }

    /// Fits the sample exactly, from the model as it is; the stream stays as it is.
    pub fn finish(&self, settings: &Settings) -> Result<Finished> {
        self.finish_observed(settings, &mut Silent)
    }

    /// The same while an observer watches, who may end it early.
    pub fn finish_observed(&self, settings: &Settings, observer: &mut dyn Observer) -> Result<Finished> {
        let form = &self.form;
        let Some(sample) = self.state.reservoir.as_ref().filter(|kept| kept.rows().len() > 0) else {
            return Err(Error::setting("reservoir", Rule::SomeSample, form.settings.reservoir));
        };
        let mut flat = Flat::default();
        let data = sample.rows().data(&mut flat)?;
        let data = match form.layout.shape() {
            crate::Shape::Matrix { rows, columns } => data.shape(rows, columns)?,
            crate::Shape::Vector(_) => data,
        };
        let data = match &form.names {
            Some(names) => data.names(names.iter().cloned())?,
            None => data,
        };
        let rows = data.rows();
        let units = form.preparation.units(&data, form.ridge)?;
        let data = units.apply(data)?;
        let start = (self.coefficients().to_vec(), self.intercept().unwrap_or(0.0));
        let settings = units.started(settings.clone().start(start.0, start.1));
        let fit = Problem::new(&data, &*form.loss, &*form.constraint)
            .ridge(units.ridge(form.ridge))
            .intercept(form.layout.has_intercepts())
            .fit_observed(&settings, observer)?;
        let streamed = Some(self.streamed(MeasuredOn::Sample, rows));
        let model = Model { streamed, ..units.restored(fit.model())? };
        Ok(Finished { model, fit, units })
    }
}
