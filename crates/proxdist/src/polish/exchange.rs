//! One round of exchanges: is there a unit to take out and another to put in, so that F falls?
//!
//! | F | how exchanges are judged | claim if none lowers F |
//! |---|---|---|
//! | quadratic, few columns | exact minima from one matrix (`gram.rs`), fits where a convex set stands beside | exact algebra, or fitted |
//! | quadratic, single features | exact scores (`scores.rs`), fits where they leave a doubt | exact algebra, or fitted |
//! | other | the scores are a model that proposes; `removal.rs` is the second look | see there |
//!
//! A fit on the data decides every exchange that is made. Exchanges that lower F by the scores are tried together first, as many as keep
//! F falling.

use super::every_choice::{Look, Looked};
use super::gram::Gram;
use super::on_columns::{Block, OnColumns};
use super::refit::{Budget, Fitted, Selecting, Watch, exchanged};
use super::scores::{Held, Scores, Swap, eliminate};
use super::sweep::{Sweep, screened, sweep};
use crate::constraint::Structure;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::objective::Objective;
use crate::path::Seconds;
use crate::proof::Summed;

/// Columns whose exchange is scored where there are too many to keep second derivatives of all.
const SCREENED: usize = 4000;
/// Exchanges that are listed for a fit at most.
const MOST_LISTED: usize = 100_000;
/// Operations that all exchanges together may take in the matrix.
const MOST_IN_GRAM: f64 = 3e8;
/// Factor on gains that rest on second derivatives of a sample; those of thousands of rows are good to a few percent.
const CAUTION: f64 = 1.5;
/// Growth of rounding beyond which scores rule nothing out.
const MOST_INFLATION: f64 = 1e9;
/// Exchanges that are tried one by one where scores only propose, and the same on data of more numbers than that.
const TRIES: usize = 8;
const FEW_TRIES: usize = 3;
const MANY_NUMBERS: usize = 5_000_000;
/// Operations up to which all rows are swept although there is a sample of them.
const CHEAP_SWEEP: f64 = 5e8;

/// How a round ended.
pub(super) enum Round {
    /// With a lower F.
    Lower(Fitted),
    /// With none, and what was done to find out.
    Ended(Exchanges),
}

/// What rounds of exchanges share.
pub(super) struct Exchange<'s, 'p> {
    pub(super) problem: &'s Selecting<'p>,
    gram: Option<Gram>,
    /// The unit of each column, where units are single columns.
    unit_of: Vec<Option<usize>>,
    /// Second derivatives of all columns, which never change for a quadratic F, and that of the intercept.
    diagonal: Option<Vec<f64>>,
    bend: f64,
    sample: Option<Objective<'p>>,
    /// Operations left for fits that rule exchanges out.
    pub(super) budget: Budget,
    /// F and its gradient at the point of the last sweep of all rows, with that point.
    pub(super) measured: Option<(Vec<f64>, f64, Vec<f64>)>,
    /// F through its sums, where a path was looked for.
    pub(super) summed: Option<Summed>,
    /// Second derivatives on the support that it found.
    pub(super) seconds: Option<Seconds>,
    /// Where the search has ended from each of its starts.
    pub(super) ends: Vec<Vec<f64>>,
}

impl<'s, 'p> Exchange<'s, 'p> {
    pub(super) fn new(problem: &'s Selecting<'p>, sample: Option<Objective<'p>>) -> Result<Self> {
        let (objective, choice) = (problem.objective, problem.choice);
        let columns = objective.data.columns();
        let mut unit_of = vec![None; if choice.is_single() { columns } else { 0 }];
        if choice.is_single() {
            (0..choice.units()).for_each(|unit| choice.unit(unit).iter().for_each(|&j| unit_of[j] = Some(unit)));
        }
        let gram = if Gram::is_affordable(objective) { Gram::new(objective)? } else { None };
        let size = objective.data.rows() as f64 * columns as f64;
        let budget = Budget::of((500.0 * size).clamp(2e8, 1e9));
        Ok(Self {
            problem,
            gram,
            unit_of,
            diagonal: None,
            bend: 0.0,
            sample,
            budget,
            measured: None,
            summed: None,
            seconds: None,
            ends: Vec::new(),
        })
    }

    /// The diagonal of the Hessian of a quadratic F, if it was measured: the same at every point.
    pub(super) fn take_diagonal(&mut self) -> Option<Vec<f64>> {
        let objective = self.problem.objective;
        let mut diagonal = self.diagonal.take().filter(|_| objective.loss.is_quadratic())?;
        diagonal.extend(objective.layout().has_intercepts().then_some(self.bend));
        Some(diagonal)
    }

    pub(super) fn gram(&mut self) -> Option<&mut Gram> {
        self.gram.as_mut()
    }

