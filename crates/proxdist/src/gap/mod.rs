//! Upper bounds on $F(\hat\theta) - \min_C F$, each with its proof.
//!
//! - `curvature.rs`: over convex sets, from multipliers and the curvature of F around the result;
//! - `projection.rs`: over any set, from strong convexity and one projection;
//! - `crate::polish::gap`: over bounded sets, from a linear function;
//! - `crate::polish::piecewise::gap`: for losses of two straight lines, from a point of the dual problem;
//! - `crate::proof`: over choices of features.

mod curvature;
mod projection;

pub(crate) use curvature::by_curvature;
pub(crate) use projection::by_projection;

use crate::words::number;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Share of F that the rounding of its own sum may be.
pub(crate) const ROUNDING: f64 = 1e-15;
/// Factor on bounds that covers the rounding of their own arithmetic.
pub(crate) const OUTWARDS: f64 = 1.01;

/// How a bound on the gap was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Proof {
    /// By the largest value of a linear function over the set (Frank and Wolfe 1956).
    SupportFunction,
    /// By multipliers of the constraints and the curvature of F around the result.
    Curvature,
    /// By strong convexity and the distance of one point from the set.
    Projection,
    /// By one diagonal matrix below the second derivatives of F, with which no other choice of features can do better.
    Diagonal,
    /// By branch and bound over the choices of features.
    BranchAndBound,
    /// By a convex problem whose minimum no choice of features is below.
    Relaxation,
    /// By the least value that the losses have at any predictors at all: the fit is as good as perfect.
    PerfectFit,
    /// By a point of the dual problem, for losses of two straight lines.
    Duality,
    /// By the closed form of the least F: squared loss of several outputs, with a bound on the rank or none.
    ClosedForm,
}

impl Proof {
    /// One word, the same as in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::SupportFunction => "support-function",
            Self::Curvature => "curvature",
            Self::Projection => "projection",
            Self::Diagonal => "diagonal",
            Self::BranchAndBound => "branch-and-bound",
            Self::Relaxation => "relaxation",
            Self::PerfectFit => "perfect-fit",
            Self::Duality => "duality",
            Self::ClosedForm => "closed-form",
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SupportFunction | Self::Duality => "proven by duality",
            Self::Curvature => "proven by duality and curvature",
            Self::Projection => "proven by strong convexity and one projection",
            Self::Diagonal => "proven by a bound for every choice of features",
            Self::BranchAndBound => "proven by branch and bound over the choices of features",
            Self::Relaxation => "proven by a convex relaxation of the choice of features",
            Self::PerfectFit => "proven, since no model has a lower loss in any row",
            Self::ClosedForm => "proven by the closed form of the least F",
        })
    }
}

/// A proven bound on how far F is above its minimum over the set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// $F(\hat\theta) - \min_C F$ is at most this.
    pub value: f64,
    /// Why.
    pub proof: Proof,
}

/// How near the global optimum a result was proven to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Proven {
    /// No point of the set has an F that is lower by more than a millionth of it.
    Optimal,
    /// No point of the set has an F that is lower by more than this share of it.
    Within(f64),
}

impl Proven {
    /// Gap, relative to F, up to which a result counts as the global optimum.
    pub const NEGLIGIBLE: f64 = 1e-6;
}

impl fmt::Display for Proven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Optimal => f.write_str("globally optimal, proven"),
            Self::Within(share) => write!(f, "proven within {} %", number(upwards(100.0 * share))),
        }
    }
}

/// Two digits of a positive number, rounded up: a proof must not promise more than it has.
fn upwards(value: f64) -> f64 {
    let unit = 10f64.powi(value.log10().floor() as i32 - 1);
    (value / unit).ceil() * unit
}

/// A point with what was measured there.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'m> {
    pub(crate) theta: &'m [f64],
    /// F.
    pub(crate) value: f64,
    pub(crate) gradient: &'m [f64],
    /// The curvature of F along each coordinate.
    pub(crate) metric: &'m [f64],
}
