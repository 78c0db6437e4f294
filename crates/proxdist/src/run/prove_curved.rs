//! Proofs for losses that are not quadratic, where they are asked for: branch and bound where the data are not large; where there is a ridge and that
//! does not end, a convex relaxation, and branch and bound again on the columns that it leaves.

use super::{Clock, Run};
use crate::certificate::Reached;
use crate::error::Result;
use crate::gap::{Gap, Proof, ROUNDING};
use crate::proof::{Curved, CurvedOutcome, Relaxation, relaxed};
use crate::solver::Stop;
use crate::trace::{Observer, Phase, Progress};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Shares of the time after which branch and bound makes way for a relaxation, and that for branch and bound on the columns that it leaves.
const FIRST: f64 = 0.4;
const SECOND: f64 = 0.7;
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
        let all: Vec<usize> = (0..self.problem.data().columns()).collect();
        let has_ridge = all.iter().all(|&j| objective.ridge.at(j) > 0.0);
        let began = Instant::now();
        let first = if has_ridge { limit.mul_f64(FIRST) } else { limit };
        let mut proof = Proofs { value: objective.value(&reached.theta)?, lower: None, nodes: 0 };
        self.searched(reached, &mut proof, (&all, size, f64::MAX), (began, first))?;
        if has_ridge && self.goes_on(&proof) {
            let relaxation = self.relaxed(reached, &mut proof, size, (began, limit.mul_f64(SECOND)))?;
            if let Some(relaxation) = relaxation.filter(|_| self.goes_on(&proof)) {
                let cutoff = proof.value - (1.0 - LEFT) * self.settings.gap * proof.value.abs();
                let is_used = |j: &usize| self.layout.coefficients(&reached.theta)[*j] != 0.0;
                let mut left = relaxation.left(cutoff);
                left.extend(all.iter().copied().filter(is_used));
                left.sort_unstable();
                left.dedup();
                self.searched(reached, &mut proof, (&left, size, cutoff), (began, limit))?;
            }
        }
        if let Some((lower, by)) = proof.lower.filter(|(lower, _)| lower.is_finite()) {
            let value = (proof.value - lower).max(0.0) + 10.0 * ROUNDING * proof.value.abs();
            reached.proven = Some((Gap { value, proof: by }, (by == Proof::BranchAndBound).then_some(proof.nodes)));
        }
        Ok(())
    }

    /// Whether there is something left to prove and nobody has ended it.
    fn goes_on(&self, proof: &Proofs) -> bool {
        let is_over = matches!(self.stop, Some(Stop::Interrupted | Stop::TimeLimit));
        let is_short = proof.lower.is_none_or(|(lower, _)| proof.value - lower > self.settings.gap * proof.value.abs());
        is_short && !is_over
    }

    /// Branch and bound over some columns; choices with any other are known not to be below `cutoff`.
    fn searched(
        &mut self,
        reached: &mut Reached,
        proof: &mut Proofs,
        (columns, size, cutoff): (&[usize], usize, f64),
        until: (Instant, Duration),
    ) -> Result<()> {
        let objective = self.problem.objective();
        let Some(curved) = Curved::of(objective, columns, size)? else { return Ok(()) };
        let tolerance = (1.0 - LEFT) * self.settings.gap;
        let curved = curved.within(tolerance, self.settings.proof_memory);
        let coefficients = self.layout.coefficients(&reached.theta);
        let support: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
        let mut watch = self.watch(until, &reached.theta);
        let found = curved.run(&support, &mut |at| watch.look(at.nodes, (at.upper, at.lower.min(cutoff))))?;
        let Some(CurvedOutcome { lower, support, value, nodes }) = found else { return Ok(()) };
        proof.nodes += nodes;
        let by = if proof.nodes == 0 { Proof::Diagonal } else { Proof::BranchAndBound };
        proof.learn(lower.min(cutoff), by);
        if value < proof.value - FALL * proof.value.abs() {
            self.take_over(reached, &support)?;
            proof.value = objective.value(&reached.theta)?;
        }
        Ok(())
    }

    /// The relaxation.
    fn relaxed(
        &mut self,
        reached: &Reached,
        proof: &mut Proofs,
        size: usize,
        until: (Instant, Duration),
    ) -> Result<Option<Relaxation>> {
        let (objective, value) = (self.problem.objective(), proof.value);
        let known = proof.lower.map_or(f64::NEG_INFINITY, |(lower, _)| lower);
        let mut watch = self.watch(until, &reached.theta);
        let look = &mut |lower: f64| watch.look(0, (value, lower.max(known)));
        let found = relaxed(objective, size, (&reached.theta, value), look)?;
        if let Some(found) = &found {
            proof.learn(found.lower, Proof::Relaxation);
        }
        Ok(found)
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

/// What is proven so far.
struct Proofs {
    /// F at the result.
    value: f64,
    /// No choice is below this, and why.
    lower: Option<(f64, Proof)>,
    nodes: u64,
}

impl Proofs {
    /// Takes a bound over if it is better.
    fn learn(&mut self, lower: f64, by: Proof) {
        if self.lower.is_none_or(|(known, _)| lower > known) {
            self.lower = Some((lower, by));
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
