//! A set of its own for each list of coordinates, $C = \{x : x_{I_1} \in C_1, \dots, x_{I_k} \in C_k\}$; other coordinates are free.
//!
//! The lists are disjoint and squared distance is a sum over coordinates, so each list is projected by itself; ties within a list follow its set, which
//! sees the entries in the order of the list. Convex if every part is; the cost is that of the parts.

use super::places::Places;
use super::{
    Choice, Choosing, Constraint, Face, Faces, RowsAndBalls, SetFault, Structure, WholeSpace, Workspace, refusal,
    require_dimension,
};
use crate::conic::Conic;
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::spec::{Block, Coordinates, SetSpec};

/// Different sets on different, disjoint lists of coordinates.
#[derive(Debug, Default)]
pub struct Blocks<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Debug)]
struct Part<'a> {
    at: Places,
    set: Box<dyn Constraint + 'a>,
}

impl Part<'_> {
    /// What the part leaves to choose; all of a convex part is in. `None` where neither is the case.
    fn choice(&self) -> Option<Choice> {
        let length = self.at.len();
        match self.set.structure() {
            Structure::Choice(choosing) => Some(choosing.choice(length)),
            _ if self.set.is_convex() => Some(Choice::always(0..length)),
            _ => None,
        }
    }
}

impl<'a> Blocks<'a> {
    /// No list yet: every coordinate is free.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a set on the indices `first..=last`, from 0, which no earlier part may touch.
    pub fn with(self, first: usize, last: usize, set: impl Constraint + 'a) -> Result<Self> {
        if last < first || last == usize::MAX {
            let reason = format!("the range {first}-{last} is empty");
            return Err(refusal(self.spec(), reason));
        }
        self.and(Places::range(first, last), set)
    }

    /// Adds a set on these indices, from 0, in this order; each stands once, and no earlier part may touch them.
    pub fn on(self, indices: Vec<usize>, set: impl Constraint + 'a) -> Result<Self> {
        match Places::of(indices) {
            Ok(at) => self.and(at, set),
            Err(reason) => Err(refusal(self.spec(), reason)),
        }
    }

    fn and(mut self, at: Places, set: impl Constraint + 'a) -> Result<Self> {
        let common = self.parts.iter().find_map(|part| part.at.common(&at));
        self.parts.push(Part { at, set: Box::new(set) });
        match common {
            Some(index) => Err(refusal(self.spec(), SetFault::InTwoParts { index })),
            None => Ok(self),
        }
    }

    /// The indices in no part.
    fn outside(&self, length: usize) -> Vec<usize> {
        let mut is_inside = vec![false; length];
        for j in self.parts.iter().flat_map(|part| part.at.iter()).filter(|&j| j < length) {
            is_inside[j] = true;
        }
        (0..length).filter(|&j| !is_inside[j]).collect()
    }

    /// The indices of a list of positions, refused where one is beyond the parameter or where there are names still.
    pub(crate) fn checked(spec: &SetSpec, on: &Coordinates, shape: Shape) -> Result<Vec<usize>> {
        let entries = shape.len();
        if let Some(indices) = on.indices(entries) {
            return Ok(indices);
        }
        let beyond = on.ranges().and_then(|ranges| ranges.into_iter().find(|&(_, last)| last >= entries));
        let fault = match beyond {
            Some((first, last)) => SetFault::BeyondParameter { first, last, entries },
            None => SetFault::NeedsNames,
        };
        Err(refusal(spec, fault))
    }

    fn require(&self, at: &Places, length: usize) -> Result<()> {
        match at.beyond(length) {
            Some(last) => require_dimension(self, last.saturating_add(1), length),
            None => Ok(()),
        }
    }
}

