//! The exact finish for sparsity sets: the minimiser on the support, then exchanges of features while F falls.
//!
//! From a support, F is minimised on its columns (inside whatever convex set remains for them). Then, over and over:
//! 1. swaps: the best disjoint ones that the scores predict, as many at a time as keep F falling, down to one;
//! 2. expand and prune: as many new features as there are old ones join, the joint minimiser is found, and features leave one by
//!    one until the size is right again. This finds pairs that only matter together, which no single swap can.
//!
//! It ends when neither lowers F. If all single swaps were looked at and none does, the result is swap-optimal.

use super::convex::minimise;
use super::on_columns::OnColumns;
use super::scores::{Held, Sweep, eliminate, screened, support_of, swaps, sweep};
use super::{Smooth as _, subsets};
use crate::constraint::{Constraint, WholeSpace};
use crate::error::Result;
use crate::objective::Objective;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Columns whose exchange is scored where there are too many to keep second derivatives of all.
const SCREENED: usize = 4000;
/// Rounds of exchange at most; each lowers F, so this is never reached in practice.
const ROUNDS: usize = 200;
/// Precision of the minimisers.
const TOLERANCE: f64 = 1e-12;
/// Relative fall of F that counts.
const FALL: f64 = 1e-11;

/// A problem with a sparsity set.
pub(crate) struct Exchange<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) constraint: &'p dyn Constraint,
    pub(crate) intercept: bool,
    pub(crate) keep: usize,
    /// Whether the start comes from a search on a sample of the rows, so that little is left to find.
    pub(crate) is_searched: bool,
}

/// A minimiser on a support.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    support: Vec<usize>,
    point: Vec<f64>,
    value: f64,
    hessian: Vec<f64>,
}

/// What an exchange led to.
pub(crate) struct Exchanged {
    pub(crate) theta: Vec<f64>,
    pub(crate) is_swap_optimal: bool,
}

