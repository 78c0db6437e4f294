//! Convex and concave vectors, $C = \{x : \frac{x_{j+1} - x_j}{t_{j+1} - t_j} \text{ never falls}\}$, or never rises: the entries are values of such a function at
//! the places $t_1 < t_2 < \dots$, equally spaced unless given.
//!
//! One row for each neighbouring pair of slopes; the nearest point solves a quadratic program (`program.rs`). A convex cone, unique. Together with
//! `monotone` it is the cone of monotone convex vectors, again exactly.

use super::{Constraint, RowsAndBalls, SetFault, Structure, Workspace, program, refusal};
use crate::conic::{Conic, Row};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::{Bend, SetSpec};

/// Entries whose slopes never fall, or never rise.
#[derive(Clone, Debug, PartialEq)]
pub struct Curved {
    bend: Bend,
    at: Option<Vec<f64>>,
}

impl Curved {
    /// Slopes that never fall.
    pub fn convex() -> Self {
        Self { bend: Bend::Convex, at: None }
    }

    /// Slopes that never rise.
    pub fn concave() -> Self {
        Self { bend: Bend::Concave, at: None }
    }

    /// With the entries at these places, which rise from each to the next.
    pub fn at(mut self, places: Vec<f64>) -> Result<Self> {
        let reason = places_fault(&places);
        self.at = Some(places);
        reason.map_or(Ok(()), |reason| Err(refusal(self.spec(), reason)))?;
        Ok(self)
    }

    fn rows(&self, features: usize) -> Conic {
        let mut conic = Conic::everything(features);
        let sign = match self.bend {
            Bend::Convex => 1.0,
            Bend::Concave => -1.0,
        };
        for j in 0..features.saturating_sub(2) {
            let gap = |k: usize| self.at.as_ref().map_or(1.0, |at| at[k + 1] - at[k]);
            // Divided by the smaller of the two gaps, numbers are of ordinary size in any unit of the places.
            let least = gap(j).min(gap(j + 1));
            let (before, after) = (least / gap(j), least / gap(j + 1));
            let length = (before * before + after * after + (before + after) * (before + after)).sqrt();
            let terms = [-before, before + after, -after];
            let terms = terms.iter().enumerate().map(|(k, a)| (j + k, sign * a / length)).collect();
            conic.rows.push(Row { terms, right: 0.0, is_equality: false });
        }
        conic
    }

    fn fits(&self, features: usize) -> bool {
        self.at.as_ref().is_none_or(|at| at.len() == features)
    }
}

/// What is wrong with places that have to rise.
pub(super) fn places_fault(places: &[f64]) -> Option<String> {
    if places.iter().any(|place| !place.is_finite()) {
        return Some("every place must be a finite number".to_owned());
    }
    let wrong = places.windows(2).position(|pair| !(pair[0] < pair[1] && (pair[1] - pair[0]).is_finite()));
    wrong.map(|j| {
        format!("places must rise, but number {} is {} and number {} is {}", j + 1, places[j], j + 2, places[j + 1])
    })
}

/// Refuses a parameter that has another number of entries than there are places.
pub(super) fn require_places(set: &dyn Constraint, at: Option<&Vec<f64>>, found: usize) -> Result<()> {
    match at {
        Some(at) if at.len() != found => Err(refusal(set.spec(), SetFault::Dimension { expected: at.len(), found })),
        _ => Ok(()),
    }
}

impl Constraint for Curved {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        require_places(self, self.at.as_ref(), point.len())?;
        program::project(self, &self.rows(point.len()), point)
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        require_places(self, self.at.as_ref(), shape.len())
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Convex(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Curved { bend: self.bend, at: self.at.clone() }
    }
}

impl RowsAndBalls for Curved {
    fn conic(&self, features: usize) -> Option<Conic> {
        self.fits(features).then(|| self.rows(features))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn a_hump_becomes_a_line() -> Result<()> {
        let line = projected(&Curved::convex(), &[0.0, 3.0, 0.0])?;
        assert!(line.iter().all(|x| (x - 1.0).abs() < 1e-14), "{line:?}");
        assert_eq!(projected(&Curved::concave(), &[0.0, 3.0, 0.0])?, [0.0, 3.0, 0.0]);
        Ok(())
    }

    #[test]
    fn places_say_what_a_line_is() -> Result<()> {
        let set = Curved::convex().at(vec![0.0, 1.0, 3.0])?;
        assert_eq!(projected(&set, &[0.0, 1.0, 3.0])?, [0.0, 1.0, 3.0]);
        let moved = projected(&set, &[0.0, 2.0, 3.0])?;
        assert!((moved[1] - (2.0 * moved[0] + moved[2]) / 3.0).abs() < 1e-14, "{moved:?}");
        assert!(Curved::convex().at(vec![0.0, 0.0, 1.0]).is_err());
        assert!(set.check(Shape::Vector(4)).is_err());
        Ok(())
    }
}
