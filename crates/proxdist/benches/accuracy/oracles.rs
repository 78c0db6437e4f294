//! Exact constrained optima by means that share nothing with the library: dense linear algebra on the whole data, told the
//! truth that a fit has to find.

use faer::prelude::Solve as _;
use faer::{Mat, MatRef};
use proxdist::loss::Loss;
use proxdist::simulate::Simulated;

/// Rows and columns of the matrix problems.
const SIDE: usize = 64;

/// Newton's method for F on given columns.
fn newton(simulated: &Simulated, loss: &dyn Loss, columns: &[usize], start: &[f64]) -> Vec<f64> {
    let (n, p, m) = (simulated.y.len(), simulated.truth.len(), columns.len());
    let x = Mat::from_fn(n, m, |i, j| simulated.x[i * p + columns[j]]);
    let mut theta = Mat::from_fn(m, 1, |j, _| start[j]);
    let value = |theta: &Mat<f64>| {
        let eta = &x * theta;
        let losses: f64 = (0..n).map(|i| loss.value(eta[(i, 0)], simulated.y[i])).sum();
        losses / n as f64
    };
    for _ in 0..30 {
        let eta = &x * &theta;
        let slopes = Mat::from_fn(n, 1, |i, _| loss.slope(eta[(i, 0)], simulated.y[i]) / n as f64);
        let gradient = x.transpose() * &slopes;
        if gradient.norm_l2() < 1e-12 {
            break;
        }
        let weighted = Mat::from_fn(n, m, |i, j| x[(i, j)] * loss.curvature(eta[(i, 0)], simulated.y[i]) / n as f64);
        let hessian = x.transpose() * &weighted;
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
    let restricted = newton(simulated, loss, &support, &start);
    let mut theta = vec![0.0; p];
    support.iter().zip(restricted).for_each(|(&j, v)| theta[j] = v);
    theta
}

/// The minimiser in a centred ball: quadratic models, each minimised over the ball by a search for the multiplier.
pub(crate) fn in_ball(simulated: &Simulated, loss: &dyn Loss, radius: f64) -> Vec<f64> {
    let (n, p) = (simulated.y.len(), simulated.truth.len());
    let x = MatRef::from_row_major_slice(&simulated.x, n, p);
    let mut theta = Mat::from_fn(p, 1, |j, _| 0.5 * simulated.truth[j]);
    for _ in 0..12 {
        let eta = x * &theta;
        let slopes = Mat::from_fn(n, 1, |i, _| loss.slope(eta[(i, 0)], simulated.y[i]) / n as f64);
        let mut weighted = x.to_owned();
        for i in 0..n {
            let factor = loss.curvature(eta[(i, 0)], simulated.y[i]) / n as f64;
            (0..p).for_each(|j| weighted[(i, j)] *= factor);
        }
        let hessian = x.transpose() * &weighted;
        let right = &hessian * &theta - x.transpose() * &slopes;
        let at = |multiplier: f64| {
            let shifted = &hessian + faer::Scale(multiplier) * Mat::<f64>::identity(p, p);
            shifted.llt(faer::Side::Lower).unwrap().solve(&right)
        };
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..45 {
            let middle = 0.5 * (low + high);
            if at(middle).norm_l2() > radius { low = middle } else { high = middle }
        }
        let next = at(high);
        let moved = (&next - &theta).norm_l2();
        theta = next;
        if moved < 1e-10 {
            break;
        }
    }
    let scale = radius / theta.norm_l2().max(radius);
    (0..p).map(|j| theta[(j, 0)] * scale).collect()
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
