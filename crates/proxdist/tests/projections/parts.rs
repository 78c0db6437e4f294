//! Sets on some coordinates, alone and several at once, and linear rows in words.

use crate::sets::{Case, INF, V6, at_most, case, close, nonzeros, on_simplex, within};
use crate::twins::{self, dot, norm};

fn pick(x: &[f64], at: &[usize]) -> Vec<f64> {
    at.iter().map(|&j| x[j]).collect()
}

/// `x` with the entries at `at` replaced by what `twin` makes of them.
fn on(x: &[f64], at: &[usize], twin: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut result = x.to_vec();
    at.iter().zip(twin(&pick(x, at))).for_each(|(&j, value)| result[j] = value);
    result
}

/// Limits of `sparsity:3 & nonneg[1,3] & box:-1,0.5[3-5] & box:-2,0.25[5..5]`, coordinate by coordinate.
const LOWER: [f64; 6] = [0.0, -INF, 0.0, -1.0, -1.0, -INF];
const UPPER: [f64; 6] = [INF, INF, 0.5, 0.5, 0.25, INF];

pub(crate) fn sets_on_parts() -> Vec<Case> {
    vec![
        case("nonneg[2,5]", V6, |x| within(&pick(x, &[1, 4]), 0.0, INF), |x| on(x, &[1, 4], twins::positive)),
        case(
            "simplex[!2-4]",
            V6,
            |x| on_simplex(&pick(x, &[0, 4, 5]), 1.0),
            |x| on(x, &[0, 4, 5], |v| twins::simplex(v, 1.0)),
        ),
        case(
            "monotone[5,1,3]",
            V6,
            |x| at_most(x[4], x[0]) && at_most(x[0], x[2]),
            |x| on(x, &[4, 0, 2], twins::increasing),
        ),
        case(
            "sparsity:2[6,1,4,3]",
            V6,
            |x| nonzeros(&pick(x, &[5, 0, 3, 2])) <= 2,
            |x| on(x, &[5, 0, 3, 2], |v| twins::sparse(v, 2, |v, _| Some(v.to_vec()))),
        ),
        case(
            "sparsity:3 & nonneg[1,3] & box:-1,0.5[3-5] & box:-2,0.25[5..5]",
            V6,
            |x| nonzeros(x) <= 3 && x.iter().zip(LOWER).zip(UPPER).all(|((x, l), u)| at_most(l, *x) && at_most(*x, u)),
            |x| twins::sparse(x, 3, |v, at| Some(twins::bounds(v, &pick(&LOWER, at), &pick(&UPPER, at)))),
        ),
        case(
            "simplex[1,4] & ball:0.5[2,6] & nonneg[3]",
            V6,
            |x| on_simplex(&pick(x, &[0, 3]), 1.0) && at_most(norm(&pick(x, &[1, 5])), 0.5) && x[2] >= 0.0,
            |x| {
                let x = on(x, &[0, 3], |v| twins::simplex(v, 1.0));
                on(&on(&x, &[1, 5], |v| twins::ball(v, &[0.0; 2], 0.5)), &[2], twins::positive)
            },
        ),
        case(
            "sparsity:2[1,3,5,6] & simplex[1,3,5,6]",
            V6,
            |x| nonzeros(&pick(x, &[0, 2, 4, 5])) <= 2 && on_simplex(&pick(x, &[0, 2, 4, 5]), 1.0),
            |x| on(x, &[0, 2, 4, 5], |v| twins::sparse(v, 2, |v, _| (!v.is_empty()).then(|| twins::simplex(v, 1.0)))),
        ),
        case(
            "blocks[1-3: sparsity:1][4-6: sparsity:2] & nonneg",
            V6,
            |x| nonzeros(&x[..3]) <= 1 && nonzeros(&x[3..]) <= 2 && within(x, 0.0, INF),
            |x| {
                let sparse = |v: &[f64], keep| twins::sparse(v, keep, |v, _| Some(twins::positive(v)));
                [sparse(&x[..3], 1), sparse(&x[3..], 2)].concat()
            },
        ),
        case(
            "sum(1-3) - 2*sum(4) <= 0.5",
            V6,
            |x| at_most(dot(x, &[1.0, 1.0, 1.0, -2.0, 0.0, 0.0]), 0.5),
            |x| twins::half_space(x, &[1.0, 1.0, 1.0, -2.0, 0.0, 0.0], 0.5, <[f64]>::to_vec),
        ),
        case(
            "V1 + V6 = 1",
            V6,
            |x| close(x[0] + x[5], 1.0),
            |x| twins::affine(x, &[vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0]], &[1.0]),
        ),
        case(
            "-0.5 <= V2 - V3 <= 0.25",
            V6,
            |x| at_most(x[1] - x[2], 0.25) && at_most(-0.5, x[1] - x[2]),
            |x| {
                // Only the difference moves, and by half on each side.
                let gap = x[1] - x[2];
                let move_by = (gap.clamp(-0.5, 0.25) - gap) / 2.0;
                vec![x[0], x[1] + move_by, x[2] - move_by, x[3], x[4], x[5]]
            },
        ),
    ]
}
