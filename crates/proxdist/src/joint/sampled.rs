//! Many rows: a fit to a sample of them is where the fit to all of them starts.
//!
//! A batch of rows has risk sets of its own: each event is compared with those of the batch who are at risk, in its stratum. The loss of a batch is thus not an unbiased estimate of that of all rows (with $m$ rows at risk the logarithm of their mean hazard is too low by about the variance of the
//! hazards over $2m$), and steps on small batches would settle at a point of their own. One large batch has next to no such bias, and what is left of it does not matter, since nothing but the start comes from it: Newton's method on all rows then has a few steps to go in place of many, and a choice of features is
//! searched for on the batch and only improved on all rows.

use super::certify::reach;
use super::problem::JointProblem;
use crate::error::Result;
use crate::polish::Poll;
use crate::sampling::monitor_sample;
use crate::solver::Settings;

/// Rows from which on it is worth it.
const MANY: usize = 20_000;
/// Rows of the sample: a share of all, at least so many, and so many for each feature.
const SHARE: usize = 20;
const LEAST: usize = 4_000;
const FOR_EACH_FEATURE: usize = 25;

/// Where a fit may start, if rows are many and nothing else is told; `None` too where the sample has no fit, as without an event.
pub(super) fn start(problem: &JointProblem, settings: &Settings, poll: Poll) -> Result<Option<Vec<f64>>> {
    let data = problem.objective().data;
    let (rows, features) = (data.rows(), data.columns());
    let count = (rows / SHARE).max(LEAST).max(FOR_EACH_FEATURE * features);
    if rows < MANY || count > rows / 3 || settings.start.is_some() {
        return Ok(None);
    }
    let mut chosen = monitor_sample(settings.seed_value(), rows, count);
    chosen.sort_unstable();
    let part = data.subset(chosen)?;
    let Ok(sample) = part.data() else { return Ok(None) };
    let Ok(smaller) = problem.answers().picked(part.rows()).problem(&sample, problem.constraint()) else {
        return Ok(None);
    };
    let smaller = smaller.ridge(problem.objective().ridge);
    let (theta, _) = reach(&smaller, settings, smaller.objective(), poll)?;
    Ok(theta.iter().all(|value| value.is_finite()).then_some(theta))
}
