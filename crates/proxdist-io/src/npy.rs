//! NumPy arrays: mapped into memory where the file allows it, converted where it does not.

mod header;
mod write;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::arrays::{self, Beside, Work};
use crate::error::{Error, Result};
use crate::mapped::{self, Mapped};
use crate::number;
use crate::options::ReadOptions;
use crate::outlet::Outlet;
use crate::stored::{ArrayFile, Stored};
use crate::table::{Features, Table};
pub use header::npy_header;
pub(crate) use header::{Element, Header, described};
pub(crate) use write::{Kind, NpyWriter, refused};

/// Entries of an array, in row-major order.
#[derive(Debug)]
pub(crate) enum Entries {
    F64(Vec<f64>),
    F32(Vec<f32>),
    Text(Vec<String>),
}

/// An array in memory.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) entries: Entries,
    pub(crate) fortran: bool,
}

/// Reads the matrix in an `.npy` file.
pub(crate) fn read_file(path: &Path, file: &File, options: &ReadOptions, outlet: Outlet<'_>) -> Result<Table> {
    let source = path.display().to_string();
    let beside = Beside::files(path, options)?;
    let mut notices = Vec::new();
    let features = matrix_at(path, file, (&source, 0), options, &mut notices)?;
    Work { source: &source, options, outlet, notices }.table(features, beside)
}

/// The matrix whose header stands at a place in a file, and how it is called: mapped if it can be and fits into the memory, to be read in order if
/// it does not fit, copied otherwise.
pub(crate) fn matrix_at(
    path: &Path,
    file: &File,
    (source, at): (&str, u64),
    options: &ReadOptions,
    notices: &mut Vec<String>,
) -> Result<Features> {
    let io = |error| Error::Io { source_name: source.to_owned(), source: error };
    let map = mapped::map(file).map_err(io)?;
    let inner = map.get(at as usize..).unwrap_or_default();
    let header = Header::read(source, &mut &*inner)?;
    let (rows, columns) = sides(source, &header)?;
    let bytes = data_bytes(source, &header)?;
    let found = (inner.len() - header.length) as u64;
    if found < bytes {
        return Err(Error::Truncated { source_name: source.to_owned(), expected: bytes, found });
    }
    if options.is_too_large(rows.checked_mul(columns).and_then(|entries| entries.checked_mul(8))) {
        if header.fortran {
            let (need, limit) = (bytes, options.memory.unwrap_or(0) as u64);
            let what = "the entries of a column-major array, which cannot be read row by row,".to_owned();
            return Err(Error::OverLimit { source_name: source.to_owned(), what, need, limit });
        }
        if !header.kind.is_text() {
            return Ok(Features::Stored(Stored::dense(ArrayFile::new(path, at, &header)?, rows, columns)));
        }
    }
    let native = header.big_endian == cfg!(target_endian = "big") && !header.fortran;
    let start = at as usize + header.length;
    if native && header.kind == Element::F8 {
        if let Some(matrix) = Mapped::<f64>::new(mapped::map(file).map_err(io)?, start, rows, columns) {
            return Ok(Features::MappedF64(matrix));
        }
        notices.push(format!("{source}: the data are not aligned and are copied"));
    } else if native && header.kind == Element::F4 {
        if let Some(matrix) = Mapped::<f32>::new(mapped::map(file).map_err(io)?, start, rows, columns) {
            return Ok(Features::MappedF32(matrix));
        }
        notices.push(format!("{source}: the data are not aligned and are copied"));
    }
    let array = entries(source, &header, &mut &inner[header.length..])?;
    arrays::matrix(source, array, notices)
}

/// Reads the matrix in a stream.
pub(crate) fn read_stream(
    source: &str,
    path: &Path,
    reader: &mut dyn Read,
    options: &ReadOptions,
    outlet: Outlet<'_>,
) -> Result<Table> {
    let mut notices = Vec::new();
    let array = read_array(source, reader)?;
    let beside = Beside::files(path, options)?;
    let features = arrays::matrix(source, array, &mut notices)?;
    Work { source, options, outlet, notices }.table(features, beside)
}

/// Reads any array of numbers or text.
pub(crate) fn read_array(source: &str, reader: &mut dyn Read) -> Result<Array> {
    let header = Header::read(source, reader)?;
    entries(source, &header, reader)
}

/// Rows and columns of a matrix.
fn sides(source: &str, header: &Header) -> Result<(usize, usize)> {
    arrays::sides(source, &header.shape)
}

pub(crate) fn data_bytes(source: &str, header: &Header) -> Result<u64> {
    let bytes = header.entries().and_then(|entries| entries.checked_mul(header.kind.bytes()));
    bytes.map(|bytes| bytes as u64).ok_or_else(|| Error::TooLarge {
        source_name: source.to_owned(),
        what: format!("an array of shape {}", header.shape_text()),
    })
}

