//! The rows of one step, with what belongs to them.

use super::{Data, Rows};
use crate::error::Result;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts fills over the whole program, so that every content of every batch has a number of its own.
static FILLS: AtomicU64 = AtomicU64::new(0);

/// Reused memory that a source copies rows into, dense or sparse as the source prefers.
#[derive(Debug, Default)]
pub struct RowBuffer {
    values: Vec<f64>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    rows: usize,
    columns: usize,
    is_sparse: bool,
}

impl RowBuffer {
    /// Room for `rows × columns` numbers, row-major. The source must fill all of it.
    pub fn dense(&mut self, rows: usize, columns: usize) -> &mut [f64] {
        (self.rows, self.columns, self.is_sparse) = (rows, columns, false);
        self.values.resize(rows * columns, 0.0);
        &mut self.values
    }

    /// An empty sparse block that rows are pushed onto.
    pub fn sparse(&mut self, columns: usize) -> &mut Self {
        (self.rows, self.columns, self.is_sparse) = (0, columns, true);
        self.values.clear();
        self.indices.clear();
        self.starts.clear();
        self.starts.push(0);
        self
    }

    /// Appends a sparse row of (column, value), columns increasing.
    pub fn push_row(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        for (column, value) in entries {
            self.indices.push(column);
            self.values.push(value);
        }
        self.starts.push(self.values.len());
        self.rows += 1;
    }

    /// Turns each entry $x$ of column $j$ into $(x - m_j)f_j$; in sparse rows zeros stay zeros and means must be zero.
    pub(super) fn scale(&mut self, means: &[f64], factors: &[f64]) {
        if self.is_sparse {
            self.values.iter_mut().zip(&self.indices).for_each(|(x, &j)| *x *= factors[j as usize]);
            return;
        }
        for row in self.values.chunks_exact_mut(self.columns) {
            row.iter_mut().zip(means).zip(factors).for_each(|((x, mean), factor)| *x = (*x - mean) * factor);
        }
    }

    /// What was copied in last.
    pub fn rows(&self) -> Rows<'_> {
        if self.is_sparse {
            Rows::Sparse { starts: &self.starts, indices: &self.indices, values: &self.values, columns: self.columns }
        } else {
            Rows::Dense { values: &self.values, rows: self.rows, columns: self.columns }
        }
    }
}

/// A batch: features, response, offset and weights $v_i$ such that $\sum_i v_i \ell(\eta_i; y_i)$ is an unbiased estimate
/// of the objective, $v_i = w_i n / (b \sum_j w_j)$, which is $1/b$ for unit weights.
#[derive(Debug, Default)]
pub struct Batch<'a> {
    buffer: RowBuffer,
    borrowed: Option<Rows<'a>>,
    stamp: u64,
    numbers: Vec<usize>,
    response: Vec<f64>,
    offset: Vec<f64>,
    weights: Vec<f64>,
}

impl<'a> Batch<'a> {
    /// Fills the batch with these rows of the data, reusing its memory.
    pub fn fill(&mut self, data: &'a Data, rows: &[usize]) -> Result<()> {
        self.borrowed = None;
        data.source().gather(rows, &mut self.buffer)?;
        self.describe(data, rows.iter().copied());
        Ok(())
    }

    /// Fills the batch with all rows, without copying the features if the source can lend them.
    pub fn fill_whole(&mut self, data: &'a Data) -> Result<()> {
        self.borrowed = data.source().borrow();
        if self.borrowed.is_none() {
            let all: Vec<usize> = (0..data.rows()).collect();
            data.source().gather(&all, &mut self.buffer)?;
        }
        self.describe(data, 0..data.rows());
        Ok(())
    }

    fn describe(&mut self, data: &Data, rows: impl ExactSizeIterator<Item = usize> + Clone) {
        self.stamp = FILLS.fetch_add(1, Ordering::Relaxed);
        let scale = data.rows() as f64 / (rows.len() as f64 * data.weight_sum());
        self.numbers.clear();
        self.numbers.extend(rows.clone());
        self.response.clear();
        self.response.extend(rows.clone().map(|row| data.response()[row]));
        self.offset.clear();
        self.offset.extend(rows.clone().map(|row| data.offset_of(row)));
        self.weights.clear();
        self.weights.extend(rows.map(|row| data.weight(row) * scale));
    }

    /// The features.
    pub fn rows(&self) -> Rows<'_> {
        self.borrowed.unwrap_or_else(|| self.buffer.rows())
    }

    /// A number that changes whenever the content does, for whatever is computed once a batch.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Which rows of the data these are.
    pub fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// The response of each row.
    pub fn response(&self) -> &[f64] {
        &self.response
    }

    /// The offset of each row.
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// The weight $v_i$ of each row.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of rows, b.
    pub fn len(&self) -> usize {
        self.response.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.response.is_empty()
    }
}
