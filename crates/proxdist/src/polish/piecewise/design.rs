//! The features as a method sees them that needs three products with them: $Xd$, $X^Ta$ and $X^TWX$, the intercept being one more column of ones behind the others.

use crate::data::{Batch, Pass, products};
use crate::error::Result;
use crate::linalg::{add_cross, mirror, times, transpose_times};
use crate::objective::Objective;
use crate::polish::{OnData, Smooth};
use crate::ridge::Ridge;

/// A table of numbers, however it is stored.
pub(super) trait Design {
    /// Columns, with that of the intercept if there is one.
    fn width(&self) -> usize;

    /// $Xd$ into `out`.
    fn times(&self, d: &[f64], out: &mut [f64]) -> Result<()>;

    /// $X^Ta$ into `out`.
    fn transpose_times(&self, a: &[f64], out: &mut [f64]) -> Result<()>;

    /// $X^T\mathrm{diag}(w)X$ into `out`, with $w \ge 0$.
    fn cross(&self, weights: &[f64], out: &mut [f64]) -> Result<()>;
}

/// All columns of the data, where they are.
pub(super) struct AllColumns<'p>(pub(super) Objective<'p>);

impl Design for AllColumns<'_> {
    fn width(&self) -> usize {
        self.0.layout().len()
    }

    fn times(&self, d: &[f64], out: &mut [f64]) -> Result<()> {
        let (coefficients, shift) = self.0.split(d);
        let found = products(self.0.data.source(), coefficients)?;
        out.iter_mut().zip(&found).for_each(|(out, found)| *out = found + shift);
        Ok(())
    }

    fn transpose_times(&self, a: &[f64], out: &mut [f64]) -> Result<()> {
        let layout = self.0.layout();
        let total = Pass::over(self.0.data, layout.len()).sum(
            layout.len(),
            || (),
            |part, (), chunk| {
                let own = &a[chunk.range()];
                chunk.rows.add_transpose_times(own, layout.coefficients_mut(part));
                if let Some(free) = layout.intercept_mut(part) {
                    *free += own.iter().sum::<f64>();
                }
            },
        )?;
        out.copy_from_slice(&total);
        Ok(())
    }

    fn cross(&self, weights: &[f64], out: &mut [f64]) -> Result<()> {
        let plain = Objective { ridge: Ridge::default(), ..self.0 };
        OnData::with_curvatures(plain, weights.to_vec()).hessian(out)
    }
}

/// Some columns, copied row by row with a one behind each row if there is an intercept.
pub(super) struct Copied {
    values: Vec<f64>,
    width: usize,
}

impl Copied {
    /// The columns of a support.
    pub(super) fn of(objective: Objective, support: &[usize]) -> Result<Self> {
        let layout = objective.layout().reduced_to(support.len());
        let (rows, width) = (objective.data.rows(), layout.len());
        let mut values = vec![0.0; rows * width];
        if width > 0 {
            Pass::over(objective.data, 0).columns(Some(support)).fill(
                &mut values,
                Vec::new,
                |picked: &mut Vec<f64>, chunk, out| {
                    let picked = chunk.pick(support, picked);
                    for (i, out) in out.chunks_exact_mut(width).enumerate() {
                        let (own, free) = out.split_at_mut(support.len());
                        own.copy_from_slice(&picked[i * support.len()..(i + 1) * support.len()]);
                        free.fill(1.0);
                    }
                },
            )?;
        }
        Ok(Self { values, width })
    }
}

impl Copied {
    /// All columns of some rows.
    pub(super) fn of_rows(objective: Objective, rows: &[usize]) -> Result<Self> {
        let (layout, mut batch, mut work) = (objective.layout(), Batch::default(), Vec::new());
        batch.fill(objective.data, rows)?;
        let (features, width) = (layout.coefficient_count(), layout.len());
        let spread = batch.rows().spread(&mut work);
        let mut values = Vec::with_capacity(rows.len() * width);
        for row in spread.chunks_exact(features.max(1)) {
            values.extend_from_slice(row);
            values.extend(layout.has_intercepts().then_some(1.0));
        }
        Ok(Self { values, width })
    }
}

/// Rows that are scaled at a time.
const BLOCK: usize = 256;

impl Design for Copied {
    fn width(&self) -> usize {
        self.width
    }

    fn times(&self, d: &[f64], out: &mut [f64]) -> Result<()> {
        times(&self.values, d, out, false);
        Ok(())
    }

    fn transpose_times(&self, a: &[f64], out: &mut [f64]) -> Result<()> {
        transpose_times(&self.values, a, out, false);
        Ok(())
    }

    fn cross(&self, weights: &[f64], out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        let mut scaled = Vec::new();
        for (rows, weights) in self.values.chunks(BLOCK * self.width.max(1)).zip(weights.chunks(BLOCK)) {
            scaled.clear();
            for (row, weight) in rows.chunks_exact(self.width.max(1)).zip(weights) {
                let root = weight.sqrt();
                scaled.extend(row.iter().map(|x| root * x));
            }
            add_cross(&scaled, weights.len(), self.width, out);
        }
        mirror(out, self.width);
        Ok(())
    }
}
