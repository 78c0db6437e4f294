//! What can be wrong with compressed sparse rows, and where.

/// Which rule of the structure is broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SparseFault {
    /// A row starts before the first value.
    #[error("row start {at}: negative")]
    NegativeStart {
        /// Number of the start, from 0.
        at: usize,
    },
    /// The first row leaves values out.
    #[error("row start 0: {start}, but the first row starts at 0")]
    FirstStart {
        /// Where it starts.
        start: usize,
    },
    /// A row starts before the one above it.
    #[error("row start {at}: {start} comes after {previous}; starts must not decrease")]
    DecreasingStart {
        /// Number of the start, from 0.
        at: usize,
        /// Where the row starts.
        start: usize,
        /// Where the one above it starts.
        previous: usize,
    },
    /// The last row does not end where the values do.
    #[error("last row start: {start}, but there are {values} values")]
    LastStart {
        /// The last start.
        start: usize,
        /// Values there are.
        values: usize,
    },
    /// A column before the first.
    #[error("row {row}: a negative column index")]
    NegativeIndex {
        /// Zero-based row.
        row: usize,
    },
    /// A column after the last.
    #[error("row {row}: column index {column}, but there are {columns} columns")]
    IndexBeyond {
        /// Zero-based row.
        row: usize,
        /// The column.
        column: usize,
        /// Columns there are.
        columns: usize,
    },
    /// Columns that do not increase within a row.
    #[error("row {row}: column index {column} is repeated or out of order; indices must increase")]
    IndexOrder {
        /// Zero-based row.
        row: usize,
        /// The column.
        column: usize,
    },
}
