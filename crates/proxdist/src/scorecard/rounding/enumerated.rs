//! All cards of a region for which the parabola below the loss is under a level, one coordinate after the other.
//!
//! With $Q = RR^T$, $R$ lower triangular, the parabola is $L(x) + \sum_jg_j(k_j - x_j) + \tfrac12\sum_j\big(R_{jj}(k_j - x_j) + \sum_{l>j}R_{lj}(k_l - x_l)\big)^2$. Once $k_d, \dots, k_t$ are chosen, their squares and linear terms are known,
//! the other squares are not negative and the other linear terms no less than their minimum in the region: a bound that rises with every coordinate. Values of a coordinate are tried from the cheapest on, until one is too dear.

use super::problem::{Region, Whole};
use super::relaxed::{Relaxed, least_linear};

/// What rounding may do to a pivot, relative to its entry.
const TRIFLE: f64 = 1e-11;

/// How much a list may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Values tried.
    pub(super) steps: usize,
    /// Losses computed.
    pub(super) losses: usize,
}

/// The best card, and its loss.
pub(super) type Best = (Vec<i64>, f64);

struct List<'a> {
    problem: &'a Whole,
    region: &'a Region,
    at: &'a Relaxed,
    /// $R$, column by column.
    factor: &'a [f64],
    /// Coordinates in the order of $R$.
    order: &'a [usize],
    /// The least linear terms of the coordinates before each.
    rest: Vec<f64>,
    card: Vec<i64>,
    left: Allowance,
    best: Best,
}

/// Improves on the best card within a region; `false` if the allowance was not enough to list all.
pub(super) fn listed(problem: &Whole, region: &Region, at: &Relaxed, left: Allowance, best: &mut Best) -> bool {
    let columns = problem.columns();
    let below = problem.below(&at.point, region);
    // Coordinates that cost most are chosen first: they stand last. Those that are settled cost nothing.
    let mut order: Vec<usize> = (0..columns).filter(|&j| region.low[j] < region.high[j]).collect();
    order.sort_by(|&a, &b| below[a * columns + a].total_cmp(&below[b * columns + b]).then(a.cmp(&b)));
    let factor = factored(&below, &order, columns);
    let mut rest = vec![0.0; order.len() + 1];
    for (t, &j) in order.iter().enumerate() {
        rest[t + 1] = rest[t] + least_linear(&at.point, &at.look, region, j);
    }
    let held = std::mem::take(best);
    let card = region.low.clone();
    let mut list = List { problem, region, at, factor: &factor, order: &order, rest, card, left, best: held };
    let start = at.look.value - 1e-14 * (1.0 + at.look.value);
    let is_done = list.choose(order.len(), start);
    *best = list.best;
    is_done
}

/// $R$ of some coordinates in an order, column by column. A pivot that is all rounding is zero, which leaves a square out that is zero or positive.
fn factored(below: &[f64], order: &[usize], columns: usize) -> Vec<f64> {
    let size = order.len();
    let mut factor = vec![0.0; size * size];
    for a in 0..size {
        let entry = |b: usize, factor: &[f64]| {
            let before: f64 = (0..a).map(|c| factor[c * size + a] * factor[c * size + b]).sum();
            below[order[a] * columns + order[b]] - before
        };
        let square = entry(a, &factor);
        if square <= TRIFLE * below[order[a] * columns + order[a]] {
            continue;
        }
        // Less than it is by more than rounding has added.
        let pivot = (square * (1.0 - TRIFLE)).sqrt();
        factor[a * size + a] = pivot;
        for b in a + 1..size {
            factor[a * size + b] = entry(b, &factor) / pivot;
        }
    }
    factor
}

impl List<'_> {
    /// Chooses the coordinates before `t`, where those from `t` on are known to cost `so_far`.
    fn choose(&mut self, t: usize, so_far: f64) -> bool {
        let Some(place) = t.checked_sub(1) else { return self.judge() };
        let columns = self.order.len();
        let column = &self.factor[place * columns..(place + 1) * columns];
        let shift: f64 =
            (t..columns).map(|l| column[l] * (self.card[self.order[l]] as f64 - self.at.point[self.order[l]])).sum();
        let (j, pivot) = (self.order[place], column[place]);
        let (low, high) = (self.region.low[j], self.region.high[j]);
        let (x, g) = (self.at.point[j], self.at.look.gradient[j]);
        let cost = |k: i64| {
            let way = k as f64 - x;
            g * way + 0.5 * (pivot * way + shift).powi(2)
        };
        // The least of a parabola, then its neighbours on both sides.
        let least = if pivot > 0.0 { x - shift / pivot - g / (pivot * pivot) } else { -g * f64::MAX };
        let centre = least.clamp(low as f64, high as f64).round() as i64;
        let (mut down, mut up) = (centre, centre + 1);
        loop {
            let left = (down >= low).then(|| cost(down));
            let right = (up <= high).then(|| cost(up));
            let (k, more) = match (left, right) {
                (Some(left), Some(right)) if left <= right => (down, left),
                (_, Some(right)) => (up, right),
                (Some(left), None) => (down, left),
                (None, None) => return true,
            };
            if so_far + more + self.rest[place] >= self.best.1 - super::SAME {
                return true;
            }
            if self.left.steps == 0 {
                return false;
            }
            self.left.steps -= 1;
            self.card[j] = k;
            if !self.choose(place, so_far + more) {
                return false;
            }
            if k == down { down -= 1 } else { up += 1 }
        }
    }

    /// A card whose parabola is low enough.
    fn judge(&mut self) -> bool {
        if self.left.losses == 0 {
            return false;
        }
        self.left.losses -= 1;
        let loss = self.problem.loss(&self.card);
        if loss < self.best.1 {
            self.best = (self.card.clone(), loss);
        }
        true
    }
}
