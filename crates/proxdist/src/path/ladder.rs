//! The best models of all sizes of any choice of features, by the exact finish of each size.
//!
//! ```text
//! up:   each size from the end of the size before
//! repeat until no size improves
//!     down: each size from the next larger end without one of its units
//!     up:   each size from the next smaller end
//! ```
//!
//! The sets of the sizes grow, $C_s \subset C_{s+1}$, so an end is a start for all larger sizes; a finish never ends above a start, and so F never rises with the size. For quotas, groups, products and convex sets
//! beside the choice this is what `sweeps.rs` is for features that are chosen freely, at the price of fits on the data.

use super::climb::Place;
use super::criterion::log_choices;
use super::finish::deviance;
use super::point::PathPoint;
use super::sized::SizedSets;
use super::watch::{PathProgress, Watch};
use crate::certificate::Judge;
use crate::constraint::{Choice, Structure, projected};
use crate::effort::Effort;
use crate::error::Result;
use crate::objective::Objective;
use crate::polish::{Finish, without_one};
use std::ops::ControlFlow;

/// Starts that a size takes from the next larger one.
const SMALLER: usize = 2;
/// Sweeps down and up at most; each lowers F at some size, so this is rarely reached.
const SWEEPS: usize = 5;
/// Mean loss, without a ridge, below which probabilities say that classes are told apart without error.
const TOLD_APART: f64 = 1e-6;
/// Relative fall of F that counts.
const FALL: f64 = 1e-10;

/// The search for one objective.
pub(super) struct Ladder<'p> {
    objective: Objective<'p>,
    sets: &'p SizedSets,
}

/// Where a finish ended, F there, and how far that is from stationary where derivatives do not tell.
#[derive(Clone)]
struct End {
    theta: Vec<f64>,
    value: f64,
    stationarity: Option<f64>,
}

/// The best end of a size, and whether its neighbours have started from it.
#[derive(Clone, Default)]
struct Held {
    end: Option<End>,
    is_grown: bool,
    is_shrunk: bool,
}

impl<'p> Ladder<'p> {
    pub(super) fn new(objective: Objective<'p>, sets: &'p SizedSets) -> Self {
        Self { objective, sets }
    }

    /// The best places of all sizes, from the least on, started from those of another ridge where there are any.
    pub(super) fn places(&self, ridge: f64, known: &[Option<Place>], watch: &mut Watch) -> Result<Vec<Option<Place>>> {
        let count = self.sets.count();
        let mut best: Vec<Held> = vec![Held::default(); count];
        let tell = |position: usize, sweeps: usize, watch: &mut Watch| {
            let (size, largest) = (self.sets.least() + position, self.sets.least() + count - 1);
            watch.step(PathProgress { ridge, size, largest, sweeps });
        };
        for position in 0..count {
            if position > 0 && watch.is_over() {
                break;
            }
            let mut starts = vec![self.feasible(position)?];
            starts.extend(known.get(position).and_then(Option::as_ref).map(|place| self.spread(place)));
            if let Some(smaller) = position.checked_sub(1).map(|before| &mut best[before]) {
                smaller.is_grown = true;
                starts.extend(smaller.end.as_ref().map(|end| end.theta.clone()));
            }
            self.improve(&mut best, position, &starts, watch)?;
            tell(position, 0, watch);
        }
        for sweep in 1..=SWEEPS {
            let mut is_lower = false;
            for position in (0..count.saturating_sub(1)).rev() {
                let larger = &mut best[position + 1];
                let Some(End { theta, .. }) = larger.end.clone().filter(|_| !larger.is_shrunk) else { continue };
                if watch.is_over() {
                    break;
                }
                larger.is_shrunk = true;
                let starts = self.smaller(position, &theta, watch)?;
                is_lower |= self.improve(&mut best, position, &starts, watch)?;
                tell(position, sweep, watch);
            }
            for position in 1..count {
                let smaller = &mut best[position - 1];
                let Some(End { theta, .. }) = smaller.end.clone().filter(|_| !smaller.is_grown) else { continue };
                if watch.is_over() {
                    break;
                }
                smaller.is_grown = true;
                is_lower |= self.improve(&mut best, position, &[theta], watch)?;
                tell(position, sweep, watch);
            }
            if !is_lower || watch.is_over() {
                break;
            }
        }
        // What a smaller size has found at the last moment, larger ones have as well.
        for position in 1..count {
            let (smaller, larger) = best.split_at_mut(position);
            if let (Some(Held { end: Some(known), .. }), Some(Held { end: Some(end), .. })) =
                (smaller.last(), larger.first_mut())
                && known.value < end.value
            {
                end.clone_from(known);
            }
        }
        Ok(best.into_iter().map(|held| held.end.map(|end| self.place(&end))).collect())
    }

