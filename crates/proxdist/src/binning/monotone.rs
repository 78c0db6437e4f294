//! Bins whose mean responses rise, or fall, from bin to bin: the best of all, by a dynamic program.
//!
//! Let a bin have weight $W$, weighted sum of responses $S$ and mean $m = S/W$. Its cost is what its own mean leaves of the responses, up to a constant of the column:
//! for two labels $-\big(S\log m + (W - S)\log(1 - m)\big)$, the negative log-likelihood; for numbers $-S^2/W$ with responses counted from their mean, the sum of squares. Of all ways to cut the column into
//! at most $K$ bins such that
//!
//! - the means are strictly increasing, or strictly decreasing,
//! - every bin has at least the share $s$ of the weight, and
//! - for two labels, every bin has both of them (a bin of one label has no finite log odds),
//!
//! that of least cost is found: of the largest likelihood, which is also the largest mutual information with the response. One bin, that is no cut, always satisfies the first two, so there is an answer; ties go to fewer bins, then to rising means.
//!
//! Cuts are tried between all neighbouring values if there are at most 100 of them, at the quantiles of 1/100 otherwise. With $D_b(h, i)$ the least cost of $b$ bins on the first $i$ cells of which the last
//! begins after $h$, $$D_{b+1}(i, j) = c(i, j) + \min\{D_b(h, i) : m(h, i) < m(i, j)\},$$ which is exact since the condition on means links neighbours only.

use super::distinct::Distinct;
use super::{BinFault, Column, quantile};

/// Cells between which cuts are tried.
const CELLS: usize = 100;
/// Costs closer than this, relative to their size, are the same.
const SAME: f64 = 1e-12;

/// What the responses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Zeros and ones.
    Labels,
    /// Numbers.
    Numbers,
}

/// What bins must satisfy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) most: usize,
    pub(super) share: f64,
}

impl Target {
    pub(super) fn of(column: &Column) -> Result<Self, BinFault> {
        let response = column.response.ok_or(BinFault::NoResponse)?;
        if response.iter().any(|value| !value.is_finite()) {
            return Err(BinFault::NoResponse);
        }
        let is_label = |value: &f64| *value == 0.0 || *value == 1.0;
        Ok(if response.iter().all(is_label) { Self::Labels } else { Self::Numbers })
    }
}

/// Sums over the first cells, and what bins of them cost.
pub(super) struct Cells {
    weights: Vec<f64>,
    sums: Vec<f64>,
    /// Values below the end of each cell.
    ends: Vec<usize>,
    target: Target,
    least: f64,
}

