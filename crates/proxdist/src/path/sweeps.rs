//! The best supports of all sizes, found together.
//!
//! ```text
//! repeat until no size improves
//!     up:   m = 0 … M − 1, if best[m] is new: add the best feature, exchange until none helps, keep if lower
//!     down: m = M … 2,     if best[m] is new: drop the cheapest,    exchange until none helps, keep if lower
//!     walk: m = 1 … M,     if best[m] is new: exchanges that may lead uphill, keep if lower
//!     kick: m = 1 … M,     if best[m] is new: some features replaced at random, swings of the size from there, again and again, keep if lower
//! ```
//!
//! Every change lowers F at a size by more than rounding, and there are finitely many supports, so this ends.

use super::climb::{Climb, Place};
use super::settings::{Kicks, PathSettings};
use super::watch::{PathProgress, Watch};
use crate::error::Result;

/// Ways from the best place of a size to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Up,
    Down,
    Walk,
    Kick,
}

/// The best place of a size, and which ways from it were tried.
#[derive(Clone, Debug, Default)]
struct Held {
    place: Option<Place>,
    tried: [bool; 4],
}

/// The best places of all sizes so far.
#[derive(Clone, Debug)]
pub(super) struct Sweeps {
    best: Vec<Held>,
    ridge: f64,
    complete: usize,
}

impl Sweeps {
    /// Sizes from 0 to `largest`, nothing known yet; the ridge is only told to observers.
    pub(super) fn new(largest: usize, ridge: f64) -> Self {
        Self { best: vec![Held::default(); largest + 1], ridge, complete: 0 }
    }

    /// The places of all sizes that have one.
    pub(super) fn into_places(self) -> Vec<Option<Place>> {
        self.best.into_iter().map(|held| held.place).collect()
    }

    /// Takes a place in if it is lower than the best of its size; whether it was.
    pub(super) fn offer(&mut self, climb: &dyn Climb<'_>, place: Place) -> bool {
        let Some(held) = self.best.get_mut(place.support.len()) else { return false };
        let is_lower = held.place.as_ref().is_none_or(|best| climb.is_lower(place.value, best.value));
        if is_lower {
            *held = Held { place: Some(place), ..Held::default() };
        }
        is_lower
    }

    /// Takes the neighbours of the best place of a size for known, as where they were looked at with another ridge.
    pub(super) fn settle(&mut self, size: usize) {
        if let Some(held) = self.best.get_mut(size) {
            (held.tried[Way::Up as usize], held.tried[Way::Down as usize]) = (true, true);
        }
    }

    /// Sweeps until no size improves, or until it is to end.
    pub(super) fn run(&mut self, climb: &mut dyn Climb<'_>, settings: &PathSettings, watch: &mut Watch) -> Result<()> {
        let (largest, patience) = (self.best.len() - 1, settings.walk);
        let (first, last) = (settings.walked.0.max(1), settings.walked.1.min(largest));
        loop {
            let mut has_improved = false;
            for size in 0..largest {
                has_improved |= self.up(size, climb, watch)?;
            }
            for size in (2..=largest).rev() {
                has_improved |= self.down(size, climb, watch)?;
            }
            for size in first..=last * usize::from(patience > 0 && !has_improved) {
                has_improved |= self.walk(size, patience, climb, watch)?;
            }
            for size in first..=last * usize::from(settings.kicks.patience > 0 && !has_improved) {
                has_improved |= self.shake(size, settings.kicks, climb, watch)?;
            }
            self.complete += 1;
            if !has_improved || watch.is_over() {
                return Ok(());
            }
        }
    }

    /// The best place of a size, if this way from it was not tried yet; it is from now on. Where F has no minimum only fewer features are of use.
    fn untried(&mut self, size: usize, way: Way, watch: &mut Watch) -> Option<Place> {
        let held = &mut self.best[size];
        let place = held
            .place
            .as_ref()
            .filter(|place| !held.tried[way as usize] && (way == Way::Down || !place.is_separated))?;
        if watch.is_over() {
            return None;
        }
        held.tried[way as usize] = true;
        Some(place.clone())
    }

    fn up(&mut self, size: usize, climb: &mut dyn Climb<'_>, watch: &mut Watch) -> Result<bool> {
        let Some(place) = self.untried(size, Way::Up, watch) else { return Ok(false) };
        let found = climb.grown(&place, watch)?;
        Ok(self.took(size + 1, found, climb, watch))
    }

    fn down(&mut self, size: usize, climb: &mut dyn Climb<'_>, watch: &mut Watch) -> Result<bool> {
        let Some(place) = self.untried(size, Way::Down, watch) else { return Ok(false) };
        let found = climb.shrunk(&place, watch)?;
        Ok(self.took(size - 1, found, climb, watch))
    }

    fn walk(&mut self, size: usize, patience: usize, climb: &mut dyn Climb<'_>, watch: &mut Watch) -> Result<bool> {
        let Some(place) = self.untried(size, Way::Walk, watch) else { return Ok(false) };
        let found = climb.walked(&place, patience, watch)?;
        Ok(self.took(size, found, climb, watch))
    }

    fn shake(&mut self, size: usize, kicks: Kicks, climb: &mut dyn Climb<'_>, watch: &mut Watch) -> Result<bool> {
        let Some(place) = self.untried(size, Way::Kick, watch) else { return Ok(false) };
        let found = climb.shaken(&place, kicks, watch)?;
        Ok(self.took(size, found, climb, watch))
    }

    fn took(&mut self, size: usize, found: Option<Place>, climb: &dyn Climb<'_>, watch: &mut Watch) -> bool {
        let is_lower = found.is_some_and(|place| self.offer(climb, place));
        let progress = PathProgress { ridge: self.ridge, size, largest: self.best.len() - 1, sweeps: self.complete };
        watch.step(progress);
        is_lower
    }
}
