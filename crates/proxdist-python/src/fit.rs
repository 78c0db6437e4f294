//! One fit.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::outcome;
use crate::problem::{Asked, Wishes};
use crate::supervise::{Desk, supervised};
use proxdist::Problem;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;

/// Fits; the arrays are borrowed and the interpreter is free meanwhile.
#[pyfunction]
#[pyo3(signature = (features, per_row, problem, settings, progress=None))]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    features: Features<'py>,
    per_row: PerRow<'py>,
    problem: Asked,
    settings: Wishes,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (source, numbers) = (features.source()?, per_row.numbers()?);
    let settings = settings.settings()?;
    let desk = Desk::default();
    let (fit, scaling, seconds) = supervised(py, &desk, progress, || {
        let started = Instant::now();
        let data = problem.data(source, numbers).map_err(|error| exception(&error))?;
        let set = problem.constraint.set(data.parameter_shape(), &desk)?;
        let (data, scaling) = problem.scaled(data, &[&*set]).map_err(|error| exception(&error))?;
        let settings = problem.started(settings, scaling.as_ref());
        let task = Problem::new(&data, problem.loss.loss(problem.classes, &desk)?, set)
            .ridge(problem.ridge)
            .intercept(problem.intercept);
        let fit = task.fit_observed(&settings, &mut &desk).map_err(|error| exception(&error))?;
        Ok((fit, scaling, started.elapsed().as_secs_f64()))
    })?;
    let result = outcome::of_fit(py, &fit, scaling.as_ref(), seconds)?;
    result.set_item("interrupted", desk.is_interrupted())?;
    Ok(result)
}
