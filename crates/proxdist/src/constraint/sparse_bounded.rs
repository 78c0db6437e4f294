//! At most $s$ nonzero entries, each between limits, $C = \{x : \|x\|_0 \le s, \; x_j = 0 \text{ or } l_j \le x_j \le u_j\}$,
//! where an entry may be zero only if its limits allow it. With limits $0, \infty$ this is sparse and nonnegative; with
//! $\pm r$, sparse in the L∞ ball.
//!
//! Letting entry $j$ be $c_j = \mathrm{clip}(x_j)$ instead of zero lowers the squared distance by
//! $x_j^2 - (x_j - c_j)^2 = c_j (2 x_j - c_j)$, so the projection keeps the largest gains. Entries whose limits exclude
//! zero come first. Selection makes it $O(p)$. Not convex; equal gains are resolved towards the lower index.

use super::bounds::{Bounds, clip};
use super::selection::Cut;
use super::sparsity::keep_fits;
use super::{Choice, Choosing, Constraint, ProjectionFault, Structure, Workspace, projection_failure, refusal};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Sparsity and limits at once.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseBounded {
    keep: usize,
    bounds: Bounds,
}

impl SparseBounded {
    /// At most `keep` nonzero entries, all within `bounds`.
    pub fn at_most(keep: usize, bounds: Bounds) -> Self {
        Self { keep, bounds }
    }

    /// Why no vector of this length is in the set, if none is.
    fn emptiness(&self, length: usize) -> Option<ProjectionFault> {
        let forced = self.bounds.pairs(length).filter(|limits| excludes_zero(*limits)).count();
        let keep = self.keep;
        (forced > keep).then_some(ProjectionFault::ForcedNonzeros { forced, keep })
    }
}

fn excludes_zero((lower, upper): (f64, f64)) -> bool {
    lower > 0.0 || upper < 0.0
}

/// The root of the gain of keeping an entry: same order as the gain, but it cannot overflow.
fn score(x: f64, limits: (f64, f64)) -> f64 {
    let kept = clip(x, limits);
    if excludes_zero(limits) {
        f64::INFINITY
    } else if kept == x || kept == 0.0 {
        kept.abs()
    } else {
        kept.abs().sqrt() * std::f64::consts::SQRT_2 * (x - kept / 2.0).abs().sqrt()
    }
}

impl Constraint for SparseBounded {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        if let Some(fault) = self.emptiness(point.len()) {
            return Err(projection_failure(self, fault));
        }
        self.bounds.check(Shape::Vector(point.len()))?;
        let mut candidates = work.take_numbers();
        let scores = point.iter().zip(self.bounds.pairs(point.len())).map(|(x, limits)| score(*x, limits).abs());
        let mut cut = Cut::largest(scores, self.keep, &mut candidates);
        work.return_numbers(candidates);
        let length = point.len();
        for (x, limits) in point.iter_mut().zip(self.bounds.pairs(length)) {
            *x = if cut.keeps(score(*x, limits).abs()) { clip(*x, limits) + 0.0 } else { 0.0 };
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn is_cone(&self) -> bool {
        self.bounds.is_cone()
    }

    fn is_scale_free(&self) -> bool {
        self.bounds.is_scale_free()
    }

    fn check(&self, shape: Shape) -> Result<()> {
        keep_fits(self, self.keep, shape)?;
        self.bounds.check(shape)?;
        self.emptiness(shape.len()).map_or(Ok(()), |fault| Err(refusal(self.spec(), fault)))
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::all_of([SetSpec::Sparsity { keep: self.keep }, self.bounds.spec()])
    }
}

impl Choosing for SparseBounded {
    /// Entries that cannot be zero are always in.
    fn choice(&self, length: usize) -> Choice {
        let (forced, free): (Vec<usize>, Vec<usize>) = {
            let limits: Vec<(f64, f64)> = self.bounds.pairs(length).collect();
            (0..length).partition(|&j| limits.get(j).is_some_and(|limits| excludes_zero(*limits)))
        };
        let keep = self.keep.saturating_sub(forced.len());
        Choice::always(forced).beside(&Choice::of_coordinates(keep, free), |j| j)
    }

    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        let rest = if let Some((lower, upper)) = self.bounds.shared() {
            Bounds::between(lower, upper)
        } else {
            let all: Vec<(f64, f64)> = self.bounds.pairs(usize::MAX).collect();
            let is_forced_out =
                |j: usize, limits: &(f64, f64)| excludes_zero(*limits) && support.binary_search(&j).is_err();
            if all.iter().enumerate().any(|(j, limits)| is_forced_out(j, limits)) {
                return None;
            }
            let kept = support.iter().map(|&j| all.get(j).copied()).collect::<Option<Vec<_>>>()?;
            let (lower, upper) = kept.into_iter().unzip();
            Bounds::each(lower, upper)
        };
        rest.ok().map(|bounds| Box::new(bounds) as Box<dyn Constraint>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn the_largest_gain_wins_not_the_largest_magnitude() -> Result<()> {
        // Clipped to 1, the entry 3 gains 5; the entry -4 could only become 0 and gains nothing.
        let set = SparseBounded::at_most(1, Bounds::between(0.0, 1.0)?);
        assert_eq!(projected(&set, &[-4.0, 0.5, 3.0])?, [0.0, 0.0, 1.0]);
        Ok(())
    }

    #[test]
    fn entries_that_cannot_be_zero_are_kept_first() -> Result<()> {
        let bounds = Bounds::each(vec![-9.0, 1.0, -9.0], vec![9.0, 2.0, 9.0])?;
        assert_eq!(projected(&SparseBounded::at_most(2, bounds.clone()), &[3.0, -5.0, 4.0])?, [0.0, 1.0, 4.0]);
        let message = SparseBounded::at_most(0, bounds).check(Shape::Vector(3)).unwrap_err().to_string();
        assert!(message.contains("the set is empty"), "{message}");
        Ok(())
    }
}
