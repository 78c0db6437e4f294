//! How much room a choice has left, and a walk through all choices that no unit can join.
//!
//! Without needs the choices are the bases of a matroid, all of the same size: a branch is followed only if what comes later can fill it, so that every branch ends at a
//! choice. Units that need others come after those; a choice is then handed on if no unit can join it.

use super::Choice;
use std::ops::ControlFlow;

/// How many more units each pool and each family has room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    pools: Vec<usize>,
    families: Vec<usize>,
}

impl Room {
    /// All the room there is.
    pub(super) fn of(choice: &Choice) -> Self {
        Self { pools: choice.keep().to_vec(), families: choice.totals().to_vec() }
    }

    /// Whether a unit fits in.
    pub fn has(&self, choice: &Choice, unit: usize) -> bool {
        let pool = choice.pool(unit);
        self.pools[pool] > 0 && self.families[choice.family(pool)] > 0
    }

    /// Takes the room of a unit, if there is any.
    pub fn take(&mut self, choice: &Choice, unit: usize) -> bool {
        let fits = self.has(choice, unit);
        if fits {
            let pool = choice.pool(unit);
            self.pools[pool] -= 1;
            self.families[choice.family(pool)] -= 1;
        }
        fits
    }

    /// Gives the room of a chosen unit back.
    pub fn give(&mut self, choice: &Choice, unit: usize) {
        let pool = choice.pool(unit);
        self.pools[pool] += 1;
        self.families[choice.family(pool)] += 1;
    }

    /// Whether one unit fits in once another, which is chosen, has left.
    pub fn has_after(&self, choice: &Choice, leaves: usize, enters: usize) -> bool {
        let (left, entered) = (choice.pool(leaves), choice.pool(enters));
        let (own, other) = (choice.family(entered), choice.family(left));
        (left == entered || self.pools[entered] > 0) && (own == other || self.families[own] > 0)
    }

    /// How many units fit in if each pool has so many.
    fn most_of(&self, choice: &Choice, sizes: &[usize]) -> usize {
        let mut most = vec![0; self.families.len()];
        for (pool, (room, size)) in self.pools.iter().zip(sizes).enumerate() {
            most[choice.family(pool)] += room.min(size);
        }
        most.iter().zip(&self.families).map(|(most, room)| most.min(room)).sum()
    }
}

impl Choice {
    /// How many units a choice has that none can join, needs apart.
    pub fn rank(&self) -> usize {
        let sizes: Vec<usize> = (0..self.keep().len()).map(|pool| self.size_of(pool)).collect();
        Room::of(self).most_of(self, &sizes)
    }

    /// Calls `each` with every choice that no unit can join, units in ascending order; `false` if more than `most` branches were to be looked at or
    /// `each` has ended it.
    pub fn every(&self, most: usize, each: &mut dyn FnMut(&[usize]) -> ControlFlow<()>) -> bool {
        let sizes = (0..self.keep().len()).map(|pool| self.size_of(pool)).collect();
        let mut walk =
            Walk { choice: self, order: self.order(), chosen: Vec::new(), room: Room::of(self), left: most, each };
        walk.go_on(0, self.rank(), sizes).is_continue()
    }

    /// The units, each after those that it needs, as far as that is possible.
    fn order(&self) -> Vec<usize> {
        if self.needs().is_empty() {
            return (0..self.units()).collect();
        }
        let mut order: Vec<usize> = Vec::with_capacity(self.units());
        let mut is_placed = vec![false; self.units()];
        while order.len() < self.units() {
            let before = order.len();
            for unit in 0..self.units() {
                let mut own = self.needs().iter().filter(|need| need.unit == unit);
                if !is_placed[unit] && own.all(|need| need.one_of.iter().all(|&other| is_placed[other])) {
                    is_placed[unit] = true;
                    order.push(unit);
                }
            }
            if order.len() == before {
                order.extend((0..self.units()).filter(|&unit| !is_placed[unit]));
            }
        }
        order
    }
}

/// A walk through all choices.
struct Walk<'w> {
    choice: &'w Choice,
    order: Vec<usize>,
    chosen: Vec<usize>,
    room: Room,
    left: usize,
    each: &'w mut dyn FnMut(&[usize]) -> ControlFlow<()>,
}

impl Walk<'_> {
    /// Goes through the units from a place on, while so many are missing; `sizes` has the number of them in each pool.
    fn go_on(&mut self, at: usize, missing: usize, mut sizes: Vec<usize>) -> ControlFlow<()> {
        if self.left == 0 {
            return ControlFlow::Break(());
        }
        self.left -= 1;
        let choice = self.choice;
        let is_matroid = choice.needs().is_empty();
        if missing > 0 {
            for next in at..self.order.len() {
                let unit = self.order[next];
                if is_matroid && self.room.most_of(choice, &sizes) < missing {
                    return ControlFlow::Continue(());
                }
                sizes[choice.pool(unit)] -= 1;
                let is_complete = is_matroid || choice.is_complete(unit, |other| self.chosen.contains(&other));
                if is_complete && self.room.take(choice, unit) {
                    self.chosen.push(unit);
                    let gone = self.go_on(next + 1, missing - 1, sizes.clone());
                    self.chosen.pop();
                    self.room.give(choice, unit);
                    gone?;
                }
            }
        }
        if is_matroid && missing > 0 { ControlFlow::Continue(()) } else { self.at_end() }
    }

    /// Hands a choice on, if no unit can join it.
    fn at_end(&mut self) -> ControlFlow<()> {
        let mut sorted = self.chosen.clone();
        sorted.sort_unstable();
        let choice = self.choice;
        let can_join = |unit: usize| sorted.binary_search(&unit).is_err() && choice.can_join(unit, &sorted, &self.room);
        if !choice.needs().is_empty() && (0..choice.units()).any(can_join) {
            return ControlFlow::Continue(());
        }
        (self.each)(&sorted)
    }
}
