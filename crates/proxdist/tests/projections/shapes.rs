//! Rows, cones, curves and broken lines.

use crate::TOLERANCE;
use crate::sets::{Case, V3, V6, at_most, case, close};
use crate::twins::{self, dot, norm};
use proxdist::Shape;

/// Rows, cones and curves.
pub(crate) fn rows_and_shapes() -> Vec<Case> {
    let second = |x: &[f64], j: usize| x[j + 2] - 2.0 * x[j + 1] + x[j];
    let never_less = |rows: Vec<Vec<f64>>| {
        let right = vec![0.0; rows.len()];
        move |x: &[f64]| twins::polyhedron(x, (&rows, &right), (&[], &[]))
    };
    let bent = |sign: f64| {
        let entry = move |j: usize, l: usize| match l.checked_sub(j) {
            Some(0 | 2) => -sign,
            Some(1) => 2.0 * sign,
            _ => 0.0,
        };
        (0..4).map(|j| (0..6).map(|l| entry(j, l)).collect()).collect::<Vec<Vec<f64>>>()
    };
    let uneven = vec![vec![-1.0, 1.5, -0.5, 0.0], vec![0.0, -0.5, 1.5, -1.0]];
    let rising: Vec<Vec<f64>> =
        (0..5).map(|j| (0..6).map(|l| f64::from(i8::from(l == j) - i8::from(l == j + 1))).collect()).collect();
    vec![
        case(
            "polyhedron;a=1,1,0|1,-1,0;b=1,0;e=1,1,1;f=2",
            V3,
            |x| at_most(x[0] + x[1], 1.0) && at_most(x[0], x[1]) && close(x.iter().sum(), 2.0),
            |x| {
                let rows = [vec![1.0, 1.0, 0.0], vec![1.0, -1.0, 0.0]];
                twins::polyhedron(x, (&rows, &[1.0, 0.0]), (&[vec![1.0; 3]], &[2.0]))
            },
        ),
        case(
            "polyhedron;a=1,2,3|-1,1,0|0.5,-1,1|0,0,-1;b=1,0.5,2,3",
            V3,
            |x| {
                at_most(dot(x, &[1.0, 2.0, 3.0]), 1.0)
                    && at_most(x[1] - x[0], 0.5)
                    && at_most(dot(x, &[0.5, -1.0, 1.0]), 2.0)
                    && x[2] >= -3.0 - TOLERANCE
            },
            |x| {
                let rows = [vec![1.0, 2.0, 3.0], vec![-1.0, 1.0, 0.0], vec![0.5, -1.0, 1.0], vec![0.0, 0.0, -1.0]];
                twins::polyhedron(x, (&rows, &[1.0, 0.5, 2.0, 3.0]), (&[], &[]))
            },
        ),
        case("cone", V6, |x| at_most(norm(&x[1..]), x[0]), |x| twins::cone(x, 1.0)),
        case("cone:0.5", V3, |x| at_most(norm(&x[1..]), 0.5 * x[0]), |x| twins::cone(x, 0.5)),
        case("convex", V6, move |x| (0..4).all(|j| second(x, j) >= -TOLERANCE), never_less(bent(1.0))),
        case("concave", V6, move |x| (0..4).all(|j| second(x, j) <= TOLERANCE), never_less(bent(-1.0))),
        case(
            "convex;at=0,1,3,4",
            Shape::Vector(4),
            |x| at_most(x[1] - x[0], (x[2] - x[1]) / 2.0) && at_most((x[2] - x[1]) / 2.0, x[3] - x[2]),
            never_less(uneven),
        ),
        case(
            "monotone & convex",
            V6,
            move |x| (0..4).all(|j| second(x, j) >= -TOLERANCE) && x.windows(2).all(|w| at_most(w[0], w[1])),
            never_less([bent(1.0), rising].concat()),
        ),
    ]
}

/// Few jumps, few kinks, little variation.
pub(crate) fn broken_lines() -> Vec<Case> {
    let jumps = |x: &[f64]| x.windows(2).filter(|w| w[0] != w[1]).count();
    let kinks = |x: &[f64], at: &[f64]| {
        let slope = |j: usize| (x[j + 1] - x[j]) / (at[j + 1] - at[j]);
        (1..x.len() - 1).filter(|&j| (slope(j) - slope(j - 1)).abs() > TOLERANCE).count()
    };
    let even = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let uneven = [-1.0, 0.0, 0.5, 4.0, 5.0, 10.0];
    let variation = |x: &[f64]| x.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>();
    vec![
        case("jumps:0", V6, move |x| jumps(x) == 0, |x| twins::few_jumps(x, 0)),
        case("jumps:2", V6, move |x| jumps(x) <= 2, |x| twins::few_jumps(x, 2)),
        case(
            "jumps:1 & ball:1.5",
            V6,
            move |x| jumps(x) <= 1 && at_most(norm(x), 1.5),
            |x| twins::ball(&twins::few_jumps(x, 1), &[0.0; 6], 1.5),
        ),
        case("kinks:0", V6, move |x| kinks(x, &even) == 0, move |x| twins::few_kinks(x, &even, 0)),
        case("kinks:1", V6, move |x| kinks(x, &even) <= 1, move |x| twins::few_kinks(x, &even, 1)),
        case("kinks:2", V6, move |x| kinks(x, &even) <= 2, move |x| twins::few_kinks(x, &even, 2)),
        case(
            "kinks:2;at=-1,0,0.5,4,5,10",
            V6,
            move |x| kinks(x, &uneven) <= 2,
            move |x| twins::few_kinks(x, &uneven, 2),
        ),
        case("fused:2.5", V6, move |x| at_most(variation(x), 2.5), |x| twins::little_variation(x, 2.5)),
        case("fused:0", V3, move |x| close(variation(x), 0.0), |x| vec![x.iter().sum::<f64>() / 3.0; 3]),
    ]
}
