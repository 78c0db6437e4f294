//! Minimisation over matrices of rank at most $r$ by Newton's method in the factors.
//!
//! At $\Theta = U\Sigma V^T$ ($p \times q$, orthonormal $U$, $V$ with $r$ columns) every nearby matrix of rank $r$ is
//! $$\Theta(A, B) = (U + B\Sigma^{-1})(\Sigma V^T + A) = \Theta + UA + BV^T + B\Sigma^{-1}A,$$
//! with $A$ of $r \times q$ and $B$ of $p \times r$. A row $X_i$ sees the first-order part through the features $U^TX_i$ and
//! $X_iV$, so with slopes and curvatures $s_i, c_i$ of the loss the quadratic model of F in $(A, B, \beta_0)$ has the gradient
//! $\sum_i s_i\phi_i$ and the Hessian $\sum_i c_i\phi_i\phi_i^T$ (Gauss–Newton), plus $G_{ij}/\sigma_k$ between $B_{ik}$ and
//! $A_{kj}$, where $G = \nabla F(\Theta)$: the bend of the set. Moves $A = MV^T$, $B = -UM$ change nothing; the penalty
//! $\tau\|U^TB - AV\|^2$ fixes them. With the bend the convergence is quadratic; if it makes the matrix indefinite, or if
//! $\Theta$ has a rank below $r$, it is left out and damping is added until the step descends.
//!
//! One pass over the rows gives F, $G$ and the normal equations, $O(n(r(p + q))^2)$. The sums run over fixed slabs of
//! rows, so the bits do not depend on the number of threads.

use super::descent::distance;
use super::factors::Factors;
use super::normal::{Derivatives, derivatives};
use super::{Finished, Until};
use crate::constraint::{Constraint, Rank, Workspace, projected};
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, dot, norm};
use crate::objective::Objective;

const MOST_ITERATIONS: usize = 50;
/// Step lengths tried before the damping is raised, each a quarter of the one before.
const LENGTHS: usize = 3;
/// Unknowns beyond which the normal equations are too large to form.
const MOST_UNKNOWNS: usize = 4000;
/// Smallest and largest damping, relative to the mean curvature.
const LEAST_DAMPING: f64 = 1e-13;
const MOST_DAMPING: f64 = 1e8;
/// Smallest $\sigma_r/\sigma_1$ for which the bend is used.
const FULL_RANK: f64 = 1e-6;
const ARMIJO: f64 = 1e-4;
/// Predicted decreases below this, relative to F, are followed by a pass without normal equations.
const LAST_STEP: f64 = 1e-4;
/// Distance to the set that is rounding, relative to the matrix.
const INSIDE: f64 = 1e-12;
const ROUNDING: f64 = 2e-14;

/// Lowers F over `rows × columns` matrices of rank at most `rank` from `theta`: such a matrix, row by row, and then the
/// intercept if there is one. Ends when the gradient along the set is below the tolerance relative to $\sqrt{2LF}$.
///
/// A step that does not lower F is not taken.
/// Where the normal equations would be too large (`rank · (rows + columns)` above 4000) the point is left as it is.
pub(crate) fn minimise(
    objective: Objective,
    (rank, rows, columns): (usize, usize, usize),
    theta: &mut [f64],
    until: &mut Until,
) -> Result<Finished> {
    let set = Rank::at_most(rank, rows, columns);
    let size = rows * columns;
    let nearest = projected(&set, &theta[..size])?;
    if distance(&nearest, &theta[..size]) > INSIDE * norm(&nearest) {
        theta[..size].copy_from_slice(&nearest);
    }
    let unknowns = rank * (rows + columns);
    let mut factors = Factors::of(&theta[..size], rows, columns, rank);
    let possible = unknowns <= MOST_UNKNOWNS && unknowns + theta.len() > size;
    let mut now = derivatives(objective, &factors, theta, possible)?;
    let first = now.value;
    let mut report =
        Finished { value: first, stationarity: f64::INFINITY, gradient: None, iterations: 0, hessian_products: 0 };
    let mut newton = Newton { damping: LEAST_DAMPING, cholesky: Cholesky::default() };
    loop {
        report.stationarity = factors.tangent_norm(&now.gradient);
        let scale = (2.0 * now.mean_curvature * now.value.abs()).sqrt();
        if !possible || !now.is_finite() || report.stationarity <= until.tolerance * scale {
            break;
        }
        if report.iterations >= MOST_ITERATIONS || until.is_over() {
            break;
        }
        report.iterations += 1;
        if now.normal.is_none() {
            now = derivatives(objective, &factors, theta, true)?;
        }
        report.hessian_products += 1;
        let Some((point, next)) = newton.step(objective, &set, &factors, &now, theta, (report.stationarity, first))?
        else {
            break;
        };
        theta.copy_from_slice(&point);
        factors = Factors::of(&theta[..size], rows, columns, rank);
        now = next;
    }
    (report.value, report.gradient) = (now.value, Some(now.gradient));
    Ok(report)
}

