//! Bounds for losses that are not quadratic, against every choice fitted by a Newton method of its own.

use super::curved::{Curved, CurvedOutcome};
use super::relaxed::relaxed;
use super::state::Progress;
use super::testing::Numbers;
use crate::data::Data;
use crate::loss::{Huber, Logistic, Loss, Poisson, SquaredHinge};
use crate::objective::Objective;
use crate::ridge::Ridge;
use std::ops::ControlFlow;

/// A random problem in raw units.
pub(super) struct Case {
    pub(super) columns: usize,
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) offset: Vec<f64>,
    pub(super) kind: usize,
    pub(super) ridge: f64,
    pub(super) has_intercept: bool,
}

const DELTA: f64 = 0.8;

impl Case {
    pub(super) fn random(seed: u64, kind: usize) -> Self {
        let mut numbers = Numbers::new(seed.wrapping_mul(31) + kind as u64);
        let columns = 3 + numbers.below(6);
        let rows = 14 + numbers.below(27) + if seed.is_multiple_of(3) { 60 } else { 0 };
        let units: Vec<f64> = (0..columns).map(|_| 10f64.powf(2.5 * numbers.next())).collect();
        let shifts: Vec<f64> = (0..columns).map(|_| 2.0 * numbers.next()).collect();
        let likeness = [0.0, 0.7, 0.95][numbers.below(3)];
        let truth: Vec<f64> = (0..columns).map(|_| (1.6 * numbers.next()).round()).collect();
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let shared = numbers.next();
            let row: Vec<f64> =
                (0..columns).map(|_| 1.5 * (likeness * shared + (1.0 - likeness) * numbers.next())).collect();
            let eta = row.iter().zip(&truth).map(|(x, t)| x * t).sum::<f64>();
            let luck = 0.5 + 0.5 * numbers.next();
            y.push(match kind {
                0 | 3 => f64::from(u8::from(luck < 1.0 / (1.0 + (-eta).exp()))),
                1 => eta + 1.2 * numbers.next() + if luck > 0.9 { 5.0 } else { 0.0 },
                _ => (eta.exp() * 2.0 * luck).round(),
            });
            x.extend(row.iter().enumerate().map(|(j, x)| units[j] * (x + shifts[j])));
        }
        let is_weighted = seed % 4 == 1;
        let weight = |i: usize| if is_weighted { (i % 4) as f64 } else { 1.0 };
        let has_offset = seed % 5 == 2;
        Self {
            columns,
            x,
            y,
            weights: (0..rows).map(weight).collect(),
            offset: (0..rows).map(|i| if has_offset { 0.2 * (i % 3) as f64 } else { 0.0 }).collect(),
            kind,
            ridge: [0.0, 0.0, 1e-3, 0.1][numbers.below(4)],
            has_intercept: seed % 3 != 1,
        }
    }

    pub(super) fn loss(&self) -> Box<dyn Loss> {
        match self.kind {
            0 => Box::new(Logistic),
            1 => Box::new(Huber::with_delta(DELTA).unwrap()),
            2 => Box::new(Poisson),
            _ => Box::new(SquaredHinge),
        }
    }

    pub(super) fn data(&self) -> Data<'_> {
        let data = Data::dense(&self.x, self.columns, &self.y).unwrap();
        data.weights(&self.weights).unwrap().offset(&self.offset).unwrap()
    }

    /// Value, slope and curvature of the loss, written down again.
    fn derivatives(&self, eta: f64, y: f64) -> [f64; 3] {
        match self.kind {
            0 => {
                let p = 1.0 / (1.0 + (-eta).exp());
                let value = eta.max(0.0) + (-eta.abs()).exp().ln_1p() - y * eta;
                [value, p - y, p * (1.0 - p)]
            }
            1 => {
                let r = eta - y;
                if r.abs() <= DELTA {
                    [0.5 * r * r, r, 1.0]
                } else {
                    [DELTA * (r.abs() - 0.5 * DELTA), DELTA * r.signum(), 0.0]
                }
            }
            2 => [eta.exp() - y * eta, eta.exp() - y, eta.exp()],
            _ => {
                let sign = 2.0 * y - 1.0;
                let short = (1.0 - sign * eta).max(0.0);
                [0.5 * short * short, -sign * short, f64::from(u8::from(short > 0.0))]
            }
        }
    }

    /// F, its gradient and Hessian on columns of unit size, and the intercept's.
    fn at(&self, support: &[usize], z: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let total: f64 = self.weights.iter().sum();
        let size = support.len() + usize::from(self.has_intercept);
        let (mut value, mut g, mut h) = (0.0, vec![0.0; size], vec![0.0; size * size]);
        for (i, row) in self.x.chunks_exact(self.columns).enumerate() {
            let mut x: Vec<f64> = support.iter().map(|&j| row[j] / self.unit(j)).collect();
            if self.has_intercept {
                x.push(1.0);
            }
            let eta = x.iter().zip(z).map(|(x, z)| x * z).sum::<f64>() + self.offset[i];
            let [l, s, c] = self.derivatives(eta, self.y[i]).map(|d| d * self.weights[i] / total);
            value += l;
            for a in 0..size {
                g[a] += s * x[a];
                (0..size).for_each(|b| h[a * size + b] += c * x[a] * x[b]);
            }
        }
        for (a, &j) in support.iter().enumerate() {
            let ridge = self.ridge / (self.unit(j) * self.unit(j));
            value += 0.5 * ridge * z[a] * z[a];
            g[a] += ridge * z[a];
            h[a * size + a] += ridge;
        }
        (value, g, h)
    }

    fn unit(&self, j: usize) -> f64 {
        self.x.chunks_exact(self.columns).map(|row| row[j].abs()).fold(0.0, f64::max)
    }

    /// The least F on a support.
    pub(super) fn on(&self, support: &[usize]) -> f64 {
        let size = support.len() + usize::from(self.has_intercept);
        let mut z = vec![0.0; size];
        let mut damping = 1e-3;
        let (mut value, mut g, mut h) = self.at(support, &z);
        for _ in 0..300 {
            let mut matrix = h.clone();
            (0..size).for_each(|a| matrix[a * size + a] += damping);
            let step = solve(matrix, g.clone(), size);
            let moved: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z - s).collect();
            let next = self.at(support, &moved);
            if next.0 <= value {
                z = moved;
                (value, g, h) = next;
                damping = f64::max(0.2 * damping, 1e-14);
            } else {
                damping *= 4.0;
            }
            if damping > 1e8 || g.iter().all(|g| g.abs() < 1e-15) {
                break;
            }
        }
        value
    }

    /// The least F over all choices of a size.
    pub(super) fn best(&self, size: usize) -> (f64, Vec<usize>) {
        let all = (0..1_usize << self.columns).filter(|bits| bits.count_ones() as usize == size.min(self.columns));
        let supports = all.map(|bits| (0..self.columns).filter(|j| bits >> j & 1 == 1).collect::<Vec<usize>>());
        supports.map(|s| (self.on(&s), s)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    }
}

