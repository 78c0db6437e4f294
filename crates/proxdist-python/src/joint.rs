//! Fits of losses that tie all rows together: times until an event, and ordered labels.

use crate::data::Features;
use crate::error::exception;
use crate::outcome;
use crate::problem::{self, Named, Options};
use crate::supervise::{Link, supervised};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use proxdist::data::ChunkSource;
use proxdist::joint::{CoxEvaluation, JointFit, JointKind, JointModel, JointProblem, likeliest};
use proxdist::spec::Names;
use proxdist::survival::{SurvivalTimes, Ties, concordance, events};
use proxdist::{Data, Preparation, Standardize, Units};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;

/// The problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct JointRequest {
    pub(crate) constraint: Named,
    pub(crate) ridge: f64,
    /// `None` is auto.
    standardize: Option<bool>,
    pub(crate) names: Option<Vec<String>>,
    /// The column that each feature comes from.
    pub(crate) origins: Option<Vec<usize>>,
    /// How ties are counted, for times.
    ties: Option<String>,
    /// The labels in ascending order, or what the strata are called.
    pub(crate) levels: Vec<String>,
    /// Coefficients to start from, in the units of the data.
    start: Option<Vec<f64>>,
}

/// What belongs to each row: a time and its event, or the number of a label.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct JointRows<'py> {
    response: PyReadonlyArray1<'py, f64>,
    event: Option<PyReadonlyArray1<'py, f64>>,
    entry: Option<PyReadonlyArray1<'py, f64>>,
    /// Numbers of strata.
    strata: Option<PyReadonlyArray1<'py, i64>>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    offset: Option<PyReadonlyArray1<'py, f64>>,
}

/// Times as the library wants them.
pub(crate) struct Times<'a> {
    time: &'a [f64],
    event: Vec<bool>,
    entry: Option<&'a [f64]>,
    strata: Option<Vec<usize>>,
}

impl Times<'_> {
    pub(crate) fn view(&self) -> proxdist::Result<SurvivalTimes<'_>> {
        let mut times = SurvivalTimes::new(self.time, &self.event)?;
        if let Some(entry) = self.entry {
            times = times.entry(entry)?;
        }
        if let Some(strata) = &self.strata {
            times = times.strata(strata)?;
        }
        Ok(times)
    }
}

fn slice<'a>(array: Option<&'a PyReadonlyArray1<f64>>) -> PyResult<Option<&'a [f64]>> {
    Ok(array.map(|array| array.as_slice()).transpose()?)
}

impl JointRows<'_> {
    pub(crate) fn times(&self) -> PyResult<Option<Times<'_>>> {
        let Some(event) = slice(self.event.as_ref())? else { return Ok(None) };
        let strata = match &self.strata {
            None => None,
            Some(strata) => {
                let number =
                    |value: &i64| usize::try_from(*value).map_err(|_| PyValueError::new_err("strata count from 0"));
                Some(strata.as_slice()?.iter().map(number).collect::<PyResult<_>>()?)
            }
        };
        let event = events(event).map_err(|error| exception(&error))?;
        Ok(Some(Times { time: self.response.as_slice()?, event, entry: slice(self.entry.as_ref())?, strata }))
    }

    /// Times, or numbers of labels.
    pub(crate) fn response(&self) -> PyResult<&[f64]> {
        Ok(self.response.as_slice()?)
    }

    /// The features with weights and offset; `none` is a response that is not looked at.
    pub(crate) fn data<'d>(
        &'d self,
        source: &'d dyn ChunkSource,
        none: &'d [f64],
        problem: &JointRequest,
    ) -> PyResult<Data<'d>> {
        let told = |error: proxdist::Error| exception(&error);
        let mut data = Data::new(source, none).map_err(told)?;
        if let Some(weights) = slice(self.weights.as_ref())? {
            data = data.weights(weights).map_err(told)?;
        }
        if let Some(offset) = slice(self.offset.as_ref())? {
            data = data.offset(offset).map_err(told)?;
        }
        if let Some(names) = &problem.names {
            data = data.names(names.iter().cloned()).map_err(told)?;
        }
        if let Some(origins) = &problem.origins {
            data = data.origins(origins.clone()).map_err(told)?;
        }
        Ok(data)
    }
}

