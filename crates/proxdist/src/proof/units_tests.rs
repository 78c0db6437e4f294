//! Choices of units within limits: against every choice looked at one by one.

use super::choices::Choices;
use super::family::{Family, NO_POOL};
use super::search::{Search, Stopped};
use super::testing::{Case, Numbers, Trouble};
use std::ops::ControlFlow;

/// Units of one to three columns, scattered, in pools of families, some of them always in.
fn structure(columns: usize, numbers: &mut Numbers) -> (Vec<usize>, Family) {
    let width = 1 + numbers.below(3);
    let count = columns.div_ceil(width);
    let units: Vec<usize> =
        (0..columns).map(|j| if numbers.below(4) == 0 { numbers.below(count) } else { j % count }).collect();
    let pools = 1 + numbers.below(3);
    let families = 1 + numbers.below(pools);
    let is_kept = numbers.below(3) == 0;
    let pool = |unit: usize| if is_kept && unit == 0 { NO_POOL } else { (unit % pools) as u32 };
    let family = Family {
        pools: (0..count).map(pool).collect(),
        keep: (0..pools).map(|_| 1 + numbers.below(3)).collect(),
        families: (0..pools).map(|pool| pool % families).collect(),
        totals: (0..families).map(|_| 1 + numbers.below(4)).collect(),
    };
    (units, family)
}

/// Whether the columns of a set are in units that the limits allow together.
fn is_allowed(set: usize, units: &[usize], family: &Family) -> bool {
    let mut is_used = vec![false; family.pools.len()];
    (0..units.len()).filter(|j| set >> j & 1 == 1).for_each(|j| is_used[units[j]] = true);
    let (mut pools, mut totals) = (vec![0; family.keep.len()], vec![0; family.totals.len()]);
    for (unit, _) in is_used.iter().enumerate().filter(|(unit, used)| **used && family.pools[*unit] != NO_POOL) {
        let pool = family.pools[unit] as usize;
        pools[pool] += 1;
        totals[family.families[pool]] += 1;
    }
    pools.iter().zip(&family.keep).all(|(used, keep)| used <= keep)
        && totals.iter().zip(&family.totals).all(|(used, total)| used <= total)
}

fn agrees_with_every_choice(number: u64) -> (usize, usize) {
    let troubles = [Trouble::None, Trouble::Nearly(1e-2), Trouble::None, Trouble::Twice, Trouble::Nearly(1e-5)];
    let trouble = troubles[(number % 5) as usize];
    let ridge = [0.0, 0.0, 1e-2][(number % 3) as usize];
    let case = Case::random(4 + (number % 6) as usize, trouble, ridge, number);
    let mut numbers = Numbers::new(number + 77);
    let (units, family) = structure(case.columns, &mut numbers);
    let (quadratic, minima) = (case.quadratic(), case.minima());
    let search = Search::over(Choices::of(&quadratic, units.clone(), family.clone()));
    let given: Vec<usize> = (0..case.columns).filter(|_| numbers.below(2) == 0).collect();
    let mut state = search.begin(&given);
    let stopped = search.run(&mut state, &mut |_| ControlFlow::Continue(()));
    let allowed = (0..minima.len()).filter(|&set| is_allowed(set, &units, &family));
    let best = allowed.map(|set| minima[set]).fold(f64::INFINITY, f64::min);
    let incumbent = state.incumbent();
    let context =
        format!("case {number} {trouble:?} ridge {ridge} {units:?} {family:?}: {} {best} {incumbent:?}", state.lower());
    assert_eq!(stopped, Stopped::Finished, "{context}");
    assert!(state.lower() <= best + case.rounding(), "{context}");
    assert!(is_allowed(incumbent.support.iter().map(|j| 1 << j).sum(), &units, &family), "{context}");
    let mut theta = vec![0.0; case.columns];
    incumbent.support.iter().zip(&incumbent.theta).for_each(|(&j, &x)| theta[j] = x);
    assert!(case.value(&theta) <= incumbent.value + case.rounding(), "{context}");
    let is_proven = state.gap() <= 1e-6;
    assert!(!is_proven || incumbent.value <= best * (1.0 + 1.1e-6) + case.rounding(), "{context}");
    let is_easy = ridge > 0.0 || matches!(trouble, Trouble::None | Trouble::Nearly(1e-2..));
    assert!(!is_easy || is_proven || incumbent.value <= case.rounding(), "{context}");
    let settled = search.settle(&incumbent.support, &incumbent.theta);
    assert!(settled.lower <= best + case.rounding(), "{context}");
    (usize::from(is_proven), usize::from(settled.is_proven(1e-6)))
}

#[test]
fn units_in_pools_and_families_end_at_the_best_choice() {
    let (mut proven, mut settled) = (0, 0);
    for number in 0..400 {
        let (one, other) = agrees_with_every_choice(number);
        (proven, settled) = (proven + one, settled + other);
    }
    assert!(proven > 250 && settled > 20, "{proven} proven, {settled} at once");
}
