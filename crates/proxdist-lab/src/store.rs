//! Finished cells on disk, so that a run goes on where an earlier one was interrupted.
//!
//! A file is named by a hash of all that its content depends on: the group and key of the cell, the seed, and the version of
//! the program together with [`REVISION`].

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::files;
use crate::frame::Frame;
use std::path::PathBuf;

/// Raised when an experiment computes something else under the same settings.
const REVISION: u32 = 2;

/// The folder of finished cells.
pub(crate) struct Store {
    folder: PathBuf,
    seed: u64,
}

impl Store {
    pub(crate) fn new(folder: PathBuf, seed: u64) -> Self {
        Store { folder, seed }
    }

    fn path(&self, cell: &Cell) -> PathBuf {
        let version = env!("CARGO_PKG_VERSION");
        let identity = format!("{}|{}|{}|{version}|{REVISION}", cell.group, cell.key, self.seed);
        self.folder.join(format!("{}-{:016x}.csv", cell.group, fingerprint(identity.bytes())))
    }

    /// The result of a cell, if it is there.
    pub(crate) fn load(&self, cell: &Cell) -> Result<Option<Frame>> {
        let path = self.path(cell);
        match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file(&path, error)),
            Ok(text) => {
                let reason = "is not a table of equally long rows; remove it and run again".to_owned();
                Frame::from_csv(&text).map(Some).ok_or(Error::Cell { path, reason })
            }
        }
    }

    /// The rows of all these cells, in order, if all are there.
    pub(crate) fn load_all(&self, cells: &[Cell]) -> Result<Option<Frame>> {
        let mut all = Frame::default();
        for cell in cells {
            match self.load(cell)? {
                Some(frame) => all.extend(frame),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Keeps the result of a cell.
    pub(crate) fn save(&self, cell: &Cell, frame: &Frame) -> Result<()> {
        files::write(&self.path(cell), frame.to_csv().as_bytes())
    }
}

/// The 64-bit hash of Fowler, Noll and Vo (1a), the same for ever and on every machine.
pub(crate) fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_the_published_ones() {
        assert_eq!(fingerprint([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fingerprint(*b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_cell_is_found_again_by_all_that_it_depends_on() {
        let folder = tempfile::tempdir().unwrap();
        let cell = |key: &str| Cell::new("paths", key, 1.0, |_| Ok(Frame::default()));
        let mut frame = Frame::new(&["a"]);
        frame.push([1.5.into()]);
        let store = Store::new(folder.path().join("cells"), 1);
        store.save(&cell("x"), &frame).unwrap();
        assert_eq!(store.load(&cell("x")).unwrap(), Some(frame));
        assert_eq!(store.load(&cell("y")).unwrap(), None);
        assert_eq!(Store::new(folder.path().join("cells"), 2).load(&cell("x")).unwrap(), None);
    }
}