    /// Whether a round of [`Self::round`] is all that can be done.
    pub(super) fn is_exact(&self) -> bool {
        let choice = self.problem.choice;
        // Where units need each other all exchanges are those of a round.
        self.gram.is_some()
            || !choice.needs().is_empty()
            || (self.problem.objective.loss.is_quadratic() && choice.is_single())
    }

    /// One round from `best`, whose pools are full.
    pub(super) fn round(&mut self, best: &Fitted, watch: &mut Watch) -> Result<Round> {
        if watch.is_over() {
            return Ok(Round::Ended(Exchanges::CutShort));
        }
        let pairs = (best.units.len() * (self.problem.choice.units() - best.units.len())) as f64;
        let size = (best.support.len() + 1) as f64;
        match self.gram.take() {
            Some(mut gram) if pairs * size * size * (size + 10.0) <= MOST_IN_GRAM => {
                let ended = if self.problem.choice.needs().is_empty() {
                    self.by_gram(&mut gram, best, watch)
                } else {
                    self.by_bundles(Some(&mut gram), best, watch)
                };
                self.gram = Some(gram);
                ended
            }
            gram if !self.problem.choice.needs().is_empty() => {
                self.gram = gram;
                self.by_bundles(None, best, watch)
            }
            gram => {
                self.gram = gram;
                if self.problem.choice.is_single() { self.by_scores(best, watch) } else { self.by_removal(best, watch) }
            }
        }
    }

    /// What stands when no exchange lowers F and all were judged exactly.
    pub(super) fn ruled_out(&self, best: &Fitted) -> Exchanges {
        if self.is_plain(best) { Exchanges::Algebra } else { Exchanges::Refitted }
    }

    /// Whether no convex set stands beside the choice.
    pub(super) fn is_plain(&self, best: &Fitted) -> bool {
        let set = self.problem.choosing.on_support(&best.support);
        set.is_some_and(|set| matches!(set.structure(), Structure::WholeSpace))
    }

    /// The units that may take the place of a chosen one, for each of the chosen.
    pub(super) fn pairs<'b>(&'b self, best: &'b Fitted) -> impl Iterator<Item = (usize, usize)> + 'b {
        let choice = self.problem.choice;
        let outside: Vec<usize> = (0..choice.units()).filter(|unit| best.units.binary_search(unit).is_err()).collect();
        let room = choice.room(&best.units);
        best.units.iter().flat_map(move |&leaves| {
            let fits = |&enters: &usize| {
                room.as_ref().is_some_and(|room| room.has_after(choice, leaves, enters))
                    && (choice.needs().is_empty() || choice.is_closed(&exchanged(&best.units, leaves, enters)))
            };
            outside.iter().copied().filter(fits).map(move |enters| (leaves, enters)).collect::<Vec<_>>()
        })
    }

    fn by_gram(&mut self, gram: &mut Gram, best: &Fitted, watch: &mut Watch) -> Result<Round> {
        watch.begin();
        let choice = self.problem.choice;
        let mut choices: Vec<(f64, Vec<usize>)> = Vec::new();
        for (leaves, enters) in self.pairs(best) {
            let units = exchanged(&best.units, leaves, enters);
            choices.push((gram.least(&choice.support(&units)).unwrap_or(f64::NEG_INFINITY), units));
        }
        choices.sort_by(|a, b| a.0.total_cmp(&b.0));
        let look = Look { problem: self.problem, gram, budget: &mut self.budget, watch };
        let Looked { best: found, at_all } = look.in_order(choices, best)?;
        Ok(match () {
            () if self.problem.is_lower(found.value, best.value) => Round::Lower(found),
            () if at_all => Round::Ended(self.ruled_out(best)),
            () => Round::Ended(Exchanges::CutShort),
        })
    }

    /// Derivatives of all columns at `theta`, the parameter of `best`.
    pub(super) fn sweep(&mut self, best: &Fitted, theta: &[f64]) -> Result<Sweep> {
        let objective = self.problem.objective;
        let known = self.diagonal.take().filter(|_| objective.loss.is_quadratic());
        let measured = match &self.seconds {
            Some(seconds) if seconds.support == best.support => Sweep::with_seconds(objective, theta, seconds)?,
            _ => sweep(objective, theta, &best.support, known)?,
        };
        if objective.loss.is_quadratic() {
            (self.diagonal, self.bend) = (Some(measured.diagonal.clone()), measured.bend);
        }
        self.measured = Some((theta.to_vec(), measured.value, measured.gradient.clone()));
        Ok(measured)
    }

