//! Many rows of indicators, which are searched without an iteration: the laws that hold for every search hold here, too.

use crate::constraint::Sparsity;
use crate::data::Data;
use crate::effort::Effort;
use crate::loss::Logistic;
use crate::problem::Problem;
use crate::simulate::{Response, Truth, vector};
use crate::solver::{Fit, Settings};

const ROWS: usize = 6000;
const COLUMNS: usize = 90;
const SIZE: usize = 4;

/// Indicators, one in six set, that a few of them explain.
fn simulated() -> (Vec<f64>, Vec<f64>) {
    let drawn = vector(Response::Logistic, Truth::Sparse(6), ROWS, COLUMNS, 4).unwrap();
    let x: Vec<f64> = drawn.x.iter().map(|x| f64::from(u8::from(*x > 1.0)) - 0.2).collect();
    (x, drawn.y)
}

fn fitted(data: &Data, settings: &Settings) -> Fit {
    let problem = Problem::new(data, Logistic, Sparsity::at_most(SIZE)).intercept(true).ridge(1e-4);
    problem.fit(settings).unwrap()
}

#[test]
fn searches_without_an_iteration_keep_the_laws_of_all_searches() {
    let (x, y) = simulated();
    let data = Data::dense(&x, COLUMNS, &y).unwrap();
    let quick = Settings::default().effort(Effort::Quick);
    let first = fitted(&data, &quick);
    assert_eq!(first.steps(), 0, "this is about searches that need no iteration");
    assert_eq!(first.coefficients().iter().filter(|x| **x != 0.0).count(), SIZE);
    // One seed, one result, by rows and by columns.
    let turned: Vec<f64> = (0..COLUMNS).flat_map(|j| x.iter().skip(j).step_by(COLUMNS).copied()).collect();
    let by_columns = fitted(&Data::column_major(&turned, &y).unwrap(), &quick);
    assert_eq!(first.objective().to_bits(), by_columns.objective().to_bits());
    assert_eq!(first.coefficients(), by_columns.coefficients());
    // More effort never ends higher, nor does any start.
    let normal = fitted(&data, &Settings::default());
    assert!(normal.objective() <= first.objective() + 1e-12);
    let mut start = vec![0.0; COLUMNS];
    [3, 30, 60, 80].iter().for_each(|&j| start[j] = 0.5);
    for start in [start, normal.coefficients().to_vec()] {
        let problem = Problem::new(&data, Logistic, Sparsity::at_most(SIZE)).intercept(true).ridge(1e-4);
        let mut theta = start.clone();
        theta.push(0.0);
        let before = problem.objective().value(&theta).unwrap();
        let warm = fitted(&data, &Settings::default().effort(Effort::Quick).start(start, 0.0));
        assert!(warm.objective() <= before, "{} {before}", warm.objective());
    }
    let warm = fitted(&data, &quick.start(normal.coefficients().to_vec(), normal.intercept().unwrap_or(0.0)));
    assert!(warm.objective() <= normal.objective() + 1e-12, "{} {}", warm.objective(), normal.objective());
}
