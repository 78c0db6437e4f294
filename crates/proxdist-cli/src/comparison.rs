//! What several methods reached: a table, an object, the traces and a picture.

use crate::commands::fit::trace_table;
use crate::csv;
use crate::summary::has_converged;
use crate::terminal::visible;
use crate::words::{count, number};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use proxdist::{Fit, Stop};
use proxdist_report::{LinePlot, Series, Style, figures};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::IsTerminal as _;

/// Methods side by side.
pub(crate) struct Comparison {
    /// The exact finish.
    pub(crate) reference: Fit,
    /// One for each method.
    pub(crate) entries: Vec<Entry>,
    /// Name of the file.
    pub(crate) source: String,
    /// Rows of the data.
    pub(crate) rows: usize,
    /// Whether columns were scaled, so that distances are in units of the scaled ones.
    pub(crate) is_scaled: bool,
    /// F at zero.
    pub(crate) start: f64,
}

/// One method.
pub(crate) struct Entry {
    /// As text.
    pub(crate) method: String,
    /// The first penalty that won the race; `None` if the method diverged with all of them.
    pub(crate) rho1: Option<f64>,
    /// The run with it.
    pub(crate) fit: Option<Fit>,
    /// Time of the run.
    pub(crate) seconds: f64,
    /// Processor time of the run, where the system tells.
    pub(crate) processor: Option<f64>,
}

/// Names of the columns.
pub(crate) const COLUMNS: [&str; 10] =
    ["method", "rate", "F - F*", "relative", "sq. error", "distance", "support", "steps", "passes", "seconds"];

impl Comparison {
    /// The lowest F that is known: that of the exact finish, unless a method found a lower one.
    pub(crate) fn optimum(&self) -> f64 {
        let reached = self.entries.iter().filter_map(|entry| Some(entry.fit.as_ref()?.objective()));
        reached.fold(self.reference.objective(), f64::min)
    }

