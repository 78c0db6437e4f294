//! Laws of the prox: the gradient vanishes on every path and for every loss, all paths agree, and the paper's own formulas give
//! the same step.

use faer::prelude::Solve as _;
use proptest::prelude::*;
use proxdist::Data;
use proxdist::data::Batch;
use proxdist::loss::{self, Huber, Logistic, Loss, LossEntry, Poisson, Squared, SquaredHinge, Sum};
use proxdist::prox::{BatchProx, Path, Prox};
use proxdist::simulate::{Response, Truth, vector};

const PATHS: [Path; 3] = [Path::Dual, Path::Primal, Path::Conjugate];

/// Every loss of the library, with 0.7 for a parameter or the usual one where it must be another, and a sum.
/// Those with a kink have a law of their own, below.
fn kinked_losses() -> Vec<Box<dyn Loss>> {
    let read = |text: &str| loss::parse(text).unwrap();
    ["quantile:0.9", "quantile:0.5", "quantile:0.02", "absolute", "hinge"].map(read).into()
}

fn losses() -> Vec<Box<dyn Loss>> {
    let unusual = |entry: &LossEntry| loss::parse(&format!("{}:0.7", entry.name));
    let usual = |entry: &LossEntry| loss::parse(&entry.example()).unwrap();
    let read = |entry: &LossEntry| unusual(entry).unwrap_or_else(|_| usual(entry));
    let mut losses: Vec<_> =
        loss::catalogue().iter().map(read).filter(proxdist::loss::Loss::is_differentiable).collect();
    losses.push(Box::new(Sum(Squared, Huber::with_delta(0.7).unwrap())));
    losses
}

/// A batch problem of any size, with weights, offset, ridge and perhaps an intercept.
#[derive(Clone, Debug)]
struct Case {
    columns: usize,
    x: Vec<f64>,
    noise: Vec<f64>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    anchor: Vec<f64>,
    rho: f64,
    ridge: f64,
    intercept: bool,
}

/// A response that the loss is defined for.
fn suitable(noise: f64, loss: &dyn Loss) -> f64 {
    let suits = |y: &f64| loss.check_response(*y).is_ok();
    [noise, f64::from(u8::from(noise > 0.0)), 0.5 + noise.abs()].into_iter().find(suits).unwrap()
}

impl Case {
    fn rows(&self) -> usize {
        self.noise.len()
    }

    /// Responses that the loss is defined for.
    fn response(&self, loss: &dyn Loss) -> Vec<f64> {
        self.noise.iter().map(|&v| suitable(v, loss)).collect()
    }

    fn prox<'l>(&self, loss: &'l dyn Loss) -> Prox<'l> {
        Prox::new(loss).ridge(self.ridge).intercept(self.intercept)
    }
}

fn cases(rows: impl Strategy<Value = usize>, columns: impl Strategy<Value = usize>) -> impl Strategy<Value = Case> {
    (rows, columns, any::<bool>()).prop_flat_map(|(n, p, intercept)| {
        let dimension = p + usize::from(intercept);
        let sparse_number = prop_oneof![1 => Just(0.0), 2 => -2.0..2.0];
        (
            prop::collection::vec(sparse_number, n * p),
            prop::collection::vec(-3.0..3.0, n),
            prop::collection::vec(0.0..2.0, n),
            prop::collection::vec(-0.5..0.5, n),
            prop::collection::vec(-1.0..1.0, dimension),
            -3.0..2.0,
            prop_oneof![Just(0.0), 0.0..1.0],
        )
            .prop_map(move |(x, noise, mut weights, offset, anchor, exponent, ridge)| {
                weights[0] = 1.0;
                Case { columns: p, x, noise, weights, offset, anchor, rho: 10_f64.powf(exponent), ridge, intercept }
            })
    })
}

