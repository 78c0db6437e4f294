//! What rounding can hide.
//!
//! A linear predictor $\eta_i = \sum_jx_{ij}\theta_j + \beta_0 + o_i$ is computed with an error of about $\delta_i = \varepsilon(\sum_j|x_{ij}\theta_j| + |\beta_0| + |o_i|)$. Where large
//! coefficients cancel, that may be more than what F is about. F may be as much higher as it is at $\eta_i \pm \delta_i$, the worse of the two for each row; and with $\Delta_i$ the change of $\ell'$ there and
//! $L \ge \ell''$ its gradient, on scaled columns and relative to $\sqrt{2F}$, is known up to $\sqrt{\sum_iw_i\Delta_i^2/L}/\sqrt{2F}$. Rows are a sample where they are many.

use crate::data::{Batch, Support};
use crate::error::Result;
use crate::objective::Objective;
use crate::sampling::monitor_sample;

/// Rows that are looked at.
const SAMPLE: usize = 64;
/// Share of F, and stationarity, up to which nothing is hidden that a certificate speaks of.
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
    let (mut value, mut square) = (0.0, 0.0);
    for (row, &eta) in predictors.iter().enumerate() {
        let (response, weight) = (batch.response()[row], batch.weights()[row]);
        let size: f64 = batch.rows().row(row).map(|(j, x)| (x * coefficients[j]).abs()).sum();
        let error = f64::EPSILON * (size + intercept.abs() + batch.offset()[row].abs());
        let ends = [eta - error, eta + error];
        let rise = ends.map(|end| loss.value(end, response) - loss.value(eta, response));
        value += weight * rise[0].max(rise[1]).max(0.0);
        if loss.is_differentiable() {
            let turn = ends.map(|end| (loss.slope(end, response) - loss.slope(eta, response)).abs());
            let bend = loss.curvature_bound().unwrap_or_else(|| loss.curvature(eta, response));
            let turn = turn[0].max(turn[1]);
            square += if turn == 0.0 { 0.0 } else { weight * turn * turn / bend.max(f64::MIN_POSITIVE) };
        }
    }
    let stationarity = square.sqrt() / (2.0 * reference).sqrt().max(f64::MIN_POSITIVE);
    let stationarity = if (value + stationarity).is_nan() { f64::INFINITY } else { stationarity };
    let is_hidden = stationarity > HIDDEN || value > HIDDEN * reference;
    Ok(is_hidden.then_some(Doubt { value, stationarity }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::loss::{Logistic, Squared, SquaredHinge};

    #[test]
    fn ordinary_points_hide_nothing_and_cancelling_coefficients_do() -> Result<()> {
        // Two columns that differ by little: predictors are what is left of large products.
        let rows = 20_usize;
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
        let rows = 50_usize;
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
