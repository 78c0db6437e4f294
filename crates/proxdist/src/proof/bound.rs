//! A lower bound for every base point.
//!
//! For $0 \prec D \preceq G$, $H = G - D$ and any $\alpha$, $\tfrac12\theta^TH\theta \ge \alpha^TH\theta - \tfrac12\alpha^TH\alpha$, hence with $r = b - H\alpha$
//! $$Q(\theta) \ge c - \tfrac12\alpha^TH\alpha + \sum_j\big(\tfrac12d_j\theta_j^2 - r_j\theta_j\big),$$
//! and the sum over a support is at least $-\tfrac12\sum v_j$ over it, $v_j = r_j^2/d_j$. With columns $I$ selected for certain and room for $m$ more,
//! $$\min Q \ge c - \tfrac12\alpha^TH\alpha - \tfrac12\Big(\sum_Iv_j + \text{the } m \text{ largest free } v_j\Big).$$
//! With a free column forced in, it takes the place of the $m$th largest; with one of the largest left out, the next moves up. Where such a
//! bound is above what is known to be attainable, the column can be settled: this is screening.
//!
//! Rounding: $r_j$ is off by at most $\gamma(|b_j| + \sum_k|G_{jk}||\alpha_k| + d_j|\alpha_j|)$ with $\gamma$ a few units more than the nonzeros of $\alpha$, and
//! $|G_{jk}| < 4$. Every $v_j$ is computed from $|r_j|$ enlarged by that, and the sums are enlarged by their own rounding.

use super::part::{Part, Place};
use super::positive::UNIT;
use crate::constraint::Choice;

/// The columns of a node with their places, how many free ones may enter, and a diagonal that is shown to be below $G$.
#[derive(Clone, Copy, Debug)]
pub(super) struct Restricted<'a> {
    pub(super) part: &'a Part<'a>,
    pub(super) places: &'a [Place],
    pub(super) room: usize,
    pub(super) diagonal: &'a [f64],
}

/// A bound that holds, with the numbers that it was made of.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) value: f64,
    /// $v_j$, rounded up; zero for columns that are out.
    shares: Vec<f64>,
    /// The smallest share that found room, and the largest that did not.
    last_in: f64,
    first_out: f64,
    /// What the sums behind the value may be rounded by.
    rounding: f64,
}

impl Bound {
    /// The bound at the base point $\alpha$.
    pub(super) fn at(restricted: Restricted, alpha: &[f64]) -> Self {
        let Restricted { part, places, room, diagonal } = restricted;
        // Columns that are out have no part in the base point, so that only the matrix of the others matters.
        let is_there = |j: &usize| places[*j] != Place::Out;
        let support: Vec<usize> = (0..alpha.len()).filter(is_there).filter(|&j| alpha[j] != 0.0).collect();
        let mut residual = part.linear.clone();
        for &j in &support {
            crate::linalg::axpy(-alpha[j], part.row(j), &mut residual);
        }
        let gamma = UNIT * (support.len() + 8) as f64;
        let reach = 4.0 * support.iter().map(|&j| alpha[j].abs()).sum::<f64>();
        let mut shares = vec![0.0; alpha.len()];
        let (mut square, mut square_size) = (0.0, 0.0);
        for j in (0..alpha.len()).filter(is_there) {
            let r = residual[j] + diagonal[j] * alpha[j];
            let error = gamma * (part.linear[j].abs() + 2.0 * reach);
            let above = r.abs() + error;
            shares[j] = above * above / diagonal[j] * (1.0 + 8.0 * UNIT);
            square += alpha[j] * (part.linear[j] - r);
            square_size += alpha[j].abs() * ((part.linear[j] - r).abs() * gamma + 2.0 * error);
        }
        let sum_in: f64 = (0..alpha.len()).filter(|&j| places[j] == Place::In).map(|j| shares[j]).sum();
        let mut free: Vec<f64> = (0..alpha.len()).filter(|&j| places[j] == Place::Free).map(|j| shares[j]).collect();
        let Top { sum, last_in, first_out } = Top::of(&mut free, room);
        let total = sum_in + sum;
        let terms = (alpha.len() + 8) as f64 * UNIT;
        let rounding = terms * (part.constant.abs() + square.abs() + total) + square_size;
        let value = part.constant - 0.5 * square - 0.5 * total - rounding;
        let value = if value.is_finite() { value } else { -f64::MAX };
        Self { value, shares, last_in, first_out, rounding }
    }

