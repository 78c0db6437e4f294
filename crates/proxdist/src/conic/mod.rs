//! Convex sets by equations, inequalities and balls, and exact methods on that description.
//!
//! A set is $\{\theta : \exists t,\ a_i^T(\theta, t) \le b_i\ (i \in I),\ a_i^T(\theta, t) = b_i\ (i \in E),\ \|\theta_{J_k} - c_k\| \le r_k\}$, where each $t_j$ stands
//! for the magnitude of one coefficient (an L1 ball needs them) or of a combination of several. The description is closed under intersection, by writing one
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
mod magnitude;
mod merging;
mod multipliers;
mod nearest;
mod refine;
mod restricted;
mod round;
mod scaled;
mod solve;
#[cfg(test)]
mod tests;

pub(crate) use dual_active::by_rows;
pub use magnitude::Magnitude;
pub(crate) use multipliers::{Multipliers, multipliers, nearby_multipliers};
pub(crate) use nearest::{Nearest, nearest};
pub(crate) use refine::{Active, refine, refined};
pub use round::Round;
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

/// A part of the description of a set, by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Row(usize),
    Ball(usize),
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
        self.balls.push(Round { coordinates: (0..self.features).collect(), center, radius, growth: None });
        self
    }

    /// With the length of all coefficients but the first at most `slope` times the first.
    #[must_use]
    pub fn in_cone(mut self, slope: f64) -> Self {
        let others: Vec<usize> = (1..self.features).collect();
        if others.is_empty() {
            return if self.features == 1 { self.at_most(vec![(0, -1.0)], 0.0) } else { self };
        }
        let center = vec![0.0; others.len()];
        self.balls.push(Round { coordinates: others, center, radius: 0.0, growth: Some((0, slope)) });
        self
    }

    /// With $\sum|\theta_j| \le r$.
    #[must_use]
    pub fn in_l1_ball(mut self, radius: f64) -> Self {
        let features = self.features;
        if radius == 0.0 {
            return (0..features).fold(self, |set, j| set.equal(vec![(j, 1.0)], 0.0));
        }
        let each: Vec<Vec<(usize, f64)>> = (0..features).map(|j| vec![(j, 1.0)]).collect();
        let first = self.add_magnitudes(each, radius, 0.0);
        self.at_most((first..first + features).map(|t| (t, 1.0)).collect(), radius)
    }

    /// With $\sum_i|d_i^T\theta| \le r$ for some combinations of coefficients.
    #[must_use]
    pub fn with_variation(mut self, combinations: Vec<Vec<(usize, f64)>>, radius: f64) -> Self {
        let count = combinations.len();
        if radius == 0.0 {
            return combinations.into_iter().fold(self, |set, terms| set.equal(terms, 0.0));
        }
        if count == 0 {
            return self;
        }
        let first = self.add_magnitudes(combinations, radius, 0.0);
        self.at_most((first..first + count).map(|t| (t, 1.0)).collect(), radius)
    }

    /// Magnitudes of some combinations, with their rows; the number of the first of these variables.
    fn add_magnitudes(&mut self, combinations: Vec<Vec<(usize, f64)>>, limit: f64, price: f64) -> usize {
        let first = self.variables();
        for (t, of) in combinations.into_iter().enumerate() {
            for sign in [1.0, -1.0] {
                let mut terms: Vec<(usize, f64)> = of.iter().map(|&(j, a)| (j, sign * a)).collect();
                terms.push((first + t, -1.0));
                self.rows.push(Row { terms, right: 0.0, is_equality: false });
            }
            self.magnitudes.push(Magnitude { of, limit, price });
        }
        first
    }

    /// The same set for functions with the penalty $\lambda\sum|\theta_j|$.
    #[must_use]
    pub(crate) fn with_penalty(mut self, weight: f64) -> Self {
        let each = (0..self.features).map(|j| vec![(j, 1.0)]).collect();
        self.add_magnitudes(each, f64::INFINITY, weight);
        self
    }

    /// The penalty at some coefficients.
    pub(crate) fn penalty(&self, theta: &[f64]) -> f64 {
        self.magnitudes.iter().filter(|t| t.price != 0.0).map(|t| t.price * t.at(theta)).sum()
    }

    /// The derivative of the penalty along a direction.
    pub(crate) fn penalty_slope(&self, theta: &[f64], along: &[f64]) -> f64 {
        let of = |t: &Magnitude| match t.signed(theta) {
            0.0 => t.at(along),
            at => t.signed(along) * at.signum(),
        };
        self.magnitudes.iter().filter(|t| t.price != 0.0).map(|t| t.price * of(t)).sum()
    }

    /// The set moved so that the point `x`, coefficients and magnitudes, comes to lie at zero.
    pub(crate) fn around(&self, x: &[f64]) -> Self {
        let mut moved = self.clone();
        moved.rows.iter_mut().for_each(|row| row.right = -row.excess(x));
        for ball in &mut moved.balls {
            ball.center.iter_mut().zip(&ball.coordinates).for_each(|(c, &j)| *c -= x[j]);
            ball.radius = ball.reach(x);
        }
        moved
    }

    /// The points of both sets.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        let (before, own) = (self.magnitudes.len(), self.features);
        self.magnitudes.extend(other.magnitudes.iter().cloned());
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
            Round { coordinates, growth: ball.growth.map(|(k, a)| (moved(k), a)), ..ball.clone() }
        });
        Self {
            features: length,
            magnitudes: self.magnitudes.iter().filter_map(|t| t.moved(|j| Some(place(j)))).collect(),
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
        let balls = self.balls.iter().map(|ball| ball.violation(&x));
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
