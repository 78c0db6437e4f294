//! Steps on one block of a stream.
//!
//! A stream is a sequence of blocks that are seen once. The state between them is the iterate $\theta$, the number of steps $k$ taken so
//! far and $\rho_1$; a block of $n$ rows gets $\lceil n/b \rceil$ more steps of the iteration with $\rho_k = \rho_1k^\gamma$ going on, and the model is
//! $P_C(\theta)$. If $\rho_1$ is not given, the race on the first block chooses it. Columns are taken as they are.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::problem::{self, Options, Request};
use crate::supervise::{Link, supervised};
use numpy::PyArray1;
use proxdist::constraint::Workspace;
use proxdist::prox::Prox;
use proxdist::sampling::Sampler;
use proxdist::schedule::{Growth, Polynomial};
use proxdist::solver::{DistanceStep, ProximalDistance, Solver as _};
use proxdist::spec::Names;
use proxdist::{Method, Problem, Result, Setting, Settings};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Where the stream is.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct State {
    /// Coefficients, then the intercept if there is one; need not lie in the set.
    theta: Vec<f64>,
    step: u64,
    rho1: Option<f64>,
}

/// The same once the first penalty is known.
struct Begun {
    theta: Vec<f64>,
    step: u64,
    rho1: f64,
}

/// Rows a step unless told otherwise, as in a fit.
const USUAL_BATCH: usize = 64;
/// Steps after which a race is decided.
const RACE: u64 = 140;

/// Takes the steps that belong to a block.
#[pyfunction]
#[pyo3(signature = (features, per_row, problem, settings, state))]
pub(crate) fn partial_fit<'py>(
    features: Features<'py>,
    per_row: PerRow<'py>,
    problem: Request,
    settings: Options,
    state: Option<State>,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source, numbers) = (features.py(), features.source()?, per_row.numbers()?);
    let settings = problem::settings(&settings)?;
    let link = Link::default();
    let (state, (coefficients, intercept), objective) = supervised(py, &link, None, || {
        let data = problem.data(source, numbers).map_err(|error| exception(&error))?;
        let set = problem.constraint.set(data.parameter_shape(), &Names::of_data(&data), &link)?;
        let loss = problem.loss.loss(problem.classes, &link)?;
        let task = Problem::new(&data, &*loss, &*set).ridge(problem.ridge).intercept(problem.intercept);
        let state = match (state, settings.rho1_value()) {
            (Some(State { theta, step, rho1: Some(rho1) }), _) => Begun { theta, step, rho1 },
            (state, Some(rho1)) => {
                let theta = state.map_or_else(|| task.layout().zeros(), |state| state.theta);
                Begun { theta, step: 0, rho1 }
            }
            (state, None) => raced(state.map(|state| state.theta), &task, &settings, &link)?,
        };
        let (state, point, objective) = advanced(state, &task, &settings, &link).map_err(|error| exception(&error))?;
        Ok((state, task.layout().into_parts(point), objective))
    })?;
    let result = PyDict::new(py);
    result.set_item("coef", PyArray1::from_slice(py, &coefficients))?;
    result.set_item("intercept", intercept)?;
    result.set_item("objective", objective)?;
    result.set_item("theta", PyArray1::from_slice(py, &state.theta))?;
    result.set_item("step", state.step)?;
    result.set_item("rho1", state.rho1)?;
    result.set_item("interrupted", link.is_interrupted())?;
    result.set_item("notes", without_effect(&settings))?;
    Ok(result)
}

/// Parameters that mean something to a whole fit only.
fn without_effect(settings: &Settings) -> Vec<(&'static str, &'static str)> {
    use Setting as S;
    let is_used = |setting| matches!(setting, S::Rho1 | S::Gamma | S::BatchSize | S::Sampling | S::Seed | S::Threads);
    let reason = "partial_fit takes steps of the proximal distance iteration on its block, and does nothing else";
    let given = Setting::declarations().iter().filter(|declared| settings.is_given(declared.setting));
    given.filter(|declared| !is_used(declared.setting)).map(|declared| (declared.parameter, reason)).collect()
}

/// The state after the race for the first penalty, from zero or where an earlier fit ended.
fn raced(from: Option<Vec<f64>>, task: &Problem, settings: &Settings, link: &Link) -> PyResult<Begun> {
    let layout = task.layout();
    let wanted = settings.clone().method(Method::default()).growth(Growth::default()).polish(false).max_steps(RACE);
    let wanted = match settings.batch_size_value() {
        Some(size) => wanted.batch_size(size.clamp(1, task.data().rows())),
        None => wanted,
    };
    let wanted = match from {
        Some(theta) if theta.len() >= layout.coefficient_count() => {
            let (coefficients, intercept) = layout.into_parts(theta);
            wanted.start(coefficients, intercept.unwrap_or(0.0))
        }
        _ => wanted,
    };
    let fit = task.fit_observed(&wanted, &mut &*link).map_err(|error| exception(&error))?;
    let theta = fit.coefficients().iter().copied().chain(fit.intercept()).collect();
    let rho1 = fit.rho1().unwrap_or(1.0);
    Ok(Begun { theta, step: fit.steps(), rho1 })
}

/// The state after the block, the point of the set that belongs to it, and F there on the block.
fn advanced(state: Begun, task: &Problem, settings: &Settings, link: &Link) -> Result<(Begun, Vec<f64>, f64)> {
    let (data, set) = (task.data(), task.constraint());
    let rows = data.rows();
    let size = settings.batch_size_value().unwrap_or(USUAL_BATCH).clamp(1, rows);
    let sampler = Sampler::new(settings.sampling_value(), rows, size, settings.seed_value());
    let size = sampler.batch_size();
    let schedule = Polynomial::new(state.rho1, settings.gamma_value())?;
    let prox = Prox::new(task.loss()).ridge(task.ridge_term()).intercept(task.has_intercept());
    let solver = ProximalDistance::of(DistanceStep::new(set, Box::new(prox)), data, &schedule, sampler, state.theta)?;
    let mut solver = solver.resumed_at(state.step);
    for _ in 0..rows.div_ceil(size) {
        solver.advance()?;
        if link.is_over() {
            break;
        }
    }
    let theta = solver.theta().to_vec();
    let mut point = theta.clone();
    set.project(task.layout().coefficients_mut(&mut point), &mut Workspace::default())?;
    let objective = task.objective().value(&point)?;
    Ok((Begun { theta, step: solver.step(), rho1: state.rho1 }, point, objective))
}
