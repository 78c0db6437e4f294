//! Functions with formulas, an interior-point method and random numbers, for the tests of the finishing methods.

use super::{Finished, Smooth, Until};
use crate::constraint::Constraint;
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{dot, norm, norm_squared};
use crate::loss::{Loss, Task};
use crate::random::{Purpose, stream, uniform};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use std::ops::ControlFlow;

/// Numbers between −1 and 1, the same for the same seed.
pub(super) fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let generator = &mut stream(seed, Purpose::Simulation, 0);
    (0..count).map(|_| 2.0 * uniform(generator) - 1.0).collect()
}

/// Nobody asks for the end.
pub(super) fn never() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The end at a residual, or when `poll` says so.
pub(super) fn until(tolerance: f64, poll: &mut dyn FnMut() -> ControlFlow<()>) -> Until<'_> {
    Until { tolerance, poll }
}

/// $\tfrac1n\sum_i \ell(x_i^T\theta + \beta_0; y_i) + \tfrac\lambda2\|\theta\|^2$, naively.
pub(super) struct Regression<L> {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) columns: usize,
    pub(super) loss: L,
    pub(super) ridge: f64,
    pub(super) has_intercept: bool,
    curvatures: Vec<f64>,
}

impl<L: Loss> Regression<L> {
    pub(super) fn new(x: Vec<f64>, y: Vec<f64>, loss: L, has_intercept: bool) -> Self {
        let columns = x.len() / y.len();
        Self { x, y, columns, loss, ridge: 0.0, has_intercept, curvatures: Vec::new() }
    }

    /// Responses near a linear predictor, or classes drawn from its sign and noise.
    pub(super) fn random(rows: usize, columns: usize, loss: L, has_intercept: bool, seed: u64) -> Self {
        let x = numbers(rows * columns, seed);
        let truth: Vec<f64> = numbers(columns, seed + 1).iter().map(|t| 3.0 * t).collect();
        let noise = numbers(rows, seed + 2);
        let task = loss.task();
        let y = x.chunks_exact(columns).zip(noise).map(|(row, noise)| {
            let eta = dot(row, &truth) + 0.7 + 2.0 * noise;
            match task {
                Task::TwoClasses => f64::from(u8::from(eta > 0.0)),
                Task::Counts => eta.abs().round(),
                Task::Amounts => eta.abs() + 0.1,
                Task::Regression => eta,
            }
        });
        let y = y.collect();
        Self::new(x, y, loss, has_intercept)
    }

    fn predictor(&self, row: usize, point: &[f64]) -> f64 {
        let x = &self.x[row * self.columns..(row + 1) * self.columns];
        let layout = self.layout();
        dot(x, layout.coefficients(point)) + layout.intercept(point).unwrap_or(0.0)
    }

    fn add_row(&self, row: usize, factor: f64, out: &mut [f64]) {
        let x = &self.x[row * self.columns..(row + 1) * self.columns];
        x.iter().zip(&mut *out).for_each(|(x, o)| *o += factor * x);
        if let Some(intercept) = self.layout().intercept_mut(out) {
            *intercept += factor;
        }
    }
}

impl<L: Loss> Smooth for Regression<L> {
    fn layout(&self) -> Layout {
        Layout::vector(self.columns).intercepts(self.has_intercept)
    }
    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let sum: f64 = (0..self.y.len()).map(|i| self.loss.value(self.predictor(i, point), self.y[i])).sum();
        Ok(sum / self.y.len() as f64 + 0.5 * self.ridge * norm_squared(self.layout().coefficients(point)))
    }
    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        gradient.fill(0.0);
        for i in 0..self.y.len() {
            let slope = self.loss.slope(self.predictor(i, point), self.y[i]) / self.y.len() as f64;
            self.add_row(i, slope, gradient);
        }
        (0..self.columns).for_each(|j| gradient[j] += self.ridge * point[j]);
        self.value(point)
    }
    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let n = self.y.len();
        let bend = |i: usize| {
            let eta = self.predictor(i, point);
            let own = self.loss.curvature(eta, self.y[i]);
            own + caution * (self.loss.majorant_curvature(eta, self.y[i]).unwrap_or(own) - own)
        };
        self.curvatures = (0..n).map(|i| bend(i) / n as f64).collect();
        Ok(())
    }
    fn has_straight_pieces(&self) -> bool {
        self.loss.has_straight_pieces()
    }
    fn has_majorant(&self) -> bool {
        self.loss.majorant_curvature(0.0, 0.0).is_some()
    }
    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        (0..self.y.len()).for_each(|i| self.add_row(i, self.curvatures[i] * self.predictor(i, v), out));
        (0..self.columns).for_each(|j| out[j] += self.ridge * v[j]);
        Ok(())
    }
    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let size = self.dimension();
        for k in 0..size {
            let mut unit = vec![0.0; size];
            unit[k] = 1.0;
            self.hessian_times(&unit, &mut out[k * size..(k + 1) * size])?;
        }
        Ok(())
    }
}

