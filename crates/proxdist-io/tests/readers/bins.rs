//! Columns of numbers as bins: learned once, applied wherever rows are.

use proxdist::spec::Coordinates;
use proxdist_io::{BinRequest, ColumnKind, Error, Features, Missing, ReadOptions, Schema, Task};

use crate::common::{csv, fails, options, rows};

fn request(text: &str) -> BinRequest {
    let (columns, rule) = text.rsplit_once('=').map_or((None, text), |(columns, rule)| (Some(columns), rule));
    BinRequest { columns: columns.map(|columns| Coordinates::parse(columns).unwrap()), rule: rule.parse().unwrap() }
}

fn binned(requests: &[&str]) -> ReadOptions {
    options().target("y").bins(requests.iter().map(|text| request(text)))
}

fn edges(schema: &Schema, column: usize) -> Vec<f64> {
    match &schema.columns[column].kind {
        ColumnKind::Bins { bins, .. } => bins.edges.clone(),
        other => panic!("{other:?}"),
    }
}

/// Six rows; `b` has gaps, `c` is constant, `d` has two values.
const TEXT: &str = "a,b,c,d,y\n1,,5,0,1\n2,10,5,1,2\n3,20,5,0,3\n4,30,5,1,4\n5,,5,0,5\n6,40,5,1,6\n";

#[test]
fn bins_become_indicators_of_their_source() {
    let table = csv(TEXT, &binned(&["quantile:3+missing"]));
    let names = ["a < 3", "a in [3, 5)", "a >= 5", "b < 20", "b in [20, 40)", "b >= 40", "b is missing", "d"];
    assert_eq!(table.names(), names);
    assert_eq!(table.schema.origins(), [0, 0, 0, 1, 1, 1, 1, 3]);
    assert_eq!(table.features.row(0), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(table.features.row(3), [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert!(table.notices.iter().any(|notice| notice.contains("column c has one bin and is left out")));
    // A model file keeps them, and another file is read by them, in another order.
    let schema: Schema = serde_json::from_str(&serde_json::to_string(&table.schema).unwrap()).unwrap();
    assert_eq!(schema, table.schema);
    let again = csv("c,d,b,a\n5,1,29.5,-7\n9,0,NA,5\n", &options().schema(schema));
    assert_eq!(again.features.row(0), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(again.features.row(1), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn rows_may_become_narrower() {
    let table = csv("a,b,c,y\n1,7,3,0\n1,7,4,1\n1,7,5,0\n1,7,6,1\n", &binned(&["a,b=quantile:4", "c=quantile:2"]));
    assert_eq!(table.names(), ["c >= 5"]);
    assert_eq!(rows(&table), [[0.0], [0.0], [1.0], [1.0]]);
    assert!(matches!(fails(b"a,y\n1,0\n1,1\n", "t.csv", &binned(&["quantile:4"])), Error::NoFeatures { .. }));
}

#[test]
fn gaps_without_a_bin_are_those_of_other_columns() {
    let rule = ["b=quantile:2"];
    assert!(matches!(fails(TEXT.as_bytes(), "t.csv", &binned(&rule)), Error::MissingValue { .. }));
    let dropped = csv(TEXT, &binned(&rule).missing(Missing::Drop));
    assert_eq!((dropped.features.rows(), edges(&dropped.schema, 1)), (4, vec![30.0]));
    // The mean, 25, is in the lower bin.
    let filled = csv(TEXT, &binned(&rule).missing(Missing::Mean));
    assert_eq!(filled.names()[1], "b >= 30");
    assert_eq!(filled.features.row(0)[1], 0.0);
    let gap = "a,b,c,d\n1,,5,0\n";
    assert_eq!(csv(gap, &options().schema(filled.schema).missing(Missing::Mean)).features.row(0)[1], 0.0);
    assert!(matches!(fails(gap.as_bytes(), "t.csv", &options().schema(dropped.schema)), Error::MissingValue { .. }));
}

#[test]
fn responses_and_chosen_rows_decide_monotone_bins() {
    let mut text = "x,y\n".to_owned();
    (0..40).for_each(|i| text += &format!("{i},{}\n", if (i >= 30) ^ (i % 5 == 0) { "yes" } else { "no" }));
    let all = csv(&text, &binned(&["monotone:2"]).task(Task::Classes));
    assert_eq!(edges(&all.schema, 0), [31.0]);
    // Rows of which only the first twenty and their labels are seen.
    let some = csv(&text, &binned(&["monotone:2"]).task(Task::Classes).bin_rows(|_, _| Some((0..20).collect())));
    assert_ne!(edges(&some.schema, 0), [31.0]);
    assert!(edges(&some.schema, 0).iter().all(|edge| *edge < 20.0));
    assert_eq!(some.features.rows(), 40);
}

#[test]
fn data_on_the_disk_are_read_by_known_bins_and_teach_none() {
    let mut text = "x,t,y\n".to_owned();
    (0..3000).for_each(|i| text += &format!("{},{},{}\n", i * 37 % 1009, ["u", "v"][i % 2], i % 7));
    let whole = csv(&text, &binned(&["quantile:5"]));
    let known = options().target("y").schema(whole.schema.clone()).need_target(true);
    let stored = csv(&text, &known.memory(1 << 12));
    assert!(matches!(stored.features, Features::Stored(_)));
    assert_eq!(rows(&stored), rows(&whole));
    let error = fails(text.as_bytes(), "t.csv", &binned(&["quantile:5"]).memory(1 << 12));
    assert!(matches!(error, Error::BinsNotHere { .. }), "{error}");
}

#[test]
fn mistakes_are_named() {
    let text = "a,t,y\n1,u,1\n2,v,2\n3,u,3\n";
    let of = |requests: &[&str]| fails(text.as_bytes(), "t.csv", &binned(requests));
    assert!(matches!(of(&["t=quantile:3"]), Error::BinsOfText { .. }));
    assert!(matches!(of(&["hat=quantile:3"]), Error::BinColumns { .. }));
    let three = binned(&["a=monotone:3"]).task(Task::Classes).many_classes(true);
    assert!(matches!(fails(text.as_bytes(), "t.csv", &three), Error::Bins { .. }));
    let error = fails(b"1 1:2\n0 1:3\n", "t.svm", &options().bins([request("quantile:3")]));
    assert!(matches!(error, Error::BinsNotHere { .. }), "{error}");
}
