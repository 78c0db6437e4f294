//! Segments between two points of the relaxation (`relax`), and the least value on them.
//!
//! $P$ is convex, so along a segment its derivative rises, with jumps where a unit of one column crosses zero.

use super::family::{Levels, NO_POOL};
use super::relax::{Point, Walk};
use std::ops::Range;

/// The way from a point to another one, in $y = D^{1/2}\theta$ on the units that are not zero at one of its ends.
pub(super) struct Segment {
    target: Point,
    columns: Vec<usize>,
    /// Where each unit ends among the columns; nothing if every unit has one column.
    ends: Vec<usize>,
    /// The pool of each unit that is free.
    pools: Vec<u32>,
    from: Vec<f64>,
    by: Vec<f64>,
    /// The residual times the changes, at both ends.
    start: f64,
    end: f64,
}

impl Segment {
    /// The columns of a unit.
    fn span(&self, unit: usize) -> Range<usize> {
        if self.ends.is_empty() {
            return unit..unit + 1;
        }
        let start = unit.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[unit]
    }

    /// $a_u$ on the way, and its derivative; at zero the one to the right.
    fn magnitude(&self, unit: usize, t: f64) -> (f64, f64) {
        let span = self.span(unit);
        if span.len() == 1 {
            let (y, by) = (self.from[span.start] + t * self.by[span.start], self.by[span.start]);
            return (y.abs(), if y == 0.0 { by.abs() } else { by * y.signum() });
        }
        let (mut square, mut slope, mut length) = (0.0, 0.0, 0.0);
        for k in span {
            let y = self.from[k] + t * self.by[k];
            square += y * y;
            slope += y * self.by[k];
            length += self.by[k] * self.by[k];
        }
        let a: f64 = f64::sqrt(square);
        (a, if a == 0.0 { f64::sqrt(length) } else { slope / a })
    }
}

impl Walk<'_> {
    /// Goes to the best point of the segment to another one; returns which part of it that is.
    pub(super) fn go_to(&mut self, target: Point) -> f64 {
        let segment = self.segment(target);
        let step = self.best_step(&segment);
        self.advance(segment, step);
        step
    }

    pub(super) fn segment(&self, target: Point) -> Segment {
        let runs = self.node.runs;
        let is_used = |j: usize| self.at.theta[j] != 0.0 || target.theta[j] != 0.0;
        let (mut columns, mut ends, mut pools) = (Vec::new(), Vec::new(), Vec::new());
        for unit in 0..runs.len() {
            let range = runs.columns(unit);
            if range.clone().any(is_used) {
                pools.push(if self.is_free(unit) { runs.pool(unit) } else { NO_POOL });
                columns.extend(range);
                if !runs.is_single() {
                    ends.push(columns.len());
                }
            }
        }
        let (mut from, mut by) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
        let (mut start, mut end) = (0.0, 0.0);
        for &j in &columns {
            let change = target.theta[j] - self.at.theta[j];
            from.push(self.roots[j] * self.at.theta[j]);
            by.push(self.roots[j] * change);
            start += self.at.residual[j] * change;
            end += target.residual[j] * change;
        }
        Segment { target, columns, ends, pools, from, by, start, end }
    }

    pub(super) fn best_step(&mut self, segment: &Segment) -> f64 {
        let mut work = std::mem::take(&mut self.work);
        let step = root_in_unit(|t| self.slope(segment, t, &mut work));
        self.work = work;
        step
    }

    /// The derivative of $P$ along a segment.
    fn slope(&self, segment: &Segment, t: f64, work: &mut [Vec<f64>]) -> f64 {
        work.iter_mut().for_each(Vec::clear);
        for (unit, &pool) in segment.pools.iter().enumerate().filter(|(_, pool)| **pool != NO_POOL) {
            let (a, _) = segment.magnitude(unit, t);
            if a != 0.0 {
                work[pool as usize].push(a);
            }
        }
        let levels = Levels::of(work, self.node.room).pools;
        let mut slope = 0.0;
        for (unit, &pool) in segment.pools.iter().enumerate() {
            let (a, growth) = segment.magnitude(unit, t);
            let level = if pool == NO_POOL { 0.0 } else { levels[pool as usize] };
            slope += a.max(level) * growth;
        }
        slope - (1.0 - t) * segment.start - t * segment.end
    }

    pub(super) fn advance(&mut self, segment: Segment, step: f64) {
        if step == 1.0 {
            self.at = segment.target;
        } else if step > 0.0 {
            for &j in &segment.columns {
                self.at.theta[j] += step * (segment.target.theta[j] - self.at.theta[j]);
            }
            self.at.residual.iter_mut().zip(&segment.target.residual).for_each(|(r, to)| *r += step * (to - *r));
        }
    }

    /// The least point of a segment on which columns cross zero, and the column if it is where one does.
    pub(super) fn kinked_step(&mut self, segment: &Segment, mut crossings: Vec<(f64, usize)>) -> (f64, Option<usize>) {
        crossings.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut work = std::mem::take(&mut self.work);
        let mut slope = |t: f64| self.slope(segment, t, &mut work);
        // The slope rises along the segment: the first crossing before which it is not negative any more.
        let next = crossings.partition_point(|(t, _)| slope(t * (1.0 - 1e-9)) < 0.0);
        let kink = next.checked_sub(1).map(|last| crossings[last]);
        let low = kink.map_or(0.0, |(t, _)| t * (1.0 + 1e-9));
        let found = match kink {
            Some((t, column)) if slope(low) >= 0.0 => (t, Some(column)),
            _ => {
                let high = crossings.get(next).map_or(1.0, |(t, _)| *t);
                (low + (high - low) * root_in_unit(|part| slope(low + (high - low) * part)), None)
            }
        };
        self.work = work;
        found
    }
}

/// Where a rising function crosses zero between 0 and 1, or the end that is nearest to that.
fn root_in_unit(mut slope: impl FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let (mut below, mut above) = (slope(low), slope(high));
    // Written so that NaN goes nowhere.
    let goes_down = below < 0.0;
    if !goes_down {
        return 0.0;
    }
    if above <= 0.0 {
        return 1.0;
    }
    let size = -below;
    let mut was_below = None;
    for _ in 0..20 {
        let t = low - below * (high - low) / (above - below);
        let value = slope(t);
        if value.abs() <= 1e-3 * size || high - low < 1e-6 {
            return t;
        }
        // The Illinois rule: an end that stays twice loses half its weight.
        let is_below = value < 0.0;
        if is_below {
            (low, below) = (t, value);
        } else {
            (high, above) = (t, value);
        }
        if was_below == Some(is_below) {
            *(if is_below { &mut above } else { &mut below }) *= 0.5;
        }
        was_below = Some(is_below);
    }
    low
}
