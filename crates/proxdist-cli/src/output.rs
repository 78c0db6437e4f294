//! What leaves the program: text on the two streams, and files that are written whole or not at all.

use crate::failure::{Failure, Result, file_hint};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes to standard output. A reader that has seen enough and closed the pipe is not an error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {error}"), file_hint(&error)))
        }
        _ => Ok(()),
    }
}

/// A line on standard error; if even that is closed there is nobody left to tell.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Things the user should know, unless asked to be quiet.
pub(crate) fn note(quiet: bool, text: &str) {
    if !quiet {
        complain(&format!("note:  {text}"));
    }
}

/// Files to be written together at the end of a command.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Outputs {
    /// Adds a file; `-` is standard output.
    pub(crate) fn add(&mut self, path: &Path, content: impl Into<Vec<u8>>) {
        self.files.push((path.to_owned(), content.into()));
    }

    /// Writes every file under a temporary name in its folder, then renames them all.
    pub(crate) fn commit(self) -> Result<Vec<PathBuf>> {
        let mut partial = Partial::default();
        let mut direct = Vec::new();
        for (path, content) in &self.files {
            if is_stream(path) {
                direct.push((path, content));
            } else {
                partial.write(path, content).map_err(|error| cannot_write(path, &error))?;
            }
        }
        for (path, content) in direct {
            write_stream(path, content)?;
        }
        partial.rename()?;
        Ok(self.files.into_iter().map(|(path, _)| path).collect())
    }
}

/// Writes one file, whole or not at all.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let mut outputs = Outputs::default();
    outputs.add(path, content);
    outputs.commit().map(|_| ())
}

/// Temporary files; those not renamed are removed.
#[derive(Default)]
struct Partial {
    files: Vec<(PathBuf, PathBuf)>,
}

impl Partial {
    fn write(&mut self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.partial", std::process::id()));
        let temporary = path.with_file_name(name);
        let mut file = File::create(&temporary)?;
        self.files.push((temporary, path.to_owned()));
        file.write_all(content)?;
        file.sync_all()
    }

    fn rename(mut self) -> Result<()> {
        while let Some((temporary, path)) = self.files.first() {
            fs::rename(temporary, path).map_err(|error| cannot_write(path, &error))?;
            self.files.remove(0);
        }
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            // Whatever went wrong before is the thing to report.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Standard output, a device or a pipe: nothing that could be renamed over.
fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-" || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn write_stream(path: &Path, content: &[u8]) -> Result<()> {
    if path.as_os_str() == "-" {
        return print(&String::from_utf8_lossy(content));
    }
    let written = File::options().write(true).open(path).and_then(|mut file| file.write_all(content));
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(path, &error)),
        _ => Ok(()),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{}: cannot be written: {error}", path.display()), file_hint(error))
}

/// Finds out before the work begins whether the files can be written, and that none replaces another.
pub(crate) fn check_places(outputs: &[(&str, Option<&PathBuf>)], inputs: &[&Path]) -> Result<()> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in outputs {
        let Some(path) = path else { continue };
        if path.as_os_str() == "-" {
            continue;
        }
        check_place(path).map_err(|failure| failure.about(option))?;
        let place = resolved(path);
        if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == place) {
            let message = format!("{option}: {} is already used by {other}", path.display());
            return Err(Failure::new(message, "give each output a name of its own"));
        }
        if inputs.iter().any(|input| resolved(input) == place) {
            let message = format!("{option}: {} is an input of this command", path.display());
            return Err(Failure::new(message, "give the output another name; inputs are never overwritten"));
        }
        seen.push((option, place));
    }
    Ok(())
}

fn check_place(path: &Path) -> Result<()> {
    let shown = path.display();
    if path.as_os_str().is_empty() {
        return Err(Failure::new("the file name is empty", "give a file name"));
    }
    if path.is_dir() {
        return Err(Failure::new(format!("{shown} is a folder"), "give the name of a file"));
    }
    match folder_of(path).metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Failure::new(format!("{shown}: its folder is a file"), "choose another place")),
        Err(error) => {
            let folder = folder_of(path);
            Err(Failure::new(
                format!("{shown}: the folder {} cannot be used: {error}", folder.display()),
                "make the folder first, or choose another place",
            ))
        }
    }
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The same place has the same text, whether or not there is a file yet.
fn resolved(path: &Path) -> PathBuf {
    let folder = folder_of(path);
    let folder = folder.canonicalize().unwrap_or(folder);
    let joined = folder.join(path.file_name().unwrap_or_default());
    joined.canonicalize().unwrap_or(joined)
}
