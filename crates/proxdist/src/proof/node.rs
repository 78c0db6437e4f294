//! A node of the search: some units are in, some are out, and a few of the others may come in.
//!
//! It is worked on in rounds: the relaxation gives a base point, the base point a bound that holds, the bound settles units; then the diagonal is improved
//! for what is left. A node that is not closed is split at the free unit with the largest $z^2(1 - z)^2G_{jj}/d_j$ (of several columns the mean of that under the weights $d_j\theta_j^2$): undecided, and with a large loss whichever way it goes.

use super::bound::{Bound, Restricted};
use super::diagonal::{self, Improvable};
use super::family::{Family, Room};
use super::part::{Part, Place};
use super::relations::Relation;
use super::relax::{Goal, Relaxed, relax};
use super::runs::Runs;
use crate::linalg::Cholesky;
use serde::{Deserialize, Serialize};

/// Rounds of work on a node.
const ROUNDS: usize = 3;
/// Part of what a node is short of that a round must gain for another one.
const WORTHWHILE: f64 = 0.15;

/// An open node. Its columns are those of the base that are not out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Node {
    /// Nothing below it is better than this.
    pub(super) bound: f64,
    /// Order among nodes of equal bound.
    pub(super) number: u64,
    pub(super) depth: u32,
    pub(super) columns: Vec<u32>,
    pub(super) is_in: Vec<bool>,
    /// Shown to be below the matrix of the columns; empty if none was found.
    pub(super) diagonal: Vec<f64>,
    /// Where the relaxation starts: positions among the columns, and values.
    pub(super) start: Vec<(u32, f64)>,
}

impl Node {
    /// Whether a node that was read has the right form for a base of so many columns.
    pub(super) fn is_within(&self, columns: usize) -> bool {
        let count = self.columns.len();
        let are_columns =
            self.columns.iter().all(|&j| (j as usize) < columns) && self.columns.is_sorted_by(|a, b| a < b);
        let is_diagonal = self.diagonal.is_empty() || self.diagonal.len() == count;
        let is_start = self.start.iter().all(|&(at, x)| (at as usize) < count && x.is_finite());
        are_columns && is_diagonal && is_start && self.is_in.len() == count && !self.bound.is_nan()
    }

    /// Memory in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        std::mem::size_of::<Self>()
            + 4 * self.columns.len()
            + self.is_in.len()
            + 8 * self.diagonal.len()
            + 16 * self.start.len()
    }
}

/// What all nodes of a batch have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    pub(super) base: &'a Part<'a>,
    /// Entries that the diagonals began with.
    pub(super) began: &'a [f64],
    /// The unit of each column of the base, and the limits on units.
    pub(super) units: &'a [usize],
    pub(super) family: &'a Family,
    /// Relations among the columns, by the numbers that the base has for them.
    pub(super) relations: &'a [Relation],
    pub(super) cutoff: f64,
    pub(super) tolerance: f64,
}

/// What came of a node.
#[derive(Clone, Debug)]
pub(super) struct Worked {
    /// Nothing below the node is better than this, apart from what was screened away at the cutoff.
    pub(super) bound: f64,
    /// Whether part of the node was cut off because it cannot be below the cutoff.
    pub(super) is_screened: bool,
    /// A support that may be good, as columns of the base.
    pub(super) candidate: Option<Vec<usize>>,
    pub(super) end: End,
}

/// How work on a node ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// Nothing below it is worth looking for.
    Closed,
    /// Only this support is left.
    Leaf(Vec<usize>),
    /// Without and with one unit.
    Split([Box<Node>; 2]),
}

/// Works on a node.
pub(super) fn work(node: &Node, context: Context, cholesky: &mut Cholesky) -> Worked {
    Desk::new(node, context).work(cholesky)
}

/// A node laid out for work.
pub(super) struct Desk<'a> {
    pub(super) context: Context<'a>,
    node: &'a Node,
    pub(super) part: Part<'a>,
    /// Column of the base for each column of the part.
    pub(super) origin: Vec<usize>,
    pub(super) runs: Runs,
    pub(super) places: Vec<Place>,
    pub(super) room: Room,
    pub(super) diagonal: Vec<f64>,
    pub(super) theta: Vec<f64>,
    pub(super) bound: f64,
    is_screened: bool,
}

impl<'a> Desk<'a> {
    pub(super) fn new(node: &'a Node, context: Context<'a>) -> Self {
        let columns: Vec<usize> = node.columns.iter().map(|&j| j as usize).collect();
        let part = context.base.for_node(&columns);
        let origin = part.columns.clone();
        let is_compact = part.len() == columns.len();
        let mut places = vec![Place::Out; part.len()];
        let mut diagonal = vec![0.0; part.len()];
        let mut theta = vec![0.0; part.len()];
        let position = |at: usize| if is_compact { at } else { columns[at] };
        for (at, is_in) in node.is_in.iter().enumerate() {
            places[position(at)] = if *is_in { Place::In } else { Place::Free };
            if let Some(d) = node.diagonal.get(at) {
                diagonal[position(at)] = *d;
            }
        }
        node.start.iter().for_each(|&(at, x)| theta[position(at as usize)] = x);
        let runs = Runs::of(origin.iter().map(|&j| context.units[j]), context.family);
        let mut room = context.family.room([]);
        runs.in_place(&places, Place::In).for_each(|unit| room.take(runs.pool(unit)));
        runs.close_full_pools(&mut places, &room);
        let (bound, is_screened) = (node.bound, false);
        Self { context, node, part, origin, runs, places, room, diagonal, theta, bound, is_screened }
    }

