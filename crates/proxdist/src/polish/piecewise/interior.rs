//! The minimum of a piecewise linear F, with a ridge term perhaps, over rows and balls: a primal-dual interior-point method (Portnoy and Koenker 1997, who call it
//! Frisch and Newton's, with Mehrotra's predictor and corrector).
//!
//! Split each residual into its parts, $u_i = p_i - q_i$ with $p, q \ge 0$, and give each row a slope $-d_i \le a_i \le c_i$. At the minimum
//! $$p_i(c_i - a_i) = 0, \qquad q_i(a_i + d_i) = 0, \qquad \Lambda\theta - X^T(v \circ a) + \text{forces of the set} = 0.$$
//! The method replaces the zeros by a number that falls to zero and takes Newton steps. With $h_i = p_i/(c_i - a_i) + q_i/(a_i + d_i)$ everything that belongs to a row is
//! eliminated, and what is left is one system with the matrix $\Lambda + X^T\mathrm{diag}(v/h)X$ and what the walls of the set add (`walls.rs`): as large as the number of features, so
//! rows may be many. The slopes that come out are a point of the dual problem, from which the gap is proven (`gap.rs`).

use super::bends::Bends;
use super::design::Design;
use super::newton_matrix::NewtonMatrix;
use super::walls::{WallStep, Walls};
use crate::conic::Conic;
use crate::error::Result;
use crate::linalg::dot;
use crate::polish::Poll;

/// What is minimised.
#[derive(Clone, Copy)]
pub(super) struct Program<'p> {
    pub(super) design: &'p dyn Design,
    pub(super) bends: &'p Bends,
    /// $\Lambda$, a number for each coefficient.
    pub(super) ridge: &'p [f64],
    pub(super) conic: &'p Conic,
    /// What rows beside those of the bends add, whose residuals keep their signs: a slope for each column, and a constant.
    pub(super) beside: Option<(&'p [f64], f64)>,
    /// How far residuals may have to move at least: those at the start may all be next to nothing.
    pub(super) reach: f64,
}

/// Where the method ended.
pub(super) struct Ended<'p> {
    /// Coefficients, then the intercept if there is one.
    pub(super) theta: Vec<f64>,
    /// $a_i$
    pub(super) slopes: Vec<f64>,
    /// The walls with their multipliers, looked at from `theta`.
    pub(super) walls: Walls<'p>,
    /// Multipliers of the equations.
    pub(super) equations: Vec<f64>,
    /// The size that the entries of a gradient have.
    pub(super) sizes: Vec<f64>,
    /// The largest of all that should be zero, relative.
    pub(super) quality: f64,
    pub(super) was_stopped: bool,
}

/// Steps at most, and steps without progress after which it ends.
const MOST_STEPS: usize = 150;
const PATIENCE: usize = 25;
/// The same where little is left, and what that is.
const PATIENCE_NEAR: usize = 6;
const NEAR: f64 = 1e-6;
/// Share of the way to the nearest bound that a step takes.
const SHARE: f64 = 0.9995;
/// Gap and residuals, relative, below which nothing more is asked.
pub(super) const EXACT: f64 = 1e-13;
/// Share of F at the start that the gap is compared with where the minimum is next to nothing.
const NEARLY_NOTHING: f64 = 1e-8;

/// The numbers of all rows.
struct Rows {
    positive: Vec<f64>,
    negative: Vec<f64>,
    slopes: Vec<f64>,
    /// $c_i - a_i$ and $a_i + d_i$, kept apart since they become smaller than rounding of $a_i$.
    up: Vec<f64>,
    down: Vec<f64>,
    residuals: Vec<f64>,
}

/// A step of all rows.
struct RowStep {
    positive: Vec<f64>,
    negative: Vec<f64>,
    slopes: Vec<f64>,
    /// $Xdx$
    along: Vec<f64>,
}

/// A step of everything.
struct Step {
    dx: Vec<f64>,
    rows: RowStep,
    walls: WallStep,
    equations: Vec<f64>,
}

struct State<'p> {
    program: Program<'p>,
    x: Vec<f64>,
    rows: Rows,
    walls: Walls<'p>,
    equations: Vec<f64>,
    /// $X^T(v \circ a)$, in the order of the variables.
    pulled: Vec<f64>,
    /// A share of the residuals at the start.
    floor: f64,
}

impl<'p> Program<'p> {
    fn features(&self) -> usize {
        self.conic.features
    }

