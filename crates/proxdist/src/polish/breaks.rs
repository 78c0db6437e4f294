//! The exact finish over vectors with few jumps or kinks ([`Breaks`]).
//!
//! For given breaks the coefficients are a linear space, on which F is minimised by Newton's method in a well-conditioned basis. Which breaks:
//!
//! 1. *A signal*: where F is quadratic with a diagonal Hessian in the coefficients (every row has one nonzero feature), $F(\theta) = \tfrac12\sum_j d_j(\theta_j - u_j)^2 + c$, and the best
//!    vector is the nearest to $u$ in the metric $d$: dynamic programming looks at all breaks at once, and the result is the global optimum.
//! 2. *Any other F* is written in the basis of steps $1, 1_{l \ge j}$ or hinges $1, t_l - t_1, (t_l - t_j)_+$, in which breaks are nonzero entries: the search for the best subset of
//!    features (`search.rs`) finds them, for the quadratic model of F at a point. A quadratic F is its model, so what that search says of exchanges holds.
//!    For other losses a model proposes and a fit decides, again and again while F falls; then every choice is fitted if they are few, or every exchange of one break
//!    for another.

use super::breaks_model::{BreakChoice, Model};
use super::finish::Polished;
use super::on_frame::OnFrame;
use super::search::{Found, Search};
use super::{OnData, Poll, Smooth, Until, convex};
use crate::constraint::{Breaks, WholeSpace};
use crate::effort::Effort;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::loss::Squared;
use crate::objective::Objective;
use std::ops::ControlFlow;

/// Precision of a fit for given breaks.
const TOLERANCE: f64 = 1e-12;
/// Coefficients up to which the Hessian is formed and breaks are searched for.
const MOST_COEFFICIENTS: usize = 1500;
/// Models that are tried one after the other.
const ROUNDS: usize = 20;
/// Fits at most that look at choices one by one, and the multiplications they may take.
const MOST_FITS: f64 = 600.0;
const MOST_WORK: f64 = 2e9;
/// Relative fall of F that counts.
const FALL: f64 = 1e-11;

/// A problem over vectors with few breaks.
#[derive(Clone, Copy)]
pub(super) struct Breaking<'p> {
    pub(super) objective: Objective<'p>,
    pub(super) set: &'p Breaks,
    pub(super) effort: Effort,
}

/// The minimiser for some breaks.
#[derive(Clone)]
struct Fitted {
    breaks: Vec<usize>,
    theta: Vec<f64>,
    value: f64,
    stationarity: f64,
}

