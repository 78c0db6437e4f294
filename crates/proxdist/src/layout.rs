//! Where the numbers of a parameter are: $\theta = (\beta_{11}, \dots, \beta_{pK}, \beta_{01}, \dots, \beta_{0K})$.
//!
//! The coefficients of `p` features for `K` outputs come first, feature by feature, then one intercept an output if the model has any. Sets see the
//! coefficients only; nobody else counts places in the vector. Gradients, steps and diagonals of Hessians have the layout of the parameter they belong
//! to; what is left of it on a choice of features has a layout of its own, [`Layout::reduced_to`] their number.

use crate::error::{Error, Result};
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

    /// This many coefficients in a row for one output, without an intercept.
    pub fn vector(features: usize) -> Self {
        Self::of(Shape::Vector(features))
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

    /// The same for a choice of so many features.
    #[must_use]
    pub fn reduced_to(self, features: usize) -> Self {
        Self { shape: Shape::Vector(features), ..self }
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

    /// Whether there are intercepts.
    pub fn has_intercepts(&self) -> bool {
        self.has_intercepts
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

    /// Refuses a parameter of another length.
    pub fn check(&self, theta: &[f64]) -> Result<()> {
        if theta.len() == self.len() {
            return Ok(());
        }
        let (found, expected, rule) = (theta.len(), self.len(), "one entry a feature, one more for the intercept");
        Err(Error::Length { what: "theta", found, expected, rule })
    }

    /// The coefficients of a parameter.
    pub fn coefficients<'t>(&self, theta: &'t [f64]) -> &'t [f64] {
        self.split(theta).0
    }

    /// The coefficients of a parameter, to be changed.
    pub fn coefficients_mut<'t>(&self, theta: &'t mut [f64]) -> &'t mut [f64] {
        self.split_mut(theta).0
    }

    /// Coefficients, and the intercepts that follow them.
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

    /// The same, to be changed.
    pub fn intercept_mut<'t>(&self, theta: &'t mut [f64]) -> Option<&'t mut f64> {
        self.split_mut(theta).1.first_mut()
    }

    /// Where the intercept of a model with one output is, if it has one.
    pub fn place_of_intercept(&self) -> Option<usize> {
        self.has_intercepts.then(|| self.coefficient_count())
    }

    /// Whether a coefficient is at this place.
    pub fn is_coefficient(&self, place: usize) -> bool {
        place < self.coefficient_count()
    }

    /// Where the coefficients of some features are, then the intercepts.
    pub fn places<'s>(&self, support: &'s [usize]) -> impl Iterator<Item = usize> + use<'s> {
        let outputs = self.outputs;
        let chosen = support.iter().flat_map(move |&feature| feature * outputs..(feature + 1) * outputs);
        chosen.chain(self.coefficient_count()..self.len())
    }

    /// What a parameter has on some features: their coefficients, then the intercepts.
    pub fn gathered(&self, support: &[usize], theta: &[f64]) -> Vec<f64> {
        self.places(support).map(|place| theta[place]).collect()
    }

    /// The parameter that has this on some features and is zero on all others.
    pub fn spread(&self, support: &[usize], point: &[f64]) -> Vec<f64> {
        let mut theta = self.zeros();
        self.places(support).zip(point).for_each(|(place, &value)| theta[place] = value);
        theta
    }

    /// Writes a symmetric matrix over the parameter of a model with one output: from the columns of its part over the coefficients, and the row of the
    /// intercept if there is one. Only entries from the diagonal on are written.
    pub(crate) fn fill_bordered(&self, inner: &[f64], border: &[f64], matrix: &mut [f64]) {
        let (features, size) = (self.coefficient_count(), self.len());
        for j in 0..features {
            matrix[j * size + j..j * size + features].copy_from_slice(&inner[j * features + j..(j + 1) * features]);
        }
        if let Some(last) = self.place_of_intercept() {
            border.iter().take(size).enumerate().for_each(|(j, value)| matrix[j * size + last] = *value);
        }
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

    #[test]
    fn what_is_on_a_support_comes_back_to_its_places() {
        for outputs in [1, 2] {
            for has_intercepts in [false, true] {
                let whole = Layout::vector(4).outputs(outputs).intercepts(has_intercepts);
                let theta: Vec<f64> = (0..whole.len()).map(|j| 1.0 + j as f64).collect();
                let support = [1, 3];
                let part = whole.gathered(&support, &theta);
                assert_eq!(part.len(), whole.reduced_to(support.len()).len());
                let back = whole.spread(&support, &part);
                let (before, after) = (whole.split(&theta), whole.split(&back));
                assert_eq!(before.1, after.1);
                for (place, (b, a)) in before.0.iter().zip(after.0).enumerate() {
                    assert_eq!(*a, if support.contains(&(place / outputs)) { *b } else { 0.0 });
                }
            }
        }
    }

    #[test]
    fn the_intercept_has_one_place() {
        let layout = Layout::vector(2).intercepts(true);
        let mut theta = vec![1.0, 2.0, 3.0];
        let place = layout.place_of_intercept().unwrap();
        assert!(!layout.is_coefficient(place) && (0..place).all(|j| layout.is_coefficient(j)));
        *layout.intercept_mut(&mut theta).unwrap() = 7.0;
        assert_eq!((theta[place], layout.intercept(&theta)), (7.0, Some(7.0)));
        let without = Layout::vector(3);
        assert_eq!((without.place_of_intercept(), without.intercept_mut(&mut theta)), (None, None));
        assert!(layout.check(&theta).is_ok() && without.check(&theta[..2]).is_err());
    }

    #[test]
    fn a_bordered_matrix_has_the_intercept_last() {
        let (inner, border) = ([1.0, 2.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        let mut matrix = [0.0; 9];
        Layout::vector(2).intercepts(true).fill_bordered(&inner, &border, &mut matrix);
        assert_eq!(matrix, [1.0, 2.0, 4.0, 0.0, 3.0, 5.0, 0.0, 0.0, 6.0]);
        let mut matrix = [0.0; 4];
        Layout::vector(2).fill_bordered(&inner, &[], &mut matrix);
        assert_eq!(matrix, [1.0, 2.0, 0.0, 3.0]);
    }
}
