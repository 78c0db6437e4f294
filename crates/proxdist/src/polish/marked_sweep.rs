//! The derivatives of `sweep.rs` for columns that are kept by the rows in which they differ from their commonest value: the same sums, over far fewer numbers.

use super::sweep::{MOST_CROSSES, Sweep};
use crate::data::Marked;
use crate::layout::Layout;
use crate::objective::Objective;

/// What the rows say at a point.
struct AtRows {
    /// F without its ridge term.
    value: f64,
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
}

/// The rows at a point that is zero outside a support, the intercept last if there is one.
fn at_rows(objective: Objective, marked: &Marked, support: &[usize], point: &[f64]) -> AtRows {
    let data = objective.data;
    let intercept = point.get(support.len()).copied().unwrap_or(0.0);
    let mut predictors = marked.times(support, &point[..support.len()]);
    predictors.iter_mut().enumerate().for_each(|(row, eta)| *eta += intercept + data.offset_of(row));
    let weights: Vec<f64> = (0..data.rows()).map(|row| data.weight(row) / data.weight_sum()).collect();
    let (mut slopes, mut curvatures) = (vec![0.0; data.rows()], vec![0.0; data.rows()]);
    let out = [&mut slopes[..], &mut curvatures[..]];
    let value = objective.loss.weighted_derivatives(&predictors, data.response(), &weights, out);
    AtRows { value, slopes, curvatures }
}

/// The places of a parameter that are not zero.
fn nonzeros(layout: Layout, theta: &[f64]) -> Vec<usize> {
    layout.coefficients(theta).iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(j, _)| j).collect()
}

/// See [`super::sweep::sweep`].
pub(super) fn sweep(
    objective: Objective,
    marked: &Marked,
    (theta, support): (&[f64], &[usize]),
    diagonal: Option<Vec<f64>>,
) -> Sweep {
    let layout = objective.layout();
    let (columns, size) = (layout.coefficient_count(), layout.reduced_to(support.len()).len());
    let keeps_crosses = columns.saturating_mul(size + 1) <= MOST_CROSSES;
    let few = nonzeros(layout, theta);
    let at = at_rows(objective, marked, &few, &layout.gathered(&few, theta));
    let kept = if keeps_crosses { support } else { &[] };
    let held: Vec<Vec<f64>> = kept.iter().map(|&j| marked.weighted(j, &at.curvatures)).collect();
    let mut vectors: Vec<&[f64]> = vec![&at.slopes];
    vectors.extend(held.iter().map(Vec::as_slice));
    if keeps_crosses && layout.has_intercepts() {
        vectors.push(&at.curvatures);
    }
    let (total, width, ridge) = (marked.products(&vectors), vectors.len(), objective.ridge);
    let mut gradient: Vec<f64> = (0..columns).map(|j| total[j * width] + ridge.at(j) * theta[j]).collect();
    gradient.extend(layout.has_intercepts().then(|| at.slopes.iter().sum::<f64>()));
    let diagonal = diagonal.unwrap_or_else(|| {
        let squares = marked.weighted_squares(&at.curvatures);
        squares.iter().enumerate().map(|(j, d)| d + ridge.at(j)).collect()
    });
    let crosses = keeps_crosses.then(|| total.chunks_exact(width).flat_map(|row| &row[1..]).copied().collect());
    let value = at.value + objective.ridge_term(theta);
    Sweep { value, gradient, diagonal, bend: at.curvatures.iter().sum(), crosses }
}

/// See [`super::sweep::gradients`]; without the ridge term.
pub(super) fn gradients(objective: Objective, marked: &Marked, support: &[usize], points: &[Vec<f64>]) -> Vec<f64> {
    let slopes: Vec<Vec<f64>> = points.iter().map(|point| at_rows(objective, marked, support, point).slopes).collect();
    marked.products(&slopes.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// F and its gradient.
pub(super) fn gradient(objective: Objective, marked: &Marked, theta: &[f64]) -> (f64, Vec<f64>) {
    let layout = objective.layout();
    let few = nonzeros(layout, theta);
    let at = at_rows(objective, marked, &few, &layout.gathered(&few, theta));
    let mut gradient = marked.products(&[&at.slopes]);
    gradient.iter_mut().enumerate().for_each(|(j, g)| *g += objective.ridge.at(j) * theta[j]);
    gradient.extend(layout.has_intercepts().then(|| at.slopes.iter().sum::<f64>()));
    (at.value + objective.ridge_term(theta), gradient)
}
