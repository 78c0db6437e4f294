//! Laws of the finish over low-rank matrices, for both ways to its directions.

use super::Finished;
use super::descent::distance;
use super::on_data::OnData;
use super::rank::{LowRank, Model, minimise_with};
use super::rank_cg::{MatrixFree, Tangent};
use super::rank_dense::Dense;
use super::rank_place::{Place, Task};
use super::smooth::Smooth;
use super::testing::{never, numbers, until};
use crate::constraint::{Ball, ConeInBall, Constraint, Rank, Structure, Workspace, projected};
use crate::data::Data;
use crate::linalg::{Cholesky, axpy, dot, norm};
use crate::loss::{self, Huber, Logistic, Loss, Poisson, Squared, SquaredHinge};
use crate::objective::Objective;
use crate::ridge::Ridge;

const TOLERANCE: f64 = 1e-8;

fn low_rank(rank: usize, (rows, columns): (usize, usize)) -> LowRank {
    LowRank { rank, rows, columns, radius: None }
}

/// A problem with a truth of the rank given.
struct Made {
    shape: (usize, usize),
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    truth: Vec<f64>,
}

impl Made {
    fn new(shape: (usize, usize), rank: usize, rows: usize, noise: f64, seed: u64) -> Self {
        let size = shape.0 * shape.1;
        let x = numbers(rows * size, seed);
        let wide: Vec<f64> = numbers(size, seed + 1).iter().map(|t| 3.0 * t).collect();
        let truth = projected(&Rank::at_most(rank, shape.0, shape.1), &wide).unwrap();
        let errors = numbers(rows, seed + 2);
        let y = x.chunks_exact(size).zip(&errors).map(|(x, e)| dot(x, &truth) + 0.5 + noise * e).collect();
        let weights = numbers(rows, seed + 3).iter().map(|w| (1.0 + w).max(0.1)).collect();
        let offset = numbers(rows, seed + 4);
        Self { shape, x, y, weights, offset, truth }
    }

    /// The same with responses that the loss takes.
    fn for_loss(mut self, loss: &dyn Loss) -> Self {
        for (i, y) in self.y.iter_mut().enumerate() {
            *y = match loss.task() {
                loss::Task::TwoClasses => f64::from(u8::from(*y > 0.0) ^ u8::from(i % 7 == 0)),
                loss::Task::Counts => y.abs().round(),
                loss::Task::Regression => *y,
            };
        }
        self
    }

    fn size(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    fn data(&self) -> Data<'_> {
        Data::dense(&self.x, self.size(), &self.y).unwrap()
    }
}

fn finish(free: bool, objective: Objective, set: LowRank, theta: &mut [f64], tolerance: f64) -> Finished {
    let objective = for_start(objective, set, theta);
    let mut free_model = MatrixFree::new(objective);
    let mut dense = Dense::new();
    let model: &mut dyn Model = if free { &mut free_model } else { &mut dense };
    minimise_with(model, Task::new(objective, set).unwrap(), theta, &mut until(tolerance, &mut never)).unwrap()
}

/// The objective of models that have an intercept if this point has one.
fn for_start<'p>(objective: Objective<'p>, set: LowRank, theta: &[f64]) -> Objective<'p> {
    objective.intercept(set.layout().intercept(theta).is_some())
}

fn set_of(set: LowRank) -> Box<dyn Constraint> {
    let rank = Rank::at_most(set.rank, set.rows, set.columns);
    match set.radius {
        Some(radius) => Box::new(ConeInBall::new(rank, radius).unwrap()),
        None => Box::new(rank),
    }
}

/// $\|L(\theta - P_C(\theta - \nabla F/L))\|/\sqrt{2LF}$ in the metric of curvature-scaled entries, afresh.
fn stationarity(objective: Objective, set: LowRank, theta: &[f64]) -> f64 {
    let mut gradient = vec![0.0; theta.len()];
    let value = objective.gradient(theta, &mut gradient).unwrap();
    let mut function = OnData::new(objective);
    function.linearise(theta).unwrap();
    let mut image = vec![0.0; theta.len()];
    // Well above the largest curvature: a few power steps and a factor.
    let mut v = numbers(theta.len(), 77);
    let mut curvature = 0.0;
    for _ in 0..20 {
        function.hessian_times(&v, &mut image).unwrap();
        curvature = norm(&image) / norm(&v);
        let length = norm(&image).max(1e-300);
        v = image.iter().map(|x| x / length).collect();
    }
    let curvature = 3.0 * curvature + 1e-300;
    let mut moved: Vec<f64> = theta.iter().zip(&gradient).map(|(t, g)| t - g / curvature).collect();
    set_of(set).project(set.layout().coefficients_mut(&mut moved), &mut Workspace::default()).unwrap();
    curvature * distance(&moved, theta) / (2.0 * curvature * value.abs().max(1e-3)).sqrt()
}

/// In the set, F not raised, the report true, and stationary; returns the report.
fn obeys_the_laws(name: &str, free: bool, objective: Objective, set: LowRank, start: &[f64]) -> (Finished, Vec<f64>) {
    let (objective, layout) = (for_start(objective, set, start), set.layout());
    let mut theta = start.to_vec();
    set.project(layout.coefficients_mut(&mut theta)).unwrap();
    let before = objective.value(&theta).unwrap();
    let report = finish(free, objective, set, &mut theta, TOLERANCE);
    let name =
        format!("{name}, {set:?}, matrix-free {free}: {} {} {}", report.value, report.stationarity, report.iterations);
    let after = objective.value(&theta).unwrap();
    assert!(after <= before + 1e-14 * before.abs(), "{name}");
    let rounding = 1e-13 * after.abs().max(objective.value(&vec![0.0; theta.len()]).unwrap().abs());
    assert!((report.value - after).abs() <= rounding, "{name}");
    let nearest = projected(&set_of(set), layout.coefficients(&theta)).unwrap();
    assert!(distance(&nearest, layout.coefficients(&theta)) <= 1e-12 * norm(&nearest), "{name}");
    let residual = stationarity(objective, set, &theta);
    assert!(residual <= 3e-8, "{name}: {residual:e}");
    (report, theta)
}

fn losses() -> Vec<Box<dyn Loss>> {
    vec![
        Box::new(Squared),
        Box::new(Logistic),
        Box::new(Huber::with_delta(0.5).unwrap()),
        Box::new(Poisson),
        Box::new(SquaredHinge),
    ]
}

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