    /// Coefficients, magnitudes and the intercept.
    fn size(&self) -> usize {
        self.conic.variables() + self.design.width() - self.features()
    }

    /// From columns of the design to variables.
    fn spread(&self, columns: &[f64]) -> Vec<f64> {
        let (coefficients, free) = columns.split_at(self.features());
        let mut x = coefficients.to_vec();
        x.resize(self.conic.variables(), 0.0);
        x.extend_from_slice(free);
        x
    }

    /// From variables to columns of the design.
    fn gathered(&self, x: &[f64]) -> Vec<f64> {
        let mut columns = x[..self.features()].to_vec();
        columns.extend_from_slice(&x[self.conic.variables()..]);
        columns
    }

    fn prices(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let first = self.features();
        self.conic.magnitudes.iter().enumerate().map(move |(t, magnitude)| (first + t, magnitude.price))
    }

    /// What is minimised apart from the bends: $\tfrac12\theta^T\Lambda\theta$, the prices of the magnitudes, and the rows beside.
    fn shrinkage(&self, x: &[f64]) -> f64 {
        let beside = self.beside.map_or(0.0, |(linear, constant)| constant + dot(linear, &self.gathered(x)));
        let ridge: f64 = self.ridge.iter().zip(x).map(|(l, x)| 0.5 * l * x * x).sum();
        ridge + beside + self.prices().map(|(t, price)| price * x[t]).sum::<f64>()
    }

    /// Minimises F from a first guess, to the last digit.
    pub(super) fn minimise(self, start: &[f64], poll: Poll) -> Result<Ended<'p>> {
        self.minimise_to(EXACT, start, poll)
    }

    /// The same until gap and residuals, relative, are below a goal.
    pub(super) fn minimise_to(self, goal: f64, start: &[f64], poll: Poll) -> Result<Ended<'p>> {
        let mut state = State::at(self, start)?;
        let mut newton = NewtonMatrix::default();
        let at_start = self.bends.value(&state.rows.residuals) + self.shrinkage(&state.x);
        let mut sizes = vec![0.0; self.size()];
        let (mut best, mut idle, mut was_stopped) = ((f64::INFINITY, None), 0, false);
        for number in 0..=MOST_STEPS {
            state.walls.look(&state.x);
            if number > 0 {
                let quality = state.quality(&sizes, at_start);
                // The first steps gain little each.
                idle = if quality < 0.95 * best.0 { 0 } else { idle + 1 };
                if quality < best.0 {
                    best = (quality, Some(state.kept()));
                }
                was_stopped = poll().is_break();
                let patience = if best.0 < NEAR { PATIENCE_NEAR } else { PATIENCE };
                if quality <= goal || idle >= patience || quality.is_nan() || number == MOST_STEPS || was_stopped {
                    break;
                }
            }
            let weights = state.fill(&mut newton)?;
            if number == 0 {
                let all: f64 = self.bends.weights.iter().sum();
                let level = all / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                sizes = newton.diagonal(self.size()).iter().map(|d| (d * level).sqrt()).collect();
                state.start_walls(&sizes);
            }
            state.walls.bend(self.size(), &mut newton.matrix);
            let equations = state.walls.equations.clone();
            if !newton.factor(self.size(), &equations) || !state.advance(&mut newton, &weights)? {
                break;
            }
        }
        let (quality, kept) = best;
        if let Some(kept) = kept {
            state.restore(kept);
        }
        state.walls.settle(&mut state.x);
        state.walls.look(&state.x);
        let sizes = self.gathered(&sizes);
        let theta = self.gathered(&state.x);
        let State { rows, walls, equations, .. } = state;
        let within = |(i, a): (usize, f64)| a.clamp(-self.bends.fall[i], self.bends.rise[i]);
        let slopes = rows.slopes.into_iter().enumerate().map(within).collect();
        Ok(Ended { theta, slopes, walls, equations, sizes, quality, was_stopped })
    }
}

/// What is needed to go back to a point.
struct Kept {
    x: Vec<f64>,
    slopes: Vec<f64>,
    wall_slacks: Vec<f64>,
    wall_multipliers: Vec<f64>,
    equations: Vec<f64>,
}

