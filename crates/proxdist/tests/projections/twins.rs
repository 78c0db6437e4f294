//! Slow, obvious projections to hold the fast ones against: exhaustive search, bisection, elimination, Jacobi rotations.
//! None of them shares code or method with the library.

pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

pub(crate) fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn map(x: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    x.iter().map(|v| f(*v)).collect()
}

/// The argument where a falling function meets `target`.
fn bisect(falling: impl Fn(f64) -> f64, target: f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if falling(middle) > target { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The nearest point of a convex set cut by a ball around the origin, given the projection onto the convex cone.
pub(crate) fn cone_in_ball(x: &[f64], radius: f64, cone: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let at = |multiplier: f64| cone(&map(x, |v| v / (1.0 + multiplier)));
    if norm(&at(0.0)) <= radius { at(0.0) } else { at(bisect(|multiplier| norm(&at(multiplier)), radius, 0.0, 1e9)) }
}

pub(crate) fn ball(x: &[f64], center: &[f64], radius: f64) -> Vec<f64> {
    let shifted: Vec<f64> = x.iter().zip(center).map(|(v, c)| v - c).collect();
    let inside = cone_in_ball(&shifted, radius, <[f64]>::to_vec);
    inside.iter().zip(center).map(|(v, c)| v + c).collect()
}

pub(crate) fn bounds(x: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    let middle = |v: f64, l: f64, u: f64| {
        let mut three = [v, l, u];
        three.sort_by(f64::total_cmp);
        three[1]
    };
    x.iter().zip(lower.iter().zip(upper)).map(|(v, (l, u))| middle(*v, *l, *u)).collect()
}

pub(crate) fn positive(x: &[f64]) -> Vec<f64> {
    map(x, |v| v.max(0.0))
}

/// Limits and a fixed sum at once; without limits above, the simplex.
pub(crate) fn capped_simplex(x: &[f64], total: f64, cap: f64) -> Vec<f64> {
    let at = |level: f64| map(x, |v| (v - level).clamp(0.0, cap));
    at(bisect(|level| at(level).iter().sum(), total, -1e3, 1e3))
}

pub(crate) fn simplex(x: &[f64], total: f64) -> Vec<f64> {
    capped_simplex(x, total, f64::INFINITY)
}

pub(crate) fn l1_ball(x: &[f64], radius: f64) -> Vec<f64> {
    let at = |level: f64| map(x, |v| v.signum() * (v.abs() - level).max(0.0));
    let sum = |level: f64| at(level).iter().map(|v| v.abs()).sum::<f64>();
    if sum(0.0) <= radius { x.to_vec() } else { at(bisect(sum, radius, 0.0, 1e3)) }
}

/// A half-space, after another set that is handled coordinate by coordinate.
pub(crate) fn half_space(x: &[f64], normal: &[f64], offset: f64, after: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let at = |multiplier: f64| {
        let moved: Vec<f64> = x.iter().zip(normal).map(|(v, a)| v - multiplier * a).collect();
        after(&moved)
    };
    let product = |multiplier: f64| dot(&at(multiplier), normal);
    if product(0.0) <= offset { at(0.0) } else { at(bisect(product, offset, 0.0, 1e3)) }
}

/// An equation, after another set that is handled coordinate by coordinate; where there is no such point, what comes nearest to it.
pub(crate) fn equation(x: &[f64], row: &[f64], right: f64, after: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let at = |multiplier: f64| {
        let moved: Vec<f64> = x.iter().zip(row).map(|(v, a)| v - multiplier * a).collect();
        after(&moved)
    };
    at(bisect(|multiplier| dot(&at(multiplier), row), right, -1e3, 1e3))
}

/// Solves the optimality system $[I, A^T; A, 0]$ by elimination with pivoting.
pub(crate) fn affine(x: &[f64], rows: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let (p, m) = (x.len(), rows.len());
    let size = p + m;
    let mut system = vec![vec![0.0; size + 1]; size];
    for j in 0..p {
        system[j][j] = 1.0;
        system[j][size] = x[j];
        for i in 0..m {
            system[j][p + i] = rows[i][j];
            system[p + i][j] = rows[i][j];
        }
    }
    for i in 0..m {
        system[p + i][size] = right[i];
    }
    for column in 0..size {
        let pivot =
            (column..size).max_by(|&i, &j| system[i][column].abs().total_cmp(&system[j][column].abs())).unwrap();
        system.swap(column, pivot);
        let lead = system[column].clone();
        for (i, row) in system.iter_mut().enumerate() {
            let factor = row[column] / lead[column];
            if i != column {
                row.iter_mut().zip(&lead).for_each(|(v, l)| *v -= factor * l);
            }
        }
    }
    (0..p).map(|j| system[j][size] / system[j][j]).collect()
}

/// The min-max formula of isotonic regression.
pub(crate) fn increasing(x: &[f64]) -> Vec<f64> {
    let mean = |a: usize, b: usize| x[a..=b].iter().sum::<f64>() / (b - a + 1) as f64;
    let lowest = |a: usize, i: usize| (i..x.len()).map(|b| mean(a, b)).fold(f64::INFINITY, f64::min);
    (0..x.len()).map(|i| (0..=i).map(|a| lowest(a, i)).fold(f64::NEG_INFINITY, f64::max)).collect()
}

pub(crate) fn reversed(x: &[f64], f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let backwards: Vec<f64> = x.iter().rev().copied().collect();
    f(&backwards).into_iter().rev().collect()
}

/// The nearest of all points whose nonzero entries lie in at most `keep` of the groups, each family of groups projected
/// by `inside`, which gives nothing where no such point exists.
pub(crate) fn by_support(
    x: &[f64],
    groups: &[Vec<usize>],
    keep: usize,
    inside: impl Fn(&[f64], &[usize]) -> Option<Vec<f64>>,
) -> Vec<f64> {
    let mut best: Option<Vec<f64>> = None;
    for family in 0_u32..1 << groups.len() {
        if family.count_ones() as usize > keep {
            continue;
        }
        let support: Vec<usize> =
            (0..groups.len()).filter(|g| family >> g & 1 == 1).flat_map(|g| groups[g].iter().copied()).collect();
        let kept: Vec<f64> = support.iter().map(|&j| x[j]).collect();
        if let Some(values) = inside(&kept, &support) {
            let mut point = vec![0.0; x.len()];
            support.iter().zip(&values).for_each(|(&j, v)| point[j] = *v);
            if best.as_ref().is_none_or(|best| distance(x, &point) < distance(x, best)) {
                best = Some(point);
            }
        }
    }
    best.expect("some support is feasible")
}

/// At most `keep` nonzero entries.
pub(crate) fn sparse(x: &[f64], keep: usize, inside: impl Fn(&[f64], &[usize]) -> Option<Vec<f64>>) -> Vec<f64> {
    let singles: Vec<Vec<usize>> = (0..x.len()).map(|j| vec![j]).collect();
    by_support(x, &singles, keep, inside)
}

/// Singular values and the matrices $\sigma_i u_i v_i^T$, largest first, by one-sided Jacobi rotations of the columns.
pub(crate) fn singular_parts(matrix: &[f64], rows: usize, columns: usize) -> Vec<(f64, Vec<f64>)> {
    let mut a: Vec<Vec<f64>> = (0..columns).map(|j| (0..rows).map(|i| matrix[i * columns + j]).collect()).collect();
    let mut v: Vec<Vec<f64>> =
        (0..columns).map(|j| (0..columns).map(|i| f64::from(u8::from(i == j))).collect()).collect();
    let turn = |m: &mut Vec<Vec<f64>>, i: usize, j: usize, c: f64, s: f64| {
        for k in 0..m[i].len() {
            let (x, y) = (m[i][k], m[j][k]);
            (m[i][k], m[j][k]) = (c * x - s * y, s * x + c * y);
        }
    };
    for _ in 0..30 {
        let mut turned = false;
        for i in 0..columns {
            for j in i + 1..columns {
                let (alpha, beta, gamma) = (dot(&a[i], &a[i]), dot(&a[j], &a[j]), dot(&a[i], &a[j]));
                if gamma.abs() > 1e-300 && gamma.abs() > 1e-15 * (alpha * beta).sqrt() {
                    turned = true;
                    let zeta = (beta - alpha) / (2.0 * gamma);
                    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                    let c = 1.0 / (1.0 + t * t).sqrt();
                    turn(&mut a, i, j, c, c * t);
                    turn(&mut v, i, j, c, c * t);
                }
            }
        }
        if !turned {
            break;
        }
    }
    let mut parts: Vec<(f64, Vec<f64>)> = (0..columns)
        .map(|k| (norm(&a[k]), (0..rows * columns).map(|at| a[k][at / columns] * v[k][at % columns]).collect()))
        .collect();
    parts.sort_by(|x, y| y.0.total_cmp(&x.0));
    parts
}

pub(crate) fn low_rank(matrix: &[f64], rows: usize, columns: usize, rank: usize) -> Vec<f64> {
    let mut sum = vec![0.0; rows * columns];
    for (_, part) in singular_parts(matrix, rows, columns).iter().take(rank) {
        sum.iter_mut().zip(part).for_each(|(s, v)| *s += v);
    }
    sum
}

/// The nearest of the projections onto the rows that hold with equality, over all choices of such rows, that lies in the set.
pub(crate) fn polyhedron(
    x: &[f64],
    (rows, right): (&[Vec<f64>], &[f64]),
    (equations, equal): (&[Vec<f64>], &[f64]),
) -> Vec<f64> {
    let mut best: Option<Vec<f64>> = None;
    for family in 0_u32..1 << rows.len() {
        let held: Vec<usize> = (0..rows.len()).filter(|i| family >> i & 1 == 1).collect();
        if held.len() + equations.len() > x.len() {
            continue;
        }
        let all: Vec<Vec<f64>> = equations.iter().cloned().chain(held.iter().map(|&i| rows[i].clone())).collect();
        let sides: Vec<f64> = equal.iter().copied().chain(held.iter().map(|&i| right[i])).collect();
        let point = affine(x, &all, &sides);
        // Dependent rows give no number.
        let holds = |(row, b): (&Vec<f64>, &f64)| dot(row, &point) <= b + 1e-9;
        let is_inside = point.iter().all(|v| v.is_finite())
            && rows.iter().zip(right).all(holds)
            && all.iter().zip(&sides).all(|(row, b)| (dot(row, &point) - b).abs() < 1e-9);
        if is_inside && best.as_ref().is_none_or(|best| distance(x, &point) < distance(x, best)) {
            best = Some(point);
        }
    }
    best.expect("some face holds the nearest point")
}

/// The best height by ternary search: for a given height the others are shortened.
pub(crate) fn cone(x: &[f64], slope: f64) -> Vec<f64> {
    let at = |height: f64| [&[height], &ball(&x[1..], &vec![0.0; x.len() - 1], slope * height)[..]].concat();
    let (mut low, mut high) = (0.0, 2.0 * norm(x) + 1.0);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance(x, &at(a)) < distance(x, &at(b)) { high = b } else { low = a }
    }
    at(low)
}

/// All choices of at most so many of the places.
fn choices(places: std::ops::Range<usize>, most: usize) -> Vec<Vec<usize>> {
    let all: Vec<usize> = places.collect();
    let families = (0_u32..1 << all.len()).filter(|family| family.count_ones() as usize <= most);
    families.map(|family| (0..all.len()).filter(|i| family >> i & 1 == 1).map(|i| all[i]).collect()).collect()
}

fn nearest_of(x: &[f64], candidates: impl Iterator<Item = Vec<f64>>) -> Vec<f64> {
    candidates.min_by(|a, b| distance(x, a).total_cmp(&distance(x, b))).expect("candidates")
}

/// All places of the jumps; every piece at its mean.
pub(crate) fn few_jumps(x: &[f64], most: usize) -> Vec<f64> {
    nearest_of(
        x,
        choices(1..x.len(), most).into_iter().map(|jumps| {
            let ends: Vec<usize> = jumps.iter().copied().chain([x.len()]).collect();
            let mut start = 0;
            let mut level = Vec::new();
            for end in ends {
                let mean = x[start..end].iter().sum::<f64>() / (end - start) as f64;
                level.resize(end, mean);
                start = end;
            }
            level
        }),
    )
}

/// All places of the kinks; elsewhere second differences are zero, which are linear equations.
pub(crate) fn few_kinks(x: &[f64], at: &[f64], most: usize) -> Vec<f64> {
    nearest_of(
        x,
        choices(1..x.len() - 1, most).into_iter().map(|kinks| {
            let straight = (1..x.len() - 1).filter(|j| !kinks.contains(j));
            let rows: Vec<Vec<f64>> = straight
                .map(|j| {
                    let (before, after) = (at[j] - at[j - 1], at[j + 1] - at[j]);
                    let mut row = vec![0.0; x.len()];
                    (row[j - 1], row[j], row[j + 1]) = (1.0 / before, -1.0 / before - 1.0 / after, 1.0 / after);
                    row
                })
                .collect();
            affine(x, &rows, &vec![0.0; rows.len()])
        }),
    )
}

/// The dual of total variation denoising by coordinate descent, and bisection for its weight.
pub(crate) fn little_variation(x: &[f64], limit: f64) -> Vec<f64> {
    let variation = |v: &[f64]| v.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>();
    let at = |weight: f64| {
        let mut dual = vec![0.0_f64; x.len() - 1];
        let primal = |dual: &[f64], j: usize| {
            x[j] + dual.get(j).copied().unwrap_or(0.0) - if j == 0 { 0.0 } else { dual[j - 1] }
        };
        for _ in 0..600 {
            for j in 0..dual.len() {
                let step = 0.5 * (primal(&dual, j + 1) - primal(&dual, j));
                dual[j] = (dual[j] + step).clamp(-weight, weight);
            }
        }
        (0..x.len()).map(|j| primal(&dual, j)).collect::<Vec<f64>>()
    };
    if variation(x) <= limit {
        return x.to_vec();
    }
    let (mut low, mut high) = (0.0, 50.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if variation(&at(middle)) > limit { low = middle } else { high = middle }
    }
    at(high)
}
