//! What a run can be told, in one struct that is its own builder.

use super::{Method, Setting, StopRule};
use crate::effort::Effort;
use crate::error::{Error, Result};
use crate::rule::Rule;
use crate::run::State;
use crate::sampling::Sampling;
use crate::schedule::{Growth, Polynomial, Schedule};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Settings of a fit. Everything has a default; [`crate::Problem::fit`] checks them once. What can be said in words is declared, see
/// [`Setting`], so that front ends need not know the settings one by one.
///
/// | setting        | default                  | range    | meaning |
/// |----------------|--------------------------|----------|---------|
/// | `method`       | `spd`                    |          | the iteration, see [`Method`] |
/// | `rho1`         | chosen by a race         | > 0      | penalty of the first step, the inverse of its learning rate |
/// | `gamma`        | 1                        | ≥ 0      | power with which the penalty grows; the theory covers (½, 1] |
/// | `growth`       | `poly`                   |          | how the penalty grows from `rho1`, see [`Growth`]; all but `poly` need a number for `rho1` |
/// | `schedule`     | as `growth` says         |          | any other penalty as a function of the step |
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
/// | `effort`       | normal                   |          | how hard the finish looks for another choice of features, see [`Effort`] |
/// | `prove`        | none                     | > 0      | time for a proof that no other choice of features is better, by branch and bound |
/// | `gap`          | 1e-6                     | 0..=1    | share of F by which a choice may be worse than the best one when that proof ends |
/// | `memory`       | 1 GiB                    | ≥ 1      | bytes that branch and bound may hold; when they are full, it goes depth first. If given, also what a fit of rows that are not in memory may hold: otherwise half of what is free |
/// | `average`      | off                      |          | also try averages of late iterates |
/// | `start`        | zero                     | length p | coefficients to start from |
/// | `seed`         | 0                        | any      | fixes the batches, hence the fit |
/// | `threads`      | those of the caller's pool | 1..=1024 | threads for passes over the data; never changes a result |
#[derive(Clone)]
pub struct Settings {
    pub(crate) method: Method,
    pub(crate) rho1: Option<f64>,
    pub(crate) gamma: f64,
    pub(crate) growth: Growth,
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
    pub(crate) start_is_finished: bool,
    pub(crate) resume: Option<State>,
    pub(crate) polish: bool,
    pub(crate) effort: Effort,
    pub(crate) prove: Option<Duration>,
    pub(crate) gap: f64,
    pub(crate) memory: usize,
    pub(crate) average: bool,
    pub(crate) seed: u64,
    pub(crate) threads: Option<usize>,
    /// What the user has said something about.
    pub(crate) given: BTreeSet<Setting>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            rho1: None,
            gamma: 1.0,
            growth: Growth::default(),
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
            start_is_finished: false,
            resume: None,
            polish: true,
            effort: Effort::default(),
            prove: None,
            gap: 1e-6,
            memory: 1 << 30,
            average: false,
            seed: 0,
            threads: None,
            given: BTreeSet::new(),
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
        self.given(Setting::Method)
    }

    /// Penalty of the first step.
    #[must_use]
    pub fn rho1(mut self, rho1: f64) -> Self {
        self.rho1 = Some(rho1);
        self.given(Setting::Rho1)
    }

    /// Power with which the penalty grows.
    #[must_use]
    pub fn gamma(mut self, gamma: f64) -> Self {
        self.gamma = gamma;
        self.given(Setting::Gamma)
    }

    /// How the penalty grows from `rho1` on.
    #[must_use]
    pub fn growth(mut self, growth: Growth) -> Self {
        (self.growth, self.schedule) = (growth, None);
        self.given(Setting::Schedule)
    }

    /// Any schedule, in place of `rho1` and `gamma`.
    #[must_use]
    pub fn schedule(mut self, schedule: impl Schedule + 'static) -> Self {
        self.growth = Growth::default();
        self.schedule = Some(Arc::new(schedule));
        self.given(Setting::Schedule)
    }

    /// Rows a step.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.batch_size = Some(batch_size);
        self.given(Setting::BatchSize)
    }

    /// How batches are drawn.
    #[must_use]
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self.given(Setting::Sampling)
    }

    /// Steps at most.
    #[must_use]
    pub fn max_steps(mut self, max_steps: u64) -> Self {
        self.max_steps = max_steps;
        self.given(Setting::MaxSteps)
    }

    /// Passes over the data at most, counted in rows seen.
    #[must_use]
    pub fn max_passes(mut self, max_passes: f64) -> Self {
        self.max_passes = Some(max_passes);
        self.given(Setting::MaxPasses)
    }

    /// Time at most. A run stopped by the clock is the one thing a seed does not repeat.
    #[must_use]
    pub fn time_limit(mut self, time_limit: Duration) -> Self {
        self.time_limit = Some(time_limit);
        self.given(Setting::TimeLimit)
    }

    /// The rule of convergence.
    #[must_use]
    pub fn stop(mut self, stop: StopRule) -> Self {
        self.stop = stop;
        self.given(Setting::Stop)
    }

    /// The number in the rule of convergence.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self.given(Setting::Tolerance)
    }

    /// Steps between checkpoints.
    #[must_use]
    pub fn check_every(mut self, steps: u64) -> Self {
        self.check_every = Some(steps);
        self.given(Setting::CheckEvery)
    }

    /// Rows the objective is watched on.
    #[must_use]
    pub fn monitor_rows(mut self, rows: usize) -> Self {
        self.monitor_rows = Some(rows);
        self.given(Setting::MonitorRows)
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
        self.given(Setting::Polish)
    }

    /// How hard the finish looks for another choice of features with a lower F.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self.given(Setting::Effort)
    }

    /// Whether to try averages of late iterates too, and keep one if it is better.
    #[must_use]
    pub fn average(mut self, average: bool) -> Self {
        self.average = average;
        self.given(Setting::Average)
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
        self.given(Setting::Seed)
    }

    /// Threads for passes over the data.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self.given(Setting::Threads)
    }

    /// The seed.
    pub fn seed_value(&self) -> u64 {
        self.seed
    }

    /// The power with which the penalty grows.
    pub fn gamma_value(&self) -> f64 {
        self.gamma
    }

    /// The penalty of the first step, if it is given.
    pub fn rho1_value(&self) -> Option<f64> {
        self.rho1
    }

    /// Rows a step, if they are given.
    pub fn batch_size_value(&self) -> Option<usize> {
        self.batch_size
    }

    /// How batches are drawn.
    pub fn sampling_value(&self) -> Sampling {
        self.sampling
    }

    /// Threads, if they are given.
    pub fn threads_value(&self) -> Option<usize> {
        self.threads
    }

    /// What ends a run that does not converge.
    pub fn limits(&self) -> Limits {
        Limits { steps: self.max_steps, passes: self.max_passes, time: self.time_limit }
    }

    /// Refuses what can be seen to be wrong without the data; a fit does so by itself.
    pub fn validate(&self) -> Result<()> {
        self.resolved()?.check_alone()
    }

    /// The same with a schedule where the penalty grows in another way than with a power of the step.
    pub(crate) fn resolved(&self) -> Result<Cow<'_, Self>> {
        if self.schedule.is_some() || self.growth == Growth::Polynomial {
            return Ok(Cow::Borrowed(self));
        }
        let Some(rho1) = self.rho1 else {
            return Err(Error::setting("schedule", Rule::PolynomialWithoutRho1, self.growth));
        };
        let schedule = Some(self.growth.starting_at(rho1, self.gamma)?);
        Ok(Cow::Owned(Self { schedule, ..self.clone() }))
    }

    /// Everything that can be said without the data.
    fn check_alone(&self) -> Result<()> {
        let positive = |setting: Setting, value: f64| if value > 0.0 { Ok(()) } else { Err(setting.refuse(value)) };
        if self.schedule.is_none() {
            Polynomial::new(self.rho1.unwrap_or(1.0), self.gamma)?;
        }
        if self.max_steps == 0 {
            return Err(Setting::MaxSteps.refuse(self.max_steps));
        }
        if self.check_every == Some(0) {
            return Err(Setting::CheckEvery.refuse(0));
        }
        if let Some(threads) = self.threads.filter(|threads| !(1..=Self::MOST_THREADS).contains(threads)) {
            return Err(Setting::Threads.refuse(threads));
        }
        positive(Setting::Tolerance, self.tolerance)?;
        if !(0.0..=1.0).contains(&self.gap) {
            return Err(Setting::Gap.refuse(self.gap));
        }
        if self.memory == 0 {
            return Err(Setting::Memory.refuse(self.memory));
        }
        positive(Setting::Prove, self.prove.map_or(1.0, |limit| limit.as_secs_f64()))?;
        positive(Setting::MaxPasses, self.max_passes.unwrap_or(1.0))?;
        positive(Setting::TimeLimit, self.time_limit.map_or(1.0, |limit| limit.as_secs_f64()))
    }

    /// Everything that can be said with the size of the data.
    pub(crate) fn check(&self, rows: usize, columns: usize) -> Result<()> {
        for (name, count) in [("batch_size", self.batch_size), ("monitor_rows", self.monitor_rows)] {
            if let Some(count) = count.filter(|count| !(1..=rows).contains(count)) {
                return Err(Error::setting(name, Rule::SomeRows { rows }, count));
            }
        }
        self.check_alone()?;
        let Some(start) = &self.start else { return Ok(()) };
        if start.len() != columns {
            let rule = "one coefficient a feature";
            return Err(Error::Length { what: "start", found: start.len(), expected: columns, rule });
        }
        match start.iter().chain([&self.start_intercept]).find(|value| !value.is_finite()) {
            None => Ok(()),
            Some(value) => Err(Error::setting("start", Rule::Finite, value)),
        }
    }
}

/// What ends a run that does not converge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Steps at most.
    pub steps: u64,
    /// Passes over the data at most, in rows seen.
    pub passes: Option<f64>,
    /// Time at most.
    pub time: Option<Duration>,
}
