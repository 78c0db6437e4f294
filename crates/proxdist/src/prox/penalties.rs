//! The weights $D$ of the squared distance from the anchor: one for all coefficients, one for the intercept if there is one.

use crate::layout::Layout;

/// The diagonal of $D$ for the parameter of a layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalties {
    layout: Layout,
    pub(super) coefficients: f64,
    pub(super) intercept: Option<f64>,
}

impl Penalties {
    /// One penalty for the coefficients of the layout, another for its intercept.
    pub(super) fn new(layout: Layout, coefficients: f64, intercept: f64) -> Self {
        Self { layout, coefficients, intercept: layout.has_intercepts().then_some(intercept) }
    }

    /// How the parameter is arranged.
    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    /// `x ↦ D x`, in place.
    pub(super) fn multiply(&self, x: &mut [f64]) {
        let (coefficients, intercepts) = self.layout.split_mut(x);
        coefficients.iter_mut().for_each(|x| *x *= self.coefficients);
        if let Some(penalty) = self.intercept {
            intercepts.iter_mut().for_each(|x| *x *= penalty);
        }
    }

    /// `x ↦ D⁻¹ x`, in place.
    pub(super) fn divide(&self, x: &mut [f64]) {
        let inverse =
            Self { coefficients: 1.0 / self.coefficients, intercept: self.intercept.map(|p| 1.0 / p), ..*self };
        inverse.multiply(x);
    }
}
