//! Rows of a fit as rows of the file.
//!
//! The library counts the rows it is given from 0. People count the rows of data in their file from 1, those that were left out
//! because of missing values or kept out of the fit too.

use crate::failure::Failure;
use proxdist_io::Table;

/// Which rows of which file a fit is about.
#[derive(Clone, Copy)]
pub(crate) struct FileRows<'a> {
    /// Name of the file.
    source: &'a str,
    /// Rows of the file that were left out, counted from 0, in order.
    dropped: &'a [u64],
    /// Rows of the table that enter the fit, if not all do.
    chosen: Option<&'a [usize]>,
    /// Rows of the file before the table.
    before: u64,
}

impl<'a> FileRows<'a> {
    /// All rows of a table.
    pub(crate) fn of(source: &'a str, table: &'a Table) -> Self {
        Self { source, dropped: &table.dropped, chosen: None, before: 0 }
    }

    /// All rows that were kept of a file of which these were left out.
    pub(crate) fn without(source: &'a str, dropped: &'a [u64]) -> Self {
        Self { source, dropped, chosen: None, before: 0 }
    }

    /// Only these rows of the table.
    pub(crate) fn only(self, chosen: Option<&'a [usize]>) -> Self {
        Self { chosen, ..self }
    }

    /// The table is a block that comes after so many rows of the file.
    pub(crate) fn after(self, before: u64) -> Self {
        Self { before, ..self }
    }

    /// An error about one of the rows, with the name of the file and the number that the row has there.
    pub(crate) fn explain(self, mut error: proxdist::Error) -> Failure {
        if let proxdist::Error::TooLarge { row, .. } = &mut error {
            *row = self.in_file(*row);
        }
        match error.row_mut() {
            None => error.into(),
            Some(row) => {
                *row = self.in_file(*row);
                Failure::from(error).about(self.source)
            }
        }
    }

    /// The row of the file, still counted from 0.
    fn in_file(self, row: usize) -> usize {
        let mut row = self.chosen.and_then(|chosen| chosen.get(row).copied()).unwrap_or(row);
        for dropped in self.dropped {
            // Every row that was left out before this one moves it on.
            row += usize::from(*dropped <= row as u64);
        }
        row + self.before as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_left_out_and_kept_out_count() {
        let rows = FileRows { source: "t.csv", dropped: &[0, 3, 4], chosen: Some(&[1, 2, 3]), before: 0 };
        // The table holds the rows 1, 2, 5, 6, … of the file, the fit the rows 2, 5, 6.
        assert_eq!([0, 1, 2].map(|row| rows.in_file(row)), [2, 5, 6]);
        assert_eq!(rows.after(1000).in_file(0), 1002);
        let error = proxdist::Error::NegativeWeight { row: 1, value: -1.0 };
        assert!(rows.explain(error).message.starts_with("t.csv: weight at data row 6 is -1"));
    }
}
