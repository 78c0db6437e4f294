//! Delimited text: detection, quoting and odd line ends.

use proxdist_io::{Missing, ReadOptions, Storage, Task, read_bytes, read_from};

use crate::common::{csv, gzip, options, rows};

#[test]
fn every_delimiter_is_detected() {
    for delimiter in [",", ";", "\t", "|", " "] {
        let text = format!("a{delimiter}b{delimiter}c\n1{delimiter}2.5{delimiter}-3\n4{delimiter}5e-1{delimiter}6\n");
        let table = csv(&text, &options());
        assert_eq!(table.names(), ["a", "b", "c"], "{delimiter:?}");
        assert_eq!(rows(&table), [[1.0, 2.5, -3.0], [4.0, 0.5, 6.0]], "{delimiter:?}");
    }
}

#[test]
fn runs_of_blanks_are_one_delimiter() {
    let table = read_bytes(b"  1   2.5 3 \n 4\t5  6\n\n", "zip.train", &options()).unwrap();
    assert_eq!(table.names(), ["V1", "V2", "V3"]);
    assert_eq!(rows(&table), [[1.0, 2.5, 3.0], [4.0, 5.0, 6.0]]);
}

#[test]
fn blanks_inside_texts_do_not_mislead() {
    let table = csv("who,x\nAnn B Cole,1\nDan E Fox,2\n", &options());
    assert_eq!(table.names(), ["who=Dan E Fox", "x"]);
}

#[test]
fn crlf_marks_and_blank_lines_are_harmless() {
    let table = csv("\u{feff}a,b\r\n1,2\r\n\r\n3,4\r\n\r\n  \r\n", &options());
    assert_eq!(table.names(), ["a", "b"]);
    assert_eq!(rows(&table), [[1.0, 2.0], [3.0, 4.0]]);
    let table = csv("a,b\n1,2\n3,4", &options());
    assert_eq!(table.features.rows(), 2);
    let table = csv("a,b\r\n1,2\r\n3,4\r", &options());
    assert_eq!(rows(&table)[1], [3.0, 4.0]);
}

#[test]
fn quotes_protect_delimiters_line_ends_and_quotes() {
    let text = "\"a, or b\",\"n\"\"1\",t\n\"1.5\",2,\"x\ny\"\n 3 , \"4\" ,\"say \"\"hi\"\"\"\n5,6,plain\n";
    let table = csv(text, &options());
    assert_eq!(table.names()[..2], ["a, or b", "n\"1"]);
    assert_eq!(table.names()[2..], ["t=plain", "t=say \"hi\"", "t=x\ny"]);
    assert_eq!(rows(&table)[0], [1.5, 2.0, 0.0, 0.0, 1.0]);
    assert_eq!(rows(&table)[1], [3.0, 4.0, 0.0, 1.0, 0.0]);
}

#[test]
fn a_quoted_record_longer_than_the_window_is_read() {
    let long = "word\n".repeat(500_000);
    let text = format!("a,b\n1,\"{long}\"\n2,\"{long}\"\n3,short\n");
    let table = csv(&text, &options());
    assert_eq!(table.features.rows(), 3);
    // "short" sorts before "word…", and two levels have one indicator, for the second.
    assert!(table.names()[1].starts_with("b=word\nword\n") && table.names()[1].len() > 2_000_000);
    assert_eq!(rows(&table), [[1.0, 1.0], [2.0, 1.0], [3.0, 0.0]]);
}

#[test]
fn a_header_is_detected_or_stated() {
    assert_eq!(csv("1,2\n3,4\n", &options()).names(), ["V1", "V2"]);
    assert_eq!(csv("x,2\n3,4\n", &options().target("x")).response.unwrap(), [3.0]);
    assert_eq!(csv("\"900\",\"902\"\n3,4\n", &options()).names(), ["900", "902"]);
    assert_eq!(csv("1,2\n3,4\n", &options().header(true)).names(), ["1", "2"]);
    assert_eq!(csv("a,b\nc,d\n", &options().header(false)).names(), ["V1=c", "V2=d"]);
    assert_eq!(csv("a,,c\n1,2,3\n", &options()).names(), ["a", "V2", "c"]);
}

#[test]
fn columns_are_named_by_number_too() {
    let table = csv("a,b,c\n1,2,3\n4,5,6\n", &options().target("2").weights("3"));
    assert_eq!(table.response.unwrap(), [2.0, 5.0]);
    assert_eq!(table.weights.unwrap(), [3.0, 6.0]);
    let table = csv("1,2,3\n4,5,6\n", &options().target("V3").offset("V1"));
    assert_eq!(table.names(), ["V2"]);
    assert_eq!((table.response.unwrap(), table.offset.unwrap()), (vec![3.0, 6.0], vec![1.0, 4.0]));
}

