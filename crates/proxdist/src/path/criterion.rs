//! Which size to take, without held-out rows: criteria that weigh the fit against the number of features.
//!
//! With $D$ the mean deviance, $n$ rows, $p$ columns and $k$ features, the intercept counted by none,
//!
//! | criterion | value |
//! |---|---|
//! | AIC (Akaike 1974) | $-2\log L + 2k$ |
//! | BIC (Schwarz 1978) | $-2\log L + k\log n$ |
//! | EBIC (Chen and Chen 2008) | $-2\log L + k\log n + 2\gamma\log\binom pk$ |
//!
//! Where rules leave fewer choices of $k$ features than $\binom pk$, EBIC has their number. $-2\log L = nD$ up to a constant, and for squared loss, whose deviance lacks the variance, $n\log D$, the variance being estimated too. Weights count
//! relative to their mean. A ridge shrinks, so $k$ features with it count for less than $k$; the criteria do not know that. Losses that are no
//! likelihood have no criterion: cross-validation is for them.

use super::point::{Path, PathPoint};
use crate::error::{Error, Result};
use crate::rule::Rule;

/// A number for each model, the smaller the better.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Criterion {
    /// AIC.
    Akaike,
    /// BIC.
    Bayes,
    /// EBIC; `gamma` from 0, which is BIC, to 1.
    ExtendedBayes {
        /// Weight of the number of supports of a size.
        gamma: f64,
    },
}

/// Deviance below this share of that without features is a perfect fit, as far as numbers can tell.
const PERFECT: f64 = 1e-14;

impl Path {
    /// The criterion of every point, in their order. Fails for losses that are no likelihood.
    pub fn criterion(&self, criterion: Criterion) -> Result<Vec<f64>> {
        if let Criterion::ExtendedBayes { gamma } = criterion
            && !(0.0..=1.0).contains(&gamma)
        {
            return Err(Error::setting("gamma", Rule::UpTo { most: 1.0 }, gamma));
        }
        let without = self.points.first().and_then(|point| point.deviance).unwrap_or(0.0);
        let value = |point: &PathPoint| {
            let none = || Error::setting("a criterion", Rule::Likelihood, "another loss");
            let deviance = point.deviance.ok_or_else(none)?;
            Ok(self.likelihood(deviance, without) + self.charge(criterion, point))
        };
        self.points.iter().map(value).collect()
    }

    /// Position of the point with the least criterion; the earlier of equals.
    pub fn least(&self, criterion: Criterion) -> Result<usize> {
        let values = self.criterion(criterion)?;
        let best = (0..values.len()).min_by(|&a, &b| values[a].total_cmp(&values[b]));
        best.ok_or_else(|| Error::setting("a path", Rule::SomePoint, "none"))
    }

    /// $-2\log L$, up to a constant.
    fn likelihood(&self, deviance: f64, without: f64) -> f64 {
        let rows = self.rows as f64;
        if self.is_quadratic {
            rows * deviance.max(PERFECT * without).max(f64::MIN_POSITIVE).ln()
        } else {
            rows * deviance
        }
    }

    fn charge(&self, criterion: Criterion, point: &PathPoint) -> f64 {
        let (count, rows) = (point.support.len() as f64, (self.rows as f64).max(1.0));
        match criterion {
            Criterion::Akaike => 2.0 * count,
            Criterion::Bayes => count * rows.ln(),
            Criterion::ExtendedBayes { gamma } => count * rows.ln() + 2.0 * gamma * point.log_choices,
        }
    }
}

/// $\log\binom pk$
pub(crate) fn log_choices(columns: usize, features: usize) -> f64 {
    (0..features.min(columns)).map(|i| ((columns - i) as f64 / (i + 1) as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_supports_is_the_binomial_coefficient() {
        for (columns, features, count) in [(5, 2, 10.0_f64), (10, 10, 1.0), (10, 0, 1.0), (52, 5, 2_598_960.0)] {
            assert!((log_choices(columns, features) - count.ln()).abs() < 1e-12);
        }
    }
}
