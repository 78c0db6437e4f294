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
use crate::data::{Batch, RowBuffer, Support};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::linalg::all_finite;
use crate::objective::Objective;
use crate::sampling::{Sampler, monitor_sample};
use crate::schedule::{Polynomial, checked_rho};
use crate::solver::{Iterate, Method, Monitor, Step, worst_bearable};
use serde::{Deserialize, Serialize};

/// Candidates as multiples of the average curvature along a coordinate at the start.
pub(crate) const GRID: [f64; 8] = [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0];
/// For methods whose penalty must exceed the largest curvature of a batch, which can be p times the average; and for
/// comparisons, where every method gets the same candidates.
const WIDE_GRID: [f64; 14] = [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 1e1, 3e1, 1e2, 3e2, 1e3, 3e3];
/// Steps of a race where nothing else bounds it.
const LONGEST: u64 = 10_000;

/// Who takes part in a race, how long it is and who is dropped on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// First penalties to try, as multiples of the scale.
    grid: &'static [f64],
    /// Steps of the first round.
    first: u64,
    /// Steps altogether; with halving, the winner's last ones are its own.
    pub(crate) length: u64,
    /// Whether the worse half is dropped after each round and the next one is twice as long.
    halving: bool,
}

impl Plan {
    /// Long enough to tell candidates apart before a fit.
    pub(crate) fn usual(method: &Method) -> Self {
        let grid: &[f64] = if method.is_explicit() { &WIDE_GRID } else { &GRID };
        // A step on all rows costs more and tells more.
        let (first, length) = if method.is_full_batch() { (2, 28) } else { (10, 140) };
        Self { grid, first, length, halving: true }
    }

    /// Over the whole of a run of so many steps, 10 000 at most, with nobody dropped: gradient steps at a rate that is best in the end may look
    /// hopeless at first.
    pub(crate) fn over(steps: u64) -> Self {
        let length = steps.min(LONGEST);
        Self { grid: &WIDE_GRID, first: length.div_ceil(16).max(1), length, halving: false }
    }
}

/// The candidates of a race between two rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Field {
    /// How many may take the next round; those that are out leave their places empty.
    places: usize,
    /// Steps of the next round.
    round: u64,
    /// The best first, after each round.
    racing: Vec<Candidate>,
    dropped: Vec<Candidate>,
}

/// A first penalty and where it has led.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub(crate) rho1: f64,
    pub(crate) at: Iterate,
    /// The projection of the iterate.
    pub(crate) point: Vec<f64>,
    /// F there on the monitor rows.
    pub(crate) score: f64,
    /// A candidate that overflows, stalls or diverges is out; it is removed at the end of the round.
    #[serde(skip)]
    is_out: bool,
}

impl Field {
    /// Candidates that still race.
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// Steps of the next round: the last candidate goes on alone to the end.
    pub(crate) fn next_round(&self, plan: Plan) -> u64 {
        if self.places > 1 || !plan.halving { self.round } else { plan.length }
    }

    /// The best candidate, unless all are out.
    pub(crate) fn leader(&self) -> Option<&Candidate> {
        self.racing.first()
    }

    /// Drops the worse half after a round, if that is the plan.
    pub(crate) fn close_round(&mut self, plan: Plan) {
        if plan.halving {
            self.places = self.places.div_ceil(2);
            self.dropped.extend(self.racing.drain(self.places.min(self.racing.len())..));
            self.round *= 2;
        }
    }

    /// The winner, and the feasible points of all others, best first; `None` if all are out.
    pub(crate) fn decided(self) -> Option<(Candidate, Vec<Vec<f64>>)> {
        let (mut finishers, mut others) = (self.racing.into_iter(), self.dropped);
        let winner = finishers.next()?;
        others.extend(finishers);
        others.sort_by(|a, b| a.score.total_cmp(&b.score));
        Some((winner, others.into_iter().map(|candidate| candidate.point).collect()))
    }

    /// Every parameter in it.
    pub(crate) fn points(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.racing.iter().chain(&self.dropped).flat_map(|candidate| [&candidate.at.theta, &candidate.point])
    }
}

/// What the candidates share.
pub(crate) struct Race<'a> {
    pub(crate) objective: Objective<'a>,
    pub(crate) constraint: &'a dyn Constraint,
    pub(crate) layout: Layout,
    pub(crate) gamma: f64,
    pub(crate) monitor: &'a Monitor<'a>,
}

/// What a step needs besides the candidates.
pub(crate) struct Track<'r> {
    pub(crate) how: Box<dyn Step + 'r>,
    work: Workspace,
    worst_bearable: f64,
    is_finite_at_start: bool,
    batch: Batch<'r>,
    rows: Vec<usize>,
    first_error: Option<Error>,
}

