//! Which fold each row belongs to.
//!
//! Rows are shuffled within their class and dealt out in turn, one class after the other without starting over: the folds'
//! shares of each class differ by one row at most, and so do their sizes.

use crate::error::{Error, Result};
use crate::random::{Purpose, below, stream};
use crate::rule::Rule;

/// The fold, from 0 to `count - 1`, of each of `rows` rows. With `labels`, every fold has its share of every class.
///
/// ```
/// let fold_of = proxdist::selection::folds(6, 3, Some(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), 7)?;
/// for fold in 0..3 {
///     assert_eq!(fold_of.iter().filter(|f| **f == fold).count(), 2);
/// }
/// # Ok::<(), proxdist::Error>(())
/// ```
pub fn folds(rows: usize, count: usize, labels: Option<&[f64]>, seed: u64) -> Result<Vec<usize>> {
    if count < 2 {
        return Err(Error::setting("folds", Rule::AtLeast(2), count));
    }
    if count > rows {
        return Err(Error::setting("folds", Rule::AtMostRows { rows }, count));
    }
    let mut fold_of = vec![0; rows];
    let mut dealt = 0;
    for (number, mut members) in classes(rows, labels)?.into_iter().enumerate() {
        if let (Some(labels), true) = (labels, members.len() < count) {
            let rule = Rule::AtMostInClass { rows: members.len(), label: labels[members[0]] };
            return Err(Error::setting("folds", rule, count));
        }
        // Orders of passes count from the other end, so that no run draws from the same stream.
        let mut generator = stream(seed, Purpose::Pass, u64::MAX - number as u64);
        for i in 0..members.len() {
            let j = i + below(&mut generator, (members.len() - i) as u64) as usize;
            members.swap(i, j);
            fold_of[members[i]] = dealt % count;
            dealt += 1;
        }
    }
    Ok(fold_of)
}

/// The rows of each label, labels in increasing order; all rows together if there are no labels.
fn classes(rows: usize, labels: Option<&[f64]>) -> Result<Vec<Vec<usize>>> {
    let Some(labels) = labels else { return Ok(vec![(0..rows).collect()]) };
    if labels.len() != rows {
        let (found, expected) = (labels.len(), rows);
        return Err(Error::Length { what: "labels", found, expected, rule: "one a row" });
    }
    let mut order: Vec<usize> = (0..rows).collect();
    // Plus zero, so that minus zero is the same label as zero.
    let label = |row: usize| labels[row] + 0.0;
    order.sort_by(|&i, &j| label(i).total_cmp(&label(j)));
    Ok(order.chunk_by(|&i, &j| label(i).total_cmp(&label(j)).is_eq()).map(<[usize]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_differ_by_one_at_most_overall_and_within_each_class() {
        for (rows, count, classes) in [(10, 3, 1), (23, 5, 2), (100, 7, 3), (12, 2, 4)] {
            let labels: Vec<f64> = (0..rows).map(|i| (i * i % classes) as f64).collect();
            let fold_of = folds(rows, count, Some(&labels), 4).unwrap();
            let spread = |wanted: &dyn Fn(usize) -> bool| {
                let size = |fold| (0..rows).filter(|&row| fold_of[row] == fold && wanted(row)).count();
                let sizes: Vec<usize> = (0..count).map(size).collect();
                sizes.iter().max().unwrap() - sizes.iter().min().unwrap()
            };
            assert!(spread(&|_| true) <= 1);
            assert!((0..classes).all(|class| spread(&|row| labels[row] == class as f64) <= 1));
        }
    }

    /// Frozen: a change here changes every seeded result users have published.
    #[test]
    fn the_folds_of_a_seed_never_change() {
        let frozen = [1, 1, 0, 0, 2, 2, 2, 1, 0, 0];
        assert_eq!(folds(10, 3, None, 7).unwrap(), frozen);
        assert_ne!(folds(10, 3, None, 8).unwrap(), frozen);
    }

    #[test]
    fn impossible_folds_are_refused() {
        let message = |result: Result<Vec<usize>>| result.unwrap_err().to_string();
        assert_eq!(message(folds(5, 1, None, 0)), "folds must be at least 2, got 1");
        assert_eq!(message(folds(5, 6, None, 0)), "folds must be at most the number of rows, 5, got 6");
        assert_eq!(
            message(folds(5, 3, Some(&[0.0, 0.0, 0.0, 1.0, 1.0]), 0)),
            "folds must be at most 2, the number of rows with label 1, got 3"
        );
        assert!(matches!(folds(5, 3, Some(&[0.0]), 0), Err(Error::Length { .. })));
    }
}
