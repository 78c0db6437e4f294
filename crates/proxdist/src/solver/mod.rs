//! Iterative methods and the loop around them.
//!
//! A [`Solver`] knows how to take one more step, nothing else; the loop around it is a stage of [`crate::run`], the same for all of them.
//! A [`Method`] is a solver by name; each has a file with its update rule, a [`Step`] that [`Iteration`] repeats.

mod batch_gradient;
mod constrained_point;
mod declarations;
mod fit;
mod full_batch;
mod gradient;
mod implicit_gradient;
mod incremental;
mod iteration;
mod method;
mod method_text;
mod monitor;
mod notes;
mod projected_gradient;
mod proof_settings;
mod proximal_distance;
mod proximal_gradient;
mod reading;
mod robbins_monro;
mod setting;
mod settings;
mod step;
mod stopping;
mod tail;
mod vocabulary;

pub use constrained_point::ConstrainedPointStep;
pub(crate) use fit::Ended;
pub use fit::Fit;
pub use full_batch::FullBatchStep;
pub use gradient::GradientStep;
pub use implicit_gradient::ImplicitStep;
pub use incremental::IncrementalStep;
pub use iteration::Iteration;
pub use method::{Method, Split};
pub use method_text::{MethodEntry, catalogue};
pub(crate) use monitor::{Moment, Monitor, usual_monitor_rows, worst_bearable};
pub(crate) use notes::notes_of_outputs;
pub use notes::{Note, Reason};
pub use projected_gradient::ProjectedGradientStep;
pub use proximal_distance::{DistanceStep, ProximalDistance};
pub use proximal_gradient::{NormPenalty, ProximalGradientStep};
pub use robbins_monro::RobbinsMonroStep;
pub use setting::{Declaration, Kind, Setting, Topic, Word};
pub use settings::{Limits, Settings};
pub use step::{Iterate, Step};
pub(crate) use stopping::reason as stop_reason;
pub use stopping::{Stop, StopRule};
pub(crate) use tail::TailAverage;

use crate::error::Result;

/// An iterative method: it knows how to take one more step, nothing else.
pub trait Solver {
    /// Takes one step.
    fn advance(&mut self) -> Result<()>;

    /// Where the method is, with what it remembers of earlier steps.
    fn iterate(&self) -> &Iterate;

    /// The current iterate, which need not lie in the set: coefficients, then the intercept if there is one.
    fn theta(&self) -> &[f64] {
        &self.iterate().theta
    }

    /// Steps taken so far.
    fn step(&self) -> u64;

    /// Penalty of the last step.
    fn rho(&self) -> f64;

    /// Rows that one step looks at.
    fn rows_per_step(&self) -> usize;

    /// How far the schedule is ahead of the steps because the method asked for later levels early.
    fn levels_ahead(&self) -> u64 {
        0
    }
}
