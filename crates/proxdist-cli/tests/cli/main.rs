//! The built program, as a user meets it.

mod bad_input;
mod common;
mod demo;
mod full_size;
mod manners;
mod methods;
mod numbers;
mod real_data;
mod reproduce;
mod round_trip;
mod signals;
mod theory;
mod tuning;
