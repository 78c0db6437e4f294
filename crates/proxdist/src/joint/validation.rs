//! Cross-validation of times and ordered labels, and paths over numbers of features: the rules of [`crate::selection`], with folds that have their share of events or of every label.
//!
//! Within a fold the fits go along the grid, each from the coefficients of a neighbour, and each to the end of its own search (`path.rs`). Columns are scaled by the rows that are fitted to.

use super::answers::{Answers, Times};
use super::path::{Along, JointPath, Placed, measured};
use super::scoring::{self, Scored};
use crate::constraint::Constraint;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::pool::in_pool;
use crate::preparation::{Preparation, Standardize};
use crate::rule::Rule;
use crate::selection::{
    Choice, CrossValidation, Deal, Finished, Grid, Halt, Point, Score, Scoring, Split, Splits, Table, Watch, failed_fit,
};
use crate::solver::Settings;
use crate::spec::SetSpec;
use crate::survival::{SurvivalTimes, Ties};
use rayon::prelude::*;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// A problem of times or ordered labels whose set or ridge weight is to be chosen. The settings are those of [`crate::selection::CrossValidation`], with the same defaults.
///
/// ```
/// use proxdist::joint::JointValidation;
/// use proxdist::selection::Grid;
/// use proxdist::survival::{SurvivalTimes, Ties};
/// use proxdist::{Data, Settings};
///
/// let x: Vec<f64> = (0..120).map(|i| f64::from(i * i % 31)).collect();
/// let time: Vec<f64> = x.chunks(3).map(|x| 50.0 - x[0] + 0.3 * x[1]).collect();
/// let event: Vec<bool> = (0..40).map(|i| i % 4 > 0).collect();
/// let data = Data::dense(&x, 3, &[0.0; 40])?;
/// let validation = JointValidation::cox(&data, &SurvivalTimes::new(&time, &event)?, Ties::Efron).folds(5);
/// let selection = validation.ridge(0.01).run(&Grid::parse(["sparsity:1-2"])?, &Settings::default())?;
/// assert_eq!(selection.path.points[0].fit.model().support(), [0]);
/// # Ok::<(), proxdist::Error>(())
/// ```
#[derive(Debug)]
pub struct JointValidation<'a> {
    data: &'a Data<'a>,
    pub(super) answers: Answers,
    constraint: SetSpec,
    ridge: f64,
    standardize: Standardize,
    deal: Deal,
    scoring: Scoring,
    choice: Choice,
}

/// What a cross-validation found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JointSelection {
    /// The scores of all points.
    pub table: Table,
    /// Position in the table of the best mean.
    pub best: usize,
    /// Position of the simplest point within one standard error of it.
    pub one_standard_error: usize,
    /// Position of the point that is taken.
    pub chosen: usize,
    /// The fits of all points to all rows.
    pub path: JointPath,
}

/// The score of one fit, and whether F has a minimum that it reached.
type Cell = (f64, bool);

impl<'a> JointValidation<'a> {
    /// Cox regression, without a set wherever the grid says nothing else.
    pub fn cox(data: &'a Data<'a>, times: &SurvivalTimes, ties: Ties) -> Self {
        Self::new(data, Answers::Times(Times::of(times, ties)))
    }

    /// Ordered labels, each as the number of its level from 0 on.
    pub fn ordinal<S: Into<String>>(data: &'a Data<'a>, labels: &[f64], levels: impl IntoIterator<Item = S>) -> Self {
        let levels = levels.into_iter().map(Into::into).collect();
        Self::new(data, Answers::Levels { labels: labels.to_vec(), levels })
    }

    fn new(data: &'a Data<'a>, answers: Answers) -> Self {
        Self {
            data,
            answers,
            constraint: SetSpec::WholeSpace,
            ridge: 0.0,
            standardize: Standardize::Never,
            deal: Deal::at_random(CrossValidation::FOLDS),
            scoring: Scoring::default(),
            choice: Choice::default(),
        }
    }

