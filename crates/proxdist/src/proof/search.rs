//! Branch and bound, at any time with an incumbent and a bound.
//!
//! Nodes are worked on in batches of a fixed size, the best first, on as many threads as there are, and what comes of them is taken in in their order: the search is
//! the same for any number of threads. Closed nodes leave the least of their bounds behind, so that the bound reported is the smallest of all that was ever closed and all that
//! is open, whatever the incumbent was meanwhile.

use super::choices::Choices;
use super::exchange::Exchange;
use super::node::{Context, End, Node, Worked, work};
use super::part::{Part, Place};
use super::quadratic::Quadratic;
use super::root::root;
use super::settle::{Settled, settle};
use super::state::{Base, Incumbent, Progress, State};
use super::truth::{Itself, OnSupport, Truth, minimiser};
use crate::linalg::Cholesky;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Nodes that are worked on together; not a matter of threads, so that these change nothing.
const BATCH: usize = 8;
/// Every so many nodes exchanges are tried.
const EXCHANGES: u64 = 200;
/// Exchanges in a row.
const MOST_EXCHANGES: usize = 100;
/// With no diagonal at all, so many supports are looked at one by one.
const FEW: f64 = 1e5;
/// Differences that are rounding, relative to the numbers that they come from.
const ROUNDING: f64 = 1e-13;

/// Why a search came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing is left to be looked at.
    Finished,
    /// The caller asked for it; the state can be continued.
    Interrupted,
    /// The columns depend on each other so much that nothing can be bounded, and there are too many supports to try them all.
    Dependent,
}

/// Who is asked between batches whether to go on.
pub type Poll<'p> = dyn FnMut(&Progress) -> ControlFlow<()> + 'p;

/// The search for the best choice of columns within limits.
///
/// | setting      | default | meaning |
/// |--------------|---------|---------|
/// | `tolerance`  | 1e-6    | gap, relative to the value of the incumbent, at which a choice counts as optimal |
/// | `memory`     | 1 GiB   | bytes for open nodes; beyond that the search goes depth first |
/// | `always`     | none    | columns that are selected for certain; they count |
/// | `never`      | none    | columns that are left out |
#[derive(Clone, Debug)]
pub struct Search<'a> {
    pub(super) choices: Choices<'a>,
    tolerance: f64,
    memory: usize,
}

impl<'a> Search<'a> {
    /// Over all choices of at most so many columns.
    pub fn new(quadratic: &'a Quadratic, size: usize) -> Self {
        Self::over(Choices::plain(quadratic, size))
    }

    /// Over choices of units.
    pub(super) fn over(choices: Choices<'a>) -> Self {
        Self { choices, tolerance: 1e-6, memory: 1 << 30 }
    }

