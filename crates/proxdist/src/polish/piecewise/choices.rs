//! Choices of features for losses with a kink. Every choice that counts is fitted exactly; where to look is found on the loss with its kink rounded off, which the search for other losses takes.
//!
//! 1. The choices that such a search ends at, for two widths of the rounding, and those of the points handed over; pools with room are filled.
//! 2. If all choices are few enough to be fitted, all are, and the best is the answer.
//! 3. Otherwise exchanges of one unit for another from the best, each fitted, while F falls and the budget lasts. Entering units are tried in the order of $|x_j^T(v \circ a)|$ in units of
//!    their columns, the slope of F along them.

use super::bends::Bends;
use super::design::{Copied, Design};
use super::gap::Judged;
use super::{AllColumns, Solved, solve};
use crate::constraint::{Choice, Choosing, with};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::gap::{Gap, Proof};
use crate::loss::{Kinked, Smoothed};
use crate::objective::Objective;
use crate::polish::finish::{Finish, Polished};
use crate::polish::measure::floored;
use crate::polish::refit::exchanged;
use crate::polish::{OnData, Poll, Smooth};
use crate::ridge::Ridge;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Widths of the rounding, as shares of the mean loss without features.
const WIDTHS: [f64; 2] = [0.3, 0.03];
/// Operations that all fits may take, and those of a fit for each row: about so many steps with so much for the row itself.
const BUDGET: f64 = 2e10;
/// The same where a fit is one of many beside it.
const BUDGET_OF_MANY: f64 = 1e9;
const STEPS: f64 = 20.0;
const OF_ROW: f64 = 60.0;
const OVERHEAD: f64 = 2e4;
/// Choices that are tried where none of the proposals has a point of the set.
const FIRST: usize = 200;
/// Fall of F that counts, relative to F.
const FALL: f64 = 1e-9;
/// Quality of a fit, relative, beyond which its F says little about the minimum.
const SHORT: f64 = 1e-7;

/// A fitted choice.
struct Fitted {
    units: Vec<usize>,
    support: Vec<usize>,
    solved: Solved,
}

struct Choosable<'p> {
    objective: Objective<'p>,
    choosing: &'p dyn Choosing,
    choice: &'p Choice,
    bends: Bends,
    /// F of the choices that were fitted already.
    known: HashMap<Vec<usize>, f64>,
    spent: f64,
    budget: f64,
    /// Whether a fit that was to decide fell short of its minimum.
    fell_short: bool,
    is_over: bool,
}

