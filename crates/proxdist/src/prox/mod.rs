//! The proximal map of a batch, solved in the smaller of two spaces.
//!
//! With batch rows $X$ ($b \times p$), weights $v$, anchor $z$ and penalty $\rho$, a step of the iteration minimises
//! $$\psi(\theta) = \sum_i v_i \ell(\eta_i; y_i) + \tfrac{\lambda}{2}\|\theta\|^2 + \tfrac{\rho}{2}\|\theta - z\|^2, \qquad \eta = X\theta + \beta_0 + o.$$
//! The ridge term is free: it turns $\rho$ into $\rho + \lambda$ and $z$ into $\rho z/(\rho + \lambda)$ for the coefficients. The
//! intercept $\beta_0$ is one more coordinate with a feature of ones, penalty $\rho$ and no ridge. Write $D$ for the diagonal of
//! penalties. The minimiser is $\theta = z + D^{-1}X^Ta$ with $a = -v \circ \ell'(\eta)$: a vector of length $b$, whatever $p$ is.
//!
//! Four ways lead there; all end on $\|\nabla\psi\| \le$ tolerance $\cdot \|\nabla\psi(z)\|$, or on what rounding leaves of the gradient, and agree:
//!
//! | path | for | cost of a Newton step |
//! |---|---|---|
//! | `scalar` | b = 1 | a safeguarded root in one dimension |
//! | `dual` | b < p | Cholesky of $I + SKS$, $K = XD^{-1}X^T$ formed once a batch |
//! | `primal` | p < b | Cholesky of $D + X^TWX$ |
//! | `conjugate` | both large | conjugate gradients on $I + SKS$, never forming $K$ |
//!
//! Losses with a kink have no curvature to go by: `boxed` solves the quadratic program over a box that their prox is in the space of the batch, exactly.
//!
//! `cost` predicts which is cheapest; `newton` is the driver that the last three share. `spectral` is for one batch that is used
//! at every step.

mod boxed;
mod conjugate;
mod cost;
mod dual;
mod newton;
mod penalties;
mod primal;
mod scalar;
mod spectral;
mod stretched;

pub use cost::Path;
pub use spectral::SpectralProx;

use crate::data::{Batch, Rows, Support};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::loss::Loss;
use crate::ridge::Ridge;
use boxed::Boxed;
use conjugate::Conjugate;
use dual::{Dual, DualPoint};
use newton::{Newton, Outcome};
use penalties::Penalties;
use primal::Primal;
use std::fmt;
use stretched::Stretched;

/// Prox of a batch loss: `theta` enters as the anchor and leaves as the minimiser.
///
/// `theta` holds the coefficients and, if the model has one, the intercept as its last entry.
pub trait BatchProx: Send {
    /// Takes the step with penalty `rho`.
    fn apply(&mut self, batch: &Batch, rho: f64, theta: &mut [f64]) -> Result<()>;

    /// Says that each batch will be used for several steps, so that what is computed once a batch costs each of them less.
    fn share_among(&mut self, steps: usize) {
        let _ = steps;
    }
}

/// Relative size of the gradient at which a prox counts as solved.
pub const TOLERANCE: f64 = 4e-9;

/// Slopes beyond this are of no use: a gradient made of them has no norm.
const STEEPEST: f64 = 1e80;

/// `out = Xᵀa`, with the sum of `a` as the entry of the intercept.
pub(crate) fn back(rows: Rows, a: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    rows.add_transpose_times(a, rows.layout().coefficients_mut(out));
    if let Some(intercept) = rows.layout().intercept_mut(out) {
        *intercept = a.iter().sum();
    }
}

/// `out = Xv`, with the intercept of `v` added if it has one.
pub(crate) fn forward(rows: Rows, v: &[f64], support: &Support, out: &mut [f64]) {
    rows.times(rows.layout().coefficients(v), support, out);
    if let Some(intercept) = rows.layout().intercept(v) {
        out.iter_mut().for_each(|out| *out += intercept);
    }
}

/// The prox of any loss of a linear predictor, with its memory. It chooses its path anew for each batch.
pub struct Prox<'l> {
    loss: &'l dyn Loss,
    ridge: Ridge<'l>,
    intercept: bool,
    tolerance: f64,
    forced: Option<Path>,
    shared_among: usize,
    memory: Memory,
    last: Option<Taken>,
}

