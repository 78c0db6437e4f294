//! The exact finish: from the piece of the set that the stochastic phase found to the optimum on all data.
//!
//! It never leaves the set and never raises F. Each family of sets has its own small file; [`convex::minimise`] chooses.
#![cfg_attr(not(test), expect(dead_code, reason = "called by Problem::fit once that is written"))]

pub(crate) mod accelerated;
pub(crate) mod ball;
pub(crate) mod convex;
mod descent;
pub(crate) mod faces;
mod factors;
pub(crate) mod gap;
mod normal;
pub(crate) mod rank;
mod smooth;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub(crate) use smooth::Smooth;

/// How a finishing method ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Finished {
    /// F at the result.
    pub(crate) value: f64,
    /// $L\,\|\theta - P_C(\theta - \nabla F(\theta)/L)\|$ there, with the intercept's derivative included.
    pub(crate) stationarity: f64,
    /// Steps taken.
    pub(crate) iterations: usize,
    /// Products of the Hessian with a vector; a whole Hessian counts as one.
    pub(crate) hessian_products: usize,
}
