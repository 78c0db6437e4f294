//! Every set obeys the same laws: its projection is idempotent, feasible, nearest, and nonexpansive where it should be.

// Test files have no public items to document.
#![allow(missing_docs)]

mod twins;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use proxdist::constraint::{Constraint, Workspace, projected};
use proxdist::spec::{SetSpec, sets};
use proxdist::{Error, Shape};
use twins::{distance, dot, norm};

const TOLERANCE: f64 = 1e-7;

type Member = Box<dyn Fn(&[f64]) -> bool>;
type Twin = Box<dyn Fn(&[f64]) -> Vec<f64>>;

/// A set, a membership test and a naive projection, the last two independent of the library.
struct Case {
    spec: &'static str,
    shape: Shape,
    member: Member,
    twin: Twin,
}

fn case(
    spec: &'static str,
    shape: Shape,
    member: impl Fn(&[f64]) -> bool + 'static,
    twin: impl Fn(&[f64]) -> Vec<f64> + 'static,
) -> Case {
    Case { spec, shape, member: Box::new(member), twin: Box::new(twin) }
}

const V6: Shape = Shape::Vector(6);
const V3: Shape = Shape::Vector(3);
const M4X3: Shape = Shape::Matrix { rows: 4, columns: 3 };
const M3X4: Shape = Shape::Matrix { rows: 3, columns: 4 };
const INF: f64 = f64::INFINITY;

/// Everything that is tested; a new set is a new line in one of the lists below.
fn every_set() -> Vec<Case> {
    [basic_sets(), structured_sets(), sparse_sets(), cones_in_a_ball(), iterated_sets()].into_iter().flatten().collect()
}

/// The first half of the grammar: one rule for each entry, or for their size.
fn basic_sets() -> Vec<Case> {
    vec![
        case("none", V6, |_| true, <[f64]>::to_vec),
        case("ball:1.5", V6, |x| at_most(norm(x), 1.5), |x| twins::ball(x, &[0.0; 6], 1.5)),
        case("ball:0", V6, |x| at_most(norm(x), 0.0), |x| vec![0.0; x.len()]),
        case(
            "ball:1;center=0.5,0,1",
            V3,
            |x| at_most(distance(x, &[0.5, 0.0, 1.0]), 1.0),
            |x| twins::ball(x, &[0.5, 0.0, 1.0], 1.0),
        ),
        case("sparsity:0", V6, |x| nonzeros(x) == 0, |x| vec![0.0; x.len()]),
        case("sparsity:2", V6, |x| nonzeros(x) <= 2, |x| twins::sparse(x, 2, |v, _| Some(v.to_vec()))),
        case("sparsity:6", V6, |_| true, <[f64]>::to_vec),
        case("rank:1", M4X3, |x| rank(x, 4, 3) <= 1, |x| twins::low_rank(x, 4, 3, 1)),
        case("rank:2", M3X4, |x| rank(x, 3, 4) <= 2, |x| twins::low_rank(x, 3, 4, 2)),
        case("box:-1,2", V6, |x| within(x, -1.0, 2.0), |x| twins::bounds(x, &[-1.0; 6], &[2.0; 6])),
        case(
            "box;lower=0,0.5,-inf;upper=1,inf,-1",
            V3,
            |x| within(&x[..1], 0.0, 1.0) && x[1] >= 0.5 && x[2] <= -1.0,
            |x| twins::bounds(x, &[0.0, 0.5, -INF], &[1.0, INF, -1.0]),
        ),
        case("nonneg", V6, |x| within(x, 0.0, INF), twins::positive),
    ]
}

