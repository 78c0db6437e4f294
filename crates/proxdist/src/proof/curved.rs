//! Choices of columns for losses that are not quadratic.
//!
//! In rounds, on the columns that are left: the region where F is no larger than at the incumbent (`region`), a quadratic function below F on it (`minorant`), and the root of the search for the best choice of
//! that function (`Search`). What the root screens away cannot be in any choice that is better by more than the tolerance; on fewer columns the region is smaller and the
//! minorant nearer to F. When a round leaves nearly all columns, the search goes on to its end.
//!
//! Every choice is either without a column that some round settled, and then not below the cutoff of that round; or it is one of the last search, and then not below its bound; or F is
//! above the level of a region on all of it. So the least of these numbers bounds all choices.
//!
//! Rounds are quick; the last search may be long. Between its nodes a [`CurvedState`] says where it is: the columns and the choice that its region and minorant were made for, from which
//! these are made again to the same bits, and the state of the search.

use super::minorant::Minorant;
use super::region::Region;
use super::search::{Search, Stopped};
use super::state::{Progress, State};
use super::table::{Point, Table};
use super::truth::{OnSupport, Truth};
use crate::constraint::WholeSpace;
use crate::error::{Error, Result};
use crate::objective::Objective;
use crate::polish::{OnColumns, Until, minimise};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Numbers that are copied, columns, and multiplications of a round up to which this is done.
const MOST_NUMBERS: usize = 20_000_000;
const MOST_COLUMNS: usize = 600;
const MOST_WORK: f64 = 5e9;
/// Precision of minimisers.
const EXACT: f64 = 1e-12;
/// Part of the columns that a round must take away for another one.
const MARKED: f64 = 0.1;
const MOST_ROUNDS: usize = 12;

