//! Columns of the features that may be in a support, each in one piece, kept while there is room.

use crate::data::{Cut, Data, Pass};
use crate::error::Result;
use std::collections::HashMap;

/// Rows that are read at a time.
const CHUNK: usize = 2048;

/// Copies of columns.
pub(super) struct Columns<'p> {
    data: &'p Data<'p>,
    held: HashMap<usize, Held>,
    most: usize,
    clock: u64,
}

struct Held {
    values: Vec<f64>,
    used: u64,
}

impl<'p> Columns<'p> {
    /// None yet; `memory` in bytes is for copies, of which at least `least` are kept.
    pub(super) fn new(data: &'p Data<'p>, memory: usize, least: usize) -> Self {
        Self { data, held: HashMap::new(), most: (memory / (8 * data.rows())).max(least), clock: 0 }
    }

    /// Makes sure that columns are there, copying those that are not in one pass.
    pub(super) fn fetch(&mut self, columns: &[usize]) -> Result<()> {
        self.clock += 1;
        for column in columns {
            if let Some(held) = self.held.get_mut(column) {
                held.used = self.clock;
            }
        }
        let mut missing: Vec<usize> = columns.iter().copied().filter(|j| !self.held.contains_key(j)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        missing.sort_unstable();
        let (rows, width) = (self.data.rows(), missing.len());
        let mut block = vec![0.0; rows * width];
        let pass = Pass::cut(self.data, Cut::in_chunks(rows, CHUNK, 0)).columns(Some(&missing));
        pass.fill(&mut block, Vec::new, |work, chunk, out| out.copy_from_slice(chunk.pick(&missing, work)))?;
        for (at, &column) in missing.iter().enumerate() {
            let values = block[at..].iter().step_by(width).copied().collect();
            self.held.insert(column, Held { values, used: self.clock });
        }
        while self.held.len() > self.most {
            // The oldest, and of those the first column, so that the order in the map does not matter.
            match self.held.iter().map(|(&j, held)| (held.used, j)).min() {
                Some((used, j)) if used < self.clock => drop(self.held.remove(&j)),
                _ => break,
            }
        }
        Ok(())
    }

    /// A column that is there.
    pub(super) fn column(&self, column: usize) -> &[f64] {
        self.held.get(&column).map_or(&[], |held| &held.values)
    }
}
