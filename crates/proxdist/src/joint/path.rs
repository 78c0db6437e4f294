//! All points of a grid on some rows, each started from the end of its neighbour, and criteria that choose among them.
//!
//! A fit never ends above a start of its set, so along numbers of features F does not rise. With $\ell$ the log partial likelihood (`cox`) or the log-likelihood (`ordinal`) at the result, ridge term aside, and $k$ features that are used,
//!
//! | criterion | value |
//! |---|---|
//! | AIC | $-2\ell + 2k$ |
//! | BIC | $-2\ell + k\log N$ |
//! | EBIC | $-2\ell + k\log N + 2\gamma\log M$, $M$ the number of choices of the set, $\binom pk$ where they cannot be counted |
//!
//! For `cox` $N$ is the number of events, since censored rows tell little of a hazard (Volinsky and Raftery 2000), for `ordinal` the number of rows. Rows of weight zero do not count, other weights relative to their mean. Thresholds and baseline hazards are counted by none.

use super::problem::JointFit;
use super::validation::JointValidation;
use crate::constraint::{Constraint, Structure};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::path::{Criterion, log_choices};
use crate::preparation::Units;
use crate::rule::Rule;
use crate::selection::{FoldObserver, Halt, Point, Watch};
use crate::solver::{Settings, Stop};

/// A point of the grid and its set.
pub(super) type Placed = (Point, Box<dyn Constraint>);

/// A point of a grid, fitted to all rows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JointPathPoint {
    /// The set and the ridge.
    pub point: Point,
    /// Its fit, in the units of the path.
    pub fit: JointFit,
    /// $-2\ell$
    pub deviance: f64,
    /// $\log M$
    log_choices: f64,
}

/// The fits of all points of a grid.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JointPath {
    /// In the order of the grid.
    pub points: Vec<JointPathPoint>,
    /// The units they were fitted in.
    pub units: Units,
    /// The number of events, or of rows, that criteria count.
    pub count: usize,
}

impl JointPath {
    /// The criterion of every point.
    pub fn criterion(&self, criterion: Criterion) -> Result<Vec<f64>> {
        if let Criterion::ExtendedBayes { gamma } = criterion
            && !(0.0..=1.0).contains(&gamma)
        {
            return Err(Error::setting("gamma", Rule::UpTo { most: 1.0 }, gamma));
        }
        let logarithm = (self.count as f64).max(1.0).ln();
        let charge = |point: &JointPathPoint| {
            let used = point.fit.model().support().len() as f64;
            match criterion {
                Criterion::Akaike => 2.0 * used,
                Criterion::Bayes => used * logarithm,
                Criterion::ExtendedBayes { gamma } => used * logarithm + 2.0 * gamma * point.log_choices,
            }
        };
        Ok(self.points.iter().map(|point| point.deviance + charge(point)).collect())
    }

    /// Position of the point with the least criterion; the earlier of equals.
    pub fn least(&self, criterion: Criterion) -> Result<usize> {
        let values = self.criterion(criterion)?;
        let best = (0..values.len()).min_by(|&a, &b| values[a].total_cmp(&values[b]));
        best.ok_or_else(|| Error::setting("a path", Rule::SomePoint, "none"))
    }
}

/// Fits along a grid.
pub(super) struct Along<'a, 'w, W: Watch> {
    pub(super) points: &'a [Placed],
    pub(super) settings: &'a Settings,
    pub(super) halt: &'a Halt<'w, W>,
    pub(super) fold: usize,
}

impl<W: Watch> Along<'_, '_, W> {
    /// Calls `done` with the fit of each point in order; whether all were fitted.
    pub(super) fn fits(
        &self,
        (whole, rows): (&JointValidation, &[usize]),
        (data, units): (&Data, &Units),
        done: &mut dyn FnMut(&Placed, JointFit) -> Result<()>,
        failed: &dyn Fn(&Point, Error) -> Error,
    ) -> Result<bool> {
        let picked = whole.answers.picked(rows);
        // For each axis, the last point that others move on from along it.
        let axes = self.points.first().map_or(0, |(point, _)| point.axes());
        let mut starts: Vec<Option<Vec<f64>>> = vec![None; axes];
        for placed in self.points {
            let (point, set) = placed;
            if self.halt.ends(self.fold) {
                return Ok(false);
            }
            let start = point.moved_along().and_then(|axis| starts[axis].clone());
            let own = self.settings.start.as_ref().map(|start| units.scaled_columns(start, 1));
            let mut settings = self.settings.clone();
            if let Some(start) = start.or(own) {
                settings = settings.start(start, 0.0);
            }
            let problem = picked.problem(data, &**set).map_err(|error| failed(point, error))?;
            let problem = problem.ridge(units.ridge(point.ridge));
            let mut observer = FoldObserver { halt: self.halt, fold: self.fold };
            let fit = problem.fit_observed(&settings, &mut observer).map_err(|error| failed(point, error))?;
            if fit.stop() == Stop::Interrupted {
                return Ok(false);
            }
            starts[point.moved_along().unwrap_or(0)..].fill(Some(fit.model().coefficients.clone()));
            done(placed, fit)?;
        }
        Ok(true)
    }
}

/// A fit as a point of a path.
pub(super) fn measured((point, set): &Placed, fit: JointFit, units: &Units, rows: usize) -> JointPathPoint {
    let coefficients = &fit.model().coefficients;
    let used = fit.model().support().len();
    let counted = match set.structure() {
        Structure::Choice(choosing) => choosing.choice(coefficients.len()).count().ln(),
        _ => f64::INFINITY,
    };
    let log_choices = if counted.is_finite() { counted } else { log_choices(coefficients.len(), used) };
    let deviance = 2.0 * rows as f64 * (fit.objective() - units.ridge(point.ridge).value(coefficients));
    JointPathPoint { point: point.clone(), fit, deviance, log_choices }
}
