//! The exact finish for sparsity sets: the minimiser on the support, then exchanges of features while F falls.
//!
//! From a support, F is minimised on its columns (inside whatever convex set remains for them). Then, over and over:
//! 1. swaps: the best disjoint ones that the scores predict, as many at a time as keep F falling, down to one;
//! 2. expand and prune: as many new features as there are old ones join, the joint minimiser is found, and features leave one by
//!    one until the size is right again. This finds pairs that only matter together, which no single swap can.
//!
//! It ends when neither lowers F. If all single swaps were looked at and none does, the result is swap-optimal.
//!
//! On many rows the search is done on a sample of them. What is left for all rows is the minimiser and one pass for the gradient:
//! with second derivatives from the sample, and gains taken half as large again for safety, swaps usually fail by far. Only
//! if some do not is everything measured on all rows.

use super::convex::minimise;
use super::on_columns::OnColumns;
use super::scores::{Held, Sweep, eliminate, screened, support_of, swaps, sweep};
use super::{Poll, Smooth as _, Until, subsets};
use crate::constraint::{Constraint, WholeSpace};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::objective::Objective;
use std::collections::HashSet;

/// Columns whose exchange is scored where there are too many to keep second derivatives of all.
const SCREENED: usize = 4000;
/// Rounds of exchange at most; each lowers F, so this is never reached in practice.
const ROUNDS: usize = 200;
/// Precision of the minimisers.
const TOLERANCE: f64 = 1e-12;
/// Relative fall of F that counts.
const FALL: f64 = 1e-11;
/// Factor on gains that rest on second derivatives of a sample; those of thousands of rows are good to a few percent.
const CAUTION: f64 = 1.5;

/// A problem with a sparsity set.
pub(crate) struct Exchange<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) constraint: &'p dyn Constraint,
    pub(crate) intercept: bool,
    pub(crate) keep: usize,
    /// The sample of the rows that the start was found on, if they are many, so that little is left to find.
    pub(crate) sample: Option<Objective<'p>>,
}

/// A minimiser on a support.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    support: Vec<usize>,
    point: Vec<f64>,
    value: f64,
    hessian: Vec<f64>,
}

impl Best {
    /// What the scores need of it.
    fn held(&self) -> Held<'_> {
        Held { support: &self.support, point: &self.point, hessian: &self.hessian }
    }

    /// Columns that might enter.
    fn candidates(&self, measured: &Sweep) -> Vec<usize> {
        let most = if measured.has_crosses() { usize::MAX } else { SCREENED };
        screened(measured, &self.support, most)
    }
}

/// What an exchange led to.
pub(crate) struct Exchanged {
    pub(crate) theta: Vec<f64>,
    pub(crate) exchanges: Exchanges,
    /// F and its gradient there, unless the search was cut short.
    pub(crate) measured: Option<(f64, Vec<f64>)>,
}

/// Where a search from one start ended.
struct Found {
    best: Best,
    exchanges: Exchanges,
    measured: Option<(f64, Vec<f64>)>,
}

