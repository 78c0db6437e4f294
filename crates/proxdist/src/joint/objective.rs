//! F on data: $L(X\theta + o) + \tfrac12\sum_j\lambda_j\theta_j^2$ as a [`Smooth`] function of the coefficients.
//!
//! Predictors and the products $X^Ts$ are passes over the rows in fixed strips, and each column of the Hessian is $X^T$ times the second derivatives of $L$ times a column of $X$, each computed by itself: the bits do not depend on the number of threads.

use super::loss::{Bends, JointLoss};
use crate::data::{Data, Pass, products};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::dot;
use crate::outputs::Descent;
use crate::polish::Smooth;
use crate::ridge::Ridge;
use rayon::prelude::*;

/// Columns that are worked on together at most, and the numbers they may have.
const TOGETHER: usize = 32;
const NUMBERS: usize = 1 << 22;

/// What F is made of.
#[derive(Clone, Copy)]
pub(crate) struct Objective<'p> {
    pub(crate) data: &'p Data<'p>,
    pub(crate) loss: &'p dyn JointLoss,
    pub(crate) ridge: Ridge<'p>,
}

impl Objective<'_> {
    /// $X\theta + o$
    pub(crate) fn predictors(&self, point: &[f64]) -> Result<Vec<f64>> {
        let mut found = self.movements(point)?;
        if self.data.has_offset() {
            found.iter_mut().enumerate().for_each(|(row, eta)| *eta += self.data.offset_of(row));
        }
        Ok(found)
    }

    /// $Xd$, which a step moves the predictors by.
    pub(crate) fn movements(&self, step: &[f64]) -> Result<Vec<f64>> {
        products(self.data.source(), step)
    }

    /// Some columns of X.
    pub(crate) fn columns(&self, columns: &[usize]) -> Result<Vec<Vec<f64>>> {
        let rows = self.rows_of(columns)?;
        let width = columns.len();
        Ok((0..width).into_par_iter().map(|j| rows.iter().skip(j).step_by(width).copied().collect()).collect())
    }

    /// The same, row by row.
    fn rows_of(&self, columns: &[usize]) -> Result<Vec<f64>> {
        let mut values = vec![0.0; self.data.rows() * columns.len()];
        Pass::over(self.data, 0).columns(Some(columns)).fill(
            &mut values,
            Vec::new,
            |block: &mut Vec<f64>, chunk, out| {
                out.copy_from_slice(chunk.pick(columns, block));
            },
        )?;
        Ok(values)
    }

    /// How many columns are worked on together.
    fn together(&self) -> usize {
        (NUMBERS / self.data.rows().max(1)).clamp(1, TOGETHER)
    }
}

/// F, the free numbers at the last point, and second derivatives at the linearised one.
pub(crate) struct Function<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) free: Vec<f64>,
    bends: Option<Box<dyn Bends + 'p>>,
}

impl<'p> Function<'p> {
    pub(crate) fn new(objective: Objective<'p>) -> Self {
        Self { objective, free: Vec::new(), bends: None }
    }

    /// Columns of the Hessian at the linearised point, each of all features.
    pub(crate) fn hessian_columns(&self, columns: &[usize]) -> Result<Vec<Vec<f64>>> {
        let Objective { data, ridge, .. } = self.objective;
        let (features, mut found) = (data.columns(), Vec::with_capacity(columns.len()));
        for part in columns.chunks(self.objective.together()) {
            let bent = self.bent(part)?;
            let width = part.len();
            let total = Pass::over(data, features * width).sum(
                features * width,
                Vec::new,
                |sums, rows: &mut Vec<f64>, chunk| {
                    rows.clear();
                    chunk.range().for_each(|row| rows.extend(bent.iter().map(|column| column[row])));
                    chunk.rows.add_transposed_product(rows, width, sums);
                },
            )?;
            for (at, &j) in part.iter().enumerate() {
                let mut column: Vec<f64> = total.iter().skip(at).step_by(width).copied().collect();
                column[j] += ridge.at(j);
                found.push(column);
            }
        }
        Ok(found)
    }

    /// The second derivatives of the loss times columns of X.
    fn bent(&self, columns: &[usize]) -> Result<Vec<Vec<f64>>> {
        let mut values = self.objective.columns(columns)?;
        if let Some(bends) = &self.bends {
            values.par_iter_mut().for_each(|column| bends.times(column));
        }
        Ok(values)
    }

    /// $X^Ts$
    fn back(&self, slopes: &[f64]) -> Result<Vec<f64>> {
        let data = self.objective.data;
        let size = data.columns();
        Pass::over(data, size).sum(
            size,
            || (),
            |sums, (), chunk| chunk.rows.add_transpose_times(&slopes[chunk.range()], sums),
        )
    }
}

