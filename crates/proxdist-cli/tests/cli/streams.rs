//! `fit --stream`: rows from a file or a pipe, learned once.

use crate::common::{Place, Said, coefficient, said, support};
use serde_json::Value;
use std::fmt::Write as _;

/// Rows `first..end` of a table that has no end: `y` depends on `dose` (in thousandths) and on the city; now and then a number is missing.
fn rows(range: std::ops::Range<u64>, gaps: bool) -> String {
    let mut text = "dose,city,noise,other,y,label\n".to_owned();
    for i in range {
        let draw = |k: u64| {
            let mut z = (i * 7 + k).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let city = ["Bonn", "Jena", "Kiel"][(i % 3) as usize];
        let y = 4.0 * draw(0) + if city == "Jena" { 2.0 } else { 0.0 } + 0.5 * draw(3) + 1.0;
        let label = if y + draw(4) > 1.7 { "yes" } else { "no" };
        let noise = if gaps && i % 50 == 7 { String::new() } else { format!("{:.4}", draw(1)) };
        let _ = writeln!(text, "{:.7},{city},{noise},{:.4},{y:.5},{label}", 0.001 * draw(0), 1000.0 * draw(2));
    }
    text
}

fn piped(place: &Place, words: &str, input: impl Into<Vec<u8>>) -> Said {
    let words = format!("{words} --ignore label");
    said(&place.command().args(words.split_whitespace()).write_stdin(input).output().expect("the program runs"))
}

fn json(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}\n{}", said.stdout))
}

const STREAM: &str = "fit - --stream --target y -c sparsity:2 --block 500";

#[test]
fn a_pipe_is_learned_and_its_model_predicts_other_files() {
    let place = Place::new();
    let fit = json(&piped(&place, &format!("{STREAM} --missing mean --out model.json --json"), rows(0..6000, true)));
    assert_eq!(support(&fit), ["city=Jena", "dose"]);
    assert!((coefficient(&fit, "dose") / 4000.0 - 1.0).abs() < 0.03, "{fit}");
    assert!((coefficient(&fit, "city=Jena") - 2.0).abs() < 0.06, "{fit}");
    assert_eq!((fit["data"]["rows"].as_u64(), fit["steps"].as_u64()), (Some(6000), Some(12 * 8)));
    assert_eq!((fit["ended"].as_str(), fit["standardized"].as_bool()), (Some("end of the input"), Some(true)));
    let recent = &fit["progressive"]["recent"];
    // The very first block was predicted by nothing.
    assert!(recent["r_squared"].as_f64().unwrap() > 0.8, "{recent}");
    assert_eq!(recent["accuracy"], Value::Null);
    assert_eq!((fit["measured"]["on"].as_str(), fit["measured"]["rows"].as_u64()), (Some("last block"), Some(500)));
    place.write("new.csv", rows(9000..9100, true));
    let evaluation = place.json("evaluate model.json new.csv --missing mean");
    assert!(evaluation["evaluation"]["r_squared"].as_f64().unwrap_or(0.0) > 0.9, "{evaluation}");
}

/// The same rows from a file, in other formats and with labels.
#[test]
fn files_labels_and_sparse_rows_are_streams_too() {
    let place = Place::new();
    place.write("rows.csv", rows(0..4000, false));
    let words = "fit rows.csv --stream --target label --ignore y --loss logistic -c sparsity:2 --half-life 20000";
    let fit = place.json(&format!("{words} --out model.json"));
    assert_eq!(support(&fit), ["city=Jena", "dose"]);
    assert!(fit["progressive"]["running"]["accuracy"].as_f64().unwrap() > 0.75, "{fit}");
    assert!(fit["effective_rows"].as_f64().unwrap() < 4000.0);
    assert!(
        place
            .ok("predict model.json rows.csv")
            .lines()
            .nth(1)
            .is_some_and(|line| line.contains("yes") || line.contains("no"))
    );
    let mut sparse = String::new();
    for i in 0..3000_u32 {
        let (a, b) = (f64::from(i * 37 % 101) / 50.0 - 1.0, f64::from(i * 53 % 97) / 48.0 - 1.0);
        let _ = writeln!(sparse, "{:.4} 3:{a} {}:{b}", 3.0 * a, 4 + i % 20);
    }
    place.write("rows.svm", sparse);
    let fit = place.json("fit rows.svm --stream -c sparsity:1");
    assert_eq!(support(&fit), ["V3"]);
    assert!((coefficient(&fit, "V3") - 3.0).abs() < 0.1, "{fit}");
}

