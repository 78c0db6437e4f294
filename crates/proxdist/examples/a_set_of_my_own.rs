//! Coefficients that are whole numbers, so that a score can be added up by hand: how is a set of one's own used?
//!
//! A set is its projection, the nearest point of the set. Everything else has defaults; docs/adding-a-constraint.md says what can be gained by more.
//!
//! ```text
//! points  [4.0, -3.0, 0.0, 1.0, 3.0, -1.0]
//! free    [3.84, -2.95, 0.38, 1.30, 2.97, -0.94]
//! whole points cost 0.4 % of the loss
//! in the set: true
//! ```

use proxdist::constraint::{Constraint, WholeSpace, Workspace};
use proxdist::loss::Logistic;
use proxdist::simulate::{Response, block};
use proxdist::{Problem, Result, Settings};

/// $C = \{-5, \dots, 5\}^p$: every entry is rounded, and cut off at five points.
struct Points;

impl Constraint for Points {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        point.iter_mut().for_each(|value| *value = value.round().clamp(-5.0, 5.0));
        Ok(())
    }
    fn is_convex(&self) -> bool {
        false
    }
}

fn main() -> Result<()> {
    let drawn = block(Response::Logistic, &[4.2, -2.8, 0.2, 1.4, 3.1, -0.9], 2000, 0, 4);
    let data = drawn.data()?;
    let points = Problem::new(&data, Logistic, Points).intercept(true).fit(&Settings::default())?;
    let free = Problem::new(&data, Logistic, WholeSpace).intercept(true).fit(&Settings::default())?;

    println!("points  {:?}", points.coefficients());
    println!("free    {:.2?}", free.coefficients());
    let loss = 100.0 * (points.objective() / free.objective() - 1.0);
    println!("whole points cost {loss:.1} % of the loss");
    println!("in the set: {}", points.certificate().distance == 0.0);
    Ok(())
}
