//! A run: from a problem to a fit.
//!
//! Its stages are methods, in order: `race` chooses the first penalty, `iterate` takes the steps of the method, `finish` goes to the exact optimum of
//! the piece of the set that was found, `prove` bounds how much better any other choice of features could be, `certify` measures the result. What a stage leaves to the next is in the [`State`], which observers are
//! shown wherever a run could go on from it in another process. The reason why a run ends is recorded where it ends; where no rule was tested,
//! there is none until the finish has said how it went.

mod finish;
mod iterate;
mod proof_watch;
mod prove;
mod prove_curved;
mod race;
mod state;

pub(crate) use prove_curved::CurvedProof;
use state::{Feasible, Finished};
pub use state::{Stage, State};

use crate::constraint::{Structure, Workspace};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::layout::Layout;
use crate::polish::Finish;
use crate::problem::Problem;
use crate::sampling::{Sampler, Sampling};
use crate::schedule::{Polynomial, Schedule};
use crate::solver::{Fit, Monitor, Settings, Stop};
use crate::trace::{Observer, Progress, Silent};
use crate::tune::{Plan, usual_batch_size};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Fits a problem whose settings have been checked. Steps are taken on `parts`; what is minimised, and so watched, finished
/// and certified, is `problem`, which may have more terms.
pub(crate) fn fit(problem: &Problem, parts: &Problem, settings: &Settings, observer: &mut dyn Observer) -> Result<Fit> {
    let mut run = Run::begin(problem, parts, settings, observer)?;
    run.race(Plan::usual(&settings.method))?;
    run.iterate()?;
    let mut reached = run.finish()?;
    run.prove(&mut reached)?;
    run.certify(reached)
}

/// What the stages before the certificate leave behind.
pub(crate) struct Explored {
    pub(crate) theta: Vec<f64>,
    pub(crate) iterate_distance: Option<f64>,
    /// Why the steps ended, if they did before the finish.
    pub(crate) stop: Option<Stop>,
    pub(crate) steps: u64,
    pub(crate) rho1: Option<f64>,
    pub(crate) schedule: Option<Arc<dyn Schedule>>,
    pub(crate) batch_size: usize,
    pub(crate) trace: Vec<Progress>,
}

