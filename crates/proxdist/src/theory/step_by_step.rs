//! A bound that follows the iteration step by step and gives less away than the closed forms, under the same assumptions.
//!
//! With $P = P_C(\theta_{k-1})$ and $f$ the loss of the batch, the step obeys (Lemma 1)
//! $\|\theta_k - \theta_*\|^2 \le \|P - \theta_*\|^2 - \frac2{\rho_k}\{f(\theta_k) - f(\theta_*)\} - \|\theta_k - P\|^2$. Bound $f(\theta_k)$ from below by its tangents at $P$ and
//! at $\theta_*$, with weights $t$ and $1 - t$, and complete the square in $\theta_k - P$:
//! $$\|\theta_k - \theta_*\|^2 \le \|P - \theta_*\|^2 - \tfrac{2t}{\rho_k}\{f(P) - f(\theta_*)\} - \tfrac{2(1-t)}{\rho_k}\nabla f(\theta_*)^T(P - \theta_*) +
//!   \tfrac1{\rho_k^2}\|\nabla f(\theta_*) + t(\nabla f(P) - \nabla f(\theta_*))\|^2.$$
//! Take means. The third term is not positive, since $\theta_*$ is optimal. In the last one, $f$ being convex with an $L$-Lipschitz gradient
//! means $\mathbb{E}\|\nabla f(P) - \nabla f(\theta_*)\|^2 \le 2L\{F(P) - F(\theta_*)\}$. And Assumption 5 implies $F(P) - F(\theta_*) \ge \tfrac\mu2\|P - \theta_*\|^2$: along the
//! segment, $(F(\theta_* + \tau d) - F(\theta_*))/\tau$ grows at least by $\tfrac\mu2\|d\|^2$ per unit of $\tau$, from a start that is not negative. So
//! $$\delta_k \le \Big(1 - \frac{\mu t}{\rho_k}\Big(1 - \frac{2tL}{\rho_k}\Big)\Big)\delta_{k-1} + \frac{2G^2}{\rho_k^2}, \qquad t = \min\Big(1, \frac{\rho_k}{4L}\Big),$$
//! and $\delta_k \le \delta_{k-1} + G^2/\rho_k^2$ with $t = 0$; the smaller of the two is taken at every step. Neither is ever above the recursions behind
//! Proposition 2 and Theorem 2; there is no $e^{4L^2s/\rho_1^2}$, no $k_0$ and no condition on $\gamma$. For the objective, smoothness gives
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
                let weight = (0.25 / length).min(1.0);
                let contraction = self.constants.mu * inverse * weight * (1.0 - 2.0 * weight * length);
                let noise = self.constants.gradient_noise * inverse * inverse * unscale;
                value = ((1.0 - contraction) * value + 2.0 * noise).min(value + noise);
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
