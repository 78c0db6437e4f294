//! Which five of forty features tell two classes apart, and by how much does each count?
//!
//! ```text
//! feature   coefficient   truth
//! test_6           6.79    6.96
//! test_14          5.61    6.31
//! test_16          5.59    5.26
//! test_22          3.98    4.21
//! test_35          6.52    5.91
//! right: 868 of 1000
//! stationary: true; no exchange of one feature for another lowers F (each fitted or excluded by a bound)
//! ```

use proxdist::constraint::Sparsity;
use proxdist::loss::Logistic;
use proxdist::simulate::{Response, Truth, vector};
use proxdist::{Problem, Result, Settings};

fn main() -> Result<()> {
    let drawn = vector(Response::Logistic, Truth::Sparse(5), 1000, 40, 3)?;
    let data = drawn.data()?.names((1..=40).map(|number| format!("test_{number}")))?;

    let problem = Problem::new(&data, Logistic, Sparsity::at_most(5)).intercept(true);
    let fit = problem.fit(&Settings::default())?;

    let names = data.feature_names().unwrap_or_default();
    println!("feature   coefficient   truth");
    for feature in fit.support() {
        println!("{:<8} {:>12.2} {:>7.2}", names[feature], fit.coefficients()[feature], drawn.truth[feature]);
    }
    let probabilities = fit.model().predict(data.source())?;
    let right = probabilities.iter().zip(&drawn.y).filter(|(chance, label)| (**chance > 0.5) == (**label > 0.5));
    println!("right: {} of {}", right.count(), data.rows());
    println!("stationary: {}; {}", fit.certificate().is_stationary(), fit.certificate().exchanges);
    Ok(())
}
