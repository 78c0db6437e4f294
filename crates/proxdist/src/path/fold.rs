//! One fold of a cross-validation: the path of the rows outside it, scored on the rows inside.
//!
//! For a quadratic loss, with sums about the mean of all rows as in `moments.rs`,
//! $$\sum_{i \notin f} = \sum_i - \sum_{i \in f},$$
//! and the sums of scaled columns are those of the columns times the factors of both, so each fold is scaled by its own standard deviations without another pass.
//! Columns of which little is left are summed again from the rows (`centred.rs`).

use super::centred::Centred;
use super::climb::Place;
use super::engine::{Engine, Searched, fits};
use super::finish::stretched;
use super::form::Form;
use super::in_memory::{InMemory, marked};
use super::moments::{Centre, Moments};
use super::tracing::ridges;
use super::validation::{PathValidation, Whole};
use super::watch::Watch;
use crate::constraint::brief;
use crate::data::Data;
use crate::error::Result;
use crate::layout::Layout;
use crate::objective::Objective;
use crate::polish::OnColumns;
use crate::preparation::Units;
use crate::selection::{HeldOut, Split, Splits, failed_fit};

/// Sums of all rows and, where there is room, of each fold.
pub(super) struct Totals {
    centre: Centre,
    all: Moments,
    folds: Vec<Moments>,
}

impl Totals {
    /// For a quadratic loss whose matrix fits the memory, where every row is held out once.
    pub(super) fn of(shared: &Whole, splits: &Splits) -> Result<Option<Self>> {
        let Whole { validation: whole, settings, sets, .. } = *shared;
        let columns = whole.data.columns();
        if sets.is_some() || !splits.are_folds || !whole.loss.is_quadratic() || !fits(columns, 1, settings.memory) {
            return Ok(None);
        }
        let centre = Centre::of(Objective::new(whole.data, &*whole.loss, 0.0), whole.intercept)?;
        let are_kept = fits(columns, splits.all.len() + 4, settings.memory);
        let (mut all, mut folds): (Option<Moments>, Vec<Moments>) = (None, Vec::new());
        for split in &splits.all {
            let moments = moments(whole, &split.held_out, &centre)?;
            match &mut all {
                Some(all) => all.add(1.0, &moments),
                None => all = Some(moments.clone()),
            }
            if are_kept {
                folds.push(moments);
            }
        }
        Ok(all.map(|all| Self { centre, all, folds }))
    }

    /// Folds that may be worked on at the same time.
    pub(super) fn at_a_time(shared: &Whole) -> usize {
        let Whole { validation: whole, settings, sets, .. } = *shared;
        let columns = whole.data.columns();
        let is_free = sets.is_some() || !whole.loss.is_quadratic() || !fits(columns, 1, settings.memory);
        if is_free { usize::MAX } else { (settings.memory / columns.saturating_mul(columns).saturating_mul(16)).max(1) }
    }

    /// The form of all rows in these units.
    pub(super) fn whole(&self, validation: &PathValidation, units: &Units) -> Result<Option<Form<'static>>> {
        let has_intercept = validation.intercept;
        let mut sums = Centred::new(self.all.clone(), &self.centre, has_intercept, None);
        sums.mend(Objective::new(validation.data, &*validation.loss, 0.0), has_intercept)?;
        Ok(Form::whole(sums, units.scaling(), has_intercept))
    }

    /// Sums about the mean of the rows outside a fold, which are those of `training`.
    pub(super) fn without(&self, fold: &Fold, training: &Data) -> Result<Centred> {
        let whole = fold.whole.validation;
        let has_intercept = whole.intercept;
        let objective = Objective::new(training, &*whole.loss, 0.0);
        let mut rest = self.all.clone();
        match self.folds.get(fold.number) {
            Some(moments) => rest.add(-1.0, moments),
            None => rest.add(-1.0, &moments(whole, &fold.split().held_out, &self.centre)?),
        }
        // Sums of weights are cheap to have exactly.
        rest.mass = training.weight_sum();
        let mut sums = Centred::new(rest, &self.centre, has_intercept, Some(&self.all));
        if sums.is_hopeless() {
            let centre = Centre::of(objective, has_intercept)?;
            sums = Centred::new(Moments::of(objective, &centre)?, &centre, has_intercept, None);
        }
        sums.mend(objective, has_intercept)?;
        Ok(sums)
    }
}

