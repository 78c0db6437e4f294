//! The result of a fit.

use super::notes::{self, Note, Stages};
use super::{Run, Settings, Stop};
use crate::certificate::Certificate;
use crate::model::Model;
use crate::problem::Problem;
use crate::schedule::Schedule;
use crate::trace::Progress;

/// A feasible parameter, how it was reached and why the run ended.
#[derive(Clone, Debug)]
pub struct Fit {
    model: Model,
    trace: Vec<Progress>,
    notes: Vec<Note>,
}

impl Fit {
    pub(crate) fn new(
        problem: &Problem,
        run: Run,
        objective: f64,
        certificate: Certificate,
        schedule: &dyn Schedule,
        batch_size: usize,
        settings: &Settings,
    ) -> Self {
        let columns = problem.data().columns();
        let is_cut = matches!(run.stop, Stop::Interrupted | Stop::Diverged);
        let notes = notes::notes(problem, settings, Stages::of(&run.trace, run.steps, is_cut));
        let mut coefficients = run.theta;
        let intercept = coefficients.split_off(columns).first().copied();
        let model = Model {
            coefficients,
            intercept,
            shape: problem.data().parameter_shape(),
            names: problem.data().feature_names().map(<[String]>::to_vec),
            loss: problem.loss().spec(),
            constraint: problem.constraint().spec(),
            ridge: problem.ridge_weight(),
            method: settings.method.to_string(),
            schedule: schedule.spec(),
            batch_size,
            seed: settings.seed,
            settings: settings.changes(),
            steps: run.steps,
            stop: run.stop,
            objective,
            certificate,
        };
        Self { model, trace: run.trace, notes }
    }

    /// The coefficients, a point of the set.
    pub fn coefficients(&self) -> &[f64] {
        &self.model.coefficients
    }

    /// The intercept, if the problem has one.
    pub fn intercept(&self) -> Option<f64> {
        self.model.intercept
    }

    /// Indices of the nonzero coefficients.
    pub fn support(&self) -> Vec<usize> {
        self.model.support()
    }

    /// F at the result, on all rows.
    pub fn objective(&self) -> f64 {
        self.model.objective
    }

    /// How good the result is.
    pub fn certificate(&self) -> &Certificate {
        &self.model.certificate
    }

    /// Why the run ended.
    pub fn stop(&self) -> Stop {
        self.model.stop
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.model.steps
    }

    /// The checkpoints.
    pub fn trace(&self) -> &[Progress] {
        &self.trace
    }

    /// Settings that were given and had no effect, with the reason.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What predictions need, ready to be saved.
    pub fn model(&self) -> &Model {
        &self.model
    }
}
