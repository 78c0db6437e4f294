//! NumPy arrays and archives.

use std::fs;
use std::path::PathBuf;

use proxdist_io::{Error, Features, Missing, Task, read_bytes};
use tempfile::TempDir;

use crate::common::{fails, gzip, le, npy, npz, options, rows};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn put(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

const SIX: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.5];

fn six() -> Vec<u8> {
    npy(1, "<f8", false, "(3, 2)", &le(&SIX))
}

#[test]
fn native_matrices_are_mapped() {
    let folder = folder();
    for version in 1..=3 {
        let path = put(&folder, "x.npy", &npy(version, "<f8", false, "(3, 2)", &le(&SIX)));
        let table = options().read(&path).unwrap();
        assert!(matches!(table.features, Features::MappedF64(_)));
        assert_eq!(table.features.dense_f64().unwrap(), SIX);
        assert_eq!(table.names(), ["V1", "V2"]);
    }
    let single: Vec<u8> = SIX.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect();
    let table = options().read(put(&folder, "f.npy", &npy(1, "<f4", false, "(2, 3)", &single))).unwrap();
    assert!(matches!(table.features, Features::MappedF32(_)));
    assert_eq!(table.features.row(1), [4.0, 5.0, 6.5]);
}

#[test]
fn misaligned_data_are_copied() {
    let folder = folder();
    let dictionary = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), } \n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((dictionary.len() as u16).to_le_bytes());
    bytes.extend(dictionary);
    assert_ne!(bytes.len() % 8, 0);
    bytes.extend(le(&SIX));
    let table = options().read(put(&folder, "x.npy", &bytes)).unwrap();
    assert!(matches!(table.features, Features::Dense { .. }));
    assert_eq!(table.features.dense_f64().unwrap(), SIX);
    assert!(table.notices.iter().any(|notice| notice.contains("aligned")));
}

#[test]
fn all_number_types_and_orders_are_converted() {
    let big: Vec<u8> = SIX.iter().flat_map(|value| value.to_be_bytes()).collect();
    let bytes = |values: &[i16]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let cases: [(&str, bool, Vec<u8>, [f64; 6]); 7] = [
        ("<f8", true, le(&[1.0, 3.0, 5.0, 2.0, 4.0, 6.5]), SIX),
        (">f8", false, big, SIX),
        ("<i2", false, bytes(&[-1, 2, -300, 4, 5, 6]), [-1.0, 2.0, -300.0, 4.0, 5.0, 6.0]),
        ("|i1", false, vec![255, 2, 128, 4, 5, 6], [-1.0, 2.0, -128.0, 4.0, 5.0, 6.0]),
        ("|u1", false, vec![255, 2, 128, 4, 5, 6], [255.0, 2.0, 128.0, 4.0, 5.0, 6.0]),
        ("|b1", false, vec![1, 0, 0, 1, 1, 0], [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]),
        ("<i8", false, (0..6_i64).flat_map(|v| (v - 3).to_le_bytes()).collect(), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0]),
    ];
    for (descr, fortran, data, expected) in cases {
        let table = read_bytes(&npy(1, descr, fortran, "(3, 2)", &data), "x.npy", &options()).unwrap();
        assert_eq!(table.features.dense_f64().unwrap(), expected, "{descr}");
        assert_eq!(table.notices.iter().any(|notice| notice.contains("column-major")), fortran);
    }
}

