//! The set as walls that an interior-point method keeps away from: inequalities $g_k(x) \ge 0$ with slacks $s_k$ and multipliers $\lambda_k$, and equations.
//!
//! Rows are $g = b - a^Tx$, balls $g = \tfrac12(r - \|x_J - c\|^2/r)$. With $n_k = -\nabla g_k$, a step $dx$ has
//! $$ds_k = g_k - s_k - n_k^Tdx, \qquad d\lambda_k = t_k/s_k - (\lambda_k/s_k)(g_k - n_k^Tdx)$$
//! for targets $t_k$ of $s_k\lambda_k$, so that the walls add $\sum_k(\lambda_k/s_k)n_kn_k^T$, and for balls $(\lambda_k/r)I_J$, to the matrix of the step, and
//! $-\sum_kn_k(\lambda_k + (t_k - \lambda_kg_k)/s_k)$ to its right-hand side.

use crate::conic::{Conic, Round, Row};

/// A wall: a row of the set or a ball.
#[derive(Clone, Copy)]
enum Wall<'c> {
    Row(&'c Row),
    Ball(&'c Round),
}

impl Wall<'_> {
    /// $g_k(x)$
    fn room(&self, x: &[f64]) -> f64 {
        match self {
            Self::Row(row) => -row.excess(x),
            Self::Ball(ball) => {
                let distance = ball.distance(x);
                0.5 * (ball.radius - distance) * (1.0 + distance / ball.radius)
            }
        }
    }

    /// $n_k = -\nabla g_k(x)$
    fn normal(&self, x: &[f64]) -> Vec<(usize, f64)> {
        match self {
            Self::Row(row) => row.terms.clone(),
            Self::Ball(ball) => {
                ball.coordinates.iter().zip(&ball.center).map(|(&j, c)| (j, (x[j] - c) / ball.radius)).collect()
            }
        }
    }
}

/// All walls with where they are in the course of the method.
pub(super) struct Walls<'c> {
    all: Vec<Wall<'c>>,
    pub(super) equations: Vec<&'c Row>,
    pub(super) slacks: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    before: Vec<(f64, f64)>,
    normals: Vec<Vec<(usize, f64)>>,
    rooms: Vec<f64>,
    /// Slacks at the start, to compare with.
    reach: Vec<f64>,
}

/// How slacks and multipliers change along a step.
pub(super) struct WallStep {
    pub(super) slacks: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

impl<'c> Walls<'c> {
    pub(super) fn of(conic: &'c Conic) -> Self {
        let rows = conic.rows.iter().filter(|row| !row.is_equality).map(Wall::Row);
        let walls: Vec<Wall> = rows.chain(conic.balls.iter().map(Wall::Ball)).collect();
        let equations = conic.rows.iter().filter(|row| row.is_equality).collect();
        let count = walls.len();
        Self {
            all: walls,
            equations,
            slacks: vec![1.0; count],
            multipliers: vec![1.0; count],
            before: vec![(1.0, 1.0); count],
            normals: vec![Vec::new(); count],
            rooms: vec![0.0; count],
            reach: vec![1.0; count],
        }
    }

