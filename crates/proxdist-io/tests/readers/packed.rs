//! Data that do not fit into the memory: the same numbers as in memory, from files that are whole or not there.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use proxdist_io::{
    Error, Features, Missing, ReadOptions, Reading, SparseRows, Storage, StorePlace, Table, Task, Watch, read_bytes,
};
use tempfile::TempDir;

use crate::common::{gzip, le, npy, npz, options, rows};

/// A table with numbers, texts, gaps, labels, weights and offset.
fn csv(count: usize) -> String {
    let mut text = "a,color,b,label,w,o\n".to_owned();
    for row in 0..count {
        let color = ["red", "green", "blue", "NA"][row * 7 % 11 % 4];
        let a = if row % 13 == 5 { "NA".to_owned() } else { format!("{}", (row as f64 * 0.37).sin()) };
        let label = if row % 3 == 0 { "no" } else { "yes" };
        text += &format!("{a},{color},{},{label},{},{}\n", row * row % 17, 1 + row % 2, row as f64 / 8.0);
    }
    text
}

fn svmlight(count: usize) -> String {
    let line = |row: usize| format!("{} {}:{} {}:1.5\n", row % 5, 1 + row % 7, 0.5 + row as f64, 9 + row % 3);
    (0..count).map(line).collect()
}

fn roles() -> ReadOptions {
    options().target("label").weights("w").offset("o").task(Task::Classes)
}

/// Everything but notices is the same, to the last bit.
fn assert_same(packed: &Table, table: &Table) {
    assert_eq!(rows(packed), rows(table));
    assert_eq!((&packed.response, &packed.weights, &packed.offset), (&table.response, &table.weights, &table.offset));
    assert_eq!((&packed.schema, &packed.classes, &packed.dropped), (&table.schema, &table.classes, &table.dropped));
}

fn is_stored(table: &Table) -> bool {
    matches!(table.features, Features::Stored(_))
}

/// Names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn kept(&self) -> StorePlace {
        StorePlace::Kept(self.folder.path().join("cache"))
    }

    fn stores(&self) -> Vec<String> {
        names(&self.folder.path().join("cache"))
    }
}

#[test]
fn text_that_does_not_fit_is_the_same_from_the_disk() {
    let place = Place::new();
    let path = place.write("t.csv", csv(500));
    for missing in [Missing::Drop, Missing::Mean] {
        for storage in [Storage::Dense, Storage::Sparse] {
            let options = roles().missing(missing).storage(storage);
            let table = options.read(&path).unwrap();
            // So little that rows leave memory one by one, or many at a time.
            for memory in [1, 4000, 10_000] {
                let packed = options.clone().memory(memory).read(&path).unwrap();
                assert!(is_stored(&packed), "{memory}");
                assert_eq!(packed.features.is_sparse(), storage == Storage::Sparse);
                assert_same(&packed, &table);
            }
            let whole = options.clone().memory(1 << 20).read(&path).unwrap();
            assert!(!is_stored(&whole));
            assert_same(&whole, &table);
        }
    }
}

#[test]
fn every_format_that_does_not_fit_is_the_same_from_the_disk() {
    let place = Place::new();
    let plain = "x,y,z\n".to_owned()
        + &(0..300).map(|row| format!("{},{},{}\n", row, row % 7, 0.1 * f64::from(row))).collect::<String>();
    let cases: Vec<(PathBuf, ReadOptions)> = vec![
        (place.write("plain.csv", &plain), options().target("z")),
        (place.write("packed.csv.gz", gzip(plain.as_bytes())), options().target("z")),
        (place.write("t.svm", svmlight(300)), options()),
        (place.write("zero.svm", svmlight(300).replace(" 7:", " 0:")), options().index_base(0)),
        (
            place.write("t.svm.gz", gzip(svmlight(300).as_bytes())),
            options().task(Task::Classes).positive("2").one_against_rest(true),
        ),
    ];
    for (path, options) in cases {
        let table = options.read(&path).unwrap();
        let packed = options.memory(100).read(&path).unwrap();
        assert!(is_stored(&packed), "{}", path.display());
        assert_same(&packed, &table);
    }
}

