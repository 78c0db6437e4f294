//! The finish over low-rank matrices beside other ways to the same end: alternating least squares, truncated decompositions, descents in a ball.

use super::descent::distance;
use super::rank::LowRank;
use super::rank_testing::{Made, finish, losses, low_rank, obeys_the_laws};
use super::testing::numbers;
use crate::constraint::{Rank, projected};
use crate::data::Data;
use crate::linalg::{Cholesky, axpy, norm};
use crate::loss::{Loss, Squared};
use crate::objective::Objective;
use crate::ridge::Ridge;

/// Least squares of one factor for the other fixed, over and over; the intercept joins both.
fn alternating(objective: Objective, set: LowRank, start: &[f64], rounds: usize) -> Vec<f64> {
    let LowRank { rank, rows: p, columns: q, .. } = set;
    let has_intercept = start.len() > p * q;
    let mut theta = start.to_vec();
    let (mut left, mut right) = (numbers(p * rank, 5), numbers(q * rank, 6));
    // The factors of the start: its columns' span from products with the random right factor.
    for i in 0..p {
        for k in 0..rank {
            left[i * rank + k] = (0..q).map(|j| theta[i * q + j] * right[j * rank + k]).sum::<f64>();
        }
    }
    let data = objective.data;
    let x = data.random_access().unwrap().borrow().unwrap();
    for round in 0..rounds {
        let on_left = round % 2 == 1;
        let width = rank * if on_left { p } else { q };
        let size = width + usize::from(has_intercept);
        let (mut matrix, mut solution) = (vec![0.0; size * size], vec![0.0; size]);
        for row in 0..data.rows() {
            let mut features = vec![0.0; size];
            for (at, x) in x.row(row) {
                let (i, j) = (at / q, at % q);
                for k in 0..rank {
                    if on_left {
                        features[i * rank + k] += x * right[j * rank + k];
                    } else {
                        features[j * rank + k] += x * left[i * rank + k];
                    }
                }
            }
            features[width..].fill(1.0);
            let weight = data.weight(row) / data.weight_sum();
            axpy(weight * (data.response()[row] - data.offset_of(row)), &features, &mut solution);
            (0..size).for_each(|k| axpy(weight * features[k], &features, &mut matrix[k * size..(k + 1) * size]));
        }
        // The ridge term is the sum of λᵢⱼ(LRᵀ)ᵢⱼ², a quadratic form of either factor.
        let fixed = if on_left { &right } else { &left };
        for block in 0..width / rank {
            for k in 0..rank {
                for l in 0..rank {
                    let entry = |other: usize| if on_left { block * q + other } else { other * q + block };
                    let rows = fixed.chunks_exact(rank).enumerate();
                    let product: f64 = rows.map(|(i, row)| objective.ridge.at(entry(i)) * row[k] * row[l]).sum();
                    matrix[(block * rank + k) * size + block * rank + l] += product;
                }
            }
        }
        (0..size).for_each(|k| matrix[k * size + k] *= 1.0 + 1e-13);
        let mut cholesky = Cholesky::default();
        cholesky.matrix(size).copy_from_slice(&matrix);
        assert!(cholesky.factor());
        cholesky.solve(&mut solution);
        if on_left {
            left.copy_from_slice(&solution[..width]);
        } else {
            right.copy_from_slice(&solution[..width]);
        }
        if has_intercept {
            theta[p * q] = solution[width];
        }
    }
    for i in 0..p {
        for j in 0..q {
            theta[i * q + j] = (0..rank).map(|k| left[i * rank + k] * right[j * rank + k]).sum();
        }
    }
    theta
}

#[test]
fn least_squares_ends_where_alternation_does() {
    let squares: Vec<f64> = numbers(30, 9).iter().map(|x| 1.0 + x * x).collect();
    let (none, even, uneven) = (Ridge::default(), Ridge::from(0.05), Ridge::on_effects(0.1, &squares));
    for (rank, has_intercept, ridge) in
        [(1, false, none), (2, false, none), (1, true, none), (2, true, even), (1, false, uneven), (2, true, uneven)]
    {
        let made = Made::new((6, 5), rank, 150, 1.0, 10 + rank as u64);
        let mut data = made.data();
        if has_intercept {
            data = data.weights(&made.weights).unwrap().offset(&made.offset).unwrap();
        }
        let objective = Objective::new(&data, &Squared, ridge);
        let mut start: Vec<f64> = made.truth.iter().zip(numbers(30, 3)).map(|(t, e)| t + 0.2 * e).collect();
        start.extend(has_intercept.then_some(0.0));
        let set = low_rank(rank, (6, 5));
        set.project(&mut start[..30]).unwrap();
        let expected = alternating(objective, set, &start, 600);
        for free in [false, true] {
            let mut found = start.clone();
            let report = finish(free, objective, set, &mut found, 1e-10);
            let gap = distance(&found, &expected);
            assert!(gap < 1e-7, "rank {rank}: {gap:e} after {} steps", report.iterations);
            assert!(report.iterations <= 10, "{}", report.iterations);
        }
    }
}

