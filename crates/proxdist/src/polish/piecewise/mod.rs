//! The exact finish for losses with a kink, which have no second derivatives: F is piecewise linear, with a ridge term perhaps.
//!
//! - `interior.rs`: the minimum over rows and balls, by an interior-point method whose systems are as large as the number of features; `bends.rs` has the rows of F, `design.rs` their
//!   features, `walls.rs` the set, `newton_matrix.rs` the systems;
//! - `shortlist.rs`: many rows, most of which are clearly on one side of their kink;
//! - `gap.rs`: what the slopes at its end prove about the minimum;
//! - `choices.rs`: sets that leave a choice of features.
//!
//! Sets that have no description by rows and balls, and no choices of such, have no finish here: [`refusal`] says so before anything is computed.

mod bends;
mod choices;
mod design;
mod gap;
mod interior;
mod newton_matrix;
mod shortlist;
mod walls;

use super::Poll;
use super::convex::MOST_VARIABLES;
use super::finish::{Finish, Polished};
use super::measure::floored;
use crate::conic::Conic;
use crate::constraint::{Constraint, Structure, Workspace};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::gap::{Gap, Proof};
use crate::loss::{KinkFault, Kinked};
use bends::Bends;
use design::{AllColumns, Design};
use gap::{Judged, judge};
use interior::{Ended, Program};

/// Why there is no exact finish of a loss with a kink over a set, if there is none.
pub(crate) fn refusal(set: &dyn Constraint, features: usize) -> Option<KinkFault> {
    match set.structure() {
        Structure::Choice(_) => None,
        structure => match structure.conic(features) {
            Some(conic) if conic.balls.iter().any(|ball| ball.growth.is_some()) => Some(KinkFault::Set),
            Some(conic) if conic.variables() > MOST_VARIABLES => {
                Some(KinkFault::Size { variables: conic.variables(), most: MOST_VARIABLES })
            }
            Some(_) => None,
            None => Some(KinkFault::Set),
        },
    }
}

/// A minimum over a convex set: the point, the columns that it has, and what is proven of it.
struct Solved {
    theta: Vec<f64>,
    slopes: Vec<f64>,
    judged: Judged,
    was_stopped: bool,
}

/// Minimises over a convex set that is described by rows and balls.
fn solve(
    design: &dyn Design,
    bends: &Bends,
    ridge: &[f64],
    (set, conic): (&dyn Constraint, &Conic),
    poll: Poll,
) -> Result<Solved> {
    let program = Program { design, bends, ridge, conic, beside: None, reach: 0.0 };
    let mut start = vec![0.0; design.width()];
    start[conic.features..].fill(middle(bends));
    let ended = program.minimise(&start, poll)?;
    judged(&program, ended, set)
}

/// The end of a method as a point of the set, with what is proven of it.
fn judged(program: &Program, mut ended: Ended, set: &dyn Constraint) -> Result<Solved> {
    let mut theta = ended.theta.clone();
    set.project(&mut theta[..program.conic.features], &mut Workspace::default())?;
    let judged = judge(program, &mut ended, &theta, set)?;
    Ok(Solved { theta, slopes: ended.slopes, judged, was_stopped: ended.was_stopped })
}

/// The weighted median of the kinks, where an intercept may start.
fn middle(bends: &Bends) -> f64 {
    let mut order: Vec<usize> = (0..bends.len()).filter(|&i| bends.counts(i)).collect();
    order.sort_by(|&i, &j| bends.at[i].total_cmp(&bends.at[j]));
    let half = 0.5 * bends.weights.iter().sum::<f64>();
    let mut below = 0.0;
    for i in order {
        below += bends.weights[i];
        if below >= half {
            return bends.at[i];
        }
    }
    0.0
}

/// Finishes a problem whose loss has a kink.
pub(super) fn finish(finish: &Finish, kinked: &dyn Kinked, starts: &[&[f64]], poll: Poll) -> Result<Polished> {
    let Finish { objective, constraint, .. } = *finish;
    if let Structure::Choice(choosing) = constraint.structure() {
        return choices::finish(finish, kinked, choosing, starts, poll);
    }
    let layout = objective.layout();
    let Some(conic) = constraint.structure().conic(layout.coefficient_count()) else {
        return Err(KinkFault::Set.of(objective.loss));
    };
    let bends = Bends::of(objective.data, kinked);
    let ridge: Vec<f64> = (0..layout.coefficient_count()).map(|j| objective.ridge.at(j)).collect();
    let all = AllColumns(objective);
    let whole = Program { design: &all, bends: &bends, ridge: &ridge, conic: &conic, beside: None, reach: 0.0 };
    let solved = match shortlist::minimise(whole, objective, finish.seed, poll)? {
        Some(ended) => judged(&whole, ended, constraint)?,
        None => solve(&all, &bends, &ridge, (constraint, &conic), poll)?,
    };
    let Judged { value, gradient, slack, residual, gap } = solved.judged;
    let reference = floored(value, objective.value(&layout.zeros())?);
    Ok(Polished {
        theta: solved.theta,
        value,
        gradient: Some(gradient),
        diagonal: None,
        stationarity: Some(residual.max(if slack == 0.0 { 0.0 } else { slack / reference })),
        exchanges: Exchanges::NotApplicable,
        summed: None,
        gap: gap.map(|value| Gap { value, proof: Proof::Duality }),
    })
}
