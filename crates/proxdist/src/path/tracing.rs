//! From a problem to its path.

use super::algebra::Algebra;
use super::centred::Centred;
use super::climb::{Climb, Place};
use super::finish::Finish;
use super::form::Form;
use super::moments::{Centre, Moments};
use super::on_demand::OnDemand;
use super::point::Path;
use super::settings::PathSettings;
use super::sweeps::Sweeps;
use super::watch::{PathObserver, PathProgress, Watch};
use crate::constraint::Structure;
use crate::error::{Error, Result};
use crate::objective::Objective;
use crate::problem::{Problem, in_pool};
use crate::ridge::Ridge;
use crate::solver::Settings;
use std::ops::ControlFlow;

impl Path {
    /// The best models of all sizes up to that of the problem's set, which must be [`crate::constraint::Sparsity`] alone.
    pub fn trace(problem: &Problem, settings: &PathSettings) -> Result<Self> {
        Self::trace_observed(problem, settings, &mut |_: &PathProgress| ControlFlow::Continue(()))
    }

    /// The same while someone watches, who may end it: then there are the sizes found so far.
    pub fn trace_observed(
        problem: &Problem,
        settings: &PathSettings,
        observer: &mut dyn PathObserver,
    ) -> Result<Self> {
        settings.check()?;
        problem.check(&Settings::default())?;
        let largest = largest(problem)?;
        in_pool(settings.threads, || trace(problem, largest, settings, &mut Watch::new(observer)))
    }
}

/// The largest size of a problem whose set is sparsity alone.
fn largest(problem: &Problem) -> Result<usize> {
    let (set, columns) = (problem.constraint(), problem.data().columns());
    let refusal = || Error::setting("the set of a path", "sparsity alone", set.spec());
    let Structure::Choice(choosing) = set.structure() else { return Err(refusal()) };
    let choice = choosing.choice(columns);
    let is_plain = choosing.on_support(&[]).is_some_and(|rest| matches!(rest.structure(), Structure::WholeSpace));
    match choice.keep() {
        [keep] if is_plain && choice.is_single() && choice.units() == columns => Ok(*keep),
        _ => Err(refusal()),
    }
}

/// The ridges of a path.
pub(super) fn ridges<'p>(ridge: Ridge<'p>, settings: &PathSettings) -> Vec<Ridge<'p>> {
    if settings.ridges.is_empty() {
        return vec![ridge];
    }
    settings.ridges.iter().map(|&weight| ridge.with_weight(weight)).collect()
}

fn trace(problem: &Problem, largest: usize, settings: &PathSettings, watch: &mut Watch) -> Result<Path> {
    let (objective, layout) = (problem.objective(), problem.layout());
    let mut path = Path {
        points: Vec::new(),
        layout,
        rows: (0..objective.data.rows()).filter(|&row| objective.data.weight(row) > 0.0).count(),
        is_interrupted: false,
        is_quadratic: objective.loss.is_quadratic(),
    };
    let form = form_of(objective, problem.has_intercept(), largest, settings)?;
    let Some(form) = form else { return Err(Error::Overflows { objective: f64::NAN }) };
    let mut algebra = Algebra::new(form);
    let mut known: Vec<Option<Place>> = Vec::new();
    for ridge in ridges(problem.ridge_term(), settings) {
        let objective = Objective { ridge, ..objective };
        known = places(&mut algebra, (largest, ridge), &known, settings, watch)?;
        let is_over = watch.is_over();
        let finish = Finish::new(objective, layout, &known)?;
        path.points.extend(finish.points(&known, Some(&mut algebra.form), is_over)?);
        path.is_interrupted = is_over;
        if is_over {
            break;
        }
    }
    Ok(path)
}

/// The matrix of a quadratic F, whole or on demand; `None` if the numbers are too extreme for it.
fn form_of<'p>(
    objective: Objective<'p>,
    has_intercept: bool,
    largest: usize,
    settings: &PathSettings,
) -> Result<Option<Form<'p>>> {
    let columns = objective.data.columns();
    if !fits(columns, settings.memory) {
        return Ok(Form::on_demand(OnDemand::new(objective, has_intercept, (settings.memory, largest + 1))?));
    }
    let centre = Centre::of(objective, has_intercept)?;
    let mut sums = Centred::new(Moments::of(objective, &centre)?, &centre, has_intercept, None);
    sums.mend(objective, has_intercept)?;
    Ok(Form::whole(sums, None, has_intercept))
}

/// Whether a matrix of all products of columns may be kept.
pub(super) fn fits(columns: usize, memory: usize) -> bool {
    columns.saturating_mul(columns).saturating_mul(8) <= memory
}

/// The best places of all sizes for one ridge, started from those of another.
pub(super) fn places(
    climb: &mut dyn Climb,
    (largest, ridge): (usize, Ridge),
    known: &[Option<Place>],
    settings: &PathSettings,
    watch: &mut Watch,
) -> Result<Vec<Option<Place>>> {
    climb.set_ridge(ridge);
    let mut sweeps = Sweeps::new(largest, ridge.weight());
    let Some(empty) = climb.minimiser(&[], None)? else { return Ok(sweeps.into_places()) };
    sweeps.offer(climb, empty);
    for place in known.iter().flatten().filter(|place| !place.support.is_empty()) {
        let again = climb.minimiser(&place.support, Some(place))?;
        let lower = again.map(|again| climb.exchanged(&again, watch)).transpose()?;
        if let Some(lower) = lower.flatten() {
            sweeps.offer(climb, lower);
        }
    }
    sweeps.run(climb, settings.walk, watch)?;
    Ok(sweeps.into_places())
}
