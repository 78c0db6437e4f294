//! Helpers of the tests: real data, and files made by hand.

use std::io::Write;
use std::path::PathBuf;

use proxdist_io::{Error, ReadOptions, Table, read_bytes};

/// A file of the shared data sets; `None` where they are not there, which on CI is a failure.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PROXDIST_DATA").map_or_else(|| PathBuf::from(default), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
    println!("skipped: no data");
    None
}

pub(crate) fn options() -> ReadOptions {
    ReadOptions::new()
}

pub(crate) fn csv(text: &str, options: &ReadOptions) -> Table {
    read_bytes(text.as_bytes(), "t.csv", options).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn fails(bytes: &[u8], name: &str, options: &ReadOptions) -> Error {
    match read_bytes(bytes, name, options) {
        Err(error) => error,
        Ok(table) => panic!("read {:?}", table.names()),
    }
}

pub(crate) fn rows(table: &Table) -> Vec<Vec<f64>> {
    (0..table.features.rows()).map(|row| table.features.row(row)).collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An `.npy` file with the given type, order and shape.
pub(crate) fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let before = if version == 1 { 10 } else { 12 };
    while (before + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub(crate) fn le(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(crate) fn npz(arrays: &[(&str, Vec<u8>)], deflate: bool) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let method = if deflate { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let settings = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in arrays {
        writer.start_file(format!("{name}.npy"), settings).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
