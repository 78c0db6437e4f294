//! A grid over numbers of features and ridge weights, searched by paths: all its points at once, fold by fold.

use super::cross_validation::{CrossValidation, Scored};
use super::grid::{Grid, Point};
use super::table::Score;
use super::watch::{FoldObserver, Halt, Watch};
use crate::constraint::Constraint;
use crate::error::Result;
use crate::path::{FinishedFold, PathSettings, PathValidation, PathWatch};
use crate::solver::{Method, Settings};
use crate::spec::SetSpec;
use crate::trace::Observer as _;
use std::ops::ControlFlow;

/// The grid as one path a ridge.
pub(super) struct OverSizes {
    largest: usize,
    /// In ascending order.
    ridges: Vec<f64>,
    /// The position of each point of the grid among the points of a path.
    at: Vec<usize>,
}

impl OverSizes {
    /// `None` if a point is about anything else than sparsity and a ridge, or if another way of fitting was asked for.
    pub(super) fn of(points: &[(Point, Box<dyn Constraint>)], grid: &Grid, settings: &Settings) -> Option<Self> {
        let is_usual = settings.polish && matches!(settings.method, Method::ProximalDistance);
        if !is_usual || grid.axes().iter().any(|axis| axis.name() == "rho1") {
            return None;
        }
        let size = |point: &Point| match point.constraint {
            SetSpec::Sparsity { keep } => Some(keep),
            _ => None,
        };
        let sizes = points.iter().map(|(point, _)| size(point)).collect::<Option<Vec<usize>>>()?;
        let largest = sizes.iter().copied().max()?.max(1);
        let mut ridges: Vec<f64> = points.iter().map(|(point, _)| point.ridge).collect();
        ridges.sort_by(f64::total_cmp);
        ridges.dedup();
        let place = |((point, _), size): (&(Point, _), usize)| {
            let ridge = ridges.iter().position(|ridge| ridge.total_cmp(&point.ridge).is_eq())?;
            Some(ridge * (largest + 1) + size)
        };
        let at = points.iter().zip(sizes).map(place).collect::<Option<Vec<usize>>>()?;
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
        let validation = PathValidation::new(whole.data, &*whole.loss, self.largest)
            .intercept(whole.intercept)
            .standardize(whole.standardize)
            .dealt_as(whole.deal.clone())
            .judged_by(whole.judge);
        let settings = PathSettings::default().ridges(self.ridges.iter().copied());
        let watch = Listener { halt, points, at: &self.at };
        let ControlFlow::Continue(found) = validation.run_watched(&settings, &watch)? else { return Ok(None) };
        if found.path.points.len() < self.ridges.len() * (self.largest + 1) {
            return Ok(None);
        }
        let score = |((point, _), &at): (&(Point, _), &usize)| {
            let scores = &found.scores[at];
            Score::new(point.clone(), scores.folds.clone(), scores.folds.len() - scores.separated)
        };
        let start = |&at: &usize| {
            let (coefficients, intercept) = found.path.layout.into_parts(found.path.points[at].theta.clone());
            (coefficients, intercept.unwrap_or(0.0))
        };
        let scores = points.iter().zip(&self.at).map(score).collect();
        Ok(Some(Scored { scores, starts: self.at.iter().map(start).collect(), cells: Vec::new() }))
    }
}

/// Tells of the points of the grid as folds are scored.
struct Listener<'h, 'w, W: Watch> {
    halt: &'h Halt<'w, W>,
    points: &'h [(Point, Box<dyn Constraint>)],
    at: &'h [usize],
}

impl<W: Watch> PathWatch for Listener<'_, '_, W> {
    fn scored(&self, fold: usize, scores: &[f64]) -> ControlFlow<()> {
        for ((point, _), &at) in self.points.iter().zip(self.at) {
            self.halt.finished(fold, point, scores[at]);
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
