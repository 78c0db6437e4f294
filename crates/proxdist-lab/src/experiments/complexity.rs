//! Tables 3 and 4: how the cost of a projection grows with p, and that of an update with p and b.
//!
//! Processor time of one thread; the exponent is the slope of log time over log size. The paper gives worst-case orders of its own formulas;
//! solving the proximal map in the space of the batch costs $O(b^2p)$, which is less than the paper's $O(p^2b)$ as long as b < p, but grows faster in
//! b alone: so the exponents in p and b are added, which is the growth when both grow together.

use crate::cell::Cell;
use crate::error::Result;
use crate::experiment::{Experiment, Grid, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::machine::Stopwatch;
use crate::paper;
use crate::settings::{Complexity as Settings, Size};
use crate::stats::log_slope;
use crate::study::{Model, Set, simulate};
use proxdist::constraint::{WholeSpace, Workspace};
use proxdist::data::Batch;
use proxdist::simulate::Simulated;
use proxdist::solver::{Iterate, Method};
use proxdist::{Problem, Shape};
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Series, number};

pub(super) struct Complexity {
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

/// How far each exponent may exceed the paper's order: caches and short measurements bend the lines.
const TOLERANCE: f64 = 0.25;

/// Numbers in the data that batches are drawn from: 32 MiB, more than the inner caches hold.
const NUMBERS: usize = 1 << 22;

/// Kinds of steps, as Table 4 has them.
const PROXIMAL: &str = "proximal";
const GRADIENT: &str = "gradient";

const COLUMNS: [&str; 5] = ["table", "operation", "variable", "size", "seconds"];

/// Seconds a call takes, from at least `budget` seconds of calls.
fn time_of(budget: f64, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    call()?;
    let (watch, mut calls) = (Stopwatch::start(), 0_u32);
    loop {
        for _ in 0..calls.clamp(1, 64) {
            call()?;
            calls += 1;
        }
        let taken = watch.elapsed().as_secs_f64();
        if taken >= budget {
            return Ok(taken / f64::from(calls));
        }
    }
}

/// Numbers without a pattern that a projection could exploit.
fn noise(count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i as f64 * 12.9898).sin() * 43_758.547).fract()).collect()
}

impl Complexity {
    fn projection(&self, set: Set, sizes: &[usize]) -> Cell {
        let (sizes, budget) = (sizes.to_vec(), self.settings.seconds);
        let key = format!("projection {} over {sizes:?} for {budget} s", set.name());
        Cell::new("tables34", key, 1.5 * budget * sizes.len() as f64, move |halt| {
            let mut frame = Frame::new(&COLUMNS);
            for &size in &sizes {
                halt.check()?;
                let is_matrix = matches!(set, Set::Rank(_));
                let shape = if is_matrix { Shape::Matrix { rows: size, columns: size } } else { Shape::Vector(size) };
                let (constraint, start) = (set.constraint(shape)?, noise(shape.len()));
                let (mut point, mut work) = (start.clone(), Workspace::default());
                let seconds = time_of(budget, || {
                    point.copy_from_slice(&start);
                    Ok(constraint.project(&mut point, &mut work)?)
                })?;
                frame.push(["3".into(), set.name().into(), "p".into(), size.into(), seconds.into()]);
            }
            Ok(frame)
        })
        .alone()
    }

    /// Steps on one batch over `p` or `b`: proximal maps, or gradient steps.
    fn update(&self, model: Model, kind: &'static str, variable: &'static str, sizes: &[usize]) -> Cell {
        let Settings { seconds: budget, fixed_b, fixed_p, .. } = self.settings;
        let (sizes, seed) = (sizes.to_vec(), self.seed);
        let key = format!("{} {kind} over {variable} {sizes:?} b={fixed_b} p={fixed_p} for {budget} s", model.name());
        Cell::new("tables34", key, 1.5 * budget * sizes.len() as f64, move |halt| {
            let mut frame = Frame::new(&COLUMNS);
            for &size in &sizes {
                halt.check()?;
                let (b, p) = match (model, variable) {
                    (Model::Matrix, _) => (fixed_b, size * size),
                    (_, "p") => (fixed_b, size),
                    _ => (size, fixed_p),
                };
                // A matrix model is a linear model of p² features as far as its update goes.
                let drawn = if model == Model::Matrix { Model::Linear } else { model };
                let n = b * (NUMBERS / (b * p)).max(2);
                let simulated = simulate(drawn, Set::Sparsity(5), Size { n, p }, seed)?;
                let seconds = update_seconds(&simulated, b, model, kind, budget)?;
                frame.push([
                    "4".into(),
                    format!("{} {kind}", model.name()).into(),
                    variable.into(),
                    size.into(),
                    seconds.into(),
                ]);
            }
            Ok(frame)
        })
        .alone()
    }
}

