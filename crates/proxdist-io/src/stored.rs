//! Rows that stay on the disk and are read in order, a few megabytes at a time.
//!
//! Nothing is mapped: pages of a map count as memory of the process until the system takes them away, and a file that shrinks would end it. Here a
//! file that shrinks, changes or vanishes is an error.

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

use crate::ahead::{self, Ahead};
use crate::error::{Error, Result};
use crate::fingerprint::Mark;
use crate::npy::{Element, Header, real};

/// Bytes that are read at a time.
const WINDOW: usize = 4 << 20;
/// Bytes below which a thread that reads ahead is not worth its start.
const LEAST_AHEAD: u64 = 8 << 20;

/// A matrix on the disk.
#[derive(Clone, Debug)]
pub struct Stored {
    body: Body,
    rows: usize,
    columns: usize,
    /// The largest entry in size, where all entries are known to be finite.
    pub(crate) largest: Option<f64>,
    /// Removed with the last copy of this.
    pub(crate) folder: Option<Arc<TempDir>>,
    /// Whether rows are read past the system's cache, where that can be done.
    is_past_cache: bool,
    /// Memory of readers that have ended, for those to come: the system clears pages that it hands out, which takes longer than reading into them.
    spare: Arc<Mutex<Vec<Vec<u8>>>>,
}

#[derive(Clone, Debug)]
enum Body {
    Dense(DenseFile),
    Sparse(Arc<SparseFiles>),
}

/// Row-major entries somewhere in a file.
#[derive(Clone, Debug)]
struct DenseFile {
    array: ArrayFile,
    /// Columns in the file.
    width: usize,
    /// Those that are features, increasing; `None` for all.
    picked: Option<Arc<Picked>>,
}

impl DenseFile {
    /// The entries of whole rows, of these `columns` only, if some are listed.
    fn copy(&self, bytes: &[u8], columns: Option<&[usize]>, out: &mut [f64]) {
        let (array, size) = (&self.array, self.array.kind.bytes());
        let row_bytes = (self.width * size).max(1);
        let picked = self.picked.as_deref();
        if columns.is_none() && picked.is_none() && array.is_native() {
            return bytemuck::cast_slice_mut(out)[..bytes.len()].copy_from_slice(bytes);
        }
        let entry = |row: &[u8], column: usize| array.real(&row[column * size..(column + 1) * size]);
        let all = picked.map_or(self.width, |picked| picked.columns.len());
        let count = columns.map_or(all, <[usize]>::len).max(1);
        for (row, out) in bytes.chunks_exact(row_bytes).zip(out.chunks_exact_mut(count)) {
            match (columns, picked) {
                (None, None) => out.iter_mut().enumerate().for_each(|(column, value)| *value = entry(row, column)),
                (None, Some(picked)) if array.is_native() => {
                    let mut rest: &mut [u8] = bytemuck::cast_slice_mut(out);
                    for &(first, count) in &picked.runs {
                        let (now, after) = rest.split_at_mut(count * size);
                        now.copy_from_slice(&row[first * size..(first + count) * size]);
                        rest = after;
                    }
                }
                (None, Some(picked)) => {
                    out.iter_mut().zip(&picked.columns).for_each(|(value, &column)| *value = entry(row, column));
                }
                (Some(columns), None) => {
                    out.iter_mut().zip(columns).for_each(|(value, &column)| *value = entry(row, column));
                }
                (Some(columns), Some(picked)) => {
                    out.iter_mut()
                        .zip(columns)
                        .for_each(|(value, &column)| *value = entry(row, picked.columns[column]));
                }
            }
        }
    }
}

/// Some columns of a file.
#[derive(Debug)]
struct Picked {
    columns: Vec<usize>,
    /// The same as runs of neighbours: the first of each and how many there are.
    runs: Vec<(usize, usize)>,
}

impl Picked {
    fn new(columns: Vec<usize>) -> Self {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for &column in &columns {
            match runs.last_mut() {
                Some((first, count)) if *first + *count == column => *count += 1,
                _ => runs.push((column, 1)),
            }
        }
        Self { columns, runs }
    }
}

