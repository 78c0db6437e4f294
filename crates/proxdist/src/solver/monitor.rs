//! The rows that the objective is watched on, and the measurements taken there.

use super::{Settings, StopRule};
use crate::error::Result;
use crate::objective::Objective;
use crate::sampling::monitor_sample;
use crate::trace::{Phase, Progress};
use std::time::Duration;

/// Entries of the features that a checkpoint may read without anybody minding.
const CHEAP: usize = 4_000_000;

/// F beyond which a run counts as diverged, given F at its start.
pub(crate) fn worst_bearable(at_start: f64) -> f64 {
    1e8 * (1.0 + at_start.abs())
}

/// Where a run is when it is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) phase: Phase,
    pub(crate) step: u64,
    pub(crate) rho: f64,
    pub(crate) rows_seen: u64,
    pub(crate) elapsed: Duration,
}

/// Measures F on all rows, or on a fixed sample where all would cost too much.
pub(crate) struct Monitor<'a> {
    objective: Objective<'a>,
    /// Weight of an L1 term that the method adds to F.
    l1: f64,
    sample: Option<Vec<usize>>,
}

/// Rows that are watched when the user does not say.
pub(crate) fn usual_monitor_rows(rows: usize, columns: usize) -> usize {
    rows.min((CHEAP / columns).max(1000))
}

impl<'a> Monitor<'a> {
    pub(crate) fn new(objective: Objective<'a>, settings: &Settings) -> Self {
        let (rows, columns) = (objective.data.rows(), objective.data.columns());
        let count = match settings.stop {
            StopRule::Paper => rows,
            StopRule::Settled => settings.monitor_rows.unwrap_or_else(|| usual_monitor_rows(rows, columns)),
        };
        let sample = (count < rows).then(|| monitor_sample(settings.seed, rows, count));
        Self { objective, l1: settings.method.l1_weight(), sample }
    }

    /// Rows watched.
    pub(crate) fn rows(&self) -> usize {
        self.sample.as_ref().map_or(self.objective.data.rows(), Vec::len)
    }

    /// What the method minimises, on those rows.
    pub(crate) fn value(&self, theta: &[f64]) -> Result<f64> {
        let smooth = match &self.sample {
            Some(sample) => self.objective.value_on(theta, sample)?,
            None => self.objective.value(theta)?,
        };
        Ok(if self.l1 > 0.0 { smooth + self.l1 * self.objective.l1_norm(theta) } else { smooth })
    }

    /// A checkpoint: where the run is, an iterate, its projection and F there.
    pub(crate) fn progress(&self, moment: Moment, point: &[f64], theta: &[f64], objective: f64) -> Progress {
        let Moment { phase, step, rho, rows_seen, elapsed } = moment;
        let point = self.objective.split(point).0;
        let distance = point.iter().zip(theta).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let nonzeros = point.iter().filter(|v| **v != 0.0).count();
        Progress { phase, step, objective, distance, rho, nonzeros, rows_seen, elapsed, bound: None, nodes: None }
    }
}
