//! Answers of a partition as dictionaries of arrays, and back: plain values that any engine can send.

use numpy::{Element, PyArray1, PyReadonlyArray1};
use proxdist::large::{Partial, Sample, Sums, Survey, Table};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An answer as Python sees it.
pub(crate) fn to_python(py: Python<'_>, partial: Partial) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    match partial {
        Partial::Survey(survey) => {
            fields.set_item("kind", "survey")?;
            put_survey(&fields, *survey)?;
        }
        Partial::Columns(table) => {
            fields.set_item("kind", "columns")?;
            put_table(&fields, table)?;
        }
        Partial::Sums(sums) => {
            fields.set_item("kind", "sums")?;
            put_sums(&fields, sums)?;
        }
    }
    Ok(fields)
}

/// The answer that Python hands over.
pub(crate) fn from_python(answer: &Bound<'_, PyAny>) -> PyResult<Partial> {
    let fields = Fields(answer);
    let kind: String = fields.value("kind")?;
    Ok(match kind.as_str() {
        "survey" => Partial::Survey(Box::new(survey(fields)?)),
        "columns" => Partial::Columns(table(fields)?),
        "sums" => Partial::Sums(sums(fields)?),
        _ => return Err(PyValueError::new_err(format!("an answer is survey, columns or sums, got {kind:?}"))),
    })
}

/// A dictionary that was sent back.
#[derive(Clone, Copy)]
struct Fields<'a, 'py>(&'a Bound<'py, PyAny>);

impl<'py> Fields<'_, 'py> {
    fn item(self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.0.get_item(name).map_err(|_| {
            PyValueError::new_err(format!("an answer without {name:?}: map must return what the task returned"))
        })
    }

    fn value<T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(self, name: &str) -> PyResult<T> {
        self.item(name)?.extract()
    }

    fn array<T: Element + Copy>(self, name: &str) -> PyResult<Vec<T>> {
        let item = self.item(name)?;
        // After a journey between machines an array may begin anywhere in memory.
        let aligned = item.py().import("numpy")?.call_method1("require", (&item, item.py().None(), "CA"))?;
        let array: PyReadonlyArray1<'py, T> = aligned.extract()?;
        Ok(array.as_slice()?.to_vec())
    }
}

fn put<T: Element>(fields: &Bound<'_, PyDict>, name: &str, values: Vec<T>) -> PyResult<()> {
    fields.set_item(name, PyArray1::from_vec(fields.py(), values))
}

fn put_sums(fields: &Bound<'_, PyDict>, sums: Sums) -> PyResult<()> {
    fields.set_item("rows", sums.rows)?;
    fields.set_item("weight", sums.weight)?;
    fields.set_item("value", sums.value)?;
    put(fields, "gradient", sums.gradient)?;
    put(fields, "border", sums.border)?;
    put(fields, "diagonal", sums.diagonal)?;
    put(fields, "matrix", sums.matrix)
}

fn sums(fields: Fields<'_, '_>) -> PyResult<Sums> {
    Ok(Sums {
        rows: fields.value("rows")?,
        weight: fields.value("weight")?,
        value: fields.value("value")?,
        gradient: fields.array("gradient")?,
        border: fields.array("border")?,
        diagonal: fields.array("diagonal")?,
        matrix: fields.array("matrix")?,
    })
}

fn put_table(fields: &Bound<'_, PyDict>, table: Table) -> PyResult<()> {
    fields.set_item("columns", table.columns)?;
    fields.set_item("is_sparse", table.is_sparse)?;
    put(fields, "values", table.values)?;
    put(fields, "starts", table.starts)?;
    put(fields, "indices", table.indices)?;
    put(fields, "response", table.response)?;
    put(fields, "weights", table.weights)?;
    put(fields, "offset", table.offset)
}

fn table(fields: Fields<'_, '_>) -> PyResult<Table> {
    Ok(Table {
        columns: fields.value("columns")?,
        is_sparse: fields.value("is_sparse")?,
        values: fields.array("values")?,
        starts: fields.array("starts")?,
        indices: fields.array("indices")?,
        response: fields.array("response")?,
        weights: fields.array("weights")?,
        offset: fields.array("offset")?,
    })
}

fn put_survey(fields: &Bound<'_, PyDict>, survey: Survey) -> PyResult<()> {
    fields.set_item("rows", survey.rows)?;
    fields.set_item("is_sparse", survey.is_sparse)?;
    fields.set_item("has_weights", survey.has_weights)?;
    fields.set_item("has_offset", survey.has_offset)?;
    fields.set_item("weight", survey.weight)?;
    fields.set_item("largest_weight", survey.largest_weight)?;
    fields.set_item("at_zero", survey.at_zero)?;
    fields.set_item("infimum", survey.infimum)?;
    put(fields, "center", survey.center)?;
    put(fields, "sums", survey.sums)?;
    put(fields, "largest", survey.largest)?;
    let fault = survey.fault.map(|fault| serde_json::to_string(&fault)).transpose();
    fields.set_item("fault", fault.map_err(|error| PyRuntimeError::new_err(error.to_string()))?)?;
    put(fields, "keys", survey.sample.keys)?;
    let sample = PyDict::new(fields.py());
    put_table(&sample, survey.sample.table)?;
    fields.set_item("sample", sample)
}

fn survey(fields: Fields<'_, '_>) -> PyResult<Survey> {
    let fault: Option<String> = fields.value("fault")?;
    let fault = fault.map(|text| serde_json::from_str(&text)).transpose();
    let sample = fields.item("sample")?;
    Ok(Survey {
        rows: fields.value("rows")?,
        is_sparse: fields.value("is_sparse")?,
        has_weights: fields.value("has_weights")?,
        has_offset: fields.value("has_offset")?,
        weight: fields.value("weight")?,
        largest_weight: fields.value("largest_weight")?,
        center: fields.array("center")?,
        sums: fields.array("sums")?,
        largest: fields.array("largest")?,
        at_zero: fields.value("at_zero")?,
        infimum: fields.value("infimum")?,
        fault: fault.map_err(|error| PyValueError::new_err(error.to_string()))?,
        sample: Sample { keys: fields.array("keys")?, table: table(Fields(&sample))? },
    })
}
