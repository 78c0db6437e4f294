//! From supports that are known to better ones of the same size, for losses that are not quadratic: exchanges that a quadratic model proposes and a brief Newton's method decides (`curved.rs`),
//! then walks, swings and kicks (`wandering.rs`) from the best end, and walks from others.

use super::climb::{Climb as _, Place};
use super::curved::Curved;
use super::start::{MEMORY, Polled};
use super::watch::Watch;
use crate::error::Result;
use crate::objective::Objective;
use std::ops::ControlFlow;

/// Ends besides the best that walks start from.
const OTHERS: usize = 2;

/// How far walks may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Moves without a lower F after which one ends; none if zero.
    pub(crate) moves: usize,
    /// Swings and kicks without a lower F after which they end.
    pub(crate) kicks: usize,
    /// Operations that all of them may take.
    pub(crate) operations: f64,
}

/// A support, and where F is least on it, about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct End {
    pub(crate) support: Vec<usize>,
    /// Coefficients, then the intercept if there is one; nothing where F has no minimum.
    pub(crate) point: Option<Vec<f64>>,
}

impl From<Place> for End {
    fn from(Place { support, point, is_separated, .. }: Place) -> Self {
        Self { support, point: (!is_separated).then_some(point) }
    }
}

/// Where exchanges lead to from each of some supports, filled up to one size where they are smaller, the lowest F first; what could not be fitted is left out.
pub(crate) fn improved(
    objective: Objective,
    (size, supports): (usize, &[Vec<usize>]),
    reach: Reach,
    poll: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Vec<End>> {
    let mut polled = Polled(poll);
    let mut watch = Watch::new(&mut polled);
    let mut curved = Curved::new(objective, objective.layout(), (MEMORY, size))?;
    let mut ends: Vec<Place> = Vec::new();
    for support in supports {
        if watch.is_over() {
            break;
        }
        let Some(start) = curved.minimiser(support, None)? else { continue };
        let Some(start) = curved.filled(start, size)? else { continue };
        ends.extend(curved.exchanged(&start, &mut watch)?);
    }
    ends.sort_by(|a, b| a.value.total_cmp(&b.value));
    ends.dedup_by(|a, b| a.support == b.support);
    let is_walked = reach.moves > 0 && ends.first().is_some_and(|best| !best.is_separated);
    let best = if is_walked { beyond(&mut curved, &ends, reach, &mut watch)? } else { None };
    Ok(best.into_iter().chain(ends).map(End::from).collect())
}

/// The lowest place that walks, swings and kicks lead to, if it is lower than all these ends.
fn beyond(curved: &mut Curved, ends: &[Place], reach: Reach, watch: &mut Watch) -> Result<Option<Place>> {
    curved.allow(reach.operations);
    let Some((first, others)) = ends.split_first() else { return Ok(None) };
    let mut best = explored(curved, first.clone(), reach, watch)?;
    for other in others.iter().take(OTHERS).filter(|other| !other.is_separated) {
        let end = walked(curved, other.clone(), reach, watch)?;
        if curved.is_lower(end.value, best.value) {
            best = explored(curved, end, reach, watch)?;
        }
    }
    Ok(curved.is_lower(best.value, first.value).then_some(best))
}

/// Walks for as long as that leads to a lower F.
fn walked(curved: &mut Curved, from: Place, reach: Reach, watch: &mut Watch) -> Result<Place> {
    let mut best = from;
    while let Some(lower) = curved.walk(&best, reach.moves, watch)? {
        best = lower;
    }
    Ok(best)
}

/// Walks, then swings and kicks, and again for as long as that leads to a lower F.
fn explored(curved: &mut Curved, from: Place, reach: Reach, watch: &mut Watch) -> Result<Place> {
    let mut best = walked(curved, from, reach, watch)?;
    while let Some(lower) = curved.shake(&best, reach.kicks, watch)? {
        best = walked(curved, lower, reach, watch)?;
    }
    Ok(best)
}
