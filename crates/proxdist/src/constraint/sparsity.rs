//! Vectors with at most $s$ nonzero entries, $C = \{x : \|x\|_0 \le s\}$.
//!
//! The projection keeps the $s$ entries of largest magnitude: zeroing entry $j$ costs $x_j^2$, so the cheapest feasible
//! change zeroes the smallest. Selection makes it $O(p)$. A cone, not convex; equal magnitudes are resolved towards the
//! lower index.

use super::selection::Cut;
use super::{Choice, Choosing, Constraint, SetFault, Structure, WholeSpace, Workspace, refusal};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// At most so many nonzero entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparsity {
    keep: usize,
}

impl Sparsity {
    /// Vectors with at most `keep` nonzero entries; with zero, only the zero vector.
    pub fn at_most(keep: usize) -> Self {
        Self { keep }
    }
}

impl Constraint for Sparsity {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        if self.keep >= point.len() {
            return Ok(());
        }
        let mut candidates = work.take_numbers();
        let mut cut = Cut::largest(point.iter().map(|x| x.abs()), self.keep, &mut candidates);
        work.return_numbers(candidates);
        for x in point {
            *x = if cut.keeps(x.abs()) { *x + 0.0 } else { 0.0 };
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        self.keep == 0
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn is_scale_free(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        keep_fits(self, self.keep, shape)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Sparsity { keep: self.keep }
    }
}

impl Choosing for Sparsity {
    fn choice(&self, length: usize) -> Choice {
        Choice::of_coordinates(self.keep, 0..length)
    }

    fn on_support(&self, _support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        Some(Box::new(WholeSpace))
    }
}

/// Refuses to keep more entries than there are.
pub(super) fn keep_fits(set: &dyn Constraint, keep: usize, shape: Shape) -> Result<()> {
    let most = shape.len();
    if keep <= most {
        return Ok(());
    }
    Err(refusal(set.spec(), SetFault::TooManyNonzeros { most }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn the_largest_magnitudes_stay_and_ties_go_to_the_lower_index() -> Result<()> {
        assert_eq!(projected(&Sparsity::at_most(2), &[1.0, -3.0, 2.0, -2.0])?, [0.0, -3.0, 2.0, 0.0]);
        assert_eq!(projected(&Sparsity::at_most(2), &[-1.0; 4])?, [-1.0, -1.0, 0.0, 0.0]);
        assert_eq!(projected(&Sparsity::at_most(0), &[5.0, 6.0])?, [0.0, 0.0]);
        Ok(())
    }

    #[test]
    fn zeros_are_never_negative() -> Result<()> {
        let result = projected(&Sparsity::at_most(2), &[-0.0, -1e-300, -0.0, -2.0, -1e-310])?;
        assert!(result.iter().all(|x| x.to_bits() != (-0.0_f64).to_bits()), "{result:?}");
        Ok(())
    }
}
