//! From arrays to a table: a matrix, and vectors that stand beside it or are columns of it.
//!
//! Where the matrix is used whole it is handed on as it is, mapped or not. Where columns are picked out of it, or
//! missing values are dropped or filled in, its rows take the same way as those of a text file.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::collect::{At, Collector};
use crate::encode;
use crate::error::{Error, Place, Result};
use crate::labels::Labels;
use crate::layout::{Kind, Layout, Role, numbered_names};
use crate::npy::{self, Array, Entries};
use crate::options::{Missing, ReadOptions, Task};
use crate::schema::Schema;
use crate::table::{Features, Table};

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

/// A vector beside the matrix and the name it is known by.
#[derive(Debug)]
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) array: Array,
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
    if !name.to_lowercase().ends_with(".npy") {
        return Ok(None);
    }
    let sibling = matrix.parent().map(|folder| folder.join(name));
    let direct = Path::new(name).to_path_buf();
    let path = if direct.exists() { direct } else { sibling.filter(|path| path.exists()).unwrap_or(direct) };
    let file = File::open(&path).map_err(|error| crate::open_error(&path, error))?;
    let array = npy::read_array(&path.display().to_string(), &mut BufReader::new(file))?;
    Ok(Some(Vector { name: name.to_owned(), array }))
}

impl Vector {
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

/// Puts the table together.
pub(crate) fn table(
    source: &str,
    features: Features,
    beside: Beside,
    options: &ReadOptions,
    mut notices: Vec<String>,
) -> Result<Table> {
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
        let reason = format!("{source} holds a sparse matrix; target, weights and offset must be .npy files beside it");
        return Err(Error::Setting { setting: "columns", reason });
    }
    let gap = gap(&features).or_else(|| {
        let vectors = [&beside.target, &beside.weights, &beside.offset];
        vectors.into_iter().flatten().find_map(|vector| {
            let row = (0..rows).find(|&row| vector.value(row).is_some_and(|value| !value.is_finite()))?;
            Some((row, usize::MAX, vector.value(row)?))
        })
    });
    if !whole || (gap.is_some() && options.missing != Missing::Error && !sparse) {
        if matches!(features, Features::MappedF64(_) | Features::MappedF32(_)) {
            notices.push(format!("{source}: the matrix is copied because columns or rows of it are picked out"));
        }
        return picked(source, &features, beside, options, notices);
    }
    if let Some((row, column, value)) = gap.filter(|(_, column, _)| *column != usize::MAX) {
        let place = Place::file(source).row(row as u64 + 1).column(column, &format!("V{}", column + 1));
        let (place, text) = (place.boxed(), value.to_string());
        return Err(if sparse { Error::SparseNotFinite { place, text } } else { Error::NotFinite { place, text } });
    }
    let mut schema = options.schema.clone().unwrap_or_else(|| Schema::numbered(columns));
    let (mut response, mut classes) = (None, None);
    if let Some(vector) = &beside.target {
        let place = Place::file(&vector.name);
        if options.task == Task::Classes {
            let (values, found) = labels(vector, rows, &place, options)?;
            notices.push(found.notice());
            if options.schema.is_none() {
                schema.labels = Some([found.negative.clone(), found.positive.clone()]);
                schema.one_against_rest = options.one_against_rest;
            }
            (response, classes) = (Some(values), Some(found));
        } else {
            response = Some(finite(vector, rows, false)?);
        }
        if options.schema.is_none() {
            schema.target = Some(vector.name.clone());
        }
    }
    let weights = beside.weights.as_ref().map(|vector| finite(vector, rows, true)).transpose()?;
    let offset = beside.offset.as_ref().map(|vector| finite(vector, rows, false)).transpose()?;
    Ok(Table { features, response, weights, offset, classes, schema, dropped: Vec::new(), notices })
}

/// The first entry that is not finite.
fn gap(features: &Features) -> Option<(usize, usize, f64)> {
    let columns = features.columns();
    let at = |index: usize, value: f64| (index / columns, index % columns, value);
    if let Some(values) = features.dense_f64() {
        let index = values.iter().position(|value| !value.is_finite())?;
        return Some(at(index, values[index]));
    }
    if let Some(values) = features.dense_f32() {
        let index = values.iter().position(|value| !value.is_finite())?;
        return Some(at(index, f64::from(values[index])));
    }
    let Features::Sparse { row_starts, columns_of, values, .. } = features else { return None };
    let index = values.iter().position(|value| !value.is_finite())?;
    let row = row_starts.partition_point(|&start| start <= index) - 1;
    Some((row, columns_of[index] as usize, values[index]))
}

fn finite(vector: &Vector, rows: usize, weight: bool) -> Result<Vec<f64>> {
    let place = |row: usize| Place::file(&vector.name).row(row as u64 + 1).boxed();
    let take = |row: usize| match vector.value(row) {
        Some(value) if value < 0.0 && weight => Err(Error::NegativeWeight { place: place(row), value }),
        Some(value) if value.is_finite() => Ok(value),
        Some(value) => Err(Error::NotFinite { place: place(row), text: value.to_string() }),
        None => Err(Error::NotANumber { place: place(row), text: crate::error::shortened(&vector.text(row)) }),
    };
    (0..rows).map(take).collect()
}

fn labels(vector: &Vector, rows: usize, place: &Place, options: &ReadOptions) -> Result<(Vec<f64>, crate::Classes)> {
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
    let classes = labels.finish(&mut response, place.clone(), options)?;
    Ok((response, classes))
}

/// Row by row, with the vectors beside the matrix as further columns.
fn picked(
    source: &str,
    features: &Features,
    beside: Beside,
    options: &ReadOptions,
    notices: Vec<String>,
) -> Result<Table> {
    let (rows, width) = (features.rows(), features.columns());
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
    let mut collector = Collector::new(source, layout, &options);
    collector.notices.extend(notices);
    collector.expect_rows(rows as u64);
    for row in 0..rows {
        let at = At::Row(row as u64 + 1);
        collector.begin_row();
        for (column, value) in features.row(row).into_iter().enumerate() {
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
            collector.field(width + position, text.as_bytes(), at)?;
        }
        collector.end_row()?;
    }
    encode::finish(collector)
}
