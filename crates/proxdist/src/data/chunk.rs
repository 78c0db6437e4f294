//! Consecutive rows of a data set, with everything that belongs to them.

use super::source::{self, Piece, Wanted};
use super::{Data, RowBuffer, Rows, Support};
use crate::error::Result;
use std::ops::Range;

/// Rows $i, i + 1, \dots$ with their $y_i$, $w_i$ and $o_i$: what a pass over the data is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk<'c> {
    /// The features.
    pub(crate) rows: Rows<'c>,
    /// The columns that the rows have; see [`Piece::columns`].
    columns: Option<&'c [usize]>,
    /// Number of the first row.
    pub(crate) first: usize,
    /// The response of each row.
    pub(crate) response: &'c [f64],
    /// The weight of each row; all one if there are none.
    pub(crate) weights: Option<&'c [f64]>,
    /// The offset of each row; all zero if there are none.
    pub(crate) offset: Option<&'c [f64]>,
}

impl Chunk<'_> {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.response.len()
    }

    /// The numbers of the rows.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.len()
    }

    /// Weight of the row at a place in the chunk.
    pub(crate) fn weight(&self, at: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[at])
    }

    /// Offset of the row at a place in the chunk.
    pub(crate) fn offset_of(&self, at: usize) -> f64 {
        self.offset.map_or(0.0, |offset| offset[at])
    }

    /// Appends $x_i^Tv$ of each row; see [`Piece::products`].
    pub(crate) fn products(&self, v: &[f64], support: &Support, out: &mut Vec<f64>) {
        self.piece().products(v, support, out);
    }

    /// The entries in the columns that were wanted, row by row: as they are, or copied into `block`.
    pub(crate) fn pick<'b>(&'b self, columns: &[usize], block: &'b mut Vec<f64>) -> &'b [f64] {
        if self.columns.is_some() {
            return self.rows.spread(block);
        }
        block.clear();
        self.rows.pick(columns, block);
        block
    }

    /// Some of the rows, by their places in the chunk.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        Self {
            rows: self.rows.slice(range.clone()),
            first: self.first + range.start,
            response: &self.response[range.clone()],
            weights: self.weights.map(|weights| &weights[range.clone()]),
            offset: self.offset.map(|offset| &offset[range]),
            ..*self
        }
    }

    fn piece(&self) -> Piece<'_> {
        Piece { first: self.first, rows: self.rows, columns: self.columns }
    }
}

impl Data<'_> {
    /// Calls `visit` on chunks of rows in order, in one thread.
    pub(crate) fn chunks(&self, wanted: &Wanted<'_>, visit: &mut dyn FnMut(&Chunk<'_>)) -> Result<()> {
        source::read(self.source(), wanted, &mut |piece| {
            visit(&self.chunk(piece));
            Ok(())
        })
    }

    /// Rows together with what belongs to them.
    pub(crate) fn chunk<'c>(&'c self, piece: Piece<'c>) -> Chunk<'c> {
        let Piece { first, rows, columns } = piece;
        let range = first..first + rows.len();
        Chunk {
            rows,
            columns,
            first,
            response: &self.response[range.clone()],
            weights: self.weights.as_deref().map(|weights| &weights[range.clone()]),
            offset: self.offset.map(|offset| &offset[range]),
        }
    }

    /// All rows at once, lent or copied into the buffer.
    pub(crate) fn whole<'b>(&'b self, buffer: &'b mut RowBuffer) -> Result<Rows<'b>> {
        if let Some(all) = self.lent() {
            return Ok(all);
        }
        buffer.read_whole(self.source())?;
        Ok(buffer.rows())
    }

    /// All rows, if the source can lend them.
    pub(super) fn lent(&self) -> Option<Rows<'_>> {
        self.source().random_access()?.borrow()
    }
}
