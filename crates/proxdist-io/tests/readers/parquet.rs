//! Parquet files written by the `parquet` crate.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proxdist_io::{Error, Missing, Task, read_bytes};

use crate::common::{fails, options, rows};

/// Two row groups of two rows each; the second row misses `a`, the third misses `t`.
pub(crate) fn sample(compression: Compression) -> Vec<u8> {
    let message = "message m { optional double a; required int32 b; required int64 c; required boolean d; \
                   optional binary t (UTF8); required float e; required binary y (UTF8); }";
    let schema = Arc::new(parse_message_type(message).unwrap());
    let settings = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, settings).unwrap();
    for group in 0..2_i16 {
        let text = |words: &[&str]| words.iter().map(|word| ByteArray::from(*word)).collect::<Vec<_>>();
        let mut rows = writer.next_row_group().unwrap();
        let mut column = 0;
        while let Some(mut out) = rows.next_column().unwrap() {
            let base = f64::from(group) * 2.0;
            match column {
                0 => {
                    let (values, levels) =
                        if group == 0 { (vec![0.5], vec![1, 0]) } else { (vec![2.5, 3.5], vec![1, 1]) };
                    out.typed::<DoubleType>().write_batch(&values, Some(&levels), None).unwrap();
                }
                1 => {
                    let values = [i32::from(group) * 2, i32::from(group) * 2 + 1];
                    out.typed::<Int32Type>().write_batch(&values, None, None).unwrap();
                }
                2 => {
                    out.typed::<Int64Type>().write_batch(&[-7, 7], None, None).unwrap();
                }
                3 => {
                    out.typed::<BoolType>().write_batch(&[true, false], None, None).unwrap();
                }
                4 => {
                    let (values, levels) =
                        if group == 0 { (text(&["u", "v"]), vec![1, 1]) } else { (text(&["w"]), vec![0, 1]) };
                    out.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
                }
                5 => {
                    let values = [base as f32, 0.25];
                    out.typed::<FloatType>().write_batch(&values, None, None).unwrap();
                }
                _ => {
                    out.typed::<ByteArrayType>().write_batch(&text(&["yes", "no"]), None, None).unwrap();
                }
            }
            out.close().unwrap();
            column += 1;
        }
        rows.close().unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn numbers_booleans_and_texts_are_read() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(parquet::basic::GzipLevel::default()),
        Compression::LZ4_RAW,
    ] {
        let bytes = sample(compression);
        let options = options().target("y").task(Task::Classes);
        let table = read_bytes(&bytes, "t.parquet", &options.clone().missing(Missing::Drop)).unwrap();
        assert_eq!(table.names(), ["a", "b", "c", "d", "t=w", "e"]);
        assert_eq!(rows(&table), [[0.5, 0.0, -7.0, 1.0, 0.0, 0.0], [3.5, 3.0, 7.0, 0.0, 1.0, 0.25]]);
        assert_eq!((table.response.unwrap(), table.dropped), (vec![1.0, 0.0], vec![1, 2]));
        assert_eq!(table.classes.unwrap().positive_count, 1);
        let table = read_bytes(&bytes, "t.parquet", &options.missing(Missing::Mean)).unwrap();
        assert_eq!(table.names(), ["a", "b", "c", "d", "t=u", "t=v", "t=w", "e"]);
        assert_eq!(rows(&table)[1][0], 6.5 / 3.0);
        assert_eq!(rows(&table)[2][4..7], [1.0, 0.0, 0.0]);
    }
}

#[test]
fn nulls_are_errors_with_a_row() {
    let error = fails(&sample(Compression::SNAPPY), "t.parquet", &options().ignore(["t", "y"]));
    assert_eq!(error.to_string(), "t.parquet, row 2, column 1 (a): the value is missing (\"null\")");
}

#[test]
fn a_schema_from_a_text_file_fits() {
    let train = crate::common::csv("t,b,a\nu,1,2\nv,2,1\nw,3,1\n", &options().missing(Missing::Mean));
    let options = options().schema(train.schema).missing(Missing::Mean);
    let table = read_bytes(&sample(Compression::SNAPPY), "t.parquet", &options).unwrap();
    assert_eq!(table.names(), ["t=u", "t=v", "t=w", "b", "a"]);
    assert_eq!(rows(&table)[1], [0.0, 1.0, 0.0, 1.0, 4.0 / 3.0]);
    assert_eq!(rows(&table)[3], [0.0, 0.0, 1.0, 3.0, 3.5]);
}

#[test]
fn other_types_are_refused_unless_ignored() {
    let write = |message: &str| {
        let schema = Arc::new(parse_message_type(message).unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let mut rows = writer.next_row_group().unwrap();
        while let Some(mut out) = rows.next_column().unwrap() {
            out.typed::<Int64Type>().write_batch(&[150, 2], None, None).unwrap();
            out.close().unwrap();
        }
        rows.close().unwrap();
        writer.into_inner().unwrap()
    };
    let bytes = write("message m { required int64 when (TIMESTAMP(MILLIS,true)); required int64 x; }");
    let error = fails(&bytes, "t.parquet", &options());
    assert!(error.to_string().starts_with("t.parquet, column 1 (when): columns of type timestamp"), "{error}");
    assert_eq!(read_bytes(&bytes, "t.parquet", &options().ignore(["when"])).unwrap().names(), ["x"]);
    let bytes = write("message m { required int64 price (DECIMAL(10,2)); }");
    assert_eq!(rows(&read_bytes(&bytes, "t.parquet", &options()).unwrap()), [[1.5], [0.02]]);
}

#[test]
fn damaged_files_are_errors() {
    let bytes = sample(Compression::SNAPPY);
    let error = fails(&bytes[..bytes.len() / 2], "t.parquet", &options());
    assert!(matches!(error, Error::Parquet { .. }), "{error}");
}
