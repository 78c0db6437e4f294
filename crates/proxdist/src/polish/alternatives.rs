//! What other choices near the one of a model would cost: fits without one feature, with one more, with one exchanged for another.
//!
//! The scores of `scores.rs` rank all exchanges (exactly for squared loss, by the quadratic model otherwise); the best ones, each with another newcomer, are then fitted on all rows, so every F that is told is that of a fit.

use super::refit::{EXACT, Fitted, Selecting, Watch};
use super::scores::{Held, Scores};
use super::sweep::{screened, sweep};
use super::{Poll, exchange};
use crate::constraint::Choosing;
use crate::error::Result;
use crate::objective::Objective;

/// Operations that all fits together may take.
const OPERATIONS: f64 = 4e9;
/// Columns whose exchange is scored where there are too many to keep second derivatives of all.
const SCREENED: usize = 2000;

/// One choice near that of a model, in columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) leaves: Option<usize>,
    pub(crate) enters: Option<usize>,
    /// F of the fit.
    pub(crate) value: f64,
}

/// What was found near a choice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Neighbours {
    /// F of the choice itself, fitted again.
    pub(crate) value: f64,
    pub(crate) near: Vec<Near>,
    /// Exchanges that the set allows, and those that were scored.
    pub(crate) possible: usize,
    pub(crate) scored: usize,
    /// Fits that were made.
    pub(crate) fits: usize,
    /// Whether the budget or a request ended the work.
    pub(crate) is_cut: bool,
}

/// Fits near the choice of `theta`: without each of its features, and with the `most` newcomers that promise most, as exchanges and as additions. `None` where units are not single
/// features or need each other, or where nothing is chosen.
pub(crate) fn near(
    objective: Objective,
    choosing: &dyn Choosing,
    theta: &[f64],
    most: usize,
    poll: Poll,
) -> Result<Option<Neighbours>> {
    let choice = choosing.choice(objective.data.columns());
    let units = choice.active(theta);
    if !choice.is_single() || !choice.needs().is_empty() || units.is_empty() || choice.room(&units).is_none() {
        return Ok(None);
    }
    let at_zero = objective.value(&objective.layout().zeros())?;
    let problem = Selecting { objective, choosing, choice: &choice, at_zero, block: None };
    let mut watch = Watch::new(poll);
    let Some(own) = problem.refit(units, Some(theta), EXACT, &mut watch)? else { return Ok(None) };
    let theta = problem.spread(&own);
    let mut left = ((OPERATIONS / problem.cost(own.support.len() + 1)) as usize).max(3 * most);
    let mut found = Neighbours { value: own.value, near: Vec::new(), possible: 0, scored: 0, fits: 0, is_cut: false };
    let mut fit = |leaves: Option<usize>, enters: Option<usize>, found: &mut Neighbours| -> Result<()> {
        if left == 0 || watch.is_over() {
            found.is_cut = true;
            return Ok(());
        }
        let mut units: Vec<usize> = own.units.iter().copied().filter(|&unit| Some(unit) != leaves).collect();
        units.extend(enters);
        units.sort_unstable();
        let column = |unit: usize| choice.unit(unit)[0];
        if let Some(fitted) = problem.refit(units, Some(&theta), EXACT, &mut watch)? {
            (left, found.fits) = (left - 1, found.fits + 1);
            found.near.push(Near { leaves: leaves.map(column), enters: enters.map(column), value: fitted.value });
        }
        Ok(())
    };
    let best = promising(&problem, &own, &theta, most, &mut found)?;
    for (leaves, enters) in &best {
        fit(Some(*leaves), Some(*enters), &mut found)?;
    }
    for (_, enters) in &best {
        fit(None, Some(*enters), &mut found)?;
    }
    for &leaves in &own.units {
        fit(Some(leaves), None, &mut found)?;
    }
    Ok(Some(found))
}

/// The exchanges that promise most, each with another newcomer: units that leave and enter.
fn promising(
    problem: &Selecting,
    own: &Fitted,
    theta: &[f64],
    most: usize,
    found: &mut Neighbours,
) -> Result<Vec<(usize, usize)>> {
    let (objective, choice) = (problem.objective, problem.choice);
    let mut unit_of = vec![None; objective.data.columns()];
    (0..choice.units()).for_each(|unit| choice.unit(unit).iter().for_each(|&j| unit_of[j] = Some(unit)));
    let Some(room) = choice.room(&own.units) else { return Ok(Vec::new()) };
    let outside = (0..choice.units()).filter(|unit| own.units.binary_search(unit).is_err());
    let allowed = |leaves: usize, enters: usize| room.has_after(choice, leaves, enters);
    found.possible = outside.map(|enters| own.units.iter().filter(|&&leaves| allowed(leaves, enters)).count()).sum();
    let measured = sweep(objective, theta, &own.support, None)?;
    let columns = if measured.has_crosses() { usize::MAX } else { SCREENED };
    let candidates: Vec<usize> =
        screened(&measured, &own.support, columns).into_iter().filter(|&j| unit_of[j].is_some()).collect();
    let (hessian, gradient) = exchange::derivatives(objective, own, theta, &measured)?;
    let held = Held { support: &own.support, point: &own.point, gradient: &gradient, hessian: &hessian };
    let Some(scores) = Scores::new(objective, theta, &held, &measured, &candidates)? else { return Ok(Vec::new()) };
    let allows = |at: usize, column: usize| {
        let pair = unit_of[own.support[at]].zip(unit_of[column]);
        pair.is_some_and(|(leaves, enters)| allowed(leaves, enters))
    };
    let mut best: Vec<(f64, usize, usize)> = Vec::new();
    scores.swaps(allows, 1.0, |swap, is_clear| {
        found.scored += 1;
        let Some((leaves, enters)) = unit_of[own.support[swap.leaves]].zip(unit_of[swap.enters]) else { return };
        if !is_clear {
            return;
        }
        // Exchanges come newcomer by newcomer.
        match best.last_mut() {
            Some(last) if last.2 == enters => {
                if swap.change < last.0 {
                    *last = (swap.change, leaves, enters);
                }
            }
            _ => best.push((swap.change, leaves, enters)),
        }
    });
    best.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    Ok(best.into_iter().take(most).map(|(_, leaves, enters)| (leaves, enters)).collect())
}
