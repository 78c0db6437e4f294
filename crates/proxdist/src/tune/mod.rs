//! Choosing what a user should not have to choose: the first penalty $\rho_1$ and the batch size.

mod race;

pub(crate) use race::{Field, GRID, Plan, Race, three_digits, usual_batch_size};