#[test]
fn texts_that_fit_as_codes_but_not_as_indicators_are_packed() {
    let text = "t,y\n".to_owned() + &(0..200).map(|row| format!("level{},{row}\n", row % 50)).collect::<String>();
    let options = options().target("y").storage(Storage::Dense);
    let table = read_bytes(text.as_bytes(), "t.csv", &options).unwrap();
    let packed = read_bytes(text.as_bytes(), "t.csv", &options.memory(20_000)).unwrap();
    assert!(is_stored(&packed));
    assert_same(&packed, &table);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_that_does_not_fit_is_the_same_from_the_disk() {
    let place = Place::new();
    let path = place.write("t.parquet", crate::parquet::sample(parquet::basic::Compression::SNAPPY));
    for missing in [Missing::Drop, Missing::Mean] {
        let options = options().target("y").task(Task::Classes).missing(missing);
        let table = options.read(&path).unwrap();
        let packed = options.memory(8).read(&path).unwrap();
        assert!(is_stored(&packed));
        assert_same(&packed, &table);
    }
}

#[test]
fn single_precision_is_half_the_size() {
    let place = Place::new();
    let path = place.write("t.csv", csv(200));
    let options = roles().missing(Missing::Mean).memory(10).store(place.kept());
    let table = options.clone().single(true).read(&path).unwrap();
    let exact = options.read(&path).unwrap();
    for (row, other) in rows(&table).iter().zip(rows(&exact)) {
        assert!(row.iter().zip(&other).all(|(x, y)| *x == f64::from(*y as f32)));
    }
    let huge = place.write("huge.csv", "x,y\n1,2\n1e300,3\n");
    let error = super::common::options().target("y").memory(1).single(true).read(&huge).unwrap_err();
    assert!(error.to_string().contains("1e300"), "{error}");
}

#[test]
fn a_store_is_used_again_until_its_source_changes() {
    let place = Place::new();
    let path = place.write("t.csv", csv(300));
    let options = roles().missing(Missing::Drop).memory(100).store(place.kept());
    let said = |table: &Table| table.notices.iter().any(|notice| notice.starts_with("packed before"));
    let first = options.read(&path).unwrap();
    assert!(!said(&first));
    let [store] = &place.stores()[..] else { panic!("{:?}", place.stores()) };
    let again = options.read(&path).unwrap();
    assert!(said(&again));
    assert_same(&again, &first);
    // Other options are another store.
    options.clone().missing(Missing::Mean).read(&path).unwrap();
    assert_eq!(place.stores().len(), 2);
    // A folder of that layout is data itself, in memory if it fits.
    let folder = place.folder.path().join("cache").join(store);
    let opened = super::common::options().memory(100).read(&folder).unwrap();
    assert!(is_stored(&opened));
    assert_same(&opened, &first);
    let opened = super::common::options().target("label").read(&folder).unwrap();
    assert!(!is_stored(&opened));
    assert_same(&opened, &first);
    let error = super::common::options().target("a").read(&folder).unwrap_err();
    assert!(matches!(error, Error::PackedOtherwise { .. }) && error.to_string().contains("label"), "{error}");
    // The source changes: it is packed again, into the same place.
    fs::write(&path, csv(301)).unwrap();
    let changed = options.read(&path).unwrap();
    assert!(!said(&changed));
    assert_eq!((changed.features.rows() > first.features.rows(), place.stores().len()), (true, 2));
}

#[test]
fn a_temporary_store_goes_with_its_table() {
    let place = Place::new();
    let path = place.write("t.csv", csv(300));
    let table = roles().missing(Missing::Drop).memory(100).read(&path).unwrap();
    let Features::Stored(stored) = &table.features else { panic!("not packed") };
    let folder = stored.path().parent().unwrap().to_owned();
    assert!(folder.exists());
    drop(table);
    assert!(!folder.exists());
}

/// Those who disturb a reading.
struct Meddler(PathBuf, AtomicBool);

impl Watch for Meddler {
    fn at(&self, _: Reading) -> ControlFlow<()> {
        if !self.1.swap(true, Ordering::Relaxed) {
            let text = fs::read_to_string(&self.0).unwrap();
            fs::write(&self.0, text + "\n").unwrap();
        }
        ControlFlow::Continue(())
    }
}

struct Thief(PathBuf);

impl Watch for Thief {
    fn at(&self, _: Reading) -> ControlFlow<()> {
        let _ = fs::remove_file(&self.0);
        ControlFlow::Continue(())
    }
}

struct Stop;

impl Watch for Stop {
    fn at(&self, reading: Reading) -> ControlFlow<()> {
        assert!(reading.bytes <= reading.total);
        ControlFlow::Break(())
    }
}

#[test]
fn a_source_that_ends_badly_leaves_nothing_behind() {
    let place = Place::new();
    let cache = place.folder.path().join("cache");
    let cut = gzip(csv(5000).as_bytes());
    let path = place.write("t.csv.gz", &cut[..cut.len() / 2]);
    let options = roles().missing(Missing::Drop).memory(100).store(place.kept());
    assert!(matches!(options.read(&path), Err(Error::TruncatedGzip { .. })));
    assert!(names(&cache).is_empty());
    let path = place.write("bad.csv", csv(2000) + "1,red,oops,no,1,0\n");
    let error = options.read(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("{}, line 2002, column 3 (b): \"oops\" is not a number", path.display()));
    assert!(names(&cache).is_empty());
    // A file that changes while it is read.
    let path = place.write("moving.csv", csv(300));
    let error = options.clone().watch(Meddler(path.clone(), AtomicBool::new(false))).read(&path).unwrap_err();
    assert!(error.to_string().ends_with("the file was changed while it was being read"), "{error}");
    let path = place.write("gone.csv", csv(300));
    let error = options.clone().watch(Thief(path.clone())).read(&path).unwrap_err();
    assert!(error.to_string().ends_with("the file vanished while it was being read"), "{error}");
    // Someone asks for an end.
    let path = place.write("stop.csv", csv(300));
    assert!(matches!(options.watch(Stop).read(&path), Err(Error::Stopped)));
    assert!(names(&cache).is_empty());
}

#[test]
fn a_store_that_was_tampered_with_is_refused() {
    let place = Place::new();
    let path = place.write("t.svm", svmlight(300));
    options().memory(100).store(place.kept()).read(&path).unwrap();
    let folder = place.folder.path().join("cache").join(&place.stores()[0]);
    let whole = fs::read(folder.join("data.npy")).unwrap();
    fs::write(folder.join("data.npy"), &whole[..whole.len() - 8]).unwrap();
    assert!(matches!(options().memory(100).read(&folder), Err(Error::Store { .. })));
    fs::write(folder.join("data.npy"), &whole).unwrap();
    let columns = fs::read(folder.join("indices.npy")).unwrap();
    let mut wrong = columns.clone();
    *wrong.last_mut().unwrap() = 255;
    fs::write(folder.join("indices.npy"), wrong).unwrap();
    let table = options().memory(100).read(&folder).unwrap();
    let Features::Stored(stored) = &table.features else { panic!("not packed") };
    let outcome = stored.reader(0..300).unwrap().sparse(0..300, &mut SparseRows::default());
    assert!(matches!(outcome, Err(Error::Store { .. })));
    fs::write(folder.join("store.json"), "{}").unwrap();
    assert!(matches!(options().read(&folder), Err(Error::Store { .. })));
}

/// 40 x 4 numbers, the last column a label.
fn matrix() -> Vec<f64> {
    (0..160).map(|k| if k % 4 == 3 { f64::from(k / 4 % 2) } else { f64::from(k * k % 31) }).collect()
}

#[test]
fn columns_of_an_array_are_picked_without_a_copy() {
    let place = Place::new();
    let x = place.write("x.npy", npy(1, "<f8", false, "(40, 4)", &le(&matrix())));
    let single: Vec<u8> = matrix().iter().flat_map(|&value| (value as f32).to_le_bytes()).collect();
    let f = place.write("f.npy", npy(1, "<f4", false, "(40, 4)", &single));
    let big: Vec<u8> = matrix().iter().flat_map(|value| value.to_be_bytes()).collect();
    let b = place.write("b.npy", npy(1, ">f8", false, "(40, 4)", &big));
    let stored = place.write("s.npz", npz(&[("X", npy(1, "<f8", false, "(40, 4)", &le(&matrix())))], false));
    let wanted: Vec<Vec<f64>> = matrix().chunks(4).map(|row| vec![row[0], row[2]]).collect();
    for path in [&x, &f, &b, &stored] {
        let options = options().target("4").weights("V2").task(Task::Classes);
        let table = options.read(path).unwrap();
        assert!(matches!(table.features, Features::PickedF64(_) | Features::PickedF32(_)), "{:?}", table.features);
        assert_eq!(rows(&table), wanted);
        assert_eq!(table.names(), ["V1", "V3"]);
        let ordered = options.memory(600).read(path).unwrap();
        assert!(is_stored(&ordered));
        assert_same(&ordered, &table);
    }
    let compressed = place.write("c.npz", npz(&[("X", npy(1, "<f8", false, "(40, 4)", &le(&matrix())))], true));
    let error = options().memory(600).read(&compressed).unwrap_err();
    assert!(matches!(error, Error::OverLimit { .. }) && error.to_string().contains("1.4 kB"), "{error}");
    let fortran = place.write("o.npy", npy(1, "<f8", true, "(40, 4)", &le(&matrix())));
    assert!(matches!(options().memory(600).read(&fortran), Err(Error::OverLimit { .. })));
}

#[test]
fn an_array_that_changes_under_its_reader_is_an_error() {
    let place = Place::new();
    let path = place.write("x.npy", npy(1, "<f8", false, "(40, 4)", &le(&matrix())));
    let table = options().target("4").memory(600).read(&path).unwrap();
    let Features::Stored(stored) = &table.features else { panic!("not on the disk") };
    let mut reader = stored.reader(0..40).unwrap();
    let mut out = vec![0.0; 3];
    reader.dense(0..1, None, &mut out).unwrap();
    fs::write(&path, npy(1, "<f8", false, "(20, 4)", &le(&matrix()[..80]))).unwrap();
    let error = stored.reader(0..40).unwrap_err();
    assert!(error.to_string().contains("was changed"), "{error}");
    assert!(stored.check().is_err());
    fs::remove_file(&path).unwrap();
    assert!(stored.check().unwrap_err().to_string().contains("vanished"));
}

/// Past the cache, rows may be lent where they were read to: the numbers that a copy has, however many are asked for at a time.
#[test]
fn rows_that_are_lent_are_the_rows_of_the_file() {
    let (place, rows, columns) = (Place::new(), 3001, 401);
    let values: Vec<f64> = (0..rows * columns).map(|k| (k * k % 1009) as f64).collect();
    let path = place.write("x.npy", npy(1, "<f8", false, "(3001, 401)", &le(&values)));
    let y = place.write("y.npy", npy(1, "<f8", false, "(3001,)", &le(&values[..rows])));
    let table = options().target(y.to_str().unwrap()).memory(100_000).read(&path).unwrap();
    let Features::Stored(stored) = &table.features else { panic!("not on the disk") };
    let mut stored = stored.clone();
    for is_past_cache in [false, true] {
        stored.past_the_cache(is_past_cache);
        for at_a_time in [1, 7, 326, 3001] {
            let mut reader = stored.reader_of(0..rows, at_a_time).unwrap();
            for first in (0..rows).step_by(at_a_time) {
                let range = first..rows.min(first + at_a_time);
                let wanted = &values[first * columns..range.end * columns];
                if let Some(lent) = reader.lent(range.clone()).unwrap() {
                    assert!(lent == wanted, "{range:?}");
                    continue;
                }
                let mut copied = vec![0.0; wanted.len()];
                reader.dense(range.clone(), None, &mut copied).unwrap();
                assert!(copied == wanted, "{range:?}");
            }
        }
    }
}

#[test]
fn gaps_in_an_array_on_the_disk_have_a_place() {
    let place = Place::new();
    let mut values = matrix();
    values[21] = f64::NAN;
    let path = place.write("x.npy", npy(1, "<f8", false, "(40, 4)", &le(&values)));
    let error = options().target("4").memory(600).read(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("{}, row 6, column 2 (V2): \"NaN\" is not a finite number", path.display()));
    for missing in [Missing::Drop, Missing::Mean] {
        let options = options().target("4").missing(missing);
        let table = options.read(&path).unwrap();
        let packed = options.memory(600).read(&path).unwrap();
        assert!(is_stored(&packed));
        assert_same(&packed, &table);
    }
    // A column that is left out may hold anything.
    assert!(options().target("4").ignore(["2"]).memory(600).read(&path).is_ok());
}

#[test]
fn blocks_are_the_rows_of_the_whole() {
    let place = Place::new();
    let train = csv(400);
    let table = read_bytes(train.as_bytes(), "t.csv", &roles().missing(Missing::Mean)).unwrap();
    let long = place.write("long.csv", csv(400) + &"0.5,red,3,yes,1,2\n".repeat(200_000));
    let options = options().schema(table.schema).missing(Missing::Mean).offset("o").weights("w").task(Task::Classes);
    let whole = options.read(&long).unwrap();
    let (mut blocks, mut all, mut response, mut offset) = (0, Vec::new(), Vec::new(), Vec::new());
    options
        .read_blocks(&[long], &mut |block| {
            blocks += 1;
            all.extend(rows(&block));
            response.extend(block.response.unwrap());
            offset.extend(block.offset.unwrap());
            Ok(())
        })
        .unwrap();
    assert!(blocks > 1, "{blocks}");
    assert!(all == rows(&whole));
    assert_eq!((Some(response), Some(offset)), (whole.response, whole.offset));
}
