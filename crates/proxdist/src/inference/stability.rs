//! Stability selection by complementary pairs of halves (Meinshausen and Bühlmann 2010; Shah and Samworth 2013).
//!
//! The fit is repeated on both halves of $B$ random splits; $\hat\Pi_j$ is the share of these $2B$ fits that choose feature $j$, and $q$ the mean number that they choose of $p$ features. The stable
//! features are those with $\hat\Pi_j \ge \tau$. For $\tau > \frac12$ the expected number of stable features among those that a fit to half the rows chooses with probability at most $q/p$ is at most
//! $$\frac{q^2}{(2\tau - 1)p},$$
//! whatever the data and the procedure (Shah and Samworth, Theorem 1, with $\theta = q/p$). It bounds the number of *false* features if each of them is chosen with at most that
//! probability, which follows from the assumptions of Meinshausen and Bühlmann: false features are exchangeable, and the procedure is not worse than guessing. $q$ is estimated by the mean over
//! the same fits; for a set that fixes the number it is that number.

use super::bootstrap::succeeded;
use super::procedure::Replicate;
use crate::error::{Error, Result};
use crate::rule::Rule;
use serde::Serialize;
use std::collections::BTreeMap;

/// How often a feature was chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frequency {
    /// Its name.
    pub name: String,
    /// The feature, from 0.
    pub feature: usize,
    /// Share of the halves that choose it.
    pub frequency: f64,
    /// Whether that reaches the threshold.
    pub is_stable: bool,
}

/// What the halves chose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// Pairs that were asked for.
    pub asked: u64,
    /// Pairs of which both halves have a result.
    pub pairs: usize,
    /// Halves that failed.
    pub failed: usize,
    /// τ
    pub threshold: f64,
    /// q, the mean number of features that a half chooses.
    pub chosen: f64,
    /// p
    pub features: usize,
    /// $q^2/((2\tau - 1)p)$
    pub bound: f64,
    /// Every feature that was chosen at least once, most frequent first.
    pub frequencies: Vec<Frequency>,
}

/// Sums up repetitions on halves, of data with so many features.
pub fn stability(
    replicates: &[Replicate],
    asked: u64,
    features: usize,
    threshold: f64,
    name: &dyn Fn(usize) -> String,
) -> Result<Stability> {
    check_threshold(threshold)?;
    let good: BTreeMap<u64, &Replicate> = succeeded(replicates)?.into_iter().map(|r| (r.number, r)).collect();
    let whole: Vec<&Replicate> =
        good.values().filter(|replicate| good.contains_key(&(replicate.number ^ 1))).copied().collect();
    if whole.is_empty() {
        return Err(Error::Interrupted);
    }
    let (halves, mut times) = (whole.len() as f64, BTreeMap::new());
    for &(j, _) in whole.iter().flat_map(|replicate| &replicate.nonzero) {
        *times.entry(j).or_insert(0_usize) += 1;
    }
    let chosen = times.values().sum::<usize>() as f64 / halves;
    let mut frequencies: Vec<Frequency> = times
        .into_iter()
        .map(|(j, count)| {
            let frequency = count as f64 / halves;
            Frequency { name: name(j), feature: j, frequency, is_stable: frequency >= threshold }
        })
        .collect();
    frequencies.sort_by(|a, b| b.frequency.total_cmp(&a.frequency).then(a.feature.cmp(&b.feature)));
    Ok(Stability {
        asked,
        pairs: whole.len() / 2,
        failed: replicates.iter().filter(|replicate| replicate.failure.is_some()).count(),
        threshold,
        chosen,
        features,
        bound: chosen * chosen / ((2.0 * threshold - 1.0) * features as f64),
        frequencies,
    })
}

/// Refuses a threshold for which there is no bound.
pub fn check_threshold(threshold: f64) -> Result<()> {
    if threshold > 0.5 && threshold <= 1.0 {
        return Ok(());
    }
    Err(Error::setting("threshold", Rule::AboveHalf, threshold))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(number: u64, features: &[usize]) -> Replicate {
        let nonzero = features.iter().map(|&j| (j, 1.0)).collect();
        Replicate { number, nonzero, intercept: None, failure: None }
    }

    #[test]
    fn frequencies_and_the_bound_are_counted_over_whole_pairs() {
        // The last half has lost its partner.
        let halves = [half(0, &[0, 1]), half(1, &[0]), half(2, &[0, 2]), half(3, &[0, 1]), half(4, &[3])];
        let found = stability(&halves, 3, 10, 0.75, &|j| j.to_string()).unwrap();
        assert_eq!((found.pairs, found.chosen), (2, 1.75));
        assert!((found.bound - 1.75 * 1.75 / 5.0).abs() < 1e-12);
        let shown: Vec<_> = found.frequencies.iter().map(|f| (f.feature, f.frequency, f.is_stable)).collect();
        assert_eq!(shown, [(0, 1.0, true), (1, 0.5, false), (2, 0.25, false)]);
        assert!(stability(&halves, 3, 10, 0.5, &|j| j.to_string()).is_err());
    }
}
