//! The first stage: a race for the first penalty, round by round.

use super::{Run, Stage, State, start};
use crate::error::{Error, Result};
use crate::polish::Finish;
use crate::solver::{Moment, Stop};
use crate::trace::Phase;
use crate::tune::{Field, Plan, Race};

impl Run<'_> {
    /// Races where nothing else says what the first penalty is, and leaves the winner's iterate to the next stage.
    pub(super) fn race(&mut self, plan: Plan) -> Result<()> {
        if self.state.stage != Stage::Race {
            return Ok(());
        }
        let begin = start(self.problem, self.settings);
        let mut sampler = self.sampler();
        let Self { problem, parts, settings, layout, monitor, observer, clock, state, .. } = self;
        let race = Race {
            objective: problem.objective(),
            constraint: problem.constraint(),
            layout: *layout,
            gamma: settings.gamma,
            monitor,
        };
        let mut track = race.track(settings.method.step(parts), &begin, &sampler)?;
        let mut field = match state.race.take() {
            Some(field) => field,
            None => race.field(&begin, plan, settings.seed)?,
        };
        let length = plan.length.min(settings.max_steps);
        let mut is_interrupted = false;
        while state.step < length && !is_interrupted {
            track.how.share_among(field.places());
            for _ in 0..field.next_round(plan).min(length - state.step) {
                state.step += 1;
                race.advance(state.step, &mut sampler, &mut field, &mut track)?;
                if observer.poll().is_break() {
                    is_interrupted = true;
                    break;
                }
            }
            let is_cut = is_interrupted || (state.step == length && length < plan.length);
            race.score(&mut field, &mut track)?;
            let Some(best) = field.leader() else {
                let failure = track.failure(state.step, 0.0);
                return self.all_out(failure, begin);
            };
            let (rho, rows_seen) = (race.penalty(best, state.step)?, state.step * state.batch_size as u64);
            let moment = Moment { phase: Phase::Race, step: state.step, rho, rows_seen, elapsed: clock.elapsed() };
            let progress = monitor.progress(moment, &best.point, &best.at.theta, best.score);
            state.trace.push(progress);
            is_interrupted |= observer.checkpoint(&progress).is_break();
            field.close_round(plan);
            if !is_cut {
                state.race = Some(field.clone());
                observer.snapshot(state);
            }
        }
        state.race = None;
        drop(track);
        self.decide(field, is_interrupted, begin)
    }

    /// Takes over what the race has found.
    fn decide(&mut self, field: Field, is_interrupted: bool, begin: Vec<f64>) -> Result<()> {
        let Some((winner, runners_up)) = field.decided() else {
            let failure = Error::Diverged { step: self.state.step, rho: 0.0 };
            return self.all_out(failure, begin);
        };
        self.state.rho1 = Some(winner.rho1);
        self.state.iterate = winner.at;
        self.state.iterate.is_settled = false;
        self.state.runners_up = runners_up;
        let (constraint, features) = (self.problem.constraint(), self.layout.features());
        if is_interrupted {
            self.stop = Some(Stop::Interrupted);
        } else if self.state.step >= self.settings.max_steps {
            self.stop = Some(Stop::MaxSteps);
        }
        // The winner is close enough for an exact finish.
        let is_close = self.finishes() && Finish::is_exact(constraint, features);
        self.state.stage = if self.stop.is_some() || is_close { Stage::Finish } else { Stage::Iteration };
        Ok(())
    }

    /// Not one candidate stayed finite: the start is all there is.
    fn all_out(&mut self, failure: Error, begin: Vec<f64>) -> Result<()> {
        if !matches!(failure, Error::Diverged { .. }) {
            return Err(failure);
        }
        self.state = State::at_start(Stage::Finish, begin, self.state.batch_size);
        self.stop = (!self.finishes()).then_some(Stop::Diverged);
        Ok(())
    }
}
