//! A function of $\Theta$ as one of $\Phi = L^T\Theta$, with $A = LL^T$ the form of the features: coordinates in which features are uncorrelated and equally large.
//!
//! $\Theta$ and $\Phi$ have the same rank, so low rank means the same; gradients become $L^{-1}G$. Intercepts are as they were.

use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::Cholesky;
use crate::polish::Smooth;

/// Another function in new coordinates.
pub(crate) struct Turned<'f> {
    pub(crate) inner: &'f mut dyn Smooth,
    pub(crate) root: &'f Cholesky,
    pub(crate) outputs: usize,
    pub(crate) features: usize,
    /// Intercepts are those of features with these means taken out.
    pub(crate) means: &'f [f64],
}

impl Turned<'_> {
    fn along(&self) -> usize {
        self.outputs * self.features
    }

    /// $\Theta = L^{-T}\Phi$, and the intercepts that belong to features with means.
    pub(crate) fn back(&self, point: &[f64]) -> Vec<f64> {
        let mut out = point.to_vec();
        let (along, free) = out.split_at_mut(self.along());
        let mut column = vec![0.0; self.features];
        for k in 0..self.outputs {
            column.iter_mut().enumerate().for_each(|(j, value)| *value = along[j * self.outputs + k]);
            self.root.solve_lower_transposed(&mut column);
            column.iter().enumerate().for_each(|(j, value)| along[j * self.outputs + k] = *value);
            if let Some(free) = free.get_mut(k) {
                *free -= column.iter().zip(self.means).map(|(value, mean)| value * mean).sum::<f64>();
            }
        }
        out
    }

    /// $\Phi = L^T\Theta$, and the intercepts of features without means: the inverse of [`Self::back`].
    pub(crate) fn forth(&self, theta: &[f64]) -> Vec<f64> {
        let mut out = theta.to_vec();
        let (along, free) = out.split_at_mut(self.along());
        let mut column = vec![0.0; self.features];
        for k in 0..self.outputs {
            column.iter_mut().enumerate().for_each(|(j, value)| *value = along[j * self.outputs + k]);
            if let Some(free) = free.get_mut(k) {
                *free += column.iter().zip(self.means).map(|(value, mean)| value * mean).sum::<f64>();
            }
            self.root.times_lower_transposed(&mut column);
            column.iter().enumerate().for_each(|(j, value)| along[j * self.outputs + k] = *value);
        }
        out
    }

    /// The transpose of [`Self::back`] applied to a gradient.
    fn pulled(&self, gradient: &[f64], out: &mut [f64]) {
        out.copy_from_slice(gradient);
        let (along, free) = out.split_at_mut(self.along());
        let mut column = vec![0.0; self.features];
        for k in 0..self.outputs {
            let slope = free.get(k).copied().unwrap_or(0.0);
            column
                .iter_mut()
                .enumerate()
                .for_each(|(j, value)| *value = along[j * self.outputs + k] - slope * self.means[j]);
            self.root.solve_lower(&mut column);
            column.iter().enumerate().for_each(|(j, value)| along[j * self.outputs + k] = *value);
        }
    }
}

impl Smooth for Turned<'_> {
    fn layout(&self) -> Layout {
        self.inner.layout()
    }
    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let point = self.back(point);
        self.inner.value(&point)
    }
    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (point, mut inner) = (self.back(point), vec![0.0; gradient.len()]);
        let value = self.inner.gradient(&point, &mut inner)?;
        self.pulled(&inner, gradient);
        Ok(value)
    }
    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let point = self.back(point);
        self.inner.linearise_with(&point, caution)
    }
    fn has_majorant(&self) -> bool {
        self.inner.has_majorant()
    }
    fn has_straight_pieces(&self) -> bool {
        self.inner.has_straight_pieces()
    }
    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let (v, mut image) = (self.back(v), vec![0.0; out.len()]);
        self.inner.hessian_times(&v, &mut image)?;
        self.pulled(&image, out);
        Ok(())
    }
    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let size = self.dimension();
        let mut unit = vec![0.0; size];
        for (j, column) in out.chunks_exact_mut(size).enumerate() {
            unit[j] = 1.0;
            self.hessian_times(&unit, column)?;
            unit[j] = 0.0;
        }
        Ok(())
    }
}
