//! The finish of low rank: the closed form for squared loss, Newton's method along the set for other losses, from a first step or from the fit of a smaller rank.

use super::exchange::QuadraticForm as _;
use super::finish::{Reached, Run};
use super::form::Form;
use super::function::Function;
use super::loss::RowsLoss;
use super::low_rank::Along;
use super::newton::descend;
use super::objective::Objective;
use super::reduced_rank::closed_form;
use super::restricted::Design;
use super::separation::{NOTHING, Separation, stretched};
use super::turned::Turned;
use crate::constraint::{Constraint as _, Workspace};
use crate::error::{Error, Result};
use crate::linalg::Cholesky;
use crate::polish::{Smooth as _, Until};

const RANK_TOLERANCE: f64 = 1e-10;
/// What F may still fall by, relative to F, where a start is looked for.
const ROUGH: f64 = 1e-6;
/// Share of a first step below which it is taken as it is.
const SHORTEST_START: f64 = 1e-4;
/// Added to the form of the features where it has no factor, relative to its diagonal.
const RIDGE_OF_FORM: f64 = 1e-10;

impl Run<'_> {
    pub(super) fn rank(&mut self, objective: Objective, rank: usize, is_quadratic: bool) -> Result<Reached> {
        let outputs = objective.outputs();
        let mut exact = if is_quadratic { closed_form(objective, rank)? } else { None };
        let layout = self.problem.layout();
        let features = layout.features();
        let zeros = layout.zeros();
        // With the gauge no direction is without curvature.
        let gauged = Objective { loss: RowsLoss { has_gauge: true, ..objective.loss }, ..objective };
        let block = gauged.mean_block(&zeros)?;
        let bend = block.iter().step_by(outputs + 1).sum::<f64>() / outputs as f64;
        let mut inner = Cholesky::default();
        inner.matrix(outputs).copy_from_slice(&block);
        if !inner.factor() {
            return Err(objective.overflow(&zeros));
        }
        let (root, means) = if let Some(found) = &mut exact {
            root_of_form(&mut found.form)?
        } else {
            let ridge: Vec<f64> = (0..features).map(|j| objective.ridge.at(j) / bend).collect();
            root_of_form(&mut Form::new(objective.data, objective.has_intercepts, &ridge)?)?
        };
        let mut function = Function::new(objective);
        let mut turned = Turned { inner: &mut function, root: &root, outputs, features, means: &means };
        let enough = objective.all_right();
        let mut along = Along { rank, block: &mut inner, bend, enough };
        let at_zero = turned.value(&zeros)?;
        if let Some(found) = exact {
            let point = turned.forth(&found.theta);
            let stationarity = Some(along.measure(&mut turned, &point, at_zero)?);
            return Ok(Reached { gap: Some(found.gap), stationarity, ..Reached::at(found.theta) });
        }
        let mut start = zeros;
        Design::of(objective, &[])?
            .with(objective, &mut start, |function, point| descend(function, point, ROUGH, f64::INFINITY))?;
        let mut start = turned.forth(&start);
        if let Some(known) = &self.settings.start {
            let mut warm = layout.zeros();
            layout.coefficients_mut(&mut warm).copy_from_slice(known);
            // Intercepts of features without means are those that belong to no features.
            let mut warm = turned.forth(&warm);
            let along = features * outputs;
            warm[along..].copy_from_slice(&start[along..]);
            // A start that is no better than none is left alone.
            if turned.value(&warm)? < turned.value(&start)? {
                start = warm;
            }
        }
        let mut point = first_step(&mut turned, &mut along, &start)?;
        let mut poll = Self::poll(self.settings, self.observer, self.began, &mut self.ended);
        let until = &mut Until { tolerance: RANK_TOLERANCE, poll: &mut poll };
        let stationarity = along.minimise(&mut turned, &mut point, until)?;
        let mut theta = turned.back(&point);
        let mut separation = Separation::No;
        if objective.can_separate() && objective.tells_apart(&theta)? {
            (theta, separation) = (stretched(&function, &theta, NOTHING)?, Separation::AllRows);
        }
        // Rounding on the way back may leave traces of further directions.
        self.problem.constraint().project(layout.coefficients_mut(&mut theta), &mut Workspace::default())?;
        Ok(Reached { stationarity: Some(stationarity), separation, ..Reached::at(theta) })
    }
}

/// $L$ with $LL^T = A$, or nearly where features depend on each other, and the means that $A$ is about.
fn root_of_form(form: &mut Form) -> Result<(Cholesky, Vec<f64>)> {
    let features = form.features();
    let all: Vec<usize> = (0..features).collect();
    form.need(&all)?;
    let mean = form.diagonal.iter().sum::<f64>() / features as f64;
    let mut root = Cholesky::default();
    let mut more = 0.0;
    loop {
        let matrix = root.matrix(features);
        for j in 0..features {
            matrix[j * features..(j + 1) * features].copy_from_slice(form.column(j));
            matrix[j * features + j] += more * (form.diagonal[j] + 1e-3 * mean) + if mean > 0.0 { 0.0 } else { 1.0 };
        }
        if root.factor() {
            return Ok((root, form.means().to_vec()));
        }
        more = if more == 0.0 { RIDGE_OF_FORM } else { 10.0 * more };
        if !more.is_finite() || more > 1e12 {
            return Err(Error::Overflows { objective: f64::NAN });
        }
    }
}

/// The matrix of low rank nearest to a first Newton step from a point, all in the coordinates of the function; a shorter step where a whole one leads up.
fn first_step(function: &mut Turned, along: &mut Along, start: &[f64]) -> Result<Vec<f64>> {
    let (outputs, size) = (function.outputs, function.outputs * function.features);
    let mut step = start.to_vec();
    let value = function.gradient(start, &mut step)?;
    step[..size].chunks_exact_mut(outputs).for_each(|row| along.block.solve(row));
    let set = crate::constraint::Rank::at_most(along.rank, function.features, outputs);
    let mut length = 1.0;
    loop {
        let mut point = start.to_vec();
        point[..size].iter_mut().zip(&step).for_each(|(x, step)| *x -= length * step);
        set.project(&mut point[..size], &mut Workspace::default())?;
        if length < SHORTEST_START || function.value(&point)? < value {
            return Ok(point);
        }
        length *= 0.25;
    }
}
