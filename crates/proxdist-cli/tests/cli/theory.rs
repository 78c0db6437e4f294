//! `proxdist theory`: what it says, writes and refuses.

use crate::common::{Place, SMALL};

/// A small ball problem of the paper.
fn place() -> Place {
    let place = Place::new();
    place.ok("simulate linear --n 300 --p 4 --ball --seed 1 --out demo --format csv");
    place
}

const BALL: &str = "theory demo/data.csv --target y --constraint ball:1 --no-intercept --batch-size 20 --at 500";

#[test]
fn theory_tells_constants_assumptions_rates_and_advice() {
    let place = place();
    let text = place.ok(&format!("{BALL} --gamma 0.75 --rho1 1"));
    for expected in ["k_0", "holds  Assumption 5", "0.750", "least bound of Theorem 2 at step 500", "mu / (e - 1)"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let found = place.json(&format!("{BALL} --gamma 0.75 --rho1 1"));
    let number = |path: &str| found.pointer(path).and_then(serde_json::Value::as_f64).expect(path);
    assert_eq!(found["constants"]["mu_basis"], "everywhere");
    assert!((number("/constants/s") - 2.612_375_348_685_488).abs() < 1e-12);
    let fastest = number("/advice/fastest_rho1_at_gamma_1");
    assert!((fastest * 1.0_f64.exp_m1() / number("/constants/mu") - 1.0).abs() < 1e-12);
    assert!(number("/advice/auto_rho1") > 0.0 && found["measured"].is_null());
    let assumptions = found["assumptions"].as_array().unwrap();
    assert!(assumptions.len() == 7 && assumptions.iter().all(|a| a["verdict"] == "holds"));
}

#[test]
fn the_guide_shows_what_its_commands_print() {
    let guide = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/theory.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let place = Place::new();
    let commands: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("proxdist ")).collect();
    assert_eq!(commands.len(), 2);
    let printed: Vec<String> = commands.into_iter().map(|words| place.ok(words)).collect();
    // Which digits of averages over thousands of steps survive another machine is not promised; the constants do.
    let constants = printed[1].split("\nAssumptions").next().and_then(|text| text.split("\nConstants").nth(1)).unwrap();
    assert!(constants.contains("k_0") && guide.contains(constants), "{constants}");
}

#[test]
fn measured_runs_stay_below_the_bounds_and_files_are_written() {
    let place = place();
    let words = format!("{BALL} --gamma 0.8 --rho1 1 --measure --steps 500 --repeats 5");
    let found = place.json(&format!("{words} --out t.csv --plot t.svg --report t.html"));
    let list = |path: &str| -> Vec<f64> {
        let values = found.pointer(path).and_then(serde_json::Value::as_array).expect(path);
        values.iter().map(|value| value.as_f64().expect("a number")).collect()
    };
    let (bound, mean) = (list("/bounds/log10_parameter_step_by_step"), list("/measured/parameter/mean"));
    assert!(bound.len() == mean.len() && mean.iter().zip(&bound).all(|(mean, bound)| mean.log10() <= *bound));
    assert!(found["measured"]["parameter"]["slope"]["value"].as_f64().unwrap() < -0.5);
    let table = place.read("t.csv");
    assert_eq!(table.lines().count(), mean.len() + 1);
    assert_eq!(table.lines().map(|line| line.split(',').count()).max(), Some(15));
    assert!(place.read("t.svg").contains("measured: mean") && place.read("t.html").contains("Rates and advice"));
    // Threads change nothing.
    let again = place.json(&format!("{words} --threads 1"));
    assert_eq!(again["measured"], found["measured"]);
}

#[test]
fn a_set_that_is_not_convex_is_a_heuristic_and_said_to_be() {
    let place = place();
    let text = place.ok("theory demo/data.csv --target y --constraint sparsity:2 --at 100 --gamma 1.2");
    for expected in ["FAILS  Assumption 1", "FAILS  Assumption 2", "heuristic", "no rate", "columns are scaled"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn what_the_theory_cannot_say_has_an_error_and_a_hint() {
    let place = Place::new();
    place.write("small.csv", SMALL);
    let doubled = |line: &str| format!("{line},{}", line.split(',').next().unwrap_or_default());
    let twin: Vec<String> = SMALL.lines().map(doubled).collect();
    place.write("twin.csv", twin.join("\n").replacen(",a\n", ",again\n", 1));
    let cases = [
        ("small.csv --target y --ignore label --loss poisson --constraint ball:1", "poisson", "logistic"),
        ("twin.csv --target y --ignore label --constraint ball:1", "again", "--ridge"),
        ("small.csv --target y --ignore label --at 0", "--at must be from 1 to 1000000, got 0", "leave it out"),
        ("small.csv --target y --ignore label --repeats 3", "--measure", "theory --help"),
        ("small.csv --target y --ignore label --plot -", "standard output", "file name"),
        ("small.csv --target y --ignore label --gamma=-1", "--gamma", "usual"),
    ];
    for (words, message, hint) in cases {
        let said = place.run(&format!("theory {words}"));
        assert_eq!(said.code, Some(2), "{words}: {}", said.stderr);
        let line =
            |start: &str| said.stderr.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
        assert!(line("error:").contains(message), "{words}: {}", said.stderr);
        assert!(line("hint:").contains(hint), "{words}: {}", said.stderr);
    }
    assert_eq!(place.files(), ["small.csv", "twin.csv"]);
}
