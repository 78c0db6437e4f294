//! Cross-validation for several outputs, and the fit of the point it chooses: the rules of [`crate::selection`], with folds that have their share of every class.
//!
//! Where the points are numbers of shared features (`rows:1-30`) and ridge weights, all sizes of a fold are found from their neighbours (`sizes.rs`). Otherwise within a fold the fits go along the grid, and each starts
//! from the coefficients of a neighbour. Columns are scaled by the rows that are fitted to.

use super::criteria::OutputsPoint;
use super::finish::limit_of_rows;
use super::folds::{Cell, Placed, Search, Sizes};
use super::loss::OutputLoss;
use super::problem::{OutputsFit, OutputsProblem, Responses};
use super::scoring::{self, OwnOutputsScore};
use super::sets::build_set;
use crate::constraint::{Constraint, WholeSpace};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::path::Criterion;
use crate::pool::in_pool;
use crate::preparation::{Preparation, Standardize, Units};
use crate::rule::Rule;
use crate::selection::{
    Choice, Deal, Finished, FoldObserver, Grid, Halt, Point, Score, Scoring, Split, Splits, Table, Watch,
};
use crate::solver::{Method, Note, Settings};
use crate::spec::SetSpec;
use rayon::prelude::*;
use std::convert::Infallible;
use std::fmt;
use std::ops::ControlFlow;

/// A problem of several outputs whose set or ridge weight is to be chosen. The settings are those of [`crate::selection::CrossValidation`], with the same defaults: 10 folds, the mean loss, one standard error.
///
/// ```
/// use proxdist::outputs::{OutputLoss, OutputsValidation, Responses};
/// use proxdist::selection::Grid;
/// use proxdist::{Data, Settings, spec::SetSpec};
///
/// let x: Vec<f64> = (0..90).map(|i| f64::from(i * i % 31)).collect();
/// let y: Vec<f64> = x.chunks(3).flat_map(|x| [x[0] + 0.1 * x[1], 2.0 * x[0] - 0.1 * x[2]]).collect();
/// let (data, names) = (Data::dense(&x, 3, &[0.0; 30])?, ["a".to_owned(), "b".to_owned()]);
/// let validation = OutputsValidation::new(&data, Responses::numbers(&y, 2), OutputLoss::Squared, names);
/// let selection = validation.intercept(true).folds(5).run(&Grid::parse(["rows:1-3"])?, &Settings::default())?;
/// assert_eq!(selection.chosen().point.to_string(), "rows:3");
/// # Ok::<(), proxdist::Error>(())
/// ```
pub struct OutputsValidation<'a> {
    pub(super) data: &'a Data<'a>,
    pub(super) responses: Responses<'a>,
    pub(super) loss: OutputLoss,
    pub(super) names: Vec<String>,
    constraint: SetSpec,
    ridge: f64,
    intercept: bool,
    standardize: Standardize,
    pub(super) deal: Deal,
    pub(super) scoring: Scoring,
    pub(super) own: Option<&'a dyn OwnOutputsScore>,
    choice: Choice,
}

impl fmt::Debug for OutputsValidation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputsValidation").field("loss", &self.loss).field("constraint", &self.constraint).finish()
    }
}

/// What a cross-validation found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OutputsSelection {
    /// The scores of all points.
    pub table: Table,
    /// Position in the table of the best mean.
    pub best: usize,
    /// Position of the simplest point within one standard error of it.
    pub one_standard_error: usize,
    /// Position of the point that was fitted to all rows.
    pub chosen: usize,
    /// What all points are on all rows, where they are numbers of shared features; empty otherwise.
    pub points: Vec<OutputsPoint>,
    /// The fit of the chosen point, in its units.
    pub fit: OutputsFit,
    /// The units it was made in.
    pub units: Units,
    /// Settings that were given and had no effect on the last fit, with the reason.
    pub notes: Vec<Note>,
}

impl OutputsSelection {
    /// The chosen point and its scores.
    pub fn chosen(&self) -> &Score {
        &self.table.scores[self.chosen]
    }
}

impl<'a> OutputsValidation<'a> {
    /// The problem without intercepts and, wherever the grid says nothing else, without a set. `names` are those of the outputs.
    pub fn new(
        data: &'a Data<'a>,
        responses: Responses<'a>,
        loss: OutputLoss,
        names: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            data,
            responses,
            loss,
            names: names.into_iter().collect(),
            constraint: SetSpec::WholeSpace,
            ridge: 0.0,
            intercept: false,
            standardize: Standardize::Never,
            deal: Deal::at_random(crate::selection::CrossValidation::FOLDS),
            scoring: Scoring::default(),
            own: None,
            choice: Choice::default(),
        }
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

    /// Gives every output an intercept.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
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

    /// What a held-out fold is scored by: the loss, for classes `accuracy` or `auc` (the mean over classes, each against the rest), for responses `mse`.
    #[must_use]
    pub fn scoring(mut self, scoring: Scoring) -> Self {
        (self.scoring, self.own) = (scoring, None);
        self
    }