impl Exchange<'_> {
    /// Finishes from the best of several feasible points. `poll` may end the search early.
    pub(crate) fn finish(&self, starts: &[&[f64]], poll: Poll) -> Result<Exchanged> {
        let columns = self.objective.data.columns();
        let mut seen: HashSet<Vec<usize>> = HashSet::new();
        let mut pool: Vec<Best> = Vec::new();
        for (number, start) in starts.iter().enumerate() {
            let support = support_of(start, columns);
            // Runners-up are looked at where that is cheap; the first start always.
            if number > 0 && (self.is_large() || support.len() > self.keep || poll().is_break()) {
                continue;
            }
            if seen.insert(support.clone()) {
                pool.push(self.minimise_on(support, Some(start), poll)?);
            }
        }
        if subsets::is_small(self.objective.data) {
            let theta = self.spread(&pool[0]);
            for support in subsets::starts(self.objective, &theta, self.intercept, self.keep)? {
                if seen.insert(support.clone()) {
                    pool.push(self.minimise_on(support, None, poll)?);
                }
            }
        }
        pool.sort_by(|a, b| a.value.total_cmp(&b.value));
        let searched = if self.is_large() { 1 } else { pool.len() };
        let mut best: Option<Found> = None;
        for start in pool.into_iter().take(searched) {
            if best.is_some() && poll().is_break() {
                break;
            }
            let found = self.search(start, poll)?;
            if best.as_ref().is_none_or(|best| found.best.value < best.best.value) {
                best = Some(found);
            }
        }
        match best {
            Some(Found { best, exchanges, measured }) => {
                Ok(Exchanged { theta: self.spread(&best), exchanges, measured })
            }
            None => Ok(Exchanged { theta: starts[0].to_vec(), exchanges: Exchanges::CutShort, measured: None }),
        }
    }

    /// Whether a search costs so much that only the best start is followed.
    fn is_large(&self) -> bool {
        self.objective.data.rows().saturating_mul(self.objective.data.columns()) > 500_000
    }

    /// The full parameter of a restricted one.
    fn spread(&self, best: &Best) -> Vec<f64> {
        let columns = self.objective.data.columns();
        let mut theta = vec![0.0; columns + usize::from(self.intercept)];
        best.support.iter().zip(&best.point).for_each(|(&j, &value)| theta[j] = value);
        if self.intercept {
            theta[columns] = best.point[best.support.len()];
        }
        theta
    }

    /// The minimiser on a support, started from the entries of `start` there.
    fn minimise_on(&self, support: Vec<usize>, start: Option<&[f64]>, poll: Poll) -> Result<Best> {
        let columns = self.objective.data.columns();
        let mut function = OnColumns::new(self.objective, &support, self.intercept);
        let mut point: Vec<f64> = support.iter().map(|&j| start.map_or(0.0, |start| start[j])).collect();
        point.extend(self.intercept.then(|| start.map_or(0.0, |start| start[columns])));
        let set: Box<dyn Constraint + '_> = self.constraint.on_support(&support).unwrap_or(Box::new(WholeSpace));
        let value = minimise(&mut function, &*set, &mut point, &mut Until { tolerance: TOLERANCE, poll })?.value;
        let mut hessian = vec![0.0; point.len() * point.len()];
        function.linearise(&point)?;
        function.hessian(&mut hessian)?;
        drop(set);
        Ok(Best { support, point, value, hessian })
    }

    /// Exchanges features from one start until F no longer falls.
    fn search(&self, start: Best, poll: Poll) -> Result<Found> {
        let mut best = start;
        let mut diagonal: Option<Vec<f64>> = None;
        for _ in 0..ROUNDS {
            if poll().is_break() {
                break;
            }
            let theta = self.spread(&best);
            if let Some(ended) = self.clearly_ended(&best, &theta)? {
                return Ok(ended);
            }
            let known = diagonal.take().filter(|_| self.objective.loss.is_quadratic());
            let measured = sweep(self.objective, &theta, &best.support, known)?;
            let candidates = best.candidates(&measured);
            let improved = match self.swap(&best, &theta, &measured, &candidates, poll)? {
                Some(improved) => Some(improved),
                None if self.sample.is_some() || poll().is_break() => None,
                None => self.expand_and_prune(&best, &measured, &candidates, poll)?,
            };
            let Some(improved) = improved else {
                return Ok(self.ended(best, measured, &candidates));
            };
            diagonal = Some(measured.diagonal);
            best = improved;
        }
        Ok(Found { best, exchanges: Exchanges::CutShort, measured: None })
    }

    /// The end of the search, if the sample's second derivatives leave no doubt that no swap lowers F.
    fn clearly_ended(&self, best: &Best, theta: &[f64]) -> Result<Option<Found>> {
        let Some(sample) = self.sample else { return Ok(None) };
        let measured = Sweep::estimated(self.objective, sample, theta, &best.support)?;
        let candidates = best.candidates(&measured);
        let found = swaps(sample, theta, &best.held(), &measured, &candidates, self.has_room(best), CAUTION)?;
        let is_promising = found.iter().any(|swap| -swap.change > FALL * best.value.abs());
        Ok((!is_promising).then(|| self.ended(best.clone(), measured, &candidates)))
    }

    fn ended(&self, best: Best, measured: Sweep, candidates: &[usize]) -> Found {
        let looked_at_all = candidates.len() + best.support.len() == self.objective.data.columns();
        let exchanges = match (looked_at_all, self.objective.loss.is_quadratic()) {
            (true, true) => Exchanges::Algebra,
            (true, false) => Exchanges::Model,
            (false, _) => Exchanges::CutShort,
        };
        Found { best, exchanges, measured: Some((measured.value, measured.gradient)) }
    }

    fn has_room(&self, best: &Best) -> bool {
        best.support.len() < self.keep
    }

    fn is_lower(value: f64, than: f64) -> bool {
        value < than - FALL * than.abs()
    }

    /// The best swaps, as many together as lower F.
    fn swap(
        &self,
        best: &Best,
        theta: &[f64],
        measured: &Sweep,
        candidates: &[usize],
        poll: Poll,
    ) -> Result<Option<Best>> {
        let has_room = self.has_room(best);
        let mut found = swaps(self.objective, theta, &best.held(), measured, candidates, has_room, 1.0)?;
        found.retain(|swap| -swap.change > FALL * best.value.abs());
        let mut disjoint = Vec::new();
        let mut leaving = HashSet::new();
        for swap in &found {
            let fits = match swap.out {
                Some(out) => leaving.insert(out),
                None => best.support.len() + disjoint.len() < self.keep,
            };
            if fits {
                disjoint.push(*swap);
            }
        }
        let mut together = disjoint.len();
        while together > 1 && poll().is_continue() {
            let tried = self.minimise_on(exchanged(&best.support, &disjoint[..together]), Some(theta), poll)?;
            if Self::is_lower(tried.value, best.value) {
                return Ok(Some(tried));
            }
            together /= 2;
        }
        // One at a time; the model is exact for squared loss, and for others the first few are worth a try each.
        let tries = if self.objective.loss.is_quadratic() || self.sample.is_some() { 2 } else { 8 };
        for swap in found.iter().take(tries) {
            if poll().is_break() {
                break;
            }
            let tried = self.minimise_on(exchanged(&best.support, &[*swap]), Some(theta), poll)?;
            if Self::is_lower(tried.value, best.value) {
                return Ok(Some(tried));
            }
        }
        Ok(None)
    }

    /// Adds the most promising features, refits, and removes the least useful ones.
    fn expand_and_prune(
        &self,
        best: &Best,
        measured: &Sweep,
        candidates: &[usize],
        poll: Poll,
    ) -> Result<Option<Best>> {
        let room = (self.objective.data.rows() / 2).saturating_sub(best.support.len());
        let joining = self.keep.max(5).min(candidates.len()).min(room);
        if joining == 0 {
            return Ok(None);
        }
        let mut promising = candidates.to_vec();
        let gain = |j: usize| {
            let gain = measured.gradient[j] * measured.gradient[j] / measured.diagonal[j];
            if gain.is_finite() { gain } else { 0.0 }
        };
        promising.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        let mut union = best.support.clone();
        union.extend(&promising[..joining]);
        union.sort_unstable();
        let theta = self.spread(best);
        let wide = self.minimise_on(union, Some(&theta), poll)?;
        let Some(pruned) = eliminate(&wide.held(), self.keep) else { return Ok(None) };
        if pruned == best.support {
            return Ok(None);
        }
        let wide_theta = self.spread(&wide);
        let tried = self.minimise_on(pruned, Some(&wide_theta), poll)?;
        Ok(Self::is_lower(tried.value, best.value).then_some(tried))
    }
}