impl JointRequest {
    /// How ties are counted.
    pub(crate) fn ties(&self) -> PyResult<Ties> {
        let Some(text) = &self.ties else { return Ok(Ties::default()) };
        Ties::parse(text)
            .ok_or_else(|| PyValueError::new_err(format!("ties must be 'breslow' or 'efron', got {text:?}")))
    }

    /// Whether columns are scaled.
    pub(crate) fn standardize(&self) -> Standardize {
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
pub(crate) fn fit_joint<'py>(
    features: Features<'py>,
    rows: JointRows<'py>,
    problem: JointRequest,
    settings: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source) = (features.py(), features.source()?);
    let (times, response) = (rows.times()?, rows.response()?);
    let settings = problem::settings(&settings)?;
    let (ties, standardize) = (problem.ties()?, problem.standardize());
    let link = Link::default();
    let (fit, units, seconds) = supervised(py, &link, progress, || {
        let started = Instant::now();
        let told = |error: proxdist::Error| exception(&error);
        let none = vec![0.0; source.rows()];
        let data = rows.data(source, &none, &problem)?;
        let set = problem.constraint.set(data.parameter_shape(), &Names::of_data(&data), &link)?;
        let units = Preparation::decide(standardize, [&*set], true)
            .and_then(|preparation| preparation.units(&data, problem.ridge))
            .map_err(told)?;
        let mut settings = settings;
        if let Some(start) = &problem.start {
            settings = settings.start(units.scaled_columns(start, 1), 0.0);
        }
        let data = units.apply(data).map_err(told)?;
        let asked = match &times {
            Some(times) => times
                .view()
                .and_then(|view| JointProblem::cox(&data, &view, ties, set))
                .map(|asked| asked.strata(problem.levels.iter().cloned())),
            None => JointProblem::ordinal(&data, response, problem.levels.iter().cloned(), set),
        };
        let fit =
            asked.map_err(told)?.ridge(units.ridge(problem.ridge)).fit_observed(&settings, &mut &link).map_err(told)?;
        Ok((fit, units, started.elapsed().as_secs_f64()))
    })?;
    let result = finished(py, &fit, &units, seconds)?;
    result.set_item("interrupted", link.is_interrupted())?;
    Ok(result)
}

/// What a fit in these units leaves, in the units of the data.
pub(crate) fn finished<'py>(
    py: Python<'py>,
    fit: &JointFit,
    units: &Units,
    seconds: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let model = fit.model().restored(units).map_err(|error| exception(&error))?;
    let result = of_model(py, &model)?;
    result.set_item("trace", outcome::trace(py, fit.trace())?)?;
    result.set_item("standardized", units.is_scaled())?;
    result.set_item("seconds", seconds)?;
    result.set_item("undetermined", fit.undetermined().to_vec())?;
    result.set_item("notes", problem::without_effect(fit.notes()))?;
    Ok(result)
}

/// The fields of a model file of times or ordered labels, or nothing if the text is another kind of model file.
#[pyfunction]
pub(crate) fn joint_fields<'py>(py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
    if !JointModel::is_one(text) {
        return Ok(None);
    }
    let model = read(text)?;
    let result = of_model(py, &model)?;
    result.set_item("names", model.names.clone())?;
    result.set_item("constraint", &model.constraint)?;
    result.set_item("ridge", model.ridge)?;
    Ok(Some(result))
}

fn read(text: &str) -> PyResult<JointModel> {
    JointModel::from_json(text).map_err(|fault| PyValueError::new_err(fault.to_string()))
}

