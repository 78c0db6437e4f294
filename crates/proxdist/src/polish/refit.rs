//! The minimiser of F for one choice of features, and what the search over choices shares: the problem, the clock, the budget.

use super::convex::minimise;
use super::on_columns::{Block, OnColumns};
use super::{Poll, Until};
use crate::constraint::{Choice, Choosing};
use crate::error::Result;
use crate::objective::Objective;
use std::ops::ControlFlow;

/// Precision of the minimisers that decide.
pub(super) const EXACT: f64 = 1e-12;
/// Precision of a first look: what is left of F is of the order of its square.
pub(super) const ROUGH: f64 = 1e-7;
/// Relative fall of F that counts, and the same relative to F without any feature, where only rounding is left of F.
const FALL: f64 = 1e-11;
const ROUNDING: f64 = 1e-13;
/// Steps that a refit takes, roughly, and what the loss of a row costs in each, in operations.
const STEPS: f64 = 4.0;
const LOSS: f64 = 80.0;
/// What a refit costs besides its arithmetic, in operations.
const OVERHEAD: f64 = 3e4;

/// Stationarity, relative and on scaled columns, above which the F of a refit says little about its minimum.
pub(super) const SHORT: f64 = 1e-5;

/// Asks whether the work is to end, and remembers the answer; and whether fits that were to decide fell short of their minima.
pub(super) struct Watch<'a> {
    poll: Poll<'a>,
    is_over: bool,
    pub(super) fell_short: bool,
}

impl<'a> Watch<'a> {
    pub(super) fn new(poll: Poll<'a>) -> Self {
        Self { poll, is_over: false, fell_short: false }
    }

    /// Whether the work is to end now.
    pub(super) fn is_over(&mut self) -> bool {
        self.is_over = self.is_over || (self.poll)().is_break();
        self.is_over
    }

    /// Whether anything so far may have been cut short.
    pub(super) fn was_over(&self) -> bool {
        self.is_over
    }

    /// A look at choices begins: what fell short before does not count.
    pub(super) fn begin(&mut self) {
        self.fell_short = false;
    }

    /// Whether every fit of this look got where it was to go, so that what was not lower is not lower.
    pub(super) fn is_sure(&self) -> bool {
        !self.is_over && !self.fell_short
    }
}

/// Operations that may still be spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(f64);

impl Budget {
    pub(super) fn of(operations: f64) -> Self {
        Self(operations)
    }

    /// Whether this much is there.
    pub(super) fn allows(self, operations: f64) -> bool {
        operations <= self.0
    }

    /// Takes this much, if it is there.
    pub(super) fn spend(&mut self, operations: f64) -> bool {
        let is_enough = self.allows(operations);
        self.0 -= if is_enough { operations } else { 0.0 };
        is_enough
    }
}

/// A problem whose set leaves a choice.
#[derive(Clone, Copy)]
pub(super) struct Selecting<'p> {
    pub(super) objective: Objective<'p>,
    pub(super) choosing: &'p dyn Choosing,
    pub(super) choice: &'p Choice,
    /// F without any feature, the size that rounding is measured by.
    pub(super) at_zero: f64,
    /// Columns that were copied already.
    pub(super) block: Option<&'p Block>,
}

/// A minimiser on the support of chosen units.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// The units, in ascending order.
    pub(super) units: Vec<usize>,
    pub(super) support: Vec<usize>,
    /// Coefficients of the support, then the intercept if there is one.
    pub(super) point: Vec<f64>,
    pub(super) value: f64,
}

impl Selecting<'_> {
    /// The minimiser for these units, in ascending order, started from the entries of `from` there; `None` if the set has no point
    /// on them.
    pub(super) fn refit(
        &self,
        units: Vec<usize>,
        from: Option<&[f64]>,
        tolerance: f64,
        watch: &mut Watch,
    ) -> Result<Option<Fitted>> {
        self.refit_in_stages(units, from, &[(tolerance, f64::INFINITY)], watch)
    }

    /// The minimiser for these units if its F is lower than `than`: a rough one tells whether an exact one is needed.
    pub(super) fn refit_below(
        &self,
        than: f64,
        units: Vec<usize>,
        from: &[f64],
        watch: &mut Watch,
    ) -> Result<Option<Fitted>> {
        let near = than + 1e-6 * than.abs() + 1e-9 * self.at_zero.abs();
        let exact = self.refit_in_stages(units, Some(from), &[(ROUGH, near), (EXACT, f64::INFINITY)], watch)?;
        Ok(exact.filter(|exact| self.is_lower(exact.value, than)))
    }

    /// Minimises to one tolerance after the other; `None` as soon as F is above the limit beside it.
    fn refit_in_stages(
        &self,
        units: Vec<usize>,
        from: Option<&[f64]>,
        stages: &[(f64, f64)],
        watch: &mut Watch,
    ) -> Result<Option<Fitted>> {
        let layout = self.objective.layout();
        let support = self.choice.support(&units);
        let Some(set) = self.choosing.on_support(&support) else { return Ok(None) };
        let mut function = OnColumns::near(self.objective, &support, self.block)?;
        let zero = || layout.reduced_to(support.len()).zeros();
        let mut point = from.map_or_else(zero, |from| layout.gathered(&support, from));
        let mut poll = || if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let (mut value, mut is_short, mut is_above) = (f64::INFINITY, false, false);
        for &(tolerance, limit) in stages {
            let ended = minimise(&mut function, &*set, &mut point, &mut Until { tolerance, poll: &mut poll })?;
            (value, is_short, is_above) = (ended.value, ended.stationarity > SHORT, ended.value > limit);
            if is_above {
                break;
            }
        }
        drop(set);
        watch.fell_short |= is_short;
        if is_above {
            return Ok(None);
        }
        Ok(Some(Fitted { units, support, point, value }))
    }

    /// Whether F is lower by more than rounding.
    pub(super) fn is_lower(&self, value: f64, than: f64) -> bool {
        value < than - self.negligible(than)
    }

    /// A change of F at this value that counts as none.
    pub(super) fn negligible(&self, value: f64) -> f64 {
        FALL * value.abs() + ROUNDING * self.at_zero.abs()
    }

    /// The full parameter of a restricted one.
    pub(super) fn spread(&self, fitted: &Fitted) -> Vec<f64> {
        self.objective.layout().spread(&fitted.support, &fitted.point)
    }

    /// Operations of one refit on a support of this size.
    pub(super) fn cost(&self, size: usize) -> f64 {
        let size = (size + 1) as f64;
        OVERHEAD + STEPS * self.objective.data.rows() as f64 * (LOSS + size * (size + 10.0))
    }
}

/// The units after one has left and another has come, in ascending order.
pub(super) fn exchanged(units: &[usize], leaves: usize, enters: usize) -> Vec<usize> {
    let mut result: Vec<usize> = units.iter().copied().filter(|&unit| unit != leaves).collect();
    result.push(enters);
    result.sort_unstable();
    result
}
