//! From a problem to a fit: the race for $\rho_1$, the iteration, the exact finish, the certificate.

use crate::certificate::{Certified, Judge, Reached};
use crate::constraint::Workspace;
use crate::error::{Error, Result};
use crate::exchanges::Exchanges;
use crate::polish::Finish;
use crate::problem::Problem;
use crate::sampling::{Sampler, Sampling};
use crate::schedule::{Polynomial, Schedule};
use crate::solver::{Fit, Iteration, Monitor, Past, Run, Settings, Stop, run};
use crate::trace::{Observer, Phase};
use crate::tune::{GRID, Race, Rounds, WIDE_GRID, usual_batch_size};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// Fits a problem whose settings have been checked. Steps are taken on `parts`; what is minimised, and so watched, finished
/// and certified, is `problem`, which may have more terms.
pub(crate) fn fit(problem: &Problem, parts: &Problem, settings: &Settings, observer: &mut dyn Observer) -> Result<Fit> {
    let start = start(problem, settings)?;
    let monitor = Monitor::new(problem.objective(), settings);
    let mut sampler = sampler(problem, settings);
    let batch_size = sampler.batch_size();

    let finishes = finishes(problem, settings);
    let stage = match (&settings.resume, &settings.schedule, settings.rho1) {
        (Some(snapshot), ..) => Stage::resumed(snapshot.clone()),
        (None, None, None) if finishes && Finish::needs_no_start(problem.constraint(), problem.objective()) => {
            Stage { theta: start, is_start_enough: true, ..Stage::default() }
        }
        (None, None, None) => {
            let race = race(problem, settings, &monitor);
            Stage::raced(&race, parts, settings, &start, &mut sampler, observer)?
        }
        // Kept with the past, so that a snapshot knows it too.
        (None, _, rho1) => Stage { rho1, theta: start, past: Past { rho1, ..Past::default() }, ..Stage::default() },
    };
    let schedule: Arc<dyn Schedule> = match (&settings.schedule, stage.rho1) {
        (Some(schedule), _) => schedule.clone(),
        (None, rho1) => Arc::new(Polynomial::new(rho1.or(settings.rho1).unwrap_or(1.0), settings.gamma)?),
    };
    let runners_up = stage.past.runners_up.clone();
    let mut outcome = iterate((problem, parts), settings, &monitor, stage, &*schedule, sampler, observer)?;
    let ended = polish(problem, settings, &monitor, &runners_up, &mut outcome, observer)?;
    let judge = Judge {
        objective: problem.objective(),
        constraint: problem.constraint(),
        l1: settings.method.l1_weight(),
        schedule_meets_theory: schedule.meets_theory(),
        seed: settings.seed,
    };
    let Ended { exchanges, known, stationarity } = ended;
    let reached = Reached { theta: &outcome.theta, iterate_distance: outcome.distance, known, stationarity, exchanges };
    let Certified { certificate, value, reference } = judge.certify(reached)?;
    if !value.is_finite() || !certificate.stationarity.is_finite() || !outcome.theta.iter().all(|t| t.is_finite()) {
        return Err(problem.objective().overflow(&outcome.theta));
    }
    let is_finished = certificate.is_finished(&problem.constraint().structure(), reference);
    outcome.stop = match outcome.stop {
        stop @ (Stop::Interrupted | Stop::TimeLimit | Stop::Diverged) => stop,
        _ if finishes && is_finished => Stop::Polished,
        // A rule of convergence that was met says nothing about a finish that fell short, nor about a penalty without one.
        Stop::Converged if (finishes || settings.method.l1_weight() > 0.0) && !is_finished => Stop::Unfinished,
        stop => stop,
    };
    Ok(Fit::new(problem, outcome, value, certificate, &*schedule, batch_size, settings))
}

/// Where the iteration begins.
#[derive(Default)]
struct Stage {
    rho1: Option<f64>,
    step: u64,
    theta: Vec<f64>,
    memory: Vec<f64>,
    past: Past,
    /// Why the race was the end of it, if it was.
    ended: Option<Stop>,
    /// Whether the exact finish needs no iteration before it.
    is_start_enough: bool,
}

impl Stage {
    fn resumed(snapshot: crate::trace::Snapshot) -> Self {
        let past = Past {
            rho1: snapshot.rho1,
            trace: snapshot.trace,
            best: Some(snapshot.best),
            runners_up: snapshot.runners_up,
        };
        let (step, theta, memory) = (snapshot.step, snapshot.theta, snapshot.memory);
        Self { rho1: snapshot.rho1, step, theta, memory, past, ended: None, is_start_enough: false }
    }

