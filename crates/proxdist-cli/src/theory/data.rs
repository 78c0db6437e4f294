//! The findings for programs: one JSON object, and a table of the curves. Numbers that no `f64` may hold are decimal logarithms.

use super::{Findings, POWERS};
use proxdist::theory::{Bounds, Curve, Recommendation, rate};
use serde_json::{Value, json};
use std::f64::consts::LN_10;
use std::fmt::Write as _;
use std::path::PathBuf;

fn log10(ln: f64) -> f64 {
    ln / LN_10
}

impl Findings<'_> {
    /// For programs.
    pub(crate) fn json(&self, written: &[PathBuf]) -> Value {
        let (study, about, bounds) = (self.study, &self.about, &self.bounds);
        let model = about.model;
        json!({
            "command": "theory",
            "version": env!("CARGO_PKG_VERSION"),
            "data": {"source": about.source, "rows": about.data.rows(), "features": about.data.columns()},
            "loss": model.loss,
            "constraint": model.constraint,
            "constraint_in_words": about.spec.words(),
            "ridge": model.ridge,
            "intercept": self.has_intercept,
            "standardized": about.is_scaled,
            "rho1": bounds.rho1,
            "rho1_is_auto": self.is_auto,
            "gamma": bounds.gamma,
            "batch_size": study.batch_size,
            "seed": self.seed,
            "constants": {
                "lipschitz": study.constants.lipschitz,
                "row_lipschitz": study.row_lipschitz,
                "mu": study.constants.mu,
                "mu_basis": study.basis,
                "mu_at_solution": study.mu_at_solution,
                "gradient_noise": study.constants.gradient_noise,
                "gradient_norm": study.constants.gradient_norm,
                "start_distance": study.constants.start_distance,
                "s": bounds.s,
                "log10_r2": log10(bounds.ln_r2),
                "log10_c2": log10(bounds.ln_c2),
                "log10_m": log10(bounds.ln_m),
                "k0": bounds.k0,
                "log10_a": bounds.ln_a.map(log10),
                "log10_b": log10(bounds.ln_b),
            },
            "solution": {"objective": study.fit.objective(), "certificate": study.fit.certificate()},
            "conclusion": self.conclusion(),
            "assumptions": self.assumptions,
            "rates": self.rate_table(),
            "bounds": self.curves(),
            "measured": self.measured,
            "repeats": self.measured.as_ref().map(|_| self.repeats),
            "advice": self.advice_json(),
            "seconds": about.seconds,
            "files": written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        })
    }

    fn rate_table(&self) -> Vec<Value> {
        let Bounds { rho1, gamma, constants, .. } = self.bounds;
        let line = |gamma: f64| json!({"gamma": gamma, "rate": rate(constants.mu, rho1, gamma)});
        POWERS.into_iter().chain((!POWERS.contains(&gamma)).then_some(gamma)).map(line).collect()
    }

    fn curves(&self) -> Value {
        let (steps, bounds) = (self.steps(), &self.bounds);
        let stepwise = bounds.ln_parameter_step_by_step(&steps);
        let over = |f: &dyn Fn(u64) -> Option<f64>| steps.iter().map(|&k| f(k).map(log10)).collect::<Vec<_>>();
        json!({
            "steps": steps,
            "log10_parameter_theorem2": over(&|k| bounds.ln_parameter(k)),
            "log10_parameter_step_by_step": stepwise.iter().map(|&ln| log10(ln)).collect::<Vec<_>>(),
            "log10_parameter_proposition2a": over(&|k| Some(bounds.ln_distance(k))),
            "log10_gradient_proposition2b": over(&|k| Some(bounds.ln_gradient_square(k))),
            "log10_objective_theorem3": over(&|k| bounds.ln_objective(k)),
            "log10_objective_step_by_step": stepwise.iter().map(|&ln| log10(bounds.ln_objective_from(ln))).collect::<Vec<_>>(),
        })
    }

    fn advice_json(&self) -> Value {
        let one = |found: &Recommendation| json!({"rho1": found.rho1, "gamma": found.gamma, "log10_bound": log10(found.ln_bound)});
        json!({
            "steps": self.advice.steps,
            "fastest_rho1_at_gamma_1": self.advice.fastest_rho1,
            "least_bound_of_theorem2": one(&self.advice.theorem),
            "least_bound_step_by_step": one(&self.advice.step_by_step),
            "auto_rho1": self.study.auto_rho1,
        })
    }

    /// One line a step; a bound that does not exist is left empty.
    pub(crate) fn table(&self) -> String {
        let (steps, bounds) = (self.steps(), &self.bounds);
        let stepwise = bounds.ln_parameter_step_by_step(&steps);
        let mut text = "step,log10_parameter_theorem2,log10_parameter_step_by_step,log10_parameter_proposition2a,\
            log10_gradient_proposition2b,log10_objective_theorem3,log10_objective_step_by_step"
            .to_owned();
        if self.measured.is_some() {
            for name in ["parameter", "objective"] {
                let _ = write!(text, ",{name}_mean,{name}_standard_error,{name}_low,{name}_high");
            }
        }
        text.push('\n');
        let optional = |ln: Option<f64>| ln.map_or_else(String::new, |ln| log10(ln).to_string());
        for (i, &step) in steps.iter().enumerate() {
            let _ = write!(
                text,
                "{step},{},{},{},{},{},{}",
                optional(bounds.ln_parameter(step)),
                log10(stepwise[i]),
                log10(bounds.ln_distance(step)),
                log10(bounds.ln_gradient_square(step)),
                optional(bounds.ln_objective(step)),
                log10(bounds.ln_objective_from(stepwise[i])),
            );
            let curves = self.measured.iter().flat_map(|measured| [&measured.parameter, &measured.objective]);
            for Curve { mean, standard_error, low, high, .. } in curves {
                let _ = write!(text, ",{},{},{},{}", mean[i], standard_error[i], low[i], high[i]);
            }
            text.push('\n');
        }
        text
    }
}
