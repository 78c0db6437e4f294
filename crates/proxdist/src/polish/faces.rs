//! Newton's method on the faces of a polyhedron, with projected gradient steps to move between faces
//! (Moré and Toraldo 1991).
//!
//! A face is $\{\theta + Zz : Ez = 0\}$ near $\theta$ ([`Face`]). On it F has the gradient $Z^Tg$ and the Hessian $Z^THZ$, and
//! the Newton step solves
//! $$\min_z\; (Z^Tg)^Tz + \tfrac12 z^TZ^THZz \quad\text{subject to}\quad Ez = 0.$$
//! Few variables: Cholesky of $K = Z^THZ + \sigma E^TE + \delta I$ and a Schur complement for $E$; the $\sigma$ term vanishes on
//! the face, $\delta$ is a damping that only matters where $Z^THZ$ is singular (duplicate columns, separable classes). Many
//! variables: conjugate gradients with Hessian–vector products, projected onto $Ez = 0$, to an accuracy that tightens as
//! the residual falls. The step is taken along the projection arc $P_C(\theta + tZz)$; where the full one fails, with more caution
//! if the loss has straight pieces (`caution.rs`), and then halving $t$ until F falls enough.
//!
//! Before each Newton step the projected gradient step is computed; if it leaves the face, it is taken. At a
//! solution where no multiplier is zero the faces stop changing after finitely many steps and convergence is quadratic.

use super::caution::Caution;
use super::descent::Descent;
use super::{Finished, Smooth, Until};
use crate::constraint::{Constraint, Face, Faces};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{Cholesky, axpy, dot, norm_squared};

const MOST_ITERATIONS: usize = 200;
/// Free variables up to which the Hessian is factored, and those up to which it is worth building column by column.
const DENSE: usize = 1500;
const FEW: usize = 24;
/// Smallest and largest damping, relative to the mean curvature.
const LEAST_DAMPING: f64 = 1e-13;
const MOST_DAMPING: f64 = 1e8;
/// Squared part of a step outside a face that counts as leaving it.
const OFF_FACE: f64 = 1e-12;
const MOST_CONJUGATE_STEPS: usize = 500;

/// Lowers F over the polyhedron `set`, which has these faces, from the feasible `point`.
pub(crate) fn minimise(
    function: &mut dyn Smooth,
    set: &dyn Constraint,
    faces: &dyn Faces,
    point: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let mut at = Descent::new(function, set, point)?;
    let layout = at.layout;
    let mut newton = Newton { damping: LEAST_DAMPING, ..Newton::default() };
    let mut caution = Caution::default();
    while at.is_usable() && at.iterations < MOST_ITERATIONS {
        let residual = at.stationarity()?;
        let target = at.target(until.tolerance);
        if at.is_finished(residual, until.tolerance) || at.is_stalled(residual) || until.is_over() {
            break;
        }
        at.iterations += 1;
        let (here, there) = (layout.coefficients(&at.point), layout.coefficients(&at.trial));
        let (Some(mut face), Some(next)) = (faces.face(here), faces.face(there)) else {
            break;
        };
        let mut moved = false;
        if face != next || leaves(&face, here, there) {
            moved = at.gradient_step()?;
            face = faces.face(layout.coefficients(&at.point)).unwrap_or(face);
        }
        let forcing = (residual / at.target(1.0)).sqrt().max(0.1 * target / residual).clamp(1e-6, 0.1);
        let taken = loop {
            newton.direction(&mut at, &face, forcing, caution.share())?;
            if at.try_along(&newton.step, 1.0)? {
                caution.ease();
                break Some(1.0);
            }
            if !caution.raise(at.function) {
                break at.search(&newton.step)?;
            }
        };
        if taken.is_none() && !moved && !at.gradient_step()? {
            break;
        }
        newton.adapt(taken);
    }
    at.finish(point)
}

/// Whether the way from one point to another leaves the directions of the face, as from one corner of a box to the next.
fn leaves(face: &Face, from: &[f64], to: &[f64]) -> bool {
    let step: Vec<f64> = to.iter().zip(from).map(|(t, f)| t - f).collect();
    let mut along = vec![0.0; face.variables()];
    face.reduce(&step, &mut along);
    face.drop_equalities(&mut along);
    let all = norm_squared(&step);
    all - norm_squared(&along) > OFF_FACE * all
}

