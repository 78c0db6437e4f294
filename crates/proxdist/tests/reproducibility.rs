//! One seed, one result: whatever the number of threads, the storage of the data, or where a run was interrupted.

use proxdist::constraint::{Ball, Constraint, Sparsity};
use proxdist::loss::{Huber, Logistic, Loss, Squared};
use proxdist::prox::Prox;
use proxdist::sampling::{Sampler, Sampling};
use proxdist::schedule::{Constant, Polynomial};
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::solver::{DistanceStep, ProximalDistance, Solver};
use proxdist::{Data, Problem, Settings};
use std::ops::ControlFlow;

fn simulated(response: Response) -> Simulated {
    vector(response, Truth::Sparse(4), 3000, 30, 1).unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    let simulated = simulated(Response::Logistic);
    let data = simulated.data().unwrap();
    for set in [&Sparsity::at_most(4) as &dyn Constraint, &Ball::radius(1.0).unwrap()] {
        let problem = Problem::new(&data, Logistic, set).intercept(true).ridge(1e-3);
        let fits = [1, 2, 4].map(|threads| {
            problem.fit(&Settings::default().seed(9).threads(threads).monitor_rows(2500).max_steps(300)).unwrap()
        });
        for fit in &fits[1..] {
            assert_eq!(bits(fit.coefficients()), bits(fits[0].coefficients()));
            assert_eq!(fit.intercept().unwrap().to_bits(), fits[0].intercept().unwrap().to_bits());
            assert_eq!(fit.objective().to_bits(), fits[0].objective().to_bits());
            let objectives =
                |fit: &proxdist::Fit| fit.trace().iter().map(|p| p.objective.to_bits()).collect::<Vec<_>>();
            assert_eq!(objectives(fit), objectives(&fits[0]));
        }
    }
}

#[test]
fn another_seed_gives_another_run_but_not_another_convex_optimum() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Ball::radius(1.0).unwrap());
    let fit = |settings: Settings, seed| problem.fit(&settings.seed(seed).max_steps(50)).unwrap();
    let [a, b] = [1, 2].map(|seed| fit(Settings::default().polish(false), seed));
    assert_ne!(bits(a.coefficients()), bits(b.coefficients()));
    let [a, b] = [1, 2].map(|seed| fit(Settings::default(), seed));
    assert_eq!(bits(a.coefficients()), bits(b.coefficients()));
}

#[test]
fn a_run_resumed_at_any_step_equals_one_that_was_not_interrupted() {
    let simulated = simulated(Response::Logistic);
    let data = simulated.data().unwrap();
    let set = Sparsity::at_most(4);
    let schedule = Polynomial::new(1e-3, 0.8).unwrap();
    for sampling in [Sampling::WithoutReplacement, Sampling::Reshuffled] {
        let start = |theta: Vec<f64>| {
            let sampler = Sampler::new(sampling, data.rows(), 64, 5);
            ProximalDistance::of(
                DistanceStep::new(&set, Box::new(Prox::new(&Logistic))),
                &data,
                &schedule,
                sampler,
                theta,
            )
            .unwrap()
        };
        let mut whole = start(vec![0.0; 30]);
        (0..60).for_each(|_| whole.advance().unwrap());
        let mut first = start(vec![0.0; 30]);
        (0..23).for_each(|_| first.advance().unwrap());
        let mut second = start(first.theta().to_vec()).resumed_at(23);
        (0..37).for_each(|_| second.advance().unwrap());
        assert_eq!(bits(whole.theta()), bits(second.theta()), "{sampling:?}");
    }
}

/// Dense, sparse and single-precision storage of the same numbers.
#[test]
fn storage_does_not_change_a_fit() {
    let simulated = simulated(Response::Huber);
    let single: Vec<f32> = simulated.x.iter().map(|v| *v as f32).collect();
    let rounded: Vec<f64> = single.iter().map(|v| f64::from(*v)).collect();
    let starts: Vec<i64> = (0..=3000).map(|i| 30 * i).collect();
    let indices: Vec<i32> = (0..3000).flat_map(|_| 0..30).collect();
    let loss = Huber::with_delta(2.0).unwrap();
    let fit = |data: Data| {
        let problem = Problem::new(&data, loss, Sparsity::at_most(4));
        problem.fit(&Settings::default().rho1(0.1).seed(2).max_steps(400)).unwrap().coefficients().to_vec()
    };
    let dense = fit(Data::dense(&rounded, 30, &simulated.y).unwrap());
    let other = [
        fit(Data::dense(&single, 30, &simulated.y).unwrap()),
        fit(Data::sparse(&starts, &indices, &rounded, 30, &simulated.y).unwrap()),
        fit(Data::sparse(&starts, &indices, &single, 30, &simulated.y).unwrap()),
    ];
    for other in other {
        let gap = dense.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-7, "{gap:e}");
    }
    let double = fit(Data::dense(&simulated.x, 30, &simulated.y).unwrap());
    let gap = dense.iter().zip(&double).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(gap > 0.0 && gap < 1e-4, "within single precision: {gap:e}");
}

