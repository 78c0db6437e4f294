//! Figure 3b: time and steps to convergence of logistic regression as n and the batch grow.
//!
//! Data of one size at a time are drawn on disk and mapped. A run has converged at the first checkpoint from which on
//! $\|P_C(\theta_k) - \theta_*\|^2 \le \mathrm{target}\cdot\|\theta_*\|^2$ holds at five checkpoints in a row, which lie 8 % apart: a noisy path may touch the target
//! by chance. The target is the same for every batch size, so errors are comparable by construction; $\theta_*$ is the optimum on the sample. Time is that of one thread on the processor, the check included (it costs O(p)).

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Grid, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::machine::Stopwatch;
use crate::on_disk::OnDisk;
use crate::paper;
use crate::settings::Runtime as Settings;
use crate::stats::log_slope;
use crate::study::{Schedule, Set, follow, log_spaced, optimum, squared_distance};
use proxdist::constraint::Sparsity;
use proxdist::loss::Logistic;
use proxdist::simulate::{Response, Truth};
use proxdist::solver::Method;
use proxdist::{Data, Problem};
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Series, duration, number};
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
        let Settings { p, batches, sparsity, rho1, target, steps, .. } = &self.settings;
        let key = format!(
            "n={n} p={p} batches={batches:?} sparsity={sparsity} rho1={rho1} target={target} held={IN_A_ROW} steps={steps}"
        );
        Cell::new("figure3b", key, 1e-8 * (n * p) as f64 * (*p as f64).min(300.0) + 5.0, move |halt| {
            let Settings { p, batches, sparsity, rho1, target, steps, .. } = &settings;
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
            let objective = problem.objective();
            let mut frame =
                Frame::new(&["n", "batch", "steps", "seconds", "rows_seen", "squared_error", "excess", "converged"]);
            let watch = Stopwatch::start();
            let best = optimum(&problem, seed)?;
            let taken = watch.elapsed().as_secs_f64();
            frame.push([
                n.into(),
                EXACT.into(),
                0_usize.into(),
                taken.into(),
                0_usize.into(),
                0.0.into(),
                0.0.into(),
                1_usize.into(),
            ]);
            let size = squared_distance(&best.theta, &vec![0.0; *p]);
            for batch in batches.iter().copied().filter(|&b| b < n).chain([n]) {
                halt.check()?;
                let schedule = Schedule { rho1: *rho1, gamma: 1.0, batch, steps: *steps };
                let mut path = Path {
                    target: target * size,
                    held: 0,
                    step: 0,
                    seconds: 0.0,
                    error: f64::NAN,
                    point: vec![0.0; *p],
                };
                let watch = Stopwatch::start();
                let checkpoints = log_spaced(*steps, 30).into_iter();
                follow(&problem, &Method::ProximalDistance, schedule, seed, checkpoints, halt, |step, point| {
                    Ok(path.see(step, point, &best.theta, &watch))
                })?;
                let name = if batch == n { FULL.to_owned() } else { batch.to_string() };
                let excess = objective.value(&path.point) - best.objective;
                frame.push([
                    n.into(),
                    name.into(),
                    path.step.into(),
                    path.seconds.into(),
                    (path.step * batch as u64).into(),
                    path.error.into(),
                    excess.into(),
                    usize::from(path.held == IN_A_ROW).into(),
                ]);
            }
            Ok(frame)
        })
        .alone()
    }
}

