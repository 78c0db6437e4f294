//! Which features to use: a quadratic model of F proposes, Newton's method on the features decides.
//!
//! At a fitted point the second derivatives of F make a quadratic function whose exchanges of one feature for another cost next to nothing. For sets that limit the number of features and nothing else the support grows by leaps of a quarter of the limit, each with
//! exchanges in the model; then exchanges go on until none that the model promises lowers F. Other choices (groups, pools, features that need others, convex sets on what is chosen) grow by one unit at a time (`moves.rs`).
//!
//! Where choices are few, every one is fitted; where single exchanges are few, every one of them is. Only then does a result say so.

use super::form::Form;
use super::objective::{Function, Objective, Restricted};
use crate::constraint::{Choice, Choosing, Structure, Workspace};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::linalg::axpy;
use crate::outputs::{At, Quadratic, QuadraticForm as _, descend, swapped};
use crate::polish::{Poll, Smooth as _, Until, minimise};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// What F may still fall by, relative to F, where choices are compared; and differences of F that count.
const DECIDED: f64 = 1e-13;
const LOWER: f64 = 1e-10;
/// Precision of fits over convex sets, and the stationarity above which they say little.
const TOLERANCE: f64 = 1e-10;
const SHORT: f64 = 1e-6;
/// Operations for fits of every choice, or of every single exchange.
const FITS: f64 = 3e8;
/// Exchanges that are fitted at one support at most, and supports altogether.
pub(super) const MOST_TESTS: usize = 40;
const MOST_FITS: usize = 400;

/// A fitted choice.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub(super) units: Vec<usize>,
    pub(super) support: Vec<usize>,
    pub(super) theta: Vec<f64>,
    pub(super) value: f64,
    pub(super) is_settled: bool,
}

/// The choice that was found, its minimiser, and what is known about others.
pub(super) struct Chosen {
    pub(super) support: Vec<usize>,
    pub(super) theta: Vec<f64>,
    pub(super) exchanges: Exchanges,
}

/// The search.
pub(super) struct Search<'s> {
    pub(super) objective: Objective<'s>,
    pub(super) choosing: &'s dyn Choosing,
    pub(super) choice: Choice,
    /// Choices that have been fitted.
    pub(super) seen: HashSet<Vec<usize>>,
}

/// What became of one round.
pub(super) enum Step {
    Better(Fitted),
    /// Nothing lowers F, and what that rests on.
    Nothing(Exchanges),
}

impl<'s> Search<'s> {
    pub(super) fn new(objective: Objective<'s>, choosing: &'s dyn Choosing) -> Self {
        let choice = choosing.choice(objective.data.columns());
        Self { objective, choosing, choice, seen: HashSet::new() }
    }

    /// The best choice that is found, not worse than those to start from; where these are ends of a search on other rows, there is no other.
    pub(super) fn run(mut self, starts: &[Vec<f64>], is_near: bool, poll: Poll) -> Result<Option<Chosen>> {
        let features = self.objective.data.columns();
        let plain = self.choosing.plain_size(features);
        let most: usize = self.choice.totals().iter().sum::<usize>() + self.choice.always_in().len();
        if self.choice.count() * self.cost(most) <= FITS {
            return self.every_choice(poll);
        }
        let near = match starts.first().filter(|_| is_near) {
            Some(start) => self.fit(self.choice.active(start), start, f64::INFINITY)?,
            None => None,
        };
        let grown = match (near, plain) {
            (Some(near), _) => Some(near),
            (None, Some(limit)) => self.climb(limit, poll)?,
            (None, None) => self.grow(poll)?,
        };
        let Some(mut best) = grown else { return Ok(None) };
        for start in starts {
            let units = self.choice.active(start);
            if let Some(other) = self.fit(units, start, f64::INFINITY)?
                && other.value < best.value
            {
                best = other;
            }
        }
        let mut exchanges = Exchanges::CutShort;
        while self.seen.len() < MOST_FITS && poll().is_continue() {
            let step = match plain {
                Some(limit) => self.improve(&best, limit, poll)?,
                None => Step::Nothing(Exchanges::CutShort),
            };
            let step = match step {
                Step::Nothing(known) => match self.every_move(&best, poll)? {
                    Step::Nothing(Exchanges::CutShort) => Step::Nothing(known),
                    other => other,
                },
                better @ Step::Better(_) => better,
            };
            match step {
                Step::Better(next) => best = next,
                Step::Nothing(known) => {
                    exchanges = known;
                    break;
                }
            }
        }
        let Fitted { support, theta, .. } = best;
        Ok(Some(Chosen { support, theta, exchanges }))
    }

    /// Operations of a fit of so many features.
    pub(super) fn cost(&self, size: usize) -> f64 {
        self.objective.data.rows() as f64 * ((size * size) as f64 + 60.0) * 8.0
    }

    /// Whether so many fits of this size are affordable.
    pub(super) fn affords(&self, fits: usize, size: usize) -> bool {
        fits as f64 * self.cost(size) <= FITS
    }

    fn every_choice(mut self, poll: Poll) -> Result<Option<Chosen>> {
        let mut choices = Vec::new();
        self.choice.every(usize::MAX, &mut |units| {
            choices.push(units.to_vec());
            ControlFlow::Continue(())
        });
        let zeros = vec![0.0; self.objective.data.columns()];
        let (mut best, mut is_complete): (Option<Fitted>, bool) = (None, true);
        for units in choices {
            if poll().is_break() {
                is_complete = false;
                break;
            }
            let Some(fitted) = self.fit(units, &zeros, f64::INFINITY)? else { continue };
            is_complete &= fitted.is_settled;
            if best.as_ref().is_none_or(|best| fitted.value < best.value) {
                best = Some(fitted);
            }
        }
        let exchanges = if is_complete { Exchanges::EveryChoice } else { Exchanges::CutShort };
        Ok(best.map(|Fitted { support, theta, .. }| Chosen { support, theta, exchanges }))
    }

