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
        .args(["--tolerance", "1e-300", "--max-steps", "100000000", "--out", "model.json", "--trace", "trace.csv"])
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
