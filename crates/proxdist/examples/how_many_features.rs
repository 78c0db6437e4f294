//! How many features should a model have?
//!
//! The best models of all sizes are found at once. Rows that were held out, in ten folds, say which size predicts best; the smallest within one standard
//! error of it is taken.
//!
//! ```text
//! size   held-out loss   features
//!    0  61.247 ± 5.418   []
//!    1  42.590 ± 3.740   [13]
//!    2  26.148 ± 2.737   [13, 38]
//!    3  18.111 ± 0.924   [13, 38, 43]
//!    4   0.497 ± 0.030   [13, 38, 39, 43]
//!    5   0.503 ± 0.035   [4, 13, 38, 39, 43]
//!    6   0.533 ± 0.037   [4, 13, 14, 38, 39, 43]
//!    7   0.539 ± 0.038   [4, 13, 14, 38, 39, 40, 43]
//!    8   0.531 ± 0.035   [4, 13, 14, 30, 38, 39, 40, 43]
//! best: 4
//! within one standard error: 4
//! by the extended Bayesian criterion: 4
//! ```

use proxdist::Result;
use proxdist::loss::Squared;
use proxdist::path::{Criterion, PathSettings, PathValidation};
use proxdist::simulate::{Response, Truth, vector};

fn main() -> Result<()> {
    let drawn = vector(Response::Linear, Truth::Sparse(4), 300, 50, 5)?;
    let data = drawn.data()?;
    let found = PathValidation::new(&data, Squared, 8).intercept(true).folds(10).run(&PathSettings::default())?;

    println!("size   held-out loss   features");
    for (score, point) in found.scores.iter().zip(&found.path.points) {
        let held_out = format!("{:.3} ± {:.3}", score.mean, score.standard_error);
        println!("{:>4} {held_out:>15}   {:?}", score.size, point.support);
    }
    println!("best: {}", found.scores[found.best].size);
    println!("within one standard error: {}", found.scores[found.one_standard_error].size);
    let criterion = Criterion::ExtendedBayes { gamma: 1.0 };
    println!("by the extended Bayesian criterion: {}", found.path.points[found.path.least(criterion)?].size);
    Ok(())
}
