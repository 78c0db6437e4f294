//! F of several outputs as a [`Smooth`] function of all $pK + K$ numbers.
//!
//! For a row $x$ with predictors $\eta$ the Hessian times a direction $V$ is $x\,(\nabla^2\ell(\eta)\,V^Tx)^T$. A whole Hessian is built block by block: the block of the outputs $k$ and $m$ is
//! $\sum_iw_i[\nabla^2\ell_i]_{km}\,x_ix_i^T$, and blocks that are zero for all rows are left out.

use super::objective::{Memory, Objective};
use crate::data::{Chunk, Pass};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{add_symmetric_product, axpy};
use crate::polish::Smooth;

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
        (self.predictors, self.caution) = (self.objective.predictors(point)?, caution);
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
                objective.multiply(v, few.as_deref(), chunk, &mut memory.predictors);
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
