//! The part of a cone that lies in a ball around the origin, $K \cap \{x : \|x\| \le r\}$.
//!
//! Project onto the cone, then shorten: along a ray $tu$, $t \ge 0$, $\|u\| = 1$, the squared distance to $x$ is
//! $\|x\|^2 - 2t\,u^T x + t^2$, so for every admissible length the best direction is the one that maximises $u^T x$, the
//! direction of $P_K(x)$, and the best length is $\min(\|P_K(x)\|, r)$. This needs no convexity: it holds for sparsity,
//! groups and rank too. The cost is that of the cone; ties are resolved as the cone does.

use super::ball::{Ball, shorten};
use super::magnitude::Length;
use super::{Choice, Choosing, Constraint, RowsAndBalls, SetFault, Structure, Workspace, projected, refusal};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// A cone and a ball around the origin at once.
#[derive(Debug)]
pub struct ConeInBall<C> {
    cone: C,
    ball: Ball,
}

impl<C: Constraint> ConeInBall<C> {
    /// Points of `cone` no longer than `radius`; the set must say of itself that it is a cone.
    pub fn new(cone: C, radius: f64) -> Result<Self> {
        let set = Self { cone, ball: Ball::radius(radius)? };
        if set.cone.is_cone() {
            return Ok(set);
        }
        Err(refusal(set.spec(), SetFault::NotACone { part: set.cone.spec() }))
    }
}

impl<C: Constraint> Constraint for ConeInBall<C> {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        self.cone.project(point, work)?;
        shorten(point, self.ball.limit());
        Ok(())
    }

    fn is_convex(&self) -> bool {
        self.cone.is_convex()
    }

    fn check(&self, shape: Shape) -> Result<()> {
        self.cone.check(shape)
    }

    fn structure(&self) -> Structure<'_> {
        match self.cone.structure() {
            Structure::WholeSpace => Structure::Ball(&self.ball),
            Structure::Rank { rank, rows, columns, .. } => {
                Structure::Rank { rank, rows, columns, radius: Some(self.ball.limit()) }
            }
            Structure::Choice(_) => Structure::Choice(self),
            Structure::Ball(_) | Structure::Polyhedron(_) | Structure::Convex(_) => Structure::Convex(self),
            Structure::Breaks(_) | Structure::Other => Structure::Other,
        }
    }

    /// The best direction of the cone is that of its projection, the best length the radius.
    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        let nearest = projected(&self.cone, direction).ok()?;
        Some(self.ball.limit() * Length::of(nearest.iter().copied()).value())
    }

    fn spec(&self) -> SetSpec {
        SetSpec::all_of([self.cone.spec(), self.ball.spec()])
    }
}

impl<C: Constraint> RowsAndBalls for ConeInBall<C> {
    fn conic(&self, features: usize) -> Option<Conic> {
        Some(self.cone.structure().conic(features)?.in_ball(None, self.ball.limit()))
    }
}

impl<C: Constraint> Choosing for ConeInBall<C> {
    fn choice(&self, length: usize) -> Choice {
        match self.cone.structure() {
            Structure::Choice(cone) => cone.choice(length),
            _ => Choice::always(0..length),
        }
    }

    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        let Structure::Choice(cone) = self.cone.structure() else { return None };
        let rest = ConeInBall::new(cone.on_support(support)?, self.ball.limit());
        rest.ok().map(|set| Box::new(set) as Box<dyn Constraint>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{Simplex, Sparsity, projected};

    #[test]
    fn sparse_vectors_are_shortened_after_the_selection() -> Result<()> {
        let set = ConeInBall::new(Sparsity::at_most(2), 2.5)?;
        assert_eq!(projected(&set, &[3.0, 1.0, -4.0])?, [1.5, 0.0, -2.0]);
        assert_eq!(projected(&set, &[0.3, 0.1, -0.4])?, [0.3, 0.0, -0.4]);
        Ok(())
    }

    #[test]
    fn a_set_that_is_not_a_cone_is_refused() {
        let message = ConeInBall::new(Simplex::default(), 1.0).err().map(|error| error.to_string());
        assert_eq!(message.as_deref(), Some("constraint simplex & ball:1: simplex is not a cone"));
    }
}
