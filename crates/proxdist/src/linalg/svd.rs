//! The nearest matrix of rank $r$: $A_r = A V_r V_r^T$ with $V_r$ the leading right singular vectors of $A$.
//!
//! Three ways to $V_r$, the cheapest that is safe:
//!
//! 1. Power steps on $r + 8$ vectors from a fixed start, then Rayleigh–Ritz. Write $\lambda_i$ for the Ritz values and
//!    $t$ for a bound on the largest eigenvalue of $A^T A$ on the orthogonal complement of the $r$ leading Ritz vectors
//!    $v_i$. By Davis and Kahan, $v_i$ makes with the true subspace an angle of at most
//!    $\|A^T A v_i - \lambda_i v_i\| / (\lambda_i - t)$, which moves $A_r$ by that angle times $\sqrt{\lambda_i}$. The
//!    result is accepted only if these movements together are below $10^{-13} \|A\|$, or if $A$ is already that close
//!    to rank $r$.
//! 2. The eigenvectors of $A^T A$, if $\sigma_r$ is not so far below $\sigma_1$ that squaring would lose it: only the
//!    leading ones by inverse iteration, judged by the same bound, or all of them.
//! 3. The singular value decomposition.
//!
//! No start is carried over from call to call: a projection depends on its point alone.

use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::StackReq;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::householder;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::linalg::svd::{self as faer_svd, ComputeSvdVectors};
use faer::{Accum, Conj, MatMut, MatRef, Par, Spec};

use super::Scratch;
use super::eigen::symmetric;
use super::tridiagonal::Tridiagonal;

/// Vectors beyond the rank, which make the power steps converge faster.
const OVERSAMPLING: usize = 8;
/// Power steps before giving up.
const MOST_STEPS: usize = 6;
/// What is lost when sums of many squares are subtracted, relative to them.
const ROUNDING: f64 = 2e-14;
/// Certified error of the fast way, relative to the matrix.
const CERTIFIED: f64 = 1e-13;
/// The same for inverse iteration; where the gap is too small for it, all eigenvectors do no better, but are orthogonal.
const SEPARATED: f64 = 1e-12;
/// Smallest $\sigma_r / \sigma_1$ for which $A^T A$ is used.
const SAFE_RATIO: f64 = 1e-3;

/// Rows and columns of a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// Replaces the row-major matrix by a nearest one of rank at most `rank`; false if the decomposition fails.
pub(crate) fn truncate(
    matrix: &mut [f64],
    size: Size,
    rank: usize,
    numbers: &mut Vec<f64>,
    scratch: &mut Scratch,
) -> bool {
    if rank >= size.rows.min(size.columns) {
        return true;
    }
    let top = matrix.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
    if rank == 0 || top == 0.0 {
        matrix.fill(0.0);
        return true;
    }
    // Squares must neither overflow nor vanish.
    let scale = if (1e-100..1e100).contains(&top) { 1.0 } else { top };
    if scale != 1.0 {
        for x in &mut *matrix {
            *x /= scale;
        }
    }
    let done = factored(matrix, size, rank, numbers, scratch);
    if scale != 1.0 {
        for x in matrix {
            *x *= scale;
        }
    }
    done
}

fn factored(matrix: &mut [f64], size: Size, rank: usize, numbers: &mut Vec<f64>, scratch: &mut Scratch) -> bool {
    let Size { rows, columns } = size;
    let tall = rows >= columns;
    let view = MatRef::from_row_major_slice(matrix, rows, columns);
    let a = if tall { view } else { view.transpose() };
    let Some((w, v)) = leading(a, rank, numbers, scratch) else {
        return false;
    };
    let target = MatMut::from_row_major_slice_mut(matrix, rows, columns);
    let target = if tall { target } else { target.transpose_mut() };
    matmul(target, Accum::Replace, w, v.transpose(), 1.0, Par::Seq);
    true
}