    fn squared_distance(&self, fit: &Fit) -> f64 {
        fit.coefficients().iter().zip(self.reference.coefficients()).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    /// Share of the features of the exact finish that a fit has too, where the set makes a choice among them.
    fn agreement(&self, fit: &Fit) -> Option<f64> {
        let (wanted, found) = (self.reference.support(), fit.support());
        let is_choice = !wanted.is_empty() && wanted.len() < fit.coefficients().len();
        is_choice.then(|| wanted.iter().filter(|j| found.contains(j)).count() as f64 / wanted.len() as f64)
    }

    /// One row of text for each method, in the order of [`COLUMNS`], and the reason to stop at the end.
    pub(crate) fn rows_of_text(&self) -> Vec<Vec<String>> {
        let optimum = self.optimum();
        let row = |entry: &Entry| {
            let Some(fit) = &entry.fit else {
                let nothing = (2..COLUMNS.len()).map(|_| "-".to_owned());
                let mut row: Vec<String> = [entry.method.clone(), "-".to_owned()].into_iter().chain(nothing).collect();
                row.push("diverged with every rate".to_owned());
                return row;
            };
            let gap = fit.objective() - optimum;
            let passes = fit.trace().last().map_or(0.0, |last| last.rows_seen as f64 / self.rows as f64);
            vec![
                entry.method.clone(),
                short(entry.rho1.map_or(f64::NAN, f64::recip)),
                short(gap),
                short(gap / optimum.abs()),
                short(self.squared_distance(fit)),
                short(fit.certificate().distance),
                self.agreement(fit).map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", 100.0 * share)),
                count(fit.steps()),
                format!("{passes:.1}"),
                format!("{:.2}", entry.processor.unwrap_or(entry.seconds)),
                stop_word(fit.stop()).to_owned(),
            ]
        };
        self.entries.iter().map(row).collect()
    }

    /// What F* is.
    pub(crate) fn headline(&self) -> String {
        let is_finish = self.optimum() >= self.reference.objective();
        let how = if is_finish { "the exact finish" } else { "found by one of the methods, below the exact finish" };
        let scaled = if self.is_scaled { ", columns scaled" } else { "" };
        let (best, start) = (number(self.optimum()), number(self.start));
        format!(
            "F* = {best} ({how}), F at zero = {start}{scaled}; sq. error = |theta - theta*|^2 with theta* the exact finish"
        )
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut table = Table::new();
        let is_styled = std::io::stdout().is_terminal();
        table.load_style(if is_styled { presets::UTF8_FULL_CONDENSED } else { presets::NOTHING });
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(COLUMNS.iter().copied().chain(["stop"]));
        self.rows_of_text().into_iter().for_each(|row| {
            table.add_row(row);
        });
        for column in 1..COLUMNS.len() {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        format!(
            "{}, {} rows: {}\n\n{}\n",
            visible(&self.source),
            count(self.rows as u64),
            self.headline(),
            lines.join("\n")
        )
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let optimum = self.optimum();
        let entry = |entry: &Entry| {
            let fit = entry.fit.as_ref();
            json!({
                "method": entry.method,
                "rho1": entry.rho1,
                "rate": entry.rho1.map(f64::recip),
                "stop": fit.map_or(Stop::Diverged, Fit::stop),
                "converged": fit.is_some_and(|fit| has_converged(fit.stop())),
                "objective": fit.map(Fit::objective),
                "gap": fit.map(|fit| fit.objective() - optimum),
                "squared_distance_to_optimum": fit.map(|fit| self.squared_distance(fit)),
                "distance_to_set": fit.map(|fit| fit.certificate().distance),
                "support_agreement": fit.and_then(|fit| self.agreement(fit)),
                "steps": fit.map(Fit::steps),
                "rows_seen": fit.and_then(|fit| fit.trace().last()).map(|last| last.rows_seen),
                "seconds": entry.seconds,
                "processor_seconds": entry.processor,
            })
        };
        json!({
            "command": "compare",
            "version": env!("CARGO_PKG_VERSION"),
            "source": self.source,
            "rows": self.rows,
            "standardized": self.is_scaled,
            "optimum": optimum,
            "exact_finish": self.reference.objective(),
            "at_zero": self.start,
            "methods": self.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    }

    /// The checkpoints of all methods, as a table.
    pub(crate) fn traces(&self) -> String {
        let mut text = String::new();
        for (method, fit) in self.entries.iter().filter_map(|entry| Some((&entry.method, entry.fit.as_ref()?))) {
            let table = trace_table(fit.trace());
            let mut lines = table.lines();
            let head = lines.next().filter(|_| text.is_empty());
            let _ = head.map_or(Ok(()), |head| writeln!(text, "method,{head}"));
            for line in lines {
                let _ = writeln!(text, "{},{line}", csv::field(method, false));
            }
        }
        text
    }

    /// F − F* against rows seen, both on logarithmic axes.
    pub(crate) fn line_plot(&self) -> LinePlot {
        let optimum = self.optimum();
        let series = |entry: &Entry| {
            let trace = entry.fit.as_ref().map(Fit::trace).unwrap_or_default();
            let points = trace.iter().map(|at| (at.rows_seen as f64, at.objective - optimum)).collect();
            Series::new(entry.method.clone(), points)
        };
        LinePlot {
            title: "Methods side by side".to_owned(),
            x_label: "rows seen".to_owned(),
            y_label: "F \u{2212} F*".to_owned(),
            log_x: true,
            log_y: true,
            series: self.entries.iter().map(series).collect(),
            mark: None,
            rings: None,
        }
    }

    /// The picture, as a file of its own.
    pub(crate) fn plot(&self) -> String {
        figures::lines(&self.line_plot(), Style::standalone())
    }
}

/// Three digits.
fn short(value: f64) -> String {
    let size = value.abs().log10().floor();
    match value {
        0.0 => "0".to_owned(),
        _ if (-3.0..4.0).contains(&size) => format!("{value:.*}", (2.0 - size).max(0.0) as usize),
        _ => format!("{value:.2e}"),
    }
}

fn stop_word(stop: Stop) -> &'static str {
    match stop {
        Stop::Converged | Stop::Polished => "converged",
        Stop::Unfinished => "not finished",
        Stop::MaxSteps => "steps used up",
        Stop::MaxPasses => "passes used up",
        Stop::TimeLimit => "time used up",
        Stop::Interrupted => "interrupted",
        Stop::Streaming => "a stream",
        Stop::Diverged => "diverged",
        _ => "ended",
    }
}
