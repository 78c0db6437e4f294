//! Selections of features, alone and within convex sets, against all choices one by one.

use crate::sets::{Case, at_most, case, close, norm_at_most, on_simplex, within};
use crate::twins::{self, distance, dot};
use proxdist::Shape;

const V6: Shape = Shape::Vector(6);
const INF: f64 = f64::INFINITY;
const EVEN: [f64; 6] = [1.0; 6];
const UNEVEN: [f64; 6] = [1.0, 2.0, 0.5, -1.0, 1.5, -0.5];
const OTHER: [f64; 6] = [1.0, -1.0, 2.0, 1.0, 0.5, 3.0];

type Allows = fn(&[bool; 6]) -> bool;

fn count(chosen: &[bool]) -> usize {
    chosen.iter().filter(|c| **c).count()
}

/// All choices that are allowed; a set of features that holds all of `keep` counts as the rules say.
fn choices(allows: Allows) -> impl Iterator<Item = Vec<usize>> {
    (0_u32..64).filter_map(move |mask| {
        let chosen: [bool; 6] = std::array::from_fn(|j| mask >> j & 1 == 1);
        allows(&chosen).then(|| (0..6).filter(|&j| chosen[j]).collect())
    })
}

fn is_allowed(x: &[f64], allows: Allows) -> bool {
    choices(allows).any(|support| (0..6).all(|j| x[j] == 0.0 || support.contains(&j)))
}

/// The nearest point of all choices, each projected by `inside`, which gives nothing where there is no such point.
fn nearest(x: &[f64], allows: Allows, inside: impl Fn(&[f64], &[usize]) -> Option<Vec<f64>>) -> Vec<f64> {
    let mut best: Option<Vec<f64>> = None;
    for support in choices(allows) {
        let kept: Vec<f64> = support.iter().map(|&j| x[j]).collect();
        let Some(values) = inside(&kept, &support) else { continue };
        let mut point = vec![0.0; 6];
        support.iter().zip(&values).for_each(|(&j, v)| point[j] = *v);
        if best.as_ref().is_none_or(|best| distance(x, &point) < distance(x, best)) {
            best = Some(point);
        }
    }
    best.expect("some choice is feasible")
}

fn of(row: &[f64; 6], support: &[usize]) -> Vec<f64> {
    support.iter().map(|&j| row[j]).collect()
}

/// Limits and an equation, by bisection; nothing if there is no such point.
fn on_row(x: &[f64], row: &[f64], right: f64, limits: (f64, f64)) -> Option<Vec<f64>> {
    let found = twins::equation(x, row, right, |v| v.iter().map(|v| v.clamp(limits.0, limits.1)).collect());
    ((dot(&found, row) - right).abs() < 1e-6).then_some(found)
}

/// A selection without anything beside it.
fn plain(spec: &'static str, allows: Allows) -> Case {
    case(spec, V6, move |x| is_allowed(x, allows), move |x| nearest(x, allows, |v, _| Some(v.to_vec())))
}

/// A selection within limits of each coefficient.
fn limited(spec: &'static str, allows: Allows, lower: [f64; 6], upper: [f64; 6]) -> Case {
    let inside = move |v: &[f64], support: &[usize]| -> Option<Vec<f64>> {
        let is_zero_allowed = |j: usize| support.contains(&j) || (lower[j] <= 0.0 && upper[j] >= 0.0);
        (0..6).all(is_zero_allowed).then(|| twins::bounds(v, &of(&lower, support), &of(&upper, support)))
    };
    let member = move |x: &[f64]| is_allowed(x, allows) && (0..6).all(|j| lower[j] <= x[j] && x[j] <= upper[j]);
    case(spec, V6, member, move |x| nearest(x, allows, inside))
}

/// A selection with one equation and shared limits.
fn summing(spec: &'static str, allows: Allows, row: [f64; 6], right: f64, limits: (f64, f64)) -> Case {
    let member = move |x: &[f64]| is_allowed(x, allows) && close(dot(x, &row), right) && within(x, limits.0, limits.1);
    case(spec, V6, member, move |x| {
        nearest(x, allows, |v, support| match support {
            [] => (right == 0.0).then(Vec::new),
            _ => on_row(v, &of(&row, support), right, limits),
        })
    })
}

/// Rules for the choice alone.
pub(crate) fn selections() -> Vec<Case> {
    let strong: Allows = |c| count(c) <= 4 && (!c[4] || (c[0] && c[1])) && (!c[5] || (c[1] && c[2]));
    let weak: Allows = |c| count(c) <= 3 && (!c[4] || c[0] || c[1]) && (!c[5] || c[1] || c[2]);
    vec![
        plain("sparsity:3;keep=2,5", |c| c[1] && c[4] && count(c) <= 3),
        plain("sparsity:2;drop=1,6", |c| !c[0] && !c[5] && count(c) <= 2),
        plain("sparsity:3;keep=3;drop=1;most=1 per 2-4", |c| c[2] && !c[0] && !c[1] && !c[3] && count(c) <= 3),
        plain("sparsity:4;most=2 per 1-3|1 per 4+6", |c| count(c) <= 4 && count(&c[..3]) <= 2 && !(c[3] && c[5])),
        plain("group-sparsity:2;size=2;keep=4", |c| {
            c[2] && c[3] && (0..3).filter(|g| c[2 * g] || c[2 * g + 1]).count() <= 2
        }),
        plain("group-sparsity:2;groups=1+6,2,3,4+5;most=1 per 2+3;drop=6", |c| {
            !c[5] && count(&c[1..3]) <= 1 && [c[0], c[1], c[2], c[3] || c[4]].into_iter().filter(|c| *c).count() <= 2
        }),
        plain("sparsity:4;heredity=strong;products=5=1*2,6=2*3", strong),
        plain("sparsity:3;heredity=weak;products=5=1*2,6=2*3", weak),
        plain("sparsity:4;keep=1;most=1 per 3-4;heredity=strong;products=5=1*2,6=2*3", |c| {
            c[0] && !(c[2] && c[3]) && count(c) <= 4 && (!c[4] || c[1]) && (!c[5] || (c[1] && c[2]))
        }),
    ]
}

