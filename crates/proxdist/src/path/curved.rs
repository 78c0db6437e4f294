//! The search over supports for losses that are not quadratic: the quadratic model proposes, Newton's method decides.
//!
//! At each place one pass over the data scores all exchanges and the next addition, with second derivatives that may be those of places before (`crosses.rs`); where these promise nothing
//! they are measured again. The best few of each are fitted, from where the model has
//! its minimum. What leaves when a support shrinks is known without a pass. Supports that were fitted before are not looked at again.

use super::climb::{Climb, Place};
use super::columns::Columns;
use super::costs::Costs;
use super::crosses::Crosses;
use super::design::{Design, MarkedRows};
use super::model::Model;
use super::newton::{Fitted, Newton};
use super::scores::{Scores, Swap};
use super::watch::Watch;
use crate::error::Result;
use crate::layout::Layout;
use crate::objective::Objective;
use crate::ridge::Ridge;
use std::collections::HashSet;

/// Exchanges or additions that are fitted in a round, and those that are listed because some were fitted before.
const TRIES: usize = 3;
/// The same for losses with straight pieces, whose models are poor.
const CAUTIOUS_TRIES: usize = 6;
const LISTED: usize = 30;
/// Places after which all second derivatives are measured again, and operations up to which they always are.
const OLD: usize = 20;
const QUICK: f64 = 2e7;
/// Relative fall of F that counts, and the same relative to F without any feature.
const FALL: f64 = 1e-9;
const ROUNDING: f64 = 1e-12;
/// Rounds of exchange at most; each lowers F, so this is never reached in practice.
const MOST_ROUNDS: usize = 1000;

/// F and what was looked at.
pub(super) struct Curved<'p> {
    newton: Newton<'p>,
    pub(super) layout: Layout,
    /// The model of the last place, with its support.
    pub(super) model: Option<(Vec<usize>, Model)>,
    /// Second derivatives of places before.
    known: Crosses,
    old: usize,
    seen: HashSet<Vec<usize>>,
    costs: Costs,
    /// Operations so far, and how many walks may take.
    spent: f64,
    allowed: f64,
}

impl<'p> Curved<'p> {
    /// Supports of up to `largest` features; `memory` in bytes is for copies of columns.
    pub(super) fn new(objective: Objective<'p>, layout: Layout, (memory, largest): (usize, usize)) -> Result<Self> {
        let design = match objective.data.marked() {
            Some(marked) => Design::Marked(MarkedRows::new(marked, objective.data.rows())),
            None => Design::Copied(Columns::new(objective.data, memory, largest + TRIES + 1)),
        };
        let newton = Newton::new(objective, layout.intercept_count() > 0, design)?;
        let operations = objective.data.rows() as f64 * (layout.features() * (largest + 1)) as f64;
        let old = if operations <= QUICK { 0 } else { OLD };
        let costs = Costs::of(objective.data);
        let (known, seen) = (Crosses::default(), HashSet::new());
        Ok(Self { newton, layout, model: None, known, old, seen, costs, spent: 0.0, allowed: f64::INFINITY })
    }

    fn negligible(&self, value: f64) -> f64 {
        FALL * value.abs() + ROUNDING * self.newton.at_zero.abs()
    }

    /// Makes sure that the model is that of a place; `false` if there is none.
    pub(super) fn measure(&mut self, place: &Place) -> Result<bool> {
        if self.model.as_ref().is_none_or(|(support, _)| *support != place.support) {
            if self.known.age() >= self.old {
                self.known.forget();
            }
            let (objective, layout) = (self.newton.objective, self.layout);
            self.spent += self.costs.pass(place.support.len(), self.known.missing(&place.support));
            let mut model = Model::at(objective, layout, place, &mut self.known)?;
            if model.is_none() && self.known.age() > 0 {
                self.known.forget();
                model = Model::at(objective, layout, place, &mut self.known)?;
            }
            self.model = model.map(|model| (place.support.clone(), model));
        }
        Ok(self.model.is_some())
    }

    /// Whether the model has second derivatives of other places, which it then forgets.
    fn refreshed(&mut self) -> bool {
        let is_old = self.known.age() > 0;
        if is_old {
            self.known.forget();
            self.model = None;
        }
        is_old
    }

