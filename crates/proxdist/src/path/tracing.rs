//! From a problem to its path.

use super::engine::{Engine, Searched};
use super::finish::Finish;
use super::form::Form;
use super::in_memory::{InMemory, marked};
use super::point::Path;
use super::proving::improve;
use super::settings::PathSettings;
use super::watch::{PathObserver, PathProgress, Watch};
use crate::constraint::Structure;
use crate::error::{Error, Result};
use crate::objective::Objective;
use crate::problem::{Problem, in_pool};
use crate::ridge::Ridge;
use crate::rule::Rule;
use crate::solver::Settings;
use std::ops::ControlFlow;

impl Path {
    /// The best models found of all sizes up to that of the problem's set, which must be [`crate::constraint::Sparsity`] alone.
    pub fn trace(problem: &Problem, settings: &PathSettings) -> Result<Self> {
        Self::trace_observed(problem, settings, &mut |_: &PathProgress| ControlFlow::Continue(()))
    }

    /// The same while someone watches, who may end it: then there are the sizes found so far.
    pub fn trace_observed(
        problem: &Problem,
        settings: &PathSettings,
        observer: &mut (dyn PathObserver + Send),
    ) -> Result<Self> {
        settings.check()?;
        problem.check(&Settings::default())?;
        largest(problem)?;
        in_pool(settings.threads, || trace(problem, settings, None, &mut Watch::new(observer)))
    }
}

/// The largest size of a problem whose set is sparsity alone.
fn largest(problem: &Problem) -> Result<usize> {
    let (set, columns) = (problem.constraint(), problem.data().columns());
    let refusal = || Error::setting("the set of a path", Rule::SparsityAlone, set.spec());
    let Structure::Choice(choosing) = set.structure() else { return Err(refusal()) };
    choosing.plain_size(columns).ok_or_else(refusal)
}

/// The ridges of a path.
pub(super) fn ridges<'p>(ridge: Ridge<'p>, settings: &PathSettings) -> Vec<Ridge<'p>> {
    if settings.ridges.is_empty() {
        return vec![ridge];
    }
    settings.ridges.iter().map(|&weight| ridge.with_weight(weight)).collect()
}

/// The path of a problem that was checked; the matrix of a quadratic one may be known already.
pub(super) fn trace<'p>(
    problem: &'p Problem,
    settings: &'p PathSettings,
    known: Option<Form<'p>>,
    watch: &mut Watch,
) -> Result<Path> {
    let data = problem.data();
    let mut copy = InMemory::of(data);
    let is_copied = !problem.loss().is_quadratic() && InMemory::is_worth_it(data, settings.memory);
    let copied = if is_copied { Some(copy.copied()?) } else { None };
    let objective = problem.objective();
    let objective = Objective { data: copied.as_ref().unwrap_or(objective.data), ..objective };
    let marks = marked(objective)?;
    let with_marks = marks.as_ref().map(|marks| objective.data.with_marked(marks));
    let objective = Objective { data: with_marks.as_ref().unwrap_or(objective.data), ..objective };
    let searched = Searched { objective, layout: problem.layout(), largest: largest(problem)?, settings };
    let mut path = Path {
        points: Vec::new(),
        layout: problem.layout(),
        rows: (0..data.rows()).filter(|&row| data.weight(row) > 0.0).count(),
        is_interrupted: false,
        is_quadratic: problem.loss().is_quadratic(),
    };
    let mut engine = Engine::new(searched, known)?;
    let mut places = Vec::new();
    for ridge in ridges(problem.ridge_term(), settings) {
        places = engine.places(searched, ridge, &places, watch)?;
        path.is_interrupted = watch.is_over();
        let finish = Finish::new(Objective { ridge, ..objective }, problem.layout(), &places)?;
        let mut points = finish.points(&places, engine.form(), path.is_interrupted)?;
        if !path.is_interrupted {
            improve(&mut points, Objective { ridge, ..objective }, problem.layout())?;
        }
        path.points.extend(points);
        if path.is_interrupted {
            break;
        }
    }
    Ok(path)
}