/// The Newton step on a face and the memory for it.
#[derive(Default)]
struct Newton {
    damping: f64,
    /// The step in all coordinates.
    step: Vec<f64>,
    cholesky: Cholesky,
    hessian: Vec<f64>,
}

/// The variables of a step: those of the face and the intercept.
struct Free<'f> {
    face: &'f Face,
    /// That of points.
    whole: Layout,
    /// That of the variables.
    own: Layout,
}

impl<'f> Free<'f> {
    fn new(face: &'f Face, whole: Layout) -> Self {
        Self { face, whole, own: whole.reduced_to(face.variables()) }
    }

    fn variables(&self) -> usize {
        self.own.len()
    }

    fn expand(&self, z: &[f64], out: &mut [f64]) {
        let (z, free) = self.own.split(z);
        let (coefficients, intercept) = self.whole.split_mut(out);
        self.face.expand(z, coefficients);
        intercept.copy_from_slice(free);
    }

    fn reduce(&self, v: &[f64], out: &mut [f64]) {
        let (z, free) = self.own.split_mut(out);
        let (coefficients, intercept) = self.whole.split(v);
        self.face.reduce(coefficients, z);
        free.copy_from_slice(intercept);
    }

    /// The places that a variable moves, all by the same amount.
    fn group(&self, variable: usize) -> (impl Iterator<Item = usize>, f64) {
        let is_coefficient = self.own.is_coefficient(variable);
        let (group, scale) = if is_coefficient { self.face.group(variable) } else { (&[][..], 1.0) };
        let intercept = self.whole.place_of_intercept().filter(|_| !is_coefficient);
        (group.iter().copied().chain(intercept), scale)
    }

    fn drop_equalities(&self, z: &mut [f64]) {
        self.face.drop_equalities(self.own.coefficients_mut(z));
    }
}

impl Newton {
    /// Computes [`Self::step`] at the current point.
    fn direction(&mut self, at: &mut Descent, face: &Face, forcing: f64, caution: f64) -> Result<()> {
        let free = Free::new(face, at.layout);
        let size = free.variables();
        self.step.clear();
        self.step.resize(at.point.len(), 0.0);
        if size == 0 {
            return Ok(());
        }
        at.function.linearise_with(&at.point, caution)?;
        let mut gradient = vec![0.0; size];
        free.reduce(&at.gradient, &mut gradient);
        let whole = at.point.len() <= 1500 || at.point.len() <= 4 * size;
        let z = if size <= FEW || (size <= DENSE && whole) {
            self.reduced_hessian(at, &free, whole)?;
            self.solve(&free, &gradient)
        } else {
            conjugate_gradients(at, &free, &gradient, forcing)?
        };
        free.expand(&z, &mut self.step);
        Ok(())
    }

    /// $Z^THZ$ into [`Self::hessian`], from the whole Hessian or column by column.
    fn reduced_hessian(&mut self, at: &mut Descent, free: &Free, whole: bool) -> Result<()> {
        let (size, length) = (free.variables(), at.point.len());
        let mut full = Vec::new();
        if whole {
            full.resize(length * length, 0.0);
            at.function.hessian(&mut full)?;
            at.products += 1;
        }
        self.hessian.resize(size * size, 0.0);
        let (mut unit, mut column, mut image) = (vec![0.0; size], vec![0.0; length], vec![0.0; length]);
        for k in 0..size {
            if whole {
                image.fill(0.0);
                let (group, scale) = free.group(k);
                group.for_each(|j| axpy(scale, &full[j * length..(j + 1) * length], &mut image));
            } else {
                unit[k] = 1.0;
                free.expand(&unit, &mut column);
                unit[k] = 0.0;
                at.function.hessian_times(&column, &mut image)?;
                at.products += 1;
            }
            free.reduce(&image, &mut self.hessian[k * size..(k + 1) * size]);
        }
        Ok(())
    }