#[test]
fn small_well_posed_problems_end_at_the_best_of_many_alternations() {
    for seed in 0..6 {
        for rank in [1, 2] {
            let made = Made::new((3, 3), rank, 60, 0.5, 100 + seed);
            let data = made.data();
            let objective = Objective::new(&data, &Squared, 0.0).intercept(true);
            let set = low_rank(rank, (3, 3));
            let best = (0..10)
                .map(|k| [numbers(9, 200 + k), vec![0.0]].concat())
                .map(|start| objective.value(&alternating(objective, set, &start, 200)).unwrap())
                .fold(f64::INFINITY, f64::min);
            for free in [false, true] {
                let (report, _) = obeys_the_laws("small", free, objective, set, &[0.0; 10]);
                assert!(report.value <= best * (1.0 + 1e-8), "seed {seed}, rank {rank}: {} {best}", report.value);
            }
        }
    }
}

/// Rows with a single entry each, all of the same size: F is the distance to a matrix, whose best approximation is known.
#[test]
fn a_round_objective_ends_at_the_truncated_decomposition() {
    let (p, q) = (7, 9);
    let size = p * q;
    let mut x = vec![0.0; size * size];
    (0..size).for_each(|i| x[i * size + i] = 2.0);
    let y = numbers(size, 90);
    let data = Data::dense(&x, size, &y).unwrap();
    let objective = Objective::new(&data, &Squared, 0.0);
    let half: Vec<f64> = y.iter().map(|y| 0.5 * y).collect();
    for rank in [1, 3, 6] {
        let expected = projected(&Rank::at_most(rank, p, q), &half).unwrap();
        for free in [false, true] {
            // From nothing, from chance, and from a saddle: other singular vectors than the leading ones.
            let mut saddle = half.clone();
            axpy(-1.0, &projected(&Rank::at_most(1, p, q), &half).unwrap(), &mut saddle);
            for start in [vec![0.0; size], numbers(size, 91), saddle] {
                let (_, found) = obeys_the_laws("round", free, objective, low_rank(rank, (p, q)), &start);
                assert!(distance(&found, &expected) < 1e-7, "rank {rank}, {free}: {:e}", distance(&found, &expected));
            }
        }
    }
}

#[test]
fn a_ball_holds_the_matrix_back_where_it_should() {
    for loss in losses() {
        let made = Made::new((6, 5), 2, 240, 1.0, 70).for_loss(&loss);
        let data = made.data();
        let objective = Objective::new(&data, &loss, 0.0).intercept(true);
        let start = [made.truth.clone(), vec![0.0]].concat();
        for free in [false, true] {
            let (_, without) = obeys_the_laws(&loss.spec(), free, objective, low_rank(2, (6, 5)), &start);
            let length = norm(&without[..30]);
            for share in [0.01, 0.3, 0.9, 1.0, 1.5] {
                let set = LowRank { radius: Some(share * length), ..low_rank(2, (6, 5)) };
                for begin in [&start, &vec![0.0; 31]] {
                    let (_, within) = obeys_the_laws(&loss.spec(), free, objective, set, begin);
                    let found = norm(&within[..30]);
                    assert!(found <= share * length * (1.0 + 1e-14), "{} {share}", loss.spec());
                    assert!(share >= 1.0 || found > 0.999_999 * share * length, "{} {share}", loss.spec());
                    if share > 1.0 {
                        let gap = (objective.value(&within).unwrap() - objective.value(&without).unwrap()).abs();
                        assert!(
                            gap < 1e-12 * objective.value(&without).unwrap().abs(),
                            "{} {free}: {gap:e}",
                            loss.spec()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn small_problems_in_a_ball_end_at_the_best_of_many_descents() {
    for seed in 0..4 {
        for rank in [1, 2] {
            let made = Made::new((3, 3), rank, 60, 0.5, 130 + seed);
            let data = made.data();
            let objective = Objective::new(&data, &Squared, 0.0);
            let set = LowRank { radius: Some(0.5 * norm(&made.truth)), ..low_rank(rank, (3, 3)) };
            let descend = |start: Vec<f64>| {
                let (mut theta, mut gradient) = (start, vec![0.0; 9]);
                for _ in 0..2000 {
                    objective.gradient(&theta, &mut gradient).unwrap();
                    axpy(-0.8, &gradient, &mut theta);
                    set.project(&mut theta).unwrap();
                }
                objective.value(&theta).unwrap()
            };
            let best = (0..5).map(|k| descend(numbers(9, 400 + k))).fold(f64::INFINITY, f64::min);
            for free in [false, true] {
                let (report, _) = obeys_the_laws("small ball", free, objective, set, &[0.0; 9]);
                assert!(report.value <= best * (1.0 + 1e-8), "{seed} {rank}: {} {best}", report.value);
            }
        }
    }
}
