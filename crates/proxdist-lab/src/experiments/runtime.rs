//! Figure 3b: time and steps to convergence of logistic regression as n and the batch grow.
//!
//! Data of one size at a time are drawn on disk and mapped. A run has converged at step k if $\|P_C(\theta_j) - \theta_*\|^2 \le \mathrm{target}\cdot\|\theta_*\|^2$ at all
//! checkpoints j from k to 3k, which lie 8 % apart, for the first time: a noisy path may come near early, while its penalty is small, and leave again. Paths with other
//! batches on the same data show how much chance is left; medians over them are judged. The target is the same for every batch size, so errors are
//! comparable by construction; $\theta_*$ is the optimum on the sample. Time is that of one thread on the processor, the check included (it costs O(p)).

mod judged;

use crate::cell::{Cell, Halt};
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Section};
use crate::frame::Frame;
use crate::machine::Stopwatch;
use crate::on_disk::{OnDisk, Recipe};
use crate::settings::Runtime as Settings;
use crate::study::{Optimum, Run, Schedule, log_spaced, optimum, repeat_seed, squared_distance};
use proxdist::constraint::Sparsity;
use proxdist::loss::Logistic;
use proxdist::simulate::{Response, Truth};
use proxdist::solver::Method;
use proxdist::{Data, Problem};
use std::path::PathBuf;

pub(super) struct Runtime {
    pub(super) settings: Settings,
    pub(super) seed: u64,
    /// Folder for the data while they are needed.
    pub(super) scratch: PathBuf,
}

/// Name of the full batch in the file.
const FULL: &str = "n";
const EXACT: &str = "exact finish";
const COLUMNS: [&str; 9] =
    ["n", "batch", "repeat", "steps", "seconds", "rows_seen", "squared_error", "excess", "converged"];

/// A path that is near its target at step k must stay there until so many times k.
const STAYS: u64 = 3;

/// When a path has reached its target and stayed there, and what it was like when it arrived.
struct Path {
    target: f64,
    /// Since when it has been near.
    near_since: Option<u64>,
    has_stayed: bool,
    step: u64,
    seconds: f64,
    error: f64,
    point: Vec<f64>,
}

impl Path {
    fn towards(target: f64, columns: usize) -> Self {
        let point = vec![0.0; columns];
        Path { target, near_since: None, has_stayed: false, step: 0, seconds: 0.0, error: f64::NAN, point }
    }

    /// Looks at a checkpoint; whether to go on.
    fn see(&mut self, step: u64, point: &[f64], best: &[f64], watch: &Stopwatch) -> bool {
        let error = squared_distance(point, best);
        let is_near = error <= self.target;
        if !is_near || self.near_since.is_none() {
            (self.step, self.seconds, self.error) = (step, watch.elapsed().as_secs_f64(), error);
            self.point.copy_from_slice(point);
        }
        self.near_since = is_near.then(|| self.near_since.unwrap_or(step));
        self.has_stayed = self.near_since.is_some_and(|since| step >= STAYS * since);
        !self.has_stayed
    }
}