/// A model and its provenance.
fn of_model<'py>(py: Python<'py>, model: &JointModel) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("coef", PyArray1::from_slice(py, &model.coefficients))?;
    result.set_item("loss", model.kind.loss())?;
    match &model.kind {
        JointKind::Cox { ties, baseline, events, .. } => {
            result.set_item("ties", ties.to_string())?;
            result.set_item("events", events)?;
            result.set_item("center", baseline.center)?;
            let strata: Vec<_> = baseline
                .strata
                .iter()
                .map(|stratum| {
                    let (times, hazard) = (&stratum.times, &stratum.hazard);
                    (stratum.name.clone(), PyArray1::from_slice(py, times), PyArray1::from_slice(py, hazard))
                })
                .collect();
            result.set_item("baseline", strata)?;
        }
        JointKind::Ordinal { levels, thresholds } => {
            result.set_item("levels", levels)?;
            result.set_item("thresholds", PyArray1::from_slice(py, thresholds))?;
        }
        _ => return Err(PyValueError::new_err("this model is of a kind that is not known here")),
    }
    result.set_item("objective", model.objective)?;
    result.set_item("stop", outcome::stop_name(model.stop)?)?;
    result.set_item("has_converged", model.stop.is_success())?;
    result.set_item("certificate", outcome::certificate(py, &model.certificate, model.objective)?)?;
    let (text, reason) = match model.to_json() {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(error.to_string())),
    };
    result.set_item("model", text)?;
    result.set_item("unwritable", reason)?;
    Ok(result)
}

/// The chance to be without the event after each time, a row for each predictor; strata by name.
#[pyfunction]
#[pyo3(signature = (model, predictors, times, strata=None))]
pub(crate) fn survival_at<'py>(
    py: Python<'py>,
    model: &str,
    predictors: PyReadonlyArray1<'py, f64>,
    times: PyReadonlyArray1<'py, f64>,
    strata: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (predictors, times) = (predictors.as_slice()?, times.as_slice()?);
    let found = read(model)?.survival(predictors, strata.as_deref(), times).map_err(|error| exception(&error))?;
    let found = found.ok_or_else(|| PyValueError::new_err("a model of ordered labels knows no times"))?;
    PyArray1::from_vec(py, found).reshape([predictors.len(), times.len()])
}

/// Chances, a row for each predictor, and the number of the likeliest.
type Chances<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<u64>>);

/// The chances of the labels, a row for each predictor, and the number of the likeliest.
#[pyfunction]
pub(crate) fn label_chances<'py>(
    py: Python<'py>,
    model: &str,
    predictors: PyReadonlyArray1<'py, f64>,
) -> PyResult<Chances<'py>> {
    let predictors = predictors.as_slice()?;
    let found = read(model)?.class_probabilities(predictors);
    let found = found.ok_or_else(|| PyValueError::new_err("a model of times has no labels"))?;
    let size = if predictors.is_empty() { 1 } else { found.len() / predictors.len() };
    let best = found.chunks_exact(size).map(|chances| likeliest(chances) as u64).collect();
    Ok((PyArray1::from_vec(py, found).reshape([predictors.len(), size])?, PyArray1::from_vec(py, best)))
}

/// Concordance, deviance and its explained share of predictors, offset included; only the concordance without a model.
#[pyfunction]
#[pyo3(signature = (rows, predictors, model=None))]
pub(crate) fn times_measures<'py>(
    py: Python<'py>,
    rows: JointRows<'py>,
    predictors: PyReadonlyArray1<'py, f64>,
    model: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let told = |error: proxdist::Error| exception(&error);
    let times = rows.times()?.ok_or_else(|| PyValueError::new_err("times need their events"))?;
    let view = times.view().map_err(told)?;
    let (weights, offset) = (slice(rows.weights.as_ref())?, slice(rows.offset.as_ref())?);
    let predictors = predictors.as_slice()?;
    let result = PyDict::new(py);
    if let Some(text) = model {
        let found = CoxEvaluation::of(&read(text)?, predictors, offset, &view, weights).map_err(told)?;
        result.set_item("concordance", found.concordance)?;
        result.set_item("deviance", found.deviance)?;
        result.set_item("deviance_explained", found.deviance_explained)?;
    } else {
        let found = concordance(&view, predictors, weights).map_err(told)?;
        result.set_item("concordance", found.index())?;
    }
    Ok(result)
}
