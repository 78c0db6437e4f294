//! What `theory` found, for people, for programs and as a page.

mod data;
mod page;
mod text;

use crate::report::About;
use crate::words::{from_ln, number};
use proxdist::theory::{Advice, Assumption, Basis, Bounds, Measured, Study, Verdict, checkpoints};

/// Everything there is to tell.
pub(crate) struct Findings<'a> {
    /// The constants of the problem.
    pub(crate) study: &'a Study,
    /// The bounds for the schedule.
    pub(crate) bounds: Bounds,
    /// Which conditions hold.
    pub(crate) assumptions: Vec<Assumption>,
    /// For the step that was asked about.
    pub(crate) advice: Advice,
    /// The runs, if there were any.
    pub(crate) measured: Option<Measured>,
    /// Whether rows are extended by a one.
    pub(crate) has_intercept: bool,
    /// Whether the race chose the first penalty.
    pub(crate) is_auto: bool,
    /// Seed of the fit and of the first run.
    pub(crate) seed: u64,
    /// Number of runs.
    pub(crate) repeats: usize,
    /// The fit behind the solution, and where it comes from.
    pub(crate) about: About<'a>,
}

/// Powers in the table of rates.
const POWERS: [f64; 4] = [0.6, 0.75, 0.9, 1.0];

/// A constant, its value and what it means.
struct Constant {
    name: &'static str,
    value: String,
    meaning: String,
}

impl Findings<'_> {
    /// The constants in the order in which they are built.
    fn constants(&self) -> Vec<Constant> {
        let (study, bounds) = (self.study, &self.bounds);
        let constants = study.constants;
        let extended = if self.has_intercept { ", rows extended by a 1 for the intercept" } else { "" };
        let constant = |name, value, meaning: String| Constant { name, value, meaning };
        let size = study.batch_size;
        let mut list = vec![
            constant(
                "L",
                number(constants.lipschitz),
                format!(
                    "gradients of batches of {size} are Lipschitz with L; single rows: {}{extended}",
                    number(study.row_lipschitz)
                ),
            ),
            constant("mu", number(constants.mu), origin(study.basis).to_owned()),
        ];
        if study.mu_at_solution > constants.mu {
            list.push(constant(
                "mu at theta_*",
                number(study.mu_at_solution),
                "least eigenvalue of the Hessian there".to_owned(),
            ));
        }
        let ln = from_ln;
        let none = || "none".to_owned();
        list.extend([
            constant(
                "G^2",
                number(constants.gradient_noise),
                "mean squared gradient of a batch at theta_*: the noise".to_owned(),
            ),
            constant(
                "|grad F|",
                number(constants.gradient_norm),
                "at theta_*; zero unless the set holds theta_* back".to_owned(),
            ),
            constant(
                "delta_0",
                number(constants.start_distance),
                "squared distance of the projected start to theta_*".to_owned(),
            ),
            constant("s", number(bounds.s), "sum of k^(-2 gamma) over all steps".to_owned()),
            constant(
                "r^2",
                ln(bounds.ln_r2),
                "Proposition 2 (a): no mean squared distance to theta_* exceeds it".to_owned(),
            ),
            constant(
                "c^2",
                ln(bounds.ln_c2),
                "Proposition 2 (b): no mean squared gradient at the projection exceeds it".to_owned(),
            ),
            constant("m", ln(bounds.ln_m), "5 c^2 + 2 L^2 r^2 + 2 L G r: noise that a step can add".to_owned()),
            constant("k_0", bounds.k0.map_or_else(none, number), self.index_meaning().to_owned()),
            constant(
                "A",
                bounds.ln_a.map_or_else(none, ln),
                "what the first k_0 steps can add to delta_0 in Theorem 2".to_owned(),
            ),
            constant("B", ln(bounds.ln_b), "factor of k^(-gamma) in Theorem 3".to_owned()),
        ]);
        list
    }

    fn index_meaning(&self) -> &'static str {
        if self.bounds.k0.is_some() {
            "first step from which the contraction beats the noise (Lemma 4)"
        } else if self.bounds.gamma == 1.0 {
            "at gamma = 1 there is one only for rho1 < mu: Theorems 2 and 3 have no finite constant here"
        } else {
            "Theorems 2 and 3 need 0.5 < gamma <= 1"
        }
    }

    /// Steps of the table and the picture.
    fn steps(&self) -> Vec<u64> {
        self.measured.as_ref().map_or_else(|| checkpoints(self.advice.steps), |measured| measured.steps.clone())
    }

    /// What the assumptions add up to.
    fn conclusion(&self) -> &'static str {
        let holds = |numbers: &[usize]| numbers.iter().all(|&i| self.assumptions[i].verdict == Verdict::Holds);
        if holds(&[0, 1, 2, 3, 4, 5, 6]) {
            "all hold: Theorems 1 to 3 and Proposition 2 apply"
        } else if holds(&[0, 1, 2, 3, 5]) {
            "Proposition 2 and Theorem 1 (convergence) apply; Theorems 2 and 3 (rates) as far as mu can be trusted"
        } else if holds(&[1, 2, 3, 5]) {
            "only the bound step by step and, where s is finite, Proposition 2 apply"
        } else {
            "no theorem applies as it stands: bounds and rates are a guide, not a guarantee"
        }
    }
}

/// What mu is made of.
fn origin(basis: Basis) -> &'static str {
    match basis {
        Basis::Everywhere => "least eigenvalue of the Hessian, which is the same everywhere",
        Basis::OnSet => "least curvature of F over the whole set",
        Basis::AtSolution => "least eigenvalue of the Hessian at theta_*: certain near it only",
        Basis::OnSupport => "heuristic: least eigenvalue of the Hessian at theta_* on its support",
        Basis::OnTangent => "heuristic: least eigenvalue of the Hessian at theta_* on its tangent space",
    }
}
