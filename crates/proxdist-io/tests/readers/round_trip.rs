//! What is written is what is read, bit for bit.

use proptest::prelude::*;
use proxdist_io::{Features, Table, read_bytes};

use crate::common::{gzip, le, npy, npz, options};

/// Any finite number, including subnormals and negative zero.
fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite())
}

/// Numbers as they occur: mostly short, some with every digit.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![finite(), (-1000_i32..1000).prop_map(f64::from), (0..2_i32).prop_map(f64::from), -1.0..1.0]
}

fn matrix() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1..6_usize, 1..30_usize)
        .prop_flat_map(|(columns, rows)| prop::collection::vec(prop::collection::vec(number(), columns), rows))
}

fn bits(rows: &[Vec<f64>]) -> Vec<u64> {
    rows.iter().flatten().map(|value| value.to_bits()).collect()
}

fn read_bits(table: &Table) -> Vec<u64> {
    table.features.dense_f64().unwrap().iter().map(|value| value.to_bits()).collect()
}

fn text(rows: &[Vec<f64>], delimiter: &str, end: &str, header: bool) -> String {
    let mut text = String::new();
    if header {
        let names: Vec<String> = (0..rows[0].len()).map(|column| format!("x{column}")).collect();
        text += &(names.join(delimiter) + end);
    }
    for row in rows {
        let fields: Vec<String> = row.iter().map(|value| format!("{value:?}")).collect();
        text += &(fields.join(delimiter) + end);
    }
    text
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

proptest! {
    #[test]
    fn delimited_numbers(
        rows in matrix(),
        delimiter in prop::sample::select(vec![",", ";", "\t", "|", " "]),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        header: bool,
        packed: bool,
    ) {
        let text = text(&rows, delimiter, end, header);
        let bytes = if packed { gzip(text.as_bytes()) } else { text.into_bytes() };
        let table = read_bytes(&bytes, "t.csv", &options()).unwrap();
        prop_assert_eq!(table.features.columns(), rows[0].len());
        prop_assert_eq!(read_bits(&table), bits(&rows));
    }

    #[test]
    fn quoted_texts(words in prop::collection::vec("[ -~\n\u{e4}\u{20ac}]{1,12}", 2..12)) {
        let mut text = "\"t\",\"x\"\n".to_owned();
        for word in &words {
            text += &format!("{},1\n", quoted(word));
        }
        let coding = proxdist_io::Coding::Full;
        let read = read_bytes(text.as_bytes(), "t.csv", &options().coding(coding).categorical(["t"]));
        let known = |word: &String| !["", "NA", "N/A", "?", "null", "NULL"].contains(&word.trim_ascii());
        prop_assume!(words.iter().all(known));
        let table = read.unwrap();
        for (row, word) in words.iter().enumerate() {
            let values = table.features.row(row);
            let column = values.iter().position(|value| *value == 1.0).unwrap();
            let level = &table.names()[column]["t=".len()..];
            // Blanks around a text do not count, and `3.0` is the category `3`.
            let same = level == word.trim_ascii() || level.parse::<f64>().ok() == word.trim_ascii().parse().ok();
            prop_assert!(same, "{level:?} {word:?}");
        }
    }

    #[test]
    fn svmlight(rows in matrix(), base in 0..2_u8) {
        let mut text = String::new();
        for row in &rows {
            text += "1.5";
            for (column, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                text += &format!(" {}:{value:?}", column + usize::from(base));
            }
            text += "\n";
        }
        let columns = rows[0].len();
        let table = read_bytes(text.as_bytes(), "t.svm", &options().columns(columns).index_base(base)).unwrap();
        for (index, row) in rows.iter().enumerate() {
            prop_assert_eq!(&table.features.row(index), row);
        }
        prop_assert!(table.response.unwrap().iter().all(|label| *label == 1.5));
    }

    #[test]
    fn arrays(rows in matrix(), version in 1..=3_u8, archive: bool, deflate: bool) {
        let flat: Vec<f64> = rows.iter().flatten().copied().collect();
        let array = npy(version, "<f8", false, &format!("({}, {})", rows.len(), rows[0].len()), &le(&flat));
        let table = if archive {
            read_bytes(&npz(&[("X", array)], deflate), "t.npz", &options()).unwrap()
        } else {
            read_bytes(&array, "t.npy", &options()).unwrap()
        };
        prop_assert_eq!(read_bits(&table), bits(&rows));
    }

    #[test]
    fn single_precision_arrays(values in prop::collection::vec(any::<u32>().prop_map(f32::from_bits), 1..40)) {
        prop_assume!(values.iter().all(|value| value.is_finite()));
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let table = read_bytes(&npy(1, "<f4", false, &format!("({}, 1)", values.len()), &data), "t.npy", &options());
        let Features::DenseF32 { values: found, .. } = table.unwrap().features else { panic!("f32 expected") };
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&found), bits(&values));
    }
}

#[cfg(feature = "parquet")]
mod columns {
    use std::sync::Arc;

    use parquet::data_type::DoubleType;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    proptest! {
        #[test]
        fn parquet(rows in matrix(), groups in 1..3_usize) {
            let columns: String = (0..rows[0].len()).map(|column| format!("required double x{column};")).collect();
            let schema = Arc::new(parse_message_type(&format!("message m {{ {columns} }}")).unwrap());
            let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
            for part in rows.chunks(rows.len().div_ceil(groups)) {
                let mut group = writer.next_row_group().unwrap();
                let mut column = 0;
                while let Some(mut out) = group.next_column().unwrap() {
                    let values: Vec<f64> = part.iter().map(|row| row[column]).collect();
                    out.typed::<DoubleType>().write_batch(&values, None, None).unwrap();
                    out.close().unwrap();
                    column += 1;
                }
                group.close().unwrap();
            }
            let table = read_bytes(&writer.into_inner().unwrap(), "t.parquet", &options()).unwrap();
            prop_assert_eq!(read_bits(&table), bits(&rows));
        }
    }
}
