//! The stages of a fit with several outputs: a start, the exact finish that the set has, the certificate.
//!
//! | set | way |
//! |---|---|
//! | `none`, squared loss | closed form |
//! | rows | exchange of rows: exact algebra for squared loss, a model that proposes and Newton's method that decides for others |
//! | rank | closed form for squared loss, Newton's method along the set for others |
//! | convex | the convex finish of one output, on all numbers |
//! | entries and other choices | the iteration, then the convex finish on the entries it found |
//! | anything else | the iteration |

use super::curved;
use super::exchange::QuadraticForm as _;
use super::form::Form;
use super::iterate::{self, Iterated};
use super::loss::RowsLoss;
use super::low_rank::Along;
use super::objective::{Function, Objective};
use super::places::OnPlaces;
use super::problem::{OutputsFit, OutputsProblem};
use super::reduced_rank::closed_form;
use super::restricted::Design;
use super::squared::{Chosen, Squares};
use super::turned::Turned;
use crate::constraint::{Blocks, Constraint, Structure, WholeSpace, Workspace, projected};
use crate::error::{Error, Result};
use crate::exchanges::Exchanges;
use crate::gap::Gap;
use crate::layout::Layout;
use crate::linalg::Cholesky;
use crate::polish::{Smooth, Until, minimise};
use crate::solver::{Settings, Stop};
use crate::trace::Observer;
use std::ops::ControlFlow;
use std::time::Instant;

const TOLERANCE: f64 = 1e-11;
const RANK_TOLERANCE: f64 = 1e-10;
/// What F may still fall by, relative to F, where only rounding is left.
const LEAST_FALL: f64 = 1e-20;
/// What F may still fall by, relative to F, where a start is looked for.
const ROUGH: f64 = 1e-6;
/// Added to the form of the features where it has no factor, relative to its diagonal.
const RIDGE_OF_FORM: f64 = 1e-10;

/// A fit on its way.
pub(crate) struct Run<'r> {
    pub(super) problem: &'r OutputsProblem<'r>,
    pub(super) settings: &'r Settings,
    pub(super) observer: &'r mut dyn Observer,
    pub(super) began: Instant,
    pub(super) ended: Option<Stop>,
}

/// Where a family's finish ended.
pub(super) struct Reached {
    pub(super) theta: Vec<f64>,
    pub(super) exchanges: Exchanges,
    pub(super) gap: Option<Gap>,
    /// Where the family has a measure of its own.
    pub(super) stationarity: Option<f64>,
    pub(super) iterated: Option<Iterated>,
    /// Whether there was an exact finish.
    pub(super) is_finish: bool,
}

impl Reached {
    fn at(theta: Vec<f64>) -> Self {
        let exchanges = Exchanges::NotApplicable;
        Self { theta, exchanges, gap: None, stationarity: None, iterated: None, is_finish: true }
    }
}

/// The largest number of features, if a set is about whole rows and nothing else.
fn limit_of_rows(constraint: &dyn Constraint, layout: Layout) -> Option<usize> {
    let Structure::Choice(choosing) = constraint.structure() else { return None };
    let (length, size) = (layout.coefficient_count(), layout.output_count());
    let choice = choosing.choice(length);
    let is_row = |unit: usize| choice.unit(unit).iter().copied().eq(unit * size..(unit + 1) * size);
    let are_rows = choice.units() == layout.features() && (0..choice.units()).all(is_row);
    let every: Vec<usize> = (0..length).collect();
    let is_free = choosing.on_support(&every).is_some_and(|set| matches!(set.structure(), Structure::WholeSpace));
    let is_plain = are_rows && is_free && choice.always_in().is_empty() && choice.needs().is_empty();
    match (choice.keep(), choice.totals()) {
        ([keep], [total]) if is_plain => Some(*keep.min(total)),
        _ => None,
    }
}

impl<'r> Run<'r> {
    pub(crate) fn new(problem: &'r OutputsProblem<'r>, settings: &'r Settings, observer: &'r mut dyn Observer) -> Self {
        Self { problem, settings, observer, began: Instant::now(), ended: None }
    }

