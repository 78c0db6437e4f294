//! The columns of a support, for Newton's method: copies of them, or the rows in which they differ from their commonest value.
//!
//! With $x_{ia} = c_a + m_{ia}$, $W = \sum_iw_i$ and $u_a = \sum_iw_im_{ia}$ the second derivatives are
//! $$\sum_iw_ix_{ia}x_{ib} = c_ac_bW + c_au_b + c_bu_a + \sum_iw_im_{ia}m_{ib},$$
//! and the last sum runs over the pairs of marks in each row, which are few.

use super::columns::Columns;
use crate::data::Marked;
use crate::error::Result;
use crate::linalg::{axpy, dot, gram};

/// Rows that are weighted at a time.
const CHUNK: usize = 1024;

/// The columns that a fit may look at.
pub(super) enum Design<'p> {
    Copied(Columns<'p>),
    Marked(MarkedRows<'p>),
}

/// The marks of a support, row by row.
pub(super) struct MarkedRows<'p> {
    marked: &'p Marked,
    rows: usize,
    support: Vec<usize>,
    /// Where the marks of each row start, and the end of the last ones.
    starts: Vec<u32>,
    /// Position in the support, and mark.
    entries: Vec<(u32, f64)>,
}

impl Design<'_> {
    /// Makes sure that the columns of a support are there.
    pub(super) fn fetch(&mut self, support: &[usize]) -> Result<()> {
        match self {
            Self::Copied(columns) => columns.fetch(support),
            Self::Marked(rows) => {
                rows.turn(support);
                Ok(())
            }
        }
    }

    /// `out += X_S v`
    pub(super) fn add_times(&self, support: &[usize], v: &[f64], out: &mut [f64]) {
        match self {
            Self::Copied(columns) => {
                support.iter().zip(v).for_each(|(&j, &value)| axpy(value, columns.column(j), out));
            }
            Self::Marked(MarkedRows { marked, .. }) => {
                let shift: f64 = support.iter().zip(v).map(|(&j, value)| marked.common(j) * value).sum();
                out.iter_mut().for_each(|out| *out += shift);
                support.iter().zip(v).for_each(|(&j, &value)| marked.add_marks(j, value, out));
            }
        }
    }

    /// $X_S^Tu$
    pub(super) fn transpose_times(&self, support: &[usize], u: &[f64]) -> Vec<f64> {
        match self {
            Self::Copied(columns) => support.iter().map(|&j| dot(columns.column(j), u)).collect(),
            Self::Marked(MarkedRows { marked, .. }) => {
                let total: f64 = u.iter().sum();
                support.iter().map(|&j| marked.common(j) * total + marked.dot_marks(j, u)).collect()
            }
        }
    }

    /// $X_S^T\mathrm{diag}(w)X_S$ into `out`, full, with a column of ones behind those of the support if there is an intercept.
    pub(super) fn weighted_gram(&self, support: &[usize], weights: &[f64], has_intercept: bool, out: &mut Vec<f64>) {
        let size = support.len() + usize::from(has_intercept);
        out.clear();
        out.resize(size * size, 0.0);
        match self {
            Self::Copied(columns) => copied_gram(columns, support, weights, (has_intercept, out)),
            Self::Marked(rows) => rows.gram(weights, size, out),
        }
    }
}

fn copied_gram(columns: &Columns, support: &[usize], weights: &[f64], (has_intercept, out): (bool, &mut [f64])) {
    let size = support.len() + usize::from(has_intercept);
    let (mut block, mut part, mut roots) = (Vec::with_capacity(size * CHUNK), vec![0.0; size * size], Vec::new());
    for start in (0..weights.len()).step_by(CHUNK) {
        let range = start..weights.len().min(start + CHUNK);
        roots.clear();
        roots.extend(weights[range.clone()].iter().map(|c| c.sqrt()));
        block.clear();
        for &j in support {
            block.extend(columns.column(j)[range.clone()].iter().zip(&roots).map(|(x, root)| x * root));
        }
        if has_intercept {
            block.extend_from_slice(&roots);
        }
        gram(&block, size, roots.len(), &mut part);
        axpy(1.0, &part, out);
    }
}

impl<'p> MarkedRows<'p> {
    pub(super) fn new(marked: &'p Marked, rows: usize) -> Self {
        Self { marked, rows, support: Vec::new(), starts: vec![0; rows + 1], entries: Vec::new() }
    }

    /// The marks of a support by rows.
    fn turn(&mut self, support: &[usize]) {
        if self.support == support && self.entries.len() == self.starts[self.rows] as usize {
            return;
        }
        self.support = support.to_vec();
        self.starts.clear();
        self.starts.resize(self.rows + 1, 0);
        let (marked, starts) = (self.marked, &mut self.starts);
        support.iter().for_each(|&j| marked.marks(j, |row, _| starts[row + 1] += 1));
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(sum as usize, (0, 0.0));
        // Each start runs up to the next one while the entries are put in place.
        let entries = &mut self.entries;
        for (at, &j) in support.iter().enumerate() {
            marked.marks(j, |row, mark| {
                entries[starts[row] as usize] = (at as u32, mark);
                starts[row] += 1;
            });
        }
        starts.rotate_right(1);
        starts[0] = 0;
    }

    fn gram(&self, weights: &[f64], size: usize, out: &mut [f64]) {
        let count = self.support.len();
        let (mut sums, mut total) = (vec![0.0; count], 0.0);
        for (row, &weight) in weights.iter().enumerate() {
            total += weight;
            let marks = &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize];
            for (number, &(a, x)) in marks.iter().enumerate() {
                let (a, weighted) = (a as usize, weight * x);
                sums[a] += weighted;
                let line = &mut out[a * size..(a + 1) * size];
                marks[number..].iter().for_each(|&(b, y)| line[b as usize] += weighted * y);
            }
        }
        let common: Vec<f64> = self.support.iter().map(|&j| self.marked.common(j)).collect();
        for a in 0..count {
            for b in a..count {
                let entry =
                    out[a * size + b] + common[a] * common[b] * total + common[a] * sums[b] + common[b] * sums[a];
                (out[a * size + b], out[b * size + a]) = (entry, entry);
            }
            if size > count {
                let free = common[a] * total + sums[a];
                (out[a * size + count], out[count * size + a]) = (free, free);
            }
        }
        if size > count {
            out[size * size - 1] = total;
        }
    }
}