    fn raced(
        race: &Race,
        parts: &Problem,
        settings: &Settings,
        start: &[f64],
        sampler: &mut Sampler,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let scale = race.scale(start, settings.seed)?;
        let result = match race.run(settings.method.step(parts), start, sampler, scale, observer) {
            // Not one candidate stayed finite; the projected start is all there is.
            Err(Error::Diverged { .. }) => {
                let finishes = finishes(parts, settings);
                let ended = (!finishes).then_some(Stop::Diverged);
                return Ok(Self { theta: start.to_vec(), ended, is_start_enough: finishes, ..Self::default() });
            }
            other => other?,
        };
        let past = Past { rho1: Some(result.rho1), trace: result.trace, best: None, runners_up: result.runners_up };
        let ended = result.is_interrupted.then_some(Stop::Interrupted);
        // A race leaves no level early, so what the method remembers of it is all in its memory.
        let memory = if result.at.memory.is_empty() { Vec::new() } else { [&[0.0], &result.at.memory[..]].concat() };
        let (step, theta) = (result.step, result.at.theta);
        Ok(Self { rho1: Some(result.rho1), step, theta, memory, past, ended, is_start_enough: false })
    }
}

/// Steps of a race where nothing else bounds it.
const LONGEST_RACE: u64 = 10_000;

/// The race that these settings ask for.
fn race<'p>(problem: &'p Problem, settings: &Settings, monitor: &'p Monitor) -> Race<'p> {
    Race {
        objective: problem.objective(),
        constraint: problem.constraint(),
        grid: if settings.method.is_explicit() { &WIDE_GRID } else { &GRID },
        gamma: settings.gamma,
        monitor,
        max_steps: settings.max_steps,
        rounds: Rounds::usual(settings.method.is_full_batch()),
    }
}

