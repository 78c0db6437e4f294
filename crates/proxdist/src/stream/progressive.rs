//! Progressive validation: every block is predicted before it is learned, so its loss is that of rows the model has not seen.
//!
//! Running scores are over all rows so far. In recent ones a block counts $2^{-a/r}$ when $a$ rows have come after it, $r$ being the half-life of the stream or, where nothing is forgotten, 10 000 rows.

use super::clock::kept;
use crate::loss::{Link, Loss, Task};
use serde::{Deserialize, Serialize};

/// How good predictions were, weights taken into account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    weight: f64,
    losses: f64,
    /// Weight of the labels that were right, where responses are labels.
    right: Option<f64>,
    /// Squares of errors, where responses are numbers.
    squares: Option<f64>,
    /// Mean and sum of squares about it of the responses.
    mean: f64,
    spread: f64,
}

impl Score {
    /// Mean loss, without any ridge; `None` before the first row that counts.
    pub fn loss(&self) -> Option<f64> {
        self.share(Some(self.losses))
    }

    /// Share of labels that were right, for losses of labels.
    pub fn accuracy(&self) -> Option<f64> {
        self.share(self.right)
    }

    /// $1 - \sum(y - \hat y)^2/\sum(y - \bar y)^2$, for losses of numbers and counts and responses that differ.
    pub fn r_squared(&self) -> Option<f64> {
        self.squares.filter(|_| self.spread > 0.0).map(|squares| 1.0 - squares / self.spread)
    }

    fn share(&self, sum: Option<f64>) -> Option<f64> {
        sum.filter(|_| self.weight > 0.0).map(|sum| sum / self.weight)
    }

    /// Adds some rows.
    pub(crate) fn add(&mut self, loss: &dyn Loss, predictors: &[f64], responses: &[f64], weights: &[f64]) {
        self.losses += loss.weighted_value(predictors, responses, weights);
        let (is_labels, has_own_link) = (loss.task() == Task::TwoClasses, loss.link() == Link::Own);
        let kind = if is_labels { &mut self.right } else { &mut self.squares };
        let sum = kind.get_or_insert(0.0);
        for ((&predictor, &response), &weight) in predictors.iter().zip(responses).zip(weights) {
            if weight == 0.0 {
                continue;
            }
            self.weight += weight;
            let away = response - self.mean;
            self.mean += away * weight / self.weight;
            self.spread += weight * away * (response - self.mean);
            *sum += if is_labels {
                // A loss with a link of its own has probabilities; for all others a positive predictor means the label 1.
                let is_one = if has_own_link { loss.mean(predictor) > 0.5 } else { predictor > 0.0 };
                if is_one == (response == 1.0) { weight } else { 0.0 }
            } else {
                weight * (response - loss.mean(predictor)).powi(2)
            };
        }
    }

    fn is_finite(&self) -> bool {
        [self.weight, self.losses, self.right.unwrap_or(0.0), self.squares.unwrap_or(0.0), self.spread]
            .iter()
            .all(|number| number.is_finite())
    }

    fn fade(&mut self, kept: f64) {
        self.weight *= kept;
        self.losses *= kept;
        self.spread *= kept;
        [&mut self.right, &mut self.squares].into_iter().flatten().for_each(|sum| *sum *= kept);
    }

    fn merge(&mut self, other: &Self) {
        let (weight, away) = (self.weight + other.weight, other.mean - self.mean);
        if weight == 0.0 {
            return;
        }
        self.spread += other.spread + away * away * self.weight * (other.weight / weight);
        self.mean += away * other.weight / weight;
        self.weight = weight;
        self.losses += other.losses;
        for (mine, theirs) in [(&mut self.right, other.right), (&mut self.squares, other.squares)] {
            if let Some(theirs) = theirs {
                *mine.get_or_insert(0.0) += theirs;
            }
        }
    }
}

/// Scores of rows that were predicted before they were learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progressive {
    /// Of all rows so far.
    pub running: Score,
    /// Of late ones.
    pub recent: Score,
    /// Rows of blocks whose loss was too large for a number; they are in no score.
    pub beyond: u64,
}

/// The half-life of recent scores where nothing is forgotten.
const RECENT: f64 = 10_000.0;

impl Progressive {
    /// Takes in the score of a block of so many rows.
    pub(crate) fn add(&mut self, block: &Score, rows: usize, half_life: Option<f64>) {
        self.recent.fade(kept(rows, Some(half_life.unwrap_or(RECENT))));
        if block.is_finite() {
            self.running.merge(block);
            self.recent.merge(block);
        } else {
            self.beyond += rows as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Logistic, Squared};

    const ETA: [f64; 6] = [0.2, -1.0, 2.0, 0.0, 1.5, -0.5];
    const WEIGHTS: [f64; 6] = [1.0, 2.0, 0.0, 1.0, 0.5, 3.0];

    #[test]
    fn scores_of_parts_make_the_score_of_the_whole() {
        let y = [1.0, -1.5, 7.0, 0.5, 1.0, 2.0];
        let mut whole = Score::default();
        whole.add(&Squared, &ETA, &y, &WEIGHTS);
        for cut in [vec![6], vec![1; 6], vec![2, 3, 1]] {
            let (mut progressive, mut first) = (Progressive::default(), 0);
            for rows in cut {
                let (mut block, range) = (Score::default(), first..first + rows);
                block.add(&Squared, &ETA[range.clone()], &y[range.clone()], &WEIGHTS[range]);
                progressive.add(&block, rows, None);
                first += rows;
            }
            for measure in [Score::loss, Score::r_squared] {
                assert!((measure(&progressive.running).unwrap() - measure(&whole).unwrap()).abs() < 1e-14);
            }
            assert_eq!(progressive.running.accuracy(), None);
        }
        let total: f64 = WEIGHTS.iter().sum();
        let mean = (0..6).map(|i| WEIGHTS[i] * y[i]).sum::<f64>() / total;
        let sums = |f: &dyn Fn(usize) -> f64| (0..6).map(|i| WEIGHTS[i] * f(i)).sum::<f64>();
        let errors = sums(&|i| (y[i] - ETA[i]).powi(2));
        assert!((whole.loss().unwrap() - 0.5 * errors / total).abs() < 1e-15);
        assert!((whole.r_squared().unwrap() - (1.0 - errors / sums(&|i| (y[i] - mean).powi(2)))).abs() < 1e-14);
    }

    #[test]
    fn labels_are_right_or_wrong_and_a_block_beyond_numbers_is_counted_apart() {
        let y = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let mut block = Score::default();
        block.add(&Logistic, &ETA, &y, &WEIGHTS);
        assert_eq!((block.accuracy(), block.r_squared()), (Some(3.5 / 7.5), None));
        let mut progressive = Progressive::default();
        progressive.add(&block, 6, Some(6.0));
        progressive.add(&Score { losses: f64::INFINITY, ..block }, 6, Some(6.0));
        let (running, recent) = (progressive.running, progressive.recent);
        assert_eq!((running.weight, running.losses, running.right), (block.weight, block.losses, block.right));
        assert!((running.loss().unwrap() - block.loss().unwrap()).abs() < 1e-15);
        assert!((recent.loss().unwrap() - block.loss().unwrap()).abs() < 1e-15);
        assert_eq!((progressive.recent.weight, progressive.beyond), (0.5 * block.weight, 6));
        assert_eq!(Score::default().loss(), None);
    }
}
