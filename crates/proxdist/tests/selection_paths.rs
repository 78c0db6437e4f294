//! Paths over the sizes of selections, on random small problems in raw units: at every size no choice of features is better, by an independent solver on each.
//! `PROXDIST_PATHS` says how many problems there are.

mod selecting;

use proxdist::loss::{Logistic, Squared};
use proxdist::path::{Criterion, Path, PathProgress, PathProof, PathSettings, PathValidation};
use proxdist::spec::SetSpec;
use proxdist::{Data, Problem, Settings};
use selecting::{Least, P, Random, some_beside, some_instance, some_rules};
use std::ops::ControlFlow;
use std::time::Duration;

#[test]
fn no_choice_of_features_is_better_at_any_size() {
    let count: u64 = std::env::var("PROXDIST_PATHS").ok().and_then(|text| text.parse().ok()).unwrap_or(15);
    let (mut sizes_seen, mut unknown, mut above) = (0, 0, Vec::new());
    for seed in 1_000..1_000 + count {
        let random = || Random::of(seed);
        let (instance, rules, beside) = {
            let mut random = random();
            let (instance, sizes) = some_instance(&mut random);
            let rules = some_rules(&mut random, None);
            let beside = some_beside(&mut random, &sizes);
            (instance, rules, beside)
        };
        let of_size = |size: usize| {
            let mut random = random();
            some_instance(&mut random);
            some_rules(&mut random, Some(size))
        };
        let text = beside.with(&rules);
        let data = Data::dense(&instance.x, P, &instance.y).unwrap().weights(&instance.weights).unwrap();
        let Ok(set) = SetSpec::parse(&text).and_then(|spec| spec.build(data.parameter_shape())) else { continue };
        let problem = Problem::new(&data, Squared, &*set).ridge(instance.ridge).intercept(instance.intercept);
        let path = Path::trace(&problem, &PathSettings::default());
        let path = path.unwrap_or_else(|error| panic!("seed {seed}, {text}: {error}"));
        assert_eq!(path.points.last().map(|point| point.size), Some(rules.most), "seed {seed}, {text}");
        let scale = instance.value(&[0.0; P], 0.0);
        let mut before = f64::INFINITY;
        for size in 0..=rules.most {
            let point = path.points.iter().find(|point| point.size == size);
            let least = instance.least_of(&of_size(size), &beside);
            if least == Least::Unknown {
                unknown += 1;
                continue;
            }
            let least = least.value();
            let Some(point) = point else {
                assert!(least.is_none(), "seed {seed}, {text}: there is a point of size {size}, {least:?}");
                continue;
            };
            let Some(least) = least else { panic!("seed {seed}, {text}: no point of size {size}, but {point:?}") };
            let (coefficients, intercept) = path.layout.into_parts(point.theta.clone());
            let value = instance.value(&coefficients.try_into().unwrap(), intercept.unwrap_or(0.0));
            assert!((value - point.objective).abs() <= 1e-9 * value.max(1e-9 * scale), "seed {seed}: {value}");
            assert!(point.objective <= before, "seed {seed}, {text}: F rises at {size}");
            before = point.objective;
            let tolerance = 1e-6 * least + 1e-9 * scale;
            assert!(value >= least - tolerance, "seed {seed}, {text}, size {size}: {value} below {least}");
            sizes_seen += 1;
            if value > least + tolerance {
                above.push(format!("seed {seed}, {text}, size {size}: {value} above {least}"));
            }
        }
    }
    println!("{sizes_seen} sizes, {unknown} that the other solver cannot judge");
    assert!(above.is_empty(), "{} of {sizes_seen}: {}", above.len(), above.join("\n"));
    assert!(sizes_seen > count && 10 * unknown < sizes_seen, "{sizes_seen} and {unknown}");
}

