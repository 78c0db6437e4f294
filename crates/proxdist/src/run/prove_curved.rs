//! Proofs for losses that are not quadratic, where they are asked for: branch and bound where the data are not large, and a convex relaxation where there is a ridge.

use super::{Clock, Run};
use crate::certificate::Reached;
use crate::error::Result;
use crate::gap::{Gap, Proof, ROUNDING};
use crate::proof::{Curved, CurvedOutcome, relaxed};
use crate::solver::Stop;
use crate::trace::{Observer, Phase, Progress};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Share of the time that branch and bound has where a relaxation may follow.
const FIRST: f64 = 0.75;
/// Relative fall of F at which another choice is taken over.
const FALL: f64 = 1e-9;
/// Part of the gap that is allowed which is left to rounding.
const LEFT: f64 = 5e-3;
/// Time between two steps of the relaxation that are told.
const OFTEN: Duration = Duration::from_millis(500);

impl Run<'_> {
    /// Bounds all choices of so many features, and takes a better one over.
    pub(super) fn prove_curved(&mut self, reached: &mut Reached, size: usize, limit: Duration) -> Result<()> {
        if self.settings.method.l1_weight() > 0.0 {
            return Ok(());
        }
        let objective = self.problem.objective();
        let columns = self.problem.data().columns();
        let has_ridge = (0..columns).all(|j| objective.ridge.at(j) > 0.0);
        let began = Instant::now();
        let first = if has_ridge { limit.mul_f64(FIRST) } else { limit };
        let value = objective.value(&reached.theta)?;
        let found = self.searched(reached, size, (began, first))?;
        let mut value = value;
        if let Some(found) = found.as_ref().filter(|found| found.value < value - FALL * value.abs()) {
            self.take_over(reached, &found.support)?;
            value = objective.value(&reached.theta)?;
        }
        let nodes = found.as_ref().map_or(0, |found| found.nodes);
        let mut best = found.map(|found| {
            let proof = if found.nodes == 0 { Proof::Diagonal } else { Proof::BranchAndBound };
            (found.lower, proof)
        });
        let is_over = matches!(self.stop, Some(Stop::Interrupted | Stop::TimeLimit));
        let is_short = best.is_none_or(|(lower, _)| value - lower > self.settings.gap * value.abs());
        if has_ridge && is_short && !is_over {
            let theta = reached.theta.clone();
            let mut watch = self.watch((began, limit), &theta);
            let bound = relaxed(objective, size, (&theta, value), &mut |lower| watch.look(0, (value, lower)))?;
            if let Some(bound) = bound.filter(|bound| best.is_none_or(|(lower, _)| *bound > lower)) {
                best = Some((bound, Proof::Relaxation));
            }
        }
        if let Some((lower, proof)) = best.filter(|(lower, _)| lower.is_finite()) {
            let gap = Gap { value: (value - lower).max(0.0) + 10.0 * ROUNDING * value.abs(), proof };
            reached.proven = Some((gap, (proof == Proof::BranchAndBound).then_some(nodes)));
        }
        Ok(())
    }

    /// Branch and bound.
    fn searched(
        &mut self,
        reached: &Reached,
        size: usize,
        until: (Instant, Duration),
    ) -> Result<Option<CurvedOutcome>> {
        let Some(curved) = Curved::of(self.problem.objective(), size)? else { return Ok(None) };
        let tolerance = (1.0 - LEFT) * self.settings.gap;
        let curved = curved.within(tolerance, self.settings.proof_memory);
        let coefficients = self.layout.coefficients(&reached.theta);
        let support: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
        let mut watch = self.watch(until, &reached.theta);
        curved.run(&support, &mut |at| watch.look(at.nodes, (at.upper, at.lower)))
    }

    fn watch<'w>(&'w mut self, until: (Instant, Duration), theta: &[f64]) -> Watch<'w> {
        let nonzeros = self.layout.coefficients(theta).iter().filter(|c| **c != 0.0).count();
        let last = self.state.trace.last().copied();
        let Self { observer, state, clock, stop, settings, .. } = self;
        Watch {
            observer: &mut **observer,
            trace: &mut state.trace,
            clock,
            stop,
            time_limit: settings.time_limit,
            until,
            last,
            nonzeros,
            next: (0, Duration::ZERO),
            is_over: false,
        }
    }
}

/// Looks at the clock and tells what is known.
struct Watch<'w> {
    observer: &'w mut dyn Observer,
    trace: &'w mut Vec<Progress>,
    clock: &'w Clock,
    stop: &'w mut Option<Stop>,
    time_limit: Option<Duration>,
    until: (Instant, Duration),
    last: Option<Progress>,
    nonzeros: usize,
    /// Nodes and time at which something is told again.
    next: (u64, Duration),
    is_over: bool,
}

impl Watch<'_> {
    fn look(&mut self, nodes: u64, (upper, lower): (f64, f64)) -> ControlFlow<()> {
        let elapsed = self.clock.elapsed();
        if self.observer.poll().is_break() {
            *self.stop = Some(Stop::Interrupted);
            self.is_over = true;
        } else if self.time_limit.is_some_and(|limit| elapsed >= limit) {
            *self.stop = Some(Stop::TimeLimit);
            self.is_over = true;
        }
        let (began, limit) = self.until;
        self.is_over = self.is_over || began.elapsed() >= limit;
        let is_due = if nodes > 0 { nodes >= self.next.0 } else { elapsed >= self.next.1 };
        if lower.is_finite() && (is_due || self.is_over) {
            self.next = (nodes + nodes / 16 + 8, elapsed + OFTEN);
            let progress = Progress {
                phase: Phase::Proof,
                step: self.last.map_or(0, |last| last.step),
                objective: upper,
                distance: 0.0,
                rho: self.last.map_or(0.0, |last| last.rho),
                nonzeros: self.nonzeros,
                rows_seen: self.last.map_or(0, |last| last.rows_seen),
                elapsed,
                bound: Some(lower),
            };
            self.trace.push(progress);
            if self.observer.checkpoint(&progress).is_break() {
                *self.stop = Some(Stop::Interrupted);
                self.is_over = true;
            }
        }
        if self.is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
