//! Proofs for losses that are not quadratic, where they are asked for: branch and bound where the data are not large; where there is a ridge and that
//! does not end, a convex relaxation, and branch and bound again on the columns that it leaves.
//!
//! Where such a proof is stands in a [`CurvedProof`], shown between its parts and between nodes of a search. Regions, minorants and the relaxation are made again
//! from there to the same bits, so a proof that goes on ends as one that was never interrupted.

use super::proof_watch::Watch;
use super::{Run, Stage};
use crate::certificate::Reached;
use crate::error::Result;
use crate::gap::{Gap, Proof, ROUNDING};
use crate::proof::{Curved, CurvedOutcome, CurvedState, Relaxation, relaxed};
use crate::run::state::Finished;
use crate::solver::Stop;
use crate::trace::{Phase, Progress};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Shares of the time after which branch and bound makes way for a relaxation, and that for branch and bound on the columns that it leaves.
const FIRST: f64 = 0.4;
const SECOND: f64 = 0.7;
/// Relative fall of F at which another choice is taken over.
const FALL: f64 = 1e-9;
/// Part of the gap that is allowed which is left to rounding.
const LEFT: f64 = 5e-3;

/// What comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Next {
    /// Branch and bound over all columns.
    #[default]
    AllColumns,
    Relaxation,
    /// Branch and bound over the columns that the relaxation has left.
    ColumnsLeft,
    Nothing,
}

/// Where a proof is, and what it has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CurvedProof {
    next: Next,
    /// No choice is below this, and why.
    lower: Option<(f64, Proof)>,
    nodes: u64,
    /// The columns that are left, and what no choice with any other is below.
    left: Vec<usize>,
    cutoff: Option<f64>,
    /// The search, if it has come to its nodes.
    pub(super) search: Option<CurvedState>,
}

impl CurvedProof {
    /// Takes a bound over if it is better.
    fn learn(&mut self, lower: f64, by: Proof) {
        if self.lower.is_none_or(|(known, _)| lower > known) {
            self.lower = Some((lower, by));
        }
    }

    /// Whether this can be a proof about so many columns: it may come from a damaged file.
    fn is_within(&self, columns: usize) -> bool {
        let is_rising = self.left.windows(2).all(|pair| pair[0] < pair[1]);
        is_rising && self.left.iter().all(|&j| j < columns)
    }

    /// What is proven of choices with columns that the search does not look at.
    pub(super) fn cutoff(&self) -> f64 {
        self.cutoff.filter(|_| self.next == Next::ColumnsLeft).unwrap_or(f64::MAX)
    }

    /// Nodes of earlier searches.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The best bound of earlier parts.
    pub(super) fn known(&self) -> f64 {
        self.lower.map_or(f64::NEG_INFINITY, |(lower, _)| lower)
    }
}

/// When a proof began and how long it may take; time before it was resumed counts.
#[derive(Clone, Copy)]
pub(super) struct Timing {
    pub(super) began: Instant,
    pub(super) spent: Duration,
    pub(super) limit: Duration,
}

impl Timing {
    pub(super) fn elapsed(&self) -> Duration {
        self.spent + self.began.elapsed()
    }

    fn share(self, share: f64) -> Self {
        Self { limit: self.limit.mul_f64(share), ..self }
    }
}

