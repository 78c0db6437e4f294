//! How the methods are related: where the paper says that two are the same, they are, and a rate that is too large has a name.

use proxdist::constraint::{Constraint, Sparsity, WholeSpace};
use proxdist::loss::{Logistic, Loss, Squared};
use proxdist::sampling::{Sampler, Sampling};
use proxdist::schedule::Polynomial;
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::solver::{Iteration, Solver, catalogue};
use proxdist::{Data, Method, Problem, Settings, Stop};

fn simulated(response: Response) -> Simulated {
    vector(response, Truth::Sparse(4), 600, 30, 1).unwrap()
}

fn method(name: &str) -> Method {
    name.parse().unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Iterates after each of 40 steps of batches of 16.
fn iterates<'a>(problem: &Problem<'a>, data: &'a Data<'a>, name: &str, rho1: f64) -> Vec<Vec<f64>> {
    let schedule = Polynomial::new(rho1, 0.8).unwrap();
    let sampler = Sampler::new(Sampling::WithoutReplacement, data.rows(), 16, 5);
    let theta = vec![0.0; data.columns() + usize::from(problem.has_intercept())];
    let method = method(name);
    let mut solver = Iteration::of(method.step(problem), data, &schedule, sampler, theta).unwrap();
    let step = |_| {
        solver.advance().unwrap();
        solver.theta().to_vec()
    };
    (0..40).map(step).collect()
}

fn assert_same_bits(left: &[Vec<f64>], right: &[Vec<f64>]) {
    for (step, (left, right)) in left.iter().zip(right).enumerate() {
        assert_eq!(bits(left), bits(right), "step {}", step + 1);
    }
    assert!(left.last().unwrap().iter().any(|v| *v != 0.0));
}

/// The problem with weights, offset, intercept and ridge.
fn full_problem<'a>(data: &'a Data<'a>, loss: &'a dyn Loss, set: &'a dyn Constraint) -> Problem<'a> {
    Problem::new(data, loss, set).intercept(true).ridge(0.01)
}

#[test]
fn spd_and_psgd_on_the_whole_space_are_isgd_and_sgd() {
    for (response, loss) in [(Response::Linear, &Squared as &dyn Loss), (Response::Logistic, &Logistic)] {
        let simulated = simulated(response);
        let weights: Vec<f64> = (0..600).map(|i| f64::from(i % 3)).collect();
        let offset: Vec<f64> = (0..600).map(|i| f64::from(i % 7) * 0.1).collect();
        let data = simulated.data().unwrap().weights(&weights).unwrap().offset(&offset).unwrap();
        let problem = full_problem(&data, loss, &WholeSpace);
        let run = |name| iterates(&problem, &data, name, 40.0);
        assert_same_bits(&run("spd"), &run("isgd"));
        assert_same_bits(&run("psgd"), &run("sgd"));
    }
}

/// $\theta_k = \theta_{k-1} - \nabla f_B/\rho_k$, with the gradient at the old point or at the new one: computed here from scratch.
#[test]
fn sgd_takes_the_gradient_where_it_is_and_isgd_where_it_goes() {
    let simulated = simulated(Response::Logistic);
    let data = simulated.data().unwrap();
    let problem = full_problem(&data, &Logistic, &WholeSpace);
    let gradient = |rows: &[usize], theta: &[f64]| {
        let mut gradient = vec![0.0; 31];
        for &row in rows {
            let x = &simulated.x[30 * row..30 * row + 30];
            let eta = x.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>() + theta[30];
            let slope = Logistic.slope(eta, simulated.y[row]) / rows.len() as f64;
            gradient.iter_mut().zip(x.iter().chain([&1.0])).for_each(|(g, x)| *g += slope * x);
        }
        (0..30).for_each(|j| gradient[j] += 0.01 * theta[j]);
        gradient
    };
    let mut sampler = Sampler::new(Sampling::WithoutReplacement, 600, 16, 5);
    for (name, is_implicit) in [("sgd", false), ("isgd", true)] {
        let mut old = vec![0.0; 31];
        for (step, new) in (1_u64..).zip(iterates(&problem, &data, name, 2.0)) {
            let mut rows = Vec::new();
            sampler.draw(step, &mut rows);
            let rho = 2.0 * (step as f64).powf(0.8);
            let gradient = gradient(&rows, if is_implicit { &new } else { &old });
            for j in 0..31 {
                assert!((new[j] - old[j] + gradient[j] / rho).abs() < 1e-9, "{name}, step {step}, coordinate {j}");
            }
            old = new;
        }
    }
}