    /// The minimiser for some units, from what `start` has there; `None` if the set has no point on them. Above the ceiling it need not be one.
    pub(super) fn fit(&mut self, units: Vec<usize>, start: &[f64], ceiling: f64) -> Result<Option<Fitted>> {
        let support = self.choice.support(&units);
        let Some(set) = self.choosing.on_support(&support) else { return Ok(None) };
        self.seen.insert(units.clone());
        let restricted = Restricted::to(self.objective, &support)?;
        let is_free = matches!(set.structure(), Structure::WholeSpace);
        let work = |function: &mut Function, point: &mut [f64]| {
            if support.is_empty() {
                return Ok((function.value(point)?, true));
            }
            if is_free {
                let ended = descend(function, point, DECIDED, ceiling)?;
                return Ok((ended.value, ended.is_settled));
            }
            set.project(point, &mut Workspace::default())?;
            let until = &mut Until { tolerance: TOLERANCE, poll: &mut || ControlFlow::Continue(()) };
            let ended = minimise(function, &*set, point, until)?;
            Ok((ended.value, ended.stationarity <= SHORT))
        };
        let mut theta = start.to_vec();
        let (mut value, mut is_settled) = restricted.with(self.objective, &mut theta, work)?;
        if !value.is_finite() {
            theta.fill(0.0);
            (value, is_settled) = restricted.with(self.objective, &mut theta, work)?;
        }
        Ok(Some(Fitted { units, support, theta, value, is_settled }))
    }

    /// What counts as lower than F at a fit.
    pub(super) fn ceiling(best: &Fitted) -> f64 {
        best.value - LOWER * best.value.abs()
    }

    /// Calls `work` with the quadratic model of F at a fit.
    fn with_model<T>(&self, at: &Fitted, work: impl FnOnce(&mut Quadratic) -> Result<T>) -> Result<T> {
        let mut function = Function::new(self.objective);
        let mut gradient = vec![0.0; at.theta.len()];
        function.gradient(&at.theta, &mut gradient)?;
        let mut form = Form::at(&mut function, &at.theta)?;
        form.need(&at.support)?;
        // C = Aθ − g
        let mut right: Vec<f64> = gradient.iter().map(|g| -g).collect();
        at.support.iter().for_each(|&j| axpy(at.theta[j], form.column(j), &mut right));
        work(&mut Quadratic { form: &mut form, right, outputs: 1, scale: at.value })
    }

    /// A support of as many features as the limit allows, in leaps.
    fn climb(&mut self, limit: usize, poll: Poll) -> Result<Option<Fitted>> {
        let zeros = vec![0.0; self.objective.data.columns()];
        let Some(mut at) = self.fit(Vec::new(), &zeros, f64::INFINITY)? else { return Ok(None) };
        let leap = limit.div_ceil(4);
        while at.support.len() < limit && poll().is_continue() {
            let target = (at.support.len() + leap).min(limit);
            let next = self.with_model(&at, |quadratic| {
                let Some(now) = quadratic.at(&at.support)? else { return Ok(None) };
                let grown = quadratic.grown(now, target)?;
                Ok(Some(quadratic.settled(grown)?.0))
            })?;
            let Some(next) = next.filter(|next| next.support.len() > at.support.len()) else { break };
            let Some(fitted) = self.fit_proposed(&next, f64::INFINITY)? else { break };
            at = fitted;
        }
        Ok(Some(at))
    }

    /// Fits a support of single features from the coefficients of the model.
    fn fit_proposed(&mut self, proposed: &At, ceiling: f64) -> Result<Option<Fitted>> {
        let mut start = vec![0.0; self.objective.data.columns()];
        proposed.support.iter().zip(&proposed.coefficients).for_each(|(&j, value)| start[j] = *value);
        let units = self.units_of(&proposed.support);
        self.fit(units, &start, ceiling)
    }

    fn units_of(&self, support: &[usize]) -> Vec<usize> {
        let is_in = |&unit: &usize| self.choice.unit(unit).iter().any(|j| support.binary_search(j).is_ok());
        (0..self.choice.units()).filter(is_in).collect()
    }

    /// A support near by with a lower F, if the model leads to one.
    fn improve(&mut self, best: &Fitted, limit: usize, poll: Poll) -> Result<Step> {
        let ceiling = Self::ceiling(best);
        let looked = self.with_model(best, |quadratic| {
            let Some(now) = quadratic.at(&best.support)? else { return Ok(None) };
            let swaps = quadratic.swaps(&now);
            let mut proposed = Vec::new();
            if !swaps.is_empty() {
                proposed.push(quadratic.settled(now)?.0);
            }
            for swap in swaps.iter().take(MOST_TESTS) {
                proposed.extend(quadratic.at(&swapped(&best.support, *swap))?);
            }
            Ok(Some((proposed, swaps.len() <= MOST_TESTS)))
        })?;
        let Some((proposed, is_complete)) = looked else { return Ok(Step::Nothing(Exchanges::CutShort)) };
        for at in &proposed {
            if self.seen.contains(&self.units_of(&at.support)) {
                continue;
            }
            if poll().is_break() {
                return Ok(Step::Nothing(Exchanges::CutShort));
            }
            match self.fit_proposed(at, ceiling)? {
                Some(next) if next.value < ceiling => return Ok(Step::Better(next)),
                _ => {}
            }
        }
        let is_known = is_complete && best.support.len() == limit;
        Ok(Step::Nothing(if is_known { Exchanges::Model } else { Exchanges::CutShort }))
    }
}
