//! A smooth convex function as the finishing methods see it: on all data, on a few columns, or a formula in a test.

use crate::error::Result;
use crate::layout::Layout;

/// A twice differentiable (perhaps only generalised) convex function of coefficients and perhaps an intercept, a free coordinate that no set sees.
pub(crate) trait Smooth {
    /// How points are arranged.
    fn layout(&self) -> Layout;

    /// Number of coefficients, without the intercept.
    fn features(&self) -> usize {
        self.layout().coefficient_count()
    }

    /// Length of a point.
    fn dimension(&self) -> usize {
        self.layout().len()
    }

    /// The value at a point.
    fn value(&mut self, point: &[f64]) -> Result<f64>;

    /// The value, and the gradient into `gradient`.
    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64>;

    /// Fixes the point that the second derivatives below belong to.
    fn linearise(&mut self, point: &[f64]) -> Result<()> {
        self.linearise_with(point, 0.0)
    }

    /// The same with second derivatives that are moved the share `caution` of the way towards those of a quadratic function that touches
    /// this one at the point and is nowhere below it, if [`Smooth::has_majorant`].
    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()>;

    /// Whether such a quadratic function is known.
    fn has_majorant(&self) -> bool;

    /// Whether second derivatives may vanish where the function is not flat: losses with straight pieces.
    fn has_straight_pieces(&self) -> bool {
        false
    }

    /// `out = H v` at the linearised point.
    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()>;

    /// The full symmetric Hessian at the linearised point, `dimension × dimension`.
    fn hessian(&mut self, out: &mut [f64]) -> Result<()>;

    /// The diagonal of the Hessian at the linearised point.
    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let size = self.dimension();
        let mut hessian = vec![0.0; size * size];
        self.hessian(&mut hessian)?;
        Ok((0..size).map(|j| hessian[j * size + j]).collect())
    }
}
