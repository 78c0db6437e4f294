//! The prox of a batch whose loss has a kink: a quadratic program over a box in the space of the batch.
//!
//! With $\theta = z + D^{-1}X^Ta$ and $K = XD^{-1}X^T$ the predictors are $\eta = \eta_0 + Ka$, and a row with kink $k_i$ and slopes $s_-, s_+$ asks for $-v_is_+ \le a_i \le -v_is_-$: the lower end
//! where $\eta_i > k_i$, the upper one where $\eta_i < k_i$, anything between on the kink. Those are the conditions of the least
//! $$\tfrac12a^TKa + (\eta_0 - k)^Ta \quad\text{over the box},$$
//! whose gradient is $\eta - k$. One row has a closed form. For more of them, sweeps over single coordinates find about which rows lie on their kink; then an active-set method changes that
//! set row by row until the conditions hold, on a Cholesky factor of $K$ for the rows on their kink that rows are added to and taken from. A row that depends on those is
//! exchanged for one of them. It ends after finitely many steps at the minimum up to rounding.

use super::back;
use super::penalties::Penalties;
use crate::data::Batch;
use crate::error::Result;
use crate::linalg::{axpy, dot};
use crate::loss::{KinkFault, Kinked, Loss};

/// Rows that a batch has at most.
pub(super) const MOST_ROWS: usize = 2000;
/// Sweeps over single coordinates before the active set is looked for.
const SWEEPS: usize = 20;
/// Pivot, relative to the diagonal, below which a row depends on others.
const DEPENDENT: f64 = 1e-11;
/// Violation of a condition that counts as none, relative to the numbers that cancel in it.
const ROUNDING: f64 = 1e-13;

/// Where a coordinate is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Low,
    High,
    /// Between the two, with a row of the factor.
    Free,
    /// Between the two, without one yet.
    Loose,
}

/// Memory, and the state of a solve.
#[derive(Default)]
pub(super) struct Boxed {
    kernel: Vec<f64>,
    gram: Vec<f64>,
    gram_of: Option<u64>,
    spread: Vec<f64>,
    wide: Vec<f64>,
    a: Vec<f64>,
    gradient: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    places: Vec<Place>,
    free: Vec<usize>,
    /// The lower triangle of the factor, row by row.
    factor: Vec<Vec<f64>>,
    /// The size of the numbers that cancel in each entry of the gradient.
    sizes: Vec<f64>,
}

/// What a solve took and how well it ended.
pub(super) struct Solved {
    pub(super) steps: usize,
    /// The largest violation of a condition, relative to the numbers that cancel in it.
    pub(super) residual: f64,
}

impl Boxed {
    /// Moves `theta` from the anchor to the minimiser; `predictors` are those at the anchor.
    pub(super) fn solve(
        &mut self,
        (loss, kinked): (&dyn Loss, &dyn Kinked),
        (batch, predictors): (&Batch, &[f64]),
        penalty: Penalties,
        theta: &mut [f64],
    ) -> Result<Solved> {
        let size = batch.len();
        if size > MOST_ROWS {
            return Err(KinkFault::Batch { rows: size, most: MOST_ROWS }.of(loss));
        }
        self.fill(batch, penalty);
        let clear = |v: &mut Vec<f64>| {
            v.clear();
            v.resize(size, 0.0);
        };
        [&mut self.a, &mut self.gradient, &mut self.low, &mut self.high, &mut self.sizes].into_iter().for_each(clear);
        for i in 0..size {
            let (kink, weight) = (kinked.kink(batch.response()[i]), batch.weights()[i]);
            (self.low[i], self.high[i]) = (-weight * kink.above, -weight * kink.below);
            self.gradient[i] = predictors[i] - kink.at;
            self.sizes[i] = predictors[i].abs() + kink.at.abs();
        }
        self.sweep();
        let steps = self.settle();
        let residual = self.violation();
        self.wide.resize(theta.len(), 0.0);
        back(batch.rows(), &self.a, &mut self.wide);
        penalty.divide(&mut self.wide);
        axpy(1.0, &self.wide, theta);
        Ok(Solved { steps, residual })
    }

