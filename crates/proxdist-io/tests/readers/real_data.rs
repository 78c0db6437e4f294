//! Real files, with the counts their descriptions give.

use proxdist_io::{Features, Missing, ReadOptions, Task, Unknown};

use crate::common::{data, options};

fn classes(target: &str) -> ReadOptions {
    options().target(target).task(Task::Classes)
}

#[test]
fn qsar_is_read_without_header_with_semicolons_and_crlf() {
    let Some(path) = data("classification/qsar_oral_toxicity.csv.gz") else { return };
    for target in ["1025", "V1025"] {
        let table = classes(target).read(&path).unwrap();
        assert_eq!((table.features.rows(), table.features.columns()), (8992, 1024));
        let found = table.classes.unwrap();
        assert_eq!((found.positive.as_str(), found.positive_count, found.negative_count), ("positive", 741, 8251));
        let ones: f64 = table.features.dense_f64().unwrap().iter().sum();
        assert!((ones / (8992.0 * 1024.0) - 0.093).abs() < 0.001, "{ones}");
        assert_eq!(table.response.unwrap().iter().sum::<f64>(), 741.0);
    }
}

#[test]
fn farm_ads_is_sparse() {
    let Some(path) = data("classification/farm_ads.svm.gz") else { return };
    let table = options().task(Task::Classes).read(path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (4143, 54877));
    assert_eq!(table.features.stored(), 817_141);
    assert_eq!(table.classes.unwrap().positive_count, 2210);
}

#[test]
fn the_test_part_of_a9a_needs_the_number_of_columns() {
    let (Some(train), Some(test)) = (data("classification/a9a.svm.gz"), data("classification/a9a_test.svm.gz")) else {
        return;
    };
    let train = options().task(Task::Classes).read(train).unwrap();
    assert_eq!((train.features.rows(), train.features.columns(), train.features.stored()), (32561, 123, 451_592));
    let alone = options().task(Task::Classes).read(&test).unwrap();
    assert_eq!(alone.features.columns(), 122);
    let fixed = options().task(Task::Classes).columns(123).read(&test).unwrap();
    let known = options().task(Task::Classes).schema(train.schema).read(&test).unwrap();
    for table in [fixed, known] {
        assert_eq!((table.features.rows(), table.features.columns(), table.features.stored()), (16281, 123, 225_731));
        assert_eq!(table.classes.unwrap().positive_count, 3846);
    }
}

#[test]
fn covtype_unfolds_to_54_columns() {
    let Some(path) = data("large/covtype.csv.gz") else { return };
    let options = classes("cover").positive("2").one_against_rest(true).categorical(["wilderness", "soil"]);
    let table = options.read(path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (581_012, 54));
    assert_eq!(table.names()[9..12], ["hdist_fire_points", "wilderness=1", "wilderness=2"]);
    assert_eq!(table.names()[53], "soil=40");
    assert_eq!(table.classes.unwrap().positive_count, 283_301);
    let Features::Dense { values, .. } = &table.features else { panic!("dense expected") };
    assert!(values.chunks_exact(54).all(|row| row[10..14].iter().sum::<f64>() == 1.0));
    assert!(values.chunks_exact(54).all(|row| row[14..].iter().sum::<f64>() == 1.0));
    assert_eq!(values[..5], [2596.0, 51.0, 3.0, 258.0, 0.0]);
    assert_eq!(values[14 + 28], 1.0);
}

#[test]
fn flights_with_tail_numbers_become_sparse() {
    let Some(path) = data("large/flights.csv.gz") else { return };
    let table = options().target("arr_delay").read(path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (327_346, 7 + 16 + 4037 + 3 + 104));
    assert!(table.features.is_sparse());
    assert!(table.notices.iter().any(|notice| notice.contains("stored sparse")), "{:?}", table.notices);
    let mean = table.response.unwrap().iter().sum::<f64>() / 327_346.0;
    assert!((mean - 6.9).abs() < 0.05, "{mean}");
}

