//! On convex problems the iteration ends where independent solvers do, within what the schedule permits.
//!
//! Quadratic programs are solved by the interior-point crate `clarabel`; ball-constrained logistic regression by Newton's method
//! inside a bisection for the multiplier, written here.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use faer::prelude::Solve as _;
use proxdist::constraint::{Ball, Bounds, Constraint, L1Ball, Monotone, Simplex};
use proxdist::loss::{Logistic, Squared};
use proxdist::sampling::Sampling;
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::{Problem, Settings};

const ROWS: usize = 200;
const COLUMNS: usize = 10;

fn simulated(response: Response) -> Simulated {
    vector(response, Truth::OutsideBall, ROWS, COLUMNS, 11).unwrap()
}

/// $\min \tfrac1{2n}\|y - X\theta\|^2$ subject to rows of constraints, by an interior-point method. `extra` variables may follow
/// the coefficients, for sets that are described with them.
fn interior_point(
    simulated: &Simulated,
    extra: usize,
    rows: &[Vec<f64>],
    bound: &[f64],
    cones: &[SupportedConeT<f64>],
) -> Vec<f64> {
    let size = COLUMNS + extra;
    let n = ROWS as f64;
    let mut p = vec![vec![0.0; size]; size];
    let mut q = vec![0.0; size];
    for (x, y) in simulated.x.chunks_exact(COLUMNS).zip(&simulated.y) {
        for i in 0..COLUMNS {
            q[i] -= x[i] * y / n;
            // Only the upper triangle is read.
            for j in i..COLUMNS {
                p[i][j] += x[i] * x[j] / n;
            }
        }
    }
    let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    let (p, a) = (CscMatrix::from(&p), CscMatrix::from(rows));
    let mut solver = DefaultSolver::new(&p, &q, &a, bound, cones, settings).unwrap();
    solver.solve();
    solver.solution.x[..COLUMNS].to_vec()
}

fn unit(size: usize, at: usize, value: f64) -> Vec<f64> {
    let mut row = vec![0.0; size];
    row[at] = value;
    row
}

