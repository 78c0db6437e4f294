//! The steps that belong to some rows.
//!
//! Each batch of rows is predicted by every candidate's model, while there are several; then $\theta \leftarrow \mathrm{prox}_{f_B/\rho}(P_C(\theta))$, and the average takes its share of the new iterate:
//! $$\bar\theta \leftarrow \bar\theta + \frac{(1 + \eta)n}{N + \eta n}(\theta - \bar\theta), \qquad \eta = 3,$$
//! with $n$ rows in the batch and $N$ that count so far: later iterates have more weight, early ones are soon forgotten. A step answers to its batch, so iterates scatter about the solution, the more the smaller
//! $\rho_1$ is; the average does not, and its projection is the model.

use super::clock::{Clock, Pace};
use super::contest::{Candidate, Contest};
use super::moments::reexpress;
use super::problem::Form;
use super::state::Learned;
use crate::constraint::{Constraint, Workspace};
use crate::data::{Batch, Data, Support};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::linalg::all_finite;
use crate::loss::Loss;
use crate::prox::{BatchProx as _, Memory as ProxMemory, Prox, forward};
use crate::random::{Purpose, below, stream};
use crate::ridge::Ridge;
use crate::scaling::Scaling;
use std::ops::{ControlFlow, Range};

/// $\eta$
const LATE: f64 = 3.0;

/// Memory that steps reuse.
#[derive(Default)]
pub(crate) struct Memory {
    order: Vec<usize>,
    weights: Vec<f64>,
    squares: Vec<f64>,
    batch: Batch<'static>,
    prox: ProxMemory,
    trial: Trial,
    scaling: Option<Scaling>,
}

/// What a prediction by a candidate needs.
#[derive(Default)]
struct Trial {
    point: Vec<f64>,
    support: Support,
    predictors: Vec<f64>,
    work: Workspace,
}

/// Some rows of a block, and how to shuffle them.
#[derive(Clone, Debug)]
pub(crate) struct Part<'d> {
    pub(crate) data: &'d Data<'d>,
    pub(crate) rows: Range<usize>,
    pub(crate) seed: u64,
    /// Number of the block.
    pub(crate) block: u64,
}

/// Takes the steps of some rows, until `poll` asks for the end, which is what the result says.
pub(crate) fn take(
    form: &Form,
    part: &Part<'_>,
    learned: &mut Learned,
    memory: &mut Memory,
    poll: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let pace = form.settings.pace();
    let Learned { clock, moments, scaling, contest, start, .. } = learned;
    if let Some(moments) = moments {
        moments.add(part.data, part.rows.clone(), pace.half_life, &mut memory.weights)?;
        if let Some(scaling) = scaling {
            let before = memory.scaling.get_or_insert_with(|| scaling.clone());
            before.means.clone_from(&scaling.means);
            before.factors.clone_from(&scaling.factors);
            moments.write(form.layout.has_intercepts(), scaling);
            contest.parameters_mut().for_each(|theta| reexpress(theta, form.layout, before, scaling));
        }
        if form.has_uneven_ridge() {
            moments.write_squares(&mut memory.squares);
        }
    }
    let scaling = scaling.as_ref();
    order(form, part, &mut memory.order);
    let rows = memory.order.len();
    let full = if form.settings.whole_blocks { rows } else { pace.batch_size };
    let batches = rows.div_ceil(full);
    let batch_rows = |k: usize| k * rows / batches..(k + 1) * rows / batches;
    if contest.candidates.is_empty() {
        let mut theta = start.theta.clone();
        if let Some(scaling) = scaling {
            let raw = super::moments::unscaled(form.layout.coefficient_count());
            reexpress(&mut theta, form.layout, &raw, scaling);
        }
        *contest = if let Some(rho1) = form.settings.rho1.or(start.rho1) {
            Contest::of_one(rho1, &theta)
        } else {
            memory.batch.fill_scaled(part.data, &memory.order[batch_rows(0)], scaling)?;
            Contest::around(average_curvature(&*form.loss, &memory.batch, form.layout, &theta), &theta)
        };
    }
    let ridge =
        if form.has_uneven_ridge() { Ridge::on_effects(form.ridge, &memory.squares) } else { Ridge::from(form.ridge) };
    let prox = Prox::new(&*form.loss).ridge(ridge).intercept(form.layout.has_intercepts());
    let mut walk = Walk {
        form,
        pace,
        prox: prox.with_memory(std::mem::take(&mut memory.prox)),
        trial: std::mem::take(&mut memory.trial),
    };
    let mut outcome = Ok(ControlFlow::Continue(()));
    for k in 0..batches {
        let chosen = &memory.order[batch_rows(k)];
        outcome = memory.batch.fill_scaled(part.data, chosen, scaling).and_then(|weight| {
            clock.pass(chosen.len(), weight, pace);
            // Rows that count for nothing only let time pass.
            if weight > 0.0 {
                walk.step(&memory.batch, weight, clock, contest)?;
            }
            Ok(poll())
        });
        if !matches!(outcome, Ok(ControlFlow::Continue(()))) {
            break;
        }
    }
    (memory.prox, memory.trial) = (walk.prox.into_memory(), walk.trial);
    outcome
}

