//! Polyhedra, cones and shapes of the coefficient vector: real data against independent solutions, small problems in raw units against every choice.

// Test files have no public items to document.
#![allow(missing_docs)]

mod enumeration;

use enumeration::{least_squares, subsets};
use proxdist::constraint::{Breaks, Curved, Fused, WholeSpace};
use proxdist::loss::{Logistic, Squared};
use proxdist::spec::SetSpec;
use proxdist::{Data, Exchanges, Fit, Problem, Settings, Stop};
use std::path::{Path, PathBuf};

/// Both columns of a file of the shared collection: `$PROXDIST_DATA`, or `shared/data` beside the repository.
fn shared(name: &str) -> Option<(Vec<f64>, Vec<f64>)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("PROXDIST_DATA").map_or_else(beside, PathBuf::from).join(name);
    if !path.exists() {
        assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
        println!("skipped: no data ({})", path.display());
        return None;
    }
    let text = std::fs::read_to_string(path).expect("text");
    Some(
        text.lines()
            .skip(1)
            .map(|line| line.split_once(',').unwrap())
            .map(|(x, y)| (x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap()))
            .unzip(),
    )
}

/// The identity: coefficients are the values of a signal.
fn identity(size: usize) -> Vec<f64> {
    (0..size * size).map(|at| f64::from(u8::from(at / size == at % size))).collect()
}

/// Numbers between −1 and 1 that look random, the same for the same seed.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..8).for_each(|_| {
        next();
    });
    (0..count).map(|_| next()).collect()
}

fn is_optimal(fit: &Fit, share: f64) -> bool {
    fit.certificate().gap.is_some_and(|gap| gap.value <= share * fit.objective())
}

/// 174 years, slopes that never fall: 172 half-spaces, by the shape and row by row. The multipliers are found by elimination from the residuals alone: nonnegative,
/// and zero wherever the curve bends, they prove the optimum without any solver.
#[test]
fn a_convex_regression_has_its_multipliers() {
    let Some((_, y)) = shared("classic/global_temperature.csv") else { return };
    let size = y.len();
    let x = identity(size);
    let data = Data::dense(&x, size, &y).unwrap();
    let row = |j: usize| {
        (0..size)
            .map(|l| {
                if l == j || l == j + 2 {
                    "-1"
                } else if l == j + 1 {
                    "2"
                } else {
                    "0"
                }
            })
            .collect::<Vec<_>>()
            .join(",")
    };
    let rows = (0..size - 2).map(row).collect::<Vec<_>>().join("|");
    let polyhedron = format!("polyhedron;a={rows};b={}", vec!["0"; size - 2].join(","));
    for text in ["convex", &polyhedron] {
        let set = SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap();
        let fit = Problem::new(&data, Squared, &set).fit(&Settings::default()).unwrap();
        assert_eq!(fit.stop(), Stop::Polished);
        assert!(is_optimal(&fit, 1e-10), "{:?}", fit.certificate());
        let theta = fit.coefficients();
        let bend = |j: usize| theta[j] - 2.0 * theta[j + 1] + theta[j + 2];
        assert!((0..size - 2).all(|j| bend(j) >= -1e-12));
        // y − θ = Σ μ_j (−e_j + 2e_{j+1} − e_{j+2})
        let (mut before, mut last) = (0.0, 0.0);
        for j in 0..size {
            let multiplier = -(y[j] - theta[j]) + 2.0 * last - before;
            if j < size - 2 {
                assert!(multiplier >= -1e-8, "{j}: {multiplier}");
                assert!(multiplier * bend(j) <= 1e-9, "{j}: {multiplier} and {}", bend(j));
            } else {
                assert!(multiplier.abs() < 1e-8, "{j}: {multiplier}");
            }
            (before, last) = (last, multiplier);
        }
    }
}

/// A sum of squares, and where the jumps are.
type Best = (f64, Vec<usize>);

/// The least sum of squares of pieces that end at `end` with so many jumps, and the jumps: recursion over the last piece, each piece summed up afresh.
fn changepoints(y: &[f64], jumps: usize, end: usize, known: &mut [Vec<Option<Best>>]) -> Best {
    if let Some(found) = &known[jumps][end] {
        return found.clone();
    }
    let cost = |from: usize| {
        let mean = y[from..end].iter().sum::<f64>() / (end - from) as f64;
        y[from..end].iter().map(|v| (v - mean).powi(2)).sum::<f64>()
    };
    let mut best = (cost(0), Vec::new());
    for from in 1..end {
        if jumps > 0 {
            let (before, mut at) = changepoints(y, jumps - 1, from, known);
            if before + cost(from) < best.0 - 1e-12 {
                at.push(from);
                best = (before + cost(from), at);
            }
        }
    }
    known[jumps][end] = Some(best.clone());
    best
}

