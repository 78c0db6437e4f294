//! Figure 3b: time and steps to convergence of logistic regression as n and the batch grow.
//!
//! Data of one size at a time are drawn on disk and mapped. A run has converged at the first checkpoint from which on
//! $\|P_C(\theta_k) - \theta_*\|^2 \le \mathrm{target}\cdot\|\theta_*\|^2$ holds at five checkpoints in a row, which lie 8 % apart: a noisy path may touch the target
//! by chance. Paths with other batches on the same data show how much chance is left; medians over them are judged. The target is the same for every batch size, so
//! errors are comparable by construction; $\theta_*$ is the optimum on the sample. Time is that of one thread on the processor, the check included (it costs O(p)).

mod judged;

use crate::cell::{Cell, Halt};
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Section};
use crate::frame::Frame;
use crate::machine::Stopwatch;
use crate::on_disk::OnDisk;
use crate::settings::Runtime as Settings;
use crate::study::{Optimum, Schedule, follow, log_spaced, optimum, repeat_seed, squared_distance};
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

/// Checkpoints at which the target must hold.
const IN_A_ROW: usize = 5;

/// When a path has reached its target and stayed there, and what it was like when it arrived.
struct Path {
    target: f64,
    held: usize,
    step: u64,
    seconds: f64,
    error: f64,
    point: Vec<f64>,
}

impl Path {
    fn towards(target: f64, columns: usize) -> Self {
        Path { target, held: 0, step: 0, seconds: 0.0, error: f64::NAN, point: vec![0.0; columns] }
    }

    /// Looks at a checkpoint; whether to go on.
    fn see(&mut self, step: u64, point: &[f64], best: &[f64], watch: &Stopwatch) -> bool {
        let error = squared_distance(point, best);
        let is_near = error <= self.target;
        if !is_near || self.held == 0 {
            (self.step, self.seconds, self.error) = (step, watch.elapsed().as_secs_f64(), error);
            self.point.copy_from_slice(point);
        }
        self.held = if is_near { self.held + 1 } else { 0 };
        self.held < IN_A_ROW
    }
}

impl Runtime {
    fn cell(&self, n: usize) -> Cell {
        let (settings, seed, scratch) = (self.settings.clone(), self.seed, self.scratch.clone());
        let Settings { p, batches, sparsity, rho1, target, steps, repeats, .. } = &self.settings;
        let key = format!(
            "n={n} p={p} batches={batches:?} sparsity={sparsity} rho1={rho1} target={target} held={IN_A_ROW} steps={steps} repeats={repeats}"
        );
        let full = 1e-8 * (n * p) as f64 * (*p as f64).min(300.0);
        let stochastic = 2e-6 * (p * batches.len()) as f64 * *repeats as f64;
        Cell::new("figure3b", key, full + stochastic + 5.0, move |halt| {
            let Settings { p, batches, sparsity, repeats, .. } = &settings;
            let stem = scratch.join(format!("figure3b-{n}"));
            let drawn = OnDisk::draw(&stem, Response::Logistic, Truth::Sparse(*sparsity), (n, *p), seed, halt)?;
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
            for batch in batches.iter().copied().filter(|&b| b < n) {
                for repeat in 0..*repeats {
                    converge(&problem, &settings, &best, batch, (seed, repeat), halt, &mut frame)?;
                }
            }
            // The full batch leaves nothing to chance.
            converge(&problem, &settings, &best, n, (seed, 0), halt, &mut frame)?;
            Ok(frame)
        })
        .alone()
    }
}

/// One path to convergence, as a row.
fn converge(
    problem: &Problem,
    settings: &Settings,
    best: &Optimum,
    batch: usize,
    (seed, repeat): (u64, u64),
    halt: Halt,
    frame: &mut Frame,
) -> Result<()> {
    let (n, p) = (problem.data().rows(), problem.data().columns());
    let schedule = Schedule { rho1: settings.rho1, gamma: 1.0, batch, steps: settings.steps };
    let size = squared_distance(&best.theta, &vec![0.0; p]);
    let mut path = Path::towards(settings.target * size, p);
    let checkpoints = log_spaced(settings.steps, 30).into_iter();
    let seed = repeat_seed(seed, repeat);
    let watch = Stopwatch::start();
    follow(problem, &Method::ProximalDistance, schedule, seed, checkpoints, halt, |step, point| {
        Ok(path.see(step, point, &best.theta, &watch))
    })?;
    let name = if batch == n { FULL.to_owned() } else { batch.to_string() };
    frame.push([
        n.into(),
        name.into(),
        repeat.into(),
        path.step.into(),
        path.seconds.into(),
        (path.step * batch as u64).into(),
        path.error.into(),
        (problem.objective().value(&path.point) - best.objective).into(),
        usize::from(path.held == IN_A_ROW).into(),
    ]);
    Ok(())
}

impl Experiment for Runtime {
    fn cells(&self) -> Vec<Cell> {
        self.settings.n.iter().map(|&n| self.cell(n)).collect()
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        Ok(judged::section(&self.settings, results))
    }
}
