//! Vectors in order, $C = \{x : x_1 \le x_2 \le \dots \le x_p\}$, or the same with $\ge$.
//!
//! Pool adjacent violators: walk along the vector, and whenever a block's mean falls below that of the block before it,
//! merge the two. Neighbours out of order must be equal at the optimum, and a block of equal values sits at its mean, so
//! the result is the projection. Every entry is merged at most once: $O(p)$. A convex cone, unique.

use super::{Constraint, Face, Faces, RowsAndBalls, Structure, Workspace};
use crate::conic::Conic;
use crate::error::Result;
use crate::spec::{Direction, SetSpec};

/// Entries that never fall, or never rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Monotone {
    direction: Direction,
}

impl Monotone {
    /// Each entry at least the one before it.
    pub fn increasing() -> Self {
        Self { direction: Direction::Increasing }
    }

    /// Each entry at most the one before it.
    pub fn decreasing() -> Self {
        Self { direction: Direction::Decreasing }
    }
}

impl Constraint for Monotone {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        let mut means = work.take_numbers();
        let mut counts = work.take_indices();
        match self.direction {
            Direction::Increasing => {
                pool(point.iter().copied(), &mut means, &mut counts);
                spread(point.iter_mut(), &means, &counts);
            }
            Direction::Decreasing => {
                pool(point.iter().rev().copied(), &mut means, &mut counts);
                spread(point.iter_mut().rev(), &means, &counts);
            }
        }
        work.return_indices(counts);
        work.return_numbers(means);
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        true
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Monotone { direction: self.direction }
    }
}

impl RowsAndBalls for Monotone {
    fn conic(&self, features: usize) -> Option<Conic> {
        let sign = match self.direction {
            Direction::Increasing => 1.0,
            Direction::Decreasing => -1.0,
        };
        let step = |set: Conic, j: usize| set.at_most(vec![(j, sign), (j + 1, -sign)], 0.0);
        Some((0..features.saturating_sub(1)).fold(Conic::everything(features), step))
    }
}

impl Faces for Monotone {
    fn face(&self, point: &[f64]) -> Option<Face> {
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for (j, x) in point.iter().enumerate() {
            match blocks.last_mut() {
                Some(block) if point[j - 1] == *x => block.push(j),
                _ => blocks.push(vec![j]),
            }
        }
        Some(Face::of_groups(blocks))
    }
}

/// The blocks of the nearest increasing sequence, as means and lengths.
fn pool(values: impl Iterator<Item = f64>, means: &mut Vec<f64>, counts: &mut Vec<usize>) {
    for value in values {
        let (mut mean, mut count) = (value, 1);
        while let (Some(&before), Some(&length)) = (means.last(), counts.last()) {
            if before <= mean {
                break;
            }
            means.pop();
            counts.pop();
            let (m, n) = (count as f64, length as f64);
            let plain = (before * n + mean * m) / (m + n);
            // Opposite extremes overflow in the sum but not in the weighted mean.
            mean = if plain.is_finite() { plain } else { before * (n / (m + n)) + mean * (m / (m + n)) };
            count += length;
        }
        means.push(mean);
        counts.push(count);
    }
}

/// Writes every block's mean over its entries.
fn spread<'a>(mut entries: impl Iterator<Item = &'a mut f64>, means: &[f64], counts: &[usize]) {
    for (mean, count) in means.iter().zip(counts) {
        entries.by_ref().take(*count).for_each(|entry| *entry = *mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn violators_are_pooled_at_their_mean() -> Result<()> {
        assert_eq!(projected(&Monotone::increasing(), &[1.0, 3.0, 2.0, 4.0])?, [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(projected(&Monotone::increasing(), &[3.0, 2.0, 1.0])?, [2.0, 2.0, 2.0]);
        assert_eq!(projected(&Monotone::decreasing(), &[1.0, 2.0, 0.0])?, [1.5, 1.5, 0.0]);
        Ok(())
    }

    #[test]
    fn opposite_extremes_do_not_overflow() -> Result<()> {
        assert_eq!(projected(&Monotone::increasing(), &[1e308, -1e308])?, [0.0, 0.0]);
        Ok(())
    }
}