    pub(crate) fn fit(mut self) -> Result<OutputsFit> {
        let reached = self.reach()?;
        self.certify(reached)
    }

    /// Whether predictors may be shifted without leaving the set, so that the gauge changes nothing but the choice between equals.
    pub(super) fn is_shift_free(&self) -> bool {
        let constraint = self.problem.constraint();
        matches!(constraint.structure(), Structure::WholeSpace)
            || limit_of_rows(constraint, self.problem.layout()).is_some()
    }

    /// F with the gauge that the set allows.
    fn gauged(&self) -> Objective<'r> {
        let plain = self.problem.objective();
        let has_gauge = self.is_shift_free();
        Objective { loss: RowsLoss { has_gauge, ..plain.loss }, has_intercept_gauge: !has_gauge, ..plain }
    }

    /// Asks whether the work is to end, and remembers why.
    fn poll<'s>(
        settings: &'s Settings,
        observer: &'s mut dyn Observer,
        began: Instant,
        ended: &'s mut Option<Stop>,
    ) -> impl FnMut() -> ControlFlow<()> + 's {
        move || {
            if observer.poll().is_break() {
                *ended = Some(Stop::Interrupted);
                return ControlFlow::Break(());
            }
            if settings.time_limit.is_some_and(|limit| began.elapsed() >= limit) {
                *ended = Some(Stop::TimeLimit);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }

    fn reach(&mut self) -> Result<Reached> {
        let (constraint, layout) = (self.problem.constraint(), self.problem.layout());
        let objective = self.gauged();
        let is_quadratic = self.problem.output_loss().is_quadratic();
        if !self.settings.polish {
            return self.iterated(objective);
        }
        if let Some(limit) = limit_of_rows(constraint, layout) {
            return self.rows(objective, limit);
        }
        match constraint.structure() {
            Structure::WholeSpace if is_quadratic => match closed_form(objective, layout.output_count())? {
                Some(found) => Ok(Reached { gap: Some(found.gap), ..Reached::at(found.theta) }),
                None => self.convex(objective),
            },
            Structure::Rank { rank, radius: None, .. } => self.rank(objective, rank, is_quadratic),
            Structure::Choice(_) => self.choice(objective),
            _ if constraint.is_convex() && !matches!(constraint.structure(), Structure::Other) => {
                self.convex(objective)
            }
            _ => self.iterated(objective),
        }
    }

    fn start(&self) -> Result<Vec<f64>> {
        let layout = self.problem.layout();
        let mut theta = layout.zeros();
        let coefficients = layout.coefficients_mut(&mut theta);
        if let Some(start) = &self.settings.start {
            coefficients.copy_from_slice(start);
        }
        self.problem.constraint().project(coefficients, &mut Workspace::default())?;
        Ok(theta)
    }

    fn iterated(&mut self, objective: Objective) -> Result<Reached> {
        let start = self.start()?;
        let problem = iterate::Problem { objective, constraint: self.problem.constraint(), settings: self.settings };
        let mut poll = Self::poll(self.settings, self.observer, self.began, &mut self.ended);
        let iterated = problem.run(start, &mut poll)?;
        let theta = iterated.theta.clone();
        let exchanges = match self.problem.constraint().structure() {
            Structure::Choice(_) => Exchanges::CutShort,
            _ => Exchanges::NotApplicable,
        };
        Ok(Reached { exchanges, iterated: Some(iterated), is_finish: false, ..Reached::at(theta) })
    }

    fn convex(&mut self, objective: Objective) -> Result<Reached> {
        let layout = self.problem.layout();
        let mut theta = self.start()?;
        let set = with_free(self.problem.constraint(), layout.coefficient_count(), layout.intercept_count())?;
        let mut poll = Self::poll(self.settings, self.observer, self.began, &mut self.ended);
        let until = &mut Until { tolerance: TOLERANCE, poll: &mut poll };
        minimise(&mut Function::new(objective), &*set, &mut theta, until)?;
        Ok(Reached::at(theta))
    }

    fn rows(&mut self, objective: Objective, limit: usize) -> Result<Reached> {
        let layout = self.problem.layout();
        let starts = match &self.settings.start {
            Some(start) => vec![used_rows(&projected(self.problem.constraint(), start)?, layout.output_count())],
            None => Vec::new(),
        };
        let mut poll = Self::poll(self.settings, self.observer, self.began, &mut self.ended);
        let is_quadratic = self.problem.output_loss().is_quadratic();
        let mut squares = if is_quadratic { Some(Squares::of(objective)?) } else { None };
        let Chosen { support, exchanges } = match &mut squares {
            Some(squares) => squares.search(layout.output_count(), limit, &starts, &mut poll)?,
            None => curved::Search::new(objective, limit)?.run(&starts, &mut poll)?,
        };
        let exact = match &mut squares {
            Some(squares) => squares.fit(objective, &support)?,
            None => None,
        };
        let theta = if let Some(theta) = exact {
            theta
        } else {
            let mut theta = layout.zeros();
            let design = Design::of(objective, &support)?;
            let until = &mut Until { tolerance: TOLERANCE, poll: &mut poll };
            design.with(objective, &mut theta, |function, point| {
                super::newton::descend(function, point, LEAST_FALL, f64::INFINITY)?;
                minimise(function, &WholeSpace, point, until)
            })?;
            theta
        };
        Ok(Reached { exchanges, ..Reached::at(theta) })
    }

    fn rank(&mut self, objective: Objective, rank: usize, is_quadratic: bool) -> Result<Reached> {
        let outputs = objective.outputs();
        let mut exact = if is_quadratic { closed_form(objective, rank)? } else { None };
        let layout = self.problem.layout();
        let features = layout.features();
        let zeros = layout.zeros();
        // With the gauge no direction is without curvature.
        let gauged = Objective { loss: RowsLoss { has_gauge: true, ..objective.loss }, ..objective };
        let block = gauged.mean_block(&zeros)?;
        let bend = block.iter().step_by(outputs + 1).sum::<f64>() / outputs as f64;
        let mut inner = Cholesky::default();
        inner.matrix(outputs).copy_from_slice(&block);
        if !inner.factor() {
            return Err(objective.overflow(&zeros));
        }
        let (root, means) = if let Some(found) = &mut exact {
            root_of_form(&mut found.form)?
        } else {
            let ridge: Vec<f64> = (0..features).map(|j| objective.ridge.at(j) / bend).collect();
            root_of_form(&mut Form::new(objective.data, objective.has_intercepts, &ridge)?)?
        };
        let mut function = Function::new(objective);
        let mut turned = Turned { inner: &mut function, root: &root, outputs, features, means: &means };
        let mut along = Along { rank, block: &mut inner, bend };
        let at_zero = turned.value(&zeros)?;
        if let Some(found) = exact {
            let point = turned.forth(&found.theta);
            let stationarity = Some(along.measure(&mut turned, &point, at_zero)?);
            return Ok(Reached { gap: Some(found.gap), stationarity, ..Reached::at(found.theta) });
        }
        let mut start = zeros;
        Design::of(objective, &[])?.with(objective, &mut start, |function, point| {
            super::newton::descend(function, point, ROUGH, f64::INFINITY)
        })?;
        let mut point = first_step(&mut turned, &mut along, &start)?;
        let mut poll = Self::poll(self.settings, self.observer, self.began, &mut self.ended);
        let until = &mut Until { tolerance: RANK_TOLERANCE, poll: &mut poll };
        let stationarity = along.minimise(&mut turned, &mut point, until)?;
        let mut theta = turned.back(&point);
        // Rounding on the way back may leave traces of further directions.
        self.problem.constraint().project(layout.coefficients_mut(&mut theta), &mut Workspace::default())?;
        Ok(Reached { stationarity: Some(stationarity), ..Reached::at(theta) })
    }

    /// The iteration, then the convex finish on the entries that it found.
    fn choice(&mut self, objective: Objective) -> Result<Reached> {
        let mut reached = self.iterated(objective)?;
        let (constraint, layout) = (self.problem.constraint(), self.problem.layout());
        let Structure::Choice(choosing) = constraint.structure() else { return Ok(reached) };
        let choice = choosing.choice(layout.coefficient_count());
        let support = choice.support(&choice.active(layout.coefficients(&reached.theta)));
        let Some(rest) = choosing.on_support(&support) else { return Ok(reached) };
        let set = with_free(&*rest, support.len(), layout.intercept_count())?;
        let places: Vec<usize> = support.iter().copied().chain(layout.coefficient_count()..layout.len()).collect();
        let mut function = OnPlaces { inner: Function::new(objective), places: &places, length: layout.len() };
        let mut point: Vec<f64> = places.iter().map(|&place| reached.theta[place]).collect();
        let mut poll = Self::poll(self.settings, self.observer, self.began, &mut self.ended);
        let until = &mut Until { tolerance: TOLERANCE, poll: &mut poll };
        minimise(&mut function, &*set, &mut point, until)?;
        let theta = function.spread(&point);
        if objective.value(&theta)? <= objective.value(&reached.theta)? {
            (reached.theta, reached.is_finish) = (theta, true);
        }
        Ok(reached)
    }
}

