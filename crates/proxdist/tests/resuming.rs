//! A run that goes on from any state it has shown ends with the same bits as one that was never interrupted: in every stage, for every method that
//! remembers something, with averages, under every rule to stop, and through the text that a file holds.

use proxdist::constraint::{
    Ball, Bounds, Constraint, NonNegative, Rank, Simplex, SparseBounded, Sparsity, intersection,
};
use proxdist::loss::{Logistic, Squared};
use proxdist::run::{Stage, State};
use proxdist::schedule::Geometric;
use proxdist::simulate::{Response, Truth, vector};
use proxdist::trace::{Observer, Progress};
use proxdist::{Fit, Problem, Settings, Stop, StopRule};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Keeps every state as text, and ends the run after so many polls if asked.
#[derive(Default)]
struct Keep {
    states: Vec<String>,
    polls_left: Option<u64>,
}

impl Observer for Keep {
    fn checkpoint(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn poll(&mut self) -> ControlFlow<()> {
        match &mut self.polls_left {
            Some(0) => ControlFlow::Break(()),
            Some(left) => {
                *left -= 1;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Continue(()),
        }
    }
    fn snapshot(&mut self, state: &State) {
        self.states.push(serde_json::to_string(state).unwrap());
    }
}

/// Numbers, trace, reason to stop, steps and schedule.
type Bits = (Vec<u64>, Vec<(u64, u64, u64)>, Stop, u64, String);

/// All of a fit but the time that it took.
fn bits(fit: &Fit) -> Bits {
    let rest = fit.intercept().into_iter().chain([fit.certificate().stationarity]);
    let numbers = fit.coefficients().iter().copied().chain(rest);
    let trace = fit.trace().iter().map(|at| (at.step, at.objective.to_bits(), at.rho.to_bits())).collect();
    (numbers.map(f64::to_bits).collect(), trace, fit.stop(), fit.steps(), fit.model().schedule.clone())
}

/// Fits once, then again from every state that was shown; returns the stages that were seen.
fn resumes_from_everywhere(problem: &Problem, settings: &Settings) -> BTreeSet<String> {
    let mut keep = Keep::default();
    let whole = problem.fit_observed(settings, &mut keep).unwrap();
    assert!(!keep.states.is_empty(), "a run shows a state whatever its settings");
    let mut stages = BTreeSet::new();
    for text in &keep.states {
        let state: State = serde_json::from_str(text).unwrap();
        let (stage, step) = (state.stage(), state.step());
        stages.insert(format!("{stage:?}"));
        let resumed = problem.fit(&settings.clone().resume(state)).unwrap();
        assert_eq!(bits(&resumed), bits(&whole), "{stage:?} at step {step}");
    }
    stages
}

#[test]
fn default_fits_can_go_on_from_the_race_and_from_the_finish() {
    let simulated = vector(Response::Logistic, Truth::Sparse(4), 900, 30, 1).unwrap();
    let data = simulated.data().unwrap();
    let both = intersection(vec![
        Box::new(NonNegative) as Box<dyn Constraint>,
        Box::new(Ball::radius(1.0).unwrap()) as Box<dyn Constraint>,
    ])
    .unwrap();
    let raced: [&dyn Constraint; 1] = [&Sparsity::at_most(4)];
    for set in raced {
        let problem = Problem::new(&data, Logistic, set).intercept(true);
        let stages = resumes_from_everywhere(&problem, &Settings::default().seed(3));
        assert_eq!(stages, ["Finish", "Race"].map(str::to_owned).into());
    }
    let direct: [&dyn Constraint; 3] = [&both, &Simplex::default(), &Ball::radius(2.0).unwrap()];
    for set in direct {
        let problem = Problem::new(&data, Logistic, set).intercept(true);
        let stages = resumes_from_everywhere(&problem, &Settings::default().seed(3));
        assert_eq!(stages, ["Finish"].map(str::to_owned).into());
    }
}

#[test]
fn so_can_fits_of_low_rank() {
    let simulated = vector(Response::Linear, Truth::Sparse(4), 300, 30, 2).unwrap();
    let data = simulated.data().unwrap().shape(6, 5).unwrap();
    let problem = Problem::new(&data, Squared, Rank::at_most(1, 6, 5));
    let stages = resumes_from_everywhere(&problem, &Settings::default());
    assert_eq!(stages, ["Finish", "Race"].map(str::to_owned).into());
}

#[test]
fn the_iteration_can_go_on_with_averages_and_under_every_rule() {
    let simulated = vector(Response::Linear, Truth::Sparse(4), 900, 30, 1).unwrap();
    let data = simulated.data().unwrap();
    for set in [&Sparsity::at_most(4) as &dyn Constraint, &Ball::radius(1.0).unwrap()] {
        let problem = Problem::new(&data, Squared, set).intercept(true);
        let plain = || Settings::default().polish(false).max_steps(333).check_every(20).seed(5);
        let all = [
            plain().average(true).tolerance(1e-12),
            plain().rho1(0.05).average(true).tolerance(1e-3),
            plain().stop(StopRule::Paper).tolerance(1e-4).rho1(0.1),
            plain().max_passes(3.0).tolerance(1e-12),
            plain().polish(true).rho1(0.05),
        ];
        for settings in all {
            assert!(resumes_from_everywhere(&problem, &settings).contains("Iteration"));
        }
    }
}

#[test]
fn methods_with_a_memory_go_on_with_it() {
    let simulated = vector(Response::Linear, Truth::Sparse(4), 300, 12, 1).unwrap();
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Ball::radius(1.0).unwrap());
    for method in ["pd", "pd:momentum=yes", "pd:tolerance=1e-2", "pd:momentum=yes;tolerance=1e-2", "psgd", "cspp"] {
        let settings = || {
            let settings = Settings::default().method(method.parse().unwrap()).polish(false);
            settings.max_steps(45).tolerance(1e-15).check_every(4)
        };
        resumes_from_everywhere(&problem, &settings());
        let schedule = Geometric::new(0.5, 2.0, 20).unwrap();
        resumes_from_everywhere(&problem, &settings().schedule(schedule));
    }
}

/// Interrupted between two checkpoints, a run shows nothing that an uninterrupted one would not have passed through.
#[test]
fn a_run_that_was_interrupted_anywhere_goes_on_to_the_same_end() {
    let simulated = vector(Response::Logistic, Truth::Sparse(4), 600, 20, 2).unwrap();
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Logistic, Sparsity::at_most(3));
    let settings = || Settings::default().polish(false).average(true).max_steps(400).check_every(30).tolerance(1e-12);
    let whole = problem.fit(&settings()).unwrap();
    for polls in [3, 17, 55, 139, 140, 151, 200, 399] {
        let mut keep = Keep { polls_left: Some(polls), ..Keep::default() };
        let cut = problem.fit_observed(&settings(), &mut keep).unwrap();
        assert_eq!(cut.stop(), Stop::Interrupted);
        let resumed = match keep.states.last() {
            Some(text) => problem.fit(&settings().resume(serde_json::from_str(text).unwrap())).unwrap(),
            None => problem.fit(&settings()).unwrap(),
        };
        assert_eq!(bits(&resumed), bits(&whole), "after {polls} steps");
    }
}

