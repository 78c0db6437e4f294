//! Iterative methods and the loop around them.
//!
//! A [`Solver`] knows how to take one more step, nothing else; the loop in `run.rs` is the same bookkeeping for all of them.

mod fit;
mod monitor;
mod proximal_distance;
mod run;
mod settings;
mod stopping;
mod tail;

pub use fit::Fit;
pub(crate) use monitor::Monitor;
pub use proximal_distance::ProximalDistance;
pub(crate) use run::{Past, Run, run};
pub use settings::{Settings, StopRule};
pub use stopping::Stop;

use crate::error::Result;

/// An iterative method: it knows how to take one more step, nothing else.
pub trait Solver {
    /// Takes one step.
    fn advance(&mut self) -> Result<()>;

    /// The current iterate, which need not lie in the set: coefficients, then the intercept if there is one.
    fn theta(&self) -> &[f64];

    /// Steps taken so far.
    fn step(&self) -> u64;

    /// Penalty of the last step.
    fn rho(&self) -> f64;

    /// Rows that one step looks at.
    fn rows_per_step(&self) -> usize;
}
