//! What rows say about times or ordered labels: the columns of events, entries and strata, taken out of the features.

use crate::failure::{Failure, Result};
use crate::rows::FileRows;
use proxdist::joint::{CoxEvaluation, JointEvaluation, JointModel, OrdinalEvaluation};
use proxdist::survival::{SurvivalTimes, events};
use proxdist_io::{ColumnKind, Features, Schema, SchemaColumn, Table};
use serde::{Deserialize, Serialize};

/// The columns that belong to a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimeColumns {
    /// Whether the event happened.
    pub(crate) event: String,
    /// When a row came under observation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) entry: Option<String>,
    /// Which rows are compared with each other, with the values that occurred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) strata: Option<SchemaColumn>,
}

/// What is explained, for each row.
#[derive(Clone, Debug)]
pub(crate) enum Answers {
    Times(Times),
    Levels { labels: Vec<f64> },
}

/// Times of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    pub(crate) time: Vec<f64>,
    pub(crate) event: Vec<bool>,
    pub(crate) entry: Option<Vec<f64>>,
    /// The number of the stratum, and what the strata are called.
    pub(crate) strata: Option<Vec<usize>>,
    pub(crate) names: Vec<String>,
}

impl Times {
    pub(crate) fn view(&self) -> proxdist::Result<SurvivalTimes<'_>> {
        let mut times = SurvivalTimes::new(&self.time, &self.event)?;
        if let Some(entry) = &self.entry {
            times = times.entry(entry)?;
        }
        if let Some(strata) = &self.strata {
            times = times.strata(strata)?;
        }
        Ok(times)
    }

    /// The name of the stratum of each row.
    pub(crate) fn strata_names(&self) -> Option<Vec<String>> {
        let strata = self.strata.as_ref()?;
        Some(strata.iter().map(|&number| self.names[number].clone()).collect())
    }
}

impl Answers {
    /// Numbers by which rows are dealt to two parts: events, or labels.
    pub(crate) fn classes(&self) -> Vec<f64> {
        match self {
            Self::Times(times) => times.event.iter().map(|event| f64::from(u8::from(*event))).collect(),
            Self::Levels { labels } => labels.clone(),
        }
    }

    /// Of some rows, or of all.
    pub(crate) fn picked(&self, rows: Option<&[usize]>) -> Self {
        let Some(rows) = rows else { return self.clone() };
        let numbers = |all: &[f64]| -> Vec<f64> { rows.iter().map(|&row| all[row]).collect() };
        match self {
            Self::Levels { labels } => Self::Levels { labels: numbers(labels) },
            Self::Times(times) => Self::Times(Times {
                time: numbers(&times.time),
                event: rows.iter().map(|&row| times.event[row]).collect(),
                entry: times.entry.as_deref().map(numbers),
                strata: times.strata.as_ref().map(|strata| rows.iter().map(|&row| strata[row]).collect()),
                names: times.names.clone(),
            }),
        }
    }

    /// More rows behind these.
    pub(crate) fn extend(&mut self, more: Self) {
        match (self, more) {
            (Self::Times(all), Self::Times(more)) => {
                all.time.extend(more.time);
                all.event.extend(more.event);
                if let Some(entry) = more.entry {
                    all.entry.get_or_insert_default().extend(entry);
                }
                if let Some(strata) = more.strata {
                    all.strata.get_or_insert_default().extend(strata);
                }
                all.names = more.names;
            }
            (Self::Levels { labels }, Self::Levels { labels: more }) => labels.extend(more),
            _ => {}
        }
    }

    /// How good a model is on these rows, by their predictors.
    pub(crate) fn measured(
        &self,
        model: &JointModel,
        predictors: &[f64],
        offset: Option<&[f64]>,
        weights: &[f64],
    ) -> proxdist::Result<JointEvaluation> {
        Ok(match self {
            Self::Times(times) => {
                JointEvaluation::Times(CoxEvaluation::of(model, predictors, offset, &times.view()?, Some(weights))?)
            }
            Self::Levels { labels } => {
                JointEvaluation::Levels(OrdinalEvaluation::of(model, predictors, labels, Some(weights))?)
            }
        })
    }
}

/// The columns of a model with those of its times behind them, for a file that is compared with.
pub(crate) fn with_columns(schema: &Schema, columns: &TimeColumns, wants_answers: bool) -> Schema {
    let mut schema = schema.clone();
    if wants_answers {
        schema.columns.push(SchemaColumn::number(&columns.event));
        schema.columns.extend(columns.entry.as_ref().map(SchemaColumn::number));
    }
    schema.columns.extend(columns.strata.clone());
    schema
}

