//! The quadratic model of F at a point, minimised exactly over a set of rows and balls.
//!
//! $$\min_{\theta \in C,\ \beta_0}\ g^T(x - x_0) + \tfrac12(x - x_0)^TH(x - x_0), \qquad x = (\theta, \beta_0).$$
//! The rows that held with equality at the last model's minimiser are tried first, then an interior-point method finds them, and refinement the last digits. Two things
//! hide digits, and both have another form to turn to: columns far from zero, which make one thing of intercept and coefficients ([`Models::try_otherwise`]), and coefficients that
//! are large beside the step ([`Models::step_from`]).

use super::Smooth;
use super::rows_and_balls::At;
use crate::conic::{
    Active, Conic, Hessian, Model, Nearest, Quadratic, Reach, by_rows, nearest, refine, refined, solve,
};
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, dot};

/// Violation up to which a point counts as one of the set.
pub(super) const INSIDE: f64 = 1e-12;
/// Sizes of a set, relative to its points, in whose units it is looked at where it is too small to be seen otherwise.
const MAGNIFIED: [f64; 3] = [1e-3, 1e-6, 1e-9];

/// Share of the predictors' way that rounding at the end of a step may take.
const TRUSTED: f64 = 1e-4;

/// A minimiser, or a point of the set near one.
type ExactOrNear = (Option<Vec<f64>>, Option<Vec<f64>>);

/// Quadratic models of F over the set.
pub(super) struct Models<'c> {
    pub(super) conic: &'c Conic,
    cholesky: Cholesky,
    /// That of F at the last point, coefficients then intercept.
    hessian: Vec<f64>,
    /// The rows that held with equality at the last model's minimiser.
    active: Option<Active>,
    /// Whether the means of the columns are taken out of the intercept.
    is_shifted: bool,
}

impl<'c> Models<'c> {
    pub(super) fn over(conic: &'c Conic) -> Self {
        Self { conic, cholesky: Cholesky::default(), hessian: Vec::new(), active: None, is_shifted: false }
    }

    /// Whether rows of the last model are known.
    pub(super) fn is_warm(&self) -> bool {
        self.active.is_some()
    }

    /// The rows of the last model may be the wrong ones.
    pub(super) fn forget_rows(&mut self) {
        self.active = None;
    }

    /// What was tried led nowhere: other rows, and the other form of the intercept.
    pub(super) fn try_otherwise(&mut self) {
        self.forget_rows();
        self.is_shifted = !self.is_shifted;
    }

    pub(super) fn prepare(&mut self, function: &mut dyn Smooth, at: &At, caution: f64) -> Result<()> {
        function.linearise_with(&at.point, caution)?;
        self.hessian.resize(at.point.len() * at.point.len(), 0.0);
        function.hessian(&mut self.hessian)
    }

    /// The diagonal of the Hessian.
    pub(super) fn diagonal(&self) -> Vec<f64> {
        let size = self.hessian.len().isqrt();
        (0..size).map(|j| self.hessian[j * size + j]).collect()
    }

    /// Whether a step says more than the rounding of its end: $\varepsilon\sum_j\sqrt{H_{jj}}|d_j|$ must be small beside what predictors may still move by, $\sqrt{2F}$. Where columns are more than the rows that bend, a model
    /// has minimisers without end, and some are so far away that F there is noise.
    fn is_sound(&self, at: &At, target: &[f64], value: f64) -> bool {
        let step = target.iter().zip(&at.point).map(|(t, x)| (t - x).abs());
        let moved: f64 = self.diagonal().iter().zip(step).map(|(h, d)| h.max(0.0).sqrt() * d).sum();
        f64::EPSILON * moved <= TRUSTED * (2.0 * value.abs()).sqrt()
    }

    /// What $u = \beta_0 + m^T\theta$ in place of the intercept has for $m$. With $H_{0j}/H_{00}$, the means of the columns weighted by the curvature of the rows, the
    /// model has no product of $u$ with a coefficient, however far the columns are from zero; but differences of large numbers are what is left of it then.
    /// So both that and zero are tried.
    fn means(&self, at: &At) -> Vec<f64> {
        let (features, size) = (self.conic.features, at.point.len());
        let row = &self.hessian[(size - self.conic.behind(&at.point).len()) * size..];
        match row.get(features) {
            Some(bend) if self.is_shifted && *bend > 0.0 => row[..features].iter().map(|h| h / bend).collect(),
            _ => vec![0.0; features],
        }
    }

