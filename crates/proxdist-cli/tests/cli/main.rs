//! The built program, as a user meets it.

mod bad_input;
mod common;
mod manners;
mod numbers;
mod real_data;
mod round_trip;
mod signals;
mod tuning;
