//! Cross-validation over a grid, and the fit of the point it chooses.

use super::grid::{Grid, Point};
use super::over_sizes::OverSizes;
use super::scoring::{HeldOut, Judge, OwnScore, Scoring};
use super::split::{Deal, Split, Splits};
use super::table::{Choice, Score, Table};
use super::watch::{Finished, FoldObserver, Halt, Watch};
use crate::constraint::Constraint;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::loss::{Loss, check_responses};
use crate::model::Model;
use crate::pool::in_pool;
use crate::preparation::{Preparation, Standardize, Units};
use crate::problem::Problem;
use crate::rule::Rule;
use crate::solver::{Fit, Note, Setting, Settings, Stop};
use crate::spec::SetSpec;
use rayon::prelude::*;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// A problem whose set, ridge weight or first penalty is to be chosen.
///
/// | setting     | default            | meaning |
/// |-------------|--------------------|---------|
/// | `ridge`     | 0                  | weight of the ridge term where the grid has no `ridge` axis |
/// | `intercept` | no                 | whether the model has one |
/// | `standardize` | never            | whether the columns are scaled for each fit, and what the ridge acts on, by the rows it is fitted to |
/// | `folds`     | 10                 | parts the rows are dealt into, from 2 to n |
/// | `fold_of`   | dealt at random    | the part of each row, from 0, in place of `folds` and `seed` |
/// | `splits`    | none               | rows to fit to and rows to score on, split by split, in place of all these |
/// | `seed`      | 0                  | fixes the folds |
/// | `scoring`   | mean loss          | what a held-out fold is scored by |
/// | `choice`    | one standard error | which point is fitted to all rows |
#[derive(Debug)]
pub struct CrossValidation<'a> {
    pub(super) data: &'a Data<'a>,
    pub(super) loss: Box<dyn Loss + 'a>,
    constraint: SetSpec,
    ridge: f64,
    pub(super) intercept: bool,
    pub(super) standardize: Standardize,
    pub(super) deal: Deal,
    pub(super) judge: Judge<'a>,
    choice: Choice,
}

/// What a cross-validation found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Selection {
    /// The scores of all points.
    pub table: Table,
    /// Position in the table of the best mean.
    pub best: usize,
    /// Position of the simplest point within one standard error of it.
    pub one_standard_error: usize,
    /// Position of the point that was fitted to all rows.
    pub chosen: usize,
    /// That fit, in its units.
    pub fit: Fit,
    /// The units it was made in, those of all rows.
    pub units: Units,
    /// Settings that were given and had no effect on any fit, with the reason in the last one. The seed that deals the rows is not
    /// one of them.
    pub notes: Vec<Note>,
}

impl Selection {
    /// The chosen point and its scores.
    pub fn chosen(&self) -> &Score {
        &self.table.scores[self.chosen]
    }

    /// The model in the units of the data.
    pub fn model(&self) -> Result<Model> {
        self.units.restored(self.fit.model())
    }
}

/// The scores of all points.
pub(super) struct Scored {
    pub(super) scores: Vec<Score>,
    /// Where the fit of each to all rows starts, if that is known, in the units of the fit.
    pub(super) starts: Vec<(Vec<f64>, f64)>,
    /// The fits, fold by fold, where there was one a point.
    pub(super) cells: Vec<Vec<Cell>>,
}

/// One fit of the search.
pub(super) struct Cell {
    score: f64,
    converged: bool,
    notes: Vec<Note>,
}

impl Cell {
    fn has_note_on(&self, setting: Setting) -> bool {
        self.notes.iter().any(|note| note.setting == setting)
    }
}

impl<'a> CrossValidation<'a> {
    /// Parts the rows are dealt into unless told otherwise.
    pub const FOLDS: usize = 10;

    /// The problem with this set wherever the grid says nothing else.
    pub fn new(data: &'a Data<'a>, loss: impl Loss + 'a, constraint: SetSpec) -> Self {
        let (ridge, intercept, deal) = (0.0, false, Deal::at_random(Self::FOLDS));
        let (loss, judge, choice) = (Box::new(loss), Judge::default(), Choice::default());
        let standardize = Standardize::Never;
        Self { data, loss, constraint, ridge, intercept, standardize, deal, judge, choice }
    }

    /// Weight of the ridge term.
    #[must_use]
    pub fn ridge(mut self, ridge: f64) -> Self {
        self.ridge = ridge;
        self
    }

    /// Gives the model an intercept.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// Whether the columns are scaled for each fit, and what the ridge acts on, by the moments of the rows it is fitted to; rows held
    /// out have no part in it. All sets of the grid decide together. A start is in the units of the data.
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

    /// Tells the part of each row, from 0, for rows that belong together.
    #[must_use]
    pub fn fold_of(mut self, fold_of: Vec<usize>) -> Self {
        self.deal = self.deal.told(fold_of);
        self
    }