/// A fit without its proof and certificate, for problems that are only a part of another one.
pub(crate) fn explore(
    problem: &Problem,
    parts: &Problem,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Explored> {
    let mut run = Run::begin(problem, parts, settings, observer)?;
    run.race(Plan::usual(&settings.method))?;
    run.iterate()?;
    let reached = run.finish()?;
    Ok(Explored {
        theta: reached.theta,
        iterate_distance: reached.iterate_distance,
        stop: run.stop,
        steps: run.state.step,
        rho1: run.state.rho1,
        schedule: run.schedule()?,
        batch_size: run.state.batch_size,
        trace: std::mem::take(&mut run.state.trace),
    })
}

/// The first penalty that serves a method best at the end of a run: a race over a wide grid, the same for every method, that is as long
/// as the settings allow the run to be in steps or passes.
pub(crate) fn first_penalty(
    problem: &Problem,
    parts: &Problem,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Option<f64>> {
    let mut run = Run::begin(problem, parts, settings, observer)?;
    run.state.stage = Stage::Race;
    let batches = |passes: f64| (passes * problem.data().rows() as f64 / run.state.batch_size as f64).ceil() as u64;
    let most = settings.max_passes.map_or(u64::MAX, batches).min(settings.max_steps);
    run.race(Plan::over(most))?;
    Ok(run.state.rho1)
}

/// The first penalty that the race before a fit would choose, also for fits that need no race. `None` if the method diverges with all of them.
pub(crate) fn raced_penalty(problem: &Problem, settings: &Settings) -> Result<Option<f64>> {
    let mut nobody = Silent;
    let mut run = Run::begin(problem, problem, settings, &mut nobody)?;
    run.state.stage = Stage::Race;
    run.race(Plan::usual(&settings.method))?;
    Ok(run.state.rho1)
}

/// A fit on its way.
struct Run<'p> {
    /// What is minimised.
    problem: &'p Problem<'p>,
    /// What steps are taken on.
    parts: &'p Problem<'p>,
    settings: &'p Settings,
    layout: Layout,
    monitor: Monitor<'p>,
    observer: &'p mut dyn Observer,
    clock: Clock,
    state: State,
    /// Why the steps ended, once they have.
    stop: Option<Stop>,
}

/// Time since a run began, in this process and those before it.
struct Clock {
    began: Instant,
    before: Duration,
}

impl Clock {
    fn elapsed(&self) -> Duration {
        self.before + self.began.elapsed()
    }
}

impl<'p> Run<'p> {
    /// A run before its first step, or where an earlier one was.
    fn begin(
        problem: &'p Problem<'p>,
        parts: &'p Problem<'p>,
        settings: &'p Settings,
        observer: &'p mut dyn Observer,
    ) -> Result<Self> {
        let layout = problem.layout();
        let monitor = Monitor::new(problem.objective(), settings);
        let state = match &settings.resume {
            Some(state) => {
                state.check(layout)?;
                state.clone()
            }
            None => first_state(problem, settings),
        };
        let before = state.trace.last().map(|last| last.elapsed).unwrap_or_default();
        let clock = Clock { began: Instant::now(), before };
        let mut run = Self { problem, parts, settings, layout, monitor, observer, clock, state, stop: None };
        if run.state.stage == Stage::Finish && !run.finishes() {
            run.state.stage = Stage::Iteration;
        }
        if run.state.stage == Stage::Proof && run.state.finished.is_none() {
            let exchanges = match problem.constraint().structure() {
                Structure::Choice(_) => Exchanges::Unknown,
                _ => Exchanges::NotApplicable,
            };
            let theta = run.feasible(start(problem, settings))?;
            run.state.finished = Some(Finished { theta, iterate_distance: None, exchanges });
        }
        Ok(run)
    }

    /// Whether there is an exact finish for what the method minimises.
    fn finishes(&self) -> bool {
        finishes(self.problem, self.settings)
    }

    /// The schedule: the user's own, or powers of the step with the first penalty that was given or won the race. `None` while that is not known.
    fn schedule(&self) -> Result<Option<Arc<dyn Schedule>>> {
        if let Some(schedule) = &self.settings.schedule {
            return Ok(Some(schedule.clone()));
        }
        let Some(rho1) = self.state.rho1.or(self.settings.rho1) else { return Ok(None) };
        Ok(Some(Arc::new(Polynomial::new(rho1, self.settings.gamma)?)))
    }

    fn sampler(&self) -> Sampler {
        sampler(self.problem, self.settings, self.state.batch_size)
    }

    /// Notes a checkpoint; whether the observer wants the run to end.
    fn record(&mut self, progress: Progress) -> bool {
        self.state.trace.push(progress);
        self.observer.checkpoint(&progress).is_break()
    }

    /// A point with its coefficients projected onto the set.
    fn feasible(&self, mut theta: Vec<f64>) -> Result<Vec<f64>> {
        let coefficients = self.layout.coefficients_mut(&mut theta);
        self.problem.constraint().project(coefficients, &mut Workspace::default())?;
        Ok(theta)
    }
}

fn finishes(problem: &Problem, settings: &Settings) -> bool {
    let l1 = settings.method.l1_weight();
    // A penalty is not among the things that the finish of a loss with a kink knows.
    let is_known = l1 == 0.0 || problem.loss().is_differentiable();
    settings.polish && is_known && Finish::is_possible(problem.constraint(), problem.data().columns(), l1)
}

fn sampler(problem: &Problem, settings: &Settings, batch_size: usize) -> Sampler {
    let sampling = if settings.method.is_full_batch() { Sampling::FullBatch } else { settings.sampling };
    Sampler::new(sampling, problem.data().rows(), batch_size, settings.seed)
}

/// Where a run begins, and with which stage.
fn first_state(problem: &Problem, settings: &Settings) -> State {
    let wanted = settings.batch_size.unwrap_or_else(|| usual_batch_size(problem.data().rows()));
    // What is drawn: with all rows in every batch, all of them.
    let batch_size = sampler(problem, settings, wanted).batch_size();
    let stage = if settings.start_is_finished && settings.start.is_some() {
        Stage::Proof
    } else if settings.schedule.is_some() || settings.rho1.is_some() {
        Stage::Iteration
    } else if finishes(problem, settings) && Finish::needs_no_start(problem.constraint(), problem.objective()) {
        Stage::Finish
    } else {
        Stage::Race
    };
    let state = State::at_start(stage, start(problem, settings), batch_size);
    // Kept with the state, so that a resumed run knows it too.
    State { rho1: settings.rho1.filter(|_| settings.schedule.is_none()), ..state }
}

/// The point that the settings ask to start from: zero if they do not.
pub(crate) fn start(problem: &Problem, settings: &Settings) -> Vec<f64> {
    let layout = problem.layout();
    let mut theta = layout.zeros();
    let (coefficients, intercepts) = layout.split_mut(&mut theta);
    if let Some(start) = &settings.start {
        coefficients.copy_from_slice(start);
    }
    intercepts.fill(settings.start_intercept);
    theta
}
