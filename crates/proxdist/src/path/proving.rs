//! How far the models of a path can be from the best ones of their sizes.
//!
//! Sizes are taken from the largest down, each by branch and bound (`crate::proof`) for its share of the time. With $F_s$ the least F of at most $s$ features,
//! $F_{s} \ge F_{s+1}$: what is proven of a size is proven of all smaller ones.

use super::point::{Path, PathPoint};
use super::start::summed;
use crate::error::Result;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::proof::{Stopped, Summed};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Bytes for the matrix of all products of columns.
const MATRIX: usize = 1 << 31;

/// How long a proof of a path may take, and where it may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathProof {
    /// Time for all sizes and ridges together.
    pub time: Duration,
    /// Share of F by which a model may be above the best of its size.
    pub gap: f64,
}

impl Path {
    /// Bounds how far each point is above the least F of its size and ridge, where the loss is quadratic; in [`PathPoint::gap`]. `poll` may end it.
    pub fn prove(
        &mut self,
        problem: &Problem,
        wanted: PathProof,
        poll: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<()> {
        let began = Instant::now();
        let mut left = self.points.iter().filter(|point| point.size > 0).count();
        let (objective, layout) = (problem.objective(), self.layout);
        for points in self.points.chunk_by_mut(|before, after| before.size < after.size) {
            let Some(ridge) = points.first().map(|first| objective.ridge.with_weight(first.ridge)) else { continue };
            let Some(summed) = summed(Objective { ridge, ..objective }, MATRIX)? else { return Ok(()) };
            let mut least = f64::NEG_INFINITY;
            for point in points.iter_mut().rev().filter(|point| point.size > 0) {
                let share =
                    wanted.time.saturating_sub(began.elapsed()) / u32::try_from(left).unwrap_or(u32::MAX).max(1);
                left -= 1;
                let coefficients = layout.coefficients(&point.theta);
                let values: Vec<f64> = point.support.iter().map(|&j| coefficients[j]).collect();
                let scaled = summed.scaled(&point.support, &values);
                let Some(own) = lower(&summed, point, &scaled, Limit { share, gap: wanted.gap, poll }) else {
                    continue;
                };
                least = least.max(own);
                let value = summed.choices(point.size).settle_within(0, &point.support, &scaled).upper;
                let gap = (value - least).max(0.0) + summed.doubt(&scaled);
                point.gap = Some(gap).filter(|gap| gap.is_finite());
                if poll().is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// When the search at one size ends.
struct Limit<'p> {
    share: Duration,
    gap: f64,
    poll: &'p mut dyn FnMut() -> ControlFlow<()>,
}

/// A proven lower bound of the least F of the size of a point.
fn lower(summed: &Summed, point: &PathPoint, scaled: &[f64], limit: Limit) -> Option<f64> {
    let began = Instant::now();
    let search = summed.choices(point.size);
    let value = search.settle_within(0, &point.support, scaled).upper.abs();
    let rounding = 2.0 * summed.doubt(scaled) / value;
    let search = search.tolerance((limit.gap - rounding).max(0.5 * limit.gap));
    let mut state = search.begin(&point.support);
    let Limit { share, poll, .. } = limit;
    let stopped = search.run(&mut state, &mut |_| {
        if began.elapsed() >= share { ControlFlow::Break(()) } else { poll() }
    });
    (stopped != Stopped::Dependent).then(|| state.lower())
}
