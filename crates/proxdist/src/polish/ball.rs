//! Minimisation over a ball $\|\theta - c\| \le r$ with a free intercept, by quadratic models that need only products $Hv$.
//!
//! Write $u = \theta - c$ and $u_0$ for its current value. With the intercept eliminated,
//! $\tilde H = H_{\theta\theta} - kk^T/h$, $\tilde g = g - k\,g_\beta/h$ (where $k = H_{\theta\beta}$, $h = H_{\beta\beta}$), the model
//! of F is $q(u) = \tfrac12u^T\tilde Hu + b^Tu$, $b = \tilde g - \tilde Hu_0$. Its minimiser over the ball satisfies
//! $(\tilde H + \lambda I)u = -b$ with $\lambda \ge 0$, and $\lambda = 0$ or $\|u\| = r$.
//!
//! The model is solved over a growing subspace with orthonormal basis $Q$ (Hager 2001): $\min_y q(Qy)$, $\|y\| \le r$, is a
//! small dense problem whose multiplier Newton's method on the secular equation $1/\|y(\lambda)\| = 1/r$ finds, rising
//! monotonically; then the residual $\tilde Hu + \lambda u + b$ joins the basis, at one product a step. The first vectors are
//! $u_0$ and $\tilde g$. Started at $u_0 = 0$ these are the Krylov spaces of the Lanczos trust-region method (Gould, Lucidi,
//! Roma and Toint 1999); but containing $u_0$, the subspace starts from a warm point's small residual instead of from
//! scratch, which halves the products on later models. If the gradient turns out as the model said, F is quadratic and
//! the subspace is kept.
//!
//! The segment from $u_0$ to the model's minimiser lies in the ball, and on it F is searched; after a full step that fails, first with
//! more caution if the loss has straight pieces (`caution.rs`).

use super::caution::Caution;
use super::descent::Descent;
use super::{Finished, Smooth, Until};
use crate::constraint::Ball;
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{Cholesky, axpy, dot, norm};

const MOST_MODELS: usize = 200;
/// Vectors in the subspace of one model.
const MOST_VECTORS: usize = 120;
/// Steps of the secular equation.
const SECULAR_STEPS: usize = 100;
/// Relative difference between gradients and their prediction below which F counts as quadratic.
const QUADRATIC: f64 = 1e-12;

/// Lowers F over a ball from the feasible `point`.
pub(crate) fn minimise(
    function: &mut dyn Smooth,
    set: &Ball,
    point: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let mut at = Descent::new(function, set, point)?;
    let mut model = Model::new(at.layout, set.limit());
    let mut caution = Caution::default();
    let mut exact = false;
    while at.is_usable() && at.iterations < MOST_MODELS {
        let residual = at.stationarity()?;
        let target = at.target(until.tolerance);
        if at.is_finished(residual, until.tolerance) || at.is_stalled(residual) || until.is_over() {
            break;
        }
        at.iterations += 1;
        let start: Vec<f64> = match set.center() {
            Some(center) => at.point.iter().zip(center).map(|(x, c)| x - c).collect(),
            None => at.layout.coefficients(&at.point).to_vec(),
        };
        let forcing = (residual / at.target(1.0)).sqrt().min(0.1);
        let goal = 0.3 * target.min(residual);
        let size = norm(&at.gradient);
        let has_moved = loop {
            if !exact {
                model.prepare(&mut at, &start, caution.share())?;
            }
            model.solve(&mut at, if exact { goal } else { goal.max(forcing * residual) })?;
            let step = model.step(&start, &at.gradient);
            if at.try_along(&step, 1.0)? {
                caution.ease();
                break true;
            }
            if !caution.raise(at.function) {
                break at.search(&step)?.is_some();
            }
            exact = false;
        };
        let predicted = model.predicted_gradient();
        if !has_moved && !at.gradient_step()? {
            break;
        }
        let surprise = super::descent::distance(&predicted, at.layout.coefficients(&at.gradient));
        exact = surprise <= QUADRATIC * size && model.basis.len() < MOST_VECTORS;
    }
    at.finish(point)
}

