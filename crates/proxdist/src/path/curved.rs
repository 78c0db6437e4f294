//! The search over supports for losses that are not quadratic: the quadratic model proposes, Newton's method decides.
//!
//! At each place one pass over the data scores all exchanges and the next addition. The best few of each are fitted, from where the model has
//! its minimum. What leaves when a support shrinks is known without a pass. Supports that were fitted before are not looked at again.

use super::climb::{Climb, Place};
use super::columns::Columns;
use super::model::Model;
use super::newton::{Fitted, Newton};
use super::scores::Scores;
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
/// Relative fall of F that counts, and the same relative to F without any feature.
const FALL: f64 = 1e-9;
const ROUNDING: f64 = 1e-12;
/// Rounds of exchange at most; each lowers F, so this is never reached in practice.
const MOST_ROUNDS: usize = 1000;

/// F and what was looked at.
pub(super) struct Curved<'p> {
    newton: Newton<'p>,
    layout: Layout,
    /// The model of the last place, with its support.
    model: Option<(Vec<usize>, Model)>,
    seen: HashSet<Vec<usize>>,
}

impl<'p> Curved<'p> {
    /// Supports of up to `largest` features; `memory` in bytes is for copies of columns.
    pub(super) fn new(objective: Objective<'p>, layout: Layout, (memory, largest): (usize, usize)) -> Result<Self> {
        let columns = Columns::new(objective.data, memory, largest + TRIES + 1);
        let newton = Newton::new(objective, layout.intercept_count() > 0, columns)?;
        Ok(Self { newton, layout, model: None, seen: HashSet::new() })
    }

    fn negligible(&self, value: f64) -> f64 {
        FALL * value.abs() + ROUNDING * self.newton.at_zero.abs()
    }

    /// Makes sure that the model is that of a place; `false` if there is none.
    fn measure(&mut self, place: &Place) -> Result<bool> {
        if self.model.as_ref().is_none_or(|(support, _)| *support != place.support) {
            let model = Model::at(self.newton.objective, self.layout, place)?;
            self.model = model.map(|model| (place.support.clone(), model));
        }
        Ok(self.model.is_some())
    }

    /// Fits a support that was not looked at before, if F gets below `limit` there.
    fn try_support(&mut self, support: Vec<usize>, start: Vec<f64>, limit: f64) -> Result<Option<Place>> {
        if !self.seen.insert(support.clone()) {
            return Ok(None);
        }
        let fitted = self.newton.fit(&support, start, limit)?;
        Ok(fitted.map(|fitted| at(support, fitted)))
    }

    /// Exchanges while F falls.
    fn descend(&mut self, start: Place, watch: &mut Watch) -> Result<Place> {
        let mut best = start;
        for _ in 0..MOST_ROUNDS {
            if best.is_separated || best.support.is_empty() || watch.is_over() || !self.measure(&best)? {
                break;
            }
            match self.exchange(&best, watch)? {
                Some(lower) => best = lower,
                None => break,
            }
        }
        Ok(best)
    }

    /// The first of the best few exchanges that lowers F.
    fn exchange(&mut self, best: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        let limit = best.value - self.negligible(best.value);
        let Some((_, model)) = &self.model else { return Ok(None) };
        // Parabolas above a loss promise less than there may be.
        let is_cautious = self.newton.objective.loss.has_straight_pieces();
        let least = if is_cautious { f64::NEG_INFINITY } else { self.negligible(best.value) };
        let most = if is_cautious { CAUTIOUS_TRIES } else { TRIES };
        let mut trials = Vec::with_capacity(most);
        for swap in model.scores().swaps(least, LISTED) {
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

fn at(support: Vec<usize>, fitted: Fitted) -> Place {
    Place { support, value: fitted.value, point: fitted.point, is_separated: fitted.is_separated }
}

/// A support without the feature at a position and with another one, and a point there.
fn replaced(
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
        let Some(own) = self.newton.own(&from.support, &from.point)? else { return Ok(None) };
        let theta = &from.point[..from.support.len()];
        let scores = Scores { theta, own: &own, rows: &[], slope: &[], left: &[], floor: 0.0 };
        let Some(&leaves) = scores.cheapest(1).first() else { return Ok(None) };
        let (mut support, mut start) = (from.support.clone(), from.point.clone());
        support.remove(leaves);
        start.remove(leaves);
        let found = self.try_support(support, start, f64::INFINITY)?;
        found.map(|found| self.descend(found, watch)).transpose()
    }

    fn walked(&mut self, _from: &Place, _patience: usize, _watch: &mut Watch) -> Result<Option<Place>> {
        Ok(None)
    }

    fn is_lower(&self, value: f64, than: f64) -> bool {
        value < than - self.negligible(than)
    }
}
