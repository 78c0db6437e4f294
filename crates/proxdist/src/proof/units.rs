//! The test with one factorisation where features are chosen in units: groups, several pools with a limit each, features that are always in.
//!
//! With $v_u = \sum_{j \in u}v_j$ for the unit $u$, the bound of `bound` takes the largest $v_u$ of each pool, as many as its limit, and all of those that are always in.
//! At a minimiser $\hat\theta$ on its units, with gradient $g$, the diagonal
//! $$d_j = \tau/\|\hat\theta_u\|^2 \text{ for the units in use}, \qquad d_j = \|g_u\|^2/\tau \text{ for the others}$$
//! makes every $v_u = \tau$, and the bound equals $Q(\hat\theta)$ if it is below $G$ (columns of equal size, or the entry is shared out by $G_{jj}$). A convex set beside the choice makes the minimum
//! larger, never smaller: the bound holds there too, and is tight where that set does not bind.

use super::bound::{Bound, Restricted};
use super::on_data::Summed;
use super::part::{Part, Place};
use super::positive::{is_shown, shift};
use super::settle::Settled;
use crate::constraint::Choice;
use crate::linalg::{Cholesky, axpy};

/// Values of $\tau$ to try, as shares of the way from the smallest to the largest that are possible.
const LEVELS: [f64; 5] = [0.5, 0.35, 0.65, 0.2, 0.8];
/// Entry of a column that needs no share, relative to $G_{jj}$.
const SMALL: f64 = 1e-7;

impl Summed {
    /// The test for coefficients in the units of F, with so many attempts at most.
    pub(crate) fn settle_units(&self, choice: &Choice, coefficients: &[f64], tries: usize) -> Settled {
        let quadratic = &self.quadratic;
        let theta: Vec<f64> =
            coefficients.iter().enumerate().map(|(j, x)| x * self.scales[j] * quadratic.scales[j]).collect();
        let support: Vec<usize> = (0..theta.len()).filter(|&j| theta[j] != 0.0).collect();
        let values: Vec<f64> = support.iter().map(|&j| theta[j]).collect();
        let upper = quadratic.value_above(&support, &values);
        let mut settled = Settled { upper, lower: quadratic.floor.min(upper) };
        if (0..theta.len()).any(|j| !quadratic.is_effective(j)) {
            // Columns without any effect have no share of their own.
            return settled;
        }
        let part = Part::whole(quadratic);
        let mut gradient: Vec<f64> = part.linear.iter().map(|b| -b).collect();
        support.iter().for_each(|&j| axpy(theta[j], part.row(j), &mut gradient));
        // The sizes of units, in units of the curvature of their columns.
        let sizes: Vec<(f64, f64)> = (0..choice.units())
            .map(|unit| {
                let members = choice.unit(unit).iter();
                members.fold((0.0, 0.0), |(used, rest), &j| {
                    let bend = part.curvature(j);
                    (used + bend * theta[j] * theta[j], rest + gradient[j] * gradient[j] / bend)
                })
            })
            .collect();
        let high = sizes.iter().filter(|size| size.0 > 0.0).map(|size| size.0).fold(f64::INFINITY, f64::min);
        let low = sizes.iter().filter(|size| size.0 == 0.0).map(|size| size.1).fold(0.0, f64::max);
        let high = if high.is_infinite() { 1e6 * low } else { high };
        let is_possible = low < high;
        if !is_possible {
            return settled;
        }
        let low = low.max(1e-20 * high);
        let mut cholesky = Cholesky::default();
        let least = shift(theta.len()).max(1e-14);
        for level in LEVELS.iter().take(tries) {
            let tau = low * (high / low).powf(*level);
            let mut diagonal: Vec<f64> = (0..theta.len()).map(|j| SMALL * part.curvature(j)).collect();
            for (unit, (used, rest)) in sizes.iter().enumerate() {
                let share = if *used > 0.0 { tau * (1.0 + 1e-9) / used } else { rest / tau };
                choice.unit(unit).iter().for_each(|&j| diagonal[j] = share.max(least) * part.curvature(j));
            }
            if is_shown(&part.gram, &diagonal, &mut cholesky) {
                let places = vec![Place::Free; theta.len()];
                let restricted = Restricted { part: &part, places: &places, room: theta.len(), diagonal: &diagonal };
                let bound = Bound::at(restricted, &theta).for_units(choice);
                settled.lower = settled.lower.max(bound.min(upper));
                break;
            }
        }
        settled
    }
}