/// The second half: sums, equations, order, groups, blocks.
fn structured_sets() -> Vec<Case> {
    vec![
        case("l1:2.5", V6, |x| at_most(sum_of_magnitudes(x), 2.5), |x| twins::l1_ball(x, 2.5)),
        case("linf:1.5", V6, |x| within(x, -1.5, 1.5), |x| twins::bounds(x, &[-1.5; 6], &[1.5; 6])),
        case("simplex", V6, |x| on_simplex(x, 1.0), |x| twins::simplex(x, 1.0)),
        case("simplex:3", V3, |x| on_simplex(x, 3.0), |x| twins::simplex(x, 3.0)),
        case(
            "affine;a=1,1,1|1,-1,0;b=1,0",
            V3,
            |x| close(x.iter().sum(), 1.0) && close(x[0], x[1]),
            |x| twins::affine(x, &[vec![1.0, 1.0, 1.0], vec![1.0, -1.0, 0.0]], &[1.0, 0.0]),
        ),
        case(
            "affine;a=1,2,3;b=0",
            V3,
            |x| close(dot(x, &[1.0, 2.0, 3.0]), 0.0),
            |x| twins::affine(x, &[vec![1.0, 2.0, 3.0]], &[0.0]),
        ),
        case(
            "halfspace;a=1,-2,0.5;b=0.7",
            V3,
            |x| at_most(dot(x, &[1.0, -2.0, 0.5]), 0.7),
            |x| twins::half_space(x, &[1.0, -2.0, 0.5], 0.7, <[f64]>::to_vec),
        ),
        case("monotone", V6, |x| x.windows(2).all(|w| at_most(w[0], w[1])), twins::increasing),
        case(
            "monotone:decreasing",
            V6,
            |x| x.windows(2).all(|w| at_most(w[1], w[0])),
            |x| twins::reversed(x, twins::increasing),
        ),
        case(
            "group-sparsity:1;groups=0+2,1+3-4,5",
            V6,
            |x| nonzero_groups(x, &listed()) <= 1,
            |x| twins::by_support(x, &listed(), 1, |v, _| Some(v.to_vec())),
        ),
        case(
            "group-sparsity:2;size=2",
            V6,
            |x| nonzero_groups(x, &pairs()) <= 2,
            |x| twins::by_support(x, &pairs(), 2, |v, _| Some(v.to_vec())),
        ),
        case(
            "blocks[0-1: simplex][3-5: sparsity:1 & nonneg]",
            V6,
            |x| on_simplex(&x[..2], 1.0) && nonzeros(&x[3..]) <= 1 && within(&x[3..], 0.0, INF),
            |x| {
                let sparse = twins::sparse(&x[3..], 1, |v, _| Some(twins::positive(v)));
                [twins::simplex(&x[..2], 1.0), vec![x[2]], sparse].concat()
            },
        ),
    ]
}

/// Sparsity with limits, a sum or a length, exactly.
fn sparse_sets() -> Vec<Case> {
    vec![
        case(
            "sparsity:2 & nonneg",
            V6,
            |x| nonzeros(x) <= 2 && within(x, 0.0, INF),
            |x| twins::sparse(x, 2, |v, _| Some(twins::positive(v))),
        ),
        case(
            "linf:1.5 & sparsity:3",
            V6,
            |x| nonzeros(x) <= 3 && within(x, -1.5, 1.5),
            |x| twins::sparse(x, 3, |v, _| Some(twins::bounds(v, &[-1.5; 6], &[1.5; 6]))),
        ),
        case(
            "sparsity:2 & box:-1,2",
            V6,
            |x| nonzeros(x) <= 2 && within(x, -1.0, 2.0),
            |x| twins::sparse(x, 2, |v, _| Some(twins::bounds(v, &[-1.0; 6], &[2.0; 6]))),
        ),
        case(
            "sparsity:2 & box;lower=-1,0.5,-inf;upper=1,inf,0",
            V3,
            |x| nonzeros(x) <= 2 && within(&x[..1], -1.0, 1.0) && x[1] >= 0.5 && x[2] <= 0.0,
            |x| twins::sparse(x, 2, limited),
        ),
        case(
            "sparsity:3 & simplex:2",
            V6,
            |x| nonzeros(x) <= 3 && on_simplex(x, 2.0),
            |x| twins::sparse(x, 3, |v, _| (!v.is_empty()).then(|| twins::simplex(v, 2.0))),
        ),
        case(
            "sparsity:2 & l1:1.5",
            V6,
            |x| nonzeros(x) <= 2 && at_most(sum_of_magnitudes(x), 1.5),
            |x| twins::sparse(x, 2, |v, _| Some(twins::l1_ball(v, 1.5))),
        ),
        case(
            "nonneg & sparsity:2 & l1:1.5",
            V6,
            |x| nonzeros(x) <= 2 && within(x, 0.0, INF) && at_most(sum_of_magnitudes(x), 1.5),
            |x| twins::sparse(x, 2, |v, _| Some(twins::l1_ball(&twins::positive(v), 1.5))),
        ),
        case(
            "sparsity:2 & ball:1.5",
            V6,
            |x| nonzeros(x) <= 2 && at_most(norm(x), 1.5),
            |x| twins::sparse(x, 2, |v, _| Some(twins::ball(v, &[0.0; 6], 1.5))),
        ),
        case(
            "ball:1.5 & nonneg & sparsity:2",
            V6,
            |x| nonzeros(x) <= 2 && at_most(norm(x), 1.5) && within(x, 0.0, INF),
            |x| twins::sparse(x, 2, |v, _| Some(twins::cone_in_ball(v, 1.5, twins::positive))),
        ),
    ]
}

