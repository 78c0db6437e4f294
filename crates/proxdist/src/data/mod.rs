//! Where rows come from.
//!
//! A [`ChunkSource`] is a matrix $X$ ($n \times p$) that is read in chunks of rows, in order and again from the start; a source with [`RandomAccess`] hands out
//! rows in any order as well. [`Data`] adds the response $y$, weights $w$, offset $o$, names and the shape of the parameter. Everything is borrowed: a fit
//! never copies $X$, only the rows of one batch.

mod batch;
mod chunk;
mod column_major;
mod dense;
mod magnitude;
mod marked;
mod passes;
mod row_buffer;
mod rows;
#[cfg(test)]
mod rows_tests;
mod scaled;
mod sifted;
mod source;
mod sparse;
mod sparse_fault;
mod subset;
mod support;

pub use batch::Batch;
pub(crate) use chunk::Chunk;
pub use column_major::ColumnMajor;
pub use dense::{Dense, Element};
pub(crate) use magnitude::{LARGEST, Unit};
pub(crate) use marked::Marked;
pub use passes::products;
pub(crate) use passes::{Cut, Pass};
pub use row_buffer::RowBuffer;
pub use rows::Rows;
pub(crate) use scaled::Unscaled;
pub use source::{Cell, ChunkSource, Piece, RandomAccess, Visit, Wanted};
pub(crate) use source::{length, products_at, read};
pub use sparse::{Index, Sparse};
pub use sparse_fault::SparseFault;
pub use subset::{Part, Subset};
pub use support::Support;

use crate::error::{Error, Result};
use crate::shape::Shape;
use magnitude::{Sizes, usual_weights};
use std::borrow::Cow;
use std::fmt;

/// A data set: features, response and what else belongs to an observation. All of it checked on the way in.
///
/// ```
/// use proxdist::Data;
/// let x = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let y = [1.0, 2.0, 3.0];
/// let data = Data::dense(&x, 2, &y)?.weights(&[1.0, 1.0, 2.0])?.names(["height", "weight"])?;
/// assert_eq!((data.rows(), data.columns()), (3, 2));
/// # Ok::<(), proxdist::Error>(())
/// ```
pub struct Data<'a> {
    source: Box<dyn ChunkSource + 'a>,
    sizes: Sizes,
    response: &'a [f64],
    weights: Option<Cow<'a, [f64]>>,
    weight_sum: f64,
    offset: Option<&'a [f64]>,
    names: Option<Vec<String>>,
    origins: Option<Vec<usize>>,
    shape: Shape,
    /// The same features in another form, where somebody has made it.
    marked: Option<&'a Marked>,
}

/// What there is, without its numbers.
impl fmt::Debug for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Data")
            .field("rows", &self.rows())
            .field("columns", &self.columns())
            .field("shape", &self.shape)
            .field("has_weights", &self.weights.is_some())
            .field("has_offset", &self.offset.is_some())
            .field("has_names", &self.names.is_some())
            .finish_non_exhaustive()
    }
}

impl<'a> Data<'a> {
    /// Row-major features of `columns` columns, `f64` or `f32`, with one response a row.
    pub fn dense<T: Element>(values: &'a [T], columns: usize, response: &'a [f64]) -> Result<Self> {
        Self::new(Dense::new(values, columns)?, response)
    }

    /// Features in compressed sparse rows: row `i` holds `values[starts[i]..starts[i + 1]]` in the columns named beside them.
    pub fn sparse<S: Index, I: Index, T: Element>(
        starts: &'a [S],
        indices: &'a [I],
        values: &'a [T],
        columns: usize,
        response: &'a [f64],
    ) -> Result<Self> {
        Self::new(Sparse::new(starts, indices, values, columns)?, response)
    }

    /// Any source of rows.
    pub fn new(source: impl ChunkSource + 'a, response: &'a [f64]) -> Result<Self> {
        let (rows, columns) = (source.rows(), source.columns());
        if columns == 0 {
            return Err(Error::Empty { what: "columns" });
        }
        if rows == 0 {
            return Err(Error::Empty { what: "rows" });
        }
        check_length("response", response, rows)?;
        check_finite("response", response)?;
        let sizes = Sizes::of(&source)?;
        Ok(Self {
            source: Box::new(source),
            sizes,
            response,
            weights: None,
            weight_sum: rows as f64,
            offset: None,
            names: None,
            origins: None,
            shape: Shape::Vector(columns),
            marked: None,
        })
    }

