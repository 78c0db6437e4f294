//! How long does one fit take, with squared loss and a known number of features?
//!
//! Independent normal columns with means and units of their own, as many features with an effect as are asked for, an intercept, one thread. Milliseconds of the quickest and the median fit, on columns as
//! they are and on columns scaled while they are read, which is what the program and Python do. `PROXDIST_REPEATS` sets how often.

use proxdist::constraint::{Constraint, Sparsity};
use proxdist::loss::Squared;
use proxdist::{Data, Preparation, Problem, Settings, Standardize};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;

fn case(rows: usize, columns: usize, size: usize) -> (Vec<f64>, Vec<f64>) {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
    let (mut x, mut y) = (Vec::with_capacity(rows * columns), Vec::with_capacity(rows));
    for _ in 0..rows {
        let mut signal = 0.0;
        for j in 0..columns {
            let value = normal();
            if j % (columns / size) == 0 {
                signal += value;
            }
            let unit = [1e-2, 1e-1, 1.0, 1e1, 1e2][j % 5];
            x.push(unit * (value + (j % 3) as f64));
        }
        y.push(signal + normal());
    }
    (x, y)
}

/// As the program and Python fit: from arrays to a model in the units of the data.
fn fitted((x, y): (&[f64], &[f64]), size: usize, standardize: Standardize) -> usize {
    let data = Data::dense(x, x.len() / y.len(), y).expect("data");
    let set = Sparsity::at_most(size);
    let units = Preparation::decide(standardize, [&set as &dyn Constraint], true)
        .and_then(|preparation| preparation.units(&data, 0.0))
        .expect("units");
    let scaled = units.apply(data).expect("scaled");
    let fit = Problem::new(&scaled, Squared, set).intercept(true).fit(&Settings::default().threads(1)).expect("a fit");
    units.restored(fit.model()).expect("a model").coefficients.iter().filter(|value| **value != 0.0).count()
}

fn main() {
    let repeats = std::env::var("PROXDIST_REPEATS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    for (rows, columns, size) in [(500, 100, 5), (10_000, 1000, 20)] {
        let (x, y) = case(rows, columns, size);
        for (name, standardize) in [("raw", Standardize::Never), ("scaled", Standardize::Auto)] {
            let mut times: Vec<f64> = (0..repeats)
                .map(|_| {
                    let began = Instant::now();
                    assert_eq!(fitted((&x, &y), size, standardize), size);
                    1e3 * began.elapsed().as_secs_f64()
                })
                .collect();
            times.sort_by(f64::total_cmp);
            println!(
                "{rows} x {columns}, {size} features, {name}: {:.2} ms, median {:.2}",
                times[0],
                times[repeats / 2]
            );
        }
    }
}