    /// The bound, taken with room for all columns, where they are chosen in units instead.
    pub(super) fn for_units(&self, choice: &Choice) -> f64 {
        let all: f64 = self.shares.iter().sum();
        let mut chosen: f64 = all;
        let mut pools: Vec<Vec<f64>> = vec![Vec::new(); choice.keep().len()];
        for unit in 0..choice.units() {
            let share: f64 = choice.unit(unit).iter().map(|&j| self.shares[j]).sum();
            pools[choice.pool(unit)].push(share);
            chosen -= share;
        }
        // What is left are columns that are always in; differences leave rounding behind.
        chosen = chosen.max(0.0) + (self.shares.len() + 8) as f64 * UNIT * all;
        // The largest of each pool, and the largest of these of each family; what units need of each other could only lower the sum.
        let mut families: Vec<Vec<f64>> = vec![Vec::new(); choice.totals().len()];
        for (number, pool) in pools.iter_mut().enumerate() {
            pool.sort_by(|a, b| b.total_cmp(a));
            pool.truncate(choice.keep()[number]);
            families[choice.family(number)].append(pool);
        }
        for (family, total) in families.iter_mut().zip(choice.totals()) {
            chosen += Top::of(family, *total).sum;
        }
        let bound = self.value + 0.5 * (all - chosen).max(0.0) - self.rounding;
        if bound.is_finite() { bound } else { -f64::MAX }
    }

    /// The bound with a free column selected for certain.
    pub(super) fn with(&self, column: usize) -> f64 {
        self.value + (0.5 * (self.last_in - self.shares[column])).max(0.0) - self.slack(column)
    }

    /// The bound without a free column.
    pub(super) fn without(&self, column: usize) -> f64 {
        self.value + (0.5 * (self.shares[column] - self.first_out)).max(0.0) - self.slack(column)
    }

    fn slack(&self, column: usize) -> f64 {
        4.0 * UNIT * (self.last_in + self.shares[column] + self.first_out + self.value.abs()) + self.rounding * UNIT
    }

    /// Settles the free columns whose other place cannot hold anything below `cutoff`; returns how many were settled.
    pub(super) fn screen(&self, places: &mut [Place], room: &mut usize, cutoff: f64) -> usize {
        let mut settled = 0;
        for (column, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == Place::Free) {
            if self.with(column) > cutoff {
                *place = Place::Out;
                settled += 1;
            } else if *room > 0 && self.without(column) > cutoff {
                *place = Place::In;
                *room -= 1;
                settled += 1;
            }
        }
        settled
    }
}

/// The sum of the largest numbers and those beside the cut.
pub(super) struct Top {
    pub(super) sum: f64,
    /// The smallest that is in the sum; zero if all or none are.
    pub(super) last_in: f64,
    /// The largest that is not; zero if all are in the sum.
    pub(super) first_out: f64,
}

impl Top {
    /// Of the `count` largest; the order of the numbers changes.
    pub(super) fn of(values: &mut [f64], count: usize) -> Self {
        if count >= values.len() {
            return Self { sum: values.iter().sum(), last_in: 0.0, first_out: 0.0 };
        }
        let (_, &mut first_out, _) = values.select_nth_unstable_by(count, |a, b| b.total_cmp(a));
        let kept = &values[..count];
        let last_in = kept.iter().copied().reduce(f64::min).unwrap_or(0.0);
        Self { sum: kept.iter().sum(), last_in, first_out }
    }
}
