//! Swings of the size, for a quadratic F: some features come and as many leave, or the other way round, again and again.
//!
//! Where columns are many beside the rows, good supports of a size have hardly a feature in common, so that the lowest of them is found by seeing many. A look at all
//! exchanges costs about ten times as much as one feature that comes or leaves (`light.rs`), and a few of these cross ridges that no single exchange does. One swing is
//!
//! 1. a number up to a tenth of the size is drawn, two at least, and whether the size goes up or down first;
//! 2. so many features come, each the one that lowers F most, and so many leave, each the one that costs least.
//!
//! Who left may not come back in the next swing or up to three, who came does not leave in the same swing and perhaps not in the next. Swings end after so many without
//! a lower F; from the lowest support exchanges go on.

use super::algebra::Algebra;
use super::climb::Place;
use super::form::Form;
use super::light::Light;
use super::settings::Kicks;
use super::watch::Watch;
use crate::error::Result;
use crate::random::below;
use rand_chacha::ChaCha8Rng;

/// The share of the features by which the size swings at most, and the least that this is.
const SHARE: f64 = 0.1;
const LEAST: usize = 2;
/// Swings, with its own, in which a feature that left is banned, and in which one that came stays: at least, and up to so many more.
const BANNED: usize = 2;
const BANNED_MORE: u64 = 3;
const STAYS: usize = 1;
const STAYS_MORE: u64 = 2;
/// What one feature that comes or leaves costs, for each member and column, beside a look at an exchange.
const COST: f64 = 0.1;

impl Algebra<'_> {
    /// The lowest place that swings from a support lead to, after exchanges; `None` if its columns are too nearly dependent.
    pub(super) fn swung(
        &mut self,
        from: &Place,
        generator: &mut ChaCha8Rng,
        kicks: Kicks,
        watch: &mut Watch,
    ) -> Result<Option<Place>> {
        let size = from.support.len();
        let (mut best, mut lowest, mut idle) = (from.support.clone(), from.value, 0);
        let mut swinging = Swinging::new(std::mem::take(&mut self.light), size, self.form.columns());
        let mut is_sound = swinging.light.load(&self.form, &best);
        while is_sound && idle < kicks.swings && self.looked_at < kicks.exchanges && !watch.is_over() {
            is_sound = swinging.swing(&self.form, generator);
            idle += 1;
            self.looked_at += COST * std::mem::take(&mut swinging.products);
            let light = &mut swinging.light;
            if is_sound && self.is_less(self.form.at_zero + light.value(&self.form), lowest) {
                let value = self.form.at_zero + light.exact_value(&self.form);
                if self.is_less(value, lowest) {
                    (lowest, idle) = (value, 0);
                    best.clear();
                    best.extend_from_slice(light.members());
                }
            }
        }
        self.light = swinging.light;
        best.sort_unstable();
        if self.load(&best)? { self.descend(watch) } else { Ok(None) }
    }
}

/// The light state of a support and what the last swings forbid.
struct Swinging {
    light: Light,
    size: usize,
    number: usize,
    /// Features that may not come, and from which swing on they may.
    banned: Vec<(usize, usize)>,
    /// For each feature from which swing on it may leave.
    held: Vec<usize>,
    /// Products of members and columns so far.
    products: f64,
}

impl Swinging {
    fn new(light: Light, size: usize, columns: usize) -> Self {
        Self { light, size, number: 0, banned: Vec::new(), held: vec![0; columns], products: 0.0 }
    }

    /// One swing; `false` if the state became unusable or there is no way back to the size.
    fn swing(&mut self, form: &Form, generator: &mut ChaCha8Rng) -> bool {
        self.number += 1;
        self.lift(self.number);
        let widest = ((SHARE * self.size as f64).round() as usize).max(LEAST).min(self.size - 1);
        let width = 1 + below(generator, widest as u64) as usize;
        let is_up = below(generator, 2) == 0;
        for do_come in [is_up, !is_up] {
            let is_sound = if do_come { self.come(form, width, generator) } else { self.leave(form, width, generator) };
            if !is_sound {
                return false;
            }
        }
        true
    }

    /// Lifts the bans that end with a swing.
    fn lift(&mut self, number: usize) {
        let light = &mut self.light;
        self.banned.retain(|&(feature, free)| {
            if free <= number {
                light.allow(feature, true);
            }
            free > number
        });
    }

