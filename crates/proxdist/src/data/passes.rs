//! Passes over all rows, shared among threads without changing a bit.
//!
//! The rows are cut into a fixed number of strips; each strip is read in chunks small enough to stay in cache between two uses,
//! and sums into an accumulator of its own. The accumulators come back in order. Neither cut depends on the number of threads.

use super::{Data, RowBuffer, Rows, view};
use crate::error::Result;
use rayon::prelude::*;
use std::ops::Range;

/// Strips at most, and the memory that their accumulators may take together, in numbers.
const STRIPS: usize = 16;
const MEMORY: usize = 1 << 21;
/// Numbers in a chunk: one megabyte.
const CHUNK: usize = 1 << 17;

/// Calls `each` on every chunk of rows; returns the accumulators of the strips in order. `size` is the length of an
/// accumulator, in numbers.
pub(crate) fn over_rows<A: Send>(
    data: &Data,
    size: usize,
    new: impl Fn() -> A + Sync,
    each: impl Fn(&mut A, Rows, Range<usize>) -> Result<()> + Sync,
) -> Result<Vec<A>> {
    let chunk = (CHUNK / data.columns()).clamp(16, 4096);
    over_chunks(
        data.rows(),
        chunk,
        size,
        || (RowBuffer::default(), new()),
        |(buffer, accumulator), range| {
            let rows = view(data.source(), range.clone(), buffer)?;
            each(accumulator, rows, range)
        },
        |(_, accumulator)| accumulator,
    )
}

/// The same for the numbers of the rows only, `chunk` at a time. `keep` takes from a strip's state what is needed of it, so that
/// the rest is not held until all strips are done.
pub(crate) fn over_chunks<A, B: Send>(
    rows: usize,
    chunk: usize,
    size: usize,
    new: impl Fn() -> A + Sync,
    each: impl Fn(&mut A, Range<usize>) -> Result<()> + Sync,
    keep: impl Fn(A) -> B + Sync,
) -> Result<Vec<B>> {
    let strips = (MEMORY / size.max(1)).clamp(1, STRIPS).min(rows.div_ceil(chunk));
    let length = rows.div_ceil(strips);
    (0..strips)
        .into_par_iter()
        .map(|strip| {
            let mut accumulator = new();
            let end = rows.min((strip + 1) * length);
            let mut first = (strip * length).min(end);
            while first < end {
                let range = first..end.min(first + chunk);
                first = range.end;
                each(&mut accumulator, range)?;
            }
            Ok(keep(accumulator))
        })
        .collect()
}

/// The sum of the accumulators, in order.
pub(crate) fn added(parts: Vec<Vec<f64>>) -> Vec<f64> {
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_default();
    for part in parts {
        crate::linalg::axpy(1.0, &part, &mut total);
    }
    total
}
