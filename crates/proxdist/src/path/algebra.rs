//! The search over supports for a quadratic F: every exchange is exact algebra on the matrix of `form.rs`.
//!
//! The walk is a tabu search (`tabu.rs`): it takes the best exchange that is not forbidden even where F rises, and ends after so many moves without a new best.

use super::climb::{Climb, Place};
use super::form::Form;
use super::light::Light;
use super::on_demand::TOGETHER;
use super::scores::Swap;
use super::settings::Kicks;
use super::state::State;
use super::tabu::Tabu;
use super::watch::Watch;
use crate::error::Result;
use crate::ridge::Ridge;

/// Relative fall of F that counts, and the same relative to F without any feature.
const FALL: f64 = 1e-11;
const ROUNDING: f64 = 1e-13;
/// Rows of the matrix that come along beyond those of features that are still to enter, and the fewest that are worth a pass.
const MORE: usize = 4;
const FEWEST: usize = 8;
/// How many times more than any other feature the cheapest of a support must be worth for that support to be clear.
const CLEAR: f64 = 10.0;
/// By how much features of such a support may inflate each other's variance.
const SHARED: f64 = 4.0;
/// Exchanges in a row at most; each lowers F, so this is never reached in practice.
const MOST_EXCHANGES: usize = 10_000;

/// The form and the support that is being looked at.
pub(super) struct Algebra<'a> {
    pub(super) form: Form<'a>,
    pub(super) state: State,
    /// The support that swings are at (`swings.rs`).
    pub(super) light: Light,
    /// The largest size that is looked for.
    largest: usize,
    /// Exchanges that walks and kicks have looked at, or what costs as much.
    pub(super) looked_at: f64,
}

impl<'a> Algebra<'a> {
    pub(super) fn new(form: Form<'a>, largest: usize) -> Self {
        Self { form, state: State::default(), light: Light::default(), largest, looked_at: 0.0 }
    }

    /// Brings the state to a support; `false` if that is not possible.
    pub(super) fn load(&mut self, support: &[usize]) -> Result<bool> {
        if self.state.is_at(support) {
            return Ok(true);
        }
        self.state.load(&mut self.form, support)
    }

    /// F at the state.
    fn value(&self) -> f64 {
        self.form.at_zero + self.state.value(&self.form)
    }

    pub(super) fn place(&self) -> Place {
        Place {
            support: self.state.support(),
            value: self.value(),
            point: Vec::new(),
            is_separated: false,
            stationarity: None,
        }
    }

    /// All exchanges of the state are looked at.
    fn count(&mut self) {
        self.looked_at += (self.state.len() * self.form.columns()) as f64;
    }

    fn negligible(&self, value: f64) -> f64 {
        FALL * value.abs() + ROUNDING * self.form.at_zero
    }

    pub(super) fn is_less(&self, value: f64, than: f64) -> bool {
        value < than - self.negligible(than)
    }

    /// Rows that may be asked for soon come along where they cost a pass: those of the features that are still to come, by what they promise now, and some more.
    pub(super) fn fetch(&mut self, needed: usize) -> Result<()> {
        let count = (self.largest.saturating_sub(self.state.len()) + MORE).clamp(FEWEST, TOGETHER);
        let likely = if self.form.is_on_demand() { self.state.scores().additions(count) } else { Vec::new() };
        self.form.fetch(&[needed], &likely)
    }

    /// Whether all that might join a support lowers F by far less than its cheapest feature does, and its features say different things: then other supports only lead back to it.
    pub(super) fn is_clear(&mut self, support: &[usize]) -> Result<bool> {
        if !self.load(support)? {
            return Ok(false);
        }
        let scores = self.state.scores();
        let least = scores.cheapest(1).first().map_or(0.0, |&at| scores.cost(at));
        // In units of equal columns these are one where features have nothing in common, and large where one can stand for another.
        let shared = scores.own.iter().copied().fold(0.0, f64::max);
        Ok(shared <= SHARED && CLEAR * scores.largest_gain() < least)
    }

    fn swap(&mut self, swap: Swap) -> Result<bool> {
        self.fetch(swap.enters)?;
        Ok(self.state.remove(&mut self.form, swap.leaves)? && self.state.add(&mut self.form, swap.enters)?)
    }

    /// Takes the best exchange while F falls. Where rounding spoils the state, the best support before stays.
    pub(super) fn descend(&mut self, watch: &mut Watch) -> Result<Option<Place>> {
        let mut best = self.place();
        for _ in 0..MOST_EXCHANGES {
            self.count();
            let swap = self.state.scores().best_swap(|_| true);
            let Some(swap) = swap.filter(|swap| swap.gain > self.negligible(best.value)) else { break };
            if watch.is_over() || !self.swap(swap)? {
                break;
            }
            let place = self.place();
            if !self.is_less(place.value, best.value) {
                break;
            }
            best = place;
        }
        Ok(best.value.is_finite().then_some(best))
    }
}

impl<'p> Climb<'p> for Algebra<'_> {
    fn set_ridge(&mut self, ridge: Ridge<'p>) {
        self.form.set_ridge(ridge);
        self.state = State::default();
    }

    fn minimiser(&mut self, support: &[usize], _from: Option<&Place>) -> Result<Option<Place>> {
        Ok(if self.load(support)? { Some(self.place()) } else { None })
    }

    fn exchanged(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        if self.load(&from.support)? { self.descend(watch) } else { Ok(None) }
    }

    fn grown(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        if !self.load(&from.support)? {
            return Ok(None);
        }
        let Some(&enters) = self.state.scores().additions(1).first() else { return Ok(None) };
        self.fetch(enters)?;
        if self.state.add(&mut self.form, enters)? { self.descend(watch) } else { Ok(None) }
    }

    fn shrunk(&mut self, from: &Place, watch: &mut Watch) -> Result<Option<Place>> {
        if !self.load(&from.support)? {
            return Ok(None);
        }
        let Some(&leaves) = self.state.scores().cheapest(1).first() else { return Ok(None) };
        if self.state.remove(&mut self.form, leaves)? { self.descend(watch) } else { Ok(None) }
    }

    fn walked(&mut self, from: &Place, patience: usize, watch: &mut Watch) -> Result<Option<Place>> {
        if !self.load(&from.support)? {
            return Ok(None);
        }
        let mut best: Option<Place> = None;
        let mut idle = 0;
        let mut tabu = Tabu::new(self.form.columns());
        while idle < patience && !watch.is_over() {
            self.count();
            let left = tabu.masked(self.state.left());
            let swap = self.state.scores_with(&left).best_swap(|at| tabu.may_leave(self.state.member(at)));
            let Some(swap) = swap else { break };
            let gone = self.state.member(swap.leaves);
            if !self.swap(swap)? {
                break;
            }
            idle += 1;
            tabu.moved(gone, swap.enters, self.state.len());
            let lowest = best.as_ref().map_or(from.value, |best| best.value);
            if self.is_less(self.value(), lowest) {
                best = Some(self.place());
                idle = 0;
            }
        }
        Ok(best)
    }

    fn shaken(&mut self, from: &Place, kicks: Kicks, watch: &mut Watch) -> Result<Option<Place>> {
        self.shake(from, kicks, watch)
    }

    fn is_lower(&self, value: f64, than: f64) -> bool {
        self.is_less(value, than)
    }
}
