//! Which finish a set gets, and the two promises: the result lies in the set, and F is not above its value at the start.

use super::breaks::Breaking;
use super::on_data::OnData;
use super::rank::{self, LowRank};
use super::search::{Found, Search};
use super::{Poll, Until, climbing, convex, direct, piecewise, rows_and_balls};
use crate::constraint::{Choosing, Constraint, Structure};
use crate::data::{Data, Part};
use crate::effort::Effort;
use crate::error::{Error, Result};
use crate::exchanges::Exchanges;
use crate::gap::Gap;
use crate::objective::Objective;
use crate::path::marked;
use crate::proof::Summed;
use crate::sampling::monitor_sample;

/// Size of the gradient along the set at the end, relative to $\sqrt{2LF}$. What is left of F is of the order of its square; convex
/// sets get more because their gap is of the order of the gradient itself.
const TOLERANCE: f64 = 1e-11;
const RANK_TOLERANCE: f64 = 1e-8;

/// A problem that is to be finished.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) constraint: &'p dyn Constraint,
    /// Weight of an L1 penalty that belongs to what is minimised.
    pub(crate) l1: f64,
    /// How hard to look for another choice of features.
    pub(crate) effort: Effort,
    /// Whether the points handed over are all the starts that a search needs, as where they are the ends of searches beside it.
    pub(crate) is_near: bool,
    pub(crate) seed: u64,
}

/// Where the finish ended.
pub(crate) struct Polished {
    pub(crate) theta: Vec<f64>,
    /// F there.
    pub(crate) value: f64,
    /// Its gradient there, where the finish has seen it.
    pub(crate) gradient: Option<Vec<f64>>,
    /// The diagonal of the Hessian of a quadratic F, where the finish has seen it.
    pub(crate) diagonal: Option<Vec<f64>>,
    /// For rank sets: the gradient along the set, relative to the size that gradients have.
    pub(crate) stationarity: Option<f64>,
    /// What is known about other choices of features.
    pub(crate) exchanges: Exchanges,
    /// F through its sums, if the finish needed them.
    pub(crate) summed: Option<Summed>,
    /// A bound on how far F is above its minimum, where the finish has proven one.
    pub(crate) gap: Option<Gap>,
}

/// Rows beyond which a sample of them is finished first, and the rows of that sample.
const LARGE: usize = 40_000;
const SAMPLE: usize = 20_000;
/// The same for rank sets, a row being worth less the more unknowns there are, and the tolerance there.
const ROWS_PER_UNKNOWN: usize = 6;
const ROUGH: f64 = 1e-2;

/// Cells of a table up to which the optimum over a convex set is found sooner than a good start.
const FEW_CELLS: usize = 1_000_000;

/// Whether quadratic models over a set are minimised exactly.
fn has_exact_models(constraint: &dyn Constraint, features: usize) -> bool {
    constraint.structure().conic(features).is_some_and(|conic| conic.variables() <= convex::MOST_VARIABLES)
}