/// Compressed sparse rows in two files.
#[derive(Debug)]
struct SparseFiles {
    starts: Vec<u64>,
    indices: ArrayFile,
    values: ArrayFile,
}

/// Entries of one type from a place in a file on.
#[derive(Clone, Debug)]
pub(crate) struct ArrayFile {
    mark: Mark,
    start: u64,
    kind: Element,
    big_endian: bool,
}

impl ArrayFile {
    /// The data of an array whose header is at `at` in the file.
    pub(crate) fn new(path: &std::path::Path, at: u64, header: &Header) -> Result<Self> {
        let start = at + header.length as u64;
        Ok(Self { mark: Mark::of(path)?, start, kind: header.kind, big_endian: header.big_endian })
    }

    fn name(&self) -> String {
        self.mark.path.display().to_string()
    }

    /// Opened for one reader, whose reading ahead is then its own.
    fn open(&self) -> Result<File> {
        self.mark.check()?;
        File::open(&self.mark.path).map_err(|error| crate::open_error(&self.mark.path, error))
    }

    /// Reads the bytes of some entries.
    fn read(&self, file: &File, entries: Range<u64>, bytes: &mut Vec<u8>) -> Result<()> {
        let width = self.kind.bytes();
        bytes.resize((entries.end - entries.start) as usize * width, 0);
        self.fill(file, entries.start, bytes)?;
        if self.big_endian {
            bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        Ok(())
    }

    /// Reads as many bytes as there is room for, from an entry on.
    fn fill(&self, file: &File, first: u64, bytes: &mut [u8]) -> Result<()> {
        read_exact_at(file, bytes, self.place(first)).map_err(|source| self.failed(source))
    }

    /// Where an entry begins in the file.
    fn place(&self, entry: u64) -> u64 {
        self.start + entry * self.kind.bytes() as u64
    }

    fn failed(&self, source: std::io::Error) -> Error {
        match source.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::Changed { source_name: self.name(), how: "was shortened" },
            _ => Error::Io { source_name: self.name(), source },
        }
    }

    /// Whether the bytes of the file are numbers of this machine as they stand.
    fn is_native(&self) -> bool {
        self.kind == Element::F8 && !self.big_endian && cfg!(target_endian = "little")
    }

    fn real(&self, item: &[u8]) -> f64 {
        real(self.kind, item)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}

impl Stored {
    /// A dense matrix.
    pub(crate) fn dense(array: ArrayFile, rows: usize, width: usize) -> Self {
        let body = Body::Dense(DenseFile { array, width, picked: None });
        Self { body, rows, columns: width, largest: None, folder: None, is_past_cache: false, spare: Arc::default() }
    }

    /// Compressed sparse rows; row `i` has the entries from `starts[i]` to `starts[i + 1]`.
    pub(crate) fn sparse(starts: Vec<u64>, indices: ArrayFile, values: ArrayFile, columns: usize) -> Self {
        let rows = starts.len() - 1;
        let body = Body::Sparse(Arc::new(SparseFiles { starts, indices, values }));
        Self { body, rows, columns, largest: None, folder: None, is_past_cache: false, spare: Arc::default() }
    }

    /// Only these columns of a dense matrix, increasing.
    pub(crate) fn picked(mut self, columns: Vec<usize>) -> Self {
        if let Body::Dense(dense) = &mut self.body {
            self.columns = columns.len();
            dense.picked = Some(Arc::new(Picked::new(columns)));
        }
        self
    }

    /// Reads past the system's cache from now on, where that can be done: right for data that are larger than the memory, and are read from the disk
    /// each time anyway; wrong for data that the cache could hold.
    pub fn past_the_cache(&mut self, is_past_cache: bool) {
        self.is_past_cache = is_past_cache;
    }

    /// Number of observations.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of features.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether only nonzero entries are stored.
    pub fn is_sparse(&self) -> bool {
        matches!(self.body, Body::Sparse(_))
    }

    /// Number of entries stored.
    pub fn stored(&self) -> usize {
        match &self.body {
            Body::Dense(_) => self.rows * self.columns,
            Body::Sparse(files) => files.starts[self.rows] as usize,
        }
    }

