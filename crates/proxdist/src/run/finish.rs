//! The exact finish, and the certificate at the end.

use super::{Run, Stage, start};
use crate::certificate::{Certified, Judge, Reached};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::polish::Finish;
use crate::solver::{Ended, Fit, Moment, Stop};
use crate::trace::Phase;
use std::ops::ControlFlow;

impl Run<'_> {
    /// Finishes exactly on all data, where the set and the settings allow it and nobody has ended the run.
    pub(super) fn finish(&mut self) -> Result<Reached> {
        if let (Stage::Proof, Some(finished)) = (self.state.stage, &self.state.finished) {
            let reached = Reached::at(finished.theta.clone(), finished.iterate_distance);
            return Ok(Reached { exchanges: finished.exchanges, ..reached });
        }
        if self.state.stage == Stage::Finish && self.stop.is_none() {
            self.observer.snapshot(&self.state);
        }
        let (theta, iterate_distance) = if let Some(best) = &self.state.best {
            (best.theta.clone(), Some(best.distance))
        } else {
            let last = self.state.trace.last().map(|last| last.distance);
            (self.feasible(self.state.iterate.theta.clone())?, last)
        };
        let mut reached = Reached::at(theta, iterate_distance);
        if self.finishes() && !matches!(self.stop, Some(Stop::Interrupted | Stop::Diverged)) {
            self.polish(&mut reached)?;
        }
        Ok(reached)
    }

    fn polish(&mut self, reached: &mut Reached) -> Result<()> {
        let (problem, settings) = (self.problem, self.settings);
        let finish = Finish {
            objective: problem.objective(),
            constraint: problem.constraint(),
            l1: settings.method.l1_weight(),
            effort: settings.effort,
            is_near: false,
            seed: settings.seed,
        };
        // Where the user asked to start is among the points that the result must not be above.
        let asked = settings.start.as_ref().map(|_| self.feasible(start(problem, settings))).transpose()?;
        let Self { monitor, observer, clock, state, stop, .. } = self;
        let starts: Vec<&[f64]> =
            std::iter::once(&reached.theta).chain(&state.runners_up).chain(&asked).map(|theta| &theta[..]).collect();
        let polished = finish.run(&starts, &mut || {
            if observer.poll().is_break() {
                *stop = Some(Stop::Interrupted);
                return ControlFlow::Break(());
            }
            if settings.time_limit.is_some_and(|limit| clock.elapsed() >= limit) {
                *stop = Some(Stop::TimeLimit);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        reached.theta = polished.theta;
        reached.known = polished.gradient.map(|gradient| (polished.value, gradient));
        reached.diagonal = polished.diagonal;
        reached.stationarity = polished.stationarity;
        reached.exchanges = polished.exchanges;
        reached.summed = polished.summed;
        reached.proven = polished.gap.map(|gap| (gap, None));
        let (step, rho, rows_seen) =
            state.trace.last().map_or((0, 0.0, 0), |last| (last.step, last.rho, last.rows_seen));
        let moment = Moment { phase: Phase::Polish, step, rho, rows_seen, elapsed: clock.elapsed() };
        let value = monitor.value(&reached.theta)?;
        let progress = monitor.progress(moment, &reached.theta, &reached.theta, value);
        // The run is over either way; the observer is only told.
        self.record(progress);
        Ok(())
    }

    /// Measures the result on all data, and says why the run ended.
    pub(super) fn certify(mut self, reached: Reached) -> Result<Fit> {
        let (problem, settings) = (self.problem, self.settings);
        let schedule = self.schedule()?;
        let judge = Judge {
            objective: problem.objective(),
            constraint: problem.constraint(),
            l1: settings.method.l1_weight(),
            schedule_meets_theory: schedule.as_ref().is_some_and(|schedule| schedule.meets_theory()),
            seed: settings.seed,
        };
        let theta = reached.theta.clone();
        let Certified { mut certificate, value, reference } = judge.certify(reached)?;
        if !value.is_finite() || !certificate.stationarity.is_finite() || !theta.iter().all(|t| t.is_finite()) {
            return Err(problem.objective().overflow(&theta));
        }
        let is_finished = certificate.is_finished(&problem.constraint().structure(), reference);
        if !is_finished && certificate.exchanges.are_exhausted() {
            // Where the fit of its own features fell short, so may those have that other choices were compared by.
            certificate.exchanges = Exchanges::CutShort;
        }
        let stop = self.reason_of_end(is_finished);
        let (coefficients, intercept) = self.layout.into_parts(theta);
        let ended = Ended {
            coefficients,
            intercept,
            objective: value,
            certificate,
            stop,
            steps: self.state.step,
            rho1: self.state.rho1,
            schedule: schedule.map(|schedule| schedule.spec()),
            batch_size: self.state.batch_size,
            trace: std::mem::take(&mut self.state.trace),
        };
        Ok(Fit::new(problem, settings, ended))
    }

    /// Why the run ended, now that it is known whether the finish got where it was to go.
    fn reason_of_end(&self, is_finished: bool) -> Stop {
        let (finishes, is_penalised) = (self.finishes(), self.settings.method.l1_weight() > 0.0);
        match self.stop {
            Some(stop @ (Stop::Interrupted | Stop::TimeLimit | Stop::Diverged)) => stop,
            _ if finishes && is_finished => Stop::Polished,
            // A rule of convergence that was met says nothing about a finish that fell short, nor about a penalty without one.
            Some(Stop::Converged) if (finishes || is_penalised) && !is_finished => Stop::Unfinished,
            Some(stop) => stop,
            None => Stop::Unfinished,
        }
    }
}