    pub(super) fn by_scores(&mut self, best: &Fitted, watch: &mut Watch) -> Result<Round> {
        watch.begin();
        let theta = self.problem.spread(best);
        let objective = self.problem.objective;
        if let Some(sample) = self.sample {
            let work = objective.data.rows() as f64 * (objective.data.columns() * (best.support.len() + 2)) as f64;
            if work > CHEAP_SWEEP {
                let measured = Sweep::estimated(objective, sample, &theta, &best.support)?;
                self.measured = Some((theta.clone(), measured.value, measured.gradient.clone()));
                let listed = self.listed(best, &theta, &measured, Bends { of: sample, caution: CAUTION })?;
                if !listed.swaps.iter().any(|swap| -swap.change > self.problem.negligible(best.value)) {
                    return Ok(Round::Ended(if listed.is_complete { Exchanges::Model } else { Exchanges::CutShort }));
                }
            }
        }
        let measured = self.sweep(best, &theta)?;
        let listed = self.listed(best, &theta, &measured, Bends { of: objective, caution: 1.0 })?;
        let promising = listed.swaps.iter().take_while(|swap| -swap.change > self.problem.negligible(best.value));
        let promising: Vec<Swap> = promising.copied().collect();
        if let Some(lower) = self.together(best, &theta, &promising, watch)? {
            return Ok(Round::Lower(lower));
        }
        let is_quadratic = objective.loss.is_quadratic();
        let block = Block::of(objective.data, if listed.swaps.is_empty() { &[] } else { &best.support })?;
        let near = Selecting { block: block.as_ref(), ..*self.problem };
        let mut is_complete = listed.is_complete;
        let numbers = objective.data.rows().saturating_mul(objective.data.columns());
        let tries = if numbers > MANY_NUMBERS { FEW_TRIES } else { TRIES };
        for (number, swap) in listed.swaps.iter().enumerate() {
            if !is_quadratic && number >= tries {
                break;
            }
            let is_paid = number < 2 || !is_quadratic || self.budget.spend(self.problem.cost(best.support.len()));
            if watch.is_over() || !is_paid {
                is_complete = false;
                break;
            }
            let units = self.after(best, &[*swap]);
            if let Some(lower) = near.refit_below(best.value, units, &theta, watch)? {
                return Ok(Round::Lower(lower));
            }
        }
        Ok(Round::Ended(match () {
            () if !is_complete || !watch.is_sure() => Exchanges::CutShort,
            () if is_quadratic => self.ruled_out(best),
            () => Exchanges::Model,
        }))
    }

    /// Exchanges that the scores do not rule out, the most promising first.
    fn listed(&self, best: &Fitted, theta: &[f64], measured: &Sweep, bends: Bends) -> Result<Listed> {
        let (problem, Bends { of: second, caution }) = (self.problem, bends);
        let most = if measured.has_crosses() { usize::MAX } else { SCREENED };
        let candidates: Vec<usize> = screened(measured, &best.support, most);
        let columns = problem.objective.data.columns();
        let mut is_complete = candidates.len() + best.support.len() == columns;
        let (hessian, gradient) = derivatives(second, best, theta, measured)?;
        let held = Held { support: &best.support, point: &best.point, gradient: &gradient, hessian: &hessian };
        let mut swaps: Vec<Swap> = Vec::new();
        let Some(scores) = Scores::new(second, theta, &held, measured, &candidates)? else {
            return Ok(Listed { swaps, is_complete: false });
        };
        let inflation = scores.inflation();
        let is_quadratic = problem.objective.loss.is_quadratic() && caution == 1.0;
        let limit = match () {
            () if !is_quadratic => -problem.negligible(best.value),
            () if inflation > MOST_INFLATION => f64::INFINITY,
            () => (1e-9 + 1e-15 * inflation) * best.value.abs() + (1e-12 + 1e-15 * inflation) * problem.at_zero.abs(),
        };
        let choice = problem.choice;
        let Some(room) = choice.room(&best.units) else { return Ok(Listed { swaps, is_complete: false }) };
        let allows = |at: usize, column: usize| {
            let pair = self.unit_of[best.support[at]].zip(self.unit_of[column]);
            pair.is_some_and(|(leaves, enters)| room.has_after(choice, leaves, enters))
        };
        scores.swaps(allows, caution, |swap, is_clear| {
            if (is_clear && swap.change < limit) || (!is_clear && is_quadratic) {
                if swaps.len() < MOST_LISTED {
                    swaps.push(swap);
                } else {
                    is_complete = false;
                }
            }
        });
        swaps.sort_by(|a, b| a.change.total_cmp(&b.change).then((a.enters, a.leaves).cmp(&(b.enters, b.leaves))));
        Ok(Listed { swaps, is_complete })
    }

    /// The units after some swaps of single columns.
    fn after(&self, best: &Fitted, swaps: &[Swap]) -> Vec<usize> {
        let gone = |unit: usize| swaps.iter().any(|swap| self.unit_of[best.support[swap.leaves]] == Some(unit));
        let mut units: Vec<usize> = best.units.iter().copied().filter(|&unit| !gone(unit)).collect();
        units.extend(swaps.iter().filter_map(|swap| self.unit_of[swap.enters]));
        units.sort_unstable();
        units
    }

