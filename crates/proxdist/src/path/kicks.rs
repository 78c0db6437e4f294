//! Kicks, for a quadratic F: from where a walk ends, some features are replaced at random, and swings of the size go on from there.
//!
//! Data with more columns than rows have so many local optima that where one search ends is a matter of chance. One kick is
//!
//! 1. three features in ten, two to six of them, drawn at random, leave and may not come back at once; as many come, one after the other, each one of the two that lower F most;
//! 2. swings of the size (`swings.rs`), then exchanges while F falls.
//!
//! Each kick starts from the lowest support so far. Kicks are the same for the same size and number, and what they cost is
//! counted in exchanges that were looked at: the same problem always gets as far.

use super::algebra::Algebra;
use super::climb::{Climb as _, Place};
use super::settings::Kicks;
use super::watch::Watch;
use crate::error::Result;
use crate::random::{Purpose, below, stream};
use rand_chacha::ChaCha8Rng;

/// The share of the features that leaves, the least number and the largest.
const KICKED: f64 = 0.3;
const LEAST_KICKED: usize = 2;
const MOST_KICKED: usize = 6;
/// Features among which one is drawn that comes.
const AMONG: usize = 2;

impl Algebra<'_> {
    /// The lowest place that kicks lead to, if it is lower than the start. Where rows of the matrix cost passes over the data there are none.
    pub(super) fn shake(&mut self, from: &Place, kicks: Kicks, watch: &mut Watch) -> Result<Option<Place>> {
        if self.form.is_on_demand() || from.support.len() < LEAST_KICKED {
            return Ok(None);
        }
        let (mut best, mut idle, mut number) = (from.clone(), 0, 0);
        while idle < kicks.patience && self.looked_at < kicks.exchanges && !watch.is_over() {
            (idle, number) = (idle + 1, number + 1);
            let mut generator = stream(from.support.len() as u64, Purpose::Search, number);
            let Some(kicked) = self.kick(&best, &mut generator)? else { continue };
            let Some(end) = self.swung(&kicked, &mut generator, kicks, watch)? else { continue };
            if self.is_lower(end.value, best.value) {
                (best, idle) = (end, 0);
            }
        }
        Ok(self.is_lower(best.value, from.value).then_some(best))
    }

    /// Where features are replaced at random; `None` if that is not possible.
    fn kick(&mut self, from: &Place, generator: &mut ChaCha8Rng) -> Result<Option<Place>> {
        if !self.load(&from.support)? {
            return Ok(None);
        }
        let size = self.state.len();
        let count = ((KICKED * size as f64).ceil() as usize).clamp(LEAST_KICKED, MOST_KICKED).min(size);
        let mut gone = Vec::with_capacity(count);
        for _ in 0..count {
            let leaves = below(generator, self.state.len() as u64) as usize;
            gone.push(self.state.member(leaves));
            if !self.state.remove(&mut self.form, leaves)? {
                return Ok(None);
            }
        }
        for _ in 0..count {
            let mut open = self.state.scores().additions(count + AMONG);
            open.retain(|enters| !gone.contains(enters));
            open.truncate(AMONG);
            if open.is_empty() {
                return Ok(None);
            }
            let enters = open[below(generator, open.len() as u64) as usize];
            if !self.state.add(&mut self.form, enters)? {
                return Ok(None);
            }
        }
        Ok(Some(self.place()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::start::{StartBudget, quadratic_support};
    use super::super::testing::minimum;
    use crate::data::Data;
    use crate::loss::Squared;
    use crate::objective::Objective;
    use crate::random::{Purpose, stream, uniform};
    use std::ops::ControlFlow;

    const WALK: StartBudget = StartBudget { operations: 1e9, walk: 5, kicks: 0, uphill: 0.0, restarts: 0, looks: 0.0 };
    const KICKS: StartBudget = StartBudget { restarts: 10, looks: 1e7, ..WALK };

    /// F of the support that a budget leads to, on more columns than rows that look alike.
    fn reached(seed: u64, budgets: &[StartBudget]) -> (Vec<usize>, f64) {
        let (rows, columns, size) = (25, 120, 8);
        let generator = &mut stream(seed, Purpose::Simulation, 9);
        let mut next = || 2.0 * uniform(generator) - 1.0;
        let mut x = vec![0.0; rows * columns];
        for row in x.chunks_exact_mut(columns) {
            row[0] = next();
            (1..columns).for_each(|j| row[j] = 0.8 * row[j - 1] + 0.6 * next());
        }
        let y: Vec<f64> = x.chunks_exact(columns).map(|row| row.iter().step_by(9).sum::<f64>() + next()).collect();
        let data = Data::dense(&x, columns, &y).unwrap();
        let objective = Objective::new(&data, &Squared, 1e-3).intercept(true);
        let start = quadratic_support(objective, size, budgets, &mut || ControlFlow::Continue(())).unwrap().unwrap();
        assert_eq!(start.support.len(), size);
        let value = minimum(objective, &start.support, true);
        (start.support, value)
    }

    #[test]
    fn kicks_never_end_higher_often_lower_and_always_at_the_same_place() {
        let mut lower = 0;
        for seed in 0..12 {
            let (_, walked) = reached(seed, &[WALK]);
            let (support, kicked) = reached(seed, &[KICKS]);
            assert!(kicked <= walked * (1.0 + 1e-10), "{seed}: {kicked} above {walked}");
            lower += usize::from(kicked < walked * (1.0 - 1e-6));
            assert_eq!(reached(seed, &[KICKS]).0, support, "{seed}");
            let (_, both) = reached(seed, &[KICKS, StartBudget { walk: 50, restarts: 20, looks: 1e8, ..WALK }]);
            assert!(both <= kicked * (1.0 + 1e-10), "{seed}: {both} above {kicked}");
        }
        assert!(lower >= 3, "kicks found a lower F in {lower} of 12");
    }
}
