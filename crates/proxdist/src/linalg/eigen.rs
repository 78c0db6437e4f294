//! $A = Q\Lambda Q^T$ for symmetric $A$.

use super::Scratch;
use faer::diag::DiagMut;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{MatMut, MatRef, Par};

/// A decomposition and its memory. Fill [`SymmetricEigen::matrix`], call [`SymmetricEigen::decompose`], then read.
#[derive(Default)]
pub(crate) struct SymmetricEigen {
    matrix: Vec<f64>,
    values: Vec<f64>,
    vectors: Vec<f64>,
    scratch: Scratch,
}

impl SymmetricEigen {
    /// The `size × size` matrix to fill, full and symmetric.
    pub(crate) fn matrix(&mut self, size: usize) -> &mut [f64] {
        self.values.resize(size, 0.0);
        self.matrix.resize(size * size, 0.0);
        &mut self.matrix
    }

    /// Computes values and vectors; `false` if that fails, as with NaN.
    #[must_use]
    pub(crate) fn decompose(&mut self) -> bool {
        let size = self.values.len();
        self.vectors.resize(size * size, 0.0);
        let params = faer::Spec::default();
        let needed = evd::self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, Par::Seq, params);
        let stack = self.scratch.stack(needed);
        let matrix = MatRef::from_column_major_slice(&self.matrix, size, size);
        let vectors = MatMut::from_column_major_slice_mut(&mut self.vectors, size, size);
        let values = DiagMut::from_slice_mut(&mut self.values);
        evd::self_adjoint_evd(matrix, values, Some(vectors), Par::Seq, stack, params).is_ok()
    }

    /// $\Lambda$
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// $Q$, one eigenvector after the other.
    pub(crate) fn vectors(&self) -> &[f64] {
        &self.vectors
    }
}
