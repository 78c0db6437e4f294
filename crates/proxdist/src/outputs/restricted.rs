//! F on a few features: their columns copied, so that a pass reads nothing else.

use super::function::Function;
use super::objective::Objective;
use crate::data::{Data, Pass};
use crate::error::Result;
use crate::ridge::Ridge;

/// The columns of some features for all rows. Without any feature there is one column of zeros, since data have at least one.
pub(crate) struct Design {
    support: Vec<usize>,
    values: Vec<f64>,
    weights: Vec<f64>,
    ridge: Vec<f64>,
}

impl Design {
    pub(crate) fn of(objective: Objective, support: &[usize]) -> Result<Self> {
        let data = objective.data;
        let mut values = vec![0.0; data.rows() * support.len().max(1)];
        if !support.is_empty() {
            Pass::over(data, 0).columns(Some(support)).fill(
                &mut values,
                Vec::new,
                |block: &mut Vec<f64>, chunk, out| {
                    out.copy_from_slice(chunk.pick(support, block));
                },
            )?;
        }
        let weights = (0..data.rows()).map(|row| data.weight(row)).collect();
        let mut ridge: Vec<f64> = support.iter().map(|&j| objective.ridge.at(j)).collect();
        ridge.resize(ridge.len().max(1), 0.0);
        Ok(Self { support: support.to_vec(), values, weights, ridge })
    }

    /// Calls `work` with F on these features and what a whole parameter has there, which is written back.
    pub(crate) fn with<T>(
        &self,
        objective: Objective,
        theta: &mut [f64],
        work: impl FnOnce(&mut Function, &mut [f64]) -> Result<T>,
    ) -> Result<T> {
        let whole = objective.arrangement();
        let data =
            Data::dense(&self.values, self.support.len().max(1), objective.data.response())?.weights(&self.weights)?;
        let is_shrunk = objective.ridge.is_positive();
        let ridge = if is_shrunk { Ridge::on_effects(1.0, &self.ridge) } else { Ridge::default() };
        let mut function = Function::new(objective.on(&data, ridge));
        let mut point = whole.gathered(&self.support, theta);
        if self.support.is_empty() {
            point.splice(0..0, vec![0.0; whole.output_count()]);
        }
        let result = work(&mut function, &mut point)?;
        if self.support.is_empty() {
            point.drain(..whole.output_count());
        }
        theta.copy_from_slice(&whole.spread(&self.support, &point));
        Ok(result)
    }
}
