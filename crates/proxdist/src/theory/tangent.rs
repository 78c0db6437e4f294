//! The Hessian on the matrices that are tangent to those of rank $r$ at $\Theta_* = U\Sigma V^T$.
//!
//! The tangent space is $\{UA^T + BV^T\}$. With $U_\perp$ completing $U$ to an orthonormal basis, $A \mapsto UA^T$ and
//! $B \mapsto U_\perp BV^T$ are orthonormal coordinates of it, so a row of the data, read as a matrix $X$, has the coordinates
//! $U^TX$ and $U_\perp^TXV$. Their weighted cross products are the Hessian on the space, of dimension $r(p + q - r)$.

use super::identifiability::refuse_large;
use crate::data::{Pass, Rows, Support};
use crate::error::Result;
use crate::linalg::{Eigen, add_cross, mirror, product};
use crate::objective::Objective;
use crate::polish::RowDerivatives;
use crate::ridge::Ridge;

/// Eigenvalues of $\Theta\Theta^T$ below this share of the largest belong to directions outside the rank.
const NEGLIGIBLE: f64 = 1e-18;

/// A symmetric matrix.
pub(super) struct Hessian {
    pub(super) entries: Vec<f64>,
    pub(super) size: usize,
}

/// The coordinates of the tangent space.
struct Tangent {
    rank: usize,
    rows: usize,
    columns: usize,
    /// $(U, U_\perp)^T$, row-major.
    left: Vec<f64>,
    /// $V$, row-major.
    right: Vec<f64>,
}

/// The Hessian of F at `theta` on the tangent space, with the intercept as the last coordinate if there is one.
pub(super) fn hessian(
    objective: Objective,
    theta: &[f64],
    (rank, rows, columns): (usize, usize, usize),
) -> Result<Hessian> {
    let layout = objective.layout();
    let matrix = layout.coefficients(theta);
    let tangent = Tangent::at(matrix, rank, (rows, columns));
    let size = layout.reduced_to(tangent.dimension()).len();
    refuse_large(size)?;
    let support = Support::of(matrix);
    let mut entries = Pass::over(objective.data, size * size).sum(
        size * size,
        || (Vec::new(), RowDerivatives::default()),
        |cross, (block, derived): &mut (Vec<f64>, RowDerivatives), chunk| {
            derived.measure(objective, theta, &support, chunk);
            block.clear();
            for (i, curvature) in derived.curvatures.iter().enumerate() {
                let start = block.len();
                tangent.coordinates(chunk.rows, i, block);
                block.extend(layout.has_intercepts().then_some(1.0));
                let factor = curvature.sqrt();
                block[start..].iter_mut().for_each(|x| *x *= factor);
            }
            add_cross(block, chunk.len(), size, cross);
        },
    )?;
    tangent.add_ridge(objective.ridge, size, &mut entries);
    mirror(&mut entries, size);
    Ok(Hessian { entries, size })
}

impl Tangent {
    fn at(theta: &[f64], rank: usize, (rows, columns): (usize, usize)) -> Self {
        let mut gram = vec![0.0; rows * rows];
        crate::linalg::gram(theta, rows, columns, &mut gram);
        let mut left = Vec::with_capacity(rows * rows);
        let mut found = 0;
        if let Some(eigen) = Eigen::of(&gram, rows) {
            let largest = eigen.values[rows - 1];
            found = eigen.values.iter().filter(|value| **value > NEGLIGIBLE * largest).count().min(rank);
            (0..rows).rev().for_each(|number| left.extend_from_slice(eigen.vector(number)));
        }
        // V = ΘᵀU Σ⁻¹: rows of UᵀΘ, brought to length one.
        let mut image = vec![0.0; found * columns];
        if found > 0 {
            product(&left[..found * rows], theta, &mut image, rows, columns);
        }
        let mut right = vec![0.0; columns * found];
        for (r, row) in image.chunks_exact(columns).enumerate() {
            let length = crate::linalg::norm(row);
            row.iter().enumerate().for_each(|(j, x)| right[j * found + r] = x / length);
        }
        Self { rank: found, rows, columns, left, right }
    }

    fn dimension(&self) -> usize {
        self.rank * (self.rows + self.columns - self.rank)
    }

