//! Tables 3 and 4: how the cost of a projection grows with p, and that of an update with p and b.
//!
//! Processor time of one thread; the exponent is the slope of log time over log size. The paper gives worst-case orders of its own formulas;
//! solving the proximal map in the space of the batch costs $O(b^2p)$, so exponents below the paper's are expected.

use crate::cell::Cell;
use crate::error::Result;
use crate::experiment::{Experiment, Grid, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::machine::Stopwatch;
use crate::paper;
use crate::settings::{Complexity as Settings, Size};
use crate::stats::log_slope;
use crate::study::{Model, Set, simulate};
use proxdist::Shape;
use proxdist::constraint::Workspace;
use proxdist::data::{Batch, Data};
use proxdist::prox::{BatchProx, Prox};
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Series, number};

pub(super) struct Complexity {
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

/// How far an exponent may exceed the paper's order: caches and short measurements bend the lines.
const TOLERANCE: f64 = 0.25;

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

    /// Proximal maps of one batch over `p` or `b`.
    fn update(&self, model: Model, variable: &'static str, sizes: &[usize]) -> Cell {
        let Settings { seconds: budget, fixed_b, fixed_p, .. } = self.settings;
        let (sizes, seed) = (sizes.to_vec(), self.seed);
        let key = format!("update {} over {variable} {sizes:?} b={fixed_b} p={fixed_p} for {budget} s", model.name());
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
                let simulated = simulate(drawn, Set::Sparsity(5), Size { n: b, p }, seed)?;
                let data = simulated.data()?;
                let seconds = prox_seconds(&data, model, &simulated.truth, budget)?;
                frame.push([
                    "4".into(),
                    format!("{} proximal", model.name()).into(),
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

/// Seconds of a proximal map from a point halfway to the truth, at the penalty of an early step.
fn prox_seconds(data: &Data, model: Model, truth: &[f64], budget: f64) -> Result<f64> {
    let loss = model.loss()?;
    let rows: Vec<usize> = (0..data.rows()).collect();
    let mut prox = Prox::new(&*loss);
    let anchor: Vec<f64> = truth.iter().map(|t| 0.5 * t).collect();
    let mut theta = anchor.clone();
    let rho = if model == Model::Logistic { 1e-2 } else { 1.0 };
    time_of(budget, || {
        // A new batch every time: its Gram matrix belongs to the step.
        let mut batch = Batch::default();
        batch.fill(data, &rows)?;
        theta.copy_from_slice(&anchor);
        Ok(prox.apply(&batch, rho, &mut theta)?)
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
        for model in [Model::Linear, Model::Logistic, Model::Huber] {
            cells.push(self.update(model, "p", &settings.update_p));
            cells.push(self.update(model, "b", &settings.update_b));
        }
        cells.push(self.update(Model::Matrix, "p", &settings.matrix_update_side));
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
            for variable in rows.levels("variable") {
                let points = rows.only(&[("variable", &variable)]).points("size", "seconds");
                let measured = log_slope(&points);
                let (order, exponent) = paper::cost(&operation, &variable);
                table.rows.push(vec![operation.clone(), variable.clone(), order.to_owned(), number(measured, 2)]);
                let ours = format!(
                    "{operation}, in {variable}: exponent {} measured, at most {exponent} by {order}",
                    number(measured, 2)
                );
                section.statements.push(Statement::new(
                    "cost",
                    "The order in Table 3 or 4 is an upper bound",
                    ours,
                    Verdict::when(measured <= exponent + TOLERANCE),
                ));
                let group = match (rows.levels("table").first().map(String::as_str), variable.as_str()) {
                    (Some("3"), _) => 0,
                    (_, "p") => 1,
                    _ => 2,
                };
                curves[group].1.push(Series { label: operation.clone(), points });
            }
        }
        section.tables.push(table);
        for (i, (title, series)) in curves.into_iter().enumerate() {
            let plot = Plot::Lines(LinePlot {
                title: String::new(),
                x_label: "size".into(),
                y_label: "seconds a call".into(),
                log_x: true,
                log_y: true,
                series,
            });
            section.picture(&format!("tables34-{}", i + 1), title, move |style| {
                small_multiples(title, std::slice::from_ref(&plot), style)
            });
        }
        Ok(section)
    }
}
