//! The built program, as a user meets it.

mod bad_input;
mod common;
mod demo;
mod documents;
mod extremes;
mod full_size;
mod large;
mod manners;
mod methods;
mod names;
mod numbers;
mod path;
mod path_of_sets;
mod places;
mod proofs;
mod real_data;
mod reproduce;
mod round_trip;
mod settings;
mod shapes;
mod signals;
mod streams;
mod theory;
mod tuning;
mod units;