    fn work(mut self, cholesky: &mut Cholesky) -> Worked {
        let tangled = if self.node.diagonal.is_empty() { self.untangle() } else { None };
        if let Some(unit) = tangled {
            let bounds = [self.bound, self.bound];
            return self.split(unit, bounds, None);
        }
        if self.is_leaf() {
            return self.leaf(None);
        }
        if self.node.diagonal.is_empty() && !self.begin_diagonal(cholesky) {
            let unit = self.runs.in_place(&self.places, Place::Free).next().unwrap_or(0);
            let bounds = [self.bound, self.bound];
            return self.split(unit, bounds, None);
        }
        let mut round = 0;
        loop {
            let before = self.bound;
            let relaxed = relax(self.restricted(), &self.theta, self.goal(), cholesky);
            let bound = Bound::at(self.restricted(), &relaxed.base);
            self.bound = self.bound.max(bound.value);
            let candidate = Some(self.rounded(&relaxed));
            if self.bound >= self.context.cutoff {
                return self.worked(candidate, End::Closed);
            }
            self.is_screened |= bound.screen(&self.runs, &mut self.places, &mut self.room, self.context.cutoff);
            if self.is_leaf() {
                return self.leaf(candidate);
            }
            round += 1;
            let gained = self.bound - before;
            let is_slow = round > 1 && gained < WORTHWHILE * (self.context.cutoff - self.bound);
            let scores = self.scores(&relaxed);
            self.theta = relaxed.theta;
            if round == ROUNDS || is_slow || !self.is_refreshed() || !self.refresh(&scores.weights, cholesky) {
                let (unit, pool) = (scores.best, self.runs.pool(scores.best));
                return self.split(unit, [bound.without(unit, pool), bound.with(unit, pool)], candidate);
            }
        }
    }

    fn goal(&self) -> Goal {
        let Context { cutoff, tolerance, .. } = self.context;
        Goal { cutoff, accuracy: 0.1 * tolerance, share: 0.1, rounds: 30 }
    }