/// What a prox reuses from step to step. It can be handed on to a prox of other numbers, so that streams, whose ridge changes from block to block, take
/// memory once.
#[derive(Default)]
pub(crate) struct Memory {
    stretched: Stretched,
    support: Support,
    newton: Newton,
    point: DualPoint,
    dual: dual::Memory,
    conjugate: conjugate::Memory,
    primal: primal::Memory,
    boxed: Boxed,
}

/// What it computes, without its memory.
impl fmt::Debug for Prox<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prox")
            .field("loss", &self.loss)
            .field("ridge", &self.ridge)
            .field("intercept", &self.intercept)
            .field("tolerance", &self.tolerance)
            .field("forced", &self.forced)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

/// What the last step took.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Taken {
    /// The path that finished it.
    pub path: Path,
    /// Newton steps.
    pub newton_steps: usize,
    /// Size of the gradient relative to that at the anchor.
    pub residual: f64,
}

/// A path that is tried.
#[derive(Clone, Copy)]
struct Attempt {
    path: Path,
    /// Products that conjugate gradients may take.
    conjugate_budget: usize,
    /// Whether no other path will be tried; one that is not the last is held to the tolerance strictly.
    is_last: bool,
}

impl<'l> Prox<'l> {
    /// A prox for models without ridge or intercept; see the methods below for those.
    pub fn new(loss: &'l dyn Loss) -> Self {
        Self {
            loss,
            ridge: Ridge::default(),
            intercept: false,
            tolerance: TOLERANCE,
            forced: None,
            shared_among: 1,
            memory: Memory::default(),
            last: None,
        }
    }

    /// The same in memory that another prox has left.
    pub(crate) fn with_memory(self, memory: Memory) -> Self {
        Self { memory, ..self }
    }

    /// The memory, for another prox.
    pub(crate) fn into_memory(self) -> Memory {
        self.memory
    }

    /// Adds $(\lambda/2)\|\theta\|^2$, or another ridge term.
    #[must_use]
    pub fn ridge(mut self, ridge: impl Into<Ridge<'l>>) -> Self {
        self.ridge = ridge.into();
        self
    }

    /// Whether the last entry of `theta` is an intercept.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// Takes one path always, for comparisons. A path that cannot serve the batch is replaced by the predicted best.
    #[must_use]
    pub fn force(mut self, path: Path) -> Self {
        self.forced = Some(path);
        self
    }

    /// How the parameter is arranged for this batch.
    fn layout(&self, batch: &Batch) -> Layout {
        batch.layout().intercepts(self.intercept)
    }

    /// What the last step took.
    pub fn last(&self) -> Option<Taken> {
        self.last
    }

    /// Predictors and derivatives at the anchor `theta`.
    fn start(&mut self, batch: &Batch, theta: &[f64]) -> Result<()> {
        self.memory.support.update(batch.layout().coefficients(theta));
        let predictors = self.memory.newton.start(batch);
        forward(batch.rows(), theta, &self.memory.support, predictors);
        predictors.iter_mut().zip(batch.offset()).for_each(|(eta, o)| *eta += o);
        self.memory.newton.differentiate(self.loss, batch);
        self.check_finite(batch)
    }

    fn check_finite(&self, batch: &Batch) -> Result<()> {
        let (predictors, responses) = (self.memory.newton.predictors(), batch.response());
        // Nearly always all is well, which two sums tell.
        let value = self.loss.weighted_value(predictors, responses, batch.weights());
        if value.is_finite() && self.memory.newton.has_slopes_within(STEEPEST) {
            return Ok(());
        }
        let is_usable = |i: usize| {
            let (eta, y, weight) = (predictors[i], responses[i], batch.weights()[i]);
            weight == 0.0 || self.loss.value(eta, y).is_finite() && (weight * self.loss.slope(eta, y)).abs() <= STEEPEST
        };
        match (0..batch.len()).find(|&i| !is_usable(i)) {
            None => Ok(()),
            Some(i) => {
                let (row, predictor) = (batch.numbers()[i], predictors[i]);
                Err(Error::Overflow { loss: self.loss.spec(), row, predictor })
            }
        }
    }

