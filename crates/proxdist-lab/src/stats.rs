//! The few summaries that statements are judged by.

/// Mean; NaN of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard error of the mean; NaN of fewer than two values.
pub(crate) fn standard_error(values: &[f64]) -> f64 {
    let (count, mean) = (values.len() as f64, mean(values));
    (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (count - 1.0) / count).sqrt()
}

/// Geometric mean of positive values: errors over many decades are compared by their logarithms.
pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    mean(&values.iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).collect::<Vec<_>>()).exp()
}

/// Median; NaN of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (count, half) if count % 2 == 1 => sorted[half],
        (_, half) => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// Slope of the least-squares line through $(\log x, \log y)$: the exponent of a power law.
pub(crate) fn log_slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|p| p.0 > 0.0 && p.1 > 0.0).map(|p| (p.0.ln(), p.1.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let covariance: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_agree_with_their_definitions() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
        assert!((standard_error(&[1.0, 3.0]) - 1.0).abs() < 1e-15);
        assert!((geometric_mean(&[1e-4, 1e-2]) - 1e-3).abs() < 1e-18);
        let cubic: Vec<_> = (1..9).map(|k| (f64::from(k), 5.0 * f64::from(k).powi(-3))).collect();
        assert!((log_slope(&cubic) + 3.0).abs() < 1e-12);
    }
}
