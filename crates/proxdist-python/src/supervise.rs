//! A fit on a thread of its own, while this one listens.
//!
//! Python delivers signals to its main thread only, and a fit may spread over a pool of threads, none of which is that one. So the
//! work runs elsewhere without the interpreter, and the calling thread wakes every few milliseconds to ask for signals and to tell
//! how far things are. An exception ends the work at its next poll: Ctrl-C leaves the result so far, any other is raised.

use proxdist::trace::{Observer, Progress, Reading};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often signals are asked for.
const EVERY: Duration = Duration::from_millis(20);

/// What the working threads and the listening one tell each other.
#[derive(Default)]
pub(crate) struct Link {
    is_over: AtomicBool,
    is_interrupted: AtomicBool,
    failure: Mutex<Option<PyErr>>,
    latest: Mutex<Option<Update>>,
    /// Called once when the work is to end, for calls into Python that would otherwise go on.
    stop: Mutex<Option<Py<PyAny>>>,
}

/// How far things are.
enum Update {
    Run(Progress),
    Search(Search),
    Reading(Reading),
}

/// How far a search is.
pub(crate) struct Search {
    pub(crate) done: usize,
    pub(crate) total: usize,
    pub(crate) label: String,
    pub(crate) score: f64,
}

impl Link {
    /// A link whose end is also told to a function without arguments.
    pub(crate) fn stopped_by(stop: Py<PyAny>) -> Self {
        Self { stop: Mutex::new(Some(stop)), ..Self::default() }
    }

    /// Ends the work with an exception; the first one counts.
    pub(crate) fn fail(&self, failure: PyErr) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether the work is to end.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Whether the user has pressed Ctrl-C.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    /// The exception that ended the work.
    pub(crate) fn failure(&self) -> Option<PyErr> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Tells how far a search is.
    pub(crate) fn tell(&self, search: Search) {
        self.leave(Update::Search(search));
    }

    fn leave(&self, update: Update) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(update);
    }

    fn listen(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) {
        if let Err(raised) = py.check_signals() {
            if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
                self.is_interrupted.store(true, Ordering::Relaxed);
                self.is_over.store(true, Ordering::Relaxed);
            } else {
                self.fail(raised);
            }
        }
        if self.is_over()
            && let Some(stop) = self.stop.lock().unwrap_or_else(PoisonError::into_inner).take()
            && let Err(raised) = stop.call0(py)
        {
            self.fail(raised);
        }
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(progress), Some(update)) = (progress, latest) else { return };
        let told = match update {
            Update::Run(at) => progress.call1(py, ("run", at.step, at.objective, at.distance, at.nonzeros)),
            Update::Search(at) => progress.call1(py, ("search", at.done, at.total, at.label, at.score)),
            Update::Reading(at) => progress.call1(py, ("reading", at.number, at.rows, at.of)),
        };
        if let Err(raised) = told {
            self.fail(raised);
        }
    }
}

/// The end that the library's run sees.
impl Observer for &Link {
    fn checkpoint(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.leave(Update::Run(*progress));
        self.poll()
    }

    fn reading(&mut self, reading: &Reading) -> ControlFlow<()> {
        self.leave(Update::Reading(*reading));
        self.poll()
    }

    fn poll(&mut self) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Does the work without the interpreter lock. An exception left on the link is raised in place of the result; so is Ctrl-C if
/// the work came to nothing.
pub(crate) fn supervised<T: Send>(
    py: Python<'_>,
    link: &Link,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    let outcome = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, waiting) = channel::<()>();
            let worker = scope.spawn(move || {
                // Dropped at the end, however it ends.
                let _done = done;
                in_own_pool(work)
            });
            while waiting.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                Python::attach(|py| link.listen(py, progress.as_ref()));
            }
            worker.join()
        })
    });
    if let Some(failure) = link.failure() {
        return Err(failure);
    }
    match outcome {
        Ok(Err(_)) if link.is_interrupted() => Err(PyKeyboardInterrupt::new_err(())),
        Ok(result) => result,
        Err(_) => Err(PyRuntimeError::new_err("proxdist met a case it was not written for; please report it as a bug")),
    }
}

/// The process whose global pool of threads is in use; zero for none yet.
static POOL_OF: AtomicU32 = AtomicU32::new(0);

/// A forked child has no threads of its parent's pool, and would wait for them forever: it gets a pool of its own.
pub(crate) fn in_own_pool<T: Send>(work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    let own = std::process::id();
    match POOL_OF.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != own => {
            let pool = rayon::ThreadPoolBuilder::new().build();
            pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?.install(work)
        }
        _ => work(),
    }
}
