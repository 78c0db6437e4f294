//! One fit.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::outcome;
use crate::problem::{self, Options, Request};
use crate::supervise::{Link, supervised};
use proxdist::spec::Names;
use proxdist::{Preparation, Problem};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;

/// Fits; the arrays are borrowed and the interpreter is free meanwhile.
#[pyfunction]
#[pyo3(signature = (features, per_row, problem, settings, progress=None))]
pub(crate) fn fit<'py>(
    features: Features<'py>,
    per_row: PerRow<'py>,
    problem: Request,
    settings: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source, numbers) = (features.py(), features.source()?, per_row.numbers()?);
    let settings = problem::settings(&settings)?;
    let link = Link::default();
    let (fit, units, seconds) = supervised(py, &link, progress, || {
        let started = Instant::now();
        let data = problem.data(source, numbers).map_err(|error| exception(&error))?;
        let set = problem.constraint.set(data.parameter_shape(), &Names::of_data(&data), &link)?;
        let prepared = Preparation::decide(problem.standardize(), [&*set], problem.intercept)
            .and_then(|preparation| preparation.units(&data, problem.ridge))
            .and_then(|units| Ok((units.apply(data)?, units)));
        let (data, units) = prepared.map_err(|error| exception(&error))?;
        let settings = units.started(problem.started(settings));
        let fit = Problem::new(&data, problem.loss.loss(problem.classes, &link)?, set)
            .ridge(units.ridge(problem.ridge))
            .intercept(problem.intercept)
            .fit_observed(&settings, &mut &link)
            .map_err(|error| exception(&error))?;
        Ok((fit, units, started.elapsed().as_secs_f64()))
    })?;
    let result = outcome::of_fit(py, &fit, &units, seconds)?;
    result.set_item("interrupted", link.is_interrupted())?;
    result.set_item("notes", problem::without_effect(fit.notes()))?;
    Ok(result)
}
