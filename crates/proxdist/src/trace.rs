//! What is measured at checkpoints, and who is told.

use crate::run::State;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Duration;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Several first penalties are tried side by side; numbers are those of the best.
    Race,
    /// The iteration.
    Iteration,
    /// The exact finish.
    Polish,
    /// The search for a proof.
    Proof,
    /// A reading of rows that are not in memory; the step is its number.
    Reading,
}

impl Phase {
    /// One word, the same as in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Iteration => "iteration",
            Self::Polish => "polish",
            Self::Proof => "proof",
            Self::Reading => "reading",
        }
    }
}

/// The state of a run at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// What the run is doing.
    pub phase: Phase,
    /// Steps taken.
    pub step: u64,
    /// $F(P_C(\theta))$ on the monitor rows.
    pub objective: f64,
    /// $\mathrm{dist}(\theta, C)$
    pub distance: f64,
    /// Penalty of the last step.
    pub rho: f64,
    /// Nonzero coefficients of $P_C(\theta)$.
    pub nonzeros: usize,
    /// Rows seen so far, with repetition.
    pub rows_seen: u64,
    /// Time since the run began.
    pub elapsed: Duration,
    /// In the search for a proof: a number that F is proven not to be below anywhere in the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// In the search for a proof: nodes that were worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// How far one reading of rows that are not in memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// Its number, from 1.
    pub number: u64,
    /// Rows that were read.
    pub rows: u64,
    /// Rows there are, where that is known.
    pub of: Option<u64>,
    /// Columns there are.
    pub columns: usize,
    /// Time since this reading began.
    pub elapsed: Duration,
}

/// Sees every checkpoint; `Break` ends the run (Ctrl-C, a time budget, a progress bar). Functions of a [`Progress`] observe.
pub trait Observer: Send {
    /// Called at each checkpoint.
    fn checkpoint(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Called after every step, for interrupts that cannot wait; must be quick.
    fn poll(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called after each part of a reading of rows that are not in memory.
    fn reading(&mut self, reading: &Reading) -> ControlFlow<()> {
        let _ = reading;
        self.poll()
    }

    /// Called wherever a run could go on from its state in another process: after each round of the race, at checkpoints of the iteration, before the exact
    /// finish, now and then in the search for a proof.
    fn snapshot(&mut self, state: &State) {
        let _ = state;
    }
}

impl<F: FnMut(&Progress) -> ControlFlow<()> + Send> Observer for F {
    fn checkpoint(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}

/// An observer that only watches the run go by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn checkpoint(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
