//! Some rows of a source that is read in order: all of it is read, and rows that are not wanted are passed over.
//!
//! The rows must be in ascending order. What is left is again read in order, so folds and rows kept out of a fit need no random access.

use super::{ChunkSource, Piece, Rows, Visit, Wanted};
use crate::error::{Error, Result};

/// A source that is some rows of another, in its order.
pub(super) struct Sifted<'a> {
    source: &'a (dyn ChunkSource + 'a),
    rows: &'a [usize],
}

impl<'a> Sifted<'a> {
    /// The given rows of `source`, which has them. Fails unless they ascend.
    pub(super) fn new(source: &'a (dyn ChunkSource + 'a), rows: &'a [usize]) -> Result<Self> {
        if rows.windows(2).all(|pair| pair[0] < pair[1]) { Ok(Self { source, rows }) } else { Err(Error::InOrderOnly) }
    }
}

/// Rows that were taken over, dense or sparse as the source has them.
#[derive(Default)]
struct Held {
    values: Vec<f64>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    rows: usize,
}

impl Held {
    fn clear(&mut self) {
        self.values.clear();
        self.indices.clear();
        self.starts.clear();
        self.starts.push(0);
        self.rows = 0;
    }

    fn push(&mut self, rows: &Rows<'_>, at: usize) {
        match *rows {
            Rows::Dense { values, columns, .. } => {
                self.values.extend_from_slice(&values[at * columns..(at + 1) * columns]);
            }
            Rows::Sparse { .. } => {
                for (column, value) in rows.row(at) {
                    self.indices.push(column as u32);
                    self.values.push(value);
                }
                self.starts.push(self.values.len());
            }
        }
        self.rows += 1;
    }

    fn rows(&self, like: &Rows<'_>) -> Rows<'_> {
        let (values, columns) = (&self.values[..], like.width());
        match like {
            Rows::Dense { .. } => Rows::Dense { values, rows: self.rows, columns },
            Rows::Sparse { .. } => Rows::Sparse { starts: &self.starts, indices: &self.indices, values, columns },
        }
    }
}

impl ChunkSource for Sifted<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.source.columns()
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        let chosen = &self.rows[wanted.rows.clone()];
        let (Some(&first), Some(&last)) = (chosen.first(), chosen.last()) else { return Ok(()) };
        let (mut at, mut held) = (0, Held::default());
        held.clear();
        self.source.chunks(&Wanted { rows: first..last + 1, ..wanted.clone() }, &mut |piece| {
            while at < chosen.len() && chosen[at] < piece.first + piece.rows.len() {
                held.push(&piece.rows, chosen[at] - piece.first);
                at += 1;
                if held.rows == wanted.length.max(1) || at == chosen.len() {
                    let first = wanted.rows.start + at - held.rows;
                    visit(Piece { first, rows: held.rows(&piece.rows), columns: piece.columns })?;
                    held.clear();
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dense, Sparse, Subset};
    use super::*;

    /// Columns and numbers of a row.
    type Entries = Vec<(usize, f64)>;

    /// Rows of all chunks as they are handed out, with the number of the first.
    fn chunks(source: &dyn ChunkSource, wanted: &Wanted<'_>) -> Vec<(usize, Vec<Entries>)> {
        let mut found = Vec::new();
        let mut take = |piece: Piece<'_>| {
            let rows = (0..piece.rows.len()).map(|i| piece.rows.row(i).collect()).collect();
            found.push((piece.first, rows));
            Ok(())
        };
        source.chunks(wanted, &mut take).unwrap();
        found
    }

    #[test]
    fn rows_that_are_passed_over_leave_the_same_chunks_as_a_subset() {
        let x: Vec<f64> = (0..60).map(f64::from).collect();
        let dense = Dense::new(&x, 3).unwrap();
        let (starts, indices): (Vec<usize>, Vec<u32>) = ((0..=20).map(|i| 2 * i).collect(), [0_u32, 2].repeat(20));
        let sparse = Sparse::new(&starts, &indices, &x[..40], 3).unwrap();
        let rows = [1, 2, 5, 6, 7, 11, 18];
        for (source, other) in [(&dense as &dyn ChunkSource, &dense as _), (&sparse, &sparse as _)] {
            let (sifted, subset) = (Sifted::new(source, &rows).unwrap(), Subset::new(other, &rows).unwrap());
            for range in [0..7, 0..1, 2..6] {
                for length in [1, 2, 3, 100] {
                    let wanted = Wanted { rows: range.clone(), length, columns: None };
                    assert_eq!(chunks(&sifted, &wanted), chunks(&subset, &wanted), "{range:?} {length}");
                }
            }
        }
        assert!(matches!(Sifted::new(&dense, &[2, 1]), Err(Error::InOrderOnly)));
    }
}