    /// Some features come, each the best that may; where there is none, all may.
    fn come(&mut self, form: &Form, count: usize, generator: &mut ChaCha8Rng) -> bool {
        for _ in 0..count {
            let mut best = self.light.best_addition();
            if best.is_none() {
                self.lift(usize::MAX);
                best = self.light.best_addition();
            }
            let Some(enters) = best else { return false };
            self.held[enters] = self.number + STAYS + below(generator, STAYS_MORE) as usize;
            self.count();
            if !self.light.add(form, enters) {
                return false;
            }
        }
        true
    }

    /// Some features leave, each the cheapest that may; where there is none, the cheapest.
    fn leave(&mut self, form: &Form, count: usize, generator: &mut ChaCha8Rng) -> bool {
        for _ in 0..count {
            let members = self.light.members();
            let is_held = |at: usize| self.held[members[at]] > self.number;
            let cost = |at: usize| self.light.cost(at);
            let order = |&a: &usize, &b: &usize| is_held(a).cmp(&is_held(b)).then(cost(a).total_cmp(&cost(b)));
            let Some(at) = (0..members.len()).min_by(order) else { return false };
            let leaves = members[at];
            self.count();
            if !self.light.remove(form, at) {
                return false;
            }
            self.light.allow(leaves, false);
            self.banned.push((leaves, self.number + BANNED + below(generator, BANNED_MORE) as usize));
        }
        true
    }

    fn count(&mut self) {
        self.products += (self.light.members().len() * self.held.len()) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::super::climb::Climb as _;
    use super::super::start::Polled;
    use super::super::state_tests::form;
    use super::super::testing::Case;
    use super::*;
    use crate::loss::Squared;
    use crate::objective::Objective;
    use crate::random::{Purpose, stream};
    use std::ops::ControlFlow;

    const COLUMNS: usize = 14;
    const KICKS: Kicks = Kicks { patience: 1, swings: 150, exchanges: 1e9 };

    /// All supports of three features.
    fn all() -> impl Iterator<Item = Vec<usize>> {
        (0..COLUMNS).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| vec![c, b, a])))
    }

    #[test]
    fn swings_reach_the_lowest_support_of_all_from_the_highest() -> Result<()> {
        for seed in 0..8 {
            let case = Case::random(40, COLUMNS, Box::new(Squared), seed);
            let data = case.data();
            let objective = Objective::new(&data, &Squared, case.ridge);
            let mut algebra = Algebra::new(form(objective, case.has_intercept), 3);
            let mut places = Vec::new();
            for support in all() {
                places.extend(algebra.minimiser(&support, None)?);
            }
            places.sort_by(|a, b| a.value.total_cmp(&b.value));
            let (lowest, highest) = (&places[0], &places[places.len() - 1]);
            let mut poll = || ControlFlow::Continue(());
            let mut polled = Polled(&mut poll);
            let watch = &mut Watch::new(&mut polled);
            let mut reached = Vec::new();
            for _ in 0..2 {
                let generator = &mut stream(seed, Purpose::Search, 1);
                reached.extend(algebra.swung(highest, generator, KICKS, watch)?);
            }
            assert!(!algebra.is_lower(lowest.value, reached[0].value), "{seed}: {} {}", lowest.value, reached[0].value);
            assert_eq!(reached[0].support, reached[1].support, "{seed}");
            // Nothing is left to find, and nothing is lost.
            let again = algebra.swung(lowest, &mut stream(seed, Purpose::Search, 2), KICKS, watch)?;
            assert_eq!(again.map(|again| again.support).as_ref(), Some(&lowest.support), "{seed}");
        }
        Ok(())
    }

    #[test]
    fn swings_cost_what_they_may_and_not_much_more() -> Result<()> {
        let case = Case::random(40, COLUMNS, Box::new(Squared), 3);
        let data = case.data();
        let mut algebra = Algebra::new(form(Objective::new(&data, &Squared, case.ridge), case.has_intercept), 3);
        let mut poll = || ControlFlow::Continue(());
        let mut polled = Polled(&mut poll);
        let watch = &mut Watch::new(&mut polled);
        let from = algebra.minimiser(&[5, 8, 11], None)?.unwrap();
        let few = Kicks { exchanges: 200.0, ..KICKS };
        algebra.swung(&from, &mut stream(0, Purpose::Search, 1), few, watch)?;
        // One swing beyond, and the looks of the exchanges at the end.
        assert!((200.0..500.0).contains(&algebra.looked_at), "{}", algebra.looked_at);
        Ok(())
    }
}
