//! A stream, and the way of a block through it.

use super::clock::Clock;
use super::contest::Candidate;
use super::problem::Form;
use super::progressive::{Progressive, Score};
use super::reservoir::Reservoir;
use super::rows::{Flat, KeptRows};
use super::state::{Learned, StreamState};
use super::steps::{self, Memory, Part, project};
use crate::constraint::Workspace;
use crate::data::{Data, RowBuffer, Support, Wanted, products_at};
use crate::error::{Error, Result};
use crate::loss::check_responses;
use crate::rule::Rule;
use crate::trace::{Observer, Silent};
use std::fmt;
use std::ops::ControlFlow;

/// A model that learns from blocks of rows, each seen once; see the [module](super).
pub struct Stream<'p> {
    pub(super) form: Form<'p>,
    pub(super) state: StreamState,
    /// The model in the units of the data: coefficients, then the intercept if there is one.
    pub(super) point: Vec<f64>,
    work: Work,
}

/// Memory that is reused from block to block.
#[derive(Default)]
struct Work {
    steps: Memory,
    before: Learned,
    validation: Validation,
    projection: Workspace,
}

#[derive(Default)]
struct Validation {
    support: Support,
    numbers: Vec<usize>,
    predictors: Vec<f64>,
    weights: Vec<f64>,
    buffer: RowBuffer,
}

/// Rows that are predicted at a time.
const GROUP: usize = 1024;

/// What it is about and where it is, without the numbers.
impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("form", &self.form)
            .field("rows", &self.state.rows)
            .field("steps", &self.steps())
            .finish_non_exhaustive()
    }
}

impl<'p> Stream<'p> {
    pub(super) fn at(form: Form<'p>, state: StreamState) -> Result<Self> {
        let mut stream = Self { form, state, point: Vec::new(), work: Work::default() };
        stream.refresh()?;
        Ok(stream)
    }

    /// Predicts a block, learns it and returns how good the predictions were. After an error the stream is as it was before the block.
    pub fn learn(&mut self, block: &Data) -> Result<Score> {
        Ok(self.learn_observed(block, &mut Silent)?.unwrap_or_default())
    }

    /// The same while an observer is asked after each step whether to go on. `None` if not: then, too, the stream is as it was before the block.
    pub fn learn_observed(&mut self, block: &Data, observer: &mut dyn Observer) -> Result<Option<Score>> {
        let is_sparse = self.check(block)?;
        let score = self.predicted(block)?;
        self.work.before.copy_from(&self.state.learned);
        let outcome = self.take_steps(block, is_sparse, &mut || observer.poll());
        let outcome = outcome.and_then(|flow| self.refresh().map(|()| flow));
        if !matches!(outcome, Ok(ControlFlow::Continue(()))) {
            self.state.learned.copy_from(&self.work.before);
            self.refresh()?;
            return outcome.map(|_| None);
        }
        let half_life = self.form.settings.half_life;
        self.keep_some(block, is_sparse)?;
        let state = &mut self.state;
        state.is_sparse = Some(is_sparse);
        state.progressive.add(&score, block.rows(), half_life);
        state.rows += block.rows() as u64;
        state.blocks += 1;
        Ok(Some(score))
    }

    /// Refuses a block that does not belong here; says whether its rows are sparse.
    fn check(&self, block: &Data) -> Result<bool> {
        let expected = self.form.layout.coefficient_count();
        if block.columns() != expected {
            let rule = "as many columns as the stream has";
            return Err(Error::Length { what: "a row", found: block.columns(), expected, rule });
        }
        let mut is_sparse = false;
        block.chunks(&Wanted { rows: 0..1, length: 1, columns: None }, &mut |first| {
            is_sparse = first.rows.is_sparse();
        })?;
        if self.state.is_sparse.is_some_and(|first| first != is_sparse) {
            let found = if is_sparse { "sparse" } else { "dense" };
            return Err(Error::setting("a block of a stream", Rule::LikeTheFirst, found));
        }
        block.check_magnitudes()?;
        check_responses(&*self.form.loss, block.response())?;
        Ok(is_sparse)
    }

    /// How good the model as it is predicts a block.
    fn predicted(&mut self, block: &Data) -> Result<Score> {
        let Validation { support, numbers, predictors, weights, buffer } = &mut self.work.validation;
        let (coefficients, intercepts) = self.form.layout.split(&self.point);
        let intercept = intercepts.first().copied().unwrap_or(0.0);
        support.update(coefficients);
        let (source, mut score) = (block.random_access()?, Score::default());
        for first in (0..block.rows()).step_by(GROUP) {
            numbers.clear();
            numbers.extend(first..block.rows().min(first + GROUP));
            predictors.clear();
            products_at(source, numbers, (coefficients, support), buffer, predictors)?;
            predictors.iter_mut().zip(&*numbers).for_each(|(eta, &row)| *eta += intercept + block.offset_of(row));
            weights.clear();
            weights.extend(numbers.iter().map(|&row| block.weight(row)));
            let responses = &block.response()[first..first + numbers.len()];
            score.add(&*self.form.loss, predictors, responses, weights);
        }
        Ok(score)
    }

