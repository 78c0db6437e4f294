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
use super::function::Function;
use super::iterate::{self, Iterated};
use super::newton::descend;
use super::objective::Objective;
use super::places::OnPlaces;
use super::problem::{OutputsFit, OutputsProblem};
use super::reduced_rank::closed_form;
use super::restricted::Design;
use super::separation::{NOTHING, Separation, stretched};
use super::squared::{Chosen, Squares};
use crate::constraint::{Blocks, Constraint, Structure, WholeSpace, Workspace, projected};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::gap::Gap;
use crate::layout::Layout;
use crate::polish::{Until, minimise};
use crate::solver::{Settings, Stop};
use crate::trace::Observer;
use std::ops::ControlFlow;
use std::time::Instant;

const TOLERANCE: f64 = 1e-11;
/// What F may still fall by, relative to F, where only rounding is left.
const LEAST_FALL: f64 = 1e-20;

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
    pub(super) separation: Separation,
}

impl Reached {
    pub(super) fn at(theta: Vec<f64>) -> Self {
        let exchanges = Exchanges::NotApplicable;
        let separation = Separation::No;
        Self { theta, exchanges, gap: None, stationarity: None, iterated: None, is_finish: true, separation }
    }
}

/// The largest number of features, if a set is about whole rows and nothing else.
pub(super) fn limit_of_rows(constraint: &dyn Constraint, layout: Layout) -> Option<usize> {
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
        self.problem.objective().gauged(self.is_shift_free())
    }

    /// Asks whether the work is to end, and remembers why.
    pub(super) fn poll<'s>(
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
            Structure::WholeSpace => self.whole(objective),
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

    /// The whole space for losses that are not quadratic: Newton's method, which sees where classes are told apart.
    fn whole(&mut self, objective: Objective) -> Result<Reached> {
        let (mut theta, mut function) = (self.start()?, Function::new(objective));
        let separation = if objective.can_separate() {
            descend(&mut function, &mut theta, LEAST_FALL, f64::INFINITY)?.separation
        } else {
            Separation::No
        };
        match separation {
            Separation::No => {
                let mut poll = Self::poll(self.settings, self.observer, self.began, &mut self.ended);
                let until = &mut Until { tolerance: TOLERANCE, poll: &mut poll };
                minimise(&mut function, &WholeSpace, &mut theta, until)?;
            }
            Separation::AllRows => theta = stretched(&function, &theta, NOTHING)?,
            Separation::SomeRows => {}
        }
        Ok(Reached { separation, ..Reached::at(theta) })
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
        let Chosen { support, exchanges, apart } = match &mut squares {
            Some(squares) => squares.search(layout.output_count(), limit, &starts, &mut poll)?,
            None => curved::Search::new(objective, limit)?.run(&starts, &mut poll)?,
        };
        let exact = match &mut squares {
            Some(squares) => squares.fit(objective, &support)?,
            None => None,
        };
        if let Some(theta) = exact {
            return Ok(Reached { exchanges, ..Reached::at(theta) });
        }
        let is_apart = apart.is_some();
        let mut theta = apart.unwrap_or_else(|| layout.zeros());
        let until = &mut Until { tolerance: TOLERANCE, poll: &mut poll };
        let separation = Design::of(objective, &support)?.with(objective, &mut theta, |function, point| {
            let separation = if is_apart {
                Separation::AllRows
            } else {
                descend(function, point, LEAST_FALL, f64::INFINITY)?.separation
            };
            match separation {
                Separation::No => minimise(function, &WholeSpace, point, until).map(|_| ())?,
                Separation::AllRows => point.copy_from_slice(&stretched(function, point, NOTHING)?),
                Separation::SomeRows => {}
            }
            Ok(separation)
        })?;
        Ok(Reached { exchanges, separation, ..Reached::at(theta) })
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
