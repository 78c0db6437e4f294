//! Rows as a card sees them, and what the card is worth on them.

use super::rounding::{self, Found};
use super::{Predictor, Scorecard};
use crate::data::{Data, Wanted};
use crate::error::Result;
use crate::metrics::{Labelled, Scale, linear_predictors, weights};
use serde::Serialize;
use std::collections::HashMap;

/// Rows that are read at a time.
const CHUNK: usize = 4096;

/// The model and the card on the same rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Rows.
    pub rows: usize,
    /// Mean log loss of the model.
    pub log_loss_model: f64,
    /// Mean log loss of the card.
    pub log_loss: f64,
    /// Area under the ROC curve of the model.
    pub auc_model: f64,
    /// Area under the ROC curve of the card.
    pub auc: f64,
}

/// How far the search for the best points came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Search {
    /// Mean log loss of the card.
    pub loss: f64,
    /// No card within the bounds has a smaller one.
    pub bound: f64,
    /// Whether the card is the best within the bounds, up to 1e-9.
    pub is_proven: bool,
    /// Boxes of cards that were looked at.
    pub nodes: usize,
}

impl Search {
    pub(super) fn new(found: &Found, same: f64) -> Self {
        let Found { loss, bound, boxes, .. } = *found;
        Self { loss, bound, is_proven: loss - bound <= same, nodes: boxes }
    }
}

/// The model and a card on rows.
pub(super) fn of(model: &Predictor, card: &Scorecard, data: &Data) -> Result<Measured> {
    let weights = weights(data);
    let worth = |coefficients: &[f64], intercept: f64| -> Result<(f64, f64)> {
        let predictors = linear_predictors(data, coefficients, intercept)?;
        let labelled = Labelled::new(&predictors, data.response(), Some(&weights))?;
        Ok((labelled.log_loss(Scale::LogOdds).unwrap_or(f64::NAN), labelled.auc().unwrap_or(f64::NAN)))
    };
    let (log_loss_model, auc_model) = worth(model.coefficients, model.intercept.unwrap_or(0.0))?;
    let (coefficients, intercept) = card.predictor(model.coefficients.len());
    let (log_loss, auc) = worth(&coefficients, intercept)?;
    Ok(Measured { rows: data.rows(), log_loss_model, log_loss, auc_model, auc })
}

impl Scorecard {
    /// The model and the card on other rows.
    pub fn measure(&self, model: &Predictor, data: &Data) -> Result<Measured> {
        of(model, self, data)
    }
}

/// Rows, those with the same numbers together.
pub(super) struct Rows {
    columns: Vec<usize>,
    values: Vec<f64>,
    /// Offset, sum of weighted responses, weight and number of the rows of each pattern.
    sums: Vec<[f64; 3]>,
    counts: Vec<usize>,
    pub(super) has_offset: bool,
}

impl Rows {
    /// Reads these columns of all rows once.
    pub(super) fn gather(data: &Data, columns: Vec<usize>) -> Result<Self> {
        let mut rows =
            Self { columns, values: Vec::new(), sums: Vec::new(), counts: Vec::new(), has_offset: data.has_offset() };
        let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
        let (mut block, picked, width) = (Vec::new(), rows.columns.clone(), rows.columns.len());
        let wanted = Wanted { rows: 0..data.rows(), length: CHUNK, columns: None };
        data.chunks(&wanted, &mut |chunk| {
            let values = chunk.pick(&picked, &mut block);
            for at in 0..chunk.len() {
                let (row, offset) = (&values[at * width..(at + 1) * width], chunk.offset_of(at));
                let key = row.iter().chain([&offset]).map(|value| (value + 0.0).to_bits()).collect();
                let next = rows.counts.len();
                let place = *places.entry(key).or_insert(next);
                if place == next {
                    rows.values.extend_from_slice(row);
                    rows.sums.push([offset, 0.0, 0.0]);
                    rows.counts.push(0);
                }
                let weight = chunk.weight(at);
                rows.sums[place][1] += weight * chunk.response[at];
                rows.sums[place][2] += weight;
                rows.counts[place] += 1;
            }
        })?;
        Ok(rows)
    }

