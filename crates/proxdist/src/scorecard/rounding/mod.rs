//! The best whole numbers for a linear predictor: an exact search.
//!
//! Minimise $$L(k) = \sum_i w_i\,\ell(c_i + z_i^Tk;\, y_i), \qquad k \in \mathbb Z^d,\ \ l \le k \le u,$$ with $\ell$ the logistic loss, weights of sum 1 and $y_i \in [0, 1]$ (rows that a card cannot tell apart are one row, `patterns.rs`).
//! $L$ is convex, so on a box of real numbers its minimum bounds all cards in it (`relaxed.rs`): at any point $x$ of the box $$L(k) \ge L(x) + \sum_j\min_{l_j \le t \le u_j}\nabla_jL(x)(t - x_j),$$ whether or not $x$ is the minimum. Within the box the loss of each row is above
//! a parabola of curvature $a_i$ (`loss/chord.rs`), hence $$L(k) \ge L(x) + \nabla L(x)^T(k - x) + \tfrac12(k - x)^TQ(k - x), \qquad Q = \sum_ia_iw_iz_iz_i^T.$$ Cards for which the right side is below the best loss so far are listed one by one
//! (`enumerated.rs`), and their loss is computed. A box with too many of them is cut in two, where parabolas are steeper and bounds higher (`search.rs`). What is pruned is never better by more than [`SAME`]; when a limit ends the search, the least bound of what is left says how much better a card could be.

mod enumerated;
mod patterns;
mod problem;
mod relaxed;
mod search;
#[cfg(test)]
mod tests;

pub(super) use patterns::{Patterns, patterns};
pub(super) use problem::Whole;
pub(super) use search::{Found, search};

/// Losses closer than this are the same.
pub(super) const SAME: f64 = 1e-9;
