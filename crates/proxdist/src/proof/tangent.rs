//! Lower bounds from tangents of the losses and the ridge, rounded down.
//!
//! $F = L(\theta, \beta) + \tfrac12\sum_j\lambda_j\theta_j^2$ with all $\lambda_j > 0$. In $u_j = \sqrt{\lambda_j}\theta_j$ a tangent of $L$ at any base point says $L \ge c + h^Tu + \sigma\beta$. With at most $s$ nonzeros
//! $$F \ge c + \sigma\beta - \tfrac12\Big(\text{the sum of the } s \text{ largest } h_j^2\Big).$$
//! A mean of tangents is as good, so from one with $\sigma > 0$ and one with $\sigma < 0$ comes one with $\sigma = 0$: the intercept need not be at its best for the bound. Two base points that differ
//! by an intercept of $\pm\tau$ also say how large $\beta$ can be where $F \le U$, and what the rounding of $\sigma$ therefore matters.

use super::family::Cut;
use crate::data::{Wanted, length};
use crate::error::Result;
use crate::layout::Layout;
use crate::objective::Objective;
use crate::ridge::Ridge;

/// Intercepts that are tried on both sides of the base point's.
const STEPS: [f64; 3] = [1.0, 4.0, 16.0];

/// $L$ in the units of the ridge.
#[derive(Clone, Debug)]
pub(super) struct Losses<'p> {
    /// Without its ridge.
    objective: Objective<'p>,
    layout: Layout,
    /// $\sqrt{\lambda_j}$, and something like it for the intercept, so that steps of equal length mean the same.
    roots: Vec<f64>,
    /// How many coefficients may differ from zero.
    size: usize,
}

/// $L \ge c + h^Tu + \sigma\beta$, from a base point.
#[derive(Clone, Debug)]
pub(super) struct Tangent {
    /// Coefficients in the units of the ridge, then the intercept.
    pub(super) base: Vec<f64>,
    /// $L$ there.
    pub(super) value: f64,
    /// $h$ and $\sigma$.
    pub(super) slopes: Vec<f64>,
}

impl<'p> Losses<'p> {
    /// None unless every coefficient has a ridge.
    pub(super) fn of(objective: Objective<'p>, size: usize) -> Option<Self> {
        let layout = objective.layout();
        let mut roots: Vec<f64> = (0..layout.coefficient_count()).map(|j| objective.ridge.at(j).sqrt()).collect();
        let is_possible = roots.iter().all(|root| *root > 0.0 && root.is_finite()) && layout.output_count() == 1;
        roots.extend(layout.has_intercepts().then_some(objective.ridge.weight().sqrt()));
        let objective = Objective { ridge: Ridge::from(0.0), ..objective };
        is_possible.then_some(Self { objective, layout, roots, size })
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn features(&self) -> usize {
        self.layout.coefficient_count()
    }

    /// A parameter in the units of the ridge.
    pub(super) fn scaled(&self, theta: &[f64]) -> Vec<f64> {
        let mut scaled = theta.to_vec();
        scaled.iter_mut().zip(&self.roots).for_each(|(t, root)| *t *= root);
        scaled
    }

    fn unscaled(&self, base: &[f64]) -> Vec<f64> {
        let mut theta = base.to_vec();
        theta.iter_mut().zip(&self.roots).for_each(|(t, root)| *t /= root);
        theta
    }

    pub(super) fn value(&self, base: &[f64]) -> Result<f64> {
        self.objective.value(&self.unscaled(base))
    }

    pub(super) fn tangent(&self, base: &[f64]) -> Result<Tangent> {
        let mut slopes = self.layout.zeros();
        let value = self.objective.gradient(&self.unscaled(base), &mut slopes)?;
        slopes.iter_mut().zip(&self.roots).for_each(|(g, root)| *g /= root);
        Ok(Tangent { base: base.to_vec(), value, slopes })
    }

    /// The bound from a tangent, for F up to a level; none if the intercept cannot be got rid of.
    pub(super) fn bound(&self, tangent: &Tangent, level: f64) -> Result<Option<Relaxation>> {
        let plain = self.rounded(tangent)?;
        let Some(place) = self.layout.place_of_intercept() else {
            return Ok(Some(plain.relaxation(self.size, (0.0, level))));
        };
        for step in STEPS {
            let mut ends = Vec::with_capacity(2);
            for way in [step, -step] {
                let mut base = tangent.base.clone();
                base[place] += way * self.roots[place];
                ends.push(self.rounded(&self.tangent(&base)?)?);
            }
            let (up, down) = (&ends[0], &ends[1]);
            // Slopes that are surely of opposite signs.
            let is_between = up.sigma > 2.0 * up.doubt && down.sigma < -2.0 * down.doubt;
            if !is_between {
                continue;
            }
            let most = |end: &Rounded| 1.01 * (level - end.bound(self.size)).max(0.0) / (end.sigma.abs() - end.doubt);
            let furthest = most(up).max(most(down)) * (1.0 + f64::EPSILON);
            let other = if plain.sigma > 0.0 { down } else { up };
            let share = if plain.sigma == 0.0 { 1.0 } else { other.sigma / (other.sigma - plain.sigma) };
            let mixed = plain.mixed(other, share.clamp(0.0, 1.0));
            let lost = (mixed.sigma.abs() + mixed.doubt) * furthest;
            let bound = mixed.relaxation(self.size, (1.01 * lost, level));
            return Ok(Some(bound).filter(|bound| bound.lower.is_finite()));
        }
        Ok(None)
    }

    /// A tangent with what rounding may have done to it.
    fn rounded(&self, tangent: &Tangent) -> Result<Rounded> {
        let (data, features) = (self.objective.data, self.features());
        let theta = self.unscaled(&tangent.base);
        let (coefficients, intercept) = self.objective.split(&theta);
        // Terms of the sums: of magnitude |ℓ'| by themselves, and ℓ'' times the predictor's terms for its rounding.
        let (mut sums, mut own, mut values) = (vec![0.0; features], 0.0, 0.0);
        let wanted = Wanted { rows: 0..data.rows(), length: length(features), columns: None };
        data.chunks(&wanted, &mut |chunk| {
            for i in 0..chunk.len() {
                let (response, weight) = (chunk.response[i], chunk.weight(i) / data.weight_sum());
                let (mut eta, mut size) = (intercept + chunk.offset_of(i), intercept.abs() + chunk.offset_of(i).abs());
                chunk.rows.row(i).for_each(|(j, x)| {
                    eta += x * coefficients[j];
                    size += (x * coefficients[j]).abs();
                });
                if weight == 0.0 {
                    continue;
                }
                let loss = self.objective.loss;
                let slope = weight * loss.slope(eta, response).abs();
                let term = slope + weight * loss.curvature(eta, response) * size;
                values += weight * (loss.value(eta, response).abs() + response.abs() * eta.abs()) + slope * size;
                own += term;
                chunk.rows.row(i).for_each(|(j, x)| sums[j] += term * x.abs());
            }
        })?;
        // Sums over all rows in any order.
        let share = 0.5 * f64::EPSILON * (data.rows() + features + 40) as f64;
        let (h, sigma) = tangent.slopes.split_at(features);
        let (base, own_base) = tangent.base.split_at(features);
        let (sigma, own_base) = (sigma.first().copied().unwrap_or(0.0), own_base.first().copied().unwrap_or(0.0));
        let doubts: Vec<f64> = sums.iter().zip(&self.roots).map(|(sum, root)| share * sum / root).collect();
        let doubt = share * own / self.roots.get(features).copied().unwrap_or(1.0);
        let (mut constant, mut lost) = (tangent.value - sigma * own_base, share * values);
        lost += (doubt + share * sigma.abs()) * own_base.abs();
        for (j, u) in base.iter().enumerate() {
            constant -= h[j] * u;
            lost += (doubts[j] + share * h[j].abs()) * u.abs();
        }
        Ok(Rounded { constant: constant - 1.01 * lost, h: h.to_vec(), doubts, sigma, doubt })
    }
}

/// A bound for all choices, and what it says about single columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Relaxation {
    /// F is not below this on any choice.
    pub(crate) lower: f64,
    /// $h_j^2$, rounded up, and the smallest of those that count.
    shares: Vec<f64>,
    last_in: f64,
}