/// $\nabla f_B(\theta) + \lambda\theta + \rho(\theta - z)$, written out entry by entry, and the same where the prox starts: at the anchor
/// $\rho z/(\rho + \lambda)$ that the ridge leaves, relative to whose gradient its tolerance is meant.
fn residuals(case: &Case, loss: &dyn Loss, theta: &[f64]) -> (f64, f64) {
    let response = case.response(loss);
    let total: f64 = case.weights.iter().sum();
    let gradient = |at: &[f64]| {
        let mut gradient: Vec<f64> = at.iter().zip(&case.anchor).map(|(t, z)| case.rho * (t - z)).collect();
        gradient.iter_mut().zip(at).take(case.columns).for_each(|(g, t)| *g += case.ridge * t);
        for (i, row) in case.x.chunks_exact(case.columns).enumerate() {
            let intercept = if case.intercept { at[case.columns] } else { 0.0 };
            let predictor = row.iter().zip(at).map(|(x, t)| x * t).sum::<f64>() + intercept + case.offset[i];
            let slope = case.weights[i] / total * loss.slope(predictor, response[i]);
            gradient.iter_mut().zip(row).for_each(|(g, x)| *g += slope * x);
            if case.intercept {
                gradient[case.columns] += slope;
            }
        }
        gradient.iter().map(|g| g * g).sum::<f64>().sqrt()
    };
    let shrunk = |z: &f64| z * case.rho / (case.rho + case.ridge);
    let mut start = case.anchor.clone();
    start.iter_mut().take(case.columns).for_each(|z| *z = shrunk(z));
    (gradient(theta), gradient(&start))
}

