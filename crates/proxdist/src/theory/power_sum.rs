//! Sums of powers, $\sum_{i=1}^k i^{-t}$, and their limit, Riemann's $\zeta(t)$.
//!
//! The first terms are added one by one; for the rest the formula of Euler and Maclaurin with $f(x) = x^{-t}$,
//! $$\sum_{i=N}^k f(i) = \int_N^k f + \frac{f(N) + f(k)}2 + \sum_{j\ge1} \frac{B_{2j}}{(2j)!}\big(f^{(2j-1)}(k) - f^{(2j-1)}(N)\big),$$
//! is good to the last digits from $N = 16$ on. The integral is written with `expm1`, so that nothing cancels near $t = 1$,
//! and $k = \infty$ needs no other formula.

/// Terms that are added one by one.
const FIRST: u64 = 16;
/// $B_{2j}/(2j)!$
const CORRECTIONS: [f64; 7] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
];

/// $\sum_{i=1}^k i^{-t}$ for $t \ge 0$; `None` stands for all terms, whose sum is infinite unless $t > 1$.
pub fn power_sum(exponent: f64, terms: Option<u64>) -> f64 {
    let direct = |last: u64| (1..=last).rev().map(|i| (i as f64).powf(-exponent)).sum::<f64>();
    match terms {
        Some(last) if last <= FIRST => direct(last),
        None if exponent <= 1.0 => f64::INFINITY,
        _ => {
            let first = FIRST as f64;
            let (last, log_ratio) =
                terms.map_or((f64::INFINITY, f64::INFINITY), |last| (last as f64, (last as f64 / first).ln()));
            // The integral of x^−t from N to k is N^(1−t) (1 − (N/k)^(t−1)) / (t − 1).
            let rate = exponent - 1.0;
            let integral =
                first.powf(-rate) * if rate == 0.0 { log_ratio } else { -(-rate * log_ratio).exp_m1() / rate };
            let at = |x: f64| if x.is_infinite() { 0.0 } else { x.powf(-exponent) };
            direct(FIRST - 1)
                + (integral + 0.5 * (at(first) + at(last)) + corrections(exponent, first) - corrections(exponent, last))
        }
    }
}

/// $-\sum_j B_{2j}/(2j)!\, f^{(2j-1)}(x)$, where $-f^{(2j-1)}(x) = t(t+1)\cdots(t+2j-2)\,x^{-t-2j+1}$.
fn corrections(exponent: f64, x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    let mut derivative = exponent * x.powf(-exponent - 1.0);
    let mut sum = 0.0;
    for (j, factor) in CORRECTIONS.iter().enumerate() {
        sum += factor * derivative;
        let next = exponent + 2.0 * j as f64 + 1.0;
        derivative *= next * (next + 1.0) / (x * x);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_the_known_values_of_zeta() {
        let known = [
            (2.0, std::f64::consts::PI.powi(2) / 6.0),
            (4.0, std::f64::consts::PI.powi(4) / 90.0),
            (1.5, 2.612_375_348_685_488),
            (3.0, 1.202_056_903_159_594),
            (1.1, 10.584_448_464_950_81),
        ];
        for (exponent, value) in known {
            let found = power_sum(exponent, None);
            assert!((found / value - 1.0).abs() < 1e-14, "{exponent}: {found} {value}");
        }
        assert_eq!(power_sum(1.0, None), f64::INFINITY);
    }

    #[test]
    fn partial_sums_are_the_sums_of_their_terms() {
        for exponent in [0.0, 0.5, 1.0, 1.0 + 1e-9, 1.02, 4.0 / 3.0, 2.0, 3.3] {
            for terms in [1, 15, 16, 17, 40, 1000, 100_000] {
                let direct: f64 = (1..=terms).rev().map(|i| (i as f64).powf(-exponent)).sum();
                let found = power_sum(exponent, Some(terms));
                assert!((found / direct - 1.0).abs() < 1e-13, "{exponent} {terms}: {found} {direct}");
            }
        }
    }
}
