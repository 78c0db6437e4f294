//! A set of its own for each range of indices, $C = \{x : x_{I_1} \in C_1, \dots, x_{I_k} \in C_k\}$; other indices are free.
//!
//! Squared distance is a sum over the ranges, so each is projected by itself; ties within a range follow its set.
//! Convex if every part is; the cost is that of the parts.

use super::{
    Choice, Choosing, Constraint, Face, Faces, RowsAndBalls, SetFault, Structure, WholeSpace, Workspace, refusal,
    require_dimension,
};
use crate::conic::Conic;
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::spec::{Block, SetSpec};

/// Different sets on different, disjoint ranges of indices.
#[derive(Debug, Default)]
pub struct Blocks<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Debug)]
struct Part<'a> {
    first: usize,
    last: usize,
    set: Box<dyn Constraint + 'a>,
}

impl Part<'_> {
    /// What the part leaves to choose; all of a convex part is in. `None` where neither is the case.
    fn choice(&self) -> Option<Choice> {
        let length = self.last - self.first + 1;
        match self.set.structure() {
            Structure::Choice(choosing) => Some(choosing.choice(length)),
            _ if self.set.is_convex() => Some(Choice::always(0..length)),
            _ => None,
        }
    }
}

impl<'a> Blocks<'a> {
    /// No range yet: every index is free.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a set on the indices `first..=last`, which no earlier range may touch.
    pub fn with(mut self, first: usize, last: usize, set: impl Constraint + 'a) -> Result<Self> {
        let overlap = self.parts.iter().find(|part| first <= part.last && part.first <= last);
        let reason = match overlap {
            _ if last < first || last == usize::MAX => Some(format!("the range {first}-{last} is empty")),
            Some(part) => Some(format!("the ranges {}-{} and {first}-{last} overlap", part.first, part.last)),
            None => None,
        };
        self.parts.push(Part { first, last, set: Box::new(set) });
        reason.map_or(Ok(()), |reason| Err(refusal(self.spec(), reason)))?;
        Ok(self)
    }

    /// The indices in no range.
    fn outside(&self, length: usize) -> impl Iterator<Item = usize> + '_ {
        let mut ranges: Vec<(usize, usize)> = self.parts.iter().map(|part| (part.first, part.last + 1)).collect();
        ranges.sort_unstable();
        ranges.push((length, length));
        let starts = std::iter::once(0).chain(ranges.clone().into_iter().map(|(_, end)| end));
        starts.zip(ranges).flat_map(move |(start, (end, _))| start..end.min(length))
    }

    /// Refuses a range beyond the parameter.
    pub(crate) fn check_range(spec: &SetSpec, first: usize, last: usize, shape: Shape) -> Result<()> {
        let entries = shape.len();
        if last < entries {
            return Ok(());
        }
        Err(refusal(spec, SetFault::BeyondParameter { first, last, entries }))
    }
}