    /// Finishes at a size from some starts; whether that is lower than what is known.
    fn improve(&self, best: &mut [Held], position: usize, starts: &[Vec<f64>], watch: &mut Watch) -> Result<bool> {
        if starts.is_empty() {
            return Ok(false);
        }
        let finish = Finish {
            objective: self.objective,
            constraint: self.sets.at(position),
            l1: 0.0,
            effort: Effort::Normal,
            is_near: position > 0 || self.objective.loss.kinked().is_some(),
            seed: 0,
        };
        let starts: Vec<&[f64]> = starts.iter().map(|start| &start[..]).collect();
        let mut poll = || if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let ended = finish.run(&starts, &mut poll)?;
        let known = best[position].end.as_ref().map_or(f64::INFINITY, |end| end.value);
        let is_lower = ended.value < known;
        if is_lower {
            let is_new = known.is_infinite() || ended.value < known - FALL * known.abs();
            let Held { is_grown, is_shrunk, .. } = best[position];
            let end = Some(End { theta: ended.theta, value: ended.value, stationarity: ended.stationarity });
            best[position] = Held { end, is_grown: is_grown && !is_new, is_shrunk: is_shrunk && !is_new };
            return Ok(is_new);
        }
        Ok(false)
    }

    /// A point of the set of a size.
    fn feasible(&self, position: usize) -> Result<Vec<f64>> {
        let layout = self.objective.layout();
        let mut theta = layout.zeros();
        let nearest = projected(&self.sets.at(position), layout.coefficients(&theta))?;
        layout.coefficients_mut(&mut theta).copy_from_slice(&nearest);
        Ok(theta)
    }

    /// Points of the set of a size that the end of the next larger one leads to.
    fn smaller(&self, position: usize, theta: &[f64], watch: &mut Watch) -> Result<Vec<Vec<f64>>> {
        let Structure::Choice(choosing) = self.sets.at(position).structure() else { return Ok(Vec::new()) };
        if self.objective.loss.kinked().is_some() {
            return self.left_out(position, &choosing.choice(self.objective.data.columns()), theta);
        }
        let mut poll = || if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        without_one(self.objective, choosing, theta, SMALLER, &mut poll)
    }

    /// The points without one of the units, those whose F is lowest as they are; the rest is left to the finish.
    fn left_out(&self, position: usize, choice: &Choice, theta: &[f64]) -> Result<Vec<Vec<f64>>> {
        let layout = self.objective.layout();
        let mut found = Vec::new();
        for unit in choice.active(layout.coefficients(theta)) {
            let mut rest = theta.to_vec();
            choice.unit(unit).iter().for_each(|&j| rest[j] = 0.0);
            found.push((self.objective.value(&rest)?, rest));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut starts = Vec::new();
        for (_, mut rest) in found.into_iter().take(SMALLER) {
            let nearest = projected(&self.sets.at(position), layout.coefficients(&rest))?;
            layout.coefficients_mut(&mut rest).copy_from_slice(&nearest);
            starts.push(rest);
        }
        Ok(starts)
    }

    /// The whole parameter of a place.
    pub(super) fn spread(&self, place: &Place) -> Vec<f64> {
        self.objective.layout().spread(&place.support, &place.point)
    }

    fn place(&self, end: &End) -> Place {
        let End { theta, value, stationarity } = end;
        let value = *value;
        let layout = self.objective.layout();
        let coefficients = layout.coefficients(theta);
        let support: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
        let Objective { loss, ridge, .. } = self.objective;
        let is_separated = loss.has_probabilities() && !ridge.is_positive() && value < TOLD_APART;
        let stationarity = stationarity.filter(|_| loss.kinked().is_some());
        Place { point: layout.gathered(&support, theta), support, value, is_separated, stationarity }
    }

    /// The points of places, measured; those up to the first size that has none, if the search was ended.
    pub(super) fn points(&self, places: &[Option<Place>]) -> Result<Vec<PathPoint>> {
        let (objective, infimum) = (self.objective, self.objective.infimum()?);
        let mut points: Vec<PathPoint> = Vec::with_capacity(places.len());
        for (position, place) in places.iter().enumerate() {
            let Some(place) = place else { break };
            let (theta, constraint) = (self.spread(place), self.sets.at(position));
            let judge = Judge { objective, constraint, l1: 0.0, schedule_meets_theory: false, seed: 0 };
            let stationarity = place.stationarity.map_or_else(|| judge.stationarity(&theta), Ok)?;
            let log_choices = match points.last() {
                // The model of a smaller size.
                Some(before) if before.theta == theta => before.log_choices,
                _ => self.log_choices(position, place.support.len()),
            };
            points.push(PathPoint {
                size: self.sets.least() + position,
                ridge: objective.ridge.weight(),
                support: place.support.clone(),
                deviance: deviance(objective, infimum, &theta, place.value)?,
                objective: place.value,
                stationarity,
                theta,
                is_separated: place.is_separated,
                gap: None,
                log_choices,
            });
        }
        Ok(points)
    }

    /// The logarithm of the number of choices of a size; of more than there are where they cannot be counted.
    fn log_choices(&self, position: usize, features: usize) -> f64 {
        let columns = self.objective.data.columns();
        let counted = match self.sets.at(position).structure() {
            Structure::Choice(choosing) => choosing.choice(columns).count().ln(),
            _ => f64::INFINITY,
        };
        if counted.is_finite() { counted } else { log_choices(columns, features) }
    }
}
