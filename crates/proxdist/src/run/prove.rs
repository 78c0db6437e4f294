//! The stage before the last: how far from the global optimum can the result be?
//!
//! Where features are chosen freely, some perhaps always or never in, and F is quadratic (`crate::proof`), one factorisation often settles it; that is part of every fit whose search has
//! summed F up already (`prove_curved.rs` is for other losses, where a proof is asked for). Branch and bound goes on from there for as long as the settings ask, takes better choices over, and can be continued from its state.

use super::Run;
use crate::certificate::Reached;
use crate::constraint::Structure;
use crate::effort::Effort;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::gap::{Gap, Proof};
use crate::path::summed;
use crate::polish::Finish;
use crate::proof::{Search, Stopped, Summed, next_portion, relations};
use crate::solver::Stop;
use std::ops::ControlFlow;
use std::time::Duration;

/// Bytes for the matrix of all products of columns, and for open nodes, where a proof is asked for.
const MATRIX: usize = 1 << 31;
/// Columns up to which the test that is part of every fit tries more than once.
const FEW_COLUMNS: usize = 200;
/// Multiplications up to which F is summed up for that test alone.
const CHEAP: f64 = 2e7;

impl Run<'_> {
    /// Proves what can be proven about choices of features, and takes a better one over.
    pub(super) fn prove(&mut self, reached: &mut Reached) -> Result<()> {
        let problem = self.problem;
        let is_over = matches!(self.stop, Some(Stop::Interrupted | Stop::TimeLimit | Stop::Diverged));
        let Structure::Choice(choosing) = problem.constraint().structure() else { return Ok(()) };
        if is_over || !self.finishes() || reached.exchanges == Exchanges::EveryChoice {
            return Ok(());
        }
        let wanted = self.settings.prove;
        // Bounds rest on second derivatives; that a proof was asked for in vain is told by a note.
        if !problem.objective().loss.is_differentiable() {
            return Ok(());
        }
        if !problem.objective().loss.is_quadratic() {
            let size = choosing.plain_size(problem.data().columns());
            return match (size, wanted) {
                (Some(size), Some(limit)) => self.prove_curved(reached, size, limit),
                _ => Ok(()),
            };
        }
        let known = reached.summed.take();
        let (rows, columns) = (problem.data().rows() as f64, problem.data().columns());
        let is_cheap = columns <= FEW_COLUMNS && rows * (columns * columns) as f64 <= CHEAP;
        let summed = match known {
            None if wanted.is_some() || is_cheap => summed(problem.objective(), MATRIX)?,
            known => known,
        };
        let Some(summed) = summed else { return Ok(()) };
        let tries = if columns <= FEW_COLUMNS { usize::MAX } else { 1 };
        let (support, scaled) = self.chosen(&reached.theta, &summed);
        let choice = choosing.choice(columns);
        let search = summed.choosing(&choice).memory(self.settings.memory);
        // A convex set beside the choice, and what units need of each other, are left out of bounds, but what the search finds would have to obey them.
        let open = choice.support(&(0..choice.units()).collect::<Vec<_>>());
        let is_free = || choosing.on_support(&open).is_some_and(|set| matches!(set.structure(), Structure::WholeSpace));
        let is_alone = || choice.needs().is_empty() && is_free();
        if let Some(limit) = wanted.filter(|_| is_alone()) {
            // What rounding may be is part of the gap that is allowed.
            let share = 2.0 * summed.doubt(&scaled) / search.settle_within(0, &support, &scaled).upper.abs();
            let allowed = self.settings.gap;
            let search = search.tolerance((allowed - share).max(0.5 * allowed));
            let search = search.relations(&relations(problem.objective(), &summed)?);
            return self.branch_and_bound(reached, &search, &summed, limit);
        }
        let settled = search.settle_within(tries, &support, &scaled);
        let gap = self.value(reached)?.max(settled.upper) - settled.lower + summed.doubt(&scaled);
        if gap.is_finite() && settled.is_proven(1.0) {
            reached.proven = Some((Gap { value: gap.max(0.0), proof: Proof::Diagonal }, None));
        }
        Ok(())
    }

    /// F at the result, as it is: the sums have the intercept at its best, which that of the result need not be.
    fn value(&self, reached: &Reached) -> Result<f64> {
        match &reached.known {
            Some((value, _)) => Ok(*value),
            None => self.problem.objective().value(&reached.theta),
        }
    }

    /// The features that a point uses, and their coefficients in the units of the sums.
    fn chosen(&self, theta: &[f64], summed: &Summed) -> (Vec<usize>, Vec<f64>) {
        let coefficients = self.layout.coefficients(theta);
        let support: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
        let values: Vec<f64> = support.iter().map(|&j| coefficients[j]).collect();
        let scaled = summed.scaled(&support, &values);
        (support, scaled)
    }

    fn branch_and_bound(
        &mut self,
        reached: &mut Reached,
        search: &Search,
        summed: &Summed,
        limit: Duration,
    ) -> Result<()> {
        let (support, _) = self.chosen(&reached.theta, summed);
        let mut proof = self.state.proof.take().map_or_else(|| search.begin(&support), |proof| *proof);
        // Time that went by before, of a run that was resumed, counts.
        let spent = self.state.proof_time;
        let began = std::time::Instant::now();
        self.leave(reached);
        let mut is_over = false;
        let stopped = loop {
            let next = next_portion(proof.nodes());
            let Self { observer, clock, settings, stop, .. } = self;
            let stopped = search.run(&mut proof, &mut |progress| {
                if observer.poll().is_break() {
                    *stop = Some(Stop::Interrupted);
                    is_over = true;
                } else if settings.time_limit.is_some_and(|limit| clock.elapsed() >= limit) {
                    *stop = Some(Stop::TimeLimit);
                    is_over = true;
                }
                is_over = is_over || spent + began.elapsed() >= limit;
                if is_over || progress.nodes >= next { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let known = (proof.incumbent().value, proof.lower());
            let mut progress = self.proof_progress(&reached.theta, known, proof.nodes());
            progress.nonzeros = proof.incumbent().support.len();
            if self.record(progress) {
                self.stop = Some(Stop::Interrupted);
                is_over = true;
            }
            if is_over || stopped != Stopped::Interrupted {
                break stopped;
            }
            self.state.proof_time = spent + began.elapsed();
            self.state.proof = Some(Box::new(proof));
            self.observer.snapshot(&self.state);
            proof = self.state.proof.take().map_or_else(|| search.begin(&support), |proof| *proof);
        };
        if proof.incumbent().support != support {
            self.take_over(reached, &proof.incumbent().support)?;
        }
        let (support, scaled) = self.chosen(&reached.theta, summed);
        let value = self.value(reached)?.max(search.settle_within(0, &support, &scaled).upper);
        let gap = (value - proof.lower()).max(0.0) + summed.doubt(&scaled);
        if stopped != Stopped::Dependent && gap.is_finite() {
            let proof_of = if proof.nodes() == 0 { Proof::Diagonal } else { Proof::BranchAndBound };
            reached.proven = Some((Gap { value: gap, proof: proof_of }, Some(proof.nodes())));
        }
        Ok(())
    }

    /// Finishes on a choice of features that the search has found, if that is lower.
    pub(super) fn take_over(&mut self, reached: &mut Reached, support: &[usize]) -> Result<()> {
        let objective = self.problem.objective();
        let finish = Finish {
            objective,
            constraint: self.problem.constraint(),
            l1: 0.0,
            is_near: false,
            effort: Effort::Quick,
            seed: self.settings.seed,
        };
        // Any coefficients that are not zero name the features.
        let mut start = self.layout.zeros();
        let coefficients = self.layout.coefficients_mut(&mut start);
        support.iter().for_each(|&j| coefficients[j] = f64::MIN_POSITIVE);
        let starts = [&start[..], &reached.theta[..]];
        let polished = finish.run(&starts, &mut || ControlFlow::Continue(()))?;
        reached.known = polished.gradient.map(|gradient| (polished.value, gradient));
        reached.theta = polished.theta;
        reached.exchanges = polished.exchanges;
        Ok(())
    }
}