/// Reads and converts the entries chunk by chunk, so that a header that promises too much costs nothing.
fn entries(source: &str, header: &Header, reader: &mut dyn Read) -> Result<Array> {
    const CHUNK: usize = 1 << 19;
    let bytes = data_bytes(source, header)?;
    let width = header.kind.bytes();
    let mut left = bytes as usize / width;
    let at_a_time = (CHUNK / width).max(1);
    let mut chunk = vec![0; at_a_time.min(left).max(1) * width];
    let mut all = match header.kind {
        kind if kind.is_text() => Entries::Text(Vec::new()),
        Element::F4 => Entries::F32(Vec::new()),
        _ => Entries::F64(Vec::new()),
    };
    let too_large = || Error::TooLarge { source_name: source.to_owned(), what: format!("{bytes} bytes") };
    let mut found = 0_u64;
    while left > 0 {
        let count = left.min(at_a_time);
        let buffer = &mut chunk[..count * width];
        let have = read_full(source, reader, buffer)?;
        found += have as u64;
        if have < buffer.len() {
            return Err(Error::Truncated { source_name: source.to_owned(), expected: bytes, found });
        }
        if header.big_endian && header.kind.is_text() {
            buffer.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        } else if header.big_endian {
            buffer.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
        let items = buffer.chunks_exact(width);
        match &mut all {
            Entries::F64(values) => {
                number::reserve(values, count).map_err(|_| too_large())?;
                values.extend(items.map(|item| real(header.kind, item)));
            }
            Entries::F32(values) => {
                number::reserve(values, count).map_err(|_| too_large())?;
                values.extend(items.map(|item| f32::from_le_bytes(fixed(item))));
            }
            Entries::Text(values) => values.extend(items.map(|item| text(header.kind, item))),
        }
        left -= count;
    }
    let mut fortran = header.fortran;
    if let (true, [rows, columns]) = (fortran, header.shape.as_slice()) {
        match &mut all {
            Entries::F64(values) => *values = transposed(values, *rows, *columns),
            Entries::F32(values) => *values = transposed(values, *rows, *columns),
            Entries::Text(_) => {}
        }
    } else {
        fortran = false;
    }
    Ok(Array { shape: header.shape.clone(), entries: all, fortran })
}

fn read_full(source: &str, reader: &mut dyn Read, buffer: &mut [u8]) -> Result<usize> {
    let mut have = 0;
    while have < buffer.len() {
        match reader.read(&mut buffer[have..]) {
            Ok(0) => break,
            Ok(count) => have += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error)
                if matches!(error.kind(), std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput) =>
            {
                return Err(Error::Archive { source_name: source.to_owned(), reason: error.to_string() });
            }
            Err(error) => return Err(Error::Io { source_name: source.to_owned(), source: error }),
        }
    }
    Ok(have)
}

/// From column-major to row-major order.
fn transposed<T: Copy>(values: &[T], rows: usize, columns: usize) -> Vec<T> {
    let mut result = Vec::with_capacity(values.len());
    for row in 0..rows {
        result.extend((0..columns).map(|column| values[column * rows + row]));
    }
    result
}

/// The first bytes of an item, filled up with zeros.
#[inline]
fn fixed<const N: usize>(item: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    let length = item.len().min(N);
    bytes[..length].copy_from_slice(&item[..length]);
    bytes
}

/// One little-endian entry as a number.
#[inline]
pub(crate) fn real(kind: Element, item: &[u8]) -> f64 {
    match kind {
        Element::F8 => f64::from_le_bytes(fixed(item)),
        Element::F4 => f64::from(f32::from_le_bytes(fixed(item))),
        Element::Bool => f64::from(u8::from(item[0] != 0)),
        Element::Uint(_) => u64::from_le_bytes(fixed(item)) as f64,
        Element::Int(bytes) => {
            let shift = 64 - 8 * bytes as u32;
            ((u64::from_le_bytes(fixed(item)) << shift).cast_signed() >> shift) as f64
        }
        Element::Unicode(_) | Element::Bytes(_) => f64::NAN,
    }
}

/// One entry as text; NumPy fills up with zeros.
fn text(kind: Element, item: &[u8]) -> String {
    match kind {
        Element::Unicode(_) => {
            let units = item.chunks_exact(4).map(|unit| u32::from_le_bytes(fixed(unit)));
            let characters = units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
            characters.collect::<String>().trim_end_matches('\0').to_owned()
        }
        _ => String::from_utf8_lossy(item).trim_end_matches('\0').to_owned(),
    }
}
