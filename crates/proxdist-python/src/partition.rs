//! What a worker computes: the answer of one partition to one request, without the interpreter lock.

use crate::data::{Features, PerRow, RowNumbers};
use crate::error::exception;
use crate::partials;
use crate::problem::Named;
use crate::supervise::{Link, in_own_pool};
use proxdist::Result;
use proxdist::data::{ChunkSource, Wanted};
use proxdist::large::{Block, Part, Request, VisitBlock};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Rows are read so many numbers at a time: some megabytes.
const AT_A_TIME: usize = 1 << 19;

/// The arrays of a partition; one without rows has no features.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Arrays<'py> {
    features: Option<Features<'py>>,
    columns: usize,
    response: numpy::PyReadonlyArray1<'py, f64>,
    weights: Option<numpy::PyReadonlyArray1<'py, f64>>,
    offset: Option<numpy::PyReadonlyArray1<'py, f64>>,
}

/// Borrowed rows, which nobody has looked at yet: the survey does.
struct Rows<'a> {
    source: Option<Box<dyn ChunkSource + 'a>>,
    columns: usize,
    numbers: RowNumbers<'a>,
}

impl Part for Rows<'_> {
    fn columns(&self) -> usize {
        self.columns
    }

    fn read(&self, columns: Option<&[usize]>, visit: &mut VisitBlock<'_>) -> Result<()> {
        let Some(source) = &self.source else { return Ok(()) };
        let RowNumbers { response, weights, offset } = self.numbers;
        let wanted =
            Wanted { rows: 0..source.rows(), length: (AT_A_TIME / self.columns.max(1)).clamp(16, 4096), columns };
        source.chunks(&wanted, &mut |piece| {
            let range = piece.first..piece.first + piece.rows.len();
            visit(Block {
                first: piece.first,
                rows: piece.rows,
                columns: piece.columns,
                response: &response[range.clone()],
                weights: weights.map(|weights| &weights[range.clone()]),
                offset: offset.map(|offset| &offset[range]),
            })
        })
    }
}

/// The answer of a partition, as a dictionary of arrays. `request` is what the driver asks, `classes` whether the response is one of two classes.
#[pyfunction]
pub(crate) fn answer<'py>(
    py: Python<'py>,
    request: &str,
    number: usize,
    arrays: Arrays<'py>,
    loss: (Named, bool),
) -> PyResult<Bound<'py, PyDict>> {
    let request: Request =
        serde_json::from_str(request).map_err(|error| PyValueError::new_err(format!("not a request: {error}")))?;
    let per_row = PerRow { response: arrays.response, weights: arrays.weights, offset: arrays.offset };
    let numbers = per_row.numbers()?;
    let source = arrays.features.as_ref().map(Features::source).transpose()?;
    let rows = Rows { source, columns: arrays.columns, numbers };
    check(&rows)?;
    let link = Link::default();
    let loss = loss.0.loss(loss.1, &link)?;
    let answered =
        py.detach(|| in_own_pool(|| request.answer(&rows, number, &*loss).map_err(|error| exception(&error))));
    match link.failure() {
        Some(raised) => Err(raised),
        None => partials::to_python(py, answered?),
    }
}

/// Refuses lengths that do not go together, which would be a panic later.
fn check(rows: &Rows<'_>) -> PyResult<()> {
    let (count, columns) = rows.source.as_ref().map_or((0, rows.columns), |source| (source.rows(), source.columns()));
    let RowNumbers { response, weights, offset } = rows.numbers;
    let lengths = [Some(response.len()), weights.map(<[f64]>::len), offset.map(<[f64]>::len)];
    if columns != rows.columns || lengths.into_iter().flatten().any(|length| length != count) {
        return Err(PyValueError::new_err(format!(
            "{count} rows of {columns} columns with {lengths:?} numbers for them"
        )));
    }
    Ok(())
}
