//! Columns in memory are read as the same columns in a file.

use crate::common::{csv, options};
use proxdist_io::{Cells, Error, Features, FrameColumn, Missing, ReadOptions, Table, Unknown, read_columns};

fn column<'a>(name: &str, cells: Cells<'a>) -> FrameColumn<'a> {
    FrameColumn { name: name.to_owned(), cells }
}

fn texts<'a>(codes: &'a [i64], levels: &[&str]) -> Cells<'a> {
    Cells::Texts { codes, levels: levels.iter().map(|&level| level.to_owned()).collect() }
}

fn same(found: &Table, expected: &Table) {
    assert_eq!(found.schema, expected.schema);
    assert_eq!(found.names(), expected.names());
    assert_eq!(found.dropped, expected.dropped);
    assert_eq!(found.features.rows(), expected.features.rows());
    for row in 0..found.features.rows() {
        let bits = |table: &Table| table.features.row(row).iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(found), bits(expected), "row {row}");
    }
}

const FILE: &str = "age,town,smoker,kind\n31.5,b,True,x\n,a,False,y\n47,,True,x\n22,c,,x\n60.25,a,False,y\n";
const AGES: [f64; 5] = [31.5, f64::NAN, 47.0, 22.0, 60.25];

fn columns() -> Vec<FrameColumn<'static>> {
    vec![
        column("age", Cells::Numbers(&AGES)),
        // The order of the levels of a frame does not matter, and levels without rows do not count.
        column("town", texts(&[1, 2, -1, 3, 2], &["unused", "b", "a", "c"])),
        column("smoker", Cells::Flags(&[1, 0, 1, -1, 0])),
        column("kind", texts(&[0, 1, 0, 0, 1], &["x", "y"])),
    ]
}

#[test]
fn a_frame_is_the_table_of_its_file() {
    for missing in [Missing::Drop, Missing::Mean, Missing::Indicator] {
        let asked = options().missing(missing);
        same(&read_columns("X", &columns(), &[], &asked).unwrap(), &csv(FILE, &asked));
    }
}

