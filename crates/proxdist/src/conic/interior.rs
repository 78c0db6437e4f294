//! The minimiser of a convex quadratic function over a [`Conic`] set by a primal–dual interior-point method.
//!
//! With slacks $s > 0$ the conditions for a minimum of $\tfrac12x^THx + c^Tx$ subject to $Gx \le h$, $Ex = e$ and
//! $b_k(x) = \tfrac12(\|x_{J_k} - a_k\|^2 - r_k^2) \le 0$ are
//! $$Hx + c + G^Tz + E^Ty + \sum_k\lambda_k\nabla b_k = 0,\quad Gx + s = h,\quad Ex = e,\quad b_k + \sigma_k = 0,\quad s\circ z = 0,\ \sigma_k\lambda_k = 0.$$
//! Each step is Newton's on them with the products set to a shrinking $\mu$, by Mehrotra's rule (1992): a step to $\mu = 0$ shows how far
//! $\mu$ may fall and supplies the second-order correction. All unknowns but $x$ and $y$ are eliminated,
//! $$M = H + \sum_k\lambda_kI_{J_k} + G^T\mathrm{diag}(z/s)G + \sum_k\tfrac{\lambda_k}{\sigma_k}\nabla b_k\nabla b_k^T,$$
//! and $M$ is factored densely: a model of F has a dense $H$, for which a sparse method has nothing to gain.
//! Variables are scaled by $H_{jj}^{-1/2}$ first, so the units of the columns do not matter.

use super::scaled::Scaled;
use crate::linalg::{Cholesky, axpy, dot};

const MOST_STEPS: usize = 80;
/// Residuals and products at which it ends, in scaled units.
const TOLERANCE: f64 = 1e-12;
/// Residuals and products at which the result is of use.
const ACCEPTABLE: f64 = 1e-5;
/// Part of the way to the boundary that a step goes.
const TOWARDS_BOUNDARY: f64 = 0.995;
/// Added to the scaled diagonal of $M$; the residuals are those without it.
const DAMPING: f64 = 1e-11;
/// Steps without progress before it ends.
const PATIENCE: usize = 8;
/// A step shorter than this is followed by one that centres.
const SHORT: f64 = 0.2;

/// Slacks and multipliers at the end.
pub(super) struct Ended {
    pub(super) x: Vec<f64>,
    pub(super) row_slacks: Vec<f64>,
    pub(super) row_multipliers: Vec<f64>,
    pub(super) ball_slacks: Vec<f64>,
    pub(super) ball_multipliers: Vec<f64>,
    /// Cones whose apex is the minimiser.
    pub(super) apexes: Vec<usize>,
}

/// Minimises from `start`, all in scaled variables and with a dense Hessian; `None` if no progress is made. `cholesky` lends its memory.
pub(super) fn interior(scaled: &Scaled, hessian: &[f64], start: &[f64], cholesky: &mut Cholesky) -> Option<Ended> {
    let mut state = State::at(scaled, start);
    let mut best: Option<(f64, State)> = None;
    let mut idle = 0;
    let mut centres = false;
    for _ in 0..MOST_STEPS {
        let residuals = state.residuals(scaled, hessian);
        let error = residuals.largest().max(state.mean_product());
        if !error.is_finite() {
            break;
        }
        if best.as_ref().is_none_or(|(least, _)| error < 0.9 * least) {
            best = Some((error, state.clone()));
            idle = 0;
        } else {
            idle += 1;
        }
        if error <= TOLERANCE || idle >= PATIENCE {
            break;
        }
        let Some(length) = state.step(&Program { scaled, hessian }, &residuals, centres, cholesky) else { break };
        // A short step means that some products are far smaller than others: bring them together first.
        centres = length < SHORT && !centres;
    }
    let (_, state) = best.filter(|(error, _)| *error <= ACCEPTABLE)?;
    let State { x, s, z, t, l, .. } = state;
    Some(Ended { x, row_slacks: s, row_multipliers: z, ball_slacks: t, ball_multipliers: l, apexes: Vec::new() })
}

/// What is minimised: the scaled problem, and its Hessian in full.
struct Program<'p> {
    scaled: &'p Scaled,
    hessian: &'p [f64],
}

/// The unknowns: $x$; slacks and multipliers of rows, of balls; multipliers of equations.
#[derive(Clone)]
struct State {
    x: Vec<f64>,
    s: Vec<f64>,
    z: Vec<f64>,
    t: Vec<f64>,
    l: Vec<f64>,
    y: Vec<f64>,
}

#[derive(Clone)]
struct Residuals {
    dual: Vec<f64>,
    rows: Vec<f64>,
    equations: Vec<f64>,
    balls: Vec<f64>,
}

impl Residuals {
    fn largest(&self) -> f64 {
        let all = self.dual.iter().chain(&self.rows).chain(&self.equations).chain(&self.balls);
        all.fold(0.0, |top: f64, r| if r.is_nan() { f64::INFINITY } else { top.max(r.abs()) })
    }
}