fn step(case: &Case, loss: &dyn Loss, path: Option<Path>) -> Vec<f64> {
    let response = case.response(loss);
    let data = Data::dense(&case.x, case.columns, &response).unwrap();
    let data = data.weights(&case.weights).unwrap().offset(&case.offset).unwrap();
    let all: Vec<usize> = (0..case.rows()).collect();
    let mut batch = Batch::default();
    batch.fill(&data, &all).unwrap();
    let mut prox = case.prox(loss);
    if let Some(path) = path {
        prox = prox.force(path);
    }
    let mut theta = case.anchor.clone();
    prox.apply(&batch, case.rho, &mut theta).unwrap();
    theta
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_gradient_vanishes_on_every_path_for_every_loss(case in cases(2..14_usize, 1..14_usize)) {
        for loss in losses() {
            let reference = step(&case, &*loss, None);
            for path in PATHS {
                let theta = step(&case, &*loss, Some(path));
                let (residual, first) = residuals(&case, &*loss, &theta);
                // Rounding in θ alone moves the residual by about ρ‖θ‖ε.
                let rounding = 1e-14 * (1.0 + case.rho) * (1.0 + theta.iter().map(|t| t.abs()).sum::<f64>());
                prop_assert!(residual <= 1e-8 * first + rounding, "{} {path:?}: {residual:e} of {first:e}", loss.spec());
                let scale = 1.0 + theta.iter().fold(0.0_f64, |m, t| m.max(t.abs()));
                let gap = largest_difference(&theta, &reference);
                prop_assert!(gap <= 1e-7 * scale * (1.0 + 1.0 / case.rho), "{} {path:?}: {gap:e}", loss.spec());
            }
        }
    }

    #[test]
    fn one_row_takes_the_scalar_path_and_agrees_with_the_others(case in cases(Just(1_usize), 1..14_usize)) {
        for loss in losses() {
            let scalar = step(&case, &*loss, None);
            let (residual, first) = residuals(&case, &*loss, &scalar);
            prop_assert!(residual <= 1e-8 * first + 1e-12 * (1.0 + case.rho), "{}: {residual:e} of {first:e}", loss.spec());
            for path in PATHS {
                let other = step(&case, &*loss, Some(path));
                prop_assert!(largest_difference(&scalar, &other) <= 1e-7 * (1.0 + 1.0 / case.rho));
            }
        }
    }

    #[test]
    fn sparse_and_single_precision_rows_give_the_step_of_dense_rows(case in cases(2..10_usize, 2..16_usize)) {
        let rounded: Vec<f32> = case.x.iter().map(|v| *v as f32).collect();
        let case = Case { x: rounded.iter().map(|v| f64::from(*v)).collect(), ..case };
        let (mut starts, mut indices, mut values) = (vec![0_usize], Vec::new(), Vec::new());
        for row in case.x.chunks_exact(case.columns) {
            for (j, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                indices.push(j as u32);
                values.push(x);
            }
            starts.push(values.len());
        }
        let all: Vec<usize> = (0..case.rows()).collect();
        for loss in losses() {
            let response = case.response(&*loss);
            for path in PATHS {
                let dense = step(&case, &*loss, Some(path));
                let sparse = Data::sparse(&starts, &indices, &values, case.columns, &response).unwrap();
                let single = Data::dense(&rounded, case.columns, &response).unwrap();
                for data in [sparse, single] {
                    let data = data.weights(&case.weights).unwrap().offset(&case.offset).unwrap();
                    let mut batch = Batch::default();
                    batch.fill(&data, &all).unwrap();
                    let mut theta = case.anchor.clone();
                    case.prox(&*loss).force(path).apply(&batch, case.rho, &mut theta).unwrap();
                    let scale = 1.0 + 1.0 / case.rho;
                    prop_assert!(largest_difference(&dense, &theta) <= 1e-7 * scale, "{} {path:?}", loss.spec());
                }
            }
        }
    }

    /// Zero is a sum of slopes that the rows allow and of the penalties: those of rows off their kink are known, the others are looked for within their intervals.
    #[test]
    fn some_subgradient_vanishes_for_every_loss_with_a_kink(case in cases(1..14_usize, 1..14_usize)) {
        for loss in kinked_losses() {
            let theta = step(&case, &*loss, None);
            let (residual, scale) = subgradient(&case, &*loss, &theta);
            prop_assert!(residual <= 1e-9 * scale, "{}: {residual:e} of {scale:e}", loss.spec());
        }
    }

    #[test]
    fn a_prox_with_a_kink_is_the_minimum_of_an_independent_solver(case in cases(1..9_usize, 1..7_usize)) {
        for loss in kinked_losses() {
            let theta = step(&case, &*loss, None);
            let (found, least) = (prox_value(&case, &*loss, &theta), least_prox_value(&case, &*loss));
            prop_assert!(found <= least + 1e-7 * (1.0 + least.abs()), "{}: {found} above {least}", loss.spec());
        }
    }

    #[test]
    fn majorants_lie_above_the_loss(predictor in -6.0..6.0_f64, step in -12.0..12.0_f64, noise in -3.0..3.0_f64) {
        for loss in losses() {
            let y = suitable(noise, &*loss);
            let Some(above) = loss.majorant_curvature(predictor, y) else { continue };
            prop_assert!(above >= loss.curvature(predictor, y), "{}", loss.spec());
            let (slope, end) = (loss.slope(predictor, y), loss.slope(predictor + step, y));
            // Where the curvature has no bound, only up to the least value.
            let is_meant = loss.curvature_bound().is_some() || (slope * step <= 0.0 && slope * end >= 0.0);
            let parabola = loss.value(predictor, y) + slope * step + 0.5 * above * step * step;
            let is_above = loss.value(predictor + step, y) <= parabola + 1e-12 * (1.0 + parabola.abs());
            prop_assert!(!is_meant || is_above, "{}", loss.spec());
        }
    }

    #[test]
    fn no_loss_is_below_its_infimum_and_some_predictor_comes_near(noise in -30.0..30.0_f64, predictor in -40.0..40.0_f64) {
        for loss in losses() {
            let y = suitable(noise, &*loss);
            prop_assert!(loss.value(predictor, y) >= loss.infimum(y), "{}", loss.spec());
            let least = (-4000..4000).map(|i| loss.value(0.01 * f64::from(i), y)).fold(f64::INFINITY, f64::min);
            prop_assert!(least <= loss.infimum(y) + 1e-3 * (1.0 + y.abs()), "{}: {least} for {y}", loss.spec());
        }
    }
}

/// The predictors, kinks and normalised weights of a case.
fn kinks(case: &Case, loss: &dyn Loss, theta: &[f64]) -> Vec<(f64, loss::Kink, f64)> {
    let (response, total) = (case.response(loss), case.weights.iter().sum::<f64>());
    let rows = case.x.chunks_exact(case.columns).enumerate();
    rows.map(|(i, row)| {
        let intercept = if case.intercept { theta[case.columns] } else { 0.0 };
        let predictor = row.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>() + intercept + case.offset[i];
        (predictor, loss.kinked().unwrap().kink(response[i]), case.weights[i] / total)
    })
    .collect()
}

