//! Orthonormal vectors: made one after the other (Gram and Schmidt), completed, rotated (Jacobi), and turned into unit vectors by reflections (Householder).

use crate::linalg::{axpy, dot, norm, norm_squared};

/// Rounds of rotations; a few are enough.
const SWEEPS: usize = 40;

/// $Z \leftarrow Z - 2hh^TZ$ for a row-major matrix of this width.
pub(super) fn apply(h: &[f64], z: &mut [f64], width: usize) {
    if width == 0 {
        return;
    }
    let mut along = vec![0.0; width];
    for (h, row) in h.iter().zip(z.chunks_exact(width)).filter(|(h, _)| **h != 0.0) {
        axpy(*h, row, &mut along);
    }
    for (h, row) in h.iter().zip(z.chunks_exact_mut(width)).filter(|(h, _)| **h != 0.0) {
        axpy(-2.0 * h, &along, row);
    }
}

/// Householder's reflections for orthonormal vectors.
pub(super) fn reflections(units: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(units.len());
    for (k, unit) in units.iter().enumerate() {
        let mut h = unit.clone();
        all.iter().for_each(|before| apply(before, &mut h, 1));
        h[..k].fill(0.0);
        h[k] += norm(&h).copysign(h[k]);
        let length = norm(&h);
        if length > 0.0 {
            h.iter_mut().for_each(|x| *x /= length);
        }
        all.push(h);
    }
    all
}

/// Makes `vector` orthogonal to `others` and of unit length; twice is enough.
pub(super) fn orthonormalise(vector: &mut [f64], others: &[Vec<f64>]) {
    for _ in 0..2 {
        for other in others {
            let along = dot(other, vector);
            axpy(-along, other, vector);
        }
        let length = norm(vector);
        if length > 0.0 {
            vector.iter_mut().for_each(|x| *x /= length);
        }
    }
}

/// Adds orthonormal vectors until there are `count`.
pub(super) fn complete(vectors: &mut Vec<Vec<f64>>, count: usize, length: usize) {
    let mut axis = 0;
    while vectors.len() < count && axis < length {
        let mut unit = vec![0.0; length];
        unit[axis] = 1.0;
        axis += 1;
        let outside = 1.0 - vectors.iter().map(|v| dot(v, &unit).powi(2)).sum::<f64>();
        if outside > 0.25 / length as f64 {
            orthonormalise(&mut unit, vectors);
            vectors.push(unit);
        }
    }
}

/// Rotates pairs of rows of `weighted` until all are orthogonal, and the vectors of `left` with them.
pub(super) fn rotate(left: &mut [Vec<f64>], weighted: &mut [Vec<f64>]) {
    for _ in 0..SWEEPS {
        let mut done = true;
        for a in 0..weighted.len() {
            for b in a + 1..weighted.len() {
                let product = dot(&weighted[a], &weighted[b]);
                let (first, second) = (norm_squared(&weighted[a]), norm_squared(&weighted[b]));
                if product.is_nan() || product.abs() <= 1e-15 * (first * second).sqrt() {
                    continue;
                }
                done = false;
                let tangent = {
                    let zeta = (second - first) / (2.0 * product);
                    1.0_f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0))
                };
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = cosine * tangent;
                for rows in [&mut *left, &mut *weighted] {
                    for x in 0..rows[a].len() {
                        let (p, q) = (rows[a][x], rows[b][x]);
                        rows[a][x] = cosine * p - sine * q;
                        rows[b][x] = sine * p + cosine * q;
                    }
                }
            }
        }
        if done {
            break;
        }
    }
}