    /// Tries a path from the anchor; on success `theta` is the minimiser, on failure still the anchor.
    fn solve(&mut self, attempt: Attempt, batch: &Batch, penalty: Penalties, theta: &mut [f64]) -> Result<Taken> {
        let (Attempt { path, conjugate_budget, is_last }, rows) = (attempt, batch.rows());
        if path == Path::Scalar {
            let eta = self.memory.newton.predictors()[0];
            scalar::step(self.loss, batch, penalty, eta, theta);
            return Ok(Taken { path, newton_steps: 0, residual: 0.0 });
        }
        let mut driver = newton::Driver::new(self.loss, batch, self.tolerance, &mut self.memory.newton);
        if path == Path::Primal {
            let mut system = Primal::new(rows, penalty, &mut self.memory.primal);
            driver.run_to_the_end(&mut system, theta, !is_last)?;
            system.finish(theta);
            return Ok(driver.taken(path));
        }
        self.memory.point.start(batch.len());
        if path == Path::Conjugate {
            let budget = if self.forced.is_some() { usize::MAX } else { conjugate_budget };
            let mut system = Conjugate::new(rows, penalty, budget, &mut self.memory.point, &mut self.memory.conjugate);
            if driver.run(&mut system, theta) == Outcome::Converged {
                system.finish(theta);
                return Ok(driver.taken(path));
            }
        }
        // Chosen, or taking over where conjugate gradients ran out of budget or precision: the point they reached is kept.
        let mut system = Dual::new(rows, penalty, batch.stamp(), &mut self.memory.point, &mut self.memory.dual);
        driver.run_to_the_end(&mut system, theta, !is_last)?;
        system.finish(theta);
        Ok(driver.taken(Path::Dual))
    }
}

impl BatchProx for Prox<'_> {
    fn share_among(&mut self, steps: usize) {
        // Columns are stretched anew for each penalty, so then there is nothing to share.
        self.shared_among = if self.ridge.even().is_some() { steps.max(1) } else { 1 };
    }

    fn apply(&mut self, batch: &Batch, rho: f64, theta: &mut [f64]) -> Result<()> {
        let layout = self.layout(batch);
        layout.check(theta)?;
        let features = layout.features();
        if let Some(found) = self.ridge.columns().filter(|found| *found != features) {
            let rule = "one weight for each column";
            return Err(Error::Length { what: "ridge", found, expected: features, rule });
        }
        let Some(ridge) = self.ridge.even() else { return self.apply_uneven(batch, rho, theta) };
        if ridge > 0.0 {
            layout.coefficients_mut(theta).iter_mut().for_each(|z| *z *= rho / (rho + ridge));
        }
        self.minimise(batch, Penalties::new(layout, rho + ridge, rho), theta)
    }
}

impl Prox<'_> {
    /// Where coefficients have ridge weights of their own: the prox without any on columns that are stretched to even them out.
    fn apply_uneven(&mut self, batch: &Batch, rho: f64, theta: &mut [f64]) -> Result<()> {
        let mut stretched = std::mem::take(&mut self.memory.stretched);
        stretched.fill(batch, self.ridge, rho);
        stretched.stretch(theta);
        let penalty = Penalties::new(self.layout(batch), rho, rho);
        let outcome = self.minimise(stretched.batch(), penalty, theta);
        stretched.stretch(theta);
        self.memory.stretched = stretched;
        outcome
    }

    /// The prox from the anchor `theta` under these weights of its distance.
    fn minimise(&mut self, batch: &Batch, penalty: Penalties, theta: &mut [f64]) -> Result<()> {
        let (features, expected) = (batch.rows().width(), theta.len());
        self.start(batch, theta)?;
        if let Some(kinked) = self.loss.kinked() {
            let Memory { boxed, newton, .. } = &mut self.memory;
            let solved = boxed.solve((self.loss, kinked), (batch, newton.predictors()), penalty, theta)?;
            let path = if batch.len() == 1 { Path::Scalar } else { Path::Dual };
            self.last = Some(Taken { path, newton_steps: solved.steps, residual: solved.residual });
            return Ok(());
        }
        // The path may change in mid-run to this one, which should not then be the first to ask for memory.
        self.memory.conjugate.fit(batch.len(), expected);
        let plan = cost::plan(self.loss, batch, penalty, self.memory.newton.curvatures(), self.shared_among);
        let path = self.forced.filter(|path| path.serves(batch.len())).unwrap_or(plan.path);
        let has_another = path != Path::Primal && features <= batch.len();
        let first = Attempt { path, conjugate_budget: plan.conjugate_budget, is_last: !has_another };
        let solved = self.solve(first, batch, penalty, theta);
        self.last = match solved {
            // With more rows than features XXᵀ is singular, which a vanishing penalty brings out; XᵀX need not be.
            Err(Error::ProxStalled { .. }) if has_another => {
                self.start(batch, theta)?;
                let last = Attempt { path: Path::Primal, conjugate_budget: 0, is_last: true };
                Some(self.solve(last, batch, penalty, theta)?)
            }
            other => Some(other?),
        };
        Ok(())
    }
}