impl Cells {
    pub(super) fn new(values: &[Distinct], share: f64, target: Target) -> Self {
        let mut ends = if values.len() <= CELLS { (1..values.len()).collect() } else { quantile::cuts(values, CELLS) };
        ends.push(values.len());
        let (weight, sum) = values.iter().fold((0.0, 0.0), |(w, s), value| (w + value.weight, s + value.sum));
        let centre = if target == Target::Numbers { sum / weight } else { 0.0 };
        let (mut weights, mut sums) = (vec![0.0], vec![0.0]);
        let (mut from, mut so_far) = (0, (0.0, 0.0));
        for &end in &ends {
            for value in &values[from..end] {
                so_far.0 += value.weight;
                so_far.1 += value.sum - centre * value.weight;
            }
            weights.push(so_far.0);
            sums.push(so_far.1);
            from = end;
        }
        // A bin that has just the share must not fail by rounding.
        Self { weights, sums, ends, target, least: share * weight * (1.0 - 1e-12) }
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    fn parts(&self, from: usize, to: usize) -> (f64, f64) {
        (self.weights[to] - self.weights[from], self.sums[to] - self.sums[from])
    }

    pub(super) fn mean(&self, from: usize, to: usize) -> f64 {
        let (weight, sum) = self.parts(from, to);
        sum / weight
    }

    /// The cost of the cells from one to another as a bin; none if they may not be one.
    pub(super) fn cost(&self, from: usize, to: usize) -> Option<f64> {
        let (weight, sum) = self.parts(from, to);
        let mean = sum / weight;
        if weight < self.least {
            return None;
        }
        match self.target {
            Target::Numbers => Some(-sum * mean),
            // Sums of whole numbers are exact, others are not: a trace of the other label is none.
            Target::Labels if mean <= 1e-12 || mean >= 1.0 - 1e-12 => None,
            Target::Labels => Some(-(sum * mean.ln() + (weight - sum) * (-mean).ln_1p())),
        }
    }
}

/// The numbers of values below each cut, increasing.
pub(super) fn cuts(values: &[Distinct], limits: Limits, target: Target) -> Vec<usize> {
    let cells = Cells::new(values, limits.share, target);
    let mut best: Option<(f64, Vec<usize>)> = None;
    for rising in [true, false] {
        for (cost, ends) in by_count(&cells, limits.most, rising) {
            let is_better = |(least, held): &(f64, Vec<usize>)| {
                let same = SAME * (1.0 + least.abs());
                cost < least - same || (cost <= least + same && ends.len() < held.len())
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((cost, ends));
            }
        }
    }
    let ends = best.map_or_else(Vec::new, |(_, ends)| ends);
    ends.into_iter().map(|end| cells.ends[end - 1]).collect()
}

/// The best cuts for each number of bins, in cells, with their cost.
fn by_count(cells: &Cells, most: usize, rising: bool) -> Vec<(f64, Vec<usize>)> {
    let count = cells.count();
    let size = count + 1;
    let at = |from: usize, to: usize| from * size + to;
    let mean = |from: usize, to: usize| if rising { cells.mean(from, to) } else { -cells.mean(from, to) };
    let mut own = vec![f64::INFINITY; size * size];
    for from in 0..count {
        for to in from + 1..=count {
            own[at(from, to)] = cells.cost(from, to).unwrap_or(f64::INFINITY);
        }
    }
    let mut layer = vec![f64::INFINITY; size * size];
    layer[..size].copy_from_slice(&own[..size]);
    let mut parents: Vec<Vec<usize>> = Vec::new();
    let mut found = Vec::new();
    for bins in 1..=most.min(count) {
        if bins > 1 {
            let mut next = vec![f64::INFINITY; size * size];
            let mut from_where = vec![0; size * size];
            for from in bins - 1..count {
                // Those that end here, by their means: a bin may follow all with a smaller one.
                let mut before: Vec<(f64, f64, usize)> = (bins - 2..from)
                    .filter(|&h| layer[at(h, from)].is_finite())
                    .map(|h| (mean(h, from), layer[at(h, from)], h))
                    .collect();
                before.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
                let mut least = (f64::INFINITY, 0);
                let upto: Vec<(f64, usize)> = before
                    .iter()
                    .map(|&(_, cost, h)| {
                        least = if cost < least.0 { (cost, h) } else { least };
                        least
                    })
                    .collect();
                for to in from + 1..=count {
                    let last = mean(from, to);
                    let smaller = before.partition_point(|(mean, ..)| *mean < last);
                    if let (Some(&(cost, h)), true) =
                        (smaller.checked_sub(1).map(|k| &upto[k]), own[at(from, to)].is_finite())
                    {
                        next[at(from, to)] = own[at(from, to)] + cost;
                        from_where[at(from, to)] = h;
                    }
                }
            }
            layer = next;
            parents.push(from_where);
        }
        let last = (0..count).min_by(|&a, &b| layer[at(a, count)].total_cmp(&layer[at(b, count)]).then(a.cmp(&b)));
        if let Some(mut from) = last.filter(|&from| layer[at(from, count)].is_finite()) {
            let cost = layer[at(from, count)];
            let (mut ends, mut to) = (Vec::new(), count);
            for parents in parents.iter().rev() {
                ends.push(from);
                (from, to) = (parents[at(from, to)], from);
            }
            ends.reverse();
            found.push((cost, ends));
        }
    }
    found
}
