//! Pools of threads that fits run in, kept for the next fit.
//!
//! A new thread brings new memory: what matrix products are packed into is some 60 megabytes a thread, which the system clears page by page. For a small fit that takes
//! longer than the fit. So a pool that has done its work waits for the next fit that asks for as many threads; fits at the same time have a pool each.

use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// Pools that are kept at most.
const MOST: usize = 4;

/// Pools that wait for work, with the process that they belong to: a forked child has none of the threads of its parent.
static KEPT: Mutex<Vec<(u32, ThreadPool)>> = Mutex::new(Vec::new());

/// Runs with this many threads for passes over the data, or in the caller's pool.
pub(crate) fn in_pool<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let Some(threads) = threads else { return work() };
    let pool = match kept(threads) {
        Some(pool) => pool,
        None => ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Threads { threads, source: error.into() })?,
    };
    let result = pool.install(work);
    keep(pool);
    result
}

/// A pool of so many threads that waits for work in this process.
fn kept(threads: usize) -> Option<ThreadPool> {
    let own = std::process::id();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    // Threads that are not there cannot be ended either.
    kept.extract_if(.., |(process, _)| *process != own).for_each(std::mem::forget);
    let place = kept.iter().position(|(_, pool)| pool.current_num_threads() == threads)?;
    Some(kept.swap_remove(place).1)
}

fn keep(pool: ThreadPool) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() < MOST {
        kept.push((std::process::id(), pool));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Fits that ask for the same number of threads one after the other run on the same ones; at the same time they do not wait for each other.
    #[test]
    fn a_pool_is_used_again_and_by_one_fit_at_a_time() {
        // No other test asks for so many.
        let run = || in_pool(Some(37), || Ok((rayon::current_num_threads(), thread::current().id())));
        let (threads, _) = run().unwrap();
        assert_eq!(threads, 37);
        let inner = in_pool(Some(37), || {
            let outer = thread::current().id();
            let inner = in_pool(Some(37), || Ok(thread::current().id()))?;
            Ok(inner != outer)
        });
        assert!(inner.unwrap(), "a pool was used twice at the same time");
        assert!(KEPT.lock().unwrap().len() <= MOST);
        assert!(in_pool::<()>(Some(37), || Err(Error::Empty { what: "parts" })).is_err());
        assert_eq!(in_pool(None, || Ok(7)).unwrap(), 7);
    }
}
