//! What rounding can hide.
//!
//! A linear predictor $\eta_i = \sum_jx_{ij}\theta_j + \beta_0 + o_i$ is computed with an error of about $\delta_i = \varepsilon(\sum_j|x_{ij}\theta_j| + |\beta_0| + |o_i|)$. Where large
//! coefficients cancel, that may be more than what F is about. With $L \ge \ell''$ and $D^2 = L\sum_iw_i\delta_i^2$, F is known up to $\sqrt{2F}D + D^2/2$, since $\ell'^2 \le 2L\ell$, and its
//! gradient, on scaled columns and relative to $\sqrt{2F}$, up to $D/\sqrt{2F}$. Rows are a sample where they are many.

use crate::data::{Batch, Support};
use crate::error::Result;
use crate::objective::Objective;
use crate::sampling::monitor_sample;

/// Rows that are looked at.
const SAMPLE: usize = 64;
/// $D/\sqrt{2F}$ up to which nothing is hidden that a certificate speaks of.
const HIDDEN: f64 = 1e-7;

/// How much rounding hides at a point, if that is more than next to nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubt {
    /// In F.
    pub(crate) value: f64,
    /// In the stationarity of a certificate.
    pub(crate) stationarity: f64,
}

/// What rounding hides of F, which residuals are compared with at `reference`. Rows that can only be read in order are not looked at again.
pub(crate) fn doubt(objective: Objective, theta: &[f64], reference: f64, seed: u64) -> Result<Option<Doubt>> {
    let Objective { data, loss, .. } = objective;
    if data.random_access().is_err() {
        return Ok(None);
    }
    let rows = monitor_sample(seed, data.rows(), SAMPLE.min(data.rows()));
    let mut batch = Batch::default();
    batch.fill(data, &rows)?;
    let (coefficients, intercept) = objective.split(theta);
    let every_column = Support::default();
    let mut predictors = vec![0.0; rows.len()];
    batch.rows().times(coefficients, &every_column, &mut predictors);
    predictors.iter_mut().zip(batch.offset()).for_each(|(predictor, offset)| *predictor += offset + intercept);
    let mut bends = vec![0.0; rows.len()];
    loss.weighted_curvatures(&predictors, batch.response(), batch.weights(), &mut bends);
    if let Some(bound) = loss.curvature_bound() {
        bends.iter_mut().zip(batch.weights()).for_each(|(bend, weight)| *bend = bound * weight);
    }
    let size = |row: usize| -> f64 { batch.rows().row(row).map(|(j, x)| (x * coefficients[j]).abs()).sum() };
    let errors = bends.iter().zip(batch.offset()).enumerate().filter(|(_, (bend, _))| **bend > 0.0);
    let squares = errors.map(|(row, (bend, offset))| {
        let error = f64::EPSILON * (size(row) + intercept.abs() + offset.abs());
        bend * error * error
    });
    let hidden = squares.sum::<f64>().sqrt();
    let stationarity = hidden / (2.0 * reference).sqrt().max(f64::MIN_POSITIVE);
    let value = (2.0 * reference).sqrt() * hidden + 0.5 * hidden * hidden;
    Ok((stationarity.is_nan() || stationarity > HIDDEN).then_some(Doubt { value, stationarity }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::loss::{Logistic, Squared, SquaredHinge};

    #[test]
    fn ordinary_points_hide_nothing_and_cancelling_coefficients_do() -> Result<()> {
        // Two columns that differ by little: predictors are what is left of large products.
        let rows = 20;
        let first = |i: usize| ((7 * i) % 11) as f64 / 11.0 - 0.4;
        let x: Vec<f64> = (0..rows).flat_map(|i| [first(i), first(i) * (1.0 + 1e-3 * (i % 3) as f64)]).collect();
        let y: Vec<f64> = (0..rows).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let data = Data::dense(&x, 2, &y)?;
        for loss in [&Squared as &dyn crate::loss::Loss, &Logistic, &SquaredHinge] {
            let objective = Objective::new(&data, loss, 0.0);
            for size in [0.0, 1.0, 1e3, 1e6] {
                assert!(doubt(objective, &[size, -size], 0.5, 0)?.is_none(), "{size}");
            }
            let hidden = doubt(objective, &[1e15, -1e15], 0.5, 0)?;
            assert!(hidden.is_some_and(|doubt| doubt.stationarity > 0.01 && doubt.value > 0.01), "{hidden:?}");
        }
        Ok(())
    }

    #[test]
    fn what_is_hidden_is_about_the_error_of_f() -> Result<()> {
        // In exact arithmetic the predictors are those of (1, 0, 0), since the columns cancel; the doubt covers what rounding makes of them.
        let rows = 50;
        let x: Vec<f64> = (0..rows)
            .flat_map(|i| {
                let z = (i as f64 * 0.618_033_988_749_895).fract() + 0.1;
                [(i % 7) as f64 - 3.0, z, 3.0 * z]
            })
            .collect();
        let y: Vec<f64> = (0..rows).map(|i| (i % 5) as f64).collect();
        let data = Data::dense(&x, 3, &y)?;
        let objective = Objective::new(&data, &Squared, 0.0);
        let exact = objective.value(&[1.0, 0.0, 0.0])?;
        for size in [1e12, 1e13, 1e14, 1e15] {
            let theta = [1.0, 3.0 * size, -size];
            let off = (objective.value(&theta)? - exact).abs();
            let hidden = doubt(objective, &theta, exact, 0)?.expect("far above what is hidden");
            assert!(off <= hidden.value, "{size:e}: {off:e} {hidden:?}");
        }
        Ok(())
    }
}
