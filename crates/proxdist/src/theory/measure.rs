//! What the iteration does, to be held against what the theory says: several runs with seeds of their own, averaged.

use super::slope::{Slope, tail_slope};
use super::study::Study;
use crate::constraint::Workspace;
use crate::error::{Error, Result};
use crate::pool::in_pool;
use crate::problem::Problem;
use crate::prox::Prox;
use crate::rule::Rule;
use crate::sampling::Sampler;
use crate::schedule::Polynomial;
use crate::solver::{DistanceStep, ProximalDistance, Solver as _};
use rayon::prelude::*;
use serde::Serialize;

/// Checkpoints per factor of ten in the number of steps.
const PER_DECADE: f64 = 16.0;

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// $\rho_1$
    pub rho1: f64,
    /// $\gamma$, not held to the theory's range.
    pub gamma: f64,
    /// Steps of each run.
    pub steps: u64,
    /// Number of runs.
    pub repeats: usize,
    /// Seed of the first run; each later one has the next.
    pub seed: u64,
    /// Threads that share the runs; those of the caller's pool if `None`. The result does not depend on it.
    pub threads: Option<usize>,
}

/// A quantity over the runs, at each checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Curve {
    /// The mean.
    pub mean: Vec<f64>,
    /// Its standard error; zero for a single run.
    pub standard_error: Vec<f64>,
    /// The value that a tenth of the runs are below.
    pub low: Vec<f64>,
    /// The value that a tenth of the runs are above.
    pub high: Vec<f64>,
    /// Slope of the mean over the last decade of steps, on logarithmic axes.
    pub slope: Option<Slope>,
}

/// The averages.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Measured {
    /// The checkpoints, evenly spread on a logarithmic axis.
    pub steps: Vec<u64>,
    /// $\|P_C(\theta_k) - \theta_*\|^2$
    pub parameter: Curve,
    /// $F(P_C(\theta_k)) - F(\theta_*)$
    pub objective: Curve,
}

/// Runs the plan from the start of the study with its batch size. `is_ended` is asked now and then, and `None` is the
/// answer if it agrees.
pub fn measure(
    problem: &Problem,
    study: &Study,
    plan: &Plan,
    is_ended: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Measured>> {
    let schedule = Polynomial::new(plan.rho1, plan.gamma)?;
    if plan.steps == 0 || plan.repeats == 0 {
        let name = if plan.steps == 0 { "steps to measure" } else { "repeats" };
        return Err(Error::setting(name, Rule::AtLeast(1), 0));
    }
    let steps = checkpoints(plan.steps);
    let numbers = 0..plan.repeats as u64;
    let repeated = Repeated { problem, study, schedule, steps: &steps, is_ended };
    let one = |number: u64| repeated.run(plan.seed.wrapping_add(number));
    let runs: Vec<Option<Run>> = in_pool(plan.threads, || numbers.into_par_iter().map(one).collect::<Result<_>>())?;
    let Some(runs) = runs.into_iter().collect::<Option<Vec<Run>>>() else { return Ok(None) };
    let (parameter, objective): (Vec<_>, Vec<_>) = runs.into_iter().map(|run| (run.parameter, run.objective)).unzip();
    let (parameter, objective) = (Curve::of(&steps, &parameter), Curve::of(&steps, &objective));
    Ok(Some(Measured { steps, parameter, objective }))
}

/// One run at the checkpoints.
struct Run {
    parameter: Vec<f64>,
    objective: Vec<f64>,
}

/// What the runs have in common.
struct Repeated<'a> {
    problem: &'a Problem<'a>,
    study: &'a Study,
    schedule: Polynomial,
    steps: &'a [u64],
    is_ended: &'a (dyn Fn() -> bool + Sync),
}

impl Repeated<'_> {
    /// The run of a seed; `None` if it was ended early.
    fn run(&self, seed: u64) -> Result<Option<Run>> {
        let (problem, study) = (self.problem, self.study);
        let (data, set, objective) = (problem.data(), problem.constraint(), problem.objective());
        let prox = Prox::new(problem.loss()).ridge(problem.ridge_term()).intercept(problem.has_intercept());
        let sampler = Sampler::new(study.sampling, data.rows(), study.batch_size, seed);
        let mut solver = ProximalDistance::of(
            DistanceStep::new(set, Box::new(prox)),
            data,
            &self.schedule,
            sampler,
            study.start.clone(),
        )?;
        let best = objective.value(&study.solution)?;
        let mut work = Workspace::default();
        let mut point = study.start.clone();
        let mut run =
            Run { parameter: Vec::with_capacity(self.steps.len()), objective: Vec::with_capacity(self.steps.len()) };
        for &step in self.steps {
            while solver.step() < step {
                solver.advance()?;
                if solver.step().is_multiple_of(64) && (self.is_ended)() {
                    return Ok(None);
                }
            }
            point.copy_from_slice(solver.theta());
            set.project(problem.layout().coefficients_mut(&mut point), &mut work)?;
            run.parameter.push(point.iter().zip(&study.solution).map(|(a, b)| (a - b) * (a - b)).sum());
            run.objective.push(objective.value(&point)? - best);
        }
        Ok(Some(run))
    }
}

impl Curve {
    fn of(steps: &[u64], runs: &[Vec<f64>]) -> Self {
        let count = runs.len() as f64;
        let mut curve = Self {
            mean: Vec::with_capacity(steps.len()),
            standard_error: Vec::with_capacity(steps.len()),
            low: Vec::with_capacity(steps.len()),
            high: Vec::with_capacity(steps.len()),
            slope: tail_slope(steps, runs),
        };
        for i in 0..steps.len() {
            let mut values: Vec<f64> = runs.iter().map(|run| run[i]).collect();
            values.sort_by(f64::total_cmp);
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
            let tenth = values.len() / 10;
            curve.mean.push(mean);
            curve.standard_error.push((variance / count).sqrt());
            curve.low.push(values[tenth]);
            curve.high.push(values[values.len() - 1 - tenth]);
        }
        curve
    }
}

/// Steps evenly spread on a logarithmic axis, the first and the last included.
pub fn checkpoints(last: u64) -> Vec<u64> {
    let count = ((last as f64).log10() * PER_DECADE).ceil() as u32;
    let mut steps: Vec<u64> =
        (0..=count).map(|i| (10.0_f64.powf(f64::from(i) / PER_DECADE).round() as u64).clamp(1, last)).collect();
    steps.push(last);
    steps.dedup();
    steps
}