impl Experiment for Runtime {
    fn cells(&self) -> Vec<Cell> {
        self.settings.n.iter().map(|&n| self.cell(n)).collect()
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        let mut section = Section::new("Figure 3b: time and steps as n and the batch grow", paper::FIGURE3B);
        let settings = &self.settings;
        let set = Set::Sparsity(settings.sparsity).name();
        section
            .fact("Open in the paper", format!("the set ({set}), ρ₁ = {}, γ = 1, p = {}", settings.rho1, settings.p));
        section.fact(
            "Converged",
            format!(
                "squared distance to the sample optimum at most {} of its squared norm, at five checkpoints in a row: the same error for every batch",
                settings.target
            ),
        );
        section.fact("Time", "one thread on the processor, data mapped from disk");
        let mut table =
            Grid::new("To convergence", &["n, batch", "steps", "time", "rows seen / n", "squared error", "F − F(θ*)"]);
        let levels = results.levels("batch");
        for n in results.levels("n") {
            for batch in &levels {
                let row = results.only(&[("n", &n), ("batch", batch)]);
                let get = |column: &str| row.numbers(column).first().copied().unwrap_or(f64::NAN);
                let steps = if batch == EXACT { "–".to_owned() } else { number(get("steps"), 6) };
                let note = if get("converged") == 1.0 { "" } else { " (not converged)" };
                let seen = get("rows_seen") / n.parse::<f64>().unwrap_or(f64::NAN);
                let seen = if batch == EXACT { "–".to_owned() } else { number(seen, 3) };
                table.rows.push(vec![
                    format!("{n}, {batch}{note}"),
                    steps,
                    duration(get("seconds")),
                    seen,
                    number(get("squared_error"), 3),
                    number(get("excess"), 2),
                ]);
            }
        }
        section.tables.push(table);
        let series = |column: &str, with_exact: bool| -> Vec<Series> {
            let wanted = levels.iter().filter(|batch| with_exact || *batch != EXACT);
            wanted
                .map(|batch| Series {
                    band: Vec::new(),
                    label: if batch == EXACT { batch.clone() } else { format!("b = {batch}") },
                    points: results.only(&[("batch", batch)]).points("n", column),
                })
                .collect()
        };
        let plot = |title: &str, label: &str, series| {
            Plot::Lines(LinePlot {
                title: title.into(),
                x_label: "n".into(),
                y_label: label.into(),
                log_x: true,
                log_y: true,
                series,
            })
        };
        // The exact finish takes no steps of this kind, so its line comes last in one panel only.
        let mut seconds = series("seconds", true);
        seconds.rotate_left(1);
        let plots = vec![plot("time", "seconds", seconds), plot("steps", "steps", series("steps", false))];
        section.picture("figure3b", "Time and steps to convergence.", move |style| {
            small_multiples("To convergence, logistic regression", &plots, style)
        });
        section.statements = self.statements(results);
        Ok(section)
    }
}

impl Runtime {
    fn statements(&self, results: &Frame) -> Vec<Statement> {
        let full = results.only(&[("batch", FULL)]);
        let ratios = |batch: &str, column: &str| -> Vec<f64> {
            let own = results.only(&[("batch", batch)]).numbers(column);
            full.numbers(column).iter().zip(own).map(|(full, own)| full / own).collect()
        };
        let smallest = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let list = |values: &[f64]| values.iter().map(|v| number(*v, 3)).collect::<Vec<_>>().join(", ");
        let names: Vec<String> = self.settings.batches.iter().map(usize::to_string).collect();
        let all_converged = results.numbers("converged").iter().all(|c| *c == 1.0);
        let mut statements = Vec::new();
        let faster: Vec<(String, Vec<f64>)> = names.iter().map(|b| (b.clone(), ratios(b, "seconds"))).collect();
        let shown = faster.iter().map(|(b, r)| format!("b = {b}: {}", list(r))).collect::<Vec<_>>().join("; ");
        let outpaces = faster.iter().all(|(_, r)| smallest(r) > 1.0) && all_converged;
        statements.push(Statement::new(
            "outpaces",
            paper::OUTPACES,
            format!("time of the full batch over that of the stochastic runs, n from small to large: {shown}"),
            Verdict::when(outpaces),
        ));
        let steps: Vec<f64> = names.iter().flat_map(|b| ratios(b, "steps")).collect();
        statements.push(Statement::new(
            "more steps",
            paper::MORE_STEPS,
            format!(
                "steps of the full batch over those of the stochastic runs: at most {}",
                number(steps.iter().copied().fold(0.0, f64::max), 2)
            ),
            Verdict::when(steps.iter().all(|r| *r < 1.0)),
        ));
        if let Some(first) = names.first() {
            let own = results.only(&[("batch", first)]);
            let passes: Vec<f64> = own.points("n", "rows_seen").iter().map(|(n, seen)| seen / n).collect();
            let ours = format!(
                "b = {first}: {} passes over the data, n from small to large; the full batch {}",
                list(&passes),
                list(&full.numbers("steps"))
            );
            // The paper's example is its largest n.
            let verdict = Verdict::when(passes.last().is_some_and(|passes| *passes < 1.0));
            statements.push(Statement::new("fraction", paper::FRACTION, ours, verdict));
        }
        let growth = |batch: &str| log_slope(&results.only(&[("batch", batch)]).points("n", "seconds"));
        let slopes: Vec<f64> = names.iter().map(|b| growth(b)).collect();
        let whole = growth(FULL);
        statements.push(Statement::new(
            "scales",
            paper::SCALES,
            format!(
                "exponent of the time in n: {} for b = {}; {} for the full batch",
                list(&slopes),
                names.join(", "),
                number(whole, 3)
            ),
            Verdict::when(slopes.iter().all(|s| *s < whole - 0.3)),
        ));
        statements
    }
}
