//! The race for $\rho_1$.
//!
//! At $\gamma = 1$ the error falls like $k^{-\min(1, \log(1 + \mu/\rho_1))}$, so $\rho_1$ must not exceed the curvature $\mu$ of F at the
//! solution by much; and far below it the steps are noise. $\mu$ is not known beforehand: for logistic loss with strong signal
//! it is hundreds of times smaller than at the start. So a logarithmic grid around the curvature at the start is tried on
//! the same batches (gather and Gram matrix are computed once for all); after each round the worse half by $F(P_C(\theta))$ on the
//! monitor rows is dropped and the next round is twice as long. The winner goes on from where it is. Eight candidates take 310
//! steps together while the winner takes its 140: a little over twice the cost of a single run, less what they share.
//!
//! A candidate that overflows, stalls or diverges is out. If all are, the race has diverged and its start is all there is, unless the loss is not finite
//! even there, which is an error that says where.

use crate::constraint::{Constraint, Workspace};
use crate::data::{Batch, Data, RowBuffer, Support};
use crate::error::{Error, Result};
use crate::linalg::all_finite;
use crate::loss::Loss;
use crate::objective::Objective;
use crate::sampling::{Sampler, monitor_sample};
use crate::schedule::{Polynomial, Schedule, checked_rho};
use crate::solver::{Iterate, Monitor, Step, worst_bearable};
use crate::trace::{Observer, Phase, Progress};
use std::time::Instant;

/// Candidates as multiples of the average curvature along a coordinate at the start.
pub(crate) const GRID: [f64; 8] = [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0];
/// For methods whose penalty must exceed the largest curvature of a batch, which can be p times the average; and for
/// comparisons, where every method gets the same candidates.
pub(crate) const WIDE_GRID: [f64; 14] = [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 1e1, 3e1, 1e2, 3e2, 1e3, 3e3];
/// How long a race is and who is dropped on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    /// Steps of the first round.
    first: u64,
    /// Steps altogether; with halving, the winner's last ones are its own.
    length: u64,
    /// Whether the worse half is dropped after each round and the next one is twice as long.
    halving: bool,
}

impl Rounds {
    /// Long enough to tell candidates apart before a fit.
    pub(crate) fn usual(is_full_batch: bool) -> Self {
        // A step on all rows costs more and tells more.
        let (first, length) = if is_full_batch { (2, 28) } else { (10, 140) };
        Self { first, length, halving: true }
    }

    /// Over the whole of a run of so many steps, with nobody dropped: gradient steps at a rate that is best in the end may look
    /// hopeless at first.
    pub(crate) fn over(steps: u64) -> Self {
        Self { first: steps.div_ceil(16).max(1), length: steps, halving: false }
    }
}

/// What the candidates share.
pub(crate) struct Race<'a> {
    pub(crate) objective: Objective<'a>,
    pub(crate) constraint: &'a dyn Constraint,
    /// First penalties to try, as multiples of the scale.
    pub(crate) grid: &'a [f64],
    pub(crate) gamma: f64,
    pub(crate) monitor: &'a Monitor<'a>,
    pub(crate) max_steps: u64,
    pub(crate) rounds: Rounds,
}

/// The winner, and where the others got to.
pub(crate) struct RaceResult {
    pub(crate) rho1: f64,
    pub(crate) step: u64,
    pub(crate) at: Iterate,
    /// Projections of the other candidates' last iterates, best first.
    pub(crate) runners_up: Vec<Vec<f64>>,
    pub(crate) trace: Vec<Progress>,
    pub(crate) is_interrupted: bool,
}

struct Candidate {
    schedule: Polynomial,
    rho1: f64,
    at: Iterate,
    point: Vec<f64>,
    score: f64,
    /// A candidate that overflows, stalls or diverges is out; only if all are is it an error.
    is_out: bool,
}

/// What a step needs besides the candidates.
struct Track<'r> {
    how: Box<dyn Step + 'r>,
    work: Workspace,
    worst_bearable: f64,
    is_finite_at_start: bool,
    batch: Batch<'r>,
    rows: Vec<usize>,
    first_error: Option<Error>,
}

impl<'r> Race<'r> {
    /// The scale of the grid.
    pub(crate) fn scale(&self, start: &[f64], seed: u64) -> Result<f64> {
        average_curvature(self.objective.data, self.objective.loss, start, seed)
    }

    /// Runs the race from `start` with the step of a method.
    pub(crate) fn run(
        &self,
        how: Box<dyn Step + 'r>,
        start: &[f64],
        sampler: &mut Sampler,
        scale: f64,
        observer: &mut dyn Observer,
    ) -> Result<RaceResult> {
        let began = Instant::now();
        let mut track = self.track(how, start, sampler)?;
        let mut racing = self.candidates(start, scale)?;
        let mut dropped: Vec<Candidate> = Vec::new();
        let mut trace = Vec::new();
        let (mut step, mut round, mut is_interrupted) = (0, self.rounds.first, false);
        let length = self.rounds.length.min(self.max_steps);
        while step < length && !is_interrupted {
            track.how.share_among(racing.len());
            let steps = if racing.len() > 1 || !self.rounds.halving { round } else { length };
            for _ in 0..steps.min(length - step) {
                step += 1;
                self.advance(step, sampler, &mut racing, &mut track)?;
                if observer.poll().is_break() {
                    is_interrupted = true;
                    break;
                }
            }
            self.score(&mut racing, &mut track)?;
            let best = &racing[0];
            if best.is_out {
                let diverged = Error::Diverged { step, rho: best.rho1 };
                return Err(if track.is_finite_at_start { diverged } else { track.first_error.unwrap_or(diverged) });
            }
            let progress = self.monitor.progress(
                Phase::Race,
                step,
                best.schedule.rho(step),
                step * sampler.batch_size() as u64,
                (&best.point, &best.at.theta),
                best.score,
                began.elapsed(),
            );
            trace.push(progress);
            is_interrupted |= observer.checkpoint(&progress).is_break();
            if self.rounds.halving {
                dropped.extend(racing.drain(racing.len().div_ceil(2)..));
                round *= 2;
            }
        }
        let mut finishers = racing.into_iter();
        let Some(winner) = finishers.next() else { return Err(Error::Diverged { step, rho: scale }) };
        dropped.extend(finishers);
        dropped.retain(|candidate| !candidate.is_out);
        dropped.sort_by(|a, b| a.score.total_cmp(&b.score));
        let runners_up = dropped.into_iter().map(|candidate| candidate.point).collect();
        Ok(RaceResult { rho1: winner.rho1, step, at: winner.at, runners_up, trace, is_interrupted })
    }

