//! Projections, predictions, evaluations, and what there is to choose from.

use crate::data::Features;
use crate::error::exception;
use crate::outcome;
use crate::problem::Named;
use crate::supervise::{Link, in_own_pool};
use numpy::{PyArray1, PyReadonlyArray1};
use proxdist::constraint::projected;
use proxdist::data::{ChunkSource as _, products};
use proxdist::loss::{Loss as _, Task};
use proxdist::metrics::Evaluation;
use proxdist::selection::{Choice, CrossValidation, Scoring};
use proxdist::solver::{Declaration, Kind};
use proxdist::spec::{self, Names, SetSpec};
use proxdist::{Model, Setting, Shape, loss};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn shape_of(length: usize, matrix: Option<(usize, usize)>) -> PyResult<Shape> {
    match matrix {
        None => Ok(Shape::Vector(length)),
        Some((rows, columns)) if rows.checked_mul(columns) == Some(length) => Ok(Shape::Matrix { rows, columns }),
        Some((rows, columns)) => {
            Err(PyValueError::new_err(format!("shape ({rows}, {columns}) does not fit {length} numbers")))
        }
    }
}

/// The nearest point of a set.
#[pyfunction]
#[pyo3(signature = (constraint, point, shape=None, names=None))]
pub(crate) fn project<'py>(
    py: Python<'py>,
    constraint: Named,
    point: PyReadonlyArray1<'py, f64>,
    shape: Option<(usize, usize)>,
    names: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let values = point.as_slice()?;
    let link = Link::default();
    let shape = shape_of(values.len(), shape)?;
    let names = names.as_deref().map_or_else(|| Names::of_shape(shape), Names::of);
    let set = constraint.set(shape, &names, &link)?;
    let nearest = py.detach(|| projected(&*set, values));
    match (link.failure(), nearest) {
        (Some(raised), _) => Err(raised),
        (None, Ok(nearest)) => Ok(PyArray1::from_vec(py, nearest)),
        (None, Err(error)) => Err(exception(&error)),
    }
}

/// A specification as the library writes it.
#[pyfunction]
pub(crate) fn canonical_set(text: &str) -> PyResult<String> {
    SetSpec::parse(text).map(|spec| spec.to_string()).map_err(|error| exception(&error))
}

/// How many features or groups a set lets be chosen, and whether it is groups; `None` if it has no such number, or several.
#[pyfunction]
pub(crate) fn set_size(text: &str) -> PyResult<Option<(usize, bool)>> {
    let spec = SetSpec::parse(text).map_err(|error| exception(&error))?;
    Ok(spec.size().map(|size| (size, spec.counts_groups())))
}

/// The same set with another such number.
#[pyfunction]
pub(crate) fn set_of_size(text: &str, size: usize) -> PyResult<Option<String>> {
    let spec = SetSpec::parse(text).map_err(|error| exception(&error))?;
    Ok(spec.with_size(size).map(|spec| spec.to_string()))
}

/// The least such number with which the set has a point.
#[pyfunction]
pub(crate) fn least_size(py: Python<'_>, text: String, names: Vec<String>) -> PyResult<usize> {
    let Some(spec) = Named::Text(text).spec()? else { return Ok(0) };
    let shape = Shape::Vector(names.len());
    py.detach(|| spec.least_size(shape, &Names::of(&names))).map_err(|error| exception(&error))
}

/// $x_i^T\theta + \beta_0$ of every row.
#[pyfunction]
pub(crate) fn linear_predictor<'py>(
    py: Python<'py>,
    features: Features<'py>,
    coef: PyReadonlyArray1<'py, f64>,
    intercept: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (source, coefficients) = (features.source()?, coef.as_slice()?);
    if source.columns() != coefficients.len() {
        let (found, expected) = (source.columns(), coefficients.len());
        return Err(PyValueError::new_err(format!(
            "X has {found} features, but the model has {expected} coefficients"
        )));
    }
    let predictors = py.detach(|| {
        let work = || {
            let mut predictors = products(&source, coefficients).map_err(|error| exception(&error))?;
            predictors.iter_mut().for_each(|eta| *eta += intercept);
            Ok(predictors)
        };
        // A plain loop where it is quick: threads are not for free.
        match source.rows().saturating_mul(coefficients.len()) {
            0..100_000 => work(),
            _ => in_own_pool(work),
        }
    })?;
    Ok(PyArray1::from_vec(py, predictors))
}

/// What a loss is about.
#[pyfunction]
pub(crate) fn loss_facts<'py>(py: Python<'py>, loss: &str) -> PyResult<Bound<'py, PyDict>> {
    let loss = loss::parse(loss).map_err(|error| exception(&error))?;
    let facts = PyDict::new(py);
    facts.set_item("task", loss.task().name())?;
    facts.set_item("is_quantile", loss.task() == loss::Task::Regression && loss.kinked().is_some())?;
    facts.set_item("has_log_link", loss.link() == loss::Link::Log)?;
    facts.set_item("has_probabilities", loss.has_probabilities())?;
    facts.set_item("formula", loss.entry().map(|entry| entry.formula))?;
    Ok(facts)
}