impl Track<'_> {
    /// The error of a race in which all candidates are out: where the loss is not finite even at the start, the first thing that went wrong.
    pub(crate) fn failure(self, step: u64, rho: f64) -> Error {
        let diverged = Error::Diverged { step, rho };
        if self.is_finite_at_start { diverged } else { self.first_error.unwrap_or(diverged) }
    }
}

impl<'r> Race<'r> {
    /// The candidates before the first round.
    pub(crate) fn field(&self, start: &[f64], plan: Plan, seed: u64) -> Result<Field> {
        let scale = average_curvature(self.objective, start, seed)?;
        let candidate = |multiple: &f64| Candidate {
            rho1: three_digits(multiple * scale),
            at: Iterate::at(start.to_vec()),
            point: start.to_vec(),
            score: f64::INFINITY,
            is_out: false,
        };
        let racing: Vec<Candidate> = plan.grid.iter().map(candidate).collect();
        Ok(Field { places: racing.len(), round: plan.first, racing, dropped: Vec::new() })
    }

    /// What a race from `start` needs.
    pub(crate) fn track(&self, how: Box<dyn Step + 'r>, start: &[f64], sampler: &Sampler) -> Result<Track<'r>> {
        let mut batch = Batch::default();
        if sampler.is_full_batch() {
            batch.fill_whole(self.objective.data)?;
        }
        let mut work = Workspace::default();
        let mut point = start.to_vec();
        self.constraint.project(self.layout.coefficients_mut(&mut point), &mut work)?;
        let at_start = self.monitor.value(&point)?;
        let (worst_bearable, is_finite_at_start) = (worst_bearable(at_start), at_start.is_finite());
        Ok(Track { how, work, worst_bearable, is_finite_at_start, batch, rows: Vec::new(), first_error: None })
    }

    /// One step of every candidate on the same batch.
    pub(crate) fn advance(
        &self,
        step: u64,
        sampler: &mut Sampler,
        field: &mut Field,
        track: &mut Track<'r>,
    ) -> Result<()> {
        if !sampler.is_full_batch() {
            sampler.draw(step, &mut track.rows);
            track.batch.fill(self.objective.data, &track.rows)?;
        }
        for candidate in field.racing.iter_mut().filter(|candidate| !candidate.is_out) {
            let rho = self.penalty(candidate, step)?;
            let moved = track.how.take(&track.batch, rho, &mut candidate.at);
            if moved.is_err() || !all_finite(&candidate.at.theta) {
                candidate.is_out = true;
                track.first_error = track.first_error.take().or(moved.err());
            }
        }
        Ok(())
    }

    /// The penalty of a candidate at a step.
    pub(crate) fn penalty(&self, candidate: &Candidate, step: u64) -> Result<f64> {
        checked_rho(&Polynomial::new(candidate.rho1, self.gamma)?, step)
    }

    /// Measures the candidates, removes those that are out and puts the best first.
    pub(crate) fn score(&self, field: &mut Field, track: &mut Track<'r>) -> Result<()> {
        for candidate in field.racing.iter_mut().filter(|candidate| !candidate.is_out) {
            candidate.point.copy_from_slice(&candidate.at.theta);
            self.constraint.project(self.layout.coefficients_mut(&mut candidate.point), &mut track.work)?;
            candidate.score = self.monitor.value(&candidate.point)?;
            candidate.is_out = !candidate.score.is_finite() || candidate.score > track.worst_bearable;
        }
        field.racing.retain(|candidate| !candidate.is_out);
        // Stable, so that equal scores keep the smaller penalty first.
        field.racing.sort_by(|a, b| a.score.total_cmp(&b.score));
        Ok(())
    }
}

/// Rounded to three digits, so that a winner can be written down and asked for again.
pub(crate) fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The average curvature of F along a coordinate at the start, from a sample of rows.
fn average_curvature(objective: Objective, start: &[f64], seed: u64) -> Result<f64> {
    const SAMPLE: usize = 500;
    let Objective { data, loss, .. } = objective;
    let rows = monitor_sample(seed, data.rows(), SAMPLE.min(data.rows()));
    let (coefficients, intercept) = objective.split(start);
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
    if loss.kinked().is_some() {
        // Without curvature: as if a residual of the size of F took a row from one line to the other.
        let size = objective.value(start)?.max(f64::MIN_POSITIVE);
        curvatures.iter_mut().zip(&squares).for_each(|(curvature, square)| *curvature = square / size);
    }
    let average = curvatures.iter().sum::<f64>() / (rows.len() as f64 * data.columns() as f64);
    // Far enough from the ends that all multiples, and what they divide, are numbers.
    Ok(if (1e-280..1e280).contains(&average) { average } else { 1.0 })
}

/// Rows a step when the user does not say: enough that a step tells signal from noise, few enough that it is cheap.
pub(crate) fn usual_batch_size(rows: usize) -> usize {
    const USUAL: usize = 64;
    USUAL.min(rows.div_ceil(2))
}
