//! A file or a pipe that may have no end, in blocks of rows.
//!
//! The first block is waited for and read like a small file: it tells delimiter, header, the kind of each column, the levels of text columns, the two labels and, of an svmlight file, the number of columns, unless a [`Schema`] is given
//! that knows them. Every later block is read by what was found: another level is an error or none of the known ones, as [`ReadOptions::unknown`] says; another label or index is an error with its line.
//! Missing numbers are filled in with the mean of all numbers of their column up to the end of their block, missing texts with the most frequent one of the first block.
//!
//! A reader that has nothing now may say so by [`std::io::ErrorKind::WouldBlock`]: then the rows so far make a shorter block.

use crate::collect::Collector;
use crate::compression::{Input, Lines};
use crate::csv;
use crate::encode;
use crate::error::{Error, Result};
use crate::format;
use crate::options::{Format, ReadOptions};
use crate::schema::{ColumnKind, Schema, SchemaColumn};
use crate::svmlight;
use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::Read;

/// What later blocks are read by: plain data, so that another process can go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// Columns, levels and labels, with the means so far.
    pub schema: Schema,
    /// The means of the numeric columns, where they are filled in.
    means: Vec<Mean>,
}

/// The mean of the numbers of a column so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Mean {
    count: u64,
    mean: f64,
}

/// What comes next.
#[derive(Debug)]
pub enum Next {
    /// A block of rows.
    Rows(Box<Table>),
    /// There is nothing now.
    Nothing,
    /// There will be nothing any more.
    End,
}

/// Blocks of rows, read one after the other.
pub struct Blocks<'a> {
    lines: Lines<'a>,
    form: Form,
    /// As asked for; with the schema once there is one.
    options: ReadOptions,
    encoding: Option<Encoding>,
    /// Rows read, those left out too.
    records: u64,
    is_over: bool,
}

/// How far it is, without the rows.
impl fmt::Debug for Blocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, records, is_over, .. } = self;
        f.debug_struct("Blocks")
            .field("source", &lines.input.name)
            .field("records", records)
            .field("is_over", is_over)
            .finish_non_exhaustive()
    }
}

enum Form {
    Csv(csv::Form),
    /// The last line that was read.
    Svmlight(u64),
}

impl ReadOptions {
    /// Reads delimited or svmlight text in blocks; `name` stands for the reader in messages, and its extension tells the format. Waits until there are as many `rows` as the first block is to have.
    pub fn blocks<'a>(self, reader: impl Read + 'a, name: &str, rows: usize) -> Result<Blocks<'a>> {
        crate::check(&self)?;
        if !self.bins.is_empty() {
            let what = "rows that come in order".to_owned();
            return Err(Error::BinsNotHere { source_name: name.to_owned(), what });
        }
        let mut lines = Lines::waiting(Input::new(name, reader, None, None)?);
        let mut seen = 0;
        // One line more, for a header.
        while !lines.finished && seen <= rows {
            lines.fill_some()?;
            seen = memchr::memchr_iter(b'\n', lines.data()).count();
        }
        let (format, _) = format::detect(name, lines.data(), self.format)?;
        lines.skip_mark()?;
        let form = match format {
            Format::Csv => Form::Csv(csv::Form::open(&mut lines, &self)?),
            Format::Svmlight => Form::Svmlight(0),
            other => {
                let reason = format!("{name} is a {} file; rows that come in order are CSV or svmlight", other.title());
                return Err(Error::Setting { setting: "stream", reason });
            }
        };
        let this = match &form {
            Form::Csv(form) => self.written_out(name, form.columns())?.into_owned(),
            Form::Svmlight(_) => self,
        };
        let encoding = this.schema.clone().map(|schema| Encoding { schema, means: Vec::new() });
        let options = if encoding.is_some() { this.need_target(true) } else { this };
        Ok(Blocks { lines, form, options, encoding, records: 0, is_over: false })
    }
}

