//! What a good Unix tool does without being asked.

use crate::common::{Place, SMALL, said};
use std::io::Read as _;
use std::process::{Command as Process, Stdio};

#[test]
fn help_has_examples_on_every_command() {
    let place = Place::new();
    for command in [
        "fit",
        "path",
        "predict",
        "evaluate",
        "summary",
        "export",
        "scorecard",
        "tune",
        "theory",
        "compare",
        "simulate",
        "losses",
        "constraints",
        "methods",
        "completions",
        "man",
    ] {
        let text = place.ok(&format!("{command} --help"));
        assert!(text.contains("Examples:") && text.contains("proxdist "), "{command}: {text}");
    }
    assert!(place.ok("--help").contains("Exit status"));
    assert!(place.ok("--version").starts_with("proxdist "));
}

#[test]
fn the_catalogue_lists_losses_sets_and_methods() {
    let place = Place::new();
    assert!(place.ok("losses").contains("huber:DELTA"));
    assert!(place.ok("constraints").contains("group-sparsity:G"));
    assert!(place.ok("methods").contains("spd"));
    for command in ["losses", "constraints", "methods"] {
        assert!(place.json(command).as_array().is_some_and(|entries| !entries.is_empty()), "{command}");
    }
}

#[test]
fn completions_and_manual_pages_come_from_the_same_definitions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.ok(&format!("completions {shell}")).contains("constraint"), "{shell}");
    }
    assert!(place.ok("man").contains(".TH proxdist"));
    place.ok("man --dir pages");
    let fit = place.read("pages/proxdist-fit.1");
    assert!(fit.contains("proxdist\\-fit") && fit.contains("constraint"), "{fit}");
    assert_eq!(std::fs::read_dir(place.path("pages")).unwrap().count(), 18);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let program = assert_cmd::cargo::cargo_bin("proxdist");
    let mut child =
        Process::new(program).arg("constraints").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    assert!(child.wait().unwrap().success() && complaints.is_empty(), "{complaints}");
}

#[test]
fn standard_output_holds_the_result_and_nothing_else() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let words = "fit small.csv --target y --ignore label --constraint sparsity:2";
    let plain = place.run(words);
    assert!(plain.stderr.lines().all(|line| line.starts_with("note:  ")), "{}", plain.stderr);
    assert!(
        plain.stdout.contains("at most 2 nonzero coefficients") && plain.stdout.contains("seed"),
        "{}",
        plain.stdout
    );
    let quiet = place.run(&format!("{words} --quiet --out model.json"));
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let model = place.ok(&format!("{words} --out -"));
    assert_eq!(model, place.read("model.json"));
    let json = place.json(words);
    assert_eq!((json["command"].as_str(), json["nonzeros"].as_u64()), (Some("fit"), Some(2)));
    assert!(json["peak_memory_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
}

#[test]
fn every_output_is_written_and_nothing_besides() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    place.ok("fit small.csv --target label --ignore y --loss logistic -c sparsity:2 --ridge 0.1 --max-steps 300 \
         --out m.json --report r.html --plot p.svg --trace t.csv");
    assert_eq!(place.files(), ["m.json", "p.svg", "r.html", "small.csv", "t.csv"]);
    assert!(place.read("p.svg").starts_with("<svg"));
    assert!(
        place.read("t.csv").starts_with("phase,step,objective,distance,rho,nonzeros,rows_seen,seconds,bound,nodes\n")
    );
    let page = place.read("r.html");
    assert!(page.contains("at most 2 nonzero coefficients") && page.contains("small.csv"), "{page}");
    place.ok("evaluate m.json small.csv --report e.html");
    assert!(place.read("e.html").contains("AUC"));
}

#[test]
fn data_and_model_may_come_from_standard_input() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let words = ["fit", "-", "--target", "y", "--ignore", "label", "-c", "nonneg", "--out", "-"];
    let fitted = said(&place.command().args(words).write_stdin(SMALL).output().unwrap());
    assert_eq!(fitted.code, Some(0), "{}", fitted.stderr);
    let predicted =
        said(&place.command().args(["predict", "-", "small.csv"]).write_stdin(fitted.stdout).output().unwrap());
    assert_eq!(predicted.stdout.lines().count(), 13, "{}", predicted.stderr);
}

#[test]
fn not_converging_is_an_outcome_unless_convergence_is_required() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let words = "fit small.csv --target y --ignore label -c sparsity:2 --no-polish --max-steps 1 --out m.json";
    assert_eq!(place.run(words).code, Some(0));
    std::fs::remove_file(place.path("m.json")).unwrap();
    assert_eq!(place.run(&format!("{words} --require-convergence")).code, Some(1));
    assert!(place.files().contains(&"m.json".to_owned()));
}

#[test]
fn simulated_files_hold_what_they_say() {
    let place = Place::new();
    place.ok("simulate linear --n 200 --p 10 --s 3 --seed 4 --out npz");
    place.ok("simulate linear --n 200 --p 10 --s 3 --seed 4 --out csv --format csv");
    let truth: serde_json::Value = serde_json::from_str(&place.read("npz/truth.json")).unwrap();
    assert_eq!(truth["support"].as_array().map(Vec::len), Some(3));
    let fit = |data: &str| place.json(&format!("fit {data} --target y -c sparsity:3 --no-intercept"));
    let (npz, csv) = (fit("npz/data.npz"), fit("csv/data.csv"));
    assert_eq!(npz["objective"], csv["objective"]);
    let index = |fit: &serde_json::Value| {
        let mut places: Vec<u64> =
            fit["coefficients"].as_array().unwrap().iter().map(|c| c["index"].as_u64().unwrap()).collect();
        places.sort_unstable();
        places
    };
    assert_eq!(serde_json::json!(index(&npz)), truth["support"]);
    place.ok("simulate matrix --n 5 --rank 2 --out matrix");
    place.ok("simulate logistic --n 20 --p 4 --ball --out ball --format csv");
    place.ok("simulate huber --n 20 --p 4 --s 1 --out huber --quiet");
}

#[test]
fn separable_classes_are_mentioned() {
    let place = Place::new();
    let row = |i: i32| format!("{},{},{}", i, i % 3, if i > 20 { "yes" } else { "no" });
    place.write("apart.csv", format!("a,b,y\n{}\n", (1..=40).map(row).collect::<Vec<_>>().join("\n")));
    let free = place.run("fit apart.csv --target y --loss logistic -c none");
    let held = place.run("fit apart.csv --target y --loss logistic -c none --ridge 0.1");
    assert_eq!((free.code, held.code), (Some(0), Some(0)), "{}", free.stderr);
    assert!(!held.stderr.contains("separates") && held.stdout.contains("ridge 0.1"), "{}", held.stderr);
    if place.json("fit apart.csv --target y --loss logistic -c none")["objective"].as_f64().unwrap() < 1e-6 {
        assert!(free.stderr.contains("separates"), "{}", free.stderr);
    }
}
