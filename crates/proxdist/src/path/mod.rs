//! Models of all sizes at once: nobody knows how many features a model should have.
//!
//! [`Path::trace`] finds for every size $0, \dots, S$ a support and its minimiser,
//! $$\min_\theta F(\theta) \quad\text{subject to}\quad \|\theta\|_0 \le s, \qquad s = 0, \dots, S,$$
//! by forward and backward sweeps with exchanges of features (`sweeps.rs`). For squared loss all of it is algebra on one matrix
//! (`form.rs`, `state.rs`, `scores.rs`). A criterion picks from the path.

mod algebra;
mod centred;
mod climb;
mod columns;
mod costs;
mod criterion;
mod crosses;
mod curved;
mod design;
mod engine;
mod finish;
mod fold;
mod form;
mod improve;
#[cfg(test)]
mod improve_tests;
mod in_memory;
mod kicks;
mod ladder;
mod light;
mod model;
mod moments;
mod newton;
mod on_demand;
mod point;
mod proving;
mod scored;
mod scores;
mod second;
mod settings;
mod sized;
mod start;
mod state;
#[cfg(test)]
mod state_tests;
mod sweeps;
mod swings;
mod tabu;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tracing;
mod validation;
#[cfg(test)]
mod validation_tests;
mod wandering;
mod watch;

pub use criterion::Criterion;
pub use point::{Path, PathPoint};
pub use proving::PathProof;
pub use scored::{PathScore, PathScores};
pub use settings::PathSettings;
pub use validation::{FinishedFold, PathValidation, PathWatch};
pub use watch::{PathObserver, PathProgress};

pub(crate) use criterion::log_choices;
pub(crate) use improve::{End, Reach, improved};
pub(crate) use in_memory::marked;
pub(crate) use second::Seconds;
pub(crate) use start::{
    Start, StartBudget, curved_seconds, quadratic_support, seconds, summed, support_of_size, telling,
};
