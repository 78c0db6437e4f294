//! Several sets at once, by the best method known for them.
//!
//! 1. Sparsity with limits, with a simplex or with an L1 ball, and any cone with a ball around the origin, have exact
//!    projections of their own, even though sparsity, groups and rank are not convex; so has every choice of features with other convex sets (`within.rs`),
//!    by a formula or by a search.
//! 2. Convex sets without such a formula: the nearest common point solves a quadratic program, to the last digit (`common_points.rs`).
//! 3. Anything else is refused: alternating projections would end somewhere, but not at the nearest point.
//!
//! Sets are recognised by their [`SetSpec`]; a set of your own, outside the grammar, takes part through `is_convex`, `is_cone` and `structure`.

use super::common_points::CommonPoints;
use super::sparse_sum::NonNegativeL1;
use super::{
    Ball, Bounds, ConeInBall, Constraint, GroupSparsity, L1Ball, Selection, SetFault, Simplex, SparseBounded,
    SparseSum, Sparsity, Structure, WholeSpace, Within, Workspace, refusal,
};
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::spec::{SelectionRules, SetSpec};

/// How the nearest common point is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Projection {
    /// A formula, up to rounding.
    Formula,
    /// A quadratic program, up to rounding; sets of one's own that only have a projection take part by Dykstra's iteration, up to a tolerance.
    Program,
}

/// The intersection of several sets; see [`intersection`].
#[derive(Debug)]
pub struct Intersection {
    spec: SetSpec,
    projection: Projection,
    set: Box<dyn Constraint>,
}

/// The intersection of `parts`, or an error that says which of them cannot be combined.
pub fn intersection(parts: Vec<Box<dyn Constraint>>) -> Result<Intersection> {
    let spec = SetSpec::all_of(parts.iter().map(Constraint::spec));
    let (set, projection) = Recognised::from(parts, &spec)?.combine(&spec)?;
    Ok(Intersection { spec, projection, set })
}

impl Intersection {
    /// How the nearest common point is found.
    pub fn projection(&self) -> Projection {
        self.projection
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

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        self.set.support_function(direction)
    }

    fn spec(&self) -> SetSpec {
        self.spec.clone()
    }
}

/// A set that its specification says everything about, as it merges with others of its kind.
enum Rule {
    Everything,
    Keep(usize),
    Select(Box<SelectionRules>),
    Ball(f64),
    L1(f64),
    Limits(Bounds),
    Total(f64),
}

impl Rule {
    /// `None` for sets that stay as they are.
    fn of(leaf: &SetSpec) -> Result<Option<Self>> {
        Ok(Some(match leaf {
            SetSpec::WholeSpace => Self::Everything,
            SetSpec::Sparsity { keep } => Self::Keep(*keep),
            SetSpec::Selection(rules) => Self::Select(rules.clone()),
            SetSpec::GroupSparsity { keep, groups } => {
                let units = Some(groups.clone());
                Self::Select(Box::new(SelectionRules { most: *keep, units, ..SelectionRules::default() }))
            }
            SetSpec::Ball { radius, center: None } => Self::Ball(*radius),
            SetSpec::L1Ball { radius } => Self::L1(*radius),
            SetSpec::NonNegative => Self::Limits(Bounds::between(0.0, f64::INFINITY)?),
            SetSpec::LinfBall { radius } => Self::Limits(Bounds::between(-radius, *radius)?),
            SetSpec::Bounds { lower, upper } => Self::Limits(Bounds::between(*lower, *upper)?),
            SetSpec::BoundsEach { lower, upper } => Self::Limits(Bounds::each(lower.clone(), upper.clone())?),
            SetSpec::Simplex { total } => Self::Total(*total),
            _ => return Ok(None),
        }))
    }
}

/// The parts, with those that have merged into one another: two boxes are one box, two radii are the smaller one.
#[derive(Default)]
struct Recognised {
    keep: Option<usize>,
    selection: Option<Box<SelectionRules>>,
    bounds: Option<Bounds>,
    l1: Option<f64>,
    simplex: Option<f64>,
    ball: Option<f64>,
    others: Vec<Box<dyn Constraint>>,
}

impl Recognised {
    fn from(parts: Vec<Box<dyn Constraint>>, spec: &SetSpec) -> Result<Self> {
        let mut result = Self::default();
        for part in parts {
            let leaves = match part.spec() {
                SetSpec::Intersection(leaves) => leaves,
                leaf => vec![leaf],
            };
            let rules = leaves.iter().map(Rule::of).collect::<Result<Vec<_>>>()?;
            match rules.into_iter().collect::<Option<Vec<_>>>() {
                Some(rules) => rules.into_iter().try_for_each(|rule| result.merge(rule, spec))?,
                None => result.others.push(part),
            }
        }
        Ok(result)
    }

