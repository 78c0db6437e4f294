//! placeholder

pub mod constraint;
pub mod data;
mod error;
mod linalg;
pub mod loss;
pub mod model;
pub mod objective;
mod problem;
pub mod prox;
mod random;
pub mod sampling;
pub mod schedule;
mod shape;
pub mod simulate;
pub mod solver;
pub mod trace;

pub use data::Data;
pub use error::{Error, Result};
pub use model::Model;
pub use problem::Problem;
pub use shape::Shape;
pub use solver::{Fit, Settings, Stop, StopRule};
