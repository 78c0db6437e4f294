//! Rows of $G$ where the whole matrix does not fit: computed from the data when a feature may enter a support, and kept.
//!
//! A pass over the data costs nearly the same for one row as for a few, so features that may be asked for next come along. Where the
//! memory is full, the rows that were not used for longest make room.

use super::centred::{About, cross_rows, is_there};
use super::form::FormUnits;
use super::moments::{Centre, Working};
use crate::data::Pass;
use crate::error::Result;
use crate::objective::Objective;
use std::collections::HashMap;

/// Rows that are computed in one pass, at most.
pub(super) const TOGETHER: usize = 32;
/// Standard deviations that the mean of a column may be from zero before products with it need to be centred on both sides: one digit is lost.
const FAR: f64 = 10.0;

/// Rows that are there, and the way to others.
pub(super) struct OnDemand<'a> {
    objective: Objective<'a>,
    means: Vec<f64>,
    mean_response: f64,
    bend: f64,
    has_intercept: bool,
    /// $\sqrt{S_{jj}}$, one where nothing is left of a column.
    roots: Vec<f64>,
    is_usable: Vec<bool>,
    is_far: bool,
    linear: Vec<f64>,
    square: f64,
    rows: HashMap<usize, Kept>,
    most_rows: usize,
    clock: u64,
}

struct Kept {
    row: Vec<f64>,
    used: u64,
}

impl<'a> OnDemand<'a> {
    /// Looks at the columns one by one; `memory` in bytes is for rows, of which at least `least` are kept.
    pub(super) fn new(objective: Objective<'a>, has_intercept: bool, (memory, least): (usize, usize)) -> Result<Self> {
        let columns = objective.data.columns();
        let centre = Centre::first_row(objective, has_intercept)?;
        let size = 3 * columns + 2;
        let sums = Pass::over(objective.data, size).sum(
            size,
            || (Working::default(), Vec::new()),
            |part, (working, along): &mut (Working, Vec<f64>), chunk| {
                working.measure(objective, chunk);
                let (moments, rest) = part.split_at_mut(2 * columns);
                let (linear, rest) = rest.split_at_mut(columns);
                chunk.rows.add_moments(&working.weights, &centre.columns, moments);
                along.clear();
                along.extend(working.weights.iter().zip(&working.response).map(|(c, z)| c * (z - centre.response)));
                chunk.rows.add_transpose_times(along, linear);
                rest[0] += working.weights.iter().sum::<f64>();
                rest[1] += along.iter().zip(&working.response).map(|(a, z)| a * (z - centre.response)).sum::<f64>();
            },
        )?;
        let (bend, square) = (sums[3 * columns], sums[3 * columns + 1]);
        let mut means = centre.columns.clone();
        let mut squares = sums[columns..2 * columns].to_vec();
        if has_intercept && bend > 0.0 {
            for j in 0..columns {
                means[j] += sums[j] / bend;
                squares[j] -= sums[j] * sums[j] / bend;
            }
        }
        // The weighted sum of the centred response is zero, so the columns need not be centred here.
        let linear = sums[2 * columns..3 * columns].to_vec();
        let mean = |j: usize| if has_intercept { means[j] } else { 0.0 };
        // The squares of sparse rows were not centred before they were summed.
        let doubt = if centre.is_sparse { 1e12 } else { 1.0 };
        let is_usable: Vec<bool> = (0..columns).map(|j| is_there(squares[j], mean(j), doubt * bend)).collect();
        let roots = squares.iter().zip(&is_usable).map(|(s, is_usable)| if *is_usable { s.sqrt() } else { 1.0 });
        let roots: Vec<f64> = roots.collect();
        let is_far = (0..columns).any(|j| is_usable[j] && mean(j).abs() * bend.sqrt() > FAR * roots[j]);
        let most_rows = (memory / (8 * columns)).max(least + TOGETHER);
        let (rows, mean_response) = (HashMap::new(), centre.response);
        let clock = 0;
        Ok(Self {
            objective,
            means,
            mean_response,
            bend,
            has_intercept,
            roots,
            is_usable,
            is_far,
            linear,
            square,
            rows,
            most_rows,
            clock,
        })
    }

    /// $b$, the columns that vary, F without features, and the units.
    pub(super) fn form(&self) -> (Vec<f64>, Vec<bool>, f64, FormUnits) {
        let mass = self.objective.data.weight_sum();
        let linear = self.linear.iter().zip(&self.roots).map(|(b, root)| b / (root * mass.sqrt())).collect();
        let units = FormUnits {
            scales: self.roots.iter().map(|root| root / mass.sqrt()).collect(),
            means: self.means.clone(),
            mean_response: self.mean_response,
            bend: self.bend / mass,
            has_intercept: self.has_intercept,
        };
        (linear, self.is_usable.clone(), 0.5 * self.square / mass, units)
    }

    pub(super) fn set_diagonal(&mut self, column: usize, value: f64) {
        if let Some(kept) = self.rows.get_mut(&column) {
            kept.row[column] = value;
        }
    }

    /// Computes those of the `needed` rows that are missing, and some `likely` ones with them.
    pub(super) fn fetch(&mut self, needed: &[usize], likely: &[usize], diagonal: &[f64]) -> Result<()> {
        self.clock += 1;
        let clock = self.clock;
        needed.iter().filter_map(|j| self.rows.get_mut(j).map(|kept| kept.used = clock)).for_each(drop);
        let mut missing: Vec<usize> = needed.iter().copied().filter(|j| !self.rows.contains_key(j)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        for &j in likely {
            if missing.len() < TOGETHER && !self.rows.contains_key(&j) && !missing.contains(&j) {
                missing.push(j);
            }
        }
        missing.sort_unstable();
        let about = About {
            means: &self.means,
            mean_response: self.mean_response,
            has_intercept: self.has_intercept,
            is_far: self.is_far,
        };
        let columns = self.means.len();
        // Sums of many rows at a time would take as much memory as they may.
        for chosen in missing.chunks(TOGETHER) {
            let (mut cross, _) = cross_rows(self.objective, chosen, &about)?;
            for (&j, row) in chosen.iter().zip(cross.chunks_exact_mut(columns)) {
                row.iter_mut().zip(&self.roots).for_each(|(s, root)| *s /= self.roots[j] * root);
                row[j] = diagonal[j];
                self.rows.insert(j, Kept { row: row.to_vec(), used: clock });
            }
        }
        while self.rows.len() > self.most_rows {
            // The oldest, and of those the last column, so that the order in the map does not matter.
            let oldest = self.rows.iter().map(|(&j, kept)| (kept.used, std::cmp::Reverse(j))).min();
            match oldest {
                Some((used, std::cmp::Reverse(j))) if used < clock => drop(self.rows.remove(&j)),
                _ => break,
            }
        }
        Ok(())
    }

    /// A row that is there; without numbers if it was never asked for.
    pub(super) fn row(&self, column: usize) -> &[f64] {
        self.rows.get(&column).map_or(&[], |kept| &kept.row)
    }
}