#[test]
fn every_iterate_of_psgd_lies_in_the_set() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Sparsity::at_most(4));
    for theta in iterates(&problem, &data, "psgd", 40.0) {
        assert!(theta.iter().filter(|v| **v != 0.0).count() <= 4);
    }
}

/// A first learning rate of a thousand over the largest curvature.
#[test]
fn too_large_a_rate_makes_explicit_methods_diverge_by_name_and_leaves_implicit_ones_bounded() {
    let simulated = simulated(Response::Linear);
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, Sparsity::at_most(4)).intercept(true);
    let at_zero = problem.objective().value(&[0.0; 31]).unwrap();
    for name in ["sgd", "psgd", "spd", "isgd"] {
        let settings = Settings::default().method(method(name)).rho1(1e-3).max_steps(2000).polish(false);
        let fit = problem.fit(&settings).unwrap();
        let is_explicit = name.ends_with("sgd") && name != "isgd";
        assert_eq!(fit.stop() == Stop::Diverged, is_explicit, "{name}: {}", fit.stop());
        assert!(fit.coefficients().iter().all(|v| v.is_finite()) && fit.support().len() <= 4);
        assert!(fit.objective() <= at_zero, "{name}: {} above {at_zero}", fit.objective());
        assert!(fit.trace().iter().all(|progress| progress.objective.is_finite()));
        if is_explicit {
            let polished = problem.fit(&settings.polish(true)).unwrap();
            assert_eq!(polished.stop(), Stop::Diverged, "a run that diverged is not finished");
        }
    }
}

/// The race tries rates until one is small enough, so that explicit methods too need nothing from the user.
#[test]
fn the_race_finds_a_rate_for_every_method() {
    for (response, loss) in [(Response::Linear, &Squared as &dyn Loss), (Response::Logistic, &Logistic)] {
        let simulated = simulated(response);
        let data = simulated.data().unwrap();
        let problem = Problem::new(&data, loss, Sparsity::at_most(4)).intercept(true);
        let best = problem.fit(&Settings::default()).unwrap().objective();
        let at_zero = problem.objective().value(&[0.0; 31]).unwrap();
        for entry in catalogue() {
            let settings = Settings::default().method(method(entry.name)).max_steps(1500).polish(false).seed(3);
            let fit = problem.fit(&settings).unwrap();
            let gap = (fit.objective() - best) / (at_zero - best);
            // Methods that do not see the set need not come close to the best point in it.
            let limit = if entry.name.len() <= 4 && entry.name.ends_with("sgd") { 0.2 } else { 0.1 };
            assert!(gap < limit, "{}, {}: {gap}", entry.name, loss.spec());
            assert_eq!(fit.model().method, entry.name);
            let again = problem.fit(&settings.threads(2)).unwrap();
            assert_eq!(bits(fit.coefficients()), bits(again.coefficients()), "one seed, one result");
        }
    }
}

#[test]
fn methods_read_back_as_they_are_written() {
    for entry in catalogue() {
        assert_eq!(method(entry.name).to_string(), entry.name);
        assert!(entry.syntax.starts_with(entry.name));
    }
    let texts = [
        "pd:momentum=yes;tolerance=0.001",
        "incremental:g=ridge;order=gradient-first;between=projected",
        "incremental:g=huber:2",
        "spg:l1=0.1",
        "spg:l2=2",
        "prm:steps=30",
        "cspp:tolerance=0.01",
    ];
    for text in texts {
        assert_eq!(method(text).to_string(), text);
        assert_eq!(method(&text.replace(';', " ; ").replace('=', " = ")).to_string(), text);
    }
    let usual = "incremental:order=prox-first;between=free;g=none";
    assert_eq!(method(usual).to_string(), "incremental");
}

#[test]
fn a_method_that_cannot_be_read_says_what_and_where() {
    let cases: [(&str, &[&str]); 8] = [
        ("adam", &["adam", "spd, pd, psgd"]),
        ("spd:x=1", &["\"x\"", "character 5", "no such option"]),
        ("pd:momentum=maybe", &["maybe", "no or yes"]),
        ("pd:momentum", &["key=value"]),
        ("prm:steps=0", &["\"0\"", "whole number from 1"]),
        ("cspp:tolerance=-1", &["-1", "positive"]),
        ("spg:l1=1;l2=1", &["l1 or l2, not both"]),
        ("incremental:g=cubic", &["cubic", "none, ridge or a loss"]),
    ];
    for (text, pieces) in cases {
        let error = text.parse::<Method>().unwrap_err().to_string();
        assert!(pieces.iter().all(|piece| error.contains(piece)), "{text}: {error}");
    }
}
