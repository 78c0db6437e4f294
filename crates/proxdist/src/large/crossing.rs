//! Choices of features for a quadratic F: one reading that both fits a few columns and rules out the others.
//!
//! The second derivatives between all columns and a few of them, $K$, with the gradient at one point, say all about F as a function of the columns in $K$ (`elsewhere.rs`), and about every
//! exchange of a column in $K$ for one outside (`ruling.rs`). So
//!
//! 1. $K$ is the support that was found on the sample with its rivals, and these sums are read there.
//! 2. The search and the exact fit run on the least-squares problem of $|K|$ rows that `pseudo.rs` makes of them.
//! 3. If no column outside lowers F in an exchange, that is the end. Otherwise these enter $K$, and so on from 1.
//!
//! The rows themselves are not needed, which spares the reading that gathers them (`gathering.rs`) and the memory that holds them. A sum for each column and each of $K$ takes
//! $2|K|$ operations a number, so that many columns are better gathered.

use super::driver::{Driver, Place};
use super::frame::{Bent, Frame, Looked};
use super::gathering::ROUNDS;
use super::pseudo::Pseudo;
use super::request::Second;
use super::restricted::Restricted;
use crate::constraint::{Choice, Choosing};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::loss::Squared;
use crate::objective::Objective;
use crate::polish::Finish;
use crate::ridge::Ridge;
use crate::scaling::Scaling;
use std::ops::ControlFlow;

/// Columns up to which sums cost no more than a reading,
const MOST_COLUMNS: usize = 128;
/// and sums up to which a part has more numbers than answers.
const MOST_SUMS: usize = 1 << 20;
/// Fits at most that only make up for rounding, and the stationarity that needs none.
const REFINEMENTS: usize = 4;
const REFINED: f64 = 2e-11;

impl Driver<'_, '_> {
    /// Whether the sums with so many columns are better than the columns themselves.
    pub(super) fn is_crossed(&self, choosing: &dyn Choosing, columns: usize) -> bool {
        let is_free = choosing.counted(self.columns()).is_some();
        let is_small = columns <= MOST_COLUMNS && self.columns().saturating_mul(columns) <= MOST_SUMS;
        self.loss.is_quadratic() && is_free && is_small
    }

    /// The best choice of features that is found from a feasible point and these columns, and what is known of other choices.
    pub(super) fn cross(
        &mut self,
        (choosing, choice): (&dyn Choosing, &Choice),
        mut columns: Vec<usize>,
        mut theta: Vec<f64>,
    ) -> Result<(Place, Exchanges)> {
        let mut place = None;
        for _ in 0..ROUNDS {
            if !self.is_crossed(choosing, columns.len()) {
                return self.gather((choosing, choice), columns, theta);
            }
            let Some(at) = self.look(theta.clone(), Second::Cross(columns.clone()), 0.0)? else { break };
            let (mut at, local) = self.fit_crossed(choosing, &columns, at)?;
            theta.clone_from(&at.theta);
            let support = self.padded(choice, &theta, &columns);
            at.bent.matrix = narrowed(&at.bent.matrix, &columns, &support);
            let verdict = self.rivals(choosing, choice, (&at, &Second::Cross(support)), &columns)?;
            place = Some(at);
            if verdict.columns.is_empty() {
                let is_cut = self.reader.stop.is_some() || matches!(local, Exchanges::CutShort | Exchanges::Unknown);
                let exchanges = if is_cut { Exchanges::CutShort } else { verdict.exchanges };
                return Ok((self.known(place, theta)?, exchanges));
            }
            columns = self.joined(choice, &theta, &verdict.columns);
        }
        Ok((self.known(place, theta)?, Exchanges::CutShort))
    }

    /// The search and the exact fit on some columns, by the sums of a reading.
    fn fit_crossed(&mut self, choosing: &dyn Choosing, columns: &[usize], mut at: Place) -> Result<(Place, Exchanges)> {
        let (layout, length) = (self.layout(), self.columns());
        let picked = |all: &[f64]| -> Vec<f64> { columns.iter().map(|&j| all[j]).collect() };
        let squares = self.frame.ridge.squares_of(columns);
        let ridge = match &squares {
            Some(squares) => Ridge::on_effects(self.frame.ridge.weight(), squares),
            None => self.frame.ridge,
        };
        let Scaling { means, factors } = &self.frame.scaling;
        let scaling = Scaling { means: picked(means), factors: picked(factors) };
        let small = Frame::new(layout.reduced_to(columns.len()), scaling, self.frame.is_scaled, ridge);
        let restricted = Restricted::new(self.constraint, choosing, columns, length);
        let (effort, seed) = (self.settings.effort, self.settings.seed);
        let mut exchanges = Exchanges::CutShort;
        for _ in 0..REFINEMENTS {
            let start = layout.gathered(columns, &at.theta);
            let (looked, bent) = on_columns(&at, columns, length);
            let pseudo = Pseudo::new(&small, &start, (&looked, &bent), 0.0, true)?;
            let data = pseudo.data()?;
            let finish = Finish {
                objective: Objective::new(&data, &Squared, small.ridge),
                constraint: &restricted,
                l1: 0.0,
                is_near: false,
                effort,
                seed,
            };
            let reader = &mut self.reader;
            let found = finish.run(&[small.layout.coefficients(&start)], &mut || {
                if reader.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            exchanges = found.exchanges;
            let theta = layout.spread(columns, &pseudo.completed(&small, &found.theta));
            if theta == at.theta {
                break;
            }
            self.reader.is_last = self.reader.stop.is_some();
            let Some(next) = self.elsewhere(&mut at, Some(columns), theta)? else {
                return Ok((at, Exchanges::CutShort));
            };
            at = next;
            if self.reader.stop.is_some() || self.stationarity(&at)? <= REFINED {
                break;
            }
        }
        Ok((at, exchanges))
    }
}

/// F and its derivatives as a function of some columns, all others staying as they are.
fn on_columns(at: &Place, columns: &[usize], length: usize) -> (Looked, Bent) {
    let free = |values: &[f64]| -> Vec<f64> {
        columns.iter().map(|&j| values[j]).chain(values[length..].iter().copied()).collect()
    };
    let Place { looked, bent, .. } = at;
    let count = columns.len();
    let matrix = columns.iter().flat_map(|&j| &bent.matrix[j * count..(j + 1) * count]).copied().collect();
    let bent =
        Bent { border: free(&bent.border), diagonal: columns.iter().map(|&j| bent.diagonal[j]).collect(), matrix };
    let looked = Looked {
        value: looked.value,
        gradient: free(&looked.gradient),
        plain: free(&looked.plain),
        plain_value: looked.plain_value,
    };
    (looked, bent)
}

/// Sums with the columns of a support, of those with more columns.
fn narrowed(matrix: &[f64], columns: &[usize], support: &[usize]) -> Vec<f64> {
    let places: Vec<usize> = support.iter().filter_map(|j| columns.binary_search(j).ok()).collect();
    matrix.chunks_exact(columns.len().max(1)).flat_map(|row| places.iter().map(|&at| row[at])).collect()
}
