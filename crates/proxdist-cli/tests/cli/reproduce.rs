//! `reproduce`: small experiments, mistakes, and a run that goes on after Ctrl-C.

use crate::common::{Place, said};

/// Settings under which `rates` and `rho1` take moments.
fn tiny(place: &Place) -> String {
    let built_in = place.ok("reproduce --print-settings");
    let changed = built_in
        .replace("n = 1_000\np = 20", "n = 60\np = 4")
        .replace("first_step = 1_000 #", "first_step = 10 #")
        .replace("steps = 300_000", "steps = 400")
        .replace("steps = 10_000\nrepeats = 10\nquick", "steps = 500\nrepeats = 10\nquick")
        .replace("low = { n = 300, p = 20 }", "low = { n = 40, p = 4 }")
        .replace("high = { n = 300, p = 100 }", "high = { n = 40, p = 8 }");
    let gone = ["n = 1_000\np = 20", "steps = 300_000", "p = 100 }", "steps = 10_000\nrepeats = 10\nquick"];
    assert!(gone.iter().all(|text| built_in.contains(text) && !changed.contains(text)), "{changed}");
    place.write("tiny.toml", changed).display().to_string()
}

#[test]
fn an_experiment_leaves_rows_pictures_and_a_page_and_one_object_on_standard_output() {
    let place = Place::new();
    let settings = tiny(&place);
    let result = place.json(&format!("reproduce rates --settings {settings} --repeats 3 --out r"));
    assert_eq!(result["experiments"][0]["name"], "rates");
    let statements = result["experiments"][0]["statements"].as_array().unwrap();
    assert!(statements.iter().all(|s| ["agrees", "differs", "remark"].contains(&s["verdict"].as_str().unwrap())));
    let rows = place.read("r/rates.csv");
    assert!(rows.starts_with("gamma,rho1_over_mu,mu,repeat,step,"), "{rows}");
    assert!(place.read("r/rates.svg").starts_with("<svg"));
    assert!(std::fs::read(place.path("r/rates.png")).unwrap().starts_with(b"\x89PNG"));
    let page = place.read("r/index.html");
    assert!(page.contains("Table 1: convergence rates") && page.contains("Not run, or not finished: figure1"));
    // The same seed, the same rows; another, others.
    place.ok(&format!("reproduce rates --settings {settings} --repeats 3 --out again --threads 3 --quiet"));
    assert_eq!(place.read("again/rates.csv"), rows);
    place.ok(&format!("reproduce rates --settings {settings} --repeats 3 --out other --seed 9 --quiet"));
    assert_ne!(place.read("other/rates.csv"), rows);
}

#[test]
fn mistakes_are_answered_with_the_names_and_the_remedy() {
    let place = Place::new();
    place.write("bad.toml", "[rates]\nn = 1\n");
    for (words, parts) in [
        ("reproduce figure9", ["\"figure9\" is not an experiment", "hint:  give one of rates, figure1"]),
        ("reproduce rates --settings bad.toml", ["bad.toml", "--print-settings"]),
        ("reproduce rates --settings missing.toml", ["missing.toml", "check the path"]),
        ("reproduce rates --repeats 1", ["--repeats", "hint:"]),
        ("reproduce", ["NAME", "hint:"]),
    ] {
        let said = place.run(words);
        assert_eq!(said.code, Some(2), "{words}: {}", said.stderr);
        assert!(parts.iter().all(|part| said.stderr.contains(part)), "{words}: {}", said.stderr);
    }
    let skipped = place.json("reproduce qsar --data nowhere --out r");
    assert_eq!(skipped["skipped"][0]["name"], "qsar");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_finished_and_the_same_command_goes_on() {
    use std::process::{Command as Process, Stdio};
    let place = Place::new();
    let settings = tiny(&place);
    let words = format!("reproduce rho1 --settings {settings} --repeats 40 --threads 1 --out r");
    let child = Process::new(assert_cmd::cargo::cargo_bin("proxdist"))
        .current_dir(place.path("."))
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let finished = || std::fs::read_dir(place.path("r/cells")).map_or(0, Iterator::count);
    while finished() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let said = said(&child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{}", said.stderr);
    assert!(said.stderr.contains("goes on from there"), "{}", said.stderr);
    assert!(finished() < 160, "the run was over before it could be interrupted");
    place.ok(&words);
    assert_eq!(
        place.read("r/rho1.csv").lines().count() % (4 * 40 * 7),
        1,
        "a row for every panel, repeat, rho1 and step"
    );
}
