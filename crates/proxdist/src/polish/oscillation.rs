//! Beyond the limits of a choice and back: units join although there is no room for them, one by one, and then those leave that cost least.
//!
//! The smallest exchanges that this finds are of several units at once. Beside convex sets, which hold the coefficients together, F often falls along them where every exchange of one
//! unit for another raises it: with a cap on each weight a portfolio of ten assets may need two others in place of two. What joins is what a projected step promises
//! (`joining.rs`); what leaves is decided by fits, and so is the result.

use super::exchange::Exchange;
use super::joining::most_promising;
use super::refit::{Budget, EXACT, Fitted, ROUGH, Selecting, Watch};
use super::search::Search;
use crate::constraint::with;
use crate::error::Result;
use crate::exchanges::Exchanges;

/// Units that join at most before others leave.
const BEYOND: usize = 4;

impl Search<'_> {
    /// The lowest end of ways beyond the limits and back from the best choice that is known, as far as the operations go.
    pub(super) fn by_oscillation(
        &self,
        exchange: &mut Exchange,
        mut best: (Fitted, Exchanges),
        operations: f64,
        watch: &mut Watch,
    ) -> Result<(Fitted, Exchanges)> {
        let problem = exchange.problem;
        if !problem.choice.needs().is_empty() {
            return Ok(best);
        }
        let mut budget = Budget::of(operations);
        let mut beyond = 1;
        while beyond <= BEYOND && !watch.is_over() {
            let back = there_and_back(problem, &best.0, beyond, &mut budget, watch)?;
            beyond += 1;
            let Some(back) = back.filter(|back| back.units != best.0.units) else { continue };
            let ended = self.descend(exchange, back, watch)?;
            let ended = self.second_look(exchange, ended, watch)?;
            if problem.is_lower(ended.0.value, best.0.value) {
                (best, beyond) = (ended, 1);
            }
        }
        Ok(best)
    }
}

/// The choice after so many units have joined and as many have left; `None` if there is none or it costs too much.
fn there_and_back(
    problem: &Selecting,
    from: &Fitted,
    beyond: usize,
    budget: &mut Budget,
    watch: &mut Watch,
) -> Result<Option<Fitted>> {
    let choice = problem.choice;
    let mut now = from.clone();
    for _ in 0..beyond {
        let theta = problem.spread(&now);
        let Some(unit) = most_promising(problem, &now.units, &theta)? else { break };
        match problem.refit(with(&now.units, unit), Some(&theta), ROUGH, watch)? {
            Some(wider) => now = wider,
            None => break,
        }
    }
    while choice.room(&now.units).is_none() {
        let theta = problem.spread(&now);
        let leaving: Vec<usize> = choice.crowded(&now.units).collect();
        if watch.is_over() || !budget.spend(leaving.len() as f64 * problem.cost(now.support.len())) {
            return Ok(None);
        }
        let mut least: Option<Fitted> = None;
        for unit in leaving {
            let rest = now.units.iter().copied().filter(|other| *other != unit).collect();
            let fitted = problem.refit(rest, Some(&theta), ROUGH, watch)?;
            least = match (least, fitted) {
                (Some(least), Some(fitted)) if least.value <= fitted.value => Some(least),
                (least, fitted) => fitted.or(least),
            };
        }
        let Some(least) = least else { return Ok(None) };
        now = least;
    }
    let theta = problem.spread(&now);
    problem.refit(now.units, Some(&theta), EXACT, watch)
}
