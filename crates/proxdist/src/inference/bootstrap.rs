//! The bootstrap: the whole fit, constraint and choice included, on rows drawn with replacement.
//!
//! Percentiles of the repeated coefficients show how much the procedure varies, zeros of features that were not chosen among them. They are centred where the procedure is, not where the
//! truth is: a set or a ridge that pulls coefficients pulls every repetition. The share of repetitions that choose a feature is no probability of its being in the true model.

use super::fault::InferenceFault;
use super::procedure::Replicate;
use crate::error::{Error, Result};
use serde::Serialize;

/// What a number of the model did over all repetitions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Varied {
    /// Its name.
    pub name: String,
    /// The feature, from 0; `None` for the intercept.
    pub feature: Option<usize>,
    /// In the model.
    pub value: f64,
    /// Mean over repetitions.
    pub mean: f64,
    /// Standard deviation over repetitions.
    pub error: f64,
    /// Lower percentile.
    pub low: f64,
    /// Upper percentile.
    pub high: f64,
    /// Share of the repetitions in which it is not zero.
    pub frequency: f64,
}

/// The repetitions, summed up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// Repetitions that were asked for.
    pub asked: u64,
    /// Repetitions with a result.
    pub done: usize,
    /// Repetitions that failed.
    pub failed: usize,
    /// What the first that failed said.
    pub failure: Option<String>,
    /// The share between the percentiles.
    pub level: f64,
    /// The intercept, the features of the model, then those that other repetitions chose, most frequent first.
    pub varied: Vec<Varied>,
}

/// Sums repetitions up, for a model of these coefficients.
pub fn bootstrap(
    replicates: &[Replicate],
    asked: u64,
    (coefficients, intercept): (&[f64], Option<f64>),
    level: f64,
    name: &dyn Fn(usize) -> String,
) -> Result<Bootstrap> {
    super::check_level(level)?;
    let good = succeeded(replicates)?;
    let mut columns: std::collections::BTreeMap<usize, Vec<f64>> = std::collections::BTreeMap::new();
    for (at, replicate) in good.iter().enumerate() {
        for &(j, value) in &replicate.nonzero {
            columns.entry(j).or_insert_with(|| vec![0.0; good.len()])[at] = value;
        }
    }
    let of = |name: String, feature: Option<usize>, value: f64, values: Vec<f64>| {
        varied(name, feature, value, values, level)
    };
    let mut list = Vec::new();
    if let Some(value) = intercept {
        let values = good.iter().map(|replicate| replicate.intercept.unwrap_or(0.0)).collect();
        list.push(of("intercept".to_owned(), None, value, values));
    }
    let chosen = |j: &usize| coefficients[*j] != 0.0;
    for j in (0..coefficients.len()).filter(chosen) {
        let values = columns.remove(&j).unwrap_or_else(|| vec![0.0; good.len()]);
        list.push(of(name(j), Some(j), coefficients[j], values));
    }
    let mut others: Vec<Varied> = columns.into_iter().map(|(j, values)| of(name(j), Some(j), 0.0, values)).collect();
    others.sort_by(|a, b| b.frequency.total_cmp(&a.frequency).then(a.feature.cmp(&b.feature)));
    list.extend(others);
    let failures: Vec<&String> = replicates.iter().filter_map(|replicate| replicate.failure.as_ref()).collect();
    Ok(Bootstrap {
        asked,
        done: good.len(),
        failed: failures.len(),
        failure: failures.first().map(|text| (*text).clone()),
        level,
        varied: list,
    })
}

/// Those with a result; an error if there is none.
pub(super) fn succeeded(replicates: &[Replicate]) -> Result<Vec<&Replicate>> {
    let good: Vec<&Replicate> = replicates.iter().filter(|replicate| replicate.failure.is_none()).collect();
    match replicates.first() {
        _ if !good.is_empty() => Ok(good),
        Some(Replicate { failure: Some(reason), .. }) => {
            let fault = InferenceFault::NothingRepeated { count: replicates.len(), reason: reason.clone() };
            Err(Error::Inference(fault))
        }
        _ => Err(Error::Interrupted),
    }
}

fn varied(name: String, feature: Option<usize>, value: f64, mut values: Vec<f64>, level: f64) -> Varied {
    let count = values.len() as f64;
    let frequency = values.iter().filter(|value| **value != 0.0).count() as f64 / count;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let error = if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
    values.sort_unstable_by(f64::total_cmp);
    let tail = 0.5 * (1.0 - level);
    let (low, high) = (percentile(&values, tail), percentile(&values, 1.0 - tail));
    Varied { name, feature, value, mean, error, low, high, frequency }
}

/// A percentile of sorted numbers, with straight lines in between.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, rest) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + rest * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_numpy_and_zeros_count() {
        // numpy.percentile([0, 0, 1, 2, 4], [10, 90]) is [0, 3.2].
        let found = varied("a".into(), Some(0), 1.0, vec![4.0, 0.0, 2.0, 1.0, 0.0], 0.8);
        assert!((found.low, found.frequency, found.mean) == (0.0, 0.6, 1.4) && (found.high - 3.2).abs() < 1e-12);
        assert!((found.error - 2.8_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn failures_are_counted_and_nothing_but_failures_is_an_error() {
        let good = Replicate { number: 0, nonzero: vec![(1, 2.0)], intercept: None, failure: None };
        let bad = Replicate { number: 1, nonzero: vec![], intercept: None, failure: Some("one class".into()) };
        let name = |j: usize| format!("x{j}");
        let found = bootstrap(&[bad.clone(), good], 2, (&[1.0, 0.0], None), 0.9, &name).unwrap();
        assert_eq!((found.done, found.failed, found.failure.as_deref()), (1, 1, Some("one class")));
        assert_eq!(
            found.varied.iter().map(|v| (v.name.as_str(), v.frequency)).collect::<Vec<_>>(),
            [("x0", 0.0), ("x1", 1.0)]
        );
        let error = bootstrap(&[bad], 1, (&[1.0], None), 0.9, &name).unwrap_err().to_string();
        assert!(error.contains("all 1 repetitions") && error.contains("one class"), "{error}");
        assert!(matches!(bootstrap(&[], 1, (&[1.0], None), 0.9, &name), Err(Error::Interrupted)));
    }
}
