//! Choosing what a user should not have to choose: the first penalty $\rho_1$ and the batch size.

mod race;

pub(crate) use race::{Field, Plan, Race, usual_batch_size};
