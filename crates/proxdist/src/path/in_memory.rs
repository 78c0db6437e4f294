//! A copy of data whose rows would otherwise be gathered and scaled again in every pass.

use crate::data::{Data, RowBuffer, Rows};
use crate::error::Result;
use crate::metrics::weights;

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
