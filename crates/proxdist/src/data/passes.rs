//! Passes over all rows, shared among threads without changing a bit.
//!
//! The rows are cut into strips; each strip is read in chunks small enough to stay in cache between two uses, and sums into an accumulator of its own. The
//! accumulators come back in order, to be added in that order. No cut depends on the number of threads. Where reading fails, the pass
//! returns the error of the first strip that failed.

use super::source::{ChunkSource, Wanted, length, read};
use super::{Chunk, Data, Support};
use crate::error::{Error, Result};
use crate::linalg::axpy;
use rayon::prelude::*;
use std::ops::Range;

/// Strips at most, and the memory that their accumulators may take together, in numbers.
const STRIPS: usize = 16;
const MEMORY: usize = 1 << 21;
/// Numbers that are read at a time where rows are looked at once only.
const BRIEF: usize = 1 << 14;

/// Where the rows are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    rows: usize,
    /// Strips, and rows in each of them.
    strips: usize,
    strip: usize,
    /// Rows in a chunk.
    chunk: usize,
}

impl Cut {
    /// Chunks of this many rows, and as many strips as there is memory for accumulators of `size` numbers.
    pub(crate) fn in_chunks(rows: usize, chunk: usize, size: usize) -> Self {
        let strips = (MEMORY / size.max(1)).clamp(1, STRIPS).min(rows.div_ceil(chunk));
        Self { rows, strips, strip: rows.div_ceil(strips), chunk }
    }

    /// At most so many strips of whole chunks, of this many rows each.
    pub(crate) fn in_strips(rows: usize, strips: usize, chunk: usize) -> Self {
        Self { rows, strips, strip: rows.div_ceil(strips).next_multiple_of(chunk), chunk }
    }

    /// Strips of whole groups, a group being a power of two rows; a group is read in one or more chunks of rows with `width` numbers each.
    pub(crate) fn in_groups(rows: usize, group: usize, width: usize) -> Self {
        let strip = rows.div_ceil(group).div_ceil(STRIPS) * group;
        let most = (BRIEF / width.max(1)).clamp(16, group);
        Self { rows, strips: rows.div_ceil(strip), strip, chunk: 1 << most.ilog2() }
    }

    fn range(&self, strip: usize) -> Range<usize> {
        let end = self.rows.min((strip + 1) * self.strip);
        (strip * self.strip).min(end)..end
    }

    /// Works on every strip; returns what it gives in order.
    fn strips<A: Send>(&self, work: impl Fn(Range<usize>) -> Result<A> + Sync) -> Result<Vec<A>> {
        if self.strips == 1 {
            return Ok(vec![work(self.range(0))?]);
        }
        let parts: Vec<Result<A>> = (0..self.strips).into_par_iter().map(|strip| work(self.range(strip))).collect();
        parts.into_iter().collect()
    }

    /// The same with the part of `out` that belongs to each strip, as many numbers for each row.
    fn strips_into(&self, out: &mut [f64], work: impl Fn(Range<usize>, &mut [f64]) -> Result<()> + Sync) -> Result<()> {
        let size = self.strip * (out.len() / self.rows);
        if self.strips == 1 || size == 0 {
            return if out.is_empty() { Ok(()) } else { work(self.range(0), out) };
        }
        let parts: Vec<Result<()>> =
            out.par_chunks_mut(size).enumerate().map(|(strip, out)| work(self.range(strip), out)).collect();
        parts.into_iter().collect()
    }
}

/// One reading of all rows of a data set.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'p> {
    data: &'p Data<'p>,
    source: &'p dyn ChunkSource,
    cut: Cut,
    columns: Option<&'p [usize]>,
}

impl<'p> Pass<'p> {
    /// A pass whose accumulators have `size` numbers each.
    pub(crate) fn over(data: &'p Data<'p>, size: usize) -> Self {
        Self::cut(data, Cut::in_chunks(data.rows(), length(data.columns()), size))
    }

    /// A pass with a cut of its own.
    pub(crate) fn cut(data: &'p Data<'p>, cut: Cut) -> Self {
        Self { data, source: data.source(), cut, columns: None }
    }

