//! Models of several outputs: $\Theta \in \mathbb R^{p \times K}$ with one column for each class or response.
//!
//! $$\min_{\Theta \in C,\, b}\; F(\Theta, b) = \frac1{\sum_i w_i}\sum_i w_i\,\ell(\Theta^Tx_i + b;\, y_i) + \tfrac12\sum_{jk}\lambda_j\Theta_{jk}^2$$
//!
//! with the softmax loss of one class a row, or squared or Huber loss summed over the responses of a row ([`OutputLoss`]). A set sees $\Theta$ row by row, so the
//! coefficients of a feature are neighbours: `rows:20` is at most 20 features for all outputs together, `sparsity:20` at most 20 entries, `rank:3` a matrix of rank 3.
//!
//! What was decided:
//! - **One objective.** `objective.rs` has F by passes in fixed order and is a smooth function like that of one output, with all $pK + K$ numbers as coordinates: the intercepts are
//!   coordinates that no set speaks of. So convex sets are finished by the methods of one output (`finish.rs`).
//! - **One quadratic form** $\tfrac12\mathrm{tr}\,\Theta^TA\Theta - \mathrm{tr}\,C^T\Theta$ with the matrix $A$ of one output (`form.rs`). For squared loss it is F itself, and exchanges of rows are exact
//!   algebra with one inverse for all outputs (`exchange.rs`, `squared.rs`). For other losses it is a model with a $K \times K$ block of curvature, which proposes; Newton's method on the rows decides (`curved.rs`).
//! - **Rank**: squared loss has a closed form, the best there is (`reduced_rank.rs`); other losses Newton's method along the set in coordinates in which features are uncorrelated (`low_rank.rs`).
//! - **Every other set** gets the stochastic proximal distance iteration with the prox of a batch in $bK$ dimensions (`prox.rs`, `iterate.rs`), then the convex finish on the entries that were found.
//! - **Softmax is symmetric**: every class has coefficients, and a vector added to all of them changes no probability. Over the whole space and row sets the result is the one whose
//!   coefficients sum to zero over the classes; a ridge leads there by itself. Other sets see each class by itself, and only intercepts sum to zero. [`Unique`] says which.
//! - **Claims**: a bound on the gap is given where it was proven: duality over bounded sets, the closed form of reduced rank, a fit as good as perfect. Otherwise there is none.

mod certify;
mod criteria;
mod curved;
mod exchange;
mod factors;
mod finish;
mod folds;
mod form;
mod function;
mod iterate;
mod loss;
mod low_rank;
mod measures;
mod model;
mod newton;
mod objective;
mod places;
mod problem;
mod prox;
mod rank;
mod reduced_rank;
mod restricted;
mod scoring;
mod separation;
mod sets;
mod sizes;
mod squared;
#[cfg(test)]
mod tests;
mod turned;
mod validation;

pub use criteria::OutputsPoint;
pub(crate) use exchange::{At, Quadratic, QuadraticForm, swapped};
pub use factors::{OutputFactors, factors_of};
pub use loss::OutputLoss;
pub use measures::{ClassesEvaluation, OutputsEvaluation, ResponseEvaluation, roc_curves};
pub(crate) use model::VERSION as MODEL_VERSION;
pub use model::{OutputsModel, Unique};
pub(crate) use newton::{DENSE, Descent, descend};
pub use problem::{OutputsFit, OutputsProblem, Responses};
pub use scoring::OwnOutputsScore;
pub use separation::Separation;
pub use sets::{build_set, shared};
pub use validation::{OutputsSelection, OutputsValidation};