/// $A V_r$ and $V_r$ for a matrix with at least as many rows as columns.
fn leading<'a>(
    a: MatRef<f64>,
    rank: usize,
    numbers: &'a mut Vec<f64>,
    scratch: &mut Scratch,
) -> Option<(MatRef<'a, f64>, MatRef<'a, f64>)> {
    let (m, n) = a.shape();
    let vectors = rank + OVERSAMPLING;
    let small_enough = 3 * vectors <= n;
    let whole = n * n + n * n + n;
    let block = (m + 3 * n + 3 * vectors + 1) * vectors + n * rank;
    numbers.resize(m * rank + if small_enough { whole.max(block) } else { whole }, 0.0);
    let (w, rest) = numbers.split_at_mut(m * rank);
    if small_enough && power(a, w, rank, rest, scratch) {
        return Some((
            MatRef::from_column_major_slice(w, m, rank),
            MatRef::from_column_major_slice(&rest[..n * rank], n, rank),
        ));
    }
    let (v, rest) = rest.split_at_mut(n * n);
    let (values, gram) = rest.split_at_mut(n);
    let mut pairs = Pairs { vectors: v, values };
    let first = if few_eigenvectors(a, rank, &mut pairs, gram, scratch) {
        0
    } else if eigenvectors(a, rank, &mut pairs, gram, scratch) {
        n - rank
    } else if singular_vectors(a, &mut pairs, scratch) {
        0
    } else {
        return None;
    };
    let v = MatRef::from_column_major_slice(&pairs.vectors[first * n..(first + rank) * n], n, rank);
    matmul(MatMut::from_column_major_slice_mut(w, m, rank), Accum::Replace, a, v, 1.0, Par::Seq);
    Some((MatRef::from_column_major_slice(w, m, rank), v))
}

/// Room for vectors of a matrix, a column each, and the values that belong to them.
struct Pairs<'n> {
    vectors: &'n mut [f64],
    values: &'n mut [f64],
}

/// The first way: on success `w` holds $A V_r$ and the beginning of `space` holds $V_r$.
fn power(a: MatRef<f64>, w: &mut [f64], rank: usize, space: &mut [f64], scratch: &mut Scratch) -> bool {
    let (m, n) = a.shape();
    let k = rank + OVERSAMPLING;
    let (v_leading, space) = space.split_at_mut(n * rank);
    let (basis, space) = space.split_at_mut(n * k);
    let (image, space) = space.split_at_mut(m * k);
    let (back, space) = space.split_at_mut(n * k);
    let (coefficients, space) = space.split_at_mut(n.max(k) * k);
    let (rotation, values) = space.split_at_mut(k * k);
    let values = &mut values[..k];
    let energy: f64 = norm_squared(a);

    start(basis);
    multiply(image, a, basis, k);
    for step in 1..=MOST_STEPS {
        multiply(back, a.transpose(), image, k);
        orthonormalise(back, basis, coefficients, k, scratch);
        multiply(image, a, basis, k);
        let missed = energy - image.iter().map(|x| x * x).sum::<f64>();
        // Each of the r leading values is at most a share of what was caught; the gap needs all to exceed what was missed.
        if missed * rank as f64 > energy - missed {
            return false;
        }
        if step == 1 {
            continue;
        }
        let gram = &mut coefficients[..k * k];
        lower_gram(gram, k, MatRef::from_column_major_slice(image, m, k));
        if !symmetric(gram, k, values, rotation, scratch) {
            return false;
        }
        let turn = &rotation[(k - rank) * k..];
        multiply(v_leading, MatRef::from_column_major_slice(basis, n, k), turn, rank);
        multiply(w, MatRef::from_column_major_slice(image, m, k), turn, rank);
        multiply(&mut back[..n * rank], a.transpose(), w, rank);
        let error = movement(energy, missed, values, v_leading, &back[..n * rank]);
        if error <= CERTIFIED {
            return true;
        }
        let left = energy - values[k - rank..].iter().sum::<f64>();
        if left <= ROUNDING * energy {
            return left_over(a, w, v_leading) <= (CERTIFIED * CERTIFIED) * energy;
        }
        // Every further step gains about this factor; when that cannot suffice, stop here.
        let gain = values[0].max(0.0) / values[k - rank];
        let reachable = error * gain.powf((MOST_STEPS - step) as f64) <= CERTIFIED;
        if !reachable {
            return false;
        }
    }
    false
}

