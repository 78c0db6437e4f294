//! Writing an `.npy` file row by row, without knowing how many rows there will be.
//!
//! The header has a fixed length, so that the number of rows can be put into it at the end.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::header::described;
use crate::error::{Error, Result};

/// Numbers that are turned into bytes at a time.
const TOGETHER: usize = 1 << 16;

/// Type of the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F64,
    F32,
    U32,
    I64,
}

/// An array in the making.
#[derive(Debug)]
pub(crate) struct NpyWriter {
    path: PathBuf,
    file: BufWriter<File>,
    kind: Kind,
    /// Columns of a matrix; `None` for a vector.
    width: Option<usize>,
    entries: u64,
    /// The largest of the numbers in size.
    pub(crate) largest: f64,
    /// Reused.
    bytes: Vec<u8>,
}

impl NpyWriter {
    pub(crate) fn new(path: &Path, kind: Kind, width: Option<usize>) -> Result<Self> {
        let file = File::create(path).map_err(|source| refused(path, source))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        let mut writer = Self { path: path.to_owned(), file, kind, width, entries: 0, largest: 0.0, bytes: Vec::new() };
        let header = writer.header();
        writer.file.write_all(&header).map_err(|source| refused(&writer.path, source))?;
        Ok(writer)
    }

    fn header(&self) -> Vec<u8> {
        let descr = match self.kind {
            Kind::F64 => "<f8",
            Kind::F32 => "<f4",
            Kind::U32 => "<u4",
            Kind::I64 => "<i8",
        };
        match self.width {
            Some(width) => described(descr, &[(self.entries / width.max(1) as u64) as usize, width]),
            None => described(descr, &[self.entries as usize]),
        }
    }

    /// Appends numbers, which are stored in the type of the file.
    pub(crate) fn push(&mut self, values: &[f64]) -> Result<()> {
        // However many they are, only some of them are held a second time.
        values.chunks(TOGETHER).try_for_each(|some| self.push_some(some))
    }

    fn push_some(&mut self, values: &[f64]) -> Result<()> {
        self.largest = values.iter().fold(self.largest, |largest, value| largest.max(value.abs()));
        self.bytes.clear();
        match self.kind {
            Kind::F64 => self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
            Kind::F32 if self.largest > f64::from(f32::MAX) => {
                let reason = format!("{:e} is too large for it", self.largest);
                return Err(Error::Setting { setting: "single precision", reason });
            }
            Kind::F32 => self.bytes.extend(values.iter().flat_map(|&value| (value as f32).to_le_bytes())),
            Kind::U32 => self.bytes.extend(values.iter().flat_map(|&value| (value as u32).to_le_bytes())),
            Kind::I64 => self.bytes.extend(values.iter().flat_map(|&value| (value as i64).to_le_bytes())),
        }
        self.file.write_all(&self.bytes).map_err(|source| refused(&self.path, source))?;
        self.entries += values.len() as u64;
        Ok(())
    }

    /// Appends column numbers.
    pub(crate) fn push_columns(&mut self, columns: &[u32]) -> Result<()> {
        self.bytes.clear();
        self.bytes.extend(columns.iter().flat_map(|column| column.to_le_bytes()));
        self.file.write_all(&self.bytes).map_err(|source| refused(&self.path, source))?;
        self.entries += columns.len() as u64;
        Ok(())
    }

    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// Puts the number of rows into the header and everything on the disk.
    pub(crate) fn finish(mut self) -> Result<PathBuf> {
        let header = self.header();
        let end = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(&header));
        let end = end.and_then(|()| self.file.flush()).and_then(|()| self.file.get_ref().sync_all());
        end.map_err(|source| refused(&self.path, source))?;
        Ok(self.path)
    }
}

pub(crate) fn refused(path: &Path, source: std::io::Error) -> Error {
    Error::Unwritable { path: path.to_owned(), source }
}
