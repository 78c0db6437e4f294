//! Random small problems in raw units with selections of features and convex sets beside them, and the least F of each choice by an independent solver.
//!
//! The rules are stated here a second time, as a test of sets of features; the fit of each such set is a quadratic program for the interior-point crate `clarabel`.
#![allow(dead_code, reason = "each user takes a part")]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use std::fmt::Write as _;

pub(crate) const P: usize = 7;
const ROWS: usize = 18;

/// Random numbers that are the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D)
    }

    /// Between zero and one.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 ^ self.0 >> 32) & 0xFFFF_FFFF) as f64 / 4_294_967_296.0
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.share() * count as f64) as usize
    }
}

/// The features that are chosen, as bits.
pub(crate) type Chosen = u32;

pub(crate) fn has(chosen: Chosen, j: usize) -> bool {
    chosen >> j & 1 == 1
}

/// A selection in words and as a test.
pub(crate) struct Rules {
    /// Features or groups at most.
    pub(crate) most: usize,
    pub(crate) text: String,
    pub(crate) allows: Box<dyn Fn(Chosen) -> bool>,
}

/// Convex sets in words and as rows: `terms·θ ≤ right` or `=`, and a norm.
#[derive(Default)]
pub(crate) struct Beside {
    pub(crate) text: Vec<String>,
    rows: Vec<([f64; P], f64, bool)>,
    ball: Option<f64>,
    l1: Option<f64>,
}

impl Beside {
    /// The whole set as text.
    pub(crate) fn with(&self, rules: &Rules) -> String {
        std::iter::once(&rules.text).chain(&self.text).cloned().collect::<Vec<_>>().join(" & ")
    }
}

fn list(features: &[usize]) -> String {
    features.iter().map(|j| (j + 1).to_string()).collect::<Vec<_>>().join(",")
}

/// The rules of some random numbers; `size` is another number of features or groups for the same rules.
pub(crate) fn some_rules(random: &mut Random, size: Option<usize>) -> Rules {
    let usual: usize = 1 + random.below(4);
    let mut most = size.unwrap_or(usual);
    let mut text = format!("sparsity:{most}");
    let mut tests: Vec<Box<dyn Fn(Chosen) -> bool>> = Vec::new();
    if random.chance(0.2) {
        // Groups as units.
        let units: [&[usize]; 4] = [&[0, 3], &[1], &[2, 5], &[4, 6]];
        most = most.min(3);
        text = format!("group-sparsity:{most};groups=1+4,2,3+6,5+7");
        let used = move |chosen: Chosen| units.iter().filter(|unit| unit.iter().any(|&j| has(chosen, j))).count();
        tests.push(Box::new(move |chosen| used(chosen) <= most));
        if random.chance(0.4) {
            text += ";keep=3";
            tests.push(Box::new(move |chosen| used(chosen | 1 << 2) <= most));
        }
        if random.chance(0.4) {
            text += ";most=1 per 1-2+4";
            tests.push(Box::new(move |chosen| !(has(chosen, 1) && (has(chosen, 0) || has(chosen, 3)))));
        }
    } else {
        let mut kept: Vec<usize> = Vec::new();
        if random.chance(0.4) {
            kept = (0..P).filter(|_| random.chance(0.2)).take(usual).filter(|j| *j < 5).collect();
        }
        if !kept.is_empty() {
            write!(text, ";keep={}", list(&kept)).unwrap();
        }
        if random.chance(0.3) {
            let dropped: Vec<usize> = (0..P).filter(|j| !kept.contains(j)).filter(|_| random.chance(0.25)).collect();
            if !dropped.is_empty() {
                write!(text, ";drop={}", list(&dropped)).unwrap();
                tests.push(Box::new(move |chosen| dropped.iter().all(|&j| !has(chosen, j))));
            }
        }
        // A feature that is kept counts whether its coefficient is zero or not.
        let always: Chosen = kept.iter().map(|j| 1 << j).sum();
        if random.chance(0.4) && (always & 0b111).count_ones() <= 1 && (always & 0b11000).count_ones() <= 1 {
            text += ";most=1 per 1-3,4-5";
            tests.push(Box::new(move |chosen| {
                let all = chosen | always;
                (all & 0b111).count_ones() <= 1 && (all & 0b11000).count_ones() <= 1
            }));
        }
        let mut closure: Box<dyn Fn(Chosen) -> bool> = Box::new(|_| true);
        if random.chance(0.3) {
            let is_strong = random.chance(0.5);
            write!(text, ";heredity={};products=6=1*2,7=2*4", if is_strong { "strong" } else { "weak" }).unwrap();
            closure = Box::new(move |chosen| {
                let meets = |product: usize, [a, b]: [usize; 2]| match is_strong {
                    _ if !has(chosen, product) => true,
                    true => has(chosen, a) && has(chosen, b),
                    false => has(chosen, a) || has(chosen, b),
                };
                meets(5, [0, 1]) && meets(6, [1, 3])
            });
        }
        tests.push(Box::new(move |chosen| {
            let all = chosen | always;
            all.count_ones() as usize <= most && closure(all)
        }));
    }
    Rules { most, text, allows: Box::new(move |chosen| tests.iter().all(|test| test(chosen))) }
}

