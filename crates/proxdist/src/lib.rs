//! placeholder

pub mod constraint;
mod error;
pub mod linalg;
mod shape;
pub mod spec;

pub use error::{Error, Result};
pub use shape::Shape;
