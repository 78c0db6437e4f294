//! Which assumptions of the paper hold for a problem and a schedule.

use super::curvature::Basis;
use super::study::Study;
use crate::problem::Problem;
use crate::sampling::Sampling;
use serde::Serialize;

/// Whether an assumption holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It is not known to hold everywhere.
    Open,
    /// It does not hold.
    Fails,
}

/// One condition of the theorems.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Assumption {
    /// Its place in the paper.
    pub name: &'static str,
    /// What it asks for.
    pub statement: &'static str,
    /// Whether it holds here.
    pub verdict: Verdict,
    /// Why, and what follows.
    pub reason: String,
}

/// Every assumption, in the order of the paper, and two conditions that the paper takes for granted.
pub fn assumptions(problem: &Problem, study: &Study, gamma: f64) -> Vec<Assumption> {
    vec![
        schedule(gamma),
        convexity(problem),
        Assumption {
            name: "Assumption 3",
            statement: "the loss of each row is differentiable and convex",
            verdict: Verdict::Holds,
            reason: format!("the {} loss is both", problem.loss().spec()),
        },
        Assumption {
            name: "Assumption 4",
            statement: "the gradient of the loss is L-Lipschitz",
            verdict: Verdict::Holds,
            reason: "its second derivative is bounded, and rows are finite".to_owned(),
        },
        strong_convexity(study),
        sampling(study.sampling),
        optimum(study),
    ]
}

fn schedule(gamma: f64) -> Assumption {
    let (verdict, reason) = if gamma > 0.5 && gamma <= 1.0 {
        (Verdict::Holds, format!("gamma = {gamma}"))
    } else if gamma <= 0.5 {
        (Verdict::Fails, format!("gamma = {gamma}: s is infinite, and the noise of the batches need not die out"))
    } else {
        (
            Verdict::Fails,
            format!(
                "gamma = {gamma}: the steps may become too small before theta arrives; s is finite, so Proposition 2 holds"
            ),
        )
    };
    Assumption { name: "Assumption 1", statement: "rho_k = rho1 k^gamma with 0.5 < gamma <= 1", verdict, reason }
}

/// Predictors far enough out that a loss with flat tails shows them.
const FAR: f64 = 30.0;

fn convexity(problem: &Problem) -> Assumption {
    let loss = problem.loss();
    let is_shrunk = problem.ridge_weight() > 0.0 && !problem.has_intercept();
    let is_curved = problem.data().response().first().is_some_and(|&y| loss.least_curvature(0.0, y, FAR) > 0.0);
    let (verdict, reason) = if !problem.constraint().is_convex() {
        (
            Verdict::Fails,
            "the set is not convex, so projecting may push points apart: what follows is a guide, not a guarantee",
        )
    } else if loss.is_quadratic() || is_shrunk || is_curved {
        (
            Verdict::Holds,
            "the set is convex, and F is strictly convex since its Hessian has full rank; theta_* exists, so F is coercive on the set",
        )
    } else {
        (
            Verdict::Open,
            "the set is convex and theta_* is unique, but the loss has flat parts, so F need not be strictly convex far from theta_*",
        )
    };
    let statement = "the set is closed and convex; F is continuous, strictly convex and coercive";
    Assumption { name: "Assumption 2", statement, verdict, reason: reason.to_owned() }
}

fn strong_convexity(study: &Study) -> Assumption {
    let (verdict, reason) = match study.basis {
        Basis::Everywhere => (Verdict::Holds, "mu is the least eigenvalue of the one Hessian of F"),
        Basis::OnSet => (Verdict::Holds, "mu is the least curvature of F over the set"),
        Basis::AtSolution => (
            Verdict::Open,
            "mu is that at theta_*; farther away the curvature may be smaller, and the bounds too small",
        ),
        Basis::OnSupport => {
            (Verdict::Open, "mu is that at theta_* on its support: a heuristic, since the set is not convex")
        }
        Basis::OnTangent => {
            (Verdict::Open, "mu is that at theta_* on its tangent space: a heuristic, since the set is not convex")
        }
    };
    let statement = "grad F(theta)'(theta - theta_*) >= F(theta) - F(theta_*) + mu/2 |theta - theta_*|^2 on the set";
    Assumption { name: "Assumption 5", statement, verdict, reason: reason.to_owned() }
}

fn sampling(sampling: Sampling) -> Assumption {
    let (verdict, reason) = match sampling {
        Sampling::WithoutReplacement => (Verdict::Holds, "every batch is drawn afresh"),
        Sampling::FullBatch => (Verdict::Holds, "every batch holds all rows: nothing is random"),
        Sampling::Cyclic => (Verdict::Fails, "batches come in a fixed order; the proofs ask for independence"),
        Sampling::Reshuffled => {
            (Verdict::Fails, "within a pass, later batches depend on earlier ones; the proofs ask for independence")
        }
    };
    Assumption {
        name: "Sampling",
        statement: "batches are independent, and unbiased for F",
        verdict,
        reason: reason.to_owned(),
    }
}

fn optimum(study: &Study) -> Assumption {
    let certificate = study.fit.certificate();
    let is_stationary = certificate.is_stationary();
    let verdict = if is_stationary { Verdict::Holds } else { Verdict::Open };
    let gap =
        certificate.gap.map_or_else(String::new, |gap| format!(", F at most {:.1e} above the optimum", gap.value));
    let reason = format!("stationarity residual {:.1e}{gap}", certificate.stationarity);
    Assumption { name: "Solution", statement: "theta_* is the constrained optimum", verdict, reason }
}
