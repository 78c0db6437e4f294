//! NumPy archives: arrays `X` and the target by name, also `weights` and `offset`; or a scipy.sparse CSR matrix.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use crate::arrays::{self, Beside, Vector, Work};
use crate::error::{Error, Place, Result};
use crate::npy::{self, Array, Entries};
use crate::options::ReadOptions;
use crate::outlet::Outlet;
use crate::schema::{MOST_COLUMNS, Schema, believed_columns};
use crate::svmlight::too_many;
use crate::table::{Features, Table};

struct Archive<R> {
    source: String,
    zip: ZipArchive<R>,
    names: Vec<String>,
}

/// Reads an archive; `path` is where vectors in separate files are sought.
pub(crate) fn read<R: Read + Seek>(
    source: &str,
    path: &Path,
    reader: R,
    options: &ReadOptions,
    outlet: Outlet<'_>,
) -> Result<Table> {
    let zip = ZipArchive::new(reader).map_err(|error| damaged(source, error))?;
    let name = |name: &str| name.strip_suffix(".npy").unwrap_or(name).to_owned();
    // Entries whose names are not text cannot be arrays of ours.
    let names = zip.file_names().filter_map(|entry| entry.ok().map(|entry| name(&entry))).collect();
    let mut archive = Archive { source: source.to_owned(), zip, names };
    archive.names.sort();
    let mut notices = Vec::new();
    let sparse = ["data", "indices", "indptr", "shape"].iter().all(|part| archive.has(part));
    let features = if sparse && !archive.has("X") {
        archive.sparse(options, &mut notices)?
    } else {
        archive.matrix("X", path, options, &mut notices)?
    };
    let known = options.schema.as_ref().and_then(|schema| schema.target.clone());
    let target = options.target.clone().or_else(|| known.filter(|name| archive.has(name)));
    let default = |setting: &Option<String>, name: &str| {
        setting.clone().or_else(|| (!sparse && archive.has(name)).then(|| name.to_owned()))
    };
    let (weights, offset) = (default(&options.weights, "weights"), default(&options.offset, "offset"));
    let columns = features.columns();
    let beside = Beside {
        target: archive.vector(target.as_deref(), path, columns, sparse)?,
        weights: archive.vector(weights.as_deref(), path, columns, sparse)?,
        offset: archive.vector(offset.as_deref(), path, columns, sparse)?,
    };
    Work { source, options, outlet, notices }.table(features, beside)
}

fn damaged(source: &str, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) if error.kind() == std::io::ErrorKind::Other => {
            Error::Io { source_name: source.to_owned(), source: error }
        }
        other => Error::Archive { source_name: source.to_owned(), reason: other.to_string() },
    }
}