impl<'p> State<'p> {
    fn at(program: Program<'p>, start: &[f64]) -> Result<Self> {
        let bends = program.bends;
        let coefficients = &start[..program.features()];
        let mut x = program.conic.lifted(coefficients);
        x.extend_from_slice(&start[program.features()..]);
        let mut products = vec![0.0; bends.len()];
        program.design.times(&program.gathered(&x), &mut products)?;
        let residuals: Vec<f64> = bends.at.iter().zip(&products).map(|(at, product)| at - product).collect();
        let spread: f64 = residuals.iter().zip(&bends.weights).map(|(u, v)| v * u.abs()).sum();
        let floor = (0.1 * spread).max(program.reach);
        let floor = if floor > 0.0 { floor } else { 1.0 };
        let slope = |row: usize| {
            let (low, high) = (-bends.fall[row], bends.rise[row]);
            let margin = 0.1 * (high - low);
            0.0_f64.clamp(low + margin, high - margin)
        };
        let slopes: Vec<f64> = (0..bends.len()).map(slope).collect();
        let positive = residuals.iter().map(|u| u.max(0.0) + floor).collect();
        let negative = residuals.iter().map(|u| (-u).max(0.0) + floor).collect();
        let walls = Walls::of(program.conic);
        let equations = vec![0.0; walls.equations.len()];
        let up = slopes.iter().zip(&bends.rise).map(|(a, c)| c - a).collect();
        let down = slopes.iter().zip(&bends.fall).map(|(a, d)| a + d).collect();
        let rows = Rows { positive, negative, slopes, up, down, residuals };
        let mut state = Self { program, x, rows, walls, equations, pulled: Vec::new(), floor };
        state.pull()?;
        Ok(state)
    }

    /// Puts the walls as far away as coefficients may reach that change predictors by the size of the residuals.
    fn start_walls(&mut self, sizes: &[f64]) {
        let reach = 10.0 * self.floor;
        let mut units: Vec<f64> = sizes.iter().map(|size| if *size > 0.0 { reach / size } else { 0.0 }).collect();
        for (t, magnitude) in self.program.conic.magnitudes.iter().enumerate() {
            units[self.program.features() + t] = magnitude.of.iter().map(|&(j, a)| a.abs() * units[j]).sum();
        }
        self.walls.start(&self.x, 2.0 * self.floor, &units);
    }

    /// Computes $X^T(v \circ a)$.
    fn pull(&mut self) -> Result<()> {
        let bends = self.program.bends;
        let weighted: Vec<f64> = self.rows.slopes.iter().zip(&bends.weights).map(|(a, v)| a * v).collect();
        let mut columns = vec![0.0; self.program.design.width()];
        self.program.design.transpose_times(&weighted, &mut columns)?;
        self.pulled = self.program.spread(&columns);
        Ok(())
    }

    /// $\Lambda\theta - X^T(v \circ a)$ with the forces of equations, without those of the walls.
    fn gradient(&self) -> Vec<f64> {
        let mut gradient: Vec<f64> = self.pulled.iter().map(|pulled| -pulled).collect();
        gradient.iter_mut().zip(self.program.ridge.iter().zip(&self.x)).for_each(|(g, (l, x))| *g += l * x);
        self.program.prices().for_each(|(t, price)| gradient[t] += price);
        if let Some((linear, _)) = self.program.beside {
            gradient.iter_mut().zip(self.program.spread(linear)).for_each(|(g, l)| *g += l);
        }
        for (row, nu) in self.walls.equations.iter().zip(&self.equations) {
            row.terms.iter().for_each(|&(j, a)| gradient[j] += nu * a);
        }
        gradient
    }

    /// $v_i(p_i(c_i - a_i) + q_i(a_i + d_i))$, summed.
    fn gap(&self) -> f64 {
        let bends = self.program.bends;
        let of_row = |i: usize| {
            let Rows { positive, negative, up, down, .. } = &self.rows;
            bends.weights[i] * (positive[i] * up[i] + negative[i] * down[i])
        };
        (0..bends.len()).filter(|&i| bends.counts(i)).map(of_row).sum::<f64>() + self.walls.gap()
    }

    /// The largest of all that should be zero, relative to what it should be small beside.
    fn quality(&self, sizes: &[f64], at_start: f64) -> f64 {
        let program = &self.program;
        let value = program.bends.value(&self.rows.residuals) + program.shrinkage(&self.x);
        let reference = value.max(NEARLY_NOTHING * at_start).max(f64::MIN_POSITIVE);
        let slack = program.bends.slack(&self.rows.residuals, &self.rows.slopes) + self.walls.gap();
        let mut gradient = self.gradient();
        self.walls.add_forces(&mut gradient);
        let mut scale = sizes.to_vec();
        self.walls.add_sizes(&mut scale);
        let residual =
            gradient.iter().zip(&scale).map(|(g, s)| if *g == 0.0 { 0.0 } else { g.abs() / s }).fold(0.0, f64::max);
        let outside = self.walls.equations.iter().map(|row| {
            let size = row.size(&self.x);
            if size > 0.0 { row.excess(&self.x).abs() / size } else { 0.0 }
        });
        let infeasible = outside.fold(self.walls.inconsistency(), f64::max);
        (slack / reference).max(residual).max(infeasible)
    }