    /// $K$
    fn fill(&mut self, batch: &Batch, penalty: Penalties) {
        let size = batch.len();
        if self.gram_of != Some(batch.stamp()) {
            self.gram.resize(size * size, 0.0);
            batch.rows().gram(&mut self.gram, &mut self.spread);
            self.gram_of = Some(batch.stamp());
        }
        let shift = penalty.intercept.map_or(0.0, |p| 1.0 / p);
        self.kernel.clear();
        self.kernel.extend(self.gram.iter().map(|g| g / penalty.coefficients + shift));
    }

    fn row(&self, i: usize) -> &[f64] {
        let size = self.a.len();
        &self.kernel[i * size..(i + 1) * size]
    }

    /// Changes a coordinate, and the gradient with it.
    fn shift(&mut self, i: usize, by: f64) {
        let size = self.a.len();
        self.a[i] += by;
        let row = &self.kernel[i * size..(i + 1) * size];
        for ((gradient, total), k) in self.gradient.iter_mut().zip(&mut self.sizes).zip(row) {
            *gradient += by * k;
            *total = total.max((by * k).abs());
        }
    }

    /// Each coordinate at its own best, a few times over all of them.
    fn sweep(&mut self) {
        let size = self.a.len();
        for _ in 0..if size == 1 { 1 } else { SWEEPS } {
            let mut has_moved = false;
            for i in 0..size {
                let bend = self.row(i)[i];
                let (low, high) = (self.low[i], self.high[i]);
                let best = if bend > 0.0 {
                    (self.a[i] - self.gradient[i] / bend).clamp(low, high)
                } else if self.gradient[i] > 0.0 {
                    low
                } else if self.gradient[i] < 0.0 {
                    high
                } else {
                    self.a[i]
                };
                if best != self.a[i] {
                    has_moved = true;
                    self.shift(i, best - self.a[i]);
                    self.a[i] = best;
                }
            }
            if !has_moved {
                break;
            }
        }
        self.places.clear();
        for i in 0..size {
            // A row without weight has no room to move.
            self.places.push(match self.a[i] {
                a if a <= self.low[i] => Place::Low,
                a if a >= self.high[i] => Place::High,
                _ => Place::Loose,
            });
        }
        self.free.clear();
        self.factor.clear();
    }

