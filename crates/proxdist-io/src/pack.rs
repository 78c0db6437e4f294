//! Rows that are too many for the memory, on their way into a store.
//!
//! Up to the limit rows are collected as ever. Beyond it they go to a file as they are: numbers, then codes of texts. When the last row has come and
//! all levels and means are known, that file is the matrix itself, or is read once more to be encoded. The source is read once either way, and
//! no more than a block of rows is in memory.

use std::fs::{self, File};
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::collect::Collector;
use crate::encode;
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::npy::{Kind, NpyWriter, refused};
use crate::options::ReadOptions;
use crate::outlet::BLOCK;
use crate::store::Draft;
use crate::table::{Features, Table};

/// What is packed, and how much may be held before that.
#[derive(Debug)]
pub(crate) struct Pack {
    pub(crate) name: String,
    pub(crate) source: Option<Fingerprint>,
    pub(crate) limit: usize,
    pub(crate) options: ReadOptions,
    raw: Option<Raw>,
}

/// Rows on the disk, numbers then codes.
#[derive(Debug)]
struct Raw {
    draft: Draft,
    writer: NpyWriter,
    numbers: usize,
    texts: usize,
    row: Vec<f64>,
}

impl Pack {
    pub(crate) fn new(name: &str, source: Option<Fingerprint>, limit: usize, options: &ReadOptions) -> Self {
        Self { name: name.to_owned(), source, limit, options: options.clone(), raw: None }
    }

    /// Bytes that may be held.
    pub(crate) fn room(&self) -> usize {
        if self.has_begun() { self.limit.min(BLOCK) } else { self.limit }
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.raw.is_some()
    }

    /// Whether a table of so many bytes is more than may be held.
    pub(crate) fn is_too_small(&self, bytes: Option<usize>) -> bool {
        bytes.is_none_or(|bytes| bytes > self.limit)
    }

    /// A folder to pack into.
    pub(crate) fn draft(&self) -> Result<Draft> {
        Draft::new(&self.name, self.source.clone(), &self.options)
    }

    /// Takes the rows that the collector holds.
    pub(crate) fn take(&mut self, collector: &mut Collector<'_>) -> Result<()> {
        encode::count(collector);
        let (numbers, texts) = (collector.layout.numbers, collector.layout.texts);
        if self.raw.is_none() {
            let draft = self.draft()?;
            let is_plain = texts == 0 && !collector.layout.is_binned && !self.options.missing.fills();
            let is_final = self.options.single && is_plain;
            let kind = if is_final { Kind::F32 } else { Kind::F64 };
            let writer = NpyWriter::new(&draft.path("rows.npy"), kind, Some(numbers + texts))?;
            self.raw = Some(Raw { draft, writer, numbers, texts, row: Vec::new() });
        }
        let Some(raw) = &mut self.raw else { return Ok(()) };
        if texts == 0 {
            raw.writer.push(&collector.numbers)?;
        } else {
            for row in 0..collector.rows {
                raw.row.clear();
                raw.row.extend_from_slice(&collector.numbers[row * numbers..(row + 1) * numbers]);
                raw.row.extend(collector.texts.iter().map(|column| f64::from(column.code(row))));
                raw.writer.push(&raw.row)?;
            }
        }
        if collector.numbers.capacity() * 8 > BLOCK {
            // The room for all rows is not needed any more.
            collector.numbers = Vec::new();
            collector.texts.iter_mut().for_each(|column| column.codes = Vec::new());
        }
        collector.numbers.clear();
        collector.texts.iter_mut().for_each(|column| column.codes.clear());
        collector.rows = 0;
        Ok(())
    }

