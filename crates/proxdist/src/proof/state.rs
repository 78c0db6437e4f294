//! Everything that a search knows, which is what a checkpoint holds.

use super::queue::Queue;
use serde::{Deserialize, Serialize};

/// The best choice so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Incumbent {
    /// Its columns, rising.
    pub support: Vec<usize>,
    /// Their coefficients, in the units of the problem.
    pub theta: Vec<f64>,
    /// The function is at most this there.
    pub value: f64,
}

/// The columns that the root leaves, and the diagonal of the root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Base {
    pub(super) columns: Vec<usize>,
    pub(super) diagonal: Vec<f64>,
}

/// A search between two batches of nodes: its result so far, and all it needs to go on. It can be written with serde and read again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) incumbent: Incumbent,
    /// The least bound among all that was closed; `f64::MAX` before anything was.
    pub(super) closed: f64,
    /// A bound for everything, from the root.
    pub(super) root: f64,
    pub(super) nodes: u64,
    /// None before the root is done.
    pub(super) base: Option<Base>,
    pub(super) queue: Queue,
    /// Says which problem this is.
    pub(super) fingerprint: u64,
}

impl State {
    /// The best choice found.
    pub fn incumbent(&self) -> &Incumbent {
        &self.incumbent
    }

    /// No allowed choice is better than this: proven.
    pub fn lower(&self) -> f64 {
        let open = match (&self.base, self.queue.least_bound()) {
            (None, _) => self.root,
            (Some(_), None) => f64::MAX,
            (Some(_), Some(bound)) => bound,
        };
        open.min(self.closed).max(self.root).min(self.incumbent.value)
    }

    /// How much better than the incumbent another choice can be at most, relative to its value.
    pub fn gap(&self) -> f64 {
        let difference = self.incumbent.value - self.lower();
        if difference <= 0.0 { 0.0 } else { difference / self.incumbent.value.abs() }
    }

    /// Nodes that were worked on.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether nothing is left to be looked at.
    pub fn is_finished(&self) -> bool {
        self.base.is_some() && self.queue.len() == 0
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            nodes: self.nodes,
            open: self.queue.len(),
            bytes: self.queue.bytes(),
            upper: self.incumbent.value,
            lower: self.lower(),
        }
    }
}

/// Where a search is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Nodes that were worked on.
    pub nodes: u64,
    /// Nodes that are open.
    pub open: usize,
    /// Memory of the open nodes, about.
    pub bytes: usize,
    /// Value of the incumbent.
    pub upper: f64,
    /// Proven bound.
    pub lower: f64,
}