    /// A bound on the size of all entries, which are then finite; `None` if nobody has looked at them yet.
    pub fn largest(&self) -> Option<f64> {
        self.largest
    }

    /// The file, for messages.
    pub fn path(&self) -> PathBuf {
        match &self.body {
            Body::Dense(dense) => dense.array.mark.path.clone(),
            Body::Sparse(files) => files.values.mark.path.clone(),
        }
    }

    /// Reads rows in order, from the first of `rows` to the last. Several threads may have a reader each.
    pub fn reader(&self, rows: Range<usize>) -> Result<Reader<'_>> {
        self.reader_of(rows, 1)
    }

    /// The same for rows that will be asked for so many at a time, which can then often be lent.
    pub fn reader_of(&self, rows: Range<usize>, at_a_time: usize) -> Result<Reader<'_>> {
        let (file, second) = match &self.body {
            Body::Dense(dense) => (dense.array.open()?, None),
            Body::Sparse(files) => (files.values.open()?, Some(files.indices.open()?)),
        };
        let end = rows.end.min(self.rows);
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let ahead = self.ahead(rows.start..end, at_a_time, &mut spare);
        let bytes = spare.pop().filter(|_| ahead.is_none()).unwrap_or_default();
        Ok(Reader { of: self, file, second, end, held: 0..0, bytes, ahead })
    }

    /// The bytes of many dense rows, past the cache.
    fn ahead(&self, rows: Range<usize>, at_a_time: usize, spare: &mut Vec<Vec<u8>>) -> Option<Ahead> {
        let Body::Dense(DenseFile { array, width, .. }) = &self.body else { return None };
        let place = |row: usize| array.place((row * width) as u64);
        let bytes = place(rows.start)..place(rows.end.max(rows.start));
        if !self.is_past_cache || array.big_endian || bytes.end - bytes.start < LEAST_AHEAD {
            return None;
        }
        let file = ahead::open(&array.mark.path)?;
        let row = (width * array.kind.bytes()) as u64;
        // Windows of whole pieces, unless these are large themselves.
        let piece = row.saturating_mul(at_a_time as u64);
        Some(Ahead::start(file, bytes, if piece <= WINDOW as u64 { piece } else { row }, spare))
    }

    /// One row as a full vector.
    pub fn row(&self, index: usize) -> Result<Vec<f64>> {
        let mut full = vec![0.0; self.columns];
        let mut reader = self.reader(index..index + 1)?;
        if !self.is_sparse() {
            reader.dense(index..index + 1, None, &mut full)?;
            return Ok(full);
        }
        let mut row = SparseRows::default();
        reader.sparse(index..index + 1, &mut row)?;
        row.columns.iter().zip(&row.values).for_each(|(&column, &value)| full[column as usize] = value);
        Ok(full)
    }

    /// Fails if a file is not what it was when it was opened.
    pub fn check(&self) -> Result<()> {
        match &self.body {
            Body::Dense(dense) => dense.array.mark.check(),
            Body::Sparse(files) => files.values.mark.check().and_then(|()| files.indices.mark.check()),
        }
    }
}

/// Reads rows of a [`Stored`] matrix in order.
#[derive(Debug)]
pub struct Reader<'s> {
    of: &'s Stored,
    file: File,
    /// Of sparse rows: the columns.
    second: Option<File>,
    end: usize,
    /// Rows whose bytes are here.
    held: Range<usize>,
    bytes: Vec<u8>,
    /// The same bytes from a thread of their own instead.
    ahead: Option<Ahead>,
}

/// Sparse rows in reused memory.
#[derive(Debug, Default)]
pub struct SparseRows {
    /// Where each row starts, and the end of the last one.
    pub starts: Vec<usize>,
    /// Columns of the entries.
    pub columns: Vec<u32>,
    /// The entries.
    pub values: Vec<f64>,
    bytes: Vec<u8>,
}

/// Leaves its memory to the next reader.
impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let mut free = vec![std::mem::take(&mut self.bytes)];
        if let Some(mut ahead) = self.ahead.take() {
            ahead.end();
            free.append(&mut ahead.spare);
        }
        let mut spare = self.of.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.extend(free.into_iter().filter(|bytes| bytes.capacity() > 0));
    }
}

