//! First penalties side by side, on the rows of the stream itself.
//!
//! A fit races candidates on batches that it can draw again; a stream has every row once. So all candidates take the same first steps, and each batch is predicted by each candidate's model before it is learned: that loss, on rows none of
//! them has seen, is the score. After 10 steps the worse half is dropped, after 20 and 40 more again, and the winner goes on alone. The best so far is the model meanwhile. A candidate that overflows,
//! stalls or diverges is out.

use crate::error::{Error, Result};
use crate::tune::{GRID, three_digits};
use serde::{Deserialize, Serialize};

/// A first penalty and where it has led.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub(crate) rho1: f64,
    /// The iterate: coefficients in the units of the moment, then the intercept if there is one.
    pub(crate) theta: Vec<f64>,
    /// The average of late iterates.
    pub(crate) average: Vec<f64>,
    /// Losses of the batches of this round before they were learned, and their weight.
    pub(crate) losses: f64,
    pub(crate) weight: f64,
}

impl Candidate {
    fn at(rho1: f64, theta: &[f64]) -> Self {
        Self { rho1, theta: theta.to_vec(), average: theta.to_vec(), losses: 0.0, weight: 0.0 }
    }

    fn copy_from(&mut self, other: &Self) {
        self.theta.clone_from(&other.theta);
        self.average.clone_from(&other.average);
        (self.rho1, self.losses, self.weight) = (other.rho1, other.losses, other.weight);
    }
}

/// Who is still in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contest {
    /// The best first, after each round.
    pub(crate) candidates: Vec<Candidate>,
    /// Steps of this round, and how many of them are left.
    round: u64,
    left: u64,
}

/// Steps of the first round.
const FIRST: u64 = 10;

impl Contest {
    /// One candidate: nothing is to be decided.
    pub(crate) fn of_one(rho1: f64, start: &[f64]) -> Self {
        Self { candidates: vec![Candidate::at(rho1, start)], round: 0, left: 0 }
    }

    /// Candidates around the average curvature of the loss along a coordinate.
    pub(crate) fn around(curvature: f64, start: &[f64]) -> Self {
        // Far enough from the ends that all multiples, and what they divide, are numbers.
        let curvature = if (1e-280..1e280).contains(&curvature) { curvature } else { 1.0 };
        let mut grid = GRID.to_vec();
        // Before there are scores the first is the best: a moderate one, then those around it.
        grid.sort_by(|a, b| (a.log10() + 1.0).abs().total_cmp(&(b.log10() + 1.0).abs()));
        let candidates = grid.iter().map(|multiple| Candidate::at(three_digits(multiple * curvature), start)).collect();
        Self { candidates, round: FIRST, left: FIRST }
    }

    /// Takes over what another one holds, in the memory that is there.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.candidates.resize_with(other.candidates.len(), Candidate::default);
        self.candidates.iter_mut().zip(&other.candidates).for_each(|(mine, theirs)| mine.copy_from(theirs));
        (self.round, self.left) = (other.round, other.left);
    }

    /// Whether the first penalty is chosen.
    pub(crate) fn is_decided(&self) -> bool {
        self.candidates.len() == 1
    }

    /// The best so far; `None` before the first step.
    pub(crate) fn leader(&self) -> Option<&Candidate> {
        let score = |candidate: &Candidate| candidate.losses / candidate.weight;
        self.candidates.iter().reduce(|best, other| if score(other) < score(best) { other } else { best })
    }

    /// Every candidate takes a step; those that cannot are out. If nobody is left, that is an error.
    pub(crate) fn advance(&mut self, mut step: impl FnMut(&mut Candidate) -> Result<()>) -> Result<()> {
        let mut failure = None;
        self.candidates.retain_mut(|candidate| match step(candidate) {
            Ok(()) => true,
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        });
        if self.candidates.is_empty() {
            return Err(failure.unwrap_or(Error::Diverged { step: 0, rho: 0.0 }));
        }
        if self.is_decided() {
            return Ok(());
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            // Stable, so that equal scores keep their order.
            self.candidates.sort_by(|a, b| (a.losses / a.weight).total_cmp(&(b.losses / b.weight)));
            self.candidates.truncate(self.candidates.len().div_ceil(2));
            self.candidates.iter_mut().for_each(|candidate| (candidate.losses, candidate.weight) = (0.0, 0.0));
            self.round *= 2;
            self.left = self.round;
        }
        Ok(())
    }

    /// Every parameter in it.
    pub(crate) fn parameters_mut(&mut self) -> impl Iterator<Item = &mut Vec<f64>> {
        self.candidates.iter_mut().flat_map(|candidate| [&mut candidate.theta, &mut candidate.average])
    }

    pub(crate) fn is_sound(&self, length: usize) -> bool {
        let is_point = |theta: &Vec<f64>| theta.len() == length && theta.iter().all(|value| value.is_finite());
        let is_sound = |candidate: &Candidate| {
            is_point(&candidate.theta)
                && is_point(&candidate.average)
                && candidate.rho1 > 0.0
                && candidate.rho1.is_finite()
        };
        self.candidates.iter().all(is_sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_candidate_with_the_least_loss_on_unseen_rows_wins() {
        let mut contest = Contest::around(2.0, &[0.0]);
        assert_eq!(contest.leader().unwrap().rho1, 0.2, "a moderate one before anything is known");
        let mut steps = 0;
        while !contest.is_decided() {
            steps += 1;
            contest
                .advance(|candidate| {
                    candidate.weight += 1.0;
                    candidate.losses += (candidate.rho1 - 0.02).abs();
                    if candidate.rho1 > 5.0 { Err(Error::InOrderOnly) } else { Ok(()) }
                })
                .unwrap();
            assert_eq!(contest.leader().unwrap().rho1, 0.02, "step {steps}");
        }
        assert_eq!(steps, 10 + 20 + 40);
        assert!(contest.is_sound(1));
    }

    #[test]
    fn a_contest_that_nobody_ends_is_an_error() {
        let mut contest = Contest::of_one(1.0, &[0.0]);
        assert!(contest.is_decided());
        assert!(contest.advance(|_| Err(Error::InOrderOnly)).is_err());
    }
}
