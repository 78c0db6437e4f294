//! Matrices of rank at most $r$, $C = \{\Theta \in \mathbb{R}^{m \times n} : \mathrm{rank}(\Theta) \le r\}$, stored row by row.
//!
//! The truncated singular value decomposition is a nearest point (Eckart and Young 1936). Near a low-rank matrix a few
//! power steps find it, and a bound on the error certifies the result to about $10^{-13}$; otherwise a decomposition of
//! the whole matrix is taken, at $O(mn \min(m, n))$. A cone, not convex; among equal singular values the choice is
//! whatever the (deterministic) decomposition yields.

use super::{
    Constraint, ProjectionFault, SetFault, Structure, Workspace, projection_failure, refusal, require_dimension,
};
use crate::error::Result;
use crate::linalg::svd;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// At most so many linearly independent rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    most: usize,
    rows: usize,
    columns: usize,
}

impl Rank {
    /// Matrices of `rows × columns` with at most this rank; with zero, only the zero matrix.
    pub fn at_most(rank: usize, rows: usize, columns: usize) -> Self {
        Self { most: rank, rows, columns }
    }
}

impl Constraint for Rank {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        require_dimension(self, self.rows.saturating_mul(self.columns), point.len())?;
        if !point.iter().all(|x| x.is_finite()) {
            return Err(projection_failure(self, ProjectionFault::NotFinite));
        }
        let mut numbers = work.take_numbers();
        let size = svd::Size { rows: self.rows, columns: self.columns };
        let done = svd::truncate(point, size, self.most, &mut numbers, &mut work.scratch);
        work.return_numbers(numbers);
        done.then_some(()).ok_or_else(|| projection_failure(self, ProjectionFault::Decomposition))
    }

    fn is_convex(&self) -> bool {
        self.most == 0 || self.most >= self.rows.min(self.columns)
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        let (rows, columns) = (self.rows, self.columns);
        if shape != (Shape::Matrix { rows, columns }) {
            let reason = format!("the set is for a {rows}x{columns} matrix, but the parameter is {}", described(shape));
            return Err(refusal(self.spec(), reason));
        }
        if self.most <= rows.min(columns) {
            return Ok(());
        }
        Err(refusal(self.spec(), SetFault::RankTooLarge { rows, columns }))
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Rank { rank: self.most, rows: self.rows, columns: self.columns, radius: None }
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Rank { rank: self.most }
    }
}

fn described(shape: Shape) -> String {
    match shape {
        Shape::Vector(length) => format!("a vector of length {length}"),
        Shape::Matrix { .. } => format!("{shape}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn small_singular_values_are_dropped() -> Result<()> {
        let result = projected(&Rank::at_most(1, 2, 3), &[3.0, 0.0, 0.0, 0.0, -2.0, 0.0])?;
        for (found, expected) in result.iter().zip([3.0, 0.0, 0.0, 0.0, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-14, "{result:?}");
        }
        assert_eq!(projected(&Rank::at_most(0, 1, 2), &[3.0, 1.0])?, [0.0, 0.0]);
        assert_eq!(projected(&Rank::at_most(2, 2, 2), &[3.0, 1.0, 4.0, 1.0])?, [3.0, 1.0, 4.0, 1.0]);
        Ok(())
    }
}
