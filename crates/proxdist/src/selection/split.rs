//! Rows to fit to and rows to score on, split by split.

use super::folds::folds;
use crate::error::{Error, Result};
use crate::rule::Rule;

/// One part of a cross-validation: a model is fitted to some rows and scored on others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows that the model is fitted to.
    pub training: Vec<usize>,
    /// Rows that it is scored on.
    pub held_out: Vec<usize>,
}

/// All splits of a cross-validation.
#[derive(Clone, Debug)]
pub(crate) struct Splits {
    pub(crate) all: Vec<Split>,
    /// Whether every row is held out once, and each model fitted to all others.
    pub(crate) are_folds: bool,
}

/// How rows are split: at random, or as told.
#[derive(Clone, Debug)]
pub(crate) struct Deal {
    /// The number of parts.
    pub(crate) count: usize,
    told: Option<Told>,
    pub(crate) seed: u64,
}

/// What is told.
#[derive(Clone, Debug)]
enum Told {
    /// The part of each row, from 0.
    Parts(Vec<usize>),
    Splits(Vec<Split>),
}

impl Deal {
    /// At random into so many parts.
    pub(crate) fn at_random(count: usize) -> Self {
        Self { count, told: None, seed: 0 }
    }

    /// By the part of each row.
    pub(crate) fn told(self, fold_of: Vec<usize>) -> Self {
        Self { count: fold_count(&fold_of), told: Some(Told::Parts(fold_of)), ..self }
    }

    /// As told, split by split.
    pub(crate) fn split(self, splits: Vec<Split>) -> Self {
        Self { count: splits.len(), told: Some(Told::Splits(splits)), ..self }
    }

    /// The splits of so many rows; with `labels` every random part has its share of every class, and every model two classes.
    pub(crate) fn splits(&self, rows: usize, labels: Option<&[f64]>) -> Result<Splits> {
        let splits = self.of_rows(rows, labels)?;
        let Some(labels) = labels else { return Ok(splits) };
        // Plus zero, so that minus zero is the same label as zero.
        let label = |row: &usize| (labels[*row] + 0.0).to_bits();
        let is_of_one = |split: &Split| split.training.windows(2).all(|rows| label(&rows[0]) == label(&rows[1]));
        match splits.all.iter().position(is_of_one) {
            Some(number) => Err(Error::setting(split_name(number), Rule::BothClasses, "one class only")),
            None => Ok(splits),
        }
    }

    fn of_rows(&self, rows: usize, labels: Option<&[f64]>) -> Result<Splits> {
        let fold_of = match &self.told {
            None => folds(rows, self.count, labels, self.seed)?,
            Some(Told::Parts(told)) => {
                check_told(told, rows)?;
                told.clone()
            }
            Some(Told::Splits(splits)) => return Splits::told(splits, rows),
        };
        let part = |fold: usize, inside: bool| -> Vec<usize> {
            (0..rows).filter(|&row| (fold_of[row] == fold) == inside).collect()
        };
        let split = |fold| Split { training: part(fold, false), held_out: part(fold, true) };
        Ok(Splits { all: (0..self.count).map(split).collect(), are_folds: true })
    }
}

/// What a split does with a row.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Nothing,
    Training,
    HeldOut,
}

impl Splits {
    /// Refuses splits without rows, with rows that are not there, and with rows on both sides.
    fn told(splits: &[Split], rows: usize) -> Result<Self> {
        if splits.is_empty() {
            return Err(Error::setting("splits", Rule::AtLeast(1), 0));
        }
        let mut are_folds = true;
        let mut times_held_out = vec![0_usize; rows];
        for (number, split) in splits.iter().enumerate() {
            let wrong = |rule, what: &str| Err(Error::setting(split_name(number), rule, what));
            if split.training.is_empty() {
                return wrong(Rule::SplitOfRows, "none to fit to");
            }
            if split.held_out.is_empty() {
                return wrong(Rule::SplitOfRows, "none to score on");
            }
            let mut uses = vec![Use::Nothing; rows];
            let both = split.training.iter().map(|&row| (row, Use::Training));
            for (row, here) in both.chain(split.held_out.iter().map(|&row| (row, Use::HeldOut))) {
                let Some(before) = uses.get_mut(row) else {
                    return Err(Error::setting("a row of a split", Rule::RowNumber { rows }, row));
                };
                match *before {
                    Use::Nothing => *before = here,
                    before if before == here => are_folds = false,
                    _ => return wrong(Rule::SplitOfRows, &format!("row {row} on both sides")),
                }
            }
            are_folds &= !uses.contains(&Use::Nothing);
            split.held_out.iter().for_each(|&row| times_held_out[row] += 1);
        }
        are_folds &= splits.len() > 1 && times_held_out.iter().all(|times| *times == 1);
        Ok(Self { all: splits.to_vec(), are_folds })
    }
}

