//! How far a point is from being a minimiser, in the metric of the scaled columns.
//!
//! With $D$ the diagonal of the Hessian of F, $\phi = D^{1/2}\theta$ are coefficients of columns of equal size. In them the gradient is $D^{-1/2}g$, and the
//! distance of its negative from the normal cone of the set,
//! $$\delta = \min_{z} \|D^{-1/2}(g + A^Tz)\|,$$
//! is zero exactly at minimisers over a convex set. F can fall by about $\tfrac12\delta^2$, so $\delta/\sqrt{2F}$ is a number without units that does not change
//! when columns or responses are measured in other units.

use super::Smooth;
use crate::conic::{Conic, nearby_multipliers};
use crate::error::Result;
use crate::layout::Layout;

/// A set and a metric.
pub(crate) struct Measure<'a> {
    pub(crate) conic: &'a Conic,
    /// How points are arranged.
    pub(crate) layout: Layout,
    /// The diagonal of $D$, with that of the intercept.
    pub(crate) metric: &'a [f64],
}

impl Measure<'_> {
    /// $\delta$, with the derivative in the intercept; infinite if it cannot be found.
    pub(crate) fn residual(&self, point: &[f64], gradient: &[f64]) -> f64 {
        let along = self.layout.coefficients(gradient);
        let found = nearby_multipliers(self.conic, self.layout.coefficients(point), along, self.metric);
        found.map_or(f64::INFINITY, |found| {
            let free = free_part(self.layout, gradient, self.metric);
            (found.distance * found.distance + free * free).sqrt()
        })
    }
}

/// The derivative in the intercept, scaled; zero if there is none.
pub(crate) fn free_part(layout: Layout, gradient: &[f64], metric: &[f64]) -> f64 {
    match (layout.intercept(gradient), layout.intercept(metric)) {
        (Some(slope), Some(bend)) if slope != 0.0 => slope / bend.max(f64::MIN_POSITIVE).sqrt(),
        _ => 0.0,
    }
}

/// The diagonal of $D$ at a point. For losses with straight pieces, on which the Hessian vanishes, that of a quadratic function above F.
pub(crate) fn metric(function: &mut dyn Smooth, point: &[f64]) -> Result<Vec<f64>> {
    function.linearise_with(point, f64::from(u8::from(function.has_straight_pieces())))?;
    function.diagonal()
}

/// The F that residuals are compared with: its value, or for fits so good that only rounding is left of it, a share of that without any feature.
pub(crate) fn reference(function: &mut dyn Smooth, value: f64) -> Result<f64> {
    let at_zero = function.value(&vec![0.0; function.dimension()])?;
    Ok(floored(value, at_zero))
}

/// Share of F without any feature below which what is left of F is compared with this share of it. A residual of $10^{-9}$ of $\sqrt{2F}$ then leaves F within
/// $10^{-26}\kappa$ of its minimum, κ the condition number of the scaled columns, in units of F without features.
const NEARLY_NOTHING: f64 = 1e-8;

/// The same from F without any feature.
pub(crate) fn floored(value: f64, at_zero: f64) -> f64 {
    let floor = NEARLY_NOTHING * at_zero.abs();
    if floor.is_finite() { value.abs().max(floor) } else { value.abs() }
}

/// $\delta/\sqrt{2F}$; for a perfect fit, with $F = 0$, zero only if $\delta$ is.
pub(crate) fn relative(residual: f64, value: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / (2.0 * value.abs()).sqrt().max(f64::MIN_POSITIVE) }
}
