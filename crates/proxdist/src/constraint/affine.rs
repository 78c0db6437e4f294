//! Solutions of linear equations, $C = \{x : Ax = b\}$ with linearly independent rows.
//!
//! The shortest correction lies in the row space, $P(x) = x + A^T (AA^T)^{-1} (b - Ax)$. The rows are scaled to unit
//! length and $AA^T$ is factored once, at construction; a projection costs $O(mp + m^2)$ for $m$ equations and is
//! repeated on its own residual until that is rounding error. Convex, unique.

use super::magnitude::{Length, largest};
use super::{
    Constraint, Face, Faces, ProjectionFault, RowsAndBalls, Structure, Workspace, projection_failure, refusal,
    require_dimension,
};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::SetSpec;

/// Squared sine of the smallest angle a row may make with the rows before it.
const SMALLEST_PIVOT: f64 = 1e-12;
/// Residual that counts as rounding error, relative to the numbers that cancel in it.
const TOLERANCE: f64 = 1e-10;

/// Linear equations.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    rows: Vec<Vec<f64>>,
    right: Vec<f64>,
    /// The rows and right-hand sides after scaling, and the lower Cholesky factor of the scaled $AA^T$, row by row.
    unit_rows: Vec<Vec<f64>>,
    distances: Vec<f64>,
    factor: Vec<Vec<f64>>,
}

impl Affine {
    /// Points `x` with `rows[i] · x = right[i]` for every `i`.
    pub fn equations(rows: Vec<Vec<f64>>, right: Vec<f64>) -> Result<Self> {
        let mut set = Self { rows, right, unit_rows: Vec::new(), distances: Vec::new(), factor: Vec::new() };
        if let Some(reason) = set.fault() {
            return Err(refusal(set.spec(), reason));
        }
        for (i, (row, right)) in set.rows.iter().zip(&set.right).enumerate() {
            let length = Length::of(row.iter().copied());
            let unit: Vec<f64> = row.iter().map(|a| length.rescaled(*a, 1.0)).collect();
            let distance = length.rescaled(*right, 1.0);
            let Some(factor_row) = next_row(&set.factor, &set.unit_rows, &unit) else {
                let reason = format!("row {} of a is zero or a combination of the rows before it", i + 1);
                return Err(refusal(set.spec(), reason));
            };
            if !distance.is_finite() {
                return Err(refusal(
                    set.spec(),
                    format!("entry {} of b is too large compared with its row of a", i + 1),
                ));
            }
            set.unit_rows.push(unit);
            set.distances.push(distance);
            set.factor.push(factor_row);
        }
        Ok(set)
    }

    fn fault(&self) -> Option<String> {
        let (m, p) = (self.rows.len(), self.rows.first().map_or(0, Vec::len));
        if m == 0 || p == 0 {
            return Some("at least one equation with at least one coefficient is needed".to_owned());
        }
        if m != self.right.len() {
            return Some(format!("a has {m} rows but b has {} entries", self.right.len()));
        }
        if let Some(i) = self.rows.iter().position(|row| row.len() != p) {
            return Some(format!("row {} of a has {} entries, row 1 has {p}", i + 1, self.rows[i].len()));
        }
        let finite = self.rows.iter().flatten().chain(&self.right).all(|value| value.is_finite());
        (!finite).then(|| "every number must be finite".to_owned())
    }

