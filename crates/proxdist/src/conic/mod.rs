//! Convex sets by equations, inequalities and balls, and exact methods on that description.
//!
//! A set is $\{\theta : \exists t,\ a_i^T(\theta, t) \le b_i\ (i \in I),\ a_i^T(\theta, t) = b_i\ (i \in E),\ \|\theta_{J_k} - c_k\| \le r_k\}$, where each $t_j$ stands
//! for the magnitude of one coefficient (an L1 ball needs them) or of a difference of two. The description is closed under intersection, by writing one
//! below the other, and under any change of the units of the columns. So everything below works whatever the units of a file are:
//!
//! - `solve.rs`: the minimiser of a quadratic function, to about ten digits, by interior-point methods (`interior.rs`, Clarabel) on a scaled
//!   problem (`scaled.rs`);
//! - `dual_active.rs`: the same for small sets of rows in which such methods find no room;
//! - `refine.rs`: from there to the last digit, on the rows that hold with equality;
//! - `multipliers.rs`: how far a gradient is from the normal cone of the set at a point, and the multipliers that show it;
//! - `nearest.rs`: the nearest point of the set, or a proof that it has none.

mod dual_active;
mod interior;
mod kernel;
mod merging;
mod multipliers;
mod nearest;
mod refine;
mod restricted;
mod scaled;
mod solve;
#[cfg(test)]
mod tests;

pub(crate) use dual_active::by_rows;
pub(crate) use multipliers::multipliers;
pub(crate) use nearest::{Nearest, nearest};
pub(crate) use refine::{Active, refine, refined};
pub(crate) use scaled::Reach;
pub(crate) use solve::{Model, solve};

use crate::layout::Layout;

/// $\sum_j a_jx_j \le b$, or $=$.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Index and coefficient of each variable that takes part.
    pub terms: Vec<(usize, f64)>,
    /// $b$
    pub right: f64,
    /// Whether it is an equation.
    pub is_equality: bool,
}

impl Row {
    /// $a^Tx - b$: positive where an inequality is violated.
    pub(crate) fn excess(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|&(j, a)| a * x[j]).sum::<f64>() - self.right
    }

    /// The size of the numbers that cancel in [`Row::excess`].
    pub(crate) fn size(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|&(j, a)| (a * x[j]).abs()).sum::<f64>() + self.right.abs()
    }

    /// The same for entries of size `top`.
    fn size_at(&self, top: f64) -> f64 {
        self.terms.iter().map(|&(_, a)| a.abs()).sum::<f64>() * top + self.right.abs()
    }
}

/// $\|x_J - c\| \le r$ for some of the coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// $J$
    pub coordinates: Vec<usize>,
    /// $c$, in the order of the coordinates.
    pub center: Vec<f64>,
    /// $r > 0$
    pub radius: f64,
}

impl Round {
    /// Distance from the center.
    pub(crate) fn distance(&self, x: &[f64]) -> f64 {
        // Scaled by the largest entry, so that squares neither overflow nor vanish.
        let away = || self.coordinates.iter().zip(&self.center).map(|(&j, c)| x[j] - c);
        let top = away().fold(0.0_f64, |top, d| top.max(d.abs()));
        if top == 0.0 || !top.is_finite() {
            return top;
        }
        top * away().map(|d| (d / top) * (d / top)).sum::<f64>().sqrt()
    }
}

/// A magnitude among the variables, $t \ge |\theta_j|$, or $t \ge |\theta_j - \theta_k|$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnitude {
    /// $j$
    pub of: usize,
    /// $k$, for the magnitude of a difference.
    pub minus: Option<usize>,
    /// A limit that the rows put on $t$.
    pub limit: f64,
    /// What a unit of $t$ adds to the function that is minimised: the weight of an L1 penalty.
    pub price: f64,
}

impl Magnitude {
    /// Its least value at some coefficients.
    fn at(&self, theta: &[f64]) -> f64 {
        (theta[self.of] - self.minus.map_or(0.0, |k| theta[k])).abs()
    }

