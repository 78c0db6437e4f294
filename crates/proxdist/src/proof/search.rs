//! Branch and bound, at any time with an incumbent and a bound.
//!
//! Nodes are worked on in batches of a fixed size, the best first, on as many threads as there are, and what comes of them is taken in in their order: the search is
//! the same for any number of threads. Closed nodes leave the least of their bounds behind, so that the bound reported is the smallest of all that was ever closed and all that
//! is open, whatever the incumbent was meanwhile.

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

/// The search for the best choice of at most `size` columns.
///
/// | setting      | default | meaning |
/// |--------------|---------|---------|
/// | `tolerance`  | 1e-6    | gap, relative to the value of the incumbent, at which a choice counts as optimal |
/// | `memory`     | 1 GiB   | bytes for open nodes; beyond that the search goes depth first |
/// | `always`     | none    | columns that are selected for certain; they count |
/// | `never`      | none    | columns that are left out |
#[derive(Clone, Debug)]
pub struct Search<'a> {
    quadratic: &'a Quadratic,
    size: usize,
    tolerance: f64,
    memory: usize,
    places: Vec<Place>,
}

impl<'a> Search<'a> {
    /// Over all choices of at most so many columns.
    pub fn new(quadratic: &'a Quadratic, size: usize) -> Self {
        let place = |j| if quadratic.is_effective(j) { Place::Free } else { Place::Out };
        let places = (0..quadratic.columns()).map(place).collect();
        Self { quadratic, size, tolerance: 1e-6, memory: 1 << 30, places }
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
        self.place(columns, Place::In);
        self.size = self.size.max(self.count(Place::In));
        self
    }

    /// Leaves columns out.
    #[must_use]
    pub fn never(mut self, columns: &[usize]) -> Self {
        self.place(columns, Place::Out);
        self
    }

    fn place(&mut self, columns: &[usize], place: Place) {
        for &j in columns.iter().filter(|&&j| j < self.quadratic.columns() && self.quadratic.is_effective(j)) {
            self.places[j] = place;
        }
    }

    fn count(&self, place: Place) -> usize {
        self.places.iter().filter(|at| **at == place).count()
    }

    /// How many of the columns that are neither in nor out may be selected.
    fn room(&self) -> usize {
        self.size - self.count(Place::In)
    }

    /// The test with one factorisation, for coefficients of a support in the units of the problem.
    pub fn settle(&self, support: &[usize], theta: &[f64]) -> Settled {
        self.settle_within(usize::MAX, support, theta)
    }

    /// The same with so many attempts at most.
    pub fn settle_within(&self, tries: usize, support: &[usize], theta: &[f64]) -> Settled {
        let mut scaled = vec![0.0; self.quadratic.columns()];
        for (&j, x) in support.iter().zip(theta).filter(|(j, _)| **j < self.quadratic.columns()) {
            scaled[j] = x * self.quadratic.scales[j];
        }
        settle(self.quadratic, &self.places, (self.room(), tries), &scaled)
    }

    /// A search for the minimum of the quadratic function, from a support that may be empty.
    pub fn begin(&self, support: &[usize]) -> State {
        self.begin_with(support, &mut Itself { quadratic: self.quadratic })
    }

    /// The same for a function that the quadratic one is below.
    pub fn begin_with(&self, support: &[usize], truth: &mut dyn Truth) -> State {
        let is_in = |j: &usize| self.places[*j] == Place::In;
        let is_free = |j: &usize| self.places.get(*j) == Some(&Place::Free);
        let mut given: Vec<usize> = support.iter().copied().filter(is_free).collect();
        given.sort_unstable();
        given.dedup();
        given.truncate(self.room());
        given.extend((0..self.places.len()).filter(is_in));
        given.sort_unstable();
        let OnSupport { theta, value, .. } = truth.on_support(&given);
        let mut state = State {
            incumbent: Incumbent { support: given.clone(), theta, value },
            closed: f64::MAX,
            root: self.quadratic.floor,
            nodes: 0,
            base: None,
            queue: super::queue::Queue::default(),
            fingerprint: self.fingerprint(),
        };
        self.exchange(&mut state, &given, truth);
        state
    }

    /// Goes on until nothing is left or the caller ends it; asks between batches of nodes.
    pub fn run(&self, state: &mut State, poll: &mut Poll) -> Stopped {
        self.run_with(state, &mut Itself { quadratic: self.quadratic }, poll)
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
        let whole = Part::whole(self.quadratic);
        let base = if columns.len() == whole.len() { whole } else { whole.on(&columns) };
        while state.queue.len() > 0 {
            if poll(&state.progress()).is_break() {
                return Stopped::Interrupted;
            }
            let batch = state.queue.pop(BATCH);
            self.batch(state, &batch, (&base, &began), truth);
        }
        // The last word is told, too.
        let _ = poll(&state.progress());
        Stopped::Finished
    }

