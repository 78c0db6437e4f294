//! Beyond the limits of a choice and back: units join although there is no room for them, one by one, and then those leave that cost least.
//!
//! The smallest exchanges that this finds are of several units at once. Beside convex sets, which hold the coefficients together, F often falls along them where every exchange of one
//! unit for another raises it: with a cap on each weight a portfolio of ten assets may need two others in place of two. What joins is what a projected step promises
//! (`joining.rs`); what leaves is decided by fits, and so is the result. The widest such way begins with every unit: the minimiser over the convex set alone, whose units leave one by one.

use super::exchange::Exchange;
use super::joining::most_promising;
use super::refit::{Budget, EXACT, Fitted, ROUGH, Selecting, Watch};
use super::search::Search;
use super::sweep::sweep;
use crate::constraint::with;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::random::{Purpose, below, stream};

/// Units that join at most before others leave.
const BEYOND: usize = 4;
/// Times as many units as there may be from which on they leave one by one.
const FEW: usize = 3;
/// Units that a kick moves: this share of all, rounded up, and at least so many.
const KICKED: f64 = 0.2;
const LEAST_KICKED: usize = 2;
/// Kicks without a lower F after which they end, and refits for each unit that one takes, with the exchanges that follow.
const MOST_KICKS: u64 = 40;
const KICK_REFITS: f64 = 4.0;

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
        let everything = from_everything(problem, &mut budget, watch)?;
        best = self.lower_of(exchange, best, everything, watch)?.0;
        let (mut beyond, mut kicks) = (1, 0);
        while kicks < MOST_KICKS && !watch.is_over() {
            let start = if beyond <= BEYOND {
                there_and_back(problem, &best.0, beyond, &mut budget, watch)?
            } else {
                kicks += 1;
                let size = best.0.support.len();
                if !budget.spend(KICK_REFITS * size as f64 * problem.cost(size)) {
                    break;
                }
                kicked(problem, &best.0, kicks, watch)?
            };
            beyond += 1;
            let is_lower;
            (best, is_lower) = self.lower_of(exchange, best, start, watch)?;
            if is_lower {
                (beyond, kicks) = (1, 0);
            }
        }
        Ok(best)
    }

    /// Where exchanges lead to from a start, if that is lower than the best so far, and whether it is.
    fn lower_of(
        &self,
        exchange: &mut Exchange,
        best: (Fitted, Exchanges),
        start: Option<Fitted>,
        watch: &mut Watch,
    ) -> Result<((Fitted, Exchanges), bool)> {
        let Some(start) = start.filter(|start| start.units != best.0.units) else { return Ok((best, false)) };
        let ended = self.descend(exchange, start, watch)?;
        let ended = self.second_look(exchange, ended, watch)?;
        let is_lower = exchange.problem.is_lower(ended.0.value, best.0.value);
        Ok((if is_lower { ended } else { best }, is_lower))
    }
}

/// The choice that is left when units leave the minimiser over the convex set alone: half of them at a time, the smallest, while they are far too many, then one by one.
fn from_everything(problem: &Selecting, budget: &mut Budget, watch: &mut Watch) -> Result<Option<Fitted>> {
    let choice = problem.choice;
    let is_open = |unit: &usize| choice.keep()[choice.pool(*unit)] > 0;
    let mut units: Vec<usize> = (0..choice.units()).filter(is_open).collect();
    let (rank, mut theta) = (choice.rank(), None);
    loop {
        if watch.is_over() || !budget.spend(problem.cost(choice.support(&units).len())) {
            return Ok(None);
        }
        let Some(fitted) = problem.refit(units, theta.as_deref(), ROUGH, watch)? else { return Ok(None) };
        let all = problem.spread(&fitted);
        let mut sizes = sizes(problem, &all)?;
        sizes.retain(|(size, _)| *size > 0.0);
        let few = FEW * rank;
        if sizes.len() <= few {
            let active = sizes.into_iter().map(|(_, unit)| unit).collect();
            return match problem.refit(active, Some(&all), ROUGH, watch)? {
                Some(active) => back(problem, active, budget, watch),
                None => Ok(None),
            };
        }
        sizes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        sizes.truncate((sizes.len() / 2).max(few));
        units = sizes.into_iter().map(|(_, unit)| unit).collect();
        units.sort_unstable();
        theta = Some(all);
    }
}

/// How much each unit matters at a point: the size of its coefficients on scaled columns.
fn sizes(problem: &Selecting, theta: &[f64]) -> Result<Vec<(f64, usize)>> {
    let diagonal = sweep(problem.objective, theta, &[], None)?.diagonal;
    let share = |j: &usize| theta[*j] * theta[*j] * diagonal[*j];
    let size = |unit: usize| problem.choice.unit(unit).iter().map(share).sum::<f64>();
    Ok((0..problem.choice.units()).map(|unit| (size(unit), unit)).collect())
}

/// The choice after some units, drawn at random, have left for good and the most promising others have come, one after the other.
fn kicked(problem: &Selecting, from: &Fitted, number: u64, watch: &mut Watch) -> Result<Option<Fitted>> {
    let size = from.units.len();
    let count = ((KICKED * size as f64).ceil() as usize).max(LEAST_KICKED);
    if count >= size {
        return Ok(None);
    }
    let mut generator = stream(size as u64, Purpose::Search, number);
    let (mut units, mut gone) = (from.units.clone(), Vec::with_capacity(count));
    for _ in 0..count {
        gone.push(units.remove(below(&mut generator, units.len() as u64) as usize));
    }
    let mut theta = problem.spread(from);
    for unit in &gone {
        problem.choice.unit(*unit).iter().for_each(|&j| theta[j] = 0.0);
    }
    for left in (0..=count).rev() {
        let tolerance = if left == 0 { EXACT } else { ROUGH };
        let fitted = problem.refit(units.clone(), Some(&theta), tolerance, watch)?;
        if left == 0 || watch.is_over() {
            return Ok(fitted.filter(|fitted| problem.choice.room(&fitted.units).is_some()));
        }
        if let Some(fitted) = &fitted {
            theta = problem.spread(fitted);
        }
        match most_promising(problem, &units, &theta, &gone)? {
            Some(unit) => units = with(&units, unit),
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The choice after so many units have joined and as many have left; `None` if there is none or it costs too much.
fn there_and_back(
    problem: &Selecting,
    from: &Fitted,
    beyond: usize,
    budget: &mut Budget,
    watch: &mut Watch,
) -> Result<Option<Fitted>> {
    let mut now = from.clone();
    for _ in 0..beyond {
        let theta = problem.spread(&now);
        let Some(unit) = most_promising(problem, &now.units, &theta, &[])? else { break };
        match problem.refit(with(&now.units, unit), Some(&theta), ROUGH, watch)? {
            Some(wider) => now = wider,
            None => break,
        }
    }
    back(problem, now, budget, watch)
}

/// The choice after units have left one by one, each time the one that costs least, until the limits hold; `None` if there is none or it costs too much.
fn back(problem: &Selecting, from: Fitted, budget: &mut Budget, watch: &mut Watch) -> Result<Option<Fitted>> {
    let choice = problem.choice;
    let mut now = from;
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
