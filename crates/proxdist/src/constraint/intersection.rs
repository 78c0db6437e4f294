//! Several sets at once, by the best method known for them.
//!
//! 1. Sparsity with limits, with a simplex or with an L1 ball, and any cone with a ball around the origin, have exact
//!    projections of their own, even though sparsity, groups and rank are not convex.
//! 2. Convex sets without such a formula: the nearest common point solves a quadratic program, to the last digit (`common_points.rs`).
//! 3. Anything else is refused: alternating projections would end somewhere, but not at the nearest point.
//!
//! Sets are recognised by their specification, read back as a [`SetSpec`]; a set of your own with a specification outside
//! the grammar takes part through `is_convex` and `is_cone`.

use super::common_points::CommonPoints;
use super::sparse_sum::NonNegativeL1;
use super::{
    Bounds, ConeInBall, Constraint, Face, L1Ball, Simplex, SparseBounded, SparseSum, Sparsity, Structure, WholeSpace,
    Workspace, refusal,
};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// How the nearest common point is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A formula, up to rounding.
    Exact,
    /// A quadratic program, up to rounding; sets of one's own that only have a projection take part by Dykstra's iteration, up to a tolerance.
    Program,
}

/// The intersection of several sets; see [`intersection`].
pub struct Intersection {
    spec: String,
    method: Method,
    set: Box<dyn Constraint>,
}

/// The intersection of `parts`, or an error that says which of them cannot be combined.
pub fn intersection(parts: Vec<Box<dyn Constraint>>) -> Result<Intersection> {
    let spec = joined(&parts);
    let (set, method) = Recognised::from(parts, &spec)?.combine(&spec)?;
    Ok(Intersection { spec, method, set })
}

impl Intersection {
    /// Whether the projection is exact or iterative.
    pub fn method(&self) -> Method {
        self.method
    }
}

impl Constraint for Intersection {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        self.set.project(point, work)
    }

    fn is_convex(&self) -> bool {
        self.set.is_convex()
    }

    fn is_cone(&self) -> bool {
        self.set.is_cone()
    }

    fn is_scale_free(&self) -> bool {
        self.set.is_scale_free()
    }

    fn check(&self, shape: Shape) -> Result<()> {
        self.set.check(shape)
    }

    fn structure(&self) -> Structure<'_> {
        self.set.structure()
    }

    fn face(&self, point: &[f64]) -> Option<Face> {
        self.set.face(point)
    }

    fn conic(&self, features: usize) -> Option<Conic> {
        self.set.conic(features)
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        self.set.support_function(direction)
    }

    fn spec(&self) -> String {
        self.spec.clone()
    }
}

/// The specification of all parts together.
pub(super) fn joined(parts: &[Box<dyn Constraint>]) -> String {
    parts.iter().map(Constraint::spec).collect::<Vec<_>>().join(" & ")
}

/// The parts, with those that have merged into one another: two boxes are one box, two radii are the smaller one.
#[derive(Default)]
struct Recognised {
    keep: Option<usize>,
    bounds: Option<Bounds>,
    l1: Option<f64>,
    simplex: Option<f64>,
    ball: Option<f64>,
    others: Vec<Box<dyn Constraint>>,
}

impl Recognised {
    fn from(parts: Vec<Box<dyn Constraint>>, spec: &str) -> Result<Self> {
        let mut result = Self::default();
        for part in parts {
            let leaves = match SetSpec::parse(&part.spec()) {
                Ok(SetSpec::Intersection(leaves)) => leaves,
                Ok(leaf) => vec![leaf],
                Err(_) => Vec::new(),
            };
            if leaves.is_empty() || !leaves.iter().all(mergeable) {
                result.others.push(part);
                continue;
            }
            for leaf in leaves {
                result.merge(leaf, spec)?;
            }
        }
        Ok(result)
    }

