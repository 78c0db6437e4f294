//! What the runs on the real data say.

use super::{FINISH, GRID, KEEP, PSGD, Qsar, RIDGE, SPD, split, split_fingerprint};
use crate::error::Result;
use crate::experiment::{Grid, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::stats::{mean, standard_error};
use proxdist_report::figures::{Plot, roc, small_multiples};
use proxdist_report::{BoxGroup, BoxPlots, RocCurve, duration, number};
use std::fmt::Write as _;

/// An L1 fit of the same size by scikit-learn on the same splits; made by `recorded/qsar_l1.py`.
const RECORDED: &str = include_str!("../../../recorded/qsar_l1.csv");
const L1: &str = "L1 (scikit-learn)";
/// Rows of the file, on which the splits depend.
const ROWS: usize = 8992;

/// A method at a batch size, 0 for methods without one.
fn label(method: &str, batch: &str) -> String {
    if batch == "0" { method.to_owned() } else { format!("{method} b = {batch}") }
}

/// Values of a measure in the order of the replicates.
fn values(results: &Frame, method: &str, batch: &str, measure: &str) -> Vec<f64> {
    results.only(&[("stage", "replicate"), ("method", method), ("batch", batch), ("measure", measure)]).numbers("value")
}

/// Recorded AUCs and accuracies of the replicates whose splits are the same as ours.
fn recorded(qsar: &Qsar) -> Result<(Vec<f64>, Vec<f64>)> {
    let rows = Frame::from_csv(RECORDED).unwrap_or_default();
    let (mut auc, mut accuracy) = (Vec::new(), Vec::new());
    for replicate in 0..qsar.settings.replicates {
        let (_, test) = split(ROWS, qsar.seed, replicate)?;
        let print = format!("{:016x}", split_fingerprint(&test));
        let row = rows.only(&[("replicate", &replicate.to_string()), ("split", &print)]);
        auc.extend(row.numbers("auc"));
        accuracy.extend(row.numbers("accuracy"));
    }
    Ok((auc, accuracy))
}

/// How the ridge weight was chosen, and how often which.
fn ridge_choices(qsar: &Qsar, results: &Frame) -> String {
    let fits = results.only(&[("stage", "replicate"), ("method", RIDGE), ("measure", "auc")]);
    let chosen = fits.numbers("rate");
    let count = |weight: &f64| chosen.iter().filter(|rate| *rate == weight).count();
    let counts: Vec<String> =
        qsar.settings.ridge.iter().map(|weight| format!("{weight} ({})", count(weight))).collect();
    let folds = qsar.settings.ridge_folds;
    format!(
        "by {folds}-fold cross-validation within the training rows of each split; weights, and how many splits chose them: {}",
        counts.join(", ")
    )
}

pub(super) fn section(qsar: &Qsar, results: &Frame) -> Result<Section> {
    let settings = &qsar.settings;
    let mut section = Section::new("Figure 3a and supplement: QSAR oral toxicity", paper::QSAR);
    section.fact(
        "Splits",
        format!("{} random 80/20 splits; no intercept, no scaling, as in the paper", settings.replicates),
    );
    section.fact(
        "Rates",
        format!(
            "ρ₁ = {} for SPD, α₁ = {} for PSGD, by {}-fold cross-validation on the first split",
            Qsar::tuned(results, SPD),
            Qsar::tuned(results, PSGD),
            settings.folds
        ),
    );
    section.fact("Ridge", ridge_choices(qsar, results));
    section.fact(
        "Open in the paper",
        format!(
            "stop when F changes by less than {} in a step, or after {} steps; the grids",
            settings.tolerance, settings.steps
        ),
    );
    section.fact("Time", "one thread on the processor, while another runs beside it; with ridge, its choice included");
    let batches: Vec<String> = settings.batches.iter().map(usize::to_string).collect();
    let mut methods: Vec<(&str, &str)> = Vec::new();
    for batch in &batches {
        methods.extend([(SPD, batch.as_str()), (PSGD, batch.as_str())]);
    }
    methods.extend([(FINISH, "0"), (RIDGE, "0")]);
    let mut table = Grid::new(
        &format!("Means over {} splits, {KEEP} features", settings.replicates),
        &["method", "test AUC", "± s.e.", "accuracy", "log loss", "training loss", "steps", "time"],
    );
    for (method, batch) in &methods {
        let of = |measure: &str| values(results, method, batch, measure);
        let steps = mean(&of("steps"));
        table.rows.push(vec![
            label(method, batch),
            number(mean(&of("auc")), 4),
            number(standard_error(&of("auc")), 2),
            number(mean(&of("accuracy")), 4),
            number(mean(&of("log_loss")), 3),
            number(mean(&of("training_loss")), 3),
            number(steps.round(), 6),
            duration(mean(&of("seconds"))),
        ]);
    }
    let (l1_auc, l1_accuracy) = recorded(qsar)?;
    if !l1_auc.is_empty() {
        let none = || "–".to_owned();
        table.rows.push(vec![
            format!("{L1}, {} splits", l1_auc.len()),
            number(mean(&l1_auc), 4),
            number(standard_error(&l1_auc), 2),
            number(mean(&l1_accuracy), 4),
            none(),
            none(),
            none(),
            none(),
        ]);
    }
    section.tables.push(table);
    pictures(&mut section, results, &methods, &batches, &l1_auc);
    statements(&mut section, qsar, results, &batches, &l1_auc);
    Ok(section)
}

fn pictures(section: &mut Section, results: &Frame, methods: &[(&str, &str)], batches: &[String], l1_auc: &[f64]) {
    let boxes = |measure: &str, title: &str, all: bool| {
        let wanted = methods.iter().filter(|(_, batch)| all || *batch != "0");
        let mut groups: Vec<BoxGroup> = wanted
            .map(|(method, batch)| BoxGroup {
                label: label(method, batch).replace("exact finish", "exact"),
                values: vec![values(results, method, batch, measure)],
            })
            .collect();
        if measure == "auc" && !l1_auc.is_empty() {
            groups.push(BoxGroup { label: "L1".into(), values: vec![l1_auc.to_vec()] });
        }
        Plot::Boxes(BoxPlots {
            title: if all { String::new() } else { title.into() },
            label: title.into(),
            log: measure == "seconds" || measure == "steps",
            series: Vec::new(),
            groups,
        })
    };
    let auc = vec![boxes("auc", "test AUC", true)];
    section.picture("qsar-auc", "AUC on the test rows over the splits.", move |style| {
        small_multiples("QSAR: AUC", &auc, style)
    });
    let details =
        vec![boxes("seconds", "seconds", false), boxes("steps", "steps", false), boxes("accuracy", "accuracy", false)];
    section.picture("qsar-details", "Time, steps and accuracy over the splits.", move |style| {
        small_multiples("QSAR: time, steps, accuracy", &details, style)
    });
    for batch in batches {
        let shown = methods.iter().filter(|(_, own)| own == batch || *own == "0");
        let curves: Vec<RocCurve> = shown
            .map(|(method, own)| {
                let height =
                    |i: usize| mean(&values(results, method, own, &format!("tpr at {}", i as f64 / GRID as f64)));
                let points = (0..=GRID).map(|i| (i as f64 / GRID as f64, height(i))).collect();
                RocCurve { label: label(method, own), auc: Some(mean(&values(results, method, own, "auc"))), points }
            })
            .collect();
        section.picture(
            &format!("qsar-roc-{batch}"),
            &format!("Mean ROC curves over the splits, batch size {batch}."),
            move |style| roc(&curves, style),
        );
    }
}

fn statements(section: &mut Section, qsar: &Qsar, results: &Frame, batches: &[String], l1_auc: &[f64]) {
    let cv = results.only(&[("stage", "cv"), ("method", SPD)]);
    let mut scores: Vec<(String, String, f64)> = Vec::new();
    for keep in cv.levels("sparsity") {
        for rate in cv.levels("rate") {
            let score = mean(&cv.only(&[("sparsity", &keep), ("rate", &rate)]).numbers("value"));
            scores.push((keep.clone(), rate, score));
        }
    }
    scores.sort_by(|a, b| b.2.total_cmp(&a.2));
    let shown = scores
        .iter()
        .take(3)
        .map(|(s, rate, auc)| format!("s = {s}, ρ₁ = {rate}: {}", number(*auc, 4)))
        .collect::<Vec<_>>()
        .join("; ");
    let is_same = scores.first().is_some_and(|(s, rate, _)| s == "100" && rate == "0.01");
    let has_choice = scores.len() > 1;
    let verdict = if has_choice { Verdict::when(is_same) } else { Verdict::Note };
    section.statements.push(Statement::new(
        "cross-validation",
        paper::QSAR_CV,
        format!("best mean AUCs: {shown}"),
        verdict,
    ));
    for batch in batches {
        let (spd, psgd) = (values(results, SPD, batch, "auc"), values(results, PSGD, batch, "auc"));
        let differences: Vec<f64> = spd.iter().zip(&psgd).map(|(a, b)| a - b).collect();
        let (gain, error) = (mean(&differences), standard_error(&differences));
        let ours = format!(
            "b = {batch}: {} against {}, difference {} ± {} on the same splits",
            number(mean(&spd), 4),
            number(mean(&psgd), 4),
            number(gain, 3),
            number(error, 2)
        );
        section.statements.push(Statement::new(
            "auc",
            paper::QSAR_AUC,
            ours,
            Verdict::when(gain > 2.0 * error && gain > 0.02),
        ));
    }
    let slowest = batches.iter().flat_map(|batch| values(results, SPD, batch, "seconds")).fold(0.0, f64::max);
    let quicker = batches
        .iter()
        .all(|batch| mean(&values(results, PSGD, batch, "seconds")) < mean(&values(results, SPD, batch, "seconds")));
    let ours = format!(
        "slowest SPD run {}; PSGD is {}",
        duration(slowest),
        if quicker { "faster" } else { "not faster at every batch size" }
    );
    section.statements.push(Statement::new("time", paper::QSAR_TIME, ours, Verdict::when(slowest < 60.0 && quicker)));
    let auc = |method: &str| mean(&values(results, method, "0", "auc"));
    let mut beyond = format!("exact finish {}, with ridge {}", number(auc(FINISH), 4), number(auc(RIDGE), 4));
    if !l1_auc.is_empty() {
        let _ = write!(beyond, ", L1 of the same size {} ({} splits)", number(mean(l1_auc), 4), l1_auc.len());
    }
    section.statements.push(Statement::new(
        "beyond",
        "Not in the paper",
        format!("test AUC on the same splits: {beyond}"),
        Verdict::Note,
    ));
    let loss = |method: &str, batch: &str| mean(&values(results, method, batch, "training_loss"));
    if let Some(batch) = batches.first() {
        section.remarks.push(format!("The exact finish has the smallest training loss ({} against {} for SPD at b = {batch}) but 100 unshrunk coefficients fit noise here; ridge, or stopping early, is what helps on test rows. \
            488 rows repeat the fingerprint of another row, so a few identical inputs stand on both sides of a split, for every method alike.", number(loss(FINISH, "0"), 3), number(loss(SPD, batch), 3)));
    }
    if l1_auc.is_empty() {
        section.remarks.push(format!("The L1 fits were recorded for other splits than those of seed {}.", qsar.seed));
    }
}
