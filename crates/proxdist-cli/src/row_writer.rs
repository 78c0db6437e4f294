//! Rows of text that are written while they are made: to standard output, a device, or a file that is whole or not there.

use crate::failure::{Failure, Result, file_hint};
use crate::output::{self, cannot_write, is_stream};
use proxdist::files::Growing;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// Where rows go.
pub(crate) enum RowWriter {
    /// Standard output.
    Stdout,
    /// A device or a pipe.
    Stream(PathBuf, File),
    /// A file.
    File(PathBuf, Box<Growing>),
}

impl RowWriter {
    /// Opens the place; `-` and none are standard output.
    pub(crate) fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Self::Stdout) };
        let failed = |error: io::Error| cannot_write(path, &error);
        if is_stream(path) {
            let file = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self::Stream(path.to_owned(), file));
        }
        Ok(Self::File(path.to_owned(), Box::new(Growing::new(path).map_err(failed)?)))
    }

    /// Writes rows; false if nobody reads them any more.
    pub(crate) fn write(&mut self, text: &str) -> Result<bool> {
        let (written, path) = match self {
            Self::Stdout if io::stdout().is_terminal() => return output::say(text).map(|()| true),
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                (stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()), None)
            }
            Self::Stream(path, file) => (file.write_all(text.as_bytes()), Some(path)),
            Self::File(path, file) => (file.write_all(text.as_bytes()), Some(path)),
        };
        match (written, path) {
            (Ok(()), _) => Ok(true),
            (Err(error), _) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            (Err(error), Some(path)) => Err(cannot_write(path, &error)),
            (Err(error), None) => Err(Failure::new(format!("standard output: {error}"), file_hint(&error))),
        }
    }

    /// Puts a file in its place.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::File(path, file) => file.commit().map_err(|error| cannot_write(&path, &error)),
            _ => Ok(()),
        }
    }
}
