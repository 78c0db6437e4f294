//! Where the numbers of a parameter are: $\theta = (\beta_{11}, \dots, \beta_{pK}, \beta_{01}, \dots, \beta_{0K})$.
//!
//! The coefficients of `p` features for `K` outputs come first, feature by feature, then one intercept an output if the model has any. Sets see the
//! coefficients only; nobody else counts places in the vector.

use crate::shape::Shape;

/// The arrangement of a parameter: its coefficients, then its intercepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    outputs: usize,
    has_intercepts: bool,
}

impl Layout {
    /// Coefficients of this shape for one output, without an intercept.
    pub fn of(shape: Shape) -> Self {
        Self { shape, outputs: 1, has_intercepts: false }
    }

    /// The same with an intercept for each output, or without.
    #[must_use]
    pub fn intercepts(self, has_intercepts: bool) -> Self {
        Self { has_intercepts, ..self }
    }

    /// The same for so many outputs, at least one.
    #[must_use]
    pub fn outputs(self, outputs: usize) -> Self {
        Self { outputs: outputs.max(1), ..self }
    }

    /// How the coefficients of one output are arranged.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Features, p.
    pub fn features(&self) -> usize {
        self.shape.len()
    }

    /// Outputs, K.
    pub fn output_count(&self) -> usize {
        self.outputs
    }

    /// Intercepts: one an output, or none.
    pub fn intercept_count(&self) -> usize {
        if self.has_intercepts { self.outputs } else { 0 }
    }

    /// Coefficients, pK.
    pub fn coefficient_count(&self) -> usize {
        self.features().saturating_mul(self.outputs)
    }

    /// All numbers of the parameter.
    pub fn len(&self) -> usize {
        self.coefficient_count().saturating_add(self.intercept_count())
    }

    /// Whether there is no number at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The parameter that is zero everywhere.
    pub fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.len()]
    }

    /// The coefficients of a parameter.
    pub fn coefficients<'t>(&self, theta: &'t [f64]) -> &'t [f64] {
        self.split(theta).0
    }

    /// The coefficients of a parameter, to be changed.
    pub fn coefficients_mut<'t>(&self, theta: &'t mut [f64]) -> &'t mut [f64] {
        self.split_mut(theta).0
    }

    /// Coefficients and intercepts.
    pub fn split<'t>(&self, theta: &'t [f64]) -> (&'t [f64], &'t [f64]) {
        theta.split_at(self.coefficient_count())
    }

    /// Coefficients and intercepts, to be changed.
    pub fn split_mut<'t>(&self, theta: &'t mut [f64]) -> (&'t mut [f64], &'t mut [f64]) {
        theta.split_at_mut(self.coefficient_count())
    }

    /// The intercept of a model with one output, if it has one.
    pub fn intercept(&self, theta: &[f64]) -> Option<f64> {
        self.split(theta).1.first().copied()
    }

    /// A parameter taken apart: its coefficients, and the intercept of a model with one output.
    pub fn into_parts(self, mut theta: Vec<f64>) -> (Vec<f64>, Option<f64>) {
        let intercepts = theta.split_off(self.coefficient_count());
        (theta, intercepts.first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_a_coefficient_or_an_intercept() {
        for (shape, outputs) in
            [(Shape::Vector(3), 1), (Shape::Matrix { rows: 2, columns: 2 }, 1), (Shape::Vector(2), 3)]
        {
            for has_intercepts in [false, true] {
                let layout = Layout::of(shape).outputs(outputs).intercepts(has_intercepts);
                let mut theta: Vec<f64> = (0..layout.len()).map(|j| j as f64).collect();
                let (coefficients, intercepts) = layout.split(&theta);
                assert_eq!(coefficients.len(), shape.len() * outputs);
                assert_eq!(intercepts.len(), if has_intercepts { outputs } else { 0 });
                assert_eq!([coefficients, intercepts].concat(), theta);
                assert_eq!(layout.intercept(&theta), has_intercepts.then_some((shape.len() * outputs) as f64));
                layout.coefficients_mut(&mut theta).fill(-1.0);
                assert!(layout.split(&theta).1.iter().all(|value| *value >= 0.0));
                assert!(layout.coefficients(&theta).iter().all(|value| *value == -1.0));
            }
        }
    }
}
