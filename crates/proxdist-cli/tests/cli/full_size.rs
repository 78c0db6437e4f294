//! Whole files against the clock: `cargo test --release -p proxdist-cli --test cli -- --ignored full_size --test-threads 1`.

use crate::common::{Place, shared};
use std::time::{Duration, Instant};

fn timed(place: &Place, words: &str, limit: u64) -> serde_json::Value {
    let started = Instant::now();
    let result = place.json(words);
    let taken = started.elapsed();
    let peak = result["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20;
    println!("{taken:.1?}, {peak} MB at most: proxdist {words}");
    assert!(taken < Duration::from_secs(limit), "{taken:?}");
    result
}

#[test]
#[ignore = "needs an optimised build"]
fn qsar_is_fitted_in_ten_seconds_on_one_core() {
    let Some(path) = shared("classification/qsar_oral_toxicity.csv.gz") else { return };
    let place = Place::new();
    let data = format!("{} --no-header --target 1025 --positive positive --loss logistic", path.display());
    let fit = timed(&place, &format!("fit {data} -c sparsity:100 --threads 1"), 10);
    assert_eq!(fit["nonzeros"], 100);
}

#[test]
#[ignore = "needs an optimised build"]
fn qsar_is_tuned_in_three_minutes() {
    let Some(path) = shared("classification/qsar_oral_toxicity.csv.gz") else { return };
    let place = Place::new();
    let data = format!("{} --no-header --target 1025 --positive positive --loss logistic", path.display());
    let tuned = timed(&place, &format!("tune {data} --grid sparsity:20,50,100,200 --folds 10"), 180);
    assert_eq!(tuned["table"]["scores"].as_array().map(Vec::len), Some(4));
}

#[test]
#[ignore = "needs an optimised build"]
fn farm_ads_is_fitted_in_ten_seconds_and_300_megabytes() {
    let Some(path) = shared("classification/farm_ads.svm.gz") else { return };
    let fit = timed(&Place::new(), &format!("fit {} --loss logistic -c sparsity:100", path.display()), 10);
    assert!(fit["peak_memory_bytes"].as_u64().is_some_and(|peak| peak < 300 << 20));
    assert_eq!(fit["nonzeros"], 100);
}

#[test]
#[ignore = "needs an optimised build"]
fn covtype_is_read_and_fitted_in_a_minute() {
    let Some(path) = shared("large/covtype.csv.gz") else { return };
    let words = format!(
        "fit {} --target cover --positive 2 --one-vs-rest --categorical wilderness,soil --loss logistic -c sparsity:20",
        path.display()
    );
    let fit = timed(&Place::new(), &words, 60);
    assert_eq!((fit["data"]["rows"].as_u64(), fit["data"]["features"].as_u64()), (Some(581_012), Some(54)));
    assert_eq!(fit["nonzeros"], 20);
}

/// 10⁷ rows through a pipe, in the memory of ten thousand.
#[test]
#[ignore = "needs an optimised build"]
fn ten_million_rows_are_learned_in_constant_memory() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let started = Instant::now();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("proxdist"))
        .args(
            "fit - --stream --target y --ignore city,label -c sparsity:2 --block 10000 --json --quiet"
                .split_whitespace(),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let text = crate::streams::numbers(100_000);
    let (_, body) = text.split_once('\n').unwrap();
    pipe.write_all(text.as_bytes()).unwrap();
    (1..100).for_each(|_| pipe.write_all(body.as_bytes()).unwrap());
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let fit: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let peak = fit["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20;
    println!("{:.1?}, {peak} MB at most, {} rows/s", started.elapsed(), fit["rows_per_second"]);
    assert_eq!((fit["data"]["rows"].as_u64(), fit["nonzeros"].as_u64()), (Some(10_000_000), Some(2)));
    assert!(peak < 100, "{peak} MB");
}