/// 60 rows of 12 features in raw units, of which some matter.
fn rows(is_counted: bool) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::of(7);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        let row: Vec<f64> = (0..12).map(|_| random.between(-1.0, 1.0)).collect();
        let eta = 1.5 * row[1] - row[3] + 0.8 * row[6] + 0.7 * row[7] + 0.5;
        y.push(if is_counted {
            f64::from(u8::from(eta + random.between(-1.0, 1.0) > 0.0))
        } else {
            eta + random.between(-0.6, 0.6)
        });
        x.extend(row.iter().enumerate().map(|(j, x)| x * [1.0, 10.0, 100.0][j % 3]));
    }
    (x, y)
}

const SETS: [&str; 6] = [
    "sparsity:6;keep=1,3",
    "sparsity:6;drop=2",
    "sparsity:6;most=1 per 1-4,5-8",
    "group-sparsity:3;groups=1-3,4-6,7-9,10-12",
    "sparsity:5;heredity=strong;products=12=1*2,11=3*4",
    "sparsity:5 & nonneg",
];

#[test]
fn a_fit_of_a_size_is_not_below_its_path_nor_above_where_it_starts_from_it() {
    for is_counted in [false, true] {
        let (x, y) = rows(is_counted);
        let data = Data::dense(&x, 12, &y).unwrap();
        for text in SETS {
            let spec = SetSpec::parse(text).unwrap();
            let set = spec.build(data.parameter_shape()).unwrap();
            let problem = |set| {
                let problem =
                    if is_counted { Problem::new(&data, Logistic, set) } else { Problem::new(&data, Squared, set) };
                problem.ridge(1e-3).intercept(true)
            };
            let path = Path::trace(&problem(set), &PathSettings::default()).unwrap();
            for point in &path.points {
                let set = spec.with_size(point.size).unwrap().build(data.parameter_shape()).unwrap();
                let (coefficients, intercept) = path.layout.into_parts(point.theta.clone());
                let problem = problem(set);
                let alone = problem.fit(&Settings::default()).unwrap().objective();
                assert!(point.objective <= alone * (1.0 + 1e-9), "{text} {}: {} {alone}", point.size, point.objective);
                let settings = Settings::default().start(coefficients, intercept.unwrap_or(0.0));
                let after = problem.fit(&settings).unwrap().objective();
                assert!(after <= point.objective * (1.0 + 1e-12), "{text}, size {}", point.size);
                assert!(point.stationarity <= 1e-7, "{text}: {point:?}");
            }
        }
    }
}

#[test]
fn criteria_count_the_choices_that_rules_leave() {
    let (x, y) = rows(false);
    let data = Data::dense(&x, 12, &y).unwrap();
    let path = |text: &str| {
        let set = SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap();
        Path::trace(&Problem::new(&data, Squared, set).intercept(true), &PathSettings::default()).unwrap()
    };
    let kept = path("sparsity:5;keep=2,4");
    assert_eq!(kept.points[0].size, 2);
    let (bic, ebic) = (Criterion::Bayes, Criterion::ExtendedBayes { gamma: 1.0 });
    let extra: Vec<f64> =
        kept.criterion(ebic).unwrap().iter().zip(kept.criterion(bic).unwrap()).map(|(e, b)| e - b).collect();
    // None, ten, 45 and 120 ways to take the others.
    for (extra, ways) in extra.iter().zip([1.0_f64, 10.0, 45.0, 120.0]) {
        assert!((extra - 2.0 * ways.ln()).abs() < 1e-9, "{extra} for {ways}");
    }
}

#[test]
fn sizes_are_proven_where_nothing_but_the_choice_limits_them() {
    let (x, y) = rows(false);
    let data = Data::dense(&x, 12, &y).unwrap();
    for (text, is_proven) in SETS.into_iter().zip([true, true, true, true, false, false]) {
        let set = SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap();
        let problem = Problem::new(&data, Squared, set).intercept(true);
        let mut path = Path::trace(&problem, &PathSettings::default()).unwrap();
        path.prove(&problem, PathProof::within(Duration::from_secs(20)), &mut || ControlFlow::Continue(())).unwrap();
        for point in path.points.iter().filter(|point| point.size > 0) {
            assert_eq!(point.proven().is_some(), is_proven, "{text}: {point:?}");
            assert!(point.gap.is_none_or(|gap| gap <= 1e-5 * point.objective), "{text}: {point:?}");
        }
    }
}