/// By elimination with pivots.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>, n: usize) -> Vec<f64> {
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap();
        (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k * n + j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k * n + k];
    }
    b
}

fn run(case: &Case, size: usize, start: &[usize]) -> Option<CurvedOutcome> {
    let (data, loss) = (case.data(), case.loss());
    let objective = Objective::new(&data, &*loss, case.ridge).intercept(case.has_intercept);
    let curved = Curved::of(objective, &(0..case.columns).collect::<Vec<_>>(), size).unwrap().unwrap();
    curved.run(start, &mut |_: &Progress| ControlFlow::Continue(())).unwrap()
}

#[test]
fn no_bound_is_above_the_best_of_all_choices() {
    for kind in 0..4 {
        let (mut bounded, mut proven) = (0, 0);
        for seed in 0..100 {
            let case = Case::random(seed, kind);
            let size = 1 + (seed % 3) as usize;
            let (least, _) = case.best(size);
            // A start that is wrong as often as not.
            let start: Vec<usize> = (0..size).collect();
            let Some(found) = run(&case, size, &start) else { continue };
            bounded += 1;
            let rounding = 1e-10 * (least.abs() + 1e-3);
            assert!(found.lower <= least + rounding, "kind {kind} seed {seed}: {found:?}, truth {least}");
            assert!(found.value >= least - rounding, "kind {kind} seed {seed}: {found:?}, truth {least}");
            if found.value - found.lower <= 1e-6 * found.value.abs() {
                proven += 1;
                let allowed = 1.01e-6 * least.abs() + rounding;
                assert!(found.value <= least + allowed, "kind {kind} seed {seed}: {found:?}, truth {least}");
            }
        }
        println!("kind {kind}: {bounded} bounded, {proven} proven");
        assert!(bounded >= 10 && proven >= 5, "kind {kind}: {bounded} bounded, {proven} proven");
    }
}

