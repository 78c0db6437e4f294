//! How far the models of a path can be from the best ones of their sizes.
//!
//! Sizes are taken from the largest down, each by branch and bound (`crate::proof`) for its share of the time. With $F_s$ the least F of at most $s$ features,
//! $F_{s} \ge F_{s+1}$: what is proven of a size is proven of all smaller ones.

use super::climb::Place;
use super::finish::Finish;
use super::point::{Path, PathPoint};
use super::sized::SizedSets;
use super::start::summed;
use crate::constraint::{Choice, Constraint, Structure};
use crate::error::Result;
use crate::layout::Layout;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::proof::{Poll, Progress, Search, Stopped, Summed};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Bytes for the matrix of all products of columns.
const MATRIX: usize = 1 << 31;
/// Columns, products for the matrix, and nodes for each size up to which every path is looked at.
const FEW_COLUMNS: usize = 30;
const FEW_PRODUCTS: usize = 20_000_000;
const FEW_NODES: u64 = 500;

/// How long a proof of a path may take, and where it may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathProof {
    /// Time for all sizes and ridges together.
    pub time: Duration,
    /// Share of F by which a model may be above the best of its size.
    pub gap: f64,
    /// Bytes that branch and bound may hold; when they are full, it goes depth first.
    pub memory: usize,
}

impl PathProof {
    /// The usual share of F.
    pub const GAP: f64 = 1e-6;
    /// The usual memory.
    pub const MEMORY: usize = 1 << 30;

    /// For so long, with the usual share of F and the usual memory.
    pub fn within(time: Duration) -> Self {
        Self { time, gap: Self::GAP, memory: Self::MEMORY }
    }
}

