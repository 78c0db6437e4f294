//! The rows of one step, with what belongs to them.

use super::{Data, Piece, RowBuffer, Rows};
use crate::error::Result;
use crate::layout::Layout;
use crate::scaling::Scaling;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts fills over the whole program, so that every content of every batch has a number of its own.
static FILLS: AtomicU64 = AtomicU64::new(0);

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
        data.random_access()?.gather(rows, None, &mut self.buffer)?;
        self.describe(data, rows.iter().copied());
        Ok(())
    }

    /// Fills the batch with all rows, without copying the features if the source can lend them.
    pub fn fill_whole(&mut self, data: &'a Data) -> Result<()> {
        self.borrowed = data.lent();
        if self.borrowed.is_none() {
            self.buffer.read_whole(data.source())?;
        }
        self.describe(data, 0..data.rows());
        Ok(())
    }

    /// Fills the batch with these rows, their columns scaled on the way, as part of a stream: weights are shares of their sum, which is returned. If it is
    /// zero, the batch is of no use.
    pub(crate) fn fill_scaled(&mut self, data: &Data, rows: &[usize], scaling: Option<&Scaling>) -> Result<f64> {
        self.borrowed = None;
        data.random_access()?.gather(rows, None, &mut self.buffer)?;
        if let Some(scaling) = scaling {
            self.buffer.scale(scaling, None);
        }
        self.describe(data, rows.iter().copied());
        self.weights.clear();
        self.weights.extend(rows.iter().map(|&row| data.weight(row)));
        let sum: f64 = self.weights.iter().sum();
        if sum > 0.0 {
            self.weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        Ok(sum)
    }

    /// Takes in another batch with its columns multiplied by these factors, reusing memory.
    pub(crate) fn stretch(&mut self, other: &Batch, factors: &[f64]) {
        self.borrowed = None;
        self.stamp = FILLS.fetch_add(1, Ordering::Relaxed);
        self.buffer.copy(&Piece { first: 0, rows: other.rows(), columns: None }, None);
        self.buffer.stretch(factors);
        self.numbers.clone_from(&other.numbers);
        self.response.clone_from(&other.response);
        self.offset.clone_from(&other.offset);
        self.weights.clone_from(&other.weights);
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

    /// How the coefficients of its columns are arranged; intercepts may follow them.
    pub(crate) fn layout(&self) -> Layout {
        self.rows().layout()
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
