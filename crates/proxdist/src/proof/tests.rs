//! Bounds that are never above the truth, proofs that are never wrong: against every choice looked at one by one.

use super::bound::{Bound, Restricted};
use super::family::Family;
use super::part::{Part, Place};
use super::runs::Runs;
use super::search::{Search, Stopped};
use super::state::State;
use super::testing::{Case, Numbers, Trouble, least, set_of};
use super::truth::{Itself, OnSupport, Truth};
use super::{diagonal, positive};
use crate::linalg::Cholesky;
use std::ops::ControlFlow;

const TROUBLES: [Trouble; 6] =
    [Trouble::None, Trouble::Nearly(1e-2), Trouble::Nearly(1e-4), Trouble::Twice, Trouble::Nearly(1e-7), Trouble::Wide];

/// A case for a number: sizes, troubles and ridges take turns.
fn case(number: u64) -> (Case, Trouble, f64) {
    let trouble = TROUBLES[(number % 6) as usize];
    let ridge = [0.0, 0.0, 1e-3, 0.3][(number / 6 % 4) as usize];
    let columns = 1 + (number / 5 % 10) as usize;
    (Case::random(columns, trouble, ridge, number), trouble, ridge)
}

fn on(_: &super::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Searches for all sizes of a case; returns how many were proven.
fn agrees_with_every_choice(number: u64) -> (usize, usize) {
    let (case, trouble, ridge) = case(number);
    let (quadratic, minima) = (case.quadratic(), case.minima());
    let mut proven = 0;
    for size in 0..=case.columns {
        let search = Search::new(&quadratic, size);
        let mut state = search.begin(&[]);
        let stopped = search.run(&mut state, &mut on);
        let best = least(&minima, size, |_| true);
        let (lower, incumbent) = (state.lower(), state.incumbent());
        let context =
            format!("case {number} {trouble:?} ridge {ridge} size {size}: {lower:e} best {best:e} {incumbent:?}");
        assert_eq!(stopped, Stopped::Finished, "{context}");
        assert!(incumbent.support.len() <= size, "{context}");
        assert!(lower <= best + case.rounding(), "{context}");
        let mut theta = vec![0.0; case.columns];
        incumbent.support.iter().zip(&incumbent.theta).for_each(|(&j, &x)| theta[j] = x);
        assert!(case.value(&theta) <= incumbent.value + case.rounding(), "{context}");
        if state.gap() <= 1e-6 {
            proven += 1;
            assert!(incumbent.value <= best + 1.1e-6 * best.abs() + case.rounding(), "{context}");
        }
        let is_easy = ridge > 0.0 || matches!(trouble, Trouble::None | Trouble::Nearly(1e-2..));
        assert!(!is_easy || state.gap() <= 1e-6 || incumbent.value <= case.rounding(), "{context}");
    }
    (proven, case.columns + 1)
}

#[test]
fn small_problems_end_at_the_best_choice() {
    let (mut proven, mut all) = (0, 0);
    for number in 0..240 {
        let (found, tried) = agrees_with_every_choice(number);
        (proven, all) = (proven + found, all + tried);
    }
    assert!(4 * proven > 3 * all, "{proven} of {all} proven");
}

#[test]
#[ignore = "thousands of problems: make campaign"]
fn a_campaign_of_small_problems_ends_at_the_best_choice() {
    let (mut proven, mut all) = (0, 0);
    for number in 1000..9000 {
        let (found, tried) = agrees_with_every_choice(number);
        (proven, all) = (proven + found, all + tried);
    }
    println!("{proven} of {all} proven");
}

#[test]
fn bounds_hold_at_any_base_point_and_settle_columns_rightly() {
    let mut cholesky = Cholesky::default();
    for number in (0..240).step_by(3) {
        let (case, ..) = case(number);
        let (quadratic, minima, mut numbers) = (case.quadratic(), case.minima(), Numbers::new(number));
        let part = Part::whole(&quadratic);
        let Some(first) = diagonal::first(&part.gram, part.len(), &mut cholesky) else { continue };
        for size in 1..case.columns {
            let diagonal: Vec<f64> = first.iter().map(|d| d * (0.55 + 0.45 * numbers.next())).collect();
            assert!(positive::is_shown(&part.gram, &diagonal, &mut cholesky));
            let (_, theta) = case.minimum(set_of(&(0..size).collect::<Vec<_>>()));
            let alpha: Vec<f64> = theta
                .iter()
                .zip(&quadratic.scales)
                .map(|(x, scale)| x * scale + if size % 2 == 0 { 0.3 * numbers.next() } else { 0.0 })
                .collect();
            let mut places = vec![Place::Free; case.columns];
            let family = Family::plain(case.columns, size);
            let (runs, room) = (Runs::of(0..case.columns, &family), family.room([]));
            let restricted = Restricted { part: &part, runs: &runs, places: &places, room: &room, diagonal: &diagonal };
            let bound = Bound::at(restricted, &alpha);
            let limit = case.rounding();
            assert!(bound.value <= least(&minima, size, |_| true) + limit, "case {number} size {size}");
            for j in 0..case.columns {
                assert!(
                    bound.with(j, 0) <= least(&minima, size, |set| set >> j & 1 == 1) + limit,
                    "{number} {size} {j}"
                );
                assert!(
                    bound.without(j, 0) <= least(&minima, size, |set| set >> j & 1 == 0) + limit,
                    "{number} {size} {j}"
                );
            }
            let cutoff = least(&minima, size, |_| true) + limit;
            bound.screen(&runs, &mut places, &mut room.clone(), cutoff);
            let allowed = |set: usize| (0..case.columns).all(|j| places[j] != Place::Out || set >> j & 1 == 0);
            assert!(least(&minima, size, allowed) <= cutoff, "case {number} size {size}");
        }
    }
}

#[test]
fn a_broken_fit_is_never_settled() {
    let mut settled = 0;
    for number in 0..240 {
        let (case, ..) = case(number);
        let (quadratic, minima, mut numbers) = (case.quadratic(), case.minima(), Numbers::new(number));
        for size in 1..=case.columns {
            let set = (0..size).fold(0, |set, _| set | 1 << numbers.below(case.columns));
            let support: Vec<usize> = (0..case.columns).filter(|j| set >> j & 1 == 1).collect();
            let factors = [1.0, 1.0 + 1e-3 * numbers.next(), 0.0, 2.0];
            let best = least(&minima, size, |_| true);
            for factor in factors {
                let theta: Vec<f64> = support.iter().map(|&j| factor * case.minimum(set).1[j]).collect();
                let found = Search::new(&quadratic, size).settle(&support, &theta);
                assert!(found.lower <= best + case.rounding(), "case {number} {support:?}: {found:?}, {best:e}");
                if found.is_proven(1e-9) {
                    settled += 1;
                    assert!(
                        found.upper <= best * (1.0 + 1e-9) + case.rounding(),
                        "case {number} {support:?}: {found:?}"
                    );
                }
            }
        }
    }
    assert!(settled > 50, "{settled}");
}

#[test]
fn columns_that_are_always_or_never_selected_are_respected() {
    for number in (0..240).step_by(2) {
        let (case, ..) = case(number);
        if case.columns < 3 {
            continue;
        }
        let (quadratic, minima) = (case.quadratic(), case.minima());
        let (always, never) = ((number % 3) as usize, ((number + 1) % 3) as usize);
        for size in 1..case.columns {
            let search = Search::new(&quadratic, size).always(&[always]).never(&[never]);
            let mut state = search.begin(&[never, 99]);
            search.run(&mut state, &mut on);
            // A column that is always selected may get the coefficient zero.
            let best =
                least(&minima, size, |set| set >> never & 1 == 0 && (set | 1 << always).count_ones() as usize <= size);
            let support = &state.incumbent().support;
            assert!(support.contains(&always) && !support.contains(&never) && support.len() <= size);
            assert!(state.lower() <= best + case.rounding(), "case {number} size {size}");
            let is_right = state.incumbent().value <= best + 1.1e-6 * best.abs() + case.rounding();
            assert!(state.gap() > 1e-6 || is_right, "case {number} size {size}");
        }
    }
}

/// A function above the quadratic one by an amount that depends on the columns.
struct Above<'a> {
    below: Itself<'a>,
}

