//! What `fit` says about its result, for people and for programs.

use crate::input::name_of;
use crate::terminal::visible;
use crate::words::{count, number, plural};
use proxdist::spec::SetSpec;
use proxdist::{Exchanges, Fit, Model, Shape, Stop};
use proxdist_io::Table;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Coefficients shown in the summary.
const SHOWN: usize = 10;

/// A fit and its circumstances.
pub(crate) struct Summary<'a> {
    /// The result.
    pub(crate) fit: &'a Fit,
    /// Its model in the units of the file.
    pub(crate) model: &'a Model,
    /// Whether the columns were scaled for the fit.
    pub(crate) is_scaled: bool,
    /// The data it comes from.
    pub(crate) table: &'a Table,
    /// Rows that entered the fit.
    pub(crate) rows: usize,
    /// Name of the file.
    pub(crate) source: String,
    /// The set.
    pub(crate) spec: &'a SetSpec,
    /// Seconds spent on reading and on fitting.
    pub(crate) seconds: (f64, f64),
    /// What was said about options without effect.
    pub(crate) notes: &'a [String],
    /// Files written.
    pub(crate) written: &'a [PathBuf],
}

impl Summary<'_> {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let model = self.model;
        let mut text = String::new();
        let ridge = if model.ridge > 0.0 { format!(", ridge {}", number(model.ridge)) } else { String::new() };
        let intercept = if model.intercept.is_some() { "" } else { ", no intercept" };
        let _ = writeln!(text, "{} loss{ridge}{intercept}: {}", model.loss, self.spec.words());
        let features = self.table.features.columns();
        let shape = match model.shape {
            Shape::Matrix { rows, columns } => format!(" ({rows}x{columns})"),
            Shape::Vector(_) => String::new(),
        };
        let _ = writeln!(
            text,
            "{} x {}{shape}, {}",
            plural(self.rows, "row"),
            plural(features, "feature"),
            visible(&self.source)
        );
        let _ = writeln!(text);
        self.outcome(&mut text);
        coefficients(model, &mut text);
        text
    }

    fn outcome(&self, text: &mut String) {
        let fit = self.fit;
        let certificate = fit.certificate();
        let how = match fit.stop() {
            Stop::Interrupted => "interrupted, the best model so far is kept".to_owned(),
            Stop::Diverged => format!(
                "diverged: the learning rate is too large for {}; the best point before that is kept",
                self.model.method
            ),
            stop => stop.to_string(),
        };
        let passes = fit.trace().last().map_or(0.0, |last| last.rows_seen as f64 / self.rows as f64);
        let steps = plural(fit.steps() as usize, "step");
        let _ = writeln!(text, "{how}: {steps}, {} passes over the data, {:.2} s", rounded(passes), self.seconds.1);
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<22}{value}");
        };
        line("objective F", number(fit.objective()));
        let iterate = certificate
            .iterate_distance
            .map_or_else(String::new, |distance| format!(" (last iterate before projection: {})", number(distance)));
        line("distance to the set", format!("{}{iterate}", number(certificate.distance)));
        let verdict = if certificate.is_stationary() {
            "no small move within the set lowers F"
        } else {
            "0 at a stationary point"
        };
        line("stationarity", format!("{} ({verdict})", number(certificate.stationarity)));
        if let Some(gap) = certificate.gap {
            let share = if fit.objective() > 0.0 {
                format!(", {} of F", number(gap.value / fit.objective()))
            } else {
                String::new()
            };
            line("above the optimum by", format!("at most {}{share} ({})", number(gap.value), gap.proof));
        }
        if let Some(proven) = certificate.proven(fit.objective()) {
            let nodes = certificate.nodes.map_or_else(String::new, |nodes| format!(" ({} nodes)", count(nodes)));
            line("global optimum", format!("{proven}{nodes}"));
        }
        if certificate.exchanges != Exchanges::NotApplicable {
            line("exchanges", certificate.exchanges.to_string());
        }
        if fit.steps() == 0 {
            line("method", "the exact finish alone, no steps were needed".to_owned());
        } else {
            let covered =
                if certificate.schedule_meets_theory { "covered by the theory" } else { "not covered by the theory" };
            line("method", fit.model().method.clone());
            line("schedule", format!("{}, batches of {}, {covered}", fit.model().schedule, fit.model().batch_size));
        }
        if let Some(reads) = fit.reads() {
            line("reads of the data", reads.to_string());
        }
        if self.is_scaled {
            line("columns", "scaled for the fit; coefficients are in the units of the file".to_owned());
        }
        line("seed", fit.model().seed.to_string());
    }

    /// For programs.
    pub(crate) fn json(&self, evaluation: &Value) -> Value {
        let (fit, model) = (self.fit, self.model);
        let coefficients: Vec<Value> = by_size(model)
            .into_iter()
            .map(|j| json!({"index": j, "name": name_of(model, j), "value": model.coefficients[j]}))
            .collect();
        let classes = self.table.classes.as_ref().map(|c| {
            json!({"positive": c.positive, "negative": c.negative, "positive_rows": c.positive_count, "negative_rows": c.negative_count})
        });
        json!({
            "command": "fit",
            "version": env!("CARGO_PKG_VERSION"),
            "data": {
                "source": self.source,
                "rows": self.rows,
                "features": self.table.features.columns(),
                "sparse": self.table.features.is_sparse(),
                "target": self.table.schema.target,
                "classes": classes,
                "dropped_rows": self.table.dropped.len(),
                "notices": self.table.notices,
            },
            "loss": model.loss,
            "constraint": model.constraint,
            "constraint_in_words": self.spec.words(),
            "ridge": model.ridge,
            "standardized": self.is_scaled,
            "stop": fit.stop(),
            "converged": has_converged(fit.stop()),
            "steps": fit.steps(),
            "reads": fit.reads(),
            "objective": fit.objective(),
            "certificate": fit.certificate(),
            "proven": fit.certificate().proven(fit.objective()).map(|proven| proven.to_string()),
            "intercept": model.intercept,
            "nonzeros": coefficients.len(),
            "rank": rank(model),
            "coefficients": coefficients,
            "method": model.method,
            "schedule": model.schedule,
            "batch_size": model.batch_size,
            "seed": model.seed,
            "notes": self.notes,
            "heldout": evaluation,
            "seconds": {"read": self.seconds.0, "fit": self.seconds.1},
            "peak_memory_bytes": peak_memory(),
            "files": self.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        })
    }
}

