//! What a support is really worth.
//!
//! For a quadratic function that is the minimum over its columns $T$. The bound of `bound` with all of them selected proves it from below: with
//! $k$ columns and $M = G_{TT}^{-1}$ the diagonal $1/(2kM_{jj})$ is below $G_{TT}$, and at the minimiser only its rounding is lost.

use super::bound::{Bound, Restricted};
use super::family::Family;
use super::part::{Part, Place};
use super::positive::is_shown;
use super::quadratic::Quadratic;
use super::runs::Runs;
use crate::linalg::Cholesky;

/// The minimum over a support, from both sides.
#[derive(Clone, Debug)]
pub struct OnSupport {
    /// Coefficients of the columns of the support, in the units of the problem.
    pub theta: Vec<f64>,
    /// The function is at most this at these coefficients.
    pub value: f64,
    /// It is at least this wherever all other coefficients are zero.
    pub lower: f64,
}

/// The function that counts, of which the quadratic one is a lower bound (or which it is).
pub trait Truth {
    /// The minimum over the given columns, which rise.
    fn on_support(&mut self, support: &[usize]) -> OnSupport;
}

/// The quadratic function itself.
#[derive(Debug)]
pub(super) struct Itself<'a> {
    pub(super) quadratic: &'a Quadratic,
}

impl Truth for Itself<'_> {
    fn on_support(&mut self, support: &[usize]) -> OnSupport {
        let quadratic = self.quadratic;
        let mut cholesky = Cholesky::default();
        let effective: Vec<usize> = support.iter().copied().filter(|&j| quadratic.is_effective(j)).collect();
        let part = Part::whole(quadratic).on(&effective);
        let found = minimiser(&part, &mut cholesky);
        let lower = lower(&part, &found, &mut cholesky).max(quadratic.floor);
        let value = quadratic.value_above(&effective, &found);
        let mut values = effective.iter().zip(found).peekable();
        let theta =
            support.iter().map(|j| values.next_if(|(k, _)| *k == j).map_or(0.0, |(&k, x)| x / quadratic.scales[k]));
        OnSupport { theta: theta.collect(), value, lower: lower.min(value) }
    }
}

/// Minimises over all columns of a part; where they depend on each other, over some that do not.
pub(super) fn minimiser(part: &Part, cholesky: &mut Cholesky) -> Vec<f64> {
    let all: Vec<usize> = (0..part.len()).collect();
    if let Some(theta) = solved(part, &all, cholesky) {
        return theta;
    }
    let mut kept = Vec::new();
    for j in all {
        kept.push(j);
        if solved(part, &kept, cholesky).is_none() {
            kept.pop();
        }
    }
    let values = solved(part, &kept, cholesky).unwrap_or_default();
    let mut theta = vec![0.0; part.len()];
    kept.iter().zip(values).for_each(|(&j, x)| theta[j] = x);
    theta
}

/// The minimiser over some columns, if they are independent.
fn solved(part: &Part, kept: &[usize], cholesky: &mut Cholesky) -> Option<Vec<f64>> {
    let count = kept.len();
    if count == 0 {
        return Some(Vec::new());
    }
    let matrix = cholesky.matrix(count);
    for (a, &j) in kept.iter().enumerate() {
        kept.iter().enumerate().for_each(|(b, &k)| matrix[a * count + b] = part.row(j)[k]);
    }
    let is_factored = cholesky.factor() && cholesky.least_pivot() > 1e-7;
    let mut theta: Vec<f64> = kept.iter().map(|&j| part.linear[j]).collect();
    if is_factored {
        cholesky.solve(&mut theta);
    }
    (is_factored && theta.iter().all(|x| x.is_finite())).then_some(theta)
}

/// A lower bound of the minimum over all columns of a part, good if the point is its minimiser.
fn lower(part: &Part, theta: &[f64], cholesky: &mut Cholesky) -> f64 {
    let size = part.len();
    if size == 0 {
        return part.constant;
    }
    if !is_shown(&part.gram, &vec![0.0; size], cholesky) {
        return -f64::MAX;
    }
    let mut inverse = vec![0.0; size * size];
    cholesky.inverse(&mut inverse);
    let diagonal: Vec<f64> = (0..size).map(|j| 0.5 / (size as f64 * inverse[j * size + j])).collect();
    if !is_shown(&part.gram, &diagonal, cholesky) || diagonal.iter().any(|d| *d <= 0.0) {
        return -f64::MAX;
    }
    let (places, family) = (vec![Place::In; size], Family::plain(size, 0));
    let (runs, room) = (Runs::of(0..size, &family), family.room([]));
    Bound::at(Restricted { part, runs: &runs, places: &places, room: &room, diagonal: &diagonal }, theta).value
}
