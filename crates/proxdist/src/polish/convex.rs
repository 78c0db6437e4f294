//! stand-in
use super::Smooth;
use crate::constraint::Constraint;
use crate::error::Result;
use crate::linalg::{Cholesky, dot, norm};

pub(crate) struct Finished {
    pub(crate) value: f64,
}

pub(crate) fn minimise(f: &mut dyn Smooth, _set: &dyn Constraint, x: &mut [f64], tol: f64) -> Result<Finished> {
    let d = f.dimension();
    let mut g = vec![0.0; d];
    let mut chol = Cholesky::default();
    let mut value = f.gradient(x, &mut g)?;
    let first = norm(&g);
    for _ in 0..50 {
        if norm(&g) <= tol * first.max(1e-3) { break; }
        f.linearise(x)?;
        f.hessian(chol.matrix(d))?;
        let tr: f64 = (0..d).map(|j| chol.matrix(d)[j * d + j]).sum();
        for j in 0..d { chol.matrix(d)[j * d + j] += 1e-13 * tr; }
        if !chol.factor() { break; }
        let mut step = g.clone();
        chol.solve(&mut step);
        let slope = -dot(&g, &step);
        let mut t = 1.0;
        let start = x.to_vec();
        let mut ok = false;
        for _ in 0..40 {
            for j in 0..d { x[j] = start[j] - t * step[j]; }
            let v = f.gradient(x, &mut g)?;
            if v <= value + 1e-4 * t * slope + 1e-15 * value.abs() { value = v; ok = true; break; }
            t *= 0.5;
        }
        if !ok { x.copy_from_slice(&start); value = f.gradient(x, &mut g)?; break; }
        if -slope <= 1e-16 * value.abs() { break; }
    }
    Ok(Finished { value })
}
