//! A ridge weight means the same whatever the set: on standardised effects where columns may be scaled, on raw coefficients where they may not.

use proxdist::constraint::Constraint;
use proxdist::data::Batch;
use proxdist::loss::{self, Loss, Squared};
use proxdist::prox::{BatchProx as _, Path, Prox, SpectralProx};
use proxdist::selection::{CrossValidation, Grid};
use proxdist::simulate::{Response, Simulated, Truth, vector};
use proxdist::spec::SetSpec;
use proxdist::{Data, Method, Model, Preparation, Problem, Ridge, Settings, Standardize};

const COLUMNS: usize = 8;
/// Units of the columns, over five decades.
const UNITS: [f64; COLUMNS] = [1.0, 1e-3, 10.0, 0.1, 100.0, 1e-2, 3.0, 0.5];

/// Positive effects of about 1 in a deviation of each column, counts or labels where the loss needs them; means differ from zero.
fn simulated(response: Response, rows: usize) -> Simulated {
    let mut simulated = vector(response, Truth::Sparse(COLUMNS), rows, COLUMNS, 11).unwrap();
    for row in simulated.x.chunks_exact_mut(COLUMNS) {
        row.iter_mut().zip(UNITS).for_each(|(x, unit)| *x = (*x + 0.3) * unit);
    }
    simulated
}

fn model(data: &Data, loss: &str, set: &str, (standardize, ridge): (Standardize, f64), settings: &Settings) -> Model {
    let set = SetSpec::parse(set).unwrap().build(data.parameter_shape()).unwrap();
    let preparation = Preparation::decide(standardize, [&*set as &dyn Constraint], true).unwrap();
    let units = preparation.units(data, ridge).unwrap();
    let rows: Vec<usize> = (0..data.rows()).collect();
    let subset = data.subset(rows).unwrap();
    let data = units.apply(subset.data().unwrap()).unwrap();
    let loss = loss::parse(loss).unwrap();
    let problem = Problem::new(&data, loss, set).ridge(units.ridge(ridge)).intercept(true);
    units.restored(problem.fit(settings).unwrap().model()).unwrap()
}

/// The largest difference of two models' effects, a change of each column by its unit, and of F.
fn apart(a: &Model, b: &Model) -> f64 {
    let of = |(j, (a, b)): (usize, (&f64, &f64))| (a - b).abs() * UNITS[j];
    let coefficients = a.coefficients.iter().zip(&b.coefficients).enumerate().map(of).fold(0.0, f64::max);
    coefficients.max((a.objective - b.objective).abs())
}

/// Sets in pairs that are the same at the solution, one of them scale free.
const PAIRS: [(&str, &str); 6] = [
    ("none", "ball:1e9"),
    ("none", "box:-1e9,1e9"),
    ("none", "l1:1e9"),
    ("nonneg", "box:0,1e9"),
    ("nonneg", "nonneg & ball:1e9"),
    ("sparsity:3", "sparsity:3 & ball:1e9"),
];

#[test]
fn the_same_ridge_gives_the_same_model_whatever_the_set() {
    for (name, response) in
        [("squared", Response::Linear), ("logistic", Response::Logistic), ("huber:1", Response::Linear)]
    {
        let simulated = simulated(response, 150);
        let data = simulated.data().unwrap();
        for (free, bound) in PAIRS {
            for (standardize, ridge) in [(Standardize::Auto, 0.3), (Standardize::Auto, 0.0), (Standardize::Never, 0.3)]
            {
                let fitted = |set| model(&data, name, set, (standardize, ridge), &Settings::default());
                let (one, other) = (fitted(free), fitted(bound));
                let apart = apart(&one, &other);
                assert!(apart < 1e-7, "{name}, {free} and {bound}, {standardize:?}, ridge {ridge}: {apart:e}");
                assert!(ridge == 0.0 || one.ridge == other.ridge);
            }
        }
    }
}

