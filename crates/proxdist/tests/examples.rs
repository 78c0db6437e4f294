//! The example programs answer what they show at their top.
//!
//! `cargo test` builds the examples anyway; they are run as they are, so that this file costs nothing to compile.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Examples whose answer stands at their top. The two others measure times.
const SHOWN: [&str; 7] = [
    "which_five_features",
    "is_it_the_best_choice",
    "how_many_features",
    "a_portfolio_with_caps",
    "a_low_rank_matrix",
    "a_set_of_my_own",
    "a_loss_of_my_own",
];
const TIMED: [&str; 2] = ["how_fast_are_projections", "larger_than_memory"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// The compiled program, which lies beside the folder of the tests.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent()
        .and_then(Path::parent)
        .unwrap()
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The lines of the block of text in the comment at the top.
fn shown(source: &str) -> Vec<String> {
    let top = source.lines().map_while(|line| line.strip_prefix("//!"));
    let top = top.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
    top.skip_while(|line| line != "```text").skip(1).take_while(|line| line != "```").collect()
}

#[test]
fn every_example_answers_what_it_shows() {
    for name in SHOWN {
        let path = folder().join(format!("{name}.rs"));
        let source = std::fs::read_to_string(&path).unwrap();
        let expected = shown(&source);
        assert!(!expected.is_empty(), "{name} shows no answer");
        let program = program(name);
        let age = |path: &Path| std::fs::metadata(path).and_then(|facts| facts.modified());
        let is_built = age(&program).is_ok_and(|built| age(&path).is_ok_and(|written| built >= written));
        assert!(is_built, "{} is missing or old: cargo build --workspace --examples", program.display());
        let done = Command::new(&program).output().unwrap();
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        let said = String::from_utf8(done.stdout).unwrap();
        let said: Vec<&str> = said.lines().map(str::trim_end).collect();
        assert_eq!(said, expected, "{name}");
    }
}

#[test]
fn every_example_is_run_or_known_to_measure_times() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().path().file_stem()?.to_str()?.to_owned()))
        .collect();
    found.sort();
    let mut known: Vec<&str> = SHOWN.into_iter().chain(TIMED).collect();
    known.sort_unstable();
    assert_eq!(found, known);
}