impl State {
    fn at(scaled: &Scaled, start: &[f64]) -> Self {
        let x = start.to_vec();
        let s: Vec<f64> = scaled.rows.iter().map(|row| (row.right - row.times(&x)).clamp(0.1, 1e8)).collect();
        let t: Vec<f64> = scaled.balls.iter().map(|ball| (-ball.value(&x)).clamp(0.1, 1e8)).collect();
        let product = |slack: &f64| 0.1 / slack;
        let (z, l) = (s.iter().map(product).collect(), t.iter().map(product).collect());
        Self { x, s, z, t, l, y: vec![0.0; scaled.equations.len()] }
    }

    fn mean_product(&self) -> f64 {
        let count = self.s.len() + self.t.len();
        if count == 0 { 0.0 } else { (dot(&self.s, &self.z) + dot(&self.t, &self.l)) / count as f64 }
    }

    fn residuals(&self, scaled: &Scaled, hessian: &[f64]) -> Residuals {
        let size = self.x.len();
        let mut dual: Vec<f64> =
            (0..size).map(|j| dot(&hessian[j * size..(j + 1) * size], &self.x) + scaled.linear[j]).collect();
        scaled.rows.iter().zip(&self.z).for_each(|(row, z)| row.add_to(*z, &mut dual));
        scaled.equations.iter().zip(&self.y).for_each(|(row, y)| row.add_to(*y, &mut dual));
        for (ball, l) in scaled.balls.iter().zip(&self.l) {
            ball.gradient(&self.x).into_iter().for_each(|(j, b)| dual[j] += l * b);
        }
        Residuals {
            dual,
            rows: scaled.rows.iter().zip(&self.s).map(|(row, s)| row.times(&self.x) + s - row.right).collect(),
            equations: scaled.equations.iter().map(|row| row.times(&self.x) - row.right).collect(),
            balls: scaled.balls.iter().zip(&self.t).map(|(ball, t)| ball.value(&self.x) + t).collect(),
        }
    }

    /// One step of the method, towards equal products if it `centres`; returns its length, or nothing if the system cannot be solved.
    fn step(
        &mut self,
        program: &Program,
        residuals: &Residuals,
        centres: bool,
        cholesky: &mut Cholesky,
    ) -> Option<f64> {
        let scaled = program.scaled;
        let mut system = System::factored(self, program, cholesky)?;
        let mean = self.mean_product();
        let products = |target: f64, step: Option<&Self>| {
            let each = |slack: &[f64], dual: &[f64], ds: Option<&Vec<f64>>, dd: Option<&Vec<f64>>| -> Vec<f64> {
                let second = |i: usize| ds.zip(dd).map_or(0.0, |(ds, dd)| ds[i] * dd[i]);
                (0..slack.len()).map(|i| slack[i] * dual[i] - target + second(i)).collect()
            };
            let rows = each(&self.s, &self.z, step.map(|d| &d.s), step.map(|d| &d.z));
            let balls = each(&self.t, &self.l, step.map(|d| &d.t), step.map(|d| &d.l));
            (rows, balls)
        };
        let step = if centres {
            system.solve(self, scaled, residuals, &products(mean, None))
        } else {
            // Towards the boundary, to see how far the products may fall.
            let straight = system.solve(self, scaled, residuals, &products(0.0, None));
            let length = self.longest(&straight).min(1.0);
            let ahead = self.moved(&straight, length).mean_product();
            let centring = if mean > 0.0 { (ahead / mean).powi(3).min(1.0) } else { 0.0 };
            // The balls' bend along that step is known now.
            let mut bent = residuals.clone();
            for (k, ball) in scaled.balls.iter().enumerate() {
                for &(j, w, _) in &ball.terms {
                    bent.balls[k] += 0.5 * w * straight.x[j] * straight.x[j];
                    bent.dual[j] += straight.l[k] * w * straight.x[j];
                }
            }
            system.solve(self, scaled, &bent, &products(centring * mean, Some(&straight)))
        };
        let length = (TOWARDS_BOUNDARY * self.longest(&step)).min(1.0);
        if length.is_nan() || length <= 1e-10 {
            return None;
        }
        *self = self.moved(&step, length);
        Some(length)
    }

    /// The longest multiple of a step that keeps slacks and multipliers positive, up to a little more than one.
    fn longest(&self, step: &Self) -> f64 {
        let pairs = [(&self.s, &step.s), (&self.z, &step.z), (&self.t, &step.t), (&self.l, &step.l)];
        let limits = pairs.into_iter().flat_map(|(at, step)| at.iter().zip(step));
        limits.filter(|(_, d)| **d < 0.0).map(|(x, d)| -x / d).fold(1.0 / TOWARDS_BOUNDARY, f64::min)
    }

    fn moved(&self, step: &Self, length: f64) -> Self {
        let go = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + length * d).collect();
        Self {
            x: go(&self.x, &step.x),
            s: go(&self.s, &step.s),
            z: go(&self.z, &step.z),
            t: go(&self.t, &step.t),
            l: go(&self.l, &step.l),
            y: go(&self.y, &step.y),
        }
    }
}

