//! From files to a table: one file of any format, or several of one format that are read one after another as if they were one.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::compression::{Counted, Input, Lines};
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::options::{Format, ReadOptions};
use crate::outlet::Outlet;
use crate::table::Table;
use crate::{csv, files, format, npy, npz, open_error, store, svmlight};

/// Reads paths: a packed store, or files, folders and patterns, whose files are one data set.
pub(crate) fn read(paths: &[PathBuf], options: &ReadOptions) -> Result<Table> {
    if let [path] = paths
        && store::is_store(path)
    {
        return store::open(path, options);
    }
    let files = all_files(paths)?;
    let name = paths
        .first()
        .and_then(|path| path.file_name())
        .map_or_else(|| "data".to_owned(), |name| name.to_string_lossy().replace(['*', '?'], "_"));
    // A pipe can neither be recognised nor read again.
    let is_regular = files.iter().all(|file| file.is_file());
    let source = (options.memory.is_some() && is_regular).then(|| Fingerprint::of(&files, options)).transpose()?;
    if let Some(source) = &source
        && let Some(table) = store::packed_before(&name, source, options)?
    {
        return Ok(table);
    }
    collect(&files, options, Outlet::of(&name, source, options))
}

/// The files of some paths, in the order of the paths.
pub(crate) fn all_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let files = paths.iter().map(|path| files::of(path)).collect::<Result<Vec<_>>>()?;
    Ok(files.into_iter().flatten().collect())
}

/// Reads files one after another; where they go is the outlet's affair.
pub(crate) fn collect(files: &[PathBuf], options: &ReadOptions, outlet: Outlet<'_>) -> Result<Table> {
    let sizes = files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|found| found.len());
    options.meter.expect(sizes.sum());
    let [first, others @ ..] = files else { return Err(Error::EmptyFile { source_name: "data".to_owned() }) };
    let opened = Opened::new(first, options)?;
    if others.is_empty() {
        return opened.whole(options, outlet);
    }
    let (format, name) = (opened.format, opened.name.clone());
    let mut several = opened.first(options, outlet)?;
    for path in others {
        let opened = Opened::new(path, options)?;
        if opened.format != format {
            let (source_name, found, expected) = (opened.name, opened.format.title(), format.title());
            return Err(Error::MixedFormats { source_name, found, first: name, expected });
        }
        several.append(opened)?;
    }
    several.finish()
}

/// Reads a stream; `length` is known if it is in memory.
pub(crate) fn stream(
    reader: impl Read,
    name: &str,
    length: Option<u64>,
    options: &ReadOptions,
    outlet: Outlet<'_>,
) -> Result<Table> {
    let meter = options.meter.clone();
    meter.expect(length.unwrap_or(0));
    let lines = Lines::new(Input::new(name, Counted { reader, meter }, length, None)?)?;
    let (format, notice) = format::detect(name, lines.data(), options.format)?;
    check_bins(name, format, options)?;
    lines_of(lines, format, Path::new(name), options, outlet).map(|table| with_notice(table, notice))
}

/// Refuses bins of data that have no columns of their own, or that stay where they are.
fn check_bins(name: &str, format: Format, options: &ReadOptions) -> Result<()> {
    match format {
        Format::Svmlight | Format::Npy | Format::Npz if !options.bins.is_empty() && options.schema.is_none() => {
            let what = format!("a {} file", format.title());
            Err(Error::BinsNotHere { source_name: name.to_owned(), what })
        }
        _ => Ok(()),
    }
}

/// A file whose format is known.
struct Opened {
    path: PathBuf,
    name: String,
    file: File,
    lines: Lines<'static>,
    format: Format,
    notice: Option<String>,
}

