//! Good supports of small problems from the quadratic model alone.
//!
//! With few columns the whole Hessian $H$ is at hand, and the model $\tfrac12\theta^TH\theta - c^T\theta$ has the minimum $-\tfrac12c_S^TH_{SS}^{-1}c_S$ on a
//! support S. That is cheap enough to grow supports forward, shrink them backward, and improve both by exchanging one or two
//! features at a time: starts from which the exchange on the data rarely misses the best subset.

use super::Smooth as _;
use super::on_data::OnData;
use crate::constraint::{Choice, with};
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

/// Choices of units that no exchange of one or two of them improves in the model at `theta`.
pub(crate) fn starts(objective: Objective, theta: &[f64], choice: &Choice) -> Result<Vec<Vec<usize>>> {
    let mut model = Model::at(objective, theta, choice)?;
    let mut found = Vec::new();
    for units in std::iter::once(model.forward()).chain(model.backward()) {
        let improved = model.improve(units);
        if !found.contains(&improved) {
            found.push(improved);
        }
    }
    Ok(found)
}

/// A quadratic model of F on all columns, and what there is to choose.
pub(super) struct Model<'c> {
    hessian: Vec<f64>,
    linear: Vec<f64>,
    layout: Layout,
    choice: &'c Choice,
    cholesky: Cholesky,
}

impl<'c> Model<'c> {
    /// The model at a point.
    pub(super) fn at(objective: Objective, theta: &[f64], choice: &'c Choice) -> Result<Self> {
        let layout = objective.layout();
        let mut function = OnData::new(objective);
        let size = theta.len();
        let mut gradient = vec![0.0; size];
        function.gradient(theta, &mut gradient)?;
        let mut hessian = vec![0.0; size * size];
        function.linearise(theta)?;
        function.hessian(&mut hessian)?;
        let linear = (0..size).map(|j| dot(&hessian[j * size..(j + 1) * size], theta) - gradient[j]).collect();
        Ok(Self { hessian, linear, layout, choice, cholesky: Cholesky::default() })
    }

    /// Minimum of the model for some units.
    pub(super) fn least(&mut self, units: &[usize]) -> f64 {
        self.value(&self.choice.support(units))
    }

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

    /// The unit of several candidates with the lowest minimum.
    fn best_of(&mut self, candidates: Vec<(usize, Vec<usize>)>) -> Option<(usize, Vec<usize>)> {
        let scored = candidates.into_iter().map(|(unit, trial)| (self.least(&trial), unit, trial));
        let best = scored.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        best.map(|(_, unit, trial)| (unit, trial))
    }

    fn forward(&mut self) -> Vec<usize> {
        let choice = self.choice;
        let mut units: Vec<usize> = Vec::new();
        while let Some(room) = choice.room(&units) {
            let can_join = |&unit: &usize| units.binary_search(&unit).is_err() && choice.can_join(unit, &units, &room);
            let candidates = (0..choice.units()).filter(can_join).map(|unit| (unit, with(&units, unit))).collect();
            let Some((_, more)) = self.best_of(candidates) else { break };
            units = more;
        }
        units
    }

    /// From all units down to a choice; `None` where units that must go are needed by others.
    fn backward(&mut self) -> Option<Vec<usize>> {
        let choice = self.choice;
        let mut units: Vec<usize> = (0..choice.units()).collect();
        while choice.room(&units).is_none() {
            let candidates: Vec<(usize, Vec<usize>)> = choice
                .crowded(&units)
                .map(|unit| (unit, units.iter().copied().filter(|&other| other != unit).collect()))
                .filter(|(_, rest): &(usize, Vec<usize>)| choice.is_closed(rest))
                .collect();
            (_, units) = self.best_of(candidates)?;
        }
        Some(units)
    }

    /// Exchanges one unit, or two where there are few enough pairs, while the model's minimum falls.
    fn improve(&mut self, start: Vec<usize>) -> Vec<usize> {
        let choice = self.choice;
        let mut units = start;
        let mut value = self.least(&units);
        loop {
            let outside: Vec<usize> = (0..choice.units()).filter(|unit| units.binary_search(unit).is_err()).collect();
            let (inner, outer) = (units.len(), outside.len());
            let singles = (0..inner).flat_map(|out| outside.iter().map(move |&enters| (out, enters)));
            let singles = singles.map(|(out, enters)| replaced(&units, &[out], &[enters]));
            let below = value - 1e-12 * value.abs();
            let mut best = self.best_below(below, singles);
            let few_doubles = pairs(inner).count() * pairs(outer).count() <= DOUBLES;
            if best.is_none() && few_doubles {
                let doubles = pairs(inner).flat_map(|out| pairs(outer).map(move |enters| (out, enters)));
                let doubles = doubles.map(|((a, b), (c, d))| replaced(&units, &[a, b], &[outside[c], outside[d]]));
                best = self.best_below(below, doubles);
            }
            match best {
                Some((reached, trial)) => (value, units) = (reached, trial),
                None => return units,
            }
        }
    }

    /// The choice with the lowest minimum below a bound.
    fn best_below(&mut self, bound: f64, trials: impl Iterator<Item = Vec<usize>>) -> Option<(f64, Vec<usize>)> {
        let choice = self.choice;
        let allowed = trials.filter(|trial| choice.room(trial).is_some() && choice.is_closed(trial));
        let scored = allowed.map(|trial| (self.least(&trial), trial)).filter(|(value, _)| *value < bound);
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