/// A set of the first coordinates, with free ones behind them.
pub(super) fn with_free<'s>(set: &'s dyn Constraint, count: usize, free: usize) -> Result<Box<dyn Constraint + 's>> {
    match (set.structure(), count, free) {
        (Structure::WholeSpace, _, _) | (_, 0, _) => Ok(Box::new(WholeSpace)),
        (_, _, 0) => Ok(Box::new(set)),
        _ => Ok(Box::new(Blocks::new().with(0, count - 1, set)?)),
    }
}

/// The rows with a coefficient.
fn used_rows(coefficients: &[f64], outputs: usize) -> Vec<usize> {
    let rows = coefficients.chunks_exact(outputs).enumerate();
    rows.filter(|(_, row)| row.iter().any(|value| *value != 0.0)).map(|(j, _)| j).collect()
}

/// $L$ with $LL^T = A$, or nearly where features depend on each other, and the means that $A$ is about.
fn root_of_form(form: &mut Form) -> Result<(Cholesky, Vec<f64>)> {
    let features = form.features();
    let all: Vec<usize> = (0..features).collect();
    form.need(&all)?;
    let mean = form.diagonal.iter().sum::<f64>() / features as f64;
    let mut root = Cholesky::default();
    let mut more = 0.0;
    loop {
        let matrix = root.matrix(features);
        for j in 0..features {
            matrix[j * features..(j + 1) * features].copy_from_slice(form.column(j));
            matrix[j * features + j] += more * (form.diagonal[j] + 1e-3 * mean) + if mean > 0.0 { 0.0 } else { 1.0 };
        }
        if root.factor() {
            return Ok((root, form.means().to_vec()));
        }
        more = if more == 0.0 { RIDGE_OF_FORM } else { 10.0 * more };
        if !more.is_finite() || more > 1e12 {
            return Err(Error::Overflows { objective: f64::NAN });
        }
    }
}

/// The matrix of low rank nearest to the first Newton step from a point without coefficients, in the coordinates of the function.
fn first_step(function: &mut Turned, along: &mut Along, start: &[f64]) -> Result<Vec<f64>> {
    let (outputs, size) = (function.outputs, function.outputs * function.features);
    let mut point = start.to_vec();
    let mut gradient = point.clone();
    function.gradient(&point, &mut gradient)?;
    for (row, slope) in point[..size].chunks_exact_mut(outputs).zip(gradient.chunks_exact(outputs)) {
        row.copy_from_slice(slope);
        along.block.solve(row);
        row.iter_mut().for_each(|value| *value = -*value);
    }
    let set = crate::constraint::Rank::at_most(along.rank, function.features, outputs);
    set.project(&mut point[..size], &mut Workspace::default())?;
    Ok(point)
}
