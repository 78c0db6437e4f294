//! A quadratic F whose features are chosen freely needs no start: a path over all sizes, on one matrix, finds a support sooner than an iteration would.
//!
//! The path walks uphill at the size that is asked for, as far as the effort allows. From its support, and from those of the points handed over, exchanges on the data go
//! on while F falls; most often the first round only shows that there is none left.

use super::exchange::Exchange;
use super::refit::{EXACT, Fitted, Selecting, Watch};
use super::search::Search;
use crate::constraint::{Constraint, Structure};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::objective::Objective;
use crate::path::{quadratic_support, seconds};
use std::ops::ControlFlow;

/// Seconds on one thread, roughly, that a path may take in place of an iteration.
const MOST_SECONDS: f64 = 0.6;

/// The number of features, where they are chosen freely, F is quadratic, and a path is all the start that is needed.
pub(super) fn plain_size(constraint: &dyn Constraint, objective: Objective) -> Option<usize> {
    let Structure::Choice(choosing) = constraint.structure() else { return None };
    let data = objective.data;
    let size = choosing.plain_size(data.columns()).filter(|&size| size > 0 && objective.loss.is_quadratic())?;
    (seconds(data, size) <= MOST_SECONDS).then_some(size)
}

impl Search<'_> {
    /// The best end from a path and from the points handed over; `None` where there is no path.
    pub(super) fn directly(
        &self,
        problem: &Selecting,
        exchange: &mut Exchange,
        given: &[Fitted],
        watch: &mut Watch,
    ) -> Result<Option<(Fitted, Exchanges)>> {
        let Some(size) = self.direct.filter(|_| self.sample.is_none()) else { return Ok(None) };
        let mut poll = || if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let start = quadratic_support(self.objective, size, self.effort.paths(), &mut poll)?;
        let Some(start) = start.filter(|_| !watch.was_over()) else { return Ok(None) };
        exchange.summed = start.summed;
        exchange.seconds = start.seconds;
        let Some(first) = problem.refit(start.support, None, EXACT, watch)? else { return Ok(None) };
        let mut best = self.descend(exchange, first, watch)?;
        for other in given {
            if watch.is_over() {
                break;
            }
            if other.units == best.0.units {
                continue;
            }
            let ended = self.descend(exchange, other.clone(), watch)?;
            if ended.0.value < best.0.value {
                best = ended;
            }
        }
        let exchanges = if watch.was_over() { Exchanges::CutShort } else { best.1 };
        Ok(Some((best.0, exchanges)))
    }
}
