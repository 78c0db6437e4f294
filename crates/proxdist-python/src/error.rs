//! The one map from the library's errors to Python's exceptions. Messages are the library's own, but for a parameter that only Python has under this name.

use proxdist::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyOverflowError, PyRuntimeError, PyValueError};
use std::io::ErrorKind;

/// A file that is not there is a `FileNotFoundError`, one the system refused an `OSError`, a loss that overflows an `OverflowError`, a run that came to nothing a
/// `RuntimeError`; everything else is about a value that was given.
pub(crate) fn exception(error: &Error) -> PyErr {
    let message = match error {
        Error::DependsOnUnits { set } => format!(
            "standardize must be \"auto\" or False where the set depends on the units of the columns, got True with {set}"
        ),
        _ => error.to_string(),
    };
    match error {
        Error::File { source, .. } if source.kind() == ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        Error::File { .. } => PyOSError::new_err(message),
        Error::Overflow { .. } => PyOverflowError::new_err(message),
        Error::ProxStalled { .. } | Error::Diverged { .. } | Error::Threads { .. } => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}
