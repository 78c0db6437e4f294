//! From supports that are known to better ones of the same size, for losses that are not quadratic: exchanges that a quadratic model proposes and a brief Newton's method decides (`curved.rs`),
//! then a walk from the best end.

use super::climb::{Climb as _, Place};
use super::curved::Curved;
use super::start::{MEMORY, Polled, telling};
use super::watch::Watch;
use crate::error::Result;
use crate::objective::Objective;
use std::ops::ControlFlow;

/// Walks shorter than this are not begun.
const SHORTEST_WALK: usize = 10;

/// How far a walk may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Moves without a lower F after which it ends.
    pub(crate) moves: usize,
    /// Operations that so many moves may take.
    pub(crate) operations: f64,
}

/// Where exchanges lead to from each of some supports of one size, the lowest F first; what could not be fitted is left out.
pub(crate) fn improved(
    objective: Objective,
    supports: &[Vec<usize>],
    reach: Reach,
    poll: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Vec<Vec<usize>>> {
    let size = supports.iter().map(Vec::len).max().unwrap_or(0);
    let mut polled = Polled(poll);
    let mut watch = Watch::new(&mut polled);
    let mut curved = Curved::new(objective, objective.layout(), (MEMORY, size))?;
    let mut ends: Vec<Place> = Vec::new();
    for support in supports {
        if watch.is_over() {
            break;
        }
        let Some(start) = curved.minimiser(support, None)? else { continue };
        ends.extend(curved.exchanged(&start, &mut watch)?);
    }
    ends.sort_by(|a, b| a.value.total_cmp(&b.value));
    let moves = affordable(objective, size, reach)?;
    let walked = match ends.first() {
        Some(best) if moves >= SHORTEST_WALK && !best.is_separated => walk(&mut curved, best, moves, &mut watch)?,
        _ => None,
    };
    Ok(walked.into_iter().chain(ends).map(|place| place.support).collect())
}

/// Walks for as long as that leads to a lower F.
fn walk(curved: &mut Curved, from: &Place, moves: usize, watch: &mut Watch) -> Result<Option<Place>> {
    let mut best: Option<Place> = None;
    while let Some(lower) = curved.walked(best.as_ref().unwrap_or(from), moves, watch)? {
        best = Some(lower);
        if watch.is_over() {
            break;
        }
    }
    Ok(best)
}

/// Moves that the operations allow, each one pass over the data.
fn affordable(objective: Objective, size: usize, reach: Reach) -> Result<usize> {
    // One feature's second derivatives, the gradient, and Newton steps on the support.
    let newton = 3.0 * objective.data.rows() as f64 * (size * size) as f64;
    let pass = 4.0 * telling(objective.data)? + newton;
    Ok((reach.operations / pass.max(1.0)).min(reach.moves as f64) as usize)
}
