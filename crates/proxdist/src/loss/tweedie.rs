//! Tweedie loss of power $1 < p < 2$ with the log link, for $y \ge 0$ and $\mu = e^\eta$:
//! $$\ell(\eta; y) = \frac{y\mu^{1-p}}{p - 1} + \frac{\mu^{2-p}}{2 - p} - \frac{y^{2-p}}{(p - 1)(2 - p)}.$$
//! The negative log-likelihood of a sum of a Poisson number of gamma amounts, zero if there are none, whose variance is proportional to $\mu^p$; up to the dispersion and a
//! constant of $y$, the one with which a perfect prediction costs nothing. $p = 1$ would be the Poisson and $p = 2$ the gamma loss; beyond 2 it is not convex in $\eta$.
//!
//! With $a = p - 1$, $b = 2 - p$ and $t = \log y - \eta$ it is $y^b\big((e^{at} - 1)/a + (e^{-bt} - 1)/b\big)$. The curvature $b e^{b\eta} + a y e^{-a\eta}$ is itself
//! convex in $\eta$, with its least value where $e^\eta = y\,a^2/b^2$.

use super::catalogue::Form;
use super::{Family, Link, Loss, LossEntry, Task, rounded_down};
use crate::error::{Error, Result};

pub(super) const ENTRY: LossEntry = LossEntry {
    name: "tweedie",
    definition: "y mu^(1-P)/(P-1) + mu^(2-P)/(2-P) - y^(2-P)/((P-1)(2-P)), with mu = exp(eta)",
    formula: "y/(a μ^a) + μ^b/b − y^b/(a b),\u{2002}a = p − 1,\u{2002}b = 2 − p,\u{2002}μ = e^η,\u{2002}y ≥ 0",
    task: Task::Counts,
    link: Link::Log,
    form: Form::WithNumber {
        parameter: "P",
        usual: Tweedie::USUAL_POWER,
        make: |power| Ok(Box::new(Tweedie::with_power(power)?)),
    },
};

/// Half the Tweedie deviance, with the log link.
#[derive(Clone, Copy, Debug)]
pub struct Tweedie {
    power: f64,
}

impl Tweedie {
    /// The power in the middle, usual for amounts with many zeros such as claims.
    pub const USUAL_POWER: f64 = 1.5;

    /// The loss of a variance proportional to the mean to this power, above 1 and below 2.
    pub fn with_power(power: f64) -> Result<Self> {
        if power > 1.0 && power < 2.0 {
            Ok(Self { power })
        } else {
            let rule = "above 1 and below 2 (1 is poisson, 2 is gamma; beyond 2 the loss is not convex)";
            Err(Error::LossParameter { loss: &ENTRY, rule, value: power })
        }
    }

    /// $a = p - 1$ and $b = 2 - p$.
    fn parts(self) -> (f64, f64) {
        (self.power - 1.0, 2.0 - self.power)
    }

    /// $y e^{-a\eta}$, zero without an amount.
    fn falling(self, predictor: f64, response: f64) -> f64 {
        if response == 0.0 { 0.0 } else { (response.ln() - self.parts().0 * predictor).exp() }
    }

    /// $e^{b\eta}$
    fn rising(self, predictor: f64) -> f64 {
        (self.parts().1 * predictor).exp()
    }

    /// The least curvature between two predictors, rounded down.
    fn least_between(self, low: f64, high: f64, response: f64) -> f64 {
        let (a, b) = self.parts();
        // Where an end is not a number, nothing is known.
        if low <= high {
            let at = (response.ln() + 2.0 * (a / b).ln()).clamp(low, high);
            // The valley may be off by its rounding, which a minimum does not notice; an end is exact.
            rounded_down(self.curvature(at, response), response.max(f64::MIN_POSITIVE).ln().abs() + at.abs())
        } else {
            0.0
        }
    }
}