#[test]
fn changepoints_are_those_of_dynamic_programming() {
    for name in ["classic/mendota.csv", "classic/global_temperature.csv"] {
        let Some((_, y)) = shared(name) else { return };
        let size = y.len();
        let x = identity(size);
        let data = Data::dense(&x, size, &y).unwrap();
        for most in 0..=4 {
            let fit = Problem::new(&data, Squared, Breaks::jumps(most)).fit(&Settings::default()).unwrap();
            let mut known = vec![vec![None; size + 1]; most + 1];
            let (squares, at) = changepoints(&y, most, size, &mut known);
            let found: Vec<usize> = (1..size).filter(|&j| fit.coefficients()[j] != fit.coefficients()[j - 1]).collect();
            assert_eq!(found, at, "{name}, {most}");
            assert!((2.0 * size as f64 * fit.objective() - squares).abs() <= 1e-10 * squares, "{name}, {most}");
            assert_eq!(fit.certificate().exchanges, Exchanges::EveryChoice);
            assert_eq!(fit.stop(), Stop::Polished);
        }
    }
}

/// Every place of one and of two kinks, by least squares on hinges.
#[test]
fn kinks_of_a_signal_are_the_best_of_all() {
    let Some((years, y)) = shared("classic/global_temperature.csv") else { return };
    // Every second year, so that all pairs are few enough.
    let (years, y): (Vec<f64>, Vec<f64>) = years.into_iter().zip(y).step_by(2).unzip();
    let size = y.len();
    let x = identity(size);
    let data = Data::dense(&x, size, &y).unwrap();
    let line = |at: f64| years.iter().map(|t| (t - at).max(0.0)).collect::<Vec<_>>();
    for most in 0..=2 {
        let fit = Problem::new(&data, Squared, Breaks::kinks(most).at(years.clone()).unwrap())
            .fit(&Settings::default())
            .unwrap();
        let best = subsets(size - 2, most).into_iter().map(|kinks| {
            let hinges = kinks.iter().map(|j| line(years[j + 1]));
            least_squares([vec![1.0; size], line(years[0])].into_iter().chain(hinges), &y)
        });
        let best = best.fold(f64::INFINITY, f64::min) / (2.0 * size as f64);
        assert!((fit.objective() - best).abs() <= 1e-10 * best, "{most}: {} but {best}", fit.objective());
        assert_eq!(fit.certificate().exchanges, Exchanges::EveryChoice);
    }
}

/// A small regression in raw units with weights, and what its least F over given columns is.
struct Small {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    columns: usize,
    ridge: f64,
    intercept: bool,
}

impl Small {
    fn random(seed: u64) -> Self {
        let (rows, columns) = (14 + (seed % 9) as usize, 6 + (seed % 3) as usize);
        let units: Vec<f64> = numbers(columns, seed + 1).iter().map(|u| 10f64.powf(1.5 * u)).collect();
        let x: Vec<f64> =
            numbers(rows * columns, seed).iter().enumerate().map(|(at, v)| v * units[at % columns]).collect();
        let noise = numbers(rows, seed + 2);
        let truth = |j: usize| if 2 * j < columns { 1.0 } else { -0.5 };
        let y = (0..rows)
            .map(|i| (0..columns).map(|j| x[i * columns + j] * truth(j)).sum::<f64>() + 3.0 + noise[i])
            .collect();
        let weights = numbers(rows, seed + 3).iter().map(|w| 1.5 + w).collect();
        Self { x, y, weights, columns, ridge: if seed.is_multiple_of(2) { 0.0 } else { 0.03 }, intercept: seed % 4 < 2 }
    }

    /// The least F over the span of a basis of coefficients: the ridge as rows of its own.
    fn least(&self, basis: &[Vec<f64>]) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let rows = self.y.len();
        let ridge = (self.ridge * total).sqrt();
        let column = |b: &Vec<f64>| {
            let product = |i: usize| (0..self.columns).map(|j| self.x[i * self.columns + j] * b[j]).sum::<f64>();
            let above = (0..rows).map(|i| self.weights[i].sqrt() * product(i));
            above.chain(b.iter().map(|b| ridge * b)).collect::<Vec<f64>>()
        };
        let pad = |v: Vec<f64>| [v, vec![0.0; self.columns]].concat();
        let ones = self.intercept.then(|| pad(self.weights.iter().map(|w| w.sqrt()).collect()));
        let y = pad(self.y.iter().zip(&self.weights).map(|(y, w)| y * w.sqrt()).collect());
        least_squares(ones.into_iter().chain(basis.iter().map(column)), &y) / (2.0 * total)
    }

    fn data(&self) -> Data<'_> {
        Data::dense(&self.x, self.columns, &self.y).unwrap().weights(&self.weights).unwrap()
    }
}

