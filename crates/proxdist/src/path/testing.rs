//! Random problems with everything that is unpleasant about data, and every support of a size looked at one by one.

use crate::constraint::{Sparsity, WholeSpace};
use crate::data::Data;
use crate::loss::{Loss, Task};
use crate::objective::Objective;
use crate::polish::{OnColumns, Until, minimise};
use crate::problem::Problem;
use crate::random::{Purpose, below, stream, uniform};
use std::ops::ControlFlow;

/// Data that own their numbers, with weights and an offset.
pub(super) struct Case {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) offset: Vec<f64>,
    pub(super) columns: usize,
    pub(super) ridge: f64,
    pub(super) has_intercept: bool,
    pub(super) loss: Box<dyn Loss>,
}

impl Case {
    /// Columns spread over five decades, far from zero, correlated; one in three cases has a column twice, one in four a constant one; one in two
    /// has weights, an offset, an intercept, a ridge.
    pub(super) fn random(rows: usize, columns: usize, loss: Box<dyn Loss>, seed: u64) -> Self {
        let generator = &mut stream(seed, Purpose::Simulation, 7);
        let mut next = || 2.0 * uniform(generator) - 1.0;
        let units: Vec<f64> = (0..columns).map(|_| 10.0_f64.powf(2.5 * next())).collect();
        let shifts: Vec<f64> = (0..columns).map(|_| 3.0 * next()).collect();
        let mut z = vec![0.0; rows * columns];
        for row in z.chunks_exact_mut(columns) {
            let common = next();
            row.iter_mut().for_each(|x| *x = next() + common);
        }
        let truth: Vec<f64> = (0..columns).map(|j| if j % 2 == 0 { 2.0 * next() } else { 0.0 }).collect();
        let task = loss.task();
        let y = z.chunks_exact(columns).map(|row| {
            let eta = row.iter().zip(&truth).map(|(x, t)| x * t).sum::<f64>() + 0.3 + 1.5 * next() + next();
            match task {
                Task::TwoClasses => f64::from(u8::from(eta + 2.0 * next() > 0.0)),
                Task::Counts => eta.exp().min(20.0).round(),
                Task::Amounts => eta.exp().min(20.0) * (0.5 + next().abs()),
                Task::Regression => eta,
            }
        });
        let y: Vec<f64> = y.collect();
        let weights: Vec<f64> = (0..rows).map(|_| (2.0 * next()).max(0.0) + 0.1).collect();
        let offset: Vec<f64> = (0..rows).map(|_| 0.3 * next()).collect();
        let generator = &mut stream(seed, Purpose::Simulation, 8);
        let mut one_in = |count: u64| below(generator, count) == 0;
        let (is_twice, is_constant) = (one_in(3), one_in(4));
        let (is_weighted, is_offset, has_intercept, is_shrunk) = (one_in(2), one_in(2), one_in(2), one_in(2));
        let mut x = z;
        for row in x.chunks_exact_mut(columns) {
            for j in 0..columns {
                row[j] = units[j] * (row[j] + shifts[j]);
            }
            if is_twice {
                row[1] = -3.0 * row[0];
            }
            if is_constant {
                row[2] = 0.7;
            }
        }
        let weights = if is_weighted { weights } else { vec![1.0; rows] };
        let offset = if is_offset { offset } else { vec![0.0; rows] };
        let ridge = if is_shrunk { 1e-3 } else { 0.0 };
        Self { x, y, weights, offset, columns, ridge, has_intercept, loss }
    }

    pub(super) fn data(&self) -> Data<'_> {
        let data = Data::dense(&self.x, self.columns, &self.y).unwrap();
        data.weights(&self.weights).unwrap().offset(&self.offset).unwrap()
    }

    pub(super) fn problem<'a>(&'a self, data: &'a Data<'a>, largest: usize) -> Problem<'a> {
        Problem::new(data, &*self.loss, Sparsity::at_most(largest)).ridge(self.ridge).intercept(self.has_intercept)
    }
}

/// The minimum of F on a support, by the exact finish alone.
pub(super) fn minimum(objective: Objective, support: &[usize], has_intercept: bool) -> f64 {
    let mut function = OnColumns::new(objective.intercept(has_intercept), support).unwrap();
    let mut point = vec![0.0; support.len() + usize::from(has_intercept)];
    let mut never = || ControlFlow::Continue(());
    minimise(&mut function, &WholeSpace, &mut point, &mut Until { tolerance: 1e-12, poll: &mut never }).unwrap().value
}

/// The least F of every size up to `largest`, over all supports.
pub(super) fn enumerated(problem: &Problem, largest: usize) -> Vec<f64> {
    let columns = problem.data().columns();
    let mut best = vec![f64::INFINITY; largest + 1];
    for mask in 0_u32..1 << columns {
        let support: Vec<usize> = (0..columns).filter(|j| mask >> j & 1 == 1).collect();
        if support.len() <= largest {
            let value = minimum(problem.objective(), &support, problem.has_intercept());
            best[support.len()] = best[support.len()].min(value);
        }
    }
    for size in 1..=largest {
        best[size] = best[size].min(best[size - 1]);
    }
    best
}
