//! Exchanges where units need each other, as products need their factors: single exchanges rarely keep what is needed together, so bundles move.
//!
//! What leaves is a unit with all that cannot stay without it, or two such bundles, or three where few units are chosen. What enters is a unit with all that it needs. Room that is left after that goes to the units that promise
//! most. Every choice that comes about like this is listed, judged by exact algebra or by a quadratic model of F, and fitted in that order.

use super::every_choice::{Look, Looked, margin};
use super::exchange::{Exchange, Round, promise};
use super::gram::Gram;
use super::refit::{Fitted, Watch, exchanged};
use super::subsets::Model;
use super::sweep::sweep;
use crate::constraint::{Choice, with};
use crate::error::Result;
use crate::exchanges::Exchanges;
use std::collections::BTreeSet;

/// Choices that are listed at most.
const MOST_LISTED: usize = 20_000;
/// Units of a choice up to which three bundles leave at once.
const FEW: usize = 8;
/// Columns up to which a quadratic model on all of them is made.
const MOST_COLUMNS: usize = 500;
/// Fits of choices that the model is against.
const DOUBTED: usize = 20;

/// The choices that differ from a choice by an exchange of bundles, and whether all are listed; `order` has the units by what they promise.
pub(super) fn neighbours(choice: &Choice, units: &[usize], order: &[usize]) -> (Vec<Vec<usize>>, bool) {
    let mut bundles: BTreeSet<Vec<usize>> = units.iter().map(|&unit| dependents(choice, units, unit)).collect();
    let singles: Vec<Vec<usize>> = bundles.iter().cloned().collect();
    for _ in 1..if units.len() <= FEW { 3 } else { 2 } {
        for bundle in bundles.clone() {
            for single in &singles {
                let mut both = [&bundle[..], single].concat();
                both.sort_unstable();
                both.dedup();
                bundles.insert(both);
            }
        }
    }
    bundles.insert(Vec::new());
    let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
    // One for one, where what needed the one can do with the other.
    let outside = || (0..choice.units()).filter(|unit| units.binary_search(unit).is_err());
    for units in units.iter().flat_map(|&leaves| outside().map(move |enters| exchanged(units, leaves, enters))) {
        if choice.room(&units).is_some() && choice.is_closed(&units) {
            found.insert(filled(choice, units, order));
        }
    }
    for gone in bundles {
        let rest: Vec<usize> = units.iter().copied().filter(|unit| gone.binary_search(unit).is_err()).collect();
        for unit in (0..choice.units()).filter(|unit| rest.binary_search(unit).is_err()) {
            // What has just left does not come back as the one that enters.
            if gone.binary_search(&unit).is_ok() {
                continue;
            }
            let Some(more) = choice.completed(&with(&rest, unit)) else { continue };
            let full = filled(choice, more, order);
            if full != units {
                found.insert(full);
            }
            if found.len() > MOST_LISTED {
                return (found.into_iter().collect(), false);
            }
        }
    }
    (found.into_iter().collect(), true)
}

/// A unit of a choice and all that cannot stay without it, in ascending order.
pub(super) fn dependents(choice: &Choice, units: &[usize], unit: usize) -> Vec<usize> {
    let mut gone = vec![unit];
    loop {
        let stays = |other: usize| units.binary_search(&other).is_ok() && !gone.contains(&other);
        let stranded = choice
            .needs()
            .iter()
            .find(|need| stays(need.unit) && !need.one_of.iter().any(|&other| stays(other)))
            .map(|need| need.unit);
        match stranded {
            Some(other) => gone.push(other),
            None => break,
        }
    }
    gone.sort_unstable();
    gone
}

/// With the units that promise most, as far as there is room.
fn filled(choice: &Choice, mut units: Vec<usize>, order: &[usize]) -> Vec<usize> {
    let Some(mut room) = choice.room(&units) else { return units };
    loop {
        let can_join = |&&unit: &&usize| units.binary_search(&unit).is_err() && choice.can_join(unit, &units, &room);
        let Some(&unit) = order.iter().find(can_join) else { return units };
        room.take(choice, unit);
        units = with(&units, unit);
    }
}

