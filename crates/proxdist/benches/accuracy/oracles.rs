//! Exact constrained optima by means that share nothing with the library: dense linear algebra on the whole data, told the
//! truth that a fit has to find.

use faer::prelude::Solve as _;
use faer::{Mat, MatRef};
use proxdist::loss::Loss;
use proxdist::simulate::Simulated;

/// Rows and columns of the matrix problems.
const SIDE: usize = 64;

/// Newton's method for F on given columns plus (multiplier/2)‖θ‖².
fn newton(simulated: &Simulated, loss: &dyn Loss, columns: &[usize], multiplier: f64, start: &[f64]) -> Vec<f64> {
    let (n, p, m) = (simulated.y.len(), simulated.truth.len(), columns.len());
    let x = Mat::from_fn(n, m, |i, j| simulated.x[i * p + columns[j]]);
    let mut theta = Mat::from_fn(m, 1, |j, _| start[j]);
    let value = |theta: &Mat<f64>| {
        let eta = &x * theta;
        let losses: f64 = (0..n).map(|i| loss.value(eta[(i, 0)], simulated.y[i])).sum();
        losses / n as f64 + 0.5 * multiplier * theta.squared_norm_l2()
    };
    for _ in 0..60 {
        let eta = &x * &theta;
        let slopes = Mat::from_fn(n, 1, |i, _| loss.slope(eta[(i, 0)], simulated.y[i]) / n as f64);
        let gradient = x.transpose() * &slopes + faer::Scale(multiplier) * &theta;
        if gradient.norm_l2() < 1e-13 {
            break;
        }
        let weighted = Mat::from_fn(n, m, |i, j| x[(i, j)] * loss.curvature(eta[(i, 0)], simulated.y[i]) / n as f64);
        let hessian = x.transpose() * &weighted + faer::Scale(multiplier) * Mat::<f64>::identity(m, m);
        let step = hessian.partial_piv_lu().solve(&gradient);
        let (before, mut t) = (value(&theta), 1.0);
        let mut next = &theta - &step;
        while value(&next) > before && t > 1e-12 {
            t *= 0.5;
            next = &theta - faer::Scale(t) * &step;
        }
        theta = next;
    }
    (0..m).map(|j| theta[(j, 0)]).collect()
}

/// The minimiser on the true support.
pub(crate) fn on_support(simulated: &Simulated, loss: &dyn Loss) -> Vec<f64> {
    let p = simulated.truth.len();
    let support: Vec<usize> = (0..p).filter(|&j| simulated.truth[j] != 0.0).collect();
    let start: Vec<f64> = support.iter().map(|&j| simulated.truth[j]).collect();
    let restricted = newton(simulated, loss, &support, 0.0, &start);
    let mut theta = vec![0.0; p];
    support.iter().zip(restricted).for_each(|(&j, v)| theta[j] = v);
    theta
}

/// The minimiser in a centred ball, by a secant search for the multiplier.
pub(crate) fn in_ball(simulated: &Simulated, loss: &dyn Loss, radius: f64) -> Vec<f64> {
    let p = simulated.truth.len();
    let all: Vec<usize> = (0..p).collect();
    let length = |theta: &[f64]| theta.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut theta: Vec<f64> = simulated.truth.iter().map(|v| 0.5 * v).collect();
    // 1/‖θ(ν)‖ is nearly linear in the multiplier ν, so the secant method on it is quick.
    let (mut low, mut high) = (0.0, 1.0);
    let mut at = |multiplier: f64| {
        theta = newton(simulated, loss, &all, multiplier, &theta);
        (1.0 / length(&theta) - 1.0 / radius, theta.clone())
    };
    let (mut f_low, mut best) = at(low);
    if f_low >= 0.0 {
        return best;
    }
    let (mut f_high, _) = at(high);
    for _ in 0..40 {
        let next = high - f_high * (high - low) / (f_high - f_low);
        let (f_next, point) = at(next);
        best = point;
        if f_next.abs() < 1e-12 {
            break;
        }
        (low, f_low) = (high, f_high);
        (high, f_high) = (next, f_next);
    }
    let scale = radius / length(&best);
    best.iter().map(|v| v * scale).collect()
}

/// Alternating least squares from the truth.
pub(crate) fn of_rank(simulated: &Simulated, rank: usize) -> Vec<f64> {
    let truth = MatRef::from_row_major_slice(&simulated.truth, SIDE, SIDE);
    let svd = truth.thin_svd().unwrap();
    let mut right = Mat::from_fn(SIDE, rank, |i, k| svd.V()[(i, k)]);
    let mut theta = Mat::<f64>::zeros(SIDE, SIDE);
    for _ in 0..12 {
        // Given the right factor the model is linear in the left one, and the other way round. Orthonormal factors keep the
        // systems well conditioned.
        let left = least_squares(simulated, |x| x * &right, rank).qr().compute_thin_Q();
        let factor = least_squares(simulated, |x| x.transpose() * &left, rank);
        theta = &left * factor.transpose();
        right = factor.qr().compute_thin_Q();
    }
    (0..SIDE * SIDE).map(|c| theta[(c / SIDE, c % SIDE)]).collect()
}

/// The 64 × rank matrix B that fits y best as the inner product of B with a product of each row's matrix.
fn least_squares(simulated: &Simulated, product: impl Fn(MatRef<f64>) -> Mat<f64>, rank: usize) -> Mat<f64> {
    let n = simulated.y.len();
    let mut features = Mat::<f64>::zeros(n, SIDE * rank);
    for (i, x) in simulated.x.chunks_exact(SIDE * SIDE).enumerate() {
        let row = product(MatRef::from_row_major_slice(x, SIDE, SIDE));
        (0..SIDE * rank).for_each(|c| features[(i, c)] = row[(c / rank, c % rank)]);
    }
    let y = Mat::from_fn(n, 1, |i, _| simulated.y[i]);
    let solution = (features.transpose() * &features).partial_piv_lu().solve(features.transpose() * &y);
    Mat::from_fn(SIDE, rank, |i, k| solution[(i * rank + k, 0)])
}
