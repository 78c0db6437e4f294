//! Some rows of a data set, by index.
//!
//! A [`Subset`] is the matrix with rows $x_{r_1}, x_{r_2}, \dots$ of another source. The features stay where they are; only
//! the numbers that belong to a row, $y_i$, $w_i$ and $o_i$, are copied, into a [`Part`] that owns them.

use super::sifted::Sifted;
use super::{ChunkSource, Data, RandomAccess, RowBuffer, Visit, Wanted};
use crate::error::{Error, Result};
use crate::rule::Rule;
use std::fmt;

/// A source that is some rows of another, in any order.
#[derive(Clone, Copy)]
pub struct Subset<'a> {
    source: &'a (dyn RandomAccess + 'a),
    rows: &'a [usize],
}

impl<'a> Subset<'a> {
    /// The given rows of `source`.
    pub fn new(source: &'a (dyn RandomAccess + 'a), rows: &'a [usize]) -> Result<Self> {
        check_rows(rows, source.rows())?;
        Ok(Self { source, rows })
    }
}

/// Their number: there may be millions.
impl fmt::Debug for Subset<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subset").field("source", &self.source).field("rows", &self.rows.len()).finish()
    }
}

impl ChunkSource for Subset<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.source.columns()
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        self.chunks_at_hand(wanted, visit)
    }

    fn random_access(&self) -> Option<&dyn RandomAccess> {
        Some(self)
    }
}

impl RandomAccess for Subset<'_> {
    fn gather(&self, rows: &[usize], columns: Option<&[usize]>, buffer: &mut RowBuffer) -> Result<()> {
        let numbers = rows.iter().map(|&row| self.rows[row]);
        buffer.renumbered(numbers, |rows, buffer| self.source.gather(rows, columns, buffer))
    }
}

/// Some rows of a data set, with the numbers that belong to them; see [`Data::subset`].
pub struct Part<'a> {
    parent: &'a Data<'a>,
    rows: Vec<usize>,
    response: Vec<f64>,
    weights: Option<Vec<f64>>,
    offset: Option<Vec<f64>>,
}

/// Their number: there may be millions.
impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("parent", &self.parent).field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl Part<'_> {
    /// Which rows of the parent these are.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The rows as a data set, with the names and the shape of the parent. Fails if all their weights are zero.
    pub fn data(&self) -> Result<Data<'_>> {
        // Not through `Data::new`: the parent has been searched for NaN already.
        let source: Box<dyn ChunkSource + '_> = match self.parent.source().random_access() {
            Some(source) => Box::new(Subset { source, rows: &self.rows }),
            None => Box::new(Sifted::new(self.parent.source(), &self.rows)?),
        };
        let sizes = self.parent.sizes.of_part(&*source)?;
        let data = Data {
            source,
            sizes,
            response: &self.response,
            weights: None,
            weight_sum: self.rows.len() as f64,
            offset: self.offset.as_deref(),
            names: self.parent.names.clone(),
            origins: self.parent.origins.clone(),
            shape: self.parent.shape,
            marked: None,
        };
        match &self.weights {
            None => Ok(data),
            Some(weights) => data.weights(weights),
        }
    }
}

impl Data<'_> {
    /// Some rows, in the order given. Features are not copied.
    ///
    /// ```
    /// use proxdist::Data;
    /// let x = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    /// let y = [1.0, 2.0, 3.0];
    /// let whole = Data::dense(&x, 2, &y)?;
    /// let part = whole.subset(vec![2, 0])?;
    /// assert_eq!(part.data()?.response(), [3.0, 1.0]);
    /// # Ok::<(), proxdist::Error>(())
    /// ```
    pub fn subset(&self, rows: Vec<usize>) -> Result<Part<'_>> {
        check_rows(&rows, self.rows())?;
        let chosen = |values: &[f64]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let (response, weights, offset) =
            (chosen(self.response), self.weights.as_deref().map(chosen), self.offset.map(chosen));
        Ok(Part { parent: self, rows, response, weights, offset })
    }
}

fn check_rows(rows: &[usize], count: usize) -> Result<()> {
    if rows.is_empty() {
        return Err(Error::Empty { what: "rows" });
    }
    match rows.iter().find(|row| **row >= count) {
        None => Ok(()),
        Some(row) => Err(Error::setting("a row of a subset", Rule::RowNumber { rows: count }, row)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::products;
    use super::*;

    const X: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 0.0, 6.0, 7.0, 8.0];
    const Y: [f64; 4] = [0.0, 1.0, 2.0, 3.0];

    #[test]
    fn a_subset_of_dense_or_sparse_rows_is_those_rows() {
        let (starts, indices, values) =
            ([0_usize, 2, 4, 5, 7], [0_u32, 1, 0, 1, 1, 0, 1], [1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0]);
        let dense = Data::dense(&X, 2, &Y).unwrap();
        let sparse = Data::sparse(&starts, &indices, &values, 2, &Y).unwrap();
        for whole in [dense, sparse] {
            let whole = whole.weights(&[1.0, 2.0, 3.0, 4.0]).unwrap().offset(&[0.1, 0.2, 0.3, 0.4]).unwrap();
            let whole = whole.names(["a", "b"]).unwrap().shape(1, 2).unwrap();
            let part = whole.subset(vec![3, 0, 2]).unwrap();
            let data = part.data().unwrap();
            assert_eq!((data.rows(), data.columns(), data.weight_sum()), (3, 2, 8.0));
            assert_eq!(data.response(), [3.0, 0.0, 2.0]);
            assert_eq!([data.weight(0), data.offset_of(1), data.offset_of(2)], [4.0, 0.1, 0.3]);
            assert_eq!(
                (data.feature_names(), data.parameter_shape()),
                (whole.feature_names(), whole.parameter_shape())
            );
            let mut buffer = RowBuffer::default();
            data.random_access().unwrap().gather(&[2, 0], None, &mut buffer).unwrap();
            let block = buffer.rows();
            let entries = (0..2).flat_map(|i| block.row(i)).map(|(_, x)| x);
            assert_eq!(entries.filter(|x| *x != 0.0).collect::<Vec<_>>(), [6.0, 7.0, 8.0]);
            assert_eq!(products(data.source(), &[1.0, 10.0]).unwrap(), [87.0, 21.0, 60.0]);
            // A part of a part.
            let inner = data.subset(vec![1]).unwrap();
            assert_eq!(products(inner.data().unwrap().source(), &[1.0, 10.0]).unwrap(), [21.0]);
        }
    }

    #[test]
    fn a_subset_finds_what_is_not_finite_among_its_own_rows() {
        let x = [1.0, f64::NAN, 2.0, 3.0];
        let dense = super::super::Dense::new(&x, 2).unwrap();
        assert!(Subset::new(&dense, &[1]).unwrap().find_beyond(f64::MAX).unwrap().is_none());
        let cell = Subset::new(&dense, &[1, 0]).unwrap().find_beyond(f64::MAX).unwrap().unwrap();
        assert!((cell.row, cell.column) == (1, 1) && cell.value.is_nan());
    }

    #[test]
    fn rows_that_do_not_exist_or_weigh_nothing_are_refused() {
        let whole = Data::dense(&X, 2, &Y).unwrap().weights(&[0.0, 0.0, 1.0, 1.0]).unwrap();
        assert!(whole.subset(vec![]).is_err());
        let message = whole.subset(vec![0, 4]).err().unwrap().to_string();
        assert_eq!(message, "a row of a subset must be below the number of rows, 4, got 4");
        assert!(matches!(whole.subset(vec![0, 1]).unwrap().data(), Err(Error::ZeroWeights { rows: 2 })));
    }
}