#[test]
fn a_search_that_is_cut_short_claims_no_more_than_is_true() {
    let mut open = 0;
    for kind in 0..4 {
        for seed in 100..130 {
            let case = Case::random(seed, kind);
            let (least, _) = case.best(2);
            let (data, loss) = (case.data(), case.loss());
            let objective = Objective::new(&data, &*loss, case.ridge).intercept(case.has_intercept);
            let curved = Curved::of(objective, &(0..case.columns).collect::<Vec<_>>(), 2).unwrap().unwrap();
            for calls in 1..12 {
                let mut left = calls;
                let mut seen = f64::NEG_INFINITY;
                let found = curved.run(&[], &mut |progress: &Progress| {
                    seen = f64::max(seen, progress.lower);
                    left -= 1;
                    if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let rounding = 1e-10 * (least.abs() + 1e-3);
                assert!(seen <= least + rounding, "kind {kind} seed {seed} calls {calls}: {seen}, truth {least}");
                let Some(found) = found.unwrap() else { continue };
                assert!(found.lower <= least + rounding, "kind {kind} seed {seed}: {found:?}, truth {least}");
                open += usize::from(found.value - found.lower > 1e-6 * found.value.abs());
            }
        }
    }
    assert!(open > 0);
}

#[test]
fn no_relaxation_is_above_the_best_of_all_choices() {
    let mut near = 0;
    for kind in 0..4 {
        for seed in 0..60 {
            let mut case = Case::random(seed, kind);
            // In raw units: a ridge that means something for columns of any size.
            let ridge = [0.02, 0.3, 2.0][(seed % 3) as usize];
            let squares: Vec<f64> = (0..case.columns).map(|j| case.unit(j) * case.unit(j)).collect();
            let units: Vec<f64> = (0..case.columns).map(|j| case.unit(j)).collect();
            case.x.chunks_exact_mut(case.columns).for_each(|row| row.iter_mut().zip(&units).for_each(|(x, u)| *x /= u));
            case.ridge = ridge;
            let size = 1 + (seed % 3) as usize;
            let (least, support) = case.best(size);
            let raw: Vec<f64> = case.x.iter().zip(units.iter().cycle()).map(|(x, u)| x * u).collect();
            let data = Data::dense(&raw, case.columns, &case.y).unwrap();
            let data = data.weights(&case.weights).unwrap().offset(&case.offset).unwrap();
            let (loss, ridge) = (case.loss(), Ridge::on_effects(ridge, &squares));
            let objective = Objective::new(&data, &*loss, ridge).intercept(case.has_intercept);
            for most in [1, 20, 4000] {
                let mut steps = 0;
                let found =
                    relaxed(objective, size, (&objective.layout().zeros(), 2.0 * least.abs() + 1.0), &mut |_| {
                        steps += 1;
                        if steps >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                    });
                let Some(found) = found.unwrap() else { continue };
                let (bound, rounding) = (found.lower, 1e-10 * (least.abs() + 1e-3));
                assert!(bound <= least + rounding, "kind {kind} seed {seed}: {bound}, truth {least}");
                // The best choice is among the columns that are left.
                let left = found.left(least + rounding);
                assert!(support.iter().all(|j| left.contains(j)), "kind {kind} seed {seed}: {left:?}, {support:?}");
                near += usize::from(bound > least - 0.02 * least.abs());
            }
        }
    }
    println!("{near} of 720 within 2 %");
    assert!(near > 150, "{near}");
}

/// Normal columns, each like its neighbour, and labels from some of them.
fn simulated(rows: usize, columns: usize, size: usize, likeness: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut numbers, mut luck) = (Numbers::new(7), Numbers::new(8));
    let mut normal = || (0..12).map(|_| numbers.next()).sum::<f64>() / 2.0;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (mut last, mut eta) = (normal(), 0.0);
        for j in 0..columns {
            x.push(last);
            if j % (columns / size) == 0 {
                eta += if (j / (columns / size)).is_multiple_of(2) { last } else { -last };
            }
            last = likeness * last + (1.0 - likeness * likeness).sqrt() * normal();
        }
        y.push(f64::from(u8::from(0.5 + 0.5 * luck.next() < 1.0 / (1.0 + (-eta).exp()))));
    }
    (x, y)
}

#[test]
fn simulated_logistic_problems_are_proven() {
    for (rows, columns, likeness) in [(2000, 50, 0.0), (2000, 50, 0.5), (4000, 80, 0.5)] {
        let size = 5;
        let (x, y) = simulated(rows, columns, size, likeness);
        let data = Data::dense(&x, columns, &y).unwrap();
        let objective = Objective::new(&data, &Logistic, 0.0).intercept(true);
        let curved = Curved::of(objective, &(0..columns).collect::<Vec<_>>(), size).unwrap().unwrap();
        let start: Vec<usize> = (0..size).map(|k| k * (columns / size)).collect();
        let found = curved.run(&start, &mut |_: &Progress| ControlFlow::Continue(())).unwrap().unwrap();
        let gap = (found.value - found.lower) / found.value;
        assert!(gap <= 1e-6, "{rows} x {columns}, {likeness}: {gap:e}");
    }
}