    fn merge(&mut self, rule: Rule, spec: &SetSpec) -> Result<()> {
        let least = |other: Option<f64>, radius: f64| Some(other.map_or(radius, |other| other.min(radius)));
        match rule {
            Rule::Everything => {}
            Rule::Keep(keep) => self.keep = Some(self.keep.map_or(keep, |other| other.min(keep))),
            Rule::Select(rules) if self.selection.is_none() => self.selection = Some(rules),
            Rule::Select(rules) => {
                let (first, second) =
                    (SetSpec::Selection(self.selection.clone().unwrap_or_default()), SetSpec::Selection(rules));
                return Err(no_formula(spec, &first, &second));
            }
            Rule::Ball(radius) => self.ball = least(self.ball, radius),
            Rule::L1(radius) => self.l1 = least(self.l1, radius),
            Rule::Limits(bounds) => self.limit(bounds, spec)?,
            Rule::Total(total) if self.simplex.is_some_and(|other| other != total) => {
                return Err(refusal(spec, SetFault::empty("the entries cannot have two different sums")));
            }
            Rule::Total(total) => self.simplex = Some(total),
        }
        Ok(())
    }

    fn limit(&mut self, bounds: Bounds, spec: &SetSpec) -> Result<()> {
        let merged = match &self.bounds {
            None => Some(bounds),
            Some(other) => other.and(&bounds),
        };
        self.bounds = merged;
        match self.bounds {
            Some(_) => Ok(()),
            None => Err(refusal(spec, SetFault::empty("the limits leave no number for some coordinate"))),
        }
    }

    /// The set that holds all the parts, and how it projects.
    fn combine(mut self, spec: &SetSpec) -> Result<(Box<dyn Constraint>, Projection)> {
        if let Some(rules) = self.selection.take() {
            return self.selected(*rules, spec);
        }
        if let Some(keep) = self.keep {
            return self.sparse(keep).map(|set| (set, Projection::Formula));
        }
        let ball = self.ball.take();
        let (core, projection) = self.dense(spec)?;
        let Some(radius) = ball else {
            return Ok((core, projection));
        };
        if core.is_cone() {
            return Ok((Box::new(ConeInBall::new(core, radius)?), projection));
        }
        if core.is_convex() {
            let parts: Vec<Box<dyn Constraint>> = vec![core, Box::new(Ball::radius(radius)?)];
            return Ok((Box::new(CommonPoints::new(parts)?), Projection::Program));
        }
        Err(no_formula(spec, &core.spec(), &Ball::radius(radius)?.spec()))
    }

    /// Several rules for the choice of features, and everything else.
    fn selected(mut self, mut rules: SelectionRules, spec: &SetSpec) -> Result<(Box<dyn Constraint>, Projection)> {
        match self.keep {
            // Features and groups are counted apart.
            Some(keep) if rules.units.is_some() => {
                let (first, second) = (SetSpec::Sparsity { keep }, SetSpec::Selection(Box::new(rules)));
                return Err(no_formula(spec, &first, &second));
            }
            Some(keep) => rules.most = rules.most.min(keep),
            None => {}
        }
        let is_plain =
            SelectionRules { most: rules.most, units: rules.units.clone(), ..SelectionRules::default() } == rules;
        let selection: Box<dyn Constraint> = match rules.units.clone() {
            Some(groups) if is_plain => Box::new(GroupSparsity::of(rules.most, groups)?),
            _ => Box::new(Selection::from(rules.clone())),
        };
        let ball = self.ball.take();
        let mut parts = self.convex_parts()?;
        let is_cone = parts.iter().all(Constraint::is_cone);
        if let (Some(radius), false) = (ball, is_cone) {
            parts.push(Box::new(Ball::radius(radius)?));
        }
        let set = if parts.is_empty() { selection } else { Box::new(Within::new(rules.into(), parts)?) };
        Ok(match ball {
            Some(radius) if is_cone => (Box::new(ConeInBall::new(set, radius)?), Projection::Formula),
            _ => (set, Projection::Formula),
        })
    }

