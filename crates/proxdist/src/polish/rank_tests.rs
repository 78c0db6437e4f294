//! Laws of the finish over low-rank matrices, for both ways to its directions.

use super::descent::distance;
use super::rank::{LowRank, Model};
use super::rank_cg::{MatrixFree, Tangent};
use super::rank_place::{Place, Task};
use super::rank_testing::{Made, TOLERANCE, finish, for_start, losses, low_rank, obeys_the_laws, set_of};
use super::testing::numbers;
use crate::constraint::{Ball, ConeInBall, Constraint, Rank, Structure, projected};
use crate::data::Data;
use crate::linalg::{dot, norm};
use crate::loss::{Logistic, Loss, Squared, SquaredHinge};
use crate::objective::Objective;
use crate::ridge::Ridge;

#[test]
fn every_loss_ends_stationary_from_any_start() {
    for (number, loss) in losses().iter().enumerate() {
        for seed in [20, 30] {
            let made = Made::new((6, 5), 2, 240, 1.0, seed).for_loss(loss);
            let plain = made.data();
            let weighted = made.data().weights(&made.weights).unwrap().offset(&made.offset).unwrap();
            for (rank, start_rank) in [(1, 1), (2, 2), (2, 0), (3, 1), (5, 5)] {
                for free in [false, true] {
                    let start = projected(&Rank::at_most(start_rank, 6, 5), &numbers(30, seed + 9)).unwrap();
                    let (data, ridge) = if rank % 2 == 0 { (&plain, 0.0) } else { (&weighted, 0.01) };
                    let objective = Objective::new(data, loss, ridge);
                    let start = if number % 2 == 0 { [start, vec![0.1]].concat() } else { start };
                    obeys_the_laws(&loss.spec(), free, objective, low_rank(rank, (6, 5)), &start);
                }
            }
        }
    }
}

