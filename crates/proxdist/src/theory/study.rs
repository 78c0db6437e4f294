//! The numbers of a problem that the theory speaks of, found on its data.
//!
//! $\theta_*$ is the result of a fit with the exact finish, whose first penalty is chosen by the race: both are kept.

use super::curvature::{Basis, Curvature, MOST_DIMENSIONS};
use super::row_constants::{RowConstants, largest_curvature};
use super::{Constants, TheoryFault};
use crate::constraint::Workspace;
use crate::error::{Error, Result};
use crate::linalg::norm;
use crate::pool::in_pool;
use crate::problem::Problem;
use crate::run::raced_penalty;
use crate::sampling::Sampling;
use crate::schedule::Growth;
use crate::solver::{Fit, Settings};
use crate::trace::{Observer, Silent};

/// The constants of a problem, with what they rest on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Study {
    /// The constants.
    pub constants: Constants,
    /// What $\mu$ is made of.
    pub basis: Basis,
    /// The least eigenvalue of the Hessian at $\theta_*$, which decides the rates near it; never below `constants.mu`.
    pub mu_at_solution: f64,
    /// $L$ for batches of a single row.
    pub row_lipschitz: f64,
    /// Rows a step.
    pub batch_size: usize,
    /// How batches are drawn.
    pub sampling: Sampling,
    /// The first penalty that the race chose.
    pub auto_rho1: f64,
    /// $\theta_0$: coefficients, then the intercept if there is one.
    pub start: Vec<f64>,
    /// $\theta_*$, laid out in the same way.
    pub solution: Vec<f64>,
    /// The fit that $\theta_*$ comes from, with its certificate.
    pub fit: Fit,
}

impl Study {
    /// Studies a problem for the batch size, sampling, start, seed and threads of `settings`; $\gamma$ enters the race only.
    pub fn of(problem: &Problem, settings: &Settings) -> Result<Self> {
        Self::observed(problem, settings, &mut Silent)
    }

    /// The same while an observer watches the fit; if they end it, the fit says so.
    pub fn observed(problem: &Problem, settings: &Settings, observer: &mut dyn Observer) -> Result<Self> {
        let bound = curvature_bound(problem)?;
        let exact = Settings {
            rho1: None,
            growth: Growth::default(),
            schedule: None,
            polish: true,
            average: false,
            resume: None,
            ..settings.clone()
        };
        let fit = problem.fit_observed(&exact, observer)?;
        in_pool(settings.threads, || Self::around(problem, &exact, fit, bound))
    }

    fn around(problem: &Problem, settings: &Settings, fit: Fit, bound: f64) -> Result<Self> {
        let (objective, layout) = (problem.objective(), problem.layout());
        let (rows, columns) = (problem.data().rows(), problem.data().columns());
        let solution: Vec<f64> = fit.coefficients().iter().copied().chain(fit.intercept()).collect();
        let start = crate::run::start(problem, settings);
        let batch_size = fit.model().batch_size;

        let found = RowConstants::at(objective, &solution, bound)?;
        let mut lipschitz = found.lipschitz(batch_size);
        let whole = rows as f64 / batch_size as f64;
        // The other bound can only win if a batch holds a good share of the rows.
        if whole < solution.len() as f64 && solution.len() <= MOST_DIMENSIONS {
            lipschitz = largest_curvature(objective, bound)?.map_or(lipschitz, |all| lipschitz.min(whole * all));
        }
        let shrinking = objective.ridge.largest(columns);
        let curvature = Curvature::of(problem, &solution)?;
        let mut gradient = vec![0.0; solution.len()];
        objective.gradient(&solution, &mut gradient)?;
        let gradient_norm = norm(&gradient);

        let mut first = start.clone();
        problem.constraint().project(layout.coefficients_mut(&mut first), &mut Workspace::default())?;
        let start_distance = first.iter().zip(&solution).map(|(a, b)| (a - b) * (a - b)).sum();
        let constants = Constants {
            lipschitz: lipschitz + shrinking,
            mu: curvature.value,
            gradient_noise: found.gradient_noise(batch_size, gradient_norm),
            gradient_norm,
            start_distance,
        };
        let auto_rho1 = match fit.rho1() {
            Some(rho1) => rho1,
            None => raced_penalty(problem, settings)?.unwrap_or(f64::NAN),
        };
        Ok(Self {
            constants,
            basis: curvature.basis,
            mu_at_solution: curvature.at_solution,
            row_lipschitz: found.lipschitz(1) + shrinking,
            batch_size,
            sampling: settings.sampling,
            auto_rho1,
            start,
            solution,
            fit,
        })
    }
}

/// $\kappa$, or why the theory stops here.
fn curvature_bound(problem: &Problem) -> Result<f64> {
    let loss = problem.loss();
    let refused = |fault: TheoryFault| Error::Theory(Box::new(fault));
    if !loss.is_differentiable() {
        return Err(refused(TheoryFault::NotDifferentiable { loss: loss.spec() }));
    }
    loss.curvature_bound().ok_or_else(|| refused(TheoryFault::Unbounded { loss: loss.spec() }))
}
