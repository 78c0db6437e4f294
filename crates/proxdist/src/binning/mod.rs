//! Bins of a column of numbers: a few intervals that take its place as indicators.
//!
//! Edges $e_1 < \dots < e_{B-1}$ cut the line into $B$ bins $(-\infty, e_1)$, $[e_1, e_2)$, …, $[e_{B-1}, \infty)$; a missing number may have a bin of its own behind them. Every edge lies between
//! two values that occur: the smaller one is left of it, and the larger one on it or right of it, so equal values are never torn apart. Which number between the two is taken is the shortest
//! (`edges.rs`), as people read edges.
//!
//! | rule | bins |
//! |---|---|
//! | `quantile:K` | at most $K$, of nearly the same weight (`quantile.rs`) |
//! | `monotone:K`, `monotone:K,S` | at most $K$, each with a share of at least $S$ (0.05) of the weight, whose mean responses rise or fall from bin to bin, of the largest likelihood (`monotone.rs`) |
//!
//! `+missing` behind a rule gives missing numbers a bin of their own.

mod distinct;
mod edges;
mod fault;
mod monotone;
mod quantile;
mod rule;
#[cfg(test)]
mod tests;

pub use fault::BinFault;
pub use rule::{BinRule, Way};

use serde::{Deserialize, Serialize};

/// The bins of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// Where one bin ends and the next one begins, increasing.
    pub edges: Vec<f64>,
    /// Whether missing numbers have a bin, behind the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
}

/// What the bins of a column are learned from.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Its numbers, `NaN` where missing.
    pub values: &'a [f64],
    /// The response of each row, if there is one.
    pub response: Option<&'a [f64]>,
    /// The weight of each row; one without.
    pub weights: Option<&'a [f64]>,
}

impl Bins {
    /// Learns the bins of a column.
    ///
    /// ```
    /// use proxdist::binning::{BinRule, Bins, Column};
    ///
    /// let age: Vec<f64> = (20..80).map(f64::from).collect();
    /// let ill: Vec<f64> = age.iter().map(|&age| f64::from(u8::from(age >= 50.0 && age % 4.0 != 0.0 || age % 7.0 == 0.0))).collect();
    /// let rule: BinRule = "monotone:2".parse()?;
    /// let bins = Bins::learn(&rule, &Column { values: &age, response: Some(&ill), weights: None })?;
    /// assert_eq!(bins.edges, [49.0]);
    /// assert_eq!(bins.name("age", 1), "age >= 49");
    /// # Ok::<(), proxdist::binning::BinFault>(())
    /// ```
    pub fn learn(rule: &BinRule, column: &Column) -> Result<Self, BinFault> {
        let lengths = [column.response, column.weights].into_iter().flatten().map(<[f64]>::len);
        if let Some(found) = lengths.into_iter().find(|&length| length != column.values.len()) {
            return Err(BinFault::Length { found, expected: column.values.len() });
        }
        let missing = rule.missing && column.values.iter().any(|value| value.is_nan());
        let values = distinct::of(column)?;
        let cuts = match rule.way {
            Way::Quantile { most } => quantile::cuts(&values, most),
            Way::Monotone { most, share } => {
                let target = monotone::Target::of(column)?;
                monotone::cuts(&values, monotone::Limits { most, share }, target)
            }
        };
        let edge = |&cut: &usize| edges::between(values[cut - 1].value, values[cut].value);
        Ok(Self { edges: cuts.iter().map(edge).collect(), missing })
    }

    /// Number of bins.
    pub fn count(&self) -> usize {
        self.edges.len() + 1 + usize::from(self.missing)
    }

    /// The bin of a number; none for a missing number without a bin.
    pub fn of(&self, value: f64) -> Option<usize> {
        if value.is_nan() {
            return self.missing.then_some(self.edges.len() + 1);
        }
        Some(self.edges.partition_point(|&edge| edge <= value))
    }

    /// What a bin is, such as `in [30, 45)`.
    pub fn text(&self, bin: usize) -> String {
        let edge = |at: usize| edges::written(self.edges.get(at).copied().unwrap_or(f64::NAN));
        match (bin, self.edges.len()) {
            (bin, edges) if bin > edges => "is missing".to_owned(),
            (_, 0) => "is there".to_owned(),
            (0, _) => format!("< {}", edge(0)),
            (bin, edges) if bin == edges => format!(">= {}", edge(bin - 1)),
            (bin, _) => format!("in [{}, {})", edge(bin - 1), edge(bin)),
        }
    }

    /// The name of the indicator of a bin, such as `age in [30, 45)`.
    pub fn name(&self, column: &str, bin: usize) -> String {
        format!("{column} {}", self.text(bin))
    }
}