/// A quadratic model and the subspace it is solved over.
struct Model {
    /// That of points; the vectors below are of coefficients alone, but for steps.
    layout: Layout,
    radius: f64,
    /// $k$ and $h$; empty and zero without an intercept or without curvature in it.
    cross: Vec<f64>,
    bend: f64,
    /// $b$
    linear: Vec<f64>,
    /// $Q$ and $\tilde HQ$, a vector each.
    basis: Vec<Vec<f64>>,
    images: Vec<Vec<f64>>,
    /// $u$, $\tilde Hu$ and $\lambda$ of the last solution.
    solution: Vec<f64>,
    image: Vec<f64>,
    multiplier: f64,
    cholesky: Cholesky,
}

impl Model {
    fn new(layout: Layout, radius: f64) -> Self {
        let (cross, linear, solution, image) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (basis, images, cholesky) = (Vec::new(), Vec::new(), Cholesky::default());
        Self { layout, radius, cross, bend: 0.0, linear, basis, images, solution, image, multiplier: 0.0, cholesky }
    }

    /// The model at the current point, and the first two vectors of its subspace.
    fn prepare(&mut self, at: &mut Descent, start: &[f64], caution: f64) -> Result<()> {
        at.function.linearise_with(&at.point, caution)?;
        self.basis.clear();
        self.images.clear();
        (self.cross, self.bend, self.multiplier) = (Vec::new(), 0.0, 0.0);
        let (mut unit, mut image) = (self.layout.zeros(), self.layout.zeros());
        if let Some(free) = self.layout.intercept_mut(&mut unit) {
            *free = 1.0;
            at.function.hessian_times(&unit, &mut image)?;
            at.products += 1;
            let (cross, bend) = self.layout.into_parts(image);
            (self.cross, self.bend) = (cross, bend.unwrap_or(0.0));
        }
        let reduced = self.reduced_gradient(&at.gradient);
        self.linear.clone_from(&reduced);
        self.solution = start.to_vec();
        self.image = vec![0.0; start.len()];
        if norm(start) > 0.0 {
            self.extend(at, start.to_vec())?;
            let length = norm(start);
            if let Some(image) = self.images.last() {
                axpy(-length, image, &mut self.linear);
                axpy(length, image, &mut self.image);
            }
        }
        self.extend(at, reduced)?;
        Ok(())
    }

    /// $\tilde g = g - k\,g_\beta/h$
    fn reduced_gradient(&self, gradient: &[f64]) -> Vec<f64> {
        let mut reduced = self.layout.coefficients(gradient).to_vec();
        if let Some(slope) = self.layout.intercept(gradient).filter(|_| self.bend > 0.0) {
            axpy(-slope / self.bend, &self.cross, &mut reduced);
        }
        reduced
    }

    /// Adds the part of `vector` outside the subspace to its basis; false if there is none.
    fn extend(&mut self, at: &mut Descent, mut vector: Vec<f64>) -> Result<bool> {
        let before = norm(&vector);
        for _ in 0..2 {
            for q in &self.basis {
                let along = dot(q, &vector);
                axpy(-along, q, &mut vector);
            }
        }
        let length = norm(&vector);
        if length.is_nan() || length <= 1e-12 * before {
            return Ok(false);
        }
        vector.iter_mut().for_each(|x| *x /= length);
        let (mut padded, mut image) = (self.layout.zeros(), self.layout.zeros());
        self.layout.coefficients_mut(&mut padded).copy_from_slice(&vector);
        at.function.hessian_times(&padded, &mut image)?;
        at.products += 1;
        let (mut image, along) = self.layout.into_parts(image);
        if self.bend > 0.0 {
            axpy(-along.unwrap_or(0.0) / self.bend, &self.cross, &mut image);
        }
        self.basis.push(vector);
        self.images.push(image);
        Ok(true)
    }

    /// Minimises the model over the ball until its residual is below `goal`.
    fn solve(&mut self, at: &mut Descent, goal: f64) -> Result<()> {
        loop {
            if !self.solve_in_subspace() {
                return Ok(());
            }
            let mut residual = self.linear.clone();
            axpy(1.0, &self.image, &mut residual);
            axpy(self.multiplier, &self.solution, &mut residual);
            if norm(&residual) <= goal || self.basis.len() >= MOST_VECTORS || !self.extend(at, residual)? {
                return Ok(());
            }
        }
    }

