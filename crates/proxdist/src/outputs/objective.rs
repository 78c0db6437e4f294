//! F of several outputs on data, as a [`Smooth`] function of all $pK + K$ numbers.
//!
//! For a row $x$ with predictors $\eta = \Theta^Tx + b$ the gradient in $\Theta$ is $x\,\nabla\ell(\eta)^T$, and the Hessian times a direction $V$ is $x\,(\nabla^2\ell(\eta)\,V^Tx)^T$. A whole Hessian is built block by block: the
//! block of the outputs $k$ and $m$ is $\sum_iw_i[\nabla^2\ell_i]_{km}\,x_ix_i^T$, and blocks that are zero for all rows are left out. Sums run over fixed strips of rows, so the bits do not depend on the number of threads.

use super::loss::{OutputLoss, RowsLoss};
use super::problem::Responses;
use crate::data::{Chunk, Data, Pass, Rows};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::linalg::{add_symmetric_product, axpy, product};
use crate::loss::RowLoss;
use crate::polish::Smooth;
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
struct Memory {
    predictors: Vec<f64>,
    slopes: Vec<f64>,
    block: Vec<f64>,
    dense: Vec<f64>,
    scaled: Vec<f64>,
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

    /// The same function of other features of the same rows.
    pub(crate) fn on<'d>(&self, data: &'d Data<'d>, ridge: Ridge<'d>) -> Objective<'d>
    where
        'p: 'd,
    {
        Objective { data, ridge, ..*self }
    }

    /// The response of the rows of a chunk.
    fn responses(&self, chunk: &Chunk<'_>) -> &'p [f64] {
        let each = self.responses.each;
        &self.responses.values[chunk.range().start * each..chunk.range().end * each]
    }

    /// The features that have coefficients, if they are few.
    fn few(&self, coefficients: &[f64]) -> Option<Vec<usize>> {
        let rows = coefficients.chunks_exact(self.outputs()).enumerate();
        let used: Vec<usize> = rows.filter(|(_, row)| row.iter().any(|v| *v != 0.0)).map(|(j, _)| j).collect();
        (used.len() * FEW <= self.data.columns()).then_some(used)
    }

    /// $\eta = X\Theta + 1b^T$ of a chunk, row by row; without intercepts if `point` has none.
    fn predict(&self, point: &[f64], few: Option<&[usize]>, chunk: &Chunk<'_>, out: &mut Vec<f64>) {
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

    fn intercept_gauge(&self) -> f64 {
        let is_on = self.has_intercept_gauge && self.loss.loss.is_classification();
        if is_on { 1.0 / (self.outputs() * self.outputs()) as f64 } else { 0.0 }
    }

    /// Adds the other terms' Hessian times `v`, which at the point itself is their gradient.
    fn add_other_terms(&self, v: &[f64], out: &mut [f64]) {
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
    fn add_back(&self, chunk: &Chunk<'_>, slopes: &[f64], sums: &mut [f64]) {
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

/// F, and the predictors at the linearised point.
pub(crate) struct Function<'p> {
    pub(crate) objective: Objective<'p>,
    predictors: Vec<f64>,
    caution: f64,
}

impl<'p> Function<'p> {
    pub(crate) fn new(objective: Objective<'p>) -> Self {
        Self { objective, predictors: Vec::new(), caution: 0.0 }
    }

    /// The block of a row of a chunk at the linearised point, weight and $1/\sum w$ included.
    fn block(&self, chunk: &Chunk<'_>, at: usize, out: &mut [f64]) {
        let (objective, row) = (&self.objective, chunk.first + at);
        let (size, each) = (objective.outputs(), objective.responses.each);
        let eta = &self.predictors[row * size..(row + 1) * size];
        let y = &objective.responses.values[row * each..(row + 1) * each];
        objective.loss.block(eta, y, self.caution, out);
        let weight = chunk.weight(at) / objective.data.weight_sum();
        out.iter_mut().for_each(|value| *value *= weight);
    }
}

impl Smooth for Function<'_> {
    /// All numbers are coordinates: what a set does not speak of is free.
    fn layout(&self) -> Layout {
        Layout::vector(self.objective.arrangement().len())
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        self.objective.value(point)
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.objective.gradient(point, gradient)
    }

    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let objective = self.objective;
        let few = objective.few(objective.arrangement().coefficients(point));
        let mut predictors = std::mem::take(&mut self.predictors);
        predictors.resize(objective.data.rows() * objective.outputs(), 0.0);
        Pass::over(objective.data, 0).fill(&mut predictors, Vec::new, |work: &mut Vec<f64>, chunk, out| {
            objective.predict(point, few.as_deref(), chunk, work);
            out.copy_from_slice(work);
        })?;
        (self.predictors, self.caution) = (predictors, caution);
        Ok(())
    }

    fn has_majorant(&self) -> bool {
        true
    }

    fn has_straight_pieces(&self) -> bool {
        self.objective.loss.has_straight_pieces()
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let objective = &self.objective;
        let (size, length) = (objective.outputs(), objective.arrangement().len());
        let few = objective.few(objective.arrangement().coefficients(v));
        let total =
            Pass::over(objective.data, length).sum(length, Memory::default, |sums, memory: &mut Memory, chunk| {
                objective.predict(v, few.as_deref(), chunk, &mut memory.predictors);
                memory.block.resize(size * size, 0.0);
                memory.slopes.clear();
                memory.slopes.resize(memory.predictors.len(), 0.0);
                let rows = memory.predictors.chunks_exact(size).zip(memory.slopes.chunks_exact_mut(size));
                for (i, (along, slope)) in rows.enumerate() {
                    self.block(chunk, i, &mut memory.block);
                    along.iter().zip(memory.block.chunks_exact(size)).for_each(|(v, row)| axpy(*v, row, slope));
                }
                objective.add_back(chunk, &memory.slopes, sums);
            })?;
        out.copy_from_slice(&total);
        objective.add_other_terms(v, out);
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let objective = &self.objective;
        let layout = objective.arrangement();
        let (size, length) = (objective.outputs(), layout.len());
        // Rows with a 1 for the intercept, if there is one.
        let (features, extra) = (objective.data.columns(), usize::from(objective.has_intercepts));
        let width = features + extra;
        let pairs: Vec<(usize, usize)> = self.pairs();
        let square = width * width;
        let total = Pass::over(objective.data, pairs.len() * square).sum(
            pairs.len() * square,
            Memory::default,
            |sums, memory: &mut Memory, chunk| {
                let Memory { dense, scaled, block, slopes, .. } = memory;
                let mut spread = std::mem::take(slopes);
                let values = chunk.rows.spread(&mut spread);
                dense.clear();
                for x in values.chunks_exact(features) {
                    dense.extend_from_slice(x);
                    dense.resize(dense.len() + extra, 1.0);
                }
                let squares = size * size;
                block.clear();
                block.resize(chunk.len() * squares, 0.0);
                for (i, block) in block.chunks_exact_mut(squares).enumerate() {
                    self.block(chunk, i, block);
                }
                for (number, (k, m)) in pairs.iter().enumerate() {
                    scaled.clear();
                    for (x, block) in dense.chunks_exact(width).zip(block.chunks_exact(squares)) {
                        let factor = block[k * size + m];
                        scaled.extend(x.iter().map(|x| factor * x));
                    }
                    add_symmetric_product(dense, scaled, width, &mut sums[number * square..(number + 1) * square]);
                }
                *slopes = spread;
            },
        )?;
        out.fill(0.0);
        let place = |feature: usize, output: usize| {
            if feature < features { feature * size + output } else { features * size + output }
        };
        for ((k, m), block) in pairs.iter().zip(total.chunks_exact(square)) {
            for j in 0..width {
                for l in j..width {
                    let value = block[j * width + l];
                    for (a, b) in [(place(j, *k), place(l, *m)), (place(l, *k), place(j, *m))] {
                        out[a * length + b] = value;
                        out[b * length + a] = value;
                    }
                }
            }
        }
        (0..layout.coefficient_count()).for_each(|j| out[j * length + j] += objective.ridge.at(j / size));
        let gauge = objective.intercept_gauge();
        for a in layout.coefficient_count()..length {
            (layout.coefficient_count()..length).for_each(|b| out[a * length + b] += gauge);
        }
        Ok(())
    }

    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let objective = &self.objective;
        let layout = objective.arrangement();
        let (size, length) = (objective.outputs(), layout.len());
        let mut diagonal =
            Pass::over(objective.data, length).sum(length, Memory::default, |sums, memory: &mut Memory, chunk| {
                memory.block.resize(size * size, 0.0);
                let (along, free) = layout.split_mut(sums);
                for i in 0..chunk.len() {
                    self.block(chunk, i, &mut memory.block);
                    let bends = memory.block.iter().step_by(size + 1);
                    for (j, x) in chunk.rows.row(i) {
                        let out = along[j * size..(j + 1) * size].iter_mut();
                        out.zip(bends.clone()).for_each(|(out, bend)| *out += bend * x * x);
                    }
                    free.iter_mut().zip(bends.clone()).for_each(|(out, bend)| *out += bend);
                }
            })?;
        let (along, free) = layout.split_mut(&mut diagonal);
        along.iter_mut().enumerate().for_each(|(place, d)| *d += objective.ridge.at(place / size));
        free.iter_mut().for_each(|d| *d += objective.intercept_gauge());
        Ok(diagonal)
    }
}

impl Function<'_> {
    /// Pairs of outputs whose blocks are not always zero.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let size = self.objective.outputs();
        let is_full = self.objective.output_loss().is_classification();
        let last = |k: usize| if is_full { size } else { k + 1 };
        (0..size).flat_map(|k| (k..last(k)).map(move |m| (k, m))).collect()
    }
}
