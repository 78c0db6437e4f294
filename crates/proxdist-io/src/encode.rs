//! From codes to indicator columns, in the buffer that already holds the numbers.
//!
//! The levels of a text column are known only after the last row. The dense matrix is then widened in place, from
//! the last row to the first, so that the peak is the size of the result. Where indicators make the matrix mostly
//! zeros and large, compressed sparse rows are built instead.

use std::collections::HashMap;

use crate::collect::{Collector, MISSING, TextColumn};
use crate::error::{Error, Place, Result};
use crate::layout::Role;
use crate::options::{Missing, ReadOptions, Storage};
use crate::schema::{ColumnKind, Schema, SchemaColumn};
use crate::table::{Features, Table};

/// Dense matrices below this size are never worth replacing.
const LARGE: usize = 64 << 20;
/// Fewer rows than this cannot show that a text column is an identifier.
const FEW_ROWS: usize = 20;

/// Turns everything collected into a table.
pub(crate) fn finish(mut collector: Collector<'_>) -> Result<Table> {
    if collector.rows == 0 {
        let source_name = collector.source;
        let columns = collector.layout.names.len();
        return Err(match collector.seen {
            0 => Error::HeaderOnly { source_name, columns },
            rows => Error::NoRowsLeft { source_name, rows },
        });
    }
    if !collector.dropped.is_empty() {
        let (dropped, seen) = (collector.dropped.len(), collector.seen);
        collector.notices.push(format!("{dropped} of {seen} rows are left out because of missing values"));
    }
    let columns = schema_columns(&mut collector)?;
    let mut schema = Schema { columns, ..Schema::default() };
    let names = schema.names();
    if names.is_empty() {
        return Err(Error::NoFeatures { source_name: collector.source });
    }
    if collector.layout.texts > 0 {
        check_names(&collector.source, &names)?;
    }
    let (response, classes) = response(&mut collector)?;
    schema.target = match &collector.options.schema {
        Some(known) => known.target.clone(),
        None => collector.layout.target.map(|column| collector.layout.names[column].clone()),
    };
    if let Some(classes) = &classes {
        schema.labels = Some([classes.negative.clone(), classes.positive.clone()]);
        schema.one_against_rest = collector.options.one_against_rest;
    }
    if let Some(known) = &collector.options.schema {
        schema.labels.clone_from(&known.labels);
        schema.one_against_rest = known.one_against_rest;
    }
    let features = expand(&mut collector, &schema, names.len())?;
    let Collector { options, weights, offset, dropped, notices, .. } = collector;
    let weights = options.weights.is_some().then_some(weights);
    let offset = options.offset.is_some().then_some(offset);
    Ok(Table { features, response, weights, offset, classes, schema, dropped, notices })
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

fn response(collector: &mut Collector<'_>) -> Result<(Option<Vec<f64>>, Option<crate::Classes>)> {
    if collector.layout.target.is_none() {
        return Ok((None, None));
    }
    if collector.response_absent {
        collector.notices.push("the target has missing values and is not used".to_owned());
        return Ok((None, None));
    }
    let mut response = std::mem::take(&mut collector.response);
    let Some(labels) = collector.labels.take() else { return Ok((Some(response), None)) };
    let classes = labels.finish(&mut response, collector.place_of_target(), collector.options)?;
    collector.notices.push(classes.notice());
    Ok((Some(response), Some(classes)))
}

/// Settles the levels and the filled in values of all columns.
fn schema_columns(collector: &mut Collector<'_>) -> Result<Vec<SchemaColumn>> {
    let fills = fill_numbers(collector)?;
    let options = collector.options;
    let mut columns = Vec::with_capacity(collector.layout.features.len());
    for (position, &column) in collector.layout.features.iter().enumerate() {
        let name = collector.layout.names[column].clone();
        let known = options.schema.as_ref().map(|schema| &schema.columns[position]);
        let kind = match (collector.layout.roles[column], known) {
            (Role::Text(slot), Some(known)) => {
                fill_known(&mut collector.texts[slot], &known.kind);
                known.kind.clone()
            }
            (Role::Text(slot), None) => {
                let place = Place::file(&collector.source).column(column, &name);
                let forced = options.categorical.iter().map(|wanted| wanted.trim()).any(|wanted| {
                    // By name or by one-based number, as in the layout.
                    wanted == name || wanted.parse() == Ok(column + 1)
                });
                let (kind, notice) = settle(&mut collector.texts[slot], options, place, forced)?;
                collector.notices.push(notice);
                kind
            }
            (Role::Number(slot), _) => ColumnKind::Number { fill: fills.get(slot).copied() },
            _ => continue,
        };
        let name = known.map_or(name, |known| known.name.clone());
        columns.push(SchemaColumn { name, kind });
    }
    Ok(columns)
}

/// Fills in means; returns them by slot, or nothing where missing values are not filled in.
fn fill_numbers(collector: &mut Collector<'_>) -> Result<Vec<f64>> {
    let width = collector.layout.numbers;
    if let Some(schema) = &collector.options.schema {
        let fill = |column: &SchemaColumn| match column.kind {
            ColumnKind::Number { fill } => Some(fill.unwrap_or(f64::NAN)),
            ColumnKind::Levels { .. } => None,
        };
        let fills: Vec<f64> = schema.columns.iter().filter_map(fill).collect();
        put(&mut collector.numbers, &fills);
        return Ok(if fills.iter().any(|fill| fill.is_nan()) { Vec::new() } else { fills });
    }
    if collector.options.missing != Missing::Mean || width == 0 {
        return Ok(Vec::new());
    }
    let mut means = vec![0.0; width];
    let mut present = vec![0_usize; width];
    for row in collector.numbers.chunks_exact(width) {
        for ((mean, count), &value) in means.iter_mut().zip(&mut present).zip(row) {
            if !value.is_nan() {
                *count += 1;
                // Updating the mean itself cannot overflow where a sum could.
                *mean += (value - *mean) / *count as f64;
            }
        }
    }
    for &column in &collector.layout.features {
        let Role::Number(slot) = collector.layout.roles[column] else { continue };
        let name = &collector.layout.names[column];
        let missing = collector.rows - present[slot];
        if present[slot] == 0 {
            return Err(Error::NoMean { place: Place::file(&collector.source).column(column, name).boxed() });
        }
        if missing > 0 {
            let notice = format!("column {name}: {missing} missing values are filled in with the mean {}", means[slot]);
            collector.notices.push(notice);
        }
    }
    put(&mut collector.numbers, &means);
    Ok(means)
}

/// Fills in what is missing, by column.
pub(crate) fn put(numbers: &mut [f64], fills: &[f64]) {
    if fills.is_empty() {
        return;
    }
    for row in numbers.chunks_exact_mut(fills.len()) {
        for (value, fill) in row.iter_mut().zip(fills) {
            if value.is_nan() {
                *value = *fill;
            }
        }
    }
}

fn fill_known(column: &mut TextColumn, kind: &ColumnKind) {
    let ColumnKind::Levels { levels, fill, .. } = kind else { return };
    let fill = fill.as_ref().and_then(|fill| levels.iter().position(|level| level == fill));
    if let Some(code) = fill {
        column.codes.iter_mut().filter(|code| **code == MISSING).for_each(|missing| *missing = code as u32);
    }
}

/// Sorts the levels of a column met for the first time, and fills in its most frequent one.
fn settle(column: &mut TextColumn, options: &ReadOptions, place: Place, forced: bool) -> Result<(ColumnKind, String)> {
    let rows = column.codes.len();
    let all = std::mem::take(&mut column.levels);
    let mut counts = vec![0_usize; all.len()];
    column.codes.iter().filter(|code| **code != MISSING).for_each(|&code| counts[code as usize] += 1);
    // A level that occurs in rows left out only would be a column of zeros.
    let mut order: Vec<usize> = (0..all.len()).filter(|&code| counts[code] > 0).collect();
    if order.is_empty() {
        return Err(Error::NoMean { place: place.boxed() });
    }
    if order.len() == rows && rows >= FEW_ROWS && !forced {
        return Err(Error::Identifier { place: place.boxed(), rows });
    }
    let numbers: Option<Vec<f64>> = all.iter().map(|level| crate::number::parse(level.as_bytes())).collect();
    match numbers {
        Some(numbers) => order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(all[a].cmp(&all[b]))),
        None => order.sort_by(|&a, &b| all[a].cmp(&all[b])),
    }
    let mut rank = vec![0_u32; all.len()];
    order.iter().enumerate().for_each(|(position, &code)| rank[code] = position as u32);
    column.codes.iter_mut().filter(|code| **code != MISSING).for_each(|code| *code = rank[*code as usize]);
    let levels: Vec<String> = order.iter().map(|&code| all[code].clone()).collect();
    let counts: Vec<usize> = order.iter().map(|&code| counts[code]).collect();
    let name = place.column.map_or_else(String::new, |(_, name)| name);
    let coding = options.coding;
    let first = coding.first_coded(levels.len());
    let width = levels.len() - first;
    let mut notice = match width {
        0 => format!("column {name} always reads {:?} and is left out", levels[0]),
        1 if first == 1 => format!("text column {name} becomes one indicator column, {name}={}", levels[1]),
        _ => format!("text column {name} becomes {width} indicator columns ({} levels)", levels.len()),
    };
    let mut fill = None;
    if options.missing == Missing::Mean {
        let most = (0..levels.len()).max_by_key(|&level| (counts[level], usize::MAX - level)).unwrap_or(0);
        let missing = column.codes.iter().filter(|code| **code == MISSING).count();
        if missing > 0 {
            column.codes.iter_mut().filter(|code| **code == MISSING).for_each(|code| *code = most as u32);
            let most = &levels[most];
            notice = format!("{notice}; {missing} missing values are filled in with the most frequent, {most:?}");
        }
        fill = Some(levels[most].clone());
    }
    Ok((ColumnKind::Levels { levels, coding, fill }, notice))
}