    /// Fixes the folds.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.deal.seed = seed;
        self
    }

    /// What a held-out fold is scored by.
    #[must_use]
    pub fn scoring(mut self, scoring: Scoring) -> Self {
        self.judge = Judge::named(scoring);
        self
    }

    /// A score of one's own instead.
    #[must_use]
    pub fn scored_by(mut self, own: &'a dyn OwnScore) -> Self {
        self.judge = Judge::own(own);
        self
    }

    /// Tells which rows are fitted to and which are scored on, split by split.
    #[must_use]
    pub fn splits(mut self, splits: Vec<Split>) -> Self {
        self.deal = self.deal.split(splits);
        self
    }

    /// Which point is fitted to all rows.
    #[must_use]
    pub fn choice(mut self, choice: Choice) -> Self {
        self.choice = choice;
        self
    }

    /// What is done with the rows of each fit.
    pub fn preparation(&self, grid: &Grid, settings: &Settings) -> Result<Preparation> {
        self.prepared(&self.checked_points(grid, settings)?)
    }

    fn prepared(&self, points: &[(Point, Box<dyn Constraint>)]) -> Result<Preparation> {
        let sets = points.iter().map(|(_, set)| &**set as &dyn Constraint);
        Preparation::decide(self.standardize, sets, self.intercept)
    }

    /// Scores every point of the grid and fits the chosen one to all rows.
    ///
    /// The settings hold for every fit: a limit of time or steps is one for each. A batch size above the rows of a fold is cut
    /// to them. The last fit starts where the settings say, so that fitting the chosen point by hand gives the same model.
    ///
    /// Where points differ in the number of features or groups of one set, and in a ridge, the folds are searched by paths, all sizes at once, and the settings are those of the
    /// last fit; it starts from the point that the path of all rows has for it, unless they say where. A `rho1` axis, another method and
    /// `polish` switched off ask for a fit of each point in each fold.
    pub fn run(&self, grid: &Grid, settings: &Settings) -> Result<Selection> {
        let silent = |_: &Finished| ControlFlow::<Infallible>::Continue(());
        match self.run_watched(grid, settings, &silent)? {
            ControlFlow::Continue(selection) => Ok(selection),
            ControlFlow::Break(never) => match never {},
        }
    }

    /// The same while someone watches, who may end it: `Break` then carries the reason out. If the last fit is ended, its
    /// result so far is returned.
    pub fn run_watched<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, Selection>> {
        settings.check(self.data.rows(), self.data.columns())?;
        // One pool around all: a pool in each fit would multiply the threads.
        let inside = Settings { threads: None, resume: None, ..settings.clone() };
        in_pool(settings.threads, || self.select(grid, &inside, watch))
    }

    fn select<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, Selection>> {
        let points = self.checked_points(grid, settings)?;
        let splits = self.dealt()?;
        let halt = Halt::new(watch, splits.all.len() * points.len());
        // Paths rest on second derivatives; without them each point is fitted by itself.
        let by_paths = match OverSizes::of(&points, grid, settings).filter(|_| self.loss.is_differentiable()) {
            Some(sizes) => sizes.scored(self, &points, &halt)?,
            None => None,
        };
        let scored = match by_paths {
            None if !halt.ends(0) => self.fit_by_fit(&splits, &points, settings, &halt)?,
            by_paths => by_paths,
        };
        if let Some(reason) = halt.take_reason() {
            return Ok(ControlFlow::Break(reason));
        }
        // Nobody else ends it.
        let Scored { scores, starts, cells } = scored.ok_or(Error::Empty { what: "folds" })?;
        let table = Table { scoring: self.judge.scoring, folds: self.deal.count, seed: self.deal.seed, scores };
        let (best, one_standard_error) = (table.best(), table.one_standard_error());
        let chosen = if self.choice == Choice::Best { best } else { one_standard_error };
        let (point, set) = &points[chosen];
        let settings = Settings { rho1: point.rho1, resume: None, ..settings.clone() };
        let units = self.prepared(&points)?.units(self.data, point.ridge)?;
        let settings = match starts.into_iter().nth(chosen) {
            Some((coefficients, intercept)) if settings.start.is_none() => settings.start(coefficients, intercept),
            _ => units.started(settings),
        };
        let scaled = units.view(self.data)?;
        let data = scaled.as_ref().unwrap_or(self.data);
        let fit = Problem::new(data, &*self.loss, set)
            .ridge(units.ridge(point.ridge))
            .intercept(self.intercept)
            .fit_observed(&settings, &mut FoldObserver { halt: &halt, fold: 0 })?;
        let is_idle = |note: &&Note| cells.iter().flatten().all(|cell| cell.has_note_on(note.setting));
        let notes = fit.notes().iter().filter(is_idle).copied().collect();
        Ok(ControlFlow::Continue(Selection { table, best, one_standard_error, chosen, fit, units, notes }))
    }

    /// A fit for every point in every fold; `None` if it was ended early.
    fn fit_by_fit<W: Watch>(
        &self,
        splits: &Splits,
        points: &[(Point, Box<dyn Constraint>)],
        settings: &Settings,
        halt: &Halt<W>,
    ) -> Result<Option<Scored>> {
        let outcomes: Vec<Result<Option<Vec<Cell>>>> = splits
            .all
            .par_iter()
            .enumerate()
            .with_max_len(1)
            .map(|(number, split)| {
                self.fold((number, split), points, settings, halt).inspect_err(|_| halt.fail(number))
            })
            .collect();
        // The first error is that of the lowest fold.
        let cells = outcomes.into_iter().collect::<Result<Option<Vec<_>>>>()?;
        let Some(cells) = cells else { return Ok(None) };
        let score = |(i, (point, _)): (usize, &(Point, Box<dyn Constraint>))| {
            let scores = cells.iter().map(|fits| fits[i].score).collect();
            Score::new(point.clone(), scores, cells.iter().filter(|fits| fits[i].converged).count())
        };
        let scores = points.iter().enumerate().map(score).collect();
        Ok(Some(Scored { scores, starts: Vec::new(), cells }))
    }

    /// The splits, as told or at random.
    fn dealt(&self) -> Result<Splits> {
        let labels = self.judge.scoring.needs_classes(&*self.loss).then(|| self.data.response());
        self.deal.splits(self.data.rows(), labels)
    }

    /// The points with their sets, and everything that can be refused before the first fit.
    fn checked_points(&self, grid: &Grid, settings: &Settings) -> Result<Vec<(Point, Box<dyn Constraint>)>> {
        if !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(Error::setting("ridge", Rule::NotNegative, self.ridge));
        }
        if settings.schedule.is_some() && grid.axes().iter().any(|axis| axis.name() == "rho1") {
            return Err(Error::setting("a grid", Rule::WithoutRho1, "both"));
        }
        check_responses(&*self.loss, self.data.response())?;
        self.judge.scoring.check(&*self.loss, self.data.response())?;
        let points = grid.points(&self.constraint, self.ridge, settings.rho1)?;
        points.into_iter().map(|point| point.constraint.build_for(self.data).map(|set| (point, set))).collect()
    }

    /// All points in order with one fold held out; `None` if it was ended early.
    fn fold<W: Watch>(
        &self,
        (fold, split): (usize, &Split),
        points: &[(Point, Box<dyn Constraint>)],
        settings: &Settings,
        halt: &Halt<W>,
    ) -> Result<Option<Vec<Cell>>> {
        let (training, held_out) =
            (self.data.subset(split.training.clone())?, self.data.subset(split.held_out.clone())?);
        let failure = |point: &Point| {
            let (label, folds, numbers) = (point.to_string(), self.deal.count, training.rows());
            move |error| failed_fit(label, fold, folds, error, numbers)
        };
        let first = failure(&points[0].0);
        let both = || -> Result<_> {
            let (train, test) = (training.data()?, held_out.data()?);
            let largest = points.iter().map(|(point, _)| point.ridge).fold(0.0, f64::max);
            let units = self.prepared(points)?.units(&train, largest)?;
            Ok((units.apply(train)?, units.apply(test)?, units))
        };
        let (train, test, units) = both().map_err(first)?;
        let most = |count: Option<usize>| count.map(|count| count.min(train.rows()));
        let (batch_size, monitor_rows) = (most(settings.batch_size), most(settings.monitor_rows));
        let settings = units.started(Settings { batch_size, monitor_rows, ..settings.clone() });
        // For each axis, the last point that others move on from along it.
        let mut starts: Vec<Option<(Vec<f64>, f64)>> = vec![None; points[0].0.coordinates.len()];
        let mut cells = Vec::with_capacity(points.len());
        for (point, set) in points {
            if halt.ends(fold) {
                return Ok(None);
            }
            let mut settings = Settings { rho1: point.rho1, ..settings.clone() };
            if let Some((coefficients, intercept)) = point.moved_along().and_then(|axis| starts[axis].clone()) {
                settings = settings.start(coefficients, intercept);
            }
            let problem =
                Problem::new(&train, &*self.loss, set).ridge(units.ridge(point.ridge)).intercept(self.intercept);
            let fit = problem.fit_observed(&settings, &mut FoldObserver { halt, fold }).map_err(failure(point))?;
            if fit.stop() == Stop::Interrupted {
                return Ok(None);
            }
            let rows = HeldOut { split: fold, rows: &test, units: &units };
            let score = self.judge.score(&*self.loss, rows, fit.coefficients(), fit.intercept());
            let score = score.map_err(failure(point))?;
            let start = (fit.coefficients().to_vec(), fit.intercept().unwrap_or(0.0));
            starts[point.moved_along().unwrap_or(0)..].fill(Some(start));
            cells.push(Cell { score, converged: fit.stop().is_success(), notes: fit.notes().to_vec() });
            halt.finished(fold, point, score);
        }
        Ok(Some(cells))
    }
}

/// The error of one fit, with the fold and the point it happened at; `rows` are those of the data that it was fitted to.
pub(crate) fn failed_fit(point: String, fold: usize, folds: usize, mut error: Error, rows: &[usize]) -> Error {
    if let Some(row) = error.row_mut() {
        *row = rows.get(*row).copied().unwrap_or(*row);
    }
    Error::Fold { point, fold: fold + 1, folds, source: Box::new(error) }
}