    /// The active-set method; returns its steps.
    fn settle(&mut self) -> usize {
        let size = self.a.len();
        for step in 0..20 * size + 20 {
            if let Some(i) = (0..size).find(|&i| self.places[i] == Place::Loose) {
                self.enter(i, if self.gradient[i] > 0.0 { -1.0 } else { 1.0 });
                continue;
            }
            if !self.minimise_on_free() {
                continue;
            }
            let violation = |i: usize| match self.places[i] {
                Place::Low if self.low[i] < self.high[i] => -self.gradient[i],
                Place::High if self.low[i] < self.high[i] => self.gradient[i],
                _ => 0.0,
            };
            let worst = (0..size).map(|i| (violation(i) / self.sizes[i].max(f64::MIN_POSITIVE), i));
            match worst.max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1))) {
                Some((worst, i)) if worst > ROUNDING => {
                    self.enter(i, if self.places[i] == Place::Low { 1.0 } else { -1.0 });
                }
                _ => return step,
            }
        }
        20 * size + 20
    }

    /// Goes to the minimum over the free coordinates; `false` if a bound stopped it, which that coordinate then is at.
    fn minimise_on_free(&mut self) -> bool {
        // Twice, the second time for what rounding has left.
        for _ in 0..2 {
            let mut direction: Vec<f64> = self.free.iter().map(|&i| -self.gradient[i]).collect();
            self.divide(&mut direction);
            let steps: Vec<(usize, f64)> = self.free.iter().copied().zip(direction).collect();
            if let Some(blocked) = self.walk(&steps, 1.0) {
                self.leave(blocked);
                return false;
            }
        }
        true
    }

    /// Walks along a direction up to `most`, or to the first bound; then the coordinate there is put onto it and named.
    fn walk(&mut self, direction: &[(usize, f64)], most: f64) -> Option<usize> {
        let (mut length, mut blocked) = (most, None);
        for &(i, d) in direction {
            let room = if d > 0.0 {
                (self.high[i] - self.a[i]) / d
            } else if d < 0.0 {
                (self.low[i] - self.a[i]) / d
            } else {
                continue;
            };
            if room.max(0.0) < length {
                (length, blocked) = (room.max(0.0), Some((i, d)));
            }
        }
        for &(i, d) in direction {
            self.shift(i, length * d);
        }
        blocked.map(|(i, d)| {
            (self.a[i], self.places[i]) = if d > 0.0 { (self.high[i], Place::High) } else { (self.low[i], Place::Low) };
            i
        })
    }

    /// Makes a coordinate free, moving it as `sign` says if it must be exchanged for another one.
    fn enter(&mut self, i: usize, sign: f64) {
        let mut above: Vec<f64> = self.free.iter().map(|&j| self.row(i)[j]).collect();
        self.divide_lower(&mut above);
        let (diagonal, pivot) = (self.row(i)[i], self.row(i)[i] - dot(&above, &above));
        if pivot > DEPENDENT * diagonal {
            above.push(pivot.sqrt());
            self.factor.push(above);
            self.free.push(i);
            self.places[i] = Place::Free;
            return;
        }
        // Along this direction K does not bend: it ends at a bound.
        let mut shares = above;
        self.divide_upper(&mut shares);
        let slope = self.gradient[i] - self.free.iter().zip(&shares).map(|(&j, w)| w * self.gradient[j]).sum::<f64>();
        let sign = if self.places[i] == Place::Loose && sign * slope > 0.0 { -sign } else { sign };
        let mut direction = vec![(i, sign)];
        direction.extend(self.free.iter().zip(&shares).map(|(&j, w)| (j, -sign * w)));
        match self.walk(&direction, f64::MAX) {
            Some(blocked) if blocked != i => {
                self.leave(blocked);
                self.places[i] = Place::Loose;
            }
            Some(_) => {}
            // No bound anywhere: nothing is gained by moving.
            None => self.places[i] = Place::Low,
        }
    }

    /// Takes a coordinate out of the factor.
    fn leave(&mut self, i: usize) {
        let Some(at) = self.free.iter().position(|&j| j == i) else { return };
        self.free.remove(at);
        self.factor.remove(at);
        // Each row below has one entry too many; rotations of neighbouring columns take them away.
        for k in at..self.factor.len() {
            let (x, y) = (self.factor[k][k], self.factor[k][k + 1]);
            let length = x.hypot(y);
            let (cos, sin) = if length > 0.0 { (x / length, y / length) } else { (1.0, 0.0) };
            for row in &mut self.factor[k..] {
                let (x, y) = (row[k], row[k + 1]);
                (row[k], row[k + 1]) = (cos * x + sin * y, cos * y - sin * x);
            }
            self.factor[k].truncate(k + 1);
        }
    }

    /// $L^{-1}v$
    fn divide_lower(&self, v: &mut [f64]) {
        for (k, row) in self.factor.iter().enumerate() {
            v[k] = (v[k] - dot(&row[..k], &v[..k])) / row[k];
        }
    }

    /// $L^{-T}v$
    fn divide_upper(&self, v: &mut [f64]) {
        for (k, row) in self.factor.iter().enumerate().rev() {
            v[k] /= row[k];
            let value = v[k];
            v[..k].iter_mut().zip(row).for_each(|(v, l)| *v -= value * l);
        }
    }

    fn divide(&self, v: &mut [f64]) {
        self.divide_lower(v);
        self.divide_upper(v);
    }

    /// The largest violation of a condition, relative to the numbers that cancel in it.
    fn violation(&self) -> f64 {
        let of_row = |i: usize| {
            let gradient = self.gradient[i];
            let violated = match self.places[i] {
                _ if self.low[i] >= self.high[i] => 0.0,
                Place::Low => (-gradient).max(0.0),
                Place::High => gradient.max(0.0),
                Place::Free | Place::Loose => gradient.abs(),
            };
            if violated == 0.0 { 0.0 } else { violated / self.sizes[i] }
        };
        (0..self.a.len()).map(of_row).fold(0.0, f64::max)
    }
}
