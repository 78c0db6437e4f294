//! Every set obeys the same laws: its projection is idempotent, feasible, nearest, and nonexpansive where it should be.

// Test files have no public items to document.
#![allow(missing_docs)]

mod parts;
mod selections;
mod sets;
mod shapes;
mod twins;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use proxdist::constraint::{Constraint, Workspace, projected};
use proxdist::spec::{self, SetSpec};
use proxdist::{Error, Shape};
use sets::{Case, every_set, rank};
use twins::{distance, norm};

const TOLERANCE: f64 = 1e-7;

fn build(case: &Case) -> Box<dyn Constraint> {
    SetSpec::parse(case.spec).and_then(|spec| spec.build(case.shape)).expect(case.spec)
}

fn project(set: &dyn Constraint, x: &[f64]) -> Vec<f64> {
    projected(set, x).unwrap_or_else(|error| panic!("{error}, at {x:?}"))
}

/// Ordinary numbers, with many ties and zeros among them.
fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -4.0..4.0, 2 => (-3..=3).prop_map(f64::from), 1 => Just(0.0), 1 => -0.01..0.01]
}

fn point(shape: Shape) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(entry(), shape.len())
}

/// Runs a law on two random points for every set, always the same ones.
fn for_every_set(law: impl Fn(&Case, &dyn Constraint, &[f64], &[f64])) {
    for case in every_set() {
        let set = build(&case);
        let config = Config { cases: 128, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..Config::default() };
        let outcome = TestRunner::new(config).run(&(point(case.shape), point(case.shape)), |(x, y)| {
            law(&case, &*set, &x, &y);
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", case.spec));
    }
}

#[test]
fn every_name_of_the_catalogue_is_tested() {
    let cases = every_set();
    for entry in spec::sets() {
        let used = |case: &Case| case.spec.starts_with(entry.name) || case.spec.contains(&format!(" {} ", entry.name));
        assert!(cases.iter().any(used), "{} is not tested", entry.name);
    }
}

#[test]
fn projected_points_belong_to_the_set() {
    for_every_set(|case, set, x, _| {
        let p = project(set, x);
        assert!((case.member)(&p), "{x:?} -> {p:?}");
    });
}

#[test]
fn a_second_projection_changes_nothing() {
    for_every_set(|_, set, x, _| {
        let p = project(set, x);
        let again = project(set, &p);
        assert!(distance(&again, &p) <= 1e-9, "{x:?} -> {p:?} -> {again:?}");
    });
}

#[test]
fn no_feasible_point_is_nearer() {
    for_every_set(|case, set, x, other| {
        let (p, q) = (project(set, x), project(set, other));
        assert!(distance(x, &p) <= distance(x, &q) + TOLERANCE, "{x:?} -> {p:?}, but {q:?}");
        let twin = (case.twin)(x);
        assert!((case.member)(&twin), "the twin is wrong: {x:?} -> {twin:?}");
        assert!(distance(x, &p) <= distance(x, &twin) + TOLERANCE, "{x:?} -> {p:?}, but {twin:?}");
        if set.is_convex() {
            assert!(distance(&p, &twin) <= 10.0 * TOLERANCE, "{x:?} -> {p:?}, but {twin:?}");
        }
    });
}

#[test]
fn projections_onto_convex_sets_bring_points_closer() {
    for_every_set(|_, set, x, y| {
        if set.is_convex() {
            assert!(distance(&project(set, x), &project(set, y)) <= distance(x, y) + TOLERANCE, "{x:?} and {y:?}");
        }
    });
}

#[test]
fn cones_and_scale_free_sets_are_what_they_say() {
    for_every_set(|case, set, x, y| {
        let p = project(set, x);
        if set.is_cone() {
            let longer: Vec<f64> = p.iter().map(|v| 3.5 * v).collect();
            assert!((case.member)(&longer), "{p:?}");
        }
        if set.is_scale_free() {
            let stretched: Vec<f64> = p.iter().zip(y).map(|(v, s)| v * (0.1 + s.abs())).collect();
            assert!((case.member)(&stretched), "{p:?}");
        }
    });
}

#[test]
fn a_used_workspace_changes_nothing() {
    let mut work = Workspace::default();
    for case in every_set().iter().chain(&every_set()) {
        let set = build(case);
        let x: Vec<f64> = (0..case.shape.len()).map(|j| (j as f64 * 1.7).sin() * 3.0).collect();
        let mut p = x.clone();
        set.project(&mut p, &mut work).expect(case.spec);
        assert_eq!(p, project(&*set, &x), "{}", case.spec);
    }
}

#[test]
fn hostile_points_neither_panic_nor_give_nan() {
    let fill: [&dyn Fn(usize) -> f64; 11] = [
        &|_| 0.0,
        &|_| -0.0,
        &|_| 1.0,
        &|j| if j % 2 == 0 { 5e-324 } else { -5e-324 },
        &|j| 1e-310 * (j as f64 - 1.0),
        &|j| 1e-170 * (j as f64 + 1.0),
        &|j| 1e170 * (j as f64 - 2.0),
        &|_| 1e308,
        &|j| if j % 2 == 0 { 1e308 } else { -1e308 },
        &|j| if j == 0 { f64::MAX } else { 5e-324 },
        &|j| if j == 1 { 1e16 } else { 1.0 },
    ];
    for case in every_set() {
        let set = build(&case);
        for fill in fill {
            let x: Vec<f64> = (0..case.shape.len()).map(fill).collect();
            match projected(&*set, &x) {
                Ok(p) => assert!(p.iter().all(|v| v.is_finite()), "{}: {x:?} -> {p:?}", case.spec),
                Err(Error::Projection { .. }) if x.iter().any(|v| v.abs() > 1e15) => {}
                Err(error) => panic!("{}: {x:?}: {error}", case.spec),
            }
        }
    }
}

#[test]
fn a_nan_is_never_hidden() {
    for case in every_set() {
        let set = build(&case);
        for bad in [f64::NAN, -f64::NAN] {
            let mut x = vec![0.5; case.shape.len()];
            x[1] = bad;
            if let Ok(p) = projected(&*set, &x) {
                let hidden = p.iter().all(|v| !v.is_nan());
                let only_zero_is_left = ["ball:0", "sparsity:0"].contains(&case.spec);
                assert!(!hidden || only_zero_is_left, "{}: {p:?}", case.spec);
            }
        }
        for bad in [f64::INFINITY, f64::NEG_INFINITY] {
            let mut x = vec![0.5; case.shape.len()];
            x[1] = bad;
            let _ = projected(&*set, &x);
        }
    }
}

#[test]
fn a_point_of_the_wrong_length_is_an_error_or_is_projected_onto_the_set_of_that_length() {
    let mut refused = 0;
    for case in every_set() {
        let set = build(&case);
        for length in [0, 1, 2, 5, 7, 13] {
            match projected(&*set, &vec![1.0; length]) {
                Ok(p) => {
                    assert!(p.len() == length && p.iter().all(|v| v.is_finite()), "{}: {p:?}", case.spec);
                    let again = project(&*set, &p);
                    assert!(distance(&again, &p) <= 1e-9, "{}: {p:?} -> {again:?}", case.spec);
                }
                Err(Error::Constraint { .. } | Error::Projection { .. }) => refused += 1,
                Err(error) => panic!("{}: {error}", case.spec),
            }
        }
    }
    assert!(refused > 0, "sets that describe a number of coordinates refuse others");
}

#[test]
fn ties_go_to_the_lower_index() {
    let table: [(&str, &[f64], &[f64]); 8] = [
        ("sparsity:2", &[1.0, -1.0, 1.0, 1.0], &[1.0, -1.0, 0.0, 0.0]),
        ("sparsity:2", &[1.0, -2.0, 1.0, 1.0], &[1.0, -2.0, 0.0, 0.0]),
        ("group-sparsity:1;size=2", &[0.0, 1.0, 1.0, 0.0], &[0.0, 1.0, 0.0, 0.0]),
        ("sparsity:1 & nonneg", &[-3.0, 2.0, 2.0, 2.0], &[0.0, 2.0, 0.0, 0.0]),
        ("sparsity:1 & box:-1,1", &[0.0, 5.0, -5.0, 0.0], &[0.0, 1.0, 0.0, 0.0]),
        ("sparsity:2 & simplex", &[0.5, 0.5, 0.5, 0.5], &[0.5, 0.5, 0.0, 0.0]),
        ("sparsity:1 & l1:1", &[-2.0, 2.0, 2.0, 2.0], &[-1.0, 0.0, 0.0, 0.0]),
        ("sparsity:1 & ball:1", &[0.0, -2.0, 2.0, 2.0], &[0.0, -1.0, 0.0, 0.0]),
    ];
    for (spec, x, expected) in table {
        let set = SetSpec::parse(spec).and_then(|spec| spec.build(Shape::Vector(4))).expect(spec);
        assert_eq!(project(&*set, x), expected, "{spec}");
    }
}

#[test]
fn large_matrices_agree_with_jacobi_rotations_near_and_far_from_low_rank() {
    for (rows, columns, rank) in [(40, 40, 2), (36, 50, 3), (50, 33, 1), (70, 60, 4)] {
        for noise in [0.0, 1e-12, 1e-6, 1e-2, 0.3, 3.0] {
            let wave = |k: usize, i: usize| ((k * 31 + i * 17 + 1) as f64 * 0.73).sin();
            let mut state = 1_u64;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
            };
            let x: Vec<f64> = (0..rows * columns)
                .map(|at| {
                    (0..rank).map(|k| wave(k, at / columns) * wave(k + 9, at % columns)).sum::<f64>() + noise * random()
                })
                .collect();
            let set = SetSpec::Rank { rank }.build(Shape::Matrix { rows, columns }).expect("fits");
            let p = project(&*set, &x);
            let twin = twins::low_rank(&x, rows, columns, rank);
            assert!(distance(&p, &twin) <= 1e-11 * norm(&x), "{rows}x{columns} {noise}: {}", distance(&p, &twin));
            for factor in [1e-200, 1e200] {
                let scaled: Vec<f64> = x.iter().map(|v| v * factor).collect();
                let back: Vec<f64> = project(&*set, &scaled).iter().map(|v| v / factor).collect();
                assert!(distance(&back, &p) <= 1e-11 * norm(&x));
            }
        }
    }
}

#[test]
fn matrices_with_lost_or_equal_singular_values_are_handled() {
    let shape = Shape::Matrix { rows: 30, columns: 30 };
    let set = SetSpec::Rank { rank: 2 }.build(shape).expect("fits");
    let diagonal = |values: &[f64]| -> Vec<f64> {
        (0..900).map(|at| if at / 30 == at % 30 { values.get(at / 30).copied().unwrap_or(0.0) } else { 0.0 }).collect()
    };
    for values in [&[1.0][..], &[1.0, 1e-7, 1e-9], &[1.0, 1e-13, 1e-14], &[1e9, 1.0, 0.5]] {
        let p = project(&*set, &diagonal(values));
        assert!(distance(&p, &diagonal(&values[..values.len().min(2)])) <= 1e-13 * values[0], "{values:?}");
    }
    let identity = diagonal(&[1.0; 30]);
    let p = project(&*set, &identity);
    assert!((distance(&identity, &p) - 28.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!(rank(&p, 30, 30), 2);
}