/// The first penalty that serves a method best at the end of a run: a race over a wide grid, the same for every method, that is as long
/// as the settings allow the run to be in steps or passes.
pub(crate) fn first_penalty(
    problem: &Problem,
    parts: &Problem,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Option<f64>> {
    let (start, mut sampler) = (start(problem, settings)?, sampler(problem, settings));
    let monitor = Monitor::new(problem.objective(), settings);
    let batches = |passes: f64| (passes * problem.data().rows() as f64 / sampler.batch_size() as f64).ceil() as u64;
    let most = settings.max_passes.map_or(LONGEST_RACE, batches).min(settings.max_steps).min(LONGEST_RACE);
    let race = Race { grid: &WIDE_GRID, rounds: Rounds::over(most), ..race(problem, settings, &monitor) };
    Ok(Stage::raced(&race, parts, settings, &start, &mut sampler, observer)?.rho1)
}

fn iterate(
    (problem, parts): (&Problem, &Problem),
    settings: &Settings,
    monitor: &Monitor,
    stage: Stage,
    schedule: &dyn Schedule,
    sampler: Sampler,
    observer: &mut dyn Observer,
) -> Result<Run> {
    let data = problem.data();
    // After a race the winner is close enough for an exact finish; a snapshot belongs to an iteration that is to go on.
    let is_close = finishes(problem, settings)
        && stage.step > 0
        && Finish::is_exact(problem.constraint(), data.columns())
        && settings.resume.is_none();
    if stage.ended.is_some() || is_close || stage.is_start_enough || stage.step >= settings.max_steps {
        let stop = match stage {
            Stage { ended: Some(stop), .. } => stop,
            Stage { step, .. } if step >= settings.max_steps => Stop::MaxSteps,
            // No rule has been tested: the finish will say.
            _ => Stop::Unfinished,
        };
        let (steps, Past { best, trace, .. }) = (stage.step, stage.past);
        let (theta, distance) = if let Some((_, distance, theta)) = best {
            (theta, Some(distance))
        } else {
            (feasible(problem, stage.theta)?, trace.last().map(|last| last.distance))
        };
        return Ok(Run { theta, distance, steps, trace, stop });
    }
    let solver = Iteration::of(settings.method.step(parts), data, schedule, sampler, stage.theta)?;
    let mut solver = solver.resumed_at(stage.step).remembering(&stage.memory);
    let size = (data.rows(), data.columns());
    run(&mut solver, monitor, problem.constraint(), settings, stage.past, size, observer)
}

/// Whether there is an exact finish for what the method minimises.
fn finishes(problem: &Problem, settings: &Settings) -> bool {
    let l1 = settings.method.l1_weight();
    settings.polish && Finish::is_possible(problem.constraint(), problem.data().columns(), l1)
}

/// What the exact finish knows of its result.
struct Ended {
    exchanges: Exchanges,
    /// F and its gradient on all data.
    known: Option<(f64, Vec<f64>)>,
    /// For rank sets: the relative gradient along the set.
    stationarity: Option<f64>,
}

/// Finishes exactly.
fn polish(
    problem: &Problem,
    settings: &Settings,
    monitor: &Monitor,
    runners_up: &[Vec<f64>],
    outcome: &mut Run,
    observer: &mut dyn Observer,
) -> Result<Ended> {
    if !finishes(problem, settings) || matches!(outcome.stop, Stop::Interrupted | Stop::Diverged) {
        return Ok(Ended { exchanges: Exchanges::NotApplicable, known: None, stationarity: None });
    }
    let began = Instant::now();
    let finish = Finish {
        objective: problem.objective(),
        constraint: problem.constraint(),
        intercept: problem.has_intercept(),
        l1: settings.method.l1_weight(),
        seed: settings.seed,
    };
    // Where the user asked to start is among the points that the result must not be above.
    let asked = match &settings.start {
        Some(_) if settings.resume.is_none() => Some(feasible(problem, start(problem, settings)?)?),
        _ => None,
    };
    let starts: Vec<&[f64]> = std::iter::once(&outcome.theta).chain(runners_up).chain(&asked).map(|v| &v[..]).collect();
    let before = outcome.trace.last().map(|last| last.elapsed).unwrap_or_default();
    let mut ended = None;
    let polished = finish.run(&starts, &mut || {
        if observer.poll().is_break() {
            ended = Some(Stop::Interrupted);
        } else if settings.time_limit.is_some_and(|limit| before + began.elapsed() >= limit) {
            ended = ended.or(Some(Stop::TimeLimit));
        }
        if ended.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    outcome.stop = ended.unwrap_or(outcome.stop);
    outcome.theta = polished.theta;
    let points = (&outcome.theta[..], &outcome.theta[..]);
    let value = monitor.value(&outcome.theta)?;
    let (step, rho, rows_seen) = outcome.trace.last().map_or((0, 0.0, 0), |last| (last.step, last.rho, last.rows_seen));
    let elapsed = before + began.elapsed();
    let progress = monitor.progress(Phase::Polish, step, rho, rows_seen, points, value, elapsed);
    outcome.trace.push(progress);
    // The run is over either way; the observer is only told.
    let _ = observer.checkpoint(&progress);
    let known = polished.gradient.map(|gradient| (polished.value, gradient));
    Ok(Ended { exchanges: polished.exchanges, known, stationarity: polished.stationarity })
}

/// A point with its coefficients projected onto the set.
fn feasible(problem: &Problem, mut theta: Vec<f64>) -> Result<Vec<f64>> {
    problem.constraint().project(&mut theta[..problem.data().columns()], &mut Workspace::default())?;
    Ok(theta)
}

fn start(problem: &Problem, settings: &Settings) -> Result<Vec<f64>> {
    let columns = problem.data().columns();
    let mut theta = settings.start.clone().unwrap_or_else(|| vec![0.0; columns]);
    theta.extend(problem.has_intercept().then_some(settings.start_intercept));
    match &settings.resume {
        Some(snapshot) if snapshot.theta.len() != theta.len() || snapshot.best.2.len() != theta.len() => {
            let (found, rule) = (snapshot.theta.len(), "a snapshot of the same problem");
            Err(Error::Length { what: "theta to resume from", found, expected: theta.len(), rule })
        }
        _ => Ok(theta),
    }
}

fn sampler(problem: &Problem, settings: &Settings) -> Sampler {
    let rows = problem.data().rows();
    let resumed = settings.resume.as_ref().map(|snapshot| snapshot.batch_size);
    let size = settings.batch_size.or(resumed).unwrap_or_else(|| usual_batch_size(rows));
    let sampling = if settings.method.is_full_batch() { Sampling::FullBatch } else { settings.sampling };
    Sampler::new(sampling, rows, size, settings.seed)
}
