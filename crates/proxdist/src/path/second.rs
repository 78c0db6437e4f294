//! Second derivatives of a quadratic F between a support and all columns, as a path has them at its end.
//!
//! The form knows products about the means, $S_{jk}/\sum w = G_{jk}s_js_k$. With the intercept as a variable of its own, as the exact finish sees F, the derivatives are
//! $$\partial_j\partial_kF = G_{jk}s_js_k + \beta m_jm_k, \qquad \partial_j\partial_0F = \beta m_j, \qquad \partial_0^2F = \beta,$$
//! in the units of the problem, where means are zero if columns are centred.

use super::form::Form;
use crate::ridge::Ridge;

/// Second derivatives of F that do not change from point to point.
#[derive(Clone, Debug)]
pub(crate) struct Seconds {
    /// In ascending order.
    pub(crate) support: Vec<usize>,
    /// For each column those with the support, then with the intercept if there is one.
    pub(crate) crosses: Vec<f64>,
    /// Those of each column with itself, ridge included.
    pub(crate) diagonal: Vec<f64>,
    /// That of the intercept.
    pub(crate) bend: f64,
}

impl Seconds {
    /// From the rows of a form that are there, and the ridge that is in it; `None` if a row is missing.
    pub(super) fn of(form: &Form<'_>, support: &[usize], ridge: Ridge<'_>) -> Option<Self> {
        let (columns, units) = (form.columns(), form.units());
        let size = support.len() + usize::from(units.has_intercept);
        let mean = |j: usize| if units.has_intercept { units.means[j] } else { 0.0 };
        let mut crosses = vec![0.0; columns * size];
        for (a, &k) in support.iter().enumerate() {
            let row = Some(form.row(k)).filter(|row| row.len() == columns)?;
            let (scale, shift) = (units.scales[k], units.bend * mean(k));
            for (j, product) in row.iter().enumerate() {
                crosses[j * size + a] = product * scale * units.scales[j] + shift * mean(j);
            }
        }
        if units.has_intercept {
            (0..columns).for_each(|j| crosses[(j + 1) * size - 1] = units.bend * mean(j));
        }
        // Of a column that does not vary nothing but its mean and the ridge is left.
        let varying = |j: usize| form.diagonal[j] * units.scales[j] * units.scales[j];
        let about_mean = |j: usize| if form.is_usable[j] { varying(j) } else { ridge.at(j) };
        let own = |j: usize| about_mean(j) + units.bend * mean(j) * mean(j);
        let diagonal = (0..columns).map(own).collect();
        Some(Self { support: support.to_vec(), crosses, diagonal, bend: units.bend })
    }
}

#[cfg(test)]
mod tests {
    use super::super::start::quadratic_support;
    use super::super::testing::Case;
    use crate::constraint::{Constraint, Sparsity};
    use crate::data::RowBuffer;
    use crate::error::Result;
    use crate::loss::Squared;
    use crate::objective::Objective;
    use crate::preparation::{Preparation, Standardize};
    use crate::ridge::Ridge;
    use std::ops::ControlFlow;

    /// The rows as the objective sees them, one by one.
    fn naive(objective: Objective, support: &[usize]) -> Result<(Vec<f64>, Vec<f64>)> {
        let (data, columns) = (objective.data, objective.data.columns());
        let mut buffer = RowBuffer::default();
        data.random_access()?.gather(&(0..data.rows()).collect::<Vec<_>>(), None, &mut buffer)?;
        let size = support.len() + usize::from(objective.has_intercept);
        let (mut crosses, mut diagonal) = (vec![0.0; columns * size], vec![0.0; columns]);
        for i in 0..data.rows() {
            let (mut x, weight) = (vec![0.0; columns], data.weight(i) / data.weight_sum());
            buffer.rows().row(i).for_each(|(j, value)| x[j] = value);
            for j in 0..columns {
                diagonal[j] += weight * x[j] * x[j];
                support.iter().enumerate().for_each(|(a, &k)| crosses[j * size + a] += weight * x[j] * x[k]);
                if objective.has_intercept {
                    crosses[(j + 1) * size - 1] += weight * x[j];
                }
            }
        }
        diagonal.iter_mut().enumerate().for_each(|(j, d)| *d += objective.ridge.at(j));
        Ok((crosses, diagonal))
    }

    /// Whole or row by row, on columns as they are and scaled as they are read, with and without intercept, weights and ridge.
    #[test]
    fn second_derivatives_are_those_of_the_rows() -> Result<()> {
        // Few columns, and so many that only some rows of the matrix are asked for.
        for (seed, (rows, columns)) in (0..12).flat_map(|seed| [(seed, (60, 12)), (seed, (400, 200))]) {
            let case = Case::random(rows, columns, Box::new(Squared), seed);
            for standardize in [Standardize::Auto, Standardize::Never] {
                let (data, set) = (case.data(), Sparsity::at_most(4));
                let sets = [&set as &dyn Constraint];
                let units = Preparation::decide(standardize, sets, case.has_intercept)?.units(&data, 0.0)?;
                let data = units.apply(data)?;
                let objective = Objective::new(&data, &Squared, Ridge::from(case.ridge)).intercept(case.has_intercept);
                let start =
                    quadratic_support(objective, 4, &[], &mut || ControlFlow::Continue(()))?.expect("a support");
                let seconds = start.seconds.expect("second derivatives");
                let (crosses, diagonal) = naive(objective, &start.support)?;
                let (size, told) = (crosses.len() / columns, format!("{seed} {columns} {standardize:?}"));
                let root = |j: usize| diagonal[j].sqrt();
                for j in 0..columns {
                    assert!((seconds.diagonal[j] - diagonal[j]).abs() <= 1e-11 * diagonal[j] + 1e-28, "{told} {j}");
                    for (a, &k) in start.support.iter().enumerate().filter(|&(_, &k)| k != j) {
                        let error = (seconds.crosses[j * size + a] - crosses[j * size + a]).abs();
                        // Nothing but rounding is left of a constant column that is scaled.
                        assert!(error <= 1e-11 * root(j) * root(k) + 1e-15 * root(k), "{told} {j} {k}: {error:e}");
                    }
                    if case.has_intercept {
                        let error = (seconds.crosses[(j + 1) * size - 1] - crosses[(j + 1) * size - 1]).abs();
                        assert!(error <= 1e-11 * root(j).max(1e-3), "{told} {j}: {error:e}");
                    }
                }
            }
        }
        Ok(())
    }
}
