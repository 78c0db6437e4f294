//! Writes the files of `make large`: a linear model with ten features that matter, as large as it is asked for.
//!
//! `large_files KIND PATH ROWS COLUMNS [PARTS]`, where KIND is `npy` (beside it `y.npy`), `target-last.npy` (the response is the last column),
//! `csv.gz`, `csv` or `parquet` (a folder of PARTS files). Row i is the same whatever the format.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Numbers from a counter, uniform on (-1, 1): any row can be made on its own.
fn uniform(counter: u64) -> f64 {
    let mut z = counter.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The features of a row, then its response.
fn row(index: u64, columns: usize, out: &mut Vec<f64>) {
    out.clear();
    let first = index * (columns as u64 + 1);
    out.extend((0..columns as u64).map(|column| uniform(first + column)));
    let signal: f64 = (1..=10).map(|k| k as f64 * 0.5 * out[(k * columns / 10 - 1).min(columns - 1)]).sum();
    out.push(signal + uniform(first + columns as u64));
}

fn numbers(out: &mut impl Write, values: &[f64]) -> io::Result<()> {
    values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
}

fn file(path: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(1 << 22, File::create(path)?))
}

fn arrays(path: &Path, rows: u64, columns: usize, is_inside: bool) -> io::Result<()> {
    let width = if is_inside { columns + 1 } else { columns };
    let (mut out, mut values) = (file(path)?, Vec::new());
    out.write_all(&proxdist_io::npy_header(&[rows as usize, width]))?;
    let mut y = file(&path.with_file_name("y.npy"))?;
    y.write_all(&proxdist_io::npy_header(&[rows as usize]))?;
    for index in 0..rows {
        row(index, columns, &mut values);
        numbers(&mut out, &values[..width])?;
        numbers(&mut y, &values[columns..])?;
    }
    y.flush()?;
    out.flush()
}

fn text(mut out: impl Write, rows: u64, columns: usize) -> io::Result<()> {
    let names: Vec<String> = (1..=columns).map(|column| format!("V{column}")).collect();
    writeln!(out, "{},y", names.join(","))?;
    let mut values = Vec::new();
    for index in 0..rows {
        row(index, columns, &mut values);
        let fields: Vec<String> = values.iter().map(f64::to_string).collect();
        writeln!(out, "{}", fields.join(","))?;
    }
    out.flush()
}

/// Rows of a row group.
#[cfg(feature = "parquet")]
const GROUP: u64 = 10_000;

#[cfg(feature = "parquet")]
fn parquet(folder: &Path, rows: u64, columns: usize, parts: u64) -> io::Result<()> {
    use ::parquet::data_type::DoubleType;
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    fs::create_dir_all(folder)?;
    let fields: Vec<String> = (1..=columns).map(|column| format!("required double V{column};")).collect();
    let fields = fields.join(" ");
    let schema =
        parse_message_type(&format!("message m {{ {fields} required double y; }}")).map_err(io::Error::other)?;
    let schema = std::sync::Arc::new(schema);
    let settings = std::sync::Arc::new(WriterProperties::builder().set_dictionary_enabled(false).build());
    for part in 0..parts {
        let out = file(&folder.join(format!("part-{part:03}.parquet")))?;
        let mut writer = SerializedFileWriter::new(out, schema.clone(), settings.clone()).map_err(io::Error::other)?;
        let (mut first, end) = (part * rows / parts, (part + 1) * rows / parts);
        while first < end {
            let last = end.min(first + GROUP);
            let mut by_column = vec![Vec::with_capacity((last - first) as usize); columns + 1];
            let mut values = Vec::new();
            for index in first..last {
                row(index, columns, &mut values);
                by_column.iter_mut().zip(&values).for_each(|(column, &value)| column.push(value));
            }
            let mut group = writer.next_row_group().map_err(io::Error::other)?;
            for column in &by_column {
                let mut out = group.next_column().map_err(io::Error::other)?.ok_or(io::ErrorKind::InvalidInput)?;
                out.typed::<DoubleType>().write_batch(column, None, None).map_err(io::Error::other)?;
                out.close().map_err(io::Error::other)?;
            }
            group.close().map_err(io::Error::other)?;
            first = last;
        }
        writer.close().map_err(io::Error::other)?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [kind, path, rows, columns, others @ ..] = &words[..] else {
        return Err(io::Error::other("KIND PATH ROWS COLUMNS [PARTS]"));
    };
    let count = |text: &String| text.parse::<u64>().map_err(io::Error::other);
    let (path, rows, columns) = (Path::new(path), count(rows)?, count(columns)? as usize);
    match kind.as_str() {
        "npy" => arrays(path, rows, columns, false),
        "target-last.npy" => arrays(path, rows, columns, true),
        "csv" => text(file(path)?, rows, columns),
        "csv.gz" => text(flate2::write::GzEncoder::new(file(path)?, flate2::Compression::fast()), rows, columns),
        #[cfg(feature = "parquet")]
        "parquet" => parquet(path, rows, columns, others.first().map_or(Ok(10), count)?),
        other => Err(io::Error::other(format!("{other} is none of npy, target-last.npy, csv, csv.gz, parquet"))),
    }
}