/// Written out: the minimiser of $\frac1{2n}\|y - X\theta - \beta_0\|^2 + \frac\lambda2\sum_js_j^2\theta_j^2$ has no gradient.
#[test]
fn the_ridge_acts_on_standardised_effects_unless_columns_must_stay() {
    let simulated = simulated(Response::Linear, 90);
    let data = simulated.data().unwrap();
    let n = simulated.y.len() as f64;
    let column = |j: usize| simulated.x.iter().skip(j).step_by(COLUMNS);
    let variance = |j: usize| {
        let mean = column(j).sum::<f64>() / n;
        column(j).map(|x| (x - mean) * (x - mean)).sum::<f64>() / n
    };
    for (standardize, weights) in
        [(Standardize::Auto, (0..COLUMNS).map(variance).collect()), (Standardize::Never, vec![1.0; COLUMNS])]
    {
        for set in ["none", "ball:1e9"] {
            let model = model(&data, "squared", set, (standardize, 0.3), &Settings::default());
            let residuals: Vec<f64> = simulated
                .x
                .chunks_exact(COLUMNS)
                .zip(&simulated.y)
                .map(|(x, y)| {
                    let eta: f64 = x.iter().zip(&model.coefficients).map(|(x, t)| x * t).sum();
                    eta + model.intercept.unwrap() - y
                })
                .collect();
            for j in 0..COLUMNS {
                let slope = column(j).zip(&residuals).map(|(x, r)| x * r).sum::<f64>() / n;
                let gradient = slope + 0.3 * weights[j] * model.coefficients[j];
                assert!(gradient.abs() < 1e-8 * UNITS[j], "{set} {standardize:?} {j}: {gradient:e}");
            }
        }
    }
}

/// An uneven ridge on columns is an even one on columns in other units: the sets that need no units say so for every method.
#[test]
fn every_method_gets_to_the_same_optimum_under_an_uneven_ridge() {
    let simulated = vector(Response::Linear, Truth::Sparse(3), 60, 5, 3).unwrap();
    let data = simulated.data().unwrap();
    let squares = [4.0, 0.25, 1.0, 2.0, 0.5];
    let ridge = Ridge::on_effects(0.5, &squares);
    let exact = Problem::new(&data, Squared, SetSpec::WholeSpace.build(data.parameter_shape()).unwrap()).ridge(ridge);
    let exact = exact.fit(&Settings::default()).unwrap();
    for method in ["pd", "spd", "psgd", "sgd", "isgd", "incremental:g=ridge", "spg", "prm", "cspp"] {
        let settings = Settings::default()
            .method(method.parse::<Method>().unwrap())
            .polish(false)
            .batch_size(60)
            .max_steps(4000)
            .tolerance(1e-12);
        let set = SetSpec::parse("ball:1e9").unwrap().build(data.parameter_shape()).unwrap();
        let fit = Problem::new(&data, Squared, set).ridge(ridge).fit(&settings).unwrap();
        let gap = fit.objective() - exact.objective();
        assert!((-1e-12..1e-4 * exact.objective()).contains(&gap), "{method}: {gap:e}");
    }
}

/// $\nabla f_B(\theta) + \lambda_j\theta_j + \rho(\theta - z) = 0$ on every path, dense and sparse, for weights over ten decades.
#[test]
fn the_prox_of_an_uneven_ridge_has_no_gradient() {
    let simulated = vector(Response::Logistic, Truth::Sparse(4), 30, 6, 5).unwrap();
    let starts: Vec<usize> = (0..=30).map(|row| row * 6).collect();
    let columns: Vec<u32> = (0..180).map(|at| at % 6).collect();
    let dense = simulated.data().unwrap();
    let sparse = Data::sparse(&starts, &columns, &simulated.x, 6, &simulated.y).unwrap();
    let squares = [1e-5, 1.0, 1e5, 0.0, 3.0, 1e2];
    let anchor = [0.3, -0.2, 1.0, 0.5, -1.0, 0.1, 0.4];
    for name in ["squared", "logistic", "huber:0.7"] {
        let loss = loss::parse(name).unwrap();
        for (data, rho) in [(&dense, 0.1), (&dense, 20.0), (&sparse, 0.1)] {
            let mut batch = Batch::default();
            batch.fill_whole(data).unwrap();
            let ridge = Ridge::on_effects(0.2, &squares);
            let prox = || Prox::new(&*loss).ridge(ridge).intercept(true);
            let mut found: Vec<Vec<f64>> = Vec::new();
            for path in [Path::Dual, Path::Primal, Path::Conjugate] {
                let mut theta = anchor.to_vec();
                prox().force(path).apply(&batch, rho, &mut theta).unwrap();
                found.push(theta);
            }
            let mut theta = anchor.to_vec();
            SpectralProx::new(prox()).apply(&batch, rho, &mut theta).unwrap();
            found.push(theta);
            for theta in found {
                let mut gradient: Vec<f64> = (0..7).map(|j| rho * (theta[j] - anchor[j])).collect();
                (0..6).for_each(|j| gradient[j] += 0.2 * squares[j] * theta[j]);
                for (x, (y, weight)) in simulated.x.chunks_exact(6).zip(simulated.y.iter().zip(batch.weights())) {
                    let eta = x.iter().zip(&theta).map(|(x, t)| x * t).sum::<f64>() + theta[6];
                    let slope = weight * loss.slope(eta, *y);
                    (0..6).for_each(|j| gradient[j] += slope * x[j]);
                    gradient[6] += slope;
                }
                let size = gradient.iter().fold(0.0_f64, |size, g| size.max(g.abs()));
                assert!(size < 1e-7, "{name}, rho {rho}: {gradient:?}");
            }
        }
    }
}