    pub(super) fn restricted(&self) -> Restricted<'_> {
        let Self { part, runs, places, room, diagonal, .. } = self;
        Restricted { part, runs, places, room, diagonal }
    }

    fn count(&self, place: Place) -> usize {
        self.places.iter().filter(|at| **at == place).count()
    }

    /// Whether only one support is left.
    pub(super) fn is_leaf(&self) -> bool {
        let mut counts = vec![0; self.room.pools.len()];
        for unit in self.runs.in_place(&self.places, Place::Free) {
            counts[self.runs.pool(unit) as usize] += 1;
        }
        self.room.holds(&counts)
    }

    fn leaf(self, candidate: Option<Vec<usize>>) -> Worked {
        let support = self.alive().into_iter().map(|j| self.origin[j]).collect();
        self.worked(candidate, End::Leaf(support))
    }

    fn worked(self, candidate: Option<Vec<usize>>, end: End) -> Worked {
        Worked { bound: self.bound, is_screened: self.is_screened, candidate, end }
    }

    /// Columns that are not out.
    pub(super) fn alive(&self) -> Vec<usize> {
        (0..self.part.len()).filter(|&j| self.places[j] != Place::Out).collect()
    }

    /// Finds a diagonal where the columns above had none; false if these have none either.
    pub(super) fn begin_diagonal(&mut self, cholesky: &mut Cholesky) -> bool {
        let alive = self.alive();
        let sub = self.part.on(&alive);
        let found = diagonal::first(&sub.gram, sub.len(), cholesky);
        found.map(|entries| self.reduce(&alive, sub, entries)).is_some()
    }

    /// Whether the diagonal is improved here: it costs the cube of the columns.
    fn is_refreshed(&self) -> bool {
        let period = match self.places.len() - self.count(Place::Out) {
            0..=150 => 1,
            151..=300 => 2,
            301..=600 => 10,
            _ => return false,
        };
        self.node.depth.is_multiple_of(period)
    }

    /// Improves the diagonal for the columns that are left; false if that fails.
    fn refresh(&mut self, weights: &[f64], cholesky: &mut Cholesky) -> bool {
        let alive = self.alive();
        let pick = |values: &[f64]| -> Vec<f64> { alive.iter().map(|&j| values[j]).collect() };
        let sub = self.part.on(&alive);
        let (present, weights) = (pick(&self.diagonal), pick(weights));
        // Without one at the root, the diagonal that was found here is where it begins.
        let first = |(&j, &d): (&usize, &f64)| self.context.began.get(self.origin[j]).copied().unwrap_or(d);
        let began: Vec<f64> = alive.iter().zip(&present).map(first).collect();
        let improvable = Improvable { gram: &sub.gram, diagonal: &present, began: &began };
        let found = improvable.best_for(&weights, cholesky).and_then(|best| improvable.towards(&best, 0.5, cholesky));
        found.map(|entries| self.reduce(&alive, sub, entries)).is_some()
    }

    /// Goes on with some of the columns and their diagonal.
    pub(super) fn reduce(&mut self, alive: &[usize], sub: Part<'static>, diagonal: Vec<f64>) {
        self.runs = self.runs.on(alive);
        self.origin = alive.iter().map(|&j| self.origin[j]).collect();
        self.places = alive.iter().map(|&j| self.places[j]).collect();
        self.theta = alive.iter().map(|&j| self.theta[j]).collect();
        self.part = sub;
        self.diagonal = diagonal;
    }

    /// The units that the relaxation selects most, as columns of the base.
    pub(super) fn rounded(&self, relaxed: &Relaxed) -> Vec<usize> {
        let sizes: Vec<f64> = (0..self.runs.len()).map(|unit| self.square(unit, relaxed)).collect();
        let mut free: Vec<usize> =
            self.runs.in_place(&self.places, Place::Free).filter(|&unit| sizes[unit] > 0.0).collect();
        free.sort_unstable_by(|&i, &j| sizes[j].total_cmp(&sizes[i]).then(i.cmp(&j)));
        let mut room = self.room.clone();
        let mut chosen: Vec<usize> = self.runs.in_place(&self.places, Place::In).collect();
        for unit in free {
            if room.has(self.runs.pool(unit)) {
                room.take(self.runs.pool(unit));
                chosen.push(unit);
            }
        }
        let mut support: Vec<usize> =
            chosen.iter().flat_map(|&unit| self.runs.columns(unit)).map(|j| self.origin[j]).collect();
        support.sort_unstable();
        support
    }

    /// $a_u^2$
    fn square(&self, unit: usize, relaxed: &Relaxed) -> f64 {
        self.runs.columns(unit).map(|j| self.diagonal[j] * relaxed.theta[j] * relaxed.theta[j]).sum()
    }

    /// What the relaxation says about units: where more diagonal would help, and where to split.
    pub(super) fn scores(&self, relaxed: &Relaxed) -> Scores {
        let (mut weights, mut best, mut most) = (vec![0.0; self.part.len()], None, 0.0);
        for unit in self.runs.in_place(&self.places, Place::Free) {
            let square = self.square(unit, relaxed);
            let (a, level) = (square.sqrt(), relaxed.levels[self.runs.pool(unit) as usize]);
            if a > 0.0 && a < level {
                let z = a / level;
                let mut bend = 0.0;
                for j in self.runs.columns(unit) {
                    let x = relaxed.theta[j];
                    weights[j] = x * x * (1.0 / z - 1.0);
                    bend += self.part.curvature(j) * x * x;
                }
                let score = (z * (1.0 - z)).powi(2) * bend / square;
                if score > most {
                    (best, most) = (Some(unit), score);
                }
            }
        }
        // Nothing is undecided: the free unit with the steepest slope.
        let slope = |unit: &usize| self.runs.columns(*unit).map(|j| self.part.linear[j].abs()).fold(0.0, f64::max);
        let steepest = || {
            let free = self.runs.in_place(&self.places, Place::Free);
            free.max_by(|i, j| slope(i).total_cmp(&slope(j)).then(j.cmp(i))).unwrap_or(0)
        };
        Scores { weights, best: best.unwrap_or_else(steepest) }
    }

    fn split(self, unit: usize, bounds: [f64; 2], candidate: Option<Vec<usize>>) -> Worked {
        let split = self.runs.columns(unit);
        let has_diagonal = self.diagonal.iter().any(|d| *d > 0.0);
        let child = |is_in: bool| {
            let kept: Vec<usize> = self.alive().into_iter().filter(|&j| is_in || !split.contains(&j)).collect();
            let start = kept.iter().enumerate().filter(|(_, j)| self.theta[**j] != 0.0);
            Box::new(Node {
                bound: bounds[usize::from(is_in)].max(self.bound),
                number: 0,
                depth: self.node.depth + 1,
                columns: kept.iter().map(|&j| self.origin[j] as u32).collect(),
                is_in: kept.iter().map(|&j| self.places[j] == Place::In || split.contains(&j)).collect(),
                diagonal: if has_diagonal { kept.iter().map(|&j| self.diagonal[j]).collect() } else { Vec::new() },
                start: start.map(|(at, &j)| (at as u32, self.theta[j])).collect(),
            })
        };
        let children = [child(false), child(true)];
        self.worked(candidate, End::Split(children))
    }
}

/// See [`Desk::scores`].
pub(super) struct Scores {
    pub(super) weights: Vec<f64>,
    best: usize,
}
