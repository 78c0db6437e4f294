//! When rows enter, when they leave, and whether by the event.

use super::SurvivalFault;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How events at the same time are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ties {
    /// As if all of them were at risk until the last one.
    Breslow,
    /// As if they left one after the other, on average over their orders.
    #[default]
    Efron,
}

impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Breslow => "breslow",
            Self::Efron => "efron",
        })
    }
}

impl Ties {
    /// Reads the name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Breslow, Self::Efron].into_iter().find(|ties| ties.to_string() == text)
    }
}

/// The times of all rows, checked.
#[derive(Clone, Copy, Debug)]
pub struct SurvivalTimes<'a> {
    pub(crate) time: &'a [f64],
    pub(crate) event: &'a [bool],
    pub(crate) entry: Option<&'a [f64]>,
    pub(crate) strata: Option<&'a [usize]>,
}

fn check_times(what: &'static str, times: &[f64]) -> Result<()> {
    match times.iter().position(|time| !(time.is_finite() && *time >= 0.0)) {
        Some(row) => Err(Error::Survival(SurvivalFault::Time { what, row, value: times[row] })),
        None => Ok(()),
    }
}

impl<'a> SurvivalTimes<'a> {
    /// When each row was last seen, and whether the event happened then.
    pub fn new(time: &'a [f64], event: &'a [bool]) -> Result<Self> {
        let this = Self { time, event, entry: None, strata: None };
        this.check_length("events", event.len())?;
        check_times("time", time)?;
        Ok(this)
    }

    /// When each row came under observation, before its time: left truncation.
    pub fn entry(self, entry: &'a [f64]) -> Result<Self> {
        self.check_length("entries", entry.len())?;
        check_times("entry", entry)?;
        if let Some(row) = entry.iter().zip(self.time).position(|(entry, time)| entry >= time) {
            return Err(Error::Survival(SurvivalFault::Entry { row, entry: entry[row], time: self.time[row] }));
        }
        Ok(Self { entry: Some(entry), ..self })
    }

    /// A number for each row, the same for rows that are compared with each other. Each stratum has a baseline hazard of its own.
    pub fn strata(self, strata: &'a [usize]) -> Result<Self> {
        self.check_length("strata", strata.len())?;
        Ok(Self { strata: Some(strata), ..self })
    }

    /// Rows, n.
    pub fn rows(&self) -> usize {
        self.time.len()
    }

    pub(super) fn stratum(&self, row: usize) -> usize {
        self.strata.map_or(0, |strata| strata[row])
    }

    fn check_length(&self, what: &'static str, found: usize) -> Result<()> {
        let expected = self.rows();
        if found == expected { Ok(()) } else { Err(Error::Length { what, found, expected, rule: "one for each row" }) }
    }
}

/// Events as numbers, 1 or 0.
pub fn events(values: &[f64]) -> Result<Vec<bool>> {
    match values.iter().position(|value| *value != 0.0 && *value != 1.0) {
        Some(row) => Err(Error::Survival(SurvivalFault::Event { row, value: values[row] })),
        None => Ok(values.iter().map(|value| *value == 1.0).collect()),
    }
}
