//! What rows have to say: times or labels, of all rows or of some.

use super::problem::JointProblem;
use crate::constraint::Constraint;
use crate::data::Data;
use crate::error::Result;
use crate::survival::{SurvivalTimes, Ties};

/// Of rows in memory of one's own, so that parts of them can be taken.
#[derive(Clone, Debug)]
pub(super) enum Answers {
    Times(Times),
    Levels { labels: Vec<f64>, levels: Vec<String> },
}

/// Times until an event.
#[derive(Clone, Debug)]
pub(super) struct Times {
    time: Vec<f64>,
    pub(super) event: Vec<bool>,
    entry: Option<Vec<f64>>,
    strata: Option<Vec<usize>>,
    pub(super) ties: Ties,
    pub(super) names: Vec<String>,
}

impl Times {
    pub(super) fn of(times: &SurvivalTimes, ties: Ties) -> Self {
        let SurvivalTimes { time, event, entry, strata } = *times;
        Self {
            time: time.to_vec(),
            event: event.to_vec(),
            entry: entry.map(<[f64]>::to_vec),
            strata: strata.map(<[usize]>::to_vec),
            ties,
            names: Vec::new(),
        }
    }

    pub(super) fn view(&self) -> Result<SurvivalTimes<'_>> {
        let mut times = SurvivalTimes::new(&self.time, &self.event)?;
        if let Some(entry) = &self.entry {
            times = times.entry(entry)?;
        }
        match &self.strata {
            Some(strata) => times.strata(strata),
            None => Ok(times),
        }
    }
}

impl Answers {
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Times(times) => times.time.len(),
            Self::Levels { labels, .. } => labels.len(),
        }
    }

    pub(super) fn loss_name(&self) -> &'static str {
        match self {
            Self::Times(_) => "cox",
            Self::Levels { .. } => "ordinal",
        }
    }

    /// Of some rows.
    pub(super) fn picked(&self, rows: &[usize]) -> Self {
        fn of<T: Copy>(all: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| all[row]).collect()
        }
        match self {
            Self::Times(times) => Self::Times(Times {
                time: of(&times.time, rows),
                event: of(&times.event, rows),
                entry: times.entry.as_deref().map(|entry| of(entry, rows)),
                strata: times.strata.as_deref().map(|strata| of(strata, rows)),
                ties: times.ties,
                names: times.names.clone(),
            }),
            Self::Levels { labels, levels } => Self::Levels { labels: of(labels, rows), levels: levels.clone() },
        }
    }

    /// The problem of rows that are these.
    pub(super) fn problem<'a>(&self, data: &'a Data<'a>, set: impl Constraint + 'a) -> Result<JointProblem<'a>> {
        match self {
            Self::Times(times) => {
                Ok(JointProblem::cox(data, &times.view()?, times.ties, set)?.strata(times.names.iter().cloned()))
            }
            Self::Levels { labels, levels } => JointProblem::ordinal(data, labels, levels.iter().cloned(), set),
        }
    }
}
