//! The contract of sources: features in ordered chunks, and for most sources rows in any order.
//!
//! A pass over the data reads rows $i, i + 1, \dots$ of $X$ ($n \times p$) from start to end, as often as it is asked to, and every read may fail: that is a
//! [`ChunkSource`], and all that sums over the rows need. Batches of random rows need [`RandomAccess`], which memory and mapped files have.
//!
//! Chunks are cut where the reader says, so the bits of a sum do not depend on how the rows are stored.

use super::magnitude::{first_beyond, first_in};
use super::{RowBuffer, Rows, Support};
use crate::error::{Error, Result};
use std::ops::{Deref, Range};

/// What a reader asks of a source.
#[derive(Clone, Debug)]
pub struct Wanted<'w> {
    /// The rows, in order.
    pub rows: Range<usize>,
    /// Rows in a chunk; only the last chunk may be shorter.
    pub length: usize,
    /// The columns that will be looked at, in ascending order; `None` for all.
    pub columns: Option<&'w [usize]>,
}

impl Wanted<'_> {
    /// The rows of each chunk.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (end, length) = (self.rows.end, self.length.max(1));
        self.rows.clone().step_by(length).map(move |first| first..end.min(first.saturating_add(length)))
    }
}

/// Consecutive rows as a source hands them out.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'c> {
    /// Number of the first row.
    pub first: usize,
    /// The features.
    pub rows: Rows<'c>,
    /// `None` if the rows have all columns of the source. Dense rows may instead have the columns that were wanted and no others.
    pub columns: Option<&'c [usize]>,
}

impl Piece<'_> {
    /// Appends $x_i^Tv$ of each row. If `support` lists few nonzeros of `v`, those columns are enough to have asked for.
    pub fn products(&self, v: &[f64], support: &Support, out: &mut Vec<f64>) {
        let rows = 0..self.rows.len();
        match self.columns {
            None => out.extend(rows.map(|i| self.rows.dot(i, v, support))),
            Some(held) => out.extend(rows.map(|i| self.rows.row(i).map(|(at, x)| x * v[held[at]]).sum::<f64>())),
        }
    }

    /// The first entry that is larger than `limit` in size, or NaN.
    pub(crate) fn first_beyond(&self, limit: f64) -> Option<Cell> {
        let stored = match self.rows {
            Rows::Dense { values, .. } => values,
            Rows::Sparse { starts, values, .. } => &values[starts[0]..starts[starts.len() - 1]],
        };
        // Whole chunks are cleared by one sum of squares.
        first_beyond(stored, limit).and_then(|_| first_in(self, limit, |_, x| x))
    }

    /// Appends the entries in the columns that were wanted, row by row.
    pub fn pick(&self, columns: &[usize], out: &mut Vec<f64>) {
        match self.columns {
            None => self.rows.pick(columns, out),
            Some(_) => (0..self.rows.len()).for_each(|i| out.extend(self.rows.row(i).map(|(_, x)| x))),
        }
    }
}

/// What is done with each chunk; an error ends the reading.
pub type Visit<'v> = dyn FnMut(Piece<'_>) -> Result<()> + 'v;

/// An entry of the features.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// What is there.
    pub value: f64,
}

/// Features that can be read in order, as often as needed. Threads may read different rows at the same time.
pub trait ChunkSource: Send + Sync {
    /// Number of observations.
    fn rows(&self) -> usize;

    /// Number of features.
    fn columns(&self) -> usize;

    /// Calls `visit` on the wanted rows in order, cut as wanted. An error of the source or of `visit` ends the reading and is returned.
    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()>;

    /// The same rows in any order, if the source can do that.
    fn random_access(&self) -> Option<&dyn RandomAccess> {
        None
    }

    /// The first entry that is larger than `limit` in size, or NaN.
    fn find_beyond(&self, limit: f64) -> Result<Option<Cell>> {
        let mut found = None;
        self.chunks(&Wanted { rows: 0..self.rows(), length: length(self.columns()), columns: None }, &mut |piece| {
            found = found.or_else(|| first_in(&piece, limit, |_, x| x));
            Ok(())
        })?;
        Ok(found)
    }
}

