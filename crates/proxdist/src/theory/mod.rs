//! The convergence theory of the paper, made computable on data.
//!
//! The theorems bound $\delta_k = \mathbb{E}\|P_C(\theta_k) - \theta_*\|^2$ and $\zeta_k = \mathbb{E}\{F(P_C(\theta_k))\} - F(\theta_*)$ through five numbers of the
//! problem ([`Constants`]) and the schedule. [`Study::of`] finds the numbers, with $\theta_*$ from the exact finish; [`Bounds`] has the
//! bounds as functions of the step; [`assumptions`] says which conditions of the theorems hold; [`rate`] is the table of
//! rates; [`advise`] turns all this into values of $\rho_1$ and $\gamma$; [`measure`] runs the iteration itself beside it.
//!
//! ```
//! use proxdist::constraint::Ball;
//! use proxdist::loss::Squared;
//! use proxdist::simulate::{Response, Truth, vector};
//! use proxdist::theory::{Bounds, Study};
//! use proxdist::{Problem, Settings};
//!
//! let simulated = vector(Response::Linear, Truth::OutsideBall, 500, 5, 1)?;
//! let data = simulated.data()?;
//! let problem = Problem::new(&data, Squared, Ball::radius(1.0)?);
//!
//! let study = Study::of(&problem, &Settings::default().batch_size(50))?;
//! let bounds = Bounds::new(study.constants, study.constants.lipschitz, 0.6)?;
//! let at_the_start = study.constants.start_distance;
//! let after_10_000_steps = bounds.ln_parameter_step_by_step(&[10_000])[0].exp();
//! assert!(after_10_000_steps < 0.2 * at_the_start);
//! # Ok::<(), proxdist::Error>(())
//! ```

mod advice;
mod assumptions;
mod bounds;
mod curvature;
mod fault;
mod identifiability;
mod log_space;
mod measure;
mod power_sum;
mod rates;
mod row_constants;
mod slope;
mod step_by_step;
mod study;
mod tangent;

pub use advice::{Advice, Recommendation, advise};
pub use assumptions::{Assumption, Verdict, assumptions};
pub use bounds::Bounds;
pub use curvature::Basis;
pub use fault::{Flat, TheoryFault};
pub use measure::{Curve, Measured, Plan, checkpoints, measure};
pub use power_sum::power_sum;
pub use rates::{Rate, rate};
pub use slope::Slope;
pub use study::Study;

use serde::Serialize;

/// The numbers of a problem, a batch size and a start that the bounds are made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Constants {
    /// $L$ of Assumption 4: the gradient of the loss of any batch is Lipschitz with this constant.
    pub lipschitz: f64,
    /// $\mu$ of Assumption 5.
    pub mu: f64,
    /// $G^2$ of Proposition 2: $\mathbb{E}\|\nabla f_B(\theta_*)\|^2$ over batches.
    pub gradient_noise: f64,
    /// $\|\nabla F(\theta_*)\|$, zero unless the set holds $\theta_*$ back.
    pub gradient_norm: f64,
    /// $\delta_0 = \|P_C(\theta_0) - \theta_*\|^2$
    pub start_distance: f64,
}