impl Constraint for Blocks<'_> {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        for part in &self.parts {
            self.require(&part.at, point.len())?;
            if let Some(range) = part.at.as_range() {
                part.set.project(&mut point[range], work)?;
                continue;
            }
            let mut own = work.take_numbers();
            own.extend(part.at.iter().map(|j| point[j]));
            part.set.project(&mut own, work)?;
            part.at.iter().zip(&own).for_each(|(j, x)| point[j] = *x);
            work.return_numbers(own);
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
            if let Some(last) = part.at.beyond(shape.len()) {
                let fault = SetFault::BeyondParameter { first: part.at.first(), last, entries: shape.len() };
                return Err(refusal(self.spec(), fault));
            }
            let inside = part.set.check(Shape::Vector(part.at.len()));
            inside.map_err(|error| match error {
                Error::Constraint { spec, fault } => {
                    refusal(self.spec(), SetFault::InPart { on: part.at.coordinates().brief(), spec, fault })
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
            total += part.set.support_function(&part.at.gathered(direction)?)?;
        }
        self.outside(direction.len()).iter().all(|&j| direction[j] == 0.0).then_some(total)
    }

    fn spec(&self) -> SetSpec {
        let block = |part: &Part| Block { on: part.at.coordinates(), set: part.set.spec() };
        SetSpec::Blocks(self.parts.iter().map(block).collect())
    }
}

/// The parts side by side; none if one of them has none, since the others would leave its coordinates free.
impl RowsAndBalls for Blocks<'_> {
    fn conic(&self, features: usize) -> Option<Conic> {
        self.parts.iter().try_fold(Conic::everything(features), |set, part| {
            let inside = part.set.structure().conic(part.at.len())?;
            part.at.beyond(features).is_none().then(|| set.and(&inside.placed(|j| part.at.at(j), features)))
        })
    }
}

impl Faces for Blocks<'_> {
    fn face(&self, point: &[f64]) -> Option<Face> {
        let mut face = Face::of_free(self.outside(point.len()));
        for part in &self.parts {
            let own = part.set.structure().faces()?.face(&part.at.gathered(point)?)?;
            face = face.beside(&own, |j| part.at.at(j));
        }
        Some(face)
    }
}

impl Choosing for Blocks<'_> {
    fn choice(&self, length: usize) -> Choice {
        let mut choice = Choice::always(self.outside(length));
        for part in &self.parts {
            let own = part.choice().unwrap_or_else(|| Choice::always(0..part.at.len()));
            choice = choice.beside(&own, |j| part.at.at(j));
        }
        choice
    }

    /// The parts side by side, each on its share of the support.
    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        let mut rest = Blocks::new();
        for part in &self.parts {
            // Which of the part's own entries are in the support, and where in it they are.
            let places = part.at.iter().enumerate().filter_map(|(k, j)| Some((k, support.binary_search(&j).ok()?)));
            let (own, at): (Vec<usize>, Vec<usize>) = places.unzip();
            let set: Box<dyn Constraint + '_> = match part.set.structure() {
                Structure::Choice(choosing) => choosing.on_support(&own)?,
                _ if own.len() == part.at.len() => Box::new(&*part.set),
                _ => return None,
            };
            if !own.is_empty() && !matches!(set.structure(), Structure::WholeSpace) {
                rest = rest.on(at, set).ok()?;
            }
        }
        Some(if rest.parts.is_empty() { Box::new(WholeSpace) } else { Box::new(rest) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{Monotone, NonNegative, Simplex, projected};

    #[test]
    fn each_range_obeys_its_own_set_and_the_rest_is_free() -> Result<()> {
        let set = Blocks::new().with(0, 1, Simplex::default())?.with(3, 3, NonNegative)?;
        assert_eq!(projected(&set, &[5.0, -5.0, -7.0, -2.0])?, [1.0, 0.0, -7.0, 0.0]);
        assert_eq!(set.spec().to_string(), "blocks[1-2: simplex][4: nonneg]");
        assert!(projected(&set, &[1.0, 2.0]).is_err());
        Ok(())
    }

    #[test]
    fn a_list_has_its_own_order() -> Result<()> {
        let set = Blocks::new().on(vec![3, 0, 2], Monotone::increasing())?;
        assert_eq!(projected(&set, &[1.0, 9.0, 5.0, 3.0])?, [2.0, 9.0, 5.0, 2.0]);
        assert_eq!(set.spec().to_string(), "monotone[4,1,3]");
        assert!(Blocks::new().on(vec![1, 1], NonNegative).is_err());
        let touching = Blocks::new().on(vec![3, 0], NonNegative)?.with(2, 4, NonNegative);
        assert!(touching.is_err_and(|error| error.to_string().contains("position 4 is in two parts")));
        Ok(())
    }
}
