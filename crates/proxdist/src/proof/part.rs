//! The function on the columns that a node still has.

use super::quadratic::Quadratic;
use std::borrow::Cow;

/// Up to this many columns a matrix of their own is copied: rows without gaps are read several times faster.
const COPIED: usize = 512;

/// What has been decided about a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Out,
    Free,
    In,
}

/// The quadratic function on some columns of a larger one.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    /// Numbers of the columns in the larger function, rising.
    pub(super) columns: Vec<usize>,
    pub(super) gram: Cow<'a, [f64]>,
    pub(super) linear: Vec<f64>,
    pub(super) constant: f64,
}

impl<'a> Part<'a> {
    /// All columns.
    pub(super) fn whole(quadratic: &'a Quadratic) -> Self {
        Self {
            columns: (0..quadratic.columns()).collect(),
            gram: Cow::Borrowed(&quadratic.gram),
            linear: quadratic.linear.clone(),
            constant: quadratic.constant,
        }
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// A row of the matrix.
    pub(super) fn row(&self, column: usize) -> &[f64] {
        &self.gram[column * self.len()..(column + 1) * self.len()]
    }

    /// $G_{jj}$
    pub(super) fn curvature(&self, column: usize) -> f64 {
        self.gram[column * self.len() + column]
    }

    /// The same function on some of its columns, with a matrix of its own; their numbers are those of this part.
    pub(super) fn on(&self, kept: &[usize]) -> Part<'static> {
        let mut gram = Vec::with_capacity(kept.len() * kept.len());
        for &j in kept {
            let row = self.row(j);
            gram.extend(kept.iter().map(|&k| row[k]));
        }
        Part {
            columns: kept.to_vec(),
            gram: Cow::Owned(gram),
            linear: kept.iter().map(|&j| self.linear[j]).collect(),
            constant: self.constant,
        }
    }

    /// The same function for a node that has some of the columns left: a copy where that pays, otherwise this part as it is.
    pub(super) fn for_node(&self, kept: &[usize]) -> Part<'_> {
        if kept.len() < self.len() && kept.len() <= COPIED {
            return self.on(kept);
        }
        Part {
            columns: (0..self.len()).collect(),
            gram: Cow::Borrowed(&self.gram),
            linear: self.linear.clone(),
            constant: self.constant,
        }
    }
}
