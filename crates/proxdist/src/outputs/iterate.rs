//! The stochastic proximal distance iteration for several outputs, with a race for the first penalty as for one output.
//!
//! A grid of first penalties around the average curvature is tried on the same batches; after each round the worse half by $F(P_C(\Theta))$ is dropped and the next round is twice as long. The winner goes on until F settles.

use super::objective::Objective;
use super::prox::OutputsStep;
use crate::constraint::{Constraint, Workspace, projected};
use crate::error::Result;
use crate::linalg::norm;
use crate::polish::{Poll, distance};
use crate::sampling::Sampler;
use crate::schedule::{Polynomial, Schedule};
use crate::solver::{Iteration, Settings, Solver, Stop, stop_reason};
use crate::trace::{Phase, Progress};
use crate::tune::{three_digits, usual_batch_size};
use std::sync::Arc;
use std::time::Instant;

/// Candidates as multiples of the average curvature.
const GRID: [f64; 6] = [1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0];
/// Steps of the first round.
const FIRST_ROUND: u64 = 15;
/// Steps between checkpoints.
const RHYTHM: u64 = 20;

/// Where the iteration ended.
pub(crate) struct Iterated {
    /// The best feasible point.
    pub(crate) theta: Vec<f64>,
    /// Distance to the set of the iterate it is the projection of.
    pub(crate) distance: f64,
    pub(crate) stop: Stop,
    pub(crate) steps: u64,
    pub(crate) rho1: Option<f64>,
    pub(crate) schedule: Arc<dyn Schedule>,
    pub(crate) batch_size: usize,
    pub(crate) trace: Vec<Progress>,
}

/// What is iterated on.
#[derive(Clone, Copy)]
pub(crate) struct Problem<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) constraint: &'p dyn Constraint,
    pub(crate) settings: &'p Settings,
}

impl<'p> Problem<'p> {
    fn solver<'s>(&self, schedule: &'s dyn Schedule, start: Vec<f64>) -> Result<Iteration<'s>>
    where
        'p: 's,
    {
        let Self { objective, constraint, settings } = *self;
        let rows = objective.data.rows();
        let size = settings.batch_size.unwrap_or_else(|| usual_batch_size(rows));
        let sampler = Sampler::new(settings.sampling, rows, size, settings.seed);
        let step = OutputsStep { objective, constraint, work: Workspace::default() };
        Iteration::of(Box::new(step), objective.data, schedule, sampler, start)
    }

    /// F at the projection of an iterate, with that projection.
    fn look(&self, theta: &[f64]) -> Result<(f64, Vec<f64>, f64)> {
        let layout = self.objective.arrangement();
        let mut point = theta.to_vec();
        let feasible = projected(self.constraint, layout.coefficients(theta))?;
        let away = distance(&feasible, layout.coefficients(theta));
        layout.coefficients_mut(&mut point).copy_from_slice(&feasible);
        Ok((self.objective.value(&point)?, point, away))
    }

    /// The average curvature along a coordinate at the start.
    fn curvature(&self, start: &[f64]) -> Result<f64> {
        let block = self.objective.mean_block(start)?;
        let size = self.objective.outputs();
        let bend = block.iter().step_by(size + 1).sum::<f64>() / size as f64;
        let form = super::form::Form::new(self.objective.data, false, &vec![0.0; self.objective.data.columns()])?;
        let square = form.diagonal.iter().sum::<f64>() / form.diagonal.len() as f64;
        let average = bend * square;
        Ok(if (1e-280..1e280).contains(&average) { average } else { 1.0 })
    }

    /// The first penalty that gets furthest.
    fn race(&self, start: &[f64], poll: Poll) -> Result<f64> {
        let scale = self.curvature(start)?;
        let gamma = self.settings.gamma;
        let mut penalties: Vec<f64> = GRID.iter().map(|multiple| three_digits(multiple * scale)).collect();
        let schedules: Vec<Polynomial> =
            penalties.iter().map(|rho1| Polynomial::new(*rho1, gamma)).collect::<Result<_>>()?;
        let mut racing = Vec::new();
        for (number, schedule) in schedules.iter().enumerate() {
            racing.push((f64::INFINITY, number, self.solver(schedule, start.to_vec())?));
        }
        let mut round = FIRST_ROUND;
        while racing.len() > 1 && poll().is_continue() {
            for (score, _, solver) in &mut racing {
                let mut is_out = false;
                for _ in 0..round {
                    is_out |= solver.advance().is_err();
                    if is_out {
                        break;
                    }
                }
                *score = if is_out { f64::INFINITY } else { self.look(solver.theta())?.0 };
            }
            racing.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            racing.truncate(racing.len().div_ceil(2));
            round *= 2;
        }
        let winner = racing.first().map_or(0, |first| first.1);
        Ok(penalties.swap_remove(winner))
    }

    /// Iterates from a start until F settles.
    pub(crate) fn run(&self, start: Vec<f64>, poll: Poll) -> Result<Iterated> {
        let (settings, began) = (self.settings, Instant::now());
        let rho1 = match (settings.rho1, &settings.schedule) {
            (Some(rho1), _) => Some(rho1),
            (None, Some(_)) => None,
            (None, None) => Some(self.race(&start, poll)?),
        };
        let schedule: Arc<dyn Schedule> = match (&settings.schedule, rho1) {
            (Some(schedule), _) => schedule.clone(),
            (None, rho1) => Arc::new(Polynomial::new(rho1.unwrap_or(1.0), settings.gamma)?),
        };
        let (mut best_value, mut best, mut best_distance) = self.look(&start)?;
        let mut solver = self.solver(&*schedule, start)?;
        let (mut trace, rows) = (Vec::new(), self.objective.data.rows());
        let stop = loop {
            if poll().is_break() {
                break Stop::Interrupted;
            }
            let size = norm(self.objective.arrangement().coefficients(&best));
            if let Some(reason) = (!trace.is_empty()).then(|| stop_reason(&trace, size, rows, settings)).flatten() {
                break reason;
            }
            let next = (solver.step() + settings.check_every.unwrap_or(RHYTHM)).min(settings.max_steps);
            let mut failure = None;
            while solver.step() < next && failure.is_none() {
                failure = solver.advance().err();
            }
            if failure.is_some() {
                break Stop::Diverged;
            }
            let (value, point, away) = self.look(solver.theta())?;
            if value < best_value {
                (best_value, best, best_distance) = (value, point, away);
            }
            trace.push(Progress {
                phase: Phase::Iteration,
                step: solver.step(),
                objective: value,
                distance: away,
                rho: solver.rho(),
                nonzeros: self.objective.arrangement().coefficients(&best).iter().filter(|v| **v != 0.0).count(),
                rows_seen: solver.step() * solver.rows_per_step() as u64,
                elapsed: began.elapsed(),
                bound: None,
                nodes: None,
            });
        };
        let (steps, batch_size) = (solver.step(), solver.rows_per_step());
        drop(solver);
        Ok(Iterated { theta: best, distance: best_distance, stop, steps, rho1, schedule, batch_size, trace })
    }
}
