//! The fits of a cross-validation of several outputs: all points on the rows of a fold, or on all rows.

use super::criteria::OutputsPoint;
use super::model::restored_parameter;
use super::objective::Objective;
use super::problem::Responses;
use super::scoring;
use super::sizes::{OfSize, over_sizes};
use super::validation::OutputsValidation;
use crate::constraint::{Constraint, WholeSpace};
use crate::data::Data;
use crate::error::Result;
use crate::preparation::Units;
use crate::selection::{FoldObserver, Halt, Point, Split, Watch, failed_fit};
use crate::solver::{Settings, Stop};
use crate::trace::Observer as _;

/// A point of the grid and its set.
pub(super) type Placed = (Point, Box<dyn Constraint>);

/// One fit of a fold.
pub(super) struct Cell {
    pub(super) score: f64,
    pub(super) converged: bool,
}

/// The numbers of features of all points, where they are that and a ridge and nothing else.
pub(super) struct Sizes {
    /// The size of each point, and the place of its ridge.
    pub(super) of_point: Vec<(usize, usize)>,
    pub(super) largest: usize,
    /// In the order of the grid.
    pub(super) ridges: Vec<f64>,
}

/// What the fits of all folds have in common.
pub(super) struct Search<'s, 'w, W: Watch> {
    pub(super) points: &'s [Placed],
    pub(super) sizes: Option<&'s Sizes>,
    pub(super) settings: &'s Settings,
    pub(super) halt: &'s Halt<'w, W>,
}

/// A parameter in the units of a fit.
type Theta = Vec<f64>;

/// Some rows of the problem, in the units that are fitted in.
struct Part<'d> {
    data: Data<'d>,
    values: Vec<f64>,
    offset: Option<Vec<f64>>,
}

impl Part<'_> {
    fn responses(&self, like: Responses) -> Responses<'_> {
        Responses { values: &self.values, offset: self.offset.as_deref(), ..like }
    }
}

