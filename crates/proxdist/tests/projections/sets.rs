//! The sets that are tested, each with a membership test and a naive projection.

use crate::selections::{selections, within_sets};
use crate::twins::{self, distance, dot, norm};
use crate::{TOLERANCE, parts, shapes};
use proxdist::Shape;

type Member = Box<dyn Fn(&[f64]) -> bool>;
type Twin = Box<dyn Fn(&[f64]) -> Vec<f64>>;

/// A set, a membership test and a naive projection, the last two independent of the library.
pub(crate) struct Case {
    pub(crate) spec: &'static str,
    pub(crate) shape: Shape,
    pub(crate) member: Member,
    pub(crate) twin: Twin,
}

pub(crate) fn case(
    spec: &'static str,
    shape: Shape,
    member: impl Fn(&[f64]) -> bool + 'static,
    twin: impl Fn(&[f64]) -> Vec<f64> + 'static,
) -> Case {
    Case { spec, shape, member: Box::new(member), twin: Box::new(twin) }
}

pub(crate) const V6: Shape = Shape::Vector(6);
pub(crate) const V3: Shape = Shape::Vector(3);
const M4X3: Shape = Shape::Matrix { rows: 4, columns: 3 };
const M3X4: Shape = Shape::Matrix { rows: 3, columns: 4 };
pub(crate) const INF: f64 = f64::INFINITY;

/// Everything that is tested; a new set is a new line in one of the lists below.
pub(crate) fn every_set() -> Vec<Case> {
    let lists = [
        basic_sets(),
        structured_sets(),
        sparse_sets(),
        cones_in_a_ball(),
        iterated_sets(),
        parts::sets_on_parts(),
        shapes::rows_and_shapes(),
        shapes::broken_lines(),
        selections(),
        within_sets(),
    ];
    lists.into_iter().flatten().collect()
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
            "group-sparsity:1;groups=1+3,2+4-5,6",
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
        case("rows:2", V6, |x| nonzeros(x) <= 2, |x| twins::sparse(x, 2, |v, _| Some(v.to_vec()))),
        case(
            "rows:2",
            M4X3,
            |x| nonzero_groups(x, &threes()) <= 2,
            |x| twins::by_support(x, &threes(), 2, |v, _| Some(v.to_vec())),
        ),
        case(
            "blocks[1-2: simplex][4-6: sparsity:1 & nonneg]",
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
            "blocks[1-3: monotone] & ball:1.5",
            V6,
            |x| at_most(norm(x), 1.5) && at_most(x[0], x[1]) && at_most(x[1], x[2]),
            |x| twins::cone_in_ball(x, 1.5, |v| [twins::increasing(&v[..3]), v[3..].to_vec()].concat()),
        ),
    ]
}

/// Convex sets together, by a quadratic program.
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

pub(crate) fn at_most(a: f64, b: f64) -> bool {
    a <= b + TOLERANCE
}

pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE
}

pub(crate) fn within(x: &[f64], lower: f64, upper: f64) -> bool {
    x.iter().all(|v| at_most(lower, *v) && at_most(*v, upper))
}

pub(crate) fn nonzeros(x: &[f64]) -> usize {
    x.iter().filter(|v| **v != 0.0).count()
}

fn sum_of_magnitudes(x: &[f64]) -> f64 {
    x.iter().map(|v| v.abs()).sum()
}

pub(crate) fn on_simplex(x: &[f64], total: f64) -> bool {
    within(x, 0.0, INF) && close(x.iter().sum(), total)
}

pub(crate) fn rank(x: &[f64], rows: usize, columns: usize) -> usize {
    twins::singular_parts(x, rows, columns).iter().filter(|(value, _)| *value > TOLERANCE).count()
}

fn listed() -> Vec<Vec<usize>> {
    vec![vec![0, 2], vec![1, 3, 4], vec![5]]
}

fn pairs() -> Vec<Vec<usize>> {
    vec![vec![0, 1], vec![2, 3], vec![4, 5]]
}

fn threes() -> Vec<Vec<usize>> {
    (0..4).map(|row| (3 * row..3 * row + 3).collect()).collect()
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

pub(crate) fn norm_at_most(x: &[f64], radius: f64) -> bool {
    at_most(norm(x), radius)
}
