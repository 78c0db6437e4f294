//! What a run can be told, in one struct that is its own builder.

use super::Method;
use crate::error::{Error, Result};
use crate::run::State;
use crate::sampling::Sampling;
use crate::schedule::{Polynomial, Schedule};
use std::sync::Arc;
use std::time::Duration;

/// When a run has converged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopRule {
    /// $F(P_C(\theta))$ on the monitor rows changes by less than the tolerance, relatively, over several checkpoints, and
    /// $\theta$ is close to $C$. The best checkpoint is returned.
    #[default]
    Settled,
    /// $|F(P_C(\theta_k)) - F(P_C(\theta_{k-1}))| <$ tolerance on all rows after every step, and the last iterate is returned:
    /// the rule of the paper.
    Paper,
}

/// Settings of a fit. Everything has a default; [`crate::Problem::fit`] checks them once.
///
/// | setting        | default                  | range    | meaning |
/// |----------------|--------------------------|----------|---------|
/// | `method`       | `spd`                    |          | the iteration, see [`Method`] |
/// | `rho1`         | chosen by a race         | > 0      | penalty of the first step, the inverse of its learning rate |
/// | `gamma`        | 1                        | ≥ 0      | power with which the penalty grows; the theory covers (½, 1] |
/// | `schedule`     | `rho1 · k^gamma`         |          | any other penalty as a function of the step |
/// | `batch_size`   | 64, or half of n if less  | 1..=n    | rows a step |
/// | `sampling`     | without replacement      |          | how batches are drawn |
/// | `max_steps`    | 10 000                   | ≥ 1      | steps at most |
/// | `max_passes`   | none                     | > 0      | passes over the data at most, in rows seen |
/// | `time_limit`   | none                     | > 0      | time at most |
/// | `stop`         | settled                  |          | the rule of convergence |
/// | `tolerance`    | 1e-4                     | > 0      | see [`StopRule`] |
/// | `check_every`  | as often as is cheap     | ≥ 1      | steps between checkpoints |
/// | `monitor_rows` | all if cheap             | 1..=n    | rows the objective is watched on |
/// | `polish`       | on                       |          | finish on the exact optimum of the piece of the set that was found |
/// | `average`      | off                      |          | also try averages of late iterates |
/// | `start`        | zero                     | length p | coefficients to start from |
/// | `seed`         | 0                        | any      | fixes the batches, hence the fit |
/// | `threads`      | those of the caller's pool | 1..=1024 | threads for passes over the data; never changes a result |
#[derive(Clone)]
pub struct Settings {
    pub(crate) method: Method,
    pub(crate) rho1: Option<f64>,
    pub(crate) gamma: f64,
    pub(crate) schedule: Option<Arc<dyn Schedule>>,
    pub(crate) batch_size: Option<usize>,
    pub(crate) sampling: Sampling,
    pub(crate) max_steps: u64,
    pub(crate) max_passes: Option<f64>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) stop: StopRule,
    pub(crate) tolerance: f64,
    pub(crate) check_every: Option<u64>,
    pub(crate) monitor_rows: Option<usize>,
    pub(crate) start: Option<Vec<f64>>,
    pub(crate) start_intercept: f64,
    pub(crate) resume: Option<State>,
    pub(crate) polish: bool,
    pub(crate) average: bool,
    pub(crate) seed: u64,
    pub(crate) threads: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            rho1: None,
            gamma: 1.0,
            schedule: None,
            batch_size: None,
            sampling: Sampling::default(),
            max_steps: 10_000,
            max_passes: None,
            time_limit: None,
            stop: StopRule::default(),
            tolerance: 1e-4,
            check_every: None,
            monitor_rows: None,
            start: None,
            start_intercept: 0.0,
            resume: None,
            polish: true,
            average: false,
            seed: 0,
            threads: None,
        }
    }
}

impl Settings {
    /// Threads that may be asked for: far more than any machine has use for, far fewer than one could not start.
    pub const MOST_THREADS: usize = 1024;

    /// The iterative method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Penalty of the first step.
    #[must_use]
    pub fn rho1(mut self, rho1: f64) -> Self {
        self.rho1 = Some(rho1);
        self
    }

    /// Power with which the penalty grows.
    #[must_use]
    pub fn gamma(mut self, gamma: f64) -> Self {
        self.gamma = gamma;
        self
    }