#[test]
fn wider_limits_go_on_as_if_they_had_been_wide_from_the_start() {
    let simulated = vector(Response::Linear, Truth::Sparse(4), 900, 30, 1).unwrap();
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Sparsity::at_most(3));
    let settings = |steps| Settings::default().polish(false).max_steps(steps).check_every(20).tolerance(1e-15);
    let whole = problem.fit(&settings(500)).unwrap();
    for steps in [60, 100, 190, 200, 333] {
        let mut keep = Keep::default();
        problem.fit_observed(&settings(steps), &mut keep).unwrap();
        let text = keep.states.last().expect("a state before the last step");
        let resumed = problem.fit(&settings(500).resume(serde_json::from_str(text).unwrap())).unwrap();
        assert_eq!(bits(&resumed), bits(&whole), "{steps} steps at first");
    }
}

#[test]
fn a_state_of_another_problem_or_a_damaged_one_is_refused() {
    let simulated = vector(Response::Linear, Truth::Sparse(4), 900, 30, 1).unwrap();
    let data = simulated.data().unwrap();
    let mut keep = Keep::default();
    // Within limits, so that there is a race.
    let set = SparseBounded::at_most(3, Bounds::between(-99.0, 99.0).unwrap());
    let problem = Problem::new(&data, Squared, &set);
    problem.fit_observed(&Settings::default(), &mut keep).unwrap();
    let state = |text: &str| serde_json::from_str::<State>(text);
    let resume = |problem: &Problem, state| problem.fit(&Settings::default().resume(state)).map(|fit| fit.steps());
    let with_intercept = Problem::new(&data, Squared, &set).intercept(true);
    for text in &keep.states {
        let error = resume(&with_intercept, state(text).unwrap()).unwrap_err().to_string();
        assert!(error.contains("30") && error.contains("31"), "{error}");
        let empty = text.replacen("\"batch_size\":64", "\"batch_size\":0", 1);
        assert!(resume(&problem, state(&empty).unwrap()).is_err());
    }
    let race = keep.states.iter().find(|text| state(text).unwrap().stage() == Stage::Race).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(race).unwrap();
    value["race"] = serde_json::Value::Null;
    assert!(resume(&problem, serde_json::from_value(value.clone()).unwrap()).is_err());
    value["trace"] = serde_json::Value::Null;
    assert!(serde_json::from_value::<State>(value).is_err());
}