    fn merge(&mut self, leaf: SetSpec, spec: &str) -> Result<()> {
        match leaf {
            SetSpec::Sparsity { keep } => self.keep = Some(self.keep.map_or(keep, |other| other.min(keep))),
            SetSpec::Ball { radius, .. } => self.ball = Some(self.ball.map_or(radius, |other| other.min(radius))),
            SetSpec::L1Ball { radius } => self.l1 = Some(self.l1.map_or(radius, |other| other.min(radius))),
            SetSpec::NonNegative => self.limit(Bounds::between(0.0, f64::INFINITY)?, spec)?,
            SetSpec::LinfBall { radius } => self.limit(Bounds::between(-radius, radius)?, spec)?,
            SetSpec::Bounds { lower, upper } => self.limit(Bounds::between(lower, upper)?, spec)?,
            SetSpec::BoundsEach { lower, upper } => self.limit(Bounds::each(lower, upper)?, spec)?,
            SetSpec::Simplex { total } if self.simplex.is_some_and(|other| other != total) => {
                return Err(refusal(spec, "the entries cannot have two different sums: the set is empty"));
            }
            SetSpec::Simplex { total } => self.simplex = Some(total),
            _ => {}
        }
        Ok(())
    }

    fn limit(&mut self, bounds: Bounds, spec: &str) -> Result<()> {
        let merged = match &self.bounds {
            None => Some(bounds),
            Some(other) => other.and(&bounds),
        };
        self.bounds = merged;
        match self.bounds {
            Some(_) => Ok(()),
            None => Err(refusal(spec, "the limits leave no number for some coordinate: the set is empty")),
        }
    }

    /// The set that holds all the parts, and how it projects.
    fn combine(mut self, spec: &str) -> Result<(Box<dyn Constraint>, Method)> {
        let ball = self.ball.take();
        let (core, method) = match self.keep {
            Some(keep) => (self.sparse(keep, spec)?, Method::Exact),
            None => self.dense(spec)?,
        };
        let Some(radius) = ball else {
            return Ok((core, method));
        };
        if core.is_cone() {
            return Ok((Box::new(ConeInBall::new(core, radius)?), method));
        }
        if core.is_convex() {
            let parts: Vec<Box<dyn Constraint>> = vec![core, Box::new(super::Ball::radius(radius)?)];
            return Ok((Box::new(CommonPoints::new(parts)?), Method::Program));
        }
        Err(no_formula(spec, &core.spec(), &super::Ball::radius(radius)?.spec()))
    }

    /// Sparsity with everything but the ball.
    fn sparse(self, keep: usize, spec: &str) -> Result<Box<dyn Constraint>> {
        let sparsity = Sparsity::at_most(keep);
        if let Some(other) = self.others.first() {
            return Err(no_formula(spec, &sparsity.spec(), &other.spec()));
        }
        // On the simplex no entry is negative or above the total, so such limits change nothing.
        let implied = |bounds: &Bounds, total| bounds.shared().is_some_and(|(l, u)| l <= 0.0 && u >= total);
        match (self.bounds, self.simplex, self.l1) {
            (None, None, None) => Ok(Box::new(sparsity)),
            (Some(bounds), None, None) => Ok(Box::new(SparseBounded::at_most(keep, bounds))),
            (bounds, Some(total), None) if bounds.as_ref().is_none_or(|bounds| implied(bounds, total)) => {
                Ok(Box::new(SparseSum::on_simplex(keep, Simplex::total(total)?)?))
            }
            (None, None, Some(radius)) => Ok(Box::new(SparseSum::in_l1_ball(keep, L1Ball::radius(radius)?))),
            (Some(bounds), None, Some(radius)) if signs(&bounds) => {
                Ok(Box::new(SparseSum::non_negative_in_l1_ball(keep, L1Ball::radius(radius)?)))
            }
            (Some(bounds), Some(total), _) => Err(no_formula(spec, &bounds.spec(), &Simplex::total(total)?.spec())),
            (Some(bounds), None, Some(radius)) => {
                Err(no_formula(spec, &bounds.spec(), &L1Ball::radius(radius)?.spec()))
            }
            (None, Some(total), Some(radius)) => {
                Err(no_formula(spec, &Simplex::total(total)?.spec(), &L1Ball::radius(radius)?.spec()))
            }
            (None, Some(total), None) => Ok(Box::new(SparseSum::on_simplex(keep, Simplex::total(total)?)?)),
        }
    }

