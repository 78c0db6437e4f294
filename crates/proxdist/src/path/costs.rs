//! What the search of losses that are not quadratic costs, roughly in billionths of a second on one thread: counted instead of measured, so that the same problem
//! always gets as far.

use super::start::telling;
use crate::data::{Data, Marked};
use crate::error::Result;

/// For one number of a pass: by each mark, for up to so many vectors at a time; for all numbers, and for each vector beside them.
const MARK: f64 = 0.8;
const LANES: usize = 4;
const NUMBER: f64 = 0.3;
const VECTOR: f64 = 0.12;
/// For one column and member of the support in the model, and the same for each other member.
const SCORE: f64 = 4.0;
const INVERSE: f64 = 0.15;
/// For each row in a Newton step the loss, and what a pair of numbers costs in the Hessian.
const LOSS: f64 = 12.0;
const PAIR: f64 = 0.1;
const MARKED_PAIR: f64 = 0.6;

/// Passes and Newton steps for each size of a path, as seen on real data.
const PASSES: f64 = 25.0;
const STEPS: f64 = 200.0;
/// Newton steps for each feature that exchanges take after a swing of the size or a kick, as seen on real data.
const LEAP: f64 = 4.0;

/// The costs of one data set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    rows: f64,
    columns: f64,
    /// Marks, where data are kept by them.
    marks: Option<f64>,
}

impl Costs {
    pub(super) fn of(data: &Data) -> Self {
        let marks = data.marked().map(|marked| marked.numbers() as f64);
        Self { rows: data.rows() as f64, columns: data.columns() as f64, marks }
    }

    /// The same judged by some rows, before anybody has looked for marks; infinite where rows can only be read in order.
    pub(super) fn judged(data: &Data) -> Result<Self> {
        let own = Self::of(data);
        let telling = telling(data)?;
        let marks = own.marks.or((telling <= Marked::WORTH * own.rows * own.columns).then_some(telling));
        Ok(Self { rows: if telling.is_finite() { own.rows } else { f64::INFINITY }, marks, ..own })
    }

    /// A look at all exchanges from a support, of which some features are new.
    pub(super) fn pass(self, size: usize, missing: usize) -> f64 {
        let vectors = missing + 2;
        let data = match self.marks {
            Some(marks) => MARK * marks * vectors.div_ceil(LANES) as f64,
            None => self.rows * self.columns * (NUMBER + VECTOR * vectors as f64),
        };
        let size = (size + 1) as f64;
        data + self.columns * size * (SCORE + INVERSE * size)
    }

    /// A Newton step on a support.
    pub(super) fn step(self, size: usize) -> f64 {
        let size = (size + 1) as f64;
        let pairs = match self.marks {
            Some(marks) => {
                let in_row = size * marks / (self.rows * self.columns) + 1.0;
                MARKED_PAIR * in_row * (in_row + 8.0)
            }
            None => PAIR * size * (size + 10.0),
        };
        self.rows * (LOSS + pairs) + size * size * size / 3.0
    }

    /// A swing of the size or a kick, and the exchanges that follow.
    pub(super) fn leap(self, size: usize) -> f64 {
        LEAP * size as f64 * self.step(size)
    }

    /// A path up to a size, with sweeps up and down until nothing improves: for each size some passes and many steps.
    pub(super) fn path(self, size: usize) -> f64 {
        let each = |size: usize| PASSES * self.pass(size, 1) + STEPS * self.step(size);
        (1..=size).map(each).sum()
    }
}
