//! Vectors that are piecewise constant with at most $k$ jumps, or piecewise linear and continuous with at most $k$ kinks.
//!
//! A jump at $j$ is $x_j \ne x_{j-1}$; a kink at $j$ is a change of slope there, the entries being values at the places $t_1 < t_2 < \dots$, equally spaced unless given.
//! For given breaks the vectors are a linear space; the set is the union of these spaces over all choices of at most $k$ breaks. The nearest point
//! is found exactly by dynamic programming, `jumps.rs` and `kinks.rs`, for the jumps in $O(kp^2)$. A cone, not convex; equally near choices are resolved towards lower indices.

use super::curved::{places_fault, require_places};
use super::{Constraint, ProjectionFault, Structure, Workspace, jumps, kinks, projection_failure, refusal};
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::{Break, SetSpec};

/// A limit on the number of jumps or kinks.
#[derive(Clone, Debug, PartialEq)]
pub struct Breaks {
    kind: Break,
    most: usize,
    at: Option<Vec<f64>>,
}

impl Breaks {
    /// Piecewise constant with at most this many jumps.
    pub fn jumps(most: usize) -> Self {
        Self { kind: Break::Jump, most, at: None }
    }

    /// Piecewise linear and continuous with at most this many kinks.
    pub fn kinks(most: usize) -> Self {
        Self { kind: Break::Kink, most, at: None }
    }

    /// With the entries at these places, which rise from each to the next. Jumps do not depend on places.
    pub fn at(mut self, places: Vec<f64>) -> Result<Self> {
        let reason = places_fault(&places);
        self.at = Some(places);
        reason.map_or(Ok(()), |reason| Err(refusal(self.spec(), reason)))?;
        Ok(self)
    }

    /// Jumps or kinks.
    pub fn kind(&self) -> Break {
        self.kind
    }

    /// The largest number of breaks of a vector of this length.
    pub fn most(&self, length: usize) -> usize {
        self.most.min(self.candidates(length).len())
    }

    /// Where breaks can be in a vector of this length.
    pub fn candidates(&self, length: usize) -> std::ops::Range<usize> {
        match self.kind {
            Break::Jump => 1..length.max(1),
            Break::Kink => 1..length.saturating_sub(1).max(1),
        }
    }

    /// The places of the entries of a vector of this length.
    pub fn places(&self, length: usize) -> Vec<f64> {
        self.at.clone().unwrap_or_else(|| (0..length).map(|j| j as f64).collect())
    }

    /// The breaks of the vector in the set that is nearest to `point` in the metric with these weights, all positive; ascending.
    pub fn nearest_breaks(&self, point: &[f64], weights: Option<&[f64]>) -> Result<Vec<usize>> {
        require_places(self, self.at.as_ref(), point.len())?;
        let top = super::magnitude::largest(point.iter().copied());
        if !top.is_finite() {
            return Err(projection_failure(self, ProjectionFault::TooLarge));
        }
        if top == 0.0 || point.is_empty() {
            return Ok(Vec::new());
        }
        let equal = vec![1.0; point.len()];
        let weights = weights.unwrap_or(&equal);
        let total: f64 = weights.iter().sum();
        let mean = point.iter().zip(weights).map(|(x, w)| (x / top) * (w / total)).sum::<f64>();
        let centered: Vec<f64> = point.iter().map(|x| x / top - mean).collect();
        let most = self.most(point.len());
        Ok(match self.kind {
            Break::Jump => jumps::best(&centered, weights, most),
            Break::Kink => kinks::best(&centered, weights, &self.places(point.len()), most),
        })
    }

