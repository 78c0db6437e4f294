//! Buffers that projections reuse from step to step.

use crate::linalg::Scratch;
use std::fmt;

/// Scratch memory for projections. Starts empty, grows to what the set needs, then stays.
///
/// A set borrows a buffer with a `take_` method and hands it back when it is done. Buffers come back in the reverse
/// order of their borrowing, so a set inside a set inside a set finds the same memory at every step and a repeated
/// projection allocates nothing. A buffer that is not handed back (an error on the way) is merely forgotten.
#[derive(Default)]
pub struct Workspace {
    numbers: Vec<Vec<f64>>,
    indices: Vec<Vec<usize>>,
    /// Memory for matrix decompositions.
    pub(crate) scratch: Scratch,
}

/// How many buffers there are; what is in them means nothing.
impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (numbers, indices) = (self.numbers.len(), self.indices.len());
        f.debug_struct("Workspace").field("numbers", &numbers).field("indices", &indices).finish_non_exhaustive()
    }
}

impl Workspace {
    /// An empty buffer of numbers.
    pub fn take_numbers(&mut self) -> Vec<f64> {
        let mut buffer = self.numbers.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Returns a buffer of numbers.
    pub fn return_numbers(&mut self, buffer: Vec<f64>) {
        self.numbers.push(buffer);
    }

    /// An empty buffer of indices.
    pub fn take_indices(&mut self) -> Vec<usize> {
        let mut buffer = self.indices.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Returns a buffer of indices.
    pub fn return_indices(&mut self, buffer: Vec<usize>) {
        self.indices.push(buffer);
    }
}
