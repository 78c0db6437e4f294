//! What a path can be told.

use crate::data::LARGEST;
use crate::error::{Error, Result};
use crate::rule::Rule;

/// How far kicks may go (`kicks.rs`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kicks {
    /// Kicks without a lower F after which they end.
    pub(super) patience: usize,
    /// Swings without a lower F after which those of one of them end.
    pub(super) swings: usize,
    /// Exchanges that all of them may look at, or what costs as much.
    pub(super) exchanges: f64,
}

impl Kicks {
    pub(super) const NONE: Self = Self { patience: 0, swings: 0, exchanges: 0.0 };
}

/// How a path over all sizes is found.
///
/// | setting   | default            | range     | meaning |
/// |-----------|--------------------|-----------|---------|
/// | `ridges`  | that of the problem | 0 to 1e70 | weights of the ridge term, a path for each, in this order |
/// | `walk`    | 0                  | any       | moves without a lower F that the tabu walk takes at each size before it gives up; for losses that are not quadratic each costs a pass |
/// | `memory`  | 2^30 bytes         | any       | a matrix of all products of columns is kept if it fits; otherwise rows of it are computed on demand |
/// | `threads` | those of the pool  | ≥ 1       | threads of passes and folds; no bit of the result depends on them |
#[derive(Clone, Debug, PartialEq)]
pub struct PathSettings {
    pub(super) ridges: Vec<f64>,
    pub(super) walk: usize,
    /// The sizes that are walked at, from and to.
    pub(super) walked: (usize, usize),
    /// What is tried from where walks end.
    pub(super) kicks: Kicks,
    pub(super) memory: usize,
    pub(super) threads: Option<usize>,
}

impl Default for PathSettings {
    fn default() -> Self {
        Self {
            ridges: Vec::new(),
            walk: 0,
            walked: (1, usize::MAX),
            kicks: Kicks::NONE,
            memory: 1 << 30,
            threads: None,
        }
    }
}

impl PathSettings {
    /// Weights of the ridge term: a path for each, each started from the one before. Without any there is one path, with the ridge of the problem.
    #[must_use]
    pub fn ridges(mut self, ridges: impl IntoIterator<Item = f64>) -> Self {
        self.ridges = ridges.into_iter().collect();
        self
    }

    /// Moves without a lower F after which the tabu walk of a size ends; zero for no walk.
    #[must_use]
    pub fn walk(mut self, moves: usize) -> Self {
        self.walk = moves;
        self
    }

    /// Walks at some sizes only, from and to.
    pub(super) fn walk_at(mut self, sizes: (usize, usize)) -> Self {
        self.walked = sizes;
        self
    }

    /// Kicks from where the walks of these sizes end.
    pub(super) fn kicks(mut self, kicks: Kicks) -> Self {
        self.kicks = kicks;
        self
    }

    /// Bytes that products of columns, or copies of columns, may take.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Threads that share the work.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        if let Some(wrong) = self.ridges.iter().find(|ridge| !(0.0..=LARGEST).contains(*ridge)) {
            return Err(Error::setting("ridge", Rule::UpTo { most: LARGEST }, wrong));
        }
        match self.threads {
            Some(0) => Err(Error::setting("threads", Rule::AtLeast(1), 0)),
            _ => Ok(()),
        }
    }
}