    /// What the strata are called.
    #[must_use]
    pub fn strata<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        if let Answers::Times(times) = &mut self.answers {
            times.names = names.into_iter().map(Into::into).collect();
        }
        self
    }

    /// The set, wherever the grid says nothing else.
    #[must_use]
    pub fn constraint(mut self, constraint: SetSpec) -> Self {
        self.constraint = constraint;
        self
    }

    /// Weight of the ridge term, where the grid has none.
    #[must_use]
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.ridge = ridge;
        self
    }

    /// Whether the columns are scaled for each fit, and what the ridge acts on, by the rows it is fitted to.
    #[must_use]
    pub fn standardize(mut self, standardize: Standardize) -> Self {
        self.standardize = standardize;
        self
    }

    /// Parts the rows are dealt into.
    #[must_use]
    pub fn folds(mut self, folds: usize) -> Self {
        self.deal.count = folds;
        self
    }

    /// Tells which rows are fitted to and which are scored on, split by split.
    #[must_use]
    pub fn splits(mut self, splits: Vec<Split>) -> Self {
        self.deal = self.deal.split(splits);
        self
    }

    /// Fixes the folds.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.deal.seed = seed;
        self
    }

    /// What a held-out fold is scored by: `loss`, for times `concordance`, for labels `accuracy`.
    #[must_use]
    pub fn scoring(mut self, scoring: Scoring) -> Self {
        self.scoring = scoring;
        self
    }

    /// Which point is taken.
    #[must_use]
    pub fn choice(mut self, choice: Choice) -> Self {
        self.choice = choice;
        self
    }

    /// What is done with the rows of each fit.
    pub fn preparation(&self, grid: &Grid, settings: &Settings) -> Result<Preparation> {
        self.prepared(&self.placed(grid, settings)?)
    }

    /// Fits every point of the grid to all rows.
    pub fn trace(&self, grid: &Grid, settings: &Settings) -> Result<JointPath> {
        let silent = |_: &Finished| ControlFlow::<Infallible>::Continue(());
        match self.trace_watched(grid, settings, &silent)? {
            ControlFlow::Continue(path) => Ok(path),
            ControlFlow::Break(never) => match never {},
        }
    }

    /// The same while someone watches, who may end it: `Break` then carries the reason out.
    pub fn trace_watched<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, JointPath>> {
        let inside = Settings { threads: None, ..settings.resolved()?.into_owned() };
        in_pool(settings.threads, || {
            let points = self.placed(grid, &inside)?;
            let halt = Halt::new(watch, points.len());
            let path = self.on_all(&points, &inside, &halt)?;
            Ok(match (halt.take_reason(), path) {
                (Some(reason), _) => ControlFlow::Break(reason),
                (None, Some(path)) => ControlFlow::Continue(path),
                (None, None) => return Err(Error::Empty { what: "points" }),
            })
        })
    }

    /// Scores every point of the grid, and fits all of them to all rows.
    pub fn run(&self, grid: &Grid, settings: &Settings) -> Result<JointSelection> {
        let silent = |_: &Finished| ControlFlow::<Infallible>::Continue(());
        match self.run_watched(grid, settings, &silent)? {
            ControlFlow::Continue(selection) => Ok(selection),
            ControlFlow::Break(never) => match never {},
        }
    }

    /// The same while someone watches, who may end it.
    pub fn run_watched<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, JointSelection>> {
        // One pool around all: a pool in each fit would multiply the threads.
        let inside = Settings { threads: None, ..settings.resolved()?.into_owned() };
        in_pool(settings.threads, || self.select(grid, &inside, watch))
    }

    fn prepared(&self, points: &[Placed]) -> Result<Preparation> {
        // Means may be taken out of columns: a constant in all predictors changes nothing.
        Preparation::decide(self.standardize, points.iter().map(|(_, set)| &**set as &dyn Constraint), true)
    }

    /// The points with their sets, and everything that can be refused before the first fit.
    fn placed(&self, grid: &Grid, settings: &Settings) -> Result<Vec<Placed>> {
        if !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(Error::setting("ridge", Rule::NotNegative, self.ridge));
        }
        let loss = self.answers.loss_name();
        if grid.axes().iter().any(|axis| axis.name() == "rho1") {
            return Err(Error::NotForJoint { what: "a grid over rho1", loss });
        }
        if self.answers.rows() != self.data.rows() {
            let (found, expected, rule) = (self.answers.rows(), self.data.rows(), "one for each row");
            return Err(Error::Length { what: "times or labels", found, expected, rule });
        }
        scoring::check(self.scoring, &self.answers)?;
        let points = grid.points(&self.constraint, self.ridge, settings.rho1)?;
        let built = |point: Point| point.constraint.build_for(self.data).map(|set| (point, set));
        let points = points.into_iter().map(built).collect::<Result<Vec<_>>>()?;
        for (point, set) in &points {
            self.answers.problem(self.data, &**set)?.ridge(point.ridge).check(settings)?;
        }
        Ok(points)
    }

    /// The splits: as told, or at random with a share of the events or of every label in each part.
    fn dealt(&self) -> Result<Splits> {
        let count = self.deal.count;
        match &self.answers {
            Answers::Times(times) => {
                let events: Vec<f64> = times.event.iter().map(|event| f64::from(u8::from(*event))).collect();
                let happened = times.event.iter().filter(|event| **event).count();
                let are_shared = happened >= count && events.len() - happened >= count;
                match self.deal.splits(self.data.rows(), Some(&events[..]).filter(|_| are_shared)) {
                    // Splits that are told may leave rows with events only, which is no fault, or without any, which the fit tells.
                    Err(Error::Setting { rule: Rule::BothClasses, .. }) => self.deal.splits(self.data.rows(), None),
                    dealt => dealt,
                }
            }
            Answers::Levels { labels, levels } => {
                self.deal.splits(self.data.rows(), Some(labels)).map_err(|error| match error {
                    Error::Setting { rule: Rule::AtMostInClass { rows, label }, .. } => {
                        let class = levels.get(label as usize).cloned().unwrap_or_default();
                        Error::FewOfClass { class, rows, folds: count }
                    }
                    other => other,
                })
            }
        }
    }

    /// All points on all rows; `None` if it was ended early.
    fn on_all<W: Watch>(&self, points: &[Placed], settings: &Settings, halt: &Halt<W>) -> Result<Option<JointPath>> {
        let largest = points.iter().map(|(point, _)| point.ridge).fold(0.0, f64::max);
        let units = self.prepared(points)?.units(self.data, largest)?;
        let scaled = units.view(self.data)?;
        let data = scaled.as_ref().unwrap_or(self.data);
        let all: Vec<usize> = (0..data.rows()).collect();
        let counted = all.iter().filter(|&&row| data.weight(row) > 0.0);
        let count = match &self.answers {
            Answers::Times(times) => counted.clone().filter(|&&row| times.event[row]).count(),
            Answers::Levels { .. } => counted.clone().count(),
        };
        let (rows, mut found) = (counted.count(), Vec::with_capacity(points.len()));
        let along = Along { points, settings, halt, fold: 0 };
        let mut keep = |placed: &Placed, fit| {
            found.push(measured(placed, fit, &units, rows));
            Ok(())
        };
        let is_whole = along.fits((self, &all), (data, &units), &mut keep, &|_, error| error)?;
        Ok(is_whole.then_some(JointPath { points: found, units, count }))
    }

    /// All points with one fold held out; `None` if it was ended early.
    fn fold<W: Watch>(&self, split: &Split, along: &Along<W>) -> Result<Option<Vec<Cell>>> {
        let (fold, folds) = (along.fold, self.deal.count);
        let failed = |point: &Point, error| failed_fit(point.to_string(), fold, folds, error, &split.training);
        let first = &along.points[0].0;
        let both: Vec<usize> = split.training.iter().chain(&split.held_out).copied().collect();
        let (training, together) = (self.data.subset(split.training.clone())?, self.data.subset(both.clone())?);
        let prepared = || -> Result<_> {
            let train = training.data()?;
            let largest = along.points.iter().map(|(point, _)| point.ridge).fold(0.0, f64::max);
            let units = self.prepared(along.points)?.units(&train, largest)?;
            Ok((units.apply(train)?, units.apply(together.data()?)?, units))
        };
        let (train, all, units) = prepared().map_err(|error| failed(first, error))?;
        let answers = self.answers.picked(&both);
        let scored = Scored { data: &all, answers: &answers, fitted: split.training.len() };
        let mut cells = Vec::with_capacity(along.points.len());
        let mut score = |(point, _): &Placed, fit: super::JointFit| {
            let score = scored.score(self.scoring, fit.model()).map_err(|error| failed(point, error))?;
            cells.push((score, fit.stop().is_success() && fit.undetermined().is_empty()));
            along.halt.finished(fold, point, score);
            Ok(())
        };
        let is_whole = along.fits((self, &split.training), (&train, &units), &mut score, &failed)?;
        Ok(is_whole.then_some(cells))
    }

    fn select<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, JointSelection>> {
        let points = self.placed(grid, settings)?;
        let splits = self.dealt()?;
        let halt = Halt::new(watch, splits.all.len() * points.len());
        let fold = |(fold, split): (usize, &Split)| {
            let along = Along { points: &points, settings, halt: &halt, fold };
            self.fold(split, &along).inspect_err(|_| halt.fail(fold))
        };
        let outcomes: Vec<Result<Option<Vec<Cell>>>> =
            splits.all.par_iter().enumerate().with_max_len(1).map(fold).collect();
        // The first error is that of the lowest fold.
        let cells = outcomes.into_iter().collect::<Result<Option<Vec<_>>>>()?;
        let path = if cells.is_some() { self.on_all(&points, settings, &halt)? } else { None };
        if let Some(reason) = halt.take_reason() {
            return Ok(ControlFlow::Break(reason));
        }
        let (Some(cells), Some(path)) = (cells, path) else { return Err(Error::Empty { what: "folds" }) };
        let score = |(i, (point, _)): (usize, &Placed)| {
            let scores = cells.iter().map(|fits| fits[i].0).collect();
            Score::new(point.clone(), scores, cells.iter().filter(|fits| fits[i].1).count())
        };
        let scores = points.iter().enumerate().map(score).collect();
        let table = Table { scoring: self.scoring, folds: splits.all.len(), seed: self.deal.seed, scores };
        let (best, one_standard_error) = (table.best(), table.one_standard_error());
        let chosen = if self.choice == Choice::Best { best } else { one_standard_error };
        Ok(ControlFlow::Continue(JointSelection { table, best, one_standard_error, chosen, path }))
    }
}
