//! The library's driver on partitions that Python reaches: rows stay where they are, requests go there and answers come back.

use crate::error::exception;
use crate::outcome;
use crate::partials;
use crate::problem::{self, Options, Request as Problem};
use crate::supervise::{Link, supervised};
use proxdist::large::{Backend, LargeProblem, Partial, Request, Screening, Take};
use proxdist::loss::Loss;
use proxdist::spec::Names;
use proxdist::{Error, Note, Result, Setting, Shape};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;

/// Partitions, and how they are asked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Partitions {
    /// From a request, as text, to the answers of the partitions in their order.
    ask: Py<PyAny>,
    /// Called when the fit is to end, so that a call at work may end too.
    stop: Py<PyAny>,
    parts: usize,
    columns: usize,
    rows: u64,
}

/// The end that the driver sees.
struct Asked<'a> {
    partitions: &'a Partitions,
    link: &'a Link,
}

impl Asked<'_> {
    fn ask(&self, request: &Request, take: &mut Take<'_>) -> PyResult<()> {
        let text = serde_json::to_string(request).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Python::attach(|py| {
            let answers = self.partitions.ask.bind(py).call1((text,))?;
            let mut count = 0;
            for answer in answers.try_iter()? {
                let partial = partials::from_python(&answer?)?;
                count += 1;
                // Sums are added without the interpreter.
                if py.detach(|| take(partial)).is_break() {
                    return Ok(());
                }
            }
            if count != self.partitions.parts {
                let message = format!("map returned {count} answers for {} partitions", self.partitions.parts);
                return Err(PyValueError::new_err(message));
            }
            Ok(())
        })
    }
}

impl Backend for Asked<'_> {
    fn columns(&self) -> usize {
        self.partitions.columns
    }

    fn parts(&self) -> usize {
        self.partitions.parts
    }

    fn rows(&self) -> Option<u64> {
        Some(self.partitions.rows)
    }

    fn name(&self, part: usize) -> Option<String> {
        Some(format!("partition {part}"))
    }

    fn answers_travel(&self) -> bool {
        true
    }

    /// An exception is left on the link, which ends the fit and raises it.
    fn map(&self, request: &Request, _loss: &dyn Loss, take: &mut Take<'_>) -> Result<()> {
        self.ask(request, take).map_err(|raised| {
            let source = std::io::Error::other(raised.to_string());
            self.link.fail(raised);
            Error::File { path: "partitions".into(), source }
        })
    }
}

/// Fits to rows in partitions; the interpreter is free but for the calls of `ask`.
#[pyfunction]
#[pyo3(signature = (partitions, problem, settings, progress=None))]
pub(crate) fn fit_parts(
    py: Python<'_>,
    partitions: Partitions,
    problem: Problem,
    settings: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'_, PyDict>> {
    let settings = problem.started(problem::settings(&settings)?);
    let link = Link::stopped_by(partitions.stop.clone_ref(py));
    let (found, seconds) = supervised(py, &link, progress, || {
        let started = Instant::now();
        let shape = match problem.shape {
            Some((rows, columns)) => Shape::Matrix { rows, columns },
            None => Shape::Vector(partitions.columns),
        };
        let names = problem.names.as_deref().map_or_else(|| Names::of_shape(shape), Names::of);
        let set = problem.constraint.set(shape, &names, &link)?;
        let backend = Asked { partitions: &partitions, link: &link };
        let mut large = LargeProblem::new(&backend, problem.loss.loss(problem.classes, &link)?, set)
            .ridge(problem.ridge)
            .intercept(problem.intercept)
            .standardize(problem.standardize());
        if let Some((rows, columns)) = problem.shape {
            large = large.shape(rows, columns);
        }
        if let Some(names) = &problem.names {
            large = large.names(names.clone());
        }
        let found = large.fit_observed(&settings, &mut &link).map_err(|error| exception(&error))?;
        Ok((found, started.elapsed().as_secs_f64()))
    })?;
    let result = outcome::of_fit(py, &found.fit, &found.units, seconds)?;
    result.set_item("interrupted", link.is_interrupted())?;
    // The memory of a fit bounds its sample, whether or not there is a proof.
    let notes: Vec<Note> = found.fit.notes().iter().filter(|note| note.setting != Setting::Memory).copied().collect();
    result.set_item("notes", problem::without_effect(&notes))?;
    Ok(result)
}

/// The columns that a path over sizes needs, of all rows, as a dictionary of arrays; which ones they are is its entry `chosen`.
#[pyfunction]
pub(crate) fn gather_for_path(
    py: Python<'_>,
    partitions: Partitions,
    problem: Problem,
    settings: Options,
    sizes: (usize, Vec<f64>),
) -> PyResult<Bound<'_, PyDict>> {
    let settings = problem::settings(&settings)?;
    let link = Link::stopped_by(partitions.stop.clone_ref(py));
    let found = supervised(py, &link, None, || {
        let backend = Asked { partitions: &partitions, link: &link };
        let loss = problem.loss.loss(problem.classes, &link)?;
        let screening = Screening {
            backend: &backend,
            loss: &*loss,
            largest: sizes.0,
            ridges: &sizes.1,
            standardize: problem.standardize(),
            intercept: problem.intercept,
        };
        screening.gather(&settings, &mut &link).map_err(|error| exception(&error))
    })?;
    let result = partials::to_python(py, Partial::Columns(found.table))?;
    result.set_item("chosen", found.columns)?;
    Ok(result)
}
