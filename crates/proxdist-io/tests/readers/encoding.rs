//! Text columns, and files encoded as in training.

use proxdist_io::{Coding, Error, Missing, Schema, Task, Unknown, read_bytes};

use crate::common::{csv, fails, options, rows};

const TRAIN: &str = "city,size,code,y\nRome,1,3,no\nBern,2,1,yes\nOslo,3,2,no\nBern,4,3,yes\n";

fn train() -> proxdist_io::Table {
    csv(TRAIN, &options().target("y").task(Task::Classes).categorical(["code"]))
}

#[test]
fn levels_are_sorted_and_stand_where_their_column_stood() {
    let table = train();
    assert_eq!(table.names(), ["city=Bern", "city=Oslo", "city=Rome", "size", "code=1", "code=2", "code=3"]);
    assert_eq!(rows(&table)[0], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(table.schema.width(), 7);
    assert!(table.notices.iter().any(|notice| notice.contains("city becomes 3 indicator columns")));
}

#[test]
fn codings_differ_in_the_first_level() {
    let text = "t,u,k\na,p,k\nb,q,k\na,r,k\n";
    let names = |coding| csv(text, &options().coding(coding)).names();
    assert_eq!(names(Coding::Auto), ["t=b", "u=p", "u=q", "u=r"]);
    assert_eq!(names(Coding::Full), ["t=a", "t=b", "u=p", "u=q", "u=r", "k=k"]);
    assert_eq!(names(Coding::DropFirst), ["t=b", "u=q", "u=r"]);
}

#[test]
fn numeric_codes_sort_as_numbers() {
    let table = csv("c,x\n10,1\n9,1\n2,1\n", &options().categorical(["c"]));
    assert_eq!(table.names(), ["c=2", "c=9", "c=10", "x"]);
}

#[test]
fn a_file_without_target_in_another_order_is_encoded_as_in_training() {
    let schema = train().schema;
    let table = csv("extra,code,size,city\n7,2.0,9,Oslo\n8,3,10,Bern\n", &options().schema(schema.clone()));
    assert_eq!(table.names(), schema.names());
    assert_eq!(rows(&table)[0], [0.0, 1.0, 0.0, 9.0, 0.0, 1.0, 0.0]);
    assert_eq!(rows(&table)[1], [1.0, 0.0, 0.0, 10.0, 0.0, 0.0, 1.0]);
    assert!(table.response.is_none());
    assert_eq!(table.schema, schema);
}

#[test]
fn a_file_with_target_is_labelled_as_in_training() {
    let schema = train().schema;
    let options = options().task(Task::Classes).schema(schema);
    let table = csv("city,size,code,y\nRome,1,3,yes\nRome,1,3,yes\n", &options);
    assert_eq!(table.response.unwrap(), [1.0, 1.0]);
    let error = fails(b"city,size,code,y\nRome,1,3,maybe\n", "t.csv", &options);
    assert!(matches!(error, Error::UnknownLabel { .. }), "{error}");
}

#[test]
fn files_without_header_are_taken_in_order() {
    let table = csv("5,1,2\n6,3,4\n", &options().target("V1"));
    assert_eq!(table.names(), ["V2", "V3"]);
    let with_target = csv("5,1,2\n6,3,4\n", &options().schema(table.schema.clone()));
    assert_eq!((rows(&with_target), with_target.response.unwrap()), (rows(&table), vec![5.0, 6.0]));
    let without = csv("1,2\n3,4\n", &options().schema(table.schema.clone()));
    assert_eq!(rows(&without), rows(&table));
    assert_eq!(without.names(), ["V2", "V3"]);
}

#[test]
fn an_unknown_category_is_named_with_its_line_and_the_known_levels() {
    let schema = train().schema;
    let text = b"city,size,code\nRome,1,3\nParis,1,3\n";
    let error = fails(text, "new.csv", &options().schema(schema.clone()));
    let message = error.to_string();
    assert!(message.starts_with("new.csv, line 3, column 1 (city): the category \"Paris\""), "{message}");
    assert!(message.contains("\"Bern\", \"Oslo\", \"Rome\""), "{message}");
    let table = read_bytes(text, "new.csv", &options().schema(schema).unknown(Unknown::Zero)).unwrap();
    assert_eq!(rows(&table)[1][..3], [0.0, 0.0, 0.0]);
}

#[test]
fn a_missing_column_is_named_with_the_nearest() {
    let error = fails(b"City,size,code\nRome,1,3\n", "new.csv", &options().schema(train().schema));
    assert!(error.hint().contains("\"City\""), "{error} {}", error.hint());
}

#[test]
fn means_of_training_fill_gaps_in_other_files() {
    let table = csv("a,t\n1,u\n3,u\n,v\n", &options().missing(Missing::Mean));
    let filled = csv("a,t\n,\n5,v\n", &options().missing(Missing::Mean).schema(table.schema.clone()));
    assert_eq!(rows(&filled), [[2.0, 0.0], [5.0, 1.0]]);
    let plain = csv("a,t\n1,u\n3,v\n", &options());
    let error = fails(b"a,t\n1,u\n,v\n", "t.csv", &options().missing(Missing::Mean).schema(plain.schema));
    assert!(matches!(error, Error::NoFill { .. }), "{error}");
}

#[test]
fn a_schema_survives_json() {
    let schema = csv("a,t,y\n1,u,0\n3,v,1\n,v,1\n", &options().target("y").missing(Missing::Mean)).schema;
    let text = serde_json::to_string(&schema).unwrap();
    assert_eq!(serde_json::from_str::<Schema>(&text).unwrap(), schema);
}

#[test]
fn matrices_without_names_have_a_short_schema_that_fits_text_files() {
    let train = read_bytes(b"1 1:2 3:4\n", "t.svm", &options()).unwrap();
    assert_eq!((train.schema.numbered, train.schema.width()), (Some(3), 3));
    let text = serde_json::to_string(&train.schema).unwrap();
    assert_eq!(text, r#"{"numbered":3,"index_base":1}"#);
    let table = csv("7,8,9\n", &options().schema(serde_json::from_str(&text).unwrap()));
    assert_eq!(rows(&table), [[7.0, 8.0, 9.0]]);
    let error = fails(b"7,8\n", "t.csv", &options().schema(train.schema));
    assert!(error.to_string().contains("2 feature columns, but the model was trained on 3"), "{error}");
}

#[test]
fn identifiers_and_endless_categories_are_refused() {
    let mut text = "id,x\n".to_owned();
    (0..30).for_each(|row| text += &format!("name{row},{row}\n"));
    let error = fails(text.as_bytes(), "t.csv", &options());
    assert!(matches!(error, Error::Identifier { rows: 30, .. }), "{error}");
    assert_eq!(csv(&text, &options().categorical(["id"])).names().len(), 31);
    assert_eq!(csv(&text, &options().categorical(["1"])).names().len(), 31);
    let error = fails(text.as_bytes(), "t.csv", &options().max_categories(10));
    assert!(matches!(error, Error::TooManyCategories { limit: 10, .. }), "{error}");
    assert!(error.hint().contains("\"id\""));
}

#[test]
fn a_schema_of_many_numbered_columns_is_not_written_out_for_a_small_file() {
    let schema = Schema { numbered: Some(proxdist_io::MOST_COLUMNS), ..Default::default() };
    let error = fails(b"V1,V2\n1,2\n", "t.csv", &options().schema(schema));
    assert!(matches!(error, Error::ColumnCount { found: 2, .. }), "{error}");
}

#[test]
fn a_target_that_is_needed_is_dropped_or_refused_like_any_other_value() {
    let train = csv("x,y\n1,2\n2,3\n3,5\n", &options().target("y"));
    let text = "x,y\n1,\n,4\n3,5\n";
    let known = |missing| options().schema(train.schema.clone()).missing(missing);
    let table = csv(text, &known(Missing::Drop).need_target(true));
    assert_eq!((table.response, table.dropped), (Some(vec![5.0]), vec![0, 1]));
    let table = csv(text, &known(Missing::Drop));
    assert_eq!((table.response, table.dropped), (None, vec![1]));
    let error = fails(text.as_bytes(), "t.csv", &known(Missing::Error).need_target(true));
    assert_eq!(error.to_string(), "t.csv, line 2, column 2 (y): the value is missing (\"\")");
    // The model was trained without means: there is none to fill in.
    let error = fails(text.as_bytes(), "t.csv", &known(Missing::Mean));
    assert!(matches!(error, Error::NoFill { .. }) && error.hint().contains("leave such rows out"), "{error}");
}
