//! A few leading eigenvectors of a symmetric tridiagonal matrix whose eigenvalues are known, by inverse iteration.
//!
//! Solving with $T - \lambda I$ blows up exactly the eigenvector of $\lambda$, so two or three solves from a fixed start
//! are enough; vectors are kept orthogonal to those found before, which also takes care of close eigenvalues. Each solve
//! is $O(n)$, so a few vectors cost far less than all of them.

/// Solves per vector.
const SOLVES: usize = 3;

/// A symmetric matrix with nonzeros on and beside the diagonal; `beside` has the same length, its last entry unused.
pub(super) struct Tridiagonal<'a> {
    pub(super) diagonal: &'a [f64],
    pub(super) beside: &'a [f64],
}

impl Tridiagonal<'_> {
    /// Writes unit eigenvectors for the given eigenvalues (falling) into the columns of `vectors`; `space` holds three
    /// numbers per row. Returns the residual norm of each vector through `residuals`.
    pub(super) fn eigenvectors(
        &self,
        values: impl Iterator<Item = f64>,
        vectors: &mut [f64],
        residuals: &mut [f64],
        space: &mut [f64],
    ) {
        let n = self.diagonal.len();
        let size = self.diagonal.iter().chain(self.beside).fold(0.0_f64, |top, x| top.max(x.abs()));
        let apart = 10.0 * f64::EPSILON * size;
        let mut shift = f64::INFINITY;
        for (i, value) in values.enumerate().take(residuals.len()) {
            // Equal shifts would give the same vector twice.
            shift = value.min(shift - apart);
            let (found, rest) = vectors.split_at_mut(i * n);
            let x = &mut rest[..n];
            for (j, x) in x.iter_mut().enumerate() {
                *x = 1.0 + ((j * 7 + i * 3) % 11) as f64 / 11.0;
            }
            for _ in 0..SOLVES {
                self.solve(shift, apart * 0.1, x, space);
                normalise(x);
                // Twice: once loses digits when the vector leans on those before.
                for other in found.chunks_exact(n).chain(found.chunks_exact(n)) {
                    let product: f64 = other.iter().zip(&*x).map(|(a, b)| a * b).sum();
                    x.iter_mut().zip(other).for_each(|(x, a)| *x -= product * a);
                }
                normalise(x);
            }
            residuals[i] = self.residual(value, x);
        }
    }

    /// Replaces `x` by the solution of $(T - \lambda I) y = x$, by elimination with row exchanges; pivots below `least`
    /// are lifted to it, since only the direction of the solution matters.
    fn solve(&self, shift: f64, least: f64, x: &mut [f64], space: &mut [f64]) {
        let n = x.len();
        let (first, space) = space.split_at_mut(n);
        let (second, third) = space.split_at_mut(n);
        let (mut a, mut b) = (self.diagonal[0] - shift, self.beside[0]);
        for i in 0..n - 1 {
            let (below, next) = (self.beside[i], self.diagonal[i + 1] - shift);
            let after = if i + 2 < n { self.beside[i + 1] } else { 0.0 };
            if a.abs() >= below.abs() {
                a = lifted(a, least);
                let factor = below / a;
                (first[i], second[i], third[i]) = (a, b, 0.0);
                (a, b) = (next - factor * b, after);
                x[i + 1] -= factor * x[i];
            } else {
                let factor = a / below;
                (first[i], second[i], third[i]) = (below, next, after);
                (a, b) = (b - factor * next, -factor * after);
                x.swap(i, i + 1);
                x[i + 1] -= factor * x[i];
            }
        }
        first[n - 1] = lifted(a, least);
        for i in (0..n).rev() {
            let mut right = x[i];
            if i + 1 < n {
                right -= second[i] * x[i + 1];
            }
            if i + 2 < n {
                right -= third[i] * x[i + 2];
            }
            x[i] = right / first[i];
        }
    }

    fn residual(&self, value: f64, x: &[f64]) -> f64 {
        let n = x.len();
        let entry = |i: usize| {
            let before = if i > 0 { self.beside[i - 1] * x[i - 1] } else { 0.0 };
            let after = if i + 1 < n { self.beside[i] * x[i + 1] } else { 0.0 };
            before + (self.diagonal[i] - value) * x[i] + after
        };
        (0..n).map(|i| entry(i).powi(2)).sum::<f64>().sqrt()
    }
}

fn lifted(pivot: f64, least: f64) -> f64 {
    if pivot.abs() >= least { pivot } else { least.copysign(pivot) }
}

fn normalise(x: &mut [f64]) {
    let top = x.iter().fold(0.0_f64, |top, x| top.max(x.abs()));
    let norm = top * x.iter().map(|x| (x / top).powi(2)).sum::<f64>().sqrt();
    for x in x {
        *x /= norm;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_difference_matrix_has_sine_vectors() {
        let n = 20;
        let (diagonal, beside) = (vec![2.0; n], vec![-1.0; n]);
        let angle = |k: usize| std::f64::consts::PI * (n - k) as f64 / (n + 1) as f64;
        let matrix = Tridiagonal { diagonal: &diagonal, beside: &beside };
        let (mut vectors, mut residuals) = (vec![0.0; 3 * n], [1.0; 3]);
        let values = (0..3).map(|k| 2.0 - 2.0 * angle(k).cos());
        matrix.eigenvectors(values, &mut vectors, &mut residuals, &mut vec![0.0; 3 * n]);
        assert!(residuals.iter().all(|residual| *residual < 1e-14), "{residuals:?}");
        for (k, vector) in vectors.chunks(n).enumerate() {
            let scale = (2.0 / (n + 1) as f64).sqrt() * (vector[0] * angle(k).sin()).signum();
            for (j, x) in vector.iter().enumerate() {
                assert!((x - scale * (angle(k) * (j + 1) as f64).sin()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn equal_eigenvalues_get_orthogonal_vectors() {
        let matrix = Tridiagonal { diagonal: &[3.0, 3.0, 3.0, 1.0], beside: &[0.0; 4] };
        let (mut vectors, mut residuals) = (vec![0.0; 12], [1.0; 3]);
        matrix.eigenvectors([3.0; 3].into_iter(), &mut vectors, &mut residuals, &mut [0.0; 12]);
        for (i, x) in vectors.chunks(4).enumerate() {
            for (j, y) in vectors.chunks(4).enumerate() {
                let product: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12, "{vectors:?}");
            }
        }
        assert!(residuals.iter().all(|residual| *residual < 1e-13), "{residuals:?}");
    }
}