    /// Coefficients, magnitudes and $u$.
    fn shifted(&self, point: &[f64], means: &[f64]) -> Vec<f64> {
        let mut x = self.conic.lifted(point);
        let shift = dot(means, self.conic.coefficients(point));
        x.extend(self.conic.behind(point).iter().map(|intercept| intercept + shift));
        x
    }

    /// The minimiser of the model over the set, unless rounding would decide where it leads, F being compared with `reference`. Where models in the coefficients have led nowhere a few times,
    /// rounding may hide the way: the step itself has more digits.
    pub(super) fn target(&mut self, at: &At, damping: f64, idle: usize, reference: f64) -> Option<Vec<f64>> {
        let close = if idle > 1 { self.step_from(at, damping, idle > 2) } else { None };
        close.or_else(|| self.step(at, damping)).filter(|target| self.is_sound(at, target, reference))
    }

    /// The minimiser of the model over the set.
    fn step(&mut self, at: &At, damping: f64) -> Option<Vec<f64>> {
        let means = self.means(at);
        let end = self.shifted_step(at, damping, &means)?;
        Some(self.with_intercept(end, &means))
    }

    /// The intercept's own Newton step: in the set wherever the point is, so it can be taken where no model can be minimised.
    pub(super) fn intercept_alone(&self, at: &At) -> Option<Vec<f64>> {
        let [slope] = self.conic.behind(&at.gradient) else { return None };
        let bend = *self.hessian.last()?;
        let mut end = at.point.clone();
        *end.last_mut()? -= slope / bend;
        (bend > 0.0 && all_finite(&end)).then_some(end)
    }

    /// Coefficients and the intercept from coefficients and $u$.
    fn with_intercept(&self, mut end: Vec<f64>, means: &[f64]) -> Vec<f64> {
        let shift = dot(means, self.conic.coefficients(&end));
        end.iter_mut().skip(self.conic.features).for_each(|u| *u -= shift);
        end
    }

    fn shifted_step(&mut self, at: &At, damping: f64, means: &[f64]) -> Option<Vec<f64>> {
        let quadratic = self.model(at, damping, means);
        let x = self.shifted(&at.point, means);
        if let Some(active) = &mut self.active {
            let mut near = x.clone();
            if refine(&quadratic, self.conic, &mut near, active) && self.conic.violation(&near) <= INSIDE {
                self.conic.drop_magnitudes(&mut near);
                return Some(near);
            }
        }
        self.active = None;
        let mut nearby = None;
        for reach in Reach::ALL {
            let Model::Found { x: mut near, mut active } = solve(&quadratic, self.conic, &x, reach, &mut self.cholesky)
            else {
                continue;
            };
            let is_exact = refined(&quadratic, self.conic, &mut near, &mut active);
            self.conic.drop_magnitudes(&mut near);
            if is_exact && self.conic.violation(&near) <= INSIDE {
                self.active = Some(active);
                return Some(near);
            }
            nearby = nearby.or(Some(near));
        }
        // Near the model's minimiser but not exactly in the set: the nearest point of the set will do.
        let inside = nearby.as_ref().map(|near| nearest(self.conic, None, self.conic.coefficients(near)));
        if let (Some(mut near), Some(Nearest::Found(inside))) = (nearby, inside) {
            self.conic.coefficients_mut(&mut near).copy_from_slice(&inside);
            return Some(self.close_up(&quadratic, &near).unwrap_or(near));
        }
        // No method on the inside came near: rows that leave no room.
        let held = by_rows(&quadratic, self.conic).filter(|(near, _)| self.conic.violation(near) <= INSIDE);
        held.map(|(near, active)| {
            self.active = Some(active);
            near
        })
    }

    /// The minimiser where the set is so small around `near` that no method on numbers of the size of `near` can tell its rows apart: around that point, in
    /// units of the set's own size.
    fn close_up(&mut self, quadratic: &Quadratic, near: &[f64]) -> Option<Vec<f64>> {
        let features = self.conic.features;
        let mut x = self.conic.lifted(near);
        let own = x.len();
        x.extend(self.conic.behind(near));
        for j in own..x.len() {
            let (slope, bend) = (quadratic.gradient(&x)[j], quadratic.diagonal(j));
            x[j] -= if bend > 0.0 { slope / bend } else { 0.0 };
        }
        let linear = quadratic.gradient(&x);
        let size = (0..features).map(|j| x[j].abs() * quadratic.diagonal(j).sqrt()).fold(0.0, f64::max);
        let moved = Quadratic { hessian: quadratic.hessian.clone(), linear };
        self.around(&moved, &x, MAGNIFIED.map(|share| Reach::Known(share * size))).0
    }