impl Exchange<'_, '_> {
    /// One round of exchanges of bundles.
    pub(super) fn by_bundles(&mut self, gram: Option<&mut Gram>, best: &Fitted, watch: &mut Watch) -> Result<Round> {
        watch.begin();
        let (problem, choice) = (self.problem, self.problem.choice);
        let theta = problem.spread(best);
        let swept = sweep(problem.objective, &theta, &[], None)?;
        let gain = |unit: usize| promise(choice.unit(unit), &swept.gradient, &swept.diagonal);
        let mut order: Vec<usize> = (0..choice.units()).collect();
        order.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        let (listed, is_whole) = neighbours(choice, &best.units, &order);
        if let Some(gram) = gram {
            let bounded = listed
                .into_iter()
                .map(|units| (gram.least(&choice.support(&units)).unwrap_or(f64::NEG_INFINITY), units));
            let mut bounded: Vec<(f64, Vec<usize>)> = bounded.collect();
            bounded.sort_by(|a, b| a.0.total_cmp(&b.0));
            let look = Look { problem, gram, budget: &mut self.budget, watch };
            let Looked { best: found, at_all } = look.in_order(bounded, best)?;
            return Ok(match () {
                () if problem.is_lower(found.value, best.value) => Round::Lower(found),
                () if at_all && is_whole => Round::Ended(self.ruled_out(best)),
                () => Round::Ended(Exchanges::CutShort),
            });
        }
        // The model is of F up to a constant; where there are too many columns for it, only order and budget decide.
        let mut model = if problem.objective.data.columns() <= MOST_COLUMNS {
            Some(Model::at(problem.objective, &theta, choice)?)
        } else {
            None
        };
        let here = model.as_mut().map_or(0.0, |model| model.least(&best.units));
        let scored =
            listed.into_iter().map(|units| (model.as_mut().map_or(0.0, |model| model.least(&units)) - here, units));
        let mut scored: Vec<(f64, Vec<usize>)> = scored.collect();
        scored.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at_all = self.budget.allows(problem.cost(best.support.len()) * scored.len() as f64);
        let (mut doubted, mut is_cut) = (0, !is_whole);
        for (change, units) in scored {
            if !at_all && change >= -margin(problem, best.value) {
                doubted += 1;
                if doubted > DOUBTED {
                    break;
                }
            }
            if watch.is_over() || !self.budget.spend(problem.cost(best.support.len())) {
                is_cut = true;
                break;
            }
            if let Some(lower) = problem.refit_below(best.value, units, &theta, watch)? {
                return Ok(Round::Lower(lower));
            }
        }
        Ok(Round::Ended(match () {
            () if is_cut || !watch.is_sure() => Exchanges::CutShort,
            () if at_all => Exchanges::Refitted,
            () if model.is_some() => Exchanges::Model,
            () => Exchanges::CutShort,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Need;

    #[test]
    fn bundles_keep_together_what_is_needed() {
        // Features 0 to 3, and 4 = 0·1, 5 = 2·3, only with both factors; three in all.
        let need = |unit, one_of| Need { unit, one_of: vec![one_of] };
        let choice = [need(4, 0), need(4, 1), need(5, 2), need(5, 3)]
            .into_iter()
            .fold(Choice::of_coordinates(3, 0..6), Choice::needing);
        let order: Vec<usize> = (0..6).collect();
        let (found, is_whole) = neighbours(&choice, &[0, 1, 4], &order);
        assert!(is_whole);
        assert!(found.iter().all(|units| choice.is_closed(units) && units.len() == 3), "{found:?}");
        assert!(found.contains(&vec![0, 1, 2]) && found.contains(&vec![2, 3, 5]), "{found:?}");
        let (found, _) = neighbours(&choice, &[0, 1, 2], &order);
        assert!(found.contains(&vec![2, 3, 5]) && found.contains(&vec![0, 1, 4]), "{found:?}");
    }
}
