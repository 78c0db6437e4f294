//! NumPy and SciPy arrays as the library's sources of rows, where they are.
//!
//! A dense array is taken in C or Fortran order, `f64` or `f32`; a sparse one as the tuple `(data, indices, indptr, columns)` of
//! compressed rows. The Python side makes everything else into one of these before it calls.

use crate::error::exception;
use numpy::{Element as NumpyElement, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use proxdist::data::{ChunkSource, ColumnMajor, Dense, Element, Index, Sparse};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Borrowed features. The borrow lasts as long as this value, so the arrays cannot be written to meanwhile.
pub(crate) enum Features<'py> {
    F64(PyReadonlyArray2<'py, f64>),
    F32(PyReadonlyArray2<'py, f32>),
    Sparse64 { values: PyReadonlyArray1<'py, f64>, places: Places<'py>, columns: usize },
    Sparse32 { values: PyReadonlyArray1<'py, f32>, places: Places<'py>, columns: usize },
}

/// Column of each value, and where each row starts.
pub(crate) enum Places<'py> {
    Int32(PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>),
    Int64(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Features<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok((values, indices, starts, columns)) =
            object.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, usize)>()
        {
            let places = match (indices.extract(), starts.extract()) {
                (Ok(indices), Ok(starts)) => Places::Int32(indices, starts),
                _ => Places::Int64(indices.extract()?, starts.extract()?),
            };
            return match values.extract() {
                Ok(values) => Ok(Self::Sparse64 { values, places, columns }),
                Err(_) => Ok(Self::Sparse32 { values: values.extract()?, places, columns }),
            };
        }
        match (object.extract(), object.extract()) {
            (Ok(array), _) => Ok(Self::F64(array)),
            (_, Ok(array)) => Ok(Self::F32(array)),
            _ => Err(PyTypeError::new_err("features must be a two-dimensional array of float64 or float32")),
        }
    }
}

impl<'py> Features<'py> {
    /// The interpreter that the arrays belong to.
    pub(crate) fn py(&self) -> Python<'py> {
        match self {
            Self::F64(array) => array.py(),
            Self::F32(array) => array.py(),
            Self::Sparse64 { values, .. } => values.py(),
            Self::Sparse32 { values, .. } => values.py(),
        }
    }

    /// The rows, free to be read without the interpreter.
    pub(crate) fn source(&self) -> PyResult<Box<dyn ChunkSource + '_>> {
        match self {
            Self::F64(array) => dense(array),
            Self::F32(array) => dense(array),
            Self::Sparse64 { values, places, columns } => sparse(values, places, *columns),
            Self::Sparse32 { values, places, columns } => sparse(values, places, *columns),
        }
    }
}

fn dense<'a, T: Element + NumpyElement>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<Box<dyn ChunkSource + 'a>> {
    let values = array.as_slice()?;
    let [rows, columns] = [array.shape()[0], array.shape()[1]];
    if rows == 0 || columns == 0 {
        return Err(PyValueError::new_err(format!(
            "the features have shape ({rows}, {columns}): there is nothing to read"
        )));
    }
    if array.is_c_contiguous() {
        Ok(Box::new(Dense::new(values, columns).map_err(|error| exception(&error))?))
    } else {
        Ok(Box::new(ColumnMajor::new(values, rows).map_err(|error| exception(&error))?))
    }
}

fn sparse<'a, T: Element + NumpyElement>(
    values: &'a PyReadonlyArray1<'_, T>,
    places: &'a Places<'_>,
    columns: usize,
) -> PyResult<Box<dyn ChunkSource + 'a>> {
    fn view<'a, I: Index, T: Element>(
        starts: &'a [I],
        indices: &'a [I],
        values: &'a [T],
        columns: usize,
    ) -> PyResult<Box<dyn ChunkSource + 'a>> {
        Ok(Box::new(Sparse::new(starts, indices, values, columns).map_err(|error| exception(&error))?))
    }
    match places {
        Places::Int32(indices, starts) => view(starts.as_slice()?, indices.as_slice()?, values.as_slice()?, columns),
        Places::Int64(indices, starts) => view(starts.as_slice()?, indices.as_slice()?, values.as_slice()?, columns),
    }
}

/// What belongs to each row besides its features.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PerRow<'py> {
    pub(crate) response: PyReadonlyArray1<'py, f64>,
    pub(crate) weights: Option<PyReadonlyArray1<'py, f64>>,
    pub(crate) offset: Option<PyReadonlyArray1<'py, f64>>,
}

/// The numbers of [`PerRow`], borrowed from their arrays.
#[derive(Clone, Copy)]
pub(crate) struct RowNumbers<'a> {
    pub(crate) response: &'a [f64],
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) offset: Option<&'a [f64]>,
}

impl PerRow<'_> {
    pub(crate) fn numbers(&self) -> PyResult<RowNumbers<'_>> {
        Ok(RowNumbers {
            response: self.response.as_slice()?,
            weights: self.weights.as_ref().map(|weights| weights.as_slice()).transpose()?,
            offset: self.offset.as_ref().map(|offset| offset.as_slice()).transpose()?,
        })
    }
}