fn steps(columns: usize, jumps: &[usize]) -> Vec<Vec<f64>> {
    let step = |from: usize| (0..columns).map(|l| f64::from(u8::from(l >= from))).collect();
    std::iter::once(0).chain(jumps.iter().copied()).map(step).collect()
}

fn hinges(columns: usize, kinks: &[usize]) -> Vec<Vec<f64>> {
    let hinge = |from: usize| (0..columns).map(|l| l.saturating_sub(from) as f64).collect();
    std::iter::once(vec![1.0; columns]).chain(std::iter::once(0).chain(kinks.iter().copied()).map(hinge)).collect()
}

/// Jumps and kinks of coefficients of any features: never below the best choice, and at it.
#[test]
fn breaks_are_the_best_of_every_choice() {
    for seed in 0..60 {
        let small = Small::random(seed);
        let (data, columns) = (small.data(), small.columns);
        for (set, most, basis) in [
            (Breaks::jumps(1), 1, steps as fn(usize, &[usize]) -> Vec<Vec<f64>>),
            (Breaks::jumps(3), 3, steps),
            (Breaks::kinks(1), 1, hinges),
            (Breaks::kinks(2), 2, hinges),
        ] {
            let candidates = set.candidates(columns).len();
            let choices = subsets(candidates, most);
            let best = choices
                .iter()
                .map(|choice| small.least(&basis(columns, &choice.iter().map(|j| j + 1).collect::<Vec<_>>())));
            let best = best.fold(f64::INFINITY, f64::min);
            let problem = Problem::new(&data, Squared, &set).ridge(small.ridge).intercept(small.intercept);
            let fit = problem.fit(&Settings::default()).unwrap();
            let (value, certificate) = (fit.objective(), fit.certificate());
            assert!(value >= best * (1.0 - 1e-9), "{seed} {set:?}: {value} is below {best}");
            assert!(value <= best * (1.0 + 1e-9), "{seed} {set:?}: {value} is above {best}, {certificate:?}");
            assert!(certificate.exchanges.are_exhausted(), "{seed} {set:?}: {certificate:?}");
            assert!(
                certificate.gap.is_none_or(|gap| gap.value >= value - best - 1e-9 * best),
                "{seed} {set:?}: {certificate:?}"
            );
        }
    }
}

/// Other losses: every choice fitted on the features that steps make of the columns.
#[test]
fn jumps_of_a_logistic_model_are_the_best_of_every_choice() {
    for seed in 0..12 {
        let small = Small::random(seed);
        let columns = small.columns;
        let y: Vec<f64> = small
            .y
            .iter()
            .zip(numbers(small.y.len(), seed + 9))
            .map(|(y, u)| f64::from(u8::from(y - 3.0 > 2.0 * u)))
            .collect();
        let data = Data::dense(&small.x, columns, &y).unwrap();
        let ridge = 0.05;
        let fit = Problem::new(&data, Logistic, Breaks::jumps(2))
            .ridge(ridge)
            .intercept(true)
            .fit(&Settings::default())
            .unwrap();
        let mut best = f64::INFINITY;
        for jumps in subsets(columns - 1, 2) {
            // The ridge of all coefficients of a piece is that of one coefficient, as often as the piece is long.
            let ends: Vec<usize> = [jumps[0] + 1, jumps[1] + 1, columns].to_vec();
            let starts = [0, ends[0], ends[1]];
            let x: Vec<f64> = small
                .x
                .chunks_exact(columns)
                .flat_map(|row| {
                    (0..3)
                        .map(|k| row[starts[k]..ends[k]].iter().sum::<f64>() / ((ends[k] - starts[k]) as f64).sqrt())
                        .collect::<Vec<_>>()
                })
                .collect();
            let pieces = Data::dense(&x, 3, &y).unwrap();
            let one = Problem::new(&pieces, Logistic, WholeSpace)
                .ridge(ridge)
                .intercept(true)
                .fit(&Settings::default())
                .unwrap();
            best = best.min(one.objective());
        }
        assert!(
            (fit.objective() - best).abs() <= 1e-9 * best,
            "{seed}: {} but {best}, {:?}",
            fit.objective(),
            fit.certificate()
        );
        assert_eq!(fit.certificate().exchanges, Exchanges::EveryChoice, "{seed}");
    }
}