pub(super) fn finish(
    finish: &Finish,
    kinked: &dyn Kinked,
    choosing: &dyn Choosing,
    starts: &[&[f64]],
    poll: Poll,
) -> Result<Polished> {
    let Finish { objective, .. } = *finish;
    let layout = objective.layout();
    let choice = choosing.choice(layout.coefficient_count());
    let bends = Bends::of(objective.data, kinked);
    let at_zero = objective.value(&layout.zeros())?;
    let mut choosable = Choosable {
        objective,
        choosing,
        choice: &choice,
        bends,
        known: HashMap::new(),
        spent: 0.0,
        budget: if finish.is_near { BUDGET_OF_MANY } else { BUDGET },
        fell_short: false,
        is_over: false,
    };
    let mut best = None;
    for units in proposals(finish, &choice, starts, at_zero, poll)? {
        choosable.take(units, &mut best, poll)?;
    }
    if best.is_none() {
        // No proposal has a point of the set: the first choices that have one.
        let mut some = Vec::new();
        choice.every(FIRST, &mut |units| {
            some.push(units.to_vec());
            if some.len() < FIRST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        for units in some {
            if choosable.take(units, &mut best, poll)? {
                break;
            }
        }
    }
    let exchanges = choosable.look(&mut best, poll)?;
    let Some(Fitted { support, solved, .. }) = best else {
        let theta = starts[0].to_vec();
        let value = objective.value(&theta)?;
        return Ok(Polished {
            theta,
            value,
            gradient: None,
            diagonal: None,
            stationarity: None,
            exchanges: Exchanges::CutShort,
            summed: None,
            gap: None,
        });
    };
    let theta = layout.spread(&support, &solved.theta);
    let Judged { value, slack, residual, gap, .. } = solved.judged;
    let reference = floored(value, at_zero);
    let is_every = exchanges == Exchanges::EveryChoice;
    Ok(Polished {
        theta,
        value,
        gradient: None,
        diagonal: None,
        stationarity: Some(residual.max(if slack == 0.0 { 0.0 } else { slack / reference })),
        exchanges,
        summed: None,
        // Every choice was fitted; how far the fit of the best can be from its own minimum is how far all can.
        gap: gap.filter(|_| is_every).map(|value| Gap { value, proof: Proof::Duality }),
    })
}

/// Choices that are worth a fit: where searches with the kink rounded off end, and those of the points handed over.
fn proposals(finish: &Finish, choice: &Choice, starts: &[&[f64]], at_zero: f64, poll: Poll) -> Result<Vec<Vec<usize>>> {
    let objective = finish.objective;
    let layout = objective.layout();
    let mut points: Vec<Vec<f64>> = starts.iter().map(|start| start.to_vec()).collect();
    for share in WIDTHS {
        let Some(smoothed) = Smoothed::of(objective.loss, share * at_zero) else { continue };
        if at_zero <= 0.0 || !at_zero.is_finite() {
            break;
        }
        let rounded = Finish { objective: Objective { loss: &smoothed, ..objective }, ..*finish };
        let starts: Vec<&[f64]> = points.iter().map(|point| &point[..]).collect();
        points.push(rounded.run(&starts, poll)?.theta);
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    for point in points.iter().rev() {
        let units = filled(choice, &choice.active(layout.coefficients(point)));
        if !found.contains(&units) {
            found.push(units);
        }
    }
    Ok(found)
}

/// The choice with its room filled by the first units that fit.
fn filled(choice: &Choice, units: &[usize]) -> Vec<usize> {
    let mut units = units.to_vec();
    for unit in 0..choice.units() {
        let Some(room) = choice.room(&units) else { break };
        if units.binary_search(&unit).is_err() && choice.can_join(unit, &units, &room) {
            let at = units.partition_point(|&other| other < unit);
            units.insert(at, unit);
        }
    }
    units
}

impl Choosable<'_> {
    /// Operations of a fit of so many units.
    fn cost(&self, size: usize) -> f64 {
        let size = (size + 1) as f64;
        OVERHEAD * size + STEPS * self.bends.len() as f64 * (OF_ROW + size * (size + 6.0))
    }

    /// Fits a choice, unless it was fitted before, and keeps it if it is the best; whether it is.
    fn take(&mut self, units: Vec<usize>, best: &mut Option<Fitted>, poll: Poll) -> Result<bool> {
        if self.known.contains_key(&units) || self.is_over {
            return Ok(false);
        }
        let support = self.choice.support(&units);
        let Some(set) = self.choosing.on_support(&support) else { return Ok(false) };
        let Some(conic) = set.structure().conic(support.len()) else {
            self.fell_short = true;
            return Ok(false);
        };
        let ridge: Vec<f64> = support.iter().map(|&j| self.objective.ridge.at(j)).collect();
        let design = Copied::of(self.objective, &support)?;
        let solved = solve(&design, &self.bends, &ridge, (&*set, &conic), poll)?;
        drop(set);
        self.spent += self.cost(support.len());
        self.is_over |= solved.was_stopped;
        let value = solved.judged.value;
        let short = solved.judged.residual.max(solved.judged.slack / value.abs().max(f64::MIN_POSITIVE));
        self.fell_short |= short > SHORT && solved.judged.slack > 0.0;
        self.known.insert(units.clone(), value);
        let is_lower = best.as_ref().is_none_or(|best| value < best.solved.judged.value);
        if is_lower {
            *best = Some(Fitted { units, support, solved });
        }
        Ok(is_lower)
    }

    /// Looks at other choices than those proposed; says how thoroughly.
    fn look(&mut self, best: &mut Option<Fitted>, poll: Poll) -> Result<Exchanges> {
        let size = best.as_ref().map_or_else(|| self.choice.keep().iter().sum(), |best| best.support.len());
        let count = self.choice.count();
        if count * self.cost(size) <= self.budget {
            let mut all = Vec::new();
            self.choice.every(usize::MAX, &mut |units| {
                all.push(units.to_vec());
                ControlFlow::Continue(())
            });
            self.fell_short = false;
            for units in all {
                self.take(units, best, poll)?;
            }
            let is_sure = !self.is_over && !self.fell_short;
            return Ok(if is_sure { Exchanges::EveryChoice } else { Exchanges::CutShort });
        }
        loop {
            let Some(now) = best.as_ref() else { return Ok(Exchanges::CutShort) };
            let (units, value) = (now.units.clone(), now.solved.judged.value);
            self.fell_short = false;
            let mut has_fallen = false;
            'round: for enters in self.entering(now)? {
                for next in self.exchanges(&units, enters) {
                    if self.spent + self.cost(size) > self.budget || self.is_over {
                        return Ok(Exchanges::CutShort);
                    }
                    let is_lower = self.take(next, best, poll)?;
                    let after = best.as_ref().map_or(value, |best| best.solved.judged.value);
                    if is_lower && after < value - FALL * value.abs() {
                        has_fallen = true;
                        break 'round;
                    }
                }
            }
            if !has_fallen {
                let is_sure = !self.is_over && !self.fell_short;
                return Ok(if is_sure { Exchanges::Refitted } else { Exchanges::CutShort });
            }
        }
    }

    /// The choices after a unit has come: in the room there is, or for one that leaves.
    fn exchanges(&self, units: &[usize], enters: usize) -> Vec<Vec<usize>> {
        let choice = self.choice;
        let is_allowed = |next: &Vec<usize>| choice.room(next).is_some() && choice.is_closed(next);
        let alone = with(units, enters);
        if is_allowed(&alone) {
            return vec![alone];
        }
        units.iter().map(|&leaves| exchanged(units, leaves, enters)).filter(is_allowed).collect()
    }

    /// Units outside the choice, those along which F is steepest first.
    fn entering(&self, now: &Fitted) -> Result<Vec<usize>> {
        let weighted: Vec<f64> = now.solved.slopes.iter().zip(&self.bends.weights).map(|(a, v)| a * v).collect();
        let all = AllColumns(self.objective);
        let mut pulls = vec![0.0; all.width()];
        all.transpose_times(&weighted, &mut pulls)?;
        let plain = Objective { ridge: Ridge::default(), ..self.objective };
        let sizes = OnData::with_curvatures(plain, self.bends.weights.clone()).diagonal()?;
        let steep = |unit: usize| -> f64 {
            self.choice.unit(unit).iter().map(|&j| pulls[j] * pulls[j] / sizes[j].max(f64::MIN_POSITIVE)).sum()
        };
        let mut others: Vec<(f64, usize)> = (0..self.choice.units())
            .filter(|unit| now.units.binary_search(unit).is_err())
            .map(|unit| (steep(unit), unit))
            .collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(others.into_iter().map(|(_, unit)| unit).collect())
    }
}
