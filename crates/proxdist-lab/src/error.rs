//! What can go wrong in a reproduction.

use std::path::{Path, PathBuf};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Something that ends a reproduction; what was computed before stays in the cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library refused a problem.
    #[error("{experiment}: {source}")]
    Fit {
        /// Which experiment.
        experiment: String,
        /// What the library said.
        source: proxdist::Error,
    },
    /// The data file could not be read.
    #[error(transparent)]
    Data(#[from] proxdist_io::Error),
    /// The data file holds something else than the experiment needs.
    #[error("{path}: {found}, but the experiment needs {expected}")]
    WrongData {
        /// The file.
        path: PathBuf,
        /// What it has.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// A file of the output could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The settings file has a mistake.
    #[error("{name}: {reason}")]
    Settings {
        /// The file, or `built-in settings`.
        name: String,
        /// What is wrong, with its place.
        reason: String,
    },
    /// No experiment has this name.
    #[error("{name:?} is not an experiment")]
    UnknownExperiment {
        /// What was asked for.
        name: String,
    },
    /// A stored cell is damaged.
    #[error("{path}: {reason}")]
    Cell {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A figure could not be drawn.
    #[error(transparent)]
    Picture(#[from] proxdist_report::PngError),
    /// Threads could not be started.
    #[error("{threads} threads cannot be started: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
    /// The user asked for the end.
    #[error("interrupted; what was finished is kept, and the same command goes on from there")]
    Interrupted,
}

impl Error {
    pub(crate) fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}

impl From<proxdist::Error> for Error {
    fn from(source: proxdist::Error) -> Self {
        Self::Fit { experiment: "a fit".into(), source }
    }
}
