//! A support with everything that exchanges need, kept up to date in $O(ps)$ a move.
//!
//! In the symbols of `scores.rs`, with $a = B_{:i}$ when $i$ enters and $u = G_{i,:} - G_{iS}B$:
//! $$A \leftarrow \begin{pmatrix} A + aa^T/d_i & -a/d_i\\ -a^T/d_i & 1/d_i\end{pmatrix}, \quad B \leftarrow \begin{pmatrix} B - au/d_i\\ u/d_i\end{pmatrix}, \quad
//! \theta \leftarrow \begin{pmatrix}\theta - ar_i/d_i\\ r_i/d_i\end{pmatrix}, \quad r \leftarrow r - ur_i/d_i, \quad d \leftarrow d - u^2/d_i,$$
//! and when the feature at position $q$ leaves, with $a = A_{:q}$,
//! $$A \leftarrow A - aa^T/a_q, \quad B \leftarrow B - aB_{q,:}/a_q, \quad \theta \leftarrow \theta - a\theta_q/a_q, \quad r \leftarrow r + B_{q,:}\theta_q/a_q, \quad d \leftarrow d + B_{q,:}^2/a_q$$
//! without row and column $q$. Rounding grows with the number of moves and with $A_{jj}$, so after some moves, and sooner where columns are nearly
//! dependent, everything is computed afresh from $G$.

use super::form::{Form, INDEPENDENT};
use super::scores::Scores;
use crate::error::Result;
use crate::linalg::{Cholesky, add_multiples, axpy, product, wide};

/// Moves after which everything is computed afresh.
const MOVES: usize = 64;
/// $A_{jj}$ beyond which that is done after every move: the columns are nearly dependent.
const INFLATED: f64 = 1e4;
/// Rounding of the numbers here, in units of $A_{jj}$.
const ROUNDING: f64 = 1e-14;

/// The state of a support.
#[derive(Default)]
pub(super) struct State {
    /// The support in the order in which features came.
    members: Vec<usize>,
    /// $A$
    inverse: Vec<Vec<f64>>,
    /// Its diagonal.
    own: Vec<f64>,
    /// $B$
    rows: Vec<Vec<f64>>,
    theta: Vec<f64>,
    /// $r$
    slope: Vec<f64>,
    /// $d$; infinite for members, and for columns that do not vary.
    left: Vec<f64>,
    moves: usize,
    work: Vec<f64>,
    cholesky: Cholesky,
}

impl State {
    /// The support in ascending order.
    pub(super) fn support(&self) -> Vec<usize> {
        let mut support = self.members.clone();
        support.sort_unstable();
        support
    }

    /// The feature at a position.
    pub(super) fn member(&self, at: usize) -> usize {
        self.members[at]
    }

    /// Number of features.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether this is the state of a support, given in ascending order.
    pub(super) fn is_at(&self, support: &[usize]) -> bool {
        !self.slope.is_empty()
            && self.members.len() == support.len()
            && self.members.iter().all(|j| support.binary_search(j).is_ok())
    }

    /// $-\tfrac12b_S^T\theta$: the minimum on the support, less the value without features.
    pub(super) fn value(&self, form: &Form) -> f64 {
        -0.5 * self.members.iter().zip(&self.theta).map(|(&j, value)| form.linear[j] * value).sum::<f64>()
    }

