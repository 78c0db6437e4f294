//! F on all data and all columns, as a [`Smooth`] function. Every product with the Hessian is one pass over the rows.

use super::Smooth;
use crate::data::{Chunk, Pass, Support};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::mirror;
use crate::objective::Objective;

/// The objective, and the curvature of each row at the linearised point.
pub(crate) struct OnData<'p> {
    objective: Objective<'p>,
    curvatures: Vec<f64>,
}

impl<'p> OnData<'p> {
    pub(crate) fn new(objective: Objective<'p>) -> Self {
        Self { objective, curvatures: Vec::new() }
    }

    /// With second derivatives as if row $i$ had the curvature given, weight and $1/\sum w$ included.
    pub(crate) fn with_curvatures(objective: Objective<'p>, curvatures: Vec<f64>) -> Self {
        Self { objective, curvatures }
    }
}

/// Slope $w_i\ell'(\eta_i)/\sum w$ and curvature $w_i\ell''(\eta_i)/\sum w$ of some rows at a point. Its memory is reused, and the loss is
/// asked once for all rows.
#[derive(Default)]
pub(crate) struct RowDerivatives {
    predictors: Vec<f64>,
    weights: Vec<f64>,
    pub(crate) slopes: Vec<f64>,
    pub(crate) curvatures: Vec<f64>,
}

impl RowDerivatives {
    /// Measures the rows of a chunk; returns their part of F without the ridge term.
    pub(crate) fn measure(&mut self, objective: Objective, theta: &[f64], support: &Support, chunk: &Chunk<'_>) -> f64 {
        let (coefficients, intercept) = objective.split(theta);
        self.slopes.resize(chunk.len(), 0.0);
        chunk.rows.times(coefficients, support, &mut self.slopes);
        let products = std::mem::take(&mut self.slopes);
        self.predict(objective, products.iter().copied(), intercept, chunk);
        self.slopes = products;
        self.curvatures.resize(chunk.len(), 0.0);
        let out = [&mut self.slopes[..], &mut self.curvatures[..]];
        objective.loss.weighted_derivatives(&self.predictors, chunk.response, &self.weights, out)
    }

    /// Takes in $x_i^T\theta$ of the rows of a chunk.
    pub(super) fn predict(
        &mut self,
        objective: Objective,
        products: impl Iterator<Item = f64>,
        intercept: f64,
        chunk: &Chunk<'_>,
    ) {
        let scale = 1.0 / objective.data.weight_sum();
        self.predictors.clear();
        self.predictors.extend(products.enumerate().map(|(i, product)| product + intercept + chunk.offset_of(i)));
        self.weights.clear();
        self.weights.extend((0..chunk.len()).map(|i| scale * chunk.weight(i)));
    }

    /// The part of F of the rows that were taken in.
    pub(super) fn value(&self, objective: Objective, chunk: &Chunk<'_>) -> f64 {
        objective.loss.weighted_value(&self.predictors, chunk.response, &self.weights)
    }

    /// Their slopes.
    pub(super) fn differentiate(&mut self, objective: Objective, chunk: &Chunk<'_>) {
        self.slopes.resize(chunk.len(), 0.0);
        objective.loss.weighted_slopes(&self.predictors, chunk.response, &self.weights, &mut self.slopes);
    }

    /// Their curvatures, moved the share `caution` of the way towards those of parabolas above the loss, into `out`.
    pub(super) fn bend(&self, objective: Objective, chunk: &Chunk<'_>, caution: f64, out: &mut [f64]) {
        objective.loss.weighted_curvatures(&self.predictors, chunk.response, &self.weights, out);
        if caution == 0.0 {
            return;
        }
        for (i, out) in out.iter_mut().enumerate() {
            if let Some(above) = objective.loss.majorant_curvature(self.predictors[i], chunk.response[i]) {
                *out += caution * (self.weights[i] * above - *out);
            }
        }
    }
}

impl Smooth for OnData<'_> {
    fn layout(&self) -> Layout {
        self.objective.layout()
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        self.objective.value(point)
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.objective.gradient(point, gradient)
    }

    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let objective = self.objective;
        let (coefficients, intercept) = objective.split(point);
        let support = Support::of(coefficients);
        let mut curvatures = std::mem::take(&mut self.curvatures);
        curvatures.resize(objective.data.rows(), 0.0);
        Pass::over(objective.data, 0).columns(support.indices()).fill(
            &mut curvatures,
            || (Vec::new(), RowDerivatives::default()),
            |(products, rows): &mut (Vec<f64>, RowDerivatives), chunk, out| {
                products.clear();
                chunk.products(coefficients, &support, products);
                rows.predict(objective, products.iter().copied(), intercept, chunk);
                rows.bend(objective, chunk, caution, out);
            },
        )?;
        self.curvatures = curvatures;
        Ok(())
    }

    fn has_straight_pieces(&self) -> bool {
        self.objective.loss.has_straight_pieces()
    }

    fn has_majorant(&self) -> bool {
        self.objective.has_majorant()
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let layout = self.layout();
        let (coefficients, shift) = self.objective.split(v);
        let support = Support::of(coefficients);
        let total = Pass::over(self.objective.data, layout.len()).sum(
            layout.len(),
            Vec::new,
            |part, products: &mut Vec<f64>, chunk| {
                products.resize(chunk.len(), 0.0);
                chunk.rows.times(coefficients, &support, products);
                for (product, curvature) in products.iter_mut().zip(&self.curvatures[chunk.range()]) {
                    *product = (*product + shift) * curvature;
                }
                chunk.rows.add_transpose_times(products, layout.coefficients_mut(part));
                if let Some(free) = layout.intercept_mut(part) {
                    *free += products.iter().sum::<f64>();
                }
            },
        )?;
        out.copy_from_slice(&total);
        self.objective.ridge.add_times(coefficients, layout.coefficients_mut(out));
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let layout = self.layout();
        let (columns, size) = (layout.coefficient_count(), layout.len());
        // The matrix, then its last row.
        let length = columns * columns + size;
        let total =
            Pass::over(self.objective.data, length).sum(length, Vec::new, |part, work: &mut Vec<f64>, chunk| {
                let (cross, border) = part.split_at_mut(columns * columns);
                let curvatures = &self.curvatures[chunk.range()];
                chunk.rows.add_weighted_cross(curvatures, cross, work);
                if let (crosses, [free]) = layout.split_mut(border) {
                    chunk.rows.add_transpose_times(curvatures, crosses);
                    *free += curvatures.iter().sum::<f64>();
                }
            })?;
        let (cross, border) = total.split_at(columns * columns);
        out.fill(0.0);
        layout.fill_bordered(cross, border, out);
        self.objective.ridge.add_to_diagonal(columns, size, out);
        mirror(out, size);
        Ok(())
    }

    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let layout = self.layout();
        let mut diagonal = Pass::over(self.objective.data, layout.len()).sum(
            layout.len(),
            || (),
            |part, (), chunk| {
                let curvatures = &self.curvatures[chunk.range()];
                chunk.rows.add_weighted_squares(curvatures, layout.coefficients_mut(part));
                if let Some(free) = layout.intercept_mut(part) {
                    *free += curvatures.iter().sum::<f64>();
                }
            },
        )?;
        let coefficients = layout.coefficients_mut(&mut diagonal);
        coefficients.iter_mut().enumerate().for_each(|(j, d)| *d += self.objective.ridge.at(j));
        Ok(diagonal)
    }
}
