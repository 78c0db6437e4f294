//! The exact finish: from the piece of the set that the stochastic phase found to the optimum on all data.
//!
//! It never leaves the set and never raises F. Each family of sets has its own small file; `finish.rs` chooses.

mod accelerated;
mod ball;
mod convex;
mod descent;
mod faces;
mod factors;
mod finish;
mod gap;
mod groups;
mod normal;
mod on_columns;
mod on_data;
mod rank;
mod scores;
mod smooth;
mod sparse;
mod subsets;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub(crate) use finish::Finish;
pub(crate) use gap::gap;
pub(crate) use on_columns::OnColumns;
pub(crate) use on_data::{OnData, row_derivatives};
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
