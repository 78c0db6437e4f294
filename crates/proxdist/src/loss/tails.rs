//! $e^{-|\eta|}$ and $\log(1 + e^{-|\eta|})$ of many numbers in the widest registers of the machine: what a pass over the rows of a logistic model spends its time on.
//!
//! With $k = \lfloor -|\eta|/\log 2 \rceil$ and $r = -|\eta| - k\log 2$, $|r| \le \tfrac12\log 2$, the first is $2^k$ times the Taylor polynomial of $e^r$ of degree 13, whose remainder is below
//! $10^{-17}$; $2^k$ comes in two factors, so that it may be denormal or zero. The second is $2\,\mathrm{artanh}(z) = 2z(1 + z^2/3 + z^4/5 + \dots)$ with $z = e/(2 + e)$, or where
//! $e > \sqrt2 - 1$ that and $\log 2$ with $z = (e - 1)/(e + 3)$: $z^2 < .03$, and eleven terms are enough. Both are right to two units in the last place, small ones too, and NaN stays NaN.

/// Numbers that are computed at a time.
pub(super) const BLOCK: usize = 64;
/// Beyond this the exponential is zero.
const FARTHEST: f64 = 746.0;
/// $1.5\cdot2^{52}$: a number to which integers are added exactly, so that they stand in its last bits.
const INTEGERS: f64 = 6_755_399_441_055_744.0;
/// $\log 2$ in two parts, the first of which has room for eleven bits more.
const LOG_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
/// $1/k!$ from the last power to the first.
const EXPONENTIAL: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];
/// $2/(2k + 1)$ from the last power to the first.
const LOGARITHM: [f64; 11] = [
    2.0 / 21.0,
    2.0 / 19.0,
    2.0 / 17.0,
    2.0 / 15.0,
    2.0 / 13.0,
    2.0 / 11.0,
    2.0 / 9.0,
    2.0 / 7.0,
    2.0 / 5.0,
    2.0 / 3.0,
    2.0,
];

/// $e^{-|\eta|}$
#[inline(always)]
#[allow(clippy::inline_always)] // what is not inlined is not compiled for wide registers
pub(super) fn tail(eta: f64) -> f64 {
    let size = eta.abs();
    let size = if size > FARTHEST { FARTHEST } else { size };
    let k = (INTEGERS - size * std::f64::consts::LOG2_E) - INTEGERS;
    let r = (-size - k * LOG_2[0]) - k * LOG_2[1];
    let mut power = EXPONENTIAL[0];
    for coefficient in &EXPONENTIAL[1..] {
        power = power * r + coefficient;
    }
    let half = (INTEGERS + 0.5 * k) - INTEGERS;
    power * power_of_two(half) * power_of_two(k - half)
}

/// $2^k$ for an integer above $-1023$.
#[inline(always)]
#[allow(clippy::inline_always)] // what is not inlined is not compiled for wide registers
fn power_of_two(k: f64) -> f64 {
    f64::from_bits(((INTEGERS + k).to_bits() << 52).wrapping_add(1023 << 52))
}

/// $\log(1 + e)$ for $0 \le e \le 1$.
#[inline(always)]
#[allow(clippy::inline_always)] // what is not inlined is not compiled for wide registers
pub(super) fn log_above_one(e: f64) -> f64 {
    let is_large = e > std::f64::consts::SQRT_2 - 1.0;
    let z = if is_large { e - 1.0 } else { e } / (e + if is_large { 3.0 } else { 2.0 });
    let square = z * z;
    let mut sum = LOGARITHM[0];
    for coefficient in &LOGARITHM[1..] {
        sum = sum * square + coefficient;
    }
    z * sum + if is_large { std::f64::consts::LN_2 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 2.0 * f64::EPSILON * expected + 1e-323
    }

    #[test]
    fn both_are_those_of_the_standard_library() {
        let sizes =
            (0..200_000).map(|i| 0.004 * f64::from(i)).chain((0..1000).map(|i| 1e-3_f64.powi(i % 8) * f64::from(i)));
        for size in sizes {
            for eta in [size, -size] {
                let (found, expected) = (tail(eta), (-size).exp());
                assert!(is_near(found, expected), "{eta}: {found:e} {expected:e}");
                let (found, expected) = (log_above_one(expected), expected.ln_1p());
                assert!(is_near(found, expected), "{eta}: {found:e} {expected:e}");
            }
        }
    }

    #[test]
    fn the_ends_are_exact() {
        assert_eq!([tail(0.0), tail(f64::INFINITY), tail(-1e300), tail(750.0)], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!([log_above_one(0.0), log_above_one(1.0)], [0.0, std::f64::consts::LN_2]);
        assert!(tail(f64::NAN).is_nan() && log_above_one(f64::NAN).is_nan());
    }
}