    /// Observation weights, zero or positive. Only their sizes relative to each other count; very large or small ones are all multiplied by one power of
    /// two.
    pub fn weights(mut self, weights: &'a [f64]) -> Result<Self> {
        check_length("weights", weights, self.rows())?;
        check_finite("weight", weights)?;
        if let Some(row) = weights.iter().position(|&w| w < 0.0) {
            return Err(Error::NegativeWeight { row, value: weights[row] });
        }
        let weights = usual_weights(weights);
        let sum: f64 = weights.iter().sum();
        if sum == 0.0 {
            return Err(Error::ZeroWeights { rows: weights.len() });
        }
        self.weights = Some(weights);
        self.weight_sum = sum;
        Ok(self)
    }

    /// A known part of each linear predictor.
    pub fn offset(mut self, offset: &'a [f64]) -> Result<Self> {
        check_length("offset", offset, self.rows())?;
        check_finite("offset", offset)?;
        self.offset = Some(offset);
        Ok(self)
    }

    /// Names of the features.
    pub fn names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Result<Self> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() != self.columns() {
            let rule = "one name a column";
            return Err(Error::Length { what: "names", found: names.len(), expected: self.columns(), rule });
        }
        self.names = Some(names);
        Ok(self)
    }

    /// Which column of a file each feature comes from: features of the same number are indicators of one text column.
    pub fn origins(mut self, origins: Vec<usize>) -> Result<Self> {
        if origins.len() != self.columns() {
            let rule = "one origin a column";
            return Err(Error::Length { what: "origins", found: origins.len(), expected: self.columns(), rule });
        }
        self.origins = Some(origins);
        Ok(self)
    }

    /// Declares that each row is a `rows × columns` matrix, stored row by row.
    pub fn shape(mut self, rows: usize, columns: usize) -> Result<Self> {
        let shape = Shape::Matrix { rows, columns };
        if shape.len() != self.columns() {
            let rule = "rows times columns of the shape must be the number of features";
            return Err(Error::Length { what: "shape", found: shape.len(), expected: self.columns(), rule });
        }
        self.shape = shape;
        Ok(self)
    }

    /// The same data, with their columns also by the rows in which they differ from their commonest value.
    pub(crate) fn with_marked<'d>(&'d self, marked: &'d Marked) -> Data<'d> {
        Data { marked: Some(marked), ..self.view() }
    }

    /// The columns by the rows in which they differ from their commonest value, where somebody has made that form.
    pub(crate) fn marked(&self) -> Option<&Marked> {
        self.marked
    }

    /// The same data, borrowed.
    fn view(&self) -> Data<'_> {
        Data {
            source: Box::new(self.source()),
            sizes: self.sizes,
            names: self.names.clone(),
            origins: self.origins.clone(),
            weights: self.weights.as_deref().map(Cow::Borrowed),
            ..*self
        }
    }

    /// Number of observations, n.
    pub fn rows(&self) -> usize {
        self.source.rows()
    }

    /// Number of features, p.
    pub fn columns(&self) -> usize {
        self.source.columns()
    }

    /// The features.
    pub fn source(&self) -> &(dyn ChunkSource + 'a) {
        &*self.source
    }

    /// The features in any order. Fails if the source is read in order only.
    pub fn random_access(&self) -> Result<&dyn RandomAccess> {
        self.source.random_access().ok_or(Error::InOrderOnly)
    }

    /// The response, one number a row.
    pub fn response(&self) -> &'a [f64] {
        self.response
    }

    /// The parameter's shape.
    pub fn parameter_shape(&self) -> Shape {
        self.shape
    }

    /// Names of the features, if they have any.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Which column of a file each feature comes from, where that is known.
    pub fn feature_origins(&self) -> Option<&[usize]> {
        self.origins.as_deref()
    }

    /// Weight of one row.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Offset of one row.
    pub fn offset_of(&self, row: usize) -> f64 {
        self.offset.map_or(0.0, |offset| offset[row])
    }

    /// Whether predictors have a known part.
    pub(crate) fn has_offset(&self) -> bool {
        self.offset.is_some()
    }

    /// $\sum_i w_i$
    pub fn weight_sum(&self) -> f64 {
        self.weight_sum
    }
}

fn check_length(what: &'static str, values: &[f64], rows: usize) -> Result<()> {
    if values.len() == rows {
        return Ok(());
    }
    Err(Error::Length { what, found: values.len(), expected: rows, rule: "one a row" })
}

fn check_finite(what: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(row) => Err(Error::NotFiniteData { what, row, column: None, value: values[row] }),
    }
}