#[test]
fn numbers_in_all_spellings_are_exact() {
    let table = csv("a\n+1\n-0\n.5\n5.\n1e3\n1E-3\n0.1\n1.7976931348623157e308\n", &options());
    let expected = [1.0, -0.0, 0.5, 5.0, 1000.0, 0.001, 0.1, f64::MAX];
    let values = table.features.dense_f64().unwrap().to_vec();
    assert_eq!(values.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), expected.map(f64::to_bits));
}

#[test]
fn gzip_is_recognised_by_content_even_in_pieces() {
    let mut packed = gzip(b"a,b\n1,2\n");
    packed.extend(gzip(b"3,4\n"));
    for name in ["t.csv.gz", "t.csv", "no extension"] {
        assert_eq!(rows(&read_bytes(&packed, name, &options()).unwrap()), [[1.0, 2.0], [3.0, 4.0]], "{name}");
    }
    assert_eq!(read_from(packed.as_slice(), "standard input", &options()).unwrap().features.rows(), 2);
}

#[test]
fn missing_rows_are_dropped_and_said() {
    let text = "a,b,y\n1,NA,1\n2,,2\n3,4,\n5,6,3\n7,8,4\n";
    let table = csv(text, &options().target("y").missing(Missing::Drop));
    assert_eq!(rows(&table), [[5.0, 6.0], [7.0, 8.0]]);
    assert_eq!(table.dropped, [0, 1, 2]);
    assert!(table.notices.iter().any(|notice| notice.starts_with("3 of 5 rows")), "{:?}", table.notices);
}

#[test]
fn missing_values_are_filled_with_means_and_targets_are_not() {
    let text = "a,t,y\n1,u,1\nNaN,u,2\n3,,3\n5,v,?\n";
    let table = csv(text, &options().target("y").missing(Missing::Mean));
    assert_eq!(table.names(), ["a"]);
    assert_eq!(rows(&table), [[1.0], [2.0], [3.0]]);
    let table = csv("a,t\n1,u\nNaN,u\n3,\n,v\n", &options().missing(Missing::Mean));
    assert_eq!(rows(&table), [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [2.0, 1.0]]);
    assert!(table.notices.iter().any(|notice| notice.contains("most frequent, \"u\"")), "{:?}", table.notices);
}

fn classes() -> ReadOptions {
    options().target("y").task(Task::Classes)
}

#[test]
fn the_positive_label_follows_the_documented_rule() {
    let positive = |labels: [&str; 2], options: &ReadOptions| {
        let text = format!("x,y\n1,{}\n2,{}\n3,{}\n", labels[0], labels[1], labels[0]);
        let table = csv(&text, options);
        let found = table.classes.unwrap();
        assert!(table.notices.iter().any(|notice| notice.contains("is positive")));
        assert_eq!(table.response.unwrap().iter().sum::<f64>() as usize, found.positive_count);
        (found.positive, found.positive_count)
    };
    let pair = |label: &str, count: usize| (label.to_owned(), count);
    assert_eq!(positive(["1", "-1"], &classes()), pair("1", 2));
    assert_eq!(positive(["9", "10"], &classes()), pair("10", 1));
    assert_eq!(positive(["yes", "zebra"], &classes()), pair("yes", 2));
    assert_eq!(positive(["TRUE", "FALSE"], &classes()), pair("TRUE", 2));
    assert_eq!(positive(["b", "a"], &classes()), pair("b", 2));
    assert_eq!(positive(["b", "a"], &classes().positive("a")), pair("a", 1));
    let table = csv("x,y\n1,+1\n2,1.0\n3,1\n4,0\n", &classes());
    assert_eq!(table.classes.unwrap().positive_count, 3);
}

#[test]
fn one_label_can_be_set_against_the_rest() {
    let table = csv("x,y\n1,a\n2,b\n3,c\n4,b\n", &classes().positive("b").one_against_rest(true));
    assert_eq!(table.response.unwrap(), [0.0, 1.0, 0.0, 1.0]);
    let again = csv("x,y\n1,z\n4,b\n", &options().task(Task::Classes).schema(table.schema));
    assert_eq!(again.response.unwrap(), [0.0, 1.0]);
}

#[test]
fn sparse_storage_holds_the_same_numbers() {
    let text = "a,t,b\n0,x,1\n2,y,0\n3,z,4\n";
    let dense = csv(text, &options());
    let sparse = csv(text, &options().storage(Storage::Sparse));
    assert!(sparse.features.is_sparse());
    assert_eq!(rows(&dense), rows(&sparse));
    assert_eq!(sparse.features.stored(), 7);
}
