//! The minimiser of a quadratic function over rows alone, by the dual method of Goldfarb and Idnani (1983): for small sets in which an interior-point
//! method finds no room, such as those that share one corner.
//!
//! With $H = LL^T$ and $y = L^Tx$ the minimiser is the point of $\{y : (L^{-1}a_i)^Ty \le b_i\}$ nearest to $y_0 = -L^{-1}c$. It is found from outside: the row that
//! is violated most joins the active ones, those whose multiplier would become negative on the way leave. The distance to $y_0$ grows with every step, so no set of rows comes twice.
//! A row that depends on the active ones and is violated by rounding is left as it is.

use super::{Active, Conic, Hessian, Quadratic, refine};
use crate::linalg::{Cholesky, axpy, dot, norm, norm_squared};

/// Variables up to which it is tried.
const MOST_VARIABLES: usize = 60;
/// Rows that join, for each row of the set.
const JOINS: usize = 20;
/// Violations that are rounding, relative to the point and the row.
const ROUNDING: f64 = 1e-14;
/// The same of rows that depend on active ones.
const DEPENDENT_ROUNDING: f64 = 1e-10;
/// Share of a unit normal outside the span of others below which it counts as dependent.
const DEPENDENT: f64 = 1e-10;
/// What makes a function without curvature in some direction have some, relative to the diagonal.
const CURVATURES: [f64; 3] = [0.0, 1e-12, 1e-9];

/// The minimiser and the rows that hold it; `None` if the set has balls or magnitudes, is large, or has no point.
pub(crate) fn by_rows(quadratic: &Quadratic, conic: &Conic) -> Option<(Vec<f64>, Active)> {
    let size = quadratic.size();
    if size > MOST_VARIABLES || !conic.balls.is_empty() || !conic.magnitudes.is_empty() {
        return None;
    }
    let mut cholesky = Cholesky::default();
    let mut has_factor = |extra: &f64| {
        let matrix = cholesky.matrix(size);
        match &quadratic.hessian {
            Hessian::Dense(all) => matrix.copy_from_slice(all),
            Hessian::Diagonal(diagonal) => {
                matrix.fill(0.0);
                diagonal.iter().enumerate().for_each(|(j, h)| matrix[j * size + j] = *h);
            }
        }
        (0..size).for_each(|j| matrix[j * size + j] *= 1.0 + extra);
        cholesky.factor()
    };
    CURVATURES.iter().find(|extra| has_factor(extra))?;
    let normals: Vec<Normal> = conic.rows.iter().map(|row| Normal::of(row, size, &cholesky)).collect::<Option<_>>()?;
    let mut start: Vec<f64> = quadratic.linear.iter().map(|c| -c).collect();
    cholesky.solve_lower(&mut start);
    let held = Outside { normals: &normals, start: &start, held: Vec::new() }.nearest()?;
    let mut x = held.point;
    cholesky.solve_lower_transposed(&mut x);
    let mut active = Active { rows: vec![false; conic.rows.len()], balls: Vec::new(), apexes: Vec::new() };
    held.rows.iter().for_each(|(i, _)| active.rows[*i] = true);
    // Bounds hold exactly, those too that are violated by rounding: where rows are nearly parallel that is more than elsewhere.
    for (i, row) in conic.rows.iter().enumerate() {
        if let [(j, a)] = row.terms[..]
            && (active.rows[i] || row.excess(&x) > 0.0)
        {
            x[j] = row.right / a + 0.0;
            active.rows[i] = true;
        }
    }
    // Exact ties and the last digits, where the rows are consistent to rounding.
    refine(quadratic, conic, &mut x, &mut active);
    x.iter().all(|x| x.is_finite()).then_some((x, active))
}

/// A row in the space of $y$, of unit length.
struct Normal {
    direction: Vec<f64>,
    right: f64,
    is_equality: bool,
}

