//! The bounds of the paper for a schedule $\rho_k = \rho_1k^\gamma$, as functions of the step, all in natural logarithms.
//!
//! With $L$, $\mu$, $G^2$ and $\delta_0$ from [`Constants`], the paper sets
//! $$s = \sum_k k^{-2\gamma},\quad r^2 = e^{4L^2s/\rho_1^2}\Big(\frac{4G^2s}{\rho_1^2} + \delta_0\Big),\quad c^2 = 2(G^2 + r^2L^2),\quad
//!   m = 5c^2 + 2L^2r^2 + 2LGr,$$
//! $$A = \frac{ms}{\rho_1^2}\Big(1 + \frac\mu{\rho_1}\Big)^{k_0},\qquad B = \frac{\mu c^2 + 2Lm(1 + \mu/\rho_1)}{\mu\rho_1},$$
//! and $\phi_\gamma(k) = k^{1-\gamma}$, or $\log k$ for $\gamma = 1$.

use super::Constants;
use super::log_space::{log_add, log_sum};
use super::power_sum::power_sum;
use crate::error::Result;
use crate::schedule::{Polynomial, Schedule as _};
use std::f64::consts::LN_2;

/// The constants that depend on the schedule, and the bounds made of them. Everything called `ln_…` is a natural logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// $\rho_1$
    pub rho1: f64,
    /// $\gamma$
    pub gamma: f64,
    /// $s$ of Proposition 2, infinite for $\gamma \le \tfrac12$.
    pub s: f64,
    /// $r^2$, the bound of Proposition 2 (a).
    pub ln_r2: f64,
    /// $c^2$, the bound of Proposition 2 (b).
    pub ln_c2: f64,
    /// $m$ of Theorem 2.
    pub ln_m: f64,
    /// $k_0$, the first index where the $\delta$ of Lemma 4 is below one. A whole number as long as `f64` can tell; there
    /// is none if $\gamma = 1$ and $\rho_1 \ge \mu$, or outside $(\tfrac12, 1]$.
    pub k0: Option<f64>,
    /// $A$ of Theorem 2, if there is a $k_0$.
    pub ln_a: Option<f64>,
    /// $B$ of Theorem 3.
    pub ln_b: f64,
    /// What does not depend on the schedule.
    pub constants: Constants,
}

impl Bounds {
    /// The bounds for these constants and this schedule.
    pub fn new(constants: Constants, rho1: f64, gamma: f64) -> Result<Self> {
        let covered = Polynomial::new(rho1, gamma)?.meets_theory();
        let Constants { lipschitz, mu, gradient_noise, .. } = constants;
        let s = power_sum(2.0 * gamma, None);
        let mut bounds = Self {
            rho1,
            gamma,
            s,
            ln_r2: 0.0,
            ln_c2: 0.0,
            ln_m: 0.0,
            k0: if covered { contraction_index(rho1 / mu, gamma) } else { None },
            ln_a: None,
            ln_b: 0.0,
            constants,
        };
        bounds.ln_r2 = bounds.ln_radius(s);
        bounds.ln_c2 = bounds.ln_gradient(bounds.ln_r2);
        let ln_l = lipschitz.ln();
        let cross = if gradient_noise > 0.0 {
            LN_2 + ln_l + 0.5 * (gradient_noise.ln() + bounds.ln_r2)
        } else {
            f64::NEG_INFINITY
        };
        bounds.ln_m = log_sum([5.0_f64.ln() + bounds.ln_c2, LN_2 + 2.0 * ln_l + bounds.ln_r2, cross]);
        let growth = bounds.ln_growth();
        bounds.ln_a = bounds.k0.map(|k0| bounds.ln_m + s.ln() - 2.0 * rho1.ln() + k0 * growth);
        bounds.ln_b = log_add(mu.ln() + bounds.ln_c2, LN_2 + ln_l + bounds.ln_m + growth) - mu.ln() - rho1.ln();
        Ok(bounds)
    }

    /// $\log(1 + \mu/\rho_1)$
    fn ln_growth(&self) -> f64 {
        (self.constants.mu / self.rho1).ln_1p()
    }

    /// $e^{4L^2s/\rho_1^2}(4G^2s/\rho_1^2 + \delta_0)$ for any partial sum $s$.
    fn ln_radius(&self, s: f64) -> f64 {
        let per_rho = |x: f64| 4.0 * s * (x / self.rho1) / self.rho1;
        per_rho(self.constants.lipschitz * self.constants.lipschitz)
            + log_add(per_rho(self.constants.gradient_noise).ln(), self.constants.start_distance.ln())
    }

