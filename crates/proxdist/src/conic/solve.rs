//! An approximate minimiser of a quadratic function over a set, and which rows and balls hold with equality there.
//!
//! Two interior-point methods on the same scaled problem. **Clarabel** is mature, proves infeasibility, and factors sparsely: right for small problems and
//! for diagonal Hessians of any size. A model of F has a dense Hessian, for which a sparse factorisation is slow: 33 ms at 100
//! variables, 0.5 s at 300, 9.3 s at 1000 (monotone & ball, one thread, a busy machine). Beyond [`SMALL`] variables `interior.rs` factors densely instead.

use super::interior::{Ended, interior};
use super::scaled::{Reach, Scaled};
use super::{Active, Conic, Hessian, Quadratic};
use crate::linalg::{Cholesky, norm};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// Variables up to which Clarabel minimises dense models.
const SMALL: usize = 60;

/// What was found.
pub(crate) enum Model {
    /// A point near the minimiser.
    Found {
        /// The point, in the units of the set.
        x: Vec<f64>,
        /// What holds with equality at the minimiser.
        active: Active,
    },
    /// There is a certificate that the set has no point.
    Empty,
    /// No method came near.
    Failed,
}

/// Minimises from `start`; `cholesky` lends its memory.
pub(crate) fn solve(
    quadratic: &Quadratic,
    conic: &Conic,
    start: &[f64],
    reach: Reach,
    cholesky: &mut Cholesky,
) -> Model {
    if conic.rows.is_empty() && conic.balls.is_empty() {
        // Nothing to find out: the refinement is Newton's method.
        let active = Active { rows: Vec::new(), balls: Vec::new(), apexes: Vec::new() };
        return Model::Found { x: start.to_vec(), active };
    }
    let scaled = Scaled::of(quadratic, conic, start, reach);
    if let Hessian::Dense(hessian) = &scaled.hessian
        && start.len() > SMALL
        && scaled.balls.iter().all(|ball| ball.cone.is_none())
    {
        let start: Vec<f64> = start.iter().zip(&scaled.units).map(|(x, unit)| x / unit).collect();
        if let Some(ended) = interior(&scaled, hessian, &start, cholesky) {
            return found(&scaled, conic, &ended);
        }
    }
    by_clarabel(&scaled, conic)
}

fn found(scaled: &Scaled, conic: &Conic, ended: &Ended) -> Model {
    let mut rows = vec![false; conic.rows.len()];
    scaled.equalities.iter().for_each(|&at| rows[at] = true);
    for (i, &at) in scaled.inequalities.iter().enumerate() {
        rows[at] = ended.row_multipliers[i] > ended.row_slacks[i];
    }
    let ball = |(k, ball): (usize, &super::scaled::ScaledBall)| {
        let is_active = ended.ball_multipliers[k] > ended.ball_slacks[k] && !ended.apexes.contains(&k);
        if is_active { (ended.ball_multipliers[k] * ball.multiplier_unit).max(f64::MIN_POSITIVE) } else { 0.0 }
    };
    let balls = scaled.balls.iter().enumerate().map(ball).collect();
    let apexes = scaled.balls.iter().enumerate().map(|(k, _)| ended.apexes.contains(&k)).collect();
    let x = ended.x.iter().zip(&scaled.units).map(|(x, unit)| x * unit).collect();
    Model::Found { x, active: Active { rows, balls, apexes } }
}

