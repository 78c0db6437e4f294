//! The result of a fit.

use super::notes::{self, Note, Stages};
use super::{Setting, Settings, Stop};
use crate::certificate::Certificate;
use crate::loss::LossSpec;
use crate::model::Model;
use crate::problem::Problem;
use crate::trace::Progress;

/// What a model file says where no step was taken, and so no schedule needed.
const NO_SCHEDULE: &str = "none";

/// A feasible parameter, how it was reached and why the run ended.
#[derive(Clone, Debug)]
pub struct Fit {
    model: Model,
    trace: Vec<Progress>,
    notes: Vec<Note>,
    reads: Option<u64>,
}

/// What a run leaves behind.
pub(crate) struct Ended {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) intercept: Option<f64>,
    /// F at the result, on all rows.
    pub(crate) objective: f64,
    pub(crate) certificate: Certificate,
    pub(crate) stop: Stop,
    pub(crate) steps: u64,
    /// The first penalty, if there was one.
    pub(crate) rho1: Option<f64>,
    /// The schedule as text, if steps were to be taken by one.
    pub(crate) schedule: Option<String>,
    pub(crate) batch_size: usize,
    pub(crate) trace: Vec<Progress>,
}

impl Fit {
    pub(crate) fn new(problem: &Problem, settings: &Settings, ended: Ended) -> Self {
        let is_cut = matches!(ended.stop, Stop::Interrupted | Stop::Diverged);
        let notes = notes::notes(problem, settings, Stages::of(&ended.trace, ended.steps, is_cut));
        let model = Model {
            coefficients: ended.coefficients,
            intercept: ended.intercept,
            shape: problem.data().parameter_shape(),
            names: problem.data().feature_names().map(<[String]>::to_vec),
            loss: LossSpec::new(problem.loss().spec()),
            constraint: problem.constraint().spec().to_string(),
            ridge: problem.ridge_weight(),
            method: settings.method.to_string(),
            schedule: ended.schedule.unwrap_or_else(|| NO_SCHEDULE.to_owned()),
            rho1: ended.rho1,
            batch_size: ended.batch_size,
            seed: settings.seed,
            settings: settings.changes(),
            steps: ended.steps,
            stop: ended.stop,
            objective: ended.objective,
            certificate: ended.certificate,
        };
        Self { model, trace: ended.trace, notes, reads: None }
    }

    /// The same, made by so many readings of all rows.
    pub(crate) fn after_reads(mut self, reads: u64, settings: &Settings) -> Self {
        let is_known = self.notes.iter().any(|note| note.setting == Setting::Prove);
        if reads > 1 && settings.prove.is_some() && !is_known {
            self.notes.push(Note { setting: Setting::Prove, reason: notes::Reason::NotInMemory });
        }
        Self { reads: Some(reads), ..self }
    }

    /// How often all rows were read, where they are not in memory.
    pub fn reads(&self) -> Option<u64> {
        self.reads
    }

    /// The penalty of the first step, given or found by the race; `None` where no step was needed or the schedule is the user's own.
    pub fn rho1(&self) -> Option<f64> {
        self.model.rho1
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
