//! F as a function of a few coefficients only, the others being zero: the restriction to a support.
//!
//! The columns are copied out once if that is small, and read again from the data otherwise.

use super::Smooth;
use super::on_data::RowDerivatives;
use crate::data::{Chunk, ChunkSource, Cut, Data, Pass, Piece, Rows, Visit, Wanted};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{add_cross, axpy, dot, mirror};
use crate::objective::Objective;
use crate::ridge::Ridge;
use std::ops::Range;

/// Numbers that may be copied: 32 MB.
const MOST_COPIED: usize = 1 << 22;
/// Rows that are worked on at a time.
const CHUNK: usize = 2048;

/// The objective restricted to some columns.
pub(crate) struct OnColumns<'p> {
    objective: Objective<'p>,
    columns: &'p [usize],
    /// The weights of the ridge term on these columns.
    ridge: Vec<f64>,
    copied: Option<Copied<'p>>,
    curvatures: Vec<f64>,
}

/// The chosen columns of all rows, row-major, as a source of nothing else.
struct Copied<'p> {
    columns: &'p [usize],
    values: Vec<f64>,
    rows: usize,
    /// Columns of the data.
    width: usize,
}

impl ChunkSource for Copied<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.width
    }

    fn chunks(&self, wanted: &Wanted<'_>, visit: &mut Visit<'_>) -> Result<()> {
        let columns = self.columns.len();
        wanted.ranges().try_for_each(|range| {
            let values = &self.values[range.start * columns..range.end * columns];
            let rows = Rows::Dense { values, rows: range.len(), columns };
            visit(Piece { first: range.start, rows, columns: Some(self.columns) })
        })
    }
}

/// The chosen columns of all rows, row-major.
fn copied(data: &Data, columns: &[usize]) -> Result<Vec<f64>> {
    let mut all = vec![0.0; data.rows() * columns.len()];
    let pass = Pass::cut(data, cut(data, 0)).columns(Some(columns));
    pass.fill(&mut all, Vec::new, |block, chunk, out| out.copy_from_slice(chunk.pick(columns, block)))?;
    Ok(all)
}

/// Where the rows are cut for accumulators of this size.
fn cut(data: &Data, size: usize) -> Cut {
    Cut::in_chunks(data.rows(), CHUNK, size)
}

/// Columns that were copied once, for functions on nearly the same columns.
pub(crate) struct Block {
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Block {
    /// A copy of these columns, in ascending order, if that is small.
    pub(crate) fn of(data: &Data, columns: &[usize]) -> Result<Option<Self>> {
        if data.rows().saturating_mul(columns.len()) > MOST_COPIED {
            return Ok(None);
        }
        Ok(Some(Self { columns: columns.to_vec(), values: copied(data, columns)? }))
    }

    /// A copy of other columns, taken from here as far as they are here.
    fn adapted(&self, data: &Data, columns: &[usize]) -> Result<Vec<f64>> {
        let missing: Vec<usize> =
            columns.iter().copied().filter(|column| self.columns.binary_search(column).is_err()).collect();
        let rest = copied(data, &missing)?;
        let places: Vec<(bool, usize)> = columns
            .iter()
            .map(|column| match self.columns.binary_search(column) {
                Ok(at) => (true, at),
                Err(_) => (false, missing.iter().position(|other| other == column).unwrap_or(0)),
            })
            .collect();
        let (here, there) = (self.columns.len(), missing.len());
        let mut all = Vec::with_capacity(data.rows() * columns.len());
        for row in 0..data.rows() {
            let (own, other) = (&self.values[row * here..(row + 1) * here], &rest[row * there..(row + 1) * there]);
            all.extend(places.iter().map(|&(is_here, at)| if is_here { own[at] } else { other[at] }));
        }
        Ok(all)
    }
}

impl<'p> OnColumns<'p> {
    pub(crate) fn new(objective: Objective<'p>, columns: &'p [usize]) -> Result<Self> {
        Self::near(objective, columns, None)
    }

    /// The same, with columns from a block as far as it has them.
    pub(crate) fn near(objective: Objective<'p>, columns: &'p [usize], block: Option<&Block>) -> Result<Self> {
        let data = objective.data;
        let copied = if data.rows().saturating_mul(columns.len()) <= MOST_COPIED {
            let values = match block {
                Some(block) => block.adapted(data, columns)?,
                None => copied(data, columns)?,
            };
            Some(Copied { columns, values, rows: data.rows(), width: data.columns() })
        } else {
            None
        };
        let ridge = columns.iter().map(|&j| objective.ridge.at(j)).collect();
        Ok(Self { objective, columns, ridge, copied, curvatures: Vec::new() })
    }

    /// A pass over the chosen columns, copied or read again.
    fn pass(&self, size: usize) -> Pass<'_> {
        let pass = Pass::cut(self.objective.data, cut(self.objective.data, size)).columns(Some(self.columns));
        match &self.copied {
            Some(copied) => pass.from(copied),
            None => pass,
        }
    }

    /// Calls `each` on blocks of rows of the chosen columns; sums the accumulators in order.
    fn sum(
        &self,
        size: usize,
        each: impl Fn(&mut [f64], &[f64], &Chunk<'_>, &mut RowDerivatives) + Sync,
    ) -> Result<Vec<f64>> {
        self.pass(size).sum(
            size,
            || (Vec::new(), RowDerivatives::default()),
            |part, (block, derived), chunk| each(part, chunk.pick(self.columns, block), chunk, derived),
        )
    }

    fn split<'t>(&self, point: &'t [f64]) -> (&'t [f64], f64) {
        let layout = self.layout();
        (layout.coefficients(point), layout.intercept(point).unwrap_or(0.0))
    }