/// Seconds of a step of `b` rows without projection, from a point halfway to the truth at the penalty of an early step. Batches follow each other through
/// the data, so that rows come from where they come from in a run.
fn update_seconds(simulated: &Simulated, b: usize, model: Model, kind: &str, budget: f64) -> Result<f64> {
    let (loss, data) = (model.loss()?, simulated.data()?);
    let problem = Problem::new(&data, &*loss, WholeSpace);
    let method = if kind == PROXIMAL { Method::ImplicitGradient } else { Method::Gradient };
    let mut step = method.step(&problem);
    let rows: Vec<usize> = (0..data.rows()).collect();
    let mut batches = rows.chunks_exact(b).cycle();
    let anchor: Vec<f64> = simulated.truth.iter().map(|t| 0.5 * t).collect();
    let mut at = Iterate::at(anchor.clone());
    let rho = if model == Model::Logistic { 1e-2 } else { 1.0 };
    let mut batch = Batch::default();
    time_of(budget, || {
        // Gathering the rows and their Gram matrix belongs to the step.
        batch.fill(&data, batches.next().unwrap_or(&rows))?;
        at.theta.copy_from_slice(&anchor);
        Ok(step.take(&batch, rho, &mut at)?)
    })
}

impl Experiment for Complexity {
    fn cells(&self) -> Vec<Cell> {
        let settings = &self.settings;
        let mut cells = vec![
            self.projection(Set::Ball, &settings.vector_p),
            self.projection(Set::Sparsity(settings.sparsity), &settings.vector_p),
            self.projection(Set::Rank(settings.rank), &settings.matrix_side),
        ];
        for kind in [PROXIMAL, GRADIENT] {
            for model in [Model::Linear, Model::Logistic, Model::Huber] {
                cells.push(self.update(model, kind, "p", &settings.update_p));
                cells.push(self.update(model, kind, "b", &settings.update_b));
            }
            cells.push(self.update(Model::Matrix, kind, "p", &settings.matrix_update_side));
        }
        cells
    }

    fn section(&self, results: &Frame) -> Result<Section> {
        let mut section = Section::new("Tables 3 and 4: cost of projections and updates", paper::TABLES34);
        let settings = &self.settings;
        section.fact("Measured", format!("processor time of one thread, {} s a size; sparsity {}, rank {}; updates at b = {}, p = {} where not varied", settings.seconds, settings.sparsity, settings.rank, settings.fixed_b, settings.fixed_p));
        let mut table =
            Grid::new("Exponents of the measured growth", &["operation", "in", "the paper at most", "measured"]);
        let mut curves: Vec<(&str, Vec<Series>)> = vec![
            ("projections over p (side for rank)", Vec::new()),
            ("updates over p (side for matrix)", Vec::new()),
            ("updates over b", Vec::new()),
        ];
        for operation in results.levels("operation") {
            let rows = results.only(&[("operation", &operation)]);
            let (mut joint, mut bound, mut parts) = (0.0, 0.0, Vec::new());
            for variable in rows.levels("variable") {
                let points = rows.only(&[("variable", &variable)]).points("size", "seconds");
                let measured = log_slope(&points);
                let (order, exponent) = paper::cost(&operation, &variable);
                (joint, bound) = (joint + measured, bound + exponent);
                parts.push(format!("{} in {variable} ({order})", number(measured, 2)));
                table.rows.push(vec![operation.clone(), variable.clone(), order.to_owned(), number(measured, 2)]);
                let group = match (rows.levels("table").first().map(String::as_str), variable.as_str()) {
                    (Some("3"), _) => 0,
                    (_, "p") => 1,
                    _ => 2,
                };
                curves[group].1.push(Series::new(operation.clone(), points));
            }
            let ours = format!(
                "{operation}: exponents {}; together {}, the paper's {bound}",
                parts.join(", "),
                number(joint, 2)
            );
            let verdict = Verdict::when(joint <= bound + TOLERANCE * parts.len() as f64);
            section.statements.push(Statement::new("cost", paper::COST, ours, verdict));
        }
        section.tables.push(table);
        section.remarks.push(
            "The proximal map of the Huber loss is solved here to rounding error by Newton steps in the space of the batch, not by S gradient steps as in the paper; so its \
             cost grows with b² where b is large, and does not depend on how many gradient steps one allows."
                .into(),
        );
        for (i, (title, series)) in curves.into_iter().enumerate() {
            let plot = Plot::Lines(LinePlot {
                title: String::new(),
                x_label: "size".into(),
                y_label: "seconds a call".into(),
                log_x: true,
                log_y: true,
                series,
                mark: None,
                rings: None,
            });
            section.picture(&format!("tables34-{}", i + 1), title, move |style| {
                small_multiples(title, std::slice::from_ref(&plot), style)
            });
        }
        Ok(section)
    }
}
