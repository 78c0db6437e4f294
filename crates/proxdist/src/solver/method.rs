//! The methods by name, and the step behind each name.

use super::incremental::Explicit;
use super::{
    ConstrainedPointStep, DistanceStep, FullBatchStep, GradientStep, ImplicitStep, IncrementalStep, NormPenalty,
    ProjectedGradientStep, ProximalGradientStep, RobbinsMonroStep, Step,
};
use crate::constraint::{Structure, Workspace, brief};
use crate::error::{Error, Result};
use crate::loss::{Loss, Sum};
use crate::problem::Problem;
use crate::prox::{Prox, SpectralProx};
use crate::ridge::Ridge;
use crate::rule::Rule;
use std::fmt;
use std::sync::Arc;

/// An iterative method for $\min F$ over $C$, with its options. As text, see [`super::catalogue`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Method {
    /// `spd`: $\theta \leftarrow \mathrm{prox}_{f_B/\rho}(P_C(\theta))$.
    #[default]
    ProximalDistance,
    /// `pd`: the same on all rows at every step.
    FullBatch {
        /// Whether steps start from an extrapolated point.
        momentum: bool,
        /// Movement, relative to θ, at which a level of a geometric schedule is left early.
        tolerance: Option<f64>,
    },
    /// `psgd`: $\theta \leftarrow P_C(\theta - \nabla f_B(\theta)/\rho)$.
    ProjectedGradient,
    /// `sgd`: $\theta \leftarrow \theta - \nabla f_B(\theta)/\rho$, projected once at the end.
    Gradient,
    /// `isgd`: $\theta \leftarrow \mathrm{prox}_{f_B/\rho}(\theta)$, projected once at the end.
    ImplicitGradient,
    /// `incremental`: a proximal step on f and a gradient step on g, then the projection.
    Incremental {
        /// The part that gets the gradient step.
        split: Split,
        /// Whether the gradient step comes first.
        gradient_first: bool,
        /// Whether the first of the two steps is projected too.
        project_between: bool,
    },
    /// `spg`: a gradient step, then the proximal map of the set or of a penalty in its place.
    ProximalGradient {
        /// The penalty, if it takes the place of the set.
        penalty: Option<NormPenalty>,
    },
    /// `prm`: the step of `spd` with its prox solved by stochastic gradient steps.
    RobbinsMonro {
        /// How many of them; the rows of a batch if not given.
        steps: Option<usize>,
    },
    /// `cspp`: $\theta \leftarrow \arg\min_{u \in C} f_B(u) + \frac\rho2\|u - \theta\|^2$.
    ConstrainedPoint {
        /// Residual of the inner problem, relative to the gradient at the start.
        tolerance: f64,
    },
}

/// Which part of the objective `incremental` takes by a gradient step.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Split {
    /// None: g = 0.
    #[default]
    Nothing,
    /// The ridge term of the problem.
    Ridge,
    /// A loss that is added to that of the problem.
    Loss(Arc<dyn Loss>),
}

impl fmt::Debug for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("Nothing"),
            Self::Ridge => f.write_str("Ridge"),
            Self::Loss(loss) => write!(f, "Loss({})", loss.spec()),
        }
    }
}