struct Newton {
    damping: f64,
    cholesky: Cholesky,
}

impl Newton {
    /// A point with lower F and the derivatives there, or nothing if no step descends.
    fn step(
        &mut self,
        objective: Objective,
        set: &Rank,
        factors: &Factors,
        now: &Derivatives,
        theta: &[f64],
        (residual, ceiling): (f64, f64),
    ) -> Result<Option<(Vec<f64>, Derivatives)>> {
        let mut bend = factors.condition() > FULL_RANK;
        let mut work = Workspace::default();
        let size = factors.size();
        while self.damping <= MOST_DAMPING {
            let Some(step) = self.direction(factors, now, bend) else {
                // Not positive definite: first without the bend, then with more damping.
                if !bend {
                    self.damping *= 100.0;
                }
                bend = false;
                continue;
            };
            let slope = dot(&step, &now.reduced);
            let mut t = 1.0;
            for _ in 0..LENGTHS {
                let mut point = theta.to_vec();
                factors.moved(&step, t, bend, &mut point);
                set.project(&mut point[..size], &mut work)?;
                let small = -slope <= LAST_STEP * now.value.abs();
                let moved = Factors::of(&point[..size], factors.rows, factors.columns, factors.rank);
                let next = derivatives(objective, &moved, &point, !small)?;
                let unverifiable = -slope <= 1e-11 * now.value.abs()
                    && next.value <= ceiling.min(now.value + ROUNDING * now.value.abs())
                    && moved.tangent_norm(&next.gradient) < 0.5 * residual;
                if next.is_finite() && (next.value <= now.value + ARMIJO * t * slope || unverifiable) {
                    self.damping = if t == 1.0 { (0.01 * self.damping).max(LEAST_DAMPING) } else { self.damping };
                    return Ok(Some((point, next)));
                }
                if -slope <= ROUNDING * now.value.abs() {
                    return Ok(None);
                }
                t *= 0.25;
            }
            bend = false;
            self.damping = (100.0 * self.damping).max(1e-6);
        }
        Ok(None)
    }

