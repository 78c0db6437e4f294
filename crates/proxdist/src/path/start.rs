//! A support of one size from a path over all sizes, as a start for the exact finish of a fit.
//!
//! A path meets supports of the neighbouring sizes that exchanges from one start never see. What it costs is known before: for a quadratic loss
//! the matrix of all products of columns, $np^2$ operations, for others some passes and fits for each size (`costs.rs`). Where that is more than a budget there is no such start.
//!
//! For a quadratic F the path is often all that a fit needs ([`seconds`] says about how long it takes): with the whole matrix, or, where features are few beside the columns, with
//! those rows of it that are asked for.

use super::costs::Costs;
use super::engine::{Engine, Searched, fits, form_of};
use super::on_demand::TOGETHER;
use super::second::Seconds;
use super::settings::{Kicks, PathSettings};
use super::watch::{PathObserver, PathProgress, Watch};
use crate::data::{Data, RowBuffer};
use crate::error::Result;
use crate::objective::Objective;
use crate::proof::Summed;
use std::ops::ControlFlow;

/// Sizes beyond the one that is asked for, from which the path comes back to it.
const BEYOND: usize = 2;
/// Rows by which the amount of data is judged.
const SOME_ROWS: usize = 64;
/// Bytes for the matrix, or for copies of columns.
pub(super) const MEMORY: usize = 1 << 28;

/// What a start may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StartBudget {
    /// Operations.
    pub(crate) operations: f64,
    /// Moves without a lower F after which the walk at this size ends.
    pub(crate) walk: usize,
    /// For losses that are not quadratic: swings of the size and kicks without a lower F after which they end, and operations that all ways uphill may take.
    pub(crate) kicks: usize,
    pub(crate) uphill: f64,
    /// For a quadratic F: kicks without a lower F after which they end, more where columns are more than rows, and exchanges that all of them may look at, or what costs as much.
    pub(crate) restarts: usize,
    pub(crate) looks: f64,
}

/// Multiplications of columns in a second where the whole matrix is made, and where single rows of it are; seconds for one number of a pass.
const PRODUCTS_WHOLE: f64 = 4e10;
const PRODUCTS_ON_DEMAND: f64 = 8e9;
const NUMBER: f64 = 1e-9;
/// Rows of the matrix that a path on demand asks for: so many for each feature, and so many more.
const ASKED: f64 = 1.5;
const ASKED_MORE: f64 = 8.0;

/// Seconds that the whole matrix may always take: with it a walk uphill costs next to nothing.
const CHEAP: f64 = 0.04;
/// A walk is longer where its moves cost little, columns times features being less than this, but never more than so many times.
const LONG: f64 = 8e5;
const LONGEST: usize = 10;
/// Multiplications that a walk may cost where each of its moves asks for another row of the matrix.
const WALKED: f64 = 1e9;

/// How many times more kicks there are where columns are more than rows, for local optima are many there: once for so many columns a row, but never more than so many times.
const WIDE: usize = 4;
const WIDEST: usize = 8;
/// Swings without a lower F after which those that follow a kick end.
const SWINGS: usize = 1000;

/// How the matrix of a quadratic F is had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matrix {
    Whole,
    OnDemand,
}

/// The quicker way to the matrix for a path up to a size, and about how many seconds it takes on one thread.
fn quickest(data: &Data, size: usize) -> (Matrix, f64) {
    let (rows, columns) = (data.rows() as f64, data.columns() as f64);
    let whole = rows * columns * columns / PRODUCTS_WHOLE + 2.0 * rows * columns * NUMBER;
    let asked = ASKED * size as f64 + ASKED_MORE;
    let passes = 2.0 + (asked / TOGETHER as f64).ceil();
    let on_demand = rows * columns * (asked / PRODUCTS_ON_DEMAND + passes * NUMBER);
    if fits(data.columns(), 1, MEMORY) && whole <= on_demand.max(CHEAP) {
        (Matrix::Whole, whole)
    } else {
        (Matrix::OnDemand, on_demand)
    }
}

/// About how many seconds a path up to a size takes for a quadratic F, on one thread.
pub(crate) fn seconds(data: &Data, size: usize) -> f64 {
    quickest(data, size).1
}

/// Ends a path when it is asked to.
pub(super) struct Polled<'a>(pub(super) &'a mut dyn FnMut() -> ControlFlow<()>);