/// The factored $M$ and what the equations need of it.
struct System<'c> {
    cholesky: &'c mut Cholesky,
    /// The gradients of the balls.
    bends: Vec<Vec<(usize, f64)>>,
    /// $M^{-1}E^T$, and the factor of $EM^{-1}E^T$.
    solved: Vec<Vec<f64>>,
    schur: Cholesky,
}

impl<'c> System<'c> {
    fn factored(state: &State, program: &Program, cholesky: &'c mut Cholesky) -> Option<Self> {
        let (size, Program { scaled, hessian }) = (state.x.len(), program);
        let bends: Vec<Vec<(usize, f64)>> = scaled.balls.iter().map(|ball| ball.gradient(&state.x)).collect();
        let fill = |matrix: &mut [f64], damping: f64| {
            matrix.copy_from_slice(hessian);
            for (i, row) in scaled.rows.iter().enumerate() {
                add_outer(&row.terms, state.z[i] / state.s[i], matrix, size);
            }
            for (k, ball) in scaled.balls.iter().enumerate() {
                ball.terms.iter().for_each(|&(j, w, _)| matrix[j * size + j] += state.l[k] * w);
                add_outer(&bends[k], state.l[k] / state.t[k], matrix, size);
            }
            (0..size).for_each(|j| matrix[j * size + j] += damping * (1.0 + matrix[j * size + j]));
        };
        let factors = [DAMPING, 1e3 * DAMPING, 1e6 * DAMPING].iter().any(|&damping| {
            fill(cholesky.matrix(size), damping);
            cholesky.factor()
        });
        if !factors {
            return None;
        }
        let mut solved = Vec::with_capacity(scaled.equations.len());
        for row in &scaled.equations {
            let mut column = vec![0.0; size];
            row.add_to(1.0, &mut column);
            cholesky.solve(&mut column);
            solved.push(column);
        }
        let mut schur = Cholesky::default();
        let count = solved.len();
        if count > 0 {
            let matrix = schur.matrix(count);
            for (i, row) in scaled.equations.iter().enumerate() {
                (0..count).for_each(|k| matrix[i * count + k] = row.times(&solved[k]));
            }
            // Equations may depend on one another.
            let top = (0..count).map(|i| matrix[i * count + i]).fold(0.0, f64::max);
            (0..count).for_each(|i| matrix[i * count + i] += 1e-13 * top);
            if !schur.factor() {
                return None;
            }
        }
        Some(Self { cholesky, bends, solved, schur })
    }

    /// The Newton step for given residuals and products.
    fn solve(
        &mut self,
        state: &State,
        scaled: &Scaled,
        residuals: &Residuals,
        (row_products, ball_products): &(Vec<f64>, Vec<f64>),
    ) -> State {
        let mut x: Vec<f64> = residuals.dual.iter().map(|r| -r).collect();
        for (i, row) in scaled.rows.iter().enumerate() {
            row.add_to((row_products[i] - state.z[i] * residuals.rows[i]) / state.s[i], &mut x);
        }
        for (k, bend) in self.bends.iter().enumerate() {
            let factor = (ball_products[k] - state.l[k] * residuals.balls[k]) / state.t[k];
            bend.iter().for_each(|&(j, b)| x[j] += factor * b);
        }
        self.cholesky.solve(&mut x);
        // E(x − M⁻¹Eᵀy) = −r
        let mut y: Vec<f64> =
            scaled.equations.iter().zip(&residuals.equations).map(|(row, r)| row.times(&x) + r).collect();
        if !y.is_empty() {
            self.schur.solve(&mut y);
            self.solved.iter().zip(&y).for_each(|(column, y)| axpy(-y, column, &mut x));
        }
        let s: Vec<f64> = scaled.rows.iter().zip(&residuals.rows).map(|(row, r)| -r - row.times(&x)).collect();
        let t: Vec<f64> = self
            .bends
            .iter()
            .zip(&residuals.balls)
            .map(|(bend, r)| -r - bend.iter().map(|&(j, b)| b * x[j]).sum::<f64>())
            .collect();
        let dual = |slack: &[f64], dual: &[f64], step: &[f64], products: &[f64]| -> Vec<f64> {
            (0..slack.len()).map(|i| -(products[i] + dual[i] * step[i]) / slack[i]).collect()
        };
        let z = dual(&state.s, &state.z, &s, row_products);
        let l = dual(&state.t, &state.l, &t, ball_products);
        State { x, s, z, t, l, y }
    }
}

/// Adds $f\,aa^T$ for a sparse $a$.
fn add_outer(terms: &[(usize, f64)], factor: f64, matrix: &mut [f64], size: usize) {
    for &(i, a) in terms {
        let row = &mut matrix[i * size..(i + 1) * size];
        terms.iter().for_each(|&(j, b)| row[j] += factor * a * b);
    }
}