    /// Fits a support that was not looked at before, if F gets below `limit` there.
    fn try_support(&mut self, support: Vec<usize>, start: Vec<f64>, limit: f64) -> Result<Option<Place>> {
        if !self.seen.insert(support.clone()) {
            return Ok(None);
        }
        let fitted = self.fit(&support, start, limit)?;
        Ok(fitted.map(|fitted| at(support, fitted)))
    }

    /// The support without the feature that costs least to leave, and a point there.
    pub(super) fn without_cheapest(&mut self, from: &Place) -> Result<Option<(Vec<usize>, Vec<f64>)>> {
        let Some(own) = self.newton.own(&from.support, &from.point)? else { return Ok(None) };
        let theta = &from.point[..from.support.len()];
        let scores = Scores { theta, own: &own, rows: &[], slope: &[], left: &[], floor: 0.0 };
        let Some(&leaves) = scores.cheapest(1).first() else { return Ok(None) };
        let (mut support, mut start) = (from.support.clone(), from.point.clone());
        support.remove(leaves);
        start.remove(leaves);
        Ok(Some((support, start)))
    }

    /// Fits a support whether or not it was looked at before; `None` where F has no minimum.
    pub(super) fn fitted(&mut self, support: Vec<usize>, start: Vec<f64>) -> Result<Option<Place>> {
        self.seen.insert(support.clone());
        let fitted = self.fit(&support, start, f64::INFINITY)?;
        Ok(fitted.map(|fitted| at(support, fitted)).filter(|place| !place.is_separated))
    }

    fn fit(&mut self, support: &[usize], start: Vec<f64>, limit: f64) -> Result<Option<Fitted>> {
        let before = self.newton.steps;
        let fitted = self.newton.fit(support, start, limit);
        self.spent += self.costs.step(support.len()) * (1 + self.newton.steps - before) as f64;
        fitted
    }

    /// Lets walks take so many operations, those of the way to here not counted.
    pub(super) fn allow(&mut self, operations: f64) {
        (self.spent, self.allowed) = (0.0, operations);
    }

    /// Whether walks have taken what they may.
    pub(super) fn is_spent(&self) -> bool {
        self.is_past(self.allowed)
    }

    /// Operations after which a walk at a size ends that has found nothing from here on: a share of all that it may take if the rest is enough for a swing or a kick, otherwise all.
    pub(super) fn walked_until(&self, share: f64, size: usize) -> f64 {
        let has_room = self.costs.leap(size) <= (1.0 - share) * self.allowed;
        if has_room { (self.spent + share * self.allowed).min(self.allowed) } else { self.allowed }
    }

    /// Whether so many operations have gone by.
    pub(super) fn is_past(&self, operations: f64) -> bool {
        self.spent >= operations
    }

    /// Exchanges while F falls.
    pub(super) fn descend(&mut self, start: Place, watch: &mut Watch) -> Result<Place> {
        let mut best = start;
        for _ in 0..MOST_ROUNDS {
            if best.is_separated || best.support.is_empty() || watch.is_over() || !self.measure(&best)? {
                break;
            }
            match self.exchange(&best, watch)? {
                Some(lower) => best = lower,
                // What old second derivatives do not promise, those of this place may.
                None if self.refreshed() => {}
                None => break,
            }
        }
        Ok(best)
    }

    /// The first that lowers F of several exchanges together, as many as there are, then half as many and so on, and of the best few one by one.
    fn exchange(&mut self, best: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        let limit = best.value - self.negligible(best.value);
        let Some((_, model)) = &self.model else { return Ok(None) };
        // Parabolas above a loss promise less than there may be.
        let is_cautious = self.newton.objective.loss.has_straight_pieces();
        let least = if is_cautious { f64::NEG_INFINITY } else { self.negligible(best.value) };
        let most = if is_cautious { CAUTIOUS_TRIES } else { TRIES };
        let swaps = model.scores().swaps(least, LISTED);
        let mut trials = Vec::with_capacity(most + LISTED);
        if !is_cautious {
            trials.extend(together(best, &swaps));
        }
        let most = trials.len() + most;
        for swap in swaps {
            let (support, start) = replaced(best, Some(swap.leaves), swap.enters, model.after_swap(swap));
            if trials.len() < most && !self.seen.contains(&support) {
                trials.push((support, start));
            }
        }
        for (support, start) in trials {
            if watch.is_over() {
                break;
            }
            let lower = self.try_support(support, start, limit)?;
            if let Some(lower) = lower.filter(|lower| lower.value < limit) {
                return Ok(Some(lower));
            }
        }
        Ok(None)
    }
}