    /// A curvature to measure it by: that of its coefficient, of two the one that moves further.
    fn bend(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.minus.map_or(of(self.of), |k| of(k).min(of(self.of)))
    }

    /// The same of coefficients that are elsewhere.
    fn moved(&self, place: impl Fn(usize) -> usize) -> Self {
        Self { of: place(self.of), minus: self.minus.map(place), ..*self }
    }
}

/// A convex set as rows and balls. The variables are the coefficients, then the magnitudes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conic {
    /// Number of coefficients.
    pub features: usize,
    /// Variables beside the coefficients.
    pub magnitudes: Vec<Magnitude>,
    /// Equations and inequalities.
    pub rows: Vec<Row>,
    /// Balls.
    pub balls: Vec<Round>,
}

impl Conic {
    /// All vectors of this length.
    pub fn everything(features: usize) -> Self {
        Self { features, ..Self::default() }
    }

    /// With $\sum a_jx_j \le b$.
    #[must_use]
    pub fn at_most(mut self, terms: Vec<(usize, f64)>, right: f64) -> Self {
        self.rows.push(Row { terms, right, is_equality: false });
        self
    }

    /// With $\sum a_jx_j = b$.
    #[must_use]
    pub fn equal(mut self, terms: Vec<(usize, f64)>, right: f64) -> Self {
        self.rows.push(Row { terms, right, is_equality: true });
        self
    }

    /// With limits on each coefficient; those that are infinite are left out.
    #[must_use]
    pub fn between(mut self, limits: impl Iterator<Item = (f64, f64)>) -> Self {
        for (j, (lower, upper)) in limits.enumerate().take(self.features) {
            if lower == upper {
                self = self.equal(vec![(j, 1.0)], lower);
                continue;
            }
            if lower.is_finite() {
                self = self.at_most(vec![(j, -1.0)], -lower);
            }
            if upper.is_finite() {
                self = self.at_most(vec![(j, 1.0)], upper);
            }
        }
        self
    }

    /// With $\|\theta - c\| \le r$; radius zero leaves the center alone.
    #[must_use]
    pub fn in_ball(mut self, center: Option<&[f64]>, radius: f64) -> Self {
        let center = center.map_or_else(|| vec![0.0; self.features], <[f64]>::to_vec);
        if radius == 0.0 {
            return center.iter().enumerate().fold(self, |set, (j, &c)| set.equal(vec![(j, 1.0)], c));
        }
        self.balls.push(Round { coordinates: (0..self.features).collect(), center, radius });
        self
    }

    /// With $\sum|\theta_j| \le r$.
    #[must_use]
    pub fn in_l1_ball(mut self, radius: f64) -> Self {
        let features = self.features;
        if radius == 0.0 {
            return (0..features).fold(self, |set, j| set.equal(vec![(j, 1.0)], 0.0));
        }
        let first = features + self.magnitudes.len();
        self.magnitudes.extend((0..features).map(|of| Magnitude { of, minus: None, limit: radius, price: 0.0 }));
        for j in 0..features {
            self = self.at_most(vec![(j, 1.0), (first + j, -1.0)], 0.0);
            self = self.at_most(vec![(j, -1.0), (first + j, -1.0)], 0.0);
        }
        self.at_most((first..first + features).map(|t| (t, 1.0)).collect(), radius)
    }

