//! The methods by name: `spd`, `psgd`, … as text, what each one does in a line, and the step behind the name.

use super::{DistanceStep, GradientStep, ImplicitStep, ProjectedGradientStep, Step};
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::prox::Prox;
use std::fmt;
use std::str::FromStr;

/// An iterative method for $\min F$ over $C$.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Stochastic proximal distance: $\theta \leftarrow \mathrm{prox}_{f_B/\rho}(P_C(\theta))$.
    #[default]
    ProximalDistance,
    /// Projected stochastic gradient: $\theta \leftarrow P_C(\theta - \nabla f_B(\theta)/\rho)$.
    ProjectedGradient,
    /// Stochastic gradient, projected once at the end: $\theta \leftarrow \theta - \nabla f_B(\theta)/\rho$.
    Gradient,
    /// Implicit stochastic gradient, projected once at the end: $\theta \leftarrow \mathrm{prox}_{f_B/\rho}(\theta)$.
    ImplicitGradient,
}

/// One line of the catalogue of methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodEntry {
    /// The word the method is called by.
    pub name: &'static str,
    /// How it is written.
    pub syntax: &'static str,
    /// Its step, with the learning rate `a = 1/rho_k` and a batch `B`.
    pub definition: &'static str,
    /// What it does with the set.
    pub set: &'static str,
}

/// Every method of the library.
pub fn catalogue() -> &'static [MethodEntry] {
    &[
        MethodEntry {
            name: "spd",
            syntax: "spd",
            definition: "stochastic proximal distance: theta <- prox of f_B at rho_k, from the projection of theta",
            set: "projects at every step",
        },
        MethodEntry {
            name: "psgd",
            syntax: "psgd",
            definition: "projected stochastic gradient: theta <- projection of theta - a grad f_B(theta)",
            set: "projects at every step",
        },
        MethodEntry {
            name: "sgd",
            syntax: "sgd",
            definition: "stochastic gradient: theta <- theta - a grad f_B(theta)",
            set: "projects once, at the end",
        },
        MethodEntry {
            name: "isgd",
            syntax: "isgd",
            definition: "implicit stochastic gradient (stochastic proximal point): theta <- prox of f_B at rho_k, from theta",
            set: "projects once, at the end",
        },
    ]
}

impl Method {
    /// The step of this method on a problem.
    pub fn step<'p>(&self, problem: &'p Problem) -> Box<dyn Step + 'p> {
        let (loss, ridge, constraint) = (problem.loss(), problem.ridge_weight(), problem.constraint());
        let prox = || Box::new(Prox::new(loss).ridge(ridge).intercept(problem.has_intercept()));
        match self {
            Self::ProximalDistance => Box::new(DistanceStep::new(constraint, prox())),
            Self::ProjectedGradient => Box::new(ProjectedGradientStep::new(loss, ridge, constraint)),
            Self::Gradient => Box::new(GradientStep::new(loss, ridge)),
            Self::ImplicitGradient => Box::new(ImplicitStep::new(prox())),
        }
    }

    /// Whether a step evaluates the gradient where it starts, so that a learning rate can be too large.
    pub(crate) fn is_explicit(&self) -> bool {
        matches!(self, Self::ProjectedGradient | Self::Gradient)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ProximalDistance => "spd",
            Self::ProjectedGradient => "psgd",
            Self::Gradient => "sgd",
            Self::ImplicitGradient => "isgd",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "spd" => Ok(Self::ProximalDistance),
            "psgd" => Ok(Self::ProjectedGradient),
            "sgd" => Ok(Self::Gradient),
            "isgd" => Ok(Self::ImplicitGradient),
            other => {
                let known: Vec<&str> = catalogue().iter().map(|entry| entry.name).collect();
                let reason = format!("no such method; the methods are {}", known.join(", "));
                Err(Error::Spec { text: text.to_owned(), at: other.to_owned(), position: 1, reason })
            }
        }
    }
}
