//! Good supports: columns added one by one, then exchanged one for one.
//!
//! With $M = G_{SS}^{-1}$, $c_j = MG_{Sj}$, $g_j = b_j - G_{jS}\theta$ and $e_j = G_{jj} - G_{jS}c_j$, adding column $j$ gains $g_j^2/2e_j$. Taking $i$ out first costs
//! $\theta_i^2/2M_{ii}$ and turns these into $g_j + c_{ji}\theta_i/M_{ii}$ and $e_j + c_{ji}^2/M_{ii}$. So all exchanges are judged exactly in $O(s^2p)$.

use super::quadratic::Quadratic;
use crate::linalg::{Cholesky, axpy, dot};

/// Part of a column's square that the selected ones must leave of it.
const INDEPENDENT: f64 = 1e-9;
/// Gains below this part of the function's size are rounding.
const LEAST_GAIN: f64 = 1e-12;

/// Which columns may be exchanged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange<'a> {
    pub(super) quadratic: &'a Quadratic,
    /// Columns that may come in.
    pub(super) is_allowed: &'a [bool],
    /// Columns that stay in.
    pub(super) is_kept: &'a [bool],
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

impl Exchange<'_> {
    /// Adds the best columns to a support until it has this size.
    pub(super) fn fill(&self, support: &[usize], size: usize) -> Vec<usize> {
        let mut support = support.to_vec();
        while support.len() < size {
            let Some(choice) = self.choice(&support) else { break };
            let gain = |j: &usize| choice.gains[*j] * choice.gains[*j] / choice.rests[*j];
            let best = self.candidates(&choice).max_by(|i, j| gain(i).total_cmp(&gain(j)).then(j.cmp(i)));
            let Some(best) = best else { break };
            support.push(best);
            support.sort_unstable();
        }
        support
    }

    /// Makes the best exchange as long as there is one that helps.
    pub(super) fn descend(&self, support: &[usize], most: usize) -> Vec<usize> {
        let mut support = support.to_vec();
        for _ in 0..most {
            let Some(choice) = self.choice(&support) else { break };
            let Some((out, column)) = self.best_exchange(&choice) else { break };
            support[out] = column;
            support.sort_unstable();
        }
        support
    }

    fn candidates<'c>(&'c self, choice: &'c Choice) -> impl Iterator<Item = usize> + 'c {
        let is_new = |j: &usize| self.is_allowed[*j] && choice.support.binary_search(j).is_err();
        let is_independent = |j: &usize| choice.rests[*j] > INDEPENDENT * self.quadratic.row(*j)[*j];
        (0..choice.gains.len()).filter(is_new).filter(is_independent)
    }

    fn best_exchange(&self, choice: &Choice) -> Option<(usize, usize)> {
        let count = choice.support.len();
        let gained: f64 = choice.support.iter().zip(&choice.theta).map(|(&j, x)| self.quadratic.linear[j] * x).sum();
        let mut best = LEAST_GAIN * (self.quadratic.constant.abs() + gained.abs());
        let mut found = None;
        let candidates: Vec<usize> = self.candidates(choice).collect();
        for (at, _) in choice.support.iter().enumerate().filter(|(_, j)| !self.is_kept[**j]) {
            let (x, m) = (choice.theta[at], choice.inverse[at * count + at]);
            for &j in &candidates {
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
        let (quadratic, count, columns) = (self.quadratic, support.len(), self.quadratic.columns());
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
