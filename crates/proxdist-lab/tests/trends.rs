//! The quick reproduction shows the paper's trends, and does not depend on the number of workers.

use proxdist_lab::{Plan, Progress, Settings, Summary, Verdict, Watch, reproduce};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

struct Quiet;
impl Watch for Quiet {
    fn progress(&self, _: &Progress) {}
    fn written(&self, _: &'static str, _: f64) {}
    fn is_over(&self) -> bool {
        false
    }
}

fn plan(names: &[&str], out: &Path, workers: usize) -> Plan {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    Plan {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        settings: Settings::built_in(true).unwrap(),
        settings_name: "quick".to_owned(),
        seed: 1,
        out: out.to_owned(),
        data: Some(std::env::var_os("PROXDIST_DATA").map_or_else(beside, PathBuf::from)),
        workers,
    }
}

/// Asserts that every statement of that name agrees with the paper.
fn agrees(summary: &Summary, experiment: &str, statement: &str) {
    let (_, statements) = summary.statements.iter().find(|(name, _)| *name == experiment).expect(experiment);
    let found: Vec<_> = statements.iter().filter(|s| s.name == statement).collect();
    assert!(!found.is_empty(), "{experiment} has no statement {statement}");
    for s in found {
        assert_eq!(s.verdict, Verdict::Agrees, "{experiment}, {statement}: {} / {}", s.paper, s.ours);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: make trends")]
fn the_quick_reproduction_shows_the_trends_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let summary = reproduce(&plan(&["all"], folder.path(), cores), &Quiet).unwrap();
    for figure in ["figure1", "figure2"] {
        for statement in ["progress", "monotone", "faster beyond one", "choppy"] {
            agrees(&summary, figure, statement);
        }
    }
    agrees(&summary, "rates", "rate");
    agrees(&summary, "rho1", "up to a point");
    agrees(&summary, "boxplots", "improves then fails");
    agrees(&summary, "boxplots", "fails at 5/3");
    agrees(&summary, "table2", "much better matrix rank 5");
    agrees(&summary, "figure3b", "more steps");
    small_batches_need_less_work(folder.path());
    low_rank_helps(folder.path());
    if summary.skipped.is_empty() {
        agrees(&summary, "qsar", "auc");
    } else {
        assert!(std::env::var_os("CI").is_none(), "{:?}", summary.skipped);
        println!("skipped: no data ({:?})", summary.skipped);
    }
    // What is written is whole: a page with every section, rows and pictures for each.
    let page = std::fs::read_to_string(&summary.page).unwrap();
    for (name, statements) in &summary.statements {
        assert!(page.contains(&format!("<section id=\"{name}\">")) && !statements.is_empty(), "{name}");
        assert!(folder.path().join(format!("{name}.csv")).exists(), "{name}");
    }
    let pictures = |ending: &str| {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|found| found == ending)).count()
    };
    assert!(pictures("svg") >= 10 && pictures("svg") == pictures("png"), "{} {}", pictures("svg"), pictures("png"));
    // A second run finds everything and computes nothing.
    let rows = std::fs::read(folder.path().join("table2.csv")).unwrap();
    let again = std::time::Instant::now();
    reproduce(&plan(&["all"], folder.path(), 1), &Quiet).unwrap();
    assert!(again.elapsed().as_secs() < 20, "{:?}", again.elapsed());
    assert_eq!(std::fs::read(folder.path().join("table2.csv")).unwrap(), rows);
}

#[test]
fn rows_do_not_depend_on_the_number_of_workers() {
    let rows = |workers| {
        let folder = tempfile::tempdir().unwrap();
        let plan =
            Plan { settings: Settings::built_in(true).unwrap().repeats(2), ..plan(&["rho1"], folder.path(), workers) };
        reproduce(&plan, &Quiet).unwrap();
        std::fs::read_to_string(folder.path().join("rho1.csv")).unwrap()
    };
    assert_eq!(rows(1), rows(3));
}

/// Rows of one experiment as written, by the names of their columns.
fn written(folder: &Path, experiment: &str) -> Vec<HashMap<String, String>> {
    let text = std::fs::read_to_string(folder.join(format!("{experiment}.csv"))).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines.map(|cells| head.iter().cloned().zip(cells).collect()).collect()
}

/// What is behind "the stochastic version outpaces the full batch" and "its time grows more slowly with n", counted in rows
/// that the steps look at: these hardly grow with n for small batches, and are fewer than those of the full batch where n is
/// large. Seconds are on the page, but a busy machine would decide what a test says of them.
fn small_batches_need_less_work(folder: &Path) {
    let rows = written(folder, "figure3b");
    assert!(rows.iter().all(|row| row["converged"] == "1"), "{rows:?}");
    let number = |row: &HashMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    let sizes = || rows.iter().map(|row| number(row, "n"));
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    assert!(least < most, "{rows:?}");
    let seen = |batch: &str, n: f64| {
        let of = rows.iter().filter(|row| row["batch"] == batch && number(row, "n") == n);
        let all: Vec<f64> = of.map(|row| number(row, "rows_seen")).collect();
        assert!(!all.is_empty(), "b = {batch}, n = {n}");
        all.iter().sum::<f64>() / all.len() as f64
    };
    let growth = |batch: &str| seen(batch, most) / seen(batch, least);
    for batch in ["100", "500"] {
        let (few, all) = (seen(batch, most), seen("n", most));
        assert!(few < all / 2.0, "b = {batch}, n = {most}: {few} rows against {all}");
        assert!(growth(batch) < growth("n") / 2.0, "b = {batch}: {} against {}", growth(batch), growth("n"));
    }
}

/// The extension of ours, by its rows: the true rank is best for responses and classes, and closed forms are proven.
fn low_rank_helps(folder: &Path) {
    let rows = written(folder, "lowrank");
    for kind in ["responses", "classes"] {
        let error = |rank: &str| {
            let of = rows.iter().filter(|row| row["kind"] == kind && row["rank"] == rank);
            let errors: Vec<f64> = of.map(|row| row["error"].parse().unwrap()).collect();
            assert!(!errors.is_empty(), "{kind} {rank}");
            errors.iter().sum::<f64>() / errors.len() as f64
        };
        let best = (1..=5).min_by(|a, b| error(&a.to_string()).total_cmp(&error(&b.to_string()))).unwrap();
        assert_eq!(best, 2, "{kind}: {:?}", (1..=5).map(|rank| error(&rank.to_string())).collect::<Vec<_>>());
        assert!(error("2") < error("none"), "{kind}");
    }
    assert!(rows.iter().filter(|row| row["kind"] == "responses").all(|row| row["proven"] == "1"), "{rows:?}");
    assert!(rows.iter().all(|row| row["stationarity"].parse::<f64>().unwrap() < 1e-6), "{rows:?}");
}

#[test]
fn low_rank_with_several_outputs_is_best_at_the_true_rank() {
    let folder = tempfile::tempdir().unwrap();
    let summary = reproduce(&plan(&["lowrank"], folder.path(), 1), &Quiet).unwrap();
    low_rank_helps(folder.path());
    let (_, statements) = &summary.statements[0];
    assert!(statements.iter().all(|s| s.verdict == Verdict::Note && s.paper.starts_with("not in the paper")));
    let page = std::fs::read_to_string(&summary.page).unwrap();
    assert!(page.contains("Extension, not in the paper"));
}
