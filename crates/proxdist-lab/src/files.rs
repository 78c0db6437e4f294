//! Files that are written whole or not at all.

use crate::error::{Error, Result};
use std::fs;
use std::path::Path;

/// Writes under a temporary name in the same folder, then renames.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.partial", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // Whatever went wrong before is the thing to report.
        let _ = fs::remove_file(&temporary);
        Error::file(path, error)
    })
}
