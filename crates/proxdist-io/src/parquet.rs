//! Parquet: numbers, booleans and text in flat columns; a null is a missing value.
//!
//! Columns are decoded one at a time, row group by row group, and scattered into the row-major matrix. How many rows a
//! group has is learnt by decoding, not believed from the footer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::{ConvertedType as Old, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};

use crate::collect::Collector;
use crate::columns::{Cell, Group, Sink};
use crate::encode;
use crate::error::{Error, Place, Result};
use crate::layout::{Kind, Layout, Role, same_columns};
use crate::options::ReadOptions;
use crate::outlet::Outlet;
use crate::table::Table;

/// Records decoded at a time.
const BATCH: usize = 8192;
/// Bytes of a row group that are never too many.
const SMALL_GROUP: u64 = 64 << 20;

/// Reads Parquet files, one or several of the same columns.
pub(crate) struct Reader<'a> {
    collector: Collector<'a>,
    /// Columns that are not left out.
    used: Vec<usize>,
    kinds: Vec<Kind>,
    /// Name of the first file.
    first: String,
}

/// The decoder checks much but not everything in a damaged file; no panic of it may reach the caller.
fn guarded<T>(source: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(damaged(source, "its pages contradict its footer")))
}

fn damaged(source: &str, reason: &(impl ToString + ?Sized)) -> Error {
    Error::Parquet { source_name: source.to_owned(), reason: reason.to_string() }
}

/// A file and what its footer says of its columns.
struct Opened<R: ChunkReader> {
    reader: SerializedFileReader<R>,
    names: Vec<String>,
    kinds: Vec<Kind>,
}

impl<R: ChunkReader + 'static> Opened<R> {
    fn new(source: &str, data: R) -> Result<Self> {
        let reader = SerializedFileReader::new(data).map_err(|error| damaged(source, &error))?;
        let descriptors = reader.metadata().file_metadata().schema_descr().columns();
        let names = descriptors.iter().map(|column| column.path().string()).collect();
        let kinds = descriptors.iter().map(|column| kind(column)).collect();
        Ok(Self { reader, names, kinds })
    }

    fn descriptors(&self) -> &[ColumnDescPtr] {
        self.reader.metadata().file_metadata().schema_descr().columns()
    }
}

impl<'a> Reader<'a> {
    /// Reads the first file.
    pub(crate) fn begin<R: ChunkReader + 'static>(
        source: &str,
        data: R,
        options: &ReadOptions,
        outlet: Outlet<'a>,
    ) -> Result<Self> {
        guarded(source, || {
            let opened = Opened::new(source, data)?;
            let options = &*options.written_out(source, opened.names.len())?;
            if opened.reader.metadata().file_metadata().num_rows() == 0 {
                return Err(Error::HeaderOnly { source_name: source.to_owned(), columns: opened.names.len() });
            }
            let layout = Layout::new(source, opened.names.clone(), true, &opened.kinds, options)?;
            let used: Vec<usize> =
                (0..opened.kinds.len()).filter(|&column| layout.roles[column] != Role::Skip).collect();
            for &column in &used {
                if let Some(kind) = unsupported(&opened.descriptors()[column]) {
                    let place = Place::file(source).column(column, &layout.names[column]).boxed();
                    return Err(Error::ColumnType { place, kind });
                }
            }
            let (collector, kinds) = (Collector::new(source, layout, options, outlet), opened.kinds.clone());
            let mut reader = Self { collector, used, kinds, first: source.to_owned() };
            reader.groups(source, &opened)?;
            Ok(reader)
        })
    }

    /// Reads another file of the same data set, which must have the same columns of the same types.
    pub(crate) fn append<R: ChunkReader + 'static>(&mut self, source: &str, data: R) -> Result<()> {
        guarded(source, || {
            let opened = Opened::new(source, data)?;
            same_columns(source, &opened.names, &self.first, &self.collector.layout.names)?;
            for &column in &self.used {
                let place = || Place::file(source).column(column, &opened.names[column]).boxed();
                if let Some(kind) = unsupported(&opened.descriptors()[column]) {
                    return Err(Error::ColumnType { place: place(), kind });
                }
                let said = |kind: Kind| if kind == Kind::Text { "text" } else { "numbers" };
                if opened.kinds[column] != self.kinds[column] {
                    let (found, expected) = (said(opened.kinds[column]), said(self.kinds[column]));
                    return Err(Error::DifferentTypes { place: place(), found, first: self.first.clone(), expected });
                }
            }
            self.collector.next_file(source);
            self.groups(source, &opened)
        })
    }

    fn groups<R: ChunkReader + 'static>(&mut self, source: &str, opened: &Opened<R>) -> Result<()> {
        for group in 0..opened.reader.num_row_groups() {
            let group = opened.reader.get_row_group(group).map_err(|error| damaged(source, &error))?;
            self.check_size(source, &*group)?;
            row_group(&mut self.collector, &*group, &self.used)?;
            self.collector.options.meter.count(group.metadata().compressed_size().max(0) as u64)?;
            self.collector.relieve()?;
        }
        Ok(())
    }

    /// Refuses a row group that alone is more than the memory: it is decoded column by column, so all of its rows are held.
    fn check_size(&self, source: &str, group: &dyn RowGroupReader) -> Result<()> {
        let Some(limit) = self.collector.options.memory else { return Ok(()) };
        let rows = group.metadata().num_rows().max(0) as u64;
        let need = rows.saturating_mul(8 * self.used.len() as u64);
        if need <= (limit as u64).max(SMALL_GROUP) {
            return Ok(());
        }
        let what = format!("the {rows} rows of a row group");
        Err(Error::OverLimit { source_name: source.to_owned(), what, need, limit: limit as u64 })
    }

    /// All rows of all files.
    pub(crate) fn finish(self) -> Result<Table> {
        encode::finish(self.collector)
    }
}

