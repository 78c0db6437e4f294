//! Each kind of error: its message names the place, its hint the remedy.

use proxdist_io::{Error, Format, Missing, ReadOptions, Task, read_path};

use crate::common::{fails, gzip, le, npy, npz, options};

fn classes() -> ReadOptions {
    options().target("y").task(Task::Classes)
}

/// Reads `text` as `t.csv` and expects this message and this part of the hint.
#[track_caller]
fn expect(text: &[u8], options: &ReadOptions, message: &str, hint: &str) -> Error {
    expect_named(text, "t.csv", options, message, hint)
}

#[track_caller]
fn expect_named(bytes: &[u8], name: &str, options: &ReadOptions, message: &str, hint: &str) -> Error {
    let error = fails(bytes, name, options);
    assert!(error.to_string().starts_with(message), "{error}");
    assert!(error.hint().contains(hint), "{}", error.hint());
    error
}

#[test]
fn ragged_rows() {
    expect(b"a,b,c\n1,2,3\n4,5\n", &options(), "t.csv, line 3: 2 fields, but 3 columns are expected", "complete");
    expect(b"a,b\n1,2\n\n3,4,5,6\n", &options(), "t.csv, line 4: 4 fields, but 2", "quoted");
    expect(b"a,t\n1,\"x\ny\"\n3\n", &options(), "t.csv, line 4: 1 fields", "complete");
}

#[test]
fn quotes() {
    expect(b"a,t\n1,\"x\n2,y\n", &options(), "t.csv, line 2, column 2 (t): a quote is opened", "quote");
    expect(b"a,t\n1,\"x\"z\n2,y\n", &options(), "t.csv, line 2, column 2 (t): there is text after", "quote");
    expect(b"\"a,t\n1,2\n", &options(), "t.csv, line 1: a quote", "quote");
}

#[test]
fn not_numbers() {
    expect(b"a,b\n1,2\n3,x1\n", &options(), "t.csv, line 3, column 2 (b): \"x1\" is not a number", "categorical");
    expect(
        b"a;b\n1,5;2\n3;4\n",
        &options().delimiter(b';'),
        "t.csv, line 2, column 1 (a): \"1,5\" is not",
        "decimal point",
    );
    let text = b"a,y\n1,yes\n2,no\n";
    expect(text, &options().target("y"), "t.csv, line 2, column 2 (y): \"yes\" is not a number", "classification");
}

#[test]
fn not_finite() {
    for word in ["NaN", "inf", "-Infinity", "1e999"] {
        let text = format!("a,b\n1,2\n3,{word}\n");
        let message = format!("t.csv, line 3, column 2 (b): {word:?} is not a finite number");
        // A hint at missing values would lead nowhere for what is never taken for one.
        expect(text.as_bytes(), &options(), &message, if word == "NaN" { "missing" } else { "correct" });
    }
    expect(b"a\n1\ninf\n", &options().missing(Missing::Drop), "t.csv, line 3, column 1 (a): \"inf\"", "remove");
}

#[test]
fn missing_values() {
    for word in ["", "NA", "?", " ", "null", "\"\""] {
        let text = format!("a,b\n1,2\n{word},4\n");
        expect(text.as_bytes(), &options(), "t.csv, line 3, column 1 (a): the value is missing", "means");
    }
    expect(b"a,b\n1,\n,4\n", &options().missing(Missing::Drop), "t.csv: no row is left, all 2", "means");
    expect(b"a,b\n,1\n,4\n", &options().missing(Missing::Mean), "t.csv, column 1 (a): every value", "ignore");
}

#[test]
fn unknown_columns() {
    let text = b"age,height,weight\n1,2,3\n";
    expect(text, &options().target("wieght"), "t.csv: there is no column \"wieght\" to use as target", "\"weight\"");
    expect(text, &options().target("4"), "t.csv: there is no column \"4\"", "from 1 to 3");
    expect(text, &options().target("0"), "t.csv: there is no column \"0\"", "from 1 to 3");
    expect(text, &options().ignore(["Age "]).weights("hight"), "t.csv: there is no column \"hight\"", "\"height\"");
    expect(text, &options().target("age").weights("age"), "t.csv: column \"age\" is asked for twice", "one role");
    expect(b"y\n1\n", &options().target("y"), "t.csv: no feature column is left", "at least one");
}

#[test]
fn duplicate_names() {
    expect(b"a,b,a\n1,2,3\n", &options(), "t.csv: columns 1 and 3 have the same name \"a\"", "rename column 3");
    expect(
        b"a,a=w,c\nu,1,2\nw,3,4\nv,5,6\n",
        &options(),
        "t.csv: columns 3 and 4 have the same name \"a=w\"",
        "rename",
    );
}

#[test]
fn empty_files_and_headers_alone() {
    expect(b"", &options(), "t.csv: the file is empty", "written");
    expect(b"\n \r\n", &options(), "t.csv: the file is empty", "written");
    expect_named(b"", "t.npy", &options(), "t.npy: the file is empty", "written");
    expect_named(b"# only a comment\n", "t.svm", &options(), "t.svm: the file is empty", "written");
    expect(b"a,b\n\n", &options(), "t.csv: there is a header with 2 names but no row of data", "written");
}