/// Who is asked whether to go on, and shown where the search is. Functions of the progress look only.
pub(crate) trait CurvedWatch {
    /// Asked between nodes and now and then before.
    fn look(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Shown now and then what a continuation needs; hands it back.
    fn keep(&mut self, state: CurvedState) -> CurvedState {
        state
    }
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> CurvedWatch for F {
    fn look(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}

/// The search for the best choice of at most so many columns.
#[derive(Debug)]
pub(crate) struct Curved<'p> {
    table: Table<'p>,
    size: usize,
    tolerance: f64,
    memory: usize,
}

/// The last search between two batches of nodes. It can be written with serde and read again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CurvedState {
    /// The columns that are left, as places in the table, rising.
    alive: Vec<usize>,
    /// The choice that the region and the minorant were made for, as places in the table.
    support: Vec<usize>,
    /// No choice with a column that is not left is below this.
    cut: f64,
    /// What the rounds before have found.
    known: Option<CurvedOutcome>,
    search: State,
}

impl CurvedState {
    /// Nodes that were worked on.
    pub(crate) fn nodes(&self) -> u64 {
        self.search.nodes
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CurvedOutcome {
    /// F is nowhere below this on any choice: proven.
    pub(crate) lower: f64,
    /// The columns of the best choice, in the data.
    pub(crate) support: Vec<usize>,
    /// F is at most this there.
    pub(crate) value: f64,
    /// Nodes that were worked on.
    pub(crate) nodes: u64,
}

/// The incumbent.
#[derive(Clone, Debug)]
struct Best {
    support: Vec<usize>,
    point: Point,
    value: f64,
}

impl<'p> Curved<'p> {
    /// Whether so many columns of the data are few enough.
    pub(crate) fn is_affordable(objective: Objective, columns: usize) -> bool {
        let numbers = objective.data.rows().saturating_mul(columns.saturating_add(1));
        let work = numbers as f64 * columns as f64;
        columns <= MOST_COLUMNS && numbers <= MOST_NUMBERS && work <= MOST_WORK
    }

    /// Choices among some columns, rising; none where they are too many for this.
    pub(crate) fn of(objective: Objective<'p>, columns: &[usize], size: usize) -> Result<Option<Self>> {
        if !Self::is_affordable(objective, columns.len()) {
            return Ok(None);
        }
        let table = Table::of(objective, columns)?;
        Ok(Some(Self { table, size, tolerance: 1e-6, memory: 1 << 30 }))
    }

    /// Sets the relative gap at which a choice counts as optimal, and the bytes for open nodes.
    pub(crate) fn within(self, tolerance: f64, memory: usize) -> Self {
        Self { tolerance, memory, ..self }
    }

    /// Searches from the columns of a choice; none if nothing is proven. The answer of `watch` to end is taken as soon as there is something to keep.
    pub(crate) fn run(&self, support: &[usize], watch: &mut dyn CurvedWatch) -> Result<Option<CurvedOutcome>> {
        let features = self.table.features();
        let mut places: Vec<usize> =
            (0..features).filter(|&place| support.contains(&self.table.columns[place])).collect();
        places.truncate(self.size);
        let mut best = self.best(places)?;
        let mut alive: Vec<usize> = (0..features).collect();
        let (mut cut, mut outcome) = (f64::MAX, None);
        for round in 0..MOST_ROUNDS {
            let Some(mut ground) = self.ground(&alive, &best, outcome.as_ref(), watch)? else { break };
            let is_last = round + 1 == MOST_ROUNDS;
            let support = best.support.clone();
            let (state, stopped) = self.rooted(&mut ground, &best);
            if let Some(error) = ground.fault.take() {
                return Err(error);
            }
            let before = best.value;
            if state.incumbent.value < best.value {
                let support = state.incumbent.support.iter().map(|&at| alive[at]).collect();
                best = self.best(support)?;
            }
            if stopped == Stopped::Dependent {
                break;
            }
            let bound = |state: &State| cut.min(state.lower()).min(ground.level);
            self.keep(&mut outcome, bound(&state), &best, state.nodes);
            if stopped == Stopped::Finished {
                break;
            }
            let mut left: Vec<usize> = state
                .base
                .iter()
                .flat_map(|base| &base.columns)
                .map(|&at| alive[at])
                .chain(best.support.clone())
                .collect();
            left.sort_unstable();
            left.dedup();
            let is_fewer = (left.len() as f64) < (1.0 - MARKED) * alive.len() as f64;
            let is_better = best.value < before - self.tolerance * before.abs();
            if (is_fewer || is_better) && !is_last {
                cut = cut.min(state.closed);
                alive = left;
                continue;
            }
            let last = CurvedState { alive: alive.clone(), support, cut, known: outcome, search: state };
            return self.last(&mut ground, best, last, watch);
        }
        Ok(outcome)
    }

    /// Goes on from a state that was shown, or from a choice if it is not one of this search.
    pub(crate) fn resume(
        &self,
        state: CurvedState,
        support: &[usize],
        watch: &mut dyn CurvedWatch,
    ) -> Result<Option<CurvedOutcome>> {
        if !self.is_ours(&state) {
            return self.run(support, watch);
        }
        let (alive, best) = (state.alive.clone(), self.best(state.support.clone())?);
        match self.ground(&alive, &best, state.known.as_ref(), watch)? {
            Some(mut ground) => self.last(&mut ground, best, state, watch),
            None => Ok(state.known),
        }
    }

    /// Whether a state has the right form; it may come from a damaged file.
    fn is_ours(&self, CurvedState { alive, support, cut, search, .. }: &CurvedState) -> bool {
        let is_rising = |places: &[usize]| places.windows(2).all(|pair| pair[0] < pair[1]);
        let is_known = alive.last().is_some_and(|&last| last < self.table.features()) && is_rising(alive);
        let is_choice = is_rising(support) && support.len() <= self.size;
        let is_within = |at: &usize| *at < alive.len();
        is_known
            && is_choice
            && support.iter().all(|place| alive.binary_search(place).is_ok())
            && search.incumbent.support.iter().all(is_within)
            && !cut.is_nan()
    }

    /// The last search to its end, or until the caller ends it.
    fn last(
        &self,
        ground: &mut Ground,
        mut best: Best,
        state: CurvedState,
        watch: &mut dyn CurvedWatch,
    ) -> Result<Option<CurvedOutcome>> {
        let level = ground.level;
        let CurvedState { alive, cut, known: mut outcome, search, .. } = self.finished(ground, state, watch);
        if let Some(error) = ground.fault.take() {
            return Err(error);
        }
        if search.incumbent.value < best.value {
            let support = search.incumbent.support.iter().map(|&at| alive[at]).collect();
            best = self.best(support)?;
        }
        self.keep(&mut outcome, cut.min(search.lower()).min(level), &best, search.nodes);
        Ok(outcome)
    }

    /// The better of what is known and what was found.
    fn keep(&self, outcome: &mut Option<CurvedOutcome>, lower: f64, best: &Best, nodes: u64) {
        let lower = outcome.as_ref().map_or(lower, |known| known.lower.max(lower));
        let support = best.support.iter().map(|&place| self.table.columns[place]).collect();
        *outcome = Some(CurvedOutcome { lower: lower.min(best.value), support, value: best.value, nodes });
    }

    /// F fitted on a choice.
    fn best(&self, support: Vec<usize>) -> Result<Best> {
        let point = self.fitted(&support)?;
        let at = self.table.at(&point);
        Ok(Best { support, point, value: at.value + at.doubt })
    }

    /// The minimiser on some columns.
    fn fitted(&self, places: &[usize]) -> Result<Point> {
        let objective = self.table.objective;
        let columns: Vec<usize> = places.iter().map(|&place| self.table.columns[place]).collect();
        let mut theta = objective.layout().reduced_to(columns.len()).zeros();
        let mut function = OnColumns::new(objective, &columns)?;
        let mut until = Until { tolerance: EXACT, poll: &mut || ControlFlow::Continue(()) };
        minimise(&mut function, &WholeSpace, &mut theta, &mut until)?;
        Ok(self.table.point(places, &theta))
    }

    /// What a round stands on; none if there is no region or minorant, or the caller ends it.
    fn ground<'c>(
        &'c self,
        alive: &'c [usize],
        best: &Best,
        known: Option<&CurvedOutcome>,
        watch: &mut dyn CurvedWatch,
    ) -> Result<Option<Ground<'c, 'p>>> {
        let centre = self.fitted(alive)?;
        let progress = Progress {
            nodes: 0,
            open: 0,
            bytes: 0,
            upper: best.value,
            lower: known.map_or(f64::NEG_INFINITY, |known| known.lower),
        };
        let is_over = &mut || watch.look(&progress).is_break();
        let Some(region) = Region::of(&self.table, centre, best.value, is_over) else { return Ok(None) };
        let minorant = Minorant::of(&self.table, &region, &best.point);
        let ground = |minorant| Ground { curved: self, alive, region, minorant, level: best.value, fault: None };
        Ok(minorant.map(ground))
    }

    fn search<'c>(&self, minorant: &'c Minorant) -> Search<'c> {
        Search::new(&minorant.quadratic, self.size).tolerance(self.tolerance).memory(self.memory)
    }

