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