impl Blocks<'_> {
    /// Goes on with the encoding of an earlier reader.
    pub fn resume(&mut self, encoding: Encoding) {
        self.options = self.options.clone().schema(encoding.schema.clone()).need_target(true);
        self.encoding = Some(encoding);
    }

    /// What later blocks are read by; `None` before the first.
    pub fn encoding(&self) -> Option<&Encoding> {
        self.encoding.as_ref()
    }

    /// Rows read so far, those left out too.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Up to so many rows.
    pub fn next(&mut self, rows: usize) -> Result<Next> {
        if self.is_over {
            return Ok(Next::End);
        }
        let is_first = self.encoding.is_none();
        // The first block is waited for; a later one is not.
        let mut more = |lines: &mut Lines<'_>| -> Result<bool> {
            loop {
                match lines.fill_some()? {
                    true => return Ok(true),
                    false if !is_first => return Ok(false),
                    false => {}
                }
            }
        };
        let (table, is_over) = match &mut self.form {
            Form::Csv(opened) => {
                let (collector, is_over) = opened.collect(&mut self.lines, &self.options, rows, &mut more)?;
                self.records += collector.seen;
                let table = if collector.rows > 0 || is_first {
                    let mut encoding = self.encoding.take().unwrap_or_default();
                    let table = encoded(collector, &mut encoding.means, is_first)?;
                    self.encoding = Some(Encoding { schema: table.schema.clone(), ..encoding });
                    Some(table)
                } else {
                    None
                };
                (table, is_over)
            }
            Form::Svmlight(line) => {
                let (table, is_over) = svmlight::read_some(&mut self.lines, &self.options, line, rows, &mut more)?;
                if let Some(table) = &table {
                    self.records += table.features.rows() as u64;
                    self.encoding = Some(Encoding { schema: table.schema.clone(), means: Vec::new() });
                }
                (table, is_over)
            }
        };
        self.is_over = is_over;
        let Some(mut table) = table else { return Ok(if is_over { Next::End } else { Next::Nothing }) };
        if is_first {
            if let Form::Csv(opened) = &self.form {
                table.notices.insert(0, opened.notice.clone());
            }
            self.options = self.options.clone().schema(table.schema.clone()).need_target(true);
        }
        Ok(Next::Rows(Box::new(table)))
    }
}

/// The table of a block, gaps filled in with the means of all numbers so far.
fn encoded(mut collector: Collector<'_>, means: &mut Vec<Mean>, is_first: bool) -> Result<Table> {
    let width = collector.layout.numbers;
    if !collector.options.missing.fills() || width == 0 {
        return encode::finish(collector);
    }
    if means.len() != width {
        let known = collector.options.schema.iter().flat_map(|schema| schema.columns.iter().filter_map(fill_of));
        *means = known.map(|mean| Mean { count: 0, mean }).collect();
        means.resize(width, Mean { count: 0, mean: 0.0 });
    }
    for row in collector.numbers.chunks_exact(width) {
        for (so_far, &value) in means.iter_mut().zip(row).filter(|(_, value)| !value.is_nan()) {
            so_far.count += 1;
            // Updating the mean itself cannot overflow where a sum could.
            so_far.mean += (value - so_far.mean) / so_far.count as f64;
        }
    }
    if !is_first {
        // In the first block they are filled in, and said, as in a file.
        collector.options.schema.iter_mut().for_each(|schema| put(schema, means));
    }
    let mut table = encode::finish(collector)?;
    put(&mut table.schema, means);
    Ok(table)
}

/// Lets the means so far stand for missing numbers.
fn put(schema: &mut Schema, means: &[Mean]) {
    let numbers = schema.columns.iter_mut().filter_map(|column| match &mut column.kind {
        ColumnKind::Number { fill } | ColumnKind::Bins { fill, .. } => Some(fill),
        ColumnKind::Levels { .. } => None,
    });
    numbers.zip(means).for_each(|(fill, so_far)| *fill = Some(so_far.mean));
}

/// What is filled in for a numeric column.
fn fill_of(column: &SchemaColumn) -> Option<f64> {
    match column.kind {
        ColumnKind::Number { fill } | ColumnKind::Bins { fill, .. } => Some(fill.unwrap_or(0.0)),
        ColumnKind::Levels { .. } => None,
    }
}
