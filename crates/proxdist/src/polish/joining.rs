//! Units that join a choice: the most promising ones first, as far as there is room and what they need is there.
//!
//! A unit promises what a step along it gains in a quadratic model; beside a convex set, what is left of that gain once the step is projected onto the set.

use super::exchange::promise;
use super::refit::{EXACT, Fitted, Selecting, Watch};
use super::sweep::{Sweep, sweep};
use crate::constraint::{Structure, Workspace, with};
use crate::error::Result;

/// Units whose promise is measured by projection where a convex set stands beside the choice.
const MOST_PROJECTED: usize = 5000;

/// The same with more units, if there is room for them.
pub(super) fn filled(problem: &Selecting, fitted: Fitted, watch: &mut Watch) -> Result<Fitted> {
    let choice = problem.choice;
    let Some(room) = choice.room(&fitted.units) else { return Ok(fitted) };
    let can_join =
        |unit: usize| fitted.units.binary_search(&unit).is_err() && choice.can_join(unit, &fitted.units, &room);
    if !(0..choice.units()).any(can_join) || watch.is_over() {
        return Ok(fitted);
    }
    let theta = problem.spread(&fitted);
    let units = joined(problem, &fitted.units, &theta, usize::MAX, &mut None)?;
    Ok(problem.refit(units, Some(&theta), EXACT, watch)?.filter(|more| more.value <= fitted.value).unwrap_or(fitted))
}

/// These units and the most promising others at `theta`, at most `most`, as far as the pools have room.
/// Second derivatives are those of `diagonal`, if there are any; they only order the units.
pub(super) fn joined(
    problem: &Selecting,
    units: &[usize],
    theta: &[f64],
    most: usize,
    diagonal: &mut Option<Vec<f64>>,
) -> Result<Vec<usize>> {
    let choice = problem.choice;
    let Some(mut room) = choice.room(units) else { return Ok(units.to_vec()) };
    let measured = sweep(problem.objective, theta, &[], diagonal.take())?;
    let outside = (0..choice.units()).filter(|&unit| units.binary_search(&unit).is_err() && room.has(choice, unit));
    let outside: Vec<usize> = outside.collect();
    let mut scored = promises(problem, units, theta, &outside, &measured)?;
    let mut joined = units.to_vec();
    // What one unit needs may come after it: each round takes the best that can join.
    loop {
        let before = joined.len();
        scored.retain(|&(_, unit)| {
            let is_wanted = joined.len() < units.len().saturating_add(most) && choice.can_join(unit, &joined, &room);
            if is_wanted && room.take(choice, unit) {
                joined = with(&joined, unit);
            }
            !is_wanted && room.has(choice, unit)
        });
        if joined.len() == before || choice.needs().is_empty() {
            break;
        }
    }
    *diagonal = Some(measured.diagonal);
    Ok(joined)
}

/// What each of some units outside a choice promises, the most first.
fn promises(
    problem: &Selecting,
    units: &[usize],
    theta: &[f64],
    outside: &[usize],
    measured: &Sweep,
) -> Result<Vec<(f64, usize)>> {
    let choice = problem.choice;
    let support = choice.support(units);
    let is_plain =
        problem.choosing.on_support(&support).is_some_and(|set| matches!(set.structure(), Structure::WholeSpace));
    let mut scored: Vec<(f64, usize)> = Vec::with_capacity(outside.len());
    for unit in outside {
        let gain = if is_plain || outside.len() > MOST_PROJECTED {
            promise(choice.unit(*unit), &measured.gradient, &measured.diagonal)
        } else {
            projected_promise(problem, units, *unit, theta, measured)?
        };
        scored.push((gain, *unit));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(scored)
}

/// The unit outside a choice that promises most, whether there is room for it or not; none of those that may never be in or are banned.
pub(super) fn most_promising(
    problem: &Selecting,
    units: &[usize],
    theta: &[f64],
    banned: &[usize],
) -> Result<Option<usize>> {
    let choice = problem.choice;
    let is_out = |unit: usize| units.binary_search(&unit).is_err() && !banned.contains(&unit);
    let is_open = |unit: usize| choice.keep()[choice.pool(unit)] > 0 && is_out(unit);
    let outside: Vec<usize> = (0..choice.units()).filter(|&unit| is_open(unit)).collect();
    let measured = sweep(problem.objective, theta, &[], None)?;
    let scored = promises(problem, units, theta, &outside, &measured)?;
    Ok(scored.first().filter(|(gain, _)| *gain > 0.0).map(|(_, unit)| *unit))
}

/// What a step along a unit gains when it is projected onto the convex set of the support with it.
fn projected_promise(
    problem: &Selecting,
    units: &[usize],
    enters: usize,
    theta: &[f64],
    Sweep { gradient, diagonal, .. }: &Sweep,
) -> Result<f64> {
    let mut more = units.to_vec();
    more.push(enters);
    let support = problem.choice.support(&more);
    let Some(set) = problem.choosing.on_support(&support) else { return Ok(0.0) };
    let entering = problem.choice.unit(enters);
    let mut after: Vec<f64> = support.iter().map(|&j| theta[j]).collect();
    for (x, &j) in after.iter_mut().zip(&support).filter(|(_, j)| entering.contains(j)) {
        *x = -gradient[j] / diagonal[j].max(f64::MIN_POSITIVE);
    }
    set.project(&mut after, &mut Workspace::default())?;
    let change = |(&j, &x): (&usize, &f64)| {
        let step = x - theta[j];
        gradient[j] * step + if entering.contains(&j) { 0.5 * diagonal[j] * step * step } else { 0.0 }
    };
    Ok(-support.iter().zip(&after).map(change).sum::<f64>())
}
