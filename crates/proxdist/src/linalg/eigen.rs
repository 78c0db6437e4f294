//! Eigenvalues and eigenvectors of a symmetric matrix, $A = V\mathrm{diag}(\lambda)V^T$.

use super::Scratch;
use faer::diag::DiagMut;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{MatMut, MatRef, Par, Spec};

/// A decomposition that is kept.
pub(crate) struct Eigen {
    /// Eigenvalues in rising order.
    pub(crate) values: Vec<f64>,
    /// Unit eigenvectors, one after the other.
    pub(crate) vectors: Vec<f64>,
}

impl Eigen {
    /// Decomposes the matrix given by its lower triangle (column-major); `None` if that fails, as it does on NaN.
    pub(crate) fn of(matrix: &[f64], size: usize) -> Option<Self> {
        let (mut values, mut vectors) = (vec![0.0; size], vec![0.0; size * size]);
        let is_solved = symmetric(matrix, size, &mut values, &mut vectors, &mut Scratch::default());
        (is_solved && values.iter().all(|value| value.is_finite())).then_some(Self { values, vectors })
    }

    /// The unit eigenvector of the eigenvalue with this number.
    pub(crate) fn vector(&self, number: usize) -> &[f64] {
        let size = self.values.len();
        &self.vectors[number * size..(number + 1) * size]
    }
}

/// Eigenvalues in rising order and eigenvectors of a symmetric matrix given by its lower triangle.
pub(super) fn symmetric(
    matrix: &[f64],
    size: usize,
    values: &mut [f64],
    vectors: &mut [f64],
    scratch: &mut Scratch,
) -> bool {
    let required = evd::self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, Par::Seq, Spec::default());
    evd::self_adjoint_evd(
        MatRef::from_column_major_slice(matrix, size, size),
        DiagMut::from_slice_mut(values),
        Some(MatMut::from_column_major_slice_mut(vectors, size, size)),
        Par::Seq,
        scratch.stack(required),
        Spec::default(),
    )
    .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_rise_and_vectors_belong_to_them() {
        let matrix = [2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 5.0];
        let eigen = Eigen::of(&matrix, 3).unwrap();
        for (number, expected) in [1.0, 3.0, 5.0].into_iter().enumerate() {
            assert!((eigen.values[number] - expected).abs() < 1e-14);
            let v = eigen.vector(number);
            for i in 0..3 {
                let product: f64 = (0..3).map(|j| matrix[j * 3 + i] * v[j]).sum();
                assert!((product - expected * v[i]).abs() < 1e-14);
            }
        }
        assert!(Eigen::of(&[f64::NAN], 1).is_none());
    }
}
