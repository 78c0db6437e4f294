//! The second look at exchanges, for any loss and any units: what leaves is really taken out.
//!
//! The quadratic model of F at the current point predicts badly what happens when a strong feature leaves. So each unit in turn is taken out
//! and the others refitted; at those points one pass over the data gives the gradient for all columns, and only the unit that enters is left
//! to a model: $\tfrac12g_i^2/h_i$, with the second derivative $h_i$ of the current point. Where a convex set stands beside the choice, the
//! step is projected onto it first. Exchanges are fitted in the order of what they promise: all of them where that is affordable, which
//! leaves no doubt, otherwise all that promise a lower F, and some that would if
//! the promise were three times as large.

use super::exchange::{Exchange, Round, derivatives, promise};
use super::on_columns::Block;
use super::refit::{Fitted, ROUGH, Selecting, Watch, exchanged};
use super::scores::{Held, Scores};
use super::sweep::{MOST_CROSSES, Sweep, gradients};
use crate::constraint::Workspace;
use crate::error::Result;
use crate::exchanges::Exchanges;

/// Exchanges whose step is projected at most.
const MOST_PROJECTED: usize = 20_000;
/// Factor on what an exchange promises, for those that are fitted although the model is against them, and how many are.
const BENEFIT_OF_DOUBT: f64 = 3.0;
const MOST_DOUBTED: usize = 20;

/// A unit that leaves, and the minimiser without it.
struct Removed {
    leaves: usize,
    value: f64,
    /// On the support with the unit, and the intercept.
    point: Vec<f64>,
}

/// An exchange with the F that it promises.
struct Proposal {
    removed: usize,
    enters: usize,
    gain: f64,
    value: f64,
}

impl Exchange<'_, '_> {
    /// One round in which units are really taken out.
    pub(super) fn by_removal(&mut self, best: &Fitted, watch: &mut Watch) -> Result<Round> {
        let (problem, objective) = (self.problem, self.problem.objective);
        let mut leaving: Vec<usize> = self.pairs(best).map(|(leaves, _)| leaves).collect();
        leaving.dedup();
        let (rows, columns) = (objective.data.rows() as f64, objective.data.columns() as f64);
        let passes = 2.0 * rows * columns * (leaving.len() + best.point.len()) as f64 / 4.0;
        let cost = problem.cost(best.support.len());
        if !self.budget.spend(0.5 * cost * leaving.len() as f64 + passes) {
            // Single features have been looked at with the model before.
            let is_modelled = problem.choice.is_single();
            return Ok(Round::Ended(if is_modelled { Exchanges::Model } else { Exchanges::CutShort }));
        }
        watch.begin();
        let theta = problem.spread(best);
        let block = Block::of(objective.data, &best.support)?;
        let problem = &Selecting { block: block.as_ref(), ..*problem };
        let mut removed: Vec<Removed> = Vec::with_capacity(leaving.len());
        for leaves in leaving {
            removed.push(without(problem, best, &theta, leaves, watch)?);
        }
        if watch.is_over() {
            return Ok(Round::Ended(Exchanges::CutShort));
        }
        let measured = self.sweep(best, &theta)?;
        let mut proposals = self.proposals(best, &theta, &removed, &measured)?;
        let at_all = self.budget.allows(cost * proposals.len() as f64);
        proposals.sort_by(|a, b| a.value.total_cmp(&b.value).then((a.enters, a.removed).cmp(&(b.enters, b.removed))));
        let mut is_cut = false;
        let mut doubted = 0;
        for proposal in &proposals {
            let removed = &removed[proposal.removed];
            if !at_all && proposal.value >= best.value {
                doubted += 1;
                if doubted > MOST_DOUBTED || removed.value - BENEFIT_OF_DOUBT * proposal.gain > best.value {
                    continue;
                }
            }
            if watch.is_over() || !self.budget.spend(cost) {
                is_cut = proposal.value < best.value;
                break;
            }
            let start = problem.spread(&Fitted { point: removed.point.clone(), ..best.clone() });
            let units = exchanged(&best.units, removed.leaves, proposal.enters);
            if let Some(lower) = problem.refit_below(best.value, units, &start, watch)? {
                return Ok(Round::Lower(lower));
            }
        }
        Ok(Round::Ended(match () {
            () if is_cut || !watch.is_sure() => Exchanges::CutShort,
            () if at_all => Exchanges::Refitted,
            () => Exchanges::Model,
        }))
    }

