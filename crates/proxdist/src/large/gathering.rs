//! Choices of features: the search on a few columns of all rows, and the reading that rules out the others.
//!
//! 1. The support that was found on the sample, and rivals of it: the columns with the largest $g_j^2/d_j$ there, are gathered from all rows.
//! 2. The search and the exact fit in memory, over choices of these columns only.
//! 3. One reading gives the gradient of all columns and the second derivatives that judge every exchange (`ruling.rs`). If none lowers F, that is the end;
//!    otherwise the columns that would enter are gathered with the support, and so on from 2.
//!
//! A quadratic F needs no rows for that, only sums, where they are few (`crossing.rs`).

use super::driver::{Driver, Place};
use super::request::Second;
use super::restricted::Restricted;
use super::table::Table;
use crate::constraint::{Choice, Choosing};
use crate::data::Data;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::objective::Objective;
use crate::polish::{Finish, OnData, metric};
use crate::ridge::Ridge;
use std::ops::ControlFlow;

/// Times that columns are gathered at most.
pub(super) const ROUNDS: usize = 5;
/// Rivals that are gathered with a support: so many, or twice as many as it has.
const RIVALS: usize = 40;
/// What stands beside the columns of a row: response, weight, offset.
const BESIDE: usize = 3;
/// Copies of gathered columns that the search makes.
const COPIES: f64 = 2.0;

impl Driver<'_, '_> {
    /// The best choice of features that is found from a feasible point, and what is known of other choices.
    pub(super) fn choose(&mut self, choosing: &dyn Choosing, start: Vec<f64>) -> Result<(Place, Exchanges)> {
        let choice = choosing.choice(self.columns());
        let columns = self.first_columns(&choice, &start)?;
        self.cross((choosing, &choice), columns, start)
    }

    /// The same by these columns of all rows.
    pub(super) fn gather(
        &mut self,
        (choosing, choice): (&dyn Choosing, &Choice),
        mut columns: Vec<usize>,
        mut theta: Vec<f64>,
    ) -> Result<(Place, Exchanges)> {
        let mut place = None;
        for round in 1..=ROUNDS {
            let Some(table) = self.gathered(&columns)? else { break };
            let local;
            (theta, local) = self.fit_on(choosing, &columns, &table, &theta)?;
            let second = self.telling(choosing, choice, &theta, &columns);
            let Some(at) = self.look(theta.clone(), second.clone(), 0.0)? else { break };
            let verdict = self.rivals(choosing, choice, (&at, &second), &columns)?;
            place = Some(at);
            if verdict.columns.is_empty() {
                let exchanges = match local {
                    Exchanges::CutShort | Exchanges::Unknown => Exchanges::CutShort,
                    _ => verdict.exchanges,
                };
                let exchanges = if self.reader.stop.is_some() { Exchanges::CutShort } else { exchanges };
                return Ok((self.known(place, theta)?, exchanges));
            }
            if round < ROUNDS {
                columns = self.joined(choice, &theta, &verdict.columns);
            }
        }
        Ok((self.known(place, theta)?, Exchanges::CutShort))
    }

    /// The last place if it is that of the result, which is looked at now otherwise.
    pub(super) fn known(&mut self, place: Option<Place>, theta: Vec<f64>) -> Result<Place> {
        match place {
            Some(place) if place.theta == theta => Ok(place),
            _ => self.last_look(theta),
        }
    }

    /// The support of a point with the coordinates that are always in.
    pub(super) fn support(&self, choice: &Choice, theta: &[f64]) -> Vec<usize> {
        choice.support(&choice.active(self.layout().coefficients(theta)))
    }

    /// Columns that the memory allows to be gathered.
    fn most_columns(&self) -> usize {
        let rows = self.surveyed.total_rows() as f64;
        ((self.budget as f64 / (8.0 * rows * (1.0 + COPIES))) as usize).saturating_sub(BESIDE)
    }

