//! Proofs that begin with a wrong choice, go on from a file, or have next to no memory: none claims more than is true, against enumeration, and all end in the same place.

mod enumeration;
mod raw_problems;

use enumeration::subsets;
use proxdist::path::{Path, PathProof, PathSettings};
use proxdist::run::{Stage, State};
use proxdist::trace::{Observer, Progress};
use proxdist::{Fit, Problem, Proven, Settings};
use raw_problems::{Numbers, Raw};
use serde_json::json;
use std::ops::ControlFlow;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(30);

/// Keeps every state as text.
#[derive(Default)]
struct Keep(Vec<String>);

impl Observer for Keep {
    fn checkpoint(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn snapshot(&mut self, state: &State) {
        self.0.push(serde_json::to_string(state).unwrap());
    }
}

/// Goes on with the search for a proof from a point of one's own, as if the finish had ended there.
fn proven_from(problem: &Problem, theta: &[f64], time: Duration) -> Fit {
    let mut keep = Keep::default();
    problem.fit_observed(&Settings::default(), &mut keep).unwrap();
    let mut state: serde_json::Value = serde_json::from_str(keep.0.last().unwrap()).unwrap();
    (state["stage"], state["race"]) = (json!("proof"), json!(null));
    state["finished"] = json!({"theta": theta, "iterate_distance": null, "exchanges": "unknown"});
    let state = serde_json::from_value(state).unwrap();
    problem.fit(&Settings::default().prove(time).resume(state)).unwrap()
}

/// Nothing that is said is more than the truth; whether the optimum is claimed.
fn holds(fit: &Fit, least: f64, what: &str) -> bool {
    let (certificate, value) = (fit.certificate(), fit.objective());
    let rounding = 1e-10 * (value.abs() + 1e-3);
    assert!(value >= least - rounding, "{what}: {value} below the truth {least}");
    if let Some(gap) = certificate.gap {
        assert!(value - gap.value <= least + rounding, "{what}: {gap:?} at {value}, truth {least}");
    }
    let is_claimed = certificate.proven(value) == Some(Proven::Optimal);
    assert!(!is_claimed || value - least <= 1.001e-6 * value.abs() + rounding, "{what}: {value} claimed, {least}");
    is_claimed
}

/// A wrong choice fitted well, a choice with wrong coefficients, and nothing at all.
fn broken(case: &Raw, size: usize, numbers: &mut Numbers) -> [Vec<f64>; 3] {
    let all = subsets(case.columns, size);
    let (_, worst) = all.iter().map(|support| case.on(support)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let (_, mut bent) = all.iter().map(|support| case.on(support)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    bent.iter_mut().for_each(|t| *t *= 1.0 + 0.5 * numbers.next());
    let nothing = vec![0.0; worst.len()];
    [worst, bent, nothing]
}

#[test]
fn a_broken_incumbent_is_not_proven() {
    let (mut short, mut ended, mut all) = (0, 0, 0);
    for loss in ["squared", "logistic", "huber:0.5"] {
        for seed in 0..12 {
            let (rows, columns, size) = (40 + (seed % 5) as usize * 9, 6, 2);
            let case = Raw::new(loss, seed, rows, columns);
            let least = case.least(size);
            let mut numbers = Numbers::new(seed + 1000);
            for (k, theta) in broken(&case, size, &mut numbers).iter().enumerate() {
                let what = format!("{loss}, seed {seed}, broken {k}");
                case.with_problem(size, |problem| {
                    // No time to find out: nothing may be claimed, unless the choice itself is right.
                    let hasty = proven_from(problem, theta, Duration::from_nanos(1));
                    short += usize::from(holds(&hasty, least, &format!("{what}, hasty")));
                    let long = proven_from(problem, theta, LONG);
                    ended += usize::from(holds(&long, least, &what));
                    all += 1;
                });
            }
        }
    }
    println!("{short} claimed at once, {ended} in the end, of {all}");
    assert!(3 * short < all, "{short} of {all} claimed without time");
    // Without a ridge nothing can be bounded where a column is there twice.
    assert!(3 * ended > 2 * all, "{ended} of {all} proven in the end");
}

#[test]
fn a_broken_path_is_not_proven() {
    for seed in 0..8 {
        let case = Raw::new("squared", seed, 50, 8);
        case.with_problem(5, |problem| {
            let mut path = Path::trace(problem, &PathSettings::default()).unwrap();
            for point in path.points.iter_mut().filter(|point| point.size > 0) {
                // The first columns, or the right ones with wrong coefficients and a wrong intercept.
                if point.size.is_multiple_of(2) {
                    point.theta.iter_mut().for_each(|t| *t *= 1.5);
                } else {
                    point.support = (0..point.size).collect();
                    point.theta = case.on(&point.support).1;
                }
                point.objective = case.value(&point.theta);
            }
            let mut hasty = path.clone();
            hasty.prove(problem, PathProof::within(Duration::ZERO), &mut || ControlFlow::Continue(())).unwrap();
            path.prove(problem, PathProof::within(LONG), &mut || ControlFlow::Continue(())).unwrap();
            for point in hasty.points.iter().chain(&path.points).filter(|point| point.size > 0) {
                let (least, what) = (case.least(point.size), format!("seed {seed}, size {}", point.size));
                let value = case.value(&point.theta);
                if let Some(gap) = point.gap {
                    assert!(value - gap <= least + 1e-10 * value, "{what}: {gap} at {value}, truth {least}");
                }
            }
        });
    }
}

/// Numbers of the result, what was proven, and the trace but for its times.
type Bits = (Vec<f64>, proxdist::Certificate, Vec<(Option<f64>, Option<u64>, f64)>);

fn bits(fit: &Fit) -> Bits {
    let trace = fit.trace().iter().map(|at| (at.bound, at.nodes, at.objective)).collect();
    let numbers = fit.coefficients().iter().copied().chain(fit.intercept()).chain([fit.objective()]);
    (numbers.collect(), *fit.certificate(), trace)
}

/// Fits once, then from every state of the proof that was shown.
fn goes_on_from_everywhere(problem: &Problem, what: &str) -> usize {
    let settings = || Settings::default().prove(LONG);
    let mut keep = Keep::default();
    let whole = problem.fit_observed(&settings(), &mut keep).unwrap();
    let states: Vec<State> = keep.0.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert!(whole.trace().last().is_some_and(|last| last.elapsed < LONG), "{what}: the time was not enough");
    let proofs: Vec<State> = states.into_iter().filter(|state| state.stage() == Stage::Proof).collect();
    for (k, state) in proofs.iter().enumerate() {
        let resumed = problem.fit(&settings().resume(state.clone())).unwrap();
        // Not assert_eq: a trace fills pages.
        assert!(bits(&resumed) == bits(&whole), "{what}, state {k} of {}", proofs.len());
    }
    proofs.len()
}

#[test]
fn proofs_of_every_loss_go_on_to_the_same_bits() {
    // Columns that are alike, where a proof is within reach of a test; without and with a ridge.
    let alike = [("squared", 60, 7, [2, 8]), ("logistic", 300, 7, [2, 8])];
    let apart = [("huber:0.5", 300, 5, [0, 6]), ("poisson", 300, 4, [0, 6])];
    for (loss, rows, size, seeds) in alike.into_iter().chain(apart) {
        let mut shown = 0;
        for (seed, ridge) in seeds.into_iter().zip([0.0, 0.003]) {
            let case = Raw { ridge, ..Raw::new(loss, seed, rows, 24) };
            shown +=
                case.with_problem(size, |problem| goes_on_from_everywhere(problem, &format!("{loss}, seed {seed}")));
        }
        println!("{loss}: {shown} states");
        // Before each part of a proof there is one, for squared loss between nodes only.
        assert!(shown > 1, "{loss}: {shown} states of proofs");
    }
}

/// Depth first from the second node on: another order, the same end.
#[test]
fn next_to_no_memory_leads_to_the_same_end() {
    for (loss, rows, seed) in [("squared", 60, 2), ("squared", 60, 8), ("logistic", 300, 2)] {
        let case = Raw::new(loss, seed, rows, 24);
        case.with_problem(7, |problem| {
            let fit = |memory| problem.fit(&Settings::default().prove(LONG).memory(memory)).unwrap();
            let (much, little) = (fit(1 << 30), fit(1));
            let nodes = |fit: &Fit| fit.certificate().nodes;
            println!("{loss}, seed {seed}: {:?} and {:?} nodes", nodes(&much), nodes(&little));
            for fit in [&much, &little] {
                let (certificate, value) = (fit.certificate(), fit.objective());
                assert_eq!(certificate.proven(value), Some(Proven::Optimal), "{loss}, seed {seed}: {certificate:?}");
            }
            assert_eq!(much.support(), little.support(), "{loss}, seed {seed}");
            assert!((much.objective() - little.objective()).abs() <= 1e-12 * much.objective());
        });
    }
}
