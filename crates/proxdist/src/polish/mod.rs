//! The exact finish: from the piece of the set that the stochastic phase found to the optimum on all data.
//!
//! It never leaves the set and never raises F. Each family of sets has its own small file; `finish.rs` chooses.

mod accelerated;
mod alternatives;
mod ball;
mod breaks;
mod breaks_model;
mod caution;
mod climbing;
#[cfg(test)]
mod climbing_tests;
mod convex;
mod descent;
mod direct;
#[cfg(test)]
mod effort_tests;
mod every_choice;
mod exchange;
mod faces;
mod factors;
mod finish;
mod gap;
mod gram;
#[cfg(test)]
mod in_order_tests;
mod inherited;
mod joining;
mod lasso_start;
mod leaving;
mod marked_sweep;
mod measure;
mod models;
mod normal;
mod on_columns;
mod on_data;
mod on_frame;
mod orthonormal;
mod oscillation;
mod piecewise;
mod rank;
mod rank_ball;
mod rank_cg;
mod rank_dense;
#[cfg(test)]
mod rank_oracle_tests;
mod rank_place;
mod rank_saddle;
#[cfg(test)]
mod rank_testing;
#[cfg(test)]
mod rank_tests;
mod refit;
mod removal;
mod rows_and_balls;
mod scores;
mod search;
#[cfg(test)]
mod search_tests;
mod segment;
mod smooth;
mod stretched;
mod subsets;
mod sweep;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub(crate) use alternatives::{Near, Neighbours, near};
pub(crate) use convex::minimise;
pub(crate) use descent::distance;
pub(crate) use factors::Factors;
pub(crate) use finish::{Finish, Polished};
pub(crate) use gap::gap as support_gap;
pub(crate) use leaving::without_one;
pub(crate) use measure::{Measure, floored, free_part, metric, relative};
pub(crate) use on_columns::{Block, OnColumns};
pub(crate) use on_data::{OnData, RowDerivatives};
pub(crate) use piecewise::refusal;
pub(crate) use scores::{Held, Scores, inverse};
pub(crate) use smooth::Smooth;
pub(crate) use sweep::{Sweep, crosses, screened, sweep};

use std::ops::ControlFlow;

/// Asked now and then whether the work is to end.
pub(crate) type Poll<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// When a finishing method ends: at this residual, relative to the size that gradients have, or when `poll` says so.
pub(crate) struct Until<'a> {
    pub(crate) tolerance: f64,
    pub(crate) poll: Poll<'a>,
}

impl Until<'_> {
    fn is_over(&mut self) -> bool {
        (self.poll)().is_break()
    }
}

/// How a finishing method ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finished {
    /// F at the result.
    pub(crate) value: f64,
    /// $L\,\|\theta - P_C(\theta - \nabla F(\theta)/L)\|$ there, with the intercept's derivative included.
    pub(crate) stationarity: f64,
    /// The gradient there, if the last look was at exactly this point.
    pub(crate) gradient: Option<Vec<f64>>,
    /// Steps taken.
    pub(crate) iterations: usize,
    /// Products of the Hessian with a vector; a whole Hessian counts as one.
    pub(crate) hessian_products: usize,
}
