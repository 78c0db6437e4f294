//! The ridge term of F, $\tfrac12\sum_j\lambda_j\theta_j^2$: it shrinks coefficients, never the intercept.
//!
//! A coefficient is a number per unit of its column, so one weight for all of them would shrink a length in metres a million times as much as the
//! same length in millimetres. The ridge therefore acts on *standardised effects*, what a change of one standard deviation $s_j$ does:
//! $$\tfrac\lambda2\sum_j(s_j\theta_j)^2, \qquad \lambda_j = \lambda s_j^2.$$
//! On scaled columns $s_j = 1$ and the term is $\tfrac\lambda2\|\theta\|^2$; where a set needs the columns as they are, the weights differ from
//! column to column, and the model that comes out is the same. Which of the two holds is decided by [`crate::Preparation`].

use crate::linalg::{axpy, norm_squared};

/// The weights $\lambda_j$ of the coefficients: one for all (`Ridge::from`), or $\lambda s_j^2$.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ridge<'p> {
    weight: f64,
    /// What a method adds for every coefficient alike.
    added: f64,
    /// $s_j^2$; all 1 if there are none.
    squares: Option<&'p [f64]>,
}

impl From<f64> for Ridge<'_> {
    fn from(weight: f64) -> Self {
        Self { weight, added: 0.0, squares: None }
    }
}

impl<'p> Ridge<'p> {
    /// $\lambda_j = \lambda s_j^2$, given $s_j^2$ for each column.
    pub fn on_effects(weight: f64, squares: &'p [f64]) -> Self {
        Self { weight, added: 0.0, squares: Some(squares) }
    }

    /// $\lambda$, as it was told.
    pub fn weight(self) -> f64 {
        self.weight + self.added
    }

    /// The same with one more weight for every coefficient.
    pub(crate) fn plus(self, weight: f64) -> Self {
        Self { added: self.added + weight, ..self }
    }

    /// Another weight in the same units.
    pub(crate) fn with_weight(self, weight: f64) -> Self {
        Self { weight, added: 0.0, ..self }
    }

    /// $\lambda_j$
    pub(crate) fn at(self, column: usize) -> f64 {
        match self.squares {
            None => self.weight(),
            Some(squares) => self.weight * squares[column] + self.added,
        }
    }

    /// Whether anything is shrunk.
    pub(crate) fn is_positive(self) -> bool {
        self.weight() > 0.0
    }

    /// The one weight of all coefficients, if there is one.
    pub(crate) fn even(self) -> Option<f64> {
        (self.squares.is_none() || self.weight == 0.0).then(|| self.weight())
    }

    /// $s_j^2$ of some columns, where they differ.
    pub(crate) fn squares_of(self, columns: &[usize]) -> Option<Vec<f64>> {
        self.squares.map(|squares| columns.iter().map(|&j| squares[j]).collect())
    }

    /// The largest $\lambda_j$ of this many columns.
    pub(crate) fn largest(self, columns: usize) -> f64 {
        self.even().unwrap_or_else(|| (0..columns).map(|j| self.at(j)).fold(0.0, f64::max))
    }

    /// How many columns it is for, where they differ.
    pub(crate) fn columns(self) -> Option<usize> {
        self.squares.map(<[f64]>::len)
    }

    /// $\tfrac12\sum_j\lambda_j\theta_j^2$
    pub(crate) fn value(self, coefficients: &[f64]) -> f64 {
        match self.even() {
            Some(weight) => 0.5 * weight * norm_squared(coefficients),
            None => 0.5 * coefficients.iter().enumerate().map(|(j, value)| self.at(j) * value * value).sum::<f64>(),
        }
    }

    /// Adds $\lambda_j\theta_j$: the gradient, or the product of the Hessian with a vector.
    pub(crate) fn add_times(self, coefficients: &[f64], out: &mut [f64]) {
        match self.even() {
            Some(weight) => axpy(weight, coefficients, out),
            None => out.iter_mut().zip(coefficients).enumerate().for_each(|(j, (out, v))| *out += self.at(j) * v),
        }
    }

    /// Adds $\lambda_j$ to the first entries of the diagonal of a square matrix of this size.
    pub(crate) fn add_to_diagonal(self, columns: usize, size: usize, matrix: &mut [f64]) {
        (0..columns).for_each(|j| matrix[j * size + j] += self.at(j));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal squares are an even ridge, and all that is asked of a ridge agrees with its definition.
    #[test]
    fn value_gradient_and_diagonal_are_those_of_the_weights() {
        let (squares, theta) = ([4.0, 0.25, 1.0], [1.0, -2.0, 3.0]);
        let ridge = Ridge::on_effects(0.5, &squares).plus(1.0);
        let weights = [3.0, 1.125, 1.5];
        assert_eq!([0, 1, 2].map(|j| ridge.at(j)), weights);
        assert_eq!((ridge.even(), ridge.largest(3), ridge.weight()), (None, 3.0, 1.5));
        assert_eq!(ridge.value(&theta), 0.5 * (3.0 + 1.125 * 4.0 + 1.5 * 9.0));
        let (mut gradient, mut matrix) = ([1.0; 3], [0.0; 16]);
        ridge.add_times(&theta, &mut gradient);
        assert_eq!(gradient, [4.0, 1.0 - 2.25, 5.5]);
        ridge.add_to_diagonal(3, 4, &mut matrix);
        assert_eq!([matrix[0], matrix[5], matrix[10], matrix[15]], [3.0, 1.125, 1.5, 0.0]);
        let even = Ridge::on_effects(0.5, &[1.0; 3]);
        assert_eq!(even.value(&theta), Ridge::from(0.5).value(&theta));
    }

    #[test]
    fn no_weight_is_even_whatever_the_columns() {
        assert_eq!(Ridge::on_effects(0.0, &[4.0, 9.0]).even(), Some(0.0));
        assert!(!Ridge::on_effects(0.0, &[4.0, 9.0]).is_positive());
    }
}
