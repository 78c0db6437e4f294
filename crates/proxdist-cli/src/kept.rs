//! Columns of the file that are written in front of predictions.

use crate::csv;
use crate::failure::{Failure, Result};
use proxdist_io::Table;
use std::collections::VecDeque;

/// What is written in front of each line.
pub(crate) struct Kept<'a> {
    names: &'a [String],
    is_raw: bool,
    /// Fields of rows that have no line yet.
    waiting: VecDeque<Vec<String>>,
}

impl<'a> Kept<'a> {
    /// Columns of these names; `is_raw` leaves text that a spreadsheet would run as it is.
    pub(crate) fn new(names: &'a [String], is_raw: bool) -> Self {
        Self { names, is_raw, waiting: VecDeque::new() }
    }

    /// In front of the header.
    pub(crate) fn header(&self) -> String {
        self.names.iter().map(|name| csv::field(name, self.is_raw) + ",").collect()
    }

    /// Takes the fields of a block.
    pub(crate) fn take(&mut self, table: &mut Table) -> Result<()> {
        if !self.names.is_empty() && table.echoed.is_empty() && table.features.rows() > 0 {
            let message = format!("--keep {}: only text files have columns to keep", self.names.join(","));
            return Err(Failure::new(
                message,
                "write the data as .csv, or leave --keep out: lines are in the order of rows",
            ));
        }
        self.waiting.extend(std::mem::take(&mut table.echoed));
        Ok(())
    }

    /// In front of the next row.
    pub(crate) fn next(&mut self) -> String {
        let fields = self.waiting.pop_front().unwrap_or_default();
        fields.iter().map(|field| csv::field(field, self.is_raw) + ",").collect()
    }
}
