//! A path over all sizes, with held-out scores if they are asked for.

use crate::data::{Features, PerRow};
use crate::error::exception;
use crate::held_out::HeldOut;
use crate::problem::{self, Options, Request};
use crate::supervise::{Link, Search, supervised};
use proxdist::path::{
    Criterion, FinishedFold, Path, PathObserver, PathProgress, PathSettings, PathValidation, PathWatch,
};
use proxdist::{Preparation, Problem, Units};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;

/// What a path is told besides the problem.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    largest: usize,
    ridges: Vec<f64>,
    held_out: HeldOut,
    /// Who is told how far it is.
    progress: Option<Py<PyAny>>,
}

/// Lets Ctrl-C end a path.
struct Linked<'l>(&'l Link);

impl Linked<'_> {
    fn answer(&self) -> ControlFlow<()> {
        if self.0.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl PathObserver for Linked<'_> {
    fn step(&mut self, _: &PathProgress) -> ControlFlow<()> {
        self.answer()
    }

    fn poll(&mut self) -> ControlFlow<()> {
        self.answer()
    }
}

impl PathWatch for Linked<'_> {
    fn finished(&self, finished: &FinishedFold) -> ControlFlow<()> {
        let FinishedFold { done, total, fold, .. } = *finished;
        self.0.tell(Search { done, total, label: format!("fold {fold}"), score: f64::NAN });
        self.answer()
    }

    fn poll(&self) -> ControlFlow<()> {
        self.answer()
    }
}

/// Means, standard errors and choices of a cross-validation.
struct Scores {
    mean: Vec<f64>,
    standard_error: Vec<f64>,
    folds: Vec<Vec<f64>>,
    separated: Vec<usize>,
    larger_is_better: bool,
    best: usize,
    simplest: usize,
}

/// The best models of all sizes and ridges.
#[pyfunction]
#[pyo3(signature = (features, per_row, problem, settings, plan))]
pub(crate) fn path<'py>(
    features: Features<'py>,
    per_row: PerRow<'py>,
    problem: Request,
    settings: Options,
    plan: Plan,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, source, numbers) = (features.py(), features.source()?, per_row.numbers()?);
    let settings = problem::settings(&settings)?;
    let scoring = plan.held_out.scoring()?;
    let largest_ridge = plan.ridges.iter().copied().fold(0.0, f64::max);
    let how = PathSettings::default().ridges(plan.ridges);
    let how = settings.threads_value().map_or(how.clone(), |threads| how.threads(threads));
    let (largest, folds, seed) = (plan.largest, plan.held_out.folds, settings.seed_value());
    let Some(spec) = problem.constraint.spec()? else {
        return Err(PyValueError::new_err("a path needs a set with a name, such as \"sparsity:10;keep=age\""));
    };
    let link = Link::default();
    let (found, units, scores) = supervised(py, &link, plan.progress, || {
        let failed = |error| exception(&error);
        let data = problem.data(source, numbers).map_err(failed)?;
        let loss = problem.loss.loss(problem.classes, &link)?;
        let set = spec.build_for(&data).map_err(failed)?;
        if folds == 0 {
            let units = Preparation::decide(problem.standardize(), [&*set], problem.intercept)
                .and_then(|preparation| preparation.units(&data, largest_ridge))
                .map_err(failed)?;
            let data = units.apply(data).map_err(failed)?;
            let asked = Problem::new(&data, loss, &*set).ridge(units.ridge(0.0)).intercept(problem.intercept);
            let found = Path::trace_observed(&asked, &how, &mut Linked(&link)).map_err(failed)?;
            drop(asked);
            return Ok((found, units, None));
        }
        let scorer = plan.held_out.scorer(&link);
        let validation = PathValidation::new(&data, loss, largest)
            .constraint(&*set)
            .intercept(problem.intercept)
            .standardize(problem.standardize())
            .folds(folds)
            .seed(seed)
            .scoring(scoring);
        let validation = match plan.held_out.splits() {
            Some(splits) => validation.splits(splits),
            None => validation,
        };
        let validation = match &scorer {
            Some(scorer) => validation.scored_by(scorer),
            None => validation,
        };
        match validation.run_watched(&how, &Linked(&link)).map_err(failed)? {
            ControlFlow::Break(()) => Err(PyKeyboardInterrupt::new_err(())),
            ControlFlow::Continue(found) => {
                let scores = Scores {
                    mean: found.scores.iter().map(|score| score.mean).collect(),
                    standard_error: found.scores.iter().map(|score| score.standard_error).collect(),
                    folds: found.scores.iter().map(|score| score.folds.clone()).collect(),
                    separated: found.scores.iter().map(|score| score.separated).collect(),
                    larger_is_better: found.scoring.larger_is_better(),
                    best: found.best,
                    simplest: found.one_standard_error,
                };
                Ok((found.path, found.units, Some(scores)))
            }
        }
    })?;
    if link.is_interrupted() && found.points.is_empty() {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    let result = points(py, &found, &units)?;
    result.set_item("interrupted", link.is_interrupted())?;
    if let Some(scores) = scores {
        result.set_item("mean", scores.mean)?;
        result.set_item("standard_error", scores.standard_error)?;
        result.set_item("folds", scores.folds)?;
        result.set_item("separated_folds", scores.separated)?;
        result.set_item("larger_is_better", scores.larger_is_better)?;
        result.set_item("best", scores.best)?;
        result.set_item("one_standard_error", scores.simplest)?;
    }
    Ok(result)
}

/// The points in the units of the data.
fn points<'py>(py: Python<'py>, path: &Path, units: &Units) -> PyResult<Bound<'py, PyDict>> {
    let (mut coefficients, mut intercepts) = (Vec::new(), Vec::new());
    for point in &path.points {
        let (own, intercept) = path.layout.into_parts(point.theta.clone());
        let (own, intercept) = units.restored_point(own, intercept).map_err(|error| exception(&error))?;
        coefficients.push(own);
        intercepts.push(intercept.unwrap_or(0.0));
    }
    let of = |criterion| path.criterion(criterion).ok();
    let result = PyDict::new(py);
    result.set_item("size", path.points.iter().map(|point| point.size).collect::<Vec<_>>())?;
    result.set_item("ridge", path.points.iter().map(|point| point.ridge).collect::<Vec<_>>())?;
    result.set_item("support", path.points.iter().map(|point| point.support.clone()).collect::<Vec<_>>())?;
    result.set_item("objective", path.points.iter().map(|point| point.objective).collect::<Vec<_>>())?;
    result.set_item("separated", path.points.iter().map(|point| point.is_separated).collect::<Vec<_>>())?;
    result.set_item("coef", coefficients)?;
    result.set_item("intercept", intercepts)?;
    result.set_item("aic", of(Criterion::Akaike))?;
    result.set_item("bic", of(Criterion::Bayes))?;
    result.set_item("ebic", of(Criterion::ExtendedBayes { gamma: 1.0 }))?;
    Ok(result)
}