    /// Where a column stands among those that were read.
    pub(super) fn place(&self, column: usize) -> Option<usize> {
        self.columns.binary_search(&column).ok()
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.columns.len()..(at + 1) * self.columns.len()]
    }

    pub(super) fn has_one_label(&self) -> bool {
        let (positive, all) = self.sums.iter().fold((0.0, 0.0), |(p, w), sums| (p + sums[1], w + sums[2]));
        positive <= 0.0 || positive >= all
    }

    /// Whether a column has no other numbers than 0 and 1.
    pub(super) fn is_indicator(&self, column: usize) -> bool {
        let Some(place) = self.place(column) else { return false };
        (0..self.counts.len()).all(|at| matches!(self.row(at)[place], 0.0 | 1.0))
    }

    /// Rows with an indicator, or with none of those listed: their number, share of the weight and share of the positive label.
    pub(super) fn with(&self, column: Option<usize>, listed: &[usize]) -> (usize, f64, Option<f64>) {
        let of = |column: usize, at: usize| self.place(column).is_some_and(|place| self.row(at)[place] != 0.0);
        let is_in = |at: &usize| match column {
            Some(column) => of(column, *at),
            None => !listed.iter().any(|&column| of(column, *at)),
        };
        let (mut count, mut positive, mut weight) = (0, 0.0, 0.0);
        for at in (0..self.counts.len()).filter(is_in) {
            count += self.counts[at];
            positive += self.sums[at][1];
            weight += self.sums[at][2];
        }
        let all: f64 = self.sums.iter().map(|sums| sums[2]).sum();
        (count, weight / all, (weight > 0.0).then(|| positive / weight))
    }

    /// Every pattern with its offset, mean response and weight, as `seen`.
    pub(super) fn each<'a, T: 'a>(
        &'a self,
        seen: impl Fn(&[f64], f64, [f64; 2]) -> T + 'a,
    ) -> impl Iterator<Item = T> + 'a {
        (0..self.counts.len()).map(move |at| {
            let [offset, positive, weight] = self.sums[at];
            let response = if weight > 0.0 { positive / weight } else { 0.0 };
            seen(self.row(at), offset, [response, weight])
        })
    }
}

/// Which columns are linear combinations of those before them, with what rounding makes of that.
pub(super) fn dependent(rows: &rounding::Patterns) -> Vec<bool> {
    let size = rows.columns;
    let mut gram = vec![0.0; size * size];
    for (row, weight) in rows.values.chunks_exact(size).zip(&rows.weights) {
        for j in 0..size {
            for l in 0..=j {
                gram[j * size + l] += weight * row[j] * row[l];
            }
        }
    }
    // Lower triangular factor row by row; a pivot that is nothing but rounding leaves its column out.
    let mut is_dependent = vec![false; size];
    for j in 0..size {
        let own = gram[j * size + j];
        for l in 0..=j {
            if l < j && is_dependent[l] {
                gram[j * size + l] = 0.0;
                continue;
            }
            let before: f64 = (0..l).map(|c| gram[j * size + c] * gram[l * size + c]).sum();
            let entry = gram[j * size + l] - before;
            gram[j * size + l] = if l < j { entry / gram[l * size + l] } else { entry };
        }
        let pivot = gram[j * size + j];
        is_dependent[j] = pivot <= 1e-10 * own;
        gram[j * size + j] = if is_dependent[j] { 0.0 } else { pivot.sqrt() };
    }
    is_dependent
}

/// Whole numbers between which the best base of every card lies: at the best real one the mean probability is the share of the positive label, so its log odds are between the least and the
/// largest log odds of the rows.
pub(super) fn base_bounds(rows: &rounding::Patterns, limits: &[(i64, i64)]) -> (i64, i64) {
    let share: f64 = rows.responses.iter().zip(&rows.weights).map(|(y, w)| y * w).sum();
    let wanted = (share / (1.0 - share)).ln();
    let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for (row, constant) in rows.values.chunks_exact(rows.columns).zip(&rows.constants) {
        let (mut low, mut high) = (*constant, *constant);
        for (z, limit) in row[1..].iter().zip(limits) {
            let ends = [z * limit.0 as f64, z * limit.1 as f64];
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
        }
        (least, largest) = (least.min(low), largest.max(high));
    }
    let unit = rows.values[0];
    let ends = [(wanted - least) / unit, (wanted - largest) / unit];
    // One more on each side: the best whole number is next to the best real one.
    ((ends[0].min(ends[1]).floor() - 1.0) as i64, (ends[0].max(ends[1]).ceil() + 1.0) as i64)
}
