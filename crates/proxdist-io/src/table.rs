//! What every reader returns: features with names, and the columns that have a role of their own.

use std::fmt;

use crate::labels::Classes;
use crate::mapped::Mapped;
use crate::picked::Picked;
use crate::schema::Schema;
use crate::stored::Stored;

/// A data set, read and encoded.
#[derive(Debug)]
pub struct Table {
    /// The matrix of features.
    pub features: Features,
    /// The target, if one was asked for; labels are 0 and 1.
    pub response: Option<Vec<f64>>,
    /// Observation weights, zero or positive.
    pub weights: Option<Vec<f64>>,
    /// Known part of the linear predictor.
    pub offset: Option<Vec<f64>>,
    /// The two labels, if the target is one of two classes.
    pub classes: Option<Classes>,
    /// What to keep beside a model so that other files are encoded in the same way.
    pub schema: Schema,
    /// Zero-based numbers of the rows left out because of missing values, in order.
    pub dropped: Vec<u64>,
    /// Things to say aloud: what was detected, encoded, left out or filled in.
    pub notices: Vec<String>,
    /// Fields of the columns that were to be kept, for every row of the file up to here, those left out too; empty for formats that are not text.
    pub echoed: Vec<Vec<String>>,
}

impl Table {
    /// One name for each column of `features`; indicator columns are called `column=level`. Made when asked for: the names
    /// `V1`, …, `Vp` of a sparse file could take more memory than the file.
    pub fn names(&self) -> Vec<String> {
        self.schema.names()
    }
}

/// A matrix of features, one row per observation; all entries are finite, but for [`Stored`] ones that nobody has looked at yet.
pub enum Features {
    /// Row-major.
    Dense {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// `rows * columns` entries.
        values: Vec<f64>,
    },
    /// Row-major, single precision.
    DenseF32 {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// `rows * columns` entries.
        values: Vec<f32>,
    },
    /// Compressed sparse rows: row `i` has the entries `row_starts[i]..row_starts[i + 1]`.
    Sparse {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// `rows + 1` positions.
        row_starts: Vec<usize>,
        /// Zero-based column of each entry, increasing within a row.
        columns_of: Vec<u32>,
        /// The entries.
        values: Vec<f64>,
    },
    /// Row-major, in a file mapped into memory.
    MappedF64(Mapped<f64>),
    /// Row-major, single precision, in a file mapped into memory.
    MappedF32(Mapped<f32>),
    /// Some columns of a row-major matrix.
    PickedF64(Picked<f64>),
    /// Some columns of a row-major matrix in single precision.
    PickedF32(Picked<f32>),
    /// On the disk, to be read in order.
    Stored(Stored),
}

/// The shape and the way of storage; the entries would fill the screen.
impl fmt::Debug for Features {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let storage = match self {
            Self::Dense { .. } => "dense f64",
            Self::DenseF32 { .. } => "dense f32",
            Self::Sparse { .. } => "sparse f64",
            Self::MappedF64(_) => "mapped f64",
            Self::MappedF32(_) => "mapped f32",
            Self::PickedF64(_) => "picked f64",
            Self::PickedF32(_) => "picked f32",
            Self::Stored(_) => "on disk",
        };
        write!(out, "Features({} x {}, {storage}, {} stored)", self.rows(), self.columns(), self.stored())
    }
}

impl Features {
    /// Number of observations.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense { rows, .. } | Self::DenseF32 { rows, .. } | Self::Sparse { rows, .. } => *rows,
            Self::MappedF64(map) => map.rows(),
            Self::MappedF32(map) => map.rows(),
            Self::PickedF64(picked) => picked.rows(),
            Self::PickedF32(picked) => picked.rows(),
            Self::Stored(stored) => stored.rows(),
        }
    }

    /// Number of features.
    pub fn columns(&self) -> usize {
        match self {
            Self::Dense { columns, .. } | Self::DenseF32 { columns, .. } | Self::Sparse { columns, .. } => *columns,
            Self::MappedF64(map) => map.columns(),
            Self::MappedF32(map) => map.columns(),
            Self::PickedF64(picked) => picked.columns().len(),
            Self::PickedF32(picked) => picked.columns().len(),
            Self::Stored(stored) => stored.columns(),
        }
    }

    /// The row-major matrix, where it is stored in double precision.
    pub fn dense_f64(&self) -> Option<&[f64]> {
        match self {
            Self::Dense { values, .. } => Some(values),
            Self::MappedF64(map) => Some(map.values()),
            _ => None,
        }
    }

    /// The row-major matrix, where it is stored in single precision.
    pub fn dense_f32(&self) -> Option<&[f32]> {
        match self {
            Self::DenseF32 { values, .. } => Some(values),
            Self::MappedF32(map) => Some(map.values()),
            _ => None,
        }
    }

    /// Whether only nonzero entries are stored.
    pub fn is_sparse(&self) -> bool {
        match self {
            Self::Sparse { .. } => true,
            Self::Stored(stored) => stored.is_sparse(),
            _ => false,
        }
    }

    /// Only these columns of a dense matrix, which is not copied.
    pub(crate) fn narrowed(self, columns: Vec<usize>) -> Self {
        match self {
            Self::Dense { columns: width, values, .. } => Self::PickedF64(Picked::owned(values, width, columns)),
            Self::DenseF32 { columns: width, values, .. } => Self::PickedF32(Picked::owned(values, width, columns)),
            Self::MappedF64(map) => Self::PickedF64(Picked::mapped(map, columns)),
            Self::MappedF32(map) => Self::PickedF32(Picked::mapped(map, columns)),
            Self::Stored(stored) => Self::Stored(stored.picked(columns)),
            other => other,
        }
    }

    /// Number of entries stored.
    pub fn stored(&self) -> usize {
        match self {
            Self::Sparse { values, .. } => values.len(),
            Self::Stored(stored) => stored.stored(),
            _ => self.rows() * self.columns(),
        }
    }

    /// A copy of row `index` as a full vector; empty if it is on the disk and cannot be read.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, index: usize) -> Vec<f64> {
        let (rows, columns) = (self.rows(), self.columns());
        assert!(index < rows, "row {index} of {rows}");
        let range = index * columns..(index + 1) * columns;
        if let Some(values) = self.dense_f64() {
            return values[range].to_vec();
        }
        if let Some(values) = self.dense_f32() {
            return values[range].iter().map(|&value| f64::from(value)).collect();
        }
        match self {
            Self::PickedF64(picked) => return picked.row(index).collect(),
            Self::PickedF32(picked) => return picked.row(index).map(f64::from).collect(),
            Self::Stored(stored) => return stored.row(index).unwrap_or_default(),
            _ => {}
        }
        let mut full = vec![0.0; columns];
        if let Self::Sparse { row_starts, columns_of, values, .. } = self {
            for entry in row_starts[index]..row_starts[index + 1] {
                full[columns_of[entry] as usize] = values[entry];
            }
        }
        full
    }
}
