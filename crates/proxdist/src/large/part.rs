//! A part of the rows: features with the response, weights and offsets that belong to them, read once from first to last.

use crate::data::{Data, Piece, Rows, Wanted, length, read};
use crate::error::Result;
use std::ops::Range;

/// Consecutive rows with what belongs to them.
#[derive(Clone, Copy, Debug)]
pub struct Block<'b> {
    /// Number of the first row in the part.
    pub first: usize,
    /// The features.
    pub rows: Rows<'b>,
    /// `None` if the rows have all columns. Dense rows may instead have the columns that were wanted and no others.
    pub columns: Option<&'b [usize]>,
    /// The response of each row.
    pub response: &'b [f64],
    /// The weight of each row; all one if there are none.
    pub weights: Option<&'b [f64]>,
    /// The offset of each row; all zero if there are none.
    pub offset: Option<&'b [f64]>,
}

impl Block<'_> {
    /// The features alone.
    pub(super) fn piece(&self) -> Piece<'_> {
        Piece { first: self.first, rows: self.rows, columns: self.columns }
    }

    /// Weight of the row at a place in the block.
    pub(super) fn weight(&self, at: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[at])
    }

    /// Offset of the row at a place in the block.
    pub(super) fn offset_of(&self, at: usize) -> f64 {
        self.offset.map_or(0.0, |offset| offset[at])
    }
}

/// What is done with each block; an error ends the reading.
pub type VisitBlock<'v> = dyn FnMut(Block<'_>) -> Result<()> + 'v;

/// Rows that can be read in order, as often as needed. No row need have been looked at before.
pub trait Part: Send + Sync {
    /// Number of features.
    fn columns(&self) -> usize;

    /// Calls `visit` on all rows in order, a few megabytes at a time. Blocks are cut where the part likes, but always in the same places. If `columns` are
    /// named, in ascending order, others will not be looked at.
    fn read(&self, columns: Option<&[usize]>, visit: &mut VisitBlock<'_>) -> Result<()>;
}

/// Some consecutive rows of a data set.
#[derive(Clone, Debug)]
pub struct Strip<'d> {
    data: &'d Data<'d>,
    rows: Range<usize>,
}

impl<'d> Strip<'d> {
    /// The rows of a range.
    pub fn new(data: &'d Data<'d>, rows: Range<usize>) -> Self {
        Self { data, rows }
    }
}

impl Part for Strip<'_> {
    fn columns(&self) -> usize {
        self.data.columns()
    }

    fn read(&self, columns: Option<&[usize]>, visit: &mut VisitBlock<'_>) -> Result<()> {
        let (data, start) = (self.data, self.rows.start);
        let wanted = Wanted { rows: self.rows.clone(), length: length(data.columns()), columns };
        read(data.source(), &wanted, &mut |piece| {
            let chunk = data.chunk(piece);
            visit(Block {
                first: piece.first - start,
                rows: piece.rows,
                columns: piece.columns,
                response: chunk.response,
                weights: chunk.weights,
                offset: chunk.offset,
            })
        })
    }
}

/// A data set is one part.
impl Part for Data<'_> {
    fn columns(&self) -> usize {
        Data::columns(self)
    }

    fn read(&self, columns: Option<&[usize]>, visit: &mut VisitBlock<'_>) -> Result<()> {
        Strip::new(self, 0..self.rows()).read(columns, visit)
    }
}
