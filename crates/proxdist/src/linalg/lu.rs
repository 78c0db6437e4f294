//! Systems with a square matrix that need not be symmetric.

use super::Scratch;
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::{MatMut, MatRef, Par};

/// `B ← B K⁻¹` for row-major matrices, `K` of `size × size`. Where `K` cannot be inverted the result is not finite.
pub(crate) fn divide_by(b: &mut [f64], k: &[f64], size: usize) {
    if size == 0 {
        return;
    }
    // Column by column, the row-major B is Bᵀ, and Bᵀ ← K⁻ᵀBᵀ.
    let mut matrix = k.to_vec();
    let (mut order, mut places) = (vec![0_usize; size], vec![0_usize; size]);
    let rows = b.len() / size;
    let mut scratch = Scratch::default();
    let required = factor::lu_in_place_scratch::<usize, f64>(size, size, Par::Seq, faer::Spec::default());
    let stack = scratch.stack(required.or(solve::solve_in_place_scratch::<usize, f64>(size, rows, Par::Seq)));
    let transposed = MatMut::from_column_major_slice_mut(&mut matrix, size, size);
    let (_, order) = factor::lu_in_place(transposed, &mut order, &mut places, Par::Seq, stack, faer::Spec::default());
    let factors = MatRef::from_column_major_slice(&matrix, size, size);
    let right = MatMut::from_column_major_slice_mut(b, size, rows);
    solve::solve_in_place(factors, factors, order, right, Par::Seq, stack);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_undoes_multiplying() {
        let k = [0.0, 2.0, -1.0, 3.0, 0.5, 1.0, 1.0, 1.0, 4.0];
        let b = [1.0, -2.0, 0.5, 3.0, 0.0, 7.0];
        let mut image = [0.0; 6];
        super::super::product(&b, &k, &mut image, 3, 3);
        divide_by(&mut image, &k, 3);
        assert!(image.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-14), "{image:?}");
        divide_by(&mut image, &[0.0; 9], 3);
        assert!(image.iter().all(|x| !x.is_finite()));
    }
}
