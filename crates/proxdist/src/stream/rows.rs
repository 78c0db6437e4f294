//! Rows that a stream keeps, with what belongs to them: the first few, and a sample of all.

use crate::data::{Chunk, Data};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Rows in memory, each in a place of its own that another row can take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptRows {
    columns: usize,
    features: Features,
    response: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Features {
    /// Row by row.
    Dense(Vec<f64>),
    /// Columns and values of each row.
    Sparse(Vec<(Vec<u32>, Vec<f64>)>),
}

/// Sparse rows one after the other, as data want them.
#[derive(Debug, Default)]
pub(crate) struct Flat {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl KeptRows {
    /// No row yet, of so many columns.
    pub(crate) fn new(columns: usize, is_sparse: bool) -> Self {
        let features = if is_sparse { Features::Sparse(Vec::new()) } else { Features::Dense(Vec::new()) };
        Self { columns, features, response: Vec::new(), weights: Vec::new(), offset: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.response.len()
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Whether every number is finite and every list as long as it should be: what is read from a file is not trusted.
    pub(crate) fn is_sound(&self) -> bool {
        let rows = self.len();
        let are_finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let is_row = |(indices, values): &(Vec<u32>, Vec<f64>)| {
            indices.len() == values.len()
                && are_finite(values)
                && indices.windows(2).all(|pair| pair[0] < pair[1])
                && indices.last().is_none_or(|last| (*last as usize) < self.columns)
        };
        let features = match &self.features {
            Features::Dense(values) => values.len() == rows * self.columns && are_finite(values),
            Features::Sparse(kept) => kept.len() == rows && kept.iter().all(is_row),
        };
        let belongs = [&self.response, &self.weights, &self.offset];
        features
            && belongs.iter().all(|numbers| numbers.len() == rows && are_finite(numbers))
            && self.weights.iter().all(|weight| *weight >= 0.0)
    }

    /// Puts a row of a chunk into a place: one that is taken, or the next one.
    pub(crate) fn put(&mut self, place: usize, chunk: &Chunk<'_>, row: usize) {
        let is_new = place == self.len();
        let columns = self.columns;
        match &mut self.features {
            Features::Dense(values) => {
                if is_new {
                    values.resize((place + 1) * columns, 0.0);
                }
                let target = &mut values[place * columns..(place + 1) * columns];
                target.fill(0.0);
                chunk.rows.row(row).for_each(|(j, x)| target[j] = x);
            }
            Features::Sparse(kept) => {
                if is_new {
                    kept.push(Default::default());
                }
                let (indices, values) = &mut kept[place];
                indices.clear();
                values.clear();
                for (j, x) in chunk.rows.row(row).filter(|(_, x)| *x != 0.0) {
                    indices.push(j as u32);
                    values.push(x);
                }
            }
        }
        let numbers = [chunk.response[row], chunk.weight(row), chunk.offset_of(row)];
        for (list, number) in [&mut self.response, &mut self.weights, &mut self.offset].into_iter().zip(numbers) {
            if is_new { list.push(number) } else { list[place] = number }
        }
    }

    /// The rows as data; sparse ones are laid out in `flat`.
    pub(crate) fn data<'k>(&'k self, flat: &'k mut Flat) -> Result<Data<'k>> {
        let data = match &self.features {
            Features::Dense(values) => Data::dense(values, self.columns, &self.response)?,
            Features::Sparse(kept) => {
                flat.starts.push(0);
                for (indices, values) in kept {
                    flat.indices.extend_from_slice(indices);
                    flat.values.extend_from_slice(values);
                    flat.starts.push(flat.values.len());
                }
                Data::sparse(&flat.starts, &flat.indices, &flat.values, self.columns, &self.response)?
            }
        };
        let data = if self.weights.iter().any(|weight| *weight != 1.0) { data.weights(&self.weights)? } else { data };
        if self.offset.iter().any(|offset| *offset != 0.0) { data.offset(&self.offset) } else { Ok(data) }
    }
}
