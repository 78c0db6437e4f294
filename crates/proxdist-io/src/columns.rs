//! Rows that come column by column, as in Parquet files and data frames: the cells of one column after the other are checked and coded, then rows with gaps are taken out.

use crate::collect::{At, Collector, MISSING};
use crate::error::{Error, Result};
use crate::layout::Role;
use crate::number;

/// One value of a column.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    Number(f64),
    Flag(bool),
    Text(&'a [u8]),
    Null,
}

impl<'a> Cell<'a> {
    /// The same texts are missing as in a text file, so that one schema fits both.
    pub(crate) fn text(bytes: &'a [u8]) -> Self {
        let bytes = bytes.trim_ascii();
        if number::is_missing(bytes) { Cell::Null } else { Cell::Text(bytes) }
    }
}

/// Takes the values of one column in order.
pub(crate) struct Sink<'a, 'b> {
    pub(crate) collector: &'a mut Collector<'b>,
    column: usize,
    /// Numbers, or codes of texts and labels.
    values: Vec<f64>,
    keep: &'a mut Vec<bool>,
}

impl Sink<'_, '_> {
    /// Takes the next value; returns the number that stands for it.
    pub(crate) fn take(&mut self, cell: &Cell<'_>) -> Result<f64> {
        let value = self.value(cell)?;
        let stays = !self.collector.take_drop();
        self.push(value, stays)?;
        Ok(value)
    }

    fn value(&mut self, cell: &Cell<'_>) -> Result<f64> {
        let (collector, column) = (&mut *self.collector, self.column);
        let at = At::Row(collector.seen - collector.before + self.values.len() as u64 + 1);
        let role = collector.layout.roles[column];
        let labels = role == Role::Target && collector.labels.is_some();
        let cell = match cell {
            Cell::Flag(flag) if !matches!(role, Role::Text(_)) => &Cell::Number(f64::from(u8::from(*flag))),
            other => other,
        };
        Ok(match (cell, role) {
            (Cell::Null, _) => {
                collector.missing(column, b"null", at)?;
                if matches!(role, Role::Text(_)) { f64::from(MISSING) } else { f64::NAN }
            }
            (Cell::Number(value), Role::Text(slot)) => {
                f64::from(collector.text_code(slot, column, value.to_string().as_bytes(), at)?)
            }
            (Cell::Flag(flag), Role::Text(slot)) => {
                let word = collector.texts[slot].spelled(*flag);
                f64::from(collector.text_code(slot, column, word, at)?)
            }
            (Cell::Text(text), Role::Text(slot)) => f64::from(collector.text_code(slot, column, text, at)?),
            (Cell::Number(value), _) if labels => {
                let value = collector.checked(column, *value, at, || value.to_string())?;
                if value.is_nan() { value } else { collector.label_code(column, value.to_string().as_bytes(), at)? }
            }
            (Cell::Text(text), _) if labels => collector.label_code(column, text, at)?,
            (Cell::Number(value), _) => collector.checked(column, *value, at, || value.to_string())?,
            (Cell::Text(text), _) => collector.number(column, text, at)?,
            (Cell::Flag(flag), _) => f64::from(u8::from(*flag)),
        })
    }

    /// Takes a value that is known to stand for itself, of a row that stays or not as far as this column goes.
    pub(crate) fn push(&mut self, value: f64, stays: bool) -> Result<()> {
        let row = self.values.len();
        // A few bytes can stand for millions of equal values.
        if number::reserve(&mut self.values, 1).is_err() {
            let (source_name, what) = (self.collector.source.clone(), format!("{} rows", row + 1));
            return Err(Error::TooLarge { source_name, what });
        }
        self.values.push(value);
        match self.keep.get_mut(row) {
            Some(keep) => *keep &= stays,
            None => self.keep.push(stays),
        }
        Ok(())
    }
}

/// Some rows of all columns.
pub(crate) struct Group {
    /// Numbers that were there before.
    base: usize,
    /// Whether each row stays.
    keep: Vec<bool>,
    target: Vec<f64>,
    is_first: bool,
}

impl Group {
    /// Begins behind the rows that the collector has.
    pub(crate) fn begin(collector: &Collector<'_>) -> Self {
        Self { base: collector.numbers.len(), keep: Vec::new(), target: Vec::new(), is_first: true }
    }

    /// Takes a column, whose values `fill` hands over in order. Says whether it has as many as the columns before.
    pub(crate) fn column(
        &mut self,
        collector: &mut Collector<'_>,
        column: usize,
        fill: impl FnOnce(&mut Sink<'_, '_>) -> Result<()>,
    ) -> Result<bool> {
        let values = {
            let mut sink = Sink { collector, column, values: Vec::new(), keep: &mut self.keep };
            fill(&mut sink)?;
            sink.values
        };
        let (base, width) = (self.base, collector.layout.numbers);
        if std::mem::take(&mut self.is_first) {
            collector.grow(values.len())?;
            collector.numbers.resize(base + values.len() * width, f64::NAN);
        } else if values.len() != self.keep.len() {
            return Ok(false);
        }
        match collector.layout.roles[column] {
            Role::Number(slot) => {
                let rows = collector.numbers[base..].chunks_exact_mut(width);
                rows.zip(values).for_each(|(row, value)| row[slot] = value);
            }
            Role::Text(slot) => collector.texts[slot].codes.extend(values.iter().map(|&code| code as u32)),
            Role::Target => self.target = values,
            Role::Weights => collector.weights.extend(values),
            Role::Offset => collector.offset.extend(values),
            Role::Skip => {}
        }
        Ok(true)
    }

    /// Counts labels, and takes out the rows that are to be dropped.
    pub(crate) fn finish(self, collector: &mut Collector<'_>) {
        let Self { base, keep, target, .. } = self;
        let width = collector.layout.numbers;
        if let (Some(labels), false) = (&mut collector.labels, collector.response_absent) {
            let kept = target.iter().zip(&keep).filter(|(_, keep)| **keep);
            kept.for_each(|(&code, _)| labels.count(code as usize));
        }
        collector.response.extend(target);
        let mut kept = 0;
        for (row, &stays) in keep.iter().enumerate() {
            if !stays {
                collector.dropped.push(collector.seen + row as u64);
                collector.left_out += 1;
                continue;
            }
            let (from, to) = (base + row * width, base + kept * width);
            collector.numbers.copy_within(from..from + width, to);
            kept += 1;
        }
        collector.numbers.truncate(base + kept * width);
        collector.texts.iter_mut().for_each(|column| retain(&mut column.codes, &keep));
        for vector in [&mut collector.response, &mut collector.weights, &mut collector.offset] {
            retain(vector, &keep);
        }
        collector.rows += kept;
        collector.kept += kept as u64;
        collector.seen += keep.len() as u64;
    }
}

/// Of the values of the last rows, takes out those of rows that do not stay. A vector that nobody asked for has none.
fn retain<T: Copy>(values: &mut Vec<T>, keep: &[bool]) {
    let Some(first) = values.len().checked_sub(keep.len()) else { return };
    let mut kept = first;
    for (row, _) in keep.iter().enumerate().filter(|(_, stays)| **stays) {
        values[kept] = values[first + row];
        kept += 1;
    }
    values.truncate(kept);
}
