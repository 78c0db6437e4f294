//! Blocks of a stream: the library's `Stream`, whose state lives between two calls in an object that can be pickled.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::outcome;
use crate::problem::{self, Options, Request};
use crate::supervise::{Link, supervised};
use numpy::PyArray1;
use proxdist::spec::Names;
use proxdist::stream::{Score, Stream, StreamProblem, StreamSettings, StreamState};
use proxdist::{Data, Setting, Settings, Shape};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Where a stream is.
#[pyclass(module = "proxdist._proxdist", name = "StreamState", frozen)]
pub(crate) struct State {
    /// Empty while a block is learned.
    state: Mutex<Option<StreamState>>,
}

#[pymethods]
impl State {
    /// From the text of a pickle.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let state = serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::holding(state))
    }

    fn __getnewargs__(&self) -> PyResult<(String,)> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let text = serde_json::to_string(&*state).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((text,))
    }
}

impl State {
    fn holding(state: StreamState) -> Self {
        Self { state: Mutex::new(Some(state)) }
    }

    fn take(&self) -> PyResult<StreamState> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        state.ok_or_else(|| PyValueError::new_err("this stream is learning a block in another thread"))
    }

    fn put(&self, state: StreamState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }
}

/// What is asked of a stream beyond the problem and the settings of a run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    /// Where it was after the last block; it then begins where the problem says.
    state: Option<Py<State>>,
    half_life: Option<f64>,
    reservoir: usize,
    /// Rows that the start stands for, and its first penalty.
    rows: u64,
    rho1: Option<f64>,
}

impl Asked {
    fn settings(&self, settings: &Settings) -> StreamSettings {
        StreamSettings::from(settings).half_life(self.half_life).reservoir(self.reservoir)
    }
}

/// Predicts and learns a block.
#[pyfunction]
#[pyo3(signature = (features, per_row, problem, settings, stream))]
pub(crate) fn partial_fit<'py>(
    features: Features<'py>,
    per_row: PerRow<'py>,
    problem: Request,
    settings: Options,
    stream: Asked,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source, numbers) = (features.py(), features.source()?, per_row.numbers()?);
    let settings = problem::settings(&settings)?;
    let notes = without_effect(&settings, stream.reservoir > 0);
    let mut place = stream.state.as_ref().map(|state| state.get().take()).transpose()?;
    let (wanted, link) = (stream.settings(&settings), Link::default());
    let outcome = supervised(py, &link, None, || {
        let data = problem.data(source, numbers).map_err(|error| exception(&error))?;
        let task = task(&problem, data.parameter_shape(), &Names::of_data(&data), &link)?;
        let learner = begun(task, &problem, &stream).resume_from(wanted, &mut place);
        let mut learner = learner.map_err(|error| exception(&error))?;
        let told = match learner.learn_observed(&data, &mut &link) {
            Ok(Some(score)) => Told::of(&learner, score, &data),
            Ok(None) => Err(PyKeyboardInterrupt::new_err(())),
            Err(error) => Err(exception(&error)),
        };
        // After a failure that is the state before the block.
        place = Some(learner.into_state());
        told
    });
    let told = match outcome {
        Ok(told) => told,
        Err(error) => {
            if let (Some(state), Some(before)) = (&stream.state, place) {
                state.get().put(before);
            }
            return Err(error);
        }
    };
    let result = told.dictionary(py)?;
    result.set_item("state", place.map(|state| Bound::new(py, State::holding(state))).transpose()?)?;
    result.set_item("notes", notes)?;
    Ok(result)
}

/// Fits the sample of a stream exactly; the stream stays where it is.
#[pyfunction]
#[pyo3(signature = (columns, problem, settings, stream))]
pub(crate) fn finish_stream(
    py: Python<'_>,
    columns: usize,
    problem: Request,
    settings: Options,
    stream: Asked,
) -> PyResult<Bound<'_, PyDict>> {
    let settings = problem::settings(&settings)?;
    let Some(state) = &stream.state else { return Err(PyValueError::new_err("there is no stream to finish")) };
    let (wanted, link, mut place) = (stream.settings(&settings), Link::default(), Some(state.get().take()?));
    let outcome = supervised(py, &link, None, || {
        let started = Instant::now();
        let shape = match problem.shape {
            Some((rows, columns)) => Shape::Matrix { rows, columns },
            None => Shape::Vector(columns),
        };
        let names = match (&problem.names, shape) {
            (Some(names), Shape::Vector(_)) => Names::of(names),
            _ => Names::of_shape(shape),
        };
        let learner = task(&problem, shape, &names, &link)?.resume_from(wanted, &mut place);
        let learner = learner.map_err(|error| exception(&error))?;
        let finished = learner.finish_observed(&settings, &mut &link).map_err(|error| exception(&error));
        place = Some(learner.into_state());
        Ok((finished?, started.elapsed().as_secs_f64()))
    });
    if let Some(before) = place {
        state.get().put(before);
    }
    let (finished, seconds) = outcome?;
    let result = outcome::of_fit(py, &finished.fit, &finished.units, seconds)?;
    // The same with what it says about the rows it is about.
    result.update(outcome::of_model(py, &finished.model)?.as_mapping())?;
    result.set_item("interrupted", link.is_interrupted())?;
    result.set_item("notes", problem::without_effect(finished.fit.notes()))?;
    result.set_item("rows", finished.model.streamed.map_or(0, |streamed| streamed.measured_rows))?;
    Ok(result)
}

