//! The rows of a piecewise linear F: $\sum_i v_i\ell_i$ with $\ell_i = c_iu_i$ where the residual $u_i = k_i - o_i - x_i^T\theta - \beta_0$ is positive and $-d_iu_i$ where it is negative.
//! $v$ are the weights divided by their sum, $k_i$ the kinks, $c_i, d_i \ge 0$ the slopes of the two lines in terms of the residual.

use crate::data::Data;
use crate::loss::Kinked;

/// What the rows are, apart from their features.
pub(super) struct Bends {
    /// $k_i - o_i$
    pub(super) at: Vec<f64>,
    /// $c_i$, for positive residuals.
    pub(super) rise: Vec<f64>,
    /// $d_i$, for negative ones.
    pub(super) fall: Vec<f64>,
    /// $v_i$
    pub(super) weights: Vec<f64>,
}

impl Bends {
    pub(super) fn of(data: &Data, kinked: &dyn Kinked) -> Self {
        let scale = 1.0 / data.weight_sum();
        let kinks: Vec<_> = data.response().iter().map(|&y| kinked.kink(y)).collect();
        Self {
            at: kinks.iter().enumerate().map(|(row, kink)| kink.at - data.offset_of(row)).collect(),
            rise: kinks.iter().map(|kink| -kink.below).collect(),
            fall: kinks.iter().map(|kink| kink.above).collect(),
            weights: (0..kinks.len()).map(|row| scale * data.weight(row)).collect(),
        }
    }

    /// Those of some rows, with their weights multiplied by a factor.
    pub(super) fn some(&self, rows: &[usize], factor: f64) -> Self {
        let pick = |all: &[f64]| rows.iter().map(|&i| all[i]).collect::<Vec<f64>>();
        let weights = rows.iter().map(|&i| factor * self.weights[i]).collect();
        Self { at: pick(&self.at), rise: pick(&self.rise), fall: pick(&self.fall), weights }
    }

    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether a row counts at all.
    pub(super) fn counts(&self, row: usize) -> bool {
        self.weights[row] > 0.0 && self.rise[row] + self.fall[row] > 0.0
    }

    /// $\ell_i$ at a residual.
    pub(super) fn loss(&self, row: usize, residual: f64) -> f64 {
        if residual >= 0.0 { self.rise[row] * residual } else { -self.fall[row] * residual }
    }

    /// $\sum_i v_i\ell_i(u_i)$
    pub(super) fn value(&self, residuals: &[f64]) -> f64 {
        let terms = residuals.iter().enumerate().filter(|(i, _)| self.counts(*i));
        terms.map(|(i, &u)| self.weights[i] * self.loss(i, u)).sum()
    }

    /// $\sum_i v_i(\ell_i(u_i) - a_iu_i)$ for slopes $-d_i \le a_i \le c_i$: a sum of terms that are not negative, by which the linear function with these slopes lies below at $u$.
    pub(super) fn slack(&self, residuals: &[f64], slopes: &[f64]) -> f64 {
        let term = |(i, (&u, &a)): (usize, (&f64, &f64))| {
            let away = if u >= 0.0 { self.rise[i] - a } else { self.fall[i] + a };
            self.weights[i] * (away * u.abs()).max(0.0)
        };
        residuals.iter().zip(slopes).enumerate().filter(|(i, _)| self.counts(*i)).map(term).sum()
    }
}