    /// The minimiser over the ball within the subspace; false if the small matrix cannot be factored.
    fn solve_in_subspace(&mut self) -> bool {
        let size = self.basis.len();
        let small: Vec<f64> =
            self.basis.iter().flat_map(|q| self.images.iter().map(move |image| dot(q, image))).collect();
        let right: Vec<f64> = self.basis.iter().map(|q| -dot(q, &self.linear)).collect();
        let trace: f64 = (0..size).map(|k| small[k * size + k]).sum();
        if size == 0 || !trace.is_finite() {
            return false;
        }
        // Enough to factor a singular matrix, too little to matter otherwise.
        let least = 1e-14 * trace.max(f64::MIN_POSITIVE);
        let mut multiplier = 0.0;
        let mut y = right.clone();
        for _ in 0..SECULAR_STEPS {
            let matrix = self.cholesky.matrix(size);
            matrix.copy_from_slice(&small);
            (0..size).for_each(|k| matrix[k * size + k] += multiplier + least);
            if !self.cholesky.factor() {
                multiplier = (10.0 * multiplier).max(100.0 * least);
                continue;
            }
            y.copy_from_slice(&right);
            self.cholesky.solve(&mut y);
            let length = norm(&y);
            if length <= self.radius * (1.0 + 1e-14) {
                break;
            }
            if self.radius == 0.0 {
                y.fill(0.0);
                break;
            }
            let mut slope = y.clone();
            self.cholesky.solve(&mut slope);
            let next = multiplier + length * length / dot(&y, &slope) * (length - self.radius) / self.radius;
            if next.is_nan() || next <= multiplier {
                break;
            }
            multiplier = next;
        }
        self.multiplier = multiplier;
        self.solution.fill(0.0);
        self.image.fill(0.0);
        for (y, (q, image)) in y.iter().zip(self.basis.iter().zip(&self.images)) {
            axpy(*y, q, &mut self.solution);
            axpy(*y, image, &mut self.image);
        }
        true
    }

    /// The step to the solution, with that of the intercept.
    fn step(&self, start: &[f64], gradient: &[f64]) -> Vec<f64> {
        let mut step: Vec<f64> = self.solution.iter().zip(start).map(|(u, s)| u - s).collect();
        if let Some(slope) = self.layout.intercept(gradient) {
            let along = dot(&self.cross, &step);
            step.push(if self.bend > 0.0 { -(slope + along) / self.bend } else { 0.0 });
        }
        step
    }

    /// The gradient in the coefficients that the model predicts after the full step: $\tilde Hu + b$, since the
    /// intercept's derivative is then zero.
    fn predicted_gradient(&self) -> Vec<f64> {
        self.image.iter().zip(&self.linear).map(|(image, b)| image + b).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Ball;
    use crate::loss::{Logistic, Squared};
    use crate::polish::testing::{Regression, numbers, residual};
    use crate::polish::testing::{never, until};

    fn finish(function: &mut dyn Smooth, radius: f64, point: &mut [f64], tolerance: f64) -> Finished {
        let set = Ball::radius(radius).unwrap();
        let report = minimise(function, &set, point, &mut until(tolerance, &mut never)).unwrap();
        assert!(residual(function, &set, point) < 1e-7, "{report:?}");
        report
    }

    #[test]
    fn one_model_suffices_for_least_squares() {
        let mut function = Regression::random(400, 40, Squared, true, 3);
        for radius in [1.0, 100.0] {
            let report = finish(&mut function, radius, &mut [0.0; 41], 1e-12);
            assert!(report.hessian_products < 60, "{report:?}");
        }
    }

    #[test]
    fn a_warm_start_needs_few_products() {
        let mut function = Regression::random(600, 30, Logistic, true, 4);
        let mut best = vec![0.0; 31];
        let cold = finish(&mut function, 1.0, &mut best, 1e-12);
        let mut near: Vec<f64> = best.iter().zip(numbers(31, 5)).map(|(x, e)| x + 1e-4 * e).collect();
        let warm = finish(&mut function, 1.0, &mut near, 1e-10);
        assert!(warm.hessian_products < cold.hessian_products, "{warm:?} {cold:?}");
        assert!((warm.value - cold.value).abs() < 1e-14);
    }
}
