//! One file a command.

pub(crate) mod catalogue;
pub(crate) mod compare;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod pages;
pub(crate) mod path;
pub(crate) mod predict;
pub(crate) mod reproduce;
pub(crate) mod scorecard;
pub(crate) mod simulate;
pub(crate) mod summary;
pub(crate) mod theory;
pub(crate) mod tune;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The result is written.
    Written,
    /// It is written, but the run has not converged and that was required.
    NotConverged,
}