    /// With $\sum|\theta_{j+1} - \theta_j| \le r$.
    #[must_use]
    pub fn with_variation(mut self, radius: f64) -> Self {
        let pairs = self.features.saturating_sub(1);
        if radius == 0.0 {
            return (0..pairs).fold(self, |set, j| set.equal(vec![(j, -1.0), (j + 1, 1.0)], 0.0));
        }
        let first = self.features + self.magnitudes.len();
        self.magnitudes.extend((0..pairs).map(|j| Magnitude { of: j + 1, minus: Some(j), limit: radius, price: 0.0 }));
        for j in 0..pairs {
            self = self.at_most(vec![(j + 1, 1.0), (j, -1.0), (first + j, -1.0)], 0.0);
            self = self.at_most(vec![(j + 1, -1.0), (j, 1.0), (first + j, -1.0)], 0.0);
        }
        if pairs == 0 { self } else { self.at_most((first..first + pairs).map(|t| (t, 1.0)).collect(), radius) }
    }

    /// The same set for functions with the penalty $\lambda\sum|\theta_j|$.
    #[must_use]
    pub(crate) fn with_penalty(mut self, weight: f64) -> Self {
        let (features, first) = (self.features, self.features + self.magnitudes.len());
        self.magnitudes.extend((0..features).map(|of| Magnitude {
            of,
            minus: None,
            limit: f64::INFINITY,
            price: weight,
        }));
        for j in 0..features {
            self = self.at_most(vec![(j, 1.0), (first + j, -1.0)], 0.0);
            self = self.at_most(vec![(j, -1.0), (first + j, -1.0)], 0.0);
        }
        self
    }

    /// The penalty at some coefficients.
    pub(crate) fn penalty(&self, theta: &[f64]) -> f64 {
        self.magnitudes.iter().filter(|t| t.price != 0.0).map(|t| t.price * theta[t.of].abs()).sum()
    }

    /// The derivative of the penalty along a direction.
    pub(crate) fn penalty_slope(&self, theta: &[f64], along: &[f64]) -> f64 {
        let of = |t: &Magnitude| match theta[t.of] {
            0.0 => along[t.of].abs(),
            at => along[t.of] * at.signum(),
        };
        self.magnitudes.iter().filter(|t| t.price != 0.0).map(|t| t.price * of(t)).sum()
    }

    /// The set moved so that the point `x`, coefficients and magnitudes, comes to lie at zero.
    pub(crate) fn around(&self, x: &[f64]) -> Self {
        let mut moved = self.clone();
        moved.rows.iter_mut().for_each(|row| row.right = -row.excess(x));
        for ball in &mut moved.balls {
            ball.center.iter_mut().zip(&ball.coordinates).for_each(|(c, &j)| *c -= x[j]);
        }
        moved
    }