    /// The walls of the same set with what is known of others.
    pub(super) fn with_state_of(conic: &'c Conic, other: &Walls) -> Self {
        let mut walls = Self::of(conic);
        walls.slacks.clone_from(&other.slacks);
        walls.multipliers.clone_from(&other.multipliers);
        walls.before.clone_from(&other.before);
        walls
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The share of the gap that each wall is to have beside the rows of the data.
    pub(super) fn share(&self) -> f64 {
        1.0 / self.len().max(1) as f64
    }

    /// Slacks at a first point, not less than the variables may move together, and multipliers with which each product is its share of this.
    pub(super) fn start(&mut self, x: &[f64], product: f64, units: &[f64]) {
        self.look(x);
        for (k, wall) in self.all.iter().enumerate() {
            let least = match wall {
                Wall::Row(row) => row.terms.iter().map(|&(j, a)| a.abs() * units[j]).sum::<f64>(),
                Wall::Ball(ball) => 0.1 * ball.radius,
            };
            let least = if least > 0.0 { least } else { 1.0 };
            self.slacks[k] = self.rooms[k].max(least);
            self.reach[k] = self.slacks[k];
            self.multipliers[k] = product * self.share() / self.slacks[k];
        }
    }

    /// Measures the walls at a point.
    pub(super) fn look(&mut self, x: &[f64]) {
        for (k, wall) in self.all.iter().enumerate() {
            (self.rooms[k], self.normals[k]) = (wall.room(x), wall.normal(x));
        }
    }

    /// $\sum_ks_k\lambda_k$
    pub(super) fn gap(&self) -> f64 {
        self.slacks.iter().zip(&self.multipliers).map(|(s, l)| s * l).sum()
    }

    /// The same after a step of this length.
    pub(super) fn gap_after(&self, step: &WallStep, (primal, dual): (f64, f64)) -> f64 {
        let product =
            |k: usize| (self.slacks[k] + primal * step.slacks[k]) * (self.multipliers[k] + dual * step.multipliers[k]);
        (0..self.len()).map(product).sum()
    }

    /// How far slacks are from the room that there is, relative to those at the start.
    pub(super) fn inconsistency(&self) -> f64 {
        let far = |k: usize| (self.slacks[k] - self.rooms[k]).abs() / self.reach[k];
        (0..self.len()).map(far).fold(0.0, f64::max)
    }

    /// Adds what the walls add to the matrix.
    pub(super) fn bend(&self, size: usize, matrix: &mut [f64]) {
        for (k, normal) in self.normals.iter().enumerate() {
            let ratio = self.multipliers[k] / self.slacks[k];
            for &(i, a) in normal {
                for &(j, b) in normal {
                    matrix[i * size + j] += ratio * a * b;
                }
            }
            if let Wall::Ball(ball) = self.all[k] {
                ball.coordinates.iter().for_each(|&j| matrix[j * size + j] += self.multipliers[k] / ball.radius);
            }
        }
    }

    /// Adds what the walls add to the right-hand side, for these targets of the products.
    pub(super) fn pull(&self, targets: &[f64], out: &mut [f64]) {
        for (k, normal) in self.normals.iter().enumerate() {
            let force = self.multipliers[k] + (targets[k] - self.multipliers[k] * self.rooms[k]) / self.slacks[k];
            normal.iter().for_each(|&(j, a)| out[j] -= force * a);
        }
    }

    /// Slacks and multipliers along a step.
    pub(super) fn step(&self, targets: &[f64], dx: &[f64]) -> WallStep {
        let along = |k: usize| self.normals[k].iter().map(|&(j, a)| a * dx[j]).sum::<f64>();
        let (mut slacks, mut multipliers) = (Vec::with_capacity(self.len()), Vec::with_capacity(self.len()));
        for k in 0..self.len() {
            let (towards, ratio) = (self.rooms[k] - along(k), self.multipliers[k] / self.slacks[k]);
            slacks.push(towards - self.slacks[k]);
            multipliers.push(targets[k] / self.slacks[k] - ratio * towards);
        }
        WallStep { slacks, multipliers }
    }

    /// Takes a step of this length.
    pub(super) fn advance(&mut self, step: &WallStep, (primal, dual): (f64, f64)) {
        for k in 0..self.len() {
            self.before[k] = (self.slacks[k], self.multipliers[k]);
            self.slacks[k] += primal * step.slacks[k];
            self.multipliers[k] += dual * step.multipliers[k];
        }
    }

    /// Adds $\sum_k\lambda_kn_k$.
    pub(super) fn add_forces(&self, out: &mut [f64]) {
        for (normal, multiplier) in self.normals.iter().zip(&self.multipliers) {
            normal.iter().for_each(|&(j, a)| out[j] += multiplier * a);
        }
    }

    /// $\sum_k\lambda_k|n_k|$, to compare residuals with.
    pub(super) fn add_sizes(&self, out: &mut [f64]) {
        for (normal, multiplier) in self.normals.iter().zip(&self.multipliers) {
            normal.iter().for_each(|&(j, a)| out[j] += multiplier * a.abs());
        }
    }

    /// Changes multipliers of rows in which a variable stands with the factor −1, such as those of a magnitude, so that its residual vanishes; they stay positive.
    pub(super) fn take_up(&mut self, variable: usize, residual: f64) {
        let holds = |normal: &Vec<(usize, f64)>| normal.iter().any(|&(j, a)| j == variable && a == -1.0);
        let mut left = residual;
        for (k, normal) in self.normals.iter().enumerate() {
            if left != 0.0 && holds(normal) {
                let after = (self.multipliers[k] + left).max(0.0);
                left -= after - self.multipliers[k];
                self.multipliers[k] = after;
            }
        }
    }

    /// $\sum_k\lambda_k\max(g_k, 0)$ at the point that was looked at: by how much the walls may hold a linear function up there.
    pub(super) fn slack(&self) -> f64 {
        self.multipliers.iter().zip(&self.rooms).map(|(l, room)| l * room.max(0.0)).sum()
    }

    /// Puts a point that is next to a wall onto it: a limit of one variable, or a ball. A wall holds if its slack has shrunk more than its multiplier in the last step.
    pub(super) fn settle(&self, x: &mut [f64]) {
        for (k, wall) in self.all.iter().enumerate() {
            let (slack, multiplier) = self.before[k];
            let holds =
                self.slacks[k] / slack < 0.5 * (self.multipliers[k] / multiplier) && self.slacks[k] < 0.5 * slack;
            if !holds {
                continue;
            }
            match wall {
                Wall::Row(row) => {
                    if let [(j, a)] = row.terms[..] {
                        x[j] = row.right / a;
                    }
                }
                Wall::Ball(ball) => {
                    let distance = ball.distance(x);
                    if distance > 0.0 {
                        let stretch = ball.radius / distance;
                        let away = ball.coordinates.iter().zip(&ball.center);
                        away.for_each(|(&j, c)| x[j] = c + stretch * (x[j] - c));
                    }
                }
            }
        }
    }
}