#[test]
fn the_target_is_another_file_or_a_column() {
    let folder = folder();
    let path = put(&folder, "x.npy", &six());
    put(&folder, "y.npy", &npy(1, "|i1", false, "(3,)", &[1, 255, 1]));
    let labels: Vec<u8> = ["no", "yes", "no"]
        .iter()
        .flat_map(|word| {
            let mut units: Vec<u32> = word.chars().map(u32::from).collect();
            units.resize(3, 0);
            units.into_iter().flat_map(u32::to_le_bytes)
        })
        .collect();
    put(&folder, "names.npy", &npy(1, "<U3", false, "(3, 1)", &labels));
    let table = options().target("y.npy").task(Task::Classes).read(&path).unwrap();
    assert!(matches!(table.features, Features::MappedF64(_)));
    assert_eq!(table.response.unwrap(), [1.0, 0.0, 1.0]);
    let table = options().target("names.npy").task(Task::Classes).read(&path).unwrap();
    assert_eq!((table.response.unwrap(), table.classes.unwrap().positive.as_str()), (vec![0.0, 1.0, 0.0], "yes"));
    for column in ["2", "V2"] {
        let table = options().target(column).read(&path).unwrap();
        assert_eq!(
            (rows(&table), table.response.unwrap()),
            (vec![vec![1.0], vec![3.0], vec![5.0]], vec![2.0, 4.0, 6.5])
        );
        assert_eq!(table.schema.target.as_deref(), Some("V2"));
    }
    put(&folder, "short.npy", &npy(1, "|i1", false, "(2,)", &[1, 2]));
    let error = options().target("short.npy").read(&path).unwrap_err();
    assert!(error.to_string().contains("a vector of length 3"), "{error}");
    let error = options().target("none.npy").read(&path).unwrap_err();
    assert!(matches!(error, Error::FileMissing { .. }), "{error}");
}

#[test]
fn gaps_in_arrays_are_errors_or_missing() {
    let bytes = npy(1, "<f8", false, "(3, 2)", &le(&[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0]));
    let error = fails(&bytes, "x.npy", &options());
    assert_eq!(error.to_string(), "x.npy, row 2, column 1 (V1): \"NaN\" is not a finite number");
    let table = read_bytes(&bytes, "x.npy", &options().missing(Missing::Drop)).unwrap();
    assert_eq!((rows(&table), table.dropped), (vec![vec![1.0, 2.0], vec![5.0, 6.0]], vec![1]));
    let table = read_bytes(&bytes, "x.npy", &options().missing(Missing::Mean)).unwrap();
    assert_eq!(rows(&table)[1], [3.0, 4.0]);
    let bytes = npy(1, "<f8", false, "(1, 2)", &le(&[1.0, f64::INFINITY]));
    assert!(matches!(fails(&bytes, "x.npy", &options().missing(Missing::Drop)), Error::NotFinite { .. }));
}

