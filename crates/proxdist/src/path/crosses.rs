//! Second derivatives between all columns and those of a support, kept from place to place.
//!
//! $C_{jk} = \sum_iw_i\ell''_ix_{ij}x_{ik}$ for all columns $j$ and the $k$ of a support costs $nps$; for a feature that is new in it $np$. Between neighbouring places $\ell''$ changes
//! little, and exchanges are only proposed by these numbers, so a column's are computed when it enters and kept until they are [`Crosses::forget`]ten. The gradient is always that of
//! the place.

use crate::error::Result;
use crate::layout::Layout;
use crate::objective::Objective;
use crate::polish::sweep;
use std::collections::HashMap;

/// What is known at some place.
#[derive(Debug, Default)]
pub(super) struct Crosses {
    /// $C_{\cdot k}$ by column $k$.
    rows: HashMap<usize, Vec<f64>>,
    /// $C_{jj}$ with the ridge; empty if nothing is known.
    diagonal: Vec<f64>,
    /// Places that were measured since all of it was.
    age: usize,
}

/// The numbers of one place.
pub(super) struct Measured {
    pub(super) gradient: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    /// For each column its second derivatives with the support and the intercept.
    pub(super) across: Vec<f64>,
    /// Second derivatives of the support and the intercept among themselves.
    pub(super) hessian: Vec<f64>,
}

impl Crosses {
    /// Places that were measured with numbers of others.
    pub(super) fn age(&self) -> usize {
        self.age
    }

    /// Features of a support that nothing is known about.
    pub(super) fn missing(&self, support: &[usize]) -> usize {
        support.iter().filter(|j| !self.rows.contains_key(j)).count()
    }

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The numbers at a point, those of features that were there before as they were then; `None` if there are too many to keep.
    pub(super) fn at(
        &mut self,
        objective: Objective,
        layout: Layout,
        support: &[usize],
        theta: &[f64],
    ) -> Result<Option<Measured>> {
        self.rows.retain(|column, _| support.binary_search(column).is_ok());
        let missing: Vec<usize> = support.iter().copied().filter(|j| !self.rows.contains_key(j)).collect();
        let is_new = self.diagonal.is_empty();
        let known = if is_new { None } else { Some(std::mem::take(&mut self.diagonal)) };
        let measured = sweep(objective, theta, &missing, known)?;
        let inner = measured.hessian(objective, theta, &missing)?;
        self.diagonal = measured.diagonal;
        self.age = if is_new { 0 } else { self.age + 1 };
        let Some(fresh) = measured.crosses else {
            self.forget();
            return Ok(None);
        };
        let (columns, width) = (layout.features(), layout.reduced_to(missing.len()).len());
        for (at, &column) in missing.iter().enumerate() {
            self.rows.insert(column, fresh[at..].iter().step_by(width).copied().collect());
        }
        let size = layout.reduced_to(support.len()).len();
        let rows: Vec<&[f64]> = support.iter().filter_map(|j| self.rows.get(j)).map(Vec::as_slice).collect();
        let mut across = vec![0.0; columns * size];
        for (j, out) in across.chunks_exact_mut(size.max(1)).enumerate().take(columns) {
            rows.iter().zip(&mut *out).for_each(|(row, out)| *out = row[j]);
            if size > rows.len() {
                out[size - 1] = fresh[j * width + width - 1];
            }
        }
        let mut hessian = vec![0.0; size * size];
        for (a, &j) in support.iter().enumerate() {
            for (b, &k) in support.iter().enumerate() {
                hessian[a * size + b] = if a == b { self.diagonal[j] } else { 0.5 * (rows[a][k] + rows[b][j]) };
            }
            if size > rows.len() {
                let free = across[j * size + size - 1];
                (hessian[a * size + size - 1], hessian[(size - 1) * size + a]) = (free, free);
            }
        }
        if size > rows.len() {
            hessian[size * size - 1] = inner[width * width - 1];
        }
        Ok(Some(Measured { gradient: measured.gradient, diagonal: self.diagonal.clone(), across, hessian }))
    }
}
