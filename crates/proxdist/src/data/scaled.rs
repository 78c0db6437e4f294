//! Columns scaled as they are read: the source whose entries are $(x_{ij} - m_j)f_j$.
//!
//! The storage below stays as it is, borrowed or mapped. A batch or a chunk of a pass is scaled in the buffer it is gathered
//! into, so every product sees the same bits as if the columns had been scaled beforehand.

use super::{Data, DataSource, RowBuffer, Rows, Support};
use crate::error::Result;
use crate::linalg;
use crate::scaling::Scaling;
use std::borrow::Cow;
use std::cell::RefCell;

/// Another source with its columns scaled.
pub(crate) struct Scaled<'a> {
    source: Box<dyn DataSource + 'a>,
    scaling: Scaling,
    is_sparse: bool,
}

thread_local! {
    /// Where a row is scaled when its product is asked for alone.
    static ROW: RefCell<RowBuffer> = RefCell::default();
}

impl Data<'_> {
    /// The same data with columns scaled as they are read; nothing is copied.
    ///
    /// ```
    /// use proxdist::{Data, Scaling};
    /// let (x, y) = ([1.0, 10.0, 3.0, 30.0], [0.0, 1.0]);
    /// let data = Data::dense(&x, 2, &y)?;
    /// let scaling = Scaling::of(&data, true)?;
    /// let scaled = data.scaled(scaling)?;
    /// assert_eq!(scaled.source().entry(1, 1), 1.0);
    /// # Ok::<(), proxdist::Error>(())
    /// ```
    pub fn scaled(self, scaling: Scaling) -> Result<Self> {
        let mut first = RowBuffer::default();
        self.source.gather(&[0], &mut first)?;
        let is_sparse = matches!(first.rows(), Rows::Sparse { .. });
        let source = Scaled { source: self.source, scaling, is_sparse };
        let sizes = self.sizes.scaled(&source, &source.scaling.factors);
        Ok(Self { source: Box::new(source), sizes, ..self })
    }
}

impl Data<'_> {
    /// The same for data that are only borrowed.
    pub(crate) fn scaled_view(&self, scaling: Scaling) -> Result<Data<'_>> {
        let view = Data {
            source: Box::new(self.source()),
            sizes: self.sizes,
            names: self.names.clone(),
            weights: self.weights.as_deref().map(Cow::Borrowed),
            ..*self
        };
        view.scaled(scaling)
    }
}

impl DataSource for Scaled<'_> {
    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn columns(&self) -> usize {
        self.source.columns()
    }

    fn gather(&self, rows: &[usize], buffer: &mut RowBuffer) -> Result<()> {
        self.source.gather(rows, buffer)?;
        buffer.scale(&self.scaling.means, &self.scaling.factors);
        Ok(())
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        (self.source.entry(row, column) - self.scaling.means[column]) * self.scaling.factors[column]
    }

    fn dot(&self, row: usize, v: &[f64], support: &Support) -> f64 {
        match support.indices() {
            Some(few) if !self.is_sparse => few.iter().map(|&j| self.entry(row, j) * v[j]).sum(),
            _ => ROW.with_borrow_mut(|buffer| match self.gather(&[row], buffer) {
                Err(_) => f64::NAN,
                Ok(()) => match buffer.rows() {
                    Rows::Dense { values, .. } => linalg::dot(values, v),
                    rows @ Rows::Sparse { .. } => rows.row(0).map(|(j, x)| x * v[j]).sum(),
                },
            }),
        }
    }

    /// The value is that of the storage, which is where people look for it.
    fn find_beyond(&self, limit: f64) -> Option<(usize, usize, f64)> {
        let mut buffer = RowBuffer::default();
        (0..self.rows()).find_map(|row| {
            self.gather(&[row], &mut buffer).ok()?;
            let (column, _) = buffer.rows().row(0).find(|(_, value)| value.is_nan() || value.abs() > limit)?;
            Some((row, column, self.source.entry(row, column)))
        })
    }
}
