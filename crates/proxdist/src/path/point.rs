//! What a path is: a fit for every size, for every ridge.

use crate::gap::Proven;
use crate::layout::Layout;

/// The best model found of one size and ridge.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathPoint {
    /// The number of features that may be used.
    pub size: usize,
    /// The weight of the ridge term.
    pub ridge: f64,
    /// The features that are used, in ascending order: `size` of them, or fewer where more do not lower F.
    pub support: Vec<usize>,
    /// All coefficients, then the intercept if there is one.
    pub theta: Vec<f64>,
    /// F there.
    pub objective: f64,
    /// $\delta/\sqrt{2F}$ with the gradient on the support and the intercept in the metric of scaled columns; zero at a minimiser.
    pub stationarity: f64,
    /// Twice the mean log-likelihood ratio to a perfect fit, if the loss is a negative log-likelihood.
    pub deviance: Option<f64>,
    /// F has no minimum on the support: the classes are told apart without error, or some coefficient would have to be infinite.
    pub is_separated: bool,
    /// F is above the least of this size and ridge by at most this: proven, where [`Path::prove`] was asked and could.
    pub gap: Option<f64>,
    /// The logarithm of the number of choices with so many features.
    pub(super) log_choices: f64,
}

impl PathPoint {
    /// How near the best model of its size it was proven to be.
    pub fn proven(&self) -> Option<Proven> {
        let share = self.gap? / self.objective.abs();
        if share <= Proven::NEGLIGIBLE { Some(Proven::Optimal) } else { (share < 1.0).then_some(Proven::Within(share)) }
    }
}

/// The best models found of all sizes, ridge by ridge.
///
/// ```
/// use proxdist::constraint::Sparsity;
/// use proxdist::loss::Squared;
/// use proxdist::path::{Criterion, Path, PathSettings};
/// use proxdist::simulate::{Response, Truth, vector};
/// use proxdist::Problem;
///
/// let simulated = vector(Response::Linear, Truth::Sparse(3), 500, 50, 1)?;
/// let data = simulated.data()?;
/// let path = Path::trace(&Problem::new(&data, Squared, Sparsity::at_most(8)), &PathSettings::default())?;
///
/// assert_eq!(path.points.len(), 9);
/// assert_eq!(path.points[3].support, [20, 28, 48]);
/// let chosen = path.least(Criterion::ExtendedBayes { gamma: 1.0 })?;
/// assert_eq!(path.points[chosen].size, 3);
/// # Ok::<(), proxdist::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Path {
    /// Sizes from 0 on, for one ridge after the other. F never rises from a size to the next.
    pub points: Vec<PathPoint>,
    /// How `theta` of a point is arranged.
    pub layout: Layout,
    /// Rows with a positive weight.
    pub rows: usize,
    /// Someone ended it: there are the sizes found until then.
    pub is_interrupted: bool,
    pub(super) is_quadratic: bool,
}

impl Path {
    /// The points of the ridges, one slice each.
    pub fn by_ridge(&self) -> impl Iterator<Item = &[PathPoint]> {
        self.points.chunk_by(|before, after| before.size < after.size)
    }

    /// The point of a size with the ridge of this number, counted from 0.
    pub fn point(&self, size: usize, ridge: usize) -> Option<&PathPoint> {
        self.by_ridge().nth(ridge)?.get(size)
    }
}
