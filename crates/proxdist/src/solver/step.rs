//! What a method does with one batch, apart from where batches come from.
//!
//! All methods speak one language of lengths: a step has the penalty $\rho_k$, and $\alpha_k = 1/\rho_k$ is its learning rate. Since the
//! step does not draw its batch, several runs of a method can take it in turn on the same one, as the race for $\rho_1$ does.

use crate::data::Batch;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Where a run of a method is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterate {
    /// The parameter, which need not lie in the set: coefficients, then the intercept if there is one.
    pub theta: Vec<f64>,
    /// What a method remembers of earlier steps: its momentum, a curvature; empty for most, and before the first step.
    pub memory: Vec<f64>,
    /// Set by a method that asks for the next level of the schedule because this one has nothing more to give.
    #[serde(skip)]
    pub is_settled: bool,
}

impl Iterate {
    /// A run that begins at `theta`.
    pub fn at(theta: Vec<f64>) -> Self {
        Self { theta, memory: Vec::new(), is_settled: false }
    }
}

/// The update rule of a method.
///
/// A step that leaves $\theta$ with an entry that is not finite has diverged; whoever called it looks.
pub trait Step: Send {
    /// Moves on one batch with penalty `rho`.
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()>;

    /// Says that each batch will be used for several steps, so that what is computed once a batch costs each of them less.
    fn share_among(&mut self, steps: usize) {
        let _ = steps;
    }
}

/// Boxes of steps are steps.
impl<S: Step + ?Sized> Step for Box<S> {
    fn take(&mut self, batch: &Batch, rho: f64, at: &mut Iterate) -> Result<()> {
        (**self).take(batch, rho, at)
    }
    fn share_among(&mut self, steps: usize) {
        (**self).share_among(steps);
    }
}
