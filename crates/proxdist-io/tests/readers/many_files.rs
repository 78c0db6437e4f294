//! Folders and patterns: several files of one data set.

use std::fs;
use std::path::PathBuf;

use proxdist_io::{Error, Features, ReadOptions, Task, read_paths};
use tempfile::TempDir;

use crate::common::{gzip, options, rows};

/// Names and contents.
type Files<'f> = &'f [(&'f str, &'f [u8])];

fn folder(files: Files) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

const FIRST: &str = "x,color,y\n1,red,no\n2,blue,yes\n";
const SECOND: &str = "x,color,y\n3,green,yes\n";
const THIRD: &str = "x,color,y\n4.5,red,no\n5,blue,no\n";

fn roles() -> ReadOptions {
    options().target("y").task(Task::Classes)
}

#[test]
fn files_of_a_folder_are_one_table_in_the_order_of_their_names() {
    let third = gzip(THIRD.as_bytes());
    let files =
        [("b.csv", SECOND.as_bytes()), ("c.csv.gz", &third), ("a.csv", FIRST.as_bytes()), ("README.md", b"no data")];
    let folder = folder(&files);
    let together = FIRST.to_owned() + &SECOND[10..] + &THIRD[10..];
    let whole = crate::common::csv(&together, &roles());
    let pattern = folder.path().join("*.csv*");
    let listed: Vec<PathBuf> = ["a.csv", "b.csv", "c.csv.gz"].iter().map(|name| folder.path().join(name)).collect();
    for table in [roles().read(folder.path()), roles().read(&pattern), read_paths(&listed, &roles())] {
        let table = table.unwrap();
        assert_eq!((rows(&table), &table.response), (rows(&whole), &whole.response));
        assert_eq!((&table.schema, &table.classes), (&whole.schema, &whole.classes));
    }
    let packed = roles().memory(10).read(folder.path()).unwrap();
    assert!(matches!(packed.features, Features::Stored(_)));
    assert_eq!((rows(&packed), packed.response, packed.schema), (rows(&whole), whole.response, whole.schema));
}

#[test]
fn svmlight_files_are_one_table() {
    let folder = folder(&[("1.svm", b"1 1:2 3:1\n"), ("2.svm", b"0 2:5\n1 4:1\n")]);
    let table = options().read(folder.path()).unwrap();
    assert_eq!(rows(&table), [[2.0, 0.0, 1.0, 0.0], [0.0, 5.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    assert_eq!(table.response, Some(vec![1.0, 0.0, 1.0]));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_are_one_table() {
    let sample = crate::parquet::sample(parquet::basic::Compression::UNCOMPRESSED);
    let folder = folder(&[("1.parquet", &sample), ("2.parquet", &sample)]);
    let options = options().target("y").task(Task::Classes).missing(proxdist_io::Missing::Drop);
    let one = options.read(folder.path().join("1.parquet")).unwrap();
    let two = options.read(folder.path()).unwrap();
    assert_eq!(rows(&two), [rows(&one), rows(&one)].concat());
    assert_eq!(two.dropped, [1, 2, 5, 6]);
    // Rows count from the start of their file.
    let error = super::common::options().target("y").task(Task::Classes).ignore(["t"]).read(folder.path()).unwrap_err();
    assert!(error.to_string().contains("1.parquet, row 2, column 1 (a)"), "{error}");
}

#[test]
fn files_that_do_not_belong_together_are_told_with_file_and_column() {
    let bad: [(Files, &str); 7] = [
        (
            &[("a.csv", FIRST.as_bytes()), ("b.csv", b"x,colour,y\n1,red,no\n")],
            "b.csv: column 2 is \"colour\", but \"color\" in ",
        ),
        (&[("a.csv", FIRST.as_bytes()), ("b.csv", b"x,color\n1,red\n")], "b.csv: column 3 is not there, but \"y\" in "),
        (
            &[("a.csv", FIRST.as_bytes()), ("b.csv", b"x,color,y,z\n1,red,no,2\n")],
            "b.csv: column 4 is \"z\", but not there in ",
        ),
        (
            &[("a.csv", FIRST.as_bytes()), ("b.csv", b"x,color,y\none,red,no\n")],
            "b.csv, column 1 (x): the column holds text, but numbers in ",
        ),
        (
            &[("a.csv", FIRST.as_bytes()), ("b.csv", b"x,color,y\n1,red,no\n?,red,no\n")],
            "b.csv, line 3, column 1 (x): the value is missing",
        ),
        (&[("a.csv", FIRST.as_bytes()), ("b.csv", b"")], "b.csv: the file is empty"),
        (&[("a.csv", FIRST.as_bytes()), ("b.svm", b"1 1:2\n")], "b.svm: this is a svmlight file, but "),
    ];
    for (files, wanted) in bad {
        let folder = folder(files);
        let error = roles().read(folder.path()).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
        assert!(!error.hint().is_empty());
    }
    let empty = folder(&[("notes.txt", b"none")]);
    assert!(matches!(options().read(empty.path()), Err(Error::NoFiles { .. })));
    assert!(matches!(options().read(empty.path().join("*.csv")), Err(Error::NoFiles { .. })));
    let array = crate::common::npy(1, "<f8", false, "(1, 1)", &[0; 8]);
    let arrays = folder(&[("a.npy", &array), ("b.npy", &array)]);
    assert!(matches!(options().read(arrays.path()), Err(Error::OneFileOnly { .. })));
}
