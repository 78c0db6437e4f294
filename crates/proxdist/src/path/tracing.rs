//! From a problem to its path.

use super::engine::{Engine, Searched};
use super::finish::Finish;
use super::form::Form;
use super::in_memory::{InMemory, marked};
use super::ladder::Ladder;
use super::point::Path;
use super::proving::improve;
use super::settings::PathSettings;
use super::sized::{SizedSets, plain_size};
use super::watch::{PathObserver, PathProgress, Watch};
use crate::error::Result;
use crate::objective::Objective;
use crate::pool::in_pool;
use crate::problem::Problem;
use crate::ridge::Ridge;
use crate::solver::Settings;
use std::ops::ControlFlow;

impl Path {
    /// The best models found of all sizes up to that of the problem's set: sparsity, group sparsity, or either with rules and convex sets beside it. The number of features or groups of the set is replaced
    /// by each size, from the least that leaves a point.
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
        let sets = SizedSets::of(problem.constraint(), problem.data(), problem.loss())?;
        in_pool(settings.threads, || {
            trace(Traced { problem, settings, sets: sets.as_ref() }, None, &mut Watch::new(observer))
        })
    }
}

/// A problem that was checked, and what is told about its path.
#[derive(Clone, Copy)]
pub(super) struct Traced<'p> {
    pub(super) problem: &'p Problem<'p>,
    pub(super) settings: &'p PathSettings,
    /// The sets of all sizes, where features are not chosen freely.
    pub(super) sets: Option<&'p SizedSets>,
}

/// The ridges of a path.
pub(super) fn ridges<'p>(ridge: Ridge<'p>, settings: &PathSettings) -> Vec<Ridge<'p>> {
    if settings.ridges.is_empty() {
        return vec![ridge];
    }
    settings.ridges.iter().map(|&weight| ridge.with_weight(weight)).collect()
}

/// The path of a problem; the matrix of a quadratic one may be known already.
pub(super) fn trace<'p>(traced: Traced<'p>, known: Option<Form<'p>>, watch: &mut Watch) -> Result<Path> {
    let Traced { problem, settings, sets } = traced;
    let data = problem.data();
    let mut copy = InMemory::of(data);
    let is_copied = (sets.is_some() || !problem.loss().is_quadratic()) && InMemory::is_worth_it(data, settings.memory);
    let copied = if is_copied { Some(copy.copied()?) } else { None };
    let objective = problem.objective();
    let objective = Objective { data: copied.as_ref().unwrap_or(objective.data), ..objective };
    let marks = marked(objective)?;
    let with_marks = marks.as_ref().map(|marks| objective.data.with_marked(marks));
    let objective = Objective { data: with_marks.as_ref().unwrap_or(objective.data), ..objective };
    let largest = plain_size(problem.constraint(), data.columns()).unwrap_or(0);
    let searched = Searched { objective, layout: problem.layout(), largest, settings, sets };
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
        let objective = Objective { ridge, ..objective };
        let mut points = if let Some(sets) = sets {
            Ladder::new(objective, sets).points(&places)?
        } else {
            let finish = Finish::new(objective, problem.layout(), &places)?;
            finish.points(&places, engine.form(), path.is_interrupted)?
        };
        if !path.is_interrupted {
            improve(&mut points, objective, sets)?;
        }
        path.points.extend(points);
        if path.is_interrupted {
            break;
        }
    }
    Ok(path)
}