impl Runtime {
    fn cell(&self, n: usize) -> Cell {
        let (settings, seed, scratch) = (self.settings.clone(), self.seed, self.scratch.clone());
        let Settings { p, batches, sparsity, rho1, target, steps, repeats, .. } = &self.settings;
        let key = format!(
            "n={n} p={p} batches={batches:?} sparsity={sparsity} rho1={rho1} target={target} stays={STAYS} steps={steps} repeats={repeats}"
        );
        let full = 1e-8 * (n * p) as f64 * (*p as f64).min(300.0);
        let stochastic = 2e-6 * (p * batches.len()) as f64 * *repeats as f64;
        Cell::new("figure3b", key, full + stochastic + 5.0, move |halt| {
            let Settings { p, batches, sparsity, repeats, .. } = &settings;
            let stem = scratch.join(format!("figure3b-{n}"));
            let recipe =
                Recipe { response: Response::Logistic, truth: Truth::Sparse(*sparsity), rows: n, columns: *p, seed };
            let drawn = OnDisk::draw(&stem, &recipe, halt)?;
            let table = drawn.read()?;
            let wrong = || Error::WrongData {
                path: stem.clone(),
                found: "no mapped numbers".into(),
                expected: "features and response".into(),
            };
            let (x, y) = (table.features.dense_f64().ok_or_else(wrong)?, table.response.as_ref().ok_or_else(wrong)?);
            let data = Data::dense(x, *p, y)?;
            let problem = Problem::new(&data, Logistic, Sparsity::at_most(*sparsity));
            let mut frame = Frame::new(&COLUMNS);
            let watch = Stopwatch::start();
            let best = optimum(&problem, seed)?;
            let seconds = watch.elapsed().as_secs_f64();
            let nothing = || 0_usize.into();
            let exact = [
                n.into(),
                EXACT.into(),
                nothing(),
                nothing(),
                seconds.into(),
                nothing(),
                nothing(),
                nothing(),
                1_usize.into(),
            ];
            frame.push(exact);
            let paths = Paths { problem: &problem, settings: &settings, best: &best, seed, halt };
            for batch in batches.iter().copied().filter(|&b| b < n) {
                for repeat in 0..*repeats {
                    paths.converge(batch, repeat, &mut frame)?;
                }
            }
            // The full batch leaves nothing to chance.
            paths.converge(n, 0, &mut frame)?;
            Ok(frame)
        })
        .alone()
    }
}

/// Paths to one optimum.
struct Paths<'p> {
    problem: &'p Problem<'p>,
    settings: &'p Settings,
    best: &'p Optimum,
    seed: u64,
    halt: Halt<'p>,
}

impl Paths<'_> {
    /// One path to convergence, as a row.
    fn converge(&self, batch: usize, repeat: u64, frame: &mut Frame) -> Result<()> {
        let Self { problem, settings, best, seed, halt } = *self;
        let (n, p) = (problem.data().rows(), problem.data().columns());
        let schedule = Schedule { rho1: settings.rho1, gamma: 1.0, batch, steps: settings.steps };
        let size = squared_distance(&best.theta, &vec![0.0; p]);
        let mut path = Path::towards(settings.target * size, p);
        let checkpoints = log_spaced(settings.steps, 30).into_iter();
        let seed = repeat_seed(seed, repeat);
        let watch = Stopwatch::start();
        let run = Run { problem, method: Method::ProximalDistance, schedule, seed, halt };
        run.follow(checkpoints, |step, point| Ok(path.see(step, point, &best.theta, &watch)))?;
        let name = if batch == n { FULL.to_owned() } else { batch.to_string() };
        frame.push([
            n.into(),
            name.into(),
            repeat.into(),
            path.step.into(),
            path.seconds.into(),
            (path.step * batch as u64).into(),
            path.error.into(),
            (problem.objective().value(&path.point)? - best.objective).into(),
            usize::from(path.has_stayed).into(),
        ]);
        Ok(())
    }
}

impl Experiment for Runtime {
    fn cells(&self) -> Vec<Cell> {
        self.settings.n.iter().map(|&n| self.cell(n)).collect()
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        Ok(judged::section(&self.settings, results))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_comes_near_and_leaves_again_has_not_converged() {
        let watch = Stopwatch::start();
        let mut path = Path::towards(1.0, 1);
        let distances = [(1, 3.0), (2, 0.5), (4, 2.0), (5, 0.9), (8, 0.1), (14, 0.8)];
        assert!(distances.iter().all(|(step, distance)| path.see(*step, &[*distance], &[0.0], &watch)));
        assert!(!path.has_stayed);
        assert!(!path.see(15, &[0.7], &[0.0], &watch) && path.has_stayed);
        // It is described as it was when it arrived.
        assert_eq!((path.step, path.error, path.point), (5, 0.9 * 0.9, vec![0.9]));
    }
}
