//! Files that are written whole or not at all.

use crate::error::{Error, Result};
use std::fs;
use std::path::Path;

/// Writes a file, and its folder if it is not there yet.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
    proxdist::files::write_whole(path, content).map_err(|error| Error::file(path, error))
}
