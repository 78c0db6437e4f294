//! Data frames as the library's readers take them: columns in memory in, features with names out.

use numpy::{PyArray1, PyArrayMethods as _, PyReadonlyArray1};
use proxdist_io::{Cells, Error, Features, FrameColumn, Missing, ReadOptions, Schema, Unknown, read_columns};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A column: its name and one of the forms below.
#[derive(FromPyObject)]
pub(crate) struct Column<'py>(String, Values<'py>);

/// Numbers with `NaN` for missing ones; flags (1, 0, anything else is missing); numbers of texts and these; or the name of a type that cannot be used.
#[derive(FromPyObject)]
pub(crate) enum Values<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Flags(PyReadonlyArray1<'py, i8>),
    Texts(PyReadonlyArray1<'py, i64>, Vec<String>),
    Other(String),
}

/// How a frame is read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading<'py> {
    missing: String,
    unknown: String,
    /// Columns of codes that become indicators.
    categorical: Vec<String>,
    /// The schema of the frame that the model was fitted to.
    schema: Option<String>,
    /// Rows to leave out for other reasons.
    left_out: Option<PyReadonlyArray1<'py, bool>>,
}

impl Reading<'_> {
    fn options(&self) -> PyResult<ReadOptions> {
        let refused = |name: &str, known: &str, value: &str| {
            Err(PyValueError::new_err(format!("{name} must be one of {known}, got '{value}'")))
        };
        let missing = match self.missing.as_str() {
            "error" => Missing::Error,
            "drop" => Missing::Drop,
            "mean" => Missing::Mean,
            "indicator" => Missing::Indicator,
            other => return refused("missing", "'error', 'drop', 'mean', 'indicator'", other),
        };
        let unknown = match self.unknown.as_str() {
            "error" => Unknown::Error,
            "zero" => Unknown::Zero,
            other => return refused("unknown", "'error', 'zero'", other),
        };
        let options = ReadOptions::new().missing(missing).unknown(unknown).categorical(self.categorical.iter());
        Ok(match &self.schema {
            Some(text) => options.schema(schema(text)?),
            None => options,
        })
    }
}

fn schema(text: &str) -> PyResult<Schema> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(format!("damaged schema: {error}")))
}

/// The features of a frame: `values` (an array, or the parts of compressed sparse rows), the `schema` as JSON, the rows `dropped`, and `notices`.
#[pyfunction]
pub(crate) fn encode_frame<'py>(
    py: Python<'py>,
    columns: Vec<Column<'py>>,
    reading: Reading<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = reading.options()?;
    let read: Vec<FrameColumn> = columns.iter().map(Column::read).collect::<PyResult<_>>()?;
    let left_out = reading.left_out.as_ref().map(|rows| rows.as_slice()).transpose()?.unwrap_or(&[]);
    let found = PyDict::new(py);
    let table = match (py.detach(|| read_columns("X", &read, left_out, &options)), &reading.schema) {
        (Ok(table), _) => table,
        // Nothing can be said of any of these rows, and that is an answer.
        (Err(Error::NoRowsLeft { rows, .. }), Some(text)) => {
            let none = PyArray1::<f64>::from_vec(py, Vec::new()).reshape([0, schema(text)?.width()])?;
            found.set_item("schema", text)?;
            found.set_item("dropped", PyArray1::from_vec(py, (0..rows.cast_signed()).collect()))?;
            found.set_item("notices", Vec::<String>::new())?;
            found.set_item("values", none)?;
            return Ok(found);
        }
        (Err(error), _) => return Err(exception(&error)),
    };
    let text = serde_json::to_string(&table.schema).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    found.set_item("schema", text)?;
    let dropped = table.dropped.iter().map(|row| row.cast_signed()).collect();
    found.set_item("dropped", PyArray1::<i64>::from_vec(py, dropped))?;
    found.set_item("notices", &table.notices)?;
    match table.features {
        Features::Dense { rows, columns, values } => {
            found.set_item("values", PyArray1::from_vec(py, values).reshape([rows, columns])?)?;
        }
        Features::Sparse { columns, row_starts, columns_of, values, .. } => {
            let indices = columns_of.into_iter().map(i64::from).collect();
            let starts = row_starts.into_iter().map(|start| (start as u64).cast_signed()).collect();
            let values = PyArray1::from_vec(py, values).into_any();
            let indices = PyArray1::<i64>::from_vec(py, indices).into_any();
            let starts = PyArray1::<i64>::from_vec(py, starts).into_any();
            let columns = columns.into_pyobject(py)?.into_any();
            found.set_item("values", PyTuple::new(py, [values, indices, starts, columns])?)?;
        }
        other => return Err(PyRuntimeError::new_err(format!("a frame cannot become {other:?}"))),
    }
    Ok(found)
}

