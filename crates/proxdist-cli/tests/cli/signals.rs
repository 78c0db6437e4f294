//! Ctrl-C keeps the best model so far; a run may go on where it stopped.

#![cfg(unix)]

use crate::common::{Place, said};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

fn interrupt(signal: &str) {
    let place = Place::new();
    place.ok("simulate logistic --n 3000 --p 200 --s 5 --out data --quiet");
    let child = Process::new(assert_cmd::cargo::cargo_bin("proxdist"))
        .current_dir(place.path("."))
        .args(["fit", "data/data.npz", "--target", "y", "--loss", "logistic", "-c", "sparsity:5"])
        .args([
            "--no-polish",
            "--tolerance",
            "1e-300",
            "--max-steps",
            "100000000",
            "--out",
            "model.json",
            "--trace",
            "trace.csv",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Process::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let asked = Instant::now();
    let said = said(&child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(said.stdout.contains("interrupted, the best model so far is kept"), "{}", said.stdout);
    let model = proxdist::Model::load(place.path("model.json")).unwrap();
    assert!(!model.support().is_empty() && model.support().len() <= 5);
    assert_eq!(place.files(), ["data", "model.json", "trace.csv"]);
}

#[test]
fn ctrl_c_keeps_the_best_feasible_model() {
    interrupt("-INT");
}

#[test]
fn so_does_a_request_to_terminate() {
    interrupt("-TERM");
}

/// Everything about a fit but the time it took.
fn outcome(place: &Place, words: &str) -> serde_json::Value {
    let mut fit = place.json(words);
    for key in ["seconds", "peak_memory_bytes", "files"] {
        fit[key].take();
    }
    fit
}

#[test]
fn a_resumed_run_equals_an_uninterrupted_one_to_the_last_bit() {
    let place = Place::new();
    place.ok("simulate logistic --n 3000 --p 200 --s 5 --out data --quiet");
    let words =
        "fit data/data.npz --target y --loss logistic -c sparsity:5 --no-polish --tolerance 1e-300 --max-steps 3000";
    let whole = outcome(&place, words);
    let child = Process::new(assert_cmd::cargo::cargo_bin("proxdist"))
        .current_dir(place.path("."))
        .args(words.split_whitespace())
        .args(["--checkpoint", "state.json", "--quiet"])
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    // A fast machine may be done by now; then there is a checkpoint all the same.
    let _ = Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(said(&child.wait_with_output().unwrap()).code, Some(0));
    assert!(place.files().contains(&"state.json".to_owned()), "{:?}", place.files());
    let resumed = format!("{words} --checkpoint state.json --resume");
    assert_eq!(outcome(&place, &resumed), whole);
    // Another seed is another run.
    let other = place.run(&format!("{resumed} --seed 1"));
    assert!(
        other.code == Some(2) && other.stderr.contains("seed") && other.stderr.contains("hint:"),
        "{}",
        other.stderr
    );
}