    /// A score of one's own instead.
    #[must_use]
    pub fn scored_by(mut self, own: &'a dyn OwnOutputsScore) -> Self {
        (self.scoring, self.own) = (Scoring::Own, Some(own));
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
        self.prepared(&self.placed(grid, settings)?)
    }

    /// Scores every point of the grid and fits the chosen one to all rows.
    pub fn run(&self, grid: &Grid, settings: &Settings) -> Result<OutputsSelection> {
        let silent = |_: &Finished| ControlFlow::<Infallible>::Continue(());
        match self.run_watched(grid, settings, &silent)? {
            ControlFlow::Continue(selection) => Ok(selection),
            ControlFlow::Break(never) => match never {},
        }
    }

    /// The same while someone watches, who may end it: `Break` then carries the reason out.
    pub fn run_watched<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, OutputsSelection>> {
        // One pool around all: a pool in each fit would multiply the threads.
        let inside = Settings { threads: None, ..settings.resolved()?.into_owned() };
        in_pool(settings.threads, || self.select(grid, &inside, watch))
    }

    /// What all points of a grid of numbers of shared features are on all rows, without any choice.
    pub fn points_watched<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, Vec<OutputsPoint>>> {
        let inside = Settings { threads: None, ..settings.resolved()?.into_owned() };
        in_pool(settings.threads, || {
            let points = self.placed(grid, &inside)?;
            let Some(sizes) = self.sizes(&points, &inside) else {
                return Err(Error::NotForOutputs { what: "a path over something else than rows and a ridge" });
            };
            let halt = Halt::new(watch, points.len());
            let search = Search { points: &points, sizes: Some(&sizes), settings: &inside, halt: &halt };
            let found = self.on_all(&search, &sizes)?;
            if let Some(reason) = halt.take_reason() {
                return Ok(ControlFlow::Break(reason));
            }
            Ok(ControlFlow::Continue(found.unwrap_or_default().into_iter().map(|(point, _)| point).collect()))
        })
    }

    pub(super) fn prepared(&self, points: &[Placed]) -> Result<Preparation> {
        let sets = points.iter().map(|(_, set)| &**set as &dyn Constraint);
        Preparation::decide(self.standardize, sets, self.intercept)
    }

    pub(super) fn layout(&self) -> Layout {
        Layout::vector(self.data.columns()).outputs(self.responses.outputs).intercepts(self.intercept)
    }

