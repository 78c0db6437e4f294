//! The best thresholds for given predictors.
//!
//! For a row of class $y$ with $a = c_y - \eta$ and $b = c_{y-1} - \eta$ the loss is
//! $$-\log(\sigma(a) - \sigma(b)) = \log(1 + e^{-a}) + \log(1 + e^{b}) - \log(1 - e^{-(c_y - c_{y-1})}),$$
//! in which nothing cancels, however extreme $\eta$ is, and the last term does not depend on the row: it is a barrier that keeps the thresholds in order. It is convex in all thresholds with a tridiagonal Hessian, so Newton's method takes $O(n)$ a step; a
//! step goes at most most of the way to where two thresholds would meet.

use super::loss::{OrdinalLoss, odds};

/// Newton steps, and halvings of one.
const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 60;
/// Squares of the Newton decrement: where full steps are taken without a look at the value, and where there is nothing left to gain.
const NEAR: f64 = 1e-8;
const SETTLED: f64 = 1e-30;
/// Share of the way to the next threshold that a step may go.
const MOST_OF_THE_WAY: f64 = 0.9;
/// Added to the curvature where next to no row bends.
const LEAST_BEND: f64 = 1e-13;

/// $-\log(1 - e^{-\delta})$ with its two derivatives, $\delta > 0$.
pub(super) fn barrier(gap: f64) -> (f64, f64, f64) {
    let value = if gap < std::f64::consts::LN_2 { -(-(-gap).exp_m1()).ln() } else { -(-(-gap).exp()).ln_1p() };
    let inverse = 1.0 / gap.exp_m1();
    (value, -inverse, inverse + inverse * inverse)
}

/// A symmetric tridiagonal matrix that is positive definite.
#[derive(Clone, Debug)]
pub(super) struct Tridiagonal {
    pub(super) diagonal: Vec<f64>,
    /// Entry `k` is beside the diagonal at rows `k` and `k + 1`.
    pub(super) beside: Vec<f64>,
}

impl Tridiagonal {
    pub(super) fn zeros(size: usize) -> Self {
        Self { diagonal: vec![0.0; size], beside: vec![0.0; size.saturating_sub(1)] }
    }

    /// Solves in place.
    pub(super) fn solve(&self, right: &mut [f64]) {
        let size = right.len();
        let mut pivots = self.diagonal.clone();
        for k in 1..size {
            let factor = self.beside[k - 1] / pivots[k - 1];
            pivots[k] -= factor * self.beside[k - 1];
            right[k] -= factor * right[k - 1];
        }
        for k in (0..size).rev() {
            let later = if k + 1 < size { self.beside[k] * right[k + 1] } else { 0.0 };
            right[k] = (right[k] - later) / pivots[k];
        }
    }
}

impl OrdinalLoss {
    /// Takes thresholds to their best for these predictors; returns the value there.
    pub(super) fn settle(&self, predictors: &[f64], thresholds: &mut Vec<f64>) -> f64 {
        let size = self.classes() - 1;
        if !predictors.iter().all(|eta| eta.is_finite()) {
            return f64::INFINITY;
        }
        if thresholds.len() != size {
            *thresholds = self.first(predictors);
        }
        let mut value = self.value_at(predictors, thresholds);
        if !value.is_finite() {
            *thresholds = self.first(predictors);
            value = self.value_at(predictors, thresholds);
        }
        let (mut slopes, mut trial) = (vec![0.0; size], vec![0.0; size]);
        for _ in 0..MOST_STEPS {
            let mut bends = self.derivatives(predictors, thresholds, &mut slopes);
            bends.diagonal.iter_mut().for_each(|bend| *bend += LEAST_BEND);
            let mut step: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
            bends.solve(&mut step);
            let decrement: f64 = -slopes.iter().zip(&step).map(|(g, s)| g * s).sum::<f64>();
            if !decrement.is_finite() || decrement <= SETTLED {
                break;
            }
            let gaps = thresholds.windows(2).zip(step.windows(2)).map(|(c, s)| (c[1] - c[0], s[1] - s[0]));
            let closing = gaps.filter(|(_, change)| *change < 0.0).map(|(gap, change)| MOST_OF_THE_WAY * gap / -change);
            let mut length = closing.fold(1.0, f64::min);
            let mut is_taken = false;
            for _ in 0..MOST_HALVINGS {
                trial.iter_mut().zip(&*thresholds).zip(&step).for_each(|((t, c), s)| *t = c + length * s);
                let next = self.value_at(predictors, &trial);
                if next <= value - 1e-4 * length * decrement || (decrement < NEAR && next.is_finite()) {
                    (value, is_taken) = (next, true);
                    break;
                }
                length *= 0.5;
            }
            if !is_taken {
                break;
            }
            let is_still = trial.iter().zip(&*thresholds).all(|(a, b)| (a - b).abs() <= 2.0 * f64::EPSILON * a.abs());
            thresholds.copy_from_slice(&trial);
            if is_still {
                break;
            }
        }
        value
    }

