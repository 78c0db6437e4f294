//! Rows for losses that are not quadratic: a model proposes supports, Newton's method on them decides.
//!
//! At a fitted point with gradient $G$ ($p \times K$) and mean block of curvature $M = LL^T$ ($K \times K$), F is about
//! $$\langle G, \Delta\rangle + \tfrac12\mathrm{tr}\,\Delta^TA\Delta M = \tfrac12\mathrm{tr}\,B^TAB - \mathrm{tr}\,C^TB + \text{const}, \qquad B = (\Theta + \Delta)L,\quad C = A\Theta L - GL^{-T},$$
//! the quadratic function of `exchange.rs`, with the same $A$ at every point. So its exchanges for all pairs of features cost next to nothing, and each support that they lead to is fitted, from the coefficients of
//! the model. First the support grows by leaps of a quarter of the limit, each with exchanges; then exchanges go on until no leap and none of the promised single ones lowers F.
//!
//! Where choices are few, all of them are fitted.

use super::exchange::{At, Quadratic, QuadraticForm as _, swapped};
use super::form::Form;
use super::newton::{Descended, descend};
use super::objective::Objective;
use super::restricted::Design;
use super::separation::Separation;
use super::squared::{Chosen, binomial, each_choice};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::linalg::{Cholesky, axpy};
use crate::polish::Poll;
use std::collections::HashSet;

/// Choices up to which every one is fitted.
const FEW_CHOICES: f64 = 60.0;
/// What F may still fall by, relative to F, where supports are compared; and where every one of them is fitted.
const DECIDED: f64 = 1e-6;
const EXACT: f64 = 1e-14;
/// Differences of F that count, relative to F.
const LOWER: f64 = 1e-7;
/// How much further than the model says F may fall, before a support counts as hopeless.
const HOPE: f64 = 4.0;
/// Single exchanges that are fitted at one support at most, and supports altogether.
const MOST_TESTS: usize = 40;
const MOST_FITS: usize = 400;

/// A fitted support.
#[derive(Clone)]
pub(super) struct Fitted {
    pub(super) support: Vec<usize>,
    pub(super) theta: Vec<f64>,
    /// F there, or zero where all rows are told apart.
    pub(super) value: f64,
    pub(super) is_settled: bool,
    pub(super) separation: Separation,
}

impl Fitted {
    /// Whether nothing can be better: no F is below zero.
    pub(super) fn is_perfect(&self) -> bool {
        self.separation == Separation::AllRows
    }

    fn into_chosen(self, exchanges: Exchanges) -> Chosen {
        let apart = self.is_perfect().then_some(self.theta);
        Chosen { support: self.support, exchanges, apart }
    }
}

/// The search.
pub(crate) struct Search<'p> {
    pub(super) objective: Objective<'p>,
    form: Form<'p>,
    limit: usize,
    /// Supports that have been fitted.
    seen: HashSet<Vec<usize>>,
}

/// The model at a fitted point: what turns its coefficients into those of F.
pub(super) struct Model {
    right: Vec<f64>,
    root: Cholesky,
}

impl<'p> Search<'p> {
    pub(crate) fn new(objective: Objective<'p>, limit: usize) -> Result<Self> {
        let block = objective.mean_block(&objective.arrangement().zeros())?;
        let bend = block.iter().step_by(objective.outputs() + 1).sum::<f64>() / objective.outputs() as f64;
        let ridge: Vec<f64> =
            (0..objective.data.columns()).map(|j| objective.ridge.at(j) / bend.max(f64::MIN_POSITIVE)).collect();
        let form = Form::new(objective.data, objective.has_intercepts, &ridge)?;
        let limit = limit.min(objective.data.columns());
        Ok(Self { objective, form, limit, seen: HashSet::new() })
    }

    /// The best support that is found, not worse than those to start from.
    pub(crate) fn run(mut self, starts: &[Vec<usize>], poll: Poll) -> Result<Chosen> {
        let features = self.objective.data.columns();
        if binomial(features, self.limit) <= FEW_CHOICES {
            return self.every_choice();
        }
        let mut best = self.climb(poll)?;
        let limit = self.limit;
        for start in starts.iter().filter(|start| start.len() <= limit) {
            let other = self.fit(start, self.objective.arrangement().zeros(), f64::INFINITY)?;
            if other.value < best.value {
                best = other;
            }
        }
        let mut exchanges = Exchanges::CutShort;
        while self.seen.len() < MOST_FITS && !best.is_perfect() && poll().is_continue() {
            match self.improve(&best, poll)? {
                Step::Better(next) => best = next,
                Step::Nothing { is_complete } => {
                    if is_complete && best.support.len() == self.limit {
                        exchanges = Exchanges::Model;
                    }
                    break;
                }
            }
        }
        Ok(best.into_chosen(exchanges))
    }

