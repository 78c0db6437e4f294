//! Ordered labels: proportional odds (McCullagh 1980), $P(y \le k) = \sigma(c_k - x^T\theta)$ with one $\theta$ and thresholds $c_1 < \dots < c_{K-1}$.
//!
//! The thresholds are the intercepts of the model: no set speaks of them, and for any $\theta$ they are at their best (`thresholds.rs`). So F is a convex function of $\theta$ alone (`loss.rs`), and $\theta$ says by how much a feature moves a row
//! towards the higher labels: $e^{\theta_j}$ is the factor on the odds of being above any threshold.

mod loss;
#[cfg(test)]
mod tests;
mod thresholds;

pub(crate) use loss::OrdinalLoss;
pub use loss::class_probabilities;
