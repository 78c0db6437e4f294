//! Fits of several outputs: classes, or responses side by side.

use crate::data::Features;
use crate::error::exception;
use crate::held_out::HeldOut;
use crate::outcome;
use crate::problem::{self, Named, Options};
use crate::select;
use crate::supervise::{Link, supervised};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use proxdist::data::ChunkSource;
use proxdist::outputs::{OutputLoss, OutputsModel, OutputsProblem, OutputsValidation, Responses};
use proxdist::selection::{Choice, Grid};
use proxdist::{Data, Note, Preparation, Result, Setting, Standardize};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
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
    /// The column that each feature comes from.
    origins: Option<Vec<usize>>,
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
    /// A known part of each predictor, a number for each row and output.
    offset: Option<PyReadonlyArray2<'py, f64>>,
}

/// The same, borrowed.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    responses: &'a [f64],
    each: usize,
    weights: Option<&'a [f64]>,
    offset: Option<&'a [f64]>,
}

impl OutputRows<'_> {
    fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(Numbers {
            responses: self.responses.as_slice()?,
            each: self.responses.shape()[1],
            weights: self.weights.as_ref().map(|weights| weights.as_slice()).transpose()?,
            offset: self.offset.as_ref().map(|offset| offset.as_slice()).transpose()?,
        })
    }
}

impl<'a> Numbers<'a> {
    /// For the library.
    fn told(self, loss: OutputLoss, count: usize) -> Responses<'a> {
        let told = if loss.is_classification() {
            Responses::classes(self.responses, count)
        } else {
            Responses::numbers(self.responses, count)
        };
        match self.offset {
            Some(offset) => told.offset(offset),
            None => told,
        }
    }
}

impl OutputsRequest {
    fn standardize(&self) -> Standardize {
        match self.standardize {
            None => Standardize::Auto,
            Some(true) => Standardize::Always,
            Some(false) => Standardize::Never,
        }
    }

    /// The loss, if rows have as many numbers as it needs.
    fn loss(&self, each: usize) -> PyResult<OutputLoss> {
        let loss = OutputLoss::parse(&self.loss).map_err(|error| exception(&error))?;
        let count = self.outputs.len();
        if each == loss.responses(count) {
            return Ok(loss);
        }
        Err(PyValueError::new_err(format!("{each} responses a row, but {count} outputs")))
    }

    /// The data, whose own response nobody looks at.
    fn data<'a>(&self, source: Box<dyn ChunkSource + 'a>, none: &'a [f64], numbers: Numbers<'a>) -> Result<Data<'a>> {
        let mut data = Data::new(source, none)?;
        if let Some(weights) = numbers.weights {
            data = data.weights(weights)?;
        }
        if let Some(names) = &self.names {
            data = data.names(names.iter().cloned())?;
        }
        match &self.origins {
            Some(origins) => data.origins(origins.clone()),
            None => Ok(data),
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
    let (numbers, count) = (rows.numbers()?, problem.outputs.len());
    let (loss, settings) = (problem.loss(numbers.each)?, problem::settings(&settings)?);
    let link = Link::default();
    let (fit, units, seconds) = supervised(py, &link, progress, || {
        let started = Instant::now();
        let told = |error: proxdist::Error| exception(&error);
        let none = vec![0.0; source.rows()];
        let data = problem.data(source, &none, numbers).map_err(told)?;
        let set = problem.constraint.set_of_outputs(&data, &problem.outputs, problem.is_shared, &link)?;
        let units = Preparation::decide(problem.standardize(), [&*set], problem.intercept)
            .and_then(|preparation| preparation.units(&data, problem.ridge))
            .map_err(told)?;
        let mut settings = settings;
        if let Some(start) = &problem.start {
            settings = settings.start(units.scaled_columns(start, count), 0.0);
        }
        let data = units.apply(data).map_err(told)?;
        let fit = OutputsProblem::new(&data, numbers.told(loss, count), loss, set)
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

/// What a search is told besides the problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct OutputsPlan {
    /// One axis a text, as in `rows:5,10,20`.
    axes: Vec<String>,
    held_out: HeldOut,
    choice: String,
    /// Who is told how far it is.
    progress: Option<Py<PyAny>>,
}

/// Tries every point of the grid on every fold and fits the chosen one to all rows.
#[pyfunction]
#[pyo3(signature = (features, rows, problem, settings, plan))]
pub(crate) fn select_outputs<'py>(
    features: Features<'py>,
    rows: OutputRows<'py>,
    problem: OutputsRequest,
    settings: Options,
    plan: OutputsPlan,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source) = (features.py(), features.source()?);
    let (numbers, count) = (rows.numbers()?, problem.outputs.len());
    let (loss, mut settings) = (problem.loss(numbers.each)?, problem::settings(&settings)?);
    let (seed, scoring) = (settings.seed_value(), plan.held_out.scoring()?);
    let grid = Grid::parse(&plan.axes).map_err(|error| exception(&error))?;
    let choice: Choice = plan.choice.parse().map_err(|error| exception(&error))?;
    let Some(spec) = problem.constraint.spec()? else {
        return Err(PyValueError::new_err("a search needs a set with a name; its parameter is what is chosen"));
    };
    let spec = if problem.is_shared { proxdist::outputs::shared(spec) } else { spec };
    if let Some(start) = &problem.start {
        settings = settings.start(start.clone(), 0.0);
    }
    let link = Link::default();
    let (selection, seconds) = supervised(py, &link, plan.progress, || {
        let failed = |error| exception(&error);
        let started = Instant::now();
        let none = vec![0.0; source.rows()];
        let data = problem.data(source, &none, numbers).map_err(failed)?;
        let scorer = plan.held_out.scorer(&link);
        let search = OutputsValidation::new(&data, numbers.told(loss, count), loss, problem.outputs.iter().cloned())
            .constraint(spec)
            .ridge(problem.ridge)
            .intercept(problem.intercept)
            .standardize(problem.standardize())
            .folds(plan.held_out.folds)
            .seed(seed)
            .scoring(scoring)
            .choice(choice);
        let search = match plan.held_out.splits() {
            Some(splits) => search.splits(splits),
            None => search,
        };
        let search = match &scorer {
            Some(scorer) => search.scored_by(scorer),
            None => search,
        };
        match search.run_watched(&grid, &settings, &&link).map_err(failed)? {
            ControlFlow::Continue(selection) => Ok((selection, started.elapsed().as_secs_f64())),
            ControlFlow::Break(()) => Err(PyKeyboardInterrupt::new_err(())),
        }
    })?;
    let model = selection.fit.model().restored(&selection.units).map_err(|error| exception(&error))?;
    let result = of_model(py, &model)?;
    result.set_item("trace", outcome::trace(py, selection.fit.trace())?)?;
    result.set_item("standardized", selection.units.is_scaled())?;
    result.set_item("seconds", seconds)?;
    result.set_item("interrupted", link.is_interrupted())?;
    // The seed deals the rows, too.
    let notes: Vec<Note> = selection.notes.iter().filter(|note| note.setting != Setting::Seed).copied().collect();
    result.set_item("notes", problem::without_effect(&notes))?;
    let places = (selection.best, selection.one_standard_error, selection.chosen);
    result.set_item("search", select::table(py, &selection.table, places)?)?;
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
    let separation = model.separation();
    result.set_item("separation", separation.is_there().then(|| separation.to_string()))?;
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
