//! Tails and quantiles of the normal and of Student's distribution.
//!
//! The tail of the normal is $\tfrac12\mathrm{erfc}(z/\sqrt2)$, by a series near zero and a continued fraction further out; that of Student's $t$ with $\nu$ degrees
//! of freedom is $\tfrac12I_{\nu/(\nu + t^2)}(\nu/2, 1/2)$, the incomplete beta function by its continued fraction. Both keep their relative precision far out, where
//! p-values are small. Quantiles are found by bisection of the tail.

use serde::Serialize;
use std::f64::consts::PI;

/// What a statistic is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "distribution", rename_all = "kebab-case")]
pub enum Reference {
    /// The standard normal distribution.
    Normal,
    /// Student's distribution.
    Student {
        /// Degrees of freedom.
        degrees: f64,
    },
}

impl Reference {
    /// The letter of the statistic.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Normal => "z",
            Self::Student { .. } => "t",
        }
    }

    /// $P(|T| \ge |t|)$
    pub fn two_sided(self, statistic: f64) -> f64 {
        2.0 * self.upper_tail(statistic.abs())
    }

    /// The number that $|T|$ is at most with this probability.
    pub fn quantile(self, level: f64) -> f64 {
        let wanted = 0.5 * (1.0 - level);
        let (mut low, mut high) = (0.0, 1.0);
        while self.upper_tail(high) > wanted && high < 1e300 {
            high *= 2.0;
        }
        // Doubles between two neighbours are soon exhausted.
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.upper_tail(middle) > wanted { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// $P(T \ge t)$ for $t \ge 0$.
    fn upper_tail(self, t: f64) -> f64 {
        if t.is_nan() {
            return f64::NAN;
        }
        match self {
            Self::Normal => 0.5 * erfc(t / std::f64::consts::SQRT_2),
            Self::Student { degrees } => {
                let square = t * t;
                if square == f64::INFINITY {
                    return 0.0;
                }
                0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + square), square / (degrees + square))
            }
        }
    }
}

/// $\frac2{\sqrt\pi}\int_x^\infty e^{-t^2}dt$ for $x \ge 0$.
fn erfc(x: f64) -> f64 {
    if x < 2.0 {
        // erf x = 2x e^{−x²}/√π Σ (2x²)^k / (3·5·…)
        let (mut term, mut sum) = (1.0, 1.0);
        for k in 1..200 {
            term *= 2.0 * x * x / f64::from(2 * k + 1);
            sum += term;
            if term < 1e-18 * sum {
                break;
            }
        }
        return 1.0 - 2.0 * x * (-x * x).exp() / PI.sqrt() * sum;
    }
    // e^{−x²}/√π · 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + …)))), from the far end.
    let fraction = (1..=120).rev().fold(x, |below, k| x + 0.5 * f64::from(k) / below);
    (-x * x).exp() / (PI.sqrt() * fraction)
}

/// $I_x(a, b)$ with $1 - x$ given beside, so that nothing is lost where $x$ is near 1.
fn incomplete_beta(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * rest.ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, rest) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guarded = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / guarded(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guarded(1.0 + even * d);
        c = guarded(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guarded(1.0 + odd * d);
        c = guarded(1.0 + odd / c);
        let change = d * c;
        fraction *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// $\log\Gamma(x)$ for $x > 0$, by Stirling's series once the recurrence has made $x$ large.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 15.0 {
        product *= x;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of scipy.stats, `2 * norm.sf` and `2 * t.sf`.
    #[test]
    fn tails_are_those_of_tables() {
        let normal = [(0.5, 0.617_075_077_451_974), (1.959_963_984_540_054, 0.05), (6.0, 1.973_175_290_075_396_4e-9)];
        for (z, tail) in normal {
            assert!((Reference::Normal.two_sided(z) / tail - 1.0).abs() < 1e-12, "{z}");
            assert_eq!(Reference::Normal.two_sided(z), Reference::Normal.two_sided(-z));
        }
        // Cauchy: 1 − 2/π arctan t; two degrees: 1 − t/√(2 + t²).
        for t in [0.1, 1.0, 4.0, 300.0] {
            let cauchy = Reference::Student { degrees: 1.0 }.two_sided(t);
            assert!((cauchy - (1.0 - 2.0 / PI * f64::atan(t))).abs() < 1e-13, "{t} {cauchy}");
            let two = Reference::Student { degrees: 2.0 }.two_sided(t);
            assert!((two - (1.0 - t / f64::sqrt(2.0 + t * t))).abs() < 1e-13, "{t} {two}");
        }
        // Far out it keeps its digits: with two degrees the tail is about t⁻² there.
        let far = Reference::Student { degrees: 2.0 }.two_sided(1e8);
        assert!((far / 1e-16 - 1.0).abs() < 1e-12, "{far}");
    }

    #[test]
    fn quantiles_undo_tails_and_many_degrees_are_normal() {
        for reference in [Reference::Normal, Reference::Student { degrees: 3.0 }, Reference::Student { degrees: 259.0 }]
        {
            for level in [0.5, 0.9, 0.95, 0.999] {
                let at = reference.quantile(level);
                assert!((reference.two_sided(at) - (1.0 - level)).abs() < 1e-13, "{reference:?} {level}");
            }
        }
        let many = Reference::Student { degrees: 1e7 }.quantile(0.95);
        assert!((many - Reference::Normal.quantile(0.95)).abs() < 1e-6);
        assert!((Reference::Student { degrees: 10.0 }.quantile(0.95) - 2.228_138_851_964_939).abs() < 1e-10);
    }
}