    /// The points with their sets, and everything that can be refused before the first fit.
    fn placed(&self, grid: &Grid, settings: &Settings) -> Result<Vec<Placed>> {
        if !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(Error::setting("ridge", Rule::NotNegative, self.ridge));
        }
        scoring::check(self.scoring, self.loss)?;
        self.problem(self.data, self.responses, &WholeSpace).check(settings)?;
        let points = grid.points(&self.constraint, self.ridge, settings.rho1)?;
        let built = |point: Point| build_set(&point.constraint, self.data, &self.names).map(|set| (point, set));
        points.into_iter().map(built).collect()
    }

    pub(super) fn problem<'p>(
        &'p self,
        data: &'p Data<'p>,
        responses: Responses<'p>,
        set: &'p dyn Constraint,
    ) -> OutputsProblem<'p> {
        OutputsProblem::new(data, responses, self.loss, set).intercept(self.intercept).names(self.names.iter().cloned())
    }

    /// The splits: as told, or at random with a share of every class in each part.
    fn dealt(&self) -> Result<Splits> {
        let labels = self.loss.is_classification().then_some(self.responses.values);
        self.deal.splits(self.data.rows(), labels).map_err(|error| match error {
            Error::Setting { rule: Rule::AtMostInClass { .. }, .. } => {
                let mut rows = vec![0; self.names.len()];
                self.responses.values.iter().for_each(|class| rows[*class as usize] += 1);
                let rarest = (0..rows.len()).min_by_key(|&class| rows[class]).unwrap_or(0);
                Error::FewOfClass { class: self.names[rarest].clone(), rows: rows[rarest], folds: self.deal.count }
            }
            other => other,
        })
    }

    /// The numbers of features, where the points are nothing but that and a ridge and the usual way of fitting is asked for.
    fn sizes(&self, points: &[Placed], settings: &Settings) -> Option<Sizes> {
        if !settings.polish || !matches!(settings.method, Method::ProximalDistance) {
            return None;
        }
        let layout = self.layout();
        let (mut of_point, mut ridges) = (Vec::with_capacity(points.len()), Vec::<f64>::new());
        for (point, set) in points {
            let place = ridges.iter().position(|ridge| ridge.total_cmp(&point.ridge).is_eq());
            let place = place.unwrap_or_else(|| {
                ridges.push(point.ridge);
                ridges.len() - 1
            });
            of_point.push((limit_of_rows(&**set, layout)?, place));
        }
        let largest = of_point.iter().map(|(size, _)| *size).max()?;
        Some(Sizes { of_point, largest, ridges })
    }

    fn select<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, OutputsSelection>> {
        let points = self.placed(grid, settings)?;
        let (splits, sizes) = (self.dealt()?, self.sizes(&points, settings));
        let halt = Halt::new(watch, splits.all.len() * points.len());
        let search = Search { points: &points, sizes: sizes.as_ref(), settings, halt: &halt };
        let fold =
            |(number, split): (usize, &Split)| self.fold((number, split), &search).inspect_err(|_| halt.fail(number));
        let outcomes: Vec<Result<Option<Vec<Cell>>>> =
            splits.all.par_iter().enumerate().with_max_len(1).map(fold).collect();
        // The first error is that of the lowest fold.
        let cells = outcomes.into_iter().collect::<Result<Option<Vec<_>>>>()?;
        let on_all = match &sizes {
            Some(sizes) if cells.is_some() => self.on_all(&search, sizes)?,
            _ => None,
        };
        if let Some(reason) = halt.take_reason() {
            return Ok(ControlFlow::Break(reason));
        }
        let cells = cells.ok_or(Error::Empty { what: "folds" })?;
        let score = |(i, (point, _)): (usize, &Placed)| {
            let scores = cells.iter().map(|fits| fits[i].score).collect();
            Score::new(point.clone(), scores, cells.iter().filter(|fits| fits[i].converged).count())
        };
        let scores = points.iter().enumerate().map(score).collect();
        let table = Table { scoring: self.scoring, folds: self.deal.count, seed: self.deal.seed, scores };
        let (best, one_standard_error) = (table.best(), table.one_standard_error());
        let chosen = if self.choice == Choice::Best { best } else { one_standard_error };
        let found = self.taken(&search, (table, best, one_standard_error, chosen), on_all)?;
        Ok(ControlFlow::Continue(found))
    }

    /// The least criterion of numbers of shared features, on all rows, and the fit of its point: nothing is held out. The table has the criterion in place of scores.
    pub fn run_by_criterion<W: Watch>(
        &self,
        grid: &Grid,
        settings: &Settings,
        criterion: Criterion,
        watch: &W,
    ) -> Result<ControlFlow<W::Reason, OutputsSelection>> {
        let inside = Settings { threads: None, ..settings.resolved()?.into_owned() };
        in_pool(settings.threads, || {
            let points = self.placed(grid, &inside)?;
            let Some(sizes) = self.sizes(&points, &inside) else {
                return Err(Error::NotForOutputs { what: "a criterion of something else than rows and a ridge" });
            };
            let halt = Halt::new(watch, points.len());
            let search = Search { points: &points, sizes: Some(&sizes), settings: &inside, halt: &halt };
            let on_all = self.on_all(&search, &sizes)?;
            if let Some(reason) = halt.take_reason() {
                return Ok(ControlFlow::Break(reason));
            }
            let on_all = on_all.ok_or(Error::Empty { what: "points" })?;
            let none = || Error::setting("a criterion", Rule::Likelihood, self.loss.to_string());
            let value = |((point, _), (found, _)): (&Placed, &(OutputsPoint, Vec<f64>))| {
                let value = found.criterion(criterion).ok_or_else(none)?;
                Ok(Score::new(point.clone(), vec![value], usize::from(!found.separation.is_there())))
            };
            let scores = points.iter().zip(&on_all).map(value).collect::<Result<Vec<_>>>()?;
            let table = Table { scoring: Scoring::Loss, folds: 1, seed: self.deal.seed, scores };
            let best = table.best();
            self.taken(&search, (table, best, best, best), Some(on_all)).map(ControlFlow::Continue)
        })
    }

    /// The fit of the chosen point to all rows, with all that was found.
    fn taken<W: Watch>(
        &self,
        search: &Search<W>,
        (table, best, one_standard_error, chosen): (Table, usize, usize, usize),
        on_all: Option<Vec<(OutputsPoint, Vec<f64>)>>,
    ) -> Result<OutputsSelection> {
        let Search { points, settings, halt, .. } = *search;
        let (point, set) = &points[chosen];
        let units = self.prepared(points)?.units(self.data, point.ridge)?;
        let start = on_all.as_ref().and_then(|found| found.get(chosen)).map(|(_, theta)| theta.clone());
        let settings = self.started(settings, point, &units, start);
        let scaled = units.view(self.data)?;
        let data = scaled.as_ref().unwrap_or(self.data);
        let fit = self
            .problem(data, self.responses, &**set)
            .ridge(units.ridge(point.ridge))
            .fit_observed(&settings, &mut FoldObserver { halt, fold: 0 })?;
        let notes = fit.notes().to_vec();
        let points = on_all.unwrap_or_default().into_iter().map(|(point, _)| point).collect();
        Ok(OutputsSelection { table, best, one_standard_error, chosen, points, fit, units, notes })
    }
}