    /// Fills the matrix of the step but for the walls; returns $v/h$.
    fn fill(&self, newton: &mut NewtonMatrix) -> Result<Vec<f64>> {
        let (program, size) = (&self.program, self.program.size());
        let Rows { positive, negative, up, down, .. } = &self.rows;
        let bends = program.bends;
        let weight = |i: usize| {
            if !bends.counts(i) {
                return 0.0;
            }
            bends.weights[i] / (positive[i] / up[i] + negative[i] / down[i])
        };
        let weights: Vec<f64> = (0..bends.len()).map(weight).collect();
        let width = program.design.width();
        let mut cross = vec![0.0; width * width];
        program.design.cross(&weights, &mut cross)?;
        let place =
            |j: usize| if j < program.features() { j } else { j - program.features() + program.conic.variables() };
        newton.matrix.clear();
        newton.matrix.resize(size * size, 0.0);
        for i in 0..width {
            for j in 0..width {
                newton.matrix[place(i) * size + place(j)] = cross[i * width + j];
            }
        }
        program.ridge.iter().enumerate().for_each(|(j, l)| newton.matrix[j * size + j] += l);
        Ok(weights)
    }

    /// Newton's step towards these targets of the products.
    fn step(&self, newton: &mut NewtonMatrix, weights: &[f64], aims: &Aims) -> Result<Step> {
        let (program, bends) = (&self.program, self.program.bends);
        let Rows { positive, negative, residuals, .. } = &self.rows;
        let count = bends.len();
        let mut wanted = vec![0.0; count];
        for i in (0..count).filter(|&i| bends.counts(i)) {
            let (up, down) = (self.rows.up[i], self.rows.down[i]);
            wanted[i] = residuals[i] - aims.positive[i] / up + aims.negative[i] / down;
        }
        let weighted: Vec<f64> = wanted.iter().zip(weights).map(|(r, w)| r * w).collect();
        let mut columns = vec![0.0; program.design.width()];
        program.design.transpose_times(&weighted, &mut columns)?;
        let mut dx = program.spread(&columns);
        dx.iter_mut().zip(self.gradient()).for_each(|(dx, g)| *dx -= g);
        self.walls.pull(&aims.walls, &mut dx);
        let ends: Vec<f64> = self.walls.equations.iter().map(|row| -row.excess(&self.x)).collect();
        let equations = newton.solve(&mut dx, &self.walls.equations, &ends);
        let mut along = vec![0.0; count];
        program.design.times(&program.gathered(&dx), &mut along)?;
        let mut rows =
            RowStep { positive: vec![0.0; count], negative: vec![0.0; count], slopes: vec![0.0; count], along };
        for i in (0..count).filter(|&i| bends.counts(i)) {
            let (up, down) = (self.rows.up[i], self.rows.down[i]);
            let turn = weights[i] / bends.weights[i] * (wanted[i] - rows.along[i]);
            rows.slopes[i] = turn;
            rows.positive[i] = aims.positive[i] / up - positive[i] + positive[i] / up * turn;
            rows.negative[i] = aims.negative[i] / down - negative[i] - negative[i] / down * turn;
        }
        let walls = self.walls.step(&aims.walls, &dx);
        Ok(Step { dx, rows, walls, equations })
    }

    /// How far a step may go, for the primal and the dual variables.
    fn lengths(&self, step: &Step) -> (f64, f64) {
        let bends = self.program.bends;
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        let limit = |length: &mut f64, at: f64, change: f64| {
            if change < 0.0 {
                *length = length.min(-SHARE * at / change);
            }
        };
        for i in (0..bends.len()).filter(|&i| bends.counts(i)) {
            limit(&mut primal, self.rows.positive[i], step.rows.positive[i]);
            limit(&mut primal, self.rows.negative[i], step.rows.negative[i]);
            limit(&mut dual, self.rows.up[i], -step.rows.slopes[i]);
            limit(&mut dual, self.rows.down[i], step.rows.slopes[i]);
        }
        for k in 0..self.walls.len() {
            limit(&mut primal, self.walls.slacks[k], step.walls.slacks[k]);
            limit(&mut dual, self.walls.multipliers[k], step.walls.multipliers[k]);
        }
        // A linear program may go further in one of the two; a curved one must keep them together.
        let is_linear = self.program.ridge.iter().all(|l| *l == 0.0) && self.program.conic.balls.is_empty();
        if is_linear { (primal, dual) } else { (primal.min(dual), primal.min(dual)) }
    }