fn moments(whole: &PathValidation, rows: &[usize], centre: &Centre) -> Result<Moments> {
    let part = whole.data.subset(rows.to_vec())?;
    let weightless = rows.iter().all(|&row| whole.data.weight(row) == 0.0);
    if weightless {
        let columns = whole.data.columns();
        return Ok(Moments::none(columns));
    }
    Moments::of(Objective::new(&part.data()?, &*whole.loss, 0.0), centre)
}

/// A fold that is held out.
pub(super) struct Fold<'f> {
    pub(super) whole: Whole<'f>,
    pub(super) number: usize,
    /// The rows of all folds.
    pub(super) splits: &'f [Split],
}

/// The scores of all sizes, ridge by ridge.
pub(super) struct FoldScores {
    pub(super) scores: Vec<f64>,
    pub(super) is_separated: Vec<bool>,
}

impl Fold<'_> {
    /// Traces the path of the other rows and scores it on these; `None` if it was ended early.
    pub(super) fn scores(&self, totals: Option<&Totals>, watch: &mut Watch) -> Result<Option<FoldScores>> {
        let validation = self.whole.validation;
        let name = || match validation.plain_size() {
            Some(largest) => format!("sizes up to {largest}"),
            None => format!("sizes of {}", brief(validation.constraint.spec())),
        };
        let rows = &self.split().training;
        self.scored(totals, watch).map_err(|error| failed_fit(name(), self.number, self.splits.len(), error, rows))
    }

    fn split(&self) -> &Split {
        &self.splits[self.number]
    }

    fn scored(&self, totals: Option<&Totals>, watch: &mut Watch) -> Result<Option<FoldScores>> {
        let Whole { validation: whole, settings, preparation, sets } = self.whole;
        let part = whole.data.subset(self.split().training.clone())?;
        let training = part.data()?;
        let test = whole.data.subset(self.split().held_out.clone())?;
        let largest_ridge = settings.ridges.iter().copied().fold(0.0, f64::max);
        let units = preparation.units(&training, largest_ridge)?;
        let known = match totals {
            Some(totals) => Form::whole(totals.without(self, &training)?, units.scaling(), whole.intercept),
            None => None,
        };
        let (training, test) = (units.apply(training)?, units.apply(test.data()?)?);
        let mut copy = InMemory::of(&training);
        let is_copied = known.is_none() && InMemory::is_worth_it(&training, settings.memory);
        let copied = if is_copied { Some(copy.copied()?) } else { None };
        let data = copied.as_ref().unwrap_or(&training);
        let layout = Layout::of(whole.data.parameter_shape()).intercepts(whole.intercept);
        let objective = Objective::new(data, &*whole.loss, units.ridge(0.0)).intercept(whole.intercept);
        let marks = marked(objective)?;
        let with_marks = marks.as_ref().map(|marks| data.with_marked(marks));
        let objective = Objective { data: with_marks.as_ref().unwrap_or(data), ..objective };
        let largest = whole.plain_size().unwrap_or(0);
        let searched = Searched { objective, layout, largest, settings, sets };
        let mut engine = Engine::new(searched, known)?;
        let (mut places, mut found) = (Vec::new(), FoldScores { scores: Vec::new(), is_separated: Vec::new() });
        for ridge in ridges(units.ridge(0.0), settings) {
            places = engine.places(searched, ridge, &places, watch)?;
            if watch.is_over() {
                return Ok(None);
            }
            let mut last = (f64::INFINITY, f64::NAN, false);
            for place in &places {
                // Where more features do not lower F, the model before stands.
                if let Some(place) = place.as_ref().filter(|place| place.value < last.0) {
                    let point = engine.point(place)?.unwrap_or_default();
                    let theta = parameter(Objective { ridge, ..objective }, place, point)?;
                    let (coefficients, intercept) = (layout.coefficients(&theta), layout.intercept(&theta));
                    let held_out = HeldOut { split: self.number, rows: &test, units: &units };
                    let score = whole.judge.score(&*whole.loss, held_out, coefficients, intercept)?;
                    last = (place.value, score, place.is_separated);
                }
                found.scores.push(last.1);
                found.is_separated.push(last.2);
            }
        }
        Ok(Some(found))
    }
}

/// The parameter of a place: its minimiser, or where there is none a point far out.
fn parameter(objective: Objective, place: &Place, mut point: Vec<f64>) -> Result<Vec<f64>> {
    if point.is_empty() {
        return Ok(objective.layout().zeros());
    }
    if place.is_separated {
        point = stretched(&mut OnColumns::new(objective, &place.support)?, &point)?;
    }
    Ok(objective.layout().spread(&place.support, &point))
}
