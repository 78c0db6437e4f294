//! From arrays to a table: a matrix, and vectors that stand beside it or are columns of it.
//!
//! The matrix is handed on as it is, mapped, in memory or on the disk, and columns of it are picked by number. Only where missing values are dropped
//! or filled in, or numbers are codes of categories, its rows take the same way as those of a text file.

mod roles;
mod scan;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::collect::{At, Collector, known_part};
use crate::encode;
use crate::error::{Error, Place, Result};
use crate::labels::{Labels, Told};
use crate::layout::{Kind, Layout, Role, numbered_names};
use crate::npy::{self, Array, Entries};
use crate::options::{Missing, ReadOptions, Task};
use crate::outlet::Outlet;
use crate::schema::Schema;
use crate::table::{Features, Table};
use roles::Roles;
use scan::{Scan, each_block, scan};

/// Rows and columns of a matrix.
pub(crate) fn sides(source: &str, shape: &[usize]) -> Result<(usize, usize)> {
    match *shape {
        [0, _] => Err(Error::EmptyFile { source_name: source.to_owned() }),
        [_, 0] => Err(Error::NoFeatures { source_name: source.to_owned() }),
        [rows, columns] => Ok((rows, columns)),
        _ => Err(Error::Shape {
            source_name: source.to_owned(),
            found: format!("{shape:?}"),
            expected: "a matrix with one row per observation".to_owned(),
        }),
    }
}

/// A matrix of features.
pub(crate) fn matrix(source: &str, array: Array, notices: &mut Vec<String>) -> Result<Features> {
    let (rows, columns) = sides(source, &array.shape)?;
    if array.fortran {
        notices.push(format!("{source}: column-major order is converted to row-major, which takes a copy"));
    }
    match array.entries {
        Entries::F64(values) => Ok(Features::Dense { rows, columns, values }),
        Entries::F32(values) => Ok(Features::DenseF32 { rows, columns, values }),
        Entries::Text(_) => Err(Error::Dtype { source_name: source.to_owned(), dtype: "text".to_owned() }),
    }
}

/// A vector beside the matrix or a column of it, and the name it is known by.
#[derive(Debug)]
pub(crate) struct Vector {
    pub(crate) name: String,
    /// Where its entries are, for messages.
    place: Place,
    array: Array,
}

/// Vectors that are not columns of the matrix.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    pub(crate) target: Option<Vector>,
    pub(crate) weights: Option<Vector>,
    pub(crate) offset: Option<Vector>,
}

impl Beside {
    /// Opens those roles that are named by the path of an `.npy` file.
    pub(crate) fn files(matrix: &Path, options: &ReadOptions) -> Result<Self> {
        let open = |wanted: &Option<String>| wanted.as_deref().map_or(Ok(None), |name| vector_file(matrix, name));
        Ok(Self { target: open(&options.target)?, weights: open(&options.weights)?, offset: open(&options.offset)? })
    }
}

/// The vector in an `.npy` file, sought from the working directory, then beside the matrix.
pub(crate) fn vector_file(matrix: &Path, name: &str) -> Result<Option<Vector>> {
    let Some(path) = vector_path(matrix, name) else { return Ok(None) };
    let file = File::open(&path).map_err(|error| crate::open_error(&path, error))?;
    let array = npy::read_array(&path.display().to_string(), &mut BufReader::new(file))?;
    Ok(Some(Vector::new(name, array)))
}

/// Where that file is or would be, if the name is one of a file.
pub(crate) fn vector_path(matrix: &Path, name: &str) -> Option<PathBuf> {
    if !name.to_lowercase().ends_with(".npy") {
        return None;
    }
    let sibling = matrix.parent().map(|folder| folder.join(name));
    let direct = Path::new(name).to_path_buf();
    Some(if direct.exists() { direct } else { sibling.filter(|path| path.exists()).unwrap_or(direct) })
}

impl Vector {
    /// An array of its own.
    pub(crate) fn new(name: &str, array: Array) -> Self {
        Self { name: name.to_owned(), place: Place::file(name), array }
    }

    /// A column of a matrix.
    fn column(source: &str, column: usize, values: Vec<f64>) -> Self {
        let name = format!("V{}", column + 1);
        let place = Place::file(source).column(column, &name);
        Self { name, place, array: Array { shape: vec![values.len()], entries: Entries::F64(values), fortran: false } }
    }

    fn check_length(&self, rows: usize) -> Result<()> {
        let long = self.array.shape.iter().filter(|&&side| side != 1).count() <= 1;
        let length: usize = self.array.shape.iter().product();
        if long && length == rows && !self.array.shape.is_empty() {
            return Ok(());
        }
        let found = format!("{:?}", self.array.shape);
        Err(Error::Shape { source_name: self.name.clone(), found, expected: format!("a vector of length {rows}") })
    }

