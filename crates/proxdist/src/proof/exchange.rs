//! Good supports: columns added one by one, then exchanged one for one.
//!
//! With $M = G_{SS}^{-1}$, $c_j = MG_{Sj}$, $g_j = b_j - G_{jS}\theta$ and $e_j = G_{jj} - G_{jS}c_j$, adding column $j$ gains $g_j^2/2e_j$. Taking $i$ out first costs
//! $\theta_i^2/2M_{ii}$ and turns these into $g_j + c_{ji}\theta_i/M_{ii}$ and $e_j + c_{ji}^2/M_{ii}$. So all exchanges are judged exactly in $O(s^2p)$.

use super::choices::Choices;
use super::family::Room;
use super::part::Place;
use crate::linalg::{Cholesky, axpy, dot};

/// Part of a column's square that the selected ones must leave of it.
const INDEPENDENT: f64 = 1e-9;
/// Gains below this part of the function's size are rounding.
const LEAST_GAIN: f64 = 1e-12;

/// Exchanges within what may be chosen, where every unit is one column.
#[derive(Clone, Debug)]
pub(super) struct Exchange<'a> {
    choices: &'a Choices<'a>,
}

/// A support with what exchanges need.
struct Choice {
    support: Vec<usize>,
    inverse: Vec<f64>,
    theta: Vec<f64>,
    /// $g_j$, $e_j$, and $c_j$ one after the other.
    gains: Vec<f64>,
    rests: Vec<f64>,
    combinations: Vec<f64>,
}

impl<'a> Exchange<'a> {
    /// None where units have several columns.
    pub(super) fn of(choices: &'a Choices<'a>) -> Option<Self> {
        choices.is_single().then_some(Self { choices })
    }

    /// A support filled up, then exchanged at most so many times.
    pub(super) fn improved(&self, support: &[usize], most: usize) -> Vec<usize> {
        self.descend(&self.fill(support), most)
    }

    /// Adds the best columns to a support as long as there is room.
    fn fill(&self, support: &[usize]) -> Vec<usize> {
        let mut support = support.to_vec();
        let mut room = self.choices.room_beside(&support);
        while room.most() > 0 {
            let Some(choice) = self.choice(&support) else { break };
            let gain = |j: &usize| choice.gains[*j] * choice.gains[*j] / choice.rests[*j];
            let fitting = self.candidates(&choice).filter(|&j| room.has(self.pool(j)));
            let Some(best) = fitting.max_by(|i, j| gain(i).total_cmp(&gain(j)).then(j.cmp(i))) else { break };
            room.take(self.pool(best));
            support.push(best);
            support.sort_unstable();
        }
        support
    }

    /// Makes the best exchange as long as there is one that helps.
    fn descend(&self, support: &[usize], most: usize) -> Vec<usize> {
        let mut support = support.to_vec();
        for _ in 0..most {
            let Some(choice) = self.choice(&support) else { break };
            let Some((out, column)) = self.best_exchange(&choice) else { break };
            support[out] = column;
            support.sort_unstable();
        }
        support
    }

    fn pool(&self, column: usize) -> u32 {
        self.choices.family.pools[self.choices.units[column]]
    }

    fn candidates<'c>(&'c self, choice: &'c Choice) -> impl Iterator<Item = usize> + 'c {
        let is_new = |j: &usize| self.choices.places[*j] != Place::Out && choice.support.binary_search(j).is_err();
        let is_independent = |j: &usize| choice.rests[*j] > INDEPENDENT * self.choices.quadratic.row(*j)[*j];
        (0..choice.gains.len()).filter(is_new).filter(is_independent)
    }

    fn best_exchange(&self, choice: &Choice) -> Option<(usize, usize)> {
        let count = choice.support.len();
        let gained: f64 =
            choice.support.iter().zip(&choice.theta).map(|(&j, x)| self.choices.quadratic.linear[j] * x).sum();
        let mut best = LEAST_GAIN * (self.choices.quadratic.constant.abs() + gained.abs());
        let mut found = None;
        let candidates: Vec<usize> = self.candidates(choice).collect();
        let room = self.choices.room_beside(&choice.support);
        for (at, &out) in choice.support.iter().enumerate().filter(|(_, j)| self.choices.places[**j] != Place::In) {
            let room = room_without(&room, self.pool(out));
            let (x, m) = (choice.theta[at], choice.inverse[at * count + at]);
            for &j in candidates.iter().filter(|j| room.has(self.pool(**j))) {
                let c = choice.combinations[j * count + at];
                let (g, e) = (choice.gains[j] + c * x / m, choice.rests[j] + c * c / m);
                let gain = g * g / e - x * x / m;
                if gain > best {
                    (best, found) = (gain, Some((at, j)));
                }
            }
        }
        found
    }

    fn choice(&self, support: &[usize]) -> Option<Choice> {
        let (quadratic, count, columns) = (self.choices.quadratic, support.len(), self.choices.quadratic.columns());
        let mut inverse = vec![0.0; count * count];
        if count > 0 {
            let mut cholesky = Cholesky::default();
            let matrix = cholesky.matrix(count);
            for (a, &j) in support.iter().enumerate() {
                support.iter().enumerate().for_each(|(b, &k)| matrix[a * count + b] = quadratic.row(j)[k]);
            }
            if !cholesky.factor() {
                return None;
            }
            cholesky.inverse(&mut inverse);
        }
        let linear: Vec<f64> = support.iter().map(|&j| quadratic.linear[j]).collect();
        let theta: Vec<f64> = (0..count).map(|a| dot(&inverse[a * count..(a + 1) * count], &linear)).collect();
        let mut gains = quadratic.linear.clone();
        support.iter().zip(&theta).for_each(|(&j, x)| axpy(-x, quadratic.row(j), &mut gains));
        let mut combinations = vec![0.0; count * columns];
        let mut rests = vec![0.0; columns];
        let mut row = vec![0.0; count];
        for j in 0..columns {
            support.iter().zip(&mut row).for_each(|(&k, x)| *x = quadratic.row(j)[k]);
            let combination = &mut combinations[j * count..(j + 1) * count];
            combination.iter_mut().enumerate().for_each(|(a, c)| *c = dot(&inverse[a * count..(a + 1) * count], &row));
            rests[j] = quadratic.row(j)[j] - dot(&row, combination);
        }
        Some(Choice { support: support.to_vec(), inverse, theta, gains, rests, combinations })
    }
}

/// The room once a column has gone.
fn room_without(room: &Room, pool: u32) -> Room {
    let mut room = room.clone();
    room.give(pool);
    room
}