    /// Sparsity with everything else.
    fn sparse(mut self, keep: usize) -> Result<Box<dyn Constraint>> {
        let ball = self.ball.take();
        // On the simplex no entry is negative or above the total, so such limits change nothing.
        let implied = |bounds: &Bounds, total| bounds.shared().is_some_and(|(l, u)| l <= 0.0 && u >= total);
        let formula: Option<Box<dyn Constraint>> = match (&self.bounds, self.simplex, self.l1) {
            _ if !self.others.is_empty() => None,
            (None, None, None) => Some(Box::new(Sparsity::at_most(keep))),
            (Some(bounds), None, None) => Some(Box::new(SparseBounded::at_most(keep, bounds.clone()))),
            (bounds, Some(total), None) if bounds.as_ref().is_none_or(|bounds| implied(bounds, total)) => {
                Some(Box::new(SparseSum::on_simplex(keep, Simplex::total(total)?)?))
            }
            (None, None, Some(radius)) => Some(Box::new(SparseSum::in_l1_ball(keep, L1Ball::radius(radius)?))),
            (Some(bounds), None, Some(radius)) if signs(bounds) => {
                Some(Box::new(SparseSum::non_negative_in_l1_ball(keep, L1Ball::radius(radius)?)))
            }
            _ => None,
        };
        match (formula, ball) {
            (Some(set), None) => Ok(set),
            (Some(set), Some(radius)) if set.is_cone() => Ok(Box::new(ConeInBall::new(set, radius)?)),
            (_, ball) => {
                self.ball = ball;
                Ok(Box::new(Within::new(Selection::at_most(keep), self.convex_parts()?)?))
            }
        }
    }

    /// Everything but the choice of features, as sets of their own.
    fn convex_parts(&mut self) -> Result<Vec<Box<dyn Constraint>>> {
        let mut parts = std::mem::take(&mut self.others);
        if let Some(bounds) = self.bounds.take() {
            parts.push(Box::new(bounds));
        }
        if let Some(radius) = self.l1.take() {
            parts.push(Box::new(L1Ball::radius(radius)?));
        }
        if let Some(total) = self.simplex.take() {
            parts.push(Box::new(Simplex::total(total)?));
        }
        if let Some(radius) = self.ball.take() {
            parts.push(Box::new(Ball::radius(radius)?));
        }
        Ok(parts)
    }

    /// Everything but sparsity and the ball.
    fn dense(self, spec: &SetSpec) -> Result<(Box<dyn Constraint>, Projection)> {
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
            return Ok((only, Projection::Formula));
        }
        if let Some(at) = parts.iter().position(|part| !part.is_convex()) {
            let stubborn = parts.swap_remove(at).spec();
            let beside = parts.first().map_or(SetSpec::WholeSpace, Constraint::spec);
            return Err(no_formula(spec, &stubborn, &beside));
        }
        Ok((Box::new(CommonPoints::new(parts)?), Projection::Program))
    }
}

/// Whether the limits only forbid negative entries.
fn signs(bounds: &Bounds) -> bool {
    bounds.shared() == Some((0.0, f64::INFINITY))
}

fn no_formula(spec: &SetSpec, first: &SetSpec, second: &SetSpec) -> Error {
    refusal(spec, SetFault::NoExactProjection { first: first.clone(), second: second.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{GroupSparsity, Monotone, NonNegative, Rank, projected};

    fn of(parts: Vec<Box<dyn Constraint>>) -> Result<Intersection> {
        intersection(parts)
    }

    #[test]
    fn known_pairs_are_exact_in_any_order() -> Result<()> {
        let set = of(vec![Box::new(Ball::radius(1.0)?), Box::new(NonNegative), Box::new(Sparsity::at_most(1))])?;
        assert_eq!(set.projection(), Projection::Formula);
        assert_eq!(set.spec().to_string(), "ball:1 & nonneg & sparsity:1");
        assert_eq!(projected(&set, &[-9.0, 3.0, 2.0])?, [0.0, 1.0, 0.0]);
        for cone in [Box::new(Rank::at_most(1, 2, 2)) as Box<dyn Constraint>, Box::new(GroupSparsity::of_size(1, 2)?)] {
            assert_eq!(of(vec![cone, Box::new(Ball::radius(1.0)?)])?.projection(), Projection::Formula);
        }
        Ok(())
    }

    #[test]
    fn other_convex_sets_are_solved_for_and_the_rest_is_refused() -> Result<()> {
        assert_eq!(
            of(vec![Box::new(Monotone::increasing()), Box::new(Simplex::default())])?.projection(),
            Projection::Program
        );
        let refused = of(vec![Box::new(Rank::at_most(1, 2, 2)), Box::new(Sparsity::at_most(2))]);
        let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("no exact projection is known for sparsity:2 together with rank:1"), "{message}");
        let many = || of(vec![Box::new(Monotone::increasing()), Box::new(Sparsity::at_most(5))]);
        assert!(many()?.check(Shape::Vector(6)).is_ok());
        let message = many()?.check(Shape::Vector(50)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("up to 12 rows about several coefficients and no ball (here 49 rows)"), "{message}");
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
