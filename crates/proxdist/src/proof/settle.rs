//! One Cholesky factorisation often settles it.
//!
//! Let $\hat\theta$ minimise $Q$ on its support $S$, $g = \nabla Q(\hat\theta)$. The bound of `bound` at $\hat\theta$ has $v_j = d_j(\hat\theta_j - g_j/d_j)^2$. It equals $Q(\hat\theta)$ if and
//! only if the $v_j$ of $S$ are the largest: $d_j\hat\theta_j^2 \ge \tau$ on $S$ and $g_j^2/d_j \le \tau$ elsewhere, for some $\tau$. The smallest such diagonal is
//! $$d_j = \tau/\hat\theta_j^2 \text{ on } S, \qquad d_j = g_j^2/\tau \text{ elsewhere},$$
//! so if $D(\tau) \preceq G$ for some $\tau$ the fit is globally optimal, and no other diagonal would show it at this base point. Entries cannot exceed $G_{jj}$, which leaves an
//! interval for $\tau$; its geometric middle comes first. Columns that are selected for certain need no share and get a small entry.
//!
//! For a unit $u$ of several columns the same holds with entries in the ratio of the $G_{jj}$: $\sum_{j \in u}G_{jj}\hat\theta_j^2$ takes the place of $G_{jj}\hat\theta_j^2$, and $\sum_{j \in u}g_j^2/G_{jj}$
//! that of $g_j^2/G_{jj}$. All $v_u$ equal to $\tau$ make the bound tight whatever the limits on units are, as long as $S$ uses them up. A convex set beside the choice makes the minimum
//! larger, never smaller: the bound holds there too, and is tight where that set does not bind.
//!
//! The gradient on $S$ is never exactly zero: what is reported is the bound as it comes out.

use super::bound::{Bound, Restricted};
use super::choices::Alive;
use super::family::Room;
use super::part::Place;
use super::positive::{is_shown, shift};
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

/// The bound of the test for a point of the columns that are left, with so many attempts at most; none if no attempt succeeds.
pub(super) fn settle(alive: &Alive, room: &Room, theta: &[f64], tries: usize) -> Option<f64> {
    let Alive { part, runs, places, .. } = alive;
    let mut gradient: Vec<f64> = part.linear.iter().map(|b| -b).collect();
    for j in (0..theta.len()).filter(|&j| theta[j] != 0.0) {
        axpy(theta[j], part.row(j), &mut gradient);
    }
    let trial = Trial::new(alive, theta, &gradient);
    let mut cholesky = Cholesky::default();
    let diagonals = trial.levels().into_iter().take(tries).map(|tau| trial.diagonal(tau));
    let shown = diagonals.into_iter().find(|diagonal| is_shown(&part.gram, diagonal, &mut cholesky))?;
    Some(Bound::at(Restricted { part, runs, places, room, diagonal: &shown }, theta).value)
}

struct Trial<'a> {
    alive: &'a Alive<'a>,
    /// For each unit $\sum G_{jj}\hat\theta_j^2$ and $\sum g_j^2/G_{jj}$.
    sizes: Vec<(f64, f64)>,
}

impl<'a> Trial<'a> {
    fn new(alive: &'a Alive<'a>, theta: &[f64], gradient: &[f64]) -> Self {
        let size = |unit: usize| {
            alive.runs.columns(unit).fold((0.0, 0.0), |(used, rest), j| {
                let bend = alive.part.curvature(j);
                (used + bend * theta[j] * theta[j], rest + gradient[j] * gradient[j] / bend)
            })
        };
        Self { alive, sizes: (0..alive.runs.len()).map(size).collect() }
    }

    /// The values of $\tau$ to try, in this order.
    fn levels(&self) -> Vec<f64> {
        let (mut low, mut high) = (0.0_f64, f64::INFINITY);
        for unit in self.alive.runs.in_place(&self.alive.places, Place::Free) {
            let (used, rest) = self.sizes[unit];
            if used == 0.0 {
                low = low.max(rest);
            } else {
                high = high.min(used);
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
        let tries: &[f64] = match self.alive.part.len() {
            0..500 => &[0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9],
            500..1500 => &[0.5, 0.4, 0.6, 0.3, 0.7],
            _ => &[0.5, 0.35, 0.65],
        };
        tries.iter().map(|part| low * (high / low).powf(*part)).collect()
    }

    /// $D(\tau)$, a little larger where rounding could make a share of the support the smaller one.
    fn diagonal(&self, tau: f64) -> Vec<f64> {
        let Alive { part, runs, places, .. } = self.alive;
        let least = shift(part.len()).max(1e-14);
        let mut diagonal: Vec<f64> = (0..part.len()).map(|j| SMALL * part.curvature(j)).collect();
        for unit in runs.in_place(places, Place::Free) {
            let (used, rest) = self.sizes[unit];
            let share = if used > 0.0 { tau * (1.0 + 1e-9) / used } else { rest / tau };
            runs.columns(unit).for_each(|j| diagonal[j] = share.max(least) * part.curvature(j));
        }
        diagonal
    }
}