/// How far the rank-r matrix made of Ritz vectors `v` may be from the truth, relative to the whole matrix; infinite if
/// nothing can be said. `back` is $A^T A v$, `values` are all Ritz values in rising order.
fn movement(energy: f64, missed: f64, values: &[f64], v: &[f64], back: &[f64]) -> f64 {
    let rank = values.len() - OVERSAMPLING;
    let (others, leading) = values.split_at(OVERSAMPLING);
    let beyond = others.iter().fold(0.0_f64, |top, value| top.max(*value)) + missed.max(0.0) + ROUNDING * energy;
    let n = v.len() / rank;
    let mut squares = 0.0;
    for ((value, v), back) in leading.iter().zip(v.chunks_exact(n)).zip(back.chunks_exact(n)) {
        let gap = value - beyond;
        if gap <= 0.0 {
            return f64::INFINITY;
        }
        let residual: f64 = v.iter().zip(back).map(|(v, b)| (b - value * v).powi(2)).sum();
        squares += value * residual / (gap * gap);
    }
    (squares / energy).sqrt()
}

/// $\|A - W V^T\|^2$, entry by entry: differences of sums of squares cannot resolve it.
fn left_over(a: MatRef<f64>, w: &[f64], v: &[f64]) -> f64 {
    let (m, n) = a.shape();
    let entry = |i: usize, j: usize| {
        let product: f64 = w.iter().skip(i).step_by(m).zip(v.iter().skip(j).step_by(n)).map(|(w, v)| w * v).sum();
        (a[(i, j)] - product).powi(2)
    };
    (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).sum()
}

/// A fixed start without structure, from a linear congruential generator.
fn start(basis: &mut [f64]) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for x in basis {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *x = (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    }
}

/// `out = left * right`, both column by column; `right` has `columns` of them.
fn multiply(out: &mut [f64], left: MatRef<f64>, right: &[f64], columns: usize) {
    let (rows, inner) = left.shape();
    let right = MatRef::from_column_major_slice(&right[..inner * columns], inner, columns);
    let out = MatMut::from_column_major_slice_mut(&mut out[..rows * columns], rows, columns);
    matmul(out, Accum::Replace, left, right, 1.0, Par::Seq);
}