impl Loss for Tweedie {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        let (a, b) = self.parts();
        if response == 0.0 {
            return self.rising(predictor) / b;
        }
        let t = response.ln() - predictor;
        let bracket = (a * t).exp_m1() / a + (-b * t).exp_m1() / b;
        if bracket < f64::INFINITY {
            return (response.powf(b) * bracket).max(0.0);
        }
        // One of the exponential functions is too large for a number, but perhaps not times the response.
        self.falling(predictor, response) / a + self.rising(predictor) / b
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        if response == 0.0 {
            return self.rising(predictor);
        }
        let t = response.ln() - predictor;
        // $e^{b\eta} - ye^{-a\eta}$ with the larger of the two as a factor.
        if t > 0.0 { self.falling(predictor, response) * (-t).exp_m1() } else { -self.rising(predictor) * t.exp_m1() }
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        let (a, b) = self.parts();
        b * self.rising(predictor) + a * self.falling(predictor, response)
    }
    fn infimum(&self, _response: f64) -> f64 {
        0.0
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        if radius >= 0.0 {
            self.least_between((predictor - radius).next_down(), (predictor + radius).next_up(), response)
        } else {
            0.0
        }
    }
    /// The curvature of the parabola that meets the loss again at $a + h$ is the mean of the curvature over the triangle $2(h - x)/h^2$, whose mean place is
    /// $a + h/3$; the curvature is convex, so by Jensen's inequality the mean is not below the curvature there.
    fn least_chord(&self, predictor: f64, response: f64, (low, high): (f64, f64)) -> f64 {
        let third = |way: f64| if way > 0.0 { way / 3.0 } else { 0.0 };
        let (down, up) = (predictor - third(predictor - low), predictor + third(high - predictor));
        if low <= high { self.least_between(down.next_down(), up.next_up(), response) } else { 0.0 }
    }
    /// The curvature is convex, so on the way to $\log y$ it is largest at one of the ends; there it is $y^b$. Without an amount it falls on the way.
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        Some(self.curvature(predictor, response).max(response.powf(self.parts().1)))
    }
    fn entry(&self) -> Option<&'static LossEntry> {
        Some(&ENTRY)
    }
    fn family(&self) -> Option<Family> {
        Some(Family::Tweedie { power: self.power })
    }
    fn deviance(&self, predictor: f64, response: f64) -> Option<f64> {
        Some(2.0 * self.value(predictor, response))
    }
    fn spec(&self) -> String {
        format!("{}:{}", ENTRY.name, self.power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Gamma, Poisson};

    #[test]
    fn its_limits_are_poisson_and_gamma() {
        let (low, high) = (Tweedie::with_power(1.0 + 1e-9).unwrap(), Tweedie::with_power(2.0 - 1e-9).unwrap());
        for (eta, y) in [(0.3, 2.0), (-1.0, 0.5), (1.5, 7.0)] {
            let deviance = Poisson.deviance(eta, y).unwrap();
            assert!((low.deviance(eta, y).unwrap() / deviance - 1.0).abs() < 1e-6);
            assert!((high.value(eta, y) / Gamma.value(eta, y) - 1.0).abs() < 1e-6);
            assert!((high.slope(eta, y) / Gamma.slope(eta, y) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn only_powers_between_one_and_two_are_taken() {
        for power in [1.0, 2.0, 0.0, 3.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Tweedie::with_power(power).unwrap_err().to_string();
            assert!(error.contains("tweedie p") && error.contains("above 1 and below 2"), "{error}");
        }
    }

    #[test]
    fn products_of_huge_and_tiny_numbers_are_numbers() {
        let loss = Tweedie::with_power(1.5).unwrap();
        // e^{at} alone is e^{750}; the value is 2e^{400} up to digits.
        let (eta, y) = (-2200.0, (-700.0_f64).exp());
        assert!((loss.value(eta, y).ln() - 400.0 - 2.0_f64.ln()).abs() < 1e-9);
        assert_eq!((loss.value(-2000.0, 0.0), loss.slope(f64::NEG_INFINITY, 0.0)), (0.0, 0.0));
    }
}
