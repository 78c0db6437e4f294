//! The exact finish: from the piece of the set that the stochastic phase found to the optimum on all data.
//!
//! It never leaves the set and never raises F. Each family of sets has its own small file.

mod convex;
mod on_columns;
mod on_data;
mod scores;
mod smooth;
pub(crate) mod sparse;
mod subsets;

pub(crate) use smooth::Smooth;