impl Exchange<'_> {
    /// Finishes from the best of several feasible points. `poll` may end the search early.
    pub(crate) fn finish(&self, starts: &[&[f64]], poll: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Exchanged> {
        let columns = self.objective.data.columns();
        let mut seen: HashSet<Vec<usize>> = HashSet::new();
        let mut pool: Vec<Best> = Vec::new();
        for (number, start) in starts.iter().enumerate() {
            let support = support_of(start, columns);
            // Runners-up are looked at where that is cheap; the first start always.
            if number > 0 && (self.is_large() || support.len() > self.keep || poll().is_break()) {
                continue;
            }
            if seen.insert(support.clone()) {
                pool.push(self.minimise_on(support, Some(start))?);
            }
        }
        if subsets::is_small(self.objective.data) {
            let theta = self.spread(&pool[0]);
            for support in subsets::starts(self.objective, &theta, self.intercept, self.keep)? {
                if seen.insert(support.clone()) {
                    pool.push(self.minimise_on(support, None)?);
                }
            }
        }
        pool.sort_by(|a, b| a.value.total_cmp(&b.value));
        let searched = if self.is_large() { 1 } else { pool.len() };
        let mut best: Option<(Best, bool)> = None;
        for start in pool.into_iter().take(searched) {
            if best.is_some() && poll().is_break() {
                break;
            }
            let (found, is_optimal) = self.search(start, poll)?;
            if best.as_ref().is_none_or(|(best, _)| found.value < best.value) {
                best = Some((found, is_optimal));
            }
        }
        match best {
            Some((best, is_swap_optimal)) => Ok(Exchanged { theta: self.spread(&best), is_swap_optimal }),
            None => Ok(Exchanged { theta: starts[0].to_vec(), is_swap_optimal: false }),
        }
    }

    /// Whether a search costs so much that only the best start is followed.
    fn is_large(&self) -> bool {
        self.objective.data.rows().saturating_mul(self.objective.data.columns()) > 500_000
    }

    /// The full parameter of a restricted one.
    fn spread(&self, best: &Best) -> Vec<f64> {
        let columns = self.objective.data.columns();
        let mut theta = vec![0.0; columns + usize::from(self.intercept)];
        best.support.iter().zip(&best.point).for_each(|(&j, &value)| theta[j] = value);
        if self.intercept {
            theta[columns] = best.point[best.support.len()];
        }
        theta
    }

    /// The minimiser on a support, started from the entries of `start` there.
    fn minimise_on(&self, support: Vec<usize>, start: Option<&[f64]>) -> Result<Best> {
        let columns = self.objective.data.columns();
        let mut function = OnColumns::new(self.objective, &support, self.intercept)?;
        let mut point: Vec<f64> = support.iter().map(|&j| start.map_or(0.0, |start| start[j])).collect();
        point.extend(self.intercept.then(|| start.map_or(0.0, |start| start[columns])));
        let set: Box<dyn Constraint + '_> = self.constraint.on_support(&support).unwrap_or(Box::new(WholeSpace));
        let value = minimise(&mut function, &*set, &mut point, TOLERANCE)?.value;
        let mut hessian = vec![0.0; point.len() * point.len()];
        function.linearise(&point)?;
        function.hessian(&mut hessian)?;
        drop(set);
        Ok(Best { support, point, value, hessian })
    }

    /// Exchanges features from one start until F no longer falls.
    fn search(&self, start: Best, poll: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(Best, bool)> {
        let mut best = start;
        let mut diagonal: Option<Vec<f64>> = None;
        for _ in 0..ROUNDS {
            if poll().is_break() {
                return Ok((best, false));
            }
            let theta = self.spread(&best);
            let known = diagonal.take().filter(|_| self.objective.loss.is_quadratic());
            let measured = sweep(self.objective, &theta, &best.support, known)?;
            let most = if measured.has_crosses() { usize::MAX } else { SCREENED };
            let candidates = screened(&measured, &best.support, most);
            let improved = match self.swap(&best, &theta, &measured, &candidates, poll)? {
                Some(improved) => Some(improved),
                None if self.is_searched || poll().is_break() => None,
                None => self.expand_and_prune(&best, &measured, &candidates)?,
            };
            diagonal = Some(measured.diagonal);
            let Some(improved) = improved else {
                let looked_at_all = candidates.len() + best.support.len() == self.objective.data.columns();
                return Ok((best, looked_at_all));
            };
            best = improved;
        }
        Ok((best, false))
    }

    fn is_lower(value: f64, than: f64) -> bool {
        value < than - FALL * than.abs()
    }

    /// The best swaps, as many together as lower F.
    fn swap(
        &self,
        best: &Best,
        theta: &[f64],
        measured: &Sweep,
        candidates: &[usize],
        poll: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Best>> {
        let has_room = best.support.len() < self.keep;
        let held = Held { support: &best.support, point: &best.point, hessian: &best.hessian };
        let mut found = swaps(self.objective, theta, &held, measured, candidates, has_room)?;
        found.retain(|swap| -swap.change > FALL * best.value.abs());
        let mut disjoint = Vec::new();
        let mut leaving = HashSet::new();
        for swap in &found {
            let fits = match swap.out {
                Some(out) => leaving.insert(out),
                None => best.support.len() + disjoint.len() < self.keep,
            };
            if fits {
                disjoint.push(*swap);
            }
        }
        let mut together = disjoint.len();
        while together > 1 && poll().is_continue() {
            let tried = self.minimise_on(exchanged(&best.support, &disjoint[..together]), Some(theta))?;
            if Self::is_lower(tried.value, best.value) {
                return Ok(Some(tried));
            }
            together /= 2;
        }
        // One at a time; the model is exact for squared loss, and for others the first few are worth a try each.
        let tries = if self.objective.loss.is_quadratic() || self.is_searched { 2 } else { 8 };
        for swap in found.iter().take(tries).take_while(|_| poll().is_continue()) {
            let tried = self.minimise_on(exchanged(&best.support, &[*swap]), Some(theta))?;
            if Self::is_lower(tried.value, best.value) {
                return Ok(Some(tried));
            }
        }
        Ok(None)
    }

    /// Adds the most promising features, refits, and removes the least useful ones.
    fn expand_and_prune(&self, best: &Best, measured: &Sweep, candidates: &[usize]) -> Result<Option<Best>> {
        let room = (self.objective.data.rows() / 2).saturating_sub(best.support.len());
        let joining = self.keep.max(5).min(candidates.len()).min(room);
        if joining == 0 {
            return Ok(None);
        }
        let mut promising = candidates.to_vec();
        let gain = |j: usize| {
            let gain = measured.gradient[j] * measured.gradient[j] / measured.diagonal[j];
            if gain.is_finite() { gain } else { 0.0 }
        };
        promising.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        let mut union = best.support.clone();
        union.extend(&promising[..joining]);
        union.sort_unstable();
        let theta = self.spread(best);
        let wide = self.minimise_on(union, Some(&theta))?;
        let held = Held { support: &wide.support, point: &wide.point, hessian: &wide.hessian };
        let Some(pruned) = eliminate(&held, self.keep) else { return Ok(None) };
        if pruned == best.support {
            return Ok(None);
        }
        let wide_theta = self.spread(&wide);
        let tried = self.minimise_on(pruned, Some(&wide_theta))?;
        Ok(Self::is_lower(tried.value, best.value).then_some(tried))
    }
}

/// A support after some swaps, sorted.
fn exchanged(support: &[usize], swaps: &[super::scores::Swap]) -> Vec<usize> {
    let gone: Vec<usize> = swaps.iter().filter_map(|swap| swap.out).collect();
    let mut result: Vec<usize> = (0..support.len()).filter(|at| !gone.contains(at)).map(|at| support[at]).collect();
    result.extend(swaps.iter().map(|swap| swap.enters));
    result.sort_unstable();
    result
}
