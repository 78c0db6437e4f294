//! The only folder that knows the matrix crate.
//!
//! Every call passes `Par::Seq`: bits must not depend on the number of threads, and one step is too small to share.
//! Matrices are slices. Batches are row-major (`rows × columns`); square symmetric matrices are full, so their order
//! does not matter; a Cholesky factor lives in the lower triangle, column-major.

mod cholesky;
mod eigen;
mod lu;
pub(crate) mod svd;
mod tridiagonal;
mod vectors;
mod wide;

pub(crate) use cholesky::Cholesky;
pub(crate) use eigen::Eigen;
pub(crate) use lu::divide_by;
pub(crate) use vectors::{all_finite, axpy, dot, norm, norm_squared};
pub(crate) use wide::{Extent, add_multiples, add_rows, add_squares, scale_rows, wide};

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::matmul::{matmul, triangular, triangular::BlockStructure};
use faer::{Accum, ColMut, ColRef, MatMut, MatRef, Par};

/// Memory for decompositions, grown on demand and reused.
#[derive(Default)]
pub(crate) struct Scratch(Option<MemBuffer>);

impl Scratch {
    /// A stack of at least the required size.
    pub(crate) fn stack(&mut self, required: StackReq) -> &mut MemStack {
        let enough = self.0.as_mut().is_some_and(|buffer| MemStack::new(buffer).can_hold(required));
        if !enough {
            self.0 = None;
        }
        MemStack::new(self.0.get_or_insert_with(|| MemBuffer::new(required)))
    }
}

/// `out = X v`, or `out += X v` when adding.
pub(crate) fn times(x: &[f64], v: &[f64], out: &mut [f64], adding: bool) {
    let matrix = MatRef::from_row_major_slice(x, out.len(), v.len());
    let accumulate = if adding { Accum::Add } else { Accum::Replace };
    matmul(ColMut::from_slice_mut(out), accumulate, matrix, ColRef::from_slice(v), 1.0, Par::Seq);
}

/// `out = Xᵀ a`, or `out += Xᵀ a` when adding.
pub(crate) fn transpose_times(x: &[f64], a: &[f64], out: &mut [f64], adding: bool) {
    let matrix = MatRef::from_row_major_slice(x, a.len(), out.len());
    let accumulate = if adding { Accum::Add } else { Accum::Replace };
    matmul(ColMut::from_slice_mut(out), accumulate, matrix.transpose(), ColRef::from_slice(a), 1.0, Par::Seq);
}

/// `out = A B`, all row-major, with `inner` columns of `A` and `columns` columns of `B`.
pub(crate) fn product(a: &[f64], b: &[f64], out: &mut [f64], inner: usize, columns: usize) {
    let rows = out.len() / columns.max(1);
    let (a, b) = (MatRef::from_row_major_slice(a, rows, inner), MatRef::from_row_major_slice(b, inner, columns));
    matmul(MatMut::from_row_major_slice_mut(out, rows, columns), Accum::Replace, a, b, 1.0, Par::Seq);
}

/// `G = X Xᵀ`, the full symmetric matrix of size `rows`; only half of it is computed.
pub(crate) fn gram(x: &[f64], rows: usize, columns: usize, g: &mut [f64]) {
    let x = MatRef::from_row_major_slice(x, rows, columns);
    lower_product(g, rows, Accum::Replace, x, x.transpose());
    mirror(g, rows);
}

/// Adds `XᵀX` to the lower triangle of `h`; call [`mirror`] once all blocks are in.
pub(crate) fn add_cross(x: &[f64], rows: usize, columns: usize, h: &mut [f64]) {
    let x = MatRef::from_row_major_slice(x, rows, columns);
    lower_product(h, columns, Accum::Add, x.transpose(), x);
}

/// Adds `XᵀY` to the lower triangle of `h`, for products that are symmetric; both row-major with `columns` columns.
pub(crate) fn add_symmetric_product(x: &[f64], y: &[f64], columns: usize, h: &mut [f64]) {
    let rows = x.len() / columns.max(1);
    let (x, y) = (MatRef::from_row_major_slice(x, rows, columns), MatRef::from_row_major_slice(y, rows, columns));
    lower_product(h, columns, Accum::Add, x.transpose(), y);
}

fn lower_product(out: &mut [f64], size: usize, accumulate: Accum, left: MatRef<f64>, right: MatRef<f64>) {
    triangular::matmul(
        MatMut::from_column_major_slice_mut(out, size, size),
        BlockStructure::TriangularLower,
        accumulate,
        left,
        BlockStructure::Rectangular,
        right,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Copies the lower triangle (column-major) onto the upper one.
pub(crate) fn mirror(g: &mut [f64], size: usize) {
    for j in 1..size {
        for i in 0..j {
            g[j * size + i] = g[i * size + j];
        }
    }
}

/// `out += XᵀA` for row-major `X` (`rows × columns`), `A` (`rows × width`) and `out` (`columns × width`).
pub(crate) fn add_transposed_product(x: &[f64], a: &[f64], columns: usize, width: usize, out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    let rows = x.len() / columns;
    let x = MatRef::from_row_major_slice(x, rows, columns);
    let a = MatRef::from_row_major_slice(a, rows, width);
    matmul(MatMut::from_row_major_slice_mut(out, columns, width), Accum::Add, x.transpose(), a, 1.0, Par::Seq);
}
