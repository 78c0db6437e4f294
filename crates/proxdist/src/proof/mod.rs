//! How far from the global optimum can a choice of columns be?
//!
//! $$\min_\theta Q(\theta) = \tfrac12\theta^TG\theta - b^T\theta + c \quad\text{subject to}\quad \|\theta\|_0 \le s$$
//! (or limits on units of columns, see `choices` and `family`) is hard because of the count; a lower bound on its minimum says how much a better choice could gain at most. All bounds here
//! come from one inequality (`bound`) that holds for every diagonal $D \preceq G$ and every base point. `settle` tries the
//! one diagonal that would prove a given fit optimal, with one Cholesky factorisation. [`Search`] is branch and bound: a
//! convex relaxation finds good base points (`relax`), diagonals are improved for the columns that are left (`diagonal`),
//! columns that depend on each other exactly are dealt with first (`relations`), nodes are taken in batches (`node`, `queue`) and everything that a later continuation needs is in a [`State`].
//!
//! Nothing is taken from an estimate: $D \preceq G$ is shown by a Cholesky factorisation with a shift that covers its rounding,
//! and a bound is lowered by all that rounding may have added to it.
//!
//! $Q$ may also lie below another function $F$ that is what really counts. Then a [`Truth`] knows $F$ on a support. For losses that are not quadratic `curved` makes such a function
//! where the data are not large, and `relaxed` bounds all choices at once where there is a ridge.

mod bound;
mod choices;
mod curved;
mod diagonal;
mod exchange;
mod family;
mod minorant;
mod node;
mod on_data;
mod part;
mod positive;
mod quadratic;
mod queue;
mod region;
mod related;
mod relations;
mod relax;
mod relaxed;
mod root;
mod runs;
mod search;
mod segment;
mod settle;
mod state;
mod steps;
mod table;
mod tangent;
mod truth;
mod units;
mod water;

pub(crate) use curved::{Curved, CurvedOutcome, CurvedState, CurvedWatch, next_portion};
pub(crate) use on_data::Summed;
pub use quadratic::Quadratic;
pub(crate) use related::relations;
pub(crate) use relaxed::relaxed;
pub use search::{Poll, Search, Stopped};
pub use settle::Settled;
pub use state::{Incumbent, Progress, State};
pub(crate) use tangent::Relaxation;
pub use truth::{OnSupport, Truth};

#[cfg(test)]
mod curved_tests;
#[cfg(test)]
mod relations_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod units_tests;
