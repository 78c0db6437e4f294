//! Which columns of the data depend on each other exactly?
//!
//! The matrix of products says, up to rounding, of which columns another one is a combination, and with which coefficients. That is an estimate; a relation counts only if its coefficients are small whole numbers
//! (all indicators of one text column, a column twice, a sum of counts beside its terms) and if the sum over its columns is the same number in every row, or zero without an intercept, with no operation rounded.
//! Beside an intercept a column with two values stands for their indicator, whatever the values are: both span the same.

use super::on_data::Summed;
use super::positive::is_shown;
use super::relations::Relation;
use crate::data::{Wanted, length};
use crate::error::Result;
use crate::linalg::Cholesky;
use crate::objective::Objective;

/// Columns, and numbers in the data, up to which relations are looked for.
const MOST_COLUMNS: usize = 1000;
const MOST_NUMBERS: usize = 1_000_000_000;
/// Part of a column that the others leave where it may be a combination of them.
const REST: f64 = 1e-7;
/// Distance from whole numbers, and the largest number that the smallest coefficient may stand for.
const WHOLE: f64 = 1e-5;
const DENOMINATORS: i64 = 12;

/// What is known of the values of a column: two of them if there are no more.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    None,
    One(f64),
    Two(f64, f64),
    Many,
}

impl Values {
    fn seen(self, value: f64) -> Self {
        match self {
            Self::None => Self::One(value),
            Self::One(first) if first != value => Self::Two(first, value),
            Self::Two(first, second) if first != value && second != value => Self::Many,
            known => known,
        }
    }

    /// The value that takes part in relations, and how much of the column it is.
    fn of(self, value: f64) -> f64 {
        if let Self::Two(first, _) = self { f64::from(u8::from(value != first)) } else { value }
    }

    fn unit(self) -> f64 {
        if let Self::Two(first, second) = self { second - first } else { 1.0 }
    }
}

/// The relations among columns without a ridge that hold exactly, where the columns are not shown to be independent.
pub(crate) fn relations(objective: Objective, summed: &Summed) -> Result<Vec<Relation>> {
    let (columns, rows) = (objective.data.columns(), objective.data.rows());
    let is_affordable = columns <= MOST_COLUMNS && columns.saturating_mul(rows) <= MOST_NUMBERS;
    let quadratic = &summed.quadratic;
    let effective: Vec<usize> = (0..columns).filter(|&j| quadratic.is_effective(j)).collect();
    if !is_affordable || effective.is_empty() {
        return Ok(Vec::new());
    }
    let size = effective.len();
    let mut gram: Vec<f64> = Vec::with_capacity(size * size);
    effective.iter().for_each(|&j| gram.extend(effective.iter().map(|&k| quadratic.row(j)[k])));
    if is_shown(&gram, &vec![0.0; size], &mut Cholesky::default()) {
        return Ok(Vec::new());
    }
    let mut values = vec![Values::None; columns];
    if objective.has_intercept {
        each_row(objective, &mut |row| values.iter_mut().zip(row).for_each(|(known, x)| *known = known.seen(*x)))?;
    }
    // In the units of the values that take part.
    let unit = |j: usize| values[j].unit() / (summed.scales[j] * quadratic.scales[j]);
    let candidates: Vec<Relation> = combinations(gram, size)
        .into_iter()
        .filter_map(|combination| {
            let scaled = combination.iter().map(|&(at, c)| (effective[at], c * unit(effective[at])));
            whole(&scaled.collect::<Vec<_>>())
        })
        .filter(|relation| relation.iter().all(|(j, _)| objective.ridge.at(*j) == 0.0))
        .collect();
    verified(objective, &values, candidates)
}

/// For each column that is a combination of those before it, its coefficients and minus one for itself.
fn combinations(mut gram: Vec<f64>, size: usize) -> Vec<Vec<(usize, f64)>> {
    let (mut before, mut found): (Vec<usize>, Vec<Vec<(usize, f64)>>) = (Vec::new(), Vec::new());
    for k in 0..size {
        let pivot = gram[k * size + k];
        if pivot <= REST {
            let mut combination: Vec<(usize, f64)> = before.iter().map(|&i| (i, gram[i * size + k])).collect();
            combination.push((k, -1.0));
            found.push(combination);
            continue;
        }
        let own: Vec<f64> = gram[k * size + k + 1..(k + 1) * size].iter().map(|x| x / pivot).collect();
        for (i, row) in gram.chunks_exact_mut(size).enumerate().filter(|(i, _)| *i != k) {
            let factor = if before.contains(&i) || i > k { row[k] } else { 0.0 };
            row[k + 1..].iter_mut().zip(&own).for_each(|(x, own)| *x -= factor * own);
        }
        gram[k * size + k + 1..(k + 1) * size].copy_from_slice(&own);
        before.push(k);
    }
    found
}

