//! The loop, the same for every method: steps, checkpoints, observers, the reason to stop.

use super::{Settings, Solver, Stop, StopRule, stopping};
use crate::constraint::{Constraint, Workspace};
use crate::error::Result;
use crate::linalg::norm;
use crate::objective::Objective;
use crate::sampling::monitor_sample;
use crate::trace::{Observer, Progress};
use std::time::Instant;

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Run {
    /// The feasible parameter: coefficients, then the intercept if there is one.
    pub theta: Vec<f64>,
    /// Its distance to the iterate it is the projection of.
    pub distance: f64,
    /// The checkpoints.
    pub trace: Vec<Progress>,
    /// Why it ended.
    pub stop: Stop,
}

/// Entries of the features that a checkpoint may read without anybody minding.
const CHEAP: usize = 4_000_000;

/// Which rows the objective is watched on; `None` for all.
fn monitored(objective: Objective, settings: &Settings) -> Option<Vec<usize>> {
    let (rows, columns) = (objective.data.rows(), objective.data.columns());
    if settings.stop == StopRule::Paper {
        return None;
    }
    let count = settings.monitor_rows.unwrap_or_else(|| rows.min((CHEAP / columns).max(1000)));
    (count < rows).then(|| monitor_sample(settings.seed, rows, count))
}

/// Runs a solver until it settles or is stopped, and returns a point of the set.
pub fn run(
    solver: &mut dyn Solver,
    objective: Objective,
    constraint: &dyn Constraint,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Run> {
    let (rows, columns) = (objective.data.rows(), objective.data.columns());
    let monitor = monitored(objective, settings);
    let watched = monitor.as_ref().map_or(rows, Vec::len);
    let check_every = match settings.stop {
        StopRule::Paper => 1,
        StopRule::Settled => {
            let cheap = (watched / solver.rows_per_step()).clamp(10, 100) as u64;
            settings.check_every.unwrap_or(cheap)
        }
    };
    let started = Instant::now();
    let mut work = Workspace::default();
    let mut point = solver.theta().to_vec();
    let mut trace: Vec<Progress> = Vec::new();
    let mut best: Option<(f64, f64, Vec<f64>)> = None;

    let stop = loop {
        let left = settings.max_steps.saturating_sub(solver.step()).clamp(1, check_every);
        let mut is_interrupted = false;
        for _ in 0..left {
            solver.advance()?;
            if observer.poll().is_break() {
                is_interrupted = true;
                break;
            }
        }
        point.copy_from_slice(solver.theta());
        constraint.project(&mut point[..columns], &mut work)?;
        let progress = Progress {
            step: solver.step(),
            objective: match &monitor {
                Some(sample) => objective.value_on(&point, sample),
                None => objective.value(&point),
            },
            distance: distance(&point[..columns], solver.theta()),
            rho: solver.rho(),
            nonzeros: point[..columns].iter().filter(|v| **v != 0.0).count(),
            rows_seen: solver.step() * solver.rows_per_step() as u64,
            elapsed: started.elapsed(),
        };
        trace.push(progress);
        let is_best = best.as_ref().is_none_or(|(value, ..)| progress.objective <= *value);
        if is_best || settings.stop == StopRule::Paper {
            match &mut best {
                None => best = Some((progress.objective, progress.distance, point.clone())),
                Some((value, distance, kept)) => {
                    (*value, *distance) = (progress.objective, progress.distance);
                    kept.copy_from_slice(&point);
                }
            }
        }
        if observer.checkpoint(&progress).is_break() || is_interrupted {
            break Stop::Interrupted;
        }
        if let Some(reason) = stopping::reason(&trace, norm(&point[..columns]), rows, settings) {
            break reason;
        }
    };
    let (theta, distance) = match best {
        Some((_, distance, theta)) => (theta, distance),
        None => (point, f64::NAN),
    };
    Ok(Run { theta, distance, trace, stop })
}

fn distance(point: &[f64], theta: &[f64]) -> f64 {
    point.iter().zip(theta).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