impl Normal {
    fn of(row: &super::Row, size: usize, cholesky: &Cholesky) -> Option<Self> {
        let mut direction = vec![0.0; size];
        row.terms.iter().for_each(|&(j, a)| direction[j] += a);
        cholesky.solve_lower(&mut direction);
        let length = norm(&direction);
        if length.is_nan() || length <= 0.0 {
            return None;
        }
        direction.iter_mut().for_each(|d| *d /= length);
        Some(Self { direction, right: row.right / length, is_equality: row.is_equality })
    }

    /// How far the row is violated, relative to the numbers that cancel; negative on the other side of an equation. What is lost of the `start` on the way to a
    /// point near zero is rounding.
    fn excess(&self, point: &[f64], start: f64) -> f64 {
        let value = dot(&self.direction, point) - self.right;
        value / (norm(point) + self.right.abs()).max(0.1 * start).max(f64::MIN_POSITIVE)
    }
}

/// A point that is nearest to the start on the rows it is held by, with their multipliers.
struct Held {
    point: Vec<f64>,
    rows: Vec<(usize, f64)>,
}

/// The way from the start, outside of the set, to its nearest point.
struct Outside<'n> {
    normals: &'n [Normal],
    start: &'n [f64],
    /// Rows that hold the point, with the signs of their multipliers: equations are met from either side.
    held: Vec<(usize, f64)>,
}

impl Outside<'_> {
    fn nearest(mut self) -> Option<Held> {
        let mut now = self.on_held()?;
        let size = norm(self.start);
        let mut is_dependent = vec![false; self.normals.len()];
        for _ in 0..JOINS * (self.normals.len() + 1) {
            let violated = |(i, normal): (usize, &Normal)| {
                let excess = normal.excess(&now.point, size);
                let limit = if is_dependent[i] { DEPENDENT_ROUNDING } else { ROUNDING };
                let size = if normal.is_equality { excess.abs() } else { excess };
                (size > limit && !self.holds(i)).then_some((i, excess.signum(), size))
            };
            // Equations first, for they stay.
            let key = |&(i, _, size): &(usize, f64, f64)| if self.normals[i].is_equality { size + 1e3 } else { size };
            let all = self.normals.iter().enumerate().filter_map(violated);
            let Some((joining, sign, _)) = all.max_by(|a, b| key(a).total_cmp(&key(b))) else { return Some(now) };
            match self.join(&now, joining, sign)? {
                Some(next) => now = next,
                None if is_dependent[joining] => return None,
                None => is_dependent[joining] = true,
            }
        }
        None
    }

    fn holds(&self, row: usize) -> bool {
        self.held.iter().any(|(held, _)| *held == row)
    }

    /// The place where a violated row holds the point as well; nothing if it depends on rows that do and cannot leave. `None` if numbers fail.
    #[expect(clippy::option_option, reason = "no such place is not a failure")]
    fn join(&mut self, from: &Held, joining: usize, sign: f64) -> Option<Option<Held>> {
        let before = self.held.clone();
        let mut forces: Vec<f64> = from.rows.iter().map(|(_, force)| *force).collect();
        let mut point = from.point.clone();
        let normal = &self.normals[joining];
        while self.held.len() <= self.start.len() {
            let (across, shares) = Factor::of(&self.columns())?.split(&normal.direction, sign);
            let length = norm_squared(&across);
            let is_free = length > DEPENDENT * DEPENDENT;
            let full =
                if is_free { sign * (dot(&normal.direction, &point) - normal.right) / length } else { f64::INFINITY };
            let leaving = (0..self.held.len())
                .filter(|&k| shares[k] > 0.0 && !self.normals[self.held[k].0].is_equality)
                .map(|k| (k, forces[k].max(0.0) / shares[k]))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let step = leaving.map_or(full, |(_, step)| step.min(full));
            if step.is_infinite() {
                self.held = before;
                return Some(None);
            }
            forces.iter_mut().zip(&shares).for_each(|(force, share)| *force -= step * share);
            if is_free {
                axpy(-step, &across, &mut point);
            }
            match leaving {
                Some((k, at)) if at <= full => {
                    self.held.remove(k);
                    forces.remove(k);
                }
                _ => {
                    self.held.push((joining, sign));
                    return self.on_held().map(Some);
                }
            }
        }
        None
    }

    /// The normals of the rows that hold the point, pointing outwards.
    fn columns(&self) -> Vec<Vec<f64>> {
        let outwards = |&(i, sign): &(usize, f64)| self.normals[i].direction.iter().map(|d| sign * d).collect();
        self.held.iter().map(outwards).collect()
    }

    /// The nearest point on the rows that hold it, and their multipliers, afresh.
    fn on_held(&self) -> Option<Held> {
        let columns = self.columns();
        let factor = Factor::of(&columns)?;
        let mut point = self.start.to_vec();
        let mut forces = vec![0.0; columns.len()];
        // The second time corrects what the first one has rounded.
        for _ in 0..2 {
            let excess = self.held.iter().map(|&(i, sign)| {
                let normal = &self.normals[i];
                sign * (dot(&normal.direction, &point) - normal.right)
            });
            let more = factor.multipliers(excess.collect());
            for (k, column) in columns.iter().enumerate() {
                axpy(-more[k], column, &mut point);
                forces[k] += more[k];
            }
        }
        let rows = self.held.iter().zip(forces).map(|(&(i, _), force)| (i, force)).collect();
        Some(Held { point, rows })
    }
}

