//! Work cut into cells: small enough to lose one at an interrupt, each a pure function of its key and the seed.

use crate::error::{Error, Result};
use crate::frame::Frame;

/// What a cell looks at between steps to learn whether the user wants the end.
#[derive(Clone, Copy)]
pub(crate) struct Halt<'a> {
    asked: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Halt<'a> {
    pub(crate) fn new(asked: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Halt { asked }
    }

    /// An error once the end was asked for.
    pub(crate) fn check(&self) -> Result<()> {
        if (self.asked)() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Whether the end was asked for.
    pub(crate) fn is_asked(&self) -> bool {
        (self.asked)()
    }
}

/// The computation of a cell.
type Work = Box<dyn Fn(Halt) -> Result<Frame> + Send + Sync>;

/// A piece of work with a name.
pub(crate) struct Cell {
    /// Which family of computations; experiments that share one share its results.
    pub(crate) group: &'static str,
    /// Everything the result depends on besides the seed and the version, in words.
    pub(crate) key: String,
    /// Expected seconds, for the time left and to start the longest first.
    pub(crate) weight: f64,
    /// Whether it measures time, and so must run with nothing beside it.
    pub(crate) alone: bool,
    work: Work,
}

impl Cell {
    pub(crate) fn new(
        group: &'static str,
        key: impl Into<String>,
        weight: f64,
        work: impl Fn(Halt) -> Result<Frame> + Send + Sync + 'static,
    ) -> Self {
        Cell { group, key: key.into(), weight, alone: false, work: Box::new(work) }
    }

    /// Runs with nothing beside it.
    pub(crate) fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    pub(crate) fn run(&self, halt: Halt) -> Result<Frame> {
        (self.work)(halt).map_err(|error| match error {
            Error::Fit { source, .. } => Error::Fit { experiment: format!("{} ({})", self.group, self.key), source },
            other => other,
        })
    }
}