/// Mean responses that linear predictors stand for.
#[pyfunction]
pub(crate) fn loss_mean<'py>(
    py: Python<'py>,
    loss: &str,
    predictors: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let loss = loss::parse(loss).map_err(|error| exception(&error))?;
    let means = predictors.as_slice()?.iter().map(|&eta| loss.mean(eta));
    Ok(PyArray1::from_vec(py, means.collect()))
}

/// How well linear predictors explain a response, as JSON.
#[pyfunction]
#[pyo3(signature = (loss, predictors, response, weights=None))]
pub(crate) fn evaluate(
    loss: &str,
    predictors: PyReadonlyArray1<'_, f64>,
    response: PyReadonlyArray1<'_, f64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<String> {
    let loss = loss::parse(loss).map_err(|error| exception(&error))?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let evaluation = Evaluation::of(&*loss, predictors.as_slice()?, response.as_slice()?, weights);
    let evaluation = evaluation.map_err(|error| exception(&error))?;
    serde_json::to_string(&evaluation).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// The text of a model file as Python values.
#[pyfunction]
pub(crate) fn model_fields<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let model = Model::from_json(text).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    let fields = outcome::of_model(py, &model)?;
    fields.set_item("names", model.names.clone())?;
    fields.set_item("loss", model.loss.as_str())?;
    fields.set_item("task", model.task().ok().map(Task::name))?;
    fields.set_item("constraint", &model.constraint)?;
    fields.set_item("ridge", model.ridge)?;
    fields.set_item("seed", model.seed)?;
    fields.set_item(
        "shape",
        match model.shape {
            Shape::Vector(_) => None,
            Shape::Matrix { rows, columns } => Some((rows, columns)),
        },
    )?;
    Ok(fields)
}

/// Writes a file, whole or not at all; links are followed and permissions kept.
#[pyfunction]
pub(crate) fn write_whole(py: Python<'_>, path: std::path::PathBuf, text: &str) -> PyResult<()> {
    let written = py.detach(|| proxdist::files::write_whole(&path, text.as_bytes()));
    // The kind decides which exception it is: FileNotFoundError, PermissionError, …
    written.map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display())).into())
}

/// Every set: syntax, definition, convexity, cost of a projection.
#[pyfunction]
pub(crate) fn constraints() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    spec::sets().iter().map(|set| (set.syntax, set.definition, set.convex.word(), set.cost)).collect()
}

/// Every set of the grammar: the word it starts with and an example.
#[pyfunction]
pub(crate) fn set_examples() -> Vec<(&'static str, &'static str)> {
    spec::sets().iter().map(|set| (set.name, set.example)).collect()
}

/// Every setting of a run, as the library declares it.
#[pyfunction]
pub(crate) fn settings(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let fields = |declared: &Declaration| {
        let fields = PyDict::new(py);
        fields.set_item("name", declared.name)?;
        fields.set_item("parameter", declared.parameter)?;
        fields.set_item("option", declared.option)?;
        fields.set_item("kind", kind(declared.kind))?;
        fields.set_item("default", declared.default)?;
        fields.set_item("rule", declared.rule)?;
        fields.set_item("help", declared.help)?;
        Ok(fields)
    };
    Setting::declarations().iter().map(fields).collect()
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "flag",
        Kind::Words(_) => "words",
        Kind::Count => "count",
        Kind::Number => "number",
        Kind::Time => "time",
        Kind::Memory => "memory",
        _ => "text",
    }
}

/// What a search does unless told otherwise.
#[pyfunction]
pub(crate) fn search_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let defaults = PyDict::new(py);
    defaults.set_item("cv", CrossValidation::FOLDS)?;
    defaults.set_item("scoring", Scoring::default().to_string())?;
    defaults.set_item("choice", Choice::default().to_string())?;
    Ok(defaults)
}

/// The part of each row, of so many, as the library deals them; with labels every part has its share of every class.
#[pyfunction]
#[pyo3(signature = (rows, count, labels, seed))]
pub(crate) fn folds(rows: usize, count: usize, labels: Option<Vec<f64>>, seed: u64) -> PyResult<Vec<usize>> {
    proxdist::selection::folds(rows, count, labels.as_deref(), seed).map_err(|error| exception(&error))
}

/// Every loss: syntax, definition, responses.
#[pyfunction]
pub(crate) fn losses() -> Vec<(String, &'static str, &'static str)> {
    loss::catalogue().iter().map(|loss| (loss.syntax(), loss.definition, loss.task.responses())).collect()
}

/// Every loss: name, task.
#[pyfunction]
pub(crate) fn loss_names() -> Vec<(&'static str, &'static str)> {
    loss::catalogue().iter().map(|loss| (loss.name, loss.task.name())).collect()
}
