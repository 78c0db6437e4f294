//! Problems over low-rank matrices, and the laws that every finish over them obeys.

use super::Finished;
use super::descent::distance;
use super::on_data::OnData;
use super::rank::{LowRank, Model, minimise_with};
use super::rank_cg::MatrixFree;
use super::rank_dense::Dense;
use super::rank_place::Task;
use super::smooth::Smooth;
use super::testing::{never, numbers, until};
use crate::constraint::{ConeInBall, Constraint, Rank, Workspace, projected};
use crate::data::Data;
use crate::linalg::{dot, norm};
use crate::loss::{self, Huber, Logistic, Loss, Poisson, Squared, SquaredHinge};
use crate::objective::Objective;

pub(super) const TOLERANCE: f64 = 1e-8;

pub(super) fn low_rank(rank: usize, (rows, columns): (usize, usize)) -> LowRank {
    LowRank { rank, rows, columns, radius: None }
}

/// A problem with a truth of the rank given.
pub(super) struct Made {
    pub(super) shape: (usize, usize),
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) offset: Vec<f64>,
    pub(super) truth: Vec<f64>,
}

impl Made {
    pub(super) fn new(shape: (usize, usize), rank: usize, rows: usize, noise: f64, seed: u64) -> Self {
        let size = shape.0 * shape.1;
        let x = numbers(rows * size, seed);
        let wide: Vec<f64> = numbers(size, seed + 1).iter().map(|t| 3.0 * t).collect();
        let truth = projected(&Rank::at_most(rank, shape.0, shape.1), &wide).unwrap();
        let errors = numbers(rows, seed + 2);
        let y = x.chunks_exact(size).zip(&errors).map(|(x, e)| dot(x, &truth) + 0.5 + noise * e).collect();
        let weights = numbers(rows, seed + 3).iter().map(|w| (1.0 + w).max(0.1)).collect();
        let offset = numbers(rows, seed + 4);
        Self { shape, x, y, weights, offset, truth }
    }

    /// The same with responses that the loss takes.
    pub(super) fn for_loss(mut self, loss: &dyn Loss) -> Self {
        for (i, y) in self.y.iter_mut().enumerate() {
            *y = match loss.task() {
                loss::Task::TwoClasses => f64::from(u8::from(*y > 0.0) ^ u8::from(i % 7 == 0)),
                loss::Task::Counts => y.abs().round(),
                loss::Task::Amounts => y.abs() + 0.1,
                loss::Task::Regression => *y,
            };
        }
        self
    }

    pub(super) fn size(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    pub(super) fn data(&self) -> Data<'_> {
        Data::dense(&self.x, self.size(), &self.y).unwrap()
    }
}

pub(super) fn finish(free: bool, objective: Objective, set: LowRank, theta: &mut [f64], tolerance: f64) -> Finished {
    let objective = for_start(objective, set, theta);
    let mut free_model = MatrixFree::new(objective);
    let mut dense = Dense::new();
    let model: &mut dyn Model = if free { &mut free_model } else { &mut dense };
    minimise_with(model, Task::new(objective, set).unwrap(), theta, &mut until(tolerance, &mut never)).unwrap()
}

/// The objective of models that have an intercept if this point has one.
pub(super) fn for_start<'p>(objective: Objective<'p>, set: LowRank, theta: &[f64]) -> Objective<'p> {
    objective.intercept(set.layout().intercept(theta).is_some())
}

pub(super) fn set_of(set: LowRank) -> Box<dyn Constraint> {
    let rank = Rank::at_most(set.rank, set.rows, set.columns);
    match set.radius {
        Some(radius) => Box::new(ConeInBall::new(rank, radius).unwrap()),
        None => Box::new(rank),
    }
}

/// $\|L(\theta - P_C(\theta - \nabla F/L))\|/\sqrt{2LF}$ in the metric of curvature-scaled entries, afresh.
pub(super) fn stationarity(objective: Objective, set: LowRank, theta: &[f64]) -> f64 {
    let mut gradient = vec![0.0; theta.len()];
    let value = objective.gradient(theta, &mut gradient).unwrap();
    let mut function = OnData::new(objective);
    function.linearise(theta).unwrap();
    let mut image = vec![0.0; theta.len()];
    // Well above the largest curvature: a few power steps and a factor.
    let mut v = numbers(theta.len(), 77);
    let mut curvature = 0.0;
    for _ in 0..20 {
        function.hessian_times(&v, &mut image).unwrap();
        curvature = norm(&image) / norm(&v);
        let length = norm(&image).max(1e-300);
        v = image.iter().map(|x| x / length).collect();
    }
    let curvature = 3.0 * curvature + 1e-300;
    let mut moved: Vec<f64> = theta.iter().zip(&gradient).map(|(t, g)| t - g / curvature).collect();
    set_of(set).project(set.layout().coefficients_mut(&mut moved), &mut Workspace::default()).unwrap();
    curvature * distance(&moved, theta) / (2.0 * curvature * value.abs().max(1e-3)).sqrt()
}

/// In the set, F not raised, the report true, and stationary; returns the report.
pub(super) fn obeys_the_laws(
    name: &str,
    free: bool,
    objective: Objective,
    set: LowRank,
    start: &[f64],
) -> (Finished, Vec<f64>) {
    let (objective, layout) = (for_start(objective, set, start), set.layout());
    let mut theta = start.to_vec();
    set.project(layout.coefficients_mut(&mut theta)).unwrap();
    let before = objective.value(&theta).unwrap();
    let report = finish(free, objective, set, &mut theta, TOLERANCE);
    let name =
        format!("{name}, {set:?}, matrix-free {free}: {} {} {}", report.value, report.stationarity, report.iterations);
    let after = objective.value(&theta).unwrap();
    assert!(after <= before + 1e-14 * before.abs(), "{name}");
    let rounding = 1e-13 * after.abs().max(objective.value(&vec![0.0; theta.len()]).unwrap().abs());
    assert!((report.value - after).abs() <= rounding, "{name}");
    let nearest = projected(&set_of(set), layout.coefficients(&theta)).unwrap();
    assert!(distance(&nearest, layout.coefficients(&theta)) <= 1e-12 * norm(&nearest), "{name}");
    let residual = stationarity(objective, set, &theta);
    assert!(residual <= 3e-8, "{name}: {residual:e}");
    (report, theta)
}

pub(super) fn losses() -> Vec<Box<dyn Loss>> {
    vec![
        Box::new(Squared),
        Box::new(Logistic),
        Box::new(Huber::with_delta(0.5).unwrap()),
        Box::new(Poisson),
        Box::new(SquaredHinge),
    ]
}