    /// Sets the relative gap at which a choice counts as optimal.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = if tolerance >= 0.0 { tolerance } else { self.tolerance };
        self
    }

    /// Sets the memory for open nodes, in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Selects columns for certain. The size grows where they are more.
    #[must_use]
    pub fn always(mut self, columns: &[usize]) -> Self {
        self.choices.put(columns, Place::In);
        self
    }

    /// Leaves columns out.
    #[must_use]
    pub fn never(mut self, columns: &[usize]) -> Self {
        self.choices.put(columns, Place::Out);
        self
    }

    /// Says which columns depend on each other exactly: for each relation the columns and their coefficients, whole numbers in any one choice of units for the columns.
    /// Without that nothing is bounded that holds such columns; relations that are not exact make proofs wrong. Columns of a relation must have no ridge.
    #[must_use]
    pub fn relations(mut self, relations: &[Vec<(usize, i64)>]) -> Self {
        let is_within = |relation: &&Vec<(usize, i64)>| {
            relation
                .iter()
                .all(|(j, c)| *c != 0 && self.choices.places.get(*j).is_some_and(|place| *place != Place::Out))
        };
        self.choices.relations = relations.iter().filter(is_within).cloned().collect();
        self.choices.relations.iter_mut().for_each(|relation| relation.sort_unstable());
        self
    }

    /// The test with one factorisation, for coefficients of a support in the units of the problem.
    pub fn settle(&self, support: &[usize], theta: &[f64]) -> Settled {
        self.settle_within(usize::MAX, support, theta)
    }

    /// The same with so many attempts at most.
    pub fn settle_within(&self, tries: usize, support: &[usize], theta: &[f64]) -> Settled {
        let quadratic = self.choices.quadratic;
        let (mut used, mut values) = (Vec::new(), Vec::new());
        for (&j, x) in support.iter().zip(theta).filter(|(j, x)| **j < quadratic.columns() && **x != 0.0) {
            used.push(j);
            values.push(x * quadratic.scales[j]);
        }
        let upper = quadratic.value_above(&used, &values);
        let mut lower = quadratic.floor.min(upper);
        if tries > 0 {
            let alive = self.choices.alive();
            let at = |j: &usize| used.iter().position(|k| k == j).map_or(0.0, |at| values[at]);
            let theta: Vec<f64> = alive.columns.iter().map(at).collect();
            let bound = settle(&alive, &self.choices.room(), &theta, tries);
            lower = bound.map_or(lower, |bound| lower.max(bound.min(upper)));
        }
        Settled { upper, lower }
    }

    /// A search for the minimum of the quadratic function, from a support that may be empty.
    pub fn begin(&self, support: &[usize]) -> State {
        self.begin_with(support, &mut Itself { quadratic: self.choices.quadratic })
    }

    /// The same for a function that the quadratic one is below.
    pub fn begin_with(&self, support: &[usize], truth: &mut dyn Truth) -> State {
        let given = self.choices.allowed(support);
        let OnSupport { theta, value, .. } = truth.on_support(&given);
        let mut state = State {
            incumbent: Incumbent { support: given.clone(), theta, value },
            closed: f64::MAX,
            root: self.choices.quadratic.floor,
            nodes: 0,
            base: None,
            queue: super::queue::Queue::default(),
            fingerprint: self.choices.fingerprint(),
        };
        self.exchange(&mut state, &given, truth);
        state
    }

    /// Goes on until nothing is left or the caller ends it; asks between batches of nodes.
    pub fn run(&self, state: &mut State, poll: &mut Poll) -> Stopped {
        self.run_with(state, &mut Itself { quadratic: self.choices.quadratic }, poll)
    }

    /// The same for a function that the quadratic one is below.
    pub fn run_with(&self, state: &mut State, truth: &mut dyn Truth, poll: &mut Poll) -> Stopped {
        if !self.is_ours(state) {
            *state = self.begin_with(&state.incumbent.support, truth);
        }
        if state.base.is_none() {
            if poll(&state.progress()).is_break() {
                return Stopped::Interrupted;
            }
            if !self.root(state, truth) {
                return Stopped::Dependent;
            }
        }
        let columns = state.base.as_ref().map_or_else(Vec::new, |base| base.columns.clone());
        let began = state.base.as_ref().map_or_else(Vec::new, |base| base.diagonal.clone());
        let whole = Part::whole(self.choices.quadratic);
        let is_whole = columns.len() == whole.len() && columns.is_sorted();
        let base = if is_whole { whole } else { whole.on(&columns) };
        let units: Vec<usize> = columns.iter().map(|&j| self.choices.units[j]).collect();
        while state.queue.len() > 0 {
            if poll(&state.progress()).is_break() {
                return Stopped::Interrupted;
            }
            let batch = state.queue.pop(BATCH);
            self.batch(state, &batch, (&base, &units, &began), truth);
        }
        // The last word is told, too.
        let _ = poll(&state.progress());
        Stopped::Finished
    }

    /// Works on some nodes and takes in what comes of them.
    fn batch(&self, state: &mut State, batch: &[Node], base: (&Part, &[usize], &[f64]), truth: &mut dyn Truth) {
        let context = self.context(state, base);
        let columns = &base.0.columns;
        let worked: Vec<Option<Worked>> = batch
            .par_iter()
            .map_init(Cholesky::default, |cholesky, node| {
                (node.bound < context.cutoff).then(|| work(node, context, cholesky))
            })
            .collect();
        for (node, worked) in batch.iter().zip(worked) {
            let Some(Worked { bound, is_screened, candidate, end }) = worked else {
                state.closed = state.closed.min(node.bound);
                continue;
            };
            state.nodes += 1;
            if is_screened {
                state.closed = state.closed.min(context.cutoff);
            }
            if let Some(candidate) = candidate {
                let candidate = named(&candidate, columns);
                self.consider(state, &candidate, truth);
                if state.nodes.is_power_of_two() || state.nodes.is_multiple_of(EXCHANGES) {
                    self.exchange(state, &candidate, truth);
                }
            }
            match end {
                End::Closed => state.closed = state.closed.min(bound),
                End::Leaf(support) => {
                    let support = named(&support, columns);
                    let found = truth.on_support(&support);
                    state.closed = state.closed.min(found.lower.max(bound));
                    take(state, support, found);
                }
                End::Split(children) => children.into_iter().for_each(|child| self.open(state, *child)),
            }
        }
    }

    fn open(&self, state: &mut State, node: Node) {
        if node.bound >= self.cutoff(state).0 {
            state.closed = state.closed.min(node.bound);
        } else {
            state.queue.push(node, self.memory);
        }
    }

    /// The bound from which on nothing is worth looking for, and how far that is below the incumbent.
    fn cutoff(&self, state: &State) -> (f64, f64) {
        let value = state.incumbent.value;
        let rounding = ROUNDING * (value.abs() + self.choices.quadratic.constant.abs());
        let tolerance = (0.999 * self.tolerance * value.abs()).max(rounding);
        (value - tolerance, tolerance)
    }

    fn context<'c>(&'c self, state: &State, base: (&'c Part<'c>, &'c [usize], &'c [f64])) -> Context<'c> {
        let (cutoff, tolerance) = self.cutoff(state);
        let (base, units, began) = base;
        let Choices { family, relations, .. } = &self.choices;
        Context { base, began, units, family, relations, cutoff, tolerance }
    }

    /// Bounds everything at once and opens the first node; false if nothing can be bounded.
    fn root(&self, state: &mut State, truth: &mut dyn Truth) -> bool {
        let settled = self.settle(&state.incumbent.support, &state.incumbent.theta);
        state.root = state.root.max(settled.lower.min(state.incumbent.value));
        if state.root >= self.cutoff(state).0 {
            state.closed = state.root;
            state.base = Some(Base { columns: Vec::new(), diagonal: Vec::new() });
            return true;
        }
        let alive = self.choices.alive();
        let columns = &alive.columns;
        let at = |j: usize| state.incumbent.support.binary_search(&j).ok().map(|at| state.incumbent.theta[at]);
        let start = columns.iter().enumerate();
        let start = start.filter_map(|(at_, &j)| at(j).map(|x| (at_ as u32, x * self.choices.quadratic.scales[j])));
        let node = Node {
            bound: state.root,
            number: 0,
            depth: 0,
            columns: (0..columns.len() as u32).collect(),
            is_in: alive.places.iter().map(|place| *place == Place::In).collect(),
            diagonal: Vec::new(),
            start: start.collect(),
        };
        let units: Vec<usize> = columns.iter().map(|&j| self.choices.units[j]).collect();
        let context = self.context(state, (&alive.part, &units, &[]));
        let Some(rooted) = root(&node, context, &mut Cholesky::default()) else {
            state.base = Some(Base { columns: columns.clone(), diagonal: Vec::new() });
            let is_tangled = !self.choices.relations.is_empty() && self.choices.is_untangled_by_relations();
            let is_possible = is_tangled || self.choices.count() <= FEW;
            if is_possible {
                state.queue.push(node, self.memory);
            } else {
                state.base = None;
            }
            return is_possible;
        };
        let screened_at = if rooted.is_screened { context.cutoff } else { f64::MAX };
        state.root = state.root.max(rooted.bound.min(screened_at).min(state.incumbent.value));
        state.closed = screened_at;
        if let Some(candidate) = &rooted.candidate {
            let candidate = named(candidate, columns);
            self.exchange(state, &candidate, truth);
        }
        match rooted.node {
            None => {
                state.closed = state.closed.min(rooted.bound);
                state.base = Some(Base { columns: Vec::new(), diagonal: Vec::new() });
            }
            Some(mut node) => {
                let columns = node.columns.iter().map(|&j| columns[j as usize]).collect();
                node.columns = (0..node.columns.len() as u32).collect();
                state.base = Some(Base { columns, diagonal: node.diagonal.clone() });
                self.open(state, node);
            }
        }
        true
    }

    /// Takes a support over if it is better.
    fn consider(&self, state: &mut State, support: &[usize], truth: &mut dyn Truth) {
        if support == state.incumbent.support {
            return;
        }
        let part = Part::whole(self.choices.quadratic).on(support);
        let theta = minimiser(&part, &mut Cholesky::default());
        let rounding = ROUNDING * (state.incumbent.value.abs() + self.choices.quadratic.constant.abs());
        if self.choices.quadratic.value_above(support, &theta) < state.incumbent.value - rounding {
            take(state, support.to_vec(), truth.on_support(support));
        }
    }

    /// Fills a support up and exchanges its columns as long as that helps, and takes it over if it is better.
    fn exchange(&self, state: &mut State, support: &[usize], truth: &mut dyn Truth) {
        let better = Exchange::of(&self.choices).map(|exchange| exchange.improved(support, MOST_EXCHANGES));
        self.consider(state, better.as_deref().unwrap_or(support), truth);
    }

    /// Whether a state belongs to this search and has the right form.
    fn is_ours(&self, state: &State) -> bool {
        let Incumbent { support, theta, value } = &state.incumbent;
        let columns = self.choices.quadratic.columns();
        let is_incumbent = support.iter().all(|&j| j < columns) && support.len() == theta.len() && !value.is_nan();
        let base = state.base.as_ref().map_or(0, |base| base.columns.len());
        let is_base = state.base.as_ref().is_none_or(|base| base.columns.iter().all(|&j| j < columns));
        state.fingerprint == self.choices.fingerprint() && is_incumbent && is_base && state.queue.is_within(base)
    }
}

/// Takes what was found on a support over if it is better.
fn take(state: &mut State, support: Vec<usize>, OnSupport { theta, value, .. }: OnSupport) {
    if value < state.incumbent.value {
        state.incumbent = Incumbent { support, theta, value };
    }
}

/// The columns at some positions, in order.
fn named(positions: &[usize], columns: &[usize]) -> Vec<usize> {
    let mut named: Vec<usize> = positions.iter().map(|&at| columns[at]).collect();
    named.sort_unstable();
    named
}
