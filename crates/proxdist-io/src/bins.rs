//! Columns of numbers that become bins: which are asked for, and what is learned of them.
//!
//! Bins are learned from all rows at once, so those rows are in memory. A request without names is about every column of numbers with more than two different values: two values are an indicator already.

use std::fmt;
use std::sync::Arc;

use proxdist::binning::{BinRule, Bins, Column};
use proxdist::spec::{Coordinates, Names};

use crate::collect::Collector;
use crate::error::{Error, Place, Result};
use crate::layout::Role;
use crate::options::ReadOptions;
use crate::schema::ColumnKind;

/// Columns that become bins by a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct BinRequest {
    /// Which columns, by the names of the file or by number; none for all columns of numbers.
    pub columns: Option<Coordinates>,
    /// How their bins are found.
    pub rule: BinRule,
}

/// A rule for a column, and whether the column was named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) rule: BinRule,
    is_named: bool,
}

/// Which rows bins are learned from.
#[derive(Clone, Default)]
pub(crate) struct BinRows(Option<Arc<RowsOf>>);

/// From responses, and whether they are labels, to rows; none for all.
type RowsOf = dyn Fn(&[f64], bool) -> Option<Vec<usize>> + Send + Sync;

impl BinRows {
    pub(crate) fn of(rows: impl Fn(&[f64], bool) -> Option<Vec<usize>> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(rows)))
    }
}

impl fmt::Debug for BinRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "some rows" } else { "all rows" })
    }
}

/// The responses that bins may be learned from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers<'a> {
    pub(crate) response: Option<&'a [f64]>,
    pub(crate) are_labels: bool,
}

/// The rule of each column of a file; those without one stay as they are.
pub(crate) fn asked(
    source: &str,
    names: &[String],
    (features, roles): (&[usize], &[Role]),
    options: &ReadOptions,
) -> Result<Vec<Option<Asked>>> {
    let mut asked = vec![None; names.len()];
    if options.schema.is_some() {
        return Ok(asked);
    }
    let of_features: Vec<String> = features.iter().map(|&column| names[column].clone()).collect();
    for request in &options.bins {
        let rule = request.rule;
        let Some(wanted) = &request.columns else {
            let numbers = features.iter().filter(|&&column| matches!(roles[column], Role::Number(_)));
            numbers.for_each(|&column| asked[column] = Some(Asked { rule, is_named: false }));
            continue;
        };
        let found = Names::of(&of_features).find(wanted).map_err(|fault| {
            let (source_name, reason) = (source.to_owned(), fault.to_string());
            Error::BinColumns { source_name, wanted: wanted.to_string(), reason }
        })?;
        for column in found.into_iter().map(|at| features[at]) {
            if !matches!(roles[column], Role::Number(_)) {
                return Err(Error::BinsOfText { place: Place::file(source).column(column, &names[column]).boxed() });
            }
            asked[column] = Some(Asked { rule, is_named: true });
        }
    }
    Ok(asked)
}

/// The bins of a column that is read for the first time, and what to say about them; none where it stays as it is.
pub(crate) fn learned(
    collector: &Collector<'_>,
    (column, slot): (usize, usize),
    answers: Answers<'_>,
) -> Result<Option<(ColumnKind, String)>> {
    let Some(Some(Asked { rule, is_named })) = collector.layout.bins.get(column).copied() else { return Ok(None) };
    if collector.rows < collector.kept as usize {
        let what = "more than the memory that may be used holds".to_owned();
        return Err(Error::BinsNotHere { source_name: collector.source.clone(), what });
    }
    let (numbers, coding, name) = (collector.layout.numbers, collector.options.coding, &collector.layout.names[column]);
    let all = || collector.numbers.iter().skip(slot).step_by(numbers.max(1)).copied();
    let values: Vec<f64> = all().collect();
    if !is_named && has_two_values(&values) {
        return Ok(None);
    }
    let chosen = answers.response.and_then(|response| {
        let rows = collector.options.bin_rows.0.as_ref()?;
        rows(response, answers.are_labels)
    });
    let picked = |from: &[f64]| -> Vec<f64> {
        match &chosen {
            Some(rows) => rows.iter().filter_map(|&row| from.get(row).copied()).collect(),
            None => from.to_vec(),
        }
    };
    // Codes of more than two labels have no order.
    let has_order = |response: &&[f64]| !answers.are_labels || response.iter().all(|code| *code <= 1.0);
    let (some, response) = (picked(&values), answers.response.filter(has_order).map(picked));
    let weights = collector.options.weights.as_ref().map(|_| picked(&collector.weights));
    let from = Column { values: &some, response: response.as_deref(), weights: weights.as_deref() };
    let mut bins = Bins::learn(&rule, &from).map_err(|fault| {
        let place = Place::file(&collector.source).column(column, name).boxed();
        Error::Bins { place, fault }
    })?;
    // A gap in the rows that were left out is one all the same.
    bins.missing = rule.missing && values.iter().any(|value| value.is_nan());
    let fill = collector.options.missing == crate::Missing::Mean;
    let fill = fill.then(|| collector.statistics.means[slot]);
    let notice = said(name, &bins);
    Ok(Some((ColumnKind::Bins { bins, coding, fill }, notice)))
}

fn has_two_values(values: &[f64]) -> bool {
    let mut seen: Vec<f64> = Vec::new();
    for value in values.iter().filter(|value| !value.is_nan()) {
        if !seen.contains(value) {
            seen.push(*value);
        }
        if seen.len() > 2 {
            return false;
        }
    }
    seen.len() == 2
}

fn said(name: &str, bins: &Bins) -> String {
    if bins.count() == 1 {
        return format!("column {name} has one bin and is left out");
    }
    let missing = if bins.missing { ", one of them for missing values" } else { "" };
    let edges: Vec<String> = bins.edges.iter().map(ToString::to_string).collect();
    let cuts = if edges.is_empty() { String::new() } else { format!(", cut at {}", edges.join(", ")) };
    format!("column {name} becomes {} bins{missing}{cuts}", bins.count())
}