/// A wrong cell in the middle is told with its line, and the last model that was written stays.
#[test]
fn a_wrong_cell_has_its_place_and_the_last_model_stays() {
    let place = Place::new();
    let good = rows(0..3000, false);
    let mut text = good.clone();
    text += "0.1,Bonn,zero,1,2,no\n";
    let said = piped(&place, &format!("{STREAM} --every 1000 --out model.json"), text);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("error: standard input, line 3002, column 3 (noise): \"zero\" is not a number"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("model.json holds the model after 3000 rows"), "{}", said.stderr);
    let model = proxdist::Model::load(place.path("model.json")).unwrap();
    assert_eq!(model.streamed.unwrap().rows, 3000);
    for (row, message) in [
        ("0.1,Rom,0,1,2,no", "line 3002, column 2 (city): the category \"Rom\" did not occur in training"),
        ("0.1,Bonn,0,1,2", "line 3002: 5 fields, but 6 columns are expected"),
        ("0.1,Bonn,,1,2,no", "line 3002, column 3 (noise): the value is missing"),
    ] {
        let said = piped(&place, STREAM, format!("{good}{row}\n"));
        assert!(said.code == Some(2) && said.stderr.contains(message), "{}", said.stderr);
        assert_eq!(said.stderr.matches("hint:").count(), 1);
    }
    assert_eq!(piped(&place, &format!("{STREAM} --unknown zero"), format!("{good}0.1,Rom,0,1,2,no\n")).code, Some(0));
    let count = piped(&place, &STREAM.replace("-c", "--loss poisson -c"), format!("{good}0.1,Bonn,0,1,-7,no\n"));
    assert!(count.stderr.contains("standard input: the target of data row"), "{}", count.stderr);
    let nothing = piped(&place, STREAM, "dose,city,noise,other,y,label\n");
    assert!(nothing.code == Some(2) && nothing.stderr.contains("no row of data"), "{}", nothing.stderr);
}

/// Killed between blocks and resumed, from a file and from a pipe: the same model to the last byte.
#[test]
fn a_resumed_stream_writes_the_same_model() {
    let place = Place::new();
    let words = "fit rows.csv --stream --target y --ignore label -c sparsity:2 --block 250 --missing mean --half-life 3000 --finish --sample 200";
    place.write("rows.csv", rows(0..4000, true));
    place.ok(&format!("{words} --out whole.json --quiet"));
    place.write("rows.csv", rows(0..1500, true));
    place.ok(&format!("{words} --checkpoint state.json --quiet"));
    place.write("rows.csv", rows(0..4000, true));
    place.ok(&format!("{words} --checkpoint state.json --resume --out resumed.json --quiet"));
    assert_eq!(place.read("resumed.json"), place.read("whole.json"));
    // A pipe begins with new rows.
    place.write("rows.csv", rows(0..1500, true));
    place.ok(&format!("{words} --checkpoint other.json --quiet"));
    let from_pipe = words.replace("rows.csv", "-");
    let output = place
        .command()
        .args(format!("{from_pipe} --checkpoint other.json --resume --out piped.json --quiet").split_whitespace())
        .write_stdin(rows(1500..4000, true))
        .output()
        .unwrap();
    assert_eq!(said(&output).code, Some(0), "{}", said(&output).stderr);
    assert_eq!(place.read("piped.json"), place.read("whole.json"));
    let refused = place.run(&format!("{words} --checkpoint other.json --resume --batch-size 9"));
    assert!(refused.code == Some(2) && refused.stderr.contains("batch_size 64, not 9"), "{}", refused.stderr);
    place.write("state.json", "{}");
    let refused = place.run(&format!("{words} --checkpoint state.json --resume"));
    assert!(refused.stderr.contains("is not the state of a stream"), "{}", refused.stderr);
}

