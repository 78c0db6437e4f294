//! An upper bound on $F(\theta) - \min_C F$ from the gradient alone (Frank and Wolfe 1956).
//!
//! For convex F and any $c \in C$, $F(c) \ge F(\theta) + g^T(c - \theta)$, so
//! $$F(\theta) - \min_C F \le g^T\theta + \max_{c \in C}(-g)^Tc,$$
//! where the maximum is the support function of the set. The set need not be convex. An intercept is free, so its
//! part of the maximum is infinite unless $\partial F/\partial\beta_0 = 0$; when that derivative is negligible the bound is
//! the one for the function with the intercept minimised out, whose gradient is $g$ without its last entry.

use crate::constraint::Constraint;
use crate::layout::Layout;
use crate::linalg::{dot, norm};

/// Derivative in the intercept that counts as zero, relative to the rest of the gradient or to the number one.
const NEGLIGIBLE: f64 = 1e-8;

/// Whether F is as good as minimal in the intercept, if there is one.
fn is_flat_in_intercept(layout: Layout, gradient: &[f64]) -> bool {
    let (along, free) = layout.split(gradient);
    norm(free) <= NEGLIGIBLE * norm(along).max(1.0)
}

/// $\max_{c \in C}(-g)^Tc$, if it is finite.
fn support(set: &dyn Constraint, along: &[f64]) -> Option<f64> {
    let opposite: Vec<f64> = along.iter().map(|g| -g).collect();
    set.support_function(&opposite).filter(|value| value.is_finite())
}

/// Whether there would be a bound, were it not for the intercept.
pub(super) fn is_lost_by_intercept(set: &dyn Constraint, layout: Layout, gradient: &[f64]) -> bool {
    !is_flat_in_intercept(layout, gradient) && support(set, layout.coefficients(gradient)).is_some()
}

/// The bound, where the set has a support function.
pub(crate) fn gap(set: &dyn Constraint, layout: Layout, gradient: &[f64], point: &[f64]) -> Option<f64> {
    if !is_flat_in_intercept(layout, gradient) {
        return None;
    }
    let along = layout.coefficients(gradient);
    let bound = dot(along, layout.coefficients(point)) + support(set, along)?;
    // At the optimum the two terms cancel and rounding may leave a negative number.
    bound.is_finite().then_some(bound.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{Ball, Simplex, WholeSpace};
    use crate::error::Result;

    #[test]
    fn the_bound_is_zero_at_the_optimum_and_above_the_truth_elsewhere() -> Result<()> {
        // F = ½‖x − (3, 4)‖² over the unit ball: optimum (0.6, 0.8), F* = 8.
        let (ball, layout) = (Ball::radius(1.0)?, Layout::vector(2));
        assert!(gap(&ball, layout, &[-2.4, -3.2], &[0.6, 0.8]).unwrap() < 1e-14);
        assert!(gap(&ball, layout, &[-3.0, -4.0], &[0.0, 0.0]).unwrap() >= 12.5 - 8.0);
        assert_eq!(gap(&Simplex::default(), layout, &[1.0, 2.0], &[1.0, 0.0]), Some(0.0));
        assert_eq!(gap(&WholeSpace, Layout::vector(1), &[1.0], &[1.0]), None);
        Ok(())
    }

    #[test]
    fn an_intercept_that_is_not_optimal_forbids_the_bound() -> Result<()> {
        let (ball, layout) = (Ball::radius(1.0)?, Layout::vector(1).intercepts(true));
        assert_eq!(gap(&ball, layout, &[1.0, 0.1], &[0.5, 0.0]), None);
        assert_eq!(gap(&ball, layout, &[1.0, 1e-12], &[0.5, 0.0]), Some(1.5));
        Ok(())
    }
}
