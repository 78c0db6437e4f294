//! What is measured at checkpoints, and who is told.

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
}

/// The state of a run at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
}

/// Sees every checkpoint; `Break` ends the run (Ctrl-C, a time budget, a progress bar). Functions of a [`Progress`] observe.
pub trait Observer: Send {
    /// Called at each checkpoint.
    fn checkpoint(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Called after every step, for interrupts that cannot wait; must be quick.
    fn poll(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called after each checkpoint of the iteration with all that is needed to go on from there in another process.
    fn snapshot(&mut self, snapshot: &Snapshot) {
        let _ = snapshot;
    }
}

/// The state of an interrupted run. A run resumed from it with [`crate::Settings::resume`] and otherwise equal settings ends
/// with the same bits as one that was never interrupted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The first penalty, if the schedule has one.
    pub rho1: Option<f64>,
    /// Rows a step.
    pub batch_size: usize,
    /// Steps taken.
    pub step: u64,
    /// The iterate: coefficients, then the intercept if there is one.
    pub theta: Vec<f64>,
    /// What else the method remembers: nothing, for most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<f64>,
    /// The best feasible point so far: its objective on the monitor rows, its distance, itself.
    pub best: (f64, f64, Vec<f64>),
    /// Feasible points that other first penalties led to.
    pub runners_up: Vec<Vec<f64>>,
    /// The checkpoints so far.
    pub trace: Vec<Progress>,
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
