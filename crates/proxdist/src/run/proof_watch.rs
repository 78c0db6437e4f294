//! Looks at the clock while a loss that is not quadratic is proven, and tells what is known.
//!
//! What is told depends on nodes and bounds alone, but for the steps of the relaxation, which have neither: a run that goes on tells the same.

use super::Run;
use super::prove_curved::{CurvedProof, Timing};
use crate::proof::{CurvedState, CurvedWatch, Progress, next_portion};
use crate::solver::Stop;
use std::ops::ControlFlow;
use std::time::Duration;

/// Time between two steps of the relaxation that are told.
const OFTEN: Duration = Duration::from_millis(500);

/// Watches one part of a proof.
pub(super) struct Watch<'w, 'p> {
    run: &'w mut Run<'p>,
    proof: &'w mut CurvedProof,
    timing: Timing,
    theta: &'w [f64],
    /// Nodes at which something is told again.
    next: u64,
    /// The bound that was told last before there were nodes.
    told: f64,
    /// When something was told last.
    at: Option<Duration>,
    is_over: bool,
}

impl<'w, 'p> Watch<'w, 'p> {
    pub(super) fn new(run: &'w mut Run<'p>, proof: &'w mut CurvedProof, timing: Timing, theta: &'w [f64]) -> Self {
        let told = proof.known();
        Self { run, proof, timing, theta, next: 0, told, at: None, is_over: false }
    }

    /// For a search that goes on after so many nodes, where all was told before.
    pub(super) fn after(self, nodes: Option<u64>) -> Self {
        match nodes {
            Some(nodes) => Self { next: next_portion(nodes), told: f64::INFINITY, ..self },
            None => self,
        }
    }

    /// Tells of it if some time has passed.
    pub(super) fn now_and_then(&mut self, known: (f64, f64)) -> ControlFlow<()> {
        let elapsed = self.timing.elapsed();
        if known.1.is_finite() && self.at.is_none_or(|at| elapsed >= at + OFTEN) {
            self.at = Some(elapsed);
            self.tell(known, 0);
        }
        self.answer()
    }

    fn tell(&mut self, known: (f64, f64), nodes: u64) {
        let progress = self.run.proof_progress(self.theta, known, self.proof.nodes() + nodes);
        if self.run.record(progress) {
            self.run.stop = Some(Stop::Interrupted);
            self.is_over = true;
        }
    }

    fn answer(&mut self) -> ControlFlow<()> {
        let Run { observer, clock, settings, stop, .. } = &mut *self.run;
        if observer.poll().is_break() {
            *stop = Some(Stop::Interrupted);
            self.is_over = true;
        } else if settings.time_limit.is_some_and(|limit| clock.elapsed() >= limit) {
            *stop = Some(Stop::TimeLimit);
            self.is_over = true;
        }
        self.is_over = self.is_over || self.timing.elapsed() >= self.timing.limit;
        if self.is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl CurvedWatch for Watch<'_, '_> {
    fn look(&mut self, &Progress { nodes, upper, lower, .. }: &Progress) -> ControlFlow<()> {
        let lower = lower.min(self.proof.cutoff()).max(self.proof.known());
        let is_due = if nodes > 0 { nodes >= self.next } else { lower > self.told };
        if lower.is_finite() && is_due {
            (self.next, self.told) = (next_portion(nodes), lower);
            self.tell((upper, lower), nodes);
        }
        self.answer()
    }

    fn keep(&mut self, state: CurvedState) -> CurvedState {
        // The proof is shown with the search in it, and the search is handed back.
        let nodes = state.nodes();
        self.proof.search = Some(state);
        self.run.show(self.proof, self.timing);
        match self.proof.search.take() {
            Some(state) => state,
            None => unreachable!("a search of {nodes} nodes was put there"),
        }
    }
}