    /// $2(G^2 + r^2L^2)$
    fn ln_gradient(&self, ln_r2: f64) -> f64 {
        LN_2 + log_add(self.constants.gradient_noise.ln(), ln_r2 + 2.0 * self.constants.lipschitz.ln())
    }

    /// Proposition 2 (a) at step $k$: a bound on $\mathbb{E}\|P_C(\theta_k) - \theta_*\|^2$. The paper lets all steps count; here, as in the
    /// proof of its Lemma 2, only the first $k$ do, so the bound grows to $r^2$. It needs no $\mu$ and no $\gamma > \tfrac12$.
    pub fn ln_distance(&self, step: u64) -> f64 {
        self.ln_radius(power_sum(2.0 * self.gamma, Some(step)))
    }

    /// Proposition 2 (b) at step $k \ge 1$: a bound on $\mathbb{E}\|\nabla f(P_C(\theta_{k-1}); z_{\xi_k})\|^2$, which grows to $c^2$.
    pub fn ln_gradient_square(&self, step: u64) -> f64 {
        self.ln_gradient(self.ln_distance(step.saturating_sub(1)))
    }

    /// The forgetting rate $(1 + \mu/\rho_1)^{-\phi_\gamma(k)}$ of Theorem 2.
    pub fn ln_forgetting(&self, step: u64) -> f64 {
        let k = step as f64;
        let phi = if self.gamma == 1.0 { k.ln() } else { k.powf(1.0 - self.gamma) };
        -phi * self.ln_growth()
    }

    /// Theorem 2: the bound on $\delta_k = \mathbb{E}\|P_C(\theta_k) - \theta_*\|^2$, where there is a $k_0$.
    pub fn ln_parameter(&self, step: u64) -> Option<f64> {
        Some(log_add(self.ln_noise(step), self.ln_initial(step)?))
    }

    /// Theorem 3: the bound on $\zeta_k = \mathbb{E}\{F(P_C(\theta_k))\} - F(\theta_*)$, where there is a $k_0$.
    pub fn ln_objective(&self, step: u64) -> Option<f64> {
        let (noise, initial) = (self.ln_noise(step), self.ln_initial(step)?);
        let ln_g = 0.5 * self.constants.gradient_noise.ln();
        let root = |ln: f64| if self.constants.gradient_noise > 0.0 { ln_g + 0.5 * ln } else { f64::NEG_INFINITY };
        let fast = self.ln_b - self.gamma * (step as f64).ln();
        Some(log_sum([root(noise), root(initial), fast, self.constants.lipschitz.ln() + initial]))
    }

    /// $2m(1 + \mu/\rho_1)/(\mu\rho_1)\,k^{-\gamma}$
    fn ln_noise(&self, step: u64) -> f64 {
        LN_2 + self.ln_m + self.ln_growth() - self.constants.mu.ln() - self.rho1.ln() - self.gamma * (step as f64).ln()
    }

    /// $(1 + \mu/\rho_1)^{-\phi_\gamma(k)}(\delta_0 + A)$
    fn ln_initial(&self, step: u64) -> Option<f64> {
        Some(self.ln_forgetting(step) + log_add(self.constants.start_distance.ln(), self.ln_a?))
    }
}

/// The $\delta_n$ of Lemma 4 for $a_n \propto n^{-2\gamma}$, $b_n = (\mu/\rho_1)n^{-\gamma}$:
/// $\frac{\rho_1}\mu n^\gamma\big((1 - 1/n)^{-\gamma} - 1\big)$. It falls in $n$, to 0 for $\gamma < 1$ and to $\rho_1/\mu$ for $\gamma = 1$.
fn lemma_delta(ratio: f64, gamma: f64, n: f64) -> f64 {
    ratio * n.powf(gamma) * (-gamma * (-1.0 / n).ln_1p()).exp_m1()
}

/// The first $n$ with $\delta_n < 1$, where `ratio` is $\rho_1/\mu$; $\delta_1$ is infinite. Infinity where it exceeds every `f64`.
fn contraction_index(ratio: f64, gamma: f64) -> Option<f64> {
    if gamma == 1.0 && ratio >= 1.0 {
        return None;
    }
    let is_below = |n: f64| lemma_delta(ratio, gamma, n) < 1.0;
    let mut high = 2.0;
    while !is_below(high) {
        high *= 2.0;
        if high > f64::MAX / 4.0 {
            return Some(f64::INFINITY);
        }
    }
    let mut low = high / 2.0;
    // Whole numbers while they are exact, then to the last digit.
    while high - low > (low * f64::EPSILON).max(1.0) {
        let middle = (low + (high - low) / 2.0).floor();
        if is_below(middle) { high = middle } else { low = middle }
    }
    Some(high)
}
