//! Sums over vectors in a fixed order: eight running sums, so that the compiler may use wide registers and the bits
//! do not depend on which ones the machine has.

/// $\sum_i x_i y_i$
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (x_chunks, y_chunks) = (x.chunks_exact(8), y.chunks_exact(8));
    let tail: f64 = x_chunks.remainder().iter().zip(y_chunks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in x_chunks.zip(y_chunks) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + tail
}

/// $\|x\|^2$
pub(crate) fn norm_squared(x: &[f64]) -> f64 {
    dot(x, x)
}

/// $\|x\|$
pub(crate) fn norm(x: &[f64]) -> f64 {
    norm_squared(x).sqrt()
}

/// `y += factor · x`
pub(crate) fn axpy(factor: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

/// Whether every entry is finite: `0 · x` is NaN otherwise.
pub(crate) fn all_finite(x: &[f64]) -> bool {
    x.iter().map(|x| x * 0.0).sum::<f64>() == 0.0
}
