//! A planted support is found, from the paper's generators.

use proxdist::constraint::Sparsity;
use proxdist::loss::{Huber, Logistic, Loss, Squared};
use proxdist::simulate::{Response, Truth, vector};
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
