//! How rows are held out and what models are scored by, for searches and paths alike.

use crate::error::exception;
use crate::supervise::Link;
use numpy::PyArray1;
use proxdist::Result;
use proxdist::outputs::OwnOutputsScore;
use proxdist::selection::{OwnScore, Scoring, Split};
use pyo3::prelude::*;

/// What a cross-validation is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct HeldOut {
    /// Zero for no held-out scores.
    pub(crate) folds: usize,
    /// Rows to fit to and rows to score on, if they are not to be dealt at random.
    splits: Option<Vec<(Vec<usize>, Vec<usize>)>>,
    /// The name of a score.
    scoring: String,
    /// In its place, a function of the number of a split, coefficients and intercept.
    scorer: Option<Py<PyAny>>,
}

impl HeldOut {
    pub(crate) fn scoring(&self) -> PyResult<Scoring> {
        self.scoring.parse().map_err(|error| exception(&error))
    }

    /// The splits, if they are told.
    pub(crate) fn splits(&self) -> Option<Vec<Split>> {
        let splits = self.splits.as_ref()?.iter().cloned();
        Some(splits.map(|(training, held_out)| Split { training, held_out }).collect())
    }

    /// The function, if there is one.
    pub(crate) fn scorer<'l>(&self, link: &'l Link) -> Option<PythonScore<'l>> {
        let function = self.scorer.as_ref()?;
        Some(PythonScore { function: Python::attach(|py| function.clone_ref(py)), link })
    }
}

/// A score that is computed in Python. An exception is left on the link, which ends the work.
pub(crate) struct PythonScore<'l> {
    function: Py<PyAny>,
    link: &'l Link,
}

impl OwnScore for PythonScore<'_> {
    fn score(&self, split: usize, coefficients: &[f64], intercept: Option<f64>) -> Result<f64> {
        Ok(self.called(|py| {
            let coefficients = PyArray1::from_slice(py, coefficients);
            self.function.call1(py, (split, coefficients, intercept.unwrap_or(0.0)))
        }))
    }
}

impl OwnOutputsScore for PythonScore<'_> {
    fn score(&self, split: usize, coefficients: &[f64], intercepts: &[f64]) -> Result<f64> {
        Ok(self.called(|py| {
            let coefficients = PyArray1::from_slice(py, coefficients);
            self.function.call1(py, (split, coefficients, PyArray1::from_slice(py, intercepts)))
        }))
    }
}

impl PythonScore<'_> {
    /// The number that a call returns.
    fn called(&self, call: impl for<'py> FnOnce(Python<'py>) -> PyResult<Py<PyAny>>) -> f64 {
        if self.link.is_over() {
            return f64::NAN;
        }
        let called = Python::attach(|py| call(py)?.extract::<f64>(py));
        called.unwrap_or_else(|raised| {
            self.link.fail(raised);
            f64::NAN
        })
    }
}
