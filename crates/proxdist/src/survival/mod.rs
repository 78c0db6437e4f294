//! Times until an event, some of them censored: the partial likelihood of Cox (1972) and what follows from it.
//!
//! A row is at risk from its entry (exclusive) to its time (inclusive). At each time $t_k$ with deaths $D_k$ the rows at risk in the same stratum are $N_k \cup D_k$, and the loss is
//! $$L(\eta) = \frac1{\sum_iw_i}\sum_k\Big[m_k\sum_{l}\omega_{kl}\log\frac{\sum_{i \in N_k}w_ie^{\eta_i} + c_{kl}\sum_{i \in D_k}w_ie^{\eta_i}}{\bar w_k} - \sum_{i \in D_k}w_i\eta_i\Big], \qquad m_k = \sum_{D_k}w_i,\quad \bar w_k = m_k/d_k.$$
//! Breslow: one term with $c = \omega = 1$. Efron: $d_k$ terms with $c_{kl} = 1 - l/d_k$, $\omega_{kl} = 1/d_k$. For rows that all have weight 1 this is the negative log partial likelihood divided by the number
//! of rows; the constant $\log\bar w_k$ makes it not negative and independent of the scale of the weights. The model has no intercept: a constant in $\eta$ cancels.
//!
//! `times.rs` is what is known of the rows, `risk_sets.rs` who is at risk when, `partial.rs` the loss, `baseline.rs` the hazard that it leaves open, `concordance.rs` how well risks are ordered.

mod baseline;
mod concordance;
mod fault;
mod partial;
mod risk_sets;
#[cfg(test)]
mod tests;
mod times;

pub use baseline::{Baseline, BaselineStratum};
pub use concordance::{Concordance, concordance};
pub use fault::SurvivalFault;
pub(crate) use partial::PartialLikelihood;
pub use times::{SurvivalTimes, Ties, events};
