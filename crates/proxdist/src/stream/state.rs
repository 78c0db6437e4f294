//! Where a stream is: plain data, from which it goes on with the same bits.

use super::clock::Clock;
use super::contest::Contest;
use super::moments::{Moments, unscaled};
use super::problem::Form;
use super::progressive::Progressive;
use super::reservoir::Reservoir;
use super::rows::KeptRows;
use crate::error::{Error, Result};
use crate::rule::Rule;
use crate::scaling::Scaling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The state between two blocks. It can be stored with serde; [`super::StreamProblem::resume`] goes on from it as if there had been no break.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamState {
    /// What must be the same for a stream to go on.
    pub(crate) identity: BTreeMap<String, String>,
    pub(crate) seed: u64,
    pub(crate) rows: u64,
    pub(crate) blocks: u64,
    pub(crate) learned: Learned,
    pub(crate) progressive: Progressive,
    /// Whether the first block had sparse rows, once there was one.
    pub(crate) is_sparse: Option<bool>,
    pub(crate) reservoir: Option<Reservoir>,
}

/// What steps change, and what goes back to what it was where a step fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learned {
    pub(crate) clock: Clock,
    /// Where columns are scaled, or the ridge needs their variances.
    pub(crate) moments: Option<Moments>,
    /// The units of all parameters, where columns are scaled.
    pub(crate) scaling: Option<Scaling>,
    pub(crate) contest: Contest,
    /// The first rows, until there are enough to begin with.
    pub(crate) opening: Option<KeptRows>,
    pub(crate) start: Start,
}

/// Where a stream begins, in the units of the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// Coefficients, then the intercept if there is one.
    pub(crate) theta: Vec<f64>,
    /// Rows that it stands for.
    pub(crate) rows: u64,
    /// The first penalty that belongs to it.
    pub(crate) rho1: Option<f64>,
}

impl Learned {
    /// Before the first row.
    pub(crate) fn begin(form: &Form, start: Start) -> Self {
        let columns = form.layout.coefficient_count();
        Self {
            clock: Clock::after(start.rows),
            moments: form.needs_moments().then(|| Moments::new(columns)),
            scaling: form.preparation.is_scaled().then(|| unscaled(columns)),
            contest: Contest::default(),
            opening: None,
            start,
        }
    }

    /// Takes over what another one holds, in the memory that is there.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.clock = other.clock;
        match (&mut self.moments, &other.moments) {
            (Some(mine), Some(theirs)) => mine.copy_from(theirs),
            (mine, theirs) => mine.clone_from(theirs),
        }
        match (&mut self.scaling, &other.scaling) {
            (Some(mine), Some(theirs)) => {
                mine.means.clone_from(&theirs.means);
                mine.factors.clone_from(&theirs.factors);
            }
            (mine, theirs) => mine.clone_from(theirs),
        }
        self.contest.copy_from(&other.contest);
        self.opening.clone_from(&other.opening);
        self.start.theta.clone_from(&other.start.theta);
        (self.start.rows, self.start.rho1) = (other.start.rows, other.start.rho1);
    }
}

impl StreamState {
    /// Before the first row.
    pub(crate) fn begin(form: &Form, start: Start) -> Self {
        Self {
            identity: form.identity(),
            seed: form.settings.seed,
            rows: 0,
            blocks: 0,
            learned: Learned::begin(form, start),
            progressive: Progressive::default(),
            is_sparse: None,
            reservoir: None,
        }
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Refuses a state of another stream, or one that no stream could have left.
    pub(crate) fn check(&self, form: &Form) -> Result<()> {
        let what = "the state of a stream";
        let refuse = |value: String| Err(Error::setting(what, Rule::OfThisStream, value));
        for (name, is) in form.identity() {
            match self.identity.get(&name) {
                Some(was) if *was == is => {}
                Some(was) => return refuse(format!("one with {name} {was}, not {is}")),
                None => return refuse(format!("one without {name}")),
            }
        }
        let (columns, length) = (form.layout.coefficient_count(), form.layout.len());
        let Learned { moments, scaling, contest, opening, start, .. } = &self.learned;
        let is_sound = contest.is_sound(length)
            && start.theta.len() == length
            && moments.as_ref().is_none_or(|moments| moments.columns() == columns)
            && moments.is_some() == form.needs_moments()
            && scaling.as_ref().is_none_or(|scaling| is_scale(scaling, columns))
            && scaling.is_some() == form.preparation.is_scaled()
            && opening.as_ref().is_none_or(|rows| rows.is_sound() && rows.columns() == columns)
            && self.reservoir.as_ref().is_none_or(|kept| kept.is_sound() && kept.rows().columns() == columns);
        if is_sound { Ok(()) } else { refuse("one whose numbers do not fit together".to_owned()) }
    }
}

fn is_scale(scaling: &Scaling, columns: usize) -> bool {
    let lengths = (scaling.means.len(), scaling.factors.len());
    lengths == (columns, columns) && scaling.factors.iter().all(|factor| *factor > 0.0 && factor.is_finite())
}
