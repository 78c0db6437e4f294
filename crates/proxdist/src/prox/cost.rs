//! Which path is cheapest, predicted from sizes and curvature alone, so that the choice is the same in every run.
//!
//! Counts of arithmetic are divided by what a core does of each kind in a second. Conjugate gradients need about
//! $\log(2/\varepsilon)/\log\frac{\sqrt\kappa + 1}{\sqrt\kappa - 1}$ iterations, where $\kappa$ is the condition number of $I + SKS$. Its largest
//! eigenvalue is guessed as for rows with independent entries: mean of $w_iK_{ii}$ times $(1 + \sqrt{b/p})^2$. Where the guess is too
//! low, as with correlated features, the budget turns the batch over to the Cholesky path.

use super::TOLERANCE;
use super::penalties::Penalties;
use crate::data::{Batch, Rows};
use crate::loss::Loss;

/// A way to compute the prox of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Path {
    /// A root in one dimension, for one row.
    Scalar,
    /// Newton with Cholesky in the space of the batch.
    Dual,
    /// Newton with Cholesky in the space of the parameter.
    Primal,
    /// Newton with conjugate gradients in the space of the batch.
    Conjugate,
}

impl Path {
    /// Whether the path can serve a batch of this size.
    pub(super) fn serves(self, rows: usize) -> bool {
        self != Self::Scalar || rows == 1
    }
}

/// The choice, and how many iterations conjugate gradients may take before the choice is revised.
pub(super) struct Plan {
    pub(super) path: Path,
    pub(super) conjugate_budget: usize,
}

/// Arithmetic of one core by kind, in units of 10⁹ a second: large matrix products, factorisations, passes over rows that
/// have left the first cache, and sparse gathers.
const PRODUCT: f64 = 35.0;
const FACTOR: f64 = 18.0;
const PASS: f64 = 10.0;
const GATHER: f64 = 1.0;
/// Newton steps expected of a loss that is not quadratic.
const STEPS: f64 = 4.0;

/// `shared_among` is the number of steps that will use the same $XX^T$.
pub(super) fn plan(
    loss: &dyn Loss,
    batch: &Batch,
    penalty: Penalties,
    curvatures: &[f64],
    shared_among: usize,
) -> Plan {
    let rows = batch.rows();
    if rows.len() == 1 {
        return Plan { path: Path::Scalar, conjugate_budget: 0 };
    }
    let (b, p) = (rows.len() as f64, rows.width() as f64);
    let entries = rows.entries() as f64;
    let is_sparse = rows.is_sparse();
    let steps = if loss.is_quadratic() { 1.0 } else { STEPS };
    let pass = 2.0 * entries / if is_sparse { GATHER } else { PASS };

    let gram = if is_sparse { b * entries / GATHER } else { b * (b + 1.0) * p / PRODUCT };
    let dual = gram / shared_among as f64 + steps * (b * b * b / (3.0 * FACTOR) + 6.0 * b * b / PASS + pass);
    let cross = if is_sparse { entries * entries / (b * GATHER) } else { b * p * p / PRODUCT };
    let primal = steps * (cross + p * p * p / (3.0 * FACTOR) + 3.0 * pass);
    let kernel = mean_kernel(rows, penalty);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / b;
    let bend = mean(curvatures) * kernel;
    // Where the anchor is on a flat piece, the minimiser need not be.
    let most_bend = bend.max(loss.curvature_bound().unwrap_or(1.0) * mean(batch.weights()) * kernel);
    let iterations = conjugate_iterations(rows, bend);
    let conjugate = 2.0 * pass * (iterations + steps);
    if most_bend > HARSH && rows.width() <= MANAGEABLE {
        return Plan { path: Path::Primal, conjugate_budget: 0 };
    }

    let direct = dual.min(primal);
    let path = match direct {
        _ if conjugate < direct => Path::Conjugate,
        _ if dual <= primal => Path::Dual,
        _ => Path::Primal,
    };
    Plan { path, conjugate_budget: (2.0 * iterations).max(dual / (2.0 * pass)).ceil() as usize }
}

/// Mean $w_iK_{ii}$ beyond which a point that is a sum over rows, $X^Ta$, has too few digits left where rows are alike; and the number of features up to which
/// the path that does without is taken whatever it costs.
const HARSH: f64 = 1e8;
const MANAGEABLE: usize = 1000;
/// Rows whose length stands for that of all in the guess.
const SAMPLE: usize = 32;

/// The mean of $K_{ii}$, guessed from some rows.
fn mean_kernel(rows: Rows, penalty: Penalties) -> f64 {
    let stride = rows.len().div_ceil(SAMPLE);
    let sampled = (0..rows.len()).step_by(stride);
    let squares: f64 = sampled.clone().map(|i| rows.row_norm_squared(i)).sum();
    squares / (sampled.len() as f64 * penalty.coefficients) + penalty.intercept.map_or(0.0, |p| 1.0 / p)
}

fn conjugate_iterations(rows: Rows, bend: f64) -> f64 {
    let (b, p) = (rows.len() as f64, rows.width() as f64);
    let largest = bend * (1.0 + (b / p).sqrt()).powi(2);
    let root = (1.0 + largest).sqrt();
    let contraction = (root - 1.0) / (root + 1.0);
    let needed = (TOLERANCE / 2.0).ln() / contraction.max(f64::MIN_POSITIVE).ln();
    needed.clamp(1.0, b.min(p).max(1.0))
}