    /// Encodes all rows and opens the store.
    pub(crate) fn finish(self, mut table: Table, encoding: &Encoding, is_sparse: bool) -> Result<Table> {
        let Self { options, raw, .. } = self;
        let Some(Raw { draft, writer, numbers, texts, .. }) = raw else { return Ok(table) };
        let (rows, columns) = ((writer.entries() / (numbers + texts) as u64) as usize, encoding.width);
        let mut largest = writer.largest;
        let path = writer.finish()?;
        let is_whole = texts == 0 && !encoding.has_bins() && !is_sparse && !options.missing.fills();
        if is_whole {
            let place = draft.path("X.npy");
            fs::rename(&path, &place).map_err(|error| refused(&place, error))?;
        } else if is_sparse {
            let mut sparse = SparseWriter::new(&draft)?;
            again(&path, numbers, texts, &mut |row, codes| {
                encoding.row(row, |slot| codes[slot] as u32, |column, value| sparse.put(column, value));
                sparse.end_row()
            })?;
            largest = sparse.finish(&draft)?;
        } else {
            let kind = if options.single { Kind::F32 } else { Kind::F64 };
            let mut writer = NpyWriter::new(&draft.path("X.npy"), kind, Some(columns))?;
            let mut features = vec![0.0; columns];
            again(&path, numbers, texts, &mut |row, codes| {
                features.fill(0.0);
                encoding.row(row, |slot| codes[slot] as u32, |column, value| features[column] = value);
                writer.push(&features)
            })?;
            largest = writer.largest;
            writer.finish()?;
        }
        if !is_whole {
            fs::remove_file(&path).map_err(|error| refused(&path, error))?;
        }
        table.features = if is_sparse {
            Features::Sparse { rows, columns, row_starts: Vec::new(), columns_of: Vec::new(), values: Vec::new() }
        } else {
            Features::Dense { rows, columns, values: Vec::new() }
        };
        draft.finish(table, largest, &options)
    }
}

/// What is done with the numbers and codes of a row.
type EachRow<'e> = dyn FnMut(&[f64], &[f64]) -> Result<()> + 'e;

/// Reads rows of numbers and codes again.
fn again(path: &Path, numbers: usize, texts: usize, each: &mut EachRow<'_>) -> Result<()> {
    let failed = |source| Error::Io { source_name: path.display().to_string(), source };
    let mut file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let header = crate::npy::described("<f8", &[0, 0]).len() as u64;
    file.seek(SeekFrom::Start(header)).map_err(failed)?;
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut bytes = vec![0; 8 * (numbers + texts)];
    let mut row = vec![0.0; numbers + texts];
    for _ in 0..(length - header) / bytes.len() as u64 {
        file.read_exact(&mut bytes).map_err(failed)?;
        for (value, item) in row.iter_mut().zip(bytes.chunks_exact(8)) {
            *value = crate::npy::real(crate::npy::Element::F8, item);
        }
        each(&row[..numbers], &row[numbers..])?;
    }
    Ok(())
}

/// Sparse rows on their way into a store.
#[derive(Debug)]
pub(crate) struct SparseWriter {
    indices: NpyWriter,
    data: NpyWriter,
    starts: Vec<f64>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl SparseWriter {
    pub(crate) fn new(draft: &Draft) -> Result<Self> {
        let indices = NpyWriter::new(&draft.path("indices.npy"), Kind::U32, None)?;
        let data = NpyWriter::new(&draft.path("data.npy"), Kind::F64, None)?;
        Ok(Self { indices, data, starts: vec![0.0], columns: Vec::new(), values: Vec::new() })
    }

    /// Appends an entry to the row at hand, columns increasing.
    pub(crate) fn put(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            self.columns.push(column as u32);
            self.values.push(value);
        }
    }

    /// Ends the row at hand.
    pub(crate) fn end_row(&mut self) -> Result<()> {
        self.starts.push((self.data.entries() + self.values.len() as u64) as f64);
        if self.values.len() * 12 > BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.indices.push_columns(&self.columns)?;
        self.data.push(&self.values)?;
        self.columns.clear();
        self.values.clear();
        Ok(())
    }

    /// Writes where rows start; returns the largest entry in size.
    pub(crate) fn finish(mut self, draft: &Draft) -> Result<f64> {
        self.flush()?;
        let mut starts = NpyWriter::new(&draft.path("indptr.npy"), Kind::I64, None)?;
        starts.push(&self.starts)?;
        starts.finish()?;
        self.indices.finish()?;
        let largest = self.data.largest;
        self.data.finish()?;
        Ok(largest)
    }
}