impl Above<'_> {
    fn extra(support: &[usize]) -> f64 {
        1e-2 * (set_of(support) * 7 % 5) as f64
    }
}

impl Truth for Above<'_> {
    fn on_support(&mut self, support: &[usize]) -> OnSupport {
        let OnSupport { theta, value, lower } = self.below.on_support(support);
        let used: Vec<usize> = support.iter().zip(&theta).filter(|(_, x)| **x != 0.0).map(|(&j, _)| j).collect();
        OnSupport { theta, value: value + Self::extra(&used), lower }
    }
}

#[test]
fn a_function_above_the_quadratic_one_keeps_an_honest_bound() {
    for number in (0..240).step_by(4) {
        let (case, ..) = case(number);
        let (quadratic, minima) = (case.quadratic(), case.minima());
        for size in 1..=case.columns {
            let search = Search::new(&quadratic, size);
            let mut truth = Above { below: Itself { quadratic: &quadratic } };
            let mut state = search.begin_with(&[], &mut truth);
            search.run_with(&mut state, &mut truth, &mut on);
            let members = |set: usize| (0..case.columns).filter(move |j| set >> j & 1 == 1).collect::<Vec<_>>();
            let true_minima: Vec<f64> =
                minima.iter().enumerate().map(|(set, minimum)| minimum + Above::extra(&members(set))).collect();
            let best = least(&true_minima, size, |_| true);
            assert!(state.lower() <= best + case.rounding(), "case {number} size {size}");
            assert!(
                state.lower() >= least(&minima, size, |_| true) * (1.0 - 2e-6) - case.rounding() || state.gap() > 1e-6
            );
        }
    }
}

