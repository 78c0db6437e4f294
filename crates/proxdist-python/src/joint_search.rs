//! Cross-validation and paths of times until an event and of ordered labels.

use crate::data::Features;
use crate::error::exception;
use crate::held_out::HeldOut;
use crate::joint::{JointRequest, JointRows, finished};
use crate::problem::{self, Options};
use crate::select::table;
use crate::supervise::{Link, supervised};
use proxdist::joint::{JointPath, JointSelection, JointValidation};
use proxdist::path::Criterion;
use proxdist::selection::{Choice, Grid};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::time::Instant;

/// What a search is told besides the problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct JointPlan {
    /// One axis a text.
    axes: Vec<String>,
    /// Without folds the choice is by a criterion.
    held_out: HeldOut,
    choice: String,
    /// `aic`, `bic` or `ebic`, where nothing is held out.
    criterion: Option<String>,
}

/// A path, and the scores of its points where some rows were held out.
enum Found {
    Path(JointPath),
    Scored(Box<JointSelection>),
}

fn criterion(name: &str) -> PyResult<Criterion> {
    match name {
        "aic" => Ok(Criterion::Akaike),
        "bic" => Ok(Criterion::Bayes),
        "ebic" => Ok(Criterion::ExtendedBayes { gamma: 1.0 }),
        other => Err(PyValueError::new_err(format!("the criteria are aic, bic and ebic, got {other:?}"))),
    }
}

/// Fits every point of the grid to all rows, on every fold too if there are some, and hands over the chosen one.
#[pyfunction]
pub(crate) fn select_joint<'py>(
    features: Features<'py>,
    rows: JointRows<'py>,
    problem: JointRequest,
    settings: Options,
    plan: JointPlan,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source) = (features.py(), features.source()?);
    let (times, response) = (rows.times()?, rows.response()?);
    let settings = problem::settings(&settings)?;
    let seed = settings.seed_value();
    let grid = Grid::parse(&plan.axes).map_err(|error| exception(&error))?;
    let scoring = plan.held_out.scoring()?;
    let choice: Choice = plan.choice.parse().map_err(|error| exception(&error))?;
    let by = plan.criterion.as_deref().map(criterion).transpose()?;
    let Some(spec) = problem.constraint.spec()? else {
        return Err(PyValueError::new_err("a search needs a set with a name, such as \"nonneg\""));
    };
    let (ties, standardize) = (problem.ties()?, problem.standardize());
    let link = Link::default();
    let (found, seconds) = supervised(py, &link, None, || {
        let told = |error: proxdist::Error| exception(&error);
        let started = Instant::now();
        let none = vec![0.0; source.rows()];
        let data = rows.data(source, &none, &problem)?;
        let validation = match &times {
            Some(times) => {
                JointValidation::cox(&data, &times.view().map_err(told)?, ties).strata(problem.levels.clone())
            }
            None => JointValidation::ordinal(&data, response, problem.levels.iter().cloned()),
        };
        let validation = validation
            .constraint(spec)
            .ridge(problem.ridge)
            .standardize(standardize)
            .folds(plan.held_out.folds)
            .seed(seed)
            .scoring(scoring)
            .choice(choice);
        let validation = match plan.held_out.splits() {
            Some(splits) => validation.splits(splits),
            None => validation,
        };
        let found = if by.is_some() {
            match validation.trace_watched(&grid, &settings, &&link).map_err(told)? {
                ControlFlow::Continue(path) => Some(Found::Path(path)),
                ControlFlow::Break(()) => None,
            }
        } else {
            match validation.run_watched(&grid, &settings, &&link).map_err(told)? {
                ControlFlow::Continue(selection) => Some(Found::Scored(Box::new(selection))),
                ControlFlow::Break(()) => None,
            }
        };
        let found = found.ok_or_else(|| PyKeyboardInterrupt::new_err(()))?;
        Ok((found, started.elapsed().as_secs_f64()))
    })?;
    let (path, chosen) = match (&found, by) {
        (Found::Path(path), Some(by)) => (path, path.least(by).map_err(|error| exception(&error))?),
        (Found::Path(path), None) => (path, 0),
        (Found::Scored(selection), _) => (&selection.path, selection.chosen),
    };
    let result = finished(py, &path.points[chosen].fit, &path.units, seconds)?;
    result.set_item("interrupted", link.is_interrupted())?;
    result.set_item("path", of_path(py, path, chosen)?)?;
    let search = match &found {
        Found::Scored(selection) => {
            let places = (selection.best, selection.one_standard_error, selection.chosen);
            Some(table(py, &selection.table, places)?)
        }
        Found::Path(_) => None,
    };
    result.set_item("search", search)?;
    Ok(result)
}

/// The fits of all points, in the units of the data.
fn of_path<'py>(py: Python<'py>, path: &JointPath, chosen: usize) -> PyResult<Bound<'py, PyDict>> {
    let told = |error: proxdist::Error| exception(&error);
    let points = &path.points;
    let found = PyDict::new(py);
    found.set_item("point", points.iter().map(|point| point.point.to_string()).collect::<Vec<_>>())?;
    found.set_item("constraint", points.iter().map(|point| point.point.constraint.to_string()).collect::<Vec<_>>())?;
    found.set_item("ridge", points.iter().map(|point| point.point.ridge).collect::<Vec<_>>())?;
    found.set_item("objective", points.iter().map(|point| point.fit.objective()).collect::<Vec<_>>())?;
    found.set_item("deviance", points.iter().map(|point| point.deviance).collect::<Vec<_>>())?;
    found.set_item("separated", points.iter().map(|point| !point.fit.undetermined().is_empty()).collect::<Vec<_>>())?;
    let restored = |point: &proxdist::joint::JointPathPoint| point.fit.model().restored(&path.units);
    let models = points.iter().map(restored).collect::<proxdist::Result<Vec<_>>>().map_err(told)?;
    found.set_item("coefs", models.iter().map(|model| model.coefficients.clone()).collect::<Vec<_>>())?;
    for name in ["aic", "bic", "ebic"] {
        found.set_item(name, path.criterion(criterion(name)?).map_err(told)?)?;
    }
    found.set_item("count", path.count)?;
    found.set_item("chosen", chosen)?;
    Ok(found)
}