/// $\min F$ for a quadratic F subject to rows $\cdot\,x$ + cone slack = bound, by an interior-point method; `extra`
/// variables may follow the point.
pub(super) fn interior_point(
    function: &mut dyn Smooth,
    extra: usize,
    rows: &[Vec<f64>],
    bound: &[f64],
    cones: &[SupportedConeT<f64>],
) -> Vec<f64> {
    let size = function.dimension();
    let origin = vec![0.0; size];
    let (mut q, mut h) = (vec![0.0; size], vec![0.0; size * size]);
    function.gradient(&origin, &mut q).unwrap();
    function.linearise(&origin).unwrap();
    function.hessian(&mut h).unwrap();
    q.resize(size + extra, 0.0);
    let mut p = vec![vec![0.0; size + extra]; size + extra];
    for i in 0..size {
        p[i][i..size].copy_from_slice(&h[i * size + i..(i + 1) * size]);
    }
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    };
    let (p, a) = (CscMatrix::from(&p), CscMatrix::from(rows));
    let mut solver = DefaultSolver::new(&p, &q, &a, bound, cones, settings).unwrap();
    solver.solve();
    solver.solution.x[..size].to_vec()
}

/// The stationarity residual, computed afresh with a curvature of one.
pub(super) fn residual(function: &mut dyn Smooth, set: &dyn Constraint, point: &[f64]) -> f64 {
    let mut gradient = vec![0.0; point.len()];
    function.gradient(point, &mut gradient).unwrap();
    let mut moved: Vec<f64> = point.iter().zip(&gradient).map(|(x, g)| x - g).collect();
    set.project(function.layout().coefficients_mut(&mut moved), &mut crate::constraint::Workspace::default()).unwrap();
    moved.iter_mut().zip(point).for_each(|(m, x)| *m -= x);
    norm(&moved)
}

/// A set that a finish is tried on.
pub(super) struct Trial<'c> {
    pub(super) name: &'c str,
    pub(super) set: &'c dyn Constraint,
    pub(super) start: &'c [f64],
    /// How stationary the end must be.
    pub(super) accuracy: f64,
}

/// The laws of every finish: in the set, F not raised, the report true, and stationary.
pub(super) fn check(
    Trial { name, set, start, accuracy }: Trial,
    function: &mut dyn Smooth,
    finish: impl Fn(&mut dyn Smooth, &dyn Constraint, &mut [f64]) -> Result<Finished>,
) -> Vec<f64> {
    let layout = function.layout();
    let mut first = start.to_vec();
    set.project(layout.coefficients_mut(&mut first), &mut crate::constraint::Workspace::default()).unwrap();
    let before = function.value(&first).unwrap();
    let mut point = first.clone();
    let report = finish(function, set, &mut point).unwrap();
    assert!(report.value <= before, "{name} raised F: {before} to {}", report.value);
    assert_eq!(report.value, function.value(&point).unwrap(), "{name}");
    let mut nearest = point.clone();
    set.project(layout.coefficients_mut(&mut nearest), &mut crate::constraint::Workspace::default()).unwrap();
    let outside = super::descent::distance(&nearest, &point);
    assert!(outside <= 1e-13 * (1.0 + norm(&point)), "{name} left the set by {outside:e}");
    let stationarity = residual(function, set, &point);
    assert!(stationarity <= accuracy, "{name}: residual {stationarity:e} after {report:?}");
    point
}
