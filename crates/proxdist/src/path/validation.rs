//! Cross-validation over a path: held-out scores of all sizes and ridges.
//!
//! Every fold is searched on its own: its rows, their means and standard deviations, and no support from elsewhere, so that a row held out has no part in the
//! model that is to predict it. For a quadratic loss the sums of the rows outside a fold are those of all rows minus those of the fold
//! (`fold.rs`), which costs one pass over the data for all folds together. Folds run in parallel, and no bit depends on the number of threads.

use super::fold::{Fold, FoldScores, Totals};
use super::form::Form;
use super::point::Path;
use super::scored::{PathScore, PathScores, chosen};
use super::settings::PathSettings;
use super::sized::{SizedSets, plain_size};
use super::tracing::{Traced, trace};
use super::watch::{PathObserver, PathProgress, Watch};
use crate::constraint::{Constraint, Sparsity};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::pool::in_pool;
use crate::preparation::{Preparation, Standardize, Units};
use crate::problem::Problem;
use crate::selection::{CrossValidation, Deal, Judge, OwnScore, Scoring, Split, Splits};
use crate::solver::Settings;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A path whose size and ridge are to be chosen by cross-validation. The ridges are those of [`PathSettings::ridges`], none without them.
///
/// | setting       | default         | meaning |
/// |---------------|-----------------|---------|
/// | `constraint`  | sparsity        | the set whose number of features or groups is replaced by each size |
/// | `intercept`   | no              | whether models have one |
/// | `standardize` | auto            | whether the columns are scaled for each path, and what the ridge acts on, by the rows of that path |
/// | `folds`       | 10              | parts the rows are dealt into, from 2 to n |
/// | `fold_of`     | dealt at random | the part of each row, from 0, in place of `folds` and `seed` |
/// | `splits`      | none            | rows to fit to and rows to score on, split by split, in place of all these |
/// | `seed`        | 0               | fixes the folds |
/// | `scoring`     | mean loss       | what a held-out fold is scored by |
///
/// ```
/// use proxdist::loss::Squared;
/// use proxdist::path::{PathSettings, PathValidation};
/// use proxdist::simulate::{Response, Truth, vector};
///
/// let simulated = vector(Response::Linear, Truth::Sparse(3), 300, 40, 1)?;
/// let data = simulated.data()?;
/// let found = PathValidation::new(&data, Squared, 8).folds(5).run(&PathSettings::default())?;
/// assert_eq!(found.scores[found.one_standard_error].size, 3);
/// assert_eq!(found.path.points[found.one_standard_error].support.len(), 3);
/// # Ok::<(), proxdist::Error>(())
/// ```
#[derive(Debug)]
pub struct PathValidation<'a> {
    pub(super) data: &'a Data<'a>,
    pub(super) loss: Box<dyn Loss + 'a>,
    pub(super) constraint: Box<dyn Constraint + 'a>,
    pub(super) intercept: bool,
    standardize: Standardize,
    deal: Deal,
    pub(super) judge: Judge<'a>,
}

/// A fold whose path has just been scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FinishedFold {
    /// The fold held out, from 0.
    pub fold: usize,
    /// Folds done so far; which they are depends on the threads.
    pub done: usize,
    /// Folds in all.
    pub total: usize,
}

/// Sees every finished fold and may end the whole. Called from several threads. Functions of a [`FinishedFold`] watch.
pub trait PathWatch: Sync {
    /// Called after each fold.
    fn finished(&self, finished: &FinishedFold) -> ControlFlow<()>;

    /// Called before it with the scores of the fold, in the order of the points of the path.
    fn scored(&self, fold: usize, scores: &[f64]) -> ControlFlow<()> {
        let _ = (fold, scores);
        ControlFlow::Continue(())
    }

    /// Called for each size that was looked at, first in the path of all rows, then in those of the folds.
    fn step(&self, progress: &PathProgress) {
        let _ = progress;
    }

