//! $F$ and its derivatives at a point, on one part and on all.
//!
//! With $z_{ij} = (x_{ij} - m_j)f_j$ and $\eta_i = z_i^T\theta + \beta_0 + o_i$ a part has $\sum w\ell$, $\sum w\ell'z$, $\sum w\ell'$, and of the second
//! derivatives $\sum w\ell''z_jz_k$ what was asked for, with the row $\sum w\ell''z$, $\sum w\ell''$ of the intercept. Sums are not divided by
//! $\sum w$ and have no ridge term, so that parts can be added.

use super::part::Part;
use super::request::{Second, SumsRequest};
use crate::data::{RowBuffer, Rows, Support};
use crate::error::{Error, Result};
use crate::linalg::axpy;
use crate::loss::Loss;
use serde::{Deserialize, Serialize};

/// Sums over rows, to be added to those of other parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Rows, as a check that nothing has changed since the survey.
    pub rows: u64,
    /// $\sum w$
    pub weight: f64,
    /// $\sum w\ell$
    pub value: f64,
    /// $\sum w\ell'z_j$, then $\sum w\ell'$.
    pub gradient: Vec<f64>,
    /// $\sum w\ell''z_j$, then $\sum w\ell''$; empty if no second derivatives are wanted.
    pub border: Vec<f64>,
    /// [`Second::Cross`]: $\sum w\ell''z_j^2$.
    pub diagonal: Vec<f64>,
    /// [`Second::Cross`]: $\sum w\ell''z_jz_k$ for each $j$ and the $k$ that were named, row by row. [`Second::All`]: for all $j$ and $k$; of each pair only
    /// the entry at $jp + k$ with $j \le k$ is filled in.
    pub matrix: Vec<f64>,
}

impl Sums {
    /// Adds the next part.
    pub(super) fn add(&mut self, part: Self) -> Result<()> {
        if self.gradient.is_empty() {
            *self = part;
            return Ok(());
        }
        self.rows += part.rows;
        self.weight += part.weight;
        self.value += part.value;
        let ours = [&mut self.gradient, &mut self.border, &mut self.diagonal, &mut self.matrix];
        for (ours, theirs) in ours.into_iter().zip([&part.gradient, &part.border, &part.diagonal, &part.matrix]) {
            if ours.len() != theirs.len() {
                let rule = "as many sums as the parts before";
                return Err(Error::Length { what: "a part", found: theirs.len(), expected: ours.len(), rule });
            }
            axpy(1.0, theirs, ours);
        }
        Ok(())
    }
}

/// Memory of one part.
#[derive(Default)]
struct Work {
    buffer: RowBuffer,
    predictors: Vec<f64>,
    weights: Vec<f64>,
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
    chosen: Vec<f64>,
    block: Vec<f64>,
}

/// The sums of one part.
pub(super) fn answer(request: &SumsRequest, part: &dyn Part, loss: &dyn Loss) -> Result<Sums> {
    let columns = part.columns();
    if request.coefficients.len() != columns {
        let rule = "one coefficient a column";
        return Err(Error::Length { what: "theta", found: request.coefficients.len(), expected: columns, rule });
    }
    let (border, diagonal, matrix) = match &request.second {
        Second::Nothing => (0, 0, 0),
        Second::Cross(chosen) => (columns + 1, columns, columns.saturating_mul(chosen.len())),
        Second::All => (columns + 1, 0, columns.saturating_mul(columns)),
    };
    let mut sums = Sums {
        gradient: vec![0.0; columns + 1],
        border: vec![0.0; border],
        diagonal: vec![0.0; diagonal],
        matrix: vec![0.0; matrix],
        ..Sums::default()
    };
    let (mut work, support) = (Work::default(), Support::of(&request.coefficients));
    part.read(None, &mut |block| {
        if block.rows.width() != columns {
            let rule = "as many columns as the part says";
            return Err(Error::Length { what: "a row", found: block.rows.width(), expected: columns, rule });
        }
        let mut buffer = std::mem::take(&mut work.buffer);
        let rows = match &request.scaling {
            None => block.rows,
            Some(scaling) => {
                buffer.copy_scaled(&block.piece(), None, scaling);
                buffer.rows()
            }
        };
        work.predictors.resize(rows.len(), 0.0);
        rows.times(&request.coefficients, &support, &mut work.predictors);
        for (at, predictor) in work.predictors.iter_mut().enumerate() {
            // The loss of a row without weight may be infinite, and is not asked for.
            *predictor =
                if block.weight(at) > 0.0 { *predictor + request.intercept + block.offset_of(at) } else { 0.0 };
        }
        work.weights.clear();
        work.weights.extend((0..rows.len()).map(|at| block.weight(at)));
        sums.rows += rows.len() as u64;
        sums.weight += work.weights.iter().sum::<f64>();
        work.add(request, loss, (rows, block.response), &mut sums);
        work.buffer = buffer;
        Ok(())
    })?;
    Ok(sums)
}

impl Work {
    /// Adds the rows of a block, whose predictors and weights are known.
    fn add(&mut self, request: &SumsRequest, loss: &dyn Loss, (rows, response): (Rows<'_>, &[f64]), sums: &mut Sums) {
        self.slopes.resize(rows.len(), 0.0);
        self.curvatures.resize(rows.len(), 0.0);
        let columns = rows.width();
        sums.value += loss.weighted_derivatives(
            &self.predictors,
            response,
            &self.weights,
            [&mut self.slopes[..], &mut self.curvatures[..]],
        );
        rows.add_transpose_times(&self.slopes, &mut sums.gradient[..columns]);
        sums.gradient[columns] += self.slopes.iter().sum::<f64>();
        if request.second == Second::Nothing {
            return;
        }
        if request.caution > 0.0 {
            for (at, curvature) in self.curvatures.iter_mut().enumerate() {
                if let Some(above) = loss.majorant_curvature(self.predictors[at], response[at]) {
                    *curvature += request.caution * (self.weights[at] * above - *curvature);
                }
            }
        }
        rows.add_transpose_times(&self.curvatures, &mut sums.border[..columns]);
        sums.border[columns] += self.curvatures.iter().sum::<f64>();
        match &request.second {
            Second::Nothing => {}
            Second::All => rows.add_weighted_cross(&self.curvatures, &mut sums.matrix, &mut self.block),
            Second::Cross(chosen) => {
                rows.add_weighted_squares(&self.curvatures, &mut sums.diagonal);
                if chosen.is_empty() {
                    return;
                }
                self.chosen.clear();
                rows.pick(chosen, &mut self.chosen);
                for (row, curvature) in self.chosen.chunks_exact_mut(chosen.len()).zip(&self.curvatures) {
                    row.iter_mut().for_each(|x| *x *= curvature);
                }
                rows.add_transposed_product(&self.chosen, chosen.len(), &mut sums.matrix);
            }
        }
    }
}