    /// Takes the steps of a block. The very first rows are kept until there are enough of them to tell the scale of columns; till then each block begins anew with all of them.
    fn take_steps(
        &mut self,
        block: &Data,
        is_sparse: bool,
        poll: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let (rows, enough) = (block.rows(), self.form.settings.opening());
        let (seed, number) = (self.state.seed, self.state.blocks);
        let learned = &mut self.state.learned;
        let is_first = learned.contest.candidates.is_empty();
        let opening = if is_first && rows < enough {
            Some(KeptRows::new(block.columns(), is_sparse))
        } else {
            learned.opening.take()
        };
        let mut from = 0;
        if let Some(mut kept) = opening {
            from = rows.min(enough - kept.len());
            block.chunks(&Wanted { rows: 0..from, length: from, columns: None }, &mut |chunk| {
                (0..chunk.len()).for_each(|row| kept.put(kept.len(), chunk, row));
            })?;
            *learned = Learned::begin(&self.form, std::mem::take(&mut learned.start));
            let mut flat = Flat::default();
            let data = kept.data(&mut flat)?;
            let part = Part { data: &data, rows: 0..data.rows(), seed, block: 0 };
            let flow = steps::take(&self.form, &part, learned, &mut self.work.steps, poll)?;
            drop(data);
            if flow.is_break() {
                return Ok(flow);
            }
            learned.opening = Some(kept).filter(|kept| kept.len() < enough);
        }
        if from == rows {
            return Ok(ControlFlow::Continue(()));
        }
        let part = Part { data: block, rows: from..rows, seed, block: number };
        steps::take(&self.form, &part, learned, &mut self.work.steps, poll)
    }

    /// Offers the rows of a block to the sample.
    fn keep_some(&mut self, block: &Data, is_sparse: bool) -> Result<()> {
        let settings = self.form.settings;
        if settings.reservoir == 0 {
            return Ok(());
        }
        let fresh =
            || Reservoir::new(settings.reservoir, settings.half_life, KeptRows::new(block.columns(), is_sparse));
        let reservoir = self.state.reservoir.get_or_insert_with(fresh);
        reservoir.add(block, settings.half_life, self.state.seed)
    }

    /// The model that belongs to the state.
    fn refresh(&mut self) -> Result<()> {
        let layout = self.form.layout;
        let Some(leader) = self.state.learned.contest.leader() else {
            self.point.clone_from(&self.state.learned.start.theta);
            return project(&*self.form.constraint, layout, &mut self.point, &mut self.work.projection);
        };
        self.point.clone_from(&leader.average);
        project(&*self.form.constraint, layout, &mut self.point, &mut self.work.projection)?;
        if let Some(scaling) = &self.state.learned.scaling {
            scaling.restore(layout, &mut self.point, self.form.names.as_deref())?;
        }
        Ok(())
    }

    /// Coefficients of the model, a point of the set, in the units of the data.
    pub fn coefficients(&self) -> &[f64] {
        self.form.layout.coefficients(&self.point)
    }

    /// Its intercept, if it has one.
    pub fn intercept(&self) -> Option<f64> {
        self.form.layout.intercept(&self.point)
    }

    /// Indices of the nonzero coefficients.
    pub fn support(&self) -> Vec<usize> {
        let coefficients = self.coefficients();
        (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect()
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.state.rows
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.clock().steps
    }

    /// Rows that count: all, or by their age if there is a half-life.
    pub fn effective_rows(&self) -> f64 {
        self.clock().effective_rows()
    }

    /// The first penalty, given or best so far; `None` before the first row.
    pub fn rho1(&self) -> Option<f64> {
        self.leader().map(|leader| leader.rho1)
    }

    /// Whether the first penalty is given or chosen, and not just the best so far.
    pub fn is_decided(&self) -> bool {
        self.state.learned.contest.is_decided()
    }

    /// The penalty that a full batch of average weight would have now.
    pub fn rho(&self) -> Option<f64> {
        let pace = self.form.settings.pace();
        self.rho1().map(|rho1| rho1 * self.clock().batches(pace).powf(pace.gamma))
    }

    /// Whether columns are scaled by their running moments.
    pub fn is_scaled(&self) -> bool {
        self.form.preparation.is_scaled()
    }

    /// Rows in the sample.
    pub fn sample_rows(&self) -> usize {
        self.state.reservoir.as_ref().map_or(0, |kept| kept.rows().len())
    }

    /// Scores of rows that were predicted before they were learned.
    pub fn progressive(&self) -> &Progressive {
        &self.state.progressive
    }

    /// The state, from which another stream can go on.
    pub fn state(&self) -> &StreamState {
        &self.state
    }

    /// The state, for good.
    pub fn into_state(self) -> StreamState {
        self.state
    }

    fn clock(&self) -> &Clock {
        &self.state.learned.clock
    }

    pub(super) fn leader(&self) -> Option<&Candidate> {
        self.state.learned.contest.leader()
    }
}