impl Finish<'_> {
    /// Whether the set has an exact finish, so that the iteration need only find the right piece of it.
    pub(crate) fn is_exact(constraint: &dyn Constraint, features: usize) -> bool {
        match constraint.structure() {
            Structure::Convex(_) => has_exact_models(constraint, features),
            Structure::Other => false,
            _ => true,
        }
    }

    /// Whether the finish leads to the optimum from anywhere, and at so little cost that looking for a good start would only take time: convex
    /// sets that are minimised over by exact models, those with a quicker method of their own if the data are few but leave no choice between
    /// optima (where they do, the iteration from zero ends at one of small norm, the same for repeated rows as for weights); and free choices of features
    /// that a path finds, for a quadratic F, and for other losses where data are many and a path takes little time.
    pub(crate) fn needs_no_start(constraint: &dyn Constraint, objective: Objective) -> bool {
        // The finish of a loss with a kink starts from nothing anyway.
        if objective.loss.kinked().is_some() || direct::plain_size(constraint, objective).is_some() {
            return true;
        }
        if climbing::needs_no_start(constraint, objective) {
            return true;
        }
        let Objective { data, ridge, .. } = objective;
        let (rows, features) = (data.rows(), data.columns());
        // Dynamic programming and the search for breaks need no start, and each projection of an iteration would cost as much.
        if matches!(constraint.structure(), Structure::Breaks(_)) {
            return true;
        }
        let is_determined = ridge.is_positive() || rows > features + 1;
        let is_quick = is_determined && rows.saturating_mul(features) <= FEW_CELLS;
        (is_quick || matches!(constraint.structure(), Structure::Convex(_))) && has_exact_models(constraint, features)
    }

    /// Finishes from feasible points; F at the result is not above that at any of them. `poll` may end the search for better
    /// supports early.
    pub(crate) fn run(&self, starts: &[&[f64]], poll: Poll) -> Result<Polished> {
        let mut valued = Vec::with_capacity(starts.len());
        for start in starts {
            valued.push((self.objective.value(start)? + self.penalty(start), *start));
        }
        let lowest = valued.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((value, first)) = lowest else { return Err(Error::Empty { what: "starts" }) };
        let others = starts.iter().copied().filter(|start| !std::ptr::eq(*start, first));
        let ordered: Vec<&[f64]> = std::iter::once(first).chain(others).collect();
        let polished = if self.l1 > 0.0 { self.penalised(first, poll)? } else { self.family(&ordered, poll)? };
        if polished.value <= value {
            return Ok(polished);
        }
        let exchanges = match polished.exchanges {
            Exchanges::NotApplicable => Exchanges::NotApplicable,
            _ => Exchanges::CutShort,
        };
        Ok(Polished {
            theta: first.to_vec(),
            value,
            gradient: None,
            diagonal: None,
            stationarity: None,
            exchanges,
            summed: None,
            gap: None,
        })
    }

    fn penalty(&self, theta: &[f64]) -> f64 {
        if self.l1 > 0.0 { self.l1 * self.objective.l1_norm(theta) } else { 0.0 }
    }

    /// Whether what is minimised can be finished: every set without a penalty, and with one those that have a small description by rows and balls.
    pub(crate) fn is_possible(constraint: &dyn Constraint, features: usize, l1: f64) -> bool {
        l1 == 0.0
            || (constraint.is_convex()
                && constraint
                    .structure()
                    .conic(features)
                    .is_some_and(|conic| conic.variables() + features <= convex::MOST_VARIABLES))
    }

    /// The finish with an L1 penalty: its magnitudes are variables with a price.
    fn penalised(&self, first: &[f64], poll: Poll) -> Result<Polished> {
        let Self { objective, constraint, .. } = *self;
        let mut theta = first.to_vec();
        let mut value = objective.value(first)? + self.penalty(first);
        if let Some(conic) = constraint.structure().conic(objective.data.columns()) {
            let conic = conic.with_penalty(self.l1);
            let mut function = OnData::new(objective);
            let until = &mut Until { tolerance: TOLERANCE, poll };
            value = rows_and_balls::minimise(&mut function, &conic, &mut theta, until)?.value;
        }
        let exchanges = Exchanges::NotApplicable;
        Ok(Polished {
            theta,
            value,
            gradient: None,
            diagonal: None,
            stationarity: None,
            exchanges,
            summed: None,
            gap: None,
        })
    }

    fn family(&self, starts: &[&[f64]], poll: Poll) -> Result<Polished> {
        let Self { objective, constraint, .. } = *self;
        if let Some(kinked) = objective.loss.kinked() {
            return piecewise::finish(self, kinked, starts, poll);
        }
        let mut theta = starts[0].to_vec();
        let finished = match constraint.structure() {
            Structure::Choice(choosing) => return self.choose(choosing, starts, poll),
            Structure::Breaks(set) => return Breaking { objective, set, effort: self.effort }.finish(starts, poll),
            Structure::Rank { rank, rows, columns, radius } => {
                let set = LowRank { rank, rows, columns, radius };
                // The first steps lead from far away; a few rows an unknown are enough for them.
                let few = ROWS_PER_UNKNOWN * rank * (rows + columns);
                if let Some(sample) = self.sample(2 * few, few)? {
                    let part = sample.data()?;
                    rank::minimise(self.on(&part).objective, set, &mut theta, &mut Until { tolerance: ROUGH, poll })?;
                }
                let until = &mut Until { tolerance: RANK_TOLERANCE, poll };
                let finished = rank::minimise(objective, set, &mut theta, until)?;
                if finished.value <= objective.value(starts[0])? {
                    finished
                } else {
                    // The sample led into a worse valley.
                    theta = starts[0].to_vec();
                    rank::minimise(objective, set, &mut theta, until)?
                }
            }
            _ => {
                if let Some(sample) = self.sample(LARGE, SAMPLE)? {
                    let part = sample.data()?;
                    theta = self.on(&part).family(starts, poll)?.theta;
                }
                let mut function = OnData::new(objective);
                convex::minimise(&mut function, constraint, &mut theta, &mut Until { tolerance: TOLERANCE, poll })?
            }
        };
        let is_rank = matches!(constraint.structure(), Structure::Rank { .. });
        Ok(Polished {
            theta,
            value: finished.value,
            gradient: finished.gradient,
            diagonal: None,
            stationarity: is_rank.then_some(finished.stationarity),
            exchanges: Exchanges::NotApplicable,
            summed: None,
            gap: None,
        })
    }

    /// The finish over a set that leaves a choice, on a sample first where the rows are many.
    fn choose(&self, choosing: &dyn Choosing, starts: &[&[f64]], poll: Poll) -> Result<Polished> {
        let marked = marked(self.objective)?;
        let with_marks = marked.as_ref().map(|marked| self.objective.data.with_marked(marked));
        let objective = with_marks.as_ref().map_or(self.objective, |data| self.objective.on(data));
        let direct = direct::plain_size(self.constraint, objective);
        let search = Search { objective, choosing, effort: self.effort, is_near: self.is_near, direct, sample: None };
        let sample = if direct.is_some() || marked.is_some() { None } else { self.sample(LARGE, SAMPLE)? };
        let Found { theta, value, gradient, diagonal, exchanges, summed, .. } = match sample {
            None => search.finish(starts, poll)?,
            Some(sample) => {
                let part = sample.data()?;
                let on_part = self.on(&part).objective;
                let found = Search { objective: on_part, ..search }.finish(starts, poll)?;
                // What is best on the sample need not be best on all rows.
                let ended = std::iter::once(&found.theta).chain(&found.ends).map(|theta| &theta[..]);
                let starts: Vec<&[f64]> = ended.chain(starts.iter().copied()).collect();
                Search { sample: Some(on_part), ..search }.finish(&starts, poll)?
            }
        };
        Ok(Polished { theta, value, gradient, diagonal, stationarity: None, exchanges, summed, gap: None })
    }

    /// The gradient along a set of low rank at a point of it, relative to the size that gradients have; `None` for other sets.
    pub(crate) fn stationarity_of_rank(
        objective: Objective,
        constraint: &dyn Constraint,
        theta: &[f64],
    ) -> Result<Option<f64>> {
        let Structure::Rank { rank, rows, columns, radius } = constraint.structure() else { return Ok(None) };
        rank::stationarity(objective, LowRank { rank, rows, columns, radius }, theta).map(Some)
    }

    /// The same problem on some of the rows.
    fn on<'s>(&'s self, part: &'s Data<'s>) -> Finish<'s> {
        Finish { objective: self.objective.on(part), ..*self }
    }

    /// So many random rows, if there are more than `large`: from their finish the finish on all has little left to do.
    fn sample(&self, large: usize, count: usize) -> Result<Option<Part<'_>>> {
        let data: &Data = self.objective.data;
        if data.rows() <= large || count == 0 {
            return Ok(None);
        }
        let part = data.subset(monitor_sample(self.seed, data.rows(), count))?;
        // A sample whose weights are all zero says nothing.
        let is_usable = part.data().is_ok();
        Ok(is_usable.then_some(part))
    }
}
