//! Variables that stand for magnitudes of combinations of coefficients.

/// A magnitude among the variables, $t \ge |d^T\theta|$: of one coefficient, of a difference, or of any other combination.
#[derive(Clone, Debug, PartialEq)]
pub struct Magnitude {
    /// $d$: the coefficients that take part, with their factors.
    pub of: Vec<(usize, f64)>,
    /// A limit that the rows put on $t$.
    pub limit: f64,
    /// What a unit of $t$ adds to the function that is minimised: the weight of an L1 penalty.
    pub price: f64,
}

impl Magnitude {
    /// $d^T\theta$
    pub(super) fn signed(&self, theta: &[f64]) -> f64 {
        self.of.iter().map(|&(j, a)| a * theta[j]).sum()
    }

    /// Its least value at some coefficients.
    pub(super) fn at(&self, theta: &[f64]) -> f64 {
        self.signed(theta).abs()
    }

    /// A curvature to measure it by: that of its coefficient, of several the one that moves furthest.
    pub(super) fn bend(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.of.iter().map(|&(j, a)| of(j) / (a * a)).fold(f64::INFINITY, f64::min)
    }

    /// The same of coefficients that are elsewhere; those without a place are zero. `None` if none is left.
    pub(super) fn moved(&self, place: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let of: Vec<(usize, f64)> = self.of.iter().filter_map(|&(j, a)| Some((place(j)?, a))).collect();
        (!of.is_empty()).then_some(Self { of, ..*self })
    }
}
