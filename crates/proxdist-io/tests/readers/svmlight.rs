//! svmlight text.

use proxdist_io::{Error, Task, read_bytes};

use crate::common::{fails, options, rows};

#[test]
fn labels_pairs_and_comments_are_read() {
    let text = b"# made by hand\n+1 1:0.5 3:2 # first\n\n-1 2:1e-3\r\n+1\n";
    let table = read_bytes(text, "t.svm", &options().task(Task::Classes)).unwrap();
    assert_eq!(rows(&table), [[0.5, 0.0, 2.0], [0.0, 0.001, 0.0], [0.0, 0.0, 0.0]]);
    assert_eq!(table.names(), ["V1", "V2", "V3"]);
    assert_eq!(table.response.unwrap(), [1.0, 0.0, 1.0]);
    let table = read_bytes(b"2.5 1:1\n-3 1:2\n", "t.libsvm", &options()).unwrap();
    assert_eq!(table.response.unwrap(), [2.5, -3.0]);
}

#[test]
fn indices_may_start_at_zero() {
    let table = read_bytes(b"1 0:5 2:6\n2 1:7\n", "t.svm", &options()).unwrap();
    assert_eq!(rows(&table), [[5.0, 0.0, 6.0], [0.0, 7.0, 0.0]]);
    assert_eq!(table.schema.index_base, Some(0));
    // The second file has no index 0, but the first one told where they start.
    let other = read_bytes(b"1 1:7\n", "u.svm", &options().schema(table.schema)).unwrap();
    assert_eq!(rows(&other), [[0.0, 7.0, 0.0]]);
    let other = read_bytes(b"1 1:7\n", "u.svm", &options().index_base(0)).unwrap();
    assert_eq!(rows(&other), [[0.0, 7.0]]);
    let error = fails(b"1 0:7\n", "u.svm", &options().index_base(1));
    assert!(matches!(error, Error::IndexZero { .. }), "{error}");
}

#[test]
fn an_absurd_index_does_not_fill_the_memory() {
    let error = fails(b"1 1:2\n1 4000000000:1\n", "t.svm", &options());
    assert!(error.to_string().starts_with("t.svm, line 2: 4000000000 columns for 2 entries"), "{error}");
}

#[test]
fn a_schema_with_categories_does_not_fit() {
    let train = crate::common::csv("t,x\nu,1\nv,2\nw,3\n", &options());
    let error = fails(b"1 1:7\n", "u.svm", &options().schema(train.schema));
    assert!(matches!(error, Error::ColumnCount { expected: 4, .. }), "{error}");
}

#[test]
fn query_numbers_are_ignored_aloud() {
    let table = read_bytes(b"1 qid:3 1:2\n2 qid:4 2:1\n", "t.txt", &options()).unwrap();
    assert_eq!(rows(&table), [[2.0, 0.0], [0.0, 1.0]]);
    assert!(table.notices.iter().any(|notice| notice.contains("2 qid pairs")), "{:?}", table.notices);
}

#[test]
fn mistakes_have_a_line() {
    let cases: [(&[u8], &str); 6] = [
        (b"1 1:2\n1 1:x\n", "t.svm, line 2: \"1:x\" is not of the form index:value"),
        (b"1 3:2 2:1\n", "t.svm, line 1: index 2 follows 3"),
        (b"1 3:2 3:1\n", "t.svm, line 1: index 3 follows 3"),
        (b"1 3:inf\n", "t.svm, line 1, column 3: \"3:inf\" is not a finite number"),
        (b"x 3:1\n", "t.svm, line 1, column 1 (label): \"x\" is not a number"),
        (b"1 1:2\n1 9:1\n", "t.svm, line 2: index 9 is beyond the number of columns, 4"),
    ];
    for (text, message) in cases {
        let error = fails(text, "t.svm", &options().columns(4));
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn a_few_entries_do_not_stand_for_millions_of_columns() {
    let text = b"+1 1:1 67108863:1\n-1 2:1\n";
    let error = fails(text, "t.svm", &options());
    let message = "t.svm, line 1: 67108863 columns for 3 entries; at most 4194304 are believed";
    assert_eq!(error.to_string(), message);
    assert!(error.hint().contains("without gaps") && error.hint().contains("67108863"), "{}", error.hint());
    // Said to be so many, they are: the table itself stays as small as the file.
    let table = read_bytes(text, "t.svm", &options().columns(67_108_863)).unwrap();
    assert_eq!((table.features.columns(), table.features.stored()), (67_108_863, 3));
    // Beyond what can be fitted at all, no statement helps.
    for options in [options(), options().columns(4_000_000_000)] {
        let error = fails(b"1 3999999999:1\n", "t.svm", &options);
        assert!(matches!(error, Error::TooManyColumns { .. }) && !error.hint().contains("state"), "{error}");
    }
    // Hashed features of a small file are believed.
    assert_eq!(read_bytes(b"1 4194304:1\n", "t.svm", &options()).unwrap().features.columns(), 1 << 22);
}