    /// The best disjoint swaps, as many together as lower F, down to two.
    fn together(&self, best: &Fitted, theta: &[f64], promising: &[Swap], watch: &mut Watch) -> Result<Option<Fitted>> {
        let mut disjoint: Vec<Swap> = Vec::new();
        for swap in promising {
            if !disjoint.iter().any(|other| other.leaves == swap.leaves || other.enters == swap.enters) {
                disjoint.push(*swap);
            }
            if disjoint.len() == best.units.len() {
                break;
            }
        }
        let mut together = disjoint.len();
        while together > 1 && !watch.is_over() {
            let units = self.after(best, &disjoint[..together]);
            let fits = self.problem.choice.room(&units).is_some();
            if fits && let Some(lower) = self.problem.refit_below(best.value, units, theta, watch)? {
                return Ok(Some(lower));
            }
            together /= 2;
        }
        Ok(None)
    }

    /// As many new features as there are old ones join, the joint minimiser is found, and features leave one by one until the pools are
    /// right again. This finds pairs that only matter together, which no single exchange can.
    pub(super) fn expand_and_prune(&mut self, best: &Fitted, watch: &mut Watch) -> Result<Option<Fitted>> {
        let problem = self.problem;
        let (objective, choice) = (problem.objective, problem.choice);
        if !choice.is_single() || !choice.needs().is_empty() || watch.is_over() {
            return Ok(None);
        }
        let theta = problem.spread(best);
        let known = self.measured.as_ref().filter(|(at, ..)| *at == theta).map(|(_, _, gradient)| gradient.clone());
        let (gradient, diagonal) = if let (Some(gradient), Some(diagonal)) = (known, self.diagonal.clone()) {
            (gradient, diagonal)
        } else {
            let swept = sweep(objective, &theta, &[], self.diagonal.clone())?;
            (swept.gradient, swept.diagonal)
        };
        let gain = |unit: usize| promise(choice.unit(unit), &gradient, &diagonal);
        let mut outside: Vec<usize> =
            (0..choice.units()).filter(|unit| best.units.binary_search(unit).is_err()).collect();
        outside.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        let mut room: Vec<usize> = choice.keep().iter().map(|&keep| if keep > 0 { keep.max(5) } else { 0 }).collect();
        let mut most = (objective.data.rows() / 2).saturating_sub(best.support.len());
        let mut units = best.units.clone();
        for unit in outside {
            let pool = choice.pool(unit);
            if room[pool] > 0 && most > 0 {
                (room[pool], most) = (room[pool] - 1, most - 1);
                units.push(unit);
            }
        }
        if units.len() == best.units.len() {
            return Ok(None);
        }
        units.sort_unstable();
        let Some(wide) = problem.refit(units, Some(&theta), super::refit::ROUGH, watch)? else { return Ok(None) };
        let wide_theta = problem.spread(&wide);
        let mut function = OnColumns::new(objective, &wide.support)?;
        let mut hessian = vec![0.0; wide.point.len() * wide.point.len()];
        super::Smooth::linearise(&mut function, &wide.point)?;
        super::Smooth::hessian(&mut function, &mut hessian)?;
        let held = Held { support: &wide.support, point: &wide.point, gradient: &[], hessian: &hessian };
        let units: Vec<Option<usize>> = wide.support.iter().map(|&j| self.unit_of[j]).collect();
        let Some(pruned) = eliminate(&held, &units, choice) else { return Ok(None) };
        let units: Vec<usize> = {
            let mut units: Vec<usize> = pruned.iter().filter_map(|&j| self.unit_of[j]).collect();
            units.sort_unstable();
            units
        };
        if units == best.units {
            return Ok(None);
        }
        problem.refit_below(best.value, units, &wide_theta, watch)
    }
}

/// Where second derivatives come from, and the factor on gains that rest on them.
struct Bends<'p> {
    of: Objective<'p>,
    caution: f64,
}

struct Listed {
    swaps: Vec<Swap>,
    /// Whether all exchanges that are not listed are ruled out.
    is_complete: bool,
}

/// Hessian and gradient on the support and the intercept.
pub(super) fn derivatives(
    second: Objective,
    best: &Fitted,
    theta: &[f64],
    measured: &Sweep,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let hessian = measured.hessian(second, theta, &best.support)?;
    Ok((hessian, second.layout().gathered(&best.support, &measured.gradient)))
}

/// What the coordinates of a unit would gain by themselves.
pub(super) fn promise(unit: &[usize], gradient: &[f64], diagonal: &[f64]) -> f64 {
    let terms = unit.iter().map(|&j| gradient[j] * gradient[j] / diagonal[j]);
    0.5 * terms.filter(|gain| gain.is_finite()).sum::<f64>()
}