/// Other cones in a ball around the origin, exactly.
fn cones_in_a_ball() -> Vec<Case> {
    vec![
        case(
            "nonneg & ball:1.5",
            V6,
            |x| at_most(norm(x), 1.5) && within(x, 0.0, INF),
            |x| twins::cone_in_ball(x, 1.5, twins::positive),
        ),
        case(
            "monotone & ball:1.5",
            V6,
            |x| at_most(norm(x), 1.5) && x.windows(2).all(|w| at_most(w[0], w[1])),
            |x| twins::cone_in_ball(x, 1.5, twins::increasing),
        ),
        case(
            "group-sparsity:2;size=2 & ball:1.5",
            V6,
            |x| at_most(norm(x), 1.5) && nonzero_groups(x, &pairs()) <= 2,
            |x| twins::by_support(x, &pairs(), 2, |v, _| Some(twins::ball(v, &[0.0; 6], 1.5))),
        ),
        case(
            "rank:1 & ball:2",
            M4X3,
            |x| at_most(norm(x), 2.0) && rank(x, 4, 3) <= 1,
            |x| twins::ball(&twins::low_rank(x, 4, 3, 1), &[0.0; 12], 2.0),
        ),
        case(
            "blocks[0-2: monotone] & ball:1.5",
            V6,
            |x| at_most(norm(x), 1.5) && at_most(x[0], x[1]) && at_most(x[1], x[2]),
            |x| twins::cone_in_ball(x, 1.5, |v| [twins::increasing(&v[..3]), v[3..].to_vec()].concat()),
        ),
    ]
}

/// Convex sets together, by Dykstra's algorithm.
fn iterated_sets() -> Vec<Case> {
    vec![
        case(
            "simplex & box:0,0.4",
            V6,
            |x| on_simplex(x, 1.0) && within(x, 0.0, 0.4),
            |x| twins::capped_simplex(x, 1.0, 0.4),
        ),
        case(
            "nonneg & halfspace;a=1,2,0.5;b=0.7",
            V3,
            |x| within(x, 0.0, INF) && at_most(dot(x, &[1.0, 2.0, 0.5]), 0.7),
            |x| twins::half_space(x, &[1.0, 2.0, 0.5], 0.7, twins::positive),
        ),
        case(
            "l1:1.5 & nonneg",
            V6,
            |x| within(x, 0.0, INF) && at_most(sum_of_magnitudes(x), 1.5),
            |x| twins::l1_ball(&twins::positive(x), 1.5),
        ),
        case(
            "monotone & nonneg",
            V6,
            |x| within(x, 0.0, INF) && x.windows(2).all(|w| at_most(w[0], w[1])),
            |x| twins::positive(&twins::increasing(x)),
        ),
        case(
            "none & box:-1,2 & ball:1.5;center=0,0,0,0,0,0 & none",
            V6,
            |x| within(x, -1.0, 2.0) && at_most(norm(x), 1.5),
            |x| twins::cone_in_ball(x, 1.5, |v| twins::bounds(v, &[-1.0; 6], &[2.0; 6])),
        ),
    ]
}

fn at_most(a: f64, b: f64) -> bool {
    a <= b + TOLERANCE
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE
}

fn within(x: &[f64], lower: f64, upper: f64) -> bool {
    x.iter().all(|v| at_most(lower, *v) && at_most(*v, upper))
}

fn nonzeros(x: &[f64]) -> usize {
    x.iter().filter(|v| **v != 0.0).count()
}

fn sum_of_magnitudes(x: &[f64]) -> f64 {
    x.iter().map(|v| v.abs()).sum()
}

fn on_simplex(x: &[f64], total: f64) -> bool {
    within(x, 0.0, INF) && close(x.iter().sum(), total)
}

fn rank(x: &[f64], rows: usize, columns: usize) -> usize {
    twins::singular_parts(x, rows, columns).iter().filter(|(value, _)| *value > TOLERANCE).count()
}

fn listed() -> Vec<Vec<usize>> {
    vec![vec![0, 2], vec![1, 3, 4], vec![5]]
}

fn pairs() -> Vec<Vec<usize>> {
    vec![vec![0, 1], vec![2, 3], vec![4, 5]]
}

fn nonzero_groups(x: &[f64], groups: &[Vec<usize>]) -> usize {
    groups.iter().filter(|group| group.iter().any(|&j| x[j] != 0.0)).count()
}

/// The limits -1..1, 0.5..inf, -inf..0 on a support; entry 1 cannot be left out.
fn limited(values: &[f64], support: &[usize]) -> Option<Vec<f64>> {
    let (lower, upper) = ([-1.0, 0.5, -INF], [1.0, INF, 0.0]);
    let pick = |limits: [f64; 3]| support.iter().map(|&j| limits[j]).collect::<Vec<_>>();
    support.contains(&1).then(|| twins::bounds(values, &pick(lower), &pick(upper)))
}

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
    for entry in sets() {
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
fn a_point_of_the_wrong_length_is_an_error_or_harmless() {
    for case in every_set() {
        let set = build(&case);
        for length in [0, 1, 2, 5, 7, 13] {
            let _ = projected(&*set, &vec![1.0; length]);
        }
    }
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