/// The smallest subgradient of the prox at a point, by sweeps over the slopes of rows that are on their kink, and the size of the terms that cancel in it.
fn subgradient(case: &Case, loss: &dyn Loss, theta: &[f64]) -> (f64, f64) {
    let mut sum: Vec<f64> = theta.iter().zip(&case.anchor).map(|(t, z)| case.rho * (t - z)).collect();
    sum.iter_mut().zip(theta).take(case.columns).for_each(|(g, t)| *g += case.ridge * t);
    let mut scale = 1e-3 * (1.0 + case.rho) * (1.0 + theta.iter().chain(&case.anchor).map(|t| t.abs()).sum::<f64>());
    let row_of = |i: usize| {
        let mut row = case.x[i * case.columns..(i + 1) * case.columns].to_vec();
        row.extend(case.intercept.then_some(1.0));
        row
    };
    let mut open = Vec::new();
    for (i, (predictor, kink, weight)) in kinks(case, loss, theta).into_iter().enumerate() {
        let row = row_of(i);
        let size =
            row.iter().zip(theta).map(|(x, t)| (x * t).abs()).sum::<f64>() + case.offset[i].abs() + kink.at.abs();
        let slope = weight * loss.slope(predictor, case.response(loss)[i]);
        scale += weight * row.iter().map(|x| x.abs()).sum::<f64>();
        sum.iter_mut().zip(&row).for_each(|(g, x)| *g += slope * x);
        if (predictor - kink.at).abs() <= 1e-9 * (1.0 + size) {
            open.push((row, slope, weight * kink.below, weight * kink.above));
        }
    }
    for _ in 0..20_000 {
        for (row, slope, low, high) in &mut open {
            let square: f64 = row.iter().map(|x| x * x).sum();
            let along: f64 = row.iter().zip(&sum).map(|(x, g)| x * g).sum();
            if square > 0.0 {
                let next = (*slope - along / square).clamp(*low, *high);
                sum.iter_mut().zip(&*row).for_each(|(g, x)| *g += (next - *slope) * x);
                *slope = next;
            }
        }
        if sum.iter().all(|g| g.abs() <= 1e-12 * scale) {
            break;
        }
    }
    (sum.iter().map(|g| g * g).sum::<f64>().sqrt(), scale)
}

/// What a prox minimises.
fn prox_value(case: &Case, loss: &dyn Loss, theta: &[f64]) -> f64 {
    let losses: f64 = kinks(case, loss, theta).iter().map(|(eta, kink, weight)| weight * kink.value(*eta)).sum();
    let away: f64 = theta.iter().zip(&case.anchor).map(|(t, z)| (t - z) * (t - z)).sum();
    let ridge: f64 = theta.iter().take(case.columns).map(|t| t * t).sum();
    losses + 0.5 * case.rho * away + 0.5 * case.ridge * ridge
}

/// Its minimum by Clarabel, with an upper bound of the loss of each row as a variable.
fn least_prox_value(case: &Case, loss: &dyn Loss) -> f64 {
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
    let (rows, size) = (case.rows(), case.anchor.len());
    let lines = kinks(case, loss, &vec![0.0; size]);
    let (mut at, mut values, mut right) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (offset, kink, _)) in lines.iter().enumerate() {
        for slope in [kink.below, kink.above] {
            let line = right.len();
            for j in 0..case.columns {
                at.push((line, j));
                values.push(slope * case.x[i * case.columns + j]);
            }
            if case.intercept {
                at.push((line, case.columns));
                values.push(slope);
            }
            at.push((line, size + i));
            values.push(-1.0);
            right.push(slope * (kink.at - offset));
        }
    }
    let (places, columns): (Vec<usize>, Vec<usize>) = at.into_iter().unzip();
    let matrix = CscMatrix::new_from_triplets(right.len(), size + rows, places, columns, values);
    let bends: Vec<f64> = (0..size).map(|j| case.rho + if j < case.columns { case.ridge } else { 0.0 }).collect();
    let quadratic =
        CscMatrix::new_from_triplets(size + rows, size + rows, (0..size).collect(), (0..size).collect(), bends);
    let mut linear: Vec<f64> = case.anchor.iter().map(|z| -case.rho * z).collect();
    linear.extend(lines.iter().map(|(_, _, weight)| weight));
    let settings = DefaultSettings { verbose: false, max_iter: 300, ..DefaultSettings::default() };
    let cones = [SupportedConeT::NonnegativeConeT(right.len())];
    let mut solver = DefaultSolver::new(&quadratic, &linear, &matrix, &right, &cones, settings).unwrap();
    solver.solve();
    prox_value(case, loss, &solver.solution.x[..size])
}