#[test]
fn an_interrupted_path_has_the_sizes_found_so_far() {
    let (x, y) = rows(true);
    let data = Data::dense(&x, 12, &y).unwrap();
    let set = SetSpec::parse(SETS[3]).unwrap().build(data.parameter_shape()).unwrap();
    let problem = Problem::new(&data, Logistic, set).ridge(1e-3).intercept(true);
    let whole = Path::trace(&problem, &PathSettings::default()).unwrap();
    let path = Path::trace_observed(&problem, &PathSettings::default(), &mut |progress: &PathProgress| {
        if progress.size == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let path = path.unwrap();
    assert!(path.is_interrupted && path.points.len() == 3 && whole.points.len() == 4, "{}", path.points.len());
    assert!(
        path.points
            .iter()
            .zip(&whole.points)
            .all(|(some, all)| some.size == all.size && some.objective >= all.objective)
    );
}

#[test]
fn held_out_scores_are_those_of_paths_of_the_other_rows() {
    let (x, y) = rows(false);
    let data = Data::dense(&x, 12, &y).unwrap();
    let set = SetSpec::parse("sparsity:5;keep=1,3").unwrap().build(data.parameter_shape()).unwrap();
    let fold_of: Vec<usize> = (0..60).map(|row| row % 3).collect();
    let settings = PathSettings::default().ridges([0.0, 0.01]);
    let validation = PathValidation::new(&data, Squared, 5).constraint(&*set).intercept(true).fold_of(fold_of.clone());
    let found = validation.standardize(proxdist::Standardize::Never).run(&settings).unwrap();
    assert_eq!(found.scores.len(), 2 * 4);
    for fold in 0..3 {
        let part =
            |is_held: bool| data.subset((0..60).filter(|&row| (fold_of[row] == fold) == is_held).collect()).unwrap();
        let (training, held_out) = (part(false), part(true));
        let (training, held_out) = (training.data().unwrap(), held_out.data().unwrap());
        let problem = Problem::new(&training, Squared, &*set).intercept(true);
        let path = Path::trace(&problem, &settings).unwrap();
        for (point, score) in path.points.iter().zip(&found.scores) {
            assert_eq!((point.size, point.ridge), (score.size, score.ridge));
            let (coefficients, intercept) = path.layout.into_parts(point.theta.clone());
            let held = (0..60).filter(|&row| fold_of[row] == fold);
            let losses = held.map(|row| {
                let eta: f64 = x[row * 12..(row + 1) * 12].iter().zip(&coefficients).map(|(x, t)| x * t).sum();
                0.5 * (y[row] - eta - intercept.unwrap_or(0.0)).powi(2)
            });
            let mean = losses.sum::<f64>() / held_out.rows() as f64;
            assert!((mean - score.folds[fold]).abs() <= 1e-7 * mean, "{mean} {}", score.folds[fold]);
        }
    }
}

#[test]
fn sets_without_one_number_are_refused() {
    let (x, y) = rows(false);
    let data = Data::dense(&x, 12, &y).unwrap();
    for text in ["nonneg", "blocks[1-4: sparsity:2][5-12: sparsity:3]", "jumps:2"] {
        let set = SetSpec::parse(text).unwrap().build(data.parameter_shape()).unwrap();
        let error = Path::trace(&Problem::new(&data, Squared, set), &PathSettings::default()).unwrap_err().to_string();
        assert!(error.contains("exactly one number of features or groups"), "{error}");
    }
}
