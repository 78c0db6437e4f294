//! Computes the cells that are not there yet: several at a time, or one alone where time is measured.
//!
//! Each worker has a pool of one thread of its own, so passes over the data inside a cell never wait for another cell, and results
//! depend neither on the number of workers nor on the order.

use crate::cell::{Cell, Halt};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::frame::Frame;
use crate::store::Store;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Instant;

/// How far a reproduction is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The experiment at work.
    pub experiment: &'static str,
    /// Its cells that are finished.
    pub done: usize,
    /// All its cells.
    pub cells: usize,
    /// Seconds left for all experiments asked for, at the pace so far.
    pub seconds_left: Option<f64>,
}

/// Sees the cells being finished, and may ask for the end.
pub trait Watch: Sync {
    /// A cell was finished.
    fn progress(&self, progress: &Progress);

    /// An experiment was written.
    fn written(&self, experiment: &'static str, seconds: f64);

    /// Whether to stop; asked often.
    fn is_over(&self) -> bool;
}

/// Work of all experiments together, for the time left.
pub(crate) struct Clock {
    started: Instant,
    /// Expected seconds of all cells to be computed, and of those computed so far.
    work: Mutex<(f64, f64)>,
}

impl Clock {
    pub(crate) fn new(total: f64) -> Self {
        Clock { started: Instant::now(), work: Mutex::new((total, 0.0)) }
    }

    fn finished(&self, weight: f64) -> Option<f64> {
        let mut work = lock(&self.work);
        work.1 += weight;
        let pace = self.started.elapsed().as_secs_f64() / work.1;
        (work.1 > 0.0).then(|| pace * (work.0 - work.1).max(0.0))
    }
}

/// A panic elsewhere does not make the counts wrong.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Expected seconds of the cells of an experiment that are not in the store.
pub(crate) fn missing_work(experiment: &dyn Experiment, store: &Store) -> Result<f64> {
    let mut rows = Frame::default();
    for stage in 0.. {
        let cells = experiment.stage(stage, &rows)?;
        match store.load_all(&cells)? {
            _ if cells.is_empty() => break,
            Some(found) => rows.extend(found),
            None => {
                let missing = |cell: &Cell| Ok(if store.load(cell)?.is_none() { cell.weight } else { 0.0 });
                return Ok(cells.iter().map(missing).sum::<Result<f64>>()? + experiment.expected(stage + 1));
            }
        }
    }
    Ok(0.0)
}

/// Who computes cells, and where they are kept.
pub(crate) struct Runner<'r> {
    pub(crate) store: &'r Store,
    pub(crate) workers: usize,
    pub(crate) clock: &'r Clock,
    pub(crate) watch: &'r dyn Watch,
}

impl Runner<'_> {
    /// Computes the cells of an experiment that are not in the store; gives their number.
    pub(crate) fn run(&self, experiment: &'static str, cells: &[Cell]) -> Result<usize> {
        let Self { store, workers, clock, watch } = *self;
        let mut missing = Vec::new();
        for cell in cells {
            if store.load(cell)?.is_none() {
                missing.push(cell);
            }
        }
        let computed = missing.len();
        let done = Mutex::new(cells.len() - computed);
        let finish = |cell: &Cell, frame: &Frame| -> Result<()> {
            store.save(cell, frame)?;
            let mut done = lock(&done);
            *done += 1;
            let seconds_left = clock.finished(cell.weight);
            watch.progress(&Progress { experiment, done: *done, cells: cells.len(), seconds_left });
            Ok(())
        };
        let (alone, mut beside): (Vec<&Cell>, Vec<&Cell>) = missing.into_iter().partition(|cell| cell.alone);
        // Longest first, so that no worker is left with a long one at the end.
        beside.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        work_off(beside.into(), workers, watch, &finish)?;
        work_off(alone.into(), 1, watch, &finish)?;
        Ok(computed)
    }
}

fn work_off(
    queue: VecDeque<&Cell>,
    workers: usize,
    watch: &dyn Watch,
    finish: &(dyn Fn(&Cell, &Frame) -> Result<()> + Sync),
) -> Result<()> {
    let queue = Mutex::new(queue);
    let asked = || watch.is_over();
    let halt = Halt::new(&asked);
    let worker = || -> Result<()> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::Threads { threads: 1, reason: error.to_string() })?;
        loop {
            let Some(cell) = lock(&queue).pop_front() else { return Ok(()) };
            let frame = halt.check().and_then(|()| pool.install(|| cell.run(halt)));
            if let Err(error) = frame.and_then(|frame| finish(cell, &frame)) {
                // The others stop after what they are at.
                lock(&queue).clear();
                return Err(error);
            }
        }
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers.max(1)).map(|_| scope.spawn(worker)).collect();
        let ends: Vec<_> = handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        ends.into_iter().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct StopAfter(AtomicUsize);
    impl Watch for StopAfter {
        fn progress(&self, _: &Progress) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
        fn written(&self, _: &'static str, _: f64) {}
        fn is_over(&self) -> bool {
            self.0.load(Ordering::SeqCst) == 0
        }
    }

    fn cells() -> Vec<Cell> {
        let cell = |i: usize| {
            Cell::new("test", i.to_string(), 1.0, move |halt| {
                halt.check()?;
                let mut frame = Frame::new(&["square"]);
                frame.push([(i * i).into()]);
                Ok(frame)
            })
        };
        (0..6).map(cell).collect()
    }

    #[test]
    fn an_interrupted_run_goes_on_with_the_cells_that_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().to_owned(), 0);
        let run = |left| {
            let watch = StopAfter(AtomicUsize::new(left));
            let runner = Runner { store: &store, workers: 1, clock: &Clock::new(6.0), watch: &watch };
            let ended = runner.run("test", &cells());
            (ended, left - watch.0.load(Ordering::SeqCst))
        };
        let (ended, computed) = run(2);
        assert!(matches!(ended, Err(Error::Interrupted)) && computed == 2);
        let (ended, computed) = run(100);
        assert!(ended.is_ok() && computed == 4);
        let squares: Vec<f64> =
            cells().iter().map(|cell| store.load(cell).unwrap().unwrap().numbers("square")[0]).collect();
        assert_eq!(squares, [0.0, 1.0, 4.0, 9.0, 16.0, 25.0]);
    }
}
