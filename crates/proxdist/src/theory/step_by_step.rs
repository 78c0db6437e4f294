//! What the paper's proof gives when it is followed step by step instead of being summed up once.
//!
//! Its first recursion, before any term is dropped, reads in expectation
//! $$\delta_k \le \Big(1 + \frac{4L^2}{\rho_k^2}\Big)\delta_{k-1} - \frac2{\rho_k}\mathbb{E}\{F(P_C(\theta_{k-1})) - F(\theta_*)\} + \frac{4G^2}{\rho_k^2}.$$
//! Assumption 5 along the segment from $\theta_*$ to $\theta \in C$ says that $(F(\theta_* + td) - F(\theta_*))/t$ grows at least by
//! $\tfrac\mu2\|d\|^2$ per unit of $t$, from a start that is not negative, so $F(\theta) - F(\theta_*) \ge \tfrac\mu2\|\theta - \theta_*\|^2$, and
//! $$\delta_k \le \Big(1 - \frac\mu{\rho_k} + \frac{4L^2}{\rho_k^2}\Big)\delta_{k-1} + \frac{4G^2}{\rho_k^2}.$$
//! This is never above the recursions behind Proposition 2 and Theorem 2, holds under the same assumptions, needs no $k_0$ and
//! no condition on $\gamma$, and stays within sight of what is measured. For the objective, smoothness gives
//! $\zeta_k \le \|\nabla F(\theta_*)\|\sqrt{\delta_k} + \tfrac L2\delta_k$.

use super::bounds::Bounds;
use super::log_space::log_add;
use std::f64::consts::LN_2;

/// Beyond this size, or below its inverse, the running value is brought back to one, and its logarithm kept beside it.
const LARGE: f64 = 1e100;

impl Bounds {
    /// The bound on $\delta_k$ at these steps, which must rise; natural logarithms.
    pub fn ln_parameter_step_by_step(&self, steps: &[u64]) -> Vec<f64> {
        // The bound is `value` times the exponential of `ln_scale`.
        let (mut value, mut ln_scale, mut unscale) = (self.constants.start_distance, 0.0_f64, 1.0);
        let mut done = 0;
        let mut found = Vec::with_capacity(steps.len());
        for &step in steps {
            for k in done + 1..=step {
                let inverse = (k as f64).powf(-self.gamma) / self.rho1;
                let length = self.constants.lipschitz * inverse;
                // L ≥ μ keeps the factor at 15/16 or above.
                let factor = 1.0 - self.constants.mu * inverse + 4.0 * length * length;
                value = factor * value + 4.0 * self.constants.gradient_noise * inverse * inverse * unscale;
                if value > 0.0 && !(1.0 / LARGE..=LARGE).contains(&value) {
                    ln_scale += value.ln();
                    unscale = (-ln_scale).exp();
                    value = 1.0;
                }
            }
            done = done.max(step);
            found.push(value.ln() + ln_scale);
        }
        found
    }

    /// The bound on $\zeta_k$ that belongs to a bound on $\delta_k$; natural logarithms.
    pub fn ln_objective_from(&self, ln_delta: f64) -> f64 {
        let curved = self.constants.lipschitz.ln() - LN_2 + ln_delta;
        let sloped = self.constants.gradient_norm.ln() + 0.5 * ln_delta;
        if self.constants.gradient_norm > 0.0 { log_add(sloped, curved) } else { curved }
    }
}
