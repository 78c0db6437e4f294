//! A planted support is found, from the paper's generators.

use proxdist::constraint::Sparsity;
use proxdist::loss::{Huber, Logistic, Loss, Squared};
use proxdist::simulate::{Response, Truth, vector};
use proxdist::spec::SetSpec;
use proxdist::{Problem, Settings};

fn assert_recovers(response: Response, loss: impl Loss, nonzeros: usize, settings: &Settings) {
    for seed in 0..3 {
        let simulated = vector(response, Truth::Sparse(nonzeros), 2000, 200, seed).unwrap();
        let data = simulated.data().unwrap();
        let problem = Problem::new(&data, &loss, Sparsity::at_most(nonzeros));
        let fit = problem.fit(&settings.clone().seed(seed)).unwrap();
        let planted: Vec<usize> = (0..200).filter(|&j| simulated.truth[j] != 0.0).collect();
        assert_eq!(fit.support(), planted, "{response:?}, {nonzeros} nonzeros, seed {seed}");
    }
}

#[test]
fn linear_supports_of_5_and_20_are_recovered() {
    for nonzeros in [5, 20] {
        assert_recovers(Response::Linear, Squared, nonzeros, &Settings::default().rho1(0.1).batch_size(50));
    }
}

#[test]
fn linear_supports_are_recovered_without_any_setting() {
    assert_recovers(Response::Linear, Squared, 5, &Settings::default());
}

#[test]
fn a_logistic_support_of_5_is_recovered() {
    assert_recovers(Response::Logistic, Logistic, 5, &Settings::default().rho1(1e-3).batch_size(200));
}

#[test]
fn outliers_do_not_hide_the_support_from_huber_loss() {
    let loss = Huber::with_delta(2.0).unwrap();
    assert_recovers(Response::Huber, loss, 5, &Settings::default().rho1(0.1).batch_size(50));
}

/// At the truth the slopes are rounding, and so is every gradient: that is the end, not a failure.
#[test]
fn data_without_noise_are_explained_exactly() {
    for seed in 0..2 {
        let mut simulated = vector(Response::Linear, Truth::Sparse(5), 400, 30, seed).unwrap();
        let explained = |row: &[f64]| row.iter().zip(&simulated.truth).map(|(x, theta)| x * theta).sum::<f64>();
        simulated.y = simulated.x.chunks_exact(30).map(|row| 1.0 + explained(row)).collect();
        let data = simulated.data().unwrap().shape(6, 5).unwrap();
        for spec in ["none", "sparsity:5", "rank:5", "ball:1000"] {
            let set = spec.parse::<SetSpec>().unwrap().build(data.parameter_shape()).unwrap();
            let problem = Problem::new(&data, Squared, set).intercept(true);
            let fit = problem.fit(&Settings::default().seed(seed)).unwrap();
            assert!(fit.objective() < 1e-20, "{spec}, seed {seed}: {}", fit.objective());
        }
    }
}