/// Steps of these are not asked whether they lead to infinity: they end with their number.
impl Descent for Function<'_> {}

impl Smooth for Function<'_> {
    fn layout(&self) -> Layout {
        Layout::vector(self.objective.data.columns())
    }

    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let predictors = self.objective.predictors(point)?;
        Ok(self.objective.loss.value(&predictors, &mut self.free) + self.objective.ridge.value(point))
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let predictors = self.objective.predictors(point)?;
        let mut slopes = vec![0.0; predictors.len()];
        let value = self.objective.loss.slopes(&predictors, &mut self.free, &mut slopes);
        gradient.copy_from_slice(&self.back(&slopes)?);
        self.objective.ridge.add_times(point, gradient);
        Ok(value + self.objective.ridge.value(point))
    }

    fn linearise_with(&mut self, point: &[f64], _caution: f64) -> Result<()> {
        let predictors = self.objective.predictors(point)?;
        self.bends = Some(self.objective.loss.bends(&predictors, &mut self.free));
        Ok(())
    }

    fn has_majorant(&self) -> bool {
        false
    }

    fn hessian_times(&mut self, v: &[f64], out: &mut [f64]) -> Result<()> {
        let mut along = products(self.objective.data.source(), v)?;
        if let Some(bends) = &self.bends {
            bends.times(&mut along);
        }
        out.copy_from_slice(&self.back(&along)?);
        self.objective.ridge.add_times(v, out);
        Ok(())
    }

    fn hessian(&mut self, out: &mut [f64]) -> Result<()> {
        let size = self.dimension();
        let all: Vec<usize> = (0..size).collect();
        for (row, column) in out.chunks_exact_mut(size).zip(self.hessian_columns(&all)?) {
            row.copy_from_slice(&column);
        }
        for i in 0..size {
            for j in 0..i {
                let mean = 0.5 * (out[i * size + j] + out[j * size + i]);
                out[i * size + j] = mean;
                out[j * size + i] = mean;
            }
        }
        Ok(())
    }

    fn diagonal(&mut self) -> Result<Vec<f64>> {
        let all: Vec<usize> = (0..self.dimension()).collect();
        let mut diagonal = Vec::with_capacity(all.len());
        for part in all.chunks(self.objective.together()) {
            let (columns, bent) = (self.objective.columns(part)?, self.bent(part)?);
            let each = part.iter().zip(columns.iter().zip(&bent));
            diagonal.extend(each.map(|(&j, (x, bent))| dot(x, bent).max(0.0) + self.objective.ridge.at(j)));
        }
        Ok(diagonal)
    }
}

/// The columns of some features, so that a pass reads nothing else. Without any feature there is one column of zeros, since data have at least one.
pub(crate) struct Restricted {
    support: Vec<usize>,
    values: Vec<f64>,
    ridge: Vec<f64>,
    offset: Option<Vec<f64>>,
}

impl Restricted {
    pub(crate) fn to(objective: Objective, support: &[usize]) -> Result<Self> {
        let data = objective.data;
        let values = if support.is_empty() { vec![0.0; data.rows()] } else { objective.rows_of(support)? };
        let mut ridge: Vec<f64> = support.iter().map(|&j| objective.ridge.at(j)).collect();
        ridge.resize(ridge.len().max(1), 0.0);
        let offset = data.has_offset().then(|| (0..data.rows()).map(|row| data.offset_of(row)).collect());
        Ok(Self { support: support.to_vec(), values, ridge, offset })
    }

    /// Calls `work` with F on these features and what a whole parameter has there, which is written back.
    pub(crate) fn with<T>(
        &self,
        objective: Objective,
        theta: &mut [f64],
        work: impl FnOnce(&mut Function, &mut [f64]) -> Result<T>,
    ) -> Result<T> {
        let mut data = Data::dense(&self.values, self.support.len().max(1), objective.data.response())?;
        if let Some(offset) = &self.offset {
            data = data.offset(offset)?;
        }
        let ridge = Ridge::on_effects(1.0, &self.ridge);
        let mut function = Function::new(Objective { data: &data, loss: objective.loss, ridge });
        let mut point: Vec<f64> = self.support.iter().map(|&j| theta[j]).collect();
        point.resize(point.len().max(1), 0.0);
        let result = work(&mut function, &mut point)?;
        theta.fill(0.0);
        self.support.iter().zip(&point).for_each(|(&j, value)| theta[j] = *value);
        Ok(result)
    }
}