/// $N = QR$, columns of $N$ and $Q$ one after the other, $R$ by columns.
struct Factor {
    basis: Vec<Vec<f64>>,
    upper: Vec<Vec<f64>>,
}

impl Factor {
    /// By Gram and Schmidt, each column twice; `None` if columns are dependent.
    fn of(columns: &[Vec<f64>]) -> Option<Self> {
        let mut factor = Self { basis: Vec::new(), upper: Vec::new() };
        for column in columns {
            let (mut rest, mut coefficients) = factor.outside(column);
            let length = norm(&rest);
            if length.is_nan() || length <= 0.1 * DEPENDENT {
                return None;
            }
            rest.iter_mut().for_each(|r| *r /= length);
            coefficients.push(length);
            factor.basis.push(rest);
            factor.upper.push(coefficients);
        }
        Some(factor)
    }

    /// The part of a vector outside the span, and its coordinates inside.
    fn outside(&self, vector: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut rest = vector.to_vec();
        let mut coefficients = vec![0.0; self.basis.len()];
        for _ in 0..2 {
            for (coefficient, unit) in coefficients.iter_mut().zip(&self.basis) {
                let along = dot(unit, &rest);
                axpy(-along, unit, &mut rest);
                *coefficient += along;
            }
        }
        (rest, coefficients)
    }

    /// The same for `sign` times a vector, its part inside as a combination of the columns.
    fn split(&self, vector: &[f64], sign: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut rest, mut shares) = self.outside(vector);
        rest.iter_mut().chain(shares.iter_mut()).for_each(|x| *x *= sign);
        self.solve_upper(&mut shares);
        (rest, shares)
    }

    /// $(N^TN)^{-1}v$
    fn multipliers(&self, mut v: Vec<f64>) -> Vec<f64> {
        for k in 0..v.len() {
            let above: f64 = (0..k).map(|i| self.upper[k][i] * v[i]).sum();
            v[k] = (v[k] - above) / self.upper[k][k];
        }
        self.solve_upper(&mut v);
        v
    }

    /// $R^{-1}v$
    fn solve_upper(&self, v: &mut [f64]) {
        for k in (0..v.len()).rev() {
            let right: f64 = (k + 1..v.len()).map(|i| self.upper[i][k] * v[i]).sum();
            v[k] = (v[k] - right) / self.upper[k][k];
        }
    }
}
