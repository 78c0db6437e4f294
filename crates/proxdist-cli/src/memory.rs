//! Whether a fit to very many columns can fit in the memory at all, found out before it takes hours or the machine.
//!
//! A sparse file can be small and have millions of columns. A fit to $p$ columns holds some dozens of vectors of length $p$
//! whatever the file holds: iterates, gradients, moments, candidates of the race, sums over chunks of rows.

use crate::failure::{Failure, Result};
use proxdist::large::free_memory;
use proxdist_io::Table;

/// Bytes that a fit takes for each column of a sparse file, as measured with the default settings.
const BYTES_A_COLUMN: u64 = 250;
/// Below this many columns nothing is asked.
const FEW: usize = 1 << 20;

/// The bytes that the data may take: what was given, or half of what is free.
pub(crate) fn budget(given: Option<usize>) -> usize {
    given.unwrap_or_else(|| free_memory().map_or(usize::MAX, |free| usize::try_from(free / 2).unwrap_or(usize::MAX)))
}

/// Refuses a sparse table whose columns alone are more than the free memory.
pub(crate) fn check(table: &Table, source: &str) -> Result<()> {
    let columns = table.features.columns();
    if !table.features.is_sparse() || columns < FEW {
        return Ok(());
    }
    match free_memory().filter(|free| needed(columns) > *free) {
        None => Ok(()),
        Some(free) => {
            let (need, free) = (gigabytes(needed(columns)), gigabytes(free));
            let message = format!("{source}: a fit to {columns} columns takes about {need} GB, {free} GB are free");
            Err(Failure::new(message, "number the features without gaps, or leave out those that hardly occur"))
        }
    }
}

fn needed(columns: usize) -> u64 {
    BYTES_A_COLUMN.saturating_mul(columns as u64)
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proxdist_io::{ReadOptions, read_bytes};

    #[test]
    fn small_tables_are_never_refused() {
        let table = read_bytes(b"1 1:1 1048577:1\n-1 2:1\n", "t.svm", &ReadOptions::new()).unwrap();
        assert!(table.features.columns() > FEW);
        let is_refused = check(&table, "t.svm").is_err();
        assert_eq!(is_refused, free_memory().is_some_and(|free| needed(table.features.columns()) > free));
        let table = read_bytes(b"1 1:1\n-1 2:1\n", "t.svm", &ReadOptions::new()).unwrap();
        assert!(check(&table, "t.svm").is_ok());
    }
}
