//! Steps on one block of a stream.
//!
//! A stream is a sequence of blocks that are seen once. The state between them is the iterate $\theta$, the number of steps $k$ taken so
//! far and $\rho_1$; a block of $n$ rows gets $\lceil n/b \rceil$ more steps of the iteration with $\rho_k = \rho_1k^\gamma$ going on, and the model is
//! $P_C(\theta)$. If $\rho_1$ is not given, the race on the first block chooses it. Columns are taken as they are.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::outcome;
use crate::problem::{Asked, Wishes};
use crate::supervise::{Desk, supervised};
use numpy::PyArray1;
use proxdist::constraint::{Constraint, Workspace};
use proxdist::loss::Loss;
use proxdist::objective::Objective;
use proxdist::prox::Prox;
use proxdist::sampling::{Sampler, Sampling};
use proxdist::schedule::Polynomial;
use proxdist::solver::{ProximalDistance, Solver as _};
use proxdist::{Data, Problem, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Where the stream is.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct State {
    /// Coefficients, then the intercept if there is one; need not lie in the set.
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
    py: Python<'py>,
    features: Features<'py>,
    per_row: PerRow<'py>,
    problem: Asked,
    settings: Wishes,
    state: Option<State>,
) -> PyResult<Bound<'py, PyDict>> {
    let (source, numbers) = (features.source()?, per_row.numbers()?);
    let desk = Desk::default();
    let (state, point, objective) = supervised(py, &desk, None, || {
        let data = problem.data(source, numbers).map_err(|error| exception(&error))?;
        let set = problem.constraint.set(data.parameter_shape(), &desk)?;
        let loss = problem.loss.loss(problem.classes, &desk)?;
        let state = match (state, settings.rho1) {
            (Some(state), _) => state,
            (None, Some(rho1)) => {
                State { theta: vec![0.0; data.columns() + usize::from(problem.intercept)], step: 0, rho1 }
            }
            (None, None) => raced(&data, &*loss, &*set, &problem, &settings, &desk)?,
        };
        let advanced = advanced(state, &data, &*loss, &*set, &problem, &settings, &desk);
        advanced.map_err(|error| exception(&error))
    })?;
    let (coefficients, intercept) = point.split_at(point.len() - usize::from(problem.intercept));
    let result = PyDict::new(py);
    result.set_item("coef", PyArray1::from_slice(py, coefficients))?;
    result.set_item("intercept", intercept.first().copied())?;
    result.set_item("objective", objective)?;
    result.set_item("theta", PyArray1::from_slice(py, &state.theta))?;
    result.set_item("step", state.step)?;
    result.set_item("rho1", state.rho1)?;
    result.set_item("interrupted", desk.is_interrupted())?;
    Ok(result)
}

/// The state after the race for the first penalty.
fn raced(
    data: &Data,
    loss: &dyn Loss,
    set: &dyn Constraint,
    problem: &Asked,
    settings: &Wishes,
    desk: &Desk,
) -> PyResult<State> {
    let size = settings.batch_size.map(|size| size.clamp(1, data.rows()));
    let wanted = Wishes { batch_size: size, ..settings.clone() }.settings()?.polish(false).max_steps(RACE);
    let task = Problem::new(data, loss, set).ridge(problem.ridge).intercept(problem.intercept);
    let fit = task.fit_observed(&wanted, &mut &*desk).map_err(|error| exception(&error))?;
    let mut theta = fit.coefficients().to_vec();
    theta.extend(fit.intercept());
    let rho1 = fit.rho1().unwrap_or(1.0);
    Ok(State { theta, step: fit.steps(), rho1 })
}

/// The state after the block, the point of the set that belongs to it, and F there on the block.
fn advanced(
    state: State,
    data: &Data,
    loss: &dyn Loss,
    set: &dyn Constraint,
    problem: &Asked,
    settings: &Wishes,
    desk: &Desk,
) -> Result<(State, Vec<f64>, f64)> {
    let rows = data.rows();
    let size = settings.batch_size.unwrap_or(USUAL_BATCH).clamp(1, rows);
    let sampler = Sampler::new(Sampling::WithoutReplacement, rows, size, settings.seed);
    let schedule = Polynomial::new(state.rho1, settings.gamma)?;
    let prox = Prox::new(loss).ridge(problem.ridge).intercept(problem.intercept);
    let solver = ProximalDistance::new(data, set, Box::new(prox), &schedule, sampler, state.theta)?;
    let mut solver = solver.resumed_at(state.step);
    for _ in 0..rows.div_ceil(size) {
        solver.advance()?;
        if desk.is_over() {
            break;
        }
    }
    let theta = solver.theta().to_vec();
    let mut point = theta.clone();
    set.project(&mut point[..data.columns()], &mut Workspace::default())?;
    let objective = Objective::new(data, loss, problem.ridge).value(&point)?;
    Ok((State { theta, step: solver.step(), rho1: state.rho1 }, point, objective))
}