    /// Works on some nodes and takes in what comes of them.
    fn batch(&self, state: &mut State, batch: &[Node], (base, began): (&Part, &[f64]), truth: &mut dyn Truth) {
        let context = self.context(state, base, began);
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
                let candidate: Vec<usize> = candidate.iter().map(|&j| base.columns[j]).collect();
                self.consider(state, &candidate, truth);
                if state.nodes.is_power_of_two() || state.nodes.is_multiple_of(EXCHANGES) {
                    self.exchange(state, &candidate, truth);
                }
            }
            match end {
                End::Closed => state.closed = state.closed.min(bound),
                End::Leaf(support) => {
                    let support: Vec<usize> = support.iter().map(|&j| base.columns[j]).collect();
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
        let rounding = ROUNDING * (value.abs() + self.quadratic.constant.abs());
        let tolerance = (0.999 * self.tolerance * value.abs()).max(rounding);
        (value - tolerance, tolerance)
    }

    fn context<'c>(&self, state: &State, base: &'c Part<'c>, began: &'c [f64]) -> Context<'c> {
        let (cutoff, tolerance) = self.cutoff(state);
        Context { base, began, size: self.size, cutoff, tolerance }
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
        let alive: Vec<usize> = (0..self.places.len()).filter(|&j| self.places[j] != Place::Out).collect();
        let whole = Part::whole(self.quadratic);
        let all = if alive.len() == whole.len() { whole } else { whole.on(&alive) };
        let at = |j: usize| state.incumbent.support.binary_search(&j).ok().map(|at| state.incumbent.theta[at]);
        let start = alive.iter().enumerate();
        let start = start.filter_map(|(at_, &j)| at(j).map(|x| (at_ as u32, x * self.quadratic.scales[j])));
        let node = Node {
            bound: state.root,
            number: 0,
            depth: 0,
            columns: (0..alive.len() as u32).collect(),
            is_in: alive.iter().map(|&j| self.places[j] == Place::In).collect(),
            diagonal: Vec::new(),
            start: start.collect(),
        };
        let context = self.context(state, &all, &[]);
        let Some(rooted) = root(&node, context, &mut Cholesky::default()) else {
            state.base = Some(Base { columns: alive.clone(), diagonal: Vec::new() });
            let is_possible = supports(alive.len(), self.size) <= FEW;
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
            let candidate: Vec<usize> = candidate.iter().map(|&j| alive[j]).collect();
            self.exchange(state, &candidate, truth);
        }
        match rooted.node {
            None => {
                state.closed = state.closed.min(rooted.bound);
                state.base = Some(Base { columns: Vec::new(), diagonal: Vec::new() });
            }
            Some(mut node) => {
                let columns = node.columns.iter().map(|&j| alive[j as usize]).collect();
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
        let part = Part::whole(self.quadratic).on(support);
        let theta = minimiser(&part, &mut Cholesky::default());
        let rounding = ROUNDING * (state.incumbent.value.abs() + self.quadratic.constant.abs());
        if self.quadratic.value_above(support, &theta) < state.incumbent.value - rounding {
            take(state, support.to_vec(), truth.on_support(support));
        }
    }

    /// Fills a support up and exchanges its columns as long as that helps, and takes it over if it is better.
    fn exchange(&self, state: &mut State, support: &[usize], truth: &mut dyn Truth) {
        let is_allowed: Vec<bool> = self.places.iter().map(|place| *place != Place::Out).collect();
        let is_kept: Vec<bool> = self.places.iter().map(|place| *place == Place::In).collect();
        let exchange = Exchange { quadratic: self.quadratic, is_allowed: &is_allowed, is_kept: &is_kept };
        let filled = exchange.fill(support, self.size);
        self.consider(state, &exchange.descend(&filled, MOST_EXCHANGES), truth);
    }

    /// A number that tells problems apart.
    fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ self.size as u64;
        let mut mix = |bits: u64| hash = (hash ^ bits).wrapping_mul(0x0100_0000_01b3).rotate_left(5);
        let Quadratic { gram, linear, constant, scales, floor } = self.quadratic;
        gram.iter().chain(linear).chain(scales).chain([constant, floor]).for_each(|x| mix(x.to_bits()));
        self.places.iter().for_each(|place| mix(*place as u64));
        hash
    }

    /// Whether a state belongs to this search and has the right form.
    fn is_ours(&self, state: &State) -> bool {
        let Incumbent { support, theta, value } = &state.incumbent;
        let columns = self.quadratic.columns();
        let is_incumbent = support.iter().all(|&j| j < columns) && support.len() == theta.len() && !value.is_nan();
        let base = state.base.as_ref().map_or(0, |base| base.columns.len());
        let is_base = state.base.as_ref().is_none_or(|base| base.columns.iter().all(|&j| j < columns));
        state.fingerprint == self.fingerprint() && is_incumbent && is_base && state.queue.is_within(base)
    }
}

/// Takes what was found on a support over if it is better.
fn take(state: &mut State, support: Vec<usize>, OnSupport { theta, value, .. }: OnSupport) {
    if value < state.incumbent.value {
        state.incumbent = Incumbent { support, theta, value };
    }
}

/// Number of ways to select `size` of so many columns.
fn supports(columns: usize, size: usize) -> f64 {
    (0..size.min(columns)).map(|k| (columns - k) as f64 / (k + 1) as f64).product()
}
