//! Ways to other supports that may lead uphill first, for losses that are not quadratic; each ends where exchanges no longer lower F, and costs are counted so that the
//! same problem always gets as far.
//!
//! | way | what it does |
//! |---|---|
//! | walk | the best exchange that the model knows and `tabu.rs` allows, again and again |
//! | swing | some features come and as many leave, or the other way round: the size goes up or down and back |
//! | kick | some features, drawn at random, leave for good; the best others come in their place, or where features are few, some of the best |
//!
//! A walk that finds nothing for a tenth of all operations ends, so that most of them are left for the other two, if that is enough for one of these: on data with many
//! rows a long walk would take all of them.

use super::climb::{Climb as _, Place};
use super::curved::Curved;
use super::scores::Scores;
use super::tabu::Tabu;
use super::watch::Watch;
use crate::error::Result;
use crate::random::{Purpose, below, stream};
use std::collections::HashSet;

/// Share of all operations that a walk may take without a lower F.
const WALKED: f64 = 0.1;
/// Features by which the size swings at most.
const SWING: usize = 3;
/// Features that a kick moves: this share of all, rounded up, and at least so many.
const KICKED: f64 = 0.1;
const LEAST_KICKED: usize = 2;
/// Features up to which there are so few ways to leave that those who come are drawn as well, among so many of the best.
const FEW: usize = 12;
const AMONG: u64 = 4;
/// Kicks after which one that ends where another has ended counts for so many more.
const MANY_KICKS: u64 = 100;
const AGAIN: usize = 20;
/// Steps in which a support is filled at most.
const FILL_STEPS: usize = 25;
/// Kicks start from the best place unless the last one ended within this share of its F.
const NEAR: f64 = 0.01;