fn unit(j: usize, value: f64) -> [f64; P] {
    std::array::from_fn(|k| if j == k { value } else { 0.0 })
}

pub(crate) fn some_beside(random: &mut Random, sizes: &[f64; P]) -> Beside {
    let mut beside = Beside::default();
    let numbers = |values: &[f64]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    match random.below(10) {
        0 | 1 => {}
        2 => {
            beside.text.push("nonneg".to_owned());
            (0..P).for_each(|j| beside.rows.push((unit(j, -1.0), 0.0, false)));
        }
        3 => {
            let lower: [f64; P] = std::array::from_fn(|j| -random.between(0.0, 1.0) * sizes[j]);
            let upper: [f64; P] = std::array::from_fn(|j| random.between(0.0, 1.0) * sizes[j]);
            beside.text.push(format!("box;lower={};upper={}", numbers(&lower), numbers(&upper)));
            (0..P).for_each(|j| beside.rows.push((unit(j, -1.0), -lower[j], false)));
            (0..P).for_each(|j| beside.rows.push((unit(j, 1.0), upper[j], false)));
        }
        4 => {
            let cap = random.between(0.2, 0.7);
            beside.text.push(format!("simplex & box:0,{cap}"));
            beside.rows.push(([1.0; P], 1.0, true));
            (0..P).for_each(|j| beside.rows.push((unit(j, -1.0), 0.0, false)));
            (0..P).for_each(|j| beside.rows.push((unit(j, 1.0), cap, false)));
        }
        5 => {
            beside.text.push("affine;a=1,1,1,1,1,1,1;b=0".to_owned());
            beside.rows.push(([1.0; P], 0.0, true));
        }
        6 => {
            let row: [f64; P] = std::array::from_fn(|j| random.between(-1.0, 1.0) / sizes[j]);
            let right = random.between(-0.5, 0.5);
            beside.text.push(format!("affine;a={};b={right}", numbers(&row)));
            beside.rows.push((row, right, true));
        }
        7 => {
            for _ in 0..=random.below(2) {
                let row: [f64; P] = std::array::from_fn(|j| random.between(-1.0, 1.0) / sizes[j]);
                let right = random.between(-0.3, 0.5);
                beside.text.push(format!("halfspace;a={};b={right}", numbers(&row)));
                beside.rows.push((row, right, false));
            }
        }
        8 => {
            let radius = random.between(0.3, 2.0) * sizes[0];
            beside.text.push(format!("ball:{radius}"));
            beside.ball = Some(radius);
        }
        _ => {
            let radius = random.between(0.3, 2.0) * sizes[0];
            beside.text.push(format!("l1:{radius} & box:{},inf", -radius / 2.0));
            beside.l1 = Some(radius);
            (0..P).for_each(|j| beside.rows.push((unit(j, -1.0), radius / 2.0, false)));
        }
    }
    beside
}