    /// The same from the point itself, with its own gradient: where coefficients are so large that the model's minimiser, as a vector of coefficients, has lost
    /// the digits that matter, the step to it still has them. Where nothing else is left to try, a step that is not exact `will_do`.
    fn step_from(&mut self, at: &At, damping: f64, will_do: bool) -> Option<Vec<f64>> {
        let means = self.means(at);
        let mut model = self.model(at, damping, &means);
        let (own, free) = (self.conic.coefficients(&at.gradient), self.conic.behind(&at.gradient));
        let shared = free.first().copied().unwrap_or(0.0);
        let along = |j: usize| own[j] - means[j] * shared;
        self.conic.coefficients_mut(&mut model.linear).iter_mut().enumerate().for_each(|(j, l)| *l = along(j));
        model.linear.iter_mut().skip(self.conic.variables()).zip(free).for_each(|(l, g)| *l = *g);
        let (exact, near) = self.around(&model, &self.shifted(&at.point, &means), Reach::ALL);
        let end = exact.or(near.filter(|_| will_do))?;
        Some(self.with_intercept(end, &means))
    }

    /// The minimiser of a function of the step from `x`, over the steps that stay in the set; rows of one variable hold exactly where they are reached. Where no consistent rows are found, as
    /// in corners that more rows meet in than there are dimensions, instead the first point in the set that the method on the inside came to.
    fn around<const N: usize>(&mut self, moved: &Quadratic, x: &[f64], reaches: [Reach; N]) -> ExactOrNear {
        let conic = self.conic.around(x);
        let mut nearby = None;
        for reach in reaches {
            let zero = vec![0.0; x.len()];
            let Model::Found { x: mut away, mut active } = solve(moved, &conic, &zero, reach, &mut self.cholesky)
            else {
                continue;
            };
            let is_exact = refined(moved, &conic, &mut away, &mut active);
            let mut end: Vec<f64> = x.iter().zip(&away).map(|(x, d)| x + d).collect();
            for (row, _) in self.conic.rows.iter().zip(&active.rows).filter(|(_, is_active)| **is_active) {
                if let [(j, a)] = row.terms[..] {
                    end[j] = row.right / a;
                }
            }
            self.conic.drop_magnitudes(&mut end);
            let is_inside = self.conic.violation(&end) <= INSIDE;
            if is_exact && is_inside {
                return (Some(end), None);
            }
            nearby = nearby.or(is_inside.then_some(end));
        }
        (None, nearby)
    }

    /// $\tfrac12x^THx + (g - H\theta)^Tx$ in coefficients, magnitudes and $u$, with damping around the point.
    fn model(&self, at: &At, damping: f64, means: &[f64]) -> Quadratic {
        let (features, magnitudes) = (self.conic.features, self.conic.magnitudes.len());
        let (small, size) = (at.point.len(), at.point.len() + magnitudes);
        let (theta, free) = (self.conic.coefficients(&at.point), self.conic.behind(&at.gradient));
        let shared = free.first().copied().unwrap_or(0.0);
        let mut hessian = vec![0.0; size * size];
        let mut linear = vec![0.0; size];
        for (t, magnitude) in self.conic.magnitudes.iter().enumerate() {
            linear[features + t] = magnitude.price;
        }
        let last = size - 1;
        let bend = if free.is_empty() { 0.0 } else { self.hessian[small * small - 1] };
        let u = self.shifted(&at.point, means).get(self.conic.variables()).copied().unwrap_or(0.0);
        for j in 0..features {
            let row = &self.hessian[j * small..(j + 1) * small];
            let across = if free.is_empty() { 0.0 } else { row[features] };
            // Products with u that are left.
            let rest = across - means[j] * bend;
            let entries = &mut hessian[j * size..j * size + features];
            for (k, h) in entries.iter_mut().enumerate() {
                let other = if free.is_empty() { 0.0 } else { self.hessian[k * small + features] };
                *h = row[k] - means[j] * other - rest * means[k];
            }
            entries[j] = entries[j].max(0.0);
            let extra = damping * entries[j];
            linear[j] = at.gradient[j] - means[j] * shared - dot(entries, theta) - rest * u - extra * theta[j];
            entries[j] += extra;
            if !free.is_empty() {
                hessian[j * size + last] = rest;
                hessian[last * size + j] = rest;
            }
        }
        if !free.is_empty() {
            let along: f64 = (0..features).map(|j| hessian[last * size + j] * theta[j]).sum();
            hessian[last * size + last] = (1.0 + damping) * bend;
            linear[last] = shared - along - (1.0 + damping) * bend * u;
        }
        Quadratic { hessian: Hessian::Dense(hessian), linear }
    }
}