    /// The minimiser of the quadratic model; nothing if it is not convex.
    fn direction(&mut self, factors: &Factors, now: &Derivatives, bend: bool) -> Option<Vec<f64>> {
        let normal = now.normal.as_ref()?;
        let size = now.reduced.len();
        let matrix = self.cholesky.matrix(size);
        matrix.copy_from_slice(normal);
        if bend {
            factors.add_bend(&now.gradient, matrix, size);
        }
        let trace: f64 = (0..size).map(|k| normal[k * size + k]).sum();
        let mean = if trace > 0.0 { trace / size as f64 } else { 1.0 };
        factors.add_gauge(mean, matrix, size);
        (0..size).for_each(|k| matrix[k * size + k] += self.damping * mean);
        if !self.cholesky.factor() {
            return None;
        }
        let mut step: Vec<f64> = now.reduced.iter().map(|g| -g).collect();
        self.cholesky.solve(&mut step);
        all_finite(&step).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::linalg::axpy;
    use crate::loss::{Huber, Logistic, Loss, Squared};
    use crate::polish::testing::{never, numbers, until};

    const SHAPE: (usize, usize) = (6, 5);

    struct Made {
        x: Vec<f64>,
        y: Vec<f64>,
        weights: Vec<f64>,
        offset: Vec<f64>,
        truth: Vec<f64>,
    }

    fn made(rank: usize, rows: usize, seed: u64, classes: bool) -> Made {
        let size = SHAPE.0 * SHAPE.1;
        let x = numbers(rows * size, seed);
        let set = Rank::at_most(rank, SHAPE.0, SHAPE.1);
        let truth = projected(&set, &numbers(size, seed + 1).iter().map(|t| 3.0 * t).collect::<Vec<_>>()).unwrap();
        let noise = numbers(rows, seed + 2);
        let y = x.chunks_exact(size).zip(&noise).map(|(x, e)| {
            let eta = dot(x, &truth) + 0.5 + e;
            if classes { f64::from(u8::from(eta > 0.0)) } else { eta }
        });
        let y = y.collect();
        let weights = numbers(rows, seed + 3).iter().map(|w| (1.0 + w).max(0.1)).collect();
        Made { y, x, weights, offset: numbers(rows, seed + 4), truth }
    }

    /// Weighted least squares of one factor for the other fixed, over and over; the intercept joins both.
    fn alternating(objective: Objective, rank: usize, start: &[f64], has_intercept: bool) -> Vec<f64> {
        let (p, q) = SHAPE;
        let mut theta = start.to_vec();
        let mut cholesky = Cholesky::default();
        for round in 0..4000 {
            let factors = Factors::of(&theta[..p * q], p, q, rank);
            let on_left = round % 2 == 0;
            let width = if on_left { p * rank } else { q * rank };
            let size = width + usize::from(has_intercept);
            let feature = |x: &[f64]| -> Vec<f64> {
                let mut out = vec![0.0; size];
                for i in 0..p {
                    for j in 0..q {
                        for k in 0..rank {
                            let (at, other) = if on_left { (i, factors.right[k][j]) } else { (j, factors.left[k][i]) };
                            out[at * rank + k] += x[i * q + j] * other;
                        }
                    }
                }
                out[width..].fill(1.0);
                out
            };
            let mut matrix = vec![0.0; size * size];
            let mut right = vec![0.0; size];
            let data = objective.data;
            let x = data.source().borrow().unwrap();
            for i in 0..data.rows() {
                let row: Vec<f64> = x.row(i).map(|(_, x)| x).collect();
                let f = feature(&row);
                let w = data.weight(i) / data.weight_sum();
                axpy(w * (data.response()[i] - data.offset_of(i)), &f, &mut right);
                (0..size).for_each(|k| axpy(w * f[k], &f, &mut matrix[k * size..(k + 1) * size]));
            }
            (0..width).for_each(|k| matrix[k * size + k] += objective.ridge);
            cholesky.matrix(size).copy_from_slice(&matrix);
            assert!(cholesky.factor());
            cholesky.solve(&mut right);
            for i in 0..p {
                for j in 0..q {
                    let term = |k: usize| {
                        if on_left {
                            right[i * rank + k] * factors.right[k][j]
                        } else {
                            right[j * rank + k] * factors.left[k][i]
                        }
                    };
                    theta[i * q + j] = (0..rank).map(term).sum();
                }
            }
            if has_intercept {
                theta[p * q] = right[width];
            }
        }
        theta
    }

    #[test]
    fn least_squares_ends_where_alternation_does() {
        for (rank, has_intercept, weighted, ridge) in
            [(1, false, false, 0.0), (2, false, false, 0.0), (1, true, true, 0.0), (2, true, true, 0.05)]
        {
            let made = made(rank, 150, 10 + rank as u64, false);
            let mut data = Data::dense(&made.x, 30, &made.y).unwrap();
            if weighted {
                data = data.weights(&made.weights).unwrap().offset(&made.offset).unwrap();
            }
            let objective = Objective::new(&data, &Squared, ridge);
            let mut start: Vec<f64> = made.truth.iter().zip(numbers(30, 3)).map(|(t, e)| t + 0.2 * e).collect();
            if has_intercept {
                start.push(0.0);
            }
            let set = Rank::at_most(rank, 6, 5);
            set.project(&mut start[..30], &mut Workspace::default()).unwrap();
            let mut found = start.clone();
            let report = minimise(objective, (rank, 6, 5), &mut found, &mut until(1e-12, &mut never)).unwrap();
            let expected = alternating(objective, rank, &start, has_intercept);
            let gap = distance(&found, &expected);
            assert!(gap < 1e-8, "rank {rank}: {gap:e} after {report:?}");
            assert!(report.iterations <= 8, "{report:?}");
            assert!((report.value - objective.value(&found)).abs() <= 1e-14, "{report:?}");
            assert!(report.stationarity < 1e-10, "{report:?}");
        }
    }

    fn obeys_the_laws(loss: &dyn Loss, classes: bool, rank: usize, start_rank: usize, seed: u64) {
        let made = made(2, 200, seed, classes);
        let data = Data::dense(&made.x, 30, &made.y).unwrap();
        let objective = Objective::new(&data, loss, 0.0);
        let start = projected(&Rank::at_most(start_rank, 6, 5), &numbers(30, seed + 9)).unwrap();
        let mut theta = [start, vec![0.1]].concat();
        let before = objective.value(&theta);
        let report = minimise(objective, (rank, 6, 5), &mut theta, &mut until(1e-11, &mut never)).unwrap();
        assert!(objective.value(&theta) <= before * (1.0 + 1e-14));
        assert!(report.stationarity < 1e-8, "{} rank {rank} from {start_rank}: {report:?}", loss.spec());
        let again = projected(&Rank::at_most(rank, 6, 5), &theta[..30]).unwrap();
        let outside = distance(&again, &theta[..30]);
        assert!(
            outside < 1e-12 * (1.0 + norm(&theta)),
            "{} {rank} {start_rank}: {outside:e} {}",
            loss.spec(),
            norm(&theta)
        );
    }

    #[test]
    fn every_loss_ends_stationary_from_any_start() {
        for seed in [20, 30, 40] {
            for (rank, start) in [(1, 1), (2, 2), (2, 1), (2, 0), (3, 3), (5, 5)] {
                obeys_the_laws(&Squared, false, rank, start, seed);
                obeys_the_laws(&Logistic, true, rank.min(2), start.min(2), seed);
                obeys_the_laws(&Huber::with_delta(1.0).unwrap(), false, rank, start, seed);
            }
        }
    }

    #[test]
    fn sparse_rows_give_the_same_result_and_rank_zero_is_zero() {
        let made = made(2, 100, 50, false);
        let data = Data::dense(&made.x, 30, &made.y).unwrap();
        let (starts, indices): (Vec<usize>, Vec<u32>) =
            ((0..=100).map(|i| 30 * i).collect(), (0..100).flat_map(|_| 0..30).collect());
        let sparse = Data::sparse(&starts, &indices, &made.x, 30, &made.y).unwrap();
        let (mut a, mut b) = (made.truth.clone(), made.truth.clone());
        minimise(Objective::new(&data, &Squared, 0.0), (2, 6, 5), &mut a, &mut until(1e-12, &mut never)).unwrap();
        minimise(Objective::new(&sparse, &Squared, 0.0), (2, 6, 5), &mut b, &mut until(1e-12, &mut never)).unwrap();
        assert!(distance(&a, &b) < 1e-12);
        minimise(Objective::new(&data, &Squared, 0.0), (0, 6, 5), &mut a, &mut until(1e-12, &mut never)).unwrap();
        assert!(a.iter().all(|x| *x == 0.0));
        // Only the intercept is left: the mean of the response.
        a.push(0.0);
        minimise(Objective::new(&data, &Squared, 0.0), (0, 6, 5), &mut a, &mut until(1e-12, &mut never)).unwrap();
        assert!((a[30] - made.y.iter().sum::<f64>() / 100.0).abs() < 1e-12);
    }
}