    /// The root of the search alone.
    fn rooted(&self, ground: &mut Ground, best: &Best) -> (State, Stopped) {
        let support: Vec<usize> =
            (0..ground.alive.len()).filter(|&at| best.support.contains(&ground.alive[at])).collect();
        let (minorant, mut truth) = ground.parts();
        let search = self.search(minorant);
        let mut state = search.begin_with(&support, &mut truth);
        let mut calls = 0;
        let stopped = search.run_with(&mut state, &mut truth, &mut |_| {
            calls += 1;
            if calls > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (state, stopped)
    }

    /// The search in portions, each of which ends with a state that is shown.
    fn finished(&self, ground: &mut Ground, mut at: CurvedState, watch: &mut dyn CurvedWatch) -> CurvedState {
        let level = ground.level;
        let least = at.known.as_ref().map_or(f64::NEG_INFINITY, |known| known.lower);
        let (minorant, mut truth) = ground.parts();
        let search = self.search(minorant);
        loop {
            let (cut, next) = (at.cut, next_portion(at.search.nodes));
            let mut is_over = false;
            let stopped = search.run_with(&mut at.search, &mut truth, &mut |progress| {
                let lower = progress.lower.min(cut).min(level).max(least);
                is_over = is_over || watch.look(&Progress { lower, ..*progress }).is_break();
                if is_over || progress.nodes >= next { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if is_over || stopped != Stopped::Interrupted || truth.fault.is_some() {
                return at;
            }
            at = watch.keep(at);
        }
    }
}

/// Nodes after which a search is told of again.
pub(crate) fn next_portion(nodes: u64) -> u64 {
    nodes + nodes / 16 + 8
}

/// What a round stands on.
struct Ground<'c, 'p> {
    curved: &'c Curved<'p>,
    /// The columns that are left, as places in the table.
    alive: &'c [usize],
    region: Region,
    minorant: Minorant,
    /// F is above this outside the region.
    level: f64,
    fault: Option<Error>,
}

impl<'p> Ground<'_, 'p> {
    /// The minorant, and F on supports.
    fn parts(&mut self) -> (&Minorant, Fits<'_, 'p>) {
        let Self { curved, alive, region, minorant, level, fault } = self;
        (minorant, Fits { curved, alive, region, scales: &minorant.scales, level: *level, fault })
    }
}

/// F on supports, refitted.
struct Fits<'g, 'p> {
    curved: &'g Curved<'p>,
    alive: &'g [usize],
    region: &'g Region,
    scales: &'g [f64],
    level: f64,
    fault: &'g mut Option<Error>,
}

impl Truth for Fits<'_, '_> {
    /// F is convex, so with the gradient $g$ at a fit $z$, $F \ge F(z) - \sum_j|g_j|\max|z'_j - z_j|$ over the region, and above the level elsewhere.
    fn on_support(&mut self, support: &[usize]) -> OnSupport {
        let table = &self.curved.table;
        let places: Vec<usize> = support.iter().map(|&at| self.alive[at]).collect();
        let point = match self.curved.fitted(&places) {
            Ok(point) => point,
            Err(error) => {
                *self.fault = Some(error);
                return OnSupport { theta: vec![0.0; support.len()], value: f64::MAX, lower: -f64::MAX };
            }
        };
        let at = table.at(&point);
        let (gradient, doubt) = table.gradient(&at, &point, &point.places);
        let mut lost = at.doubt;
        for (j, &place) in point.places.iter().enumerate() {
            lost += 1.01 * (gradient[j].abs() + doubt[j]) * self.region.distance(place, point.values[j]);
        }
        let lower = (at.value - lost).min(self.level);
        let lower = if lower.is_finite() { lower } else { -f64::MAX };
        let theta = support.iter().zip(&point.values).map(|(&at, z)| z * self.scales[at]).collect();
        OnSupport { theta, value: at.value + at.doubt, lower }
    }
}
