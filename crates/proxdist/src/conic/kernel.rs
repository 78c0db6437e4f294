//! Newton steps in the classes of variables that move as one (`refine.rs`): $Z^THZ$ for the classes $Z$, and a Schur complement for the rows and spheres.
//!
//! Magnitudes have no curvature of their own. The usual way gives them next to none, and the Schur complement then has entries so large that what the other variables add to it can be lost in their
//! rounding, as in corners where the rows alone say where a point is. There the steps are strengthened: with rows $Jv = -e$ the conditions $Mv + J^Ty = -d$ and
//! $(M + J^TKJ)v + J^Ty = -d - J^TKe$ say the same for any diagonal $K > 0$, and the second matrix has curvature wherever a row has a variable.

use super::refine::Reduced;
use super::{Hessian, Quadratic};
use crate::linalg::{Cholesky, axpy, dot};

/// Added to the diagonal, relative to it; the residuals are those without it, so that it only slows down.
const DAMPING: f64 = 1e-10;

/// $Z^T(H + \sum_k\lambda_kI)Z$, factored or diagonal.
#[derive(Default)]
pub(super) struct Kernel {
    pub(super) diagonal: Vec<f64>,
    cholesky: Option<Cholesky>,
    /// The matrix itself, if every step is strengthened by its rows.
    plain: Option<Vec<f64>>,
}

/// Classes up to which steps can be strengthened: each takes a factorisation.
const MOST_STRENGTHENED: usize = 1000;

/// What the multipliers of balls and cones add.
pub(super) struct Extra<'e> {
    /// To the diagonal, by variables.
    pub(super) diagonal: &'e [f64],
    /// $-\lambda nn^T$ for each cone, $n$ in the classes.
    pub(super) cones: &'e [(f64, Vec<f64>)],
}

impl Kernel {
    /// With what the multipliers of the balls add.
    pub(super) fn prepare(&mut self, reduced: &Reduced, quadratic: &Quadratic, extra: &Extra) -> Option<()> {
        self.form(reduced, quadratic, extra);
        let size = self.diagonal.len();
        if self.plain.is_some() {
            let plain = match &mut self.cholesky {
                Some(cholesky) => cholesky.matrix(size).to_vec(),
                None => diagonal_matrix(&self.diagonal),
            };
            self.plain = Some(plain);
        }
        let top = self.diagonal.iter().copied().fold(0.0, f64::max);
        if !top.is_finite() {
            return None;
        }
        let top = if top > 0.0 { top } else { 1.0 };
        // A class without curvature stays where the rows put it.
        self.diagonal.iter_mut().for_each(|d| *d = d.max(1e-14 * top));
        if self.plain.is_some() {
            return (size <= MOST_STRENGTHENED).then_some(());
        }
        let Some(cholesky) = &mut self.cholesky else { return Some(()) };
        factored(cholesky, &self.diagonal)
    }

    /// Steps that are strengthened by their rows.
    pub(super) fn strengthened() -> Self {
        Self { plain: Some(Vec::new()), ..Self::default() }
    }

    /// The matrix, where a factor of it will be, and its diagonal.
    fn form(&mut self, reduced: &Reduced, quadratic: &Quadratic, extra: &Extra) {
        let (own, free) = (reduced.own(), reduced.classes().len());
        let size = free + quadratic.size() - own;
        let single: Vec<[(usize, f64); 1]> = (own..quadratic.size()).map(|j| [(j, 1.0)]).collect();
        let classes: Vec<&[(usize, f64)]> =
            reduced.classes().iter().map(|m| &m[..]).chain(single.iter().map(|m| &m[..])).collect();
        let own_part = |class: &[(usize, f64)]| class.iter().map(|&(j, _)| extra.diagonal[j]).sum::<f64>();
        match &quadratic.hessian {
            Hessian::Diagonal(diagonal) if !extra.cones.is_empty() => {
                let matrix = self.cholesky.get_or_insert_with(Cholesky::default).matrix(size);
                matrix.fill(0.0);
                for (g, class) in classes.iter().enumerate() {
                    matrix[g * size + g] = class.iter().map(|&(j, _)| diagonal[j]).sum::<f64>() + own_part(class);
                }
                self.subtract(extra.cones, size);
            }
            Hessian::Diagonal(diagonal) => {
                let entry =
                    |class: &&[(usize, f64)]| class.iter().map(|&(j, _)| diagonal[j]).sum::<f64>() + own_part(class);
                self.diagonal = classes.iter().map(entry).collect();
                self.cholesky = None;
            }
            Hessian::Dense(all) => {
                let width = quadratic.size();
                let cholesky = self.cholesky.get_or_insert_with(Cholesky::default);
                let matrix = cholesky.matrix(size);
                let mut image = vec![0.0; width];
                for (g, class) in classes.iter().enumerate() {
                    image.fill(0.0);
                    class.iter().for_each(|&(j, sign)| axpy(sign, &all[j * width..(j + 1) * width], &mut image));
                    for (h, other) in classes.iter().enumerate() {
                        matrix[g * size + h] = other.iter().map(|&(j, sign)| sign * image[j]).sum();
                    }
                    matrix[g * size + g] += own_part(class);
                }
                self.subtract(extra.cones, size);
            }
        }
    }

