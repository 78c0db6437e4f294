//! What leaves the program: text on the two streams, and files that are written whole or not at all.

use crate::failure::{Failure, Result, file_hint};
use crate::terminal::{visible, visible_lines};
use proxdist::files::{self, Staged};
use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// Writes to standard output as it is, for other programs. A reader that has seen enough and closed the pipe is not an error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {error}"), file_hint(&error)))
        }
        _ => Ok(()),
    }
}

/// Writes lines for people to standard output.
pub(crate) fn say(text: &str) -> Result<()> {
    print(&visible_lines(text))
}

/// Writes rows of data to standard output, with nothing changed unless someone looks at them.
pub(crate) fn print_rows(text: &str) -> Result<()> {
    if io::stdout().is_terminal() { say(text) } else { print(text) }
}

/// Lines for people on standard error; if even that is closed there is nobody left to tell.
pub(crate) fn complain(lines: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible_lines(lines));
}

/// Things the user should know, unless asked to be quiet.
pub(crate) fn note(quiet: bool, text: &str) {
    if !quiet {
        complain(&format!("note:  {}", visible(text)));
    }
}

/// Names of files that were written.
pub(crate) fn wrote<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let names: Vec<String> = paths.into_iter().map(|path| visible(&path.display().to_string()).into_owned()).collect();
    if names.is_empty() { String::new() } else { format!("\nwrote {}\n", names.join(", ")) }
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
        let mut staged = Vec::new();
        let mut direct = Vec::new();
        for (path, content) in &self.files {
            if is_stream(path) {
                direct.push((path, content));
            } else {
                staged.push((path, Staged::new(path, content).map_err(|error| cannot_write(path, &error))?));
            }
        }
        for (path, content) in direct {
            write_stream(path, content)?;
        }
        for (path, file) in staged {
            file.commit().map_err(|error| cannot_write(path, &error))?;
        }
        Ok(self.files.into_iter().map(|(path, _)| path).collect())
    }
}

/// Writes one file, whole or not at all.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let mut outputs = Outputs::default();
    outputs.add(path, content);
    outputs.commit().map(|_| ())
}

/// Standard output, a device or a pipe: nothing that could be renamed over.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-" || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn write_stream(path: &Path, content: &[u8]) -> Result<()> {
    if path.as_os_str() == "-" {
        return print_rows(&String::from_utf8_lossy(content));
    }
    let written = File::options().write(true).open(path).and_then(|mut file| file.write_all(content));
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(path, &error)),
        _ => Ok(()),
    }
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => "make the folder first, or choose another place",
        _ => file_hint(error),
    };
    Failure::new(format!("{}: cannot be written: {error}", path.display()), hint)
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
    if is_stream(path) {
        return Ok(());
    }
    files::check_writable(path).map_err(|error| cannot_write(path, &error))
}

/// Finds out before the work begins whether files can be written into a folder, which need not be there yet.
pub(crate) fn check_folder(option: &str, folder: &Path) -> Result<()> {
    let there = folder.ancestors().find(|ancestor| ancestor.as_os_str().is_empty() || ancestor.exists());
    let place = there.unwrap_or(folder).join("proxdist");
    files::check_writable(&place).map_err(|error| cannot_write(folder, &error).about(option))
}

/// The same place has the same text, whether or not there is a file yet.
fn resolved(path: &Path) -> PathBuf {
    let place = files::place_of(path).unwrap_or_else(|_| path.to_owned());
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let folder = folder.canonicalize().unwrap_or(folder);
    folder.join(place.file_name().unwrap_or_default())
}
