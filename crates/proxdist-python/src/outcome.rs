//! What a fit leaves, as plain Python values that can be pickled.

use crate::error::exception;
use numpy::PyArray1;
use proxdist::trace::Progress;
use proxdist::{Certificate, Fit, Model, Stop, Units};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A fit, in the units of the data.
pub(crate) fn of_fit<'py>(py: Python<'py>, fit: &Fit, units: &Units, seconds: f64) -> PyResult<Bound<'py, PyDict>> {
    let model = units.restored(fit.model()).map_err(|error| exception(&error))?;
    let result = of_model(py, &model)?;
    result.set_item("trace", trace(py, fit.trace())?)?;
    result.set_item("standardized", units.is_scaled())?;
    result.set_item("seconds", seconds)?;
    result.set_item("reads", fit.reads())?;
    Ok(result)
}

/// A model and its provenance.
pub(crate) fn of_model<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("coef", PyArray1::from_slice(py, &model.coefficients))?;
    result.set_item("intercept", model.intercept)?;
    result.set_item("objective", model.objective)?;
    result.set_item("stop", stop_name(model.stop)?)?;
    result.set_item("has_converged", model.stop.is_success())?;
    result.set_item("separates_classes", model.separates_classes())?;
    result.set_item("steps", model.steps)?;
    result.set_item("rho1", model.rho1)?;
    result.set_item("certificate", certificate(py, &model.certificate, model.objective)?)?;
    // A model that no file can hold is still an outcome; `save` says why it cannot be written.
    let (text, reason) = match model.to_json() {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(error.to_string())),
    };
    result.set_item("model", text)?;
    result.set_item("unwritable", reason)?;
    Ok(result)
}

/// What is known about a result, for an F of this value there.
pub(crate) fn certificate<'py>(py: Python<'py>, of: &Certificate, objective: f64) -> PyResult<Bound<'py, PyDict>> {
    let certificate = PyDict::new(py);
    certificate.set_item("distance", of.distance)?;
    certificate.set_item("iterate_distance", of.iterate_distance)?;
    certificate.set_item("stationarity", of.stationarity)?;
    certificate.set_item("gap", of.gap.map(|gap| gap.value))?;
    certificate.set_item("gap_proof", of.gap.map(|gap| gap.proof.name()))?;
    certificate.set_item("gap_text", of.gap.map(|gap| gap.proof.to_string()))?;
    certificate.set_item("nodes", of.nodes)?;
    certificate.set_item("proven", of.proven(objective).map(|proven| proven.to_string()))?;
    certificate.set_item("proven_text", of.in_words(objective))?;
    certificate.set_item("exchanges", of.exchanges.name())?;
    certificate.set_item("exchanges_text", of.exchanges.to_string())?;
    certificate.set_item("schedule_meets_theory", of.schedule_meets_theory)?;
    certificate.set_item("is_stationary", of.is_stationary())?;
    Ok(certificate)
}

/// The reason to stop, as it stands in model files.
pub(crate) fn stop_name(stop: Stop) -> PyResult<String> {
    match serde_json::to_value(stop) {
        Ok(serde_json::Value::String(name)) => Ok(name),
        other => Err(PyRuntimeError::new_err(format!("a reason to stop without a name: {other:?}"))),
    }
}

/// The checkpoints, column by column.
pub(crate) fn trace<'py>(py: Python<'py>, trace: &[Progress]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let phases: Vec<&str> = trace.iter().map(|at| at.phase.name()).collect();
    columns.set_item("phase", phases)?;
    let whole = |column: fn(&Progress) -> u64| PyArray1::from_iter(py, trace.iter().map(column));
    let real = |column: fn(&Progress) -> f64| PyArray1::from_iter(py, trace.iter().map(column));
    columns.set_item("step", whole(|at| at.step))?;
    columns.set_item("objective", real(|at| at.objective))?;
    columns.set_item("distance", real(|at| at.distance))?;
    columns.set_item("rho", real(|at| at.rho))?;
    columns.set_item("nonzeros", whole(|at| at.nonzeros as u64))?;
    columns.set_item("rows_seen", whole(|at| at.rows_seen))?;
    columns.set_item("seconds", real(|at| at.elapsed.as_secs_f64()))?;
    columns.set_item("bound", real(|at| at.bound.unwrap_or(f64::NAN)))?;
    columns.set_item("nodes", whole(|at| at.nodes.unwrap_or(0)))?;
    Ok(columns)
}