    fn track(&self, how: Box<dyn Step + 'r>, start: &[f64], sampler: &Sampler) -> Result<Track<'r>> {
        let data = self.objective.data;
        let mut batch = Batch::default();
        if sampler.is_full_batch() {
            batch.fill_whole(data)?;
        }
        let mut work = Workspace::default();
        let mut point = start.to_vec();
        self.constraint.project(&mut point[..data.columns()], &mut work)?;
        let at_start = self.monitor.value(&point)?;
        let (worst_bearable, is_finite_at_start) = (worst_bearable(at_start), at_start.is_finite());
        Ok(Track { how, work, worst_bearable, is_finite_at_start, batch, rows: Vec::new(), first_error: None })
    }

    fn candidates(&self, start: &[f64], scale: f64) -> Result<Vec<Candidate>> {
        self.grid
            .iter()
            .map(|multiple| {
                let rho1 = three_digits(multiple * scale);
                let schedule = Polynomial::new(rho1, self.gamma)?;
                let (at, point) = (Iterate::at(start.to_vec()), start.to_vec());
                Ok(Candidate { schedule, rho1, at, point, score: f64::INFINITY, is_out: false })
            })
            .collect()
    }

    /// One step of every candidate on the same batch.
    fn advance(&self, step: u64, sampler: &mut Sampler, racing: &mut [Candidate], track: &mut Track<'r>) -> Result<()> {
        let data = self.objective.data;
        if !sampler.is_full_batch() {
            sampler.draw(step, &mut track.rows);
            track.batch.fill(data, &track.rows)?;
        }
        for candidate in racing.iter_mut().filter(|candidate| !candidate.is_out) {
            let rho = checked_rho(&candidate.schedule, step)?;
            let moved = track.how.take(&track.batch, rho, &mut candidate.at);
            if moved.is_err() || !all_finite(&candidate.at.theta) {
                candidate.is_out = true;
                track.first_error = track.first_error.take().or(moved.err());
            }
        }
        Ok(())
    }

    /// Measures the candidates and puts the best first.
    fn score(&self, racing: &mut [Candidate], track: &mut Track<'r>) -> Result<()> {
        let columns = self.objective.data.columns();
        for candidate in racing.iter_mut().filter(|candidate| !candidate.is_out) {
            candidate.point.copy_from_slice(&candidate.at.theta);
            self.constraint.project(&mut candidate.point[..columns], &mut track.work)?;
            candidate.score = self.monitor.value(&candidate.point)?;
            candidate.is_out = !candidate.score.is_finite() || candidate.score > track.worst_bearable;
        }
        // Stable, so that equal scores keep the smaller penalty first.
        racing.sort_by(|a, b| a.is_out.cmp(&b.is_out).then(a.score.total_cmp(&b.score)));
        Ok(())
    }
}

/// Rounded to three digits, so that a winner can be written down and asked for again.
fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The average curvature of F along a coordinate at the start, from a sample of rows.
fn average_curvature(data: &Data, loss: &dyn Loss, start: &[f64], seed: u64) -> Result<f64> {
    const SAMPLE: usize = 500;
    let rows = monitor_sample(seed, data.rows(), SAMPLE.min(data.rows()));
    let (coefficients, intercept) = start.split_at(data.columns());
    let intercept = intercept.first().copied().unwrap_or(0.0);
    let (source, mut buffer) = (data.random_access()?, RowBuffer::default());
    let (mut predictors, mut responses, mut squares) = (Vec::new(), Vec::new(), Vec::new());
    for &row in &rows {
        source.gather(&[row], None, &mut buffer)?;
        let product = buffer.rows().dot(0, coefficients, &Support::default());
        predictors.push(product + data.offset_of(row) + intercept);
        responses.push(data.response()[row]);
        squares.push(buffer.rows().row_norm_squared(0));
    }
    let mut curvatures = vec![0.0; rows.len()];
    loss.weighted_curvatures(&predictors, &responses, &squares, &mut curvatures);
    let average = curvatures.iter().sum::<f64>() / (rows.len() as f64 * data.columns() as f64);
    // Far enough from the ends that all multiples, and what they divide, are numbers.
    Ok(if (1e-280..1e280).contains(&average) { average } else { 1.0 })
}

/// Rows a step when the user does not say: enough that a step tells signal from noise, few enough that it is cheap.
pub(crate) fn usual_batch_size(rows: usize) -> usize {
    const USUAL: usize = 64;
    USUAL.min(rows.div_ceil(2))
}
