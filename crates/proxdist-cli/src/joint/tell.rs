//! What is said about a fit of times or ordered labels, for people and for programs.

use super::Done;
use crate::failure::Result;
use crate::output;
use crate::summary::peak_memory;
use crate::terminal::visible;
use crate::words::{number, plural};
use proxdist::Exchanges;
use proxdist::joint::{JointEvaluation, JointKind, JointModel};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Features shown in the summary.
const SHOWN: usize = 20;

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
    super::say(done, &text, written)
}

/// What to call a feature.
pub(super) fn name_of(model: &JointModel, feature: usize) -> String {
    model.names.as_ref().and_then(|names| names.get(feature).cloned()).unwrap_or_else(|| format!("V{}", feature + 1))
}

/// Used features, the largest coefficient first.
pub(super) fn by_size(model: &JointModel) -> Vec<usize> {
    let mut order = model.support();
    order.sort_by(|&a, &b| model.coefficients[b].abs().total_cmp(&model.coefficients[a].abs()).then(a.cmp(&b)));
    order
}

/// What $e^{\theta_j}$ is called.
pub(super) fn ratio(model: &JointModel) -> &'static str {
    match model.kind {
        JointKind::Cox { .. } => "hazard ratio",
        _ => "odds ratio",
    }
}

/// The loss, with how ties were counted.
pub(super) fn loss(model: &JointModel) -> String {
    match &model.kind {
        JointKind::Cox { ties, .. } => format!("cox loss ({ties} ties)"),
        other => format!("{} loss", other.loss()),
    }
}

pub(super) fn summary(done: &Done) -> String {
    let Done { model, fit, .. } = *done;
    let certificate = fit.certificate();
    let mut text = String::new();
    let ridge = if model.ridge > 0.0 { format!(", ridge {}", number(model.ridge)) } else { String::new() };
    let _ = writeln!(text, "{}{ridge}: {}", loss(model), done.spec.words());
    let events = match &model.kind {
        JointKind::Cox { events, baseline, .. } if baseline.strata.len() > 1 => {
            format!(", {}, {} strata", plural(*events, "event"), baseline.strata.len())
        }
        JointKind::Cox { events, .. } => format!(", {}", plural(*events, "event")),
        JointKind::Ordinal { levels, .. } => format!(", {}", plural(levels.len(), "label")),
        _ => String::new(),
    };
    let (rows, features) = (plural(done.rows, "row"), plural(model.coefficients.len(), "feature"));
    let _ = writeln!(text, "{rows} x {features}{events}, {}", visible(done.source));
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
    if !fit.undetermined().is_empty() {
        line("global optimum", "none: F only falls as coefficients grow".to_owned());
    }
    if let Some(proven) = certificate.proven(fit.objective()) {
        line("global optimum", proven.to_string());
    }
    if certificate.exchanges != Exchanges::NotApplicable {
        line("exchanges", certificate.exchanges.to_string());
    }
    if done.is_scaled {
        line("columns", "scaled for the fit; coefficients are in the units of the file".to_owned());
    }
    text + &coefficients(model)
}

fn coefficients(model: &JointModel) -> String {
    let order = by_size(model);
    let mut text = format!("\n{} of {} used\n", order.len(), plural(model.coefficients.len(), "feature"));
    let _ = writeln!(text, "  {:<28} {:>12} {:>14}", "", "coefficient", ratio(model));
    for &j in order.iter().take(SHOWN) {
        let value = model.coefficients[j];
        let name: String = name_of(model, j).chars().take(28).collect();
        let _ = writeln!(text, "  {:<28} {:>12} {:>14}", visible(&name), number(value), number(value.exp()));
    }
    if order.len() > SHOWN {
        let _ = writeln!(text, "  and {} more features", order.len() - SHOWN);
    }
    if let JointKind::Ordinal { levels, thresholds } = &model.kind {
        let _ = writeln!(text, "\nthresholds");
        for (pair, cut) in levels.windows(2).zip(thresholds) {
            let _ = writeln!(text, "  {:<28} {:>12}", visible(&format!("{} | {}", pair[0], pair[1])), number(*cut));
        }
    }
    text
}

/// The measures by name.
pub(super) fn list(evaluation: &JointEvaluation) -> Vec<(&'static str, Option<f64>)> {
    match evaluation {
        JointEvaluation::Times(found) => vec![
            ("concordance", found.concordance),
            ("deviance", found.deviance),
            ("deviance explained", found.deviance_explained),
        ],
        JointEvaluation::Levels(found) => vec![
            ("accuracy", Some(found.accuracy)),
            ("log loss", Some(found.log_loss)),
            ("deviance explained", found.deviance_explained),
        ],
        _ => Vec::new(),
    }
}

/// A heading and the measures below it.
pub(super) fn measures(heading: &str, evaluation: &JointEvaluation) -> String {
    let head = match evaluation {
        JointEvaluation::Times(found) => format!("{}, {}", plural(found.rows, "row"), plural(found.events, "event")),
        JointEvaluation::Levels(found) => plural(found.rows, "row"),
        _ => String::new(),
    };
    let mut text = format!("{}, {head}:\n", visible(heading));
    for (name, value) in list(evaluation) {
        let _ = writeln!(text, "  {name:<20}{}", value.map_or_else(|| "-".to_owned(), number));
    }
    if let JointEvaluation::Levels(found) = evaluation
        && found.levels.len() <= 12
    {
        let cells: Vec<String> = found.levels.iter().map(|label| format!("{:>8}", short(label, 8))).collect();
        let _ = writeln!(text, "  taken for    {}", cells.join(" "));
        for (label, row) in found.levels.iter().zip(&found.confusion) {
            let cells: Vec<String> = row.iter().map(|weight| format!("{:>8}", number(*weight))).collect();
            let _ = writeln!(text, "  {:<12} {}", short(label, 12), cells.join(" "));
        }
    }
    text
}

fn short(text: &str, most: usize) -> String {
    visible(&text.chars().take(most).collect::<String>()).to_string()
}

/// For programs.
pub(super) fn document(done: &Done, written: &[PathBuf]) -> Value {
    let Done { model, fit, .. } = *done;
    let each = |j: usize| {
        let value = model.coefficients[j];
        json!({"index": j, "name": name_of(model, j), "value": value, "ratio": value.exp()})
    };
    let coefficients: Vec<Value> = by_size(model).into_iter().map(each).collect();
    json!({
        "command": "fit",
        "version": env!("CARGO_PKG_VERSION"),
        "data": {
            "source": done.source,
            "rows": done.rows,
            "features": model.coefficients.len(),
            "target": done.table.schema.target,
            "dropped_rows": done.table.dropped.len(),
            "notices": done.table.notices,
        },
        "model": model.kind,
        "constraint": model.constraint,
        "constraint_in_words": done.spec.words(),
        "ridge": model.ridge,
        "standardized": done.is_scaled,
        "stop": fit.stop(),
        "converged": fit.stop().is_success(),
        "objective": fit.objective(),
        "certificate": fit.certificate(),
        "proven": fit.certificate().proven(fit.objective()).map(|proven| proven.to_string()),
        "undetermined": fit.undetermined().iter().map(|&j| name_of(model, j)).collect::<Vec<_>>(),
        "features_used": coefficients.len(),
        "coefficients": coefficients,
        "training": done.training,
        "heldout": done.heldout,
        "seconds": {"read": done.seconds.0, "fit": done.seconds.1},
        "peak_memory_bytes": peak_memory(),
        "files": written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
    })
}
