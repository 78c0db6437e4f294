//! Watches a path: a line on the terminal, and an ear for Ctrl-C.

use crate::words::number;
use crate::{progress, signals};
use indicatif::ProgressBar;
use proxdist::Units;
use proxdist::path::{FinishedFold, Path, PathObserver, PathProgress, PathWatch};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The line, and the path of all rows as soon as it is there.
pub(super) struct Line {
    bar: ProgressBar,
    started: Instant,
    ridges: Vec<f64>,
    folds: usize,
    /// Sizes looked at so far; and for the path of all rows, zero while it is not finished.
    steps: AtomicUsize,
    steps_of_whole: AtomicUsize,
    folds_done: AtomicUsize,
    whole: Mutex<Option<(Path, Units)>>,
}

impl Line {
    /// For a path of each ridge, and the same for so many folds.
    pub(super) fn new(quiet: bool, ridges: &[f64], folds: usize) -> Self {
        let bar = progress::line(quiet);
        bar.set_message("first sizes");
        Self {
            bar,
            started: Instant::now(),
            ridges: ridges.to_vec(),
            folds,
            steps: AtomicUsize::new(0),
            steps_of_whole: AtomicUsize::new(0),
            folds_done: AtomicUsize::new(0),
            whole: Mutex::new(None),
        }
    }

    /// The path of all rows, if it was found.
    pub(super) fn into_whole(self) -> Option<(Path, Units)> {
        self.whole.lock().ok().and_then(|mut whole| whole.take())
    }

    /// The part of the work that is done: folds are taken to cost what the path of all rows did.
    fn done(&self, ridge: f64) -> f64 {
        let whole = self.steps_of_whole.load(Ordering::Relaxed);
        let paths = (self.folds + 1) as f64;
        if whole > 0 {
            return (self.steps.load(Ordering::Relaxed) as f64 / (whole as f64 * paths)).min(1.0);
        }
        let before = self.ridges.iter().position(|weight| weight.total_cmp(&ridge).is_eq()).unwrap_or(0);
        before as f64 / (self.ridges.len().max(1) as f64 * paths)
    }

    fn show(&self, progress: &PathProgress) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        if self.bar.is_hidden() {
            return;
        }
        let done = self.done(progress.ridge);
        let left = match done {
            0.0 => String::new(),
            done => format!("  about {:.0} s left", self.started.elapsed().as_secs_f64() * (1.0 - done) / done),
        };
        let folds = match self.folds {
            0 => String::new(),
            folds => format!("{} of {folds} folds  ", self.folds_done.load(Ordering::Relaxed)),
        };
        let PathProgress { ridge, size, largest, sweeps, .. } = progress;
        let ridge = number(*ridge);
        self.bar.set_message(format!("{folds}ridge {ridge}  size {size} of {largest}  sweep {}{left}", sweeps + 1));
        self.bar.tick();
    }
}

fn asked() -> ControlFlow<()> {
    if signals::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

impl PathObserver for &Line {
    fn step(&mut self, progress: &PathProgress) -> ControlFlow<()> {
        self.show(progress);
        asked()
    }

    fn poll(&mut self) -> ControlFlow<()> {
        asked()
    }
}

impl PathWatch for Line {
    fn finished(&self, finished: &FinishedFold) -> ControlFlow<()> {
        self.folds_done.store(finished.done, Ordering::Relaxed);
        asked()
    }

    fn step(&self, progress: &PathProgress) {
        self.show(progress);
    }

    fn traced(&self, path: &Path, units: &Units) {
        self.steps_of_whole.store(self.steps.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Ok(mut whole) = self.whole.lock() {
            *whole = Some((path.clone(), units.clone()));
        }
    }

    fn poll(&self) -> ControlFlow<()> {
        asked()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