/// The lower triangle of $X^T X$.
fn lower_gram(gram: &mut [f64], size: usize, x: MatRef<f64>) {
    triangular::matmul(
        MatMut::from_column_major_slice_mut(gram, size, size),
        BlockStructure::TriangularLower,
        Accum::Replace,
        x.transpose(),
        BlockStructure::Rectangular,
        x,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Replaces `basis` by orthonormal columns that span those of `vectors`, by Householder reflections: also when the
/// vectors are dependent. There are `k` of them, and they are used up.
fn orthonormalise(vectors: &mut [f64], basis: &mut [f64], space: &mut [f64], k: usize, scratch: &mut Scratch) {
    let n = vectors.len() / k;
    let block = qr::recommended_block_size::<f64>(n, k).min(k);
    let mut factor = MatMut::from_column_major_slice_mut(&mut space[..block * k], block, k);
    let mut vectors = MatMut::from_column_major_slice_mut(vectors, n, k);
    let mut basis = MatMut::from_column_major_slice_mut(basis, n, k);
    let required = StackReq::any_of(&[
        qr::qr_in_place_scratch::<f64>(n, k, block, Par::Seq, Spec::default()),
        householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(n, block, k),
    ]);
    let stack = scratch.stack(required);
    qr::qr_in_place(vectors.as_mut(), factor.as_mut(), Par::Seq, stack, Spec::default());
    basis.fill(0.0);
    basis.as_mut().diagonal_mut().fill(1.0);
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        vectors.as_ref(),
        factor.as_ref(),
        Conj::No,
        basis,
        Par::Seq,
        stack,
    );
}

/// The second way: the leading eigenvectors of $A^T A$, in falling order of eigenvalue, at the beginning of the vectors; false
/// where they are too many, not well separated from the others, or squaring costs accuracy.
fn few_eigenvectors(
    a: MatRef<f64>,
    rank: usize,
    Pairs { vectors, values }: &mut Pairs,
    gram: &mut [f64],
    scratch: &mut Scratch,
) -> bool {
    let n = a.ncols();
    if n < 48 || 4 * rank > n {
        return false;
    }
    let block = qr::recommended_block_size::<f64>(n, n);
    let (v, space) = vectors.split_at_mut(n * rank);
    let (factor, space) = space.split_at_mut(block * (n - 1));
    let (diagonal, space) = space.split_at_mut(n);
    let (beside, space) = space.split_at_mut(n);
    let (residuals, space) = space.split_at_mut(rank);
    let required = StackReq::any_of(&[
        evd::self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Spec::default()),
        householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(n - 1, block, rank),
    ]);
    let stack = scratch.stack(required);
    lower_gram(&mut gram[..n * n], n, a);
    let mut gram = MatMut::from_column_major_slice_mut(&mut gram[..n * n], n, n);
    let mut factor = MatMut::from_column_major_slice_mut(factor, block, n - 1);
    evd::tridiag::tridiag_in_place(gram.as_mut(), factor.as_mut(), Par::Seq, stack, Spec::default());
    for i in 0..n {
        diagonal[i] = gram[(i, i)];
        beside[i] = if i + 1 < n { gram[(i + 1, i)] } else { 0.0 };
    }
    let solved = evd::tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(diagonal),
        DiagRef::from_slice(beside),
        DiagMut::from_slice_mut(values),
        None,
        Par::Seq,
        stack,
        Spec::default(),
    );
    let (others, leading) = values.split_at(n - rank);
    let (top, beyond) = (values[n - 1], others[n - rank - 1]);
    if solved.is_err() || leading[0] <= SAFE_RATIO * SAFE_RATIO * top {
        return false;
    }
    let matrix = Tridiagonal { diagonal, beside };
    matrix.eigenvectors(leading.iter().rev().copied(), v, residuals, space);
    let moved = |(value, residual): (&f64, &f64)| value * (residual / (value - beyond)).powi(2);
    let squares: f64 = leading.iter().rev().zip(&*residuals).map(moved).sum();
    let certified = leading[0] > beyond && squares <= SEPARATED * SEPARATED * top;
    if certified {
        householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            gram.as_ref().submatrix(1, 0, n - 1, n - 1),
            factor.as_ref(),
            Conj::No,
            MatMut::from_column_major_slice_mut(v, n, rank).subrows_mut(1, n - 1),
            Par::Seq,
            stack,
        );
    }
    certified
}

/// The same with all eigenvectors of $A^T A$, in rising order of eigenvalue.
fn eigenvectors(a: MatRef<f64>, rank: usize, pairs: &mut Pairs, gram: &mut [f64], scratch: &mut Scratch) -> bool {
    let (n, Pairs { vectors, values }) = (a.ncols(), pairs);
    lower_gram(&mut gram[..n * n], n, a);
    symmetric(&gram[..n * n], n, values, vectors, scratch) && values[n - rank] > SAFE_RATIO * SAFE_RATIO * values[n - 1]
}

/// The third way: all right singular vectors, in falling order of singular value.
fn singular_vectors(a: MatRef<f64>, pairs: &mut Pairs, scratch: &mut Scratch) -> bool {
    let ((m, n), Pairs { vectors, values }) = (a.shape(), pairs);
    let required =
        faer_svd::svd_scratch::<f64>(m, n, ComputeSvdVectors::No, ComputeSvdVectors::Thin, Par::Seq, Spec::default());
    faer_svd::svd(
        a,
        DiagMut::from_slice_mut(values),
        None,
        Some(MatMut::from_column_major_slice_mut(vectors, n, n)),
        Par::Seq,
        scratch.stack(required),
        Spec::default(),
    )
    .is_ok()
}

fn norm_squared(a: MatRef<f64>) -> f64 {
    // Rows are contiguous in one orientation, columns in the other; the order of summation does not matter here.
    a.col_iter().map(|column| column.iter().map(|x| x * x).sum::<f64>()).sum()
}
