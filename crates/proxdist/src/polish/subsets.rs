//! Good supports of small problems from the quadratic model alone.
//!
//! With few columns the whole Hessian $H$ is at hand, and the model $\tfrac12\theta^TH\theta - c^T\theta$ has the minimum $-\tfrac12c_S^TH_{SS}^{-1}c_S$ on a
//! support S. That is cheap enough to grow supports forward, shrink them backward, and improve both by exchanging one or two
//! features at a time: starts from which the exchange on the data rarely misses the best subset.

use super::Smooth as _;
use super::on_data::OnData;
use crate::data::Data;
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{Cholesky, dot};
use crate::objective::Objective;

/// Columns up to which the model is searched.
const SMALL: usize = 40;
/// Exchanges of two features that may be evaluated in one sweep.
const DOUBLES: usize = 60_000;

pub(crate) fn is_small(data: &Data) -> bool {
    data.columns() <= SMALL
}

/// Supports of size `keep` that no exchange of one or two features improves in the model at `theta`.
pub(crate) fn starts(objective: Objective, theta: &[f64], keep: usize) -> Result<Vec<Vec<usize>>> {
    let layout = objective.layout();
    let columns = layout.features();
    if keep >= columns {
        return Ok(vec![(0..columns).collect()]);
    }
    let mut function = OnData::new(objective);
    let size = theta.len();
    let mut gradient = vec![0.0; size];
    function.gradient(theta, &mut gradient)?;
    let mut hessian = vec![0.0; size * size];
    function.linearise(theta)?;
    function.hessian(&mut hessian)?;
    let linear = (0..size).map(|j| dot(&hessian[j * size..(j + 1) * size], theta) - gradient[j]).collect();
    let mut model = Model { hessian, linear, layout, columns, cholesky: Cholesky::default() };
    let mut found = Vec::new();
    for support in [model.forward(keep), model.backward(keep)] {
        let improved = model.improve(support);
        if !found.contains(&improved) {
            found.push(improved);
        }
    }
    Ok(found)
}

struct Model {
    hessian: Vec<f64>,
    linear: Vec<f64>,
    layout: Layout,
    columns: usize,
    cholesky: Cholesky,
}

impl Model {
    /// Minimum of the model on a support, the intercept always being free. Singular supports count as useless.
    fn value(&mut self, support: &[usize]) -> f64 {
        let members: Vec<usize> = self.layout.places(support).collect();
        let (count, size) = (members.len(), self.layout.len());
        let matrix = self.cholesky.matrix(count);
        for (a, &j) in members.iter().enumerate() {
            for (b, &k) in members.iter().enumerate() {
                matrix[a * count + b] = self.hessian[j * size + k];
            }
            // Enough to tell a repeated column from a useful one.
            matrix[a * count + a] *= 1.0 + 1e-12;
        }
        if !self.cholesky.factor() {
            return f64::INFINITY;
        }
        let right: Vec<f64> = members.iter().map(|&j| self.linear[j]).collect();
        let mut solution = right.clone();
        self.cholesky.solve(&mut solution);
        -0.5 * dot(&right, &solution)
    }

    fn forward(&mut self, keep: usize) -> Vec<usize> {
        let mut support: Vec<usize> = Vec::new();
        while support.len() < keep {
            let outside: Vec<usize> = (0..self.columns).filter(|j| !support.contains(j)).collect();
            let scored = outside.into_iter().map(|j| {
                let trial: Vec<usize> = support.iter().copied().chain([j]).collect();
                (self.value(&trial), j)
            });
            let best = scored.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            support.extend(best.map(|(_, j)| j));
        }
        support.sort_unstable();
        support
    }

    fn backward(&mut self, keep: usize) -> Vec<usize> {
        let mut support: Vec<usize> = (0..self.columns).collect();
        while support.len() > keep {
            let scored = (0..support.len()).map(|at| {
                let trial: Vec<usize> = support.iter().copied().filter(|&j| j != support[at]).collect();
                (self.value(&trial), at)
            });
            let best = scored.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let Some((_, at)) = best else { break };
            support.remove(at);
        }
        support
    }

    /// Exchanges one feature, or two where there are few enough pairs, while the model's minimum falls.
    fn improve(&mut self, start: Vec<usize>) -> Vec<usize> {
        let mut support = start;
        let mut value = self.value(&support);
        loop {
            let outside: Vec<usize> = (0..self.columns).filter(|j| !support.contains(j)).collect();
            let (inner, outer) = (support.len(), outside.len());
            let singles = (0..inner).flat_map(|out| outside.iter().map(move |&enters| (out, enters)));
            let singles = singles.map(|(out, enters)| replaced(&support, &[out], &[enters]));
            let below = value - 1e-12 * value.abs();
            let mut best = self.best_below(below, singles);
            let few_doubles = pairs(inner).count() * pairs(outer).count() <= DOUBLES;
            if best.is_none() && few_doubles {
                let doubles = pairs(inner).flat_map(|out| pairs(outer).map(move |enters| (out, enters)));
                let doubles = doubles.map(|((a, b), (c, d))| replaced(&support, &[a, b], &[outside[c], outside[d]]));
                best = self.best_below(below, doubles);
            }
            match best {
                Some((reached, trial)) => (value, support) = (reached, trial),
                None => return support,
            }
        }
    }

    /// The support with the lowest minimum below a bound.
    fn best_below(&mut self, bound: f64, trials: impl Iterator<Item = Vec<usize>>) -> Option<(f64, Vec<usize>)> {
        let scored = trials.map(|trial| (self.value(&trial), trial)).filter(|(value, _)| *value < bound);
        scored.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// All pairs of indices below `count`.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

fn replaced(support: &[usize], out: &[usize], enters: &[usize]) -> Vec<usize> {
    let mut result: Vec<usize> = (0..support.len()).filter(|at| !out.contains(at)).map(|at| support[at]).collect();
    result.extend(enters);
    result.sort_unstable();
    result
}