impl Relaxation {
    /// The columns that a choice with F below `cutoff` may have. With any other column selected it takes the place of the last of the largest $h_j^2$, and the bound is higher by half the difference.
    pub(crate) fn left(&self, cutoff: f64) -> Vec<usize> {
        let slack = 8.0 * f64::EPSILON * (self.lower.abs() + self.last_in);
        let is_left = |j: &usize| self.lower + 0.5 * (self.last_in - self.shares[*j]).max(0.0) - slack <= cutoff;
        (0..self.shares.len()).filter(is_left).collect()
    }
}

/// $L \ge c + h^Tu + \sigma\beta$ up to what is not sure about $h$ and $\sigma$.
struct Rounded {
    constant: f64,
    h: Vec<f64>,
    doubts: Vec<f64>,
    sigma: f64,
    doubt: f64,
}

impl Rounded {
    /// $c - \tfrac12\sum h_j^2$ over the largest.
    fn bound(&self, size: usize) -> f64 {
        self.relaxation(size, (0.0, f64::MAX)).lower
    }

    /// The same less what is lost elsewhere, up to a level, with its parts.
    fn relaxation(&self, size: usize, (lost, level): (f64, f64)) -> Relaxation {
        let square = |(h, doubt): (&f64, &f64)| (h.abs() + doubt) * (h.abs() + doubt) * (1.0 + 4.0 * f64::EPSILON);
        let shares: Vec<f64> = self.h.iter().zip(&self.doubts).map(square).collect();
        let Cut { sum, last_in, .. } = Cut::of(&mut shares.clone(), size);
        let rounding = f64::EPSILON * (size + 8) as f64 * (self.constant.abs() + sum + lost);
        Relaxation { lower: (self.constant - 0.5 * sum - rounding - lost).min(level), shares, last_in }
    }

    /// This much of it and the rest of another one.
    fn mixed(&self, other: &Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| share * a + (1.0 - share) * b;
        let both = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| mix(*a, *b)).collect::<Vec<f64>>();
        let size = |h: &Self| f64::EPSILON * h.constant.abs();
        let h = both(&self.h, &other.h);
        let mut doubts = both(&self.doubts, &other.doubts);
        for (j, doubt) in doubts.iter_mut().enumerate() {
            *doubt += 4.0 * f64::EPSILON * (self.h[j].abs() + other.h[j].abs());
        }
        Self {
            constant: mix(self.constant, other.constant) - 4.0 * (size(self) + size(other)),
            h,
            doubts,
            sigma: mix(self.sigma, other.sigma),
            doubt: mix(self.doubt, other.doubt) + 4.0 * f64::EPSILON * (self.sigma.abs() + other.sigma.abs()),
        }
    }
}