fn kind(column: &ColumnDescriptor) -> Kind {
    match column.physical_type() {
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => Kind::Text,
        _ => Kind::Number,
    }
}

/// The type of a column that cannot be used, in words.
fn unsupported(column: &ColumnDescriptor) -> Option<String> {
    if column.max_rep_level() > 0 || column.path().parts().len() > 1 {
        return Some("list or struct".to_owned());
    }
    let physical = column.physical_type();
    match column.logical_type_ref() {
        None | Some(LogicalType::Integer(_) | LogicalType::String | LogicalType::Enum | LogicalType::Unknown) => {}
        Some(LogicalType::Decimal(_)) if matches!(physical, Type::INT32 | Type::INT64) => {}
        Some(other) => {
            let words = format!("{other:?}");
            return Some(words.split('(').next().unwrap_or_default().to_lowercase());
        }
    }
    if matches!(
        column.converted_type(),
        Old::DATE | Old::TIME_MILLIS | Old::TIME_MICROS | Old::TIMESTAMP_MILLIS | Old::TIMESTAMP_MICROS | Old::INTERVAL
    ) {
        return Some(column.converted_type().to_string().to_lowercase());
    }
    matches!(physical, Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY).then(|| physical.to_string().to_lowercase())
}

/// Decodes one row group and appends its rows.
fn row_group(collector: &mut Collector<'_>, group: &dyn RowGroupReader, used: &[usize]) -> Result<()> {
    let source = collector.source.clone();
    let mut rows = Group::begin(collector);
    for &column in used {
        let descriptor = group.metadata().column(column).column_descr_ptr();
        if !rows.column(collector, column, |sink| decode(&source, group, column, &descriptor, sink))? {
            return Err(damaged(&source, "its columns differ in length"));
        }
    }
    rows.finish(collector);
    Ok(())
}

fn decode(
    source: &str,
    group: &dyn RowGroupReader,
    column: usize,
    descriptor: &ColumnDescriptor,
    sink: &mut Sink<'_, '_>,
) -> Result<()> {
    let reader = group.get_column_reader(column).map_err(|error| damaged(source, &error))?;
    let levels = descriptor.max_def_level();
    let scale = match descriptor.logical_type_ref() {
        Some(LogicalType::Decimal(decimal)) => 10_f64.powi(decimal.scale),
        _ => 1.0,
    };
    let unsigned = matches!(descriptor.logical_type_ref(), Some(LogicalType::Integer(kind)) if !kind.is_signed);
    match reader {
        ColumnReader::BoolColumnReader(reader) => batches(source, reader, levels, sink, |value| Cell::Flag(*value)),
        ColumnReader::Int32ColumnReader(reader) if unsigned => {
            batches(source, reader, levels, sink, |value| Cell::Number(f64::from(value.cast_unsigned())))
        }
        ColumnReader::Int32ColumnReader(reader) => {
            batches(source, reader, levels, sink, |value| Cell::Number(f64::from(*value) / scale))
        }
        ColumnReader::Int64ColumnReader(reader) if unsigned => {
            batches(source, reader, levels, sink, |value| Cell::Number(value.cast_unsigned() as f64))
        }
        ColumnReader::Int64ColumnReader(reader) => {
            batches(source, reader, levels, sink, |value| Cell::Number(*value as f64 / scale))
        }
        ColumnReader::FloatColumnReader(reader) => {
            batches(source, reader, levels, sink, |value| Cell::Number(f64::from(*value)))
        }
        ColumnReader::DoubleColumnReader(reader) => batches(source, reader, levels, sink, |value| Cell::Number(*value)),
        ColumnReader::ByteArrayColumnReader(reader) => {
            batches(source, reader, levels, sink, |value| Cell::text(value.data()))
        }
        _ => Err(damaged(source, "a column has another type than the footer says")),
    }
}

fn batches<T: DataType>(
    source: &str,
    mut reader: ColumnReaderImpl<T>,
    defined: i16,
    sink: &mut Sink<'_, '_>,
    cell: impl for<'v> Fn(&'v T::T) -> Cell<'v>,
) -> Result<()> {
    let (mut values, mut levels) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
    loop {
        values.clear();
        levels.clear();
        let (records, _, _) = reader
            .read_records(BATCH, (defined > 0).then_some(&mut levels), None, &mut values)
            .map_err(|error| damaged(source, &error))?;
        if records == 0 {
            return Ok(());
        }
        if defined == 0 {
            values.iter().try_for_each(|value| sink.take(&cell(value)).map(|_| ()))?;
            continue;
        }
        let mut present = values.iter();
        for &level in &levels {
            let next = if level == defined { present.next() } else { None };
            sink.take(&next.map_or(Cell::Null, &cell))?;
        }
    }
}