/// Coefficients as whole numbers, if they are nearly in the ratios of small ones.
fn whole(combination: &[(usize, f64)]) -> Option<Relation> {
    let most = combination.iter().map(|(_, c)| c.abs()).fold(0.0, f64::max);
    let kept: Vec<(usize, f64)> = combination.iter().copied().filter(|(_, c)| c.abs() > WHOLE * most).collect();
    let least = kept.iter().map(|(_, c)| c.abs()).fold(f64::INFINITY, f64::min);
    let is_whole = |c: f64| (c - c.round()).abs() <= WHOLE * c.abs() && c.abs() < 1e6;
    let times =
        (1..=DENOMINATORS).map(|t| t as f64 / least).find(|times| kept.iter().all(|(_, c)| is_whole(c * times)))?;
    Some(kept.into_iter().map(|(j, c)| (j, (c * times).round() as i64)).collect())
}

/// The relations that hold in every row.
fn verified(objective: Objective, values: &[Values], candidates: Vec<Relation>) -> Result<Vec<Relation>> {
    let wanted =
        |row: &[f64], relation: &Relation| exact_sum(relation.iter().map(|&(j, c)| (c as f64, values[j].of(row[j]))));
    let zero = if objective.has_intercept { None } else { Some(0.0) };
    // What each sum is, and whether it has been that in all rows.
    let mut sums: Vec<(Option<f64>, bool)> = vec![(zero, true); candidates.len()];
    each_row(objective, &mut |row| {
        for (relation, (sum, holds)) in candidates.iter().zip(&mut sums).filter(|(_, (_, holds))| *holds) {
            let found = wanted(row, relation);
            *holds = found.is_some() && (sum.is_none() || *sum == found);
            *sum = found;
        }
    })?;
    Ok(candidates.into_iter().zip(sums).filter(|(_, (_, holds))| *holds).map(|(relation, _)| relation).collect())
}

/// A sum of products, if no operation on the way is rounded.
fn exact_sum(terms: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let mut sum = 0.0_f64;
    for (c, x) in terms {
        let product = c * x;
        let next = sum + product;
        let part = next - sum;
        let lost = (sum - (next - part)) + (product - part);
        let is_exact = c.mul_add(x, -product) == 0.0 && lost == 0.0 && (product != 0.0 || x == 0.0);
        if !is_exact || !next.is_finite() {
            return None;
        }
        sum = next;
    }
    Some(sum)
}

/// Goes through the rows, written out.
fn each_row(objective: Objective, visit: &mut dyn FnMut(&[f64])) -> Result<()> {
    let data = objective.data;
    let width = data.columns();
    let wanted = Wanted { rows: 0..data.rows(), length: length(width), columns: None };
    let mut row = vec![0.0; width];
    data.chunks(&wanted, &mut |chunk| {
        for i in 0..chunk.len() {
            row.fill(0.0);
            chunk.rows.row(i).for_each(|(j, value)| row[j] = value);
            visit(&row);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sums_without_rounding_count() {
        assert_eq!(exact_sum([(1.0, 1.0), (1.0, 0.0), (-2.0, 3.0)].into_iter()), Some(-5.0));
        assert_eq!(exact_sum([(1.0, 0.1), (1.0, 0.2), (-1.0, 0.3)].into_iter()), None);
        assert_eq!(exact_sum([(1.0, 0.1), (-1.0, 0.1)].into_iter()), Some(0.0));
        assert_eq!(exact_sum([(1.0, f64::INFINITY)].into_iter()), None);
        assert_eq!(exact_sum([(3.0, f64::MIN_POSITIVE), (1.0, 1.0)].into_iter()), None);
    }

    #[test]
    fn combinations_are_found_with_their_coefficients() {
        // Third = 2 first - second; fourth apart.
        let rows = [[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, -1.0, 3.0], [2.0, 1.0, 3.0, -1.0], [1.0, -1.0, 3.0, 2.0]];
        let mut gram = vec![0.0; 16];
        for row in rows {
            (0..16).for_each(|at| gram[at] += row[at / 4] * row[at % 4]);
        }
        let found = combinations(gram, 4);
        assert_eq!(found.len(), 1);
        assert_eq!(whole(&found[0]), Some(vec![(0, 2), (1, -1), (2, -1)]));
        assert_eq!(whole(&[(0, 0.5), (3, -0.25)]), Some(vec![(0, 2), (3, -1)]));
        assert_eq!(whole(&[(0, 1.0), (3, std::f64::consts::PI)]), None);
        assert_eq!(Values::None.seen(2.0).seen(5.0).seen(2.0).of(5.0), 1.0);
        assert_eq!(Values::None.seen(2.0).seen(5.0).seen(1.0), Values::Many);
    }
}
