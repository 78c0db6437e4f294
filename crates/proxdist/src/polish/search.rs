//! The exact finish for sets that leave a choice: the minimiser for a choice of features, then other choices while F falls.
//!
//! 1. Starts: the points handed over, a forward path that adds the most promising unit again and again, and for few columns the best supports of a
//!    quadratic model (`subsets.rs`). Pools with room are filled: a larger choice is never worse.
//! 2. If all choices are few, all are looked at (`every_choice.rs`) and that is the end.
//! 3. From each start exchanges (`exchange.rs`), and sets of features that join and leave together, while F falls.
//! 4. From the best of them the second look (`removal.rs`), and 3 again if that finds a lower F.
//! 5. The same from the support of this size on a path over all sizes (`crate::path`), and from those that an L1 path suggests (`lasso_start.rs`), where that costs no
//!    more than the effort allows; the lowest end stands.
//!
//! On many rows the search is done on a sample of them. What is left for all rows is the minimiser, and one round of exchanges in which second
//! derivatives may be those of the sample, with gains taken half as large again for safety.
//!
//! F at the result is not above F at any start.

use super::every_choice::best_of_all;
use super::exchange::{Exchange, Round};
use super::joining::{filled, joined};
use super::refit::{EXACT, Fitted, ROUGH, Selecting, Watch};
use super::{Poll, lasso_start, subsets};
use crate::constraint::Choosing;
use crate::data::Data;
use crate::effort::Effort;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::objective::Objective;
use crate::path::{Start, StartBudget, support_of_size, telling};
use crate::proof::Summed;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Rounds of exchange at most; each lowers F, so this is never reached in practice.
const ROUNDS: usize = 300;
/// Steps of the forward path at most; more units than this come several at a time.
const FORWARD_STEPS: usize = 20;
/// Entries of the data beyond which only the best starts are followed, and how many of them.
const LARGE: usize = 500_000;
pub(super) const FOLLOWED: usize = 2;
/// Choices beyond which not all are looked at.
const MOST_FOR_EVERY: f64 = 2000.0;
/// Share of F by which the start of an L1 path may be above what is known to be followed.
const NEAR: f64 = 0.05;
/// Rows for each feature up to which there is such a start.
const WIDE: usize = 2;

/// A problem whose set leaves a choice.
#[derive(Clone, Copy)]
pub(crate) struct Search<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) choosing: &'p dyn Choosing,
    /// How hard to look.
    pub(crate) effort: Effort,
    /// Whether no start is needed beside those that are handed over.
    pub(crate) is_near: bool,
    /// The number of features, where a path is all the start that is needed (`direct.rs`).
    pub(crate) direct: Option<usize>,
    /// The sample of the rows that the first start was found on, if they are many, so that little is left to find.
    pub(crate) sample: Option<Objective<'p>>,
}

/// Where the search ended.
pub(crate) struct Found {
    pub(crate) theta: Vec<f64>,
    pub(crate) value: f64,
    /// The gradient there, if the last look was at exactly this point.
    pub(crate) gradient: Option<Vec<f64>>,
    /// The diagonal of the Hessian of a quadratic F, if it was measured.
    pub(crate) diagonal: Option<Vec<f64>>,
    pub(crate) exchanges: Exchanges,
    /// F through its sums, if the search needed them.
    pub(crate) summed: Option<Summed>,
    /// Where the search has ended from each of its starts.
    pub(crate) ends: Vec<Vec<f64>>,
}

/// Whether a search on these data costs so much that only the best starts are followed.
pub(super) fn is_large(data: &Data) -> bool {
    data.rows().saturating_mul(data.columns()) > LARGE
}

