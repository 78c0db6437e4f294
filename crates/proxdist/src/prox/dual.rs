//! Newton's method in the space of the batch, with a Cholesky factor.
//!
//! In terms of $a$ ($\theta = z + D^{-1}X^Ta$) the objective is $\varphi(a) = \sum_i v_i\ell(\eta_{0i} + (Ka)_i) + \tfrac12a^TKa$ with
//! $K = XD^{-1}X^T$. Its gradient is $Kg$, $g = a + v\circ\ell'(\eta)$, and $X^Tg$ is the gradient of $\psi$. Newton's direction is
//! $d = -(I + WK)^{-1}g$. Rows on a straight piece of the loss, where $w_i = 0$, move by $d_i = -g_i$; for the others
//! $$d = SB^{-1}(SKg_0 - S^{-1}g), \qquad S = W^{1/2},\; B = I + SKS \succeq I,$$
//! where $g_0$ holds the $g_i$ of the straight rows and zeros. Nothing cancels here, however large $K$ is; the shorter $-(g - SB^{-1}SKg)$ loses all
//! digits once $w_iK_{ii}$ exceeds $10^{16}$. A curvature that rounding hides beside the 1 of $B$ counts as none.
//!
//! $XX^T$ does not depend on $\rho$: it is kept until the batch changes, so steps with several penalties share it.

use super::back;
use super::newton::{Along, LIFTS, System};
use super::penalties::Penalties;
use crate::data::Rows;
use crate::linalg::{Cholesky, axpy, dot, norm, times};

/// The point $a$ of a dual solve, and the residual $g$ that belongs to it.
#[derive(Default)]
pub(super) struct DualPoint {
    pub(super) a: Vec<f64>,
    pub(super) g: Vec<f64>,
}

impl DualPoint {
    /// The anchor: $a = 0$.
    pub(super) fn start(&mut self, rows: usize) {
        self.a.clear();
        self.a.resize(rows, 0.0);
        self.g.resize(rows, 0.0);
    }

    /// $g = a + s$
    pub(super) fn update_residual(&mut self, slopes: &[f64]) {
        self.g.iter_mut().zip(self.a.iter().zip(slopes)).for_each(|(g, (a, s))| *g = a + s);
    }
}

/// Memory of the path.
#[derive(Default)]
pub(super) struct Memory {
    gram: Vec<f64>,
    gram_of: Option<u64>,
    cholesky: Cholesky,
    kg: Vec<f64>,
    direction: Vec<f64>,
    bent: Vec<f64>,
    roots: Vec<f64>,
    wide: Vec<f64>,
    spread: Vec<f64>,
}

/// The Cholesky path for one batch and penalty.
pub(super) struct Dual<'s> {
    rows: Rows<'s>,
    penalty: Penalties,
    point: &'s mut DualPoint,
    memory: &'s mut Memory,
}

impl<'s> Dual<'s> {
    pub(super) fn new(
        rows: Rows<'s>,
        penalty: Penalties,
        stamp: u64,
        point: &'s mut DualPoint,
        memory: &'s mut Memory,
    ) -> Self {
        let size = rows.len();
        if memory.gram_of != Some(stamp) {
            memory.gram.resize(size * size, 0.0);
            rows.gram(&mut memory.gram, &mut memory.spread);
            memory.gram_of = Some(stamp);
        }
        [&mut memory.kg, &mut memory.direction, &mut memory.bent, &mut memory.roots]
            .into_iter()
            .for_each(|v| v.resize(size, 0.0));
        memory.wide.resize(penalty.layout().len(), 0.0);
        Self { rows, penalty, point, memory }
    }

    /// Moves `theta` from the anchor to the current point.
    pub(super) fn finish(self, theta: &mut [f64]) {
        let wide = &mut self.memory.wide;
        back(self.rows, &self.point.a, wide);
        self.penalty.divide(wide);
        axpy(1.0, wide, theta);
    }

