//! Copies of data whose rows would otherwise be gathered and scaled again in every pass: as they are, or by the rows in which columns differ from their commonest value.

use super::start::telling;
use crate::data::{Data, Marked, RowBuffer, Rows};
use crate::error::Result;
use crate::metrics::weights;
use crate::objective::Objective;

/// All numbers of a data set.
pub(super) struct InMemory<'a> {
    data: &'a Data<'a>,
    buffer: RowBuffer,
    weights: Vec<f64>,
    offset: Vec<f64>,
}

impl<'a> InMemory<'a> {
    /// Copies nothing yet.
    pub(super) fn of(data: &'a Data<'a>) -> Self {
        let offset = (0..data.rows()).map(|row| data.offset_of(row)).collect();
        Self { data, buffer: RowBuffer::default(), weights: weights(data), offset }
    }

    /// Whether a copy of dense rows would fit, and there are none that could be lent.
    pub(super) fn is_worth_it(data: &Data, memory: usize) -> bool {
        let is_lent = data.source().random_access().is_some_and(|source| source.borrow().is_some());
        !is_lent && data.rows().saturating_mul(data.columns()).saturating_mul(8) <= memory
    }

    /// The same data, their features copied.
    pub(super) fn copied(&mut self) -> Result<Data<'_>> {
        let copy = match self.data.whole(&mut self.buffer)? {
            Rows::Dense { values, columns, .. } => Data::dense(values, columns, self.data.response())?,
            Rows::Sparse { starts, indices, values, columns } => {
                Data::sparse(starts, indices, values, columns, self.data.response())?
            }
        };
        copy.weights(&self.weights)?.offset(&self.offset)
    }
}

/// Cells up to which everything is quick anyhow, rows beyond which a search is done on a sample, and bytes for marks.
const QUICK_CELLS: f64 = 2e5;
const MOST_ROWS: usize = 100_000;
const MEMORY: usize = 1 << 28;

/// The columns by the rows in which they differ from their commonest value, where that makes passes over the data shorter.
pub(crate) fn marked(objective: Objective) -> Result<Option<Marked>> {
    let data = objective.data;
    let cells = data.rows() as f64 * data.columns() as f64;
    let is_wanted = !objective.loss.is_quadratic() && cells > QUICK_CELLS && data.rows() <= MOST_ROWS;
    if !is_wanted || telling(data)? > Marked::WORTH * cells {
        return Ok(None);
    }
    Marked::of(data, MEMORY)
}