#[test]
fn missing_values_are_marked_where_the_training_rows_have_some() {
    let asked = options().missing(Missing::Indicator);
    let table = csv(FILE, &asked);
    assert_eq!(
        table.names(),
        ["age", "age=missing", "town=a", "town=b", "town=c", "town=missing", "smoker=True", "smoker=missing", "kind=y"]
    );
    let mean = (31.5 + 47.0 + 22.0 + 60.25) / 4.0;
    assert_eq!(table.features.row(1)[..2], [mean, 1.0]);
    assert_eq!(table.features.row(2), [47.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    assert_eq!(table.features.row(3)[6..8], [0.0, 1.0]);
    assert_eq!(table.schema.origins(), [0, 0, 1, 1, 1, 1, 2, 2, 3]);
    // The same for another file, a column without gaps in training is filled in.
    let again = csv("kind,age,smoker,town\n,,,\n", &asked.clone().schema(table.schema.clone()));
    assert_eq!(again.features.row(0), [mean, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    // Numbers alone, dense and packed.
    let numbers = "a,b\n1,\n2,4\n,6\n";
    let table = csv(numbers, &asked);
    assert_eq!(table.names(), ["a", "a=missing", "b", "b=missing"]);
    assert_eq!(table.features.row(2), [1.5, 1.0, 6.0, 0.0]);
    let packed = csv(numbers, &asked.clone().memory(10));
    assert!(matches!(packed.features, Features::Stored(_)));
    same(&packed, &table);
    let sparse = csv(FILE, &asked.clone().storage(proxdist_io::Storage::Sparse));
    same(&sparse, &csv(FILE, &asked));
    // A name that is taken already.
    let error = proxdist_io::read_bytes(b"a,a=missing\n1,2\n,3\n", "t.csv", &asked).unwrap_err();
    assert!(matches!(error, Error::DuplicateName { .. }), "{error}");
}

#[test]
fn a_schema_of_a_file_reads_a_frame_and_the_other_way_round() {
    let asked = options().missing(Missing::Mean);
    let trained = csv(FILE, &asked);
    let known = asked.schema(trained.schema.clone());
    let found = read_columns("X", &columns(), &[], &known).unwrap();
    same(&found, &csv(FILE, &known));
    // Other spellings, other types, another order and further columns.
    let other = "kind,smoker,more,town,age\ny,TRUE,7,a,31\nx,false,8,b,2\n";
    let cells = [
        column("more", Cells::Other("datetime".to_owned())),
        column("kind", texts(&[1, 0], &["x", "y"])),
        column("smoker", texts(&[0, 1], &["true", "FALSE"])),
        column("town", texts(&[0, 1], &["a", " b "])),
        column("age", texts(&[0, 1], &["31", "2"])),
    ];
    let found = read_columns("X", &cells, &[], &known).unwrap();
    for row in 0..2 {
        assert_eq!(found.features.row(row), csv(other, &known).features.row(row));
    }
    // Codes: a number in a frame is the text of a file.
    let codes = csv("zip,y\n3,1\n4,2\n3,1\n", &options().categorical(["zip"]));
    let again = [column("zip", Cells::Numbers(&[4.0, 3.0])), column("y", Cells::Numbers(&[1.0, 2.0]))];
    let found = read_columns("X", &again, &[], &options().schema(codes.schema)).unwrap();
    assert_eq!(found.features.row(0), [1.0, 1.0]);
    assert_eq!(found.features.row(1), [0.0, 2.0]);
    // Flags where the levels of training are 0 and 1.
    let digits = csv("f,y\n0,1\n1,2\n0,1\n", &options().categorical(["f"]));
    let flags = [column("f", Cells::Flags(&[1, 0])), column("y", Cells::Numbers(&[1.0, 2.0]))];
    let found = read_columns("X", &flags, &[], &options().schema(digits.schema)).unwrap();
    assert_eq!([found.features.row(0)[0], found.features.row(1)[0]], [1.0, 0.0]);
}

#[test]
fn rows_left_out_for_other_reasons_count_nowhere() {
    let left_out = [false, false, true, false, true];
    let asked = options().missing(Missing::Mean);
    let found = read_columns("X", &columns(), &left_out, &asked).unwrap();
    let kept = "age,town,smoker,kind\n31.5,b,True,x\n,a,False,y\n22,c,,x\n";
    let expected = csv(kept, &asked);
    assert_eq!(found.schema, expected.schema);
    assert_eq!(found.dropped, [2, 4]);
    assert_eq!(found.features.row(1), expected.features.row(1));
}

#[test]
fn mistakes_have_a_row_and_a_column() {
    let fails = |columns: &[FrameColumn<'_>], options: &ReadOptions| {
        read_columns("X", columns, &[], options).unwrap_err().to_string()
    };
    assert_eq!(fails(&columns(), &options()), "X, row 2, column 1 (age): the value is missing (\"null\")");
    let infinite = [column("a", Cells::Numbers(&[1.0, f64::INFINITY]))];
    assert_eq!(
        fails(&infinite, &options().missing(Missing::Drop)),
        "X, row 2, column 1 (a): \"inf\" is not a finite number"
    );
    let trained = csv(FILE, &options().missing(Missing::Mean)).schema;
    let mut strange = columns();
    strange[1] = column("town", texts(&[0, 1, 0, 0, 1], &["a", "z"]));
    let known = options().missing(Missing::Mean).schema(trained);
    let message = "X, row 2, column 2 (town): the category \"z\" did not occur in training";
    assert!(fails(&strange, &known).starts_with(message), "{}", fails(&strange, &known));
    let zero = read_columns("X", &strange, &[], &known.clone().unknown(Unknown::Zero)).unwrap();
    assert_eq!(zero.features.row(1)[1..4], [0.0; 3]);
    assert!(fails(&columns()[1..], &known).contains("there is no column \"age\""));
    let dates = [column("day", Cells::Other("datetime64".to_owned()))];
    assert_eq!(fails(&dates, &options()), "X, column 1 (day): columns of type datetime64 cannot be used");
    let ragged = [column("a", Cells::Numbers(&[1.0, 2.0])), column("b", Cells::Numbers(&[1.0]))];
    assert!(fails(&ragged, &options()).contains("1 fields, but 2"));
    assert!(fails(&[column("a", Cells::Numbers(&[]))], &options()).contains("no row of data"));
    let gone = [column("a", Cells::Numbers(&[f64::NAN]))];
    assert!(fails(&gone, &options().missing(Missing::Drop)).contains("no row is left"));
    assert!(fails(&gone, &options().missing(Missing::Indicator)).contains("every value is missing"));
}