    /// Hands the linear predictors of a block to `derived`.
    fn predict(&self, point: &[f64], block: &[f64], chunk: &Chunk<'_>, derived: &mut RowDerivatives) {
        let (coefficients, intercept) = self.split(point);
        let products = numbered(block, self.columns.len(), chunk.range()).map(|(_, x)| dot(x, coefficients));
        derived.predict(self.objective, products, intercept, chunk);
    }

    /// The ridge term of these columns.
    fn ridge(&self) -> Ridge<'_> {
        self.objective.ridge.even().map_or_else(|| Ridge::on_effects(1.0, &self.ridge), Ridge::from)
    }
}

/// Rows of a block with their numbers; blocks of no columns still have rows.
fn numbered(block: &[f64], width: usize, range: Range<usize>) -> impl Iterator<Item = (usize, &[f64])> {
    let first = range.start;
    range.map(move |row| (row, &block[(row - first) * width..(row - first + 1) * width]))
}

impl Smooth for OnColumns<'_> {
    fn layout(&self) -> Layout {
        self.objective.layout().reduced_to(self.columns.len())
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let total = self.sum(1, |part, block, chunk, derived| {
            self.predict(point, block, chunk, derived);
            part[0] += derived.value(self.objective, chunk);
        })?;
        Ok(total[0] + self.ridge().value(self.split(point).0))
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let layout = self.layout();
        let (width, coefficients) = (self.columns.len(), layout.coefficients(point));
        // The last entry sums the value.
        let total = self.sum(layout.len() + 1, |part, block, chunk, derived| {
            let (sums, value) = part.split_at_mut(layout.len());
            self.predict(point, block, chunk, derived);
            derived.differentiate(self.objective, chunk);
            value[0] += derived.value(self.objective, chunk);
            for ((_, x), slope) in numbered(block, width, chunk.range()).zip(&derived.slopes) {
                axpy(*slope, x, layout.coefficients_mut(sums));
            }
            if let Some(free) = layout.intercept_mut(sums) {
                *free += derived.slopes.iter().sum::<f64>();
            }
        })?;
        let (sums, value) = total.split_at(layout.len());
        gradient.copy_from_slice(sums);
        self.ridge().add_times(coefficients, layout.coefficients_mut(gradient));
        Ok(value[0] + self.ridge().value(coefficients))
    }

    fn linearise_with(&mut self, point: &[f64], caution: f64) -> Result<()> {
        let mut curvatures = std::mem::take(&mut self.curvatures);
        curvatures.resize(self.objective.data.rows(), 0.0);
        self.pass(0).fill(
            &mut curvatures,
            || (Vec::new(), RowDerivatives::default()),
            |(block, derived): &mut (Vec<f64>, RowDerivatives), chunk, out| {
                self.predict(point, chunk.pick(self.columns, block), chunk, derived);
                derived.bend(self.objective, chunk, caution, out);
            },
        )?;
        self.curvatures = curvatures;
        Ok(())
    }

    fn has_straight_pieces(&self) -> bool {
        self.objective.loss.has_straight_pieces()
    }

    fn has_majorant(&self) -> bool {
        self.objective.has_majorant()
    }

    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let (width, layout) = (self.columns.len(), self.layout());
        let mut total = self.sum(layout.len(), |part, block, chunk, _| {
            for (row, x) in numbered(block, width, chunk.range()) {
                let curvature = self.curvatures[row];
                part.iter_mut().zip(x).for_each(|(d, x)| *d += curvature * x * x);
                if let Some(free) = layout.intercept_mut(part) {
                    *free += curvature;
                }
            }
        })?;
        total.iter_mut().zip(&self.ridge).for_each(|(d, ridge)| *d += ridge);
        Ok(total)
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let (coefficients, shift) = self.split(v);
        let (width, layout) = (self.columns.len(), self.layout());
        let total = self.sum(layout.len(), |part, block, chunk, _| {
            for (row, x) in numbered(block, width, chunk.range()) {
                let product = (dot(x, coefficients) + shift) * self.curvatures[row];
                axpy(product, x, layout.coefficients_mut(part));
                if let Some(free) = layout.intercept_mut(part) {
                    *free += product;
                }
            }
        })?;
        out.copy_from_slice(&total);
        self.ridge().add_times(coefficients, layout.coefficients_mut(out));
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let layout = self.layout();
        let (width, size) = (layout.coefficient_count(), layout.len());
        let total = self.sum(size * size, |part, block, chunk, _| {
            let mut weighted = Vec::with_capacity(chunk.len() * size);
            for (row, x) in numbered(block, width, chunk.range()) {
                let factor = self.curvatures[row].sqrt();
                weighted.extend(x.iter().map(|x| factor * x));
                weighted.extend(layout.has_intercepts().then_some(factor));
            }
            add_cross(&weighted, chunk.len(), size, part);
        })?;
        out.copy_from_slice(&total);
        self.ridge().add_to_diagonal(width, size, out);
        mirror(out, size);
        Ok(())
    }
}
