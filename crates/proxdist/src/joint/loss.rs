//! A loss of all rows together: a convex function of the predictors $\eta \in \mathbb R^n$, with two derivatives there.
//!
//! Nothing here knows of features. With $F(\theta) = L(X\theta + o) + \tfrac12\sum_j\lambda_j\theta_j^2$ the gradient is $X^T\nabla L$ and the Hessian $X^T\nabla^2L\,X$, so a loss is asked for slopes and for products of its
//! second derivatives with vectors of $n$ numbers, each in about $O(n)$ ([`super::objective`]).
//!
//! Every such loss is unchanged when one number is added to the predictors of all rows (of a stratum, for some): there is no intercept.

/// A convex function of the predictors of all rows, divided by the sum of their weights. Numbers besides the coefficients, if there are any, are at their best for these predictors.
pub(crate) trait JointLoss: Send + Sync {
    /// The value, not below zero; infinite where the predictors are too far apart for numbers. `free` holds the numbers besides the coefficients: where to look for them first (empty if nothing is
    /// known), and the best ones on return.
    fn value(&self, predictors: &[f64], free: &mut Vec<f64>) -> f64;

    /// The value, and the slope of each row.
    fn slopes(&self, predictors: &[f64], free: &mut Vec<f64>, slopes: &mut [f64]) -> f64;

    /// The second derivatives at these predictors.
    fn bends(&self, predictors: &[f64], free: &mut Vec<f64>) -> Box<dyn Bends + '_>;

    /// Whether the third derivative along any direction $v$ is at most $\max_{ij}|v_i - v_j|$ times the second, as for logarithms of sums of exponentials.
    fn is_tame(&self) -> bool;

    /// The order of rows by which the loss does not grow along the ray $\eta + tv$, $t \to \infty$: how far $v$ is from it.
    fn order(&self, v: &[f64]) -> Order;
}

/// Differences of a number of each row, for pairs of rows that a loss compares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Order {
    /// The largest difference the wrong way; zero where the loss does not grow along the ray.
    pub(crate) broken_by: f64,
    /// The largest one the right way; zero where nothing changes along a ray that does not grow.
    pub(crate) kept_by: f64,
}

/// Second derivatives at some predictors.
pub(crate) trait Bends: Send + Sync {
    /// Replaces `v`, a number for each row, by the second derivatives times `v`.
    fn times(&self, v: &mut [f64]);
}
