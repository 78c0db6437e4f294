//! Fits of several outputs: classes, or responses side by side.

use crate::data::Features;
use crate::error::exception;
use crate::outcome;
use crate::problem::{self, Named, Options};
use crate::supervise::{Link, supervised};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use proxdist::outputs::{OutputLoss, OutputsModel, OutputsProblem, Responses};
use proxdist::{Data, Preparation, Standardize};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;

/// The problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct OutputsRequest {
    loss: String,
    constraint: Named,
    /// Whether a limit on entries is one on features, shared by all outputs.
    is_shared: bool,
    ridge: f64,
    intercept: bool,
    /// `None` is auto.
    standardize: Option<bool>,
    names: Option<Vec<String>>,
    /// What the outputs are called.
    outputs: Vec<String>,
    /// Coefficients to start from, feature by feature, in the units of the data.
    start: Option<Vec<f64>>,
}

/// What belongs to each row: the number of its class, or its responses.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct OutputRows<'py> {
    responses: PyReadonlyArray2<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
}

impl OutputsRequest {
    fn standardize(&self) -> Standardize {
        match self.standardize {
            None => Standardize::Auto,
            Some(true) => Standardize::Always,
            Some(false) => Standardize::Never,
        }
    }
}

/// Fits; the arrays are borrowed and the interpreter is free meanwhile.
#[pyfunction]
#[pyo3(signature = (features, rows, problem, settings, progress=None))]
pub(crate) fn fit_outputs<'py>(
    features: Features<'py>,
    rows: OutputRows<'py>,
    problem: OutputsRequest,
    settings: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source) = (features.py(), features.source()?);
    let (responses, each) = (rows.responses.as_slice()?, rows.responses.shape()[1]);
    let weights = rows.weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let settings = problem::settings(&settings)?;
    let loss = OutputLoss::parse(&problem.loss).map_err(|error| exception(&error))?;
    let count = problem.outputs.len();
    if each != loss.responses(count) {
        return Err(PyValueError::new_err(format!("{each} responses a row, but {count} outputs")));
    }
    let link = Link::default();
    let (fit, units, seconds) = supervised(py, &link, progress, || {
        let started = Instant::now();
        let told = |error: proxdist::Error| exception(&error);
        let none = vec![0.0; source.rows()];
        let mut data = Data::new(source, &none).map_err(told)?;
        if let Some(weights) = weights {
            data = data.weights(weights).map_err(told)?;
        }
        if let Some(names) = &problem.names {
            data = data.names(names.iter().cloned()).map_err(told)?;
        }
        let set = problem.constraint.set_of_outputs(&data, &problem.outputs, problem.is_shared, &link)?;
        let units = Preparation::decide(problem.standardize(), [&*set], problem.intercept)
            .and_then(|preparation| preparation.units(&data, problem.ridge))
            .map_err(told)?;
        let mut settings = settings;
        if let Some(start) = &problem.start {
            settings = settings.start(units.scaled_columns(start, count), 0.0);
        }
        let data = units.apply(data).map_err(told)?;
        let responses = if loss.is_classification() {
            Responses::classes(responses, count)
        } else {
            Responses::numbers(responses, count)
        };
        let fit = OutputsProblem::new(&data, responses, loss, set)
            .ridge(units.ridge(problem.ridge))
            .intercept(problem.intercept)
            .names(problem.outputs.iter().cloned())
            .fit_observed(&settings, &mut &link)
            .map_err(told)?;
        Ok((fit, units, started.elapsed().as_secs_f64()))
    })?;
    let model = fit.model().restored(&units).map_err(|error| exception(&error))?;
    let result = of_model(py, &model)?;
    result.set_item("trace", outcome::trace(py, fit.trace())?)?;
    result.set_item("standardized", units.is_scaled())?;
    result.set_item("seconds", seconds)?;
    result.set_item("interrupted", link.is_interrupted())?;
    result.set_item("notes", problem::without_effect(fit.notes()))?;
    Ok(result)
}

/// The fields of a model file of several outputs, or nothing if the text is another kind of model file.
#[pyfunction]
pub(crate) fn outputs_fields<'py>(py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
    if !OutputsModel::is_one(text) {
        return Ok(None);
    }
    let model = OutputsModel::from_json(text).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    let result = of_model(py, &model)?;
    result.set_item("names", model.names.clone())?;
    result.set_item("loss", model.loss.to_string())?;
    result.set_item("constraint", &model.constraint)?;
    result.set_item("ridge", model.ridge)?;
    result.set_item("seed", model.seed)?;
    Ok(Some(result))
}

/// A model and its provenance; coefficients have a row for each output.
fn of_model<'py>(py: Python<'py>, model: &OutputsModel) -> PyResult<Bound<'py, PyDict>> {
    let (features, outputs) = (model.features(), model.outputs.len());
    let by_output: Vec<f64> = (0..outputs).flat_map(|k| (0..features).map(move |j| model.coefficient(j, k))).collect();
    let result = PyDict::new(py);
    result.set_item("coef", PyArray1::from_vec(py, by_output).reshape([outputs, features])?)?;
    let intercepts: Option<Bound<'py, PyArray1<f64>>> =
        model.intercepts.as_ref().map(|intercepts| PyArray1::from_slice(py, intercepts));
    result.set_item("intercept", intercepts)?;
    result.set_item("outputs", &model.outputs)?;
    result.set_item("is_classification", model.loss.is_classification())?;
    result.set_item("unique", model.unique.to_string())?;
    result.set_item("objective", model.objective)?;
    result.set_item("stop", outcome::stop_name(model.stop)?)?;
    result.set_item("has_converged", model.stop.is_success())?;
    result.set_item("separates_classes", model.separates_classes())?;
    result.set_item("steps", model.steps)?;
    result.set_item("rho1", model.rho1)?;
    result.set_item("certificate", outcome::certificate(py, &model.certificate, model.objective)?)?;
    let (text, reason) = match model.to_json() {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(error.to_string())),
    };
    result.set_item("model", text)?;
    result.set_item("unwritable", reason)?;
    Ok(result)
}
