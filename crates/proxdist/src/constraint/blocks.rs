//! A set of its own for each range of indices, $C = \{x : x_{I_1} \in C_1, \dots, x_{I_k} \in C_k\}$; other indices are free.
//!
//! Squared distance is a sum over the ranges, so each is projected by itself; ties within a range follow its set.
//! Convex if every part is; the cost is that of the parts.

use super::{Constraint, Workspace, refusal, require_dimension};
use crate::error::{Error, Result};
use crate::shape::Shape;

/// Different sets on different, disjoint ranges of indices.
#[derive(Default)]
pub struct Blocks {
    parts: Vec<Part>,
}

struct Part {
    first: usize,
    last: usize,
    set: Box<dyn Constraint>,
}

impl Blocks {
    /// No range yet: every index is free.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a set on the indices `first..=last`, which no earlier range may touch.
    pub fn with(mut self, first: usize, last: usize, set: impl Constraint + 'static) -> Result<Self> {
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

    /// Refuses a range beyond the parameter.
    pub(crate) fn check_range(spec: &str, first: usize, last: usize, shape: Shape) -> Result<()> {
        let p = shape.len();
        if last < p {
            return Ok(());
        }
        Err(refusal(spec, format!("the range {first}-{last} goes beyond the parameter, which has {p} entries")))
    }
}

impl Constraint for Blocks {
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
                Error::Constraint { spec, reason } => {
                    refusal(self.spec(), format!("in the range {}-{}, {spec}: {reason}", part.first, part.last))
                }
                other => other,
            })?;
        }
        Ok(())
    }

    fn spec(&self) -> String {
        let range = |part: &Part| crate::spec::block_text(part.first, part.last, &part.set.spec());
        format!("blocks{}", self.parts.iter().map(range).collect::<String>())
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
        assert_eq!(set.spec(), "blocks[0-1: simplex][3: nonneg]");
        assert!(projected(&set, &[1.0, 2.0]).is_err());
        Ok(())
    }
}
