//! Sums of numbers that are known by their natural logarithms: the bounds exceed any `f64` long before they lose meaning.

/// $\ln(e^a + e^b)$; $-\infty$ stands for zero.
pub(crate) fn log_add(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small == f64::NEG_INFINITY || large == f64::INFINITY { large } else { large + (small - large).exp().ln_1p() }
}

/// $\ln\sum_i e^{a_i}$
pub(crate) fn log_sum<const N: usize>(terms: [f64; N]) -> f64 {
    terms.into_iter().fold(f64::NEG_INFINITY, log_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_survive_zero_infinity_and_distance() {
        assert!((log_add(2.0_f64.ln(), 3.0_f64.ln()) - 5.0_f64.ln()).abs() < 1e-15);
        assert_eq!(log_add(f64::NEG_INFINITY, 1.0), 1.0);
        assert_eq!(log_add(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(log_add(f64::INFINITY, f64::INFINITY), f64::INFINITY);
        assert_eq!(log_sum([1e6, 1e6, -1e6]), 1e6 + 2.0_f64.ln());
    }
}
