//! Who is told how a path goes, and how it is stopped.

use std::ops::ControlFlow;

/// A size whose F has just fallen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathProgress {
    /// The weight of the ridge term.
    pub ridge: f64,
    /// The number of features.
    pub size: usize,
    /// The largest number of features.
    pub largest: usize,
    /// Sweeps over all sizes that are complete.
    pub sweeps: usize,
}

/// Sees every step of a path; `Break` ends it, with the sizes found so far. Functions of a [`PathProgress`] observe.
pub trait PathObserver {
    /// Called for each size that was looked at.
    fn step(&mut self, progress: &PathProgress) -> ControlFlow<()>;

    /// Called more often, for interrupts that cannot wait; must be quick.
    fn poll(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&PathProgress) -> ControlFlow<()>> PathObserver for F {
    fn step(&mut self, progress: &PathProgress) -> ControlFlow<()> {
        self(progress)
    }
}

/// Asks whether the work is to end, and remembers the answer.
pub(super) struct Watch<'a> {
    observer: &'a mut dyn PathObserver,
    is_over: bool,
}

impl<'a> Watch<'a> {
    pub(super) fn new(observer: &'a mut dyn PathObserver) -> Self {
        Self { observer, is_over: false }
    }

    /// Tells the progress.
    pub(super) fn step(&mut self, progress: PathProgress) {
        self.is_over = self.is_over || self.observer.step(&progress).is_break();
    }

    /// Whether the work is to end now.
    pub(super) fn is_over(&mut self) -> bool {
        self.is_over = self.is_over || self.observer.poll().is_break();
        self.is_over
    }
}
