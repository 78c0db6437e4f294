//! placeholder

pub mod constraint;
pub mod data;
mod error;
mod linalg;
pub mod loss;
pub mod prox;
mod shape;
pub mod spec;

pub use data::Data;
pub use error::{Error, Result};
pub use shape::Shape;
