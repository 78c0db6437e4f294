//! How a feature acts: the prediction over the range of one feature, all others at their means.
//!
//! With the means $m_k$ of the other features and the mean offset $\bar o$ the predictor is $\eta(x) = \beta_0 + \bar o + \sum_{k \ne j}\beta_km_k + \beta_jx$. Its standard error is that of $c^T\beta$ with
//! $c = (1, m_1, \dots, x, \dots, m_s)$ and the covariances of the coefficients, and an interval on the scale of $\eta$ becomes one of the prediction, since means increase with $\eta$. All this takes the chosen
//! features as given.

use super::wald::Wald;
use crate::data::{Data, RowBuffer};
use crate::error::Result;
use crate::linalg::dot;
use crate::loss::Loss;
use serde::Serialize;

/// Points of a curve.
const POINTS: usize = 41;
/// Rows that ranges and means are taken from at most, evenly spread over all.
const MOST_ROWS: usize = 50_000;
/// Shares of the rows whose values are marked.
pub const SHARES: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];

/// The prediction at one value of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PartialPoint {
    /// The value of the feature.
    pub x: f64,
    /// The predicted mean there.
    pub prediction: f64,
    /// Its interval, where there are standard errors.
    pub interval: Option<(f64, f64)>,
}

/// How one feature acts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Partial {
    /// The feature, from 0.
    pub feature: usize,
    /// Its values at [`SHARES`] of the rows.
    pub quantiles: [f64; 7],
    /// Whether it has two values only.
    pub is_binary: bool,
    /// The curve from the 1st to the 99th percentile, or its two values.
    pub points: Vec<PartialPoint>,
    /// Rows that means and quantiles were taken from.
    pub rows: usize,
}

/// The curves of some features with a coefficient, in that order. `wald` is that of the same coefficients, `wanted` holds features of the model.
pub fn partials(
    data: &Data,
    loss: &dyn Loss,
    (coefficients, intercept): (&[f64], Option<f64>),
    wald: Option<&Wald>,
    wanted: &[usize],
) -> Result<Vec<Partial>> {
    let support: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j] != 0.0).collect();
    let stride = data.rows().div_ceil(MOST_ROWS).max(1);
    let rows: Vec<usize> = (0..data.rows()).step_by(stride).filter(|&row| data.weight(row) > 0.0).collect();
    if support.is_empty() || rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut buffer = RowBuffer::default();
    data.random_access()?.gather(&rows, Some(&support), &mut buffer)?;
    let mut work = Vec::new();
    let block = buffer.rows().spread(&mut work);
    let width = support.len();
    let all: f64 = rows.iter().map(|&row| data.weight(row)).sum();
    let mean_of = |value: &dyn Fn(usize) -> f64| {
        rows.iter().enumerate().map(|(at, &row)| data.weight(row) * value(at)).sum::<f64>() / all
    };
    let means: Vec<f64> = (0..width).map(|k| mean_of(&|at| block[at * width + k])).collect();
    let offset = mean_of(&|at| data.offset_of(rows[at]));
    let base: f64 = support.iter().zip(&means).map(|(&j, mean)| coefficients[j] * mean).sum::<f64>()
        + intercept.unwrap_or(0.0)
        + offset;
    let curve = |feature: &usize| {
        let place = support.binary_search(feature).ok()?;
        let mut values: Vec<f64> = (0..rows.len()).map(|at| block[at * width + place]).collect();
        values.sort_by(f64::total_cmp);
        let at_share = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
        let (low, high) = (values[0], values[values.len() - 1]);
        let is_binary = low < high && values.iter().all(|value| *value == low || *value == high);
        let (first, last) = if is_binary { (low, high) } else { ends(low, high, at_share(0.01), at_share(0.99)) };
        let places: Vec<f64> = if is_binary {
            vec![low, high]
        } else {
            (0..POINTS).map(|i| first + (last - first) * i as f64 / (POINTS - 1) as f64).collect()
        };
        let point = |&x: &f64| {
            let eta = base + coefficients[*feature] * (x - means[place]);
            let half = wald.map(|wald| {
                let mut at: Vec<f64> = intercept.map(|_| 1.0).into_iter().chain(means.iter().copied()).collect();
                at[place + usize::from(intercept.is_some())] = x;
                wald.reference.quantile(wald.level) * variance(wald, &at).max(0.0).sqrt()
            });
            let interval = half.map(|half| (loss.mean(eta - half), loss.mean(eta + half)));
            PartialPoint { x, prediction: loss.mean(eta), interval }
        };
        let points = places.iter().map(point).collect();
        Some(Partial { feature: *feature, quantiles: SHARES.map(at_share), is_binary, points, rows: rows.len() })
    };
    Ok(wanted.iter().filter_map(curve).collect())
}