fn by_clarabel(scaled: &Scaled, conic: &Conic) -> Model {
    let size = scaled.units.len();
    let hessian = upper_triangle(&scaled.hessian, size);
    // Equations, inequalities, then the balls: (r, x − c) in a second-order cone.
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    let mut right: Vec<f64> = Vec::new();
    for row in scaled.equations.iter().chain(&scaled.rows) {
        entries.extend(row.terms.iter().map(|&(j, a)| (j, right.len(), a)));
        right.push(row.right);
    }
    let (equations, linear) = (scaled.equations.len(), right.len());
    let mut cones = Vec::new();
    if equations > 0 {
        cones.push(SupportedConeT::ZeroConeT(equations));
    }
    if linear > equations {
        cones.push(SupportedConeT::NonnegativeConeT(linear - equations));
    }
    for ball in &scaled.balls {
        if let Some(cone) = &ball.cone {
            entries.push((cone.growth.0, right.len(), -cone.growth.1));
            right.push(cone.right);
            for &(j, w, a) in &cone.terms {
                entries.push((j, right.len(), -w));
                right.push(-w * a);
            }
            cones.push(SupportedConeT::SecondOrderConeT(cone.terms.len() + 1));
            continue;
        }
        // √(Σ w(x − a)²) ≤ √ρ
        right.push((2.0 * ball.half_square).sqrt());
        for &(j, w, a) in &ball.terms {
            entries.push((j, right.len(), -w.sqrt()));
            right.push(-w.sqrt() * a);
        }
        cones.push(SupportedConeT::SecondOrderConeT(ball.terms.len() + 1));
    }
    let matrix = columns(entries, right.len(), size);
    let settings = DefaultSettings {
        verbose: false,
        max_threads: 1,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        reduced_tol_gap_abs: 1e-6,
        reduced_tol_gap_rel: 1e-6,
        reduced_tol_feas: 1e-6,
        ..DefaultSettings::default()
    };
    let Ok(mut solver) = DefaultSolver::new(&hessian, &scaled.linear, &matrix, &right, &cones, settings) else {
        return Model::Failed;
    };
    solver.solve();
    let solution = &solver.solution;
    match solution.status {
        SolverStatus::PrimalInfeasible => return Model::Empty,
        SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress => {}
        _ => return Model::Failed,
    }
    let mut ended = Ended {
        x: solution.x.clone(),
        row_slacks: solution.s[equations..linear].to_vec(),
        row_multipliers: solution.z[equations..linear].to_vec(),
        ball_slacks: Vec::new(),
        ball_multipliers: Vec::new(),
        apexes: Vec::new(),
    };
    let mut at = linear;
    for (k, ball) in scaled.balls.iter().enumerate() {
        if let Some(cone) = &ball.cone {
            let end = at + cone.terms.len();
            let (length, force) = (norm(&solution.s[at + 1..=end]), norm(&solution.z[at + 1..=end]));
            // At the apex the force is inside the cone of normals, and the point has no room on either side.
            if solution.z[at] - force > solution.s[at] {
                ended.apexes.push(k);
            }
            ended.ball_slacks.push(solution.s[at] - length);
            ended.ball_multipliers.push(solution.z[at] / length.max(f64::MIN_POSITIVE));
            at = end + 1;
            continue;
        }
        let end = at + ball.terms.len();
        ended.ball_slacks.push(solution.s[at] - norm(&solution.s[at + 1..=end]));
        // Its gradient is z₀/√ρ times that of the quadratic form of the ball.
        ended.ball_multipliers.push(solution.z[at] / (2.0 * ball.half_square).sqrt());
        at = end + 1;
    }
    found(scaled, conic, &ended)
}

/// The upper triangle of a Hessian by columns.
fn upper_triangle(hessian: &Hessian, size: usize) -> CscMatrix<f64> {
    let entries = match hessian {
        Hessian::Diagonal(diagonal) => {
            diagonal.iter().enumerate().filter(|(_, h)| **h != 0.0).map(|(j, h)| (j, j, *h)).collect()
        }
        Hessian::Dense(all) => {
            let column = |j: usize| (0..=j).map(move |i| (j, i, all[i * size + j]));
            (0..size).flat_map(column).filter(|entry| entry.2 != 0.0).collect()
        }
    };
    columns(entries, size, size)
}

/// A sparse matrix by columns from entries (column, row, value).
fn columns(mut entries: Vec<(usize, usize, f64)>, rows: usize, size: usize) -> CscMatrix<f64> {
    entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
    let mut starts = vec![0; size + 1];
    entries.iter().for_each(|entry| starts[entry.0 + 1] += 1);
    (0..size).for_each(|j| starts[j + 1] += starts[j]);
    let places = entries.iter().map(|entry| entry.1).collect();
    CscMatrix::new(rows, size, starts, places, entries.iter().map(|entry| entry.2).collect())
}
