//! One Cholesky factorisation often settles it.
//!
//! Let $\hat\theta$ minimise $Q$ on its support $S$, $g = \nabla Q(\hat\theta)$. The bound of `bound` at $\hat\theta$ has $v_j = d_j(\hat\theta_j - g_j/d_j)^2$. It equals $Q(\hat\theta)$ if and
//! only if the $v_j$ of $S$ are the largest: $d_j\hat\theta_j^2 \ge \tau$ on $S$ and $g_j^2/d_j \le \tau$ elsewhere, for some $\tau$. The smallest such diagonal is
//! $$d_j = \tau/\hat\theta_j^2 \text{ on } S, \qquad d_j = g_j^2/\tau \text{ elsewhere},$$
//! so if $D(\tau) \preceq G$ for some $\tau$ the fit is globally optimal, and no other diagonal would show it at this base point. Entries cannot exceed $G_{jj}$, which leaves an
//! interval for $\tau$; its geometric middle comes first. Columns that are selected for certain need no share and get a small entry.
//!
//! The gradient on $S$ is never exactly zero: what is reported is the bound as it comes out.

use super::bound::{Bound, Restricted};
use super::part::{Part, Place};
use super::positive::{is_shown, shift};
use super::quadratic::Quadratic;
use crate::linalg::{Cholesky, axpy};

/// Entry of a column that needs no share, relative to $G_{jj}$.
const SMALL: f64 = 1e-7;

/// A fit between two proven numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// The function is at most this at the fit.
    pub upper: f64,
    /// It is at least this at every allowed point.
    pub lower: f64,
}

impl Settled {
    /// Whether the fit is optimal up to a part of its value.
    pub fn is_proven(&self, tolerance: f64) -> bool {
        self.upper - self.lower <= tolerance * self.upper.abs()
    }
}

/// The test for a point in scaled units; `places` says which columns are in or out for certain, and `room` how many others may be selected.
pub(super) fn settle(quadratic: &Quadratic, places: &[Place], (room, tries): (usize, usize), theta: &[f64]) -> Settled {
    let support: Vec<usize> = (0..theta.len()).filter(|&j| theta[j] != 0.0).collect();
    let values: Vec<f64> = support.iter().map(|&j| theta[j]).collect();
    let upper = quadratic.value_above(&support, &values);
    let mut settled = Settled { upper, lower: quadratic.floor.min(upper) };
    let alive: Vec<usize> = (0..places.len()).filter(|&j| places[j] != Place::Out).collect();
    let whole = Part::whole(quadratic);
    let part = if alive.len() == whole.len() { whole } else { whole.on(&alive) };
    let theta: Vec<f64> = alive.iter().map(|&j| theta[j]).collect();
    let places: Vec<Place> = alive.iter().map(|&j| places[j]).collect();
    let mut gradient: Vec<f64> = part.linear.iter().map(|b| -b).collect();
    for j in (0..theta.len()).filter(|&j| theta[j] != 0.0) {
        axpy(theta[j], part.row(j), &mut gradient);
    }
    let trial = Trial { part: &part, places: &places, theta: &theta, gradient: &gradient };
    let mut cholesky = Cholesky::default();
    for tau in trial.levels().into_iter().take(tries) {
        let diagonal = trial.diagonal(tau);
        if is_shown(&part.gram, &diagonal, &mut cholesky) {
            let bound = Bound::at(Restricted { part: &part, places: &places, room, diagonal: &diagonal }, &theta);
            settled.lower = settled.lower.max(bound.value.min(upper));
            break;
        }
    }
    settled
}

struct Trial<'a> {
    part: &'a Part<'a>,
    places: &'a [Place],
    theta: &'a [f64],
    gradient: &'a [f64],
}

impl Trial<'_> {
    /// The values of $\tau$ to try, in this order.
    fn levels(&self) -> Vec<f64> {
        let (mut low, mut high) = (0.0_f64, f64::INFINITY);
        for j in (0..self.theta.len()).filter(|&j| self.places[j] == Place::Free) {
            let (x, g, curvature) = (self.theta[j], self.gradient[j], self.part.curvature(j));
            if x == 0.0 {
                low = low.max(g * g / curvature);
            } else {
                high = high.min(x * x * curvature);
            }
        }
        if high.is_infinite() {
            // Nothing is selected: whatever makes the shares of the others small enough.
            high = 1e6 * low;
        }
        // Also NaN ends here.
        let is_possible = low < high;
        if !is_possible {
            return Vec::new();
        }
        let low = low.max(1e-20 * high);
        let tries: &[f64] = match self.theta.len() {
            0..500 => &[0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9],
            500..1500 => &[0.5, 0.4, 0.6, 0.3, 0.7],
            _ => &[0.5, 0.35, 0.65],
        };
        tries.iter().map(|part| low * (high / low).powf(*part)).collect()
    }

    /// $D(\tau)$, a little larger where rounding could make a share of the support the smaller one.
    fn diagonal(&self, tau: f64) -> Vec<f64> {
        let entry = |j: usize| {
            let (x, g, curvature) = (self.theta[j], self.gradient[j], self.part.curvature(j));
            let least = shift(self.theta.len()).max(1e-14) * curvature;
            match (self.places[j], x == 0.0) {
                (Place::Free, false) => (tau * (1.0 + 1e-9) / (x * x)).max(least),
                (Place::Free, true) => (g * g / tau).max(least),
                _ => SMALL * curvature,
            }
        };
        (0..self.theta.len()).map(entry).collect()
    }
}