    /// The vectors with these breaks, as a basis: each column as the entries it is not zero at. Columns overlap little, so that the basis is well conditioned.
    pub fn frame(&self, breaks: &[usize], length: usize) -> Vec<Vec<(usize, f64)>> {
        let last = length.saturating_sub(1);
        match self.kind {
            Break::Jump => {
                let starts = std::iter::once(0).chain(breaks.iter().copied());
                let ends = breaks.iter().copied().chain([length]);
                starts.zip(ends).map(|(start, end)| (start..end).map(|j| (j, 1.0)).collect()).collect()
            }
            Break::Kink if last == 0 => vec![(0..length).map(|j| (j, 1.0)).collect()],
            Break::Kink => {
                let places = self.places(length);
                let knots: Vec<usize> = [&[0], breaks, &[last]].concat();
                let tent = |k: usize| {
                    let (from, to) = (knots[k.saturating_sub(1)], knots[(k + 1).min(knots.len() - 1)]);
                    let height = |j: usize| {
                        let foot = if j < knots[k] { from } else { to };
                        if j == knots[k] { 1.0 } else { (places[j] - places[foot]) / (places[knots[k]] - places[foot]) }
                    };
                    (from..=to).map(|j| (j, height(j))).filter(|(_, height)| *height != 0.0).collect()
                };
                (0..knots.len()).map(tent).collect()
            }
        }
    }
}

impl Constraint for Breaks {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        require_places(self, self.at.as_ref(), point.len())?;
        let is_inside = match self.kind {
            Break::Jump => point.windows(2).filter(|pair| pair[0] != pair[1]).count() <= self.most,
            Break::Kink => self.most >= self.candidates(point.len()).len(),
        };
        // NaN differs from everything, itself included, and is found below.
        if is_inside && point.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let breaks = self.nearest_breaks(point, None)?;
        match self.kind {
            Break::Jump => jumps::level(point, &breaks),
            Break::Kink => kinks::straighten(point, &self.places(point.len()), &breaks),
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        self.most == 0
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn check(&self, shape: Shape) -> Result<()> {
        require_places(self, self.at.as_ref(), shape.len())?;
        let most = self.candidates(shape.len()).len();
        if self.most > most {
            let (entries, word) = (shape.len(), self.kind.plural());
            return Err(refusal(self.spec(), format!("a vector of {entries} entries has at most {most} {word}")));
        }
        Ok(())
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Breaks(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Breaks { kind: self.kind, most: self.most, at: self.at.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn steps_and_kinks_are_seen() -> Result<()> {
        assert_eq!(projected(&Breaks::jumps(1), &[0.0, 0.0, 5.0, 7.0])?, [0.0, 0.0, 6.0, 6.0]);
        assert_eq!(projected(&Breaks::jumps(0), &[1.0, 2.0, 6.0])?, [3.0, 3.0, 3.0]);
        let bent = [0.0, 1.0, 2.0, 3.0, 2.0, 1.0];
        let same = projected(&Breaks::kinks(1), &bent)?;
        assert!(same.iter().zip(bent).all(|(a, b)| (a - b).abs() < 1e-14), "{same:?}");
        assert_eq!(Breaks::kinks(1).nearest_breaks(&bent, None)?, [3]);
        let uneven = [0.0, 1.0, 3.0, 2.0];
        assert_eq!(Breaks::kinks(1).at(vec![0.0, 1.0, 3.0, 4.0])?.nearest_breaks(&uneven, None)?, [2]);
        assert!(Breaks::jumps(4).check(Shape::Vector(4)).is_err());
        Ok(())
    }

    #[test]
    fn a_frame_spans_the_vectors_with_these_breaks() -> Result<()> {
        let kinks = Breaks::kinks(2).at(vec![0.0, 1.0, 3.0, 4.0, 9.0])?;
        let frame = kinks.frame(&[1, 3], 5);
        let mut sum = [0.0; 5];
        for (value, column) in [2.0, 5.0, -1.0, 0.0].iter().zip(&frame) {
            column.iter().for_each(|&(j, height)| sum[j] += value * height);
        }
        let expected = [2.0, 5.0, 1.0, -1.0, 0.0];
        assert!(sum.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{sum:?}");
        assert_eq!(Breaks::jumps(1).frame(&[2], 3), [vec![(0, 1.0), (1, 1.0)], vec![(2, 1.0)]]);
        Ok(())
    }
}
