//! How far reading is: bytes of the files so far, told to someone who may also end it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Bytes of the files that were read, out of how many; 0 in all where nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// So far; of a compressed file, compressed ones.
    pub bytes: u64,
    /// In all.
    pub total: u64,
}

/// Is told how far reading is.
pub trait Watch: Send + Sync {
    /// Called about once for each megabyte; `Break` ends the reading.
    fn at(&self, reading: Reading) -> ControlFlow<()>;
}

struct Inner {
    watch: Box<dyn Watch>,
    bytes: AtomicU64,
    total: AtomicU64,
}

/// Counts for a [`Watch`], if there is one. Copies count together.
#[derive(Clone, Default)]
pub(crate) struct Meter(Option<Arc<Inner>>);

impl fmt::Debug for Meter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Meter(watched)" } else { "Meter" })
    }
}

impl Meter {
    pub(crate) fn new(watch: impl Watch + 'static) -> Self {
        let zero = || AtomicU64::new(0);
        Self(Some(Arc::new(Inner { watch: Box::new(watch), bytes: zero(), total: zero() })))
    }

    /// Begins to count towards so many bytes.
    pub(crate) fn expect(&self, total: u64) {
        if let Some(inner) = &self.0 {
            inner.total.store(total, Ordering::Relaxed);
            inner.bytes.store(0, Ordering::Relaxed);
        }
    }

    /// Counts; fails if reading is to end.
    pub(crate) fn count(&self, more: u64) -> Result<()> {
        let Some(inner) = &self.0 else { return Ok(()) };
        let bytes = inner.bytes.fetch_add(more, Ordering::Relaxed) + more;
        let reading = Reading { bytes, total: inner.total.load(Ordering::Relaxed) };
        if inner.watch.at(reading).is_break() { Err(Error::Stopped) } else { Ok(()) }
    }
}
