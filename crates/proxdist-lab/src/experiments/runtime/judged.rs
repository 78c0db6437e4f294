//! What the runs to convergence say: medians over the paths of a batch size.

use super::{EXACT, FULL};
use crate::experiment::{Grid, Section, Statement, Verdict};
use crate::frame::Frame;
use crate::paper;
use crate::settings::Runtime as Settings;
use crate::stats::{log_slope, median};
use crate::study::Set;
use proxdist_report::figures::{Plot, small_multiples};
use proxdist_report::{LinePlot, Series, duration, number};

pub(super) fn section(settings: &Settings, results: &Frame) -> Section {
    let mut section = Section::new("Figure 3b: time and steps as n and the batch grow", paper::FIGURE3B);
    let set = Set::Sparsity(settings.sparsity).name();
    section.fact("Open in the paper", format!("the set ({set}), ρ₁ = {}, γ = 1, p = {}", settings.rho1, settings.p));
    section.fact(
        "Converged",
        format!(
            "squared distance to the sample optimum at most {} of its squared norm from step k to step 3k: the same error for every batch",
            settings.target
        ),
    );
    section.fact(
        "Shown",
        format!("medians over {} paths with other batches on the same data; one for the full batch", settings.repeats),
    );
    section.fact("Time", "one thread on the processor, data mapped from disk");
    section.tables.push(table(results));
    let batches = results.levels("batch");
    let series = |column: &str, with_exact: bool| -> Vec<Series> {
        let wanted = batches.iter().filter(|batch| with_exact || *batch != EXACT);
        wanted
            .map(|batch| Series {
                label: if batch == EXACT { batch.clone() } else { format!("b = {batch}") },
                points: medians(results, batch, column),
                band: ranges(results, batch, column),
                ..Series::default()
            })
            .collect()
    };
    let plot = |title: &str, label: &str, series| {
        Plot::Lines(LinePlot {
            title: title.into(),
            x_label: "n".into(),
            y_label: label.into(),
            log_x: true,
            log_y: true,
            series,
            mark: None,
            rings: None,
        })
    };
    // The exact finish takes no steps of this kind, so its line comes last in one panel only.
    let mut seconds = series("seconds", true);
    seconds.rotate_left(1);
    let plots = vec![plot("time", "seconds", seconds), plot("steps", "steps", series("steps", false))];
    section.picture(
        "figure3b",
        "Time and steps to convergence; bands reach from the quickest path to the slowest.",
        move |style| small_multiples("To convergence, logistic regression", &plots, style),
    );
    section.statements = statements(settings, results);
    section
}

/// The different n and the values of a column there.
fn groups(results: &Frame, batch: &str, column: &str) -> Vec<(f64, Vec<f64>)> {
    let rows = results.only(&[("batch", batch)]);
    let of = |n: &String| (n.parse().unwrap_or(f64::NAN), rows.only(&[("n", n)]).numbers(column));
    rows.levels("n").iter().map(of).collect()
}

fn medians(results: &Frame, batch: &str, column: &str) -> Vec<(f64, f64)> {
    groups(results, batch, column).into_iter().map(|(n, values)| (n, median(&values))).collect()
}

/// Smallest and largest values where there are several.
fn ranges(results: &Frame, batch: &str, column: &str) -> Vec<(f64, f64, f64)> {
    let wide = groups(results, batch, column).into_iter().filter(|(_, values)| values.len() > 1);
    wide.map(|(n, values)| (n, smallest(&values), largest(&values))).collect()
}

fn smallest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn table(results: &Frame) -> Grid {
    let mut table = Grid::new(
        "To convergence, medians",
        &["n, batch", "steps", "fewest to most", "time", "rows seen / n", "squared error", "F − F(θ*)"],
    );
    for n in results.levels("n") {
        for batch in results.levels("batch") {
            let rows = results.only(&[("n", &n), ("batch", &batch)]);
            let get = |column: &str| median(&rows.numbers(column));
            let steps = rows.numbers("steps");
            let range = format!("{} to {}", number(smallest(&steps), 6), number(largest(&steps), 6));
            let missed = rows.numbers("converged").iter().filter(|c| **c != 1.0).count();
            let note = if missed == 0 { String::new() } else { format!(" ({missed} not converged)") };
            let seen = get("rows_seen") / n.parse::<f64>().unwrap_or(f64::NAN);
            let unless_exact = |text: String| if batch == EXACT { "–".to_owned() } else { text };
            table.rows.push(vec![
                format!("{n}, {batch}{note}"),
                unless_exact(number(get("steps"), 6)),
                if steps.len() > 1 { range } else { "–".to_owned() },
                duration(get("seconds")),
                unless_exact(number(seen, 3)),
                number(get("squared_error"), 3),
                number(get("excess"), 2),
            ]);
        }
    }
    table
}

fn statements(settings: &Settings, results: &Frame) -> Vec<Statement> {
    let of = |batch: &str, column: &str| medians(results, batch, column);
    let ratios = |batch: &str, column: &str| -> Vec<f64> {
        of(FULL, column).iter().zip(of(batch, column)).map(|((_, full), (_, own))| full / own).collect()
    };
    let list = |values: &[f64]| values.iter().map(|v| number(*v, 3)).collect::<Vec<_>>().join(", ");
    let names: Vec<String> = settings.batches.iter().map(usize::to_string).collect();
    let all_converged = results.numbers("converged").iter().all(|c| *c == 1.0);
    let mut statements = Vec::new();
    let faster: Vec<(String, Vec<f64>)> = names.iter().map(|b| (b.clone(), ratios(b, "seconds"))).collect();
    let shown = faster.iter().map(|(b, r)| format!("b = {b}: {}", list(r))).collect::<Vec<_>>().join("; ");
    let outpaces = faster.iter().all(|(_, r)| smallest(r) > 1.0) && all_converged;
    statements.push(Statement::new(
        "outpaces",
        paper::OUTPACES,
        format!("time of the full batch over that of the stochastic runs, n from small to large: {shown}"),
        Verdict::when(outpaces),
    ));
    let steps: Vec<f64> = names.iter().flat_map(|b| ratios(b, "steps")).collect();
    statements.push(Statement::new(
        "more steps",
        paper::MORE_STEPS,
        format!("steps of the full batch over those of the stochastic runs: at most {}", number(largest(&steps), 2)),
        Verdict::when(steps.iter().all(|r| *r < 1.0)),
    ));
    if let Some(first) = names.first() {
        let passes: Vec<f64> = of(first, "rows_seen").iter().map(|(n, seen)| seen / n).collect();
        let full: Vec<f64> = of(FULL, "steps").iter().map(|(_, steps)| *steps).collect();
        let ours = format!(
            "b = {first}: {} passes over the data, n from small to large; the full batch {}",
            list(&passes),
            list(&full)
        );
        // The paper's example is its largest n.
        let verdict = Verdict::when(passes.last().is_some_and(|passes| *passes < 1.0));
        statements.push(Statement::new("fraction", paper::FRACTION, ours, verdict));
    }
    let growth = |batch: &str| log_slope(&of(batch, "seconds"));
    let slopes: Vec<f64> = names.iter().map(|b| growth(b)).collect();
    let whole = growth(FULL);
    statements.push(Statement::new(
        "scales",
        paper::SCALES,
        format!(
            "exponent of the time in n: {} for b = {}; {} for the full batch",
            list(&slopes),
            names.join(", "),
            number(whole, 3)
        ),
        Verdict::when(slopes.iter().all(|s| *s < whole - 0.3)),
    ));
    statements
}