impl Path {
    /// Bounds how far each point is above the least F of its size and ridge, where the loss is quadratic, no unit needs another and no convex set stands beside the choice; in [`PathPoint::gap`]. Better choices are taken
    /// over. `poll` may end it.
    pub fn prove(
        &mut self,
        problem: &Problem,
        wanted: PathProof,
        poll: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<()> {
        let began = Instant::now();
        let mut left = self.points.iter().filter(|point| point.size > 0).count();
        let (objective, layout) = (problem.objective(), self.layout);
        let sets = SizedSets::of(problem.constraint(), problem.data(), problem.loss())?;
        let Some(choices) = Choices::of(sets.as_ref(), layout.features()) else { return Ok(()) };
        for points in self.points.chunk_by_mut(|before, after| before.size < after.size) {
            let Some(ridge) = points.first().map(|first| objective.ridge.with_weight(first.ridge)) else { continue };
            let objective = Objective { ridge, ..objective };
            let Some(summed) = summed(objective, MATRIX)? else { return Ok(()) };
            let mut proving = Proving { objective, layout, summed: &summed, wanted, choices: &choices };
            let is_over = proving.points(
                points,
                &mut |_| {
                    let share =
                        wanted.time.saturating_sub(began.elapsed()) / u32::try_from(left).unwrap_or(u32::MAX).max(1);
                    left = left.saturating_sub(1);
                    let size_began = Instant::now();
                    move |_: &Progress| size_began.elapsed() >= share
                },
                poll,
            )?;
            if is_over {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Better choices for the points of one ridge, where columns are so few that looking at all of them by branch and bound costs next to nothing.
pub(super) fn improve(points: &mut [PathPoint], objective: Objective, sets: Option<&SizedSets>) -> Result<()> {
    let layout = objective.layout();
    let columns = objective.data.columns();
    let is_cheap = columns <= FEW_COLUMNS && objective.data.rows().saturating_mul(columns * columns) <= FEW_PRODUCTS;
    if !is_cheap || points.len() < 3 {
        return Ok(());
    }
    let Some(choices) = Choices::of(sets, columns) else { return Ok(()) };
    let Some(summed) = summed(objective, MATRIX)? else { return Ok(()) };
    let wanted = PathProof::within(Duration::MAX);
    let mut proving = Proving { objective, layout, summed: &summed, wanted, choices: &choices };
    proving.points(points, &mut |_| |progress: &Progress| progress.nodes >= FEW_NODES, &mut || {
        ControlFlow::Continue(())
    })?;
    points.iter_mut().for_each(|point| point.gap = None);
    Ok(())
}

/// What may be chosen at each size.
enum Choices {
    /// Any features.
    Free,
    /// Units within limits, from the least size on.
    Limited { least: usize, choices: Vec<Choice> },
}

impl Choices {
    /// `None` where a bound would not be one on what may be chosen alone.
    fn of(sets: Option<&SizedSets>, columns: usize) -> Option<Self> {
        let Some(sets) = sets else { return Some(Self::Free) };
        let choices: Option<Vec<Choice>> = (0..sets.count()).map(|at| alone(sets.at(at), columns)).collect();
        Some(Self::Limited { least: sets.least(), choices: choices? })
    }

    /// The search of a size.
    fn search<'s>(&self, summed: &'s Summed, size: usize) -> Search<'s> {
        match self {
            Self::Free => summed.choices(size),
            Self::Limited { least, choices } => summed.choosing(&choices[size - least]),
        }
    }
}

/// The choice of a set that is nothing else.
fn alone(set: &dyn Constraint, columns: usize) -> Option<Choice> {
    let Structure::Choice(choosing) = set.structure() else { return None };
    let choice = choosing.choice(columns);
    let open = choice.support(&(0..choice.units()).collect::<Vec<_>>());
    let is_free = matches!(choosing.on_support(&open)?.structure(), Structure::WholeSpace);
    (is_free && choice.needs().is_empty()).then_some(choice)
}

/// The points of one ridge.
struct Proving<'p> {
    objective: Objective<'p>,
    layout: Layout,
    summed: &'p Summed,
    wanted: PathProof,
    choices: &'p Choices,
}

impl Proving<'_> {
    /// Bounds all sizes, from the largest down; `limits` says for each when its search ends. True if `poll` has ended all of it.
    fn points<L: FnMut(&Progress) -> bool>(
        &mut self,
        points: &mut [PathPoint],
        limits: &mut dyn FnMut(usize) -> L,
        poll: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<bool> {
        let mut least = f64::NEG_INFINITY;
        let mut is_over = false;
        for point in points.iter_mut().rev().filter(|point| point.size > 0) {
            let mut is_enough = limits(point.size);
            let own = self.lower(point, &mut |progress| {
                is_over = is_over || poll().is_break();
                if is_over || is_enough(progress) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            let Some(own) = own else { continue };
            least = least.max(own);
            let scaled = self.scaled(point);
            // The sums have the intercept at its best, which that of the point need not be.
            let value = self.search(point.size).settle_within(0, &point.support, &scaled).upper.max(point.objective);
            let gap = (value - least).max(0.0) + self.summed.doubt(&scaled);
            point.gap = Some(gap).filter(|gap| gap.is_finite());
            if is_over {
                break;
            }
        }
        // A smaller choice that is better than a larger one stands for both.
        for at in 1..points.len() {
            let (before, after) = points.split_at_mut(at);
            if let (Some(before), Some(after)) = (before.last(), after.first_mut())
                && after.objective > before.objective
            {
                let higher = after.objective - before.objective;
                let gap = after.gap.map(|gap| (gap - higher).max(0.0));
                *after = PathPoint { size: after.size, gap, ..before.clone() };
            }
        }
        Ok(is_over)
    }

    fn search(&self, size: usize) -> Search<'_> {
        self.choices.search(self.summed, size)
    }

    fn scaled(&self, point: &PathPoint) -> Vec<f64> {
        let coefficients = self.layout.coefficients(&point.theta);
        let values: Vec<f64> = point.support.iter().map(|&j| coefficients[j]).collect();
        self.summed.scaled(&point.support, &values)
    }

    /// A proven lower bound of the least F of the size of a point, which may become a better one.
    fn lower(&self, point: &mut PathPoint, poll: &mut Poll) -> Result<Option<f64>> {
        let scaled = self.scaled(point);
        let PathProof { gap, memory, .. } = self.wanted;
        let search = self.search(point.size).memory(memory);
        let value = search.settle_within(0, &point.support, &scaled).upper.abs();
        let rounding = 2.0 * self.summed.doubt(&scaled) / value;
        let search = search.tolerance((gap - rounding).max(0.5 * gap));
        let mut state = search.begin(&point.support);
        let stopped = search.run(&mut state, poll);
        let found = state.incumbent();
        if found.support != point.support && found.value < value {
            let mut start = self.summed.unscaled(&found.support, &found.theta);
            start.resize(start.len() + self.layout.intercept_count(), 0.0);
            let (support, value) = (found.support.clone(), found.value);
            let place = Place { support, value, point: start, is_separated: false, stationarity: None };
            let finish = Finish::new(self.objective, self.layout, &[Some(place.clone())])?;
            let better = finish.point(point.size, &place, None)?;
            if better.objective < point.objective {
                let is_free = matches!(self.choices, Choices::Free);
                let log_choices = if is_free { better.log_choices } else { point.log_choices };
                *point = PathPoint { log_choices, ..better };
            }
        }
        // Before its root is solved a search knows no bound at all.
        Ok((stopped != Stopped::Dependent).then(|| state.lower()).filter(|lower| *lower > f64::MIN))
    }
}
