//! The constants and bounds of the paper in 200-bit arithmetic.

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use proxdist::theory::Constants;

pub(crate) type Wide = FBig<HalfEven, 2>;

pub(crate) fn wide(x: f64) -> Wide {
    Wide::try_from(x).expect("a finite number").with_precision(200).value()
}

pub(crate) fn narrow(x: &Wide) -> f64 {
    x.to_f64().value()
}

/// $x^y$ for positive x.
pub(crate) fn power(x: &Wide, y: &Wide) -> Wide {
    (x.ln() * y).exp()
}

/// $\zeta(t)$ from the alternating series, accelerated as by Cohen, Rodriguez Villegas and Zagier.
pub(crate) fn zeta(t: f64) -> Wide {
    const TERMS: u32 = 60;
    let one = wide(1.0);
    let root = power(&(wide(3.0) + power(&wide(8.0), &wide(0.5))), &wide(f64::from(TERMS)));
    let d = (root.clone() + one.clone() / root) / wide(2.0);
    let (mut b, mut c, mut sum) = (-one.clone(), -d.clone(), wide(0.0));
    for k in 0..TERMS {
        c = b.clone() - c;
        sum += c.clone() * power(&wide(f64::from(k + 1)), &wide(-t));
        let (k, n) = (f64::from(k), f64::from(TERMS));
        b = b * wide((k + n) * (k - n)) / (wide(k + 0.5) * wide(k + 1.0));
    }
    sum / d / (one - power(&wide(2.0), &(wide(1.0) - wide(t))))
}

/// The constants and bounds of the paper, letter by letter.
pub(crate) struct Paper {
    pub(crate) l: Wide,
    pub(crate) mu: Wide,
    pub(crate) g2: Wide,
    pub(crate) delta0: Wide,
    pub(crate) rho1: Wide,
    pub(crate) gamma: f64,
    pub(crate) s: Wide,
    pub(crate) r2: Wide,
    pub(crate) c2: Wide,
    pub(crate) m: Wide,
    pub(crate) k0: Option<u64>,
}

impl Paper {
    pub(crate) fn new(constants: &Constants, rho1: f64, gamma: f64) -> Self {
        let (l, mu, g2) = (wide(constants.lipschitz), wide(constants.mu), wide(constants.gradient_noise));
        let (delta0, s, rho) = (wide(constants.start_distance), zeta(2.0 * gamma), wide(rho1));
        let rho2 = rho.clone() * rho.clone();
        let l2 = l.clone() * l.clone();
        let r2 = (wide(4.0) * &l2 * &s / &rho2).exp() * (wide(4.0) * &g2 * &s / &rho2 + &delta0);
        let c2 = wide(2.0) * (g2.clone() + r2.clone() * &l2);
        let gr = power(&(g2.clone() * &r2), &wide(0.5));
        let m = wide(5.0) * &c2 + wide(2.0) * &l2 * &r2 + wide(2.0) * &l * gr;
        let k0 = first_below_one(constants.mu / rho1, gamma);
        Self { l, mu, g2, delta0, rho1: rho, gamma, s, r2, c2, m, k0 }
    }

    pub(crate) fn growth(&self) -> Wide {
        wide(1.0) + self.mu.clone() / &self.rho1
    }

    pub(crate) fn a(&self) -> Option<Wide> {
        let rise = power(&self.growth(), &wide(self.k0? as f64));
        Some(self.m.clone() * &self.s / (self.rho1.clone() * &self.rho1) * rise)
    }

    pub(crate) fn b(&self) -> Wide {
        let top = self.mu.clone() * &self.c2 + wide(2.0) * &self.l * &self.m * self.growth();
        top / (self.mu.clone() * &self.rho1)
    }

    pub(crate) fn forgetting(&self, k: f64) -> Wide {
        let phi = if self.gamma == 1.0 { wide(k).ln() } else { power(&wide(k), &(wide(1.0) - wide(self.gamma))) };
        wide(1.0) / power(&self.growth(), &phi)
    }

    pub(crate) fn noise(&self) -> Wide {
        wide(2.0) * &self.m * self.growth() / (self.mu.clone() * &self.rho1)
    }

    pub(crate) fn parameter(&self, k: f64) -> Option<Wide> {
        let start = self.forgetting(k) * (self.delta0.clone() + self.a()?);
        Some(self.noise() * power(&wide(k), &wide(-self.gamma)) + start)
    }

    pub(crate) fn objective(&self, k: f64) -> Option<Wide> {
        let half = |x: Wide| power(&x, &wide(0.5));
        let start = self.delta0.clone() + self.a()?;
        let first = half(self.g2.clone() * self.noise()) * power(&wide(k), &(wide(-self.gamma) / wide(2.0)));
        let second = half(self.g2.clone() * self.forgetting(k) * &start);
        let third = self.b() * power(&wide(k), &wide(-self.gamma));
        Some(first + second + third + self.l.clone() * self.forgetting(k) * start)
    }
}

/// Lemma 4 by direct search, from its definition of $\delta_n$.
pub(crate) fn first_below_one(ratio: f64, gamma: f64) -> Option<u64> {
    let a = |n: u64| (n as f64).powf(-2.0 * gamma);
    let b = |n: u64| ratio * (n as f64).powf(-gamma);
    (2..2_000_000).find(|&n| (a(n - 1) / b(n - 1) - a(n) / b(n)) / a(n) < 1.0)
}

pub(crate) fn close_logs(found: f64, exact: &Wide, what: &str) {
    let exact = narrow(&exact.ln());
    assert!((found - exact).abs() <= 2e-11 * exact.abs().max(1.0), "{what}: {found} {exact}");
}