    fn every_choice(mut self) -> Result<Chosen> {
        let (limit, features) = (self.limit, self.objective.data.columns());
        let (mut best, mut are_settled): (Option<Fitted>, bool) = (None, true);
        each_choice(features, limit, &mut |support| {
            let fitted = self.fit_to(support, self.objective.arrangement().zeros(), EXACT, f64::INFINITY)?;
            are_settled &= fitted.is_settled;
            if best.as_ref().is_none_or(|best| fitted.value < best.value) {
                best = Some(fitted);
            }
            Ok(())
        })?;
        let exchanges = if are_settled { Exchanges::EveryChoice } else { Exchanges::CutShort };
        let none = Chosen { support: Vec::new(), exchanges, apart: None };
        Ok(best.map_or(none, |best| best.into_chosen(exchanges)))
    }

    /// A support of as many features as the limit allows, in leaps.
    fn climb(&mut self, poll: Poll) -> Result<Fitted> {
        let zeros = self.objective.arrangement().zeros();
        let mut at = self.fit(&[], zeros, f64::INFINITY)?;
        let leap = self.limit.div_ceil(4);
        while at.support.len() < self.limit && !at.is_perfect() && poll().is_continue() {
            let target = (at.support.len() + leap).min(self.limit);
            let model = self.model(&at)?;
            let mut quadratic = self.quadratic(&model, at.value);
            let Some(now) = quadratic.at(&at.support)? else { break };
            let grown = quadratic.grown(now, target)?;
            let (next, _) = quadratic.settled(grown)?;
            if next.support.len() <= at.support.len() {
                break;
            }
            let start = self.restored(&at, &next, &model);
            at = self.fit(&next.support, start, f64::INFINITY)?;
        }
        Ok(at)
    }

    /// A support near by with a lower F, if the model leads to one.
    fn improve(&mut self, best: &Fitted, poll: Poll) -> Result<Step> {
        let model = self.model(best)?;
        let mut quadratic = self.quadratic(&model, best.value);
        let Some(now) = quadratic.at(&best.support)? else { return Ok(Step::Nothing { is_complete: false }) };
        let swaps = quadratic.swaps(&now);
        if swaps.is_empty() {
            return Ok(Step::Nothing { is_complete: true });
        }
        let (leap, _) = quadratic.settled(now)?;
        if let Some(next) = self.tested(best, &leap, &model)? {
            return Ok(Step::Better(next));
        }
        let mut tests = 0;
        for swap in &swaps {
            let support = swapped(&best.support, *swap);
            if self.seen.contains(&support) {
                continue;
            }
            if tests == MOST_TESTS || poll().is_break() {
                return Ok(Step::Nothing { is_complete: false });
            }
            tests += 1;
            let mut quadratic = self.quadratic(&model, best.value);
            let Some(at) = quadratic.at(&support)? else { continue };
            if let Some(next) = self.tested(best, &at, &model)? {
                return Ok(Step::Better(next));
            }
        }
        Ok(Step::Nothing { is_complete: true })
    }

    /// Fits a support that the model proposes, if that was not done before; it is returned if F is lower there.
    pub(super) fn tested(&mut self, best: &Fitted, proposed: &At, model: &Model) -> Result<Option<Fitted>> {
        if self.seen.contains(&proposed.support) {
            return Ok(None);
        }
        let start = self.restored(best, proposed, model);
        let ceiling = best.value - LOWER * best.value.abs();
        let design = Design::of(self.objective, &proposed.support)?;
        let next = if self.is_hopeless(&design, &proposed.support, (&start, model), ceiling)? {
            self.seen.insert(proposed.support.clone());
            return Ok(None);
        } else {
            self.fit_design(&design, &proposed.support, start, (DECIDED, ceiling))?
        };
        Ok((next.value < ceiling).then_some(next))
    }

    /// Whether F at a start, less a few times what it can still fall by there with the curvature of the model, is above a ceiling: one gradient tells, where a fit takes several Hessians.
    fn is_hopeless(
        &mut self,
        design: &Design,
        support: &[usize],
        (start, model): (&[f64], &Model),
        ceiling: f64,
    ) -> Result<bool> {
        let (outputs, size) = (self.objective.outputs(), support.len());
        let mut theta = start.to_vec();
        let mut gradient = Vec::new();
        let value = design.with(self.objective, &mut theta, |function, point| {
            gradient.resize(point.len(), 0.0);
            function.objective.gradient(point, &mut gradient)
        })?;
        self.form.need(support)?;
        let mut cholesky = Cholesky::default();
        let matrix = cholesky.matrix(size);
        for (place, &i) in support.iter().enumerate() {
            let column = self.form.column(i);
            support.iter().enumerate().for_each(|(other, &j)| matrix[place * size + other] = column[j]);
        }
        if !cholesky.factor() {
            return Ok(false);
        }
        // Intercepts follow the means: their part of the gradient is taken out of the others, as the form has it.
        let (along, free) = gradient.split_at_mut(size * outputs);
        for (row, &j) in along.chunks_exact_mut(outputs).zip(support) {
            if !free.is_empty() {
                axpy(-self.form.means()[j], free, row);
            }
        }
        let mut fall = 0.0;
        for row in along.chunks_exact_mut(outputs).chain(free.chunks_exact_mut(outputs)) {
            model.root.solve_lower(row);
        }
        fall += 0.5 * free.iter().map(|g| g * g).sum::<f64>();
        let mut column = vec![0.0; size];
        for k in 0..outputs {
            column.iter_mut().enumerate().for_each(|(place, g)| *g = along[place * outputs + k]);
            cholesky.solve_lower(&mut column);
            fall += 0.5 * column.iter().map(|g| g * g).sum::<f64>();
        }
        Ok(value - HOPE * fall > ceiling)
    }

