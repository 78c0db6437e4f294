//! The rates of convergence that Theorems 2 and 3 imply (Table 1 of the paper).

use serde::Serialize;

/// Powers of $1/k$ with which the bounds fall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// $\delta_k = O(k^{-\text{parameter}})$
    pub parameter: f64,
    /// $\zeta_k = O(k^{-\text{objective}})$
    pub objective: f64,
}

/// $\gamma$ for $\gamma \in (\tfrac12, 1)$, and $\min(1, \log(1 + \mu/\rho_1))$ for $\gamma = 1$; half of it for the objective. No rate elsewhere.
pub fn rate(mu: f64, rho1: f64, gamma: f64) -> Option<Rate> {
    let parameter = match gamma {
        1.0 => (mu / rho1).ln_1p().min(1.0),
        gamma if gamma > 0.5 && gamma < 1.0 => gamma,
        _ => return None,
    };
    Some(Rate { parameter, objective: parameter / 2.0 })
}

/// The largest $\rho_1$ with $\log(1 + \mu/\rho_1) \ge 1$, which is $\mu/(e - 1)$: up to it, $\gamma = 1$ has the rate $1/k$.
pub(super) fn largest_fast_rho1(mu: f64) -> f64 {
    mu / 1.0_f64.exp_m1()
}
