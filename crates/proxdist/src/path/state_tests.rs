//! Numbers that are kept up to date are those computed afresh.

use super::centred::Centred;
use super::form::Form;
use super::light::Light;
use super::moments::{Centre, Moments};
use super::state::State;
use super::testing::Case;
use crate::loss::Squared;
use crate::objective::Objective;
use crate::random::{Purpose, below, stream};

pub(super) fn form(objective: Objective, has_intercept: bool) -> Form<'static> {
    let centre = Centre::of(objective, has_intercept).unwrap();
    let sums = Centred::new(Moments::of(objective, &centre).unwrap(), &centre, has_intercept, None);
    let mut form = Form::whole(sums, None, has_intercept).unwrap();
    form.set_ridge(objective.ridge);
    form
}

#[test]
fn a_state_after_hundreds_of_moves_is_the_one_computed_afresh() {
    for seed in 0..6 {
        let case = Case::random(60, 15, Box::new(Squared), seed);
        let data = case.data();
        let objective = Objective::new(&data, &Squared, case.ridge);
        let mut form = form(objective, case.has_intercept);
        let mut state = State::default();
        assert!(state.load(&mut form, &[]).unwrap());
        let generator = &mut stream(seed, Purpose::Simulation, 3);
        let mut worst: f64 = 0.0;
        for number in 0..400 {
            let enters = below(generator, 15) as usize;
            if state.len() < 8 && !state.support().contains(&enters) {
                let before = state.support();
                if !state.add(&mut form, enters).unwrap() {
                    // The column is one that is there already, or a constant.
                    assert!(enters <= 2, "{seed} {number} {enters}");
                    assert!(state.load(&mut form, &before).unwrap());
                }
            } else if state.len() > 0 {
                let at = below(generator, state.len() as u64) as usize;
                assert!(state.remove(&mut form, at).unwrap());
            }
            worst = worst.max(state.drift(&mut form));
        }
        assert!(worst < 1e-7, "{seed}: {worst:e}");
    }
}

/// What the scores predict is what happens.
#[test]
fn every_exchange_gains_what_was_predicted() {
    for seed in 0..8 {
        let case = Case::random(40, 9, Box::new(Squared), seed);
        let data = case.data();
        let mut form = form(Objective::new(&data, &Squared, case.ridge), case.has_intercept);
        let support = [3, 5, 8];
        let mut state = State::default();
        assert!(state.load(&mut form, &support).unwrap());
        let before = state.value(&form);
        let (swaps, best) = (state.scores().swaps(f64::NEG_INFINITY, 100), state.scores().best_swap(|_| true));
        assert_eq!(swaps.first().map(|swap| swap.gain), best.map(|swap| swap.gain));
        for swap in swaps {
            let mut after: Vec<usize> = support.iter().copied().filter(|&j| j != support[swap.leaves]).collect();
            after.push(swap.enters);
            let mut other = State::default();
            if support.contains(&swap.enters) || !other.load(&mut form, &after).unwrap() {
                continue;
            }
            let gained = before - other.value(&form);
            assert!((gained - swap.gain).abs() < 1e-9 * before.abs(), "{seed} {swap:?} {gained}");
        }
        for at in 0..3 {
            let rest: Vec<usize> = (0..3).filter(|k| *k != at).map(|k| support[k]).collect();
            let mut other = State::default();
            assert!(other.load(&mut form, &rest).unwrap());
            assert!((other.value(&form) - before - state.scores().cost(at)).abs() < 1e-9 * before.abs());
        }
    }
}

#[test]
fn a_light_state_knows_what_the_full_one_does() {
    for seed in 0..6 {
        let case = Case::random(60, 15, Box::new(Squared), seed);
        let data = case.data();
        let mut form = form(Objective::new(&data, &Squared, case.ridge), case.has_intercept);
        let (mut light, mut state) = (Light::default(), State::default());
        assert!(light.load(&form, &[3]));
        let generator = &mut stream(seed, Purpose::Simulation, 4);
        for number in 0..900 {
            let best = light.best_addition();
            if light.members().len() < 2 || light.members().len() < 7 && below(generator, 2) == 0 {
                assert!(light.add(&form, best.unwrap()), "{seed} {number}");
            } else {
                let at = below(generator, light.members().len() as u64) as usize;
                assert!(light.remove(&form, at), "{seed} {number}");
            }
            assert!(state.load(&mut form, light.members()).unwrap());
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-7 * (1e-3 + b.abs());
            let exact = light.exact_value(&form);
            assert!(
                close(light.value(&form), state.value(&form)) && close(exact, state.value(&form)),
                "{seed} {number}"
            );
            let scores = state.scores();
            for at in 0..light.members().len() {
                assert!(close(light.cost(at), 2.0 * scores.cost(at)), "{seed} {number} {at}");
            }
            // Equal columns gain equally.
            let gain = |i: usize| scores.slope[i] * scores.slope[i] / scores.left[i];
            let (ours, theirs) = (light.best_addition().unwrap(), scores.additions(1)[0]);
            assert!(ours == theirs || close(gain(ours), gain(theirs)), "{seed} {number}: {ours} {theirs}");
        }
        let banned = light.best_addition().unwrap();
        light.allow(banned, false);
        assert_ne!(light.best_addition(), Some(banned));
    }
}
