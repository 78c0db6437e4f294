//! Small random problems in raw units for several losses, and the least F on a support by a Newton method of its own.

use proxdist::loss::Loss;
use proxdist::{Data, Problem};

/// Numbers between −1 and 1 that depend on the seed alone.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        (0..8).for_each(|_| _ = numbers.next());
        numbers
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1_u64 << 53) as f64).mul_add(2.0, -1.0)
    }
}

/// What the first columns do, in units in which they are of size one.
const TRUTH: [f64; 12] = [1.0, 0.0, -1.0, 0.5, -0.7, 0.4, 0.9, -0.5, 0.6, -0.8, 0.3, 0.7];

/// Rows, response, weights and offset. Columns spread over five decades; in some problems two of them are the same but for their unit, in others nearly so.
pub(crate) struct Raw {
    pub(crate) loss: String,
    pub(crate) columns: usize,
    pub(crate) units: Vec<f64>,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) offset: Vec<f64>,
    pub(crate) has_intercept: bool,
    pub(crate) ridge: f64,
}

impl Raw {
    pub(crate) fn new(loss: &str, seed: u64, rows: usize, columns: usize) -> Self {
        let mut numbers = Numbers::new(seed);
        let units: Vec<f64> = (0..columns).map(|_| 10f64.powf(2.5 * numbers.next())).collect();
        let likeness = [0.0, 1.0, 3.0][(seed % 3) as usize];
        let difference = [None, Some(0.0), None, Some(1e-6)][((seed / 3) % 4) as usize];
        // Fewer where proofs are harder.
        let true_columns = if loss == "squared" { TRUTH.len() } else { 4 };
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let shared = numbers.next();
            let mut row: Vec<f64> = (0..columns).map(|_| likeness * shared + numbers.next()).collect();
            if let Some(difference) = difference {
                row[1] = row[0] + difference * numbers.next();
            }
            let eta: f64 = row.iter().zip(TRUTH).take(true_columns).map(|(x, t)| x * t).sum();
            let luck = numbers.next();
            y.push(match loss {
                "logistic" => f64::from(u8::from(0.5 + 0.5 * luck < 1.0 / (1.0 + (-eta).exp()))),
                "poisson" => ((0.7 * eta).exp() + luck).round().max(0.0),
                "squared" => eta + luck.powi(3) * 3.0,
                _ => eta + luck.powi(3),
            });
            x.extend(row.iter().zip(&units).map(|(x, unit)| x * unit));
        }
        let weight = |i: usize| if i.is_multiple_of(7) { 0.0 } else { 1.0 + (i % 3) as f64 };
        Self {
            loss: loss.to_owned(),
            columns,
            units,
            x,
            y,
            weights: (0..rows).map(|i| if seed % 5 > 2 { weight(i) } else { 1.0 }).collect(),
            offset: (0..rows).map(|i| if seed.is_multiple_of(6) { 0.2 * (i % 3) as f64 } else { 0.0 }).collect(),
            has_intercept: !seed.is_multiple_of(3),
            ridge: if (seed / 2).is_multiple_of(2) { 0.03 } else { 0.0 },
        }
    }

    pub(crate) fn loss(&self) -> Box<dyn Loss> {
        proxdist::loss::parse(&self.loss).unwrap()
    }

    /// Hands the problem of choosing at most so many columns to a function.
    pub(crate) fn with_problem<T>(&self, size: usize, run: impl FnOnce(&Problem) -> T) -> T {
        let data = Data::dense(&self.x, self.columns, &self.y).unwrap();
        let data = data.weights(&self.weights).unwrap().offset(&self.offset).unwrap();
        let problem = Problem::new(&data, self.loss(), proxdist::constraint::Sparsity::at_most(size));
        run(&problem.intercept(self.has_intercept).ridge(self.ridge))
    }

    /// The least F on a support, and the coefficients and intercept there, by Newton steps in units in which columns are of size one.
    pub(crate) fn on(&self, support: &[usize]) -> (f64, Vec<f64>) {
        let loss = self.loss();
        let total: f64 = self.weights.iter().sum();
        let width = support.len() + usize::from(self.has_intercept);
        let row = |i: usize| -> Vec<f64> {
            let columns = support.iter().map(|&j| self.x[i * self.columns + j] / self.units[j]);
            columns.chain(self.has_intercept.then_some(1.0)).collect()
        };
        let rows: Vec<Vec<f64>> = (0..self.y.len()).map(row).collect();
        let ridge: Vec<f64> = support.iter().map(|&j| self.ridge / self.units[j].powi(2)).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let value = |t: &[f64]| {
            let at = |(i, row): (usize, &Vec<f64>)| {
                self.weights[i] * loss.value(dot(row, t) + self.offset[i], self.y[i]) / total
            };
            rows.iter().enumerate().map(at).sum::<f64>()
                + 0.5 * ridge.iter().zip(t).map(|(r, t)| r * t * t).sum::<f64>()
        };
        let mut t = vec![0.0; width];
        let mut best = value(&t);
        let mut damping = 1e-9;
        for _ in 0..300 {
            let (mut gradient, mut hessian) = (vec![0.0; width], vec![0.0; width * width]);
            for (i, row) in rows.iter().enumerate() {
                let eta = dot(row, &t) + self.offset[i];
                let weight = self.weights[i] / total;
                let (slope, bend) = (loss.slope(eta, self.y[i]), loss.curvature(eta, self.y[i]));
                for a in 0..width {
                    gradient[a] += weight * slope * row[a];
                    (0..width).for_each(|b| hessian[a * width + b] += weight * bend * row[a] * row[b]);
                }
            }
            for (a, weight) in ridge.iter().enumerate() {
                gradient[a] += weight * t[a];
                hessian[a * width + a] += weight;
            }
            (0..width).for_each(|a| hessian[a * width + a] += damping * (1.0 + hessian[a * width + a]));
            let step = solved(hessian, gradient);
            let next: Vec<f64> = t.iter().zip(&step).map(|(t, s)| t - s).collect();
            let there = value(&next);
            if there < best {
                let is_done = best - there <= 1e-16 * best.abs();
                (t, best, damping) = (next, there, (damping * 0.3).max(1e-12));
                if is_done {
                    break;
                }
            } else if damping > 1e3 {
                break;
            } else {
                damping *= 10.0;
            }
        }
        let mut theta = vec![0.0; self.columns];
        support.iter().zip(&t).for_each(|(&j, t)| theta[j] = t / self.units[j]);
        theta.extend(t[support.len()..].iter());
        (best, theta)
    }

    /// F at coefficients and intercept.
    pub(crate) fn value(&self, theta: &[f64]) -> f64 {
        let (loss, total) = (self.loss(), self.weights.iter().sum::<f64>());
        let row = |(i, row): (usize, &[f64])| {
            let eta: f64 = row.iter().zip(theta).map(|(x, t)| x * t).sum();
            let intercept = if self.has_intercept { theta[self.columns] } else { 0.0 };
            self.weights[i] * loss.value(eta + intercept + self.offset[i], self.y[i]) / total
        };
        let squares: f64 = theta[..self.columns].iter().map(|t| t * t).sum();
        self.x.chunks_exact(self.columns).enumerate().map(row).sum::<f64>() + 0.5 * self.ridge * squares
    }

    /// The least F over all choices of at most so many columns.
    pub(crate) fn least(&self, size: usize) -> f64 {
        let all = crate::enumeration::subsets(self.columns, size.min(self.columns));
        all.iter().map(|support| self.on(support).0).fold(f64::INFINITY, f64::min)
    }
}

/// The solution of a small system, by elimination with pivots.
fn solved(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| matrix[a * n + k].abs().total_cmp(&matrix[b * n + k].abs())).unwrap();
        (0..n).for_each(|j| matrix.swap(k * n + j, pivot * n + j));
        right.swap(k, pivot);
        for i in k + 1..n {
            let factor = matrix[i * n + k] / matrix[k * n + k];
            (k..n).for_each(|j| matrix[i * n + j] -= factor * matrix[k * n + j]);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        right[k] = (right[k] - (k + 1..n).map(|j| matrix[k * n + j] * right[j]).sum::<f64>()) / matrix[k * n + k];
    }
    right
}