impl Reader<'_> {
    /// The entries of dense rows where they are, if they are in memory in one piece already.
    pub fn lent(&mut self, rows: Range<usize>) -> Result<Option<&[f64]>> {
        let (Body::Dense(dense), Some(ahead)) = (&self.of.body, &mut self.ahead) else { return Ok(None) };
        let (array, width) = (&dense.array, dense.width);
        if dense.picked.is_some() || !array.is_native() || rows.is_empty() {
            return Ok(None);
        }
        let here = ahead.from(array.place((rows.start * width) as u64)).map_err(|source| array.failed(source))?;
        let bytes = here.get(..rows.len() * width * array.kind.bytes());
        Ok(bytes.and_then(|bytes| bytemuck::try_cast_slice(bytes).ok()))
    }

    /// Copies the entries of dense rows, row by row; of these `columns` only, if some are listed. Nothing for sparse rows.
    pub fn dense(&mut self, rows: Range<usize>, columns: Option<&[usize]>, out: &mut [f64]) -> Result<()> {
        let Body::Dense(dense) = &self.of.body else { return Ok(()) };
        let (array, width) = (&dense.array, dense.width);
        let row_bytes = width * array.kind.bytes();
        if let Some(ahead) = &mut self.ahead {
            let count = columns.map_or(self.of.columns, <[usize]>::len);
            let (mut row, mut out) = (rows.start, out);
            while row < rows.end {
                let place = array.place((row * width) as u64);
                let here = ahead.from(place).map_err(|source| array.failed(source))?;
                let some = (here.len() / row_bytes.max(1)).clamp(1, rows.end - row);
                let (now, after) = out.split_at_mut(some * count);
                dense.copy(&here[..some * row_bytes], columns, now);
                (row, out) = (row + some, after);
            }
            return Ok(());
        }
        if columns.is_none() && dense.picked.is_none() && array.is_native() {
            let out = &mut out[..rows.len() * width];
            return array.fill(&self.file, (rows.start * width) as u64, bytemuck::cast_slice_mut(out));
        }
        if rows.start < self.held.start || rows.end > self.held.end {
            let more = (WINDOW / row_bytes).max(rows.len());
            self.held = rows.start..self.end.min(rows.start + more).max(rows.end);
            let entries = (self.held.start * width) as u64..(self.held.end * width) as u64;
            array.read(&self.file, entries, &mut self.bytes)?;
        }
        let first = (rows.start - self.held.start) * row_bytes;
        dense.copy(&self.bytes[first..first + rows.len() * row_bytes], columns, out);
        Ok(())
    }

    /// Copies sparse rows. Nothing for dense ones.
    pub fn sparse(&mut self, rows: Range<usize>, out: &mut SparseRows) -> Result<()> {
        let (Body::Sparse(files), Some(second)) = (&self.of.body, &self.second) else { return Ok(()) };
        let starts = &files.starts[rows.start..=rows.end];
        let (first, last) = (starts[0], starts[starts.len() - 1]);
        out.starts.clear();
        out.starts.extend(starts.iter().map(|start| (start - first) as usize));
        files.values.read(&self.file, first..last, &mut out.bytes)?;
        out.values.clear();
        out.values.extend(out.bytes.chunks_exact(files.values.kind.bytes()).map(|item| files.values.real(item)));
        files.indices.read(second, first..last, &mut out.bytes)?;
        out.columns.clear();
        out.columns
            .extend(out.bytes.chunks_exact(4).map(|item| u32::from_le_bytes([item[0], item[1], item[2], item[3]])));
        // A store may come from anywhere.
        for row in out.starts.windows(2) {
            let columns = &out.columns[row[0]..row[1]];
            let is_rising = columns.windows(2).all(|pair| pair[0] < pair[1]);
            if !is_rising || columns.last().is_some_and(|&last| last as usize >= self.of.columns) {
                let reason = "column numbers of a row do not increase or are too large".to_owned();
                return Err(Error::Store { source_name: files.indices.name(), reason });
            }
        }
        Ok(())
    }
}
