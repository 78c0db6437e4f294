//! A grid over numbers of features and ridge weights, searched by paths: all its points at once, fold by fold.

use super::cross_validation::{CrossValidation, Scored};
use super::grid::{Grid, Point};
use super::table::Score;
use super::watch::{FoldObserver, Halt, Watch};
use crate::constraint::{Constraint, Structure};
use crate::error::Result;
use crate::path::{FinishedFold, PathSettings, PathValidation, PathWatch};
use crate::solver::{Method, Settings};
use crate::spec::SetSpec;
use crate::trace::Observer as _;
use std::ops::ControlFlow;

/// The grid as one path a ridge.
pub(super) struct OverSizes {
    /// Position of a point of the grid with the largest size.
    largest: usize,
    /// In ascending order.
    ridges: Vec<f64>,
    /// The size of each point of the grid, and the position of its ridge.
    at: Vec<(usize, usize)>,
}

impl OverSizes {
    /// `None` if points differ by anything else than the size of the set and a ridge, or if another way of fitting was asked for.
    pub(super) fn of(points: &[(Point, Box<dyn Constraint>)], grid: &Grid, settings: &Settings) -> Option<Self> {
        let is_usual = settings.polish && matches!(settings.method, Method::ProximalDistance);
        if !is_usual || grid.axes().iter().any(|axis| axis.name() == "rho1") {
            return None;
        }
        let sizes = points.iter().map(|(point, _)| point.constraint.size()).collect::<Option<Vec<usize>>>()?;
        let first = points.first()?.0.constraint.with_size(0);
        let are_alike = points.iter().all(|(point, _)| point.constraint.with_size(0) == first);
        let are_choices = points.iter().all(|(_, set)| matches!(set.structure(), Structure::Choice(_)));
        if !are_alike || !are_choices {
            return None;
        }
        let largest = (0..sizes.len()).max_by_key(|&at| sizes[at])?;
        let mut ridges: Vec<f64> = points.iter().map(|(point, _)| point.ridge).collect();
        ridges.sort_by(f64::total_cmp);
        ridges.dedup();
        let place = |((point, _), size): (&(Point, _), usize)| {
            Some((size, ridges.iter().position(|ridge| ridge.total_cmp(&point.ridge).is_eq())?))
        };
        let at = points.iter().zip(sizes).map(place).collect::<Option<Vec<_>>>()?;
        Some(Self { largest, ridges, at })
    }

    /// The scores of all points, and where the fit of each to all rows starts; `None` if it was ended early, or if there is no path, as where
    /// the loss is no number.
    pub(super) fn scored<W: Watch>(
        &self,
        whole: &CrossValidation,
        points: &[(Point, Box<dyn Constraint>)],
        halt: &Halt<W>,
    ) -> Result<Option<Scored>> {
        let (point, set) = &points[self.largest];
        let is_plain = matches!(point.constraint, SetSpec::Sparsity { .. });
        // Sparsity of zero alone would be no path.
        let largest = self.at[self.largest].0.max(usize::from(is_plain));
        let validation = PathValidation::new(whole.data, &*whole.loss, largest)
            .intercept(whole.intercept)
            .standardize(whole.standardize)
            .dealt_as(whole.deal.clone())
            .judged_by(whole.judge);
        let validation = if is_plain { validation } else { validation.constraint(set) };
        let settings = PathSettings::default().ridges(self.ridges.iter().copied());
        let watch = Listener { halt, points, at: &self.at, largest, ridges: self.ridges.len() };
        let ControlFlow::Continue(found) = validation.run_watched(&settings, &watch)? else { return Ok(None) };
        let sizes = found.path.points.len() / self.ridges.len();
        if is_plain && sizes <= largest {
            return Ok(None);
        }
        let places: Option<Vec<usize>> = self.at.iter().map(|&at| place(at, sizes, largest)).collect();
        let Some(places) = places else { return Ok(None) };
        let score = |((point, _), &at): (&(Point, _), &usize)| {
            let scores = &found.scores[at];
            Score::new(point.clone(), scores.folds.clone(), scores.folds.len() - scores.separated)
        };
        let start = |&at: &usize| {
            let (coefficients, intercept) = found.path.layout.into_parts(found.path.points[at].theta.clone());
            (coefficients, intercept.unwrap_or(0.0))
        };
        let scores = points.iter().zip(&places).map(score).collect();
        Ok(Some(Scored { scores, starts: places.iter().map(start).collect(), cells: Vec::new() }))
    }
}

/// Where a size and ridge stand among the points of a path with so many sizes a ridge, of which `largest` is the last; `None` if it is not there.
fn place((size, ridge): (usize, usize), sizes: usize, largest: usize) -> Option<usize> {
    let from_end = largest.checked_sub(size)?;
    Some(ridge * sizes + sizes.checked_sub(from_end + 1)?)
}

/// Tells of the points of the grid as folds are scored.
struct Listener<'h, 'w, W: Watch> {
    halt: &'h Halt<'w, W>,
    points: &'h [(Point, Box<dyn Constraint>)],
    at: &'h [(usize, usize)],
    largest: usize,
    ridges: usize,
}

impl<W: Watch> PathWatch for Listener<'_, '_, W> {
    fn scored(&self, fold: usize, scores: &[f64]) -> ControlFlow<()> {
        for ((point, _), &at) in self.points.iter().zip(self.at) {
            let at = place(at, scores.len() / self.ridges, self.largest);
            self.halt.finished(fold, point, at.map_or(f64::NAN, |at| scores[at]));
            if self.halt.ends(fold) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn finished(&self, _: &FinishedFold) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&self) -> ControlFlow<()> {
        FoldObserver { halt: self.halt, fold: 0 }.poll()
    }
}
