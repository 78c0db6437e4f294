//! From codes to indicator columns, in the buffer that already holds the numbers.
//!
//! The levels of a text column are known only after the last row. The dense matrix is then widened in place, from
//! the last row to the first, so that the peak is the size of the result. Where indicators make the matrix mostly
//! zeros and large, compressed sparse rows are built instead. What does not fit into the memory is packed.

use std::collections::HashMap;

use crate::bins::Answers;
use crate::collect::Collector;
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::labels::{Classes, Told};
use crate::options::Storage;
use crate::outlet::Outlet;
use crate::schema::Schema;
use crate::table::{Features, Table};

/// Dense matrices below this size are never worth replacing.
const LARGE: usize = 64 << 20;

/// Turns everything collected into a table.
pub(crate) fn finish(mut collector: Collector<'_>) -> Result<Table> {
    if collector.kept == 0 {
        let source_name = collector.source;
        let columns = collector.layout.names.len();
        return Err(match collector.seen {
            0 => Error::HeaderOnly { source_name, columns },
            rows => Error::NoRowsLeft { source_name, rows },
        });
    }
    if collector.left_out > 0 {
        let (dropped, seen) = (collector.left_out, collector.seen);
        collector.notices.push(format!("{dropped} of {seen} rows are left out because of missing values"));
    }
    count(&mut collector);
    let (response, told) = response(&mut collector)?;
    let answers = Answers { response: response.as_deref(), are_labels: told.is_some() };
    let encoding = Encoding::settle(&mut collector, answers)?;
    collector.notices.extend(told.as_ref().map(Told::notice));
    let (schema, classes) = schema(&collector, &encoding, told)?;
    let Collector { weights, offset, .. } = &mut collector;
    let (weights, offset) = (std::mem::take(weights), std::mem::take(offset));
    let mut table = Table {
        features: Features::Dense { rows: 0, columns: encoding.width, values: Vec::new() },
        response,
        weights: collector.options.weights.is_some().then_some(weights),
        offset: collector.options.offset.is_some().then_some(offset),
        classes,
        schema,
        dropped: std::mem::take(&mut collector.dropped),
        notices: Vec::new(),
        echoed: std::mem::take(&mut collector.echoed),
    };
    let is_sparse = is_sparse(&collector, encoding.width);
    if let Outlet::Pack(mut pack) = std::mem::take(&mut collector.outlet) {
        if !pack.has_begun() && pack.is_too_small(bytes(&collector, encoding.width, is_sparse)) {
            pack.take(&mut collector)?;
        }
        if pack.has_begun() {
            pack.take(&mut collector)?;
            table.notices = std::mem::take(&mut collector.notices);
            return pack.finish(table, &encoding, is_sparse);
        }
    }
    table.features = expand(&mut collector, &encoding, is_sparse)?;
    table.notices = collector.notices;
    Ok(table)
}

/// The rows that are held, encoded as the schema says; the collector goes on with the rows after them.
pub(crate) fn block(collector: &mut Collector<'_>) -> Result<Table> {
    let (response, told) = response(collector)?;
    let answers = Answers { response: response.as_deref(), are_labels: told.is_some() };
    let encoding = Encoding::settle(collector, answers)?;
    let (schema, classes) = schema(collector, &encoding, told)?;
    let (weights, offset) = (std::mem::take(&mut collector.weights), std::mem::take(&mut collector.offset));
    let is_sparse = collector.options.storage == Storage::Sparse;
    let features = expand(collector, &encoding, is_sparse)?;
    collector.rows = 0;
    collector.texts.iter_mut().for_each(|column| column.codes.clear());
    Ok(Table {
        features,
        response,
        weights: collector.options.weights.is_some().then_some(weights),
        offset: collector.options.offset.is_some().then_some(offset),
        classes,
        schema,
        dropped: std::mem::take(&mut collector.dropped),
        notices: std::mem::take(&mut collector.notices),
        echoed: std::mem::take(&mut collector.echoed),
    })
}

/// Adds the rows that are held to the statistics of all rows, where an encoding needs them.
pub(crate) fn count(collector: &mut Collector<'_>) {
    if collector.options.schema.is_some() {
        return;
    }
    if collector.options.missing.fills() {
        collector.statistics.add_numbers(&collector.numbers);
    }
    collector.statistics.add_texts(&collector.texts);
}

fn schema(collector: &Collector<'_>, encoding: &Encoding, told: Option<Told>) -> Result<(Schema, Option<Classes>)> {
    let mut schema = Schema::from_columns(encoding.columns.clone());
    if encoding.width == 0 {
        return Err(Error::NoFeatures { source_name: collector.source.clone() });
    }
    if is_encoded(collector) || encoding.has_marks() {
        check_names(&collector.source, &schema.names())?;
    }
    schema.target = match &collector.options.schema {
        Some(known) => known.target.clone(),
        None => collector.layout.target.map(|column| collector.layout.names[column].clone()),
    };
    let classes = told.and_then(|told| told.noted(&mut schema, &collector.options));
    if let Some(known) = &collector.options.schema {
        schema.labels.clone_from(&known.labels);
        schema.classes.clone_from(&known.classes);
        schema.one_against_rest = known.one_against_rest;
    }
    Ok((schema, classes))
}