    /// Everything but sparsity and the ball.
    fn dense(self, spec: &str) -> Result<(Box<dyn Constraint>, Method)> {
        let mut parts = self.others;
        match (self.bounds, self.l1) {
            (Some(bounds), Some(radius)) if signs(&bounds) => {
                parts.push(Box::new(NonNegativeL1(L1Ball::radius(radius)?)));
            }
            (bounds, radius) => {
                parts.extend(bounds.map(|bounds| Box::new(bounds) as Box<dyn Constraint>));
                if let Some(radius) = radius {
                    parts.push(Box::new(L1Ball::radius(radius)?));
                }
            }
        }
        if let Some(total) = self.simplex {
            parts.push(Box::new(Simplex::total(total)?));
        }
        if parts.len() <= 1 {
            let only = parts.pop().unwrap_or_else(|| Box::new(WholeSpace));
            return Ok((only, Method::Exact));
        }
        if let Some(at) = parts.iter().position(|part| !part.is_convex()) {
            let stubborn = parts.swap_remove(at).spec();
            let beside = parts.first().map_or_else(String::new, Constraint::spec);
            return Err(no_formula(spec, &stubborn, &beside));
        }
        Ok((Box::new(CommonPoints::new(parts)?), Method::Program))
    }
}

/// Whether the limits only forbid negative entries.
fn signs(bounds: &Bounds) -> bool {
    bounds.shared() == Some((0.0, f64::INFINITY))
}

/// Whether the specification alone says everything about the set.
fn mergeable(leaf: &SetSpec) -> bool {
    match leaf {
        SetSpec::Ball { center, .. } => center.is_none(),
        SetSpec::WholeSpace
        | SetSpec::Sparsity { .. }
        | SetSpec::L1Ball { .. }
        | SetSpec::NonNegative
        | SetSpec::LinfBall { .. }
        | SetSpec::Bounds { .. }
        | SetSpec::BoundsEach { .. }
        | SetSpec::Simplex { .. } => true,
        _ => false,
    }
}

fn no_formula(spec: &str, first: &str, second: &str) -> crate::error::Error {
    let reason = format!(
        "no exact projection is known for {first} together with {second}. Sets that are not convex combine only as \
         sparsity with box, nonneg or linf, or with simplex, or with l1 (and nonneg); and cones (sparsity, \
         group-sparsity, rank, nonneg, monotone, sparsity with nonneg) with one ball around the origin"
    );
    refusal(spec, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{Ball, GroupSparsity, Monotone, NonNegative, Rank, projected};

    fn of(parts: Vec<Box<dyn Constraint>>) -> Result<Intersection> {
        intersection(parts)
    }

    #[test]
    fn known_pairs_are_exact_in_any_order() -> Result<()> {
        let set = of(vec![Box::new(Ball::radius(1.0)?), Box::new(NonNegative), Box::new(Sparsity::at_most(1))])?;
        assert_eq!(set.method(), Method::Exact);
        assert_eq!(set.spec(), "ball:1 & nonneg & sparsity:1");
        assert_eq!(projected(&set, &[-9.0, 3.0, 2.0])?, [0.0, 1.0, 0.0]);
        for cone in [Box::new(Rank::at_most(1, 2, 2)) as Box<dyn Constraint>, Box::new(GroupSparsity::of_size(1, 2)?)] {
            assert_eq!(of(vec![cone, Box::new(Ball::radius(1.0)?)])?.method(), Method::Exact);
        }
        Ok(())
    }

    #[test]
    fn other_convex_sets_are_solved_for_and_the_rest_is_refused() -> Result<()> {
        assert_eq!(of(vec![Box::new(Monotone::increasing()), Box::new(Simplex::default())])?.method(), Method::Program);
        let refused = of(vec![Box::new(Monotone::increasing()), Box::new(Sparsity::at_most(2))]);
        let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("no exact projection is known for sparsity:2 together with monotone"), "{message}");
        Ok(())
    }

    #[test]
    fn nested_intersections_are_seen_through() -> Result<()> {
        let inner = of(vec![Box::new(Sparsity::at_most(3)), Box::new(NonNegative)])?;
        let set = of(vec![Box::new(inner), Box::new(Bounds::between(-1.0, 1.0)?), Box::new(Sparsity::at_most(1))])?;
        assert_eq!(projected(&set, &[-9.0, 3.0, 2.0])?, [0.0, 1.0, 0.0]);
        Ok(())
    }
}
