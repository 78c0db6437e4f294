//! The loss of ordered labels as a function of the predictors, thresholds at their best.
//!
//! Given the thresholds the slope of a row is $\sigma(\eta - c_y) - \sigma(c_{y-1} - \eta)$, since the best thresholds do not add to it. The second derivatives are what is left of those in $(\eta, c)$ when the thresholds follow: with $h$ the diagonal
//! in $\eta$, $B$ the mixed and $T$ the tridiagonal ones in $c$, $\mathrm{diag}(h) - BT^{-1}B^T$.

use super::thresholds::Tridiagonal;
use crate::error::{Error, Result};
use crate::joint::{Bends, JointLoss, Order};

/// $\log(1 + e^z)$ with its two derivatives, for any $z$.
pub(super) fn odds(z: f64) -> (f64, f64, f64) {
    let tail = (-z.abs()).exp();
    let whole = 1.0 + tail;
    let slope = if z >= 0.0 { 1.0 / whole } else { tail / whole };
    (z.max(0.0) + tail.ln_1p(), slope, tail / (whole * whole))
}

/// The loss of some rows.
#[derive(Clone, Debug)]
pub(crate) struct OrdinalLoss {
    pub(super) labels: Vec<usize>,
    /// Weights that sum to one.
    pub(super) weights: Vec<f64>,
    /// The weight of each class.
    pub(super) shares: Vec<f64>,
}

impl OrdinalLoss {
    /// Of labels as numbers of their levels, counted from 0 in ascending order.
    pub(crate) fn new(labels: &[f64], levels: &[String], weights: &[f64]) -> Result<Self> {
        let classes = levels.len();
        if classes < 2 {
            return Err(Error::OneClass { class: levels.first().cloned().unwrap_or_default() });
        }
        let total: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let mut shares = vec![0.0; classes];
        let mut numbers = Vec::with_capacity(labels.len());
        for (row, (&value, weight)) in labels.iter().zip(&weights).enumerate() {
            if !(value >= 0.0 && value.fract() == 0.0 && value < classes as f64) {
                return Err(Error::ClassNumber { row, value, classes });
            }
            numbers.push(value as usize);
            shares[value as usize] += weight;
        }
        let present = shares.iter().filter(|share| **share > 0.0).count();
        if present == 1 {
            let only = shares.iter().position(|share| *share > 0.0).unwrap_or_default();
            return Err(Error::OneClass { class: levels[only].clone() });
        }
        match shares.iter().position(|share| *share == 0.0) {
            Some(absent) => Err(Error::AbsentLevel { level: levels[absent].clone() }),
            None => Ok(Self { labels: numbers, weights, shares }),
        }
    }

    pub(super) fn classes(&self) -> usize {
        self.shares.len()
    }
}

impl JointLoss for OrdinalLoss {
    fn value(&self, predictors: &[f64], free: &mut Vec<f64>) -> f64 {
        self.settle(predictors, free)
    }

    fn slopes(&self, predictors: &[f64], free: &mut Vec<f64>, slopes: &mut [f64]) -> f64 {
        let value = self.settle(predictors, free);
        if !value.is_finite() {
            slopes.fill(0.0);
            return f64::INFINITY;
        }
        let last = free.len();
        for (row, slope) in slopes.iter_mut().enumerate() {
            let (eta, class) = (predictors[row], self.labels[row]);
            let up = if class < last { odds(eta - free[class]).1 } else { 0.0 };
            let down = if class > 0 { odds(free[class - 1] - eta).1 } else { 0.0 };
            *slope = self.weights[row] * (up - down);
        }
        value
    }

    fn bends(&self, predictors: &[f64], free: &mut Vec<f64>) -> Box<dyn Bends + '_> {
        self.settle(predictors, free);
        let last = free.len();
        let mut inner = Tridiagonal::zeros(last);
        let (mut upper, mut lower) = (vec![0.0; predictors.len()], vec![0.0; predictors.len()]);
        for (row, (eta, &class)) in predictors.iter().zip(&self.labels).enumerate() {
            if class < last {
                upper[row] = self.weights[row] * odds(eta - free[class]).2;
                inner.diagonal[class] += upper[row];
            }
            if class > 0 {
                lower[row] = self.weights[row] * odds(free[class - 1] - eta).2;
                inner.diagonal[class - 1] += lower[row];
            }
        }
        self.add_barriers(free, &mut vec![0.0; last], &mut inner);
        inner.diagonal.iter_mut().for_each(|bend| *bend += f64::MIN_POSITIVE);
        Box::new(Curved { loss: self, upper, lower, inner })
    }

    fn is_tame(&self) -> bool {
        false
    }

    /// Along a ray thresholds can follow if no row is above one of a higher label.
    fn order(&self, v: &[f64]) -> Order {
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); self.classes()];
        for ((&v, &class), _) in v.iter().zip(&self.labels).zip(&self.weights).filter(|(_, weight)| **weight > 0.0) {
            ranges[class] = (ranges[class].0.min(v), ranges[class].1.max(v));
        }
        let (mut least, mut most, mut order) = (f64::INFINITY, f64::NEG_INFINITY, Order::default());
        for &(low, high) in &ranges {
            // Those of lower labels stand before.
            order.broken_by = order.broken_by.max(most - low);
            least = least.min(low);
            most = most.max(high);
        }
        order.kept_by = most - least;
        order
    }
}

/// The second derivatives at some predictors.
struct Curved<'l> {
    loss: &'l OrdinalLoss,
    /// Of the terms with the threshold above and below each row.
    upper: Vec<f64>,
    lower: Vec<f64>,
    inner: Tridiagonal,
}

impl Bends for Curved<'_> {
    fn times(&self, v: &mut [f64]) {
        let Self { loss, upper, lower, inner } = self;
        let mean: f64 = v.iter().zip(&loss.weights).map(|(v, w)| w * v).sum();
        v.iter_mut().for_each(|v| *v -= mean);
        let last = loss.classes() - 1;
        // How the thresholds follow.
        let mut moved = vec![0.0; last];
        for (row, v) in v.iter().enumerate() {
            let class = loss.labels[row];
            if class < last {
                moved[class] += upper[row] * v;
            }
            if class > 0 {
                moved[class - 1] += lower[row] * v;
            }
        }
        inner.solve(&mut moved);
        for (row, v) in v.iter_mut().enumerate() {
            let class = loss.labels[row];
            let above = if class < last { upper[row] * (*v - moved[class]) } else { 0.0 };
            let below = if class > 0 { lower[row] * (*v - moved[class - 1]) } else { 0.0 };
            *v = above + below;
        }
    }
}

/// The chances of the classes for a row with this predictor.
pub fn class_probabilities(predictor: f64, thresholds: &[f64], out: &mut Vec<f64>) {
    let last = thresholds.len();
    let chance = |class: usize| match (class.checked_sub(1).map(|k| thresholds[k]), thresholds.get(class)) {
        (None, None) => 1.0,
        (None, Some(upper)) => odds(upper - predictor).1,
        (Some(lower), None) => odds(predictor - lower).1,
        // σ(a) − σ(b) = σ(a) σ(−b) (1 − e^(b − a))
        (Some(lower), Some(upper)) => odds(upper - predictor).1 * odds(predictor - lower).1 * -(lower - upper).exp_m1(),
    };
    out.extend((0..=last).map(chance));
}