impl Run<'_> {
    /// Bounds all choices of so many features, and takes a better one over.
    pub(super) fn prove_curved(&mut self, reached: &mut Reached, size: usize, limit: Duration) -> Result<()> {
        if self.settings.method.l1_weight() > 0.0 {
            return Ok(());
        }
        let (objective, columns) = (self.problem.objective(), self.problem.data().columns());
        let all: Vec<usize> = (0..columns).collect();
        let has_ridge = all.iter().all(|&j| objective.ridge.at(j) > 0.0);
        let timing = Timing { began: Instant::now(), spent: self.state.proof_time, limit };
        let known = self.state.curved.take().filter(|known| known.is_within(columns));
        let mut proof = known.map(|known| *known).unwrap_or_default();
        self.leave(reached);
        let mut value = objective.value(&reached.theta)?;
        while proof.next != Next::Nothing {
            self.show(&mut proof, timing);
            let (first, second) = (timing.share(if has_ridge { FIRST } else { 1.0 }), timing.share(SECOND));
            match proof.next {
                Next::AllColumns => value = self.searched(reached, &mut proof, (&all, size), first)?,
                Next::Relaxation => self.relaxed(reached, &mut proof, (size, value), second)?,
                _ => {
                    let left = proof.left.clone();
                    value = self.searched(reached, &mut proof, (&left, size), timing)?;
                }
            }
            proof.next = match proof.next {
                _ if !self.goes_on(&proof, value) => Next::Nothing,
                Next::AllColumns if has_ridge => Next::Relaxation,
                Next::Relaxation if proof.cutoff.is_some() => Next::ColumnsLeft,
                _ => Next::Nothing,
            };
        }
        if let Some((lower, by)) = proof.lower.filter(|(lower, _)| lower.is_finite()) {
            let nodes = (by == Proof::BranchAndBound).then_some(proof.nodes);
            let gap = (value - lower).max(0.0) + 10.0 * ROUNDING * value.abs();
            reached.proven = Some((Gap { value: gap, proof: by }, nodes));
            let last = self.proof_progress(&reached.theta, (value, lower), proof.nodes);
            // The proof is over either way; the observer is only told.
            self.record(last);
        }
        Ok(())
    }

    /// What the exact finish, or a choice that was taken over since, leaves to the search; a run that goes on from here knows no more.
    pub(super) fn leave(&mut self, reached: &mut Reached) {
        (reached.known, reached.summed) = (None, None);
        self.state.stage = Stage::Proof;
        self.state.finished = Some(Finished {
            theta: reached.theta.clone(),
            iterate_distance: reached.iterate_distance,
            exchanges: reached.exchanges,
        });
    }

    /// A checkpoint of a proof.
    pub(super) fn proof_progress(&self, theta: &[f64], (upper, lower): (f64, f64), nodes: u64) -> Progress {
        let last = self.state.trace.last();
        let (step, rho, rows_seen) = last.map_or((0, 0.0, 0), |last| (last.step, last.rho, last.rows_seen));
        Progress {
            phase: Phase::Proof,
            step,
            objective: upper,
            distance: 0.0,
            rho,
            nonzeros: self.layout.coefficients(theta).iter().filter(|c| **c != 0.0).count(),
            rows_seen,
            elapsed: self.clock.elapsed(),
            bound: Some(lower),
            nodes: Some(nodes),
        }
    }

    /// Shows the observer where the proof is.
    pub(super) fn show(&mut self, proof: &mut CurvedProof, timing: Timing) {
        self.state.proof_time = timing.elapsed();
        self.state.curved = Some(Box::new(std::mem::take(proof)));
        self.observer.snapshot(&self.state);
        *proof = self.state.curved.take().map(|shown| *shown).unwrap_or_default();
    }

    /// Whether there is something left to prove and nobody has ended it.
    fn goes_on(&self, proof: &CurvedProof, value: f64) -> bool {
        let is_over = matches!(self.stop, Some(Stop::Interrupted | Stop::TimeLimit));
        !is_over && value - proof.known() > self.settings.gap * value.abs()
    }

    /// Branch and bound over some columns; choices with any other are known not to be below the cutoff. Returns F at the result.
    fn searched(
        &mut self,
        reached: &mut Reached,
        proof: &mut CurvedProof,
        (columns, size): (&[usize], usize),
        timing: Timing,
    ) -> Result<f64> {
        let objective = self.problem.objective();
        let value = objective.value(&reached.theta)?;
        let Some(curved) = Curved::of(objective, columns, size)? else { return Ok(value) };
        let tolerance = (1.0 - LEFT) * self.settings.gap;
        let curved = curved.within(tolerance, self.settings.memory);
        let coefficients = self.layout.coefficients(&reached.theta);
        let support: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
        let begun = proof.search.take();
        let nodes = begun.as_ref().map(CurvedState::nodes);
        let mut watch = Watch::new(self, proof, timing, &reached.theta).after(nodes);
        let found = match begun {
            Some(state) => curved.resume(state, &support, &mut watch)?,
            None => curved.run(&support, &mut watch)?,
        };
        proof.search = None;
        let Some(CurvedOutcome { lower, support, value: better, nodes }) = found else { return Ok(value) };
        proof.nodes += nodes;
        let by = if proof.nodes == 0 { Proof::Diagonal } else { Proof::BranchAndBound };
        proof.learn(lower.min(proof.cutoff()), by);
        if better >= value - FALL * value.abs() {
            return Ok(value);
        }
        self.take_over(reached, &support)?;
        self.leave(reached);
        objective.value(&reached.theta)
    }

    /// The relaxation, which leaves a bound and the columns that may be in a better choice.
    fn relaxed(
        &mut self,
        reached: &Reached,
        proof: &mut CurvedProof,
        (size, value): (usize, f64),
        timing: Timing,
    ) -> Result<()> {
        let objective = self.problem.objective();
        let known = proof.known();
        let mut watch = Watch::new(self, proof, timing, &reached.theta);
        let look = &mut |lower: f64| watch.now_and_then((value, lower.max(known)));
        let found: Option<Relaxation> = relaxed(objective, size, (&reached.theta, value), look)?;
        let Some(found) = found else { return Ok(()) };
        proof.learn(found.lower, Proof::Relaxation);
        let cutoff = value - (1.0 - LEFT) * self.settings.gap * value.abs();
        let coefficients = self.layout.coefficients(&reached.theta);
        let mut left = found.left(cutoff);
        left.extend((0..coefficients.len()).filter(|&j| coefficients[j] != 0.0));
        left.sort_unstable();
        left.dedup();
        (proof.left, proof.cutoff) = (left, Some(cutoff));
        Ok(())
    }
}