/// The factors of a row, and its right-hand side.
type Limited = (Vec<f64>, f64);

/// What the independent solver says of a choice.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Least {
    At(f64),
    Empty,
    /// It has not come to an end.
    Unknown,
}

impl Least {
    /// The value, if there is a point.
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::At(value) => Some(value),
            Self::Empty | Self::Unknown => None,
        }
    }
}

pub(crate) struct Instance {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) ridge: f64,
    pub(crate) intercept: bool,
}

impl Instance {
    /// F at coefficients and an intercept, from its definition.
    pub(crate) fn value(&self, theta: &[f64; P], intercept: f64) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let rows = self.x.chunks_exact(P).zip(&self.y).zip(&self.weights);
        let fit: f64 = rows
            .map(|((row, y), w)| {
                let residual = y - intercept - row.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>();
                0.5 * w / total * residual * residual
            })
            .sum();
        fit + 0.5 * self.ridge * theta.iter().map(|t| t * t).sum::<f64>()
    }

    /// The least F with these features, or nothing if the set has no such point. Variables are effects, so that units do not matter.
    pub(crate) fn least(&self, chosen: Chosen, beside: &Beside) -> Least {
        let support: Vec<usize> = (0..P).filter(|&j| has(chosen, j)).collect();
        let total: f64 = self.weights.iter().sum();
        let scales: Vec<f64> = support
            .iter()
            .map(|&j| {
                let rows = self.x.chunks_exact(P).zip(&self.weights);
                rows.map(|(row, w)| w / total * row[j] * row[j]).sum::<f64>().sqrt().max(1e-12)
            })
            .collect();
        let (count, free) = (support.len(), usize::from(self.intercept));
        let extra = if beside.l1.is_some() { count } else { 0 };
        let size = count + free + extra;
        let (mut p, mut q) = (vec![vec![0.0; size]; size], vec![0.0; size]);
        for ((row, y), w) in self.x.chunks_exact(P).zip(&self.y).zip(&self.weights) {
            let entries: Vec<f64> =
                (0..count).map(|a| row[support[a]] / scales[a]).chain((0..free).map(|_| 1.0)).collect();
            for a in 0..count + free {
                q[a] -= w / total * entries[a] * y;
                (a..count + free).for_each(|b| p[a][b] += w / total * entries[a] * entries[b]);
            }
        }
        (0..count).for_each(|a| p[a][a] += self.ridge / (scales[a] * scales[a]));
        let (mut equal, mut below): (Vec<Limited>, Vec<Limited>) = Default::default();
        for (row, right, is_equality) in &beside.rows {
            let mut terms: Vec<f64> = (0..count).map(|a| row[support[a]] / scales[a]).collect();
            let length = terms.iter().fold(0.0_f64, |top, t| top.max(t.abs()));
            if length == 0.0 {
                let holds = if *is_equality { *right == 0.0 } else { *right >= 0.0 };
                if !holds {
                    return Least::Empty;
                }
                continue;
            }
            terms.iter_mut().for_each(|t| *t /= length);
            terms.resize(size, 0.0);
            (if *is_equality { &mut equal } else { &mut below }).push((terms, right / length));
        }
        if let Some(radius) = beside.l1 {
            for a in 0..count {
                for sign in [1.0, -1.0] {
                    let mut row = vec![0.0; size];
                    (row[a], row[count + free + a]) = (sign, -1.0);
                    below.push((row, 0.0));
                }
            }
            let sum = (0..size).map(|a| if a < count + free { 0.0 } else { scales[0] / scales[a - count - free] });
            below.push((sum.collect(), radius * scales.first().copied().unwrap_or(1.0)));
        }
        let mut cones = vec![SupportedConeT::ZeroConeT(equal.len()), SupportedConeT::NonnegativeConeT(below.len())];
        let mut rows: Vec<(Vec<f64>, f64)> = equal.into_iter().chain(below).collect();
        if let Some(radius) = beside.ball.filter(|_| count > 0) {
            let scale = scales.iter().copied().fold(f64::INFINITY, f64::min);
            rows.push((vec![0.0; size], radius * scale));
            rows.extend((0..count).map(|a| {
                let mut row = vec![0.0; size];
                row[a] = -scale / scales[a];
                (row, 0.0)
            }));
            cones.push(SupportedConeT::SecondOrderConeT(count + 1));
        }
        if size == 0 {
            return Least::At(self.value(&[0.0; P], 0.0));
        }
        let (matrix, right): (Vec<Vec<f64>>, Vec<f64>) = rows.into_iter().unzip();
        let matrix = if matrix.is_empty() { CscMatrix::zeros((0, size)) } else { CscMatrix::from(&matrix) };
        // What is asked for may be too much in floating-point numbers; then less.
        let mut solver = None;
        for tolerance in [1e-12, 1e-10, 1e-8] {
            let (gap, feasible) = (tolerance, tolerance);
            let settings = DefaultSettings {
                verbose: false,
                tol_gap_abs: gap,
                tol_gap_rel: gap,
                tol_feas: feasible,
                ..DefaultSettings::default()
            };
            let mut next = DefaultSolver::new(&CscMatrix::from(&p), &q, &matrix, &right, &cones, settings).unwrap();
            next.solve();
            match next.solution.status {
                SolverStatus::PrimalInfeasible => return Least::Empty,
                SolverStatus::Solved => {
                    solver = Some(next);
                    break;
                }
                _ => {}
            }
        }
        let Some(solver) = solver else { return Least::Unknown };
        let solution = &solver.solution.x;
        let mut theta = [0.0; P];
        support.iter().enumerate().for_each(|(a, &j)| theta[j] = solution[a] / scales[a]);
        Least::At(self.value(&theta, if self.intercept { solution[count] } else { 0.0 }))
    }
}