/// A support after some swaps, sorted.
fn exchanged(support: &[usize], swaps: &[super::scores::Swap]) -> Vec<usize> {
    let gone: Vec<usize> = swaps.iter().filter_map(|swap| swap.out).collect();
    let mut result: Vec<usize> = (0..support.len()).filter(|at| !gone.contains(at)).map(|at| support[at]).collect();
    result.extend(swaps.iter().map(|swap| swap.enters));
    result.sort_unstable();
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Sparsity;
    use crate::data::Data;
    use crate::loss::{Logistic, Loss, Squared};
    use crate::polish::Finish;
    use crate::polish::testing::{never, numbers};

    const ROWS: usize = 41_000;
    const COLUMNS: usize = 8;
    const KEEP: usize = 3;

    /// Two features stand out; which of two nearly equal ones is the third, a sample of the rows may well get wrong.
    fn nearly_tied(loss: &dyn Loss, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let x = numbers(ROWS * COLUMNS, seed);
        let noise = numbers(ROWS, seed + 1);
        let classes = loss.check_response(0.5).is_err();
        let response = |(row, noise): (&[f64], &f64)| {
            let eta = 2.0 * row[0] - row[5] + 0.30 * row[2] + 0.301 * row[6] + 0.2 + 2.0 * noise;
            if classes { f64::from(u8::from(eta > 0.0)) } else { eta }
        };
        let y = x.chunks_exact(COLUMNS).zip(&noise).map(response).collect();
        (x, y)
    }

    #[test]
    fn on_many_rows_the_sample_leads_where_a_search_of_all_rows_does() {
        let set = Sparsity::at_most(KEEP);
        for (seed, loss) in [(1, &Squared as &dyn Loss), (3, &Logistic)] {
            let (x, y) = nearly_tied(loss, seed);
            let data = Data::dense(&x, COLUMNS, &y).unwrap();
            let objective = Objective::new(&data, loss, 1e-3);
            let mut start = vec![0.0; COLUMNS + 1];
            [1, 3, 4].iter().for_each(|&j| start[j] = 0.1);
            let direct = Exchange { objective, constraint: &set, intercept: true, keep: KEEP, sample: None };
            let expected = direct.finish(&[&start], &mut never).unwrap();
            let finish = Finish { objective, constraint: &set, intercept: true, seed };
            let found = finish.run(&[&start], &mut never).unwrap();
            let lowest = objective.value(&expected.theta);
            assert!((found.value - lowest).abs() <= 1e-10 * lowest, "seed {seed}: {} and {lowest}", found.value);
            assert_eq!(found.exchanges.are_exhausted(), loss.is_quadratic());
            // What the finish hands to the certificate is what a pass of its own would have found.
            let mut gradient = vec![0.0; COLUMNS + 1];
            let value = objective.gradient(&found.theta, &mut gradient).unwrap();
            assert!((found.value - value).abs() <= 1e-13 * value);
            let handed = found.gradient.unwrap();
            assert!(handed.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-12), "{handed:?} {gradient:?}");
        }
    }
}
