//! Files that are written whole or not at all.
//!
//! The new content goes to a temporary file in the folder of its place, is flushed to the disk, read back and compared, and only
//! then renamed. A name that is a symbolic link stays one: the file it leads to is replaced. An existing file keeps its
//! permissions and, where the system allows it, its owner.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Links that may lead to one another before the last one leads to a file.
const MOST_LINKS: usize = 40;

/// Writes one file, whole or not at all.
pub fn write_whole(path: impl AsRef<Path>, content: &[u8]) -> io::Result<()> {
    Staged::new(path, content)?.commit()
}

/// A file that is written but not yet in its place; dropped, it leaves no trace.
#[derive(Debug)]
pub struct Staged {
    file: NamedTempFile,
    place: PathBuf,
}

impl Staged {
    /// Writes beside the place that `path` leads to, and reads back what was written.
    pub fn new(path: impl AsRef<Path>, content: &[u8]) -> io::Result<Self> {
        let place = place_of(path)?;
        let existing = existing_file(&place)?;
        let mut file = temporary(&place)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        if !holds(file.path(), content)? {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "what was written reads back differently"));
        }
        if let Some(existing) = existing {
            keep_owner(file.path(), &existing);
            file.as_file().set_permissions(existing.permissions())?;
        }
        Ok(Self { file, place })
    }

    /// Puts the file in its place.
    pub fn commit(self) -> io::Result<()> {
        self.file.persist(&self.place).map(|_| ()).map_err(|failed| failed.error)
    }
}

/// A file that grows beside its place until it is whole; dropped before that, it leaves no trace.
#[derive(Debug)]
pub struct Growing {
    file: io::BufWriter<NamedTempFile>,
    place: PathBuf,
}

impl Growing {
    /// An empty file beside the place that `path` leads to.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Self> {
        let place = place_of(path)?;
        existing_file(&place)?;
        Ok(Self { file: io::BufWriter::new(temporary(&place)?), place })
    }

    /// Puts the file in its place.
    pub fn commit(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        if let Some(existing) = existing_file(&self.place)? {
            keep_owner(file.path(), &existing);
            file.as_file().set_permissions(existing.permissions())?;
        }
        file.persist(&self.place).map(|_| ()).map_err(|failed| failed.error)
    }
}

impl io::Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Finds out whether [`write_whole`] could write here, without touching the file that may be there.
pub fn check_writable(path: impl AsRef<Path>) -> io::Result<()> {
    let place = place_of(path)?;
    existing_file(&place)?;
    temporary(&place).map(|_| ())
}

/// The file that a path leads to, symbolic links followed, whether or not there is one yet.
pub fn place_of(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let mut place = path.as_ref().to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(target) => place = folder_of(&place).join(target),
            // Not a link, or nothing there; what else is wrong with it shows when it is used.
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "a circle of symbolic links"))
}

/// What is known of the file in this place, if there is one; an error if it may not be replaced.
fn existing_file(place: &Path) -> io::Result<Option<fs::Metadata>> {
    let found = match fs::metadata(place) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if found.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "there is a folder of that name"));
    }
    if found.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    Ok(Some(found))
}

/// An empty file beside the place, with the permissions of any new file.
fn temporary(place: &Path) -> io::Result<NamedTempFile> {
    let Some(name) = place.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path does not end with a file name"));
    };
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".partial");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The system takes away what the user's mask forbids, as for every new file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let folder = folder_of(place);
    fs::metadata(folder)?;
    builder.tempfile_in(folder).map_err(|error| match error.kind() {
        // Without the temporary name, which would only confuse.
        kind @ (io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull) => {
            kind.into()
        }
        _ => error,
    })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn holds(path: &Path, content: &[u8]) -> io::Result<bool> {
    let mut found = Vec::new();
    found.try_reserve_exact(content.len()).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    fs::File::open(path)?.read_to_end(&mut found)?;
    Ok(found == content)
}

#[cfg(unix)]
fn keep_owner(path: &Path, existing: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, chown};
    // Only root may give files away; for others the file becomes their own, as any file they write.
    let _ = chown(path, Some(existing.uid()), Some(existing.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        check_writable(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        write_whole(&path, b"one").unwrap();
        let staged = Staged::new(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        drop(staged);
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"one".to_vec(), vec!["model.json".to_owned()]));
        let mut growing = Growing::new(&path).unwrap();
        growing.write_all(b"fo").unwrap();
        drop(growing);
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"one".to_vec(), vec!["model.json".to_owned()]));
        let mut growing = Growing::new(&path).unwrap();
        growing.write_all(b"fo").unwrap();
        growing.write_all(b"ur").unwrap();
        growing.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"four");
        write_whole(&path, b"three").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"three".to_vec(), vec!["model.json".to_owned()])
        );
    }

    #[test]
    fn places_that_cannot_be_written_are_known_beforehand() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "kept").unwrap();
        let mut protected = fs::metadata(&file).unwrap().permissions();
        let missing = folder.path().join("none/model.json");
        for place in [folder.path().to_owned(), file.join("below"), missing, PathBuf::new()] {
            assert!(check_writable(&place).is_err(), "{}", place.display());
            assert!(write_whole(&place, b"x").is_err(), "{}", place.display());
        }
        check_writable(&file).unwrap();
        protected.set_readonly(true);
        fs::set_permissions(&file, protected).unwrap();
        assert_eq!(check_writable(&file).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert!(write_whole(&file, b"x").is_err());
        assert_eq!(fs::read(&file).unwrap(), b"kept");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_permissions_stay_as_they_are() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("store")).unwrap();
        fs::write(at("store/real"), "old").unwrap();
        fs::set_permissions(at("store/real"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("store/real", at("link")).unwrap();
        symlink(at("link"), at("second")).unwrap();
        symlink("store/new", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        write_whole(at("second"), b"new").unwrap();
        write_whole(at("dangling"), b"first").unwrap();
        assert!(fs::symlink_metadata(at("second")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(at("dangling")).unwrap().is_symlink());
        assert_eq!(fs::read(at("store/real")).unwrap(), b"new");
        assert_eq!(fs::read(at("store/new")).unwrap(), b"first");
        assert_eq!(fs::metadata(at("store/real")).unwrap().permissions().mode() & 0o777, 0o640);
        // A new file has the permissions that any new file has.
        fs::write(at("plain"), "x").unwrap();
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode();
        assert_eq!(mode("store/new"), mode("plain"));
        assert!(check_writable(at("circle")).is_err());
    }
}