    /// Called before the folds with the path of all rows in its units: all of it, or what was found until the end was asked for.
    fn traced(&self, path: &Path, units: &Units) {
        let _ = (path, units);
    }

    /// Called often, for interrupts that cannot wait; must be quick.
    fn poll(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: Fn(&FinishedFold) -> ControlFlow<()> + Sync> PathWatch for F {
    fn finished(&self, finished: &FinishedFold) -> ControlFlow<()> {
        self(finished)
    }
}

/// What the folds share: who watches, and whether the end was asked for.
struct Shared<'w> {
    watch: &'w dyn PathWatch,
    is_over: AtomicBool,
    done: AtomicUsize,
}

impl Shared<'_> {
    fn hear(&self, answer: ControlFlow<()>) -> ControlFlow<()> {
        if answer.is_break() {
            self.is_over.store(true, Ordering::Relaxed);
        }
        if self.is_over.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Lets a path be ended in the middle.
struct Listener<'s, 'w>(&'s Shared<'w>);

impl PathObserver for Listener<'_, '_> {
    fn step(&mut self, progress: &PathProgress) -> ControlFlow<()> {
        self.0.watch.step(progress);
        self.poll()
    }

    fn poll(&mut self) -> ControlFlow<()> {
        self.0.hear(self.0.watch.poll())
    }
}

impl<'a> PathValidation<'a> {
    /// Models of up to `largest` features.
    pub fn new(data: &'a Data<'a>, loss: impl Loss + 'a, largest: usize) -> Self {
        let (intercept, deal) = (false, Deal::at_random(CrossValidation::FOLDS));
        let (standardize, judge) = (Standardize::default(), Judge::default());
        let constraint = Box::new(Sparsity::at_most(largest));
        Self { data, loss: Box::new(loss), constraint, intercept, standardize, deal, judge }
    }

    /// Another set than sparsity alone; its own number of features or groups is the largest size.
    #[must_use]
    pub fn constraint(mut self, set: impl Constraint + 'a) -> Self {
        self.constraint = Box::new(set);
        self
    }

    /// The largest size of sparsity alone.
    pub(super) fn plain_size(&self) -> Option<usize> {
        plain_size(&*self.constraint, self.data.columns())
    }

    /// Gives the models an intercept.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// Whether the columns are scaled for each path, and what the ridge acts on, by the moments of its own rows.
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

    /// Splits the rows in the way of another cross-validation.
    #[must_use]
    pub(crate) fn dealt_as(mut self, deal: Deal) -> Self {
        self.deal = deal;
        self
    }

    /// Scores as another cross-validation does.
    #[must_use]
    pub(crate) fn judged_by(mut self, judge: Judge<'a>) -> Self {
        self.judge = judge;
        self
    }

    /// Tells which rows are fitted to and which are scored on, split by split.
    #[must_use]
    pub fn splits(mut self, splits: Vec<Split>) -> Self {
        self.deal = self.deal.split(splits);
        self
    }

    /// Traces the path of all rows and that of each fold's other rows, and scores these on the fold.
    pub fn run(&self, settings: &PathSettings) -> Result<PathScores> {
        let silent = |_: &FinishedFold| ControlFlow::Continue(());
        match self.run_watched(settings, &silent)? {
            ControlFlow::Continue(scores) => Ok(scores),
            // Nobody ends it.
            ControlFlow::Break(()) => Err(Error::Empty { what: "folds" }),
        }
    }

    /// The same while someone watches, who may end it.
    pub fn run_watched(&self, settings: &PathSettings, watch: &dyn PathWatch) -> Result<ControlFlow<(), PathScores>> {
        settings.check()?;
        Problem::new(self.data, &*self.loss, &*self.constraint).check(&Settings::default())?;
        self.judge.scoring.check(&*self.loss, self.data.response())?;
        let splits = self.dealt()?;
        let preparation =
            Preparation::decide(self.standardize, [&*self.constraint as &dyn Constraint], self.intercept)?;
        let sets = SizedSets::of(&*self.constraint, self.data, &*self.loss)?;
        let whole = Whole { validation: self, settings, preparation, sets: sets.as_ref() };
        in_pool(settings.threads, || whole.scores(&splits, watch))
    }

    fn dealt(&self) -> Result<Splits> {
        let labels = self.judge.scoring.needs_classes(&*self.loss).then(|| self.data.response());
        self.deal.splits(self.data.rows(), labels)
    }
}

/// A validation and all that its paths share.
#[derive(Clone, Copy)]
pub(super) struct Whole<'v> {
    pub(super) validation: &'v PathValidation<'v>,
    pub(super) settings: &'v PathSettings,
    pub(super) preparation: Preparation,
    /// The sets of all sizes, where features are not chosen freely.
    pub(super) sets: Option<&'v SizedSets>,
}

impl<'v> Whole<'v> {
    /// The path of all rows.
    fn path(&self, units: &Units, known: Option<Form<'v>>, shared: &Shared) -> Result<Path> {
        let Self { validation, settings, sets, .. } = *self;
        let PathValidation { data, loss, constraint, intercept, .. } = validation;
        let view = units.view(data)?;
        let problem = Problem::new(view.as_ref().unwrap_or(data), &**loss, &**constraint)
            .ridge(units.ridge(0.0))
            .intercept(*intercept);
        problem.check(&Settings::default())?;
        trace(Traced { problem: &problem, settings, sets }, known, &mut Watch::new(&mut Listener(shared)))
    }

