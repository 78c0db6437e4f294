//! At most $s$ nonzero entries on the simplex, in the L1 ball, or in its nonnegative part $\{x \ge 0, \sum_j x_j \le r\}$.
//!
//! All three are unchanged by permutations of the entries, so the best support is that of the $s$ largest values, or
//! magnitudes for the L1 ball; what is kept is then projected without regard to sparsity (Kyrillidis, Becker, Cevher
//! and Koch 2013; Beck and Hallak 2016). $O(p)$. Not convex; ties go to the lower index.

use super::selection::{Cut, by_value};
use super::simplex::Simplex;
use super::sparsity::keep_fits;
use super::structure::top;
use super::{
    Choice, Choosing, Constraint, Face, Faces, L1Ball, NonNegative, RowsAndBalls, SetFault, Structure, Workspace,
    refusal,
};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Sparsity and a rule for the sum of the entries at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseSum {
    keep: usize,
    rule: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    Simplex(Simplex),
    L1(L1Ball),
    NonNegativeL1(L1Ball),
}

impl SparseSum {
    /// At most `keep` nonzero entries on a simplex; `keep` is at least one, since the sum is positive.
    pub fn on_simplex(keep: usize, simplex: Simplex) -> Result<Self> {
        let set = Self { keep, rule: Rule::Simplex(simplex) };
        if keep > 0 {
            return Ok(set);
        }
        Err(refusal(set.spec(), SetFault::empty("with no nonzero entry the sum cannot be positive")))
    }

    /// At most `keep` nonzero entries in an L1 ball.
    pub fn in_l1_ball(keep: usize, ball: L1Ball) -> Self {
        Self { keep, rule: Rule::L1(ball) }
    }

    /// At most `keep` nonzero entries, all positive, in an L1 ball.
    pub fn non_negative_in_l1_ball(keep: usize, ball: L1Ball) -> Self {
        Self { keep, rule: Rule::NonNegativeL1(ball) }
    }

    fn score(&self, x: f64) -> f64 {
        match self.rule {
            Rule::L1(_) => x.abs(),
            Rule::Simplex(_) | Rule::NonNegativeL1(_) => by_value(x),
        }
    }
}

impl Constraint for SparseSum {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        let mut kept = work.take_numbers();
        let mut support = work.take_indices();
        let mut cut = Cut::largest(point.iter().map(|x| self.score(*x)), self.keep, &mut kept);
        support.extend((0..point.len()).filter(|&j| cut.keeps(self.score(point[j]))));
        kept.clear();
        kept.extend(support.iter().map(|&j| point[j]));
        match self.rule {
            Rule::Simplex(simplex) => simplex.project(&mut kept, work)?,
            Rule::L1(ball) => ball.project(&mut kept, work)?,
            Rule::NonNegativeL1(ball) => {
                NonNegative.project(&mut kept, work)?;
                ball.project(&mut kept, work)?;
            }
        }
        point.fill(0.0);
        support.iter().zip(&kept).for_each(|(&j, x)| point[j] = *x + 0.0);
        work.return_indices(support);
        work.return_numbers(kept);
        Ok(())
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn check(&self, shape: Shape) -> Result<()> {
        keep_fits(self, self.keep, shape)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        match self.rule {
            _ if self.keep == 0 => Some(0.0),
            Rule::Simplex(simplex) => simplex.support_function(direction),
            Rule::L1(ball) => ball.support_function(direction),
            Rule::NonNegativeL1(ball) => NonNegativeL1(ball).support_function(direction),
        }
    }

    fn spec(&self) -> SetSpec {
        let rule = match self.rule {
            Rule::Simplex(simplex) => simplex.spec(),
            Rule::L1(ball) => ball.spec(),
            Rule::NonNegativeL1(ball) => NonNegativeL1(ball).spec(),
        };
        SetSpec::all_of([SetSpec::Sparsity { keep: self.keep }, rule])
    }
}

impl Choosing for SparseSum {
    fn choice(&self, length: usize) -> Choice {
        Choice::of_coordinates(self.keep, 0..length)
    }

    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        match self.rule {
            Rule::Simplex(_) if support.is_empty() => None,
            Rule::Simplex(simplex) => Some(Box::new(simplex)),
            Rule::L1(ball) => Some(Box::new(ball)),
            Rule::NonNegativeL1(ball) => Some(Box::new(NonNegativeL1(ball))),
        }
    }
}

/// The nonnegative part of an L1 ball, $\{x \ge 0, \sum_j x_j \le r\}$: what remains on a support.
#[derive(Clone, Copy)]
pub(super) struct NonNegativeL1(pub(super) L1Ball);

impl Constraint for NonNegativeL1 {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        NonNegative.project(point, work)?;
        self.0.project(point, work)
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        let positive: Vec<f64> = vec![top(direction.iter().copied()).max(0.0)];
        self.0.support_function(&positive)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::all_of([NonNegative.spec(), self.0.spec()])
    }
}

impl RowsAndBalls for NonNegativeL1 {
    fn conic(&self, features: usize) -> Option<Conic> {
        let sum = (0..features).map(|j| (j, 1.0)).collect();
        NonNegative.conic(features).map(|signs| signs.at_most(sum, self.0.limit()))
    }
}

impl Faces for NonNegativeL1 {
    fn face(&self, point: &[f64]) -> Option<Face> {
        let face = Face::of_free((0..point.len()).filter(|&j| point[j] > 0.0));
        Some(if self.0.is_interior(point) { face } else { face.holding(&vec![1.0; point.len()]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn the_simplex_ranks_by_value_and_the_l1_ball_by_magnitude() -> Result<()> {
        let simplex = SparseSum::on_simplex(1, Simplex::default())?;
        assert_eq!(projected(&simplex, &[-9.0, 0.2, 0.1])?, [0.0, 1.0, 0.0]);
        let ball = SparseSum::in_l1_ball(1, L1Ball::radius(1.0)?);
        assert_eq!(projected(&ball, &[-9.0, 0.2, 0.1])?, [-1.0, 0.0, 0.0]);
        let positive = SparseSum::non_negative_in_l1_ball(1, L1Ball::radius(1.0)?);
        assert_eq!(projected(&positive, &[-9.0, 0.2, 0.1])?, [0.0, 0.2, 0.0]);
        Ok(())
    }
}