    /// Factors $M + J^TKJ$, and adds $J^TKe$ to the dual residual.
    fn strengthen(&mut self, plain: &[f64], equations: &[(Vec<(usize, f64)>, f64)], dual: &mut [f64]) -> Option<()> {
        let size = dual.len();
        let own: Vec<f64> = (0..size).map(|g| plain[g * size + g]).collect();
        let top = own.iter().copied().fold(0.0, f64::max);
        let is_curved = |g: usize| own[g] > 1e-13 * top;
        let usual = if top > 0.0 { top } else { 1.0 };
        let cholesky = self.cholesky.get_or_insert_with(Cholesky::default);
        let matrix = cholesky.matrix(size);
        matrix.copy_from_slice(plain);
        for (terms, residual) in equations {
            // As much as the least curvature in the units of the row that there is already.
            let curved = terms.iter().filter(|(g, a)| is_curved(*g) && *a != 0.0).map(|&(g, a)| own[g] / (a * a));
            let length: f64 = terms.iter().map(|(_, a)| a * a).sum();
            let least = curved.fold(f64::INFINITY, f64::min);
            let strength = if least.is_finite() { least } else { usual / length.max(f64::MIN_POSITIVE) };
            for &(g, a) in terms {
                dual[g] += strength * a * residual;
                terms.iter().for_each(|&(h, b)| matrix[g * size + h] += strength * a * b);
            }
        }
        self.diagonal = (0..size).map(|g| matrix[g * size + g].max(1e-14 * usual)).collect();
        factored(cholesky, &self.diagonal)
    }

    /// Takes the parts along the normals of cones away from the matrix, and notes its diagonal.
    fn subtract(&mut self, cones: &[(f64, Vec<f64>)], size: usize) {
        let Some(cholesky) = &mut self.cholesky else { return };
        let matrix = cholesky.matrix(size);
        for (multiplier, normal) in cones {
            for (g, n) in normal.iter().enumerate().filter(|(_, n)| **n != 0.0) {
                axpy(-multiplier * n, normal, &mut matrix[g * size..(g + 1) * size]);
            }
        }
        self.diagonal = (0..size).map(|g| matrix[g * size + g]).collect();
    }

    fn solve(&mut self, rhs: &mut [f64]) {
        match &mut self.cholesky {
            Some(cholesky) => cholesky.solve(rhs),
            None => rhs.iter_mut().zip(&self.diagonal).for_each(|(r, d)| *r /= d),
        }
    }

    /// The Newton step in the classes and multipliers.
    pub(super) fn step(
        &mut self,
        dual: &[f64],
        equations: &[(Vec<(usize, f64)>, f64)],
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let mut v = dual.to_vec();
        if let Some(plain) = self.plain.take() {
            let strengthened = self.strengthen(&plain, equations, &mut v);
            self.plain = Some(plain);
            strengthened?;
        }
        v.iter_mut().for_each(|d| *d = -*d);
        self.solve(&mut v);
        let count = equations.len();
        if count == 0 {
            return Some((v, Vec::new()));
        }
        let times = |terms: &[(usize, f64)], x: &[f64]| terms.iter().map(|&(class, a)| a * x[class]).sum::<f64>();
        let mut solved = Vec::with_capacity(count);
        for (terms, _) in equations {
            let mut column = vec![0.0; v.len()];
            terms.iter().for_each(|&(class, a)| column[class] = a);
            self.solve(&mut column);
            solved.push(column);
        }
        let mut schur = Cholesky::default();
        let plain: Vec<f64> =
            equations.iter().flat_map(|(terms, _)| solved.iter().map(move |column| times(terms, column))).collect();
        let mut y: Vec<f64> = equations.iter().map(|(terms, residual)| times(terms, &v) + residual).collect();
        for damping in [1e-15, 1e-12, 1e-9] {
            let matrix = schur.matrix(count);
            matrix.copy_from_slice(&plain);
            (0..count).for_each(|i| matrix[i * count + i] *= 1.0 + damping);
            if schur.factor() {
                schur.solve(&mut y);
                solved.iter().zip(&y).for_each(|(column, y)| axpy(-y, column, &mut v));
                return (dot(&v, &v).is_finite()).then_some((v, y));
            }
        }
        None
    }
}

/// The factor of the matrix that is there, damped a little, or more where it must be; entries of the diagonal are at least as given.
fn factored(cholesky: &mut Cholesky, diagonal: &[f64]) -> Option<()> {
    let size = diagonal.len();
    let plain = cholesky.matrix(size).to_vec();
    for damping in [DAMPING, 1e-7, 1e-4] {
        let matrix = cholesky.matrix(size);
        matrix.copy_from_slice(&plain);
        (0..size).for_each(|g| matrix[g * size + g] = matrix[g * size + g].max(diagonal[g]) * (1.0 + damping));
        if cholesky.factor() {
            return Some(());
        }
    }
    None
}

fn diagonal_matrix(diagonal: &[f64]) -> Vec<f64> {
    let size = diagonal.len();
    let mut matrix = vec![0.0; size * size];
    diagonal.iter().enumerate().for_each(|(g, d)| matrix[g * size + g] = *d);
    matrix
}