impl PathObserver for Polled<'_> {
    fn step(&mut self, _: &PathProgress) -> ControlFlow<()> {
        self.poll()
    }

    fn poll(&mut self) -> ControlFlow<()> {
        (self.0)()
    }
}

/// What a path finds at one size.
pub(crate) struct Start {
    pub(crate) support: Vec<usize>,
    /// A quadratic F through its sums, which proofs are made from.
    pub(crate) summed: Option<Summed>,
    /// Its second derivatives on that support.
    pub(crate) seconds: Option<Seconds>,
}

/// F through its sums, if it is quadratic and so many bytes are enough.
pub(crate) fn summed(objective: Objective, memory: usize) -> Result<Option<Summed>> {
    if !objective.loss.is_quadratic() || !fits(objective.data.columns(), 1, memory) {
        return Ok(None);
    }
    let settings = PathSettings::default().memory(memory);
    let stored = objective.data.unscaled();
    let searched = Searched { objective, layout: objective.layout(), largest: 0, settings: &settings, sets: None };
    let Some(mut form) = form_of(searched, stored.as_ref())? else { return Ok(None) };
    form.set_ridge(objective.ridge);
    Ok(form.summed(objective.data.rows()))
}

/// The best support of a size that a path finds; `None` if that costs too much, or if it is cut short before.
pub(crate) fn support_of_size(
    objective: Objective,
    size: usize,
    budget: StartBudget,
    poll: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Start>> {
    if size == 0 || operations(objective, size)? > budget.operations {
        return Ok(None);
    }
    // For other losses a walk costs passes; it comes later, from the best support that is known (`improve.rs`).
    let walk = if objective.loss.is_quadratic() { budget.walk } else { 0 };
    found(objective, (size, &[Wandering { walk, kicks: Kicks::NONE }]), MEMORY, poll)
}

/// How far ways uphill go at the size that is asked for.
#[derive(Clone, Copy)]
struct Wandering {
    /// Moves without a lower F after which a walk ends.
    walk: usize,
    kicks: Kicks,
}

/// The best support of a size that a path finds for a quadratic F, by the quickest way; `None` if it is cut short before. Ways uphill are those of each budget, one after the other.
pub(crate) fn quadratic_support(
    objective: Objective,
    size: usize,
    budgets: &[StartBudget],
    poll: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Start>> {
    let columns = objective.data.columns();
    let (matrix, _) = quickest(objective.data, size);
    let wandering = |budget: &StartBudget| {
        let walk = budget.walk as f64;
        match matrix {
            Matrix::Whole => {
                let times = LONG / (columns as f64 * (size + 10) as f64);
                let moves = (walk * times).clamp(walk, LONGEST as f64 * walk);
                let patience = budget.restarts * (columns / (WIDE * objective.data.rows().max(1))).clamp(1, WIDEST);
                let kicks = Kicks { patience, swings: SWINGS, exchanges: budget.looks };
                Wandering { walk: moves as usize, kicks }
            }
            Matrix::OnDemand => {
                let moves = WALKED / (objective.data.rows() as f64 * columns as f64);
                Wandering { walk: budget.walk.min(moves as usize), kicks: Kicks::NONE }
            }
        }
    };
    let ways: Vec<Wandering> = budgets.iter().map(wandering).collect();
    let memory = match matrix {
        Matrix::Whole => MEMORY,
        Matrix::OnDemand => MEMORY.min(4 * columns * columns),
    };
    found(objective, (size, &ways), memory, poll)
}

fn found(
    objective: Objective,
    (size, ways): (usize, &[Wandering]),
    memory: usize,
    poll: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Start>> {
    let at_once = PathSettings::default().walk_at((size, size)).memory(memory);
    let settings: Vec<PathSettings> = match ways {
        [] => vec![at_once.clone()],
        ways => ways.iter().map(|way| at_once.clone().walk(way.walk).kicks(way.kicks)).collect(),
    };
    let with = |largest, settings| Searched { objective, layout: objective.layout(), largest, settings, sets: None };
    let largest = (size + BEYOND).min(objective.data.columns());
    let mut polled = Polled(poll);
    let mut watch = Watch::new(&mut polled);
    let stored = objective.data.unscaled();
    let form = if objective.loss.is_quadratic() { form_of(with(largest, &at_once), stored.as_ref())? } else { None };
    // A walk may not be needed; where it would ask for row after row of the matrix, neither may larger sizes.
    let first = form.as_ref().map(|form| if form.is_on_demand() { size } else { largest });
    let mut engine = Engine::new(with(largest, &at_once), form)?;
    let mut places = Vec::new();
    if let Some(first) = first {
        places = engine.places(with(first, &at_once), objective.ridge, &[], &mut watch)?;
    }
    let is_clear = match places.get(size) {
        Some(Some(place)) => engine.is_clear(&place.support)?,
        _ => false,
    };
    let mut best = places.get(size).cloned().flatten();
    for settings in settings.iter().filter(|_| !is_clear) {
        // Each way begins where the first did: what a shorter one has found may lead a longer one away from better places.
        let others = engine.places(with(largest, settings), objective.ridge, &places, &mut watch)?;
        let other = others.into_iter().nth(size).flatten();
        if other.as_ref().is_some_and(|other| best.as_ref().is_none_or(|best| other.value < best.value)) {
            best = other;
        }
    }
    let Some(place) = best else { return Ok(None) };
    let form = engine.into_form();
    let seconds = form.as_ref().and_then(|form| Seconds::of(form, &place.support, objective.ridge));
    let summed = form.and_then(|form| form.summed(objective.data.rows()));
    Ok(Some(Start { support: place.support, summed, seconds }))
}

/// About how many seconds a path up to a size takes for other losses, on one thread; infinite where rows can only be read in order.
pub(crate) fn curved_seconds(data: &Data, size: usize) -> Result<f64> {
    Ok(1e-9 * Costs::judged(data)?.path(size))
}

/// About how many operations a path up to a size takes.
fn operations(objective: Objective, size: usize) -> Result<f64> {
    let (rows, columns) = (objective.data.rows() as f64, objective.data.columns() as f64);
    Ok(match () {
        () if !objective.loss.is_quadratic() => Costs::judged(objective.data)?.path(size),
        () if fits(objective.data.columns(), 1, MEMORY) => 0.5 * rows * columns * columns,
        // Rows of the matrix on demand, some for every feature that is looked at.
        () => 8.0 * size as f64 * telling(objective.data)?,
    })
}

/// About how many numbers of the data differ from the commonest of their column, judged by some of the rows: the same for dense and for sparse storage,
/// centred or not. Infinite where rows can only be read in order.
pub(crate) fn telling(data: &Data) -> Result<f64> {
    let Ok(source) = data.random_access() else { return Ok(f64::INFINITY) };
    let rows = data.rows();
    let some: Vec<usize> = (0..rows).step_by(rows.div_ceil(SOME_ROWS).max(1)).collect();
    let mut buffer = RowBuffer::default();
    source.gather(&some, None, &mut buffer)?;
    Ok(buffer.rows().uncommon() as f64 * rows as f64 / some.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_and_centring_do_not_change_what_data_cost() -> Result<()> {
        // Indicator columns, one in ten set, without a period that the looked-at rows share.
        let (rows, columns) = (640, 12);
        let is_set = |i: usize, j: usize| (7 * i + 3 * j + i / 10).is_multiple_of(10);
        let dense: Vec<f64> =
            (0..rows * columns).map(|at| f64::from(u8::from(is_set(at / columns, at % columns)))).collect();
        let centred: Vec<f64> = dense.iter().map(|x| 2.0 * (x - 0.1)).collect();
        let indices: Vec<Vec<u32>> =
            (0..rows).map(|i| (0..columns).filter(|&j| is_set(i, j)).map(|j| j as u32).collect()).collect();
        let mut starts = vec![0_usize];
        indices.iter().for_each(|row| starts.push(starts[starts.len() - 1] + row.len()));
        let indices = indices.concat();
        let (values, y) = (vec![1.0; indices.len()], vec![0.0; rows]);
        let sparse = telling(&Data::sparse(&starts, &indices, &values, columns, &y)?)?;
        assert!((sparse / indices.len() as f64 - 1.0).abs() < 0.2, "{sparse}");
        for values in [&dense, &centred] {
            assert_eq!(telling(&Data::dense(values, columns, &y)?)?, sparse);
        }
        Ok(())
    }
}
