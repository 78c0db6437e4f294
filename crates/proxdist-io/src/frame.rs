//! Tables that are in memory already, column by column, as data frames are: read like a file of the same columns, to the same names and bits.
//!
//! Numbers are numbers, texts and flags become indicator columns unless a schema says otherwise; `NaN` is a missing value, and so are the texts that stand for one in a file.

use crate::collect::{Collector, MISSING};
use crate::columns::{Cell, Group, Sink};
use crate::encode;
use crate::error::{Error, Place, Result};
use crate::layout::{Kind, Layout, Role};
use crate::options::ReadOptions;
use crate::outlet::Outlet;
use crate::table::Table;

/// A column in memory.
#[derive(Clone, Debug)]
pub struct FrameColumn<'a> {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub cells: Cells<'a>,
}

/// The values of a column.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Cells<'a> {
    /// Numbers; `NaN` is missing.
    Numbers(&'a [f64]),
    /// 1 for true, 0 for false, anything else is missing.
    Flags(&'a [i8]),
    /// For each row the number of its text; one that is no number of a text is missing.
    Texts {
        /// A number a row.
        codes: &'a [i64],
        /// The texts.
        levels: Vec<String>,
    },
    /// Something that cannot be used, in words.
    Other(String),
}

impl Cells<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Numbers(_) => Kind::Number,
            Self::Flags(_) | Self::Texts { .. } | Self::Other(_) => Kind::Text,
        }
    }

    /// Rows, where there is anything to count.
    fn rows(&self) -> Option<usize> {
        match self {
            Self::Numbers(values) => Some(values.len()),
            Self::Flags(values) => Some(values.len()),
            Self::Texts { codes, .. } => Some(codes.len()),
            Self::Other(_) => None,
        }
    }
}

/// Reads columns in memory as a table without target; `name` stands for them in messages. Rows of which `left_out` says so are no part of it, as if they had
/// a missing value; it is empty where none is.
pub fn read_columns(
    name: &str,
    columns: &[FrameColumn<'_>],
    left_out: &[bool],
    options: &ReadOptions,
) -> Result<Table> {
    crate::check(options)?;
    let mut options = options.written_out(name, columns.len())?.into_owned();
    if let Some(schema) = &mut options.schema {
        // The answers are not part of a frame of features, even where a column is called like them.
        schema.target = None;
    }
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let kinds: Vec<Kind> = columns.iter().map(|column| column.cells.kind()).collect();
    let layout = Layout::new(name, names, true, &kinds, &options)?;
    for (position, column) in columns.iter().enumerate().filter(|(at, _)| layout.roles[*at] != Role::Skip) {
        if let Cells::Other(kind) = &column.cells {
            let place = Place::file(name).column(position, &column.name).boxed();
            return Err(Error::ColumnType { place, kind: kind.clone() });
        }
    }
    let rows = columns.iter().find_map(|column| column.cells.rows()).unwrap_or(0);
    if rows == 0 {
        return Err(Error::HeaderOnly { source_name: name.to_owned(), columns: columns.len() });
    }
    let mut collector = Collector::new(name, layout, &options, Outlet::Memory);
    let mut group = Group::begin(&collector);
    for (position, column) in columns.iter().enumerate() {
        if collector.layout.roles[position] == Role::Skip {
            continue;
        }
        if !group.column(&mut collector, position, |sink| cells(sink, &column.cells, left_out))? {
            let place = Place::file(name).column(position, &column.name).boxed();
            let found = column.cells.rows().unwrap_or(0);
            return Err(Error::RaggedRow { place, found, expected: rows });
        }
    }
    group.finish(&mut collector);
    encode::finish(collector)
}

fn cells(sink: &mut Sink<'_, '_>, cells: &Cells<'_>, left_out: &[bool]) -> Result<()> {
    let is_out = |row: usize| left_out.get(row).copied().unwrap_or(false);
    match cells {
        Cells::Numbers(values) => each(sink, values.len(), is_out, |row| match values[row] {
            value if value.is_nan() => Cell::Null,
            value => Cell::Number(value),
        }),
        Cells::Flags(values) => each(sink, values.len(), is_out, |row| match values[row] {
            0 => Cell::Flag(false),
            1 => Cell::Flag(true),
            _ => Cell::Null,
        }),
        Cells::Texts { codes, levels } => {
            // Each text is looked at once.
            let mut known: Vec<Option<f64>> = vec![None; levels.len()];
            for (row, &code) in codes.iter().enumerate() {
                let place = usize::try_from(code).ok().filter(|&place| place < levels.len());
                match place {
                    _ if is_out(row) => sink.push(f64::from(MISSING), false)?,
                    Some(place) => {
                        if let Some(value) = known[place] {
                            sink.push(value, true)?;
                        } else {
                            let cell = Cell::text(levels[place].as_bytes());
                            let value = sink.take(&cell)?;
                            known[place] = (!matches!(cell, Cell::Null)).then_some(value);
                        }
                    }
                    None => drop(sink.take(&Cell::Null)?),
                }
            }
            Ok(())
        }
        Cells::Other(_) => Ok(()),
    }
}

fn each<'a>(
    sink: &mut Sink<'_, '_>,
    rows: usize,
    is_out: impl Fn(usize) -> bool,
    cell: impl Fn(usize) -> Cell<'a>,
) -> Result<()> {
    for row in 0..rows {
        if is_out(row) {
            sink.push(f64::NAN, false)?;
        } else {
            sink.take(&cell(row))?;
        }
    }
    Ok(())
}