impl Curved<'_> {
    /// The tabu search of `tabu.rs`, each move the best of the model that is not forbidden; the lowest place it passes through, if that is lower than its start.
    pub(super) fn walk(&mut self, from: &Place, patience: usize, watch: &mut Watch) -> Result<Option<Place>> {
        let (mut at, mut best): (Place, Option<Place>) = (from.clone(), None);
        let mut tabu = Tabu::new(self.layout.features());
        let (mut idle, mut until) = (0, self.walked_until(WALKED, from.support.len()));
        while idle < patience && !self.is_past(until) && !watch.is_over() && self.measure(&at)? {
            let Some((_, model)) = &self.model else { break };
            let scores = model.scores();
            let left = tabu.masked(scores.left);
            let swap = Scores { left: &left, ..scores }.best_swap(|place| tabu.may_leave(at.support[place]));
            let Some(swap) = swap else { break };
            let (support, start) = super::curved::replaced(&at, Some(swap.leaves), swap.enters, model.after_swap(swap));
            tabu.moved(at.support[swap.leaves], swap.enters, support.len());
            idle += 1;
            let Some(next) = self.fitted(support, start)? else { break };
            at = next;
            let lowest = best.as_ref().map_or(from.value, |best| best.value);
            if self.is_lower(at.value, lowest) {
                best = Some(at.clone());
                (idle, until) = (0, self.walked_until(WALKED, from.support.len()));
            }
        }
        best.map(|best| self.descend(best, watch)).transpose()
    }

    /// Swings of the size and kicks for as long as the budget lasts, or so many in a row without a lower F; the lowest place, if it is lower than the start.
    pub(super) fn shake(&mut self, from: &Place, patience: usize, watch: &mut Watch) -> Result<Option<Place>> {
        let (mut best, mut is_lower) = (from.clone(), false);
        let (mut at, mut idle, mut number) = (from.clone(), 0, 0);
        let mut ends: HashSet<Vec<usize>> = HashSet::new();
        while idle < patience && !self.is_spent() && !watch.is_over() {
            let moved = if idle < 2 * SWING {
                self.swung(&best, 1 + idle / 2, idle % 2 == 0)?
            } else {
                number += 1;
                self.kicked(&at, number)?
            };
            idle += 1;
            let Some(moved) = moved else { continue };
            let end = self.descend(moved, watch)?;
            // Where kicks end at the same few places again and again there is little left to find.
            if !ends.insert(end.support.clone()) && number > MANY_KICKS {
                idle += AGAIN;
            }
            if self.is_lower(end.value, best.value) {
                (best, is_lower, idle) = (end.clone(), true, 0);
            }
            at = if end.value <= best.value + NEAR * best.value.abs() { end } else { best.clone() };
        }
        Ok(is_lower.then_some(best))
    }

    /// So many features more and as many less again, or the other way round.
    fn swung(&mut self, from: &Place, by: usize, is_up_first: bool) -> Result<Option<Place>> {
        if !is_up_first && from.support.len() <= by {
            return Ok(None);
        }
        let mut at = from.clone();
        for number in 0..2 * by {
            let is_up = (number < by) == is_up_first;
            let next = if is_up { self.added(&at, &[], 0)? } else { self.dropped(&at)? };
            let Some(next) = next else { return Ok(None) };
            at = next;
        }
        Ok((at.support != from.support).then_some(at))
    }

    /// Some features at random leave, and the best others come, one after the other.
    fn kicked(&mut self, from: &Place, number: u64) -> Result<Option<Place>> {
        let size = from.support.len();
        let count = ((KICKED * size as f64).ceil() as usize).max(LEAST_KICKED).min(size);
        let mut generator = stream(size as u64, Purpose::Search, number);
        let (mut at, mut gone) = (from.clone(), Vec::with_capacity(count));
        for _ in 0..count {
            let leaves = below(&mut generator, at.support.len() as u64) as usize;
            gone.push(at.support.remove(leaves));
            at.point.remove(leaves);
        }
        let (support, point) = (at.support, at.point);
        let Some(mut at) = self.fitted(support, point)? else { return Ok(None) };
        for left in (0..count).rev() {
            let after = if size <= FEW && left > 0 { below(&mut generator, AMONG) as usize } else { 0 };
            let Some(next) = self.added(&at, &gone, after)? else { return Ok(None) };
            at = next;
        }
        Ok(Some(at))
    }

    /// One feature more, the best of the model that is not banned, or one of those `after` it.
    fn added(&mut self, from: &Place, banned: &[usize], after: usize) -> Result<Option<Place>> {
        if !self.measure(from)? {
            return Ok(None);
        }
        let Some((_, model)) = &self.model else { return Ok(None) };
        let additions = model.scores().additions(banned.len() + 1 + after);
        let mut open = additions.iter().filter(|enters| !banned.contains(enters));
        let Some(&enters) = open.nth(after) else { return Ok(None) };
        let (support, start) = super::curved::replaced(from, None, enters, model.after_addition(enters));
        self.fitted(support, start)
    }

    /// Features that the model thinks most of, some at a time, until there are as many as wanted.
    pub(super) fn filled(&mut self, from: Place, size: usize) -> Result<Option<Place>> {
        let mut at = from;
        let together = size.div_ceil(FILL_STEPS).max(1);
        while at.support.len() < size {
            if !self.measure(&at)? {
                return Ok(None);
            }
            let Some((_, model)) = &self.model else { return Ok(None) };
            let additions = model.scores().additions(together.min(size - at.support.len()));
            if additions.is_empty() {
                return Ok(None);
            }
            let (mut support, mut start) = (at.support.clone(), at.point.clone());
            for enters in additions {
                let place = support.partition_point(|j| *j < enters);
                support.insert(place, enters);
                start.insert(place, 0.0);
            }
            let Some(next) = self.fitted(support, start)? else { return Ok(None) };
            at = next;
        }
        Ok(Some(at))
    }

    /// One feature less, the cheapest.
    fn dropped(&mut self, from: &Place) -> Result<Option<Place>> {
        let Some((support, start)) = self.without_cheapest(from)? else { return Ok(None) };
        self.fitted(support, start)
    }
}
