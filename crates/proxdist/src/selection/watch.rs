//! Who is told how a cross-validation goes, and how it is stopped.

use super::grid::Point;
use crate::trace::{Observer, Progress};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// One fit of a cross-validation that has just been scored.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Finished<'a> {
    /// The fold held out, from 0.
    pub fold: usize,
    /// The point of the grid.
    pub point: &'a Point,
    /// Its score on that fold.
    pub score: f64,
    /// Fits done so far; which they are depends on the threads.
    pub done: usize,
    /// Fits in all, without the last one on all rows.
    pub total: usize,
}

/// Sees every finished fit and may end the whole with a reason. Called from several threads. Functions of a [`Finished`] watch.
pub trait Watch: Sync {
    /// What a `Break` carries out.
    type Reason: Send;

    /// Called after each fit of a fold.
    fn finished(&self, finished: &Finished) -> ControlFlow<Self::Reason>;

    /// Called after every step of every fit, for interrupts that cannot wait; must be quick.
    fn poll(&self) -> ControlFlow<Self::Reason> {
        ControlFlow::Continue(())
    }
}

impl<R: Send, F: Fn(&Finished) -> ControlFlow<R> + Sync> Watch for F {
    type Reason = R;

    fn finished(&self, finished: &Finished) -> ControlFlow<R> {
        self(finished)
    }
}

/// The state that the folds share: a fold ends early if someone asked for it or if a fold before it has failed. Folds before
/// the first failure always finish, so the error that is reported does not depend on the threads.
pub(crate) struct Halt<'w, W: Watch> {
    watch: &'w W,
    reason: Mutex<Option<W::Reason>>,
    is_asked: AtomicBool,
    first_failure: AtomicUsize,
    done: AtomicUsize,
    total: usize,
}

impl<'w, W: Watch> Halt<'w, W> {
    pub(crate) fn new(watch: &'w W, total: usize) -> Self {
        let first_failure = AtomicUsize::new(usize::MAX);
        let (reason, is_asked, done) = (Mutex::new(None), AtomicBool::new(false), AtomicUsize::new(0));
        Self { watch, reason, is_asked, first_failure, done, total }
    }

    pub(crate) fn ends(&self, fold: usize) -> bool {
        self.is_asked.load(Ordering::Relaxed) || self.first_failure.load(Ordering::Relaxed) < fold
    }

    pub(crate) fn fail(&self, fold: usize) {
        self.first_failure.fetch_min(fold, Ordering::Relaxed);
    }

    pub(crate) fn finished(&self, fold: usize, point: &Point, score: f64) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.hear(self.watch.finished(&Finished { fold, point, score, done, total: self.total }));
    }

    fn hear(&self, answer: ControlFlow<W::Reason>) {
        if let ControlFlow::Break(reason) = answer {
            self.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
            self.is_asked.store(true, Ordering::Relaxed);
        }
    }

    /// Why the whole was ended, if it was.
    pub(crate) fn take_reason(&self) -> Option<W::Reason> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Lets the fit of one fold be ended in the middle.
pub(crate) struct FoldObserver<'h, 'w, W: Watch> {
    pub(crate) halt: &'h Halt<'w, W>,
    pub(crate) fold: usize,
}

impl<W: Watch> Observer for FoldObserver<'_, '_, W> {
    fn checkpoint(&mut self, _progress: &Progress) -> ControlFlow<()> {
        self.poll()
    }

    fn poll(&mut self) -> ControlFlow<()> {
        self.halt.hear(self.halt.watch.poll());
        if self.halt.ends(self.fold) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