    /// The points of both sets.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        let (before, own) = (self.magnitudes.len(), self.features);
        self.magnitudes.extend(&other.magnitudes);
        let moved = |j: usize| if j < own { j } else { j + before };
        for row in &other.rows {
            let terms = row.terms.iter().map(|&(j, a)| (moved(j), a)).collect();
            self.rows.push(Row { terms, ..row.clone() });
        }
        self.balls.extend(other.balls.iter().cloned());
        self
    }

    /// The set for some coordinates of a longer vector, `j` here being `place(j)` there; all others are free.
    #[must_use]
    pub fn placed(&self, place: impl Fn(usize) -> usize, length: usize) -> Self {
        let own = self.features;
        let moved = |j: usize| if j < own { place(j) } else { j - own + length };
        let rows = self.rows.iter().map(|row| {
            let terms = row.terms.iter().map(|&(j, a)| (moved(j), a)).collect();
            Row { terms, ..row.clone() }
        });
        let balls = self.balls.iter().map(|ball| {
            let coordinates = ball.coordinates.iter().map(|&j| moved(j)).collect();
            Round { coordinates, ..ball.clone() }
        });
        Self {
            features: length,
            magnitudes: self.magnitudes.iter().map(|t| t.moved(&place)).collect(),
            rows: rows.collect(),
            balls: balls.collect(),
        }
    }

    /// The coefficients of a point, whatever follows them.
    pub(crate) fn coefficients<'x>(&self, x: &'x [f64]) -> &'x [f64] {
        Layout::vector(self.features).coefficients(x)
    }

    /// The same, to be changed.
    pub(crate) fn coefficients_mut<'x>(&self, x: &'x mut [f64]) -> &'x mut [f64] {
        Layout::vector(self.features).coefficients_mut(x)
    }

    /// What follows the coefficients of a point.
    pub(crate) fn behind<'x>(&self, x: &'x [f64]) -> &'x [f64] {
        Layout::vector(self.features).split(x).1
    }

    /// Takes the magnitudes out of a point: the coefficients, and what follows all variables, are left.
    pub(crate) fn drop_magnitudes(&self, x: &mut Vec<f64>) {
        x.drain(self.features..self.variables());
    }

    /// Number of variables.
    pub(crate) fn variables(&self) -> usize {
        self.features + self.magnitudes.len()
    }

    /// Coefficients with their magnitudes behind them.
    pub(crate) fn lifted(&self, theta: &[f64]) -> Vec<f64> {
        let mut x = self.coefficients(theta).to_vec();
        x.extend(self.magnitudes.iter().map(|t| t.at(theta)));
        x
    }

    /// The largest violation of a row or ball at some coefficients, relative to the largest coefficient and the row's own numbers.
    pub(crate) fn violation(&self, theta: &[f64]) -> f64 {
        let x = self.lifted(theta);
        let top = x.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
        let rows = self.rows.iter().map(|row| {
            let excess = row.excess(&x);
            let outside = if row.is_equality { excess.abs() } else { excess.max(0.0) };
            if outside == 0.0 { 0.0 } else { outside / row.size_at(top) }
        });
        let balls = self.balls.iter().map(|ball| (ball.distance(&x) / ball.radius - 1.0).max(0.0));
        rows.chain(balls).fold(0.0, |worst: f64, next| if next.is_nan() { f64::INFINITY } else { worst.max(next) })
    }

    /// Whether every row limits one variable by itself.
    pub(crate) fn is_box(&self) -> bool {
        self.balls.is_empty() && self.rows.iter().all(|row| row.terms.len() == 1)
    }
}

/// A quadratic function $\tfrac12x^THx + c^Tx$ of the variables of a set, and perhaps free ones behind them.
#[derive(Clone, Debug)]
pub(crate) struct Quadratic {
    pub(crate) hessian: Hessian,
    pub(crate) linear: Vec<f64>,
}

/// $H$, symmetric and positive semidefinite.
#[derive(Clone, Debug)]
pub(crate) enum Hessian {
    /// The diagonal of a diagonal matrix.
    Diagonal(Vec<f64>),
    /// All entries.
    Dense(Vec<f64>),
}

impl Quadratic {
    /// Number of variables.
    pub(crate) fn size(&self) -> usize {
        self.linear.len()
    }

    /// $H_{jj}$
    pub(crate) fn diagonal(&self, j: usize) -> f64 {
        match &self.hessian {
            Hessian::Diagonal(diagonal) => diagonal[j],
            Hessian::Dense(all) => all[j * self.size() + j],
        }
    }

    /// $Hx + c$
    pub(crate) fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let product = |j: usize| match &self.hessian {
            Hessian::Diagonal(diagonal) => diagonal[j] * x[j],
            Hessian::Dense(all) => crate::linalg::dot(&all[j * x.len()..(j + 1) * x.len()], x),
        };
        (0..x.len()).map(|j| product(j) + self.linear[j]).collect()
    }
}

/// Curvature that counts as none, relative to the largest.
const FLAT: f64 = 1e-18;

/// Curvatures to scale variables by: those without any get that of the others, on the average.
fn without_flat(diagonal: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let largest = diagonal.clone().fold(0.0, f64::max);
    let bent = diagonal.clone().filter(|d| *d > FLAT * largest);
    let count = bent.clone().count();
    let usual = if count == 0 { 1.0 } else { (bent.map(f64::ln).sum::<f64>() / count as f64).exp() };
    diagonal.map(|d| if d > FLAT * largest { d } else { usual }).collect()
}