impl Breaking<'_> {
    /// Finishes from feasible points; F at the result is not above that at any of them.
    pub(super) fn finish(&self, starts: &[&[f64]], poll: Poll) -> Result<Polished> {
        let Self { objective, set, .. } = *self;
        let layout = objective.layout();
        let columns = layout.coefficient_count();
        let mut best: Option<Fitted> = None;
        for start in starts {
            let breaks = set.nearest_breaks(layout.coefficients(start), None)?;
            lower(&mut best, self.refit(breaks, Some(start), poll)?);
        }
        let mut exchanges = Exchanges::CutShort;
        if columns <= MOST_COEFFICIENTS && poll().is_continue() {
            exchanges = match signal(objective)? {
                Some(signal) => {
                    let breaks = set.nearest_breaks(&signal.target, Some(&signal.weights))?;
                    lower(&mut best, self.refit(breaks, None, poll)?);
                    Exchanges::EveryChoice
                }
                None => self.search(&mut best, poll)?,
            };
        }
        let Some(best) = best else { return Err(crate::error::Error::Empty { what: "starts" }) };
        let exchanges = if poll().is_break() { Exchanges::CutShort } else { exchanges };
        let Fitted { theta, value, stationarity, .. } = best;
        Ok(Polished {
            theta,
            value,
            gradient: None,
            diagonal: None,
            stationarity: Some(stationarity),
            exchanges,
            summed: None,
            gap: None,
        })
    }

    /// The minimiser of F with these breaks, started from a point near it.
    fn refit(&self, breaks: Vec<usize>, from: Option<&[f64]>, poll: Poll) -> Result<Fitted> {
        let layout = self.objective.layout();
        let columns = layout.coefficient_count();
        let frame = self.set.frame(&breaks, columns);
        let small = layout.reduced_to(frame.len());
        let mut point = small.zeros();
        if let Some(from) = from {
            let (coefficients, free) = layout.split(from);
            let (z, intercept) = small.split_mut(&mut point);
            // A column of the frame is one at its knot, or all over its piece.
            for (z, column) in z.iter_mut().zip(&frame) {
                let top = column.iter().find(|(_, height)| *height == 1.0);
                *z = top.map_or(0.0, |&(j, _)| coefficients[j]);
            }
            intercept.copy_from_slice(free);
        }
        let mut function = OnFrame::new(self.objective, frame);
        let until = &mut Until { tolerance: TOLERANCE, poll };
        let ended = convex::minimise(&mut function, &WholeSpace, &mut point, until)?;
        let theta = function.expanded(&point);
        let value = self.objective.value(&theta)?;
        Ok(Fitted { breaks, theta, value, stationarity: ended.stationarity })
    }

    /// Other breaks while F falls; what is known at the end about exchanges.
    fn search(&self, best: &mut Option<Fitted>, poll: Poll) -> Result<Exchanges> {
        let is_quadratic = self.objective.loss.is_quadratic();
        let mut known = Exchanges::CutShort;
        for _ in 0..ROUNDS {
            let from = match &*best {
                Some(best) => best.theta.clone(),
                None => self.objective.layout().zeros(),
            };
            let breaks = best.as_ref().map_or_else(Vec::new, |best| best.breaks.clone());
            let Some((found, exchanges)) = self.by_model(&from, &breaks, poll)? else { return Ok(known) };
            let fitted = self.refit(found, Some(&from), poll)?;
            let has_fallen = best.as_ref().is_none_or(|best| is_lower(fitted.value, best.value));
            lower(best, fitted);
            known = if is_quadratic { exchanges } else { Exchanges::Model };
            if poll().is_break() {
                return Ok(Exchanges::CutShort);
            }
            if is_quadratic || !has_fallen {
                if is_quadratic {
                    return Ok(known);
                }
                match self.one_by_one(best, poll)? {
                    Look::Lower => {}
                    Look::Done(exchanges) => return Ok(exchanges),
                    Look::TooMany => return Ok(known),
                }
            }
        }
        Ok(Exchanges::CutShort)
    }

    /// The best breaks of the quadratic model at a point, and what is known of exchanges there.
    fn by_model(&self, theta: &[f64], breaks: &[usize], poll: Poll) -> Result<Option<(Vec<usize>, Exchanges)>> {
        let Some(model) = Model::at(self.objective, self.set, theta)? else { return Ok(None) };
        let data = model.data()?;
        let choosing = BreakChoice::of(self.set, data.columns());
        let objective = Objective::new(&data, &Squared, 0.0);
        let layout = self.objective.layout();
        let (zero, here) = (vec![0.0; data.columns()], model.coordinates(layout.coefficients(theta), breaks));
        let search =
            Search { objective, choosing: &choosing, effort: self.effort, is_near: false, direct: None, sample: None };
        let Found { theta: found, exchanges, .. } = search.finish(&[&here, &zero], poll)?;
        Ok(Some((choosing.breaks(&found), exchanges)))
    }

    /// Fits every choice, or every exchange of one break for another, if they are few enough.
    fn one_by_one(&self, best: &mut Option<Fitted>, poll: Poll) -> Result<Look> {
        let Some(here) = best.clone() else { return Ok(Look::TooMany) };
        let (rows, columns) = (self.objective.data.rows() as f64, self.objective.layout().coefficient_count());
        let most = self.set.most(columns);
        let fit = rows * columns as f64 * (most + 2) as f64 * 10.0;
        let candidates: Vec<usize> = self.set.candidates(columns).collect();
        let every = combinations(candidates.len(), most);
        let is_every = every <= MOST_FITS && every * fit <= MOST_WORK;
        let choices: Vec<Vec<usize>> = if is_every {
            every_choice(&candidates, most)
        } else {
            let others = |without: &[usize]| {
                let entering = candidates.iter().filter(|j| !here.breaks.contains(j));
                entering.map(|&j| with(without, j)).collect::<Vec<_>>()
            };
            if here.breaks.len() < most {
                others(&here.breaks)
            } else {
                let without = |j: &usize| here.breaks.iter().copied().filter(|k| k != j).collect::<Vec<_>>();
                here.breaks.iter().flat_map(|j| others(&without(j))).collect()
            }
        };
        let fits = choices.len() as f64;
        if fits > MOST_FITS || fits * fit > MOST_WORK {
            return Ok(Look::TooMany);
        }
        let mut is_lowered = false;
        let mut is_sure = true;
        for breaks in choices {
            let fitted = self.refit(breaks, Some(&here.theta), poll)?;
            is_sure = is_sure && fitted.stationarity <= 1e-5;
            is_lowered = is_lowered || is_lower(fitted.value, here.value);
            lower(best, fitted);
            if poll() == ControlFlow::Break(()) {
                return Ok(Look::Done(Exchanges::CutShort));
            }
        }
        Ok(match (is_every, is_lowered, is_sure) {
            (true, _, true) => Look::Done(Exchanges::EveryChoice),
            (false, true, _) => Look::Lower,
            (false, false, true) => Look::Done(Exchanges::Refitted),
            (_, _, false) => Look::Done(Exchanges::CutShort),
        })
    }
}