    /// $S$, with zeros for rows that are straight as far as rounding can tell.
    fn fill_roots(&mut self, curvatures: &[f64]) {
        let Memory { gram, roots, .. } = &mut *self.memory;
        let (size, shift) = (curvatures.len(), self.penalty.intercept.map_or(0.0, |p| 1.0 / p));
        for (i, (root, w)) in roots.iter_mut().zip(curvatures).enumerate() {
            let diagonal = gram[i * size + i] / self.penalty.coefficients + shift;
            *root = if w * diagonal > STRAIGHT { w.sqrt() } else { 0.0 };
        }
    }

    /// Factors $B$ with its diagonal lifted by a share of the largest entry; `false` if it is still not positive definite.
    fn factors(&mut self, lift: f64) -> bool {
        let Memory { gram, cholesky, roots, .. } = &mut *self.memory;
        let (size, shift) = (roots.len(), self.penalty.intercept.map_or(0.0, |p| 1.0 / p));
        let b = cholesky.matrix(size);
        let mut largest = 1.0_f64;
        for j in 0..size {
            for i in j..size {
                let k = gram[j * size + i] / self.penalty.coefficients + shift;
                b[j * size + i] = roots[i] * k * roots[j];
            }
            b[j * size + j] += 1.0;
            largest = largest.max(b[j * size + j]);
        }
        if lift > 0.0 {
            (0..size).for_each(|j| b[j * size + j] += lift * largest);
        }
        cholesky.factor()
    }
}

/// $w_iK_{ii}$ below which a row counts as straight.
const STRAIGHT: f64 = 1e-15;

/// `out = Kv`
fn kernel(gram: &[f64], penalty: Penalties, v: &[f64], out: &mut [f64]) {
    times(gram, v, out, false);
    let shift = penalty.intercept.map_or(0.0, |p| v.iter().sum::<f64>() / p);
    out.iter_mut().for_each(|out| *out = *out / penalty.coefficients + shift);
}

impl System for Dual<'_> {
    fn gradient_norm(&mut self, slopes: &[f64]) -> f64 {
        self.point.update_residual(slopes);
        let Memory { gram, kg, wide, .. } = &mut *self.memory;
        let g = &self.point.g;
        times(gram, g, kg, false);
        // ‖Xᵀg‖² = gᵀXXᵀg needs no pass over the rows, but loses its digits where the terms cancel, as they do near the end.
        let free = self.penalty.intercept.map_or(0.0, |_| g.iter().sum::<f64>());
        let square = dot(g, kg) + free * free;
        let terms: f64 = g.iter().zip(kg.iter()).map(|(g, kg)| (g * kg).abs()).sum();
        let shift = self.penalty.intercept.map_or(0.0, |p| free / p);
        kg.iter_mut().for_each(|kg| *kg = *kg / self.penalty.coefficients + shift);
        if square > 1e-3 * terms && self.rows.len() <= self.rows.width() {
            return square.sqrt();
        }
        back(self.rows, g, wide);
        norm(wide)
    }

    fn direction(&mut self, _slopes: &[f64], curvatures: &[f64], _precision: f64, change: &mut [f64]) -> Option<Along> {
        self.fill_roots(curvatures);
        LIFTS.into_iter().find(|&lift| self.factors(lift))?;
        let Memory { gram, cholesky, direction, roots, bent, .. } = &mut *self.memory;
        let g = &self.point.g;
        let is_straight = |root: &f64| *root == 0.0;
        // What the straight rows, which move by −g, do to the others.
        if roots.iter().any(is_straight) {
            let straight = g.iter().zip(roots.iter()).map(|(g, root)| if is_straight(root) { *g } else { 0.0 });
            direction.clear();
            direction.extend(straight);
            kernel(gram, self.penalty, direction, bent);
        } else {
            bent.fill(0.0);
        }
        for (i, d) in direction.iter_mut().enumerate() {
            *d = if is_straight(&roots[i]) { 0.0 } else { roots[i] * bent[i] - g[i] / roots[i] };
        }
        cholesky.solve(direction);
        for (i, d) in direction.iter_mut().enumerate() {
            *d = if is_straight(&roots[i]) { -g[i] } else { roots[i] * *d };
        }
        kernel(gram, self.penalty, direction, change);
        Some(Along { slope: dot(&self.point.a, change), curvature: dot(direction, change) })
    }

    fn advance(&mut self, t: f64) {
        axpy(t, &self.memory.direction, &mut self.point.a);
    }
}