    fn dimension(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Writes the residual of the scaled equations; returns its largest entry.
    fn residual(&self, point: &[f64], residual: &mut Vec<f64>) -> f64 {
        residual.clear();
        residual.extend(self.unit_rows.iter().zip(&self.distances).map(|(row, b)| b - dot(row, point)));
        largest(residual.iter().copied())
    }

    /// Solves $LL^T z = r$ in place.
    fn solve(&self, r: &mut [f64]) {
        for i in 0..r.len() {
            r[i] = (r[i] - dot(&self.factor[i][..i], &r[..i])) / self.factor[i][i];
        }
        for i in (0..r.len()).rev() {
            let later: f64 = (i + 1..r.len()).map(|k| self.factor[k][i] * r[k]).sum();
            r[i] = (r[i] - later) / self.factor[i][i];
        }
    }
}

/// The next row of the Cholesky factor, or nothing if the new row adds no direction.
fn next_row(factor: &[Vec<f64>], unit_rows: &[Vec<f64>], unit: &[f64]) -> Option<Vec<f64>> {
    let mut next: Vec<f64> = Vec::with_capacity(factor.len() + 1);
    for (row, before) in factor.iter().zip(unit_rows) {
        let done = dot(row, &next);
        next.push((dot(before, unit) - done) / row[next.len()]);
    }
    let pivot = dot(unit, unit) - dot(&next, &next);
    // The comparison is false for NaN, which a row of zeros gives.
    (pivot > SMALLEST_PIVOT).then(|| {
        next.push(pivot.sqrt());
        next
    })
}

/// The product over the common length.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Constraint for Affine {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        require_dimension(self, self.dimension(), point.len())?;
        let mut residual = work.take_numbers();
        let size = largest(point.iter().chain(&self.distances).copied());
        let mut error = self.residual(point, &mut residual);
        for _ in 0..4 {
            if error == 0.0 {
                break;
            }
            self.solve(&mut residual);
            for (row, weight) in self.unit_rows.iter().zip(&residual) {
                point.iter_mut().zip(row).for_each(|(x, a)| *x += weight * a);
            }
            let before = error;
            error = self.residual(point, &mut residual);
            if error > 0.5 * before {
                break;
            }
        }
        work.return_numbers(residual);
        if error <= TOLERANCE * size {
            return Ok(());
        }
        Err(projection_failure(self, ProjectionFault::NearlyDependent { error }))
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.right.iter().all(|value| *value == 0.0)
    }

    fn check(&self, shape: Shape) -> Result<()> {
        require_dimension(self, self.dimension(), shape.len())
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Polyhedron(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Affine { rows: self.rows.clone(), right: self.right.clone() }
    }
}

impl RowsAndBalls for Affine {
    fn conic(&self, features: usize) -> Option<Conic> {
        let terms = |row: &Vec<f64>| row.iter().copied().enumerate().filter(|(_, a)| *a != 0.0).collect();
        let rows = self.unit_rows.iter().zip(&self.distances);
        let all = rows.fold(Conic::everything(features), |set, (row, right)| set.equal(terms(row), *right));
        (features == self.dimension()).then_some(all)
    }
}

impl Faces for Affine {
    fn face(&self, point: &[f64]) -> Option<Face> {
        let all = Face::of_free(0..self.dimension());
        let face = self.unit_rows.iter().fold(all, |face, row| face.holding(row));
        (point.len() == self.dimension()).then_some(face)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn the_correction_is_perpendicular() -> Result<()> {
        let set = Affine::equations(vec![vec![1.0, 1.0, 1.0], vec![1.0, -1.0, 0.0]], vec![1.0, 0.0])?;
        let result = projected(&set, &[3.0, 1.0, 0.0])?;
        // (3, 1, 0) first falls to (2, 2, 0), then loses 1 along (1, 1, 1).
        for (found, expected) in result.iter().zip([1.0, 1.0, -1.0]) {
            assert!((found - expected).abs() < 1e-14, "{result:?}");
        }
        Ok(())
    }

    #[test]
    fn dependent_rows_are_named() {
        let message = Affine::equations(vec![vec![1.0, 2.0], vec![2.0, 4.0]], vec![1.0, 2.0]).unwrap_err().to_string();
        assert!(message.contains("row 2 of a is zero or a combination of the rows before it"), "{message}");
        let message = Affine::equations(vec![vec![0.0, 0.0]], vec![0.0]).unwrap_err().to_string();
        assert!(message.contains("row 1 of a is zero"), "{message}");
    }
}
