//! Moves between choices of any kind: one unit in, or one out for one in, with what it needs.
//!
//! Moves are ranked by what one feature at a time would do to F, $\tfrac12g_j^2/A_{jj}$ for those that come in less $\tfrac12A_{jj}\theta_j^2$ for those that go, which is cheap and rough. Fits decide; where all of them are affordable, the result is certain.

use super::objective::Function;
use super::search::{Fitted, MOST_TESTS, Search, Step};
use crate::constraint::with;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::polish::{Poll, Smooth as _};
use std::collections::HashSet;

impl Search<'_> {
    /// A choice that no unit can join, one after the other, the most promising first.
    pub(super) fn grow(&mut self, poll: Poll) -> Result<Option<Fitted>> {
        let zeros = vec![0.0; self.objective.data.columns()];
        let Some(mut at) = self.fit(Vec::new(), &zeros, f64::INFINITY)? else { return Ok(None) };
        while poll().is_continue() {
            let moves = self.moves(&at)?;
            let Some(units) = moves.into_iter().find(|units| units.len() > at.units.len()) else { break };
            let start = at.theta.clone();
            let Some(next) = self.fit(units, &start, f64::INFINITY)? else { break };
            at = next;
        }
        Ok(Some(at))
    }

    /// A neighbour with a lower F, if there is one: among all of them if they are affordable, or else among the most promising.
    pub(super) fn every_move(&mut self, best: &Fitted, poll: Poll) -> Result<Step> {
        let most = (best.units.len() + 1) * (self.choice.units() - best.units.len());
        let is_complete = self.affords(most, best.support.len()) && self.choice.needs().is_empty();
        let is_plain = self.choosing.plain_size(self.objective.data.columns()).is_some();
        if is_plain && !is_complete {
            return Ok(Step::Nothing(Exchanges::CutShort));
        }
        let moves = self.moves(best)?;
        let ceiling = Self::ceiling(best);
        let most = if is_complete { moves.len() } else { MOST_TESTS };
        let mut are_settled = true;
        for units in moves.into_iter().take(most) {
            if poll().is_break() {
                return Ok(Step::Nothing(Exchanges::CutShort));
            }
            if !is_complete && self.seen.contains(&units) {
                continue;
            }
            let Some(next) = self.fit(units, &best.theta, f64::INFINITY)? else { continue };
            if next.value < ceiling {
                return Ok(Step::Better(next));
            }
            are_settled &= next.is_settled;
        }
        let is_certain = is_complete && are_settled && best.is_settled;
        Ok(Step::Nothing(if is_certain { Exchanges::Refitted } else { Exchanges::CutShort }))
    }

    /// The choices one move away, the most promising first.
    fn moves(&self, at: &Fitted) -> Result<Vec<Vec<usize>>> {
        let mut function = Function::new(self.objective);
        let mut gradient = vec![0.0; at.theta.len()];
        function.gradient(&at.theta, &mut gradient)?;
        function.linearise(&at.theta)?;
        let bends = function.diagonal()?;
        let choice = &self.choice;
        let sum = |unit: usize, each: &dyn Fn(usize) -> f64| choice.unit(unit).iter().map(|&j| each(j)).sum::<f64>();
        let gain = |unit: usize| sum(unit, &|j| if bends[j] > 0.0 { gradient[j].powi(2) / bends[j] } else { 0.0 });
        let loss = |unit: usize| sum(unit, &|j| bends[j] * at.theta[j].powi(2));
        let outside: Vec<usize> = (0..choice.units()).filter(|unit| at.units.binary_search(unit).is_err()).collect();
        let mut found = Vec::new();
        for out in std::iter::once(None).chain(at.units.iter().copied().map(Some)) {
            let rest: Vec<usize> = at.units.iter().copied().filter(|unit| Some(*unit) != out).collect();
            if !choice.is_closed(&rest) {
                continue;
            }
            for &unit in &outside {
                if let Some(next) = choice.completed(&with(&rest, unit)) {
                    found.push((gain(unit) - out.map_or(0.0, loss), next));
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut known = HashSet::from([at.units.clone()]);
        Ok(found.into_iter().map(|(_, units)| units).filter(|units| known.insert(units.clone())).collect())
    }
}