/// Low rank has a finish of its own. An even ridge is the case that is known; on columns in other units it is uneven, and a rank of all is no limit.
#[test]
fn low_rank_is_finished_under_an_uneven_ridge() {
    let simulated = simulated(Response::Linear, 120);
    let data = simulated.data().unwrap().shape(2, 4).unwrap();
    let settings = Settings::default();
    let (rank, ball) = (
        model(&data, "squared", "rank:2", (Standardize::Auto, 0.3), &settings),
        model(&data, "squared", "ball:1e9", (Standardize::Auto, 0.3), &settings),
    );
    assert!(apart(&rank, &ball) < 1e-7, "{:?} {:?}", rank.coefficients, ball.coefficients);
    // On rank one, no nearby matrix of rank one is better.
    let one = model(&data, "squared", "rank:1", (Standardize::Auto, 0.3), &settings);
    let squares: Vec<f64> = (0..COLUMNS)
        .map(|j| {
            let column = || simulated.x.iter().skip(j).step_by(COLUMNS);
            let mean = column().sum::<f64>() / 120.0;
            column().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 120.0
        })
        .collect();
    let value = |theta: &[f64]| {
        let rows = simulated.x.chunks_exact(COLUMNS).zip(&simulated.y);
        let loss = |(x, y): (&[f64], &f64)| {
            let eta: f64 = x.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>() + one.intercept.unwrap();
            0.5 * (eta - y) * (eta - y)
        };
        let ridge: f64 = theta.iter().zip(&squares).map(|(t, s)| 0.15 * s * t * t).sum();
        rows.map(loss).sum::<f64>() / 120.0 + ridge
    };
    let least = value(&one.coefficients);
    assert!((least - one.objective).abs() < 1e-10 * least);
    // Θ = uvᵀ: each factor is moved by itself, relative to its size.
    for i in 0..6 {
        for change in [-1e-4, 1e-4] {
            let mut theta = one.coefficients.clone();
            for (j, entry) in theta.iter_mut().enumerate() {
                let is_touched = if i < 2 { j / 4 == i } else { j % 4 == i - 2 };
                *entry *= if is_touched { 1.0 + change } else { 1.0 };
            }
            assert!(value(&theta) >= least - 1e-12 * least, "factor {i}");
        }
    }
}

#[test]
fn cross_validation_scores_equal_sets_equally() {
    let simulated = simulated(Response::Linear, 80);
    let data = simulated.data().unwrap();
    let scores = |set: &str, standardize| {
        let search = CrossValidation::new(&data, Squared, SetSpec::parse(set).unwrap());
        let search = search.folds(4).seed(3).intercept(true).standardize(standardize);
        let selection = search.run(&Grid::parse(["ridge:0.01,0.3"]).unwrap(), &Settings::default()).unwrap();
        let scores: Vec<f64> = selection.table.scores.iter().map(|score| score.mean).collect();
        (scores, selection.model().unwrap())
    };
    for standardize in [Standardize::Auto, Standardize::Never] {
        let ((one, first), (other, second)) = (scores("nonneg", standardize), scores("box:0,1e9", standardize));
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-8 * a), "{one:?} {other:?}");
        assert!(apart(&first, &second) < 1e-7);
    }
}

#[test]
fn a_ridge_of_other_columns_is_an_error() {
    let simulated = simulated(Response::Linear, 20);
    let data = simulated.data().unwrap();
    let set = SetSpec::WholeSpace.build(data.parameter_shape()).unwrap();
    let error = Problem::new(&data, Squared, set).ridge(Ridge::on_effects(1.0, &[1.0])).fit(&Settings::default());
    assert!(error.unwrap_err().to_string().contains("ridge has length 1, expected 8"));
}
