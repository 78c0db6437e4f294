//! The nearest point of a [`Conic`] set in a diagonal metric, $\arg\min_x \tfrac12\sum_jw_j(x_j - u_j)^2$, to the last digit, or the finding
//! that the set is empty.
//!
//! An interior-point method comes near, `refine.rs` ends it, and `multipliers.rs` has the last word.

use super::{Active, Conic, Hessian, Model, Quadratic, Reach, Row, by_rows, multipliers, refined, solve};
use crate::linalg::Cholesky;

/// Distance from the normal cone at which a point counts as nearest, relative to how far it is.
const ACCURACY: f64 = 1e-9;
/// Violation that is still accepted where the last digits cannot be had.
const INSIDE: f64 = 1e-10;

/// Room by which rows are widened where sets seem to have no common point.
const TOUCHING: f64 = 1e-13;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Nearest {
    /// The nearest point.
    Found(Vec<f64>),
    /// There is no point in the set: Clarabel has found a certificate of it.
    Empty,
    /// No point could be shown to be nearest.
    Unclear,
}

/// The nearest point to `point`; no weights mean the Euclidean metric.
pub(crate) fn nearest(conic: &Conic, weights: Option<&[f64]>, point: &[f64]) -> Nearest {
    match strictly_nearest(conic, weights, point) {
        Nearest::Empty => touching(conic, weights, point),
        found => found,
    }
}

/// The same, with sets that are apart in the last digit taken for apart.
fn strictly_nearest(conic: &Conic, weights: Option<&[f64]>, point: &[f64]) -> Nearest {
    if conic.is_box() {
        return clipped(conic, point);
    }
    if conic.violation(point) <= 1e-15 {
        return Nearest::Found(point.to_vec());
    }
    // Numbers that vanish when they are squared are as good as zero here.
    let point: Vec<f64> = point.iter().map(|x| if x.abs() < 1e-140 { 0.0 } else { *x }).collect();
    let point = &point[..];
    let size = conic.variables();
    let mut diagonal = weights.map_or_else(|| vec![1.0; conic.features], <[f64]>::to_vec);
    let mut linear: Vec<f64> = diagonal.iter().zip(point).map(|(w, u)| -w * u).collect();
    diagonal.resize(size, 0.0);
    linear.resize(size, 0.0);
    let quadratic = Quadratic { hessian: Hessian::Diagonal(diagonal), linear };
    let (mut near, mut proofs) = (None, 0);
    for reach in Reach::ALL {
        match solve(&quadratic, conic, &vec![0.0; size], reach, &mut Cholesky::default()) {
            Model::Found { x, active } => match ended(&quadratic, conic, x, active, point) {
                (exact, true) => return Nearest::Found(exact),
                (other, false) if conic.violation(&other) <= INSIDE => near = near.or(Some(other)),
                _ => {}
            },
            Model::Empty => proofs += 1,
            Model::Failed => {}
        }
    }
    match near.or_else(|| held_by_rows(&quadratic, conic)) {
        Some(near) => Nearest::Found(near),
        // One proof in floating-point numbers may err by its scaling, two do not.
        None if proofs > 1 => Nearest::Empty,
        None => Nearest::Unclear,
    }
}

/// The nearest point of a small set without room.
fn held_by_rows(quadratic: &Quadratic, conic: &Conic) -> Option<Vec<f64>> {
    by_rows(quadratic, conic).map(|(x, _)| x).filter(|x| conic.violation(x) <= INSIDE)
}

/// The nearest point of a set that has none up to rounding: sets that touch may be apart in the last digit.
fn touching(conic: &Conic, weights: Option<&[f64]>, point: &[f64]) -> Nearest {
    let mut wider = conic.clone();
    wider.rows.clear();
    let top = conic.rows.iter().map(|row| row.right.abs()).chain(conic.balls.iter().map(|ball| ball.radius));
    let top = top.fold(0.0, f64::max);
    for row in &conic.rows {
        let room = TOUCHING * (row.right.abs() + 1e-3 * top * row.terms.iter().map(|(_, a)| a.abs()).sum::<f64>());
        wider.rows.push(Row { right: row.right + room, is_equality: false, ..row.clone() });
        if row.is_equality {
            let terms = row.terms.iter().map(|&(j, a)| (j, -a)).collect();
            wider.rows.push(Row { terms, right: room - row.right, is_equality: false });
        }
    }
    wider.balls.iter_mut().for_each(|ball| ball.radius += TOUCHING * ball.radius.abs().max(1e-3 * top));
    match strictly_nearest(&wider, weights, point) {
        Nearest::Found(x) if conic.violation(&x) <= 1e-9 => Nearest::Found(x),
        _ => Nearest::Empty,
    }
}

/// The last digits, and whether the result is in the set and shown to be nearest.
fn ended(quadratic: &Quadratic, conic: &Conic, mut x: Vec<f64>, mut active: Active, point: &[f64]) -> (Vec<f64>, bool) {
    let is_refined = refined(quadratic, conic, &mut x, &mut active);
    x.truncate(conic.features);
    if !is_refined {
        return (x, false);
    }
    let weight = |j: usize| quadratic.diagonal(j);
    let gradient: Vec<f64> = (0..x.len()).map(|j| weight(j) * (x[j] - point[j])).collect();
    let metric: Vec<f64> = (0..x.len()).map(weight).collect();
    let far = gradient.iter().zip(&metric).map(|(g, w)| g * g / w).sum::<f64>().sqrt();
    let size = x.iter().zip(&metric).map(|(x, w)| x * x * w).sum::<f64>().sqrt();
    let is_nearest = match multipliers(conic, &x, &gradient, &metric) {
        Some(found) => found.distance <= ACCURACY * far + 1e-14 * size,
        // Too many rows to check; the refinement has been consistent.
        None => true,
    };
    let is_inside = conic.violation(&x) <= 1e-12;
    (x, is_nearest && is_inside)
}

/// The nearest point of a box.
fn clipped(conic: &Conic, point: &[f64]) -> Nearest {
    let mut limits = vec![(f64::NEG_INFINITY, f64::INFINITY); conic.features];
    for row in &conic.rows {
        let [(j, a)] = row.terms[..] else { return Nearest::Unclear };
        let (bound, (lower, upper)) = (row.right / a, &mut limits[j]);
        if row.is_equality || a < 0.0 {
            *lower = lower.max(bound);
        }
        if row.is_equality || a > 0.0 {
            *upper = upper.min(bound);
        }
    }
    if limits.iter().any(|(lower, upper)| lower > upper) {
        return Nearest::Empty;
    }
    Nearest::Found(point.iter().zip(&limits).map(|(x, (lower, upper))| x.max(*lower).min(*upper) + 0.0).collect())
}