impl Column<'_> {
    fn read(&self) -> PyResult<FrameColumn<'_>> {
        let cells = match &self.1 {
            Values::Numbers(values) => Cells::Numbers(values.as_slice()?),
            Values::Flags(values) => Cells::Flags(values.as_slice()?),
            Values::Texts(codes, levels) => Cells::Texts { codes: codes.as_slice()?, levels: levels.clone() },
            Values::Other(kind) => Cells::Other(kind.clone()),
        };
        Ok(FrameColumn { name: self.0.clone(), cells })
    }
}

/// Names of the features of a schema, and for each the number of the column that it comes from.
#[pyfunction]
pub(crate) fn schema_features(text: &str) -> PyResult<(Vec<String>, Vec<usize>)> {
    let schema = schema(text)?;
    Ok((schema.names(), schema.origins()))
}

/// Whether each feature of a schema is a column of numbers as it stands, with nothing to fill in.
#[pyfunction]
pub(crate) fn schema_is_plain(text: &str) -> PyResult<bool> {
    Ok(schema(text)?.is_as_it_stands())
}

/// The library's message, with the remedy in terms of parameters.
fn exception(error: &Error) -> PyErr {
    PyValueError::new_err(format!("{error}; {}", remedy(error)))
}

fn remedy(error: &Error) -> String {
    let name = |place: &proxdist_io::Place| place.column.as_ref().map_or_else(String::new, |(_, name)| name.clone());
    match error {
        Error::MissingValue { .. } => {
            "missing='drop' leaves such rows out, 'mean' fills in means, 'indicator' also marks them".to_owned()
        }
        Error::NoFill { .. } => {
            "missing='drop' leaves such rows without a prediction; to fill them in, fit with missing='mean'".to_owned()
        }
        Error::UnknownCategory { .. } => {
            "correct the value, or take it as none of the known ones with unknown='zero'".to_owned()
        }
        Error::Identifier { place, .. } => {
            format!("leave the column out, or keep it with categories=[{:?}]", name(place))
        }
        Error::TooManyCategories { .. } => "leave the column out, or join texts that hardly occur".to_owned(),
        Error::NotANumber { .. } => "this column held numbers when the model was fitted".to_owned(),
        Error::NotFinite { .. } => "correct the value or leave the row out".to_owned(),
        Error::NoMean { .. } => "leave the column out".to_owned(),
        Error::NoRowsLeft { .. } => {
            "leave out the columns that are mostly missing, or fill in with missing='mean'".to_owned()
        }
        Error::UnknownColumn { role: "feature", nearest, .. } => {
            let near = nearest.first().map_or_else(String::new, |name| format!(" (is it {name:?} here?)"));
            format!("the model needs every column it was fitted to, under the same name{near}")
        }
        Error::DuplicateName { .. } => "give one of them another name".to_owned(),
        Error::ColumnType { .. } => "leave the column out, or make numbers or text of it".to_owned(),
        other => other.hint(),
    }
}