/// A limit on the variation is a limit on the L1 norm of steps: another parametrisation, another finish, the same optimum.
#[test]
fn little_variation_is_an_l1_ball_of_steps() {
    for seed in 0..10 {
        let small = Small::random(4 * seed);
        let (data, columns) = (small.data(), small.columns);
        let fit = Problem::new(&data, Squared, Fused::radius(0.8).unwrap())
            .intercept(true)
            .fit(&Settings::default())
            .unwrap();
        let sums: Vec<f64> = small
            .x
            .chunks_exact(columns)
            .flat_map(|row| (0..columns).map(|j| row[j..].iter().sum::<f64>()).collect::<Vec<_>>())
            .collect();
        let other = Data::dense(&sums, columns, &small.y).unwrap().weights(&small.weights).unwrap();
        let set =
            SetSpec::parse(&format!("blocks[2-{columns}: l1:0.8]")).unwrap().build(other.parameter_shape()).unwrap();
        let twin = Problem::new(&other, Squared, &set).intercept(true).fit(&Settings::default()).unwrap();
        assert!(
            (fit.objective() - twin.objective()).abs() <= 1e-9 * twin.objective(),
            "{seed}: {} {}",
            fit.objective(),
            twin.objective()
        );
        assert!(is_optimal(&fit, 1e-8), "{seed}: {:?}", fit.certificate());
    }
}

/// Rows in one set, and as many sets as rows.
#[test]
fn a_polyhedron_is_the_intersection_of_its_rows() {
    for seed in 0..20 {
        let small = Small::random(seed);
        let (data, columns) = (small.data(), small.columns);
        let a = numbers(3 * columns, seed + 5);
        let text = |row: &[f64]| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = a.chunks_exact(columns).map(text).collect();
        let ones = text(&vec![1.0; columns]);
        let one = format!("polyhedron;a={}|{};b=0.1,-0.2;e={ones};f=0.5", rows[0], rows[1]);
        let all = format!("halfspace;a={};b=0.1 & halfspace;a={};b=-0.2 & affine;a={ones};b=0.5", rows[0], rows[1]);
        let fits = [one, all].map(|text| {
            let set = SetSpec::parse(&text).unwrap().build(data.parameter_shape()).unwrap();
            let problem = Problem::new(&data, Squared, set).ridge(small.ridge).intercept(small.intercept);
            problem.fit(&Settings::default()).unwrap()
        });
        let [one, all] = &fits;
        assert!((one.objective() - all.objective()).abs() <= 1e-10 * all.objective(), "{seed}");
        assert!(is_optimal(one, 1e-8), "{seed}: {:?}", one.certificate());
        assert!(one.certificate().distance < 1e-12, "{seed}: {:?}", one.certificate());
    }
}

/// Monotone and convex together, on features in raw units: the certificate proves it.
#[test]
fn shapes_combine_and_are_proven() {
    for seed in 0..10 {
        let small = Small::random(seed);
        let data = small.data();
        for text in ["monotone & convex", "concave", "convex & nonneg", "convex & ball:1"] {
            let set = SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap();
            let problem = Problem::new(&data, Squared, &set).ridge(small.ridge).intercept(small.intercept);
            let fit = problem.fit(&Settings::default()).unwrap();
            assert!(is_optimal(&fit, 1e-8), "{seed} {text}: {:?}", fit.certificate());
        }
        let problem = Problem::new(&data, Squared, Curved::convex());
        assert!(problem.fit(&Settings::default()).unwrap().certificate().distance < 1e-9);
    }
}

/// Little variation beside other sets meets in corners where many rows hold: what is called finished there is optimal.
#[test]
fn little_variation_beside_other_sets_is_never_certified_falsely() {
    let mut finished = 0;
    for seed in 0..10 {
        let small = Small::random(seed);
        let data = small.data();
        for text in ["fused:1 & nonneg", "fused:1 & ball:1"] {
            let set = SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap();
            let problem = Problem::new(&data, Squared, &set).ridge(small.ridge).intercept(small.intercept);
            let fit = problem.fit(&Settings::default()).unwrap();
            let is_finished = fit.stop() == Stop::Polished;
            finished += usize::from(is_finished);
            assert!(!is_finished || is_optimal(&fit, 1e-8), "{seed} {text}: {:?}", fit.certificate());
        }
    }
    assert!(finished >= 12, "{finished} of 20");
}

/// The best coefficients in a second-order cone are the fixed point of a projected gradient step, and the bound by projections says how near.
#[test]
fn a_cone_ends_near_the_optimum() {
    for seed in 0..6 {
        let rows = 40;
        let x = numbers(rows * 4, seed);
        let y: Vec<f64> = x
            .chunks_exact(4)
            .zip(numbers(rows, seed + 1))
            .map(|(row, e)| row[1] - row[2] + 0.2 * row[0] + 0.1 * e)
            .collect();
        let data = Data::dense(&x, 4, &y).unwrap();
        let set = SetSpec::parse("cone").unwrap().build(data.parameter_shape()).unwrap();
        let fit = Problem::new(&data, Squared, &set).fit(&Settings::default()).unwrap();
        assert!(is_optimal(&fit, 1e-6), "{seed}: {:?}", fit.certificate());
    }
}