/// A problem that takes a few hundred nodes.
fn long() -> Case {
    Case::random(22, Trouble::None, 0.0, 5)
}

#[test]
fn threads_interruptions_and_little_memory_change_nothing() {
    let (case, size) = (long(), 8);
    let quadratic = case.quadratic();
    let finished = |search: &Search, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut state = search.begin(&[]);
            assert_eq!(search.run(&mut state, &mut on), Stopped::Finished);
            state
        })
    };
    let same = |a: &State, b: &State| {
        (a.nodes(), a.lower(), a.incumbent().clone()) == (b.nodes(), b.lower(), b.incumbent().clone())
    };
    let search = Search::new(&quadratic, size);
    let one = finished(&search, 1);
    assert!(one.nodes() > 30 && one.gap() <= 1e-6, "{} nodes, gap {}", one.nodes(), one.gap());
    assert!(same(&one, &finished(&search, 2)));
    for memory in [0, 5000] {
        let search = Search::new(&quadratic, size).memory(memory);
        let least_memory = finished(&search, 1);
        assert_eq!(least_memory.incumbent().support, one.incumbent().support);
        assert!(least_memory.gap() <= 1e-6);
        assert!(same(&one, &interrupted(&Search::new(&quadratic, size))));
        assert!(same(&least_memory, &interrupted(&search)));
    }
}

/// The same search, ended after every second batch, written and read again.
fn interrupted(search: &Search) -> State {
    let mut state = search.begin(&[]);
    let mut before = 0.0_f64;
    loop {
        let mut calls = 0;
        let stopped = search.run(&mut state, &mut |progress| {
            calls += 1;
            assert!(progress.lower >= before && progress.lower <= progress.upper);
            before = progress.lower;
            if calls > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if stopped == Stopped::Finished {
            return state;
        }
        state = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
    }
}

#[test]
fn a_state_of_another_problem_is_not_believed() {
    let (case, other) = (long(), Case::random(22, Trouble::None, 0.0, 6));
    let (quadratic, another) = (case.quadratic(), other.quadratic());
    let (search, elsewhere) = (Search::new(&quadratic, 4), Search::new(&another, 4));
    let mut state = search.begin(&[]);
    search.run(&mut state, &mut on);
    elsewhere.run(&mut state, &mut on);
    let mut fresh = elsewhere.begin(&[]);
    elsewhere.run(&mut fresh, &mut on);
    assert!((state.incumbent().value - fresh.incumbent().value).abs() <= 1e-6 * fresh.incumbent().value);
}

#[test]
fn many_columns_that_depend_on_each_other_are_said_to() {
    let case = Case::random(40, Trouble::Wide, 0.0, 3);
    let quadratic = case.quadratic();
    let search = Search::new(&quadratic, 12);
    let mut state = search.begin(&[]);
    assert_eq!(search.run(&mut state, &mut on), Stopped::Dependent);
    assert_eq!(state.lower(), 0.0);
    assert!(state.incumbent().value.is_finite() && state.gap() > 0.0);
}