    /// The support of the start and its rivals on the sample.
    fn first_columns(&self, choice: &Choice, theta: &[f64]) -> Result<Vec<usize>> {
        let support = self.support(choice, theta);
        let mut units: Vec<usize> = (0..choice.units()).collect();
        if let Some(objective) = self.sampled() {
            let mut gradient = self.layout().zeros();
            objective.gradient(theta, &mut gradient)?;
            let diagonal = metric(&mut OnData::new(objective), theta)?;
            let gain = |unit: usize| {
                let terms = choice.unit(unit).iter().map(|&j| gradient[j] * gradient[j] / diagonal[j]);
                terms.filter(|gain| gain.is_finite()).sum::<f64>()
            };
            units.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        }
        let limit: usize = choice.totals().iter().sum();
        let widest = (0..choice.units()).map(|unit| choice.unit(unit).len()).max().unwrap_or(1);
        let room = (RIVALS.max(2 * support.len().max(limit * widest))).min(self.columns());
        let mut wanted = Vec::new();
        for unit in units {
            if wanted.len() >= room {
                break;
            }
            wanted.extend(choice.unit(unit));
            let needs = choice.needs().iter().filter(|need| need.unit == unit);
            wanted.extend(needs.flat_map(|need| need.one_of.iter().flat_map(|&other| choice.unit(other))));
        }
        Ok(self.joined(choice, theta, &wanted))
    }

    /// The support and more columns, as many as there is memory for.
    pub(super) fn joined(&self, choice: &Choice, theta: &[f64], more: &[usize]) -> Vec<usize> {
        let mut columns = self.support(choice, theta);
        let room = self.most_columns().saturating_sub(columns.len());
        let own = columns.clone();
        let new = more.iter().copied().filter(|j| own.binary_search(j).is_err());
        columns.extend(new.take(room));
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// These columns of all rows, in the units of the fit; `None` if the reading was cut short.
    fn gathered(&mut self, columns: &[usize]) -> Result<Option<Table>> {
        let bytes = 8.0 * self.surveyed.total_rows() as f64 * (columns.len() + BESIDE) as f64 * (1.0 + COPIES);
        self.allow("the columns of a support in memory", bytes, "fewer features")?;
        let Some(mut table) = self.reader.columns(columns)? else { return Ok(None) };
        if self.frame.is_scaled {
            let scaling = &self.frame.scaling;
            for row in table.values.chunks_exact_mut(columns.len().max(1)) {
                row.iter_mut().zip(columns).for_each(|(x, &j)| *x = (*x - scaling.means[j]) * scaling.factors[j]);
            }
        }
        Ok(Some(table))
    }

    /// The search and the exact fit over choices of gathered columns, from a point that is zero elsewhere.
    fn fit_on(
        &mut self,
        choosing: &dyn Choosing,
        columns: &[usize],
        table: &Table,
        theta: &[f64],
    ) -> Result<(Vec<f64>, Exchanges)> {
        let data: Data<'_> = table.data()?;
        let (layout, length) = (self.layout(), self.columns());
        let squares = self.frame.ridge.squares_of(columns);
        let ridge = match &squares {
            Some(squares) => Ridge::on_effects(self.frame.ridge.weight(), squares),
            None => self.frame.ridge,
        };
        let objective = Objective::new(&data, self.loss, ridge).intercept(layout.has_intercepts());
        let restricted = Restricted::new(self.constraint, choosing, columns, length);
        let finish = Finish {
            objective,
            constraint: &restricted,
            l1: 0.0,
            is_near: false,
            effort: self.settings.effort,
            seed: self.settings.seed,
        };
        let start = layout.gathered(columns, theta);
        let reader = &mut self.reader;
        let polished = finish.run(&[&start], &mut || {
            if reader.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok((layout.spread(columns, &polished.theta), polished.exchanges))
    }

    /// Which second derivatives judge the exchanges at a point.
    fn telling(&self, choosing: &dyn Choosing, choice: &Choice, theta: &[f64], columns: &[usize]) -> Second {
        if choosing.counted(self.columns()).is_some() {
            return Second::Cross(self.padded(choice, theta, columns));
        }
        let fits = self.bytes_of_all() <= self.budget as f64;
        if fits { Second::All } else { Second::Cross(Vec::new()) }
    }

    /// The support, made as large as it may be by gathered columns whose coefficients are zero.
    pub(super) fn padded(&self, choice: &Choice, theta: &[f64], columns: &[usize]) -> Vec<usize> {
        let mut units = choice.active(self.layout().coefficients(theta));
        for unit in 0..choice.units() {
            let is_gathered = choice.unit(unit).iter().all(|j| columns.binary_search(j).is_ok());
            if is_gathered
                && units.binary_search(&unit).is_err()
                && choice.room(&units).is_some_and(|room| room.has(choice, unit))
            {
                units.push(unit);
                units.sort_unstable();
            }
        }
        choice.support(&units)
    }
}