#[test]
fn products_are_the_second_derivatives_along_the_set() {
    let made = Made::new((5, 4), 2, 80, 1.0, 60).for_loss(&Logistic);
    let data = made.data();
    let squares: Vec<f64> = numbers(20, 9).iter().map(|x| x * x).collect();
    let objective = Objective::new(&data, &Logistic, Ridge::on_effects(0.1, &squares));
    let mut theta: Vec<f64> = made.truth.iter().zip(numbers(20, 8)).map(|(t, e)| 0.3 * t + 0.3 * e).collect();
    let set = low_rank(2, (5, 4));
    set.project(&mut theta).unwrap();
    let at = Place::new(Task::new(objective, set).unwrap(), theta.clone(), false, 0.0).unwrap();
    let mut model = MatrixFree::new(objective);
    // The model linearises when it is first asked for a direction.
    let _ = model.direction(&at, true, 0.0).unwrap();
    let tangent = Tangent::new(&at, true, 0.0);
    for seed in 0..5 {
        let d = at.factors.tangent(&numbers(20, 300 + seed));
        let (image, _) = model.product(&at, &tangent, &d).unwrap();
        // Along the factors and along the nearest points.
        for way in [0, 2] {
            let along = |t: f64| objective.value(&at.ends(&d, t).nth(way).unwrap().unwrap()).unwrap();
            let h = 1e-3;
            let (above, here, below) = (along(h), along(0.0), along(-h));
            let (slope, bend) = ((above - below) / (2.0 * h), (above - 2.0 * here + below) / (h * h));
            assert!((slope - dot(&at.pull, &d)).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {}", dot(&at.pull, &d));
            assert!((bend - dot(&d, &image)).abs() < 1e-4 * (1.0 + bend.abs()), "{bend} {}", dot(&d, &image));
        }
    }
}

#[test]
fn both_ways_end_at_the_same_point() {
    for loss in losses() {
        let made = Made::new((6, 5), 2, 300, 0.7, 80).for_loss(&loss);
        let data = made.data();
        let objective = Objective::new(&data, &loss, 0.0);
        let mut start = made.truth.clone();
        start.push(0.5);
        let (_, a) = obeys_the_laws(&loss.spec(), false, objective, low_rank(2, (6, 5)), &start);
        let (_, b) = obeys_the_laws(&loss.spec(), true, objective, low_rank(2, (6, 5)), &start);
        assert!(distance(&a, &b) < 1e-6 * norm(&a), "{}: {:e}", loss.spec(), distance(&a, &b));
    }
}

/// The gradient in units in which every entry of the rows has the same size, along the set as it is in these units.
#[test]
fn raw_units_over_five_decades_are_no_obstacle() {
    for loss in [&Squared as &dyn Loss, &Logistic] {
        for by_row in [false, true] {
            for free in [false, true] {
                let (p, q) = (6, 5);
                let mut made = Made::new((p, q), 2, 400, 1.0, 110).for_loss(loss);
                let scales = numbers(30, 111);
                let unit = |at: usize| {
                    let exponent = if by_row { scales[at / q] + scales[10 + at % q] } else { 2.0 * scales[at] };
                    10.0_f64.powf(1.25 * exponent)
                };
                made.x.iter_mut().enumerate().for_each(|(at, x)| *x = (*x + 0.5) * unit(at % 30));
                let data = made.data();
                let objective = Objective::new(&data, loss, 0.0).intercept(true);
                let set = low_rank(2, (p, q));
                let start = vec![0.0; 31];
                let (report, theta) = obeys_the_laws("units", free, objective, set, &start);
                let at = Place::new(Task::new(objective, set).unwrap(), theta, false, 0.0).unwrap();
                let left = (at.decrement / report.value).sqrt();
                assert!(left <= 1e-8, "{} {by_row} {free}: {left:e} after {}", loss.spec(), report.iterations);
            }
        }
    }
}

#[test]
fn special_cases_end_sensibly() {
    for free in [false, true] {
        let made = Made::new((6, 5), 1, 100, 0.0, 50);
        let data = made.data();
        let objective = Objective::new(&data, &Squared, 0.0);
        // No noise: the truth has a lower rank than allowed.
        for rank in [1, 2, 3] {
            let mut theta = [numbers(30, 51), vec![0.0]].concat();
            let report = finish(free, objective, low_rank(rank, (6, 5)), &mut theta, TOLERANCE);
            let gap = distance(&theta[..30], &made.truth);
            assert!(gap < 1e-7, "rank {rank} {free}: {gap:e} {} {}", report.value, report.iterations);
        }
        // Every matrix is allowed: least squares, from which one more Newton step leads nowhere.
        let noisy = Made::new((6, 5), 3, 100, 1.0, 52);
        let data = noisy.data();
        let objective = Objective::new(&data, &Squared, 0.0).intercept(true);
        let (_, theta) = obeys_the_laws("full", free, objective, low_rank(5, (6, 5)), &[0.0; 31]);
        let mut gradient = vec![0.0; 31];
        objective.gradient(&theta, &mut gradient).unwrap();
        assert!(norm(&gradient) < 1e-8);
        // Nothing is allowed but the intercept: the mean of the response.
        let mut theta = vec![1.0; 31];
        finish(free, objective, low_rank(0, (6, 5)), &mut theta, 1e-12);
        assert!(theta[..30].iter().all(|x| *x == 0.0));
        assert!((theta[30] - noisy.y.iter().sum::<f64>() / 100.0).abs() < 1e-12);
        let mut theta = vec![1.0; 30];
        let ball = LowRank { radius: Some(0.0), ..low_rank(2, (6, 5)) };
        finish(free, objective, ball, &mut theta, 1e-12);
        assert!(theta.iter().all(|x| *x == 0.0));
        // A response of zeros: so is the matrix.
        let zeros = vec![0.0; 100];
        let data = Data::dense(&noisy.x, 30, &zeros).unwrap();
        let mut theta = numbers(30, 53);
        finish(free, Objective::new(&data, &Squared, 0.0), low_rank(2, (6, 5)), &mut theta, TOLERANCE);
        assert!(norm(&theta) < 1e-9, "{free}: {:e}", norm(&theta));
        // Fewer rows than unknowns: a perfect fit.
        let few = Made::new((6, 5), 2, 12, 1.0, 54);
        let data = few.data();
        let mut theta = [numbers(30, 55), vec![0.0]].concat();
        let report = finish(free, Objective::new(&data, &Squared, 0.0), low_rank(2, (6, 5)), &mut theta, TOLERANCE);
        assert!(report.value < 1e-18, "{free}: {}", report.value);
        // Classes that a matrix separates: F has no minimum, and a finite point is returned.
        let classes = Made::new((6, 5), 1, 40, 0.0, 56);
        let y: Vec<f64> = classes.y.iter().map(|y| f64::from(u8::from(*y > 0.0))).collect();
        let data = Data::dense(&classes.x, 30, &y).unwrap();
        let mut theta = vec![0.0; 31];
        let report = finish(free, Objective::new(&data, &Logistic, 0.0), low_rank(1, (6, 5)), &mut theta, TOLERANCE);
        assert!(report.value < 1e-8 && norm(&theta).is_finite(), "{free}: {}", report.value);
    }
}

#[test]
fn sparse_rows_give_the_same_result() {
    let made = Made::new((6, 5), 2, 100, 1.0, 50);
    let data = made.data();
    let (starts, indices): (Vec<usize>, Vec<u32>) =
        ((0..=100).map(|i| 30 * i).collect(), (0..100).flat_map(|_| 0..30).collect());
    let sparse = Data::sparse(&starts, &indices, &made.x, 30, &made.y).unwrap();
    for free in [false, true] {
        let (mut a, mut b) = (made.truth.clone(), made.truth.clone());
        finish(free, Objective::new(&data, &Squared, 0.0), low_rank(2, (6, 5)), &mut a, 1e-12);
        finish(free, Objective::new(&sparse, &Squared, 0.0), low_rank(2, (6, 5)), &mut b, 1e-12);
        assert!(distance(&a, &b) < 1e-10);
    }
}

#[test]
fn a_cone_in_a_ball_keeps_its_rank() {
    let set = ConeInBall::new(Rank::at_most(2, 4, 3), 1.5).unwrap();
    let Structure::Rank { rank: 2, rows: 4, columns: 3, radius: Some(radius) } = set.structure() else {
        panic!("rank")
    };
    assert_eq!(radius, 1.5);
    assert!(Ball::radius(1.5).is_ok());
}

/// Whatever the units, weights, losses and balls: in the set, F not raised, and the report says how far from stationary the end is.
#[test]
fn random_problems_end_in_the_set_with_true_reports() {
    let mut finished = 0;
    for seed in 0..60 {
        let chance = numbers(16, 9000 + seed);
        let pick = |k: usize, count: usize| ((0.5 + 0.5 * chance[k]) * count as f64) as usize % count;
        let shape = (1 + pick(0, 7), 1 + pick(1, 7));
        let (size, most) = (shape.0 * shape.1, shape.0.min(shape.1));
        let loss = &losses()[pick(2, 5)];
        let rows = 10 + pick(5, 4 * size + 40);
        let noise = [0.1, 1.0, 3.0][pick(6, 3)];
        let mut made = Made::new(shape, 1 + pick(4, most), rows, noise, 20_000 + 10 * seed).for_loss(loss);
        let (spread, shift) = ([0.0, 0.0, 1.25, 2.5][pick(7, 4)], [0.0, 3.0][pick(8, 2)]);
        let units: Vec<f64> = numbers(size, 31 + seed).iter().map(|s| 10.0_f64.powf(spread * s)).collect();
        made.x.iter_mut().enumerate().for_each(|(at, x)| *x = (*x + shift) * units[at % size]);
        made.weights.iter_mut().step_by(5).for_each(|w| *w = 0.0);
        let mut data = made.data();
        if pick(9, 2) == 1 {
            data = data.weights(&made.weights).unwrap();
        }
        let objective = Objective::new(&data, loss, [0.0, 0.0, 1e-3][pick(10, 3)]);
        let size_of_start = [0.0, 0.3][pick(12, 2)];
        let mut start: Vec<f64> =
            numbers(size, 55 + seed).iter().zip(&units).map(|(t, u)| size_of_start * t / u).collect();
        start.extend((pick(11, 2) == 1).then_some(0.0));
        let radius = [None, None, Some(0.1), Some(2.0)][pick(13, 4)];
        let set = LowRank { radius, ..low_rank(1 + pick(3, most), shape) };
        set.project(&mut start[..size]).unwrap();
        let objective = for_start(objective, set, &start);
        let before = objective.value(&start).unwrap();
        for free in [false, true] {
            let mut theta = start.clone();
            let report = finish(free, objective, set, &mut theta, TOLERANCE);
            let nearest = projected(&set_of(set), &theta[..size]).unwrap();
            assert!(distance(&nearest, &theta[..size]) <= 1e-12 * norm(&nearest), "{seed}");
            assert!(objective.value(&theta).unwrap() <= before + 1e-13 * before.abs(), "{seed}");
            let at = Place::new(Task::new(objective, set).unwrap(), theta, false, 0.0).unwrap();
            assert!((at.stationarity() - report.stationarity).abs() <= 0.01 * at.stationarity() + 1e-9, "{seed}");
            finished += usize::from(at.is_finished(10.0 * TOLERANCE));
        }
    }
    assert!(finished >= 105, "{finished} of 120");
}

/// At a saddle the gradient along the set vanishes, too: $\tfrac12\sum h_{ij}(\theta_{ij} - m_{ij})^2$ with $M = \mathrm{diag}(3, 2)$ at $\mathrm{diag}(0, 2)$, where the bend $-3/2$ beats the curvature 1.
#[test]
fn a_saddle_is_left() {
    let roots = [1.0, 1.0, 1.0, 10.0_f64.sqrt()];
    let mut x = vec![0.0; 16];
    (0..4).for_each(|k| x[5 * k] = roots[k]);
    let y = [3.0, 0.0, 0.0, 2.0 * roots[3]];
    let data = Data::dense(&x, 4, &y).unwrap();
    let objective = Objective::new(&data, &Squared, 0.0);
    let set = low_rank(1, (2, 2));
    let saddle = vec![0.0, 0.0, 0.0, 2.0];
    let at = Place::new(Task::new(objective, set).unwrap(), saddle.clone(), false, 0.0).unwrap();
    assert!(at.is_finished(TOLERANCE) && at.weakness().unwrap().is_none());
    let (report, theta) = obeys_the_laws("saddle", false, objective, set, &saddle);
    assert!(report.value < 0.99 * at.now.value, "{} {theta:?}", report.value);
    assert_no_way_down(objective, set, &theta);
}

/// Small moves along the set in many directions do not lower F, beyond what the last digits of a gradient are worth.
fn assert_no_way_down(objective: Objective, set: LowRank, theta: &[f64]) {
    let value = objective.value(theta).unwrap();
    let length = norm(set.layout().coefficients(theta));
    for direction in 0..40 {
        let away = numbers(theta.len(), 9000 + direction);
        let mut moved: Vec<f64> = theta.iter().zip(&away).map(|(x, d)| x + 0.01 * length * d).collect();
        set.project(set.layout().coefficients_mut(&mut moved)).unwrap();
        let lower = (value - objective.value(&moved).unwrap()) / value;
        assert!(lower <= 1e-9, "{set:?}: {lower:e} lower");
    }
}

#[test]
fn small_matrices_in_a_ball_end_at_a_minimum_of_their_neighbourhood() {
    for seed in 0..400 {
        let loss: &dyn Loss = if seed % 2 == 0 { &SquaredHinge } else { &Squared };
        let made = Made::new((2, 2), 2, 25, 3.0, 700 + 10 * seed).for_loss(loss);
        let data = made.data();
        let set = LowRank { radius: (seed % 3 > 0).then_some(0.3), ..low_rank(1, (2, 2)) };
        let start = [projected(&Rank::at_most(1, 2, 2), &numbers(4, seed)).unwrap(), vec![0.0]].concat();
        let objective = Objective::new(&data, loss, 0.0).intercept(true);
        let (report, theta) = obeys_the_laws(&seed.to_string(), false, objective, set, &start);
        assert!(report.stationarity <= 2e-8, "{seed}: {}", report.stationarity);
        assert_no_way_down(objective, set, &theta);
    }
}
