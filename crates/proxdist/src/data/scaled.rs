//! Columns scaled as they are read: the source whose entries are $(x_{ij} - m_j)f_j$.
//!
//! The storage below stays as it is, borrowed or mapped. A batch or a chunk of a pass is scaled in the buffer it is gathered
//! into, so every product sees the same bits as if the columns had been scaled beforehand.

use super::{Data, DataSource, RowBuffer, Rows, Support};
use crate::error::Result;
use crate::linalg;
use crate::scaling::Scaling;
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
        Ok(Self { source: Box::new(Scaled { source: self.source, scaling, is_sparse }), ..self })
    }
}

impl<'a> Data<'a> {
    /// The same for data that are only borrowed.
    pub(crate) fn scaled_view(&self, scaling: Scaling) -> Result<Data<'_>> {
        let view = Data { source: Box::new(self.source()), names: self.names.clone(), ..*self };
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

    fn find_not_finite(&self) -> Option<(usize, usize, f64)> {
        self.source.find_not_finite()
    }
}