    /// Takes a step with predictor and corrector; `false` if there is none.
    fn advance(&mut self, newton: &mut NewtonMatrix, weights: &[f64]) -> Result<bool> {
        let bends = self.program.bends;
        let zero = Aims::none(bends.len(), self.walls.len());
        let affine = self.step(newton, weights, &zero)?;
        if !NewtonMatrix::is_finite(&affine.dx) {
            return Ok(false);
        }
        let (gap, lengths) = (self.gap(), self.lengths(&affine));
        let target = (self.gap_after(&affine, lengths) / gap).max(0.0).powi(3) * gap;
        // What each product is to be, if all are the same beside their weights; rows have two each.
        let pairs = 2.0 + if self.walls.len() > 0 { 1.0 } else { 0.0 };
        let level = target / pairs;
        let mut aims = zero;
        for i in (0..bends.len()).filter(|&i| bends.counts(i)) {
            aims.positive[i] = level + affine.rows.positive[i] * affine.rows.slopes[i];
            aims.negative[i] = level - affine.rows.negative[i] * affine.rows.slopes[i];
        }
        for k in 0..self.walls.len() {
            aims.walls[k] = level * self.walls.share() - affine.walls.slacks[k] * affine.walls.multipliers[k];
        }
        let step = self.step(newton, weights, &aims)?;
        if !NewtonMatrix::is_finite(&step.dx) {
            return Ok(false);
        }
        let (primal, dual) = self.lengths(&step);
        let add = |to: &mut [f64], by: f64, step: &[f64]| to.iter_mut().zip(step).for_each(|(x, d)| *x += by * d);
        add(&mut self.x, primal, &step.dx);
        add(&mut self.rows.positive, primal, &step.rows.positive);
        add(&mut self.rows.negative, primal, &step.rows.negative);
        add(&mut self.rows.residuals, -primal, &step.rows.along);
        add(&mut self.rows.slopes, dual, &step.rows.slopes);
        add(&mut self.rows.up, -dual, &step.rows.slopes);
        add(&mut self.rows.down, dual, &step.rows.slopes);
        add(&mut self.equations, dual, &step.equations);
        self.walls.advance(&step.walls, (primal, dual));
        self.pull()?;
        Ok(primal.max(dual) > 1e-10)
    }

    fn gap_after(&self, step: &Step, (primal, dual): (f64, f64)) -> f64 {
        let (bends, Rows { positive, negative, up, down, .. }) = (self.program.bends, &self.rows);
        let of_row = |i: usize| {
            let turn = dual * step.rows.slopes[i];
            let up = (positive[i] + primal * step.rows.positive[i]) * (up[i] - turn);
            let down = (negative[i] + primal * step.rows.negative[i]) * (down[i] + turn);
            bends.weights[i] * (up + down)
        };
        let rows = (0..bends.len()).filter(|&i| bends.counts(i)).map(of_row).sum::<f64>();
        rows + self.walls.gap_after(&step.walls, (primal, dual))
    }

    fn kept(&self) -> Kept {
        Kept {
            x: self.x.clone(),
            slopes: self.rows.slopes.clone(),
            wall_slacks: self.walls.slacks.clone(),
            wall_multipliers: self.walls.multipliers.clone(),
            equations: self.equations.clone(),
        }
    }

    fn restore(&mut self, kept: Kept) {
        (self.x, self.rows.slopes, self.equations) = (kept.x, kept.slopes, kept.equations);
        (self.walls.slacks, self.walls.multipliers) = (kept.wall_slacks, kept.wall_multipliers);
    }
}

/// Targets of the products $p_i(c_i - a_i)$, $q_i(a_i + d_i)$ and $s_k\lambda_k$.
struct Aims {
    positive: Vec<f64>,
    negative: Vec<f64>,
    walls: Vec<f64>,
}

impl Aims {
    fn none(rows: usize, walls: usize) -> Self {
        Self { positive: vec![0.0; rows], negative: vec![0.0; rows], walls: vec![0.0; walls] }
    }
}
