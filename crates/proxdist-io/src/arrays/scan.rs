//! One look at all entries of a matrix: gaps, the columns beside the features, the largest entry.

use std::num::NonZero;
use std::ops::Range;

use super::roles::Roles;
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::stored::Stored;
use crate::table::Features;

/// Threads that read at the same time; more do not make a disk faster.
const MOST_THREADS: usize = 4;

/// What one look at all entries finds.
pub(super) struct Scan {
    /// The first entry that is not finite, among the columns that are used.
    pub(super) gap: Option<(usize, usize, f64)>,
    /// The columns beside the features.
    pub(super) columns: Vec<Vec<f64>>,
    /// The largest entry in size.
    pub(super) largest: f64,
}

impl Scan {
    /// Nobody has looked.
    pub(super) fn none() -> Self {
        Self { gap: None, columns: Vec::new(), largest: f64::INFINITY }
    }
}

/// Looks at all entries.
pub(super) fn scan(features: &Features, roles: &Roles, meter: &Meter) -> Result<Scan> {
    let rows = features.rows();
    if let Features::Stored(stored) = features {
        meter.expect((rows * stored.columns() * 8) as u64);
        return strips(rows, &|range| {
            let mut found = Scan::new(roles, range.len());
            stored_blocks(stored, range, meter, &mut |first, values| found.add(roles, first, values))?;
            Ok(found)
        });
    }
    if roles.features.is_none() {
        return Ok(Scan { gap: gap(features), ..Scan::none() });
    }
    let mut found = Scan::new(roles, rows);
    each_block(features, meter, &mut |first, values| found.add(roles, first, values))?;
    Ok(found)
}

/// Works on strips of rows in threads of their own; what they find is put together in order.
fn strips(rows: usize, work: &(dyn Fn(Range<usize>) -> Result<Scan> + Sync)) -> Result<Scan> {
    let count = std::thread::available_parallelism().map_or(1, NonZero::get).clamp(1, MOST_THREADS).min(rows);
    let ranges = (0..count).map(|strip| strip * rows / count..(strip + 1) * rows / count);
    let parts: Vec<Result<Scan>> = std::thread::scope(|scope| {
        let threads: Vec<_> = ranges.map(|range| scope.spawn(|| work(range))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Err(Error::Stopped))).collect()
    });
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_else(|| Ok(Scan::none()))?;
    parts.try_fold(first, |mut all, part| {
        let part = part?;
        all.gap = all.gap.or(part.gap);
        all.largest = all.largest.max(part.largest);
        all.columns.iter_mut().zip(part.columns).for_each(|(column, more)| column.extend(more));
        Ok(all)
    })
}

impl Scan {
    fn new(roles: &Roles, rows: usize) -> Self {
        let columns = roles.gathered().iter().map(|_| Vec::with_capacity(rows)).collect();
        Self { gap: None, columns, largest: 0.0 }
    }

    /// Looks at rows from `first` on.
    fn add(&mut self, roles: &Roles, first: usize, values: &[f64]) {
        let gathered = roles.gathered();
        let is_used = |column: usize| {
            let is_needed = gathered.contains(&column) && !(roles.target_optional && roles.target == Some(column));
            is_needed || roles.features.as_ref().is_none_or(|used| used.contains(&column))
        };
        for (at, row) in values.chunks_exact(roles.width).enumerate() {
            for (values, &column) in self.columns.iter_mut().zip(&gathered) {
                values.push(row[column]);
            }
            // NaN is in no maximum, but in every sum.
            let (largest, sum) = row.iter().fold((self.largest, 0.0), |(largest, sum), value| {
                (if value.abs() > largest { value.abs() } else { largest }, sum + value)
            });
            self.largest = largest;
            if self.gap.is_none() && !f64::is_finite(sum) {
                let bad = (0..roles.width).find(|&column| !row[column].is_finite() && is_used(column));
                self.gap = bad.map(|column| (first + at, column, row[column]));
            }
        }
    }
}

/// Rows of a matrix on the disk, some at a time.
fn stored_blocks(
    stored: &Stored,
    rows: Range<usize>,
    meter: &Meter,
    each: &mut dyn FnMut(usize, &[f64]),
) -> Result<()> {
    let width = stored.columns();
    let step = ((1 << 17) / width).max(1);
    let mut reader = stored.reader(rows.clone())?;
    let mut buffer = Vec::new();
    for first in rows.clone().step_by(step) {
        let range = first..rows.end.min(first + step);
        buffer.resize(range.len() * width, 0.0);
        reader.dense(range, None, &mut buffer)?;
        each(first, &buffer);
        meter.count(8 * buffer.len() as u64)?;
    }
    stored.check()
}

/// All entries of a dense matrix, some rows at a time.
pub(super) fn each_block(features: &Features, meter: &Meter, each: &mut dyn FnMut(usize, &[f64])) -> Result<()> {
    let (rows, width) = (features.rows(), features.columns());
    if let Features::Stored(stored) = features {
        meter.expect((rows * width * 8) as u64);
        return stored_blocks(stored, 0..rows, meter, each);
    }
    if let Some(values) = features.dense_f64() {
        each(0, values);
    }
    let Some(values) = features.dense_f32() else { return Ok(()) };
    let step = ((1 << 17) / width).max(1);
    let mut buffer = Vec::new();
    for (block, part) in values.chunks(step * width).enumerate() {
        buffer.clear();
        buffer.extend(part.iter().map(|&value| f64::from(value)));
        each(block * step, &buffer);
    }
    Ok(())
}

/// The first entry that is not finite.
fn gap(features: &Features) -> Option<(usize, usize, f64)> {
    let columns = features.columns();
    let at = |index: usize, value: f64| (index / columns, index % columns, value);
    if let Some(values) = features.dense_f64() {
        let index = values.iter().position(|value| !value.is_finite())?;
        return Some(at(index, values[index]));
    }
    if let Some(values) = features.dense_f32() {
        let index = values.iter().position(|value| !value.is_finite())?;
        return Some(at(index, f64::from(values[index])));
    }
    let Features::Sparse { row_starts, columns_of, values, .. } = features else { return None };
    let index = values.iter().position(|value| !value.is_finite())?;
    let row = row_starts.partition_point(|&start| start <= index) - 1;
    Some((row, columns_of[index] as usize, values[index]))
}