/// One column of the file in the row of features: where it starts and where it comes from.
enum Block {
    Number { slot: usize, start: usize },
    Levels { slot: usize, start: usize, first: u32, end: u32 },
}

fn expand(collector: &mut Collector<'_>, schema: &Schema, width: usize) -> Result<Features> {
    let (rows, numbers) = (collector.rows, collector.layout.numbers);
    let mut values = std::mem::take(&mut collector.numbers);
    let dense_bytes = rows.checked_mul(width).and_then(|entries| entries.checked_mul(8)).unwrap_or(usize::MAX);
    let sparse_bytes = rows.saturating_mul(12 * collector.layout.features.len() + 8);
    let sparse = match collector.options.storage {
        Storage::Dense => false,
        Storage::Sparse => true,
        Storage::Auto => collector.layout.texts > 0 && dense_bytes > LARGE && sparse_bytes < dense_bytes / 4,
    };
    if !sparse && collector.layout.texts == 0 {
        values.shrink_to_fit();
        return Ok(Features::Dense { rows, columns: width, values });
    }
    let mut start = 0;
    let mut blocks = Vec::with_capacity(schema.columns.len());
    for (&column, known) in collector.layout.features.iter().zip(&schema.columns) {
        match (collector.layout.roles[column], &known.kind) {
            (Role::Text(slot), ColumnKind::Levels { levels, coding, .. }) => {
                let first = coding.first_coded(levels.len()) as u32;
                blocks.push(Block::Levels { slot, start, first, end: levels.len() as u32 });
            }
            (Role::Number(slot), _) => blocks.push(Block::Number { slot, start }),
            _ => {}
        }
        start += known.kind.width();
    }
    let indicator = |slot: usize, row: usize, start: usize, first: u32, end: u32| {
        let code = collector.texts[slot].codes[row];
        (first..end).contains(&code).then(|| start + (code - first) as usize)
    };
    let too_large = |what: String| Error::TooLarge { source_name: collector.source.clone(), what };
    if sparse {
        let text = format!("{rows} x {width} features are stored sparse ({} MB dense)", dense_bytes >> 20);
        collector.notices.push(text);
        let mut row_starts = Vec::with_capacity(rows + 1);
        row_starts.push(0);
        let (mut columns_of, mut entries) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let from = &values[row * numbers..(row + 1) * numbers];
            for block in &blocks {
                let (column, value) = match *block {
                    Block::Number { slot, start } => (Some(start).filter(|_| from[slot] != 0.0), from[slot]),
                    Block::Levels { slot, start, first, end } => (indicator(slot, row, start, first, end), 1.0),
                };
                if let Some(column) = column {
                    columns_of.push(column as u32);
                    entries.push(value);
                }
            }
            row_starts.push(entries.len());
        }
        columns_of.shrink_to_fit();
        entries.shrink_to_fit();
        return Ok(Features::Sparse { rows, columns: width, row_starts, columns_of, values: entries });
    }
    let total = rows.checked_mul(width).ok_or_else(|| too_large(format!("{rows} x {width} numbers")))?;
    let more = total.saturating_sub(values.len());
    values.try_reserve_exact(more).map_err(|_| too_large(format!("{rows} x {width} numbers")))?;
    // Indicators may be fewer than the columns they replace (a constant text), never fewer than the numbers.
    values.resize(total, 0.0);
    let mut from = vec![0.0; numbers];
    for row in (0..rows).rev() {
        from.copy_from_slice(&values[row * numbers..(row + 1) * numbers]);
        let to = &mut values[row * width..(row + 1) * width];
        to.fill(0.0);
        for block in &blocks {
            match *block {
                Block::Number { slot, start } => to[start] = from[slot],
                Block::Levels { slot, start, first, end } => {
                    if let Some(column) = indicator(slot, row, start, first, end) {
                        to[column] = 1.0;
                    }
                }
            }
        }
    }
    values.shrink_to_fit();
    Ok(Features::Dense { rows, columns: width, values })
}
