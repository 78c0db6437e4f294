//! A quadratic F on data as a function that proofs are about, with what rounding may have done to its numbers.
//!
//! F is known through sums over $n$ rows (`crate::path`), in units in which columns have $S_{jj} = 1$. Each sum is off by at most $\delta = (n + 10)u$ of the
//! sum of the magnitudes of its terms, in whatever order it was taken, so $|G - \hat G|_{jk} \le \delta$, $|b - \hat b|_j \le \delta\sqrt{2F_0}$ and $|c - \hat c| \le \delta F_0$, with $F_0$ the
//! value without any feature. Hence $G \succeq \hat G - p\delta I$, and since $|\epsilon^T\theta| \le \tfrac12p\delta\|\theta\|^2 + \|\epsilon\|^2/(2p\delta)$,
//! $$F(\theta) \ge Q(\theta) - 2\delta F_0, \qquad Q(\theta) = \hat c - \hat b^T\theta + \tfrac12\theta^T(\hat G - 2p\delta I)\theta.$$
//! What is proven of $Q$ is therefore true of F up to [`Summed::doubt`], which also covers the way from $Q$ back to F at a point.

use super::positive::is_shown;
use super::quadratic::Quadratic;
use super::search::Search;
use crate::linalg::{Cholesky, norm};

/// Steps of the power method, and the shares of what it finds that are tried.
const POWER_STEPS: usize = 30;
const SHARES: [f64; 4] = [0.999, 0.98, 0.9, 0.5];

/// F through its sums.
#[derive(Clone, Debug)]
pub(crate) struct Summed {
    pub(super) quadratic: Quadratic,
    /// A coefficient of $Q$ is the coefficient of F times this.
    pub(super) scales: Vec<f64>,
    /// $\delta F_0$
    rounding: f64,
    /// $2p\delta$
    taken: f64,
}

impl Summed {
    /// From the full matrix of columns of unit size, ridge included, the slopes, and the value without any feature.
    pub(crate) fn new(
        mut gram: Vec<f64>,
        linear: Vec<f64>,
        at_zero: f64,
        scales: Vec<f64>,
        rows: usize,
    ) -> Option<Self> {
        let columns = linear.len();
        let share = (rows as f64 + 10.0) * 0.5 * f64::EPSILON;
        let taken = 2.0 * columns as f64 * share;
        for j in 0..columns {
            let entry = &mut gram[j * columns + j];
            *entry -= if *entry > 0.0 { taken } else { 0.0 };
        }
        let quadratic = Quadratic::new(gram, linear, at_zero)?;
        Some(Self { quadratic, scales, rounding: share * at_zero.abs(), taken })
    }

    /// A number that the second derivatives of F are shown to be no smaller than in any direction of its coefficients; none if that is not more than zero.
    ///
    /// The power method on the inverse says what to try; a factorisation of $SGS - \mu I$ shows it, $S$ the sizes of the columns.
    pub(crate) fn least_eigenvalue(&self) -> Option<f64> {
        let size = self.scales.len();
        let unit = |j: usize| self.scales[j] * self.quadratic.scales[j];
        let mut hessian = vec![0.0; size * size];
        for j in 0..size {
            let row = self.quadratic.row(j).iter().enumerate();
            row.for_each(|(k, g)| hessian[j * size + k] = g * unit(j) * unit(k));
        }
        let mut cholesky = Cholesky::default();
        if !is_shown(&hessian, &vec![0.0; size], &mut cholesky) {
            return None;
        }
        let mut v: Vec<f64> = (0..size).map(|j| 1.0 + 0.3 * ((j as f64 + 1.0) * 0.754_877_666).fract()).collect();
        let mut least = f64::INFINITY;
        for _ in 0..POWER_STEPS {
            let length = norm(&v);
            v.iter_mut().for_each(|v| *v /= length);
            cholesky.solve(&mut v);
            least = 1.0 / norm(&v);
        }
        SHARES.iter().map(|share| share * least).find(|mu| is_shown(&hessian, &vec![*mu; size], &mut cholesky))
    }

    /// Choices of at most so many columns.
    pub(crate) fn choices(&self, size: usize) -> Search<'_> {
        Search::new(&self.quadratic, size)
    }

    /// Coefficients of a support in the units of $Q$.
    pub(crate) fn scaled(&self, support: &[usize], theta: &[f64]) -> Vec<f64> {
        support.iter().zip(theta).map(|(&j, x)| x * self.scales[j]).collect()
    }

    /// The way back.
    pub(crate) fn unscaled(&self, support: &[usize], scaled: &[f64]) -> Vec<f64> {
        support.iter().zip(scaled).map(|(&j, x)| x / self.scales[j]).collect()
    }

    /// What is to be added to a gap of $Q$ at a point for it to be one of F.
    pub(crate) fn doubt(&self, scaled: &[f64]) -> f64 {
        4.0 * self.rounding + self.taken * scaled.iter().map(|x| x * x).sum::<f64>()
    }
}