/// A column called `a=b` beside a text column `a` with a level `b` would give two features of one name.
fn check_names(source: &str, names: &[String]) -> Result<()> {
    let mut first = HashMap::with_capacity(names.len());
    for (position, name) in names.iter().enumerate() {
        if let Some(other) = first.insert(name, position) {
            let (source_name, name) = (source.to_owned(), name.clone());
            return Err(Error::DuplicateName { source_name, name, first: other + 1, second: position + 1 });
        }
    }
    Ok(())
}

fn response(collector: &mut Collector<'_>) -> Result<(Option<Vec<f64>>, Option<Told>)> {
    if collector.layout.target.is_none() {
        return Ok((None, None));
    }
    if collector.response_absent {
        let said = "the target has missing values and is not used";
        if !collector.notices.iter().any(|notice| notice == said) {
            collector.notices.push(said.to_owned());
        }
        return Ok((None, None));
    }
    let mut response = std::mem::take(&mut collector.response);
    let Some(labels) = &collector.labels else { return Ok((Some(response), None)) };
    let told = labels.told(&mut response, collector.place_of_target(), &collector.options)?;
    Ok((Some(response), Some(told)))
}

/// Bytes of the features in memory.
fn bytes(collector: &Collector<'_>, width: usize, is_sparse: bool) -> Option<usize> {
    let row = if is_sparse { 12 * collector.layout.features.len() + 8 } else { width.checked_mul(8)? };
    (collector.kept as usize).checked_mul(row)
}

fn is_sparse(collector: &Collector<'_>, width: usize) -> bool {
    let dense = bytes(collector, width, false).unwrap_or(usize::MAX);
    let sparse = bytes(collector, width, true).unwrap_or(usize::MAX);
    match collector.options.storage {
        Storage::Dense => false,
        Storage::Sparse => true,
        Storage::Auto => is_encoded(collector) && dense > LARGE && sparse < dense / 4,
    }
}

/// Whether some column becomes indicators.
fn is_encoded(collector: &Collector<'_>) -> bool {
    collector.layout.texts > 0 || collector.layout.is_binned
}

/// The features of the rows that are held.
fn expand(collector: &mut Collector<'_>, encoding: &Encoding, is_sparse: bool) -> Result<Features> {
    let (rows, numbers, width) = (collector.rows, collector.layout.numbers, encoding.width);
    let mut values = std::mem::take(&mut collector.numbers);
    if !is_sparse && !is_encoded(collector) && !encoding.has_marks() {
        encoding.fill(&mut values);
        values.shrink_to_fit();
        return Ok(Features::Dense { rows, columns: width, values });
    }
    let texts = &collector.texts;
    if is_sparse {
        let dense = bytes(collector, width, false).unwrap_or(usize::MAX);
        let text = format!("{rows} x {width} features are stored sparse ({} MB dense)", dense >> 20);
        let mut row_starts = Vec::with_capacity(rows + 1);
        row_starts.push(0);
        let (mut columns_of, mut entries) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let from = &values[row * numbers..(row + 1) * numbers];
            encoding.row(
                from,
                |slot| texts[slot].code(row),
                |column, value| {
                    if value != 0.0 {
                        columns_of.push(column as u32);
                        entries.push(value);
                    }
                },
            );
            row_starts.push(entries.len());
        }
        columns_of.shrink_to_fit();
        entries.shrink_to_fit();
        collector.notices.push(text);
        return Ok(Features::Sparse { rows, columns: width, row_starts, columns_of, values: entries });
    }
    let too_large =
        || Error::TooLarge { source_name: collector.source.clone(), what: format!("{rows} x {width} numbers") };
    let total = rows.checked_mul(width).ok_or_else(too_large)?;
    let more = total.saturating_sub(values.len());
    values.try_reserve_exact(more).map_err(|_| too_large())?;
    values.resize(total.max(values.len()), 0.0);
    let mut from = vec![0.0; numbers];
    let mut each = |row: usize| {
        from.copy_from_slice(&values[row * numbers..(row + 1) * numbers]);
        let to = &mut values[row * width..(row + 1) * width];
        to.fill(0.0);
        encoding.row(&from, |slot| texts[slot].code(row), |column, value| to[column] = value);
    };
    // Rows that become wider are written from the last to the first, those that become narrower (columns of one bin are left out) the other way: none is overwritten before it is read.
    if width >= numbers {
        (0..rows).rev().for_each(&mut each);
    } else {
        (0..rows).for_each(&mut each);
    }
    values.truncate(total);
    values.shrink_to_fit();
    Ok(Features::Dense { rows, columns: width, values })
}
