//! What is left of rows and balls on the coordinates that a choice lets be nonzero: a convex set of its own.
//!
//! Limits of single coefficients are a box. One row beside them is met by $x(\lambda) = \mathrm{clip}(y - \lambda a)$: $a^Tx(\lambda)$ falls with $\lambda$, in straight pieces between the
//! values at which a coefficient meets a limit, so sorting these and a search between them give the piece, and one division gives $\lambda$. Anything else is a quadratic program.

use super::bounds::{Bounds, clip};
use super::{Constraint, ProjectionFault, RowsAndBalls, Structure, WholeSpace, Workspace, projection_failure};
use crate::conic::{Conic, Nearest, Row, nearest};
use crate::error::Result;
use crate::spec::SetSpec;

/// A convex set on a support.
#[derive(Clone, Debug)]
pub(super) struct OnSupport {
    conic: Conic,
    limits: Vec<(f64, f64)>,
}

impl OnSupport {
    /// The set on these coordinates, in ascending order, when all others are zero; `None` where a row alone shows that there is no such point.
    pub(super) fn of(conic: &Conic, support: &[usize]) -> Option<Self> {
        let conic = conic.restricted(support)?;
        let limits = conic.limits()?;
        Some(Self { conic, limits })
    }

    /// The set in the form that has the quickest finish; `None` if it is empty.
    pub(super) fn into_set(self) -> Option<Box<dyn Constraint>> {
        if self.conic.rows.is_empty() && self.conic.balls.is_empty() {
            return Some(Box::new(WholeSpace));
        }
        if self.conic.is_box() {
            let (lower, upper) = self.limits.into_iter().unzip();
            return Bounds::each(lower, upper).ok().map(|bounds| Box::new(bounds) as Box<dyn Constraint>);
        }
        let has_point = self.nearest(&mut vec![0.0; self.conic.features]);
        has_point.is_ok_and(|has_point| has_point).then(|| Box::new(self) as Box<dyn Constraint>)
    }

    /// Replaces a point by the nearest one of the set; `false` if the set is empty.
    pub(super) fn nearest(&self, point: &mut [f64]) -> Result<bool> {
        if self.conic.is_box() {
            point.iter_mut().zip(&self.limits).for_each(|(x, limits)| *x = clip(*x, *limits));
            return Ok(true);
        }
        if point.iter().any(|x| !x.is_finite()) {
            return Err(projection_failure(self, ProjectionFault::TooLarge));
        }
        let mut joint = self.conic.rows.iter().filter(|row| row.terms.len() > 1);
        if self.conic.balls.is_empty()
            && self.conic.magnitudes.is_empty()
            && let (Some(row), None) = (joint.next(), joint.next())
        {
            return Ok(by_one_row(row, &self.limits, point));
        }
        match nearest(&self.conic, None, point) {
            Nearest::Found(found) => {
                point.copy_from_slice(&found);
                Ok(true)
            }
            Nearest::Empty => Ok(false),
            Nearest::Unclear => {
                let why = "the rows leave so little room that no point could be shown to be nearest".to_owned();
                Err(projection_failure(self, ProjectionFault::Other(why)))
            }
        }
    }
}

/// The nearest point within limits and one row; `false` if there is none.
fn by_one_row(Row { terms, right, is_equality }: &Row, limits: &[(f64, f64)], point: &mut [f64]) -> bool {
    let sum = |point: &[f64], lambda: f64| -> f64 {
        terms.iter().map(|&(j, a)| a * clip(point[j] - lambda * a, limits[j])).sum()
    };
    if !is_equality && sum(point, 0.0) <= *right {
        point.iter_mut().zip(limits).for_each(|(x, limits)| *x = clip(*x, *limits));
        return true;
    }
    // The values of λ at which a coefficient meets a limit.
    let meets = |&(j, a): &(usize, f64)| {
        [limits[j].0, limits[j].1].into_iter().filter(|limit| limit.is_finite()).map(move |limit| (limit, j, a))
    };
    let mut breaks: Vec<f64> = terms.iter().flat_map(meets).map(|(limit, j, a)| (point[j] - limit) / a).collect();
    breaks.sort_by(f64::total_cmp);
    // Between the last break with a sum above and the first without.
    let above = breaks.partition_point(|&lambda| sum(point, lambda) > *right);
    let middle = match (above.checked_sub(1).map(|at| breaks[at]), breaks.get(above)) {
        (Some(low), Some(&high)) => 0.5 * (low + high),
        (Some(low), None) => low + low.abs() + 1.0,
        (None, Some(&high)) => high - high.abs() - 1.0,
        (None, None) => 0.0,
    };
    let (mut fixed, mut free, mut squares) = (0.0, 0.0, 0.0);
    for &(j, a) in terms {
        let moved = point[j] - middle * a;
        let kept = clip(moved, limits[j]);
        if kept == moved && limits[j].0 < limits[j].1 {
            free += a * point[j];
            squares += a * a;
        } else {
            fixed += a * kept;
        }
    }
    let scale: f64 =
        terms.iter().map(|&(j, a)| (a * point[j]).abs().min((a * clip(point[j], limits[j])).abs())).sum::<f64>()
            + right.abs()
            + fixed.abs();
    let lambda = if squares > 0.0 { (free + fixed - right) / squares } else { middle };
    terms.iter().for_each(|&(j, a)| point[j] -= lambda * a);
    point.iter_mut().zip(limits).for_each(|(x, limits)| *x = clip(*x, *limits));
    let reached: f64 = terms.iter().map(|&(j, a)| a * point[j]).sum();
    (reached - right).abs() <= 1e-9 * scale.max(f64::MIN_POSITIVE)
}

impl Constraint for OnSupport {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        if self.nearest(point)? {
            return Ok(());
        }
        let parts = "the rows on this support".to_owned();
        Err(projection_failure(self, ProjectionFault::NoCommonPoint { parts }))
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.conic.balls.is_empty() && self.conic.rows.iter().all(|row| row.right == 0.0)
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Convex(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Custom("rows and balls on a support".to_owned())
    }
}

impl RowsAndBalls for OnSupport {
    fn conic(&self, features: usize) -> Option<Conic> {
        (features == self.conic.features).then(|| self.conic.clone())
    }
}
