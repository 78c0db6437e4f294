//! Who answers: an ordered map over the parts.

use super::part::{Part, Strip};
use super::request::{Partial, Request};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::loss::Loss;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Told the answer of each part, in the order of the parts; `Break` ends the reading.
pub type Take<'t> = dyn FnMut(Partial) -> ControlFlow<()> + Send + 't;

/// Rows in parts, wherever they are. Every call of [`Backend::map`] is one reading of all rows.
pub trait Backend: Send + Sync {
    /// Number of features.
    fn columns(&self) -> usize;

    /// Number of parts.
    fn parts(&self) -> usize;

    /// Number of rows, where it is known without reading them. An estimate will do: only the size of what parts send depends on it.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// What a part is called, such as the name of a file; told in errors.
    fn name(&self, part: usize) -> Option<String> {
        let _ = part;
        None
    }

    /// Whether answers come from other processes, so that a number in them costs more than one that is read: samples are smaller then.
    fn answers_travel(&self) -> bool {
        false
    }

    /// Asks every part, by [`Request::answer`] with the part's number, and hands the answers to `take` in the order of the parts. The first part that
    /// fails is the error of all.
    fn map(&self, request: &Request, loss: &dyn Loss, take: &mut Take<'_>) -> Result<()>;
}

/// Parts that this process reads, several at a time.
pub struct Parts<'p> {
    held: Vec<Box<dyn Part + 'p>>,
    names: Vec<String>,
    rows: Option<u64>,
}

/// How many there are.
impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").field("parts", &self.held.len()).field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// Numbers that the answers of the parts that are read at the same time may have together: half a gigabyte.
const MOST_NUMBERS: usize = 1 << 26;
/// Parts that each thread answers before it waits for the others, and numbers in an answer up to which it does.
const IN_A_ROW: usize = 4;
const SMALL_ANSWER: usize = 1 << 18;
/// Numbers in a strip of a data set: 32 megabytes.
const STRIP: usize = 1 << 22;

impl<'p> Parts<'p> {
    /// These parts, in this order.
    pub fn new(parts: impl IntoIterator<Item = Box<dyn Part + 'p>>) -> Result<Self> {
        let parts: Vec<Box<dyn Part + 'p>> = parts.into_iter().collect();
        if parts.is_empty() {
            return Err(Error::Empty { what: "parts" });
        }
        Ok(Self { held: parts, names: Vec::new(), rows: None })
    }

    /// A data set, in strips of rows.
    pub fn of(data: &'p Data<'p>) -> Self {
        let (rows, length) = (data.rows(), STRIP.div_ceil(data.columns()).max(1));
        let strip = |first: usize| Box::new(Strip::new(data, first..rows.min(first + length))) as Box<dyn Part + 'p>;
        Self { held: (0..rows).step_by(length).map(strip).collect(), names: Vec::new(), rows: Some(rows as u64) }
    }

    /// Tells how the parts are called.
    #[must_use]
    pub fn named(mut self, names: Vec<String>) -> Self {
        self.names = names;
        self
    }

    /// Tells how many rows there are in all.
    #[must_use]
    pub fn with_rows(mut self, rows: u64) -> Self {
        self.rows = Some(rows);
        self
    }
}

impl Backend for Parts<'_> {
    fn columns(&self) -> usize {
        self.held[0].columns()
    }

    fn parts(&self) -> usize {
        self.held.len()
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn name(&self, part: usize) -> Option<String> {
        self.names.get(part).cloned()
    }

    /// A few parts at a time for each thread; what is added to what does not depend on that.
    fn map(&self, request: &Request, loss: &dyn Loss, take: &mut Take<'_>) -> Result<()> {
        let size = request.size(self.columns());
        // Whoever does not know how many rows there are may send them all.
        let in_a_row = if size <= SMALL_ANSWER && self.rows.is_some() { IN_A_ROW } else { 1 };
        let at_once = (MOST_NUMBERS / size).clamp(1, in_a_row * rayon::current_num_threads().max(1));
        for (round, parts) in self.held.chunks(at_once).enumerate() {
            let first = round * at_once;
            let answers: Vec<Result<Partial>> =
                parts.par_iter().enumerate().map(|(at, part)| request.answer(&**part, first + at, loss)).collect();
            for answer in answers {
                if take(answer?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