#[test]
fn the_finish_is_one_of_the_sample_and_says_so() {
    let place = Place::new();
    place.write("rows.csv", rows(0..4000, false));
    let words = "fit rows.csv --stream --target y --ignore label -c sparsity:2 --finish --sample 300";
    let said = place.ok(&format!("{words} --out model.json"));
    assert!(said.contains("of 300 rows: all below is about these rows, not the stream"), "{said}");
    assert!(said.contains("R2 before learning"), "{said}");
    let fit = place.json(words);
    assert_eq!((fit["measured"]["on"].as_str(), fit["measured"]["rows"].as_u64()), (Some("sample"), Some(300)));
    assert_eq!(fit["measured"]["stop"], "polished");
    assert!(place.read("model.json").contains("\"measured_on\": \"sample\""));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let place = Place::new();
    place.write("rows.csv", rows(0..50, false));
    place.ok("simulate linear --n 50 --p 5 --s 1 --out data --quiet");
    for (words, message) in [
        ("fit rows.csv --target y --half-life 10", "--stream"),
        ("fit rows.csv --target y --stream --half-life 0", "a number of rows is expected"),
        ("fit rows.csv --target y --stream --every 10x", "10000 or 30s"),
        ("fit rows.csv --target y --stream --block 0", "--block"),
        ("fit rows.csv --target y --stream --sample 10", "--finish"),
        ("fit rows.csv --target y --stream --report page.html", "cannot be used with"),
        ("fit rows.csv --stream", "no target is given"),
        ("fit none.csv --stream --target y", "none.csv"),
        ("fit data/data.npz --stream --target y", "rows that come in order are CSV or svmlight"),
        (
            "fit rows.csv --target y --stream --ignore city,label --standardize -c ball:1",
            "would be another one on scaled columns",
        ),
    ] {
        let said = place.run(words);
        assert!(said.code == Some(2) && said.stderr.contains(message), "{words}\n{}", said.stderr);
        assert!(said.stderr.contains("hint:"), "{words}\n{}", said.stderr);
    }
    let said = place.run("fit rows.csv --target y --ignore label --stream --max-steps 7 --method psgd");
    assert!(
        said.stderr.contains("--max-steps had no effect") && said.stderr.contains("--method had no effect"),
        "{}",
        said.stderr
    );
}

/// Peak memory does not depend on the number of rows; the whole of it, 10⁷ rows, is in `full_size.rs`.
#[test]
fn memory_does_not_grow_with_the_stream() {
    let place = Place::new();
    let peak = |rows: u64| {
        let fit = json(&piped(&place, "fit - --stream --target y -c sparsity:2 --ignore city --json", numbers(rows)));
        assert_eq!((support(&fit), fit["data"]["rows"].as_u64()), (vec!["x0".to_owned(), "x1".to_owned()], Some(rows)));
        fit["peak_memory_bytes"].as_u64()
    };
    let (Some(short), Some(long)) = (peak(20_000), peak(200_000)) else { return };
    assert!(long < short + (8 << 20), "{short} {long}");
}

/// Rows of four numbers: `y = 2 x0 - x1` and a little noise.
pub(crate) fn numbers(rows: u64) -> String {
    let mut text = "x0,x1,x2,city,label,y\n".to_owned();
    for i in 0..rows {
        let digit = |prime: u64| (i * prime % 1009) as f64 / 504.0 - 1.0;
        let _ = writeln!(
            text,
            "{:.3},{:.3},{:.3},a,b,{:.3}",
            digit(37),
            digit(101),
            digit(211),
            2.0 * digit(37) - digit(101) + 0.1 * digit(523)
        );
    }
    text
}

#[cfg(unix)]
mod live {
    use super::*;
    use std::io::Write as _;
    use std::process::{Command as Process, Stdio};
    use std::time::{Duration, Instant};

    /// Waits for a model of so many rows.
    fn wait_for(place: &Place, rows: u64) {
        let began = Instant::now();
        loop {
            let model = proxdist::Model::load(place.path("model.json"));
            if model.is_ok_and(|model| model.streamed.is_some_and(|streamed| streamed.rows == rows)) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "no model of {rows} rows after a minute");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A writer that pauses: rows that have come are learned and in the model though there is no end; then Ctrl-C.
    #[test]
    fn rows_are_learned_as_they_come_and_ctrl_c_ends_with_the_model() {
        let place = Place::new();
        let words =
            "fit - --stream --target y --ignore label -c sparsity:2 --block 400 --every 1s --out model.json --json";
        let mut child = Process::new(assert_cmd::cargo::cargo_bin("proxdist"))
            .current_dir(place.path("."))
            .args(words.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(rows(0..1000, false).as_bytes()).unwrap();
        // Half of a line is no row.
        pipe.write_all(b"0.0001,Bonn").unwrap();
        pipe.flush().unwrap();
        wait_for(&place, 1000);
        pipe.write_all(b",0,1,2,no\n").unwrap();
        let more = rows(1000..1500, false);
        pipe.write_all(more.split_once('\n').unwrap().1.as_bytes()).unwrap();
        pipe.write_all(b"0.0001,Bonn").unwrap();
        pipe.flush().unwrap();
        wait_for(&place, 1501);
        assert!(Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let said = said(&child.wait_with_output().unwrap());
        drop(pipe);
        let fit = json(&said);
        assert_eq!((fit["ended"].as_str(), fit["data"]["rows"].as_u64()), (Some("interrupted"), Some(1501)));
        assert_eq!(support(&fit), ["city=Jena", "dose"]);
    }
}