/// What was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Roles<'a> {
    pub(crate) event: Option<&'a str>,
    pub(crate) entry: Option<&'a str>,
    pub(crate) strata: Option<&'a str>,
}

/// Takes the columns out of the features; the column of strata is returned as it was encoded.
pub(crate) fn take(table: &mut Table, roles: Roles, source: &str) -> Result<(Times, Option<SchemaColumn>)> {
    let names = table.names();
    let find = |name: &str| table.schema.columns.iter().find(|column| column.name == name);
    for (role, name) in [("event", roles.event), ("entry", roles.entry), ("strata", roles.strata)] {
        if let Some(column) = name.and_then(find).filter(|column| column.marked) {
            let message = format!("{source}: the column {:?} of --{role} has missing values", column.name);
            return Err(Failure::new(message, "--missing drop leaves such rows out"));
        }
    }
    let number = |role: &str, name: &str| match find(name).map(|column| &column.kind) {
        Some(ColumnKind::Number { .. }) => Ok(names.iter().position(|other| other == name)),
        Some(ColumnKind::Levels { .. } | ColumnKind::Bins { .. }) => Err(Failure::new(
            format!("{source}: the column {name:?} of --{role} holds text, and numbers are needed"),
            "write events as 1 (it happened) and 0 (censored), and times as numbers",
        )),
        None => Err(Failure::new(
            format!("{source}: there is no column {name:?} for --{role}"),
            format!("--{role} names a column of the file that is neither the target nor left out"),
        )),
    };
    let event = roles.event.map(|name| number("event", name)).transpose()?.flatten();
    let entry = roles.entry.map(|name| number("entry", name)).transpose()?.flatten();
    let strata = match roles.strata {
        None => None,
        Some(name) => {
            let Some(column @ SchemaColumn { kind: ColumnKind::Levels { .. }, .. }) = find(name) else {
                let message = format!("{source}: there is no column {name:?} for --strata");
                return Err(Failure::new(message, "--strata names a column of the file that is not the target"));
            };
            Some(column.clone())
        }
    };
    let indicators = strata.as_ref().map(|column| indicators(&table.schema, column));
    let Features::Dense { rows, columns, values } = &table.features else {
        let message = format!("{source}: times and their events need a table of numbers in memory");
        return Err(Failure::new(message, "give a CSV file, or allow more --memory"));
    };
    let (rows, columns) = (*rows, *columns);
    let mut taken: Vec<usize> = event.iter().chain(&entry).copied().collect();
    taken.extend(indicators.clone().into_iter().flatten());
    let kept: Vec<usize> = (0..columns).filter(|place| !taken.contains(place)).collect();
    if kept.is_empty() {
        let message = format!("{source}: no column is left to explain the times with");
        return Err(Failure::new(message, "a model needs at least one feature"));
    }
    let column = |place: usize| -> Vec<f64> { values.iter().skip(place).step_by(columns).copied().collect() };
    let event = match event {
        Some(place) => events(&column(place)).map_err(|error| FileRows::of(source, table).explain(error))?,
        None => Vec::new(),
    };
    let entry = entry.map(column);
    let (mut numbers, mut levels) = (None, Vec::new());
    if let (Some(SchemaColumn { kind: ColumnKind::Levels { levels: all, .. }, .. }), Some(range)) =
        (&strata, indicators)
    {
        let first = all.len() - range.len();
        let of_row = |row: &[f64]| match row[range.clone()].iter().position(|value| *value == 1.0) {
            Some(place) => Ok(first + place),
            None if first > 0 => Ok(0),
            None => Err(Failure::new(
                format!("{source}: a row is in none of the strata of the model"),
                "leave --unknown zero out: it has no meaning for strata",
            )),
        };
        numbers = Some(values.chunks_exact(columns).map(of_row).collect::<Result<Vec<usize>>>()?);
        levels.clone_from(all);
    }
    let features = values.chunks_exact(columns).flat_map(|row| kept.iter().map(move |&place| row[place])).collect();
    table.features = Features::Dense { rows, columns: kept.len(), values: features };
    let is_taken = |name: &str| [roles.event, roles.entry, roles.strata].contains(&Some(name));
    table.schema.columns.retain(|column| !is_taken(&column.name));
    let time = table.response.clone().unwrap_or_default();
    Ok((Times { time, event, entry, strata: numbers, names: levels }, strata))
}

/// The features that a column of categories became.
fn indicators(schema: &Schema, column: &SchemaColumn) -> std::ops::Range<usize> {
    let width = |columns: &[SchemaColumn]| Schema { columns: columns.to_vec(), ..Schema::default() }.width();
    let place = schema.columns.iter().position(|other| other == column).unwrap_or(0);
    let before = width(&schema.columns[..place]);
    before..before + width(std::slice::from_ref(column))
}
