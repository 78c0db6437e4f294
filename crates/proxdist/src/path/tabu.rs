//! What a walk that may lead uphill must not undo: a feature that left may not come back for 5 to 9 moves, one that came stays for up to three, at most half of the support
//! being held so. The length of the ban changes from move to move, so that no cycle lasts.

use std::collections::VecDeque;

/// Moves for which a feature that left is forbidden: at least, and up to so many more.
const BANNED: usize = 5;
const BANNED_MORE: usize = 5;
/// Moves for which a feature that came must stay.
const STAYS: usize = 3;

/// The moves of a walk as far as they matter for the next one.
#[derive(Clone, Debug)]
pub(super) struct Tabu {
    number: usize,
    /// For each feature the first move at which it may come back.
    free_from: Vec<usize>,
    /// Those that came last.
    held: VecDeque<usize>,
}

impl Tabu {
    /// Nothing is forbidden yet.
    pub(super) fn new(columns: usize) -> Self {
        Self { number: 0, free_from: vec![0; columns], held: VecDeque::new() }
    }

    /// Whether a feature may leave.
    pub(super) fn may_leave(&self, feature: usize) -> bool {
        !self.held.contains(&feature)
    }

    /// What supports leave of second derivatives, infinite for features that may not come.
    pub(super) fn masked(&self, left: &[f64]) -> Vec<f64> {
        let masked = |(&left, &free): (&f64, &usize)| if free > self.number { f64::INFINITY } else { left };
        left.iter().zip(&self.free_from).map(masked).collect()
    }

    /// One feature has left, another has come, in a support of this size.
    pub(super) fn moved(&mut self, gone: usize, came: usize, size: usize) {
        self.number += 1;
        self.free_from[gone] = self.number + BANNED + (self.number * self.number + gone) % BANNED_MORE;
        self.held.push_back(came);
        while self.held.len() > STAYS.min(size / 2) {
            self.held.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_left_is_banned_for_a_while_and_who_came_stays() {
        let mut tabu = Tabu::new(20);
        tabu.moved(3, 7, 8);
        assert!(!tabu.may_leave(7) && tabu.may_leave(3));
        let mut moves = 0;
        while tabu.masked(&[1.0; 20])[3].is_infinite() {
            tabu.moved(10 + moves % 2, 12 + moves % 2, 8);
            moves += 1;
        }
        assert!((BANNED..BANNED + BANNED_MORE).contains(&moves), "{moves}");
        assert!(tabu.may_leave(7));
        let mut small = Tabu::new(5);
        small.moved(0, 1, 1);
        assert!(small.may_leave(1), "the only feature may always leave");
    }
}
