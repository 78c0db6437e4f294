//! The linear systems of a step: a symmetric matrix that may be singular, and equations beside it.
//!
//! The matrix is scaled to a unit diagonal and lifted a little where Cholesky's method finds it not positive definite; residuals are then computed with the matrix itself and
//! solved for again, so that the lift costs no digits in directions that the matrix sees. Equations $Ex = e$ come in by the Schur complement $EN^{-1}E^T$.

use crate::conic::Row;
use crate::linalg::{Cholesky, dot, times};

/// Shares of the diagonal that are added to it, in turn.
const LIFTS: [f64; 5] = [1e-14, 1e-12, 1e-10, 1e-8, 1e-6];
/// Rounds of refinement.
const ROUNDS: usize = 2;

/// A factored matrix with equations.
#[derive(Default)]
pub(super) struct NewtonMatrix {
    pub(super) matrix: Vec<f64>,
    units: Vec<f64>,
    cholesky: Cholesky,
    /// $N^{-1}E^T$, one equation after the other, and the factor of $EN^{-1}E^T$.
    images: Vec<Vec<f64>>,
    schur: Cholesky,
    schur_units: Vec<f64>,
}

impl NewtonMatrix {
    /// Factors what was filled in; `false` if that is not possible.
    pub(super) fn factor(&mut self, size: usize, equations: &[&Row]) -> bool {
        self.units =
            (0..size).map(|j| self.matrix[j * size + j]).map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 }).collect();
        let is_factored = LIFTS.iter().any(|lift| {
            let lower = self.cholesky.matrix(size);
            for j in 0..size {
                for i in j..size {
                    lower[j * size + i] = self.matrix[j * size + i] * self.units[i] * self.units[j];
                }
                let diagonal = &mut lower[j * size + j];
                *diagonal = if *diagonal > 0.0 { *diagonal + lift } else { 1.0 };
            }
            self.cholesky.factor()
        });
        is_factored && self.factor_equations(size, equations)
    }

    fn factor_equations(&mut self, size: usize, equations: &[&Row]) -> bool {
        self.images.clear();
        for row in equations {
            let mut image = vec![0.0; size];
            row.terms.iter().for_each(|&(j, a)| image[j] += a);
            self.solve_plain(&mut image);
            self.images.push(image);
        }
        let count = equations.len();
        let along = |row: &Row, x: &[f64]| row.terms.iter().map(|&(j, a)| a * x[j]).sum::<f64>();
        let entry = |i: usize, j: usize| along(equations[i], &self.images[j]);
        let units: Vec<f64> = (0..count).map(|i| 1.0 / entry(i, i).max(f64::MIN_POSITIVE).sqrt()).collect();
        let lower: Vec<f64> = (0..count * count)
            .map(|at| entry(at % count, at / count) * units[at % count] * units[at / count])
            .collect();
        self.schur_units = units;
        count == 0
            || LIFTS.iter().any(|lift| {
                let matrix = self.schur.matrix(count);
                matrix.copy_from_slice(&lower);
                (0..count).for_each(|i| matrix[i * count + i] += lift);
                self.schur.factor()
            })
    }

    /// Replaces `rhs` by $N^{-1}$`rhs`.
    fn solve_plain(&mut self, rhs: &mut [f64]) {
        let asked = rhs.to_vec();
        self.solve_once(rhs);
        let mut left = vec![0.0; rhs.len()];
        let mut size = f64::INFINITY;
        for _ in 0..ROUNDS {
            times(&self.matrix, rhs, &mut left, false);
            left.iter_mut().zip(&asked).for_each(|(left, asked)| *left = asked - *left);
            let scaled = left.iter().zip(&self.units).map(|(l, u)| (l * u) * (l * u)).sum::<f64>();
            if scaled.is_nan() || scaled >= 0.25 * size {
                break;
            }
            size = scaled;
            self.solve_once(&mut left);
            rhs.iter_mut().zip(&left).for_each(|(x, d)| *x += d);
        }
    }

    fn solve_once(&mut self, rhs: &mut [f64]) {
        rhs.iter_mut().zip(&self.units).for_each(|(x, u)| *x *= u);
        self.cholesky.solve(rhs);
        rhs.iter_mut().zip(&self.units).for_each(|(x, u)| *x *= u);
    }

    /// Solves $Nx + E^T\nu =$ `rhs`, $Ex =$ `ends`; `rhs` becomes $x$, and $\nu$ is returned.
    pub(super) fn solve(&mut self, rhs: &mut [f64], equations: &[&Row], ends: &[f64]) -> Vec<f64> {
        self.solve_plain(rhs);
        if equations.is_empty() {
            return Vec::new();
        }
        let mut nu: Vec<f64> = equations
            .iter()
            .zip(ends)
            .map(|(row, end)| row.terms.iter().map(|&(j, a)| a * rhs[j]).sum::<f64>() - end)
            .collect();
        nu.iter_mut().zip(&self.schur_units).for_each(|(x, u)| *x *= u);
        self.schur.solve(&mut nu);
        nu.iter_mut().zip(&self.schur_units).for_each(|(x, u)| *x *= u);
        for (image, nu) in self.images.iter().zip(&nu) {
            rhs.iter_mut().zip(image).for_each(|(x, image)| *x -= nu * image);
        }
        nu
    }

    /// $x^TNx$ on the diagonal: sizes to compare gradients with.
    pub(super) fn diagonal(&self, size: usize) -> Vec<f64> {
        (0..size).map(|j| self.matrix[j * size + j]).collect()
    }

    /// Whether a solution is of any use.
    pub(super) fn is_finite(x: &[f64]) -> bool {
        dot(x, x).is_finite()
    }
}
