//! A lower bound for every base point.
//!
//! For $0 \prec D \preceq G$, $H = G - D$ and any $\alpha$, $\tfrac12\theta^TH\theta \ge \alpha^TH\theta - \tfrac12\alpha^TH\alpha$, hence with $r = b - H\alpha$
//! $$Q(\theta) \ge c - \tfrac12\alpha^TH\alpha + \sum_j\big(\tfrac12d_j\theta_j^2 - r_j\theta_j\big),$$
//! and the sum over a support is at least $-\tfrac12\sum v_j$ over it, $v_j = r_j^2/d_j$. A unit has the share $v_u = \sum_{j \in u}v_j$. With units $I$ selected for certain and room for some more,
//! $$\min Q \ge c - \tfrac12\alpha^TH\alpha - \tfrac12\Big(\sum_Iv_u + \text{the largest sum of free } v_u \text{ that there is room for}\Big).$$
//! With a free unit forced in, it takes the place of another one; with one of the largest left out, the next moves up (`family`). Where such a
//! bound is above what is known to be attainable, the unit can be settled: this is screening.
//!
//! Rounding: $r_j$ is off by at most $\gamma(|b_j| + \sum_k|G_{jk}||\alpha_k| + d_j|\alpha_j|)$ with $\gamma$ a few units more than the nonzeros of $\alpha$, and
//! $|G_{jk}| < 4$. Every $v_j$ is computed from $|r_j|$ enlarged by that, and the sums are enlarged by their own rounding.

use super::family::{NO_POOL, Room, Top};
use super::part::{Part, Place};
use super::positive::UNIT;
use super::runs::Runs;

/// The columns of a node with their units and places, how many free units may enter, and a diagonal that is shown to be below $G$.
#[derive(Clone, Copy, Debug)]
pub(super) struct Restricted<'a> {
    pub(super) part: &'a Part<'a>,
    pub(super) runs: &'a Runs,
    pub(super) places: &'a [Place],
    pub(super) room: &'a Room,
    pub(super) diagonal: &'a [f64],
}

/// A bound that holds, with the numbers that it was made of.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) value: f64,
    /// $v_u$, rounded up; zero for units that are out.
    shares: Vec<f64>,
    /// What is beside the cut.
    top: Top,
    /// What the sums behind the value may be rounded by.
    rounding: f64,
}

impl Bound {
    /// The bound at the base point $\alpha$.
    pub(super) fn at(restricted: Restricted, alpha: &[f64]) -> Self {
        let Restricted { part, runs, places, room, diagonal } = restricted;
        // Columns that are out have no part in the base point, so that only the matrix of the others matters.
        let is_there = |j: &usize| places[*j] != Place::Out;
        let support: Vec<usize> = (0..alpha.len()).filter(is_there).filter(|&j| alpha[j] != 0.0).collect();
        let mut residual = part.linear.clone();
        for &j in &support {
            crate::linalg::axpy(-alpha[j], part.row(j), &mut residual);
        }
        let gamma = UNIT * (support.len() + 8) as f64;
        let reach = 4.0 * support.iter().map(|&j| alpha[j].abs()).sum::<f64>();
        let (mut square, mut square_size) = (0.0, 0.0);
        let mut share_of = |j: usize| {
            let r = residual[j] + diagonal[j] * alpha[j];
            let error = gamma * (part.linear[j].abs() + 2.0 * reach);
            let above = r.abs() + error;
            square += alpha[j] * (part.linear[j] - r);
            square_size += alpha[j].abs() * ((part.linear[j] - r).abs() * gamma + 2.0 * error);
            above * above / diagonal[j] * (1.0 + 8.0 * UNIT)
        };
        let mut shares = vec![0.0; runs.len()];
        let mut buckets = vec![Vec::new(); room.pools.len()];
        let mut sum_in = 0.0;
        for (unit, share) in shares.iter_mut().enumerate() {
            let columns = runs.columns(unit);
            let place = places[columns.start];
            if place == Place::Out {
                continue;
            }
            let upwards = 1.0 + UNIT * columns.len() as f64;
            *share = columns.map(&mut share_of).sum::<f64>() * upwards;
            match (place, runs.pool(unit)) {
                (Place::Free, pool) if pool != NO_POOL => buckets[pool as usize].push(*share),
                _ => sum_in += *share,
            }
        }
        let top = Top::of(&mut buckets, room);
        let total = sum_in + top.sum;
        let terms = (alpha.len() + 8) as f64 * UNIT;
        let rounding = terms * (part.constant.abs() + square.abs() + total) + square_size;
        let value = part.constant - 0.5 * square - 0.5 * total - rounding;
        let value = if value.is_finite() { value } else { -f64::MAX };
        Self { value, shares, top, rounding }
    }

    /// The bound with a free unit of a pool selected for certain.
    pub(super) fn with(&self, unit: usize, pool: u32) -> f64 {
        let last_in = self.top.last_in[pool as usize];
        self.value + (0.5 * (last_in - self.shares[unit])).max(0.0) - self.slack(unit, last_in)
    }

    /// The bound without a free unit of a pool.
    pub(super) fn without(&self, unit: usize, pool: u32) -> f64 {
        let first_out = self.top.first_out[pool as usize];
        self.value + (0.5 * (self.shares[unit] - first_out)).max(0.0) - self.slack(unit, first_out)
    }

    fn slack(&self, unit: usize, other: f64) -> f64 {
        4.0 * UNIT * (self.shares[unit] + other + self.value.abs()) + self.rounding * UNIT
    }

    /// Settles the free units whose other place cannot hold anything below `cutoff`; returns whether any was.
    pub(super) fn screen(&self, runs: &Runs, places: &mut [Place], room: &mut Room, cutoff: f64) -> bool {
        let mut has_settled = false;
        for unit in 0..runs.len() {
            let pool = runs.pool(unit);
            if places[runs.first(unit)] != Place::Free || pool == NO_POOL {
                continue;
            }
            if self.with(unit, pool) > cutoff {
                runs.put(places, unit, Place::Out);
                has_settled = true;
            } else if room.has(pool) && self.without(unit, pool) > cutoff {
                runs.put(places, unit, Place::In);
                room.take(pool);
                has_settled = true;
            }
        }
        runs.close_full_pools(places, room);
        has_settled
    }
}