#[test]
fn damaged_gzip() {
    let mut text = b"a,b\n".to_vec();
    (0..50_000).for_each(|row: u32| text.extend(format!("{row},{}\n", row.wrapping_mul(2_654_435_761)).bytes()));
    let packed = gzip(&text);
    let cut = fails(&packed[..packed.len() / 2], "t.csv.gz", &options());
    assert!(matches!(cut, Error::TruncatedGzip { .. }), "{cut}");
    assert!(cut.hint().contains("again"));
    let mut changed = packed.clone();
    changed.iter_mut().skip(20_000).step_by(7).take(3_000).for_each(|byte| *byte ^= 0x55);
    let error = fails(&changed, "t.csv.gz", &options());
    assert!(error.to_string().starts_with("t.csv.gz"), "{error}");
    expect_named(&packed[..12], "t.csv.gz", &options(), "t.csv.gz: the gzip data end too early", "again");
}

#[test]
fn wrong_magic_and_unknown_formats() {
    let found = "x.npy: this is not a .npy file (it begins with \"a,b\\n1,2\\n\")";
    expect_named(b"a,b\n1,2\n", "x.npy", &options(), found, "extension");
    expect_named(b"hello there", "x.npz", &options(), "x.npz: this is not a .npz file", "extension");
    expect_named(b"hello there", "x.parquet", &options(), "x.parquet: this is not a Parquet file", "extension");
    let array = npy(1, "<f8", false, "(1, 1)", &le(&[1.0]));
    expect_named(&array, "x.csv", &options().format(Format::Csv), "x.csv: this is not a CSV file", "extension");
    assert_eq!(proxdist_io::read_bytes(&array, "x.csv", &options()).unwrap().features.columns(), 1);
    expect_named(b"{\"a\": 1}", "x.json", &options(), "x.json: the format is not recognised", ".parquet");
    expect_named(b"\x00\x01\x02", "x", &options(), "x: the format is not recognised", ".parquet");
    expect_named(b"PK\x03\x04", "x.xlsx", &options(), "x.xlsx: the format is not recognised", ".csv");
}

#[test]
fn arrays() {
    let header = |descr: &str, shape: &str| npy(1, descr, false, shape, &le(&[1.0, 2.0]));
    let complex = header("<c16", "(1, 1)");
    expect_named(&complex, "x.npy", &options(), "x.npy: arrays of type \"<c16\" cannot be read", "astype");
    expect_named(&header("<f8", "(2,)"), "x.npy", &options(), "x.npy: the shape is [2], but a matrix", "reshape");
    expect_named(&header("<f8", "(2, 2)"), "x.npy", &options(), "x.npy: the data end too early: 32", "again");
    let endless = header("<f8", "(4611686018427387904, 4)");
    expect_named(&endless, "x.npy", &options(), "x.npy: not enough memory", "sparse");
    expect_named(b"\x93NUMPY\x01\x00\xff", "x.npy", &options(), "x.npy: the header of the array is damaged", "save");
    let archive = npz(&[("A", header("<f8", "(1, 2)"))], true);
    expect_named(
        &archive,
        "x.npz",
        &options(),
        "x.npz: there is no array \"X\" in the archive (arrays: \"A\")",
        "savez",
    );
    expect_named(&archive[..archive.len() - 9], "x.npz", &options(), "x.npz: the archive is damaged", "savez");
}

#[test]
fn texts_that_are_not_utf8() {
    expect(b"a,t\n1,caf\xe9\n2,th\xe9\n", &options(), "t.csv, line 2, column 2 (t): the text is not UTF-8", "UTF-8");
    expect(b"a,\xe9\n1,2\n", &options(), "t.csv, line 1, column 2: the text is not UTF-8", "UTF-8");
    expect(b"\xff\xfea\x00,\x00b\x00", &options(), "t.csv, line 1: the text is not UTF-8", "UTF-8");
}

#[test]
fn files_that_cannot_be_opened() {
    let error = read_path("/no/such/file.csv", &options()).unwrap_err();
    assert_eq!(error.to_string(), "/no/such/file.csv: there is no such file");
    let folder = tempfile::tempdir().unwrap();
    let error = read_path(folder.path(), &options()).unwrap_err();
    assert!(matches!(error, Error::NoFiles { .. }), "{error}");
}

#[test]
fn classes_that_are_not_two() {
    expect(b"x,y\n1,a\n2,a\n", &classes(), "t.csv, column 2 (y): all 2 labels are \"a\"", "one class");
    let many = b"x,y\n1,a\n2,b\n3,c\n";
    expect(many, &classes(), "t.csv, column 2 (y): more than two classes (\"a\", \"b\", \"c\")", "one against rest");
    expect(b"x,y\n1,a\n2,b\n", &classes().positive("c"), "t.csv, column 2 (y): the label \"c\"", "labels");
    expect(b"x,y\n1,a\n2,b\n", &classes().one_against_rest(true), "one against rest: needs", "setting");
    let mut text = "x,y\n".to_owned();
    (0..2000).for_each(|row| text += &format!("1,{row}.5\n"));
    expect(text.as_bytes(), &classes(), "t.csv, column 2 (y): more than two classes", "rest");
}

#[test]
fn weights_and_settings() {
    expect(b"x,w\n1,1\n1,-2\n", &options().weights("w"), "t.csv, line 3, column 2 (w): the weight -2", "positive");
    expect(b"x,w\n1,1\n", &options().delimiter(b'"'), "delimiter: must be", "setting");
    expect_named(b"1 1:1\n", "t.svm", &options().index_base(2), "index base: must be 0 or 1", "setting");
    expect_named(b"1 1:1\n", "t.svm", &options().columns(0), "columns: at least one", "setting");
}
