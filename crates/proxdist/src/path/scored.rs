//! Scores of all sizes and ridges on rows that were held out, and which to take.

use super::point::Path;
use crate::preparation::Units;
use crate::selection::Scoring;
use std::cmp::Ordering;

/// The scores of one size and ridge.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathScore {
    /// The number of features that may be used.
    pub size: usize,
    /// The weight of the ridge term.
    pub ridge: f64,
    /// Mean over the folds.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Score of each fold.
    pub folds: Vec<f64>,
    /// Folds in which F has no minimum at this size.
    pub separated: usize,
}

impl PathScore {
    pub(super) fn new((size, ridge): (usize, f64), folds: Vec<f64>, separated: usize) -> Self {
        let count = folds.len() as f64;
        let mean = folds.iter().sum::<f64>() / count;
        let squares: f64 = folds.iter().map(|score| (score - mean).powi(2)).sum();
        let standard_error = (squares / (count * (count - 1.0))).sqrt();
        Self { size, ridge, mean, standard_error, folds, separated }
    }
}

/// What a cross-validation over a path found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PathScores {
    /// The path of all rows, in its units.
    pub path: Path,
    /// Those units.
    pub units: Units,
    /// A score for each point of the path, in the same order.
    pub scores: Vec<PathScore>,
    /// What the scores are.
    pub scoring: Scoring,
    /// Position of the best mean.
    pub best: usize,
    /// Position of the simplest point within one standard error of it: the smallest size, then the largest ridge.
    pub one_standard_error: usize,
}

impl PathScores {
    /// Positions of the best mean and of the simplest point within one standard error of it among the sizes that are wanted; `None` if there are none.
    pub fn among(&self, is_wanted: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        let wanted: Vec<usize> = (0..self.scores.len()).filter(|&i| is_wanted(self.scores[i].size)).collect();
        let scores: Vec<PathScore> = wanted.iter().map(|&i| self.scores[i].clone()).collect();
        let (best, simplest) = chosen(self.scoring, &scores);
        Some((*wanted.get(best)?, *wanted.get(simplest)?))
    }
}

/// `Less` if a score has the better mean. A mean that is no number is worse than any other.
fn compare(scoring: Scoring, a: &PathScore, b: &PathScore) -> Ordering {
    let cost = |score: &PathScore| match score.mean {
        mean if !mean.is_finite() => f64::INFINITY,
        mean if scoring.larger_is_better() => -mean,
        mean => mean,
    };
    cost(a).total_cmp(&cost(b))
}

/// Position of the best mean, the smaller size among equals, and of the simplest score within one standard error of it.
pub(super) fn chosen(scoring: Scoring, scores: &[PathScore]) -> (usize, usize) {
    let simpler = |a: &PathScore, b: &PathScore| a.size.cmp(&b.size).then(b.ridge.total_cmp(&a.ridge));
    let all = 0..scores.len();
    let order = |&i: &usize, &j: &usize| {
        compare(scoring, &scores[i], &scores[j]).then(simpler(&scores[i], &scores[j])).then(i.cmp(&j))
    };
    let best = all.clone().min_by(order).unwrap_or(0);
    let Some(PathScore { mean, standard_error, .. }) = scores.get(best) else { return (best, best) };
    let is_near = |&i: &usize| (scores[i].mean - mean).abs() <= *standard_error;
    let simplest = |&i: &usize, &j: &usize| simpler(&scores[i], &scores[j]).then(i.cmp(&j));
    (best, all.filter(is_near).min_by(simplest).unwrap_or(best))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simplest_within_one_standard_error_is_the_smallest_then_the_most_shrunk() {
        let score = |size, ridge, folds: [f64; 2]| PathScore::new((size, ridge), folds.to_vec(), 0);
        let scores = [
            score(1, 0.0, [9.0, 9.0]),
            score(2, 0.0, [1.3, 1.3]),
            score(3, 0.0, [0.5, 1.5]),
            score(1, 0.1, [1.6, 1.6]),
            score(2, 0.1, [1.4, 1.4]),
            score(3, 0.1, [f64::NAN, 1.0]),
        ];
        assert_eq!((scores[2].mean, scores[2].standard_error), (1.0, 0.5));
        assert_eq!(chosen(Scoring::Loss, &scores), (2, 4));
        assert_eq!(chosen(Scoring::Auc, &scores[..5]), (0, 0));
        assert_eq!(chosen(Scoring::Loss, &scores[5..]), (0, 0));
    }
}