impl<R: Read + Seek> Archive<R> {
    fn has(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    /// What an array of the archive is called in messages.
    fn inner(&self, name: &str) -> String {
        format!("{}, array {name}", self.source)
    }

    fn array(&mut self, name: &str) -> Result<Array> {
        if !self.has(name) {
            let (source_name, wanted, present) = (self.source.clone(), name.to_owned(), self.names.clone());
            return Err(Error::NoArray { source_name, wanted, present });
        }
        let (inner, source) = (self.inner(name), &self.source);
        let entry = match self.zip.index_for_name(&format!("{name}.npy")) {
            Some(_) => format!("{name}.npy"),
            None => name.to_owned(),
        };
        let mut file = self.zip.by_name(&entry).map_err(|error| damaged(source, error))?;
        npy::read_array(&inner, &mut file)
    }

    /// A matrix of the archive: where it is, if it is stored as it is in a file, and read into memory otherwise.
    fn matrix(
        &mut self,
        name: &str,
        path: &Path,
        options: &ReadOptions,
        notices: &mut Vec<String>,
    ) -> Result<Features> {
        let inner = self.inner(name);
        if let Some(start) = self.start(name)
            && let Ok(file) = File::open(path)
        {
            return npy::matrix_at(path, &file, (&inner, start), options, notices);
        }
        let size = self.size(name);
        if options.is_too_large(Some(size)) {
            let what = format!("the numbers of the compressed array {name}");
            let (need, limit) = (size as u64, options.memory.unwrap_or(0) as u64);
            return Err(Error::OverLimit { source_name: self.source.clone(), what, need, limit });
        }
        let array = self.array(name)?;
        arrays::matrix(&inner, array, notices)
    }

    /// Where in the file an array begins that is not compressed.
    fn start(&mut self, name: &str) -> Option<u64> {
        let entry = self.zip.by_name(&format!("{name}.npy")).ok()?;
        if entry.compression() == CompressionMethod::Stored { entry.data_start() } else { None }
    }

    /// Bytes of an array once it is unpacked.
    fn size(&mut self, name: &str) -> usize {
        self.zip.by_name(&format!("{name}.npy")).map_or(0, |entry| usize::try_from(entry.size()).unwrap_or(usize::MAX))
    }

    /// A vector of the archive, or in a file of its own; `None` where a column of the matrix is meant.
    fn vector(&mut self, wanted: Option<&str>, path: &Path, columns: usize, sparse: bool) -> Result<Option<Vector>> {
        let Some(name) = wanted else { return Ok(None) };
        if self.has(name) && !sparse {
            return Ok(Some(Vector::new(name, self.array(name)?)));
        }
        if let Some(vector) = arrays::vector_file(path, name)? {
            return Ok(Some(vector));
        }
        let number: Option<usize> = name.trim().trim_start_matches('V').parse().ok();
        if number.is_some_and(|number| (1..=columns).contains(&number)) {
            return Ok(None);
        }
        let (source_name, wanted, present) = (self.source.clone(), name.to_owned(), self.names.clone());
        Err(Error::NoArray { source_name, wanted, present })
    }

    fn numbers(&mut self, name: &str) -> Result<Vec<f64>> {
        match self.array(name)?.entries {
            Entries::F64(values) => Ok(values),
            Entries::F32(values) => Ok(values.into_iter().map(f64::from).collect()),
            Entries::Text(_) => Err(Error::Dtype { source_name: self.inner(name), dtype: "text".to_owned() }),
        }
    }

    /// Whole numbers from 0 to `most`.
    fn counts(&mut self, name: &str, most: usize) -> Result<Vec<usize>> {
        let values = self.numbers(name)?;
        let count = |value: f64| {
            let whole = value >= 0.0 && value.fract() == 0.0 && value <= most as f64;
            let reason = || format!("{name} holds {value}, which is not a whole number from 0 to {most}");
            if whole { Ok(value as usize) } else { Err(self.inconsistent(reason())) }
        };
        values.into_iter().map(count).collect()
    }

    fn inconsistent(&self, reason: String) -> Error {
        Error::SparseMatrix { source_name: self.source.clone(), reason }
    }

    fn sparse(&mut self, options: &ReadOptions, notices: &mut Vec<String>) -> Result<Features> {
        if self.has("format") {
            let format = match self.array("format")?.entries {
                Entries::Text(texts) => texts.into_iter().next().unwrap_or_default(),
                _ => String::new(),
            };
            if format != "csr" {
                return Err(self.inconsistent(format!("its format is {format:?}, only \"csr\" can be read")));
            }
        }
        let shape = self.counts("shape", u32::MAX as usize)?;
        let (rows, columns) = arrays::sides(&self.source, &shape)?;
        let mut values = self.numbers("data")?;
        let known = options.schema.as_ref().map(Schema::width).or(options.columns);
        let most = if known == Some(columns) { MOST_COLUMNS } else { believed_columns(values.len()) };
        if columns > most {
            return Err(too_many(Place::file(&self.source), columns, values.len(), most));
        }
        let row_starts = self.counts("indptr", values.len())?;
        let rising = row_starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if row_starts.len() != rows + 1 || row_starts[0] != 0 || row_starts[rows] != values.len() || !rising {
            return Err(self.inconsistent(format!("indptr does not describe {rows} rows of {} entries", values.len())));
        }
        let mut columns_of: Vec<u32> =
            self.counts("indices", columns - 1)?.into_iter().map(|column| column as u32).collect();
        if columns_of.len() != values.len() {
            return Err(self.inconsistent(format!("{} indices for {} entries", columns_of.len(), values.len())));
        }
        let mut sorted = 0;
        for row in 0..rows {
            let range = row_starts[row]..row_starts[row + 1];
            if columns_of[range.clone()].windows(2).all(|pair| pair[0] < pair[1]) {
                continue;
            }
            let mut pairs: Vec<(u32, f64)> =
                columns_of[range.clone()].iter().copied().zip(values[range.clone()].iter().copied()).collect();
            pairs.sort_by_key(|(column, _)| *column);
            if let Some(pair) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(self.inconsistent(format!("row {} has column {} twice", row + 1, pair[0].0 + 1)));
            }
            for (entry, (column, value)) in range.zip(pairs) {
                (columns_of[entry], values[entry]) = (column, value);
            }
            sorted += 1;
        }
        if sorted > 0 {
            notices.push(format!("{}: the entries of {sorted} rows are sorted by column", self.source));
        }
        Ok(Features::Sparse { rows, columns, row_starts, columns_of, values })
    }
}