    fn value(&self, row: usize) -> Option<f64> {
        match &self.array.entries {
            Entries::F64(values) => Some(values[row]),
            Entries::F32(values) => Some(f64::from(values[row])),
            Entries::Text(_) => None,
        }
    }

    fn text(&self, row: usize) -> String {
        match &self.array.entries {
            Entries::Text(values) => values[row].trim().to_owned(),
            Entries::F64(values) => values[row].to_string(),
            Entries::F32(values) => values[row].to_string(),
        }
    }
}

/// A matrix on its way to a table.
pub(crate) struct Work<'o, 'v> {
    pub(crate) source: &'o str,
    pub(crate) options: &'o ReadOptions,
    pub(crate) outlet: Outlet<'v>,
    pub(crate) notices: Vec<String>,
}

impl Work<'_, '_> {
    /// Puts the table together.
    pub(crate) fn table(mut self, mut features: Features, mut beside: Beside) -> Result<Table> {
        let (source, options) = (self.source, self.options);
        let (rows, columns) = (features.rows(), features.columns());
        for vector in [&beside.target, &beside.weights, &beside.offset].into_iter().flatten() {
            vector.check_length(rows)?;
        }
        let plain = |schema: &Schema| schema.is_plain() && schema.width() == columns;
        let whole = options.ignore.is_empty()
            && options.categorical.is_empty()
            && (options.target.is_none() || beside.target.is_some())
            && (options.weights.is_none() || beside.weights.is_some())
            && (options.offset.is_none() || beside.offset.is_some())
            && options.schema.as_ref().is_none_or(plain);
        let sparse = features.is_sparse();
        if !whole && sparse {
            if let Some(schema) = options.schema.as_ref().filter(|schema| !plain(schema)) {
                let (source_name, expected) = (source.to_owned(), schema.width());
                return Err(Error::ColumnCount { source_name, found: columns, expected });
            }
            let reason =
                format!("{source} holds a sparse matrix; target, weights and offset must be .npy files beside it");
            return Err(Error::Setting { setting: "columns", reason });
        }
        let roles = if whole { Roles::of_whole(columns, options) } else { Roles::new(&self, columns, &beside)? };
        // Whoever reads rows from the disk looks at them then; a reading for that alone would take as long as half of a fit.
        let is_looked_at_later = whole && !sparse && options.missing == Missing::Error;
        let scanned = match &features {
            Features::Stored(_) if is_looked_at_later => Scan::none(),
            _ => scan(&features, &roles, &options.meter)?,
        };
        let gap = scanned.gap.or_else(|| {
            let vectors = [&beside.target, &beside.weights, &beside.offset];
            vectors.into_iter().flatten().find_map(|vector| {
                let row = (0..rows).find(|&row| vector.value(row).is_some_and(|value| !value.is_finite()))?;
                Some((row, usize::MAX, vector.value(row)?))
            })
        });
        let is_mended = options.missing != Missing::Error && gap.is_some() && !sparse;
        if is_mended || roles.has_codes || (!whole && options.missing.fills()) {
            return self.collected(&features, beside);
        }
        if let Some((row, column, value)) = gap.filter(|(_, column, _)| *column != usize::MAX) {
            let place = Place::file(source).row(row as u64 + 1).column(column, &format!("V{}", column + 1));
            let (place, text) = (place.boxed(), value.to_string());
            return Err(if sparse { Error::SparseNotFinite { place, text } } else { Error::NotFinite { place, text } });
        }
        let Roles { features: used, target, target_optional, weights, offset, schema, notices, .. } = roles;
        self.notices.extend(notices);
        let mut columns = scanned.columns.into_iter();
        let slots = [(target, &mut beside.target), (weights, &mut beside.weights), (offset, &mut beside.offset)];
        for (column, slot) in slots {
            if let (Some(column), Some(values)) = (column, column.and_then(|_| columns.next())) {
                let is_absent =
                    Some(column) == target && target_optional && values.iter().any(|value| !value.is_finite());
                if is_absent {
                    self.notices.push("the target has missing values and is not used".to_owned());
                } else {
                    *slot = Some(Vector::column(source, column, values));
                }
            }
        }
        if let Some(used) = used {
            features = features.narrowed(used);
        }
        if let Features::Stored(stored) = &mut features {
            stored.largest = Some(scanned.largest).filter(|largest| largest.is_finite());
        }
        self.together(features, &beside, schema)
    }