    /// Adds the ridge term, $\sum_j\lambda_j\langle E_j, \cdot\rangle^2$ with $E_j$ the matrix of one entry: one weight for all is that weight in any orthonormal
    /// coordinates, other weights count as rows of the data.
    fn add_ridge(&self, ridge: Ridge, size: usize, entries: &mut [f64]) {
        if let Some(weight) = ridge.even() {
            return Ridge::from(weight).add_to_diagonal(self.dimension(), size, entries);
        }
        let mut block = Vec::new();
        for j in 0..self.rows * self.columns {
            let unit = Rows::Sparse {
                starts: &[0, 1],
                indices: &[j as u32],
                values: &[ridge.at(j).sqrt()],
                columns: self.rows * self.columns,
            };
            block.clear();
            self.coordinates(unit, 0, &mut block);
            block.resize(size, 0.0);
            add_cross(&block, 1, size, entries);
        }
    }

    /// Appends the coordinates of one row of the data.
    fn coordinates(&self, chunk: Rows, row: usize, out: &mut Vec<f64>) {
        let (r, p, q) = (self.rank, self.rows, self.columns);
        if r == 0 {
            return;
        }
        let mut x = vec![0.0; p * q];
        chunk.row(row).for_each(|(j, value)| x[j] = value);
        let start = out.len();
        out.resize(start + self.dimension(), 0.0);
        let (along, across) = out[start..].split_at_mut(r * q);
        product(&self.left[..r * p], &x, along, p, q);
        let mut image = vec![0.0; p * r];
        product(&x, &self.right, &mut image, q, r);
        if !across.is_empty() {
            product(&self.left[r * p..], &image, across, p, r);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::loss::Squared;
    use crate::polish::{OnData, Smooth as _};
    use crate::simulate;

    /// The quadratic form on a tangent matrix is the same in both coordinates.
    #[test]
    fn the_tangent_hessian_is_the_full_one_on_tangent_matrices() -> Result<()> {
        let simulated = simulate::vector(simulate::Response::Linear, simulate::Truth::Sparse(2), 80, 12, 5)?;
        let data = Data::dense(&simulated.x, 12, &simulated.y)?.shape(3, 4)?;
        let theta: Vec<f64> = (0..12).map(|k| f64::from(1 + k / 4) * (f64::from(k % 4) - 1.2)).chain([0.3]).collect();
        let squares: Vec<f64> = (0..12).map(|j| 0.1 + f64::from(j) * f64::from(j)).collect();
        for ridge in [Ridge::from(0.1), Ridge::on_effects(0.1, &squares)] {
            agrees_with_the_full_one(Objective::new(&data, &Squared, ridge).intercept(true), &theta)?;
        }
        Ok(())
    }

    fn agrees_with_the_full_one(objective: Objective, theta: &[f64]) -> Result<()> {
        let found = hessian(objective, theta, (1, 3, 4))?;
        assert_eq!(found.size, 3 + 4 - 1 + 1);
        let tangent = Tangent::at(&theta[..12], 1, (3, 4));
        let mut full = OnData::new(objective);
        full.linearise(theta)?;
        // Row r of the coordinates is the gradient of coordinate r: feed unit matrices to get the basis.
        let unit: Vec<f64> = (0..144).map(|k| f64::from(u8::from(k / 12 == k % 12))).collect();
        let units = Rows::Dense { values: &unit, rows: 12, columns: 12 };
        let mut basis = Vec::new();
        (0..12).for_each(|j| tangent.coordinates(units, j, &mut basis));
        for a in 0..found.size {
            let mut v: Vec<f64> = (0..12).map(|j| if a < 6 { basis[j * 6 + a] } else { 0.0 }).collect();
            v.push(if a == 6 { 1.0 } else { 0.0 });
            assert!((crate::linalg::norm(&v) - 1.0).abs() < 1e-12);
            let mut product = vec![0.0; 13];
            full.hessian_times(&v, &mut product)?;
            let quadratic: f64 = v.iter().zip(&product).map(|(v, p)| v * p).sum();
            assert!((quadratic - found.entries[a * found.size + a]).abs() < 1e-10 * quadratic.abs());
        }
        Ok(())
    }
}