#[test]
fn hitters_have_missing_salaries_and_text_columns() {
    let Some(path) = data("classic/hitters.csv") else { return };
    let options = options().target("Salary");
    let error = options.read(&path).unwrap_err();
    assert!(error.to_string().contains("line 2, column 20 (Salary): the value is missing"), "{error}");
    let error = options.clone().missing(Missing::Drop).read(&path).unwrap_err();
    assert!(error.to_string().contains("column 1 (player)") && error.hint().contains("ignore"), "{error}");
    let table = options.clone().missing(Missing::Drop).ignore(["player"]).read(&path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (263, 19));
    assert_eq!(table.dropped.len(), 59);
    assert_eq!(table.dropped[0], 0);
    assert!(table.names().contains(&"Division=W".to_owned()));
    let other = options.missing(Missing::Mean).ignore(["player"]).read(&path).unwrap();
    assert_eq!(other.features.rows(), 263);
    // The same file as a file to predict: the names of players are simply not used.
    let again = ReadOptions::new().schema(table.schema.clone()).read(&path).unwrap();
    assert_eq!((again.features.rows(), again.names()), (322, table.names()));
    assert!(again.response.is_none());
    assert_eq!(again.features.row(1), table.features.row(0));
}

#[test]
fn prostate_splits_by_an_ignored_column() {
    let Some(path) = data("classic/prostate.csv") else { return };
    let table = options().target("lpsa").ignore(["train"]).read(&path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (97, 8));
    assert_eq!(table.names()[0], "lcavol");
    assert_eq!(table.features.row(0)[..2], [-0.579_818_495, 2.769_459]);
    let table = options().target("train").task(Task::Classes).read(path).unwrap();
    assert_eq!(table.classes.unwrap().positive_count, 67);
}

#[test]
fn riboflavin_is_wider_than_long() {
    let Some(path) = data("classic/riboflavin.csv.gz") else { return };
    let table = options().target("y").read(path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (71, 4088));
    assert_eq!(table.response.unwrap()[0], -6.643_856_189_774_724);
}

#[test]
fn zipcode_is_read_with_its_digits() {
    let Some(path) = data("matrix/zipcode_train.csv.gz") else { return };
    let table = options().target("digit").read(&path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (7291, 256));
    let zeros = table.response.unwrap().iter().filter(|digit| **digit == 0.0).count();
    assert_eq!(zeros, 1194);
    let error = classes("digit").read(path).unwrap_err();
    assert!(error.to_string().contains("more than two classes"), "{error}");
}

#[test]
fn every_table_of_the_collection_can_be_read() {
    let files = [
        ("classic/bodyfat.csv", 252, 18),
        ("classic/diabetes.csv", 442, 11),
        ("classic/meatspec.csv.gz", 215, 101),
        ("classic/gasoline.csv.gz", 60, 402),
        ("classic/pituitary.csv", 11, 2),
        ("classic/mendota.csv", 12, 2),
        ("classic/global_temperature.csv", 174, 2),
        ("matrix/digits.csv.gz", 1797, 65),
        ("matrix/eeg.csv.gz", 61, 4097),
        ("classification/colon.csv.gz", 62, 2001),
        ("classification/leukemia.csv.gz", 72, 7131),
        ("classification/madelon.csv.gz", 2600, 501),
        ("large/blogfeedback_test.csv.gz", 7624, 281),
    ];
    for (name, rows, columns) in files {
        let Some(path) = data(name) else { return };
        let table = options().unknown(Unknown::Error).read(path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((table.features.rows(), table.features.columns()), (rows, columns), "{name}");
    }
    let Some(path) = data("classic/communities.csv.gz") else { return };
    let table = options().missing(Missing::Mean).ignore(["1", "2", "3", "4", "5"]).read(path).unwrap();
    assert_eq!((table.features.rows(), table.features.columns()), (1994, 123));
    assert_eq!(table.notices.iter().filter(|notice| notice.contains("filled in")).count(), 23);
}
