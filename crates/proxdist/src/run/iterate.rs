//! The second stage: the steps of the method, checkpoints, observers, the reason to stop.

use super::{Feasible, Run, Stage};
use crate::constraint::Workspace;
use crate::error::{Error, Result};
use crate::linalg::{all_finite, norm};
use crate::polish::distance;
use crate::solver::{Iteration, Moment, Solver, Stop, StopRule, TailAverage, stop_reason, worst_bearable};
use crate::trace::Phase;

impl Run<'_> {
    /// Takes steps until the run settles or is stopped. The best feasible point is left in the state.
    pub(super) fn iterate(&mut self) -> Result<()> {
        if self.state.stage != Stage::Iteration {
            return Ok(());
        }
        let schedule = self.schedule()?.ok_or(Error::Empty { what: "schedule" })?;
        let (data, method) = (self.problem.data(), &self.settings.method);
        let state = &self.state;
        let solver =
            Iteration::of(method.step(self.parts), data, &*schedule, self.sampler(), state.iterate.theta.clone())?;
        let mut solver = solver.resumed_at(state.step).remembering(state.levels_ahead, &state.iterate.memory);
        if self.settings.average && self.state.average.is_none() {
            let is_convex = self.problem.constraint().is_convex();
            self.state.average = Some(TailAverage::new(is_convex));
        }
        let mut workspace = Workspace::default();
        let start = solver.theta().to_vec();
        let mut point = start.clone();
        // Why the last step could not be taken, if it could not.
        let mut failure = None;
        let stop = loop {
            if let Some(reason) = self.reason(solver.theta(), &mut point, &mut workspace)? {
                break reason;
            }
            let (ended, is_interrupted) = self.steps_to_checkpoint(&mut solver)?;
            failure = ended;
            point.copy_from_slice(solver.theta());
            if failure.is_some() || !all_finite(&point) {
                break Stop::Diverged;
            }
            self.project(&mut point, &mut workspace)?;
            let objective = self.monitor.value(&point)?;
            if self.has_exploded(objective, &start)? {
                break Stop::Diverged;
            }
            let moment = Moment {
                phase: Phase::Iteration,
                step: solver.step(),
                rho: solver.rho(),
                rows_seen: solver.step() * solver.rows_per_step() as u64,
                elapsed: self.clock.elapsed(),
            };
            let progress = self.monitor.progress(moment, &point, solver.theta(), objective);
            self.keep_if_best(objective, progress.distance, &point);
            self.try_average(&mut point, &mut workspace)?;
            let is_over = self.record(progress) || is_interrupted;
            self.hand_out(&solver);
            if is_over {
                break Stop::Interrupted;
            }
        };
        if stop == Stop::Diverged {
            let failure = failure.unwrap_or(Error::Diverged { step: solver.step(), rho: solver.rho() });
            self.not_above_start(&start, failure)?;
        }
        self.state.step = solver.step();
        self.stop = Some(stop);
        Ok(())
    }

    /// Steps between two checkpoints.
    fn rhythm(&self) -> u64 {
        match self.settings.stop {
            StopRule::Paper => 1,
            StopRule::Settled => {
                let cheap = (self.monitor.rows() / self.state.batch_size).clamp(10, 100) as u64;
                self.settings.check_every.unwrap_or(cheap)
            }
        }
    }

    /// Steps up to the next checkpoint, which falls on the same steps whether or not the run was interrupted. Returns what made a step impossible, and
    /// whether the observer has ended the run.
    fn steps_to_checkpoint(&mut self, solver: &mut dyn Solver) -> Result<(Option<Error>, bool)> {
        let rhythm = self.rhythm();
        let next = (solver.step() / rhythm + 1) * rhythm;
        while solver.step() < next.min(self.settings.max_steps) {
            match solver.advance() {
                Err(error @ (Error::Diverged { .. } | Error::Overflow { .. } | Error::ProxStalled { .. })) => {
                    return Ok((Some(error), false));
                }
                other => other?,
            }
            if let Some(average) = &mut self.state.average {
                average.add(solver.step(), solver.theta());
            }
            if self.observer.poll().is_break() {
                return Ok((None, true));
            }
        }
        Ok((None, false))
    }

    /// Why the run should stop at the checkpoint it is at, if it should.
    fn reason(&self, theta: &[f64], point: &mut [f64], workspace: &mut Workspace) -> Result<Option<Stop>> {
        // Before the first checkpoint of the iteration there is nothing to judge by.
        if self.state.trace.last().is_none_or(|last| last.phase != Phase::Iteration) {
            return Ok(None);
        }
        point.copy_from_slice(theta);
        self.project(point, workspace)?;
        let size = norm(self.layout.coefficients(point));
        Ok(stop_reason(&self.state.trace, size, self.problem.data().rows(), self.settings))
    }

    /// Keeps a feasible point if it is the best so far, or the last one where that is wanted.
    fn keep_if_best(&mut self, objective: f64, distance: f64, point: &[f64]) {
        let is_last_wanted = self.settings.stop == StopRule::Paper;
        match &mut self.state.best {
            Some(best) if is_last_wanted || objective <= best.objective => {
                (best.objective, best.distance) = (objective, distance);
                best.theta.copy_from_slice(point);
            }
            Some(_) => {}
            none => *none = Some(Feasible { objective, distance, theta: point.to_vec() }),
        }
    }

    /// Looks whether the average of late iterates is better; leaves its projection in `point`.
    fn try_average(&mut self, point: &mut [f64], workspace: &mut Workspace) -> Result<()> {
        let Some(average) = &mut self.state.average else { return Ok(()) };
        let Some(averaged) = average.at_checkpoint(self.layout.coefficients(point)).map(<[f64]>::to_vec) else {
            return Ok(());
        };
        point.copy_from_slice(&averaged);
        self.project(point, workspace)?;
        let objective = self.monitor.value(point)?;
        if self.state.best.as_ref().is_none_or(|best| objective < best.objective) {
            let moved = distance(self.layout.coefficients(point), self.layout.coefficients(&averaged));
            self.state.best = Some(Feasible { objective, distance: moved, theta: point.to_vec() });
        }
        Ok(())
    }

    /// Shows the state, if a run without limits passes through it too.
    fn hand_out(&mut self, solver: &dyn Solver) {
        if !solver.step().is_multiple_of(self.rhythm()) {
            return;
        }
        self.state.step = solver.step();
        self.state.iterate.clone_from(solver.iterate());
        self.state.levels_ahead = solver.levels_ahead();
        self.observer.snapshot(&self.state);
    }

    fn project(&self, point: &mut [f64], workspace: &mut Workspace) -> Result<()> {
        self.problem.constraint().project(self.layout.coefficients_mut(point), workspace)
    }

    /// Whether F has left every bound that a run which is getting anywhere keeps to.
    fn has_exploded(&self, objective: f64, start: &[f64]) -> Result<bool> {
        // The bound is at least this, so that F at the start is looked at only where it matters.
        if objective <= worst_bearable(0.0) {
            return Ok(false);
        }
        let at_start = self.monitor.value(&self.feasible(start.to_vec())?)?;
        Ok(!at_start.is_finite() || objective.is_nan() || objective > worst_bearable(at_start))
    }

    /// What a run that diverged leaves: the better of its best point and the projected start. A start where F is not finite leaves nothing but the
    /// failure.
    fn not_above_start(&mut self, start: &[f64], failure: Error) -> Result<()> {
        let theta = self.feasible(start.to_vec())?;
        let objective = self.monitor.value(&theta)?;
        if self.state.best.as_ref().is_some_and(|best| best.objective.is_finite() && best.objective <= objective) {
            return Ok(());
        }
        if !objective.is_finite() {
            return Err(failure);
        }
        let distance = distance(self.layout.coefficients(&theta), self.layout.coefficients(start));
        self.state.best = Some(Feasible { objective, distance, theta });
        Ok(())
    }
}