/// What a look at choices one by one found.
enum Look {
    Lower,
    Done(Exchanges),
    TooMany,
}

fn is_lower(value: f64, than: f64) -> bool {
    value < than - FALL * than.abs()
}

fn lower(best: &mut Option<Fitted>, fitted: Fitted) {
    if fitted.value.is_finite() && best.as_ref().is_none_or(|best| fitted.value < best.value) {
        *best = Some(fitted);
    }
}

/// The breaks with one more, in ascending order.
fn with(breaks: &[usize], one: usize) -> Vec<usize> {
    let mut all = [breaks, &[one]].concat();
    all.sort_unstable();
    all
}

fn combinations(of: usize, take: usize) -> f64 {
    (0..take.min(of - take.min(of))).map(|k| (of - k) as f64 / (k + 1) as f64).product::<f64>().round()
}

/// All ascending choices of this many.
fn every_choice(of: &[usize], take: usize) -> Vec<Vec<usize>> {
    match (take, of.split_first()) {
        (0, _) => vec![Vec::new()],
        (_, None) => Vec::new(),
        (take, Some((first, rest))) => {
            let mut all: Vec<Vec<usize>> =
                every_choice(rest, take - 1).into_iter().map(|tail| [&[*first], &tail[..]].concat()).collect();
            all.extend(every_choice(rest, take));
            all
        }
    }
}

/// $\tfrac12\sum_j d_j(\theta_j - u_j)^2$
struct Signal {
    target: Vec<f64>,
    weights: Vec<f64>,
}

/// F as a weighted signal, where it is one.
fn signal(objective: Objective) -> Result<Option<Signal>> {
    if !objective.loss.is_quadratic() {
        return Ok(None);
    }
    let layout = objective.layout();
    let (size, columns) = (layout.len(), layout.coefficient_count());
    let zero = layout.zeros();
    let mut function = OnData::new(objective);
    let (mut gradient, mut hessian) = (layout.zeros(), vec![0.0; size * size]);
    function.gradient(&zero, &mut gradient)?;
    function.linearise(&zero)?;
    function.hessian(&mut hessian)?;
    let at = |i: usize, j: usize| hessian[i * size + j];
    let is_diagonal = (0..columns).all(|i| at(i, i) > 0.0 && (0..i).all(|j| at(i, j) == 0.0));
    // With an intercept, a constant may stand in either place if every row has one feature, equal to one: then the set takes it.
    let is_one = |j: usize| (at(columns, j) - at(j, j)).abs() <= 1e-14 * at(j, j);
    let is_free = !layout.has_intercepts() || (0..columns).all(is_one);
    if !is_diagonal || !is_free {
        return Ok(None);
    }
    let weights: Vec<f64> = (0..columns).map(|j| at(j, j)).collect();
    let target = weights.iter().zip(&gradient).map(|(d, g)| -g / d).collect();
    Ok(Some(Signal { target, weights }))
}