impl OutputsValidation<'_> {
    /// Some rows of the problem in the units of a fit.
    fn part<'d>(&self, data: Data<'d>, rows: &[usize], units: &Units) -> Result<Part<'d>> {
        let picked = |all: &[f64], each: usize| -> Vec<f64> {
            rows.iter().flat_map(|&row| all[row * each..(row + 1) * each].iter().copied()).collect()
        };
        let Responses { values, each, outputs, offset } = self.responses;
        let (values, offset) = (picked(values, each), offset.map(|offset| picked(offset, outputs)));
        Ok(Part { data: units.apply(data)?, values, offset })
    }

    /// Settings of the fit of a point: its first penalty and where it starts, by default where the settings say.
    pub(super) fn started(
        &self,
        settings: &Settings,
        point: &Point,
        units: &Units,
        start: Option<Vec<f64>>,
    ) -> Settings {
        let mut settings = Settings { rho1: point.rho1, ..settings.clone() };
        let own = settings.start.as_ref().map(|start| units.scaled_columns(start, self.responses.outputs));
        let known = start.map(|theta| self.layout().coefficients(&theta).to_vec());
        if let Some(coefficients) = own.or(known) {
            settings = settings.start(coefficients, 0.0);
        }
        settings
    }

    /// All points of a grid of sizes on all rows, with their parameters in the units of the fit; `None` if it was ended early.
    pub(super) fn on_all<W: Watch>(
        &self,
        search: &Search<W>,
        sizes: &Sizes,
    ) -> Result<Option<Vec<(OutputsPoint, Theta)>>> {
        let points = search.points;
        let largest = sizes.ridges.iter().copied().fold(0.0, f64::max);
        let units = self.prepared(points)?.units(self.data, largest)?;
        let scaled = units.view(self.data)?;
        let data = scaled.as_ref().unwrap_or(self.data);
        let Some(found) = self.traced((data, self.responses), &units, search, (sizes, 0))? else {
            return Ok(None);
        };
        let point = |(at, (point, _)): (usize, &Placed)| {
            let sized = &found[at];
            let problem = self.problem(data, self.responses, &WholeSpace).ridge(units.ridge(point.ridge));
            let objective = problem.objective().value(&sized.theta)?;
            let support = sized.support.clone();
            let likelihood = self.likelihood(data, &sized.theta, support.len())?;
            Ok((OutputsPoint { support, objective, separation: sized.separation, likelihood }, sized.theta.clone()))
        };
        points.iter().enumerate().map(point).collect::<Result<Vec<_>>>().map(Some)
    }

    /// The models of all points of a grid of sizes on some rows; `None` if it was ended early.
    fn traced<W: Watch>(
        &self,
        (data, responses): (&Data, Responses),
        units: &Units,
        search: &Search<W>,
        (sizes, fold): (&Sizes, usize),
    ) -> Result<Option<Vec<OfSize>>> {
        let problem = self.problem(data, responses, &WholeSpace);
        problem.check(search.settings)?;
        let mut observer = FoldObserver { halt: search.halt, fold };
        let (mut before, mut all): (Vec<OfSize>, Vec<Vec<OfSize>>) = (Vec::new(), Vec::new());
        for &ridge in &sizes.ridges {
            let plain = problem.objective().gauged(true);
            let objective = Objective { ridge: units.ridge(ridge), ..plain };
            let Some(found) = over_sizes(objective, sizes.largest, &before, &mut || observer.poll())? else {
                return Ok(None);
            };
            before.clone_from(&found);
            all.push(found);
        }
        let at = |&(size, ridge): &(usize, usize)| all[ridge].get(size).or(all[ridge].last()).cloned();
        Ok(sizes.of_point.iter().map(at).collect())
    }

    /// All points in order with one fold held out; `None` if it was ended early.
    pub(super) fn fold<W: Watch>(
        &self,
        (fold, split): (usize, &Split),
        search: &Search<W>,
    ) -> Result<Option<Vec<Cell>>> {
        let Search { points, sizes, settings, halt } = *search;
        let failure = |point: &Point| {
            let (label, folds) = (point.to_string(), self.deal.count);
            move |error| failed_fit(label, fold, folds, error, &split.training)
        };
        let (training, held_out) =
            (self.data.subset(split.training.clone())?, self.data.subset(split.held_out.clone())?);
        let both = || -> Result<_> {
            let (train, test) = (training.data()?, held_out.data()?);
            let largest = points.iter().map(|(point, _)| point.ridge).fold(0.0, f64::max);
            let units = self.prepared(points)?.units(&train, largest)?;
            Ok((self.part(train, training.rows(), &units)?, self.part(test, held_out.rows(), &units)?, units))
        };
        let (train, test, units) = both().map_err(failure(&points[0].0))?;
        let rows = train.responses(self.responses);
        let tested = self.problem(&test.data, test.responses(self.responses), &WholeSpace);
        let scored = |theta: &[f64]| match self.own {
            None => scoring::score(self.scoring, tested.objective(), theta),
            Some(own) => {
                let (coefficients, intercepts) = restored_parameter(&units, self.layout(), theta)?;
                own.score(fold, &coefficients, &intercepts)
            }
        };
        if let Some(sizes) = sizes {
            let found = self.traced((&train.data, rows), &units, search, (sizes, fold));
            let Some(found) = found.map_err(failure(&points[0].0))? else { return Ok(None) };
            let cell = |(sized, (point, _)): (&OfSize, &Placed)| {
                let score = scored(&sized.theta).map_err(failure(point))?;
                halt.finished(fold, point, score);
                Ok(Cell { score, converged: !sized.separation.is_there() })
            };
            return found.iter().zip(points).map(cell).collect::<Result<Vec<_>>>().map(Some);
        }
        let most = |count: Option<usize>| count.map(|count| count.min(train.data.rows()));
        let (batch_size, monitor_rows) = (most(settings.batch_size), most(settings.monitor_rows));
        let settings = Settings { batch_size, monitor_rows, ..settings.clone() };
        // For each axis, the last point that others move on from along it.
        let mut starts: Vec<Option<Vec<f64>>> = vec![None; points[0].0.axes()];
        let mut cells = Vec::with_capacity(points.len());
        for (point, set) in points {
            if halt.ends(fold) {
                return Ok(None);
            }
            let start = point.moved_along().and_then(|axis| starts[axis].clone());
            let settings = Settings { start: settings.start.clone().filter(|_| start.is_none()), ..settings.clone() };
            let settings = self.started(&settings, point, &units, start);
            let problem = self.problem(&train.data, rows, &**set).ridge(units.ridge(point.ridge));
            let fit = problem.fit_observed(&settings, &mut FoldObserver { halt, fold }).map_err(failure(point))?;
            if fit.stop() == Stop::Interrupted {
                return Ok(None);
            }
            let intercepts = fit.model.intercepts.iter().flatten();
            let theta: Vec<f64> = fit.model.coefficients.iter().chain(intercepts).copied().collect();
            let score = scored(&theta).map_err(failure(point))?;
            starts[point.moved_along().unwrap_or(0)..].fill(Some(theta));
            cells.push(Cell { score, converged: fit.stop().is_success() && !fit.model.separation().is_there() });
            halt.finished(fold, point, score);
        }
        Ok(Some(cells))
    }
}
