//! A point of the set of low-rank matrices (in a ball, perhaps), with what is known there: see [`super::rank`].

use super::factors::Factors;
use super::normal::{Derivatives, derivatives};
use crate::constraint::{Ball, Constraint, Rank, Workspace, projected};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{all_finite, axpy, dot, norm, norm_squared};
use crate::objective::Objective;
use crate::shape::Shape;

/// Share of the radius within which a matrix counts as lying on the sphere.
const ON_SPHERE: f64 = 1e-12;
/// F counts as no smaller than this share of its value at zero: it may be zero where the fit is perfect, or by chance.
const SMALLEST: f64 = 1e-6;

/// Matrices of `rows × columns` of rank at most `rank`, and of norm at most `radius` where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LowRank {
    pub(crate) rank: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) radius: Option<f64>,
}

impl LowRank {
    /// Replaces a matrix by the nearest one of the set.
    pub(super) fn project(&self, matrix: &mut [f64]) -> Result<()> {
        let work = &mut Workspace::default();
        Rank::at_most(self.rank, self.rows, self.columns).project(matrix, work)?;
        match self.radius {
            Some(radius) => Ball::radius(radius)?.project(matrix, work),
            None => Ok(()),
        }
    }

    /// The same onto the sphere that bounds the set.
    fn project_to_sphere(&self, matrix: &mut [f64], radius: f64) -> Result<()> {
        Rank::at_most(self.rank, self.rows, self.columns).project(matrix, &mut Workspace::default())?;
        let length = norm(matrix);
        if length > 0.0 {
            matrix.iter_mut().for_each(|x| *x *= radius / length);
        }
        Ball::radius(radius)?.project(matrix, &mut Workspace::default())
    }

    /// Where the matrix is in a parameter.
    pub(super) fn layout(&self) -> Layout {
        Layout::of(Shape::Matrix { rows: self.rows, columns: self.columns })
    }

    /// Coordinates along the set.
    pub(super) fn unknowns(&self) -> usize {
        let rank = self.rank.min(self.rows).min(self.columns);
        rank * (self.rows + self.columns - rank)
    }
}

/// F, the set, and F at zero.
#[derive(Clone, Copy)]
pub(super) struct Task<'p> {
    pub(super) objective: Objective<'p>,
    pub(super) set: LowRank,
    at_zero: f64,
}

impl<'p> Task<'p> {
    pub(super) fn new(objective: Objective<'p>, set: LowRank) -> Result<Self> {
        // A ball without extent leaves only the intercept.
        let set = if set.radius == Some(0.0) { LowRank { rank: 0, radius: None, ..set } } else { set };
        let at_zero = objective.value(&objective.layout().zeros())?;
        Ok(Self { objective, set, at_zero })
    }
}

/// Ways back to the set from the end of a direction along it: by factors ([`Factors::along`]), or to the nearest matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Orthographic,
    Straight,
    Nearest,
}

/// A point and the derivatives there.
pub(super) struct Place {
    pub(super) set: LowRank,
    pub(super) theta: Vec<f64>,
    pub(super) factors: Factors,
    pub(super) now: Derivatives,
    /// What changes of F are compared with: $|F|$, unless that happens to be zero.
    pub(super) size: f64,
    /// The multiplier $\lambda > 0$ of the ball, where it holds the point back.
    pub(super) multiplier: Option<f64>,
    /// $\nabla F + \lambda\Theta$
    pub(super) pull: Vec<f64>,
    /// $\|P_T(\nabla F + \lambda\Theta)\|$, with the intercept's derivative.
    pub(super) residual: f64,
    /// What F could still fall by, by [`Factors::decrement`].
    pub(super) decrement: f64,
}

impl Place {
    /// Looks at a point of the set; with the normal equations if asked. Singular values up to `cut` count as zero.
    pub(super) fn new(
        Task { objective, set, at_zero }: Task,
        theta: Vec<f64>,
        with_normal: bool,
        cut: f64,
    ) -> Result<Self> {
        let matrix = set.layout().coefficients(&theta);
        let mut factors = Factors::of(matrix, set.rows, set.columns, set.rank, cut);
        let with_normal = with_normal && !objective.layout().reduced_to(factors.unknowns()).is_empty();
        let mut now = derivatives(objective, &factors, &theta, with_normal && factors.is_smooth())?;
        if !factors.is_smooth() && now.is_finite() {
            factors = factors.filled(&now.gradient)?;
            if with_normal {
                now = derivatives(objective, &factors, &theta, true)?;
            }
        }
        let size = now.value.abs().max(SMALLEST * at_zero.abs());
        let (pull, residual, decrement) = (Vec::new(), 0.0, 0.0);
        let mut place = Self { set, theta, factors, now, size, multiplier: None, pull, residual, decrement };
        place.measure();
        Ok(place)
    }