/// Choices within convex sets.
pub(crate) fn within_sets() -> Vec<Case> {
    let three: Allows = |c| count(c) <= 3;
    vec![
        limited("sparsity:3;keep=2 & nonneg", |c| c[1] && count(c) <= 3, [0.0; 6], [INF; 6]),
        limited(
            "sparsity:3;most=1 per 1-3 & box;lower=-1,0,-inf,0.5,-2,0;upper=1,inf,0,2,2,0",
            |c| count(&c[..3]) <= 1 && count(c) <= 3,
            [-1.0, 0.0, -INF, 0.5, -2.0, 0.0],
            [1.0, INF, 0.0, 2.0, 2.0, 0.0],
        ),
        limited(
            "group-sparsity:2;size=2 & linf:1.5",
            |c| (0..3).filter(|g| c[2 * g] || c[2 * g + 1]).count() <= 2,
            [-1.5; 6],
            [1.5; 6],
        ),
        limited(
            "sparsity:4;heredity=strong;products=5=1*2,6=2*3 & box:-1,2",
            |c| count(c) <= 4 && (!c[4] || (c[0] && c[1])) && (!c[5] || (c[1] && c[2])),
            [-1.0; 6],
            [2.0; 6],
        ),
        summing("simplex & box:0,0.4 & sparsity:3", three, EVEN, 1.0, (0.0, 0.4)),
        summing("sparsity:3 & affine;a=1,1,1,1,1,1;b=0", three, EVEN, 0.0, (-INF, INF)),
        summing("sparsity:3 & affine;a=1,1,1,1,1,1;b=0 & box:-1,2", three, EVEN, 0.0, (-1.0, 2.0)),
        summing("sparsity:3 & affine;a=2,2,2,2,2,2;b=-2", three, [2.0; 6], -2.0, (-INF, INF)),
        summing("sparsity:3 & affine;a=1,2,0.5,-1,1.5,-0.5;b=1", three, UNEVEN, 1.0, (-INF, INF)),
        summing("sparsity:3 & affine;a=1,2,0.5,-1,1.5,-0.5;b=1 & linf:1.5", three, UNEVEN, 1.0, (-1.5, 1.5)),
        summing("sparsity:3;keep=1 & affine;a=1,1,1,1,1,1;b=0", |c| c[0] && count(c) <= 3, EVEN, 0.0, (-INF, INF)),
        summing(
            "sparsity:3;most=1 per 1-2,3-4 & simplex & box:0,0.5",
            |c| count(&c[..2]) <= 1 && count(&c[2..4]) <= 1 && count(c) <= 3,
            EVEN,
            1.0,
            (0.0, 0.5),
        ),
        case(
            "sparsity:2 & halfspace;a=1,2,0.5,-1,1.5,-0.5;b=0.3",
            V6,
            |x| is_allowed(x, |c| count(c) <= 2) && at_most(dot(x, &UNEVEN), 0.3),
            |x| {
                nearest(
                    x,
                    |c| count(c) <= 2,
                    |v, support| Some(twins::half_space(v, &of(&UNEVEN, support), 0.3, <[f64]>::to_vec)),
                )
            },
        ),
        case(
            "sparsity:3 & affine;a=1,2,0.5,-1,1.5,-0.5|1,-1,2,1,0.5,3;b=1,0.5",
            V6,
            move |x| is_allowed(x, three) && close(dot(x, &UNEVEN), 1.0) && close(dot(x, &OTHER), 0.5),
            move |x| {
                nearest(x, three, |v, support| {
                    (support.len() > 1)
                        .then(|| twins::affine(v, &[of(&UNEVEN, support), of(&OTHER, support)], &[1.0, 0.5]))
                })
            },
        ),
        case(
            "sparsity:2 & box:-1,2 & ball:1.5",
            V6,
            |x| is_allowed(x, |c| count(c) <= 2) && within(x, -1.0, 2.0) && norm_at_most(x, 1.5),
            |x| {
                let limited = |v: &[f64]| twins::cone_in_ball(v, 1.5, |v| twins::bounds(v, &[-1.0; 6], &[2.0; 6]));
                nearest(x, |c| count(c) <= 2, |v, _| Some(limited(v)))
            },
        ),
        case(
            "sparsity:3 & affine;a=1,1,1,1,1,1;b=0 & ball:1.5",
            V6,
            move |x| is_allowed(x, three) && close(x.iter().sum(), 0.0) && norm_at_most(x, 1.5),
            move |x| {
                nearest(x, three, |v, _| {
                    let mean = v.iter().sum::<f64>() / v.len().max(1) as f64;
                    Some(twins::ball(&v.iter().map(|v| v - mean).collect::<Vec<f64>>(), &[0.0; 6], 1.5))
                })
            },
        ),
        case(
            "sparsity:4;keep=6 & simplex:2",
            V6,
            |x| is_allowed(x, |c| c[5] && count(c) <= 4) && on_simplex(x, 2.0),
            |x| nearest(x, |c| c[5] && count(c) <= 4, |v, _| Some(twins::simplex(v, 2.0))),
        ),
    ]
}
