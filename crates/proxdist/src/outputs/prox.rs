//! The step of the stochastic proximal distance iteration for several outputs: $\Theta \leftarrow \mathrm{prox}_{f_B/\rho}(P_C(\Theta))$, in the space of the batch.
//!
//! For a batch of $b$ rows the prox from an anchor $Z$ is $\Theta = D^{-1}(\rho Z - X^T\alpha)$, $D = \rho + \lambda$ column by column, with one row of $\alpha \in \mathbb R^{b \times K}$ for each row of data; intercepts move by $-1^T\alpha/\rho$. With
//! $Q = XD^{-1}X^T + 11^T/\rho$ the predictors are $\eta = \eta_0 - Q\alpha$, and $\alpha$ solves $\alpha = v\nabla\ell(\eta)$. Newton's equation is $(I + WQ)\delta = v\nabla\ell(\eta) - \alpha$, $W$ with a $K \times K$ block for each row: conjugate gradients in the inner
//! product of $Q$, at $O(b^2K + bK^2)$ each. For squared loss $W = \mathrm{diag}(v)$, and it is one $b \times b$ system with $K$ right-hand sides.

use super::objective::Objective;
use crate::constraint::{Constraint, Workspace};
use crate::data::{Batch, Rows};
use crate::error::Result;
use crate::linalg::{Cholesky, axpy, dot, product};
use crate::loss::RowLoss;
use crate::solver::{Iterate, Step};

const MOST_STEPS: usize = 30;
const MOST_PRODUCTS: usize = 60;
/// Residual of the equation for $\alpha$, relative to its size.
const GOAL: f64 = 1e-10;

/// Projects, then takes the prox.
pub(crate) struct OutputsStep<'a> {
    pub(crate) objective: Objective<'a>,
    pub(crate) constraint: &'a dyn Constraint,
    pub(crate) work: Workspace,
}

impl Step for OutputsStep<'_> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        let layout = self.objective.arrangement();
        self.constraint.project(layout.coefficients_mut(&mut at.theta), &mut self.work)?;
        BatchOf { objective: &self.objective, batch, rho }.prox(&mut at.theta);
        Ok(())
    }
}

/// A batch and a penalty.
struct BatchOf<'b> {
    objective: &'b Objective<'b>,
    batch: &'b Batch<'b>,
    rho: f64,
}

