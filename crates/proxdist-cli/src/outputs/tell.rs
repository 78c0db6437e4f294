//! What is said about a fit of several outputs, for people and for programs.

use super::Done;
use crate::failure::Result;
use crate::output;
use crate::summary::peak_memory;
use crate::terminal::visible;
use crate::words::{number, plural};
use proxdist::Exchanges;
use proxdist::outputs::{OutputsEvaluation, OutputsModel};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Features shown in the summary, and outputs side by side.
const SHOWN: usize = 12;
const MOST_COLUMNS: usize = 8;

/// The result on standard output.
pub(super) fn show(done: &Done, written: &[PathBuf]) -> Result<()> {
    if done.output.json {
        return output::print(&format!("{}\n", document(done, written)));
    }
    let mut text = summary(done);
    let _ = write!(text, "\n{}", measures("rows of the fit", done.training));
    if let Some(heldout) = done.heldout {
        let _ = write!(text, "\n{}", measures("rows kept out of the fit", heldout));
    }
    super::say(done.output, &text, written)
}

/// What to call a feature.
pub(super) fn name_of(model: &OutputsModel, feature: usize) -> String {
    model.names.as_ref().and_then(|names| names.get(feature).cloned()).unwrap_or_else(|| format!("V{}", feature + 1))
}

/// Used features, the largest row of coefficients first.
pub(super) fn by_size(model: &OutputsModel) -> Vec<usize> {
    let size = |j: usize| (0..model.outputs.len()).map(|k| model.coefficient(j, k).powi(2)).sum::<f64>();
    let mut order = model.support();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    order
}

pub(super) fn summary(done: &Done) -> String {
    let Done { model, fit, .. } = *done;
    let certificate = fit.certificate();
    let mut text = String::new();
    let ridge = if model.ridge > 0.0 { format!(", ridge {}", number(model.ridge)) } else { String::new() };
    let intercepts = if model.intercepts.is_some() { "" } else { ", no intercepts" };
    let _ = writeln!(text, "{} loss{ridge}{intercepts}: {}", model.loss, done.spec.words());
    let _ = writeln!(
        text,
        "{} x {}, {}, {}",
        plural(done.rows, "row"),
        plural(model.features(), "feature"),
        plural(model.outputs.len(), "output"),
        visible(done.source)
    );
    let _ = writeln!(text, "\n{}: {:.2} s", fit.stop(), done.seconds.1);
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<22}{value}");
    };
    line("objective F", number(fit.objective()));
    line("distance to the set", number(certificate.distance));
    let verdict =
        if certificate.is_stationary() { "no small move within the set lowers F" } else { "0 at a stationary point" };
    line("stationarity", format!("{} ({verdict})", number(certificate.stationarity)));
    if let Some(gap) = certificate.gap {
        line("above the optimum by", format!("at most {} ({})", number(gap.value), gap.proof));
    }
    if let Some(proven) = certificate.proven(fit.objective()) {
        line("global optimum", proven.to_string());
    }
    if certificate.exchanges != Exchanges::NotApplicable {
        line("exchanges", certificate.exchanges.to_string());
    }
    line("made unique", model.unique.to_string());
    if done.is_scaled {
        line("columns", "scaled for the fit; coefficients are in the units of the file".to_owned());
    }
    line("seed", model.seed.to_string());
    text + &coefficients(model)
}

/// The largest rows of the coefficient matrix.
fn coefficients(model: &OutputsModel) -> String {
    let order = by_size(model);
    let shown = model.outputs.len().min(MOST_COLUMNS);
    let mut text = format!("\n{} of {} used by any output\n", order.len(), plural(model.features(), "feature"));
    let cell = |value: &str| format!(" {value:>12}");
    let head: String = model.outputs[..shown].iter().map(|name| cell(&short(name, 12))).collect();
    let _ = writeln!(text, "  {:<20}{head}", "");
    let numbers =
        |values: &mut dyn Iterator<Item = f64>| -> String { values.map(|value| cell(&number(value))).collect() };
    if let Some(intercepts) = &model.intercepts {
        let _ = writeln!(text, "  {:<20}{}", "(intercept)", numbers(&mut intercepts[..shown].iter().copied()));
    }
    for &j in order.iter().take(SHOWN) {
        let row = numbers(&mut (0..shown).map(|k| model.coefficient(j, k)));
        let _ = writeln!(text, "  {:<20}{row}", short(&name_of(model, j), 20));
    }
    if order.len() > SHOWN {
        let _ = writeln!(text, "  and {} more features", order.len() - SHOWN);
    }
    if shown < model.outputs.len() {
        let _ = writeln!(
            text,
            "  and {} more outputs; --json and the model file have all numbers",
            model.outputs.len() - shown
        );
    }
    text
}

