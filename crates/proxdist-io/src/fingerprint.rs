//! What a packed store was made from: if nothing of it has changed, the store can be used again.
//!
//! A file is known by path, size and time of its last change; reading it again to be sure would take the time that a store saves.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::options::ReadOptions;

/// Files and how they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    pub(crate) files: Vec<Mark>,
    /// All options that change what is read, as text.
    pub(crate) options: String,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) path: PathBuf,
    size: u64,
    /// Nanoseconds since 1970.
    modified: u64,
}

impl Mark {
    /// Of a file as it is now.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let path = path.canonicalize().map_err(|error| crate::open_error(path, error))?;
        let found = fs::metadata(&path).map_err(|error| crate::open_error(&path, error))?;
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self { size: found.len(), modified: modified.map_or(0, |time| time.as_nanos() as u64), path })
    }

    /// Fails if the file is not what it was.
    pub(crate) fn check(&self) -> Result<()> {
        let how = match Self::of(&self.path) {
            Ok(now) if now == *self => return Ok(()),
            Ok(_) => "was changed",
            Err(Error::FileMissing { .. }) => "vanished",
            Err(error) => return Err(error),
        };
        Err(Error::Changed { source_name: self.path.display().to_string(), how })
    }
}

impl Fingerprint {
    /// Of files as they are now, and of the files beside them that the options name.
    pub(crate) fn of(files: &[PathBuf], options: &ReadOptions) -> Result<Self> {
        let mut marks = files.iter().map(|path| Mark::of(path)).collect::<Result<Vec<_>>>()?;
        for name in [&options.target, &options.weights, &options.offset].into_iter().flatten() {
            if let Some(path) = files.first().and_then(|first| crate::arrays::vector_path(first, name)) {
                marks.push(Mark::of(&path)?);
            }
        }
        let o = options;
        let mut options = format!(
            "{:?}",
            (
                (o.format, o.delimiter, o.header, &o.target, &o.weights, &o.offset, &o.ignore, &o.categorical),
                (o.task, &o.positive, o.one_against_rest, o.missing, o.coding, o.max_categories),
                (o.storage, o.columns, o.index_base, o.single, o.schema.is_some()),
            )
        );
        if !o.bins.is_empty() {
            options = format!("{options}, bins {:?} of {:?}", o.bins, o.bin_rows);
        }
        if o.is_exposure() {
            options.push_str(", exposure");
        }
        Ok(Self { files: marks, options })
    }

    /// Fails if a file is not what it was.
    pub(crate) fn check(&self) -> Result<()> {
        self.files.iter().try_for_each(Mark::check)
    }

    /// A short name: the same for the same files and options, whether or not the files have changed.
    pub(crate) fn name(&self) -> String {
        let paths = self.files.iter().map(|mark| mark.path.to_string_lossy());
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for text in paths.chain([self.options.as_str().into()]) {
            for byte in text.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
    }
}