impl BatchOf<'_> {
    fn response(&self, place: usize) -> &[f64] {
        let (row, each) = (self.batch.numbers()[place], self.objective.responses.each);
        &self.objective.responses.values[row * each..(row + 1) * each]
    }

    /// $X\Theta + 1b^T$, and the offset if there is one.
    fn predictors(&self, theta: &[f64]) -> Vec<f64> {
        let size = self.objective.outputs();
        let (coefficients, intercepts) = self.objective.arrangement().split(theta);
        let mut out = vec![0.0; self.batch.len() * size];
        match self.batch.rows() {
            Rows::Dense { values, columns, .. } => product(values, coefficients, &mut out, columns, size),
            rows @ Rows::Sparse { .. } => {
                for (i, eta) in out.chunks_exact_mut(size).enumerate() {
                    rows.row(i).for_each(|(j, x)| axpy(x, &coefficients[j * size..(j + 1) * size], eta));
                }
            }
        }
        if !intercepts.is_empty() {
            out.chunks_exact_mut(size).for_each(|eta| axpy(1.0, intercepts, eta));
        }
        if let Some(offset) = self.objective.responses.offset {
            for (eta, row) in out.chunks_exact_mut(size).zip(self.batch.numbers()) {
                axpy(1.0, &offset[row * size..(row + 1) * size], eta);
            }
        }
        out
    }

    /// $Q$
    fn gram(&self) -> Vec<f64> {
        let size = self.batch.len();
        let mut spread = Vec::new();
        let rows = self.batch.rows();
        let width = rows.width();
        let mut scaled = rows.spread(&mut spread).to_vec();
        for x in scaled.chunks_exact_mut(width) {
            x.iter_mut().enumerate().for_each(|(j, x)| *x /= (self.rho + self.objective.ridge.at(j)).sqrt());
        }
        let mut gram = vec![0.0; size * size];
        crate::linalg::gram(&scaled, size, width, &mut gram);
        if self.objective.has_intercepts {
            gram.iter_mut().for_each(|value| *value += 1.0 / self.rho);
        }
        gram
    }

    fn prox(&self, theta: &mut [f64]) {
        let (size, layout, rho) = (self.objective.outputs(), self.objective.arrangement(), self.rho);
        let ridge = self.objective.ridge;
        layout.coefficients_mut(theta).chunks_exact_mut(size).enumerate().for_each(|(j, row)| {
            row.iter_mut().for_each(|value| *value *= rho / (rho + ridge.at(j)));
        });
        let (base, gram) = (self.predictors(theta), self.gram());
        let alpha = self.solved(&base, &gram);
        let (coefficients, intercepts) = layout.split_mut(theta);
        let mut back = vec![0.0; coefficients.len()];
        self.batch.rows().add_transposed_product(&alpha, size, &mut back);
        for (j, (row, back)) in coefficients.chunks_exact_mut(size).zip(back.chunks_exact(size)).enumerate() {
            axpy(-1.0 / (rho + ridge.at(j)), back, row);
        }
        if !intercepts.is_empty() {
            alpha.chunks_exact(size).for_each(|alpha| axpy(-1.0 / rho, alpha, intercepts));
        }
    }

    /// $\alpha$
    fn solved(&self, base: &[f64], gram: &[f64]) -> Vec<f64> {
        let (size, count) = (self.objective.outputs(), self.batch.len());
        let mut alpha = vec![0.0; base.len()];
        let mut eta = base.to_vec();
        let mut blocks = vec![0.0; count * size * size];
        let mut best = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let mut residual = vec![0.0; base.len()];
            let mut scale = 0.0;
            for i in 0..count {
                let (weight, place) = (self.batch.weights()[i], i * size..(i + 1) * size);
                let (block, y) = (&mut blocks[i * size * size..(i + 1) * size * size], self.response(i));
                self.objective.loss.row_gradient(&eta[place.clone()], y, &mut residual[place.clone()]);
                self.objective.loss.row_hessian(&eta[place.clone()], y, block);
                block.iter_mut().for_each(|value| *value *= weight);
                for (r, a) in residual[place.clone()].iter_mut().zip(&alpha[place]) {
                    *r *= weight;
                    scale += *r * *r;
                    *r -= a;
                }
            }
            let size_now = dot(&residual, &residual);
            if size_now <= GOAL * GOAL * scale || !size_now.is_finite() || size_now >= best * 1e6 {
                break;
            }
            best = best.min(size_now);
            let delta = self.newton(gram, &blocks, &residual);
            axpy(1.0, &delta, &mut alpha);
            let mut shift = vec![0.0; base.len()];
            product(gram, &alpha, &mut shift, count, size);
            eta.iter_mut().zip(base).zip(&shift).for_each(|((eta, base), shift)| *eta = base - shift);
        }
        alpha
    }

    /// $\delta$ with $(I + WQ)\delta = r$.
    fn newton(&self, gram: &[f64], blocks: &[f64], right: &[f64]) -> Vec<f64> {
        let (size, count) = (self.objective.outputs(), self.batch.len());
        if self.objective.output_loss().is_quadratic() {
            return self.one_system(gram, right);
        }
        let times = |matrix: &[f64], v: &[f64]| {
            let mut out = vec![0.0; v.len()];
            product(matrix, v, &mut out, count, size);
            out
        };
        let bent = |v: &[f64]| {
            let mut out = v.to_vec();
            for (i, row) in out.chunks_exact_mut(size).enumerate() {
                let v = row.to_vec();
                row.fill(0.0);
                let block = &blocks[i * size * size..(i + 1) * size * size];
                v.iter().zip(block.chunks_exact(size)).for_each(|(v, b)| axpy(*v, b, row));
            }
            out
        };
        let mut x = vec![0.0; right.len()];
        let (mut r, mut d) = (right.to_vec(), right.to_vec());
        let mut qr = times(gram, &r);
        let mut power = dot(&r, &qr);
        let first = power;
        for _ in 0..MOST_PRODUCTS {
            if power <= 1e-24 * first || power <= 0.0 {
                break;
            }
            let qd = times(gram, &d);
            let mut image = bent(&qd);
            axpy(1.0, &d, &mut image);
            let length = power / dot(&qd, &image);
            axpy(length, &d, &mut x);
            axpy(-length, &image, &mut r);
            qr = times(gram, &r);
            let next = dot(&r, &qr);
            let ratio = next / power;
            d.iter_mut().zip(&r).for_each(|(d, r)| *d = ratio * *d + r);
            power = next;
        }
        x
    }

    /// Squared loss: $(V^{-1} + Q)z = V^{-1}r$ for all outputs, $\delta = r - Vz'$ in the symmetric form $\delta = V^{1/2}(I + V^{1/2}QV^{1/2})^{-1}V^{-1/2}r$.
    fn one_system(&self, gram: &[f64], right: &[f64]) -> Vec<f64> {
        let (size, count, weights) = (self.objective.outputs(), self.batch.len(), self.batch.weights());
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let mut cholesky = Cholesky::default();
        let matrix = cholesky.matrix(count);
        for i in 0..count {
            for l in 0..count {
                matrix[i * count + l] = roots[i] * roots[l] * gram[i * count + l] + f64::from(u8::from(i == l));
            }
        }
        let mut out = vec![0.0; right.len()];
        if !cholesky.factor() {
            return out;
        }
        let mut column = vec![0.0; count];
        for k in 0..size {
            for i in 0..count {
                column[i] = if roots[i] > 0.0 { right[i * size + k] / roots[i] } else { 0.0 };
            }
            cholesky.solve(&mut column);
            (0..count).for_each(|i| out[i * size + k] = roots[i] * column[i]);
        }
        out
    }
}