    /// A table of features that are all finite.
    fn together(mut self, features: Features, beside: &Beside, mut schema: Schema) -> Result<Table> {
        let (rows, options) = (features.rows(), self.options);
        let (mut response, mut classes) = (None, None);
        if let Some(vector) = &beside.target {
            if options.task == Task::Classes {
                let (values, found) = labels(vector, rows, options)?;
                self.notices.push(found.notice());
                (response, classes) = (Some(values), found.noted(&mut schema, options));
            } else {
                response = Some(finite(vector, rows, Entry::Number)?);
            }
            if options.schema.is_none() {
                schema.target = Some(vector.name.clone());
            }
        }
        let weights = beside.weights.as_ref().map(|vector| finite(vector, rows, Entry::Weight)).transpose()?;
        let known = if options.is_exposure() { Entry::Exposure } else { Entry::Number };
        let offset = beside.offset.as_ref().map(|vector| finite(vector, rows, known)).transpose()?;
        let (dropped, notices) = (Vec::new(), self.notices);
        Ok(Table { features, response, weights, offset, classes, schema, dropped, notices, echoed: Vec::new() })
    }
}

/// What the entries of a vector beside the features are.
#[derive(Clone, Copy, PartialEq)]
enum Entry {
    Number,
    Weight,
    /// Becomes its logarithm.
    Exposure,
}

fn finite(vector: &Vector, rows: usize, entry: Entry) -> Result<Vec<f64>> {
    let place = |row: usize| vector.place.clone().row(row as u64 + 1).boxed();
    let take = |row: usize| match vector.value(row) {
        Some(value) if value < 0.0 && entry == Entry::Weight => Err(Error::NegativeWeight { place: place(row), value }),
        Some(value) if value.is_finite() && entry == Entry::Exposure => {
            known_part(value).ok_or_else(|| Error::Exposure { place: place(row), value })
        }
        Some(value) if value.is_finite() => Ok(value),
        Some(value) => Err(Error::NotFinite { place: place(row), text: value.to_string() }),
        None => Err(Error::NotANumber { place: place(row), text: crate::error::shortened(&vector.text(row)) }),
    };
    (0..rows).map(take).collect()
}

fn labels(vector: &Vector, rows: usize, options: &ReadOptions) -> Result<(Vec<f64>, Told)> {
    let place = &vector.place;
    let mut labels = Labels::default();
    let mut response = Vec::with_capacity(rows);
    for row in 0..rows {
        if let Some(value) = vector.value(row).filter(|value| !value.is_finite()) {
            let place = place.clone().row(row as u64 + 1).boxed();
            return Err(Error::NotFinite { place, text: value.to_string() });
        }
        let Some(code) = labels.code(&vector.text(row)) else { return Err(labels.too_many(place.clone())) };
        labels.count(code);
        response.push(code as f64);
    }
    let told = labels.told(&mut response, place.clone(), options)?;
    Ok((response, told))
}

impl Work<'_, '_> {
    /// Row by row, with the vectors beside the matrix as further columns.
    fn collected(self, features: &Features, beside: Beside) -> Result<Table> {
        let width = features.columns();
        let Self { source, options, outlet, notices } = self;
        let mut options = options.written_out(source, width)?.into_owned();
        let mut names = numbered_names(width);
        let mut extra = Vec::new();
        let vectors = [
            (beside.target, &mut options.target),
            (beside.weights, &mut options.weights),
            (beside.offset, &mut options.offset),
        ];
        for (vector, setting) in vectors {
            if let Some(vector) = vector {
                *setting = Some(vector.name.clone());
                names.push(vector.name.clone());
                extra.push(vector);
            }
        }
        let kinds = vec![Kind::Number; names.len()];
        let layout = Layout::new(source, names, false, &kinds, &options)?;
        let mut collector = Collector::new(source, layout, &options, outlet);
        collector.notices.extend(notices);
        if matches!(features, Features::MappedF64(_) | Features::MappedF32(_)) {
            let said = format!("{source}: the matrix is copied because gaps are filled or rows are left out");
            collector.notices.push(said);
        }
        collector.expect_rows(features.rows() as u64);
        let mut outcome = Ok(());
        each_block(features, &options.meter, &mut |first, values| {
            for (at, row) in values.chunks_exact(width).enumerate() {
                if outcome.is_ok() {
                    outcome = take_row(&mut collector, first + at, row, &extra);
                }
            }
        })?;
        outcome?;
        encode::finish(collector)
    }
}

fn take_row(collector: &mut Collector<'_>, row: usize, values: &[f64], extra: &[Vector]) -> Result<()> {
    let at = At::Row(row as u64 + 1);
    collector.begin_row();
    for (column, &value) in values.iter().enumerate() {
        match collector.layout.roles[column] {
            Role::Skip => {}
            Role::Number(slot) => {
                collector.row[slot] = collector.checked(column, value, at, || value.to_string())?;
            }
            _ => collector.field(column, value.to_string().as_bytes(), at)?,
        }
    }
    for (position, vector) in extra.iter().enumerate() {
        let text = vector.text(row);
        // A label called NaN is a gap in the data, not a class.
        let text = if vector.value(row).is_some_and(f64::is_nan) { "" } else { &text };
        collector.field(values.len() + position, text.as_bytes(), at)?;
    }
    collector.end_row()
}
