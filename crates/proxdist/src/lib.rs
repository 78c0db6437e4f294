//! placeholder

pub mod constraint;
mod error;
pub mod linalg;
mod shape;

pub use error::{Error, Result};
pub use shape::Shape;