impl Opened {
    fn new(path: &Path, options: &ReadOptions) -> Result<Self> {
        let name = path.display().to_string();
        let mut file = File::open(path).map_err(|error| open_error(path, error))?;
        let io = |source| Error::Io { source_name: name.clone(), source };
        let length = file.metadata().map_err(io)?.len();
        let mut trailer = [0; 4];
        // A pipe has no end to look at; then nothing is reserved.
        let tail = (length > 4 && file.seek(SeekFrom::End(-4)).is_ok())
            .then(|| file.read_exact(&mut trailer).and_then(|()| file.rewind()))
            .transpose()
            .map_err(io)?
            .map(|()| trailer);
        let counted = Counted { reader: file.try_clone().map_err(io)?, meter: options.meter.clone() };
        let lines = Lines::new(Input::new(&name, counted, Some(length).filter(|&length| length > 0), tail)?)?;
        let (format, notice) = format::detect(&name, lines.data(), options.format)?;
        check_bins(&name, format, options)?;
        Ok(Self { path: path.to_owned(), name, file, lines, format, notice })
    }

    /// The only file of a data set.
    fn whole(self, options: &ReadOptions, outlet: Outlet<'_>) -> Result<Table> {
        let Self { path, name, mut file, lines, format, notice } = self;
        let is_plain = !lines.input.compressed;
        let table = match format {
            Format::Npy if is_plain => npy::read_file(&path, &file, options, outlet),
            Format::Npz if is_plain => {
                file.rewind().map_err(|source| Error::Io { source_name: name.clone(), source })?;
                npz::read(&name, &path, std::io::BufReader::new(file), options, outlet)
            }
            #[cfg(feature = "parquet")]
            Format::Parquet if is_plain => crate::parquet::Reader::begin(&name, file, options, outlet)?.finish(),
            _ => lines_of(lines, format, &path, options, outlet),
        };
        table.map(|table| with_notice(table, notice))
    }

    /// The first file of several.
    fn first<'a>(mut self, options: &ReadOptions, outlet: Outlet<'a>) -> Result<Several<'a>> {
        match self.format {
            Format::Csv => csv::Reader::begin(&mut self.lines, options, outlet).map(Several::Csv),
            Format::Svmlight => svmlight::Reader::begin(&mut self.lines, options, outlet).map(Several::Svmlight),
            #[cfg(feature = "parquet")]
            Format::Parquet if !self.lines.input.compressed => {
                crate::parquet::Reader::begin(&self.name, self.file, options, outlet).map(Several::Parquet)
            }
            _ => Err(Error::OneFileOnly { source_name: self.name, format: self.format.title() }),
        }
    }
}

/// Several files of one data set.
enum Several<'a> {
    Csv(csv::Reader<'a>),
    Svmlight(svmlight::Reader<'a>),
    #[cfg(feature = "parquet")]
    Parquet(crate::parquet::Reader<'a>),
}

impl Several<'_> {
    fn append(&mut self, mut opened: Opened) -> Result<()> {
        match self {
            Self::Csv(reader) => reader.append(&mut opened.lines),
            Self::Svmlight(reader) => reader.append(&mut opened.lines),
            #[cfg(feature = "parquet")]
            Self::Parquet(reader) => reader.append(&opened.name, opened.file),
        }
    }

    fn finish(self) -> Result<Table> {
        match self {
            Self::Csv(reader) => reader.finish(),
            Self::Svmlight(reader) => reader.finish(),
            #[cfg(feature = "parquet")]
            Self::Parquet(reader) => reader.finish(),
        }
    }
}

fn lines_of(
    mut lines: Lines<'_>,
    format: Format,
    path: &Path,
    options: &ReadOptions,
    outlet: Outlet<'_>,
) -> Result<Table> {
    let name = lines.input.name.clone();
    match format {
        Format::Csv => csv::Reader::begin(&mut lines, options, outlet)?.finish(),
        Format::Svmlight => svmlight::Reader::begin(&mut lines, options, outlet)?.finish(),
        Format::Npy => npy::read_stream(&name, path, &mut Cursor::new(lines.into_bytes()?), options, outlet),
        Format::Npz => npz::read(&name, path, Cursor::new(lines.into_bytes()?), options, outlet),
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            crate::parquet::Reader::begin(&name, bytes::Bytes::from(lines.into_bytes()?), options, outlet)?.finish()
        }
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Error::FormatNotBuilt { source_name: name, format: "Parquet" }),
    }
}

fn with_notice(mut table: Table, notice: Option<String>) -> Table {
    table.notices.splice(0..0, notice);
    table
}