    fn proposals(&self, best: &Fitted, theta: &[f64], removed: &[Removed], measured: &Sweep) -> Result<Vec<Proposal>> {
        let (problem, objective) = (self.problem, self.problem.objective);
        let (choice, columns) = (problem.choice, objective.data.columns());
        let outside: Vec<usize> = (0..choice.units()).filter(|unit| best.units.binary_search(unit).is_err()).collect();
        let is_projected = !self.is_plain(best) && outside.len() * removed.len() <= MOST_PROJECTED;
        // Second derivatives along single features, once the others follow.
        let candidates: Vec<usize> = outside.iter().flat_map(|&unit| choice.unit(unit)).copied().collect();
        let (hessian, gradient) = derivatives(objective, best, theta, measured)?;
        let held = Held { support: &best.support, point: &best.point, gradient: &gradient, hessian: &hessian };
        let scores = if choice.is_single() && measured.has_crosses() {
            Scores::new(objective, theta, &held, measured, &candidates)?
        } else {
            None
        };
        let position = |leaves: usize| best.support.binary_search(choice.unit(leaves).first()?).ok();
        let Some(room) = choice.room(&best.units) else { return Ok(Vec::new()) };
        let mut all = Vec::with_capacity(outside.len() * removed.len());
        let width = (MOST_CROSSES / columns.max(1)).clamp(1, removed.len().max(1));
        let mut work = Vec::new();
        for (number, some) in removed.chunks(width).enumerate() {
            let points: Vec<Vec<f64>> = some.iter().map(|removed| removed.point.clone()).collect();
            let slopes = gradients(objective, &best.support, &points)?;
            for (at, &enters) in outside.iter().enumerate() {
                let bends = scores.as_ref().map(|scores| scores.curvatures(at, &mut work));
                for (k, removed) in some.iter().enumerate() {
                    if !room.has_after(choice, removed.leaves, enters) {
                        continue;
                    }
                    let slope = |j: usize| slopes[j * some.len() + k];
                    let bend = bends.as_ref().zip(position(removed.leaves)).map(|(bends, at)| bends[at]);
                    let gain = if is_projected {
                        self.projected_gain(best, removed, enters, &Along { slope: &slope, bends: &measured.diagonal })?
                    } else if let Some(bend) = bend {
                        choice.unit(enters).iter().map(|&j| 0.5 * slope(j) * slope(j) / bend).sum()
                    } else {
                        let own: Vec<f64> = choice.unit(enters).iter().map(|&j| slope(j)).collect();
                        let bends: Vec<f64> = choice.unit(enters).iter().map(|&j| measured.diagonal[j]).collect();
                        let every: Vec<usize> = (0..own.len()).collect();
                        promise(&every, &own, &bends)
                    };
                    let gain = if gain.is_finite() { gain } else { 0.0 };
                    let value = removed.value - gain;
                    all.push(Proposal { removed: number * width + k, enters, gain, value });
                }
            }
        }
        Ok(all)
    }

    /// What a step along the unit that enters gains when it is projected onto the convex set.
    fn projected_gain(&self, best: &Fitted, removed: &Removed, enters: usize, along: &Along) -> Result<f64> {
        let (choice, Along { slope, bends }) = (self.problem.choice, along);
        let support = choice.support(&exchanged(&best.units, removed.leaves, enters));
        let Some(set) = self.problem.choosing.on_support(&support) else { return Ok(0.0) };
        let entering = choice.unit(enters);
        let value = |&j: &usize| best.support.binary_search(&j).map_or(0.0, |at| removed.point[at]);
        let before: Vec<f64> = support.iter().map(value).collect();
        let mut after = before.clone();
        let is_new: Vec<bool> = support.iter().map(|j| entering.contains(j)).collect();
        for ((x, &j), _) in after.iter_mut().zip(&support).zip(&is_new).filter(|(_, is_new)| **is_new) {
            *x = -slope(j) / bends[j].max(f64::MIN_POSITIVE);
        }
        set.project(&mut after, &mut Workspace::default())?;
        let mut change = 0.0;
        for (at, &j) in support.iter().enumerate() {
            let step = after[at] - before[at];
            change += slope(j) * step + if is_new[at] { 0.5 * bends[j] * step * step } else { 0.0 };
        }
        Ok((-change).max(0.0))
    }
}

/// First and second derivatives along single features.
struct Along<'a> {
    slope: &'a dyn Fn(usize) -> f64,
    bends: &'a [f64],
}

/// The minimiser without a unit; where the set has no such point, the current one with zeros there.
fn without(problem: &Selecting, best: &Fitted, theta: &[f64], leaves: usize, watch: &mut Watch) -> Result<Removed> {
    let rest: Vec<usize> = best.units.iter().copied().filter(|&unit| unit != leaves).collect();
    if let Some(fitted) = problem.refit(rest, Some(theta), ROUGH, watch)? {
        let all = problem.spread(&fitted);
        let point = problem.objective.layout().gathered(&best.support, &all);
        return Ok(Removed { leaves, value: fitted.value, point });
    }
    let gone = problem.choice.unit(leaves);
    let mut point = best.point.clone();
    best.support.iter().zip(&mut point).filter(|(j, _)| gone.contains(j)).for_each(|(_, x)| *x = 0.0);
    Ok(Removed { leaves, value: best.value, point })
}