fn fixed_case(rows: usize, columns: usize) -> Case {
    let wave = |count: usize, phase: f64| (0..count).map(|i| (1.7 * i as f64 + phase).sin()).collect::<Vec<f64>>();
    Case {
        columns,
        x: wave(rows * columns, 0.3),
        noise: wave(rows, 1.1).iter().map(|v| 3.0 * v).collect(),
        weights: vec![1.0; rows],
        offset: vec![0.0; rows],
        anchor: wave(columns, 2.0),
        rho: 0.05,
        ridge: 0.0,
        intercept: false,
    }
}

/// Equation (prox_update_lin) of the paper: $(b\rho I + X^TX)^{-1}(b\rho z + X^Ty)$, and its second line, by Woodbury.
#[test]
fn the_woodbury_formulas_of_the_paper_are_twins_for_squared_loss() {
    let case = fixed_case(6, 15);
    let (b, p) = (6, 15);
    let weight = b as f64 * case.rho;
    let x = faer::Mat::from_fn(b, p, |i, j| case.x[i * p + j]);
    let y = faer::Mat::from_fn(b, 1, |i, _| case.noise[i]);
    let z = faer::Mat::from_fn(p, 1, |j, _| case.anchor[j]);
    let identity = |size: usize| faer::Mat::<f64>::identity(size, size);
    let direct = (faer::Scale(weight) * identity(p) + x.transpose() * &x)
        .partial_piv_lu()
        .solve(faer::Scale(weight) * &z + x.transpose() * &y);
    let inner = &z + faer::Scale(1.0 / weight) * (x.transpose() * &y);
    let small = faer::Scale(weight) * identity(b) + &x * x.transpose();
    let woodbury = &inner - x.transpose() * small.partial_piv_lu().solve(&x * &inner);
    for path in PATHS {
        let theta = step(&case, &Squared, Some(path));
        for j in 0..p {
            assert!((theta[j] - direct[(j, 0)]).abs() < 1e-8, "{path:?}");
            assert!((theta[j] - woodbury[(j, 0)]).abs() < 1e-8, "{path:?}");
        }
    }
}

/// The paper's Newton iteration for logistic loss in p dimensions, with its Woodbury form of the inverse Hessian.
#[test]
fn the_newton_iteration_of_the_paper_is_a_twin_for_logistic_loss() {
    // A penalty at which Newton's method needs no damping.
    let case = Case { rho: 0.5, ..fixed_case(6, 15) };
    let (b, p) = (6, 15);
    let y = case.response(&Logistic);
    let x = faer::Mat::from_fn(b, p, |i, j| case.x[i * p + j]);
    let mut beta = faer::Mat::from_fn(p, 1, |j, _| case.anchor[j]);
    for _ in 0..50 {
        let eta = &x * &beta;
        let residual = faer::Mat::from_fn(b, 1, |i, _| y[i] - 1.0 / (1.0 + (-eta[(i, 0)]).exp()));
        let w: Vec<f64> = (0..b).map(|i| Logistic.curvature(eta[(i, 0)], y[i])).collect();
        let gradient = faer::Mat::from_fn(p, 1, |j, _| case.rho * (beta[(j, 0)] - case.anchor[j]))
            - faer::Scale(1.0 / b as f64) * (x.transpose() * &residual);
        let wx = faer::Mat::from_fn(b, p, |i, j| w[i] * x[(i, j)]);
        let small = faer::Scale(b as f64 * case.rho) * faer::Mat::<f64>::identity(b, b) + &wx * x.transpose();
        let direction = &gradient - x.transpose() * small.partial_piv_lu().solve(&wx * &gradient);
        beta -= faer::Scale(1.0 / case.rho) * direction;
    }
    for path in PATHS {
        let theta = step(&case, &Logistic, Some(path));
        for j in 0..p {
            assert!((theta[j] - beta[(j, 0)]).abs() < 1e-8, "{path:?}");
        }
    }
}

