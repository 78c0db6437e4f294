//! The root of the search: the bound for everything, and the columns that matter.
//!
//! First the test of `settle` on the incumbent. If it does not settle the matter, a diagonal is improved by Frank–Wolfe steps: the relaxation's minimum
//! is concave in the diagonal, `diagonal` finds the best one for its present derivative, and the first step towards that which raises the bound is taken. After each step
//! columns are screened, which lets the diagonal of the others grow.

use super::bound::{Bound, Restricted};
use super::diagonal::Improvable;
use super::node::{Context, Desk, Node};
use super::relax::{Goal, Relaxed, relax};
use crate::linalg::Cholesky;

/// Steps towards the best diagonal that are tried.
const STEPS: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.03];
/// Part of what the bound is short of that a step must gain for another one.
const WORTHWHILE: f64 = 0.01;

/// What the root leaves.
#[derive(Clone, Debug)]
pub(super) struct Rooted {
    /// Nothing is below this, apart from what was screened away at the cutoff.
    pub(super) bound: f64,
    pub(super) is_screened: bool,
    /// A support that may be good.
    pub(super) candidate: Option<Vec<usize>>,
    /// The node with the columns that are left; none if the bound closes it.
    pub(super) node: Option<Node>,
}

/// Most steps for so many columns: each costs about ten times their cube.
fn most_steps(columns: usize) -> usize {
    match columns {
        0..=150 => 40,
        151..=300 => 20,
        301..=600 => 8,
        601..=1500 => 2,
        _ => 0,
    }
}

/// Works on a node that has all columns; the start of its relaxation is the incumbent. `None` if no diagonal is found.
pub(super) fn root(node: &Node, context: Context, cholesky: &mut Cholesky) -> Option<Rooted> {
    let mut desk = Desk::new(node, context);
    if !desk.is_leaf() && !desk.begin_diagonal(cholesky) {
        return None;
    }
    let mut rooted = Rooted { bound: node.bound, is_screened: false, candidate: None, node: None };
    if desk.is_leaf() {
        rooted.node = Some(node_of(&desk, node));
        return Some(rooted);
    }
    let mut began = desk.diagonal.clone();
    let mut relaxed = from_both_starts(&desk, cholesky);
    for step in 0.. {
        let before = rooted.bound;
        let bound = Bound::at(desk.restricted(), &relaxed.base);
        rooted.bound = rooted.bound.max(bound.value);
        rooted.candidate = Some(desk.rounded(&relaxed));
        if rooted.bound >= context.cutoff {
            return Some(rooted);
        }
        rooted.is_screened |= bound.screen(&desk.runs, &mut desk.places, &mut desk.room, context.cutoff);
        let weights = desk.scores(&relaxed).weights;
        desk.theta.clone_from(&relaxed.theta);
        let alive = desk.alive();
        let pick = |values: &[f64]| -> Vec<f64> { alive.iter().map(|&j| values[j]).collect() };
        let (weights, diagonal) = (pick(&weights), pick(&desk.diagonal));
        began = pick(&began);
        if alive.len() < desk.part.len() {
            let sub = desk.part.on(&alive);
            desk.reduce(&alive, sub, diagonal);
        }
        let is_slow = step > 1 && rooted.bound - before < WORTHWHILE * (context.cutoff - rooted.bound);
        if desk.is_leaf() || is_slow || step >= most_steps(alive.len()) {
            break;
        }
        // Screened columns are gone: the relaxation may have changed even where no step helps.
        relaxed = relax(desk.restricted(), &desk.theta, goal(context), cholesky);
        match stepped(&desk, &relaxed, (&weights, &began), cholesky) {
            Some((diagonal, better)) => (desk.diagonal, relaxed) = (diagonal, better),
            None => break,
        }
    }
    desk.bound = rooted.bound;
    rooted.node = Some(node_of(&desk, node));
    Some(rooted)
}

fn goal(context: Context) -> Goal {
    Goal { cutoff: context.cutoff, accuracy: 0.1 * context.tolerance, share: 1e-3, rounds: 200 }
}

/// The better of the relaxations from the incumbent and from zero.
fn from_both_starts(desk: &Desk, cholesky: &mut Cholesky) -> Relaxed {
    let from_incumbent = relax(desk.restricted(), &desk.theta, goal(desk.context), cholesky);
    if from_incumbent.bound >= desk.context.cutoff {
        return from_incumbent;
    }
    let from_zero = relax(desk.restricted(), &vec![0.0; desk.part.len()], goal(desk.context), cholesky);
    if from_zero.bound > from_incumbent.bound { from_zero } else { from_incumbent }
}

/// The first step that raises the bound.
fn stepped(
    desk: &Desk,
    relaxed: &Relaxed,
    (weights, began): (&[f64], &[f64]),
    cholesky: &mut Cholesky,
) -> Option<(Vec<f64>, Relaxed)> {
    let improvable = Improvable { gram: &desk.part.gram, diagonal: &desk.diagonal, began };
    let best = improvable.best_for(weights, cholesky)?;
    for step in STEPS {
        let Some(diagonal) = improvable.towards(&best, step, cholesky) else { continue };
        let restricted = Restricted { diagonal: &diagonal, ..desk.restricted() };
        let found = relax(restricted, &relaxed.theta, goal(desk.context), cholesky);
        if found.bound > relaxed.bound {
            return Some((diagonal, found));
        }
    }
    None
}

/// What is on the desk as a node.
fn node_of(desk: &Desk, node: &Node) -> Node {
    let alive = desk.alive();
    let start = alive.iter().enumerate().filter(|(_, j)| desk.theta[**j] != 0.0);
    Node {
        bound: desk.bound,
        columns: alive.iter().map(|&j| desk.origin[j] as u32).collect(),
        is_in: alive.iter().map(|&j| desk.places[j] == super::part::Place::In).collect(),
        diagonal: alive.iter().map(|&j| desk.diagonal[j]).filter(|d| *d > 0.0).collect(),
        start: start.map(|(at, &j)| (at as u32, desk.theta[j])).collect(),
        ..node.clone()
    }
}