/// The problem of a stream.
fn task<'a>(problem: &Request, shape: Shape, names: &Names, link: &'a Link) -> PyResult<StreamProblem<'a>> {
    let set = problem.constraint.set(shape, names, link)?;
    let task = StreamProblem::new(problem.loss.loss(problem.classes, link)?, set, shape)
        .ridge(problem.ridge)
        .intercept(problem.intercept)
        .standardize(problem.standardize());
    Ok(match &problem.names {
        Some(names) => task.names(names.clone()),
        None => task,
    })
}

/// The same with the start that was given.
fn begun<'a>(task: StreamProblem<'a>, problem: &Request, stream: &Asked) -> StreamProblem<'a> {
    match &problem.start {
        None => task,
        Some((coefficients, intercept)) => {
            task.start(coefficients.clone(), *intercept, stream.rows).start_rho1(stream.rho1)
        }
    }
}

/// Parameters that mean something to a whole fit only.
fn without_effect(settings: &Settings, finishes: bool) -> Vec<(&'static str, &'static str)> {
    let reason = "partial_fit takes steps of the proximal distance iteration on its block, and does nothing else";
    let given = Setting::declarations().iter().filter(|declared| settings.is_given(declared.setting));
    let idle = given.filter(|declared| !StreamSettings::uses(declared.setting, finishes));
    idle.map(|declared| (declared.parameter, reason)).collect()
}

/// What a block has left, free of the interpreter.
struct Told {
    coefficients: Vec<f64>,
    intercept: Option<f64>,
    objective: f64,
    rho1: Option<f64>,
    is_scaled: bool,
    steps: u64,
    rows: u64,
    effective_rows: f64,
    rho: Option<f64>,
    is_decided: bool,
    sample_rows: usize,
    beyond: u64,
    /// Of the block, of all rows, of recent ones.
    scores: [Score; 3],
}

impl Told {
    fn of(stream: &Stream, block: Score, data: &Data) -> PyResult<Self> {
        let progressive = stream.progressive();
        Ok(Self {
            coefficients: stream.coefficients().to_vec(),
            intercept: stream.intercept(),
            objective: stream.objective_on(data).map_err(|error| exception(&error))?,
            rho1: stream.rho1(),
            is_scaled: stream.is_scaled(),
            steps: stream.steps(),
            rows: stream.rows(),
            effective_rows: stream.effective_rows(),
            rho: stream.rho(),
            is_decided: stream.is_decided(),
            sample_rows: stream.sample_rows(),
            beyond: progressive.beyond,
            scores: [block, progressive.running, progressive.recent],
        })
    }

    fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let result = PyDict::new(py);
        result.set_item("coef", PyArray1::from_slice(py, &self.coefficients))?;
        result.set_item("intercept", self.intercept)?;
        result.set_item("objective", self.objective)?;
        result.set_item("rho1", self.rho1)?;
        result.set_item("standardized", self.is_scaled)?;
        result.set_item("step", self.steps)?;
        let stream = PyDict::new(py);
        stream.set_item("rows", self.rows)?;
        stream.set_item("effective_rows", self.effective_rows)?;
        stream.set_item("rho", self.rho)?;
        stream.set_item("rho1_is_final", self.is_decided)?;
        stream.set_item("sample_rows", self.sample_rows)?;
        stream.set_item("rows_beyond_numbers", self.beyond)?;
        for (name, score) in ["block", "running", "recent"].into_iter().zip(&self.scores) {
            let scores = PyDict::new(py);
            scores.set_item("loss", score.loss())?;
            scores.set_item("accuracy", score.accuracy())?;
            scores.set_item("r_squared", score.r_squared())?;
            stream.set_item(name, scores)?;
        }
        result.set_item("stream", stream)?;
        Ok(result)
    }
}
