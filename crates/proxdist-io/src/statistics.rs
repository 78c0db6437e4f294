//! What must be known of all rows before the first can be encoded: means of numbers, and how often each text occurs.
//!
//! Rows are counted when they leave memory or when the last one has come, always in order, so the result does not depend on when that was.

use crate::collect::MISSING;
use crate::text_column::TextColumn;

/// Means and counts of the rows so far.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    /// By slot of a number: the mean of those that are there, and their count.
    pub(crate) means: Vec<f64>,
    pub(crate) present: Vec<usize>,
    /// By slot of a text and code; missing ones apart.
    pub(crate) counts: Vec<Vec<usize>>,
    pub(crate) missing: Vec<usize>,
}

impl Statistics {
    pub(crate) fn new(numbers: usize, texts: usize) -> Self {
        let (means, present) = (vec![0.0; numbers], vec![0; numbers]);
        Self { means, present, counts: vec![Vec::new(); texts], missing: vec![0; texts] }
    }

    /// Adds rows of numbers, `NaN` where missing.
    pub(crate) fn add_numbers(&mut self, numbers: &[f64]) {
        for row in numbers.chunks_exact(self.means.len().max(1)) {
            for ((mean, count), &value) in self.means.iter_mut().zip(&mut self.present).zip(row) {
                if !value.is_nan() {
                    *count += 1;
                    // Updating the mean itself cannot overflow where a sum could.
                    *mean += (value - *mean) / *count as f64;
                }
            }
        }
    }

    /// Adds the codes of text columns.
    pub(crate) fn add_texts(&mut self, texts: &[TextColumn]) {
        for ((column, counts), missing) in texts.iter().zip(&mut self.counts).zip(&mut self.missing) {
            counts.resize(column.levels.len().max(counts.len()), 0);
            for &code in &column.codes {
                match counts.get_mut(code as usize) {
                    Some(count) => *count += 1,
                    None => *missing += usize::from(code == MISSING),
                }
            }
        }
    }
}
