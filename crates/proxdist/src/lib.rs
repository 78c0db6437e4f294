//! Statistical models under *exact* constraints.
//!
//! The problem is
//! $$\min_\theta F(\theta) = \frac1n\sum_{i=1}^n f(\theta; z_i) \quad\text{subject to}\quad \theta \in C,$$
//! with $f$ a convex loss of a linear predictor and $C$ any set that a point can be projected onto: at most 20 nonzeros, a norm
//! ball, rank at most 2, a simplex, a sign, an order, or several of these. The method is the stochastic proximal distance
//! iteration of Jiang and Xu,
//! $$\theta \leftarrow \mathrm{prox}_{f_B/\rho_k}\big(P_C(\theta)\big), \qquad \rho_k = \rho_1k^\gamma,$$
//! with a random batch $B$ of rows at each step. The result lies in $C$. Other methods go by name: see [`Method`].
//!
//! ```
//! use proxdist::constraint::Sparsity;
//! use proxdist::loss::Squared;
//! use proxdist::simulate::{Response, Truth, vector};
//! use proxdist::{Problem, Settings};
//!
//! // 500 rows, 50 features, of which 3 matter.
//! let simulated = vector(Response::Linear, Truth::Sparse(3), 500, 50, 1)?;
//! let data = simulated.data()?;
//!
//! let fit = Problem::new(&data, Squared, Sparsity::at_most(3)).fit(&Settings::default().seed(7))?;
//!
//! assert_eq!(fit.support(), [20, 28, 48]);
//! println!("{} after {} steps, F = {:.4}", fit.stop(), fit.steps(), fit.objective());
//! # Ok::<(), proxdist::Error>(())
//! ```
//!
//! Folders are the nouns of the sentence above: [`data`] gives rows, [`sampling`] chooses them, [`constraint`] holds the sets,
//! [`loss`] the losses, [`prox`] takes the step, [`schedule`] says how far, [`solver`] repeats it, [`trace`] watches, and a
//! [`Model`] is what is kept. [`theory`] says what the convergence theorems promise on given data. [`spec`] turns text such as `sparsity:20` into sets and back. Sets and losses of your own are one
//! `impl` each: see [`constraint::Constraint`] and [`loss::Loss`].

#![forbid(unsafe_code)]

pub mod binning;
pub mod certificate;
pub mod conic;
pub mod constraint;
pub mod data;
mod debug;
mod doubt;
mod effort;
mod error;
mod exchanges;
pub mod export;
pub mod files;
pub mod fingerprint;
mod gap;
pub mod inference;
pub mod joint;
pub mod large;
mod layout;
mod linalg;
pub mod loss;
pub mod metrics;
pub mod model;
mod model_fault;
pub mod objective;
pub mod ordinal;
pub mod outputs;
pub mod path;
mod polish;
mod pool;
mod preparation;
mod problem;
pub mod proof;
pub mod prox;
mod random;
mod ridge;
mod rule;
pub mod run;
pub mod sampling;
mod scaling;
pub mod schedule;
pub mod scorecard;
pub mod selection;
mod shape;
pub mod simulate;
pub mod solver;
pub mod spec;
pub mod stream;
pub mod survival;
mod synonyms;
pub mod theory;
pub mod trace;
mod tune;
pub mod words;

pub use certificate::Certificate;
pub use data::Data;
pub use effort::Effort;
pub use error::{Error, Result};
pub use exchanges::Exchanges;
pub use gap::{Gap, Proof, Proven};
pub use layout::Layout;
pub use model::Model;
pub use preparation::{Preparation, Standardize, Units};
pub use problem::Problem;
pub use ridge::Ridge;
pub use rule::Rule;
pub use scaling::Scaling;
pub use shape::Shape;
pub use solver::{Fit, Method, Note, Setting, Settings, Stop, StopRule};

/// The code in the guides is compiled and run.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../docs/getting-started.md")]
    mod getting_started {}
    #[doc = include_str!("../../../docs/adding-a-constraint.md")]
    mod adding_a_constraint {}
    #[doc = include_str!("../../../docs/adding-a-loss.md")]
    mod adding_a_loss {}
    #[doc = include_str!("../../../docs/theory.md")]
    mod theory {}
    #[doc = include_str!("../../../docs/methods.md")]
    mod methods {}
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    mod contributing {}
    #[doc = include_str!("../../../README.md")]
    mod readme {}
}