/// One decimal, or two digits of what is smaller.
fn rounded(value: f64) -> String {
    if value >= 0.95 { format!("{value:.1}") } else { format!("{value:.2}") }
}

/// Whether a run ended because there was nothing left to do.
pub(crate) fn has_converged(stop: Stop) -> bool {
    stop.is_success()
}

/// What to say about classes that a plane separates: then F has no smallest value and coefficients only grow.
pub(crate) fn separation(model: &Model) -> Option<&'static str> {
    model.separates_classes().then_some(
        "the model separates the classes of all rows: its coefficients have no natural size; --ridge or a ball gives them one",
    )
}

/// Indices of the nonzero coefficients, the largest first.
pub(crate) fn by_size(model: &Model) -> Vec<usize> {
    let mut support = model.support();
    support.sort_by(|&i, &j| model.coefficients[j].abs().total_cmp(&model.coefficients[i].abs()).then(i.cmp(&j)));
    support
}

fn coefficients(model: &Model, text: &mut String) {
    let order = by_size(model);
    let all = model.coefficients.len();
    let rank = rank(model).map_or_else(String::new, |rank| format!(", rank {rank}"));
    let nonzero = format!("\n{} of {} nonzero{rank}", count(order.len() as u64), plural(all, "coefficient"));
    let _ = match order.len() {
        0 => writeln!(text, "{nonzero}"),
        few if few <= SHOWN => writeln!(text, "{nonzero}:"),
        _ => writeln!(text, "{nonzero}, the largest:"),
    };
    let mut lines: Vec<(String, String)> = order
        .iter()
        .take(SHOWN)
        .map(|&j| (visible(&name_of(model, j)).into_owned(), number(model.coefficients[j])))
        .collect();
    lines.extend(model.intercept.map(|value| ("(intercept)".to_owned(), number(value))));
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(40);
    for (name, value) in lines {
        let sign = if value.starts_with('-') { "" } else { " " };
        let _ = writeln!(text, "  {name:<width$}  {sign}{value}");
    }
}

/// Rank of a coefficient matrix, by elimination with complete pivoting; pivots far below the largest count as zero.
fn rank(model: &Model) -> Option<usize> {
    const NEGLIGIBLE: f64 = 1e-9;
    let Shape::Matrix { rows, columns } = model.shape else { return None };
    let mut entries = model.coefficients.clone();
    let largest = entries.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
    for step in 0..rows.min(columns) {
        let places = (step..rows).flat_map(|i| (step..columns).map(move |j| (i, j)));
        let (i, j) =
            places.max_by(|a, b| entries[a.0 * columns + a.1].abs().total_cmp(&entries[b.0 * columns + b.1].abs()))?;
        let pivot = entries[i * columns + j];
        if pivot.abs() <= NEGLIGIBLE * largest {
            return Some(step);
        }
        (0..columns).for_each(|k| entries.swap(step * columns + k, i * columns + k));
        (0..rows).for_each(|k| entries.swap(k * columns + step, k * columns + j));
        for row in step + 1..rows {
            let factor = entries[row * columns + step] / pivot;
            for k in step..columns {
                entries[row * columns + k] -= factor * entries[step * columns + k];
            }
        }
    }
    Some(rows.min(columns))
}

/// The most memory this process has held, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Processor time of all threads so far, where the system tells. It tells in hundredths of a second.
pub(crate) fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything; the numbers come after it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
