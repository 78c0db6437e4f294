//! $A = LL^T$ for symmetric positive definite $A$, in memory that is reused.

use super::Scratch;
use faer::linalg::cholesky::llt;
use faer::{MatMut, MatRef, Par};

/// A factorisation and its memory. Fill [`Cholesky::matrix`], call [`Cholesky::factor`], then solve.
#[derive(Default)]
pub(crate) struct Cholesky {
    size: usize,
    matrix: Vec<f64>,
    scratch: Scratch,
}

impl Cholesky {
    /// The `size × size` matrix to fill; only the lower triangle (column-major) is read.
    pub(crate) fn matrix(&mut self, size: usize) -> &mut [f64] {
        self.size = size;
        self.matrix.resize(size * size, 0.0);
        &mut self.matrix
    }

    /// Factors in place; `false` if the matrix is not numerically positive definite or holds NaN.
    #[must_use]
    pub(crate) fn factor(&mut self) -> bool {
        let params = faer::Spec::default();
        let stack = self.scratch.stack(llt::factor::cholesky_in_place_scratch::<f64>(self.size, Par::Seq, params));
        let matrix = MatMut::from_column_major_slice_mut(&mut self.matrix, self.size, self.size);
        llt::factor::cholesky_in_place(matrix, llt::factor::LltRegularization::default(), Par::Seq, stack, params)
            .is_ok()
    }

    /// The smallest diagonal entry of the factor.
    pub(crate) fn least_pivot(&self) -> f64 {
        (0..self.size).map(|j| self.matrix[j * self.size + j]).fold(f64::INFINITY, f64::min)
    }

    /// Replaces `rhs` by $L^{-1}$`rhs`.
    pub(crate) fn solve_lower(&self, rhs: &mut [f64]) {
        for j in 0..self.size {
            let column = &self.matrix[j * self.size..(j + 1) * self.size];
            let value = rhs[j] / column[j];
            rhs[j] = value;
            rhs[j + 1..].iter_mut().zip(&column[j + 1..]).for_each(|(r, l)| *r -= value * l);
        }
    }

    /// Replaces `rhs` by $L^{-T}$`rhs`.
    pub(crate) fn solve_lower_transposed(&self, rhs: &mut [f64]) {
        for j in (0..self.size).rev() {
            let column = &self.matrix[j * self.size..(j + 1) * self.size];
            let below: f64 = rhs[j + 1..].iter().zip(&column[j + 1..]).map(|(r, l)| r * l).sum();
            rhs[j] = (rhs[j] - below) / column[j];
        }
    }

    /// Replaces `v` by $L^T$`v`.
    pub(crate) fn times_lower_transposed(&self, v: &mut [f64]) {
        for j in 0..self.size {
            let column = &self.matrix[j * self.size..(j + 1) * self.size];
            v[j] = v[j..].iter().zip(&column[j..]).map(|(v, l)| v * l).sum();
        }
    }

    /// Replaces `rhs` by $A^{-1}$`rhs`.
    pub(crate) fn solve(&mut self, rhs: &mut [f64]) {
        let stack = self.scratch.stack(llt::solve::solve_in_place_scratch::<f64>(self.size, 1, Par::Seq));
        let factor = MatRef::from_column_major_slice(&self.matrix, self.size, self.size);
        llt::solve::solve_in_place(factor, MatMut::from_column_major_slice_mut(rhs, self.size, 1), Par::Seq, stack);
    }

    /// Writes $A^{-1}$, both triangles; the factor stays.
    pub(crate) fn inverse(&mut self, out: &mut [f64]) {
        let stack = self.scratch.stack(llt::inverse::inverse_scratch::<f64>(self.size, Par::Seq));
        let factor = MatRef::from_column_major_slice(&self.matrix, self.size, self.size);
        llt::inverse::inverse(MatMut::from_column_major_slice_mut(out, self.size, self.size), factor, Par::Seq, stack);
        super::mirror(out, self.size);
    }
}
