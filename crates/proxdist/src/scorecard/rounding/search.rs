//! Branch and bound: boxes by their bounds, the least first.

use super::SAME;
use super::enumerated::{Allowance, Best, listed};
use super::problem::{Region, Whole};
use super::relaxed::{Relaxed, relaxed};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What one box may take before it is cut in two.
const ALLOWANCE: Allowance = Allowance { steps: 200_000, losses: 2_000 };

/// A card, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) card: Vec<i64>,
    pub(crate) loss: f64,
    /// No card has a smaller loss than this.
    pub(crate) bound: f64,
    /// Boxes that were looked at.
    pub(crate) boxes: usize,
}

struct Open {
    region: Region,
    at: Relaxed,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    /// The least bound is the greatest; then the order of the bounds of the region, so that runs repeat.
    fn cmp(&self, other: &Self) -> Ordering {
        let bounds = other.at.bound.total_cmp(&self.at.bound);
        bounds
            .then_with(|| other.region.low.cmp(&self.region.low))
            .then_with(|| other.region.high.cmp(&self.region.high))
    }
}

/// The best card; `real` are the numbers to be rounded. Looks at so many boxes at most.
pub(crate) fn search(problem: &Whole, real: &[f64], most: usize) -> Found {
    let region = Region { low: problem.low.clone(), high: problem.high.clone() };
    let at = relaxed(problem, &region, real);
    let mut best = start(problem, &region, &[real, &at.point]);
    let mut open = BinaryHeap::new();
    open.push(Open { region, at });
    let mut boxes = 0;
    while let Some(Open { region, at }) = open.pop() {
        if at.bound >= best.1 - SAME {
            // The least of all bounds: nothing that is left is better.
            open.clear();
            break;
        }
        if boxes >= most {
            open.push(Open { region, at });
            break;
        }
        boxes += 1;
        if listed(problem, &region, &at, ALLOWANCE, &mut best) {
            continue;
        }
        let Some(halves) = halves(problem, &region, &at.point) else { continue };
        for half in halves {
            let mut inner = relaxed(problem, &half, &at.point);
            // What bounds a box bounds its parts.
            inner.bound = inner.bound.max(at.bound);
            if inner.bound < best.1 - SAME {
                open.push(Open { region: half, at: inner });
            }
        }
    }
    let bound = open.peek().map_or(best.1, |open| open.at.bound.min(best.1));
    Found { card: best.0, loss: best.1, bound, boxes }
}

/// Two parts of a region, cut where it is widest in the predictor; none if it is one card, which is then its own best.
fn halves(problem: &Whole, region: &Region, point: &[f64]) -> Option<[Region; 2]> {
    let columns = problem.columns();
    let mut sizes = vec![0.0; columns];
    for (row, weight) in problem.rows.values.chunks_exact(columns).zip(&problem.rows.weights) {
        sizes.iter_mut().zip(row).for_each(|(size, z)| *size += weight * z * z);
    }
    let width = |j: usize| (region.high[j] - region.low[j]) as f64 * sizes[j].sqrt();
    let wide = (0..columns).filter(|&j| region.high[j] > region.low[j]);
    let j = wide.max_by(|&a, &b| width(a).total_cmp(&width(b)).then(b.cmp(&a)))?;
    let last = (point[j].floor() as i64).clamp(region.low[j], region.high[j] - 1);
    let (mut left, mut right) = (region.clone(), region.clone());
    left.high[j] = last;
    right.low[j] = last + 1;
    Some([left, right])
}

/// A first card: rounded, then better by one coordinate at a time with the best first one beside it, as long as there is one.
fn start(problem: &Whole, region: &Region, points: &[&[f64]]) -> Best {
    let rounded = |point: &&[f64]| -> Vec<i64> { region.clamped(point).iter().map(|x| x.round() as i64).collect() };
    let cards = points.iter().map(rounded).map(|card| descended(problem, region, card));
    cards.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
}

fn descended(problem: &Whole, region: &Region, card: Vec<i64>) -> Best {
    let mut best = problem.with_best_first(card, region);
    loop {
        let before = best.1;
        for j in 1..problem.columns() {
            for step in [-1, 1] {
                let mut trial = best.0.clone();
                trial[j] += step;
                if (region.low[j]..=region.high[j]).contains(&trial[j]) {
                    let found = problem.with_best_first(trial, region);
                    best = if found.1 < best.1 - 1e-12 { found } else { best };
                }
            }
        }
        if best.1 >= before - 1e-12 {
            return best;
        }
    }
}
