//! F of several outputs on data, and its gradient.
//!
//! For a row $x$ with predictors $\eta = \Theta^Tx + b$, and an offset if there is one, the gradient in $\Theta$ is $x\,\nabla\ell(\eta)^T$. Sums run over fixed strips of rows, so the bits do not depend on the number of threads.

use super::loss::{OutputLoss, RowsLoss};
use super::problem::Responses;
use crate::data::{Chunk, Data, Pass, Rows};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::linalg::{axpy, product};
use crate::loss::RowLoss;
use crate::ridge::Ridge;

/// Share of the features up to which those with coefficients are followed one by one.
const FEW: usize = 4;

/// What F is made of.
#[derive(Clone, Copy)]
pub(crate) struct Objective<'p> {
    pub(crate) data: &'p Data<'p>,
    pub(crate) responses: Responses<'p>,
    pub(crate) loss: RowsLoss,
    pub(crate) ridge: Ridge<'p>,
    pub(crate) has_intercepts: bool,
    /// Whether $\tfrac1{2K^2}(\sum_kb_k)^2$ is added, which picks intercepts that sum to zero.
    pub(crate) has_intercept_gauge: bool,
}

/// Memory for the rows of a chunk.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) predictors: Vec<f64>,
    pub(super) slopes: Vec<f64>,
    pub(super) block: Vec<f64>,
    pub(super) dense: Vec<f64>,
    pub(super) scaled: Vec<f64>,
}

impl<'p> Objective<'p> {
    /// Outputs, K.
    pub(crate) fn outputs(&self) -> usize {
        self.loss.outputs
    }

    /// Where coefficients and intercepts are.
    pub(crate) fn arrangement(&self) -> Layout {
        Layout::vector(self.data.columns()).outputs(self.outputs()).intercepts(self.has_intercepts)
    }

    /// The same with the term that picks one of many equal parameters: of the predictors where a set leaves them free, else of the intercepts.
    pub(crate) fn gauged(self, is_shift_free: bool) -> Self {
        let loss = RowsLoss { has_gauge: is_shift_free, ..self.loss };
        Self { loss, has_intercept_gauge: !is_shift_free, ..self }
    }

    /// The same without any gauge.
    pub(super) fn plain(self) -> Self {
        Self { loss: RowsLoss { has_gauge: false, ..self.loss }, has_intercept_gauge: false, ..self }
    }