    /// Any schedule, in place of `rho1` and `gamma`.
    #[must_use]
    pub fn schedule(mut self, schedule: impl Schedule + 'static) -> Self {
        self.schedule = Some(Arc::new(schedule));
        self
    }

    /// Rows a step.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.batch_size = Some(batch_size);
        self
    }

    /// How batches are drawn.
    #[must_use]
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Steps at most.
    #[must_use]
    pub fn max_steps(mut self, max_steps: u64) -> Self {
        self.max_steps = max_steps;
        self
    }

    /// Passes over the data at most, counted in rows seen.
    #[must_use]
    pub fn max_passes(mut self, max_passes: f64) -> Self {
        self.max_passes = Some(max_passes);
        self
    }

    /// Time at most. A run stopped by the clock is the one thing a seed does not repeat.
    #[must_use]
    pub fn time_limit(mut self, time_limit: Duration) -> Self {
        self.time_limit = Some(time_limit);
        self
    }

    /// The rule of convergence.
    #[must_use]
    pub fn stop(mut self, stop: StopRule) -> Self {
        self.stop = stop;
        self
    }

    /// The number in the rule of convergence.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Steps between checkpoints.
    #[must_use]
    pub fn check_every(mut self, steps: u64) -> Self {
        self.check_every = Some(steps);
        self
    }

    /// Rows the objective is watched on.
    #[must_use]
    pub fn monitor_rows(mut self, rows: usize) -> Self {
        self.monitor_rows = Some(rows);
        self
    }

    /// Coefficients and intercept to start from.
    #[must_use]
    pub fn start(mut self, coefficients: Vec<f64>, intercept: f64) -> Self {
        self.start = Some(coefficients);
        self.start_intercept = intercept;
        self
    }

    /// Whether to finish on the exact optimum of the piece of the set that the iteration found.
    #[must_use]
    pub fn polish(mut self, polish: bool) -> Self {
        self.polish = polish;
        self
    }

    /// Whether to try averages of late iterates too, and keep one if it is better.
    #[must_use]
    pub fn average(mut self, average: bool) -> Self {
        self.average = average;
        self
    }

    /// Goes on from where an earlier run was.
    #[must_use]
    pub fn resume(mut self, state: State) -> Self {
        self.resume = Some(state);
        self
    }

    /// Fixes the batches.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Threads for passes over the data.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Everything that can be said without the data.
    pub(crate) fn check(&self, rows: usize, columns: usize) -> Result<()> {
        let positive = |name, value: f64| {
            if value > 0.0 { Ok(()) } else { Err(Error::setting(name, "positive", value)) }
        };
        if self.schedule.is_none() {
            Polynomial::new(self.rho1.unwrap_or(1.0), self.gamma)?;
        }
        if let Some(size) = self.batch_size.filter(|size| !(1..=rows).contains(size)) {
            return Err(Error::setting("batch_size", format!("from 1 to the number of rows, {rows}"), size));
        }
        if let Some(count) = self.monitor_rows.filter(|count| !(1..=rows).contains(count)) {
            return Err(Error::setting("monitor_rows", format!("from 1 to the number of rows, {rows}"), count));
        }
        if self.max_steps == 0 {
            return Err(Error::setting("max_steps", "at least 1", self.max_steps));
        }
        if self.check_every == Some(0) {
            return Err(Error::setting("check_every", "at least 1", 0));
        }
        if let Some(threads) = self.threads.filter(|threads| !(1..=Self::MOST_THREADS).contains(threads)) {
            return Err(Error::setting("threads", format!("from 1 to {}", Self::MOST_THREADS), threads));
        }
        positive("tolerance", self.tolerance)?;
        positive("max_passes", self.max_passes.unwrap_or(1.0))?;
        positive("time_limit", self.time_limit.map_or(1.0, |limit| limit.as_secs_f64()))?;
        let Some(start) = &self.start else { return Ok(()) };
        if start.len() != columns {
            let rule = "one coefficient a feature";
            return Err(Error::Length { what: "start", found: start.len(), expected: columns, rule });
        }
        match start.iter().chain([&self.start_intercept]).find(|value| !value.is_finite()) {
            None => Ok(()),
            Some(value) => Err(Error::setting("start", "finite", value)),
        }
    }
}