    /// The features come from elsewhere, such as a copy of the columns that will be looked at.
    pub(crate) fn from(self, source: &'p dyn ChunkSource) -> Self {
        Self { source, ..self }
    }

    /// Only these columns will be looked at; all if `None`.
    pub(crate) fn columns(self, columns: Option<&'p [usize]>) -> Self {
        Self { columns, ..self }
    }

    /// Calls `each` on every chunk; returns the accumulators of the strips in order.
    pub(crate) fn fold<A: Send>(
        &self,
        new: impl Fn() -> A + Sync,
        each: impl Fn(&mut A, &Chunk<'_>) + Sync,
    ) -> Result<Vec<A>> {
        self.cut.strips(|rows| {
            let mut accumulator = new();
            self.read(rows, &mut |chunk| each(&mut accumulator, chunk))?;
            Ok(accumulator)
        })
    }

    /// Sums of `size` numbers: `each` adds those of a chunk, the strips are added in order. `new` makes memory for a strip.
    pub(crate) fn sum<M>(
        &self,
        size: usize,
        new: impl Fn() -> M + Sync,
        each: impl Fn(&mut [f64], &mut M, &Chunk<'_>) + Sync,
    ) -> Result<Vec<f64>> {
        let parts = self.cut.strips(|rows| {
            let (mut sums, mut memory) = (vec![0.0; size], new());
            self.read(rows, &mut |chunk| each(&mut sums, &mut memory, chunk))?;
            Ok(sums)
        })?;
        let mut parts = parts.into_iter();
        let mut total = parts.next().unwrap_or_default();
        parts.for_each(|part| axpy(1.0, &part, &mut total));
        Ok(total)
    }

    /// Calls `each` on every chunk with its part of `out`, which has as many numbers for each row; `new` makes memory for a strip.
    pub(crate) fn fill<M>(
        &self,
        out: &mut [f64],
        new: impl Fn() -> M + Sync,
        each: impl Fn(&mut M, &Chunk<'_>, &mut [f64]) + Sync,
    ) -> Result<()> {
        let width = out.len() / self.data.rows();
        self.cut.strips_into(out, |rows, out| {
            let (mut memory, first) = (new(), rows.start);
            self.read(rows, &mut |chunk| {
                let range = chunk.range();
                each(&mut memory, chunk, &mut out[(range.start - first) * width..(range.end - first) * width]);
            })
        })
    }

    fn read(&self, rows: Range<usize>, each: &mut dyn FnMut(&Chunk<'_>)) -> Result<()> {
        let wanted = Wanted { rows, length: self.cut.chunk, columns: self.columns };
        read(self.source, &wanted, &mut |piece| {
            each(&self.data.chunk(piece));
            Ok(())
        })
    }
}

/// $x_i^Tv$ of every row. Few nonzeros in `v` mean few columns that are read, where the storage allows it.
pub fn products(source: &dyn ChunkSource, v: &[f64]) -> Result<Vec<f64>> {
    if v.len() != source.columns() {
        let rule = "as many numbers as there are columns";
        return Err(Error::Length { what: "a vector", found: v.len(), expected: source.columns(), rule });
    }
    let (support, rows) = (Support::of(v), source.rows());
    let columns = support.indices();
    let width = columns.map_or(v.len(), <[usize]>::len);
    // One strip, hence no thread, where that is quick.
    let strips = rows.saturating_mul(width.max(1)).div_ceil(MEMORY / STRIPS).clamp(1, STRIPS);
    let cut = Cut::in_strips(rows, strips, (BRIEF / width.max(1)).clamp(16, 4096));
    let parts = cut.strips(|rows| {
        let mut found = Vec::with_capacity(rows.len());
        let wanted = Wanted { rows, length: cut.chunk, columns };
        read(source, &wanted, &mut |piece| {
            piece.products(v, &support, &mut found);
            Ok(())
        })?;
        Ok(found)
    })?;
    Ok(parts.concat())
}