    /// Thresholds from the shares of the classes, about the mean predictor.
    fn first(&self, predictors: &[f64]) -> Vec<f64> {
        let mean = predictors.iter().zip(&self.weights).map(|(eta, w)| w * eta).sum::<f64>();
        let mut below = 0.0;
        let shares = self.shares[..self.shares.len() - 1].iter();
        let cut = |share: &f64| {
            below += share;
            mean + (below / (1.0 - below).max(f64::MIN_POSITIVE)).ln()
        };
        let mut found: Vec<f64> = shares.map(cut).collect();
        for k in 1..found.len() {
            // Shares next to nothing may leave no gap.
            let least = found[k - 1] + 1e-9 * (1.0 + found[k - 1].abs());
            found[k] = found[k].max(least);
        }
        found
    }

    pub(super) fn value_at(&self, predictors: &[f64], thresholds: &[f64]) -> f64 {
        if thresholds.windows(2).any(|pair| pair[0] >= pair[1]) {
            return f64::INFINITY;
        }
        let last = thresholds.len();
        let mut total = 0.0;
        for ((eta, &class), weight) in predictors.iter().zip(&self.labels).zip(&self.weights) {
            if *weight > 0.0 {
                let above = if class < last { odds(eta - thresholds[class]).0 } else { 0.0 };
                let below = if class > 0 { odds(thresholds[class - 1] - eta).0 } else { 0.0 };
                total += weight * (above + below);
            }
        }
        let between = thresholds.windows(2).zip(&self.shares[1..]);
        total + between.map(|(pair, share)| share * barrier(pair[1] - pair[0]).0).sum::<f64>()
    }

    /// The slopes in the thresholds, and their second derivatives.
    fn derivatives(&self, predictors: &[f64], thresholds: &[f64], slopes: &mut [f64]) -> Tridiagonal {
        let (size, mut bends) = (thresholds.len(), Tridiagonal::zeros(thresholds.len()));
        slopes.fill(0.0);
        for ((eta, &class), weight) in predictors.iter().zip(&self.labels).zip(&self.weights) {
            if *weight == 0.0 {
                continue;
            }
            if class < size {
                let (_, slope, bend) = odds(eta - thresholds[class]);
                slopes[class] -= weight * slope;
                bends.diagonal[class] += weight * bend;
            }
            if class > 0 {
                let (_, slope, bend) = odds(thresholds[class - 1] - eta);
                slopes[class - 1] += weight * slope;
                bends.diagonal[class - 1] += weight * bend;
            }
        }
        self.add_barriers(thresholds, slopes, &mut bends);
        bends
    }

    pub(super) fn add_barriers(&self, thresholds: &[f64], slopes: &mut [f64], bends: &mut Tridiagonal) {
        for (k, pair) in thresholds.windows(2).enumerate() {
            let (_, slope, bend) = barrier(pair[1] - pair[0]);
            let share = self.shares[k + 1];
            slopes[k] -= share * slope;
            slopes[k + 1] += share * slope;
            bends.diagonal[k] += share * bend;
            bends.diagonal[k + 1] += share * bend;
            bends.beside[k] -= share * bend;
        }
    }
}
