//! The coordinates in which sums are taken, and the way to those of the fit.
//!
//! Whatever the units of the fit, sums run over $z_j = (x_j - m_j)f_j$, columns of mean 0 (where an intercept takes the means up) and deviation 1: columns
//! over many decades, far from zero, then lose no digits. With coefficients $\phi$ and intercept $c$ there, and $\theta$ and $\beta_0$ in the fit,
//! $$\theta_j = t_j\phi_j, \qquad \beta_0 = c - \sum_ju_j\theta_j,$$
//! where $t = 1$, $u = 0$ for a fit on scaled columns and $t = f$, $u = m$ for one on columns as they are.

use super::sums::Sums;
use crate::layout::Layout;
use crate::ridge::Ridge;
use crate::scaling::Scaling;

/// Both coordinates.
#[derive(Clone, Debug)]
pub(super) struct Frame<'f> {
    pub(super) layout: Layout,
    /// What is done to the columns as they are read.
    pub(super) scaling: Scaling,
    /// $t$
    stretch: Vec<f64>,
    /// $u$
    shift: Vec<f64>,
    /// Whether the fit is on scaled columns, too.
    pub(super) is_scaled: bool,
    /// The ridge of the fit.
    pub(super) ridge: Ridge<'f>,
}

/// F on all rows with its derivatives, in the coordinates of sums, ridge and $1/\sum w$ included.
#[derive(Clone, Debug)]
pub(super) struct Looked {
    /// F.
    pub(super) value: f64,
    /// Its gradient, with that of the intercept last if there is one.
    pub(super) gradient: Vec<f64>,
    /// The gradient without the ridge term.
    pub(super) plain: Vec<f64>,
    /// F without the ridge term.
    pub(super) plain_value: f64,
}

/// Second derivatives in the coordinates of sums, without the ridge term.
#[derive(Clone, Debug, Default)]
pub(super) struct Bent {
    /// Those with the intercept, and the intercept's own last.
    pub(super) border: Vec<f64>,
    /// The diagonal of the coefficients.
    pub(super) diagonal: Vec<f64>,
    /// Those between each column and the columns asked for, row by row; or all, full and symmetric.
    pub(super) matrix: Vec<f64>,
}

impl<'f> Frame<'f> {
    /// Sums on columns scaled in this way, for a fit on them or on columns as they are.
    pub(super) fn new(layout: Layout, scaling: Scaling, is_scaled: bool, ridge: Ridge<'f>) -> Self {
        let columns = layout.coefficient_count();
        let (stretch, shift) = if is_scaled {
            (vec![1.0; columns], vec![0.0; columns])
        } else {
            (scaling.factors.clone(), scaling.means.clone())
        };
        Self { layout, scaling, stretch, shift, is_scaled, ridge }
    }

    /// $t_j$
    pub(super) fn stretch(&self) -> &[f64] {
        &self.stretch
    }

    /// $\lambda_j$ in the coordinates of sums.
    pub(super) fn ridge_at(&self, column: usize) -> f64 {
        self.ridge.at(column) * self.stretch[column] * self.stretch[column]
    }

    /// A parameter of the fit in the coordinates of sums: coefficients and intercept.
    pub(super) fn inward(&self, theta: &[f64]) -> (Vec<f64>, f64) {
        let coefficients = self.layout.coefficients(theta);
        let inner = coefficients.iter().zip(&self.stretch).map(|(value, t)| value / t).collect();
        let shift: f64 = coefficients.iter().zip(&self.shift).map(|(value, u)| value * u).sum();
        (inner, self.layout.intercept(theta).unwrap_or(0.0) + shift)
    }

    /// A parameter of the fit with these coefficients whose intercept is `inner` in the coordinates of sums.
    pub(super) fn outward(&self, coefficients: &[f64], inner: f64) -> Vec<f64> {
        let mut theta = self.layout.zeros();
        self.layout.coefficients_mut(&mut theta).copy_from_slice(coefficients);
        let shift: f64 = coefficients.iter().zip(&self.shift).map(|(value, u)| value * u).sum();
        if let Some(free) = self.layout.intercept_mut(&mut theta) {
            *free = inner - shift;
        }
        theta
    }

    /// Sums as derivatives of F at a parameter of the fit.
    pub(super) fn looked(&self, theta: &[f64], sums: &Sums) -> Looked {
        let columns = self.layout.coefficient_count();
        let mut plain: Vec<f64> = sums.gradient.iter().map(|g| g / sums.weight).collect();
        plain.truncate(self.layout.len());
        let (inner, _) = self.inward(theta);
        let mut gradient = plain.clone();
        (0..columns).for_each(|j| gradient[j] += self.ridge_at(j) * inner[j]);
        let plain_value = sums.value / sums.weight;
        let value = plain_value + self.ridge.value(self.layout.coefficients(theta));
        Looked { value, gradient, plain, plain_value }
    }

    /// Sums as second derivatives; a whole matrix is made symmetric.
    pub(super) fn bent(&self, sums: Sums, is_whole: bool) -> Bent {
        let Sums { weight, border, diagonal, matrix, .. } = sums;
        let columns = self.layout.coefficient_count();
        let divided = |mut values: Vec<f64>| {
            values.iter_mut().for_each(|value| *value /= weight);
            values
        };
        let (border, mut diagonal, mut matrix) = (divided(border), divided(diagonal), divided(matrix));
        if is_whole {
            crate::linalg::mirror(&mut matrix, columns);
            diagonal = (0..columns).map(|j| matrix[j * columns + j]).collect();
        }
        Bent { border, diagonal, matrix }
    }

    /// The gradient in the coordinates of the fit.
    pub(super) fn gradient(&self, looked: &Looked) -> Vec<f64> {
        let free = self.layout.intercept(&looked.gradient).unwrap_or(0.0);
        let mut gradient = looked.gradient.clone();
        for (j, g) in self.layout.coefficients_mut(&mut gradient).iter_mut().enumerate() {
            *g = *g / self.stretch[j] + free * self.shift[j];
        }
        gradient
    }

    /// The diagonal of the Hessian in the coordinates of the fit, ridge included.
    pub(super) fn metric(&self, bent: &Bent) -> Vec<f64> {
        let columns = self.layout.coefficient_count();
        let own = bent.border[columns];
        let mut metric: Vec<f64> = (0..columns)
            .map(|j| {
                let (t, u) = (self.stretch[j], self.shift[j]);
                bent.diagonal[j] / (t * t) + 2.0 * u * bent.border[j] / t + u * u * own + self.ridge.at(j)
            })
            .collect();
        metric.extend(self.layout.has_intercepts().then_some(own));
        metric
    }
}
