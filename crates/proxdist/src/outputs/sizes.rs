//! Models with $0, 1, 2, \dots$ features shared by all outputs, each found from its neighbours: for the choice of a number of features.
//!
//! Up the sizes one feature joins the support of the size before, the one that promises most, and exchanges follow; then down again from the largest, where the least missed feature leaves. For squared loss all of this
//! is exact algebra on one form. For other losses the quadratic model of `curved.rs` proposes supports upwards and Newton's method, from the coefficients of the model, decides. The supports of another ridge are tried too.
//!
//! Where no feature that is left adds anything, or where classes are told apart without error, larger sizes have the model of the last one.

use super::curved::{Fitted, Search};
use super::exchange::At;
use super::objective::Objective;
use super::restricted::Design;
use super::separation::{NEXT_TO_NOTHING, Separation, stretched};
use super::squared::Squares;
use crate::error::Result;
use crate::polish::Poll;

/// Proposals of the model that are fitted at one size beyond the first.
const ROUNDS: usize = 2;

/// The model of one size.
#[derive(Clone, Debug)]
pub(crate) struct OfSize {
    pub(crate) support: Vec<usize>,
    pub(crate) theta: Vec<f64>,
    pub(crate) separation: Separation,
}

/// Models of all sizes from 0 to `largest`, tried with those of `before` too; `None` if it was ended early.
pub(crate) fn over_sizes(
    objective: Objective,
    largest: usize,
    before: &[OfSize],
    poll: Poll,
) -> Result<Option<Vec<OfSize>>> {
    let largest = largest.min(objective.data.columns());
    if objective.output_loss().is_quadratic() {
        by_algebra(objective, largest, before, poll)
    } else {
        by_models(objective, largest, before, poll)
    }
}

fn by_algebra(objective: Objective, largest: usize, before: &[OfSize], poll: Poll) -> Result<Option<Vec<OfSize>>> {
    let mut squares = Squares::of(objective)?;
    let supports = {
        let mut quadratic = squares.quadratic(objective.outputs());
        let mut supports: Vec<(f64, Vec<usize>)> = Vec::new();
        let mut take = |size: usize, at: &At| match supports.get_mut(size) {
            None => supports.push((at.value, at.support.clone())),
            Some(known) if at.value < known.0 => *known = (at.value, at.support.clone()),
            Some(_) => {}
        };
        let Some(mut at) = quadratic.at(&[])? else { return Ok(Some(Vec::new())) };
        take(0, &at);
        for size in 1..=largest {
            if poll().is_break() {
                return Ok(None);
            }
            let grown = quadratic.grown(at, size)?;
            (at, _) = quadratic.settled(grown)?;
            take(size, &at);
            let other = before.get(size).filter(|other| other.support != at.support);
            if let Some(other) = other.map(|other| quadratic.at(&other.support)).transpose()?.flatten() {
                take(size, &quadratic.settled(other)?.0);
            }
        }
        for size in (1..largest).rev() {
            if poll().is_break() {
                return Ok(None);
            }
            let shrunk = quadratic.shrunk(at, size)?;
            (at, _) = quadratic.settled(shrunk)?;
            if at.support.len() <= size {
                take(size, &at);
            }
        }
        supports
    };
    let mut sizes: Vec<OfSize> = Vec::with_capacity(supports.len());
    for (_, support) in supports {
        let theta = match squares.fit(objective, &support)? {
            Some(theta) => theta,
            None => sizes.last().map_or_else(|| objective.arrangement().zeros(), |last| last.theta.clone()),
        };
        sizes.push(OfSize { support, theta, separation: Separation::No });
    }
    Ok(Some(sizes))
}

fn by_models(objective: Objective, largest: usize, before: &[OfSize], poll: Poll) -> Result<Option<Vec<OfSize>>> {
    let mut search = Search::new(objective, largest)?;
    let mut at = search.fit(&[], objective.arrangement().zeros(), f64::INFINITY)?;
    let mut sizes = vec![sized(objective, &at)?];
    for size in 1..=largest {
        if poll().is_break() {
            return Ok(None);
        }
        if at.support.len() + 1 == size && !at.is_perfect() {
            at = search.next_size(at, size, before.get(size))?;
            sizes.push(sized(objective, &at)?);
        } else {
            sizes.extend(sizes.last().cloned());
        }
    }
    Ok(Some(sizes))
}

/// What is kept of a fitted support; a point that tells all rows apart is taken far out.
fn sized(objective: Objective, at: &Fitted) -> Result<OfSize> {
    let mut theta = at.theta.clone();
    if at.is_perfect() {
        Design::of(objective, &at.support)?.with(objective, &mut theta, |function, point| {
            point.copy_from_slice(&stretched(function, point, NEXT_TO_NOTHING)?);
            Ok(())
        })?;
    }
    Ok(OfSize { support: at.support.clone(), theta, separation: at.separation })
}

impl Search<'_> {
    /// A support with one feature more, from the model at the one before and from what another ridge has there; the one before if nothing is gained.
    fn next_size(&mut self, at: Fitted, size: usize, other: Option<&OfSize>) -> Result<Fitted> {
        let model = self.model(&at)?;
        let mut quadratic = self.quadratic(&model, at.value);
        let Some(now) = quadratic.at(&at.support)? else { return Ok(at) };
        let grown = quadratic.grown(now, size)?;
        let (proposed, _) = quadratic.settled(grown)?;
        if proposed.support.len() <= at.support.len() {
            return Ok(at);
        }
        let start = self.restored(&at, &proposed, &model);
        let mut best = self.fit(&proposed.support, start, f64::INFINITY)?;
        if let Some(other) = other.filter(|other| other.support.len() == size && other.support != best.support) {
            let fitted = self.fit(&other.support, other.theta.clone(), f64::INFINITY)?;
            if fitted.value < best.value {
                best = fitted;
            }
        }
        for _ in 0..ROUNDS {
            if best.is_perfect() {
                break;
            }
            let model = self.model(&best)?;
            let mut quadratic = self.quadratic(&model, best.value);
            let Some(now) = quadratic.at(&best.support)? else { break };
            let (leap, _) = quadratic.settled(now)?;
            match self.tested(&best, &leap, &model)? {
                Some(next) => best = next,
                None => break,
            }
        }
        Ok(if best.value < at.value { best } else { at })
    }
}
