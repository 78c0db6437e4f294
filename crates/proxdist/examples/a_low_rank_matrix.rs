//! Observations are matrices, 12 by 8, and so are the coefficients. What is gained by rank 2?
//!
//! The true coefficients have rank 2: 36 free numbers in place of 96. The fit without a limit on the rank has to estimate all of them from 150 rows.
//!
//! ```text
//! rank 2    F = 0.354, error of the coefficients 0.055
//! any rank  F = 0.178, error of the coefficients 0.140
//! stationary: true
//! ```

use proxdist::constraint::{Rank, WholeSpace};
use proxdist::loss::Squared;
use proxdist::simulate::{Response, block};
use proxdist::{Data, Fit, Problem, Result, Settings};

const ROWS: usize = 12;
const COLUMNS: usize = 8;

fn main() -> Result<()> {
    let truth: Vec<f64> = (0..ROWS * COLUMNS).map(|entry| of_rank_two(entry / COLUMNS, entry % COLUMNS)).collect();
    let drawn = block(Response::Linear, &truth, 150, 0, 2);
    let data = Data::dense(&drawn.x, truth.len(), &drawn.y)?.shape(ROWS, COLUMNS)?;

    let low = Problem::new(&data, Squared, Rank::at_most(2, ROWS, COLUMNS)).fit(&Settings::default())?;
    let free = Problem::new(&data, Squared, WholeSpace).fit(&Settings::default())?;
    for (name, fit) in [("rank 2", &low), ("any rank", &free)] {
        println!("{name:<9} F = {:.3}, error of the coefficients {:.3}", fit.objective(), error(fit, &truth));
    }
    println!("stationary: {}", low.certificate().is_stationary());
    Ok(())
}

/// One pattern over all entries, another one in a corner.
fn of_rank_two(row: usize, column: usize) -> f64 {
    let corner = if row < 4 && column < 3 { 1.0 } else { 0.0 };
    0.1 * (row as f64 - 5.5) + corner
}

/// Root of the mean squared error.
fn error(fit: &Fit, truth: &[f64]) -> f64 {
    let squares: f64 =
        fit.coefficients().iter().zip(truth).map(|(found, true_value)| (found - true_value).powi(2)).sum();
    (squares / truth.len() as f64).sqrt()
}
