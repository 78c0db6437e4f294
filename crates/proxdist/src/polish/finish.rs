//! Which finish a set gets, and the two promises: the result lies in the set, and F is not above its value at the start.

use super::convex;
use super::groups::GroupExchange;
use super::on_data::OnData;
use super::rank;
use super::sparse::Exchange;
use crate::constraint::{Constraint, Structure, structure};
use crate::data::Data;
use crate::error::Result;
use crate::objective::Objective;
use crate::sampling::monitor_sample;
use std::ops::ControlFlow;

/// Size of the gradient along the set at the end, relative to $\sqrt{2LF}$. What is left of F is of the order of its square; convex
/// sets get more because their gap is of the order of the gradient itself.
const TOLERANCE: f64 = 1e-8;
const RANK_TOLERANCE: f64 = 1e-6;

/// A problem that is to be finished.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) constraint: &'p dyn Constraint,
    pub(crate) intercept: bool,
    pub(crate) seed: u64,
}

/// Where the finish ended.
pub(crate) struct Polished {
    pub(crate) theta: Vec<f64>,
    pub(crate) value: f64,
    /// For sparsity sets: whether every single swap was looked at and none lowers F.
    pub(crate) swap_optimal: Option<bool>,
}

/// Rows beyond which a sample of them is finished first, and the rows of that sample.
const LARGE: usize = 40_000;
const SAMPLE: usize = 20_000;

impl Finish<'_> {
    /// Whether the set has an exact finish, so that the iteration need only find the right piece of it.
    pub(crate) fn is_exact(constraint: &dyn Constraint) -> bool {
        !matches!(constraint.structure(), Structure::Other)
    }

    /// Finishes from feasible points, the first of which is the one to improve on. `poll` may end the search for better
    /// supports early.
    pub(crate) fn run(&self, starts: &[&[f64]], poll: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Polished> {
        let first = starts[0];
        let value = self.objective.value(first);
        let polished = self.family(starts, poll)?;
        if polished.value <= value {
            return Ok(polished);
        }
        Ok(Polished { theta: first.to_vec(), value, swap_optimal: None })
    }

    fn family(&self, starts: &[&[f64]], poll: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Polished> {
        let Self { objective, constraint, intercept, .. } = *self;
        let data = objective.data;
        let mut theta = starts[0].to_vec();
        let (swap_optimal, value) = match constraint.structure() {
            Structure::Sparse { keep } => {
                let sample = self.on_sample(starts, poll)?;
                let mut starts: Vec<&[f64]> = starts.to_vec();
                if let Some(sample) = &sample {
                    starts = vec![sample];
                }
                let is_searched = sample.is_some();
                let exchange = Exchange { objective, constraint, intercept, keep, is_searched };
                let exchanged = exchange.finish(&starts, poll)?;
                theta = exchanged.theta;
                (Some(exchanged.is_swap_optimal), objective.value(&theta))
            }
            Structure::Groups { keep, groups } => {
                let groups = structure::members(groups, data.columns());
                let exchange = GroupExchange { objective, constraint, intercept, keep, groups: &groups };
                theta = exchange.finish(starts, poll)?;
                (None, objective.value(&theta))
            }
            Structure::Rank { rank, rows, columns } => {
                (None, rank::minimise(objective, (rank, rows, columns), &mut theta, RANK_TOLERANCE)?.value)
            }
            _ => {
                if let Some(sample) = self.on_sample(starts, poll)? {
                    theta = sample;
                }
                let mut function = OnData::new(objective, intercept);
                (None, convex::minimise(&mut function, constraint, &mut theta, TOLERANCE)?.value)
            }
        };
        Ok(Polished { theta, value, swap_optimal })
    }

    /// The finish on a random part of large data, from which the finish on all of them has little left to do.
    fn on_sample(&self, starts: &[&[f64]], poll: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Option<Vec<f64>>> {
        let data: &Data = self.objective.data;
        if data.rows() <= LARGE {
            return Ok(None);
        }
        let rows = monitor_sample(self.seed, data.rows(), SAMPLE);
        let part = data.subset(rows)?;
        // A sample whose weights are all zero says nothing.
        let Ok(part) = part.data() else { return Ok(None) };
        let objective = Objective::new(&part, self.objective.loss, self.objective.ridge);
        let on_part = Finish { objective, ..*self };
        Ok(Some(on_part.family(starts, poll)?.theta))
    }
}