/// With all rows in the batch, every step is the deterministic proximal distance step: project, then minimise
/// F + (ρ/2)‖θ − z‖² by plain gradient descent, written out here.
#[test]
fn the_full_batch_is_the_deterministic_method_step_by_step() {
    let simulated = vector(Response::Linear, Truth::Sparse(2), 40, 5, 3).unwrap();
    let data = simulated.data().unwrap();
    let set = Sparsity::at_most(2);
    let rho = 0.7;
    let schedule = Constant::new(rho).unwrap();
    let solver = |sampler: Sampler| {
        let step = DistanceStep::new(&set, Box::new(Prox::new(&Squared)));
        ProximalDistance::of(step, &data, &schedule, sampler, vec![0.0; 5]).unwrap()
    };
    // Sampling all rows without replacement is the same batch in another order.
    let mut shuffled = solver(Sampler::new(Sampling::WithoutReplacement, 40, 40, 0));
    let mut solver = solver(Sampler::new(Sampling::FullBatch, 40, 1, 0));
    let mut theta = vec![0.0; 5];
    for step in 0..8 {
        solver.advance().unwrap();
        shuffled.advance().unwrap();
        let anchor = proxdist::constraint::projected(&set, &theta).unwrap();
        theta.copy_from_slice(&anchor);
        for _ in 0..2000 {
            let mut gradient: Vec<f64> = (0..5).map(|j| rho * (theta[j] - anchor[j])).collect();
            for (x, y) in simulated.x.chunks_exact(5).zip(&simulated.y) {
                let residual = x.iter().zip(&theta).map(|(x, t)| x * t).sum::<f64>() - y;
                gradient.iter_mut().zip(x).for_each(|(g, x)| *g += Squared.slope(residual, 0.0) * x / 40.0);
            }
            theta.iter_mut().zip(&gradient).for_each(|(t, g)| *t -= 0.3 * g);
        }
        for other in [solver.theta(), shuffled.theta()] {
            let gap = other.iter().zip(&theta).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-8, "step {step}: {gap:e}");
        }
    }
}

#[test]
fn an_observer_can_end_a_run_and_the_result_is_feasible() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Sparsity::at_most(3));
    let mut seen = 0;
    let mut observer = |_: &proxdist::trace::Progress| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let fit = problem.fit_observed(&Settings::default().rho1(0.1).check_every(5), &mut observer).unwrap();
    assert_eq!((fit.stop(), fit.steps(), fit.trace().len()), (proxdist::Stop::Interrupted, 10, 2));
    assert!(fit.support().len() <= 3);
}

/// A run that is ended and resumed, with a first penalty that was given and not found, is the run that was never ended.
#[test]
fn a_resumed_run_goes_on_with_the_penalty_it_was_given() {
    struct Keep(Option<proxdist::run::State>);
    impl proxdist::trace::Observer for Keep {
        fn checkpoint(&mut self, _: &proxdist::trace::Progress) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn snapshot(&mut self, state: &proxdist::run::State) {
            self.0 = Some(state.clone());
        }
    }
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Sparsity::at_most(3));
    let settings = |steps| Settings::default().rho1(0.05).polish(false).tolerance(1e-15).max_steps(steps);
    let whole = problem.fit(&settings(400)).unwrap();
    let mut keep = Keep(None);
    problem.fit_observed(&settings(100), &mut keep).unwrap();
    let kept = keep.0.unwrap();
    assert_eq!(kept.rho1(), Some(0.05));
    let resumed = problem.fit(&settings(400).resume(kept)).unwrap();
    assert_eq!(resumed.coefficients(), whole.coefficients());
    assert_eq!(resumed.model().schedule, whole.model().schedule);
}
