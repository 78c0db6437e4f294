//! What the search for a proof can be told.

use super::{Setting, Settings};
use std::time::Duration;

impl Settings {
    /// Time for a proof of how far the choice of features is from the best one, by branch and bound. Better choices are taken over.
    #[must_use]
    pub fn prove(mut self, time: Duration) -> Self {
        self.prove = Some(time);
        self.given(Setting::Prove)
    }

    /// Share of F by which a choice of features may be worse than the best one when a proof ends.
    #[must_use]
    pub fn gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self.given(Setting::Gap)
    }

    /// Bytes that branch and bound may hold, for its open nodes; when they are full it goes depth first, to the same end. Also the bytes that a fit of rows that are
    /// not in memory may hold ([`crate::large`]), which are half of what is free if this is not given.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self.given(Setting::Memory)
    }

    /// Takes the start for the end of an earlier fit: race, steps and exact finish are left out, and the search for a proof goes on from there, as
    /// far as [`Settings::prove`] allows. Without a start it says nothing.
    #[must_use]
    pub fn start_is_finished(mut self) -> Self {
        self.start_is_finished = true;
        self
    }

    /// The time for a proof and the gap at which it ends, if one is asked for.
    pub fn prove_value(&self) -> Option<(Duration, f64)> {
        self.prove.map(|time| (time, self.gap))
    }

    /// The bytes that branch and bound may hold.
    pub fn memory_value(&self) -> usize {
        self.memory
    }
}
