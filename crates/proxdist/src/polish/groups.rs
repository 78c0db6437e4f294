//! The exact finish for sets that bound the number of active groups: the minimiser on the active groups, then exchange of
//! groups while F falls.
//!
//! A group is scored by its coordinates one at a time: leaving costs about $\tfrac12\sum_{j \in g}H_{jj}\theta_j^2$, joining gains about
//! $\tfrac12\sum_{j \in g}g_j^2/H_{jj}$. The cheapest leave for the most promising, as many together as keep F falling, down to one; each
//! exchange is judged by refitting.

use super::convex::minimise;
use super::on_columns::OnColumns;
use super::scores::sweep;
use super::{Poll, Until};
use crate::constraint::{Constraint, WholeSpace};
use crate::error::Result;
use crate::objective::Objective;

/// Exchanges of one group that are tried before giving up.
const TRIES: usize = 12;
const ROUNDS: usize = 100;
const TOLERANCE: f64 = 1e-12;
const FALL: f64 = 1e-11;

/// A problem with a set of few active groups.
pub(crate) struct GroupExchange<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) constraint: &'p dyn Constraint,
    pub(crate) intercept: bool,
    pub(crate) keep: usize,
    pub(crate) groups: &'p [Vec<usize>],
}

struct Best {
    active: Vec<usize>,
    theta: Vec<f64>,
    value: f64,
}

impl GroupExchange<'_> {
    /// Finishes from the best of several feasible points.
    pub(crate) fn finish(&self, starts: &[&[f64]], poll: Poll) -> Result<Vec<f64>> {
        let is_active = |start: &[f64], group: &[usize]| group.iter().any(|&j| start[j] != 0.0);
        let mut best: Option<Best> = None;
        for start in starts {
            let active: Vec<usize> = (0..self.groups.len()).filter(|&g| is_active(start, &self.groups[g])).collect();
            if active.len() <= self.keep {
                let found = self.minimise_on(active, start, poll)?;
                if best.as_ref().is_none_or(|best| found.value < best.value) {
                    best = Some(found);
                }
            }
        }
        let Some(mut best) = best else { return Ok(starts[0].to_vec()) };
        for _ in 0..ROUNDS {
            if poll().is_break() {
                break;
            }
            match self.exchange(&best, poll)? {
                Some(improved) => best = improved,
                None => break,
            }
        }
        Ok(best.theta)
    }

    fn minimise_on(&self, active: Vec<usize>, start: &[f64], poll: Poll) -> Result<Best> {
        let columns = self.objective.data.columns();
        let mut support: Vec<usize> = active.iter().flat_map(|&g| self.groups[g].iter().copied()).collect();
        support.sort_unstable();
        let mut function = OnColumns::new(self.objective, &support, self.intercept);
        let mut point: Vec<f64> = support.iter().map(|&j| start[j]).collect();
        point.extend(self.intercept.then(|| start[columns]));
        let set: Box<dyn Constraint + '_> = self.constraint.on_support(&support).unwrap_or(Box::new(WholeSpace));
        let value = minimise(&mut function, &*set, &mut point, &mut Until { tolerance: TOLERANCE, poll })?.value;
        let mut theta = vec![0.0; start.len()];
        support.iter().zip(&point).for_each(|(&j, &value)| theta[j] = value);
        if self.intercept {
            theta[columns] = point[support.len()];
        }
        Ok(Best { active, theta, value })
    }

    /// The first exchange that lowers F, if there is one.
    fn exchange(&self, best: &Best, poll: Poll) -> Result<Option<Best>> {
        let measured = sweep(self.objective, &best.theta, &[], None)?;
        let cost = |g: &usize| -> f64 {
            self.groups[*g].iter().map(|&j| measured.diagonal[j] * best.theta[j] * best.theta[j]).sum()
        };
        let gain = |g: &usize| -> f64 {
            let terms =
                self.groups[*g].iter().map(|&j| measured.gradient[j] * measured.gradient[j] / measured.diagonal[j]);
            terms.filter(|gain| gain.is_finite()).sum()
        };
        let mut leaving = best.active.clone();
        leaving.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
        let mut joining: Vec<usize> = (0..self.groups.len()).filter(|g| !best.active.contains(g)).collect();
        joining.sort_by(|a, b| gain(b).total_cmp(&gain(a)).then(a.cmp(b)));
        let room = self.keep - best.active.len();
        let mut plans: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        if room > 0 && !joining.is_empty() {
            plans.push((Vec::new(), joining[..room.min(joining.len())].to_vec()));
        } else {
            let mut together = leaving.len().min(joining.len());
            while together > 1 {
                plans.push((leaving[..together].to_vec(), joining[..together].to_vec()));
                together /= 2;
            }
            // Single exchanges, those of the smallest ranks first.
            let mut singles: Vec<(usize, usize)> =
                (0..leaving.len()).flat_map(|a| (0..joining.len()).map(move |b| (a, b))).collect();
            singles.sort_by_key(|&(a, b)| (a + b, a));
            plans.extend(singles.into_iter().take(TRIES).map(|(a, b)| (vec![leaving[a]], vec![joining[b]])));
        }
        for (out, enters) in plans {
            let mut active: Vec<usize> = best.active.iter().copied().filter(|g| !out.contains(g)).collect();
            active.extend(enters);
            active.sort_unstable();
            let tried = self.minimise_on(active, &best.theta, poll)?;
            if tried.value < best.value - FALL * best.value.abs() {
                return Ok(Some(tried));
            }
        }
        Ok(None)
    }
}
