//! Where a run is, in one struct that is also what a checkpoint file holds.
//!
//! States are handed out only at points that a run without limits or interruptions passes through as well: after a round of the race, at a regular checkpoint of the
//! iteration, before the exact finish, between nodes of a proof. A run that goes on from one of them therefore ends with the same bits as one that was never interrupted, and under
//! wider limits as if they had been wide from the start.

use super::CurvedProof;
use crate::error::{Error, Result};
use crate::exchanges::Exchanges;
use crate::layout::Layout;
use crate::rule::Rule;
use crate::solver::{Iterate, TailAverage};
use crate::trace::Progress;
use crate::tune::Field;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What comes next in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stage {
    /// First penalties are tried side by side.
    Race,
    /// The steps of the method.
    Iteration,
    /// The exact finish.
    Finish,
    /// The search for a proof.
    Proof,
}

/// A feasible point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Feasible {
    /// F there on the monitor rows.
    pub(crate) objective: f64,
    /// Its distance to the iterate it is the projection of.
    pub(crate) distance: f64,
    /// Coefficients, then the intercept if there is one.
    pub(crate) theta: Vec<f64>,
}

/// What the exact finish left to the search for a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finished {
    /// Coefficients, then the intercept if there is one.
    pub(crate) theta: Vec<f64>,
    /// Distance to the set of the iterate that the finish began with.
    pub(crate) iterate_distance: Option<f64>,
    /// What is known about other choices of features.
    pub(crate) exchanges: Exchanges,
}

/// The state of a run. A run resumed from it with [`crate::Settings::resume`] and otherwise equal settings ends with the same bits as one that was
/// never interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// What comes next.
    pub(crate) stage: Stage,
    /// Steps taken.
    pub(crate) step: u64,
    /// Rows a step.
    pub(crate) batch_size: usize,
    /// The first penalty, once it is known, if the schedule has one.
    pub(crate) rho1: Option<f64>,
    /// The iterate, with what the method remembers of earlier steps.
    pub(crate) iterate: Iterate,
    /// How far the schedule is ahead of the steps because a method asked for later levels early.
    pub(crate) levels_ahead: u64,
    /// The candidates, while the race is on.
    pub(crate) race: Option<Field>,
    /// Feasible points that other first penalties led to, best first.
    pub(crate) runners_up: Vec<Vec<f64>>,
    /// The average of late iterates, where one is kept.
    pub(crate) average: Option<TailAverage>,
    /// The best feasible point of the iteration so far.
    pub(crate) best: Option<Feasible>,
    /// The checkpoints so far.
    pub(crate) trace: Vec<Progress>,
    /// The search for a proof, while it is on, and how long it has taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) proof: Option<Box<crate::proof::State>>,
    /// The same for a loss that is not quadratic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) curved: Option<Box<CurvedProof>>,
    #[serde(default, skip_serializing_if = "Duration::is_zero")]
    pub(crate) proof_time: Duration,
    /// Where the exact finish has ended, if a proof followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finished: Option<Finished>,
}

impl State {
    /// What comes next.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Steps taken.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The first penalty, once it is known.
    pub fn rho1(&self) -> Option<f64> {
        self.rho1
    }

    /// The checkpoints so far.
    pub fn trace(&self) -> &[Progress] {
        &self.trace
    }

    /// The state before the first step.
    pub(super) fn at_start(stage: Stage, theta: Vec<f64>, batch_size: usize) -> Self {
        Self {
            stage,
            step: 0,
            batch_size,
            rho1: None,
            iterate: Iterate::at(theta),
            levels_ahead: 0,
            race: None,
            runners_up: Vec::new(),
            average: None,
            best: None,
            trace: Vec::new(),
            proof: None,
            curved: None,
            proof_time: Duration::ZERO,
            finished: None,
        }
    }

    /// Whether this can be the state of a run on a parameter of this layout: it may come from a damaged file.
    pub(super) fn check(&self, layout: Layout) -> Result<()> {
        let racing = self.race.iter().flat_map(Field::points);
        let best = self.best.iter().map(|best| &best.theta);
        let finished = self.finished.iter().map(|finished| &finished.theta);
        let known = std::iter::once(&self.iterate.theta).chain(&self.runners_up).chain(finished);
        let mut points = known.chain(racing).chain(best);
        let rule = "a state of the same problem";
        if let Some(wrong) = points.find(|theta| theta.len() != layout.len()) {
            let (what, found, expected) = ("theta to resume from", wrong.len(), layout.len());
            return Err(Error::Length { what, found, expected, rule });
        }
        let is_known = self.stage == Stage::Race || self.race.is_none();
        if self.batch_size == 0 || !is_known || (self.stage == Stage::Race && self.race.is_none() && self.step > 0) {
            return Err(Error::setting("resume", Rule::HandedOut, format!("{:?}", self.stage)));
        }
        Ok(())
    }
}