/// The range of a curve; where nearly all values are the same, all of it.
fn ends(low: f64, high: f64, first: f64, last: f64) -> (f64, f64) {
    if first < last { (first, last) } else { (low, high) }
}

/// $c^TVc$
fn variance(wald: &Wald, at: &[f64]) -> f64 {
    wald.covariances.iter().zip(at).map(|(row, c)| c * dot(row, at)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ridge;
    use crate::inference::{Options, wald};
    use crate::loss::{Logistic, Squared};

    const X: [f64; 12] = [1.0, 0.0, 2.0, 1.0, 3.0, 0.0, 4.0, 1.0, 5.0, 0.0, 9.0, 1.0];
    const Y: [f64; 6] = [1.0, 2.5, 2.0, 4.5, 4.0, 9.0];

    /// The prediction of the mean row is the mean prediction, and at a value of the feature it is that of a row made by hand; so is its error.
    #[test]
    fn a_curve_is_the_prediction_of_a_row_at_the_means_of_the_others() {
        let data = Data::dense(&X, 2, &Y).unwrap();
        let (theta, intercept) = ([0.9, 0.7], Some(-0.2));
        let found = wald(&data, &Squared, Ridge::default(), (&theta, intercept), Options::default()).unwrap();
        let curves = partials(&data, &Squared, (&theta, intercept), Some(&found), &[0, 1]).unwrap();
        let [long, short] = &curves[..] else { panic!("two features") };
        assert_eq!((long.feature, long.is_binary, long.quantiles[0], long.quantiles[6]), (0, false, 1.0, 9.0));
        assert_eq!((short.is_binary, short.points.len()), (true, 2));
        let at = |x: f64| -0.2 + 0.9 * x + 0.7 * 0.5;
        assert!(long.points.iter().all(|point| (point.prediction - at(point.x)).abs() < 1e-12));
        // c = (1, x, 0.5): the quadratic form, entry by entry.
        let point = long.points[7];
        let c = [1.0, point.x, 0.5];
        let mut square = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                square += c[i] * c[j] * found.covariances[i][j];
            }
        }
        let (low, high) = point.interval.unwrap();
        let half = found.reference.quantile(0.95) * square.sqrt();
        assert!((high - low - 2.0 * half).abs() < 1e-10 && (0.5 * (low + high) - point.prediction).abs() < 1e-10);
    }

    #[test]
    fn probabilities_stay_between_zero_and_one_and_offsets_count() {
        let labels = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
        let offset = [0.5; 6];
        let data = Data::dense(&X, 2, &labels).unwrap().offset(&offset).unwrap();
        let theta = [0.4, 0.0];
        let found = wald(&data, &Logistic, Ridge::from(0.1), (&theta, Some(-1.0)), Options::default()).unwrap();
        let curves = partials(&data, &Logistic, (&theta, Some(-1.0)), Some(&found), &[0]).unwrap();
        for point in &curves[0].points {
            let eta: f64 = -1.0 + 0.5 + 0.4 * point.x;
            let (low, high) = point.interval.unwrap();
            assert!((point.prediction - 1.0 / (1.0 + (-eta).exp())).abs() < 1e-12);
            assert!(0.0 < low && low < point.prediction && point.prediction < high && high < 1.0);
        }
        assert!(partials(&data, &Logistic, (&[0.0; 2], None), None, &[]).unwrap().is_empty());
    }
}