    fn scores(&self, splits: &Splits, watch: &dyn PathWatch) -> Result<ControlFlow<(), PathScores>> {
        let Self { validation, settings, preparation, .. } = *self;
        let shared = Shared { watch, is_over: AtomicBool::new(false), done: AtomicUsize::new(0) };
        let totals = Totals::of(self, splits)?;
        let largest_ridge = settings.ridges.iter().copied().fold(0.0, f64::max);
        let units = preparation.units(validation.data, largest_ridge)?;
        let known = totals.as_ref().map(|totals| totals.whole(validation, &units)).transpose()?.flatten();
        let path = self.path(&units, known, &shared)?;
        watch.traced(&path, &units);
        let count = validation.deal.count;
        let mut found: Vec<FoldScores> = Vec::with_capacity(count);
        let numbers: Vec<usize> = (0..count).collect();
        for numbers in numbers.chunks(Totals::at_a_time(self)) {
            let parts: Vec<Result<Option<FoldScores>>> = numbers
                .par_iter()
                .with_max_len(1)
                .map(|&number| {
                    let fold = Fold { whole: *self, number, splits: &splits.all };
                    let scores = fold.scores(totals.as_ref(), &mut Watch::new(&mut Listener(&shared)))?;
                    if let Some(found) = &scores
                        && shared.hear(watch.scored(number, &found.scores)).is_break()
                    {
                        return Ok(None);
                    }
                    let done = shared.done.fetch_add(1, Ordering::Relaxed) + 1;
                    let finished = FinishedFold { fold: number, done, total: count };
                    Ok(if shared.hear(watch.finished(&finished)).is_break() { None } else { scores })
                })
                .collect();
            // The first error is that of the lowest fold.
            for part in parts {
                found.extend(part?);
            }
        }
        if shared.is_over.load(Ordering::Relaxed) || found.len() < count {
            return Ok(ControlFlow::Break(()));
        }
        let score = |(at, point): (usize, &super::PathPoint)| {
            let folds = found.iter().map(|fold| fold.scores[at]).collect();
            let separated = found.iter().filter(|fold| fold.is_separated[at]).count();
            PathScore::new((point.size, point.ridge), folds, separated)
        };
        let scores: Vec<PathScore> = path.points.iter().enumerate().map(score).collect();
        let scoring = validation.judge.scoring;
        let (best, one_standard_error) = chosen(scoring, &scores);
        Ok(ControlFlow::Continue(PathScores { path, units, scores, scoring, best, one_standard_error }))
    }
}