/// Fits with all rows in every step, so that the penalty alone limits the precision, and compares coefficients.
fn assert_reaches(name: &str, simulated: &Simulated, set: impl Constraint + Clone, expected: &[f64]) {
    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Squared, set.clone());
    let settings = Settings::default().rho1(0.01).max_steps(20_000).tolerance(1e-300);
    let settings = settings.sampling(Sampling::FullBatch).check_every(1000);
    let fit = problem.fit(&settings).unwrap();
    let gap = largest_difference(fit.coefficients(), expected);
    // The penalty ends at 200: it leaves a bias of about ‖∇F‖/200, with ‖∇F‖ below one here.
    assert!(gap < 5e-3, "{name}, full batch: {gap:e}");

    let settings = Settings::default().rho1(0.1).batch_size(40).max_steps(20_000).tolerance(1e-300).seed(5);
    let fit = Problem::new(&data, Squared, set).fit(&settings).unwrap();
    let gap = largest_difference(fit.coefficients(), expected);
    assert!(gap < 2e-2, "{name}, batches of 40: {gap:e}");
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn least_squares_in_a_ball_ends_where_the_interior_point_method_does() {
    let simulated = simulated(Response::Linear);
    let mut rows = vec![vec![0.0; COLUMNS]];
    rows.extend((0..COLUMNS).map(|j| unit(COLUMNS, j, -1.0)));
    let bound: Vec<f64> = std::iter::once(1.0).chain(std::iter::repeat_n(0.0, COLUMNS)).collect();
    let expected = interior_point(&simulated, 0, &rows, &bound, &[SupportedConeT::SecondOrderConeT(COLUMNS + 1)]);
    assert!((expected.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-6, "the ball should bind");
    assert_reaches("ball", &simulated, Ball::radius(1.0).unwrap(), &expected);
}

#[test]
fn least_squares_in_a_box_ends_where_the_interior_point_method_does() {
    let simulated = simulated(Response::Linear);
    let (lower, upper) = (-0.5, 0.4);
    let rows: Vec<Vec<f64>> =
        (0..COLUMNS).map(|j| unit(COLUMNS, j, 1.0)).chain((0..COLUMNS).map(|j| unit(COLUMNS, j, -1.0))).collect();
    let bound: Vec<f64> = std::iter::repeat_n(upper, COLUMNS).chain(std::iter::repeat_n(-lower, COLUMNS)).collect();
    let expected = interior_point(&simulated, 0, &rows, &bound, &[SupportedConeT::NonnegativeConeT(2 * COLUMNS)]);
    assert_reaches("box", &simulated, Bounds::between(lower, upper).unwrap(), &expected);
}

#[test]
fn least_squares_on_the_simplex_ends_where_the_interior_point_method_does() {
    let simulated = simulated(Response::Linear);
    let mut rows = vec![vec![1.0; COLUMNS]];
    rows.extend((0..COLUMNS).map(|j| unit(COLUMNS, j, -1.0)));
    let bound: Vec<f64> = std::iter::once(1.0).chain(std::iter::repeat_n(0.0, COLUMNS)).collect();
    let cones = [SupportedConeT::ZeroConeT(1), SupportedConeT::NonnegativeConeT(COLUMNS)];
    let expected = interior_point(&simulated, 0, &rows, &bound, &cones);
    assert_reaches("simplex", &simulated, Simplex::default(), &expected);
}

#[test]
fn least_squares_in_an_l1_ball_ends_where_the_interior_point_method_does() {
    let simulated = simulated(Response::Linear);
    // |θ| ≤ u with extra variables u, and Σu ≤ 2.
    let size = 2 * COLUMNS;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for j in 0..COLUMNS {
        for sign in [1.0, -1.0] {
            let mut row = unit(size, j, sign);
            row[COLUMNS + j] = -1.0;
            rows.push(row);
        }
    }
    rows.push((0..size).map(|j| if j < COLUMNS { 0.0 } else { 1.0 }).collect());
    let mut bound = vec![0.0; 2 * COLUMNS];
    bound.push(2.0);
    let cones = [SupportedConeT::NonnegativeConeT(2 * COLUMNS + 1)];
    let expected = interior_point(&simulated, COLUMNS, &rows, &bound, &cones);
    assert_reaches("l1", &simulated, L1Ball::radius(2.0).unwrap(), &expected);
}

#[test]
fn monotone_least_squares_ends_where_the_interior_point_method_does() {
    let simulated = simulated(Response::Linear);
    let rows: Vec<Vec<f64>> = (1..COLUMNS)
        .map(|j| {
            let mut row = unit(COLUMNS, j, -1.0);
            row[j - 1] = 1.0;
            row
        })
        .collect();
    let cones = [SupportedConeT::NonnegativeConeT(COLUMNS - 1)];
    let expected = interior_point(&simulated, 0, &rows, &[0.0; COLUMNS - 1], &cones);
    assert_reaches("monotone", &simulated, Monotone::increasing(), &expected);
}

/// The minimiser of F + (ν/2)‖θ‖² for logistic loss by Newton's method.
fn penalised_logistic(simulated: &Simulated, multiplier: f64) -> Vec<f64> {
    let n = ROWS as f64;
    let mut theta = vec![0.0; COLUMNS];
    for _ in 0..100 {
        let mut gradient = faer::Mat::from_fn(COLUMNS, 1, |j, _| multiplier * theta[j]);
        let mut hessian = faer::Mat::from_fn(COLUMNS, COLUMNS, |i, j| if i == j { multiplier } else { 0.0 });
        for (x, y) in simulated.x.chunks_exact(COLUMNS).zip(&simulated.y) {
            let eta: f64 = x.iter().zip(&theta).map(|(x, t)| x * t).sum();
            let mean = 1.0 / (1.0 + (-eta).exp());
            for i in 0..COLUMNS {
                gradient[(i, 0)] += (mean - y) * x[i] / n;
                for j in 0..COLUMNS {
                    hessian[(i, j)] += mean * (1.0 - mean) * x[i] * x[j] / n;
                }
            }
        }
        let step = hessian.partial_piv_lu().solve(&gradient);
        theta.iter_mut().enumerate().for_each(|(j, t)| *t -= step[(j, 0)]);
    }
    theta
}

#[test]
fn ball_constrained_logistic_regression_ends_at_the_multiplier_solution() {
    let simulated = simulated(Response::Logistic);
    let norm = |theta: &[f64]| theta.iter().map(|v| v * v).sum::<f64>().sqrt();
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if norm(&penalised_logistic(&simulated, middle)) > 1.0 { low = middle } else { high = middle }
    }
    let expected = penalised_logistic(&simulated, high);
    assert!((norm(&expected) - 1.0).abs() < 1e-9, "the ball should bind");

    let data = simulated.data().unwrap();
    let problem = Problem::new(&data, Logistic, Ball::radius(1.0).unwrap());
    let settings = Settings::default().rho1(1e-3).max_steps(5_000).tolerance(1e-300).check_every(1000);
    let fit = problem.fit(&settings.clone().sampling(Sampling::FullBatch)).unwrap();
    assert!(largest_difference(fit.coefficients(), &expected) < 1e-3);
    let fit = problem.fit(&settings.batch_size(50).max_steps(20_000)).unwrap();
    assert!(largest_difference(fit.coefficients(), &expected) < 3e-2);
}
