//! How long does it take to find models of all sizes, with cross-validation and without?
//!
//! Columns with correlation ρ^|j − k|, ten of them with an effect, one thread. CPU seconds and wall seconds of: sizes 0 … 20 on ten folds and on all rows, n = 2000,
//! p = 500, squared and logistic loss; sizes 0 … 50, n = 10 000, p = 1000, squared loss, of which the matrix alone. `PROXDIST_PARTS` chooses among `squared`,
//! `logistic`, `long`; `PROXDIST_THREADS` sets the threads.

use proxdist::constraint::Sparsity;
use proxdist::loss::{Logistic, Loss, Squared};
use proxdist::path::{Path, PathSettings, PathValidation};
use proxdist::{Data, Problem};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;

/// CPU seconds of the whole process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields.get(11..13).map_or(0.0, |f| f.iter().filter_map(|v| v.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

struct Case {
    x: Vec<f64>,
    y: Vec<f64>,
    columns: usize,
}

fn case(rows: usize, columns: usize, correlation: f64, is_binary: bool) -> Case {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
    let (mut x, mut y) = (Vec::with_capacity(rows * columns), Vec::with_capacity(rows));
    let rest = (1.0 - correlation * correlation).sqrt();
    for _ in 0..rows {
        let mut before: f64 = normal();
        let start = x.len();
        for _ in 0..columns {
            x.push(before);
            before = correlation * before + rest * normal();
        }
        let step = columns / 10;
        let signal: f64 = (0..10).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 } * x[start + k * step]).sum();
        let noise = normal();
        let label = f64::from(u8::from(0.5 * signal + 1.7 * noise > 0.0));
        y.push(if is_binary { label } else { signal + 3.0 * noise });
    }
    Case { x, y, columns }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    let found = work();
    (found, cpu_seconds() - cpu, wall.elapsed().as_secs_f64())
}

fn validated(name: &str, is_binary: bool, settings: &PathSettings) {
    for correlation in [0.0, 0.5, 0.9] {
        let case = case(2000, 500, correlation, is_binary);
        let data = Data::dense(&case.x, case.columns, &case.y).unwrap();
        let loss: Box<dyn Loss> = if is_binary { Box::new(Logistic) } else { Box::new(Squared) };
        let validation = PathValidation::new(&data, loss, 20).intercept(true);
        let (found, cpu, wall) = timed(|| validation.run(settings).unwrap());
        let chosen = &found.scores[found.one_standard_error];
        let total: f64 = found.path.points.iter().map(|point| point.objective).sum();
        println!(
            "{name} rho {correlation}: {cpu:.2} s CPU, {wall:.3} s; {} features, held out {:.6}, sum of F {total:.9}",
            chosen.size, chosen.mean
        );
    }
}

fn long(name: &str, settings: &PathSettings) {
    for correlation in [0.0, 0.5, 0.9] {
        let case = case(10_000, 1000, correlation, false);
        let data = Data::dense(&case.x, case.columns, &case.y).unwrap();
        let problem = Problem::new(&data, Squared, Sparsity::at_most(50)).intercept(true);
        let empty = Problem::new(&data, Squared, Sparsity::at_most(0)).intercept(true);
        let (_, matrix, _) = timed(|| Path::trace(&empty, settings).unwrap());
        let (path, cpu, wall) = timed(|| Path::trace(&problem, settings).unwrap());
        let total: f64 = path.points.iter().map(|point| point.objective).sum();
        println!("{name} rho {correlation}: {cpu:.2} s CPU, {wall:.3} s, matrix {matrix:.2}; sum of F {total:.9}");
    }
}

fn main() {
    let parts = std::env::var("PROXDIST_PARTS").unwrap_or_else(|_| "squared,logistic,long".to_owned());
    let threads = std::env::var("PROXDIST_THREADS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let settings = PathSettings::default().threads(threads);
    if parts.contains("squared") {
        validated("2000 x 500, sizes 0 to 20, ten folds, squared", false, &settings);
        validated("2000 x 500, sizes 0 to 20, ten folds, squared, walk of 10", false, &settings.clone().walk(10));
    }
    if parts.contains("long") {
        long("10000 x 1000, sizes 0 to 50, squared", &settings);
        long("10000 x 1000, sizes 0 to 50, squared, walk of 10", &settings.clone().walk(10));
    }
    if parts.contains("logistic") {
        validated("2000 x 500, sizes 0 to 20, ten folds, logistic", true, &settings);
    }
}
