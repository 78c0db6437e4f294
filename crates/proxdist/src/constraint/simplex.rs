//! Nonnegative vectors with a given sum, $C = \{x : x_j \ge 0, \sum_j x_j = t\}$; the probability simplex when $t = 1$.
//!
//! The optimality conditions say $P(x)_j = \max(x_j - \tau, 0)$ with $\tau$ chosen so that the entries sum to $t$.
//! Entries that end at zero are found by repeated averaging (Michelot 1986): a few passes over fewer and fewer
//! candidates, $O(p)$ each. Convex, unique.

use super::structure::top;
use super::{Constraint, Face, Faces, RowsAndBalls, Structure, Workspace, refusal};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Nonnegative entries with a fixed total.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simplex {
    total: f64,
}

impl Default for Simplex {
    fn default() -> Self {
        Self { total: 1.0 }
    }
}

impl Simplex {
    /// Entries that sum to `total`, which is positive.
    pub fn total(total: f64) -> Result<Self> {
        let simplex = Self { total };
        if total.is_finite() && total > 0.0 {
            return Ok(simplex);
        }
        Err(refusal(simplex.spec(), "the total must be a positive finite number"))
    }

    fn require_entries(self, length: usize) -> Result<()> {
        if length > 0 {
            return Ok(());
        }
        Err(refusal(self.spec(), "a parameter without entries cannot have a positive sum"))
    }
}

impl Constraint for Simplex {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        self.require_entries(point.len())?;
        let mut candidates = work.take_numbers();
        let level = Level::of(point.iter().copied(), self.total, &mut candidates);
        work.return_numbers(candidates);
        for x in point {
            *x = level.excess(*x);
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        self.require_entries(shape.len())
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        (!direction.is_empty()).then(|| self.total * top(direction.iter().copied()))
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Simplex { total: self.total }
    }
}

impl RowsAndBalls for Simplex {
    fn conic(&self, features: usize) -> Option<Conic> {
        let signs = Conic::everything(features).between(std::iter::repeat((0.0, f64::INFINITY)));
        Some(signs.equal((0..features).map(|j| (j, 1.0)).collect(), self.total))
    }
}

impl Faces for Simplex {
    fn face(&self, point: &[f64]) -> Option<Face> {
        let support = (0..point.len()).filter(|&j| point[j] > 0.0);
        Some(Face::of_free(support).holding(&vec![1.0; point.len()]))
    }
}

/// The water level $\tau$ with $\sum_j \max(x_j - \tau, 0) = t$, kept as `top - depth` with `top` the largest entry:
/// entries far above or below are then harmless.
pub(super) struct Level {
    top: f64,
    depth: f64,
}

impl Level {
    /// Solves for the level by Michelot's passes; `candidates` is scratch.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone, total: f64, candidates: &mut Vec<f64>) -> Self {
        let top = values.clone().fold(f64::NEG_INFINITY, |top, x| if top.is_nan() || x <= top { top } else { x });
        candidates.clear();
        // Only entries within `total` of the top can stay positive; the top itself always does.
        candidates.extend(values.map(|x| x - top).filter(|&below| below > -total || below == 0.0));
        let mut depth = total;
        loop {
            let count = candidates.len();
            if count == 0 {
                return Self { top, depth };
            }
            depth = (total - candidates.iter().sum::<f64>()) / count as f64;
            candidates.retain(|&below| below > -depth || below == 0.0);
            if candidates.len() == count {
                return Self { top, depth };
            }
        }
    }

    /// How far `value` rises above the level, zero if it does not; NaN stays.
    pub(super) fn excess(&self, value: f64) -> f64 {
        let above = (value - self.top) + self.depth;
        if above <= 0.0 { 0.0 } else { above }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn the_level_is_the_one_that_gives_the_total() -> Result<()> {
        assert_eq!(projected(&Simplex::default(), &[0.5, 0.5, 2.0])?, [0.0, 0.0, 1.0]);
        assert_eq!(projected(&Simplex::total(3.0)?, &[7.0, 7.0, 7.0])?, [1.0, 1.0, 1.0]);
        assert_eq!(projected(&Simplex::default(), &[-9.0])?, [1.0]);
        Ok(())
    }

    #[test]
    fn huge_entries_share_the_total() -> Result<()> {
        assert_eq!(projected(&Simplex::default(), &[1e308, -1e308, 1e308])?, [0.5, 0.0, 0.5]);
        Ok(())
    }
}
