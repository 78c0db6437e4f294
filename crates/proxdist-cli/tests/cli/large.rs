//! Data larger than the memory they may take: the same models and predictions as in memory, or one clear error.

use crate::common::{Place, Said, coefficient, support};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

/// Columns of the table below.
const COLUMNS: usize = 12;

/// Row `i`, its response last: features 2, 5 and 9 matter.
fn row(i: usize) -> Vec<f64> {
    let uniform = |k: usize| {
        let mut z = ((i * 64 + k) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut values: Vec<f64> = (0..COLUMNS).map(uniform).collect();
    values.push(3.0 * values[1] - 2.0 * values[4] + values[8] + 0.3 * uniform(COLUMNS));
    values
}

fn header() -> String {
    let names: Vec<String> = (1..=COLUMNS).map(|k| format!("x{k}")).collect();
    names.join(",") + ",y\n"
}

fn csv(rows: std::ops::Range<usize>) -> String {
    let mut text = header();
    for i in rows {
        let fields: Vec<String> = row(i).iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{}", fields.join(","));
    }
    text
}

fn svmlight(rows: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for i in rows {
        let values = row(i);
        let pairs = (0..COLUMNS).filter(|k| (i + k) % 3 == 0).map(|k| format!(" {}:{}", k + 1, values[k]));
        let _ = writeln!(text, "{}{}", values[COLUMNS], pairs.collect::<String>());
    }
    text
}

/// `rows` x `COLUMNS` numbers and their response as arrays, and both in one.
fn arrays(place: &Place, rows: usize) {
    let save = |name: &str, shape: &[usize], values: &mut dyn Iterator<Item = f64>| {
        let mut bytes = proxdist_io::npy_header(shape);
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
        place.write(name, bytes);
    };
    let all: Vec<Vec<f64>> = (0..rows).map(row).collect();
    save("X.npy", &[rows, COLUMNS], &mut all.iter().flat_map(|row| row[..COLUMNS].iter().copied()));
    save("t.npy", &[rows], &mut all.iter().map(|row| row[COLUMNS]));
    save("Xy.npy", &[rows, COLUMNS + 1], &mut all.iter().flatten().copied());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The same features, and coefficients that agree to eight digits.
fn assert_close(found: &Value, wanted: &Value) {
    assert_eq!(support(found), support(wanted));
    for name in support(wanted) {
        let (x, y) = (coefficient(found, &name), coefficient(wanted, &name));
        assert!((x - y).abs() < 1e-8 * y.abs().max(1.0), "{name}: {x} and {y}");
    }
}

fn was_on_disk(said: &Value) -> bool {
    said["reads"].as_u64().is_some()
}

const ROWS: usize = 4000;
/// A tenth of what the table takes.
const LITTLE: &str = "--memory 40k";

#[test]
fn every_source_larger_than_the_memory_has_the_model_of_the_one_in_memory() {
    let place = Place::new();
    place.write("data.csv", csv(0..ROWS));
    place.write("data.csv.gz", gzip(csv(0..ROWS).as_bytes()));
    place.write("data.svm", svmlight(0..ROWS));
    arrays(&place, ROWS);
    std::fs::create_dir(place.path("parts")).unwrap();
    for part in 0..4 {
        place.write(&format!("parts/{part}.csv"), csv(part * ROWS / 4..(part + 1) * ROWS / 4));
    }
    for (source, target) in [
        ("data.csv", "y"),
        ("data.csv.gz", "y"),
        ("parts", "y"),
        ("parts/*.csv", "y"),
        ("X.npy", "t.npy"),
        ("Xy.npy", "13"),
        ("data.svm", ""),
    ] {
        let target = if target.is_empty() { String::new() } else { format!("--target {target}") };
        let words = format!("fit {source} {target} --constraint sparsity:3 --quiet");
        let memory = place.json(&words);
        assert!(!was_on_disk(&memory), "{source}");
        let disk = place.json(&format!("{words} {LITTLE}"));
        assert!(was_on_disk(&disk), "{source}: {disk}");
        assert_close(&disk, &memory);
    }
    // Nothing that was packed on the way is left.
    assert_eq!(place.files(), ["X.npy", "Xy.npy", "data.csv", "data.csv.gz", "data.svm", "parts", "t.npy"]);
}

#[test]
fn folds_and_rows_kept_out_are_the_same_on_the_disk() {
    let place = Place::new();
    place.write("data.csv", csv(0..ROWS));
    let words = "fit data.csv --target y --constraint sparsity:3 --holdout 0.25 --quiet";
    let (memory, disk) = (place.json(words), place.json(&format!("{words} {LITTLE}")));
    assert!(was_on_disk(&disk));
    assert_close(&disk, &memory);
    let error = |said: &Value| said["heldout"]["mean_squared_error"].as_f64().unwrap();
    assert!((error(&disk) - error(&memory)).abs() < 1e-8);
    for words in [
        "tune data.csv --target y --grid sparsity:2,3 --folds 2 --quiet",
        "path data.csv --target y --sizes 1-4 --folds 2 --ridge-grid 0 --quiet",
        "path data.csv --target y --sizes 1-4 --select bic --quiet",
    ] {
        let (memory, disk) = (place.json(words), place.json(&format!("{words} {LITTLE}")));
        assert_close(&disk["fit"], &memory["fit"]);
    }
}

#[test]
fn a_store_is_kept_beside_the_model_and_is_data_itself() {
    let place = Place::new();
    place.write("data.csv", csv(0..ROWS));
    let words = format!("fit data.csv --target y --constraint sparsity:3 {LITTLE} --cache cache --out m.json");
    let first = place.run(&words);
    assert!(first.stderr.contains("are packed"), "{}", first.stderr);
    let again = place.run(&words);
    assert!(again.stderr.contains("packed before"), "{}", again.stderr);
    let folder = std::fs::read_dir(place.path("cache")).unwrap().next().unwrap().unwrap();
    let name = folder.file_name().to_string_lossy().into_owned();
    let opened = place.json(&format!("fit cache/{name} --constraint sparsity:3 {LITTLE} --quiet"));
    assert_close(&opened, &place.json("fit data.csv --target y --constraint sparsity:3 --quiet"));
    let predictions = place.ok(&format!("predict m.json cache/{name} --quiet"));
    assert_eq!(predictions, place.ok("predict m.json data.csv --quiet"));
    let error = place.run(&format!("fit cache/{name} --target x1 {LITTLE}"));
    assert_eq!(error.code, Some(2));
    assert!(error.stderr.contains("packed with y as target"), "{}", error.stderr);
}

#[test]
fn predictions_and_measures_are_the_same_in_blocks() {
    let place = Place::new();
    place.write("data.csv", csv(0..ROWS));
    arrays(&place, ROWS);
    place.ok("fit data.csv --target y --constraint sparsity:3 --out m.json --quiet");
    place.ok("fit Xy.npy --target 13 --constraint sparsity:3 --out a.json --quiet");
    // Two hundred thousand rows are several blocks.
    let body = csv(0..ROWS);
    let body = body.split_once('\n').unwrap().1;
    let many = header() + &body.repeat(50);
    place.write("many.csv", &many);
    place.write("many.csv.gz", gzip(many.as_bytes()));
    let once = place.ok("predict m.json data.csv --quiet");
    let once = once.split_once('\n').unwrap().1;
    let wanted = "prediction\n".to_owned() + &once.repeat(50);
    assert!(place.ok("predict m.json many.csv --quiet") == wanted);
    place.ok("predict m.json many.csv.gz --quiet --out p.csv");
    assert!(place.read("p.csv") == wanted);
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("proxdist"));
    let mut child = (command.current_dir(place.path(".")).args(["predict", "m.json", "-", "--quiet"]))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || stdin.write_all(many.as_bytes()));
    assert!(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap() == wanted);
    feeder.join().unwrap().unwrap();
    let (memory, disk) = ("predict a.json Xy.npy --quiet", format!("predict a.json Xy.npy --quiet {LITTLE}"));
    assert_eq!(place.ok(&disk), place.ok(memory));
    let (one, fifty) = (place.json("evaluate m.json data.csv --quiet"), place.json("evaluate m.json many.csv --quiet"));
    let mean = |said: &Value| said["evaluation"]["mean_squared_error"].as_f64().unwrap();
    assert!((mean(&one) - mean(&fifty)).abs() < 1e-12 * mean(&one));
    let refused = place.run("evaluate m.json many.csv --memory 1M");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--memory"), "{}", refused.stderr);
}

fn refused(place: &Place, words: &str) -> Said {
    let said = place.run(words);
    assert_eq!(said.code, Some(2), "{words}\n{}", said.stderr);
    assert_eq!(said.stderr.matches("error:").count(), 1, "{}", said.stderr);
    assert!(said.stderr.contains("hint:"), "{}", said.stderr);
    said
}

#[test]
fn what_cannot_work_is_one_clear_error_and_leaves_nothing() {
    let place = Place::new();
    std::fs::create_dir(place.path("parts")).unwrap();
    place.write("parts/a.csv", csv(0..50));
    place.write("parts/b.csv", csv(50..100).replacen("x3", "z3", 1));
    let said = refused(&place, "fit parts --target y");
    assert!(said.stderr.contains("b.csv: column 3 is \"z3\", but \"x3\" in "), "{}", said.stderr);
    std::fs::create_dir(place.path("empty")).unwrap();
    assert!(refused(&place, "fit empty --target y").stderr.contains("no data file in this folder"));
    assert!(refused(&place, "fit none/*.csv --target y").stderr.contains("that fits this pattern"));
    place.write("data.csv", csv(0..ROWS));
    assert!(refused(&place, &format!("theory data.csv --target y -c ball:1 {LITTLE}")).stderr.contains("--memory"));
    place.write("late.csv", csv(0..ROWS) + "1,2,3\n");
    let said = refused(&place, &format!("fit late.csv --target y {LITTLE} --cache cache"));
    assert!(said.stderr.contains("line 4002"), "{}", said.stderr);
    assert!(std::fs::read_dir(place.path("cache")).unwrap().next().is_none());
    assert!(refused(&place, "predict data.csv data.csv --memory none").stderr.contains("--memory"));
}

/// A file system of a quarter of a megabyte, where the system lets us have one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_clear_error_and_leaves_nothing() {
    let place = Place::new();
    let small = place.path("small");
    std::fs::create_dir(&small).unwrap();
    let mounted =
        std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&small).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        println!("skipped: no file system could be mounted");
        return;
    }
    place.write("data.csv", csv(0..ROWS));
    let said = place.run(&format!("fit data.csv --target y {LITTLE} --cache small --out m.json"));
    let left = std::fs::read_dir(&small).unwrap().count();
    let _ = std::process::Command::new("umount").arg(&small).status();
    assert_eq!((said.code, left), (Some(2), 0), "{}", said.stderr);
    assert!(said.stderr.contains("cannot be written") && said.stderr.contains("make room"), "{}", said.stderr);
    assert_eq!(said.stderr.matches("error:").count(), 1);
    assert!(!place.path("m.json").exists());
}