impl Search<'_> {
    /// Finishes from the best of several feasible points. `poll` may end the search early.
    pub(crate) fn finish(&self, starts: &[&[f64]], poll: Poll) -> Result<Found> {
        let Self { objective, choosing, sample, .. } = *self;
        let choice = choosing.choice(objective.data.columns());
        let at_zero = objective.value(&objective.layout().zeros())?;
        let problem = Selecting { objective, choosing, choice: &choice, at_zero, block: None };
        let mut watch = Watch::new(poll);
        let mut exchange = Exchange::new(&problem, sample)?;
        let (best, exchanges) = self.search(&problem, &mut exchange, starts, &mut watch)?;
        let (measured, summed, ends) =
            (exchange.measured.take(), exchange.summed.take(), std::mem::take(&mut exchange.ends));
        let diagonal = exchange.take_diagonal();
        let reached = best.map(|best| (problem.spread(&best), best.units));
        // What rounding may have raised is not handed on.
        let lowest = self.valued(starts)?.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let value = match &reached {
            Some((theta, _)) => objective.value(theta)?,
            None => f64::INFINITY,
        };
        match (reached, lowest) {
            (Some((theta, _)), lowest) if lowest.is_none_or(|(lowest, _)| value <= lowest) => {
                let gradient = measured.filter(|(at, ..)| *at == theta).map(|(_, _, gradient)| gradient);
                Ok(Found { theta, value, gradient, diagonal, exchanges, summed, ends })
            }
            (reached, Some((value, start))) => {
                let is_same = |units: &Vec<usize>| choice.active(start).iter().all(|unit| units.contains(unit));
                let stands = exchanges == Exchanges::EveryChoice || reached.is_some_and(|(_, units)| is_same(&units));
                let exchanges = if stands { exchanges } else { Exchanges::CutShort };
                Ok(Found { theta: start.to_vec(), value, gradient: None, diagonal, exchanges, summed, ends })
            }
            (_, None) => {
                let exchanges = Exchanges::CutShort;
                Ok(Found { theta: Vec::new(), value, gradient: None, diagonal, exchanges, summed: None, ends })
            }
        }
    }

    fn search(
        &self,
        problem: &Selecting,
        exchange: &mut Exchange,
        starts: &[&[f64]],
        watch: &mut Watch,
    ) -> Result<(Option<Fitted>, Exchanges)> {
        let are_many = problem.choice.count() > MOST_FOR_EVERY;
        if are_many && let Some((best, exchanges)) = self.by_climbing(problem, exchange, starts, watch)? {
            return Ok((Some(best), exchanges));
        }
        let mut pool = self.given(problem, starts, watch)?;
        if are_many && let Some((best, exchanges)) = self.directly(problem, exchange, &pool, watch)? {
            exchange.ends.push(problem.spread(&best));
            return Ok((Some(best), exchanges));
        }
        if pool.is_empty() {
            pool.extend(self.forward(problem, watch)?);
        }
        let Some(first) = pool.first() else { return Ok((None, Exchanges::CutShort)) };
        if watch.was_over() {
            return Ok((Some(first.clone()), Exchanges::CutShort));
        }
        if problem.choice.count() <= 1.0 {
            return Ok((Some(first.clone()), Exchanges::EveryChoice));
        }
        if let Some(looked) = best_of_all(problem, exchange.gram(), first, watch)? {
            if looked.at_all || watch.was_over() {
                let exchanges = if looked.at_all { Exchanges::EveryChoice } else { Exchanges::CutShort };
                return Ok((Some(looked.best), exchanges));
            }
            pool.push(looked.best);
        }
        if self.sample.is_none() {
            // Exact exchanges from one start are as good on large data, and the path would cost more than all the rest.
            if !(self.is_near || self.is_large() && exchange.is_exact()) {
                pool.extend(self.forward(problem, watch)?);
            }
            pool.extend(self.by_model(problem, &pool[0], watch)?);
        }
        pool.sort_by(|a, b| a.value.total_cmp(&b.value));
        let mut seen: HashSet<Vec<usize>> = HashSet::new();
        pool.retain(|start| seen.insert(start.units.clone()));
        pool.truncate(match self.is_large() {
            true if exchange.is_exact() => 1,
            true => FOLLOWED,
            false => usize::MAX,
        });
        let mut seen: HashSet<Vec<usize>> = pool.iter().map(|start| start.units.clone()).collect();
        let mut best: Option<(Fitted, Exchanges)> = None;
        for start in pool {
            if best.is_some() && watch.is_over() {
                break;
            }
            let ended = self.descend(exchange, start, watch)?;
            exchange.ends.push(problem.spread(&ended.0));
            if best.as_ref().is_none_or(|best| ended.0.value < best.0.value) {
                best = Some(ended);
            }
        }
        let Some(best) = best else { return Ok((None, Exchanges::CutShort)) };
        let mut best = self.second_look(exchange, best, watch)?;
        // Beside all that, not in its place: a lower start may lead to a higher end.
        let budgets = if self.sample.is_none() { self.effort.paths() } else { &[] };
        for (round, &budget) in budgets.iter().enumerate() {
            let mut others = Vec::new();
            if let Some(Start { support, summed, .. }) = self.by_path(problem, budget, watch)? {
                exchange.summed = summed.or(exchange.summed.take());
                others.extend(if watch.was_over() { None } else { problem.refit(support, None, EXACT, watch)? });
            }
            if round == 0 {
                let near = best.0.value + NEAR * best.0.value.abs();
                others.extend(self.by_lasso(problem, budget, watch)?.filter(|start| start.value <= near));
            }
            for start in others.into_iter().filter(|start| seen.insert(start.units.clone())) {
                let ended = self.descend(exchange, start, watch)?;
                let ended = self.second_look(exchange, ended, watch)?;
                exchange.ends.push(problem.spread(&ended.0));
                if ended.0.value < best.0.value {
                    best = ended;
                }
            }
            if let Some(lower) = self.by_walking(exchange, &best.0, budget, watch)? {
                best = lower;
            }
        }
        if let Some(budget) = budgets.last().filter(|_| self.goes_beyond(problem)) {
            best = self.by_oscillation(exchange, best, budget.operations, watch)?;
            exchange.ends.push(problem.spread(&best.0));
        }
        let (best, exchanges) = best;
        Ok((Some(best), if watch.was_over() { Exchanges::CutShort } else { exchanges }))
    }

    /// Whether a way beyond the limits and back is worth its time: features that are chosen freely have better ways.
    fn goes_beyond(&self, problem: &Selecting) -> bool {
        problem.choosing.plain_size(self.objective.data.columns()).is_none()
    }

    /// Exchanges that no model proposes, and what they lead to, where a round of exchanges is not all that can be done.
    pub(super) fn second_look(
        &self,
        exchange: &mut Exchange,
        (mut best, mut exchanges): (Fitted, Exchanges),
        watch: &mut Watch,
    ) -> Result<(Fitted, Exchanges)> {
        while !exchange.is_exact() && !watch.is_over() {
            match exchange.by_removal(&best, watch)? {
                Round::Lower(lower) => (best, _) = self.descend(exchange, lower, watch)?,
                Round::Ended(ended) => {
                    exchanges = ended;
                    break;
                }
            }
        }
        Ok((best, exchanges))
    }

    /// Whether a search costs so much that only the best starts are followed.
    pub(super) fn is_large(&self) -> bool {
        is_large(self.objective.data)
    }

    /// F at each of some points.
    pub(super) fn valued<'s>(&self, points: &[&'s [f64]]) -> Result<Vec<(f64, &'s [f64])>> {
        points.iter().map(|point| Ok((self.objective.value(point)?, *point))).collect()
    }

    /// The minimisers for the choices of the points handed over, the best first.
    fn given(&self, problem: &Selecting, starts: &[&[f64]], watch: &mut Watch) -> Result<Vec<Fitted>> {
        let mut valued = self.valued(starts)?;
        valued.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pool: Vec<Fitted> = Vec::new();
        for (_, start) in valued {
            let active = problem.choice.active(start);
            if active.is_empty() && self.direct.is_some() {
                continue;
            }
            let Some(units) = problem.choice.completed(&active) else { continue };
            if !pool.is_empty() && watch.is_over() {
                continue;
            }
            let most = if self.is_large() { FOLLOWED } else { usize::MAX };
            if pool.len() < most
                && let Some(fitted) = problem.refit(units, Some(start), EXACT, watch)?
            {
                pool.push(filled(problem, fitted, watch)?);
            }
        }
        pool.sort_by(|a, b| a.value.total_cmp(&b.value));
        Ok(pool)
    }

    /// The end of a path that starts without any unit and adds the most promising ones, refitting in between.
    fn forward(&self, problem: &Selecting, watch: &mut Watch) -> Result<Option<Fitted>> {
        let total = problem.choice.rank();
        let step = total.div_ceil(FORWARD_STEPS).max(1);
        let mut theta = self.objective.layout().zeros();
        let (mut units, mut diagonal) = (Vec::new(), None);
        let mut reached = problem.refit(Vec::new(), None, ROUGH, watch)?;
        while units.len() < total && !watch.is_over() {
            if let Some(fitted) = &reached {
                theta = problem.spread(fitted);
            }
            let more = joined(problem, &units, &theta, step, &mut diagonal)?;
            if more.len() == units.len() {
                break;
            }
            units = more;
            let tolerance = if units.len() < total { ROUGH } else { EXACT };
            reached = problem.refit(units.clone(), Some(&theta), tolerance, watch)?;
        }
        if units.len() < total && reached.is_some() {
            // Units that need each other may leave room that none can take.
            reached = problem.refit(units, Some(&theta), EXACT, watch)?;
        }
        Ok(reached.filter(|_| !watch.was_over()))
    }

    /// The best supports of a quadratic model, where columns are few.
    fn by_model(&self, problem: &Selecting, best: &Fitted, watch: &mut Watch) -> Result<Vec<Fitted>> {
        let mut pool = Vec::new();
        if subsets::is_small(self.objective.data) {
            let theta = problem.spread(best);
            for units in subsets::starts(self.objective, &theta, problem.choice)? {
                pool.extend(problem.refit(units, None, EXACT, watch)?);
            }
        }
        Ok(pool)
    }

    /// The support that a path over all sizes finds at this one, where features are chosen freely.
    pub(super) fn by_path(&self, problem: &Selecting, budget: StartBudget, watch: &mut Watch) -> Result<Option<Start>> {
        let Some(size) = problem.choosing.plain_size(self.objective.data.columns()) else { return Ok(None) };
        let mut poll = || if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        support_of_size(self.objective, size, budget, &mut poll)
    }

    /// The minimiser for the best support that an L1 path suggests, where features are chosen freely.
    pub(super) fn by_lasso(
        &self,
        problem: &Selecting,
        budget: StartBudget,
        watch: &mut Watch,
    ) -> Result<Option<Fitted>> {
        let Some(size) = problem.choosing.plain_size(self.objective.data.columns()) else { return Ok(None) };
        // Where rows are many beside the features, other starts are as good.
        let is_wide = WIDE * self.objective.data.columns() >= self.objective.data.rows();
        let is_affordable = is_wide && lasso_start::PASSES * telling(self.objective.data)? <= budget.operations;
        if size == 0 || self.objective.loss.is_quadratic() || !is_affordable || watch.is_over() {
            return Ok(None);
        }
        lasso_start::start(problem, size, watch)
    }

    /// Exchanges from one start until F no longer falls.
    pub(super) fn descend(
        &self,
        exchange: &mut Exchange,
        start: Fitted,
        watch: &mut Watch,
    ) -> Result<(Fitted, Exchanges)> {
        let mut best = start;
        for _ in 0..ROUNDS {
            let ended = match exchange.round(&best, watch)? {
                Round::Lower(lower) => {
                    best = lower;
                    continue;
                }
                Round::Ended(ended) => ended,
            };
            // Where columns are kept by their marks, the swings of `crate::path` are for pairs.
            let is_wider = self.sample.is_none() && self.direct.is_none() && self.objective.data.marked().is_none();
            let wider = if is_wider { exchange.expand_and_prune(&best, watch)? } else { None };
            match wider {
                Some(lower) => best = lower,
                None => return Ok((best, if watch.was_over() { Exchanges::CutShort } else { ended })),
            }
        }
        Ok((best, Exchanges::CutShort))
    }
}
