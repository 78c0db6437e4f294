//! The loop, the same for every method: steps, checkpoints, observers, the reason to stop.

use super::monitor::Monitor;
use super::tail::TailAverage;
use super::{Settings, Solver, Stop, StopRule, stopping};
use crate::constraint::{Constraint, Workspace};
use crate::error::{Error, Result};
use crate::linalg::{all_finite, norm};
use crate::trace::{Observer, Phase, Progress, Snapshot};
use std::time::Instant;

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The feasible parameter: coefficients, then the intercept if there is one.
    pub(crate) theta: Vec<f64>,
    /// Its distance to the iterate it is the projection of, if there was one.
    pub(crate) distance: Option<f64>,
    /// Steps taken.
    pub(crate) steps: u64,
    /// The checkpoints.
    pub(crate) trace: Vec<Progress>,
    /// Why it ended.
    pub(crate) stop: Stop,
}

/// What a run starts with, beyond the solver: empty, or what an earlier part of it left.
#[derive(Default)]
pub(crate) struct Past {
    pub(crate) rho1: Option<f64>,
    pub(crate) trace: Vec<Progress>,
    pub(crate) best: Option<(f64, f64, Vec<f64>)>,
    pub(crate) runners_up: Vec<Vec<f64>>,
}

/// F beyond which a run counts as diverged, given F at its start.
pub(crate) fn worst_bearable(at_start: f64) -> f64 {
    1e8 * (1.0 + at_start.abs())
}

/// Runs a solver until it settles or is stopped, and returns a point of the set.
pub(crate) fn run(
    solver: &mut dyn Solver,
    monitor: &Monitor,
    constraint: &dyn Constraint,
    settings: &Settings,
    past: Past,
    (rows, columns): (usize, usize),
    observer: &mut dyn Observer,
) -> Result<Run> {
    let check_every = match settings.stop {
        StopRule::Paper => 1,
        StopRule::Settled => {
            let cheap = (monitor.rows() / solver.rows_per_step()).clamp(10, 100) as u64;
            settings.check_every.unwrap_or(cheap)
        }
    };
    let started = Instant::now();
    let before = past.trace.last().map(|last| last.elapsed).unwrap_or_default();
    let mut work = Workspace::default();
    let mut point = solver.theta().to_vec();
    let start = point.clone();
    let mut average = settings.average.then(|| TailAverage::new(constraint.is_convex(), columns));
    let mut snapshot = Snapshot {
        rho1: past.rho1,
        batch_size: solver.rows_per_step(),
        step: solver.step(),
        theta: solver.theta().to_vec(),
        memory: solver.memory(),
        best: past.best.unwrap_or((f64::INFINITY, f64::NAN, solver.theta().to_vec())),
        runners_up: past.runners_up,
        trace: past.trace,
    };

    // Why the last step could not be taken, if it could not.
    let mut failure = None;
    let stop = loop {
        // Checkpoints fall on the same steps whether or not the run was interrupted.
        let next = (solver.step() / check_every + 1) * check_every;
        let mut is_interrupted = false;
        while solver.step() < next.min(settings.max_steps) {
            match solver.advance() {
                Err(error @ (Error::Diverged { .. } | Error::Overflow { .. } | Error::ProxStalled { .. })) => {
                    failure = Some(error);
                    break;
                }
                other => other?,
            }
            if let Some(average) = &mut average {
                average.add(solver.step(), solver.theta());
            }
            if observer.poll().is_break() {
                is_interrupted = true;
                break;
            }
        }
        point.copy_from_slice(solver.theta());
        if failure.is_some() || !all_finite(&point) {
            break Stop::Diverged;
        }
        constraint.project(&mut point[..columns], &mut work)?;
        let objective = monitor.value(&point)?;
        if has_exploded(objective, monitor, constraint, &start, columns)? {
            break Stop::Diverged;
        }
        let progress = monitor.progress(
            Phase::Iteration,
            solver.step(),
            solver.rho(),
            solver.step() * solver.rows_per_step() as u64,
            (&point, solver.theta()),
            objective,
            before + started.elapsed(),
        );
        snapshot.trace.push(progress);
        let is_last_wanted = settings.stop == StopRule::Paper;
        if is_last_wanted || progress.objective <= snapshot.best.0 {
            (snapshot.best.0, snapshot.best.1) = (progress.objective, progress.distance);
            snapshot.best.2.copy_from_slice(&point);
        }
        if let Some(averaged) = average.as_mut().and_then(|average| average.at_checkpoint(&point)) {
            let distance = averaged_point(constraint, columns, averaged, &mut point, &mut work)?;
            let objective = monitor.value(&point)?;
            if objective < snapshot.best.0 {
                snapshot.best = (objective, distance, point.clone());
            }
        }
        let is_over = observer.checkpoint(&progress).is_break() || is_interrupted;
        snapshot.step = solver.step();
        snapshot.theta.copy_from_slice(solver.theta());
        snapshot.memory = solver.memory();
        observer.snapshot(&snapshot);
        if is_over {
            break Stop::Interrupted;
        }
        if let Some(reason) = stopping::reason(&snapshot.trace, norm(&point[..columns]), rows, settings) {
            break reason;
        }
    };
    let mut best = snapshot.best;
    if stop == Stop::Diverged {
        let failure = failure.unwrap_or(Error::Diverged { step: solver.step(), rho: solver.rho() });
        best = not_above_start(best, monitor, constraint, &start, columns, failure)?;
    }
    let (_, distance, theta) = best;
    Ok(Run { theta, distance: Some(distance), steps: solver.step(), trace: snapshot.trace, stop })
}

/// Whether F has left every bound that a run which is getting anywhere keeps to.
fn has_exploded(
    objective: f64,
    monitor: &Monitor,
    constraint: &dyn Constraint,
    start: &[f64],
    columns: usize,
) -> Result<bool> {
    // The bound is at least this, so that F at the start is looked at only where it matters.
    if objective <= worst_bearable(0.0) {
        return Ok(false);
    }
    let at_start = monitor.value(&projected(constraint, columns, start)?)?;
    Ok(!at_start.is_finite() || objective.is_nan() || objective > worst_bearable(at_start))
}

/// The better of a point and the projected start: what a run that diverged leaves. A start where F is not finite leaves nothing but the failure.
fn not_above_start(
    best: (f64, f64, Vec<f64>),
    monitor: &Monitor,
    constraint: &dyn Constraint,
    start: &[f64],
    columns: usize,
    failure: Error,
) -> Result<(f64, f64, Vec<f64>)> {
    let point = projected(constraint, columns, start)?;
    let value = monitor.value(&point)?;
    if best.0.is_finite() && best.0 <= value {
        return Ok(best);
    }
    if !value.is_finite() {
        return Err(failure);
    }
    let distance = point[..columns].iter().zip(start).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    Ok((value, distance, point))
}

fn projected(constraint: &dyn Constraint, columns: usize, theta: &[f64]) -> Result<Vec<f64>> {
    let mut point = theta.to_vec();
    constraint.project(&mut point[..columns], &mut Workspace::default())?;
    Ok(point)
}

/// Projects an average into `point`; returns how far it moved.
fn averaged_point(
    constraint: &dyn Constraint,
    columns: usize,
    averaged: &[f64],
    point: &mut [f64],
    work: &mut Workspace,
) -> Result<f64> {
    point.copy_from_slice(averaged);
    constraint.project(&mut point[..columns], work)?;
    Ok(point[..columns].iter().zip(averaged).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt())
}
