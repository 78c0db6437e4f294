//! Averages of late iterates: $\bar\theta = \frac1m\sum_{k > K - m}\theta_k$, then projected.
//!
//! Averaging cancels the noise that single steps leave. The average starts afresh whenever the number of steps doubles, so it
//! always covers at least the last half or nothing; for non-convex sets also whenever the support of the projection changes,
//! since points of different pieces of the set have no meaningful mean.

use serde::{Deserialize, Serialize};

/// A running mean of iterates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TailAverage {
    is_convex: bool,
    mean: Vec<f64>,
    count: f64,
    restart_at: u64,
    support: Vec<bool>,
}

impl TailAverage {
    pub(crate) fn new(is_convex: bool) -> Self {
        Self { is_convex, mean: Vec::new(), count: 0.0, restart_at: 1, support: Vec::new() }
    }

    /// Takes in the iterate of a step.
    pub(crate) fn add(&mut self, step: u64, theta: &[f64]) {
        if step >= self.restart_at {
            self.count = 0.0;
            self.restart_at = 2 * step;
        }
        self.count += 1.0;
        self.mean.resize(theta.len(), 0.0);
        for (mean, theta) in self.mean.iter_mut().zip(theta) {
            *mean += (theta - *mean) / self.count;
        }
    }

    /// The average, if it means anything at a point with these projected coefficients.
    pub(crate) fn at_checkpoint(&mut self, coefficients: &[f64]) -> Option<&[f64]> {
        let has_changed = self.support.len() != coefficients.len()
            || coefficients.iter().zip(&self.support).any(|(value, was)| (*value != 0.0) != *was);
        self.support.clear();
        self.support.extend(coefficients.iter().map(|value| *value != 0.0));
        if has_changed && !self.is_convex {
            self.count = 0.0;
            return None;
        }
        (self.count > 1.0).then_some(&self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_covers_the_steps_since_the_last_power_of_two() {
        let mut average = TailAverage::new(true);
        for step in 1..=11 {
            average.add(step, &[step as f64]);
        }
        // 8, 9, 10, 11.
        assert_eq!(average.at_checkpoint(&[1.0]), Some(&[9.5][..]));
    }

    #[test]
    fn a_changed_support_starts_the_average_afresh() {
        let mut average = TailAverage::new(false);
        average.add(2, &[1.0, 0.0]);
        average.add(3, &[3.0, 0.0]);
        assert_eq!(average.at_checkpoint(&[3.0, 0.0]), None);
        average.add(5, &[5.0, 0.0]);
        average.add(6, &[7.0, 0.0]);
        assert_eq!(average.at_checkpoint(&[7.0, 0.0]), Some(&[6.0, 0.0][..]));
        assert_eq!(average.at_checkpoint(&[0.0, 7.0]), None);
    }
}