/// The paper's gradient descent for Huber loss in p dimensions.
#[test]
fn the_gradient_descent_of_the_paper_is_a_twin_for_huber_loss() {
    let (b, p) = (6_usize, 15);
    let case = fixed_case(b, p);
    let loss = Huber::with_delta(2.0).unwrap();
    let mut beta = case.anchor.clone();
    let rate = 1.0 / (case.rho + case.x.iter().map(|v| v * v).sum::<f64>() / b as f64);
    for _ in 0..20_000 {
        let mut gradient: Vec<f64> = (0..p).map(|j| case.rho * (beta[j] - case.anchor[j])).collect();
        for (i, row) in case.x.chunks_exact(p).enumerate() {
            let predictor: f64 = row.iter().zip(&beta).map(|(x, t)| x * t).sum();
            let residual = (case.noise[i] - predictor).clamp(-2.0, 2.0);
            gradient.iter_mut().zip(row).for_each(|(g, x)| *g -= residual * x / b as f64);
        }
        beta.iter_mut().zip(&gradient).for_each(|(t, g)| *t -= rate * g);
    }
    for path in PATHS {
        assert!(largest_difference(&step(&case, &loss, Some(path)), &beta) < 1e-7, "{path:?}");
    }
}

#[test]
fn an_overflowing_exponential_is_reported_with_row_and_predictor() {
    let x = [1.0, 1000.0];
    let y = [1.0, 1.0];
    let data = Data::dense(&x, 1, &y).unwrap();
    let mut batch = Batch::default();
    batch.fill(&data, &[1, 0]).unwrap();
    let error = Prox::new(&Poisson).apply(&batch, 1.0, &mut [1.0]).unwrap_err().to_string();
    assert!(error.contains("row 1") && error.contains("1e3"), "{error}");
}

#[test]
fn a_ridge_term_in_the_prox_equals_extra_rows_of_data() {
    let mut case = fixed_case(5, 3);
    case.ridge = 0.4;
    let ridged = step(&case, &Squared, None);
    // (λ/2)θⱼ² is the squared loss of a row √(λn)eⱼ with response 0, once n is scaled for the longer data.
    let n = 5.0;
    let mut longer = Case { ridge: 0.0, ..case.clone() };
    for j in 0..3 {
        longer.x.extend((0..3).map(|k| if k == j { (case.ridge * n).sqrt() } else { 0.0 }));
    }
    longer.noise.extend([0.0; 3]);
    longer.weights = vec![1.0; 8];
    longer.offset = vec![0.0; 8];
    longer.rho = case.rho * n / 8.0;
    assert!(largest_difference(&ridged, &step(&longer, &Squared, None)) < 1e-9);
}

#[test]
fn far_from_the_data_piecewise_losses_take_few_newton_steps() {
    // Rows on flat or straight pieces have no curvature, so full steps overshoot from one piece to another.
    let (rows, columns) = (64, 1000);
    let huber = Huber::with_delta(2.0).unwrap();
    let losses: [(Response, &dyn Loss); 2] = [(Response::Huber, &huber), (Response::Logistic, &SquaredHinge)];
    let mut most = 0;
    for (response, loss) in losses {
        for seed in 0..200 {
            let simulated = vector(response, Truth::Sparse(20), rows, columns, seed).unwrap();
            let data = simulated.data().unwrap();
            let mut batch = Batch::default();
            batch.fill(&data, &(0..rows).collect::<Vec<_>>()).unwrap();
            // An early iterate: some true features are found, some not yet.
            let found = |(j, t): (usize, &f64)| if (j as u64 + seed).is_multiple_of(3) { 0.0 } else { 0.9 * t };
            let anchor: Vec<f64> = simulated.truth.iter().enumerate().map(found).collect();
            for rho in [1e-4, 1e-3, 1e-2, 1e-1] {
                let (mut prox, mut theta) = (Prox::new(loss).force(Path::Dual), anchor.clone());
                prox.apply(&batch, rho, &mut theta).unwrap();
                most = most.max(prox.last().unwrap().newton_steps);
            }
        }
    }
    assert!(most <= 20, "{most} Newton steps");
}
