//! Models whose loss ties all rows together: Cox regression and ordered labels.
//!
//! $$\min_{\theta \in C} F(\theta) = L(X\theta + o) + \tfrac12\sum_j\lambda_j\theta_j^2$$
//!
//! with $L$ the negative log partial likelihood ([`crate::survival`]) or that of ordered labels with the best thresholds ([`crate::ordinal`]), both divided by the sum of the weights. The second derivatives in the predictors are not diagonal, so the
//! stochastic step of other losses does not apply: a batch has other risk sets than the data, and what its rows say about each other is not what they say on average. So there is no iteration here; a fit starts at zero, or where rows are many at the fit to a sample of them (`sampled.rs`), and is exact work on all rows from there.
//!
//! - `objective.rs`: F on data as a smooth function, which convex sets are finished with by the methods of one output.
//! - `form.rs`: the second derivatives at a point, column by column; the exchanges of one feature for another follow from them ([`crate::outputs`] has the algebra).
//! - `search.rs`, `moves.rs`: which features to use. The model proposes, Newton's method on the features decides; every choice is fitted where they are few.
//! - `certify.rs`, `gap.rs`: what is known of the result; `undetermined.rs`: where F has no minimum.
//! - `validation.rs`, `path.rs`, `scoring.rs`, `answers.rs`: numbers of features and ridge weights, by criteria or by rows that are held out.
//! - `problem.rs`, `model.rs`, `file.rs`, `measures.rs`: what goes in and what comes out.

mod answers;
mod certify;
mod file;
mod form;
mod gap;
mod loss;
mod measures;
mod model;
mod moves;
mod objective;
mod path;
mod problem;
mod sampled;
mod scoring;
mod search;
#[cfg(test)]
mod tests;
mod undetermined;
mod validation;

pub(crate) use file::VERSION as MODEL_VERSION;
pub(crate) use loss::{Bends, JointLoss, Order};
pub use measures::{CoxEvaluation, JointEvaluation, OrdinalEvaluation, likeliest};
pub use model::{JointKind, JointModel};
pub use path::{JointPath, JointPathPoint};
pub use problem::{JointFit, JointProblem};
pub use validation::{JointSelection, JointValidation};
