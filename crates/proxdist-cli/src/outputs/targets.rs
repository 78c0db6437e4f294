//! Several targets: the first is read as the target of the file, the others as features, which are taken out here.

use crate::failure::{Failure, Result};
use proxdist_io::{ColumnKind, Features, Schema, SchemaColumn, Table};

/// Takes the further targets out of the features; returns the responses row by row.
pub(crate) fn split(table: &mut Table, targets: &[String], source: &str) -> Result<Vec<f64>> {
    let first = table.response.take().unwrap_or_default();
    let names = table.names();
    let mut places = Vec::new();
    for target in &targets[1..] {
        let column = table.schema.columns.iter().find(|column| column.name == *target);
        match column.map(|column| &column.kind) {
            Some(ColumnKind::Number { .. } | ColumnKind::Bins { .. }) if column.is_some_and(|column| column.marked) => {
                let message = format!("{source}: the target {target:?} has missing values");
                return Err(Failure::new(message, "--missing drop leaves such rows out"));
            }
            Some(ColumnKind::Number { .. } | ColumnKind::Bins { .. }) => {}
            Some(ColumnKind::Levels { .. }) => {
                let message =
                    format!("{source}: the target {target:?} holds text, and several targets must be numbers");
                return Err(Failure::new(message, "explain labels alone: --target with this column only"));
            }
            None => {
                let message = format!("{source}: there is no column {target:?} to be explained");
                return Err(Failure::new(message, "several targets are names of columns, with commas between"));
            }
        }
        let Some(place) = names.iter().position(|name| name == target) else { continue };
        if places.contains(&place) {
            return Err(Failure::new(format!("the target {target:?} is given twice"), "name each target once"));
        }
        places.push(place);
    }
    let Features::Dense { rows, columns, values } = &table.features else {
        let message = format!("{source}: several targets need a table of numbers in memory");
        return Err(Failure::new(message, "allow more --memory, or explain one target"));
    };
    let (rows, columns) = (*rows, *columns);
    let kept: Vec<usize> = (0..columns).filter(|place| !places.contains(place)).collect();
    if kept.is_empty() {
        let message = format!("{source}: no column is left to explain the targets with");
        return Err(Failure::new(message, "name fewer targets"));
    }
    let mut responses = Vec::with_capacity(rows * targets.len());
    let mut features = Vec::with_capacity(rows * kept.len());
    for (row, first) in values.chunks_exact(columns).zip(&first) {
        responses.push(*first);
        responses.extend(places.iter().map(|&place| row[place]));
        features.extend(kept.iter().map(|&place| row[place]));
    }
    table.features = Features::Dense { rows, columns: kept.len(), values: features };
    table.schema.columns.retain(|column| !targets.contains(&column.name));
    Ok(responses)
}

/// Takes the columns of offsets, one for each output, out of the features; returns them row by row.
pub(crate) fn take_offsets(table: &mut Table, offsets: &[String], source: &str) -> Result<Vec<f64>> {
    let names = table.names();
    let mut places = Vec::new();
    for offset in offsets {
        let kind = table.schema.columns.iter().find(|column| column.name == *offset).map(|column| &column.kind);
        let Some(ColumnKind::Number { .. }) = kind else {
            let what = if kind.is_some() { "holds text, and offsets are numbers" } else { "is not in the file" };
            let message = format!("{source}: the column {offset:?} of --offset {what}");
            return Err(Failure::new(message, "name a column of numbers for each output, with commas between"));
        };
        places.extend(names.iter().position(|name| name == offset));
    }
    let Features::Dense { rows, columns, values } = &table.features else {
        let message = format!("{source}: offsets of several outputs need a table of numbers in memory");
        return Err(Failure::new(message, "give a CSV file, or allow more --memory"));
    };
    let (rows, columns) = (*rows, *columns);
    let kept: Vec<usize> = (0..columns).filter(|place| !places.contains(place)).collect();
    if kept.is_empty() {
        let message = format!("{source}: no column is left beside the offsets");
        return Err(Failure::new(message, "a model needs at least one feature"));
    }
    let pick = |which: &[usize]| -> Vec<f64> {
        values.chunks_exact(columns.max(1)).flat_map(|row| which.iter().map(move |&place| row[place])).collect()
    };
    let (found, features) = (pick(&places), pick(&kept));
    table.features = Features::Dense { rows, columns: kept.len(), values: features };
    table.schema.columns.retain(|column| !offsets.contains(&column.name));
    Ok(found)
}

/// The columns of a model with the further targets behind them, for a file that is compared with.
pub(crate) fn with_targets(schema: &Schema, more: &[String]) -> Schema {
    let mut schema = schema.clone();
    schema.columns.extend(more.iter().map(SchemaColumn::number));
    schema
}
