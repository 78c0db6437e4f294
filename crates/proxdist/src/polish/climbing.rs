//! The search for losses that are not quadratic, where features are chosen freely: most of the way by the brief steps of `crate::path`, the end by exact fits. Where data are few, exact fits go all the way
//! and only the walk is of this kind.
//!
//! 1. From the starts at hand exchanges lead to local optima; from the best of them `Search::descend` and the second look say what is left to exchange.
//! 2. With more effort the same from the supports of a path over all sizes and of an L1 path, and a walk uphill from the best.
//!
//! Each round of effort begins with all that the one before it has found, so that it never ends at a higher F.

use super::exchange::Exchange;
use super::refit::{EXACT, Fitted, ROUGH, Selecting, Watch};
use super::search::{FOLLOWED, Search, is_large};
use crate::constraint::{Constraint, Structure};
use crate::data::Data;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::objective::Objective;
use crate::path::{End, Reach, StartBudget, curved_seconds, improved};
use std::ops::ControlFlow;

/// Seconds on one thread, roughly, that a path may take for its steps to take the place of an iteration, and rows up to which that costs little and finds other starts.
const MOST_SECONDS: f64 = 60.0;
const FEW_ROWS: usize = 5000;
/// How many times more ways uphill may cost where columns are more than rows: local optima are many there, and each costs little.
const WIDE: f64 = 4.0;
/// Ends that are handed on, for a search on a sample of the rows.
const MOST_ENDS: usize = 3;

/// Whether brief steps from nowhere cost less than an iteration that would look for a start: on many numbers, where features are chosen freely and a path over all sizes takes little time.
pub(super) fn needs_no_start(constraint: &dyn Constraint, objective: Objective) -> bool {
    let (loss, data) = (objective.loss, objective.data);
    let Structure::Choice(choosing) = constraint.structure() else { return false };
    let size = choosing.plain_size(data.columns()).filter(|&size| size > 0);
    let is_open = !loss.is_quadratic() && !loss.has_straight_pieces() && is_large(data);
    let seconds = |size: usize| curved_seconds(data, size).unwrap_or(f64::INFINITY);
    is_open && data.rows() > FEW_ROWS && size.is_some_and(|size| seconds(size) <= MOST_SECONDS)
}

/// How far a budget lets walks go on these data.
fn reach(StartBudget { walk: moves, kicks, uphill, .. }: StartBudget, data: &Data) -> Reach {
    let is_wide = data.rows() < data.columns();
    Reach { moves, kicks, operations: if is_wide { WIDE * uphill } else { uphill } }
}

impl Search<'_> {
    /// Whether the way of this module is open.
    fn can_climb(&self, problem: &Selecting) -> bool {
        let loss = self.objective.loss;
        let is_curved = !loss.is_quadratic() && !loss.has_straight_pieces();
        let size = problem.choosing.plain_size(self.objective.data.columns());
        is_curved && self.sample.is_none() && size.is_some_and(|size| size > 0)
    }

    /// The best end from all starts and from no feature at all; `None` where features are not chosen freely, data are few or the loss does not allow it.
    pub(super) fn by_climbing(
        &self,
        problem: &Selecting,
        exchange: &mut Exchange,
        starts: &[&[f64]],
        watch: &mut Watch,
    ) -> Result<Option<(Fitted, Exchanges)>> {
        if !self.is_large() || !self.can_climb(problem) {
            return Ok(None);
        }
        let mut valued = self.valued(starts)?;
        valued.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut supports: Vec<Vec<usize>> = valued.iter().map(|(_, start)| problem.choice.active(start)).collect();
        supports.retain(|support| !support.is_empty());
        supports.dedup();
        supports.truncate(FOLLOWED);
        supports.push(Vec::new());
        let nowhere = Reach { moves: 0, kicks: 0, operations: 0.0 };
        let Some(mut best) = self.climbed(exchange, &supports, nowhere, watch)? else { return Ok(None) };
        for (round, &budget) in self.effort.paths().iter().enumerate() {
            if watch.is_over() {
                break;
            }
            let mut supports = vec![best.0.support.clone()];
            supports.extend(self.by_path(problem, budget, watch)?.map(|start| start.support));
            if round == 0 {
                supports.extend(self.by_lasso(problem, budget, watch)?.map(|start| start.support));
            }
            supports.dedup();
            if let Some(other) = self.climbed(exchange, &supports, reach(budget, self.objective.data), watch)?
                && other.0.value < best.0.value
            {
                best = other;
            }
        }
        let exchanges = if watch.was_over() { Exchanges::CutShort } else { best.1 };
        Ok(Some((best.0, exchanges)))
    }

    /// Where a walk leads to from the best choice that is known; `None` if that is nowhere lower.
    pub(super) fn by_walking(
        &self,
        exchange: &mut Exchange,
        best: &Fitted,
        budget: StartBudget,
        watch: &mut Watch,
    ) -> Result<Option<(Fitted, Exchanges)>> {
        if !self.can_climb(exchange.problem) || watch.is_over() {
            return Ok(None);
        }
        let walked =
            self.climbed(exchange, std::slice::from_ref(&best.support), reach(budget, self.objective.data), watch)?;
        Ok(walked.filter(|walked| walked.0.value < best.value))
    }

    /// Where exchanges lead to from some supports, and what is left to exchange there; `None` if that is the first of them, from which walks have led nowhere.
    fn climbed(
        &self,
        exchange: &mut Exchange,
        supports: &[Vec<usize>],
        reach: Reach,
        watch: &mut Watch,
    ) -> Result<Option<(Fitted, Exchanges)>> {
        let problem = exchange.problem;
        let mut poll = || if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let size = problem.choosing.plain_size(self.objective.data.columns()).unwrap_or(0);
        let ends = improved(self.objective, (size, supports), reach, &mut poll)?;
        let is_elsewhere = |end: &&End| reach.moves == 0 || supports.first() != Some(&end.support);
        let Some(first) = ends.first().filter(is_elsewhere) else { return Ok(None) };
        let refit = |end: &End, tolerance, watch: &mut Watch| {
            let near = end.point.as_ref().map(|point| self.objective.layout().spread(&end.support, point));
            problem.refit(end.support.clone(), near.as_deref(), tolerance, watch)
        };
        let Some(first) = refit(first, EXACT, watch)? else { return Ok(None) };
        for other in ends.iter().skip(1).take(MOST_ENDS - 1) {
            let other = refit(other, ROUGH, watch)?;
            exchange.ends.extend(other.map(|other| problem.spread(&other)));
        }
        let ended = self.descend(exchange, first, watch)?;
        let ended = self.second_look(exchange, ended, watch)?;
        exchange.ends.push(problem.spread(&ended.0));
        Ok(Some(ended))
    }
}