    /// The same function of other features of the same rows.
    pub(crate) fn on<'d>(&self, data: &'d Data<'d>, ridge: Ridge<'d>) -> Objective<'d>
    where
        'p: 'd,
    {
        Objective { data, ridge, ..*self }
    }

    /// The predictors of all rows.
    pub(crate) fn predictors(&self, point: &[f64]) -> Result<Vec<f64>> {
        let few = self.few(self.arrangement().coefficients(point));
        let mut predictors = vec![0.0; self.data.rows() * self.outputs()];
        Pass::over(self.data, 0).fill(&mut predictors, Vec::new, |work: &mut Vec<f64>, chunk, out| {
            self.predict(point, few.as_deref(), chunk, work);
            out.copy_from_slice(work);
        })?;
        Ok(predictors)
    }

    /// The response of the rows of a chunk.
    pub(super) fn responses(&self, chunk: &Chunk<'_>) -> &'p [f64] {
        let each = self.responses.each;
        &self.responses.values[chunk.range().start * each..chunk.range().end * each]
    }

    /// The features that have coefficients, if they are few.
    pub(super) fn few(&self, coefficients: &[f64]) -> Option<Vec<usize>> {
        let rows = coefficients.chunks_exact(self.outputs()).enumerate();
        let used: Vec<usize> = rows.filter(|(_, row)| row.iter().any(|v| *v != 0.0)).map(|(j, _)| j).collect();
        (used.len() * FEW <= self.data.columns()).then_some(used)
    }

    /// $\eta = X\Theta + 1b^T$ of a chunk and what is known of it beforehand, row by row.
    fn predict(&self, point: &[f64], few: Option<&[usize]>, chunk: &Chunk<'_>, out: &mut Vec<f64>) {
        self.multiply(point, few, chunk, out);
        if let Some(offset) = self.responses.offset {
            let size = self.outputs();
            axpy(1.0, &offset[chunk.range().start * size..chunk.range().end * size], out);
        }
    }

    /// $X\Theta + 1b^T$ of a chunk, row by row; without intercepts if `point` has none.
    pub(super) fn multiply(&self, point: &[f64], few: Option<&[usize]>, chunk: &Chunk<'_>, out: &mut Vec<f64>) {
        let size = self.outputs();
        let (coefficients, intercepts) = self.arrangement().split(point);
        out.clear();
        out.resize(chunk.len() * size, 0.0);
        match (chunk.rows, few) {
            (Rows::Dense { values, columns, .. }, None) => product(values, coefficients, out, columns, size),
            (Rows::Dense { values, columns, .. }, Some(few)) => {
                for (eta, x) in out.chunks_exact_mut(size).zip(values.chunks_exact(columns)) {
                    few.iter().for_each(|&j| axpy(x[j], &coefficients[j * size..(j + 1) * size], eta));
                }
            }
            (rows @ Rows::Sparse { .. }, _) => {
                for (i, eta) in out.chunks_exact_mut(size).enumerate() {
                    rows.row(i).for_each(|(j, x)| axpy(x, &coefficients[j * size..(j + 1) * size], eta));
                }
            }
        }
        if !intercepts.is_empty() {
            out.chunks_exact_mut(size).for_each(|eta| axpy(1.0, intercepts, eta));
        }
    }

    /// The terms besides the losses of rows.
    fn other_terms(&self, point: &[f64]) -> f64 {
        let (coefficients, intercepts) = self.arrangement().split(point);
        let mut value = 0.0;
        if self.ridge.is_positive() {
            let size = self.outputs();
            let squares = coefficients.chunks_exact(size).enumerate();
            value +=
                squares.map(|(j, row)| 0.5 * self.ridge.at(j) * row.iter().map(|v| v * v).sum::<f64>()).sum::<f64>();
        }
        value + 0.5 * self.intercept_gauge() * intercepts.iter().sum::<f64>().powi(2)
    }

    pub(super) fn intercept_gauge(&self) -> f64 {
        let is_on = self.has_intercept_gauge && self.loss.loss.is_classification();
        if is_on { 1.0 / (self.outputs() * self.outputs()) as f64 } else { 0.0 }
    }

    /// Adds the other terms' Hessian times `v`, which at the point itself is their gradient.
    pub(super) fn add_other_terms(&self, v: &[f64], out: &mut [f64]) {
        let layout = self.arrangement();
        let ((along, free), (out, out_free)) = (layout.split(v), layout.split_mut(out));
        if self.ridge.is_positive() {
            let size = self.outputs();
            for (j, (v, out)) in along.chunks_exact(size).zip(out.chunks_exact_mut(size)).enumerate() {
                axpy(self.ridge.at(j), v, out);
            }
        }
        let shift = self.intercept_gauge() * free.iter().sum::<f64>();
        out_free.iter_mut().for_each(|out| *out += shift);
    }

    /// F at a parameter.
    pub(crate) fn value(&self, point: &[f64]) -> Result<f64> {
        self.arrangement().check(point)?;
        let (size, few) = (self.outputs(), self.few(self.arrangement().coefficients(point)));
        let total = Pass::over(self.data, 1).sum(1, Memory::default, |sum, memory: &mut Memory, chunk| {
            self.predict(point, few.as_deref(), chunk, &mut memory.predictors);
            let rows =
                memory.predictors.chunks_exact(size).zip(self.responses(chunk).chunks_exact(self.responses.each));
            for (i, (eta, y)) in rows.enumerate().filter(|(i, _)| chunk.weight(*i) > 0.0) {
                sum[0] += chunk.weight(i) * self.loss.row_value(eta, y);
            }
        })?;
        Ok(total[0] / self.data.weight_sum() + self.other_terms(point))
    }

    /// F and its gradient.
    pub(crate) fn gradient(&self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let layout = self.arrangement();
        layout.check(point)?;
        let (size, few, length) = (self.outputs(), self.few(layout.coefficients(point)), layout.len());
        let total = Pass::over(self.data, length + 1).sum(
            length + 1,
            Memory::default,
            |sums, memory: &mut Memory, chunk| {
                self.predict(point, few.as_deref(), chunk, &mut memory.predictors);
                memory.slopes.clear();
                memory.slopes.resize(memory.predictors.len(), 0.0);
                let (sums, value) = sums.split_at_mut(length);
                let rows =
                    memory.predictors.chunks_exact(size).zip(self.responses(chunk).chunks_exact(self.responses.each));
                for (i, ((eta, y), slope)) in rows.zip(memory.slopes.chunks_exact_mut(size)).enumerate() {
                    let weight = chunk.weight(i);
                    if weight > 0.0 {
                        value[0] += weight * self.loss.row_value(eta, y);
                        self.loss.row_gradient(eta, y, slope);
                        slope.iter_mut().for_each(|g| *g *= weight);
                    }
                }
                self.add_back(chunk, &memory.slopes, sums);
            },
        )?;
        let scale = 1.0 / self.data.weight_sum();
        gradient.iter_mut().zip(&total).for_each(|(g, t)| *g = t * scale);
        self.add_other_terms(point, gradient);
        Ok(total[length] * scale + self.other_terms(point))
    }

    /// Adds $\sum_ix_is_i^T$ and $\sum_is_i$ for what each row of a chunk has for the outputs.
    pub(super) fn add_back(&self, chunk: &Chunk<'_>, slopes: &[f64], sums: &mut [f64]) {
        let (coefficients, intercepts) = self.arrangement().split_mut(sums);
        chunk.rows.add_transposed_product(slopes, self.outputs(), coefficients);
        if !intercepts.is_empty() {
            slopes.chunks_exact(self.outputs()).for_each(|slope| axpy(1.0, slope, intercepts));
        }
    }

    /// The mean block of curvature at a point, $\sum_iw_i\nabla^2\ell_i/\sum_iw_i$, and for losses with straight pieces that of a function above.
    pub(crate) fn mean_block(&self, point: &[f64]) -> Result<Vec<f64>> {
        let (size, few) = (self.outputs(), self.few(self.arrangement().coefficients(point)));
        let caution = f64::from(u8::from(self.loss.has_straight_pieces()));
        let total = Pass::over(self.data, size * size).sum(
            size * size,
            Memory::default,
            |sums, memory: &mut Memory, chunk| {
                self.predict(point, few.as_deref(), chunk, &mut memory.predictors);
                memory.block.resize(size * size, 0.0);
                let rows =
                    memory.predictors.chunks_exact(size).zip(self.responses(chunk).chunks_exact(self.responses.each));
                for (i, (eta, y)) in rows.enumerate() {
                    self.loss.block(eta, y, caution, &mut memory.block);
                    axpy(chunk.weight(i), &memory.block, sums);
                }
            },
        )?;
        Ok(total.iter().map(|value| value / self.data.weight_sum()).collect())
    }

    /// Why F is not finite at a parameter.
    pub(crate) fn overflow(&self, point: &[f64]) -> Error {
        match self.value(point) {
            Ok(objective) => Error::Overflows { objective },
            Err(error) => error,
        }
    }

    /// The loss as it was asked for.
    pub(crate) fn output_loss(&self) -> OutputLoss {
        self.loss.loss
    }
}
