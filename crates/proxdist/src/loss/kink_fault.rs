//! What losses of two straight lines cannot do, since they have no second derivatives, and what would help.

use super::Loss;
use crate::error::{Error, Result};

/// Why a loss with a kink is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KinkFault {
    /// A set that is neither rows and balls nor a choice of features.
    #[error("there is no exact finish for it over this set")]
    Set,
    /// More unknowns than the systems of the finish may have.
    #[error("its exact finish takes {most} unknowns at most, and there are {variables}")]
    Size {
        /// Unknowns.
        variables: usize,
        /// The most there can be.
        most: usize,
    },
    /// A batch whose dual quadratic program would be too large.
    #[error("the step of a batch takes {most} rows at most, and there are {rows}")]
    Batch {
        /// Rows.
        rows: usize,
        /// The most there can be.
        most: usize,
    },
    /// Rows that come once.
    #[error("streams have no exact finish for it")]
    Stream,
    /// Data that are read in order.
    #[error("data that can only be read in order have no exact finish for it")]
    InOrder,
    /// A loss with a corner that is not two straight lines, such as a sum.
    #[error("beside that it is not straight, and there is no exact method for it")]
    NotStraight,
}

impl KinkFault {
    /// The error of this fault for a loss.
    pub(crate) fn of(self, loss: &dyn Loss) -> Error {
        Error::Kinked { loss: loss.spec(), fault: self }
    }

    /// The error of this fault, if the loss has a kink.
    pub(crate) fn unless_smooth(self, loss: &dyn Loss) -> Result<()> {
        if loss.is_differentiable() { Ok(()) } else { Err(self.of(loss)) }
    }

    /// What would help.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Set => {
                "take a set of rows, balls or chosen features, a smooth loss such as huber, or turn the finish off"
            }
            Self::Size { .. } => "choose fewer columns first, take a smooth loss such as huber, or turn the finish off",
            Self::Batch { .. } => "take a smaller batch size and a method that draws batches",
            Self::Stream | Self::InOrder => "fit rows that are in memory, or take a smooth loss such as huber",
            Self::NotStraight => "take one loss of the catalogue by itself",
        }
    }
}