impl Method {
    /// The step of this method on a problem: f, its ridge term and the set.
    pub fn step<'p>(&'p self, problem: &'p Problem) -> Box<dyn Step + 'p> {
        let (loss, ridge, constraint) = (problem.loss(), problem.ridge_term(), problem.constraint());
        let plain = || Prox::new(loss).intercept(problem.has_intercept());
        let prox = || Box::new(plain().ridge(ridge));
        match self {
            Self::ProximalDistance => Box::new(DistanceStep::new(constraint, prox())),
            Self::FullBatch { momentum, tolerance } => {
                let prox = SpectralProx::new(plain().ridge(ridge));
                Box::new(FullBatchStep::new(constraint, Box::new(prox)).momentum(*momentum).tolerance(*tolerance))
            }
            Self::ProjectedGradient | Self::ProximalGradient { penalty: None } => {
                Box::new(ProjectedGradientStep::new(loss, ridge, constraint))
            }
            Self::Gradient => Box::new(GradientStep::new(loss, ridge)),
            Self::ImplicitGradient => Box::new(ImplicitStep::new(prox())),
            Self::Incremental { split, gradient_first, project_between } => {
                let (prox, explicit) = match split {
                    Split::Nothing => (prox(), Explicit::Nothing),
                    Split::Ridge => (Box::new(plain()), Explicit::Ridge(ridge)),
                    Split::Loss(loss) => (prox(), Explicit::loss(&**loss)),
                };
                let (gradient_first, project_between) = (*gradient_first, *project_between);
                let work = Workspace::default();
                Box::new(IncrementalStep { prox, explicit, constraint, gradient_first, project_between, work })
            }
            Self::ProximalGradient { penalty: Some(penalty) } => {
                Box::new(ProximalGradientStep::new(loss, ridge, *penalty))
            }
            Self::RobbinsMonro { steps } => Box::new(RobbinsMonroStep::new(loss, ridge, constraint, *steps)),
            Self::ConstrainedPoint { tolerance } => {
                Box::new(ConstrainedPointStep::new(prox(), loss, ridge, constraint, *tolerance))
            }
        }
    }

    /// Whether a learning rate can be too large for the method because some gradient is taken where the step starts.
    pub(crate) fn is_explicit(&self) -> bool {
        match self {
            Self::ProjectedGradient | Self::Gradient | Self::ProximalGradient { .. } => true,
            Self::Incremental { split, .. } => !matches!(split, Split::Nothing),
            _ => false,
        }
    }

    /// Whether every step uses all rows.
    pub fn is_full_batch(&self) -> bool {
        matches!(self, Self::FullBatch { .. })
    }

    /// Whether the method minimises F itself, and not F with something added.
    pub fn keeps_objective(&self) -> bool {
        let adds_loss = matches!(self, Self::Incremental { split: Split::Loss(_), .. });
        !adds_loss && !matches!(self, Self::ProximalGradient { penalty: Some(_) })
    }

    /// Weight of an L1 penalty that the method adds to F.
    pub(crate) fn l1_weight(&self) -> f64 {
        if let Self::ProximalGradient { penalty: Some(NormPenalty::L1(weight)) } = self { *weight } else { 0.0 }
    }

    /// The problem with all that the method adds to its smooth part, if it adds anything.
    pub(crate) fn extended<'p>(&'p self, problem: &'p Problem) -> Option<Problem<'p>> {
        let base = |ridge: Ridge<'p>| {
            let same = Problem::new(problem.data(), problem.loss(), problem.constraint());
            same.ridge(ridge).intercept(problem.has_intercept())
        };
        match self {
            Self::Incremental { split: Split::Loss(added), .. } => {
                let sum = Sum(problem.loss(), &**added);
                let whole = Problem::new(problem.data(), sum, problem.constraint());
                Some(whole.ridge(problem.ridge_term()).intercept(problem.has_intercept()))
            }
            Self::ProximalGradient { penalty: Some(NormPenalty::L2(weight)) } => {
                Some(base(problem.ridge_term().plus(*weight)))
            }
            _ => None,
        }
    }

    /// Refuses options that make no sense, alone or on this problem.
    pub(crate) fn check(&self, problem: &Problem) -> Result<()> {
        let positive = |setting, value: f64| {
            let is_fine = value > 0.0 && value.is_finite();
            if is_fine { Ok(()) } else { Err(Error::setting(setting, Rule::Positive, value)) }
        };
        match self {
            Self::FullBatch { tolerance: Some(tolerance), .. } => positive("the tolerance of pd", *tolerance),
            Self::ConstrainedPoint { tolerance } => positive("the tolerance of cspp", *tolerance),
            Self::RobbinsMonro { steps: Some(0) } => Err(Error::setting("the steps of prm", Rule::AtLeast(1), 0)),
            Self::ProximalGradient { penalty: Some(NormPenalty::L1(weight) | NormPenalty::L2(weight)) } => {
                positive("the penalty of spg", *weight)?;
                if matches!(problem.constraint().structure(), Structure::WholeSpace) {
                    return Ok(());
                }
                let reason = "spg with a penalty has no set; take the penalty or the set away";
                Err(Error::constraint(brief(problem.constraint().spec()), reason))
            }
            _ => Ok(()),
        }
    }
}
