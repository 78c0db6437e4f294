//! Buffers that projections reuse from step to step.

use crate::linalg::Scratch;

/// Scratch memory for projections. Starts empty, grows to what the set needs, then stays.
///
/// Composite sets hand the same workspace to their parts: a set takes a buffer out with [`std::mem::take`] while it calls
/// another set, and puts it back afterwards.
#[derive(Default)]
pub struct Workspace {
    /// Any use; contents are unspecified between calls.
    pub values: Vec<f64>,
    /// A second buffer of numbers.
    pub more_values: Vec<f64>,
    /// Indices, for selections and sorts.
    pub indices: Vec<usize>,
    /// Memory for matrix decompositions.
    pub(crate) scratch: Scratch,
}
