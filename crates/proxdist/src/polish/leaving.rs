//! From a choice to smaller ones: the minimisers without one of its units.
//!
//! Beside convex sets, and for units of several features, no formula says which unit costs least, so fits decide; where they would take long, only those of the units with the smallest
//! effects $\sum_{j \in u} h_{jj}\theta_j^2$, which is what leaving costs where columns are orthogonal.

use super::Poll;
use super::inherited::dependents;
use super::refit::{EXACT, Fitted, ROUGH, Selecting, Watch};
use super::sweep::sweep;
use crate::constraint::Choosing;
use crate::error::Result;
use crate::objective::Objective;

/// Operations that all fits together may take, and fits that are made in any case.
const OPERATIONS: f64 = 2e9;
const ALWAYS: usize = 3;

/// The minimisers without one of the units of a point, those that need it leaving with it, the lowest first and at most `most`. The set is the smaller one, of which the point need not be.
pub(crate) fn without_one(
    objective: Objective,
    choosing: &dyn Choosing,
    theta: &[f64],
    most: usize,
    poll: Poll,
) -> Result<Vec<Vec<f64>>> {
    let choice = choosing.choice(objective.data.columns());
    let at_zero = objective.value(&objective.layout().zeros())?;
    let problem = Selecting { objective, choosing, choice: &choice, at_zero, block: None };
    let mut watch = Watch::new(poll);
    let units = choice.active(theta);
    let affordable = (OPERATIONS / problem.cost(units.len())) as usize;
    let mut leaving = units.clone();
    if leaving.len() > affordable.max(ALWAYS) {
        let diagonal = sweep(objective, theta, &[], None)?.diagonal;
        let effect = |unit: usize| choice.unit(unit).iter().map(|&j| diagonal[j] * theta[j] * theta[j]).sum::<f64>();
        leaving.sort_by(|&a, &b| effect(a).total_cmp(&effect(b)).then(a.cmp(&b)));
        leaving.truncate(affordable.max(ALWAYS));
    }
    let mut found: Vec<Fitted> = Vec::new();
    for unit in leaving {
        if watch.is_over() {
            break;
        }
        let gone = dependents(&choice, &units, unit);
        let rest: Vec<usize> = units.iter().copied().filter(|other| gone.binary_search(other).is_err()).collect();
        if choice.room(&rest).is_some() && choice.is_closed(&rest) {
            found.extend(problem.refit(rest, Some(theta), ROUGH, &mut watch)?);
        }
    }
    found.sort_by(|a, b| a.value.total_cmp(&b.value));
    found.truncate(most);
    let mut ends = Vec::with_capacity(found.len());
    for fitted in found {
        // A start that is all but a minimiser may be what is kept, so it is made one.
        let theta = problem.spread(&fitted);
        let exact = problem.refit(fitted.units, Some(&theta), EXACT, &mut watch)?;
        ends.push(exact.map_or(theta, |exact| problem.spread(&exact)));
    }
    Ok(ends)
}
