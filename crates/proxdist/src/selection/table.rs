//! Scores of all points, and which point to take.

use super::grid::Point;
use super::scoring::Scoring;
use crate::error::{Error, Result};
use crate::rule::Rule;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Which point is fitted to all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Choice {
    /// The simplest within one standard error of the best.
    #[default]
    OneStandardError,
    /// The one of the best mean.
    Best,
}

impl Choice {
    const NAMES: [(Self, &str); 2] = [(Self::OneStandardError, "one-standard-error"), (Self::Best, "best")];
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(choice, _)| choice == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wanted = text.replace('_', "-");
        let found = Self::NAMES.iter().find(|(_, name)| *name == wanted);
        found.map(|(choice, _)| *choice).ok_or_else(|| Error::setting("choice", Rule::Choice, text))
    }
}

/// The scores of one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Score {
    /// The point.
    pub point: Point,
    /// Mean over the folds.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Score of each fold.
    pub folds: Vec<f64>,
    /// Fits, of one a fold, that converged.
    pub converged: usize,
}

impl Score {
    pub(crate) fn new(point: Point, folds: Vec<f64>, converged: usize) -> Self {
        let count = folds.len() as f64;
        let mean = folds.iter().sum::<f64>() / count;
        let squares: f64 = folds.iter().map(|score| (score - mean).powi(2)).sum();
        Self { point, mean, standard_error: (squares / (count * (count - 1.0))).sqrt(), folds, converged }
    }
}

/// The scores of all points, in the order of the grid.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Table {
    /// What the scores are.
    pub scoring: Scoring,
    /// Number of folds.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// One row a point.
    pub scores: Vec<Score>,
}

impl Table {
    /// Position of the best mean; the earlier of equals.
    pub fn best(&self) -> usize {
        (0..self.scores.len()).min_by(|&i, &j| self.compare(i, j)).unwrap_or(0)
    }

    /// Position of the simplest point within one standard error of the best. Points are compared by the parameters of their
    /// sets in the order of the axes, smaller being simpler, then by the ridge weight, larger being simpler, then by the mean.
    pub fn one_standard_error(&self) -> usize {
        let best = self.best();
        let Some(Score { mean, standard_error, .. }) = self.scores.get(best) else { return best };
        let is_near = |&i: &usize| (self.scores[i].mean - mean).abs() <= *standard_error;
        let simpler = |i: usize, j: usize| {
            let pairs = self.scores[i].point.complexity.iter().zip(&self.scores[j].point.complexity);
            pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let near = (0..self.scores.len()).filter(is_near);
        near.min_by(|&i, &j| simpler(i, j).then(self.compare(i, j))).unwrap_or(best)
    }

    /// `Less` if point `i` has the better mean. A mean that is no number is worse than any other.
    fn compare(&self, i: usize, j: usize) -> Ordering {
        let cost = |i: usize| match self.scores[i].mean {
            mean if !mean.is_finite() => f64::INFINITY,
            mean if self.scoring.larger_is_better() => -mean,
            mean => mean,
        };
        cost(i).total_cmp(&cost(j))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::Grid;
    use crate::spec::SetSpec;

    fn table(axes: &[&str], scoring: Scoring, folds: &[[f64; 2]]) -> Table {
        let points = Grid::parse(axes).unwrap().points(&SetSpec::WholeSpace, 0.0, None).unwrap();
        let scores = points.into_iter().zip(folds).map(|(point, folds)| Score::new(point, folds.to_vec(), 2)).collect();
        Table { scoring, folds: 2, seed: 0, scores }
    }

    #[test]
    fn mean_and_standard_error_agree_with_hand_computation() {
        let table = table(&["ridge:0"], Scoring::Loss, &[[1.0, 3.0]]);
        assert_eq!((table.scores[0].mean, table.scores[0].standard_error), (2.0, 1.0));
    }

    #[test]
    fn choices_are_read_as_they_are_written() {
        for choice in [Choice::OneStandardError, Choice::Best] {
            assert_eq!(choice.to_string().parse::<Choice>().unwrap(), choice);
        }
        assert_eq!("one_standard_error".parse::<Choice>().unwrap(), Choice::default());
        assert!("worst".parse::<Choice>().unwrap_err().to_string().contains("one-standard-error or best"));
    }

    #[test]
    fn smaller_sets_and_larger_ridge_are_simpler() {
        let choices = |table: &Table| (table.best(), table.one_standard_error());
        let scores = [[9.0, 9.0], [1.5, 1.5], [0.5, 1.5], [1.2, 1.2]];
        assert_eq!(choices(&table(&["sparsity:1,2,3,4"], Scoring::Loss, &scores)), (2, 1));
        assert_eq!(choices(&table(&["ridge:1,2,3,4"], Scoring::Loss, &scores)), (2, 3));
        assert_eq!(choices(&table(&["rho1:1,2,3,auto"], Scoring::Loss, &scores)), (2, 2));
        // Sets before ridge: of 1 and 2 nonzeros, the fewer, whatever the ridge.
        let scores = [[1.2, 1.2], [1.0, 1.4], [9.0, 9.0], [0.5, 1.5]];
        assert_eq!(choices(&table(&["sparsity:1,2", "ridge:0,1"], Scoring::Loss, &scores)), (3, 0));
    }

    #[test]
    fn a_larger_auc_is_better_and_no_number_is_worst() {
        let scores = [[0.7, 0.7], [0.9, 0.9], [f64::NAN, 1.0], [0.9, 0.9]];
        let table = table(&["sparsity:1,2,3,4"], Scoring::Auc, &scores);
        assert_eq!((table.best(), table.one_standard_error()), (1, 1));
        let hopeless = Table { scores: vec![table.scores[2].clone()], ..table };
        assert_eq!((hopeless.best(), hopeless.one_standard_error()), (0, 0));
    }
}