/// Names of the first splits, for errors.
fn split_name(number: usize) -> &'static str {
    const NAMES: [&str; 5] = ["the first split", "the second split", "the third split", "the fourth split", "a split"];
    NAMES[number.min(NAMES.len() - 1)]
}

/// The number of parts that are told row by row, from 0.
fn fold_count(told: &[usize]) -> usize {
    told.iter().max().map_or(0, |last| last.saturating_add(1))
}

/// Refuses parts told row by row that are not one a row, fewer than two, or empty.
fn check_told(told: &[usize], rows: usize) -> Result<()> {
    if told.len() != rows {
        return Err(Error::Length { what: "fold_of", found: told.len(), expected: rows, rule: "one part a row" });
    }
    let count = fold_count(told);
    if count < 2 {
        return Err(Error::setting("folds", Rule::AtLeast(2), count));
    }
    let mut is_there = vec![false; count.min(told.len() + 1)];
    told.iter().for_each(|&fold| is_there.get_mut(fold).into_iter().for_each(|there| *there = true));
    match is_there.iter().position(|there| !there) {
        Some(empty) => Err(Error::setting("fold_of", Rule::WithoutGap, format!("none of {empty}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(training: &[usize], held_out: &[usize]) -> Split {
        Split { training: training.to_vec(), held_out: held_out.to_vec() }
    }

    fn told(splits: Vec<Split>) -> Result<Splits> {
        Deal::at_random(10).split(splits).splits(4, None)
    }

    #[test]
    fn folds_are_told_from_other_splits() {
        let parts = Deal::at_random(2).told(vec![0, 1, 1, 0]).splits(4, None).unwrap();
        assert!(parts.are_folds);
        assert_eq!(parts.all[1], split(&[0, 3], &[1, 2]));
        assert!(told(parts.all).unwrap().are_folds);
        // In time, some rows left out, some more often than once, one split alone.
        for others in [
            vec![split(&[0], &[1]), split(&[0, 1], &[2])],
            vec![split(&[0, 1, 2], &[3]), split(&[0, 1, 2], &[3])],
            vec![split(&[0, 0, 1, 2], &[3]), split(&[3], &[0, 1, 2])],
            vec![split(&[0, 1], &[2, 3])],
        ] {
            assert!(!told(others).unwrap().are_folds);
        }
    }

    #[test]
    fn both_classes_are_needed_to_fit_to() {
        let splits = vec![split(&[0, 1, 2], &[3]), split(&[2, 3], &[0, 1])];
        let deal = Deal::at_random(10).split(splits);
        let message = deal.splits(4, Some(&[0.0, 1.0, 0.0, -0.0])).unwrap_err().to_string();
        assert_eq!(message, "the second split must be fitted to rows of both classes, got one class only");
        assert!(deal.splits(4, Some(&[0.0, 1.0, 0.0, 1.0])).is_ok() && deal.splits(4, None).is_ok());
    }

    #[test]
    fn impossible_splits_are_refused() {
        let message = |splits| told(splits).unwrap_err().to_string();
        assert_eq!(message(Vec::new()), "splits must be at least 1, got 0");
        let rule = "must be of rows to fit to and other rows to score on, got";
        assert_eq!(message(vec![split(&[], &[1])]), format!("the first split {rule} none to fit to"));
        assert_eq!(
            message(vec![split(&[0], &[1]), split(&[0], &[])]),
            format!("the second split {rule} none to score on")
        );
        assert_eq!(message(vec![split(&[0, 1], &[1, 2])]), format!("the first split {rule} row 1 on both sides"));
        assert_eq!(message(vec![split(&[0], &[4])]), "a row of a split must be below the number of rows, 4, got 4");
    }
}
