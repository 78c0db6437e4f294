//! The penalty $\rho_k$ as a function of the step, $1/\rho_k$ being the learning rate.
//!
//! The theory asks for $\rho_k = \rho_1k^\gamma$ with $\tfrac12 < \gamma \le 1$: then $\sum 1/\rho_k = \infty$ and $\sum 1/\rho_k^2 < \infty$.

mod growth;

pub use growth::Growth;

use crate::error::{Error, Result};
use crate::rule::Rule;

/// The penalty at step `k = 1, 2, …`. Any function from `u64` to `f64` is a schedule.
pub trait Schedule: Send + Sync {
    /// $\rho_k$, which must be positive and finite.
    fn rho(&self, step: u64) -> f64;

    /// Whether the convergence theorems cover this schedule.
    fn meets_theory(&self) -> bool {
        false
    }

    /// The last step with the same penalty as `step`, for schedules that hold a penalty for several steps; `step` otherwise.
    fn end_of_level(&self, step: u64) -> u64 {
        step
    }

    /// The schedule in words of the command line; functions name themselves.
    fn spec(&self) -> String {
        "custom".to_owned()
    }
}

impl<F: Fn(u64) -> f64 + Send + Sync> Schedule for F {
    fn rho(&self, step: u64) -> f64 {
        self(step)
    }
}

/// The penalty of a step, or an error that names it.
pub(crate) fn checked_rho(schedule: &dyn Schedule, step: u64) -> Result<f64> {
    let rho = schedule.rho(step);
    if rho.is_normal() && rho > 0.0 { Ok(rho) } else { Err(Error::Schedule { step, rho }) }
}

/// $\rho_k = \rho_1 k^\gamma$
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polynomial {
    rho1: f64,
    gamma: f64,
}

impl Polynomial {
    /// Starts at `rho1 > 0` and grows with the power `gamma ≥ 0`.
    pub fn new(rho1: f64, gamma: f64) -> Result<Self> {
        check_positive("rho1", rho1)?;
        if !(gamma >= 0.0 && gamma.is_finite()) {
            return Err(Error::setting("gamma", Rule::NotNegative, gamma));
        }
        Ok(Self { rho1, gamma })
    }
}

impl Schedule for Polynomial {
    fn rho(&self, step: u64) -> f64 {
        // Powers of one are by far the most used; multiplication is exact for them.
        if self.gamma == 1.0 { self.rho1 * step as f64 } else { self.rho1 * (step as f64).powf(self.gamma) }
    }
    fn meets_theory(&self) -> bool {
        self.gamma > 0.5 && self.gamma <= 1.0
    }
    fn spec(&self) -> String {
        format!("poly:{},{}", self.rho1, self.gamma)
    }
}

/// $\rho_k = \min(\rho_0 c^{\lfloor k/m \rfloor}, \mathrm{cap})$, the schedule of the full-batch literature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometric {
    rho0: f64,
    factor: f64,
    every: u64,
    cap: f64,
}

impl Geometric {
    /// Multiplies by `factor ≥ 1` after each `every` steps; no cap.
    pub fn new(rho0: f64, factor: f64, every: u64) -> Result<Self> {
        check_positive("rho0", rho0)?;
        if !(factor >= 1.0 && factor.is_finite()) {
            return Err(Error::setting("the factor of a geometric schedule", Rule::FiniteFromOne, factor));
        }
        if every == 0 {
            return Err(Error::setting("the period of a geometric schedule", Rule::AtLeastOneStep, every));
        }
        Ok(Self { rho0, factor, every, cap: f64::MAX })
    }

    /// Never exceeds `cap`.
    pub fn capped_at(mut self, cap: f64) -> Result<Self> {
        check_positive("the cap of a geometric schedule", cap)?;
        self.cap = cap;
        Ok(self)
    }
}

impl Schedule for Geometric {
    fn rho(&self, step: u64) -> f64 {
        (self.rho0 * self.factor.powf((step / self.every) as f64)).min(self.cap)
    }
    fn end_of_level(&self, step: u64) -> u64 {
        if self.rho(step) < self.cap { step / self.every * self.every + self.every - 1 } else { step }
    }
    fn spec(&self) -> String {
        let cap = if self.cap == f64::MAX { String::new() } else { format!(",{}", self.cap) };
        format!("geometric:{},{},{}{cap}", self.rho0, self.factor, self.every)
    }
}

/// $\rho_k = \rho$
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    rho: f64,
}

impl Constant {
    /// The same penalty at every step.
    pub fn new(rho: f64) -> Result<Self> {
        check_positive("rho", rho)?;
        Ok(Self { rho })
    }
}

impl Schedule for Constant {
    fn rho(&self, _step: u64) -> f64 {
        self.rho
    }
    fn spec(&self) -> String {
        format!("constant:{}", self.rho)
    }
}

fn check_positive(setting: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(Error::setting(setting, Rule::Positive, value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_what_their_formulas_say() {
        let cube_root = Polynomial::new(0.5, 1.0 / 3.0).unwrap();
        assert!((cube_root.rho(8) - 1.0).abs() < 1e-15);
        assert_eq!(Polynomial::new(0.1, 1.0).unwrap().rho(3), 0.1 * 3.0);
        let steps = Geometric::new(1.0, 2.0, 10).unwrap().capped_at(5.0).unwrap();
        assert_eq!([1, 9, 10, 20, 30].map(|k| steps.rho(k)), [1.0, 1.0, 2.0, 4.0, 5.0]);
        assert_eq!([1, 9, 10, 29, 30, 31].map(|k| steps.end_of_level(k)), [9, 9, 19, 29, 30, 31]);
        assert_eq!(Constant::new(3.0).unwrap().rho(99), 3.0);
        assert_eq!((|k: u64| k as f64).rho(4), 4.0);
    }

    #[test]
    fn only_powers_above_a_half_and_up_to_one_meet_the_theory() {
        let meets = |gamma| Polynomial::new(1.0, gamma).unwrap().meets_theory();
        assert_eq!([0.5, 0.51, 1.0, 1.01].map(meets), [false, true, true, false]);
    }

    #[test]
    fn a_penalty_that_under_or_overflows_names_its_step() {
        let vanishing = |k: u64| 10.0_f64.powf(-(k as f64));
        let error = checked_rho(&vanishing, 320).unwrap_err().to_string();
        assert!(error.contains("step 320"), "{error}");
        assert!(checked_rho(&Geometric::new(1.0, 10.0, 1).unwrap(), 400).is_ok(), "the largest number is the cap");
        assert!(checked_rho(&|_: u64| f64::NAN, 1).is_err());
    }
}
