//! Is $G - D$ positive semidefinite? Shown, not estimated.
//!
//! If the Cholesky factorisation of a floating-point matrix $A$ of size $k$ runs to its end, then $LL^T = A + E$ with
//! $|E_{ij}| \le \gamma\sqrt{a_{ii}a_{jj}}$, $\gamma = (k + 1)u/(1 - (k + 1)u)$ and $u$ the unit roundoff, whatever the order of the sums (Demmel 1989;
//! Higham, Accuracy and Stability, theorem 10.5). Since $(\sum_i\sqrt{a_{ii}}|x_i|)^2 \le k\sum_ia_{ii}x_i^2$,
//! $$A \succeq -k\gamma\,\mathrm{diag}(a_{ii}).$$
//! So $G - D \succeq 0$ is shown by a factorisation of $G - D - \mathrm{shift}$ with a shift of $k\gamma G_{jj}$; it is taken four times larger, for
//! kernels that multiply by reciprocals and for the rounding of the diagonal itself.

use crate::linalg::Cholesky;

/// The unit roundoff.
pub(super) const UNIT: f64 = 0.5 * f64::EPSILON;

/// Part of a diagonal entry that is taken away before a matrix of this size is factored.
pub(super) fn shift(size: usize) -> f64 {
    4.0 * UNIT * size as f64 * (size + 8) as f64
}

/// Whether $G - D \succeq 0$ is shown, for the full symmetric matrix $G$ of the size of $D$.
pub(super) fn is_shown(gram: &[f64], diagonal: &[f64], cholesky: &mut Cholesky) -> bool {
    let size = diagonal.len();
    if size == 0 {
        return true;
    }
    let share = shift(size);
    let matrix = cholesky.matrix(size);
    matrix.copy_from_slice(gram);
    for (j, d) in diagonal.iter().enumerate() {
        let entry = &mut matrix[j * size + j];
        let rest = *entry - d - share * *entry;
        // Also `false` for NaN.
        let is_hopeful = *d >= 0.0 && rest > 0.0;
        if !is_hopeful {
            return false;
        }
        *entry = rest;
    }
    cholesky.factor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_is_shown() {
        let mut cholesky = Cholesky::default();
        let gram = [2.0, 1.0, 1.0, 2.0];
        assert!(is_shown(&gram, &[0.999, 0.999], &mut cholesky));
        assert!(!is_shown(&gram, &[1.0, 1.0], &mut cholesky), "singular: true, but not shown");
        assert!(!is_shown(&gram, &[1.001, 1.0], &mut cholesky));
        assert!(!is_shown(&gram, &[f64::NAN, 0.0], &mut cholesky));
        assert!(!is_shown(&[1.0, 1.0, 1.0, 1.0], &[0.0, 0.0], &mut cholesky));
    }
}