pub(super) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most - 1) {
        Some((end, _)) if text.chars().count() > most => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

/// A heading and the measures below it.
pub(super) fn measures(heading: &str, evaluation: &OutputsEvaluation) -> String {
    let mut text = String::new();
    match evaluation {
        OutputsEvaluation::Classes(found) => {
            let _ = writeln!(text, "{}, {}:", visible(heading), plural(found.rows, "row"));
            let _ = writeln!(text, "  {:<10}{}", "accuracy", number(found.accuracy));
            let _ = writeln!(text, "  {:<10}{}", "log loss", number(found.log_loss));
            if let Some(area) = found.macro_auc {
                let _ =
                    writeln!(text, "  {:<10}{} (mean over the classes, each against the rest)", "AUC", number(area));
            }
            if found.classes.len() <= MOST_COLUMNS + 4 {
                let head: Vec<String> = found.classes.iter().map(|label| format!("{:>8}", short(label, 8))).collect();
                let areas: Vec<String> = found
                    .auc
                    .iter()
                    .map(|area| format!("{:>8}", area.map_or_else(|| "-".to_owned(), number)))
                    .collect();
                let _ = writeln!(text, "  {:<12} {}", "", head.join(" "));
                let _ = writeln!(text, "  {:<12} {}", "AUC", areas.join(" "));
                let _ = writeln!(text, "  taken for    {}", head.join(" "));
                for (label, row) in found.classes.iter().zip(&found.confusion) {
                    let cells: Vec<String> = row.iter().map(|weight| format!("{:>8}", number(*weight))).collect();
                    let _ = writeln!(text, "  {:<12} {}", short(label, 12), cells.join(" "));
                }
            }
        }
        OutputsEvaluation::Responses { rows, responses } => {
            let _ = writeln!(text, "{}, {}:", visible(heading), plural(*rows, "row"));
            let _ = writeln!(text, "  {:<20} {:>12} {:>12} {:>12}", "", "R2", "MSE", "MAE");
            for found in responses {
                let r_squared = found.r_squared.map_or_else(|| "-".to_owned(), number);
                let (mse, mae) = (number(found.mean_squared_error), number(found.mean_absolute_error));
                let _ = writeln!(text, "  {:<20} {r_squared:>12} {mse:>12} {mae:>12}", short(&found.name, 20));
            }
        }
        _ => {}
    }
    text
}

/// For programs.
pub(super) fn document(done: &Done, written: &[PathBuf]) -> Value {
    let Done { model, fit, .. } = *done;
    let coefficients: Vec<Value> = by_size(model)
        .into_iter()
        .map(|j| {
            let values: Vec<f64> = (0..model.outputs.len()).map(|k| model.coefficient(j, k)).collect();
            json!({"index": j, "name": name_of(model, j), "values": values})
        })
        .collect();
    json!({
        "command": "fit",
        "version": env!("CARGO_PKG_VERSION"),
        "data": {
            "source": done.source,
            "rows": done.rows,
            "features": model.features(),
            "target": done.table.schema.target,
            "dropped_rows": done.table.dropped.len(),
            "notices": done.table.notices,
        },
        "loss": model.loss.to_string(),
        "outputs": model.outputs,
        "unique": model.unique,
        "separation": model.separation(),
        "constraint": model.constraint,
        "constraint_in_words": done.spec.words(),
        "ridge": model.ridge,
        "standardized": done.is_scaled,
        "stop": fit.stop(),
        "converged": fit.stop().is_success(),
        "steps": model.steps,
        "objective": fit.objective(),
        "certificate": fit.certificate(),
        "proven": fit.certificate().proven(fit.objective()).map(|proven| proven.to_string()),
        "intercepts": model.intercepts,
        "features_used": coefficients.len(),
        "coefficients": coefficients,
        "seed": model.seed,
        "training": done.training,
        "heldout": done.heldout,
        "seconds": {"read": done.seconds.0, "fit": done.seconds.1},
        "peak_memory_bytes": peak_memory(),
        "files": written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
    })
}