/// The rows in the order in which they are taken.
fn order(form: &Form, part: &Part<'_>, order: &mut Vec<usize>) {
    order.clear();
    order.extend(part.rows.clone());
    if form.settings.in_order || form.settings.half_life.is_some() || form.settings.whole_blocks {
        return;
    }
    let mut generator = stream(part.seed, Purpose::Block, part.block);
    let rows = order.len();
    for i in 0..rows.saturating_sub(1) {
        let j = i + below(&mut generator, (rows - i) as u64) as usize;
        order.swap(i, j);
    }
}

/// Steps on their way.
struct Walk<'w, 'p> {
    form: &'w Form<'p>,
    pace: Pace,
    prox: Prox<'w>,
    trial: Trial,
}

impl Walk<'_, '_> {
    /// One step of every candidate on the same batch, whose rows have this weight.
    fn step(&mut self, batch: &Batch, weight: f64, clock: &mut Clock, contest: &mut Contest) -> Result<()> {
        clock.steps += 1;
        self.prox.share_among(contest.candidates.len());
        let (is_decided, now) = (contest.is_decided(), *clock);
        let rows = batch.len() as f64;
        let share = (1.0 + LATE) * rows / (now.effective_rows() + LATE * rows);
        contest.advance(|candidate| {
            if !is_decided {
                self.judge(batch, weight, candidate)?;
            }
            let rho = now.rho(candidate.rho1, weight, self.pace);
            if !(rho.is_normal() && rho > 0.0) {
                return Err(Error::Schedule { step: now.steps, rho });
            }
            let coefficients = self.form.layout.coefficients_mut(&mut candidate.theta);
            self.form.constraint.project(coefficients, &mut self.trial.work)?;
            self.prox.apply(batch, rho, &mut candidate.theta)?;
            if !all_finite(&candidate.theta) {
                return Err(Error::Diverged { step: now.steps, rho });
            }
            candidate
                .average
                .iter_mut()
                .zip(&candidate.theta)
                .for_each(|(mean, value)| *mean += share * (value - *mean));
            Ok(())
        })
    }

    /// The loss of a candidate's model on a batch that it has not learned.
    fn judge(&mut self, batch: &Batch, weight: f64, candidate: &mut Candidate) -> Result<()> {
        let Trial { point, support, predictors, work } = &mut self.trial;
        let layout = self.form.layout;
        point.clone_from(&candidate.average);
        project(&*self.form.constraint, layout, point, work)?;
        support.update(layout.coefficients(point));
        predictors.resize(batch.len(), 0.0);
        forward(batch.rows(), point, support, predictors);
        predictors.iter_mut().zip(batch.offset()).for_each(|(eta, offset)| *eta += offset);
        let loss = self.form.loss.weighted_value(predictors, batch.response(), batch.weights());
        candidate.losses += weight * loss;
        candidate.weight += weight;
        if candidate.losses.is_finite() { Ok(()) } else { Err(Error::Overflows { objective: loss }) }
    }
}

/// The point of the set that belongs to a parameter.
pub(crate) fn project(set: &dyn Constraint, layout: Layout, theta: &mut [f64], work: &mut Workspace) -> Result<()> {
    set.project(layout.coefficients_mut(theta), work)
}

/// The average curvature of the loss along a coordinate at a parameter, on a batch.
fn average_curvature(loss: &dyn Loss, batch: &Batch, layout: Layout, theta: &[f64]) -> f64 {
    let mut predictors = vec![0.0; batch.len()];
    forward(batch.rows(), theta, &Support::of(layout.coefficients(theta)), &mut predictors);
    predictors.iter_mut().zip(batch.offset()).for_each(|(eta, offset)| *eta += offset);
    let squares: Vec<f64> =
        batch.weights().iter().enumerate().map(|(i, v)| v * batch.rows().row_norm_squared(i)).collect();
    let mut curvatures = vec![0.0; batch.len()];
    loss.weighted_curvatures(&predictors, batch.response(), &squares, &mut curvatures);
    curvatures.iter().sum::<f64>() / layout.coefficient_count() as f64
}
