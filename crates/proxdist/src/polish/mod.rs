//! The exact finish: from the piece of the set that the stochastic phase found to the optimum on all data.
//!
//! It never leaves the set and never raises F. Each family of sets has its own small file.

mod smooth;

pub(crate) use smooth::Smooth;