/// Supports after the best exchanges that have no feature in common, together: all of them, half of them, down to two. Far from an optimum this saves passes.
fn together(best: &Place, swaps: &[Swap]) -> Vec<(Vec<usize>, Vec<f64>)> {
    let mut disjoint: Vec<Swap> = Vec::new();
    for swap in swaps {
        if !disjoint.iter().any(|other| other.leaves == swap.leaves || other.enters == swap.enters) {
            disjoint.push(*swap);
        }
    }
    let mut trials = Vec::new();
    let mut count = disjoint.len();
    while count > 1 {
        let some = &disjoint[..count];
        let stays = |at: &usize| some.iter().all(|swap| swap.leaves != *at);
        let mut pairs: Vec<(usize, f64)> =
            (0..best.support.len()).filter(stays).map(|at| (best.support[at], best.point[at])).collect();
        pairs.extend(some.iter().map(|swap| (swap.enters, 0.0)));
        pairs.sort_by_key(|(feature, _)| *feature);
        let mut point: Vec<f64> = pairs.iter().map(|(_, value)| *value).collect();
        point.extend_from_slice(&best.point[best.support.len()..]);
        trials.push((pairs.into_iter().map(|(feature, _)| feature).collect(), point));
        count /= 2;
    }
    trials
}

fn at(support: Vec<usize>, fitted: Fitted) -> Place {
    Place { support, value: fitted.value, point: fitted.point, is_separated: fitted.is_separated, stationarity: None }
}

/// A support without the feature at a position and with another one, and a point there.
pub(super) fn replaced(
    from: &Place,
    leaves: Option<usize>,
    enters: usize,
    (moved, new): (Vec<f64>, f64),
) -> (Vec<usize>, Vec<f64>) {
    let count = from.support.len();
    let stays = |at: &usize| Some(*at) != leaves;
    let mut pairs: Vec<(usize, f64)> = (0..count).filter(stays).map(|at| (from.support[at], moved[at])).collect();
    let place = pairs.partition_point(|(j, _)| *j < enters);
    pairs.insert(place, (enters, new));
    let mut point: Vec<f64> = pairs.iter().map(|(_, value)| *value).collect();
    point.extend_from_slice(&moved[count..]);
    (pairs.into_iter().map(|(j, _)| j).collect(), point)
}

impl<'p> Climb<'p> for Curved<'p> {
    fn set_ridge(&mut self, ridge: Ridge<'p>) {
        self.newton.objective.ridge = ridge;
        self.model = None;
        self.known.forget();
        self.seen.clear();
    }

    fn minimiser(&mut self, support: &[usize], from: Option<&Place>) -> Result<Option<Place>> {
        let point = from.filter(|from| from.support == support && !from.is_separated).map(|from| from.point.clone());
        let start = point.unwrap_or_else(|| vec![0.0; support.len() + self.layout.intercept_count()]);
        self.seen.insert(support.to_vec());
        let fitted = self.newton.fit(support, start, f64::INFINITY)?;
        Ok(fitted.map(|fitted| at(support.to_vec(), fitted)))
    }

    fn exchanged(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        self.descend(from.clone(), watch).map(Some)
    }

    fn grown(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        if !self.measure(from)? {
            return Ok(None);
        }
        let Some((_, model)) = &self.model else { return Ok(None) };
        let additions = model.scores().additions(TRIES);
        let trials: Vec<_> =
            additions.iter().map(|&enters| replaced(from, None, enters, model.after_addition(enters))).collect();
        let mut best: Option<Place> = None;
        for (support, start) in trials {
            if best.is_some() && watch.is_over() {
                break;
            }
            let limit = best.as_ref().map_or(f64::INFINITY, |best| best.value);
            let found = self.try_support(support, start, limit)?;
            best = found.filter(|found| found.value < limit).or(best);
        }
        best.map(|best| self.descend(best, watch)).transpose()
    }

    fn shrunk(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        let Some((support, start)) = self.without_cheapest(from)? else { return Ok(None) };
        let found = self.try_support(support, start, f64::INFINITY)?;
        found.map(|found| self.descend(found, watch)).transpose()
    }

    fn walked(&mut self, from: &Place, patience: usize, watch: &mut Watch) -> Result<Option<Place>> {
        self.walk(from, patience, watch)
    }

    fn is_lower(&self, value: f64, than: f64) -> bool {
        value < than - self.negligible(than)
    }
}