impl Constraint for Blocks<'_> {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        for part in &self.parts {
            let length = point.len();
            match point.get_mut(part.first..=part.last) {
                Some(range) => part.set.project(range, work)?,
                None => require_dimension(self, part.last.saturating_add(1), length)?,
            }
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        self.parts.iter().all(|part| part.set.is_convex())
    }

    fn is_cone(&self) -> bool {
        self.parts.iter().all(|part| part.set.is_cone())
    }

    fn is_scale_free(&self) -> bool {
        self.parts.iter().all(|part| part.set.is_scale_free())
    }

    fn check(&self, shape: Shape) -> Result<()> {
        for part in &self.parts {
            Self::check_range(&self.spec(), part.first, part.last, shape)?;
            let inside = part.set.check(Shape::Vector(part.last - part.first + 1));
            inside.map_err(|error| match error {
                Error::Constraint { spec, fault } => {
                    let (first, last) = (part.first, part.last);
                    refusal(self.spec(), SetFault::InRange { first, last, spec, fault })
                }
                other => other,
            })?;
        }
        Ok(())
    }

    fn structure(&self) -> Structure<'_> {
        let is_flat = |part: &Part| part.set.structure().faces().is_some();
        let is_choice = |part: &Part| matches!(part.set.structure(), Structure::Choice(_));
        let is_described = |part: &Part| part.set.structure().rows_and_balls().is_some();
        if self.parts.iter().all(is_flat) {
            Structure::Polyhedron(self)
        } else if self.parts.iter().any(is_choice) && self.parts.iter().all(|part| part.choice().is_some()) {
            Structure::Choice(self)
        } else if self.parts.iter().all(is_described) {
            Structure::Convex(self)
        } else {
            Structure::Other
        }
    }

    fn support_function(&self, direction: &[f64]) -> Option<f64> {
        let mut total = 0.0;
        for part in &self.parts {
            total += part.set.support_function(direction.get(part.first..=part.last)?)?;
        }
        self.outside(direction.len()).all(|j| direction[j] == 0.0).then_some(total)
    }

    fn spec(&self) -> SetSpec {
        let block = |part: &Part| Block { first: part.first, last: part.last, set: part.set.spec() };
        SetSpec::Blocks(self.parts.iter().map(block).collect())
    }
}

/// The parts side by side; none if one of them has none, since the others would leave its range free.
impl RowsAndBalls for Blocks<'_> {
    fn conic(&self, features: usize) -> Option<Conic> {
        self.parts.iter().try_fold(Conic::everything(features), |set, part| {
            let inside = part.set.structure().conic(part.last - part.first + 1)?;
            (part.last < features).then(|| set.and(&inside.placed(part.first, features)))
        })
    }
}

impl Faces for Blocks<'_> {
    fn face(&self, point: &[f64]) -> Option<Face> {
        let mut face = Face::of_free(self.outside(point.len()));
        for part in &self.parts {
            let own = part.set.structure().faces()?.face(point.get(part.first..=part.last)?)?;
            face = face.beside(&own, part.first);
        }
        Some(face)
    }
}

impl Choosing for Blocks<'_> {
    fn choice(&self, length: usize) -> Choice {
        let mut choice = Choice::always(self.outside(length));
        for part in &self.parts {
            let own = part.choice().unwrap_or_else(|| Choice::always(0..=part.last - part.first));
            choice = choice.beside(&own, part.first);
        }
        choice
    }

    /// The parts side by side, each on its share of the support.
    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        let mut rest = Blocks::new();
        for part in &self.parts {
            let from = support.partition_point(|&j| j < part.first);
            let to = support.partition_point(|&j| j <= part.last);
            let own: Vec<usize> = support[from..to].iter().map(|j| j - part.first).collect();
            let set: Box<dyn Constraint + '_> = match part.set.structure() {
                Structure::Choice(choosing) => choosing.on_support(&own)?,
                _ if own.len() == part.last - part.first + 1 => Box::new(&*part.set),
                _ => return None,
            };
            if !own.is_empty() && !matches!(set.structure(), Structure::WholeSpace) {
                rest = rest.with(from, to - 1, set).ok()?;
            }
        }
        Some(if rest.parts.is_empty() { Box::new(WholeSpace) } else { Box::new(rest) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{NonNegative, Simplex, projected};

    #[test]
    fn each_range_obeys_its_own_set_and_the_rest_is_free() -> Result<()> {
        let set = Blocks::new().with(0, 1, Simplex::default())?.with(3, 3, NonNegative)?;
        assert_eq!(projected(&set, &[5.0, -5.0, -7.0, -2.0])?, [1.0, 0.0, -7.0, 0.0]);
        assert_eq!(set.spec().to_string(), "blocks[0-1: simplex][3: nonneg]");
        assert!(projected(&set, &[1.0, 2.0]).is_err());
        Ok(())
    }
}
