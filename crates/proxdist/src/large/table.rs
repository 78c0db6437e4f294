//! Rows as plain data: what a sample and gathered columns are sent as.

use super::part::Block;
use crate::data::{Data, Rows};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Rows in memory, dense or sparse, with what belongs to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Number of columns.
    pub columns: usize,
    /// Whether rows are sparse.
    pub is_sparse: bool,
    /// All numbers row by row, or those that are stored of sparse rows.
    pub values: Vec<f64>,
    /// Of sparse rows, where each row starts in `values`, and the end of the last one; otherwise empty.
    pub starts: Vec<usize>,
    /// Of sparse rows, the column of each value; otherwise empty.
    pub indices: Vec<u32>,
    /// One number a row.
    pub response: Vec<f64>,
    /// One number a row, or none at all.
    pub weights: Vec<f64>,
    /// One number a row, or none at all.
    pub offset: Vec<f64>,
}

impl Table {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.response.len()
    }

    /// The table as data.
    pub fn data(&self) -> Result<Data<'_>> {
        let mut data = if self.is_sparse {
            Data::sparse(&self.starts, &self.indices, &self.values, self.columns, &self.response)?
        } else {
            Data::dense(&self.values, self.columns, &self.response)?
        };
        if !self.weights.is_empty() {
            data = data.weights(&self.weights)?;
        }
        if !self.offset.is_empty() {
            data = data.offset(&self.offset)?;
        }
        Ok(data)
    }

    /// Appends the rows of another table.
    pub(super) fn append(&mut self, other: Self) -> Result<()> {
        if other.rows() == 0 {
            return Ok(());
        }
        if self.rows() == 0 {
            (self.columns, self.is_sparse) = (other.columns, other.is_sparse);
            self.starts = if other.is_sparse { vec![0] } else { Vec::new() };
        } else {
            self.check_like(&other)?;
        }
        if self.is_sparse {
            let before = self.values.len();
            self.starts.extend(other.starts.iter().skip(1).map(|start| before + start));
            self.indices.extend(other.indices);
        }
        self.values.extend(other.values);
        self.response.extend(other.response);
        self.weights.extend(other.weights);
        self.offset.extend(other.offset);
        Ok(())
    }

    /// Refuses rows that are not like the others.
    fn check_like(&self, other: &Self) -> Result<()> {
        if self.columns != other.columns {
            let (found, expected) = (other.columns, self.columns);
            return Err(Error::Length {
                what: "a row",
                found,
                expected,
                rule: "as many columns as the rows before it",
            });
        }
        let has = |values: &[f64], rows: usize| if values.is_empty() { 0 } else { rows };
        let rows = other.rows();
        for (what, ours, theirs) in
            [("weights", &self.weights, &other.weights), ("offset", &self.offset, &other.offset)]
        {
            let (expected, found) = (has(ours, rows), has(theirs, rows));
            if expected != found {
                return Err(Error::Length { what, found, expected, rule: "all parts have them, or none has" });
            }
        }
        let rule = "all parts are sparse, or none is";
        if self.is_sparse != other.is_sparse {
            return Err(Error::Length {
                what: "sparse rows",
                found: usize::from(other.is_sparse),
                expected: usize::from(self.is_sparse),
                rule,
            });
        }
        Ok(())
    }

    /// An empty table.
    pub(super) fn like(columns: usize, is_sparse: bool) -> Self {
        Self { columns, is_sparse, starts: if is_sparse { vec![0] } else { Vec::new() }, ..Self::default() }
    }

    /// Appends one row of a block, whole.
    pub(super) fn push(&mut self, block: &Block<'_>, at: usize) {
        match block.rows {
            Rows::Dense { values, columns, .. } => {
                self.values.extend_from_slice(&values[at * columns..(at + 1) * columns]);
            }
            Rows::Sparse { .. } => {
                for (column, value) in block.rows.row(at) {
                    self.indices.push(column as u32);
                    self.values.push(value);
                }
                self.starts.push(self.values.len());
            }
        }
        self.push_rest(block, at);
    }

    /// Appends what belongs to one row of a block.
    pub(super) fn push_rest(&mut self, block: &Block<'_>, at: usize) {
        self.response.push(block.response[at]);
        if let Some(weights) = block.weights {
            self.weights.push(weights[at]);
        }
        if let Some(offset) = block.offset {
            self.offset.push(offset[at]);
        }
    }

    /// The chosen rows, in the order given.
    pub(super) fn chosen(&self, rows: &[usize]) -> Self {
        let mut out = Self { columns: self.columns, is_sparse: self.is_sparse, ..Self::default() };
        if self.is_sparse {
            out.starts.push(0);
        }
        for &row in rows {
            if self.is_sparse {
                let range = self.starts[row]..self.starts[row + 1];
                out.indices.extend_from_slice(&self.indices[range.clone()]);
                out.values.extend_from_slice(&self.values[range]);
                out.starts.push(out.values.len());
            } else {
                out.values.extend_from_slice(&self.values[row * self.columns..(row + 1) * self.columns]);
            }
        }
        let pick = |all: &[f64]| if all.is_empty() { Vec::new() } else { rows.iter().map(|&row| all[row]).collect() };
        (out.response, out.weights, out.offset) = (pick(&self.response), pick(&self.weights), pick(&self.offset));
        out
    }
}
