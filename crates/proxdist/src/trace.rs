//! What is measured at checkpoints, and who is told.

use std::ops::ControlFlow;
use std::time::Duration;

/// The state of a run at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
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