    /// The step in the variables from the dense reduced Hessian, damped as much as the factorisation needs.
    fn solve(&mut self, free: &Free, gradient: &[f64]) -> Vec<f64> {
        let size = gradient.len();
        let trace: f64 = (0..size).map(|k| self.hessian[k * size + k]).sum();
        let mean = if trace > 0.0 && trace.is_finite() { trace / size as f64 } else { 1.0 };
        loop {
            let matrix = self.cholesky.matrix(size);
            matrix.copy_from_slice(&self.hessian);
            for row in free.face.equalities() {
                for (k, e) in row.iter().enumerate() {
                    axpy(mean * e, row, &mut matrix[k * size..k * size + row.len()]);
                }
            }
            (0..size).for_each(|k| matrix[k * size + k] += self.damping * mean);
            if self.cholesky.factor() {
                break;
            }
            self.damping *= 100.0;
            if self.damping > MOST_DAMPING {
                // Curvatures that are not numbers: the gradient is all there is.
                self.damping = LEAST_DAMPING;
                let mut z: Vec<f64> = gradient.iter().map(|g| -g / mean).collect();
                free.drop_equalities(&mut z);
                return z;
            }
        }
        let mut z: Vec<f64> = gradient.iter().map(|g| -g).collect();
        self.cholesky.solve(&mut z);
        self.restore_equalities(free, &mut z);
        z
    }

    /// `z ← z − K⁻¹Eᵀ(E K⁻¹Eᵀ)⁻¹E z`, after which `E z = 0`.
    fn restore_equalities(&mut self, free: &Free, z: &mut [f64]) {
        let rows = free.face.equalities();
        if rows.is_empty() {
            return;
        }
        let own = free.own;
        let mut solved: Vec<Vec<f64>> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut column = vec![0.0; z.len()];
            own.coefficients_mut(&mut column).copy_from_slice(row);
            self.cholesky.solve(&mut column);
            solved.push(column);
        }
        let mut schur = Cholesky::default();
        let count = rows.len();
        let matrix = schur.matrix(count);
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in solved.iter().enumerate() {
                matrix[i * count + j] = dot(row, own.coefficients(column));
            }
        }
        let mut excess: Vec<f64> = rows.iter().map(|row| dot(row, own.coefficients(z))).collect();
        if schur.factor() {
            schur.solve(&mut excess);
            excess.iter().zip(&solved).for_each(|(e, column)| axpy(-e, column, z));
        }
        free.drop_equalities(z);
    }

    /// More damping after short steps, less after full ones.
    fn adapt(&mut self, taken: Option<f64>) {
        self.damping = match taken {
            Some(1.0) => (0.01 * self.damping).max(LEAST_DAMPING),
            Some(t) if t > 0.1 => self.damping,
            _ => (10.0 * self.damping).clamp(1e-6, 1e4),
        };
    }
}

/// The step in the variables by conjugate gradients, to a residual of `forcing` times the first one.
fn conjugate_gradients(at: &mut Descent, free: &Free, gradient: &[f64], forcing: f64) -> Result<Vec<f64>> {
    let size = gradient.len();
    let mut z = vec![0.0; size];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    free.drop_equalities(&mut residual);
    let mut conjugate = residual.clone();
    let (mut column, mut image) = (vec![0.0; at.point.len()], vec![0.0; at.point.len()]);
    let mut product = vec![0.0; size];
    let mut squared = dot(&residual, &residual);
    let goal = forcing * forcing * squared;
    for step in 0..MOST_CONJUGATE_STEPS {
        free.expand(&conjugate, &mut column);
        at.function.hessian_times(&column, &mut image)?;
        at.products += 1;
        free.reduce(&image, &mut product);
        free.drop_equalities(&mut product);
        let bend = dot(&conjugate, &product);
        // No curvature: F is linear along here, and the step so far (or the gradient, scaled) must do.
        if bend.is_nan() || bend <= 1e-14 * at.curvature * dot(&conjugate, &conjugate) {
            if step == 0 {
                axpy(1.0 / at.curvature, &conjugate, &mut z);
            }
            break;
        }
        let length = squared / bend;
        axpy(length, &conjugate, &mut z);
        axpy(-length, &product, &mut residual);
        let next = dot(&residual, &residual);
        if next <= goal {
            break;
        }
        let ratio = next / squared;
        squared = next;
        conjugate.iter_mut().zip(&residual).for_each(|(c, r)| *c = r + ratio * *c);
    }
    Ok(z)
}
