//! Choices of a constraint as a search: groups, several pools with a limit each, features that are always in.

use super::choices::Choices;
use super::family::{Family, NO_POOL};
use super::on_data::Summed;
use super::part::Place;
use super::search::Search;
use crate::constraint::Choice;

impl Summed {
    /// The choices of a constraint: units in pools, features that are always in, and others that never are.
    pub(crate) fn choosing(&self, choice: &Choice) -> Search<'_> {
        let keep = choice.keep().to_vec();
        let pools = (0..choice.units()).map(|unit| u32::try_from(choice.pool(unit)).unwrap_or(NO_POOL));
        let families = (0..keep.len()).map(|pool| choice.family(pool)).collect();
        // What units need of each other is left out: without it there are more choices, and a bound on all of them is one on those that there are.
        let mut family = Family { pools: pools.collect(), families, totals: choice.totals().to_vec(), keep };
        let mut units = vec![usize::MAX; self.scales.len()];
        for unit in 0..choice.units() {
            choice.unit(unit).iter().for_each(|&j| units[j] = unit);
        }
        let always = choice.support(&[]);
        let is_never = |j: &usize| units[*j] == usize::MAX && always.binary_search(j).is_err();
        let never: Vec<usize> = (0..units.len()).filter(is_never).collect();
        for unit in units.iter_mut().filter(|unit| **unit == usize::MAX) {
            *unit = family.pools.len();
            family.pools.push(NO_POOL);
        }
        let mut choices = Choices::of(&self.quadratic, units, family);
        choices.put(&never, Place::Out);
        Search::over(choices)
    }
}