pub(crate) fn some_instance(random: &mut Random) -> (Instance, [f64; P]) {
    let scales: [f64; P] = std::array::from_fn(|_| 10.0_f64.powf(random.between(-2.5, 2.5)));
    let truth: [f64; P] = std::array::from_fn(|_| random.between(-1.5, 1.5));
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..ROWS {
        let common = random.between(-1.0, 1.0);
        let row: [f64; P] = std::array::from_fn(|_| random.between(-1.0, 1.0) + 0.6 * common);
        y.push(row.iter().zip(truth).map(|(x, t)| x * t).sum::<f64>() + 0.4 + random.between(-0.7, 0.7));
        x.extend(row.iter().zip(scales).map(|(x, s)| x * s));
    }
    let weights = (0..ROWS).map(|_| if random.chance(0.5) { 1.0 } else { random.between(0.2, 3.0) }).collect();
    let ridge = if random.chance(0.3) { 0.01 } else { 0.0 };
    (Instance { x, y, weights, ridge, intercept: random.chance(0.6) }, scales.map(|s| 1.0 / s))
}

impl Instance {
    /// The least F of all choices that rules allow.
    pub(crate) fn least_of(&self, rules: &Rules, beside: &Beside) -> Least {
        let mut best: Option<f64> = None;
        for chosen in (0..1 << P).filter(|&chosen| (rules.allows)(chosen)) {
            match self.least(chosen, beside) {
                Least::Unknown => return Least::Unknown,
                Least::Empty => {}
                Least::At(value) => best = Some(best.map_or(value, |best| best.min(value))),
            }
        }
        best.map_or(Least::Empty, Least::At)
    }
}