#[test]
fn archives_hold_features_target_weights_and_offset() {
    let vector = |values: &[f64]| npy(1, "<f8", false, "(3,)", &le(values));
    let arrays = [
        ("X", six()),
        ("y", vector(&[1.0, 2.0, 3.0])),
        ("weights", vector(&[1.0, 0.0, 2.0])),
        ("offset", vector(&[0.1, 0.2, 0.3])),
    ];
    for deflate in [false, true] {
        let bytes = npz(&arrays, deflate);
        let table = read_bytes(&bytes, "t.npz", &options().target("y")).unwrap();
        assert_eq!(table.features.dense_f64().unwrap(), SIX);
        assert_eq!(table.response.unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(table.weights.unwrap(), [1.0, 0.0, 2.0]);
        assert_eq!(table.offset.unwrap(), [0.1, 0.2, 0.3]);
        let again = read_bytes(&bytes, "t.npz", &options().schema(table.schema)).unwrap();
        assert_eq!(again.response.unwrap(), [1.0, 2.0, 3.0]);
        let folder = folder();
        assert_eq!(options().target("y").read(put(&folder, "t.npz", &bytes)).unwrap().features.rows(), 3);
    }
    let bytes = npz(&[("X", six()), ("y", vector(&[1.0, f64::NAN, 3.0]))], false);
    let table = read_bytes(&bytes, "t.npz", &options().target("y").missing(Missing::Drop)).unwrap();
    assert_eq!((table.features.rows(), table.response.unwrap()), (2, vec![1.0, 3.0]));
    let error = fails(&bytes, "t.npz", &options().target("z"));
    assert!(error.to_string().contains("no array \"z\"") && error.to_string().contains("\"y\""), "{error}");
    let bytes = npz(&[("X", six()), ("weights", vector(&[1.0, -1.0, 3.0]))], false);
    assert!(matches!(fails(&bytes, "t.npz", &options()), Error::NegativeWeight { .. }));
}

fn csr(indices: &[i32], indptr: &[i32]) -> Vec<u8> {
    let ints = |values: &[i32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let shape: Vec<u8> = [3_i64, 4].iter().flat_map(|side| side.to_le_bytes()).collect();
    npz(
        &[
            ("indices", npy(1, "<i4", false, &format!("({},)", indices.len()), &ints(indices))),
            ("indptr", npy(1, "<i4", false, &format!("({},)", indptr.len()), &ints(indptr))),
            ("format", npy(1, "|S3", false, "()", b"csr")),
            ("shape", npy(1, "<i8", false, "(2,)", &shape)),
            ("data", npy(1, "<f8", false, "(4,)", &le(&[1.0, 2.0, 3.0, 4.0]))),
        ],
        true,
    )
}

#[test]
fn sparse_matrices_of_scipy_are_read_and_checked() {
    let table = read_bytes(&csr(&[0, 3, 2, 1], &[0, 2, 2, 4]), "t.npz", &options()).unwrap();
    assert_eq!(rows(&table), [[1.0, 0.0, 0.0, 2.0], [0.0; 4], [0.0, 4.0, 3.0, 0.0]]);
    assert!(table.notices.iter().any(|notice| notice.contains("sorted")));
    for (indices, indptr) in [
        ([0, 3, 1, 4], [0, 2, 2, 4]),
        ([0, 3, 1, -1], [0, 2, 2, 4]),
        ([0, 3, 1, 1], [0, 2, 2, 4]),
        ([0, 3, 1, 2], [0, 3, 2, 4]),
        ([0, 3, 1, 2], [0, 2, 2, 3]),
        ([0, 3, 1, 2], [1, 2, 2, 4]),
    ] {
        let error = fails(&csr(&indices, &indptr), "t.npz", &options());
        assert!(matches!(error, Error::SparseMatrix { .. }), "{error}");
    }
    let folder = folder();
    put(&folder, "y.npy", &npy(1, "|i1", false, "(3,)", &[1, 0, 1]));
    let path = put(&folder, "x.npz", &csr(&[0, 3, 1, 2], &[0, 2, 2, 4]));
    let table = options().target("y.npy").read(path).unwrap();
    assert_eq!(table.response.unwrap(), [1.0, 0.0, 1.0]);
}

#[test]
fn compressed_arrays_are_read_from_memory() {
    let table = read_bytes(&gzip(&six()), "x.npy.gz", &options()).unwrap();
    assert_eq!(table.features.dense_f64().unwrap(), SIX);
}

/// Headers that promise far more than the file holds cost nothing and end in an error.
#[test]
fn promises_of_a_header_take_no_memory() {
    for (descr, shape) in [("<f8", "(1000000000, 1000)"), ("<U10000", "(1000000, 1000)"), ("|u1", "(9999999999, 9)")] {
        let bytes = npy(1, descr, false, shape, &[0; 80]);
        let error = fails(&bytes, "t.npy", &options());
        assert!(matches!(error, Error::Truncated { .. }), "{error}");
    }
    let whole = |values: &[f64], shape: &str| npy(1, "<f8", false, shape, &le(values));
    let sparse = |columns: f64| {
        let arrays = [
            ("data", whole(&[1.0, 2.0], "(2,)")),
            ("indices", whole(&[0.0, 1.0], "(2,)")),
            ("indptr", whole(&[0.0, 1.0, 2.0], "(3,)")),
            ("shape", whole(&[2.0, columns], "(2,)")),
        ];
        npz(&arrays, false)
    };
    let error = fails(&sparse(50e6), "t.npz", &options());
    assert!(matches!(error, Error::TooManyColumns { columns: 50_000_000, entries: 2, .. }), "{error}");
    let stated = options().columns(50_000_000);
    assert_eq!(proxdist_io::read_bytes(&sparse(50e6), "t.npz", &stated).unwrap().features.columns(), 50_000_000);
    assert!(matches!(fails(&sparse(4e9), "t.npz", &options().columns(4_000_000_000)), Error::TooManyColumns { .. }));
}
