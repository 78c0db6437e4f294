//! A search has found six features. Are any other six better?
//!
//! Neighbouring features are nearly the same here, so that a search is easily misled. Branch and bound rules out the choices that were not looked at.
//!
//! ```text
//! features [28, 29, 30, 31, 40, 41], F = 0.5112
//! without a proof: no exchange of one feature for another lowers F (exact algebra)
//! features [28, 29, 30, 31, 40, 41], F = 0.5112
//! with a proof: globally optimal, proven
//! ```

use proxdist::constraint::Sparsity;
use proxdist::loss::Squared;
use proxdist::simulate::{Response, correlated};
use proxdist::{Problem, Result, Settings};
use std::time::Duration;

fn main() -> Result<()> {
    let drawn = correlated(Response::Linear, 3, 200, 60, 11)?;
    let data = drawn.data()?;
    let problem = Problem::new(&data, Squared, Sparsity::at_most(6)).intercept(true);

    let found = problem.fit(&Settings::default())?;
    println!("features {:?}, F = {:.4}", found.support(), found.objective());
    println!("without a proof: {}", found.certificate().exchanges);

    let proven = problem.fit(&Settings::default().prove(Duration::from_secs(30)))?;
    println!("features {:?}, F = {:.4}", proven.support(), proven.objective());
    match proven.certificate().proven(proven.objective()) {
        Some(words) => println!("with a proof: {words}"),
        None => println!("nothing could be proven in half a minute"),
    }
    Ok(())
}