    fn measure(&mut self) {
        let layout = self.set.layout();
        let (matrix, gradient) = (layout.coefficients(&self.theta), &self.now.gradient);
        let squares = norm_squared(matrix);
        self.pull.clone_from(gradient);
        let outward = -dot(matrix, layout.coefficients(gradient));
        let is_at_bound = self.set.radius.is_some_and(|radius| squares.sqrt() >= (1.0 - ON_SPHERE) * radius);
        self.multiplier = (is_at_bound && squares > 0.0 && outward > 0.0).then(|| outward / squares);
        let multiplier = self.multiplier.unwrap_or(0.0);
        axpy(multiplier, matrix, layout.coefficients_mut(&mut self.pull));
        self.residual = self.factors.tangent_norm(&self.pull);
        let curvatures: Vec<f64> = self.now.curvatures.iter().map(|h| h + multiplier).collect();
        self.decrement = self.factors.decrement(&self.pull, &curvatures);
        if let Some(slope) = layout.intercept(&self.pull).filter(|slope| *slope != 0.0) {
            self.decrement += 0.5 * slope * slope / self.now.intercept_curvature;
        }
    }

    /// The gradient along the set, relative to the size that gradients have: the larger of what both rules of [`Place::is_finished`] look at.
    pub(super) fn stationarity(&self) -> f64 {
        let scale = (2.0 * self.now.mean_curvature() * self.size).sqrt();
        let by_norm = if self.residual == 0.0 { 0.0 } else { self.residual / scale };
        let by_fall = if self.decrement == 0.0 { 0.0 } else { (self.decrement / self.size).sqrt() };
        by_norm.max(by_fall)
    }

    /// Whether the gradient along the set is below the tolerance: what F could fall by relative to F, and by its norm relative to
    /// $\sqrt{2LF}$.
    pub(super) fn is_finished(&self, tolerance: f64) -> bool {
        let scale = (2.0 * self.now.mean_curvature() * self.size).sqrt();
        self.decrement <= tolerance * tolerance * self.size && self.residual <= tolerance * scale
    }

    /// Points of the set near the end of a step, in the order in which they deserve to be tried.
    pub(super) fn ends(&self, step: &[f64], t: f64) -> impl Iterator<Item = Result<Vec<f64>>> {
        let is_smooth = self.factors.is_smooth() && self.factors.rank > 0;
        let ways = if is_smooth { &[Way::Orthographic, Way::Straight, Way::Nearest][..] } else { &[Way::Nearest] };
        ways.iter().map(move |way| self.moved(step, t, *way))
    }

    /// A full step that ends near the sphere is meant to end on it.
    fn moved(&self, step: &[f64], t: f64, way: Way) -> Result<Vec<f64>> {
        let mut point = self.theta.clone();
        axpy(t, step, &mut point);
        let layout = self.set.layout();
        let (matrix, direction) = (layout.coefficients_mut(&mut point), layout.coefficients(step));
        if way != Way::Nearest {
            let part: Vec<f64> = direction.iter().map(|x| t * x).collect();
            let end = self.factors.along(&part, way == Way::Straight);
            if all_finite(&end) {
                matrix.copy_from_slice(&end);
            }
        }
        match self.set.radius {
            Some(radius) if t == 1.0 && norm(matrix) + norm_squared(direction) / radius >= radius => {
                self.set.project_to_sphere(matrix, radius)?;
            }
            _ => self.set.project(matrix)?,
        }
        Ok(point)
    }

    /// The size below which singular values are too small to be where F is least: near $\Theta - G/L$ there are better directions
    /// than theirs, since the gradient outside the tangent space has a larger singular value. Nothing if there are none.
    pub(super) fn weakness(&self) -> Result<Option<f64>> {
        let LowRank { rank, rows, columns, .. } = self.set;
        if rank == 0 || rank >= rows.min(columns) || !self.factors.is_smooth() {
            return Ok(None);
        }
        let top = self.now.curvatures.iter().fold(0.0, |top: f64, h| top.max(*h));
        let bend = top + self.multiplier.unwrap_or(0.0);
        let enough = bend * self.factors.smallest();
        let outside = self.factors.outside(self.set.layout().coefficients(&self.now.gradient));
        if norm(&outside) <= enough {
            return Ok(None);
        }
        let top = norm(&projected(&Rank::at_most(1, rows, columns), &outside)?);
        Ok((top > enough && bend > 0.0).then(|| top / bend))
    }
}