    pub(super) fn fit(&mut self, support: &[usize], start: Vec<f64>, ceiling: f64) -> Result<Fitted> {
        self.fit_to(support, start, DECIDED, ceiling)
    }

    fn fit_to(&mut self, support: &[usize], theta: Vec<f64>, goal: f64, ceiling: f64) -> Result<Fitted> {
        let design = Design::of(self.objective, support)?;
        self.fit_design(&design, support, theta, (goal, ceiling))
    }

    fn fit_design(
        &mut self,
        design: &Design,
        support: &[usize],
        mut theta: Vec<f64>,
        (goal, ceiling): (f64, f64),
    ) -> Result<Fitted> {
        self.seen.insert(support.to_vec());
        let ended =
            design.with(self.objective, &mut theta, |function, point| descend(function, point, goal, ceiling))?;
        let Descended { value, is_settled, separation } = ended;
        Ok(Fitted { support: support.to_vec(), theta, value, is_settled, separation })
    }

    pub(super) fn model(&mut self, at: &Fitted) -> Result<Model> {
        let (objective, outputs) = (self.objective, self.objective.outputs());
        let layout = objective.arrangement();
        let mut gradient = vec![0.0; layout.len()];
        objective.gradient(&at.theta, &mut gradient)?;
        let block = objective.mean_block(&at.theta)?;
        let mut root = Cholesky::default();
        let mean = block.iter().step_by(outputs + 1).sum::<f64>() / outputs as f64;
        root.matrix(outputs).copy_from_slice(&block);
        // Where next to no row bends, a share of the mean.
        (0..outputs).for_each(|k| root.matrix(outputs)[k * outputs + k] += 1e-6 * mean + f64::MIN_POSITIVE);
        if !root.factor() {
            let matrix = root.matrix(outputs);
            matrix.fill(0.0);
            (0..outputs).for_each(|k| matrix[k * outputs + k] = 1.0);
            let _ = root.factor();
        }
        // −G L⁻ᵀ
        let mut right: Vec<f64> = layout.coefficients(&gradient).iter().map(|g| -g).collect();
        right.chunks_exact_mut(outputs).for_each(|row| root.solve_lower(row));
        self.form.need(&at.support)?;
        for &j in &at.support {
            let mut b = at.theta[j * outputs..(j + 1) * outputs].to_vec();
            root.times_lower_transposed(&mut b);
            let column = self.form.column(j);
            right.chunks_exact_mut(outputs).zip(column).for_each(|(row, a)| axpy(*a, &b, row));
        }
        Ok(Model { right, root })
    }

    pub(super) fn quadratic(&mut self, model: &Model, scale: f64) -> Quadratic<'_> {
        Quadratic { form: &mut self.form, right: model.right.clone(), outputs: self.objective.outputs(), scale }
    }

    /// The parameter that a state of the model stands for; intercepts follow the means.
    pub(super) fn restored(&self, before: &Fitted, at: &At, model: &Model) -> Vec<f64> {
        let (outputs, layout) = (self.objective.outputs(), self.objective.arrangement());
        let mut theta = layout.zeros();
        for (&j, b) in at.support.iter().zip(at.coefficients.chunks_exact(outputs)) {
            let row = &mut theta[j * outputs..(j + 1) * outputs];
            row.copy_from_slice(b);
            // Θ L = B
            model.root.solve_lower_transposed(row);
        }
        let (after, intercepts) = layout.split_mut(&mut theta);
        let (earlier, known) = layout.split(&before.theta);
        intercepts.copy_from_slice(known);
        if !intercepts.is_empty() {
            for ((now, before), mean) in
                after.chunks_exact(outputs).zip(earlier.chunks_exact(outputs)).zip(self.form.means())
            {
                axpy(-mean, now, intercepts);
                axpy(*mean, before, intercepts);
            }
        }
        theta
    }
}

/// What became of one round.
enum Step {
    Better(Fitted),
    /// Nothing lowers F; whether all that was promised has been fitted.
    Nothing {
        is_complete: bool,
    },
}
