//! The loss of a card, its derivatives, and the parabola below it in a box.

use super::patterns::Patterns;
use crate::loss::{Logistic, Loss as _};

/// $L(k)$ with the bounds of $k$.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    pub(crate) rows: Patterns,
    pub(crate) low: Vec<i64>,
    pub(crate) high: Vec<i64>,
}

/// Bounds of whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) low: Vec<i64>,
    pub(super) high: Vec<i64>,
}

impl Region {
    /// Numbers between the bounds that are nearest.
    pub(super) fn clamped(&self, point: &[f64]) -> Vec<f64> {
        let each = point.iter().zip(self.low.iter().zip(&self.high));
        each.map(|(value, (&low, &high))| value.clamp(low as f64, high as f64)).collect()
    }
}

/// Loss and derivatives at a point.
pub(super) struct Look {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// Second derivatives, `columns × columns`.
    pub(super) hessian: Vec<f64>,
}

impl Whole {
    pub(super) fn columns(&self) -> usize {
        self.rows.columns
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows.values[i * self.columns()..(i + 1) * self.columns()]
    }

    fn predictor(&self, i: usize, point: &[f64]) -> f64 {
        self.rows.constants[i] + self.row(i).iter().zip(point).map(|(z, k)| z * k).sum::<f64>()
    }

    pub(super) fn value(&self, point: &[f64]) -> f64 {
        let loss = |i: usize| self.rows.weights[i] * Logistic.value(self.predictor(i, point), self.rows.responses[i]);
        (0..self.rows.weights.len()).map(loss).sum()
    }

    /// The loss of whole numbers.
    pub(crate) fn loss(&self, card: &[i64]) -> f64 {
        self.value(&card.iter().map(|&k| k as f64).collect::<Vec<_>>())
    }

    /// A card with the best first number for the others, and its loss: the first at which the loss does not fall any more, or the one before it.
    pub(super) fn with_best_first(&self, mut card: Vec<i64>, region: &Region) -> (Vec<i64>, f64) {
        card[0] = 0;
        let point: Vec<f64> = card.iter().map(|&k| k as f64).collect();
        let rest: Vec<f64> = (0..self.rows.weights.len()).map(|i| self.predictor(i, &point)).collect();
        let rises = |first: i64| {
            let slope = |i: usize| {
                let z = self.row(i)[0];
                self.rows.weights[i] * z * Logistic.slope(rest[i] + z * first as f64, self.rows.responses[i])
            };
            (0..rest.len()).map(slope).sum::<f64>() >= 0.0
        };
        let (mut low, mut high) = (region.low[0], region.high[0]);
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if rises(middle) { (low, middle) } else { (middle + 1, high) };
        }
        let choices = [low - 1, low].into_iter().filter(|first| *first >= region.low[0]);
        let of = |first: i64| {
            let mut card = card.clone();
            card[0] = first;
            let loss = self.loss(&card);
            (card, loss)
        };
        choices.map(of).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    pub(super) fn look(&self, point: &[f64]) -> Look {
        let columns = self.columns();
        let mut look = Look { value: 0.0, gradient: vec![0.0; columns], hessian: vec![0.0; columns * columns] };
        for i in 0..self.rows.weights.len() {
            let (eta, y, weight) = (self.predictor(i, point), self.rows.responses[i], self.rows.weights[i]);
            look.value += weight * Logistic.value(eta, y);
            let (slope, curvature) = (weight * Logistic.slope(eta, y), weight * Logistic.curvature(eta, y));
            add_row(self.row(i), slope, curvature, &mut look.gradient, &mut look.hessian);
        }
        mirrored(&mut look.hessian, columns);
        look
    }

    /// $Q$ of the parabola that touches the loss at a point and is below it in a region.
    pub(super) fn below(&self, point: &[f64], region: &Region) -> Vec<f64> {
        let columns = self.columns();
        let mut below = vec![0.0; columns * columns];
        let mut unused = vec![0.0; columns];
        for i in 0..self.rows.weights.len() {
            let (eta, y) = (self.predictor(i, point), self.rows.responses[i]);
            let (mut down, mut up) = (0.0, 0.0);
            for (j, z) in self.row(i).iter().enumerate().filter(|(_, z)| **z != 0.0) {
                let ends = [region.low[j], region.high[j]].map(|end| z * (end as f64 - point[j]));
                down += ends[0].min(ends[1]);
                up += ends[0].max(ends[1]);
            }
            let curvature = self.rows.weights[i] * Logistic.least_chord(eta, y, (eta + down, eta + up));
            add_row(self.row(i), 0.0, curvature, &mut unused, &mut below);
        }
        mirrored(&mut below, columns);
        below
    }
}

/// Adds a row to a gradient and to the lower triangle of a matrix.
fn add_row(row: &[f64], slope: f64, curvature: f64, gradient: &mut [f64], matrix: &mut [f64]) {
    let columns = row.len();
    for (j, z) in row.iter().enumerate().filter(|(_, z)| **z != 0.0) {
        gradient[j] += slope * z;
        let scaled = curvature * z;
        matrix[j * columns..=j * columns + j].iter_mut().zip(row).for_each(|(entry, other)| *entry += scaled * other);
    }
}

fn mirrored(matrix: &mut [f64], size: usize) {
    for j in 0..size {
        for l in 0..j {
            matrix[l * size + j] = matrix[j * size + l];
        }
    }
}