/// Rows in any order, as batches need them.
pub trait RandomAccess: ChunkSource {
    /// Copies the chosen rows, in the order given, into the reused `buffer`. Dense sources copy only the `columns` that are listed, if any are;
    /// sparse ones copy whole rows.
    fn gather(&self, rows: &[usize], columns: Option<&[usize]>, buffer: &mut RowBuffer) -> Result<()>;

    /// All rows without a copy, where the storage allows it.
    fn borrow(&self) -> Option<Rows<'_>> {
        None
    }

    /// Rows in order, lent where possible and gathered otherwise: what [`ChunkSource::chunks`] is for most of these sources.
    fn chunks_at_hand(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        if let Some(all) = self.borrow() {
            return wanted
                .ranges()
                .try_for_each(|range| visit(Piece { first: range.start, rows: all.slice(range), columns: None }));
        }
        let (mut numbers, mut buffer) = (Vec::new(), RowBuffer::default());
        for range in wanted.ranges() {
            numbers.clear();
            numbers.extend(range.clone());
            self.gather(&numbers, wanted.columns, &mut buffer)?;
            visit(buffer.piece(range.start, wanted.columns))?;
        }
        Ok(())
    }
}

/// Boxes, references and other pointers to a source are sources.
impl<P: Deref<Target: ChunkSource> + Send + Sync> ChunkSource for P {
    fn rows(&self) -> usize {
        (**self).rows()
    }
    fn columns(&self) -> usize {
        (**self).columns()
    }
    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        (**self).chunks(wanted, visit)
    }
    fn random_access(&self) -> Option<&dyn RandomAccess> {
        (**self).random_access()
    }
    fn find_beyond(&self, limit: f64) -> Result<Option<Cell>> {
        (**self).find_beyond(limit)
    }
}

/// Numbers in a chunk: one megabyte.
const CHUNK: usize = 1 << 17;

/// Rows of `columns` numbers that are read at a time, so that they stay in cache between two uses.
pub(crate) fn length(columns: usize) -> usize {
    (CHUNK / columns.max(1)).clamp(16, 4096)
}

/// Reads a source and holds it to its word: the wanted rows in order, cut as wanted.
pub(crate) fn read(source: &dyn ChunkSource, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
    let mut ranges = wanted.ranges();
    source.chunks(wanted, &mut |piece| {
        let range = ranges.next().unwrap_or(wanted.rows.end..wanted.rows.end);
        let found = if piece.first == range.start { piece.rows.len() } else { 0 };
        if found != range.len() || found == 0 {
            return Err(Error::Chunks { first: range.start, found: piece.rows.len(), expected: range.len() });
        }
        let width = piece.columns.map_or(source.columns(), <[usize]>::len);
        if piece.rows.width() != width {
            let rule = "as many columns as the source says";
            return Err(Error::Length { what: "a row", found: piece.rows.width(), expected: width, rule });
        }
        visit(piece)
    })?;
    match ranges.next() {
        None => Ok(()),
        Some(range) => Err(Error::Chunks { first: range.start, found: 0, expected: range.len() }),
    }
}

/// Appends $x_i^Tv$ of some rows, in the order given. What cannot be lent is copied into the buffer, a few rows at a time.
pub(crate) fn products_at(
    source: &dyn RandomAccess,
    rows: &[usize],
    (v, support): (&[f64], &Support),
    buffer: &mut RowBuffer,
    out: &mut Vec<f64>,
) -> Result<()> {
    if let Some(all) = source.borrow() {
        out.extend(rows.iter().map(|&row| all.dot(row, v, support)));
        return Ok(());
    }
    let columns = support.indices();
    for rows in rows.chunks(length(columns.map_or(v.len(), <[usize]>::len))) {
        source.gather(rows, columns, buffer)?;
        buffer.piece(0, columns).products(v, support, out);
    }
    Ok(())
}
