//! Columns scaled as they are read: the source whose entries are $(x_{ij} - m_j)f_j$.
//!
//! The storage below stays as it is, borrowed or mapped. A batch or a chunk of a pass is scaled in the buffer it is gathered
//! into, so every product sees the same bits as if the columns had been scaled beforehand.

use super::magnitude::first_in;
use super::{Cell, ChunkSource, Data, RandomAccess, RowBuffer, Visit, Wanted, length};
use crate::error::{Error, Result};
use crate::scaling::Scaling;

/// Another source with its columns scaled.
pub(crate) struct Scaled<'a> {
    source: Box<dyn ChunkSource + 'a>,
    scaling: Scaling,
}

impl Data<'_> {
    /// The same data with columns scaled as they are read; nothing is copied.
    ///
    /// ```
    /// use proxdist::{Data, Scaling, data::{RowBuffer, Support}};
    /// let (x, y) = ([1.0, 10.0, 3.0, 30.0], [0.0, 1.0]);
    /// let data = Data::dense(&x, 2, &y)?;
    /// let scaling = Scaling::of(&data, true)?;
    /// let scaled = data.scaled(scaling)?;
    /// let mut second = RowBuffer::default();
    /// scaled.random_access()?.gather(&[1], None, &mut second)?;
    /// assert_eq!(second.rows().dot(0, &[10.0, 1.0], &Support::default()), 11.0);
    /// # Ok::<(), proxdist::Error>(())
    /// ```
    pub fn scaled(self, scaling: Scaling) -> Result<Self> {
        let source = Scaled { source: self.source, scaling };
        let sizes = self.sizes.scaled(&source, &source.scaling.factors)?;
        Ok(Self { source: Box::new(source), sizes, marked: None, ..self })
    }
}

impl Data<'_> {
    /// The same for data that are only borrowed.
    pub(crate) fn scaled_view(&self, scaling: Scaling) -> Result<Data<'_>> {
        self.view().scaled(scaling)
    }
}

/// Data as they are stored, below columns that are scaled as they are read.
pub(crate) struct Unscaled<'d> {
    pub(crate) data: Data<'d>,
    pub(crate) scaling: &'d Scaling,
}

impl Data<'_> {
    /// The data below, where columns are scaled and their squares in both units are ordinary numbers. What finds its own units can read them there, without a copy of every chunk.
    pub(crate) fn unscaled(&self) -> Option<Unscaled<'_>> {
        let (source, scaling) = self.source().unscaled().filter(|_| self.sizes.are_usual_below)?;
        let data = Data { source: Box::new(source), marked: None, ..self.view() };
        Some(Unscaled { data, scaling })
    }
}

impl ChunkSource for Scaled<'_> {
    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn columns(&self) -> usize {
        self.source.columns()
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        let mut buffer = RowBuffer::default();
        self.source.chunks(wanted, &mut |piece| {
            buffer.copy_scaled(&piece, wanted.columns, &self.scaling);
            visit(buffer.piece(piece.first, wanted.columns))
        })
    }

    fn random_access(&self) -> Option<&dyn RandomAccess> {
        self.source.random_access().map(|_| self as &dyn RandomAccess)
    }

    fn unscaled(&self) -> Option<(&dyn ChunkSource, &Scaling)> {
        Some((&*self.source, &self.scaling))
    }

    /// The value is that of the storage, which is where people look for it.
    fn find_beyond(&self, limit: f64) -> Result<Option<Cell>> {
        let Scaling { means, factors } = &self.scaling;
        let wanted = Wanted { rows: 0..self.rows(), length: length(self.columns()), columns: None };
        let mut found = None;
        self.source.chunks(&wanted, &mut |piece| {
            found = found.or_else(|| first_in(&piece, limit, |j, x| (x - means[j]) * factors[j]));
            Ok(())
        })?;
        Ok(found)
    }
}

impl RandomAccess for Scaled<'_> {
    fn gather(&self, rows: &[usize], columns: Option<&[usize]>, buffer: &mut RowBuffer) -> Result<()> {
        self.source.random_access().ok_or(Error::InOrderOnly)?.gather(rows, columns, buffer)?;
        buffer.scale(&self.scaling, columns);
        Ok(())
    }
}