    pub(super) fn scores(&self) -> Scores<'_> {
        self.scores_with(&self.left)
    }

    /// The same with some features forbidden to enter: their `left` is infinite.
    pub(super) fn scores_with<'a>(&'a self, left: &'a [f64]) -> Scores<'a> {
        let Self { theta, own, rows, slope, .. } = self;
        Scores { theta, own, rows, slope, left, floor: self.floor() }
    }

    /// $d$ as it is.
    pub(super) fn left(&self) -> &[f64] {
        &self.left
    }

    fn inflation(&self) -> f64 {
        self.own.iter().copied().fold(1.0, f64::max)
    }

    /// What is left of a column must be above this to be more than rounding.
    fn floor(&self) -> f64 {
        INDEPENDENT.max(ROUNDING * self.inflation())
    }

    /// Computes everything for a support from $G$; `false`, with an unusable state, if its columns are too nearly dependent.
    pub(super) fn load(&mut self, form: &mut Form, support: &[usize]) -> Result<bool> {
        self.members.clear();
        self.members.extend_from_slice(support);
        self.refresh(form)
    }

    /// Computes everything afresh.
    fn refresh(&mut self, form: &mut Form) -> Result<bool> {
        form.fetch(&self.members, &[])?;
        let (count, columns) = (self.members.len(), form.columns());
        self.moves = 0;
        self.slope.clear();
        if !form.factor(&self.members, &mut self.cholesky) {
            return Ok(false);
        }
        let mut inverse = vec![0.0; count * count];
        for (at, column) in inverse.chunks_exact_mut(count.max(1)).enumerate() {
            column[at] = 1.0;
            self.cholesky.solve(column);
        }
        let mut held = Vec::with_capacity(count * columns);
        self.members.iter().for_each(|&j| held.extend_from_slice(form.row(j)));
        let mut rows = vec![0.0; count * columns];
        if count > 0 {
            product(&inverse, &held, &mut rows, count, columns);
        }
        self.theta.clear();
        self.theta.extend(self.members.iter().map(|&j| form.linear[j]));
        if count > 0 {
            self.cholesky.solve(&mut self.theta);
        }
        self.slope.extend_from_slice(&form.linear);
        self.left.clone_from(&form.diagonal);
        for (at, row) in held.chunks_exact(columns).enumerate() {
            axpy(-self.theta[at], row, &mut self.slope);
            let solved = &rows[at * columns..(at + 1) * columns];
            self.left.iter_mut().zip(row.iter().zip(solved)).for_each(|(d, (g, b))| *d -= g * b);
        }
        self.rows = rows.chunks_exact(columns).map(<[f64]>::to_vec).collect();
        self.inverse = inverse.chunks_exact(count.max(1)).map(<[f64]>::to_vec).collect();
        self.own = (0..count).map(|at| self.inverse[at][at]).collect();
        self.left.iter_mut().zip(&form.is_usable).filter(|(_, is)| !**is).for_each(|(d, _)| *d = f64::INFINITY);
        for &j in &self.members {
            self.slope[j] = 0.0;
            self.left[j] = f64::INFINITY;
        }
        Ok(self.own.iter().all(|own| *own > 0.0 && own.is_finite()))
    }

    /// Lets a feature enter; `false` if nothing is left of it beside the support, or the state became unusable.
    pub(super) fn add(&mut self, form: &mut Form, enters: usize) -> Result<bool> {
        let left = self.left[enters];
        if !(left > self.floor() && left.is_finite()) {
            return Ok(false);
        }
        form.fetch(&[enters], &[])?;
        let mut u = std::mem::take(&mut self.work);
        u.clear();
        u.extend_from_slice(form.row(enters));
        let along: Vec<f64> = self.rows.iter().map(|row| row[enters]).collect();
        let products = form.row(enters);
        wide(
            #[inline(always)]
            || {
                for (&j, row) in self.members.iter().zip(&self.rows) {
                    let factor = products[j];
                    u.iter_mut().zip(row).for_each(|(u, b)| *u -= factor * b);
                }
            },
        );
        let step = self.slope[enters] / left;
        axpy(-step, &u, &mut self.slope);
        self.left.iter_mut().zip(&u).for_each(|(d, u)| *d -= u * u / left);
        u.iter_mut().for_each(|u| *u /= left);
        let against: Vec<f64> = along.iter().map(|a| -a).collect();
        add_multiples(&against, &u, &mut self.rows);
        for (at, row) in self.inverse.iter_mut().enumerate() {
            axpy(along[at] / left, &along, row);
            row.push(-along[at] / left);
        }
        let mut last: Vec<f64> = along.iter().map(|a| -a / left).collect();
        last.push(1.0 / left);
        self.inverse.push(last);
        axpy(-step, &along, &mut self.theta);
        self.theta.push(step);
        self.members.push(enters);
        self.rows.push(u);
        self.after(form)
    }

    /// Takes out the feature at a position; `false` if the state became unusable.
    pub(super) fn remove(&mut self, form: &mut Form, at: usize) -> Result<bool> {
        let column = self.inverse[at].clone();
        let (own, theta) = (column[at], self.theta[at]);
        let leaving = std::mem::take(&mut self.rows[at]);
        axpy(theta / own, &leaving, &mut self.slope);
        self.left.iter_mut().zip(&leaving).for_each(|(d, b)| *d += b * b / own);
        // The row that leaves is empty by now.
        let against: Vec<f64> = column.iter().map(|a| -a / own).collect();
        add_multiples(&against, &leaving, &mut self.rows);
        for (k, row) in self.inverse.iter_mut().enumerate() {
            axpy(-column[k] / own, &column, row);
            row.remove(at);
        }
        axpy(-theta / own, &column, &mut self.theta);
        self.inverse.remove(at);
        self.rows.remove(at);
        self.theta.remove(at);
        let gone = self.members.remove(at);
        self.slope[gone] = theta / own;
        self.left[gone] = 1.0 / own;
        self.work = leaving;
        self.after(form)
    }

    /// After a move: members have no slope left, and now and then everything is computed afresh.
    fn after(&mut self, form: &mut Form) -> Result<bool> {
        self.moves += 1;
        self.own.clear();
        self.own.extend(self.inverse.iter().enumerate().map(|(at, row)| row[at]));
        let is_sound = self.own.iter().all(|own| *own > 0.0 && own.is_finite());
        let is_stale = self.moves >= MOVES || !is_sound || self.inflation() > INFLATED;
        if is_stale {
            return self.refresh(form);
        }
        for &j in &self.members {
            self.slope[j] = 0.0;
            self.left[j] = f64::INFINITY;
        }
        Ok(true)
    }

    /// The largest difference from everything computed afresh, relative to the sizes of the numbers.
    #[cfg(test)]
    pub(super) fn drift(&self, form: &mut Form) -> f64 {
        let mut fresh = Self::default();
        assert!(fresh.load(form, &self.members).unwrap());
        let difference = |a: &[f64], b: &[f64]| -> f64 {
            let pairs = a.iter().zip(b).filter(|(a, _)| a.is_finite());
            pairs.map(|(a, b)| (a - b).abs() / (1.0 + a.abs())).fold(0.0, f64::max)
        };
        assert_eq!(
            fresh.left.iter().map(|d| d.is_finite()).collect::<Vec<_>>(),
            self.left.iter().map(|d| d.is_finite()).collect::<Vec<_>>()
        );
        let mut worst = difference(&fresh.theta, &self.theta)
            .max(difference(&fresh.slope, &self.slope))
            .max(difference(&fresh.left, &self.left));
        for at in 0..self.members.len() {
            worst = worst.max(difference(&fresh.rows[at], &self.rows[at]));
            worst = worst.max(difference(&fresh.inverse[at], &self.inverse[at]));
        }
        worst
    }
}
