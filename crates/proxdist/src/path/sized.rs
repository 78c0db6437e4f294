//! The sets of all sizes: one set, with each number of features or groups in turn.
//!
//! A number may be too small for any point: features that are always in are more than it allows, or a sum cannot be reached within the limits of so few coefficients. Such numbers
//! are the smallest ones, since the sets grow with the number, and a path begins after them.

use crate::constraint::{Constraint, Structure, is_empty, projected};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::rule::Rule;

/// A set for every size from the least that has a point.
pub(super) struct SizedSets {
    least: usize,
    sets: Vec<Box<dyn Constraint>>,
}

impl SizedSets {
    /// The sizes up to that of a set, for these data; `None` if it is sparsity and nothing else, unless the loss has a kink: exchanges are then fits of their own.
    pub(super) fn of(set: &dyn Constraint, data: &Data, loss: &dyn Loss) -> Result<Option<Self>> {
        let (spec, columns) = (set.spec(), data.columns());
        let Structure::Choice(choosing) = set.structure() else { return Err(refused(set)) };
        if choosing.plain_size(columns).is_some() && loss.kinked().is_none() {
            return Ok(None);
        }
        let most = spec.size().ok_or_else(|| refused(set))?;
        // Beyond what the rules leave room for there are no other choices.
        let (mut sets, mut least) = (Vec::new(), 0);
        for size in 0..=most {
            let sized = spec.with_size(size).ok_or_else(|| refused(set))?.build_for(data);
            match sized.and_then(|sized| projected(&sized, &vec![0.0; columns]).map(|_| sized)) {
                Ok(sized) => sets.push(sized),
                Err(error) if sets.is_empty() && size < most && is_empty(&error) => least = size + 1,
                Err(error) => return Err(error),
            }
        }
        Ok(Some(Self { least, sets }))
    }

    /// The least size.
    pub(super) fn least(&self) -> usize {
        self.least
    }

    /// The set of the size at a position, counted from that of the least.
    pub(super) fn at(&self, position: usize) -> &dyn Constraint {
        &*self.sets[position]
    }

    /// How many sizes there are.
    pub(super) fn count(&self) -> usize {
        self.sets.len()
    }
}

/// The size of plain sparsity.
pub(super) fn plain_size(set: &dyn Constraint, columns: usize) -> Option<usize> {
    match set.structure() {
        Structure::Choice(choosing) => choosing.plain_size(columns),
        _ => None,
    }
}

fn refused(set: &dyn Constraint) -> Error {
    Error::setting("the set of a path", Rule::OneSize, crate::constraint::brief(set.spec()))
}
