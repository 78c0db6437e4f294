//! The search for losses that are not quadratic, where features are chosen freely: most of the way by the brief steps of `crate::path`, the end by exact fits. Where data are few, exact fits go all the way
//! and only the walk is of this kind.
//!
//! 1. From the starts at hand exchanges lead to local optima; from the best of them `Search::descend` and the second look say what is left to exchange.
//! 2. With more effort the same from the supports of a path over all sizes and of an L1 path, and a walk uphill from the best.
//!
//! Each round of effort begins with all that the one before it has found, so that it never ends at a higher F.

use super::exchange::Exchange;
use super::refit::{EXACT, Fitted, ROUGH, Selecting, Watch};
use super::search::Search;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::path::{Reach, StartBudget, improved};
use std::ops::ControlFlow;

/// Ends that are handed on, for a search on a sample of the rows.
const MOST_ENDS: usize = 3;

impl Search<'_> {
    /// Whether the way of this module is open.
    fn can_climb(&self, problem: &Selecting) -> bool {
        let loss = self.objective.loss;
        let is_curved = !loss.is_quadratic() && !loss.has_straight_pieces();
        let size = problem.choosing.plain_size(self.objective.data.columns());
        is_curved && self.sample.is_none() && size.is_some_and(|size| size > 0)
    }

    /// The best end from all starts; `None` where features are not chosen freely or the loss does not allow it.
    pub(super) fn by_climbing(
        &self,
        problem: &Selecting,
        exchange: &mut Exchange,
        starts: &[Fitted],
        watch: &mut Watch,
    ) -> Result<Option<(Fitted, Exchanges)>> {
        if !self.is_large() || !self.can_climb(problem) {
            return Ok(None);
        }
        let supports: Vec<Vec<usize>> = starts.iter().map(|start| start.support.clone()).collect();
        let nowhere = Reach { moves: 0, operations: 0.0 };
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
            let StartBudget { operations, walk } = budget;
            let reach = Reach { moves: walk, operations };
            if let Some(other) = self.climbed(exchange, &supports, reach, watch)?
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
        let reach = Reach { moves: budget.walk, operations: budget.operations };
        let walked = self.climbed(exchange, std::slice::from_ref(&best.support), reach, watch)?;
        Ok(walked.filter(|walked| walked.0.value < best.value))
    }

    /// Where exchanges lead to from some supports, and what is left to exchange there.
    fn climbed(
        &self,
        exchange: &mut Exchange,
        supports: &[Vec<usize>],
        reach: Reach,
        watch: &mut Watch,
    ) -> Result<Option<(Fitted, Exchanges)>> {
        let problem = exchange.problem;
        let mut poll = || if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let ends = improved(self.objective, supports, reach, &mut poll)?;
        let Some(first) = ends.first() else { return Ok(None) };
        let Some(first) = problem.refit(first.clone(), None, EXACT, watch)? else { return Ok(None) };
        for other in ends.iter().skip(1).take(MOST_ENDS - 1) {
            let other = problem.refit(other.clone(), None, ROUGH, watch)?;
            exchange.ends.extend(other.map(|other| problem.spread(&other)));
        }
        let ended = self.descend(exchange, first, watch)?;
        let ended = self.second_look(exchange, ended, watch)?;
        exchange.ends.push(problem.spread(&ended.0));
        Ok(Some(ended))
    }
}
