//! Ctrl-C keeps the best model so far; a run may go on where it stopped.

#![cfg(unix)]

use crate::common::{Place, said};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

/// Waits until a run has written its first state, so that it is surely under way.
fn wait_for_state(place: &Place, child: &mut Child) {
    let began = Instant::now();
    while !place.path("state.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run has ended without a checkpoint");
        assert!(began.elapsed() < Duration::from_secs(60), "no checkpoint after a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The program at work in a place.
fn started(place: &Place, words: &str) -> Child {
    Process::new(assert_cmd::cargo::cargo_bin("proxdist"))
        .current_dir(place.path("."))
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn send(signal: &str, child: &Child) {
    let sent = Process::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn interrupt(signal: &str) {
    let place = Place::new();
    place.ok("simulate logistic --n 3000 --p 200 --s 5 --out data --quiet");
    let words = format!("{RESUMABLE} --max-steps 100000000 --out model.json --trace trace.csv");
    let mut child = started(&place, &words);
    wait_for_state(&place, &mut child);
    send(signal, &child);
    let asked = Instant::now();
    let said = said(&child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(said.stdout.contains("interrupted, the best model so far is kept"), "{}", said.stdout);
    let model = proxdist::Model::load(place.path("model.json")).unwrap();
    assert!(!model.support().is_empty() && model.support().len() <= 5);
    assert_eq!(place.files(), ["data", "model.json", "state.json", "trace.csv"]);
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

const RESUMABLE: &str =
    "fit data/data.npz --target y --loss logistic -c sparsity:5 --no-polish --tolerance 1e-300 --checkpoint state.json";

#[test]
fn a_resumed_run_equals_an_uninterrupted_one_to_the_last_bit() {
    let place = Place::new();
    place.ok("simulate logistic --n 3000 --p 200 --s 5 --out data --quiet");
    let words = format!("{RESUMABLE} --max-steps 6000");
    let whole = outcome(&place, &words);
    std::fs::remove_file(place.path("state.json")).unwrap();
    let mut child = started(&place, &format!("{words} --quiet"));
    wait_for_state(&place, &mut child);
    send("-INT", &child);
    assert_eq!(said(&child.wait_with_output().unwrap()).code, Some(0));
    assert!(place.files().contains(&"state.json".to_owned()), "{:?}", place.files());
    assert_eq!(outcome(&place, &format!("{words} --resume")), whole);
    // Another seed is another run.
    let other = place.run(&format!("{words} --resume --seed 1"));
    let is_refused = other.code == Some(2) && other.stderr.contains("seed") && other.stderr.contains("hint:");
    assert!(is_refused, "{}", other.stderr);
}

#[test]
fn a_finished_run_resumes_to_the_same_end_or_goes_on_under_wider_limits() {
    let place = Place::new();
    place.ok("simulate logistic --n 1000 --p 50 --s 5 --out data --quiet");
    let long = outcome(&place, &format!("{RESUMABLE} --max-steps 1000"));
    let short = outcome(&place, &format!("{RESUMABLE} --max-steps 333"));
    assert_eq!(outcome(&place, &format!("{RESUMABLE} --max-steps 333 --resume")), short);
    assert_eq!(outcome(&place, &format!("{RESUMABLE} --max-steps 1000 --resume")), long);
}

/// Kills a run without warning at moments spread over its length, goes on from what it has left behind, and compares.
fn survives_being_killed(words: &str, moments: u32) {
    let place = Place::new();
    place.ok("simulate logistic --n 4000 --p 300 --s 5 --out data --quiet");
    let began = Instant::now();
    let whole = outcome(&place, words);
    let length = began.elapsed();
    for moment in 0..moments {
        let _ = std::fs::remove_file(place.path("state.json"));
        let mut child = started(&place, &format!("{words} --quiet"));
        // Later moments may come after the end, which is a moment too.
        std::thread::sleep(length * (moment + 1) / (moments + 1));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(outcome(&place, &format!("{words} --resume")), whole, "moment {moment} of {moments}");
    }
}

#[test]
fn a_default_fit_that_was_killed_goes_on_to_the_same_bits() {
    survives_being_killed("fit data/data.npz --target y --loss logistic -c sparsity:5 --checkpoint state.json", 6);
}

#[test]
fn an_iteration_with_averages_that_was_killed_goes_on_to_the_same_bits() {
    let words = "fit data/data.npz --target y --loss logistic -c sparsity:5 --no-polish --average --max-steps 2000 --checkpoint state.json";
    survives_being_killed(words, 6);
}
