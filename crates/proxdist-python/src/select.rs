//! Cross-validation over a grid, and the fit of the point it chooses.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::held_out::HeldOut;
use crate::outcome;
use crate::problem::{self, Options, Request};
use crate::supervise::{Link, Search, supervised};
use proxdist::selection::{Choice, CrossValidation, Finished, Grid, Table, Watch};
use proxdist::{Note, Setting};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::time::Instant;

/// What a search is told besides the problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    /// One axis a text, as in `sparsity:5,10,20`.
    axes: Vec<String>,
    held_out: HeldOut,
    choice: String,
    /// Who is told how far it is.
    progress: Option<Py<PyAny>>,
}

impl Watch for &Link {
    type Reason = ();

    fn finished(&self, finished: &Finished) -> ControlFlow<()> {
        let Finished { done, total, score, point, .. } = finished;
        self.tell(Search { done: *done, total: *total, label: point.to_string(), score: *score });
        self.poll()
    }

    fn poll(&self) -> ControlFlow<()> {
        if self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Tries every point of the grid on every fold and fits the chosen one to all rows.
#[pyfunction]
#[pyo3(signature = (features, per_row, problem, settings, plan))]
pub(crate) fn select<'py>(
    features: Features<'py>,
    per_row: PerRow<'py>,
    problem: Request,
    settings: Options,
    plan: Plan,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source, numbers) = (features.py(), features.source()?, per_row.numbers()?);
    let settings = problem::settings(&settings)?;
    let seed = settings.seed_value();
    let grid = Grid::parse(&plan.axes).map_err(|error| exception(&error))?;
    let scoring = plan.held_out.scoring()?;
    let choice: Choice = plan.choice.parse().map_err(|error| exception(&error))?;
    let Some(spec) = problem.constraint.spec()? else {
        return Err(PyValueError::new_err(
            "a search needs a set with a name, such as \"nonneg\"; its parameter is what is chosen",
        ));
    };
    let link = Link::default();
    let (selection, seconds) = supervised(py, &link, plan.progress, || {
        let failed = |error| exception(&error);
        let started = Instant::now();
        let data = problem.data(source, numbers).map_err(failed)?;
        let settings = problem.started(settings);
        let scorer = plan.held_out.scorer(&link);
        let search = CrossValidation::new(&data, problem.loss.loss(problem.classes, &link)?, spec)
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
    let result = outcome::of_fit(py, &selection.fit, &selection.units, seconds)?;
    result.set_item("interrupted", link.is_interrupted())?;
    // The seed deals the rows, too.
    let notes: Vec<Note> = selection.notes.iter().filter(|note| note.setting != Setting::Seed).copied().collect();
    result.set_item("notes", problem::without_effect(&notes))?;
    let places = (selection.best, selection.one_standard_error, selection.chosen);
    result.set_item("search", table(py, &selection.table, places)?)?;
    Ok(result)
}

/// The scores of all points, with the places of the best, the simplest within one standard error, and the chosen one.
pub(crate) fn table<'py>(
    py: Python<'py>,
    found: &Table,
    (best, one_standard_error, chosen): (usize, usize, usize),
) -> PyResult<Bound<'py, PyDict>> {
    let scores = &found.scores;
    let table = PyDict::new(py);
    table.set_item("point", scores.iter().map(|score| score.point.to_string()).collect::<Vec<_>>())?;
    table.set_item("constraint", scores.iter().map(|score| score.point.constraint.to_string()).collect::<Vec<_>>())?;
    table.set_item("ridge", scores.iter().map(|score| score.point.ridge).collect::<Vec<_>>())?;
    table.set_item("mean", scores.iter().map(|score| score.mean).collect::<Vec<_>>())?;
    table.set_item("standard_error", scores.iter().map(|score| score.standard_error).collect::<Vec<_>>())?;
    table.set_item("folds", scores.iter().map(|score| score.folds.clone()).collect::<Vec<_>>())?;
    table.set_item("converged", scores.iter().map(|score| score.converged).collect::<Vec<_>>())?;
    table.set_item("best", best)?;
    table.set_item("one_standard_error", one_standard_error)?;
    table.set_item("chosen", chosen)?;
    table.set_item("scoring", found.scoring.to_string())?;
    table.set_item("larger_is_better", found.scoring.larger_is_better())?;
    Ok(table)
}
