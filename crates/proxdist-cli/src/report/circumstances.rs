//! What only the program knows: the file, the command line, the run.

use super::About;
use crate::words::{count, number, plural};
use proxdist::trace::Phase;
use proxdist::{Fit, Model, Shape};
use proxdist_io::{ColumnKind, Table};
use proxdist_report::{Fact, Problem, ProofPoint, ProofStory, Report, TracePoint};

/// The last part of a path, for a title.
pub(crate) fn file_name(source: &str) -> &str {
    std::path::Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or(source)
}

/// What it takes to run the same command again.
pub(crate) fn repeat(seed: Option<u64>) -> Report {
    Report { command: command(), versions: versions(), seed, ..Report::default() }
}

pub(super) fn versions() -> Vec<Fact> {
    vec![Fact::new("proxdist", env!("CARGO_PKG_VERSION"))]
}

/// The command line, quoted for a shell.
pub(super) fn command() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    let quoted = |word: String| {
        let is_plain = word.chars().all(plain) && !word.is_empty();
        if is_plain { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("proxdist".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Where the rows come from and what became of them.
pub(super) fn data(about: &About) -> Vec<Fact> {
    let mut facts = table_facts(about.source, about.table);
    if let Some((own, out)) = about.parts {
        facts.push(Fact::new("rows of the fit", count(own.len() as u64)));
        facts.push(Fact::new("rows held out", count(out.len() as u64)));
    }
    let scaled =
        if about.is_scaled { "scaled for the fit; coefficients are in the units of the file" } else { "as they are" };
    facts.push(Fact::new("columns", scaled));
    facts
}

/// What is known about a table.
pub(crate) fn table_facts(source: &str, table: &Table) -> Vec<Fact> {
    let mut facts = vec![Fact::new("file", source)];
    facts.extend(table.schema.target.as_ref().map(|target| Fact::new("target", target.as_str())));
    if let Some(classes) = &table.classes {
        let labelled = |label: &str, rows: usize| format!("{label} ({})", plural(rows, "row"));
        facts.push(Fact::new("positive label", labelled(&classes.positive, classes.positive_count)));
        facts.push(Fact::new("negative label", labelled(&classes.negative, classes.negative_count)));
    }
    facts.push(Fact::new("rows read", count((table.features.rows() + table.dropped.len()) as u64)));
    if !table.dropped.is_empty() {
        facts.push(Fact::new("rows left out for missing values", count(table.dropped.len() as u64)));
    }
    let is_encoded = |column: &&proxdist_io::SchemaColumn| matches!(column.kind, ColumnKind::Levels { .. });
    let encoded: Vec<&str> = table.schema.columns.iter().filter(is_encoded).map(|c| c.name.as_str()).collect();
    facts.push(Fact::new("features", count(table.features.columns() as u64)));
    if !encoded.is_empty() {
        facts.push(Fact::new("text columns that became indicators", encoded.join(", ")));
    }
    if table.weights.is_some() {
        facts.push(Fact::new("weights", "rows have weights"));
    }
    if table.offset.is_some() {
        facts.push(Fact::new("offset", "a part of the linear predictor is known beforehand"));
    }
    facts
}

pub(crate) fn problem(about: &About) -> Problem {
    let model = about.fit.model();
    let mut facts = vec![Fact::new("file", about.source)];
    facts.extend(about.table.schema.target.as_ref().map(|target| Fact::new("target", target.as_str())));
    if let Some(classes) = &about.table.classes {
        facts.push(Fact::new("positive label", classes.positive.as_str()));
        facts.push(Fact::new("negative label", classes.negative.as_str()));
    }
    Problem {
        loss: model.loss.to_string(),
        loss_formula: loss_formula(model),
        set: about.spec.words(),
        spec: model.constraint.clone(),
        rows: about.data.rows(),
        columns: about.data.columns(),
        shape: match model.shape {
            Shape::Matrix { rows, columns } => Some((rows, columns)),
            Shape::Vector(_) => None,
        },
        ridge: model.ridge,
        intercept: model.intercept.is_some(),
        weighted: about.table.weights.is_some(),
        offset: about.table.offset.is_some(),
        facts,
    }
}

/// The formula of a loss that has one by itself; a sum has none.
fn loss_formula(model: &Model) -> String {
    let entry = model.loss.known().ok().and_then(proxdist::loss::Loss::entry);
    entry.map_or_else(String::new, |entry| entry.formula.to_owned())
}

/// How a search for a proof closed, where there was one; what it proved is told under what is certain.
pub(super) fn proof(fit: &Fit) -> Option<ProofStory> {
    let point = |at: &proxdist::trace::Progress| {
        let bound = at.bound.filter(|_| at.phase == Phase::Proof)?;
        let (seconds, nodes) = (at.elapsed.as_secs_f64(), at.nodes.unwrap_or(0));
        Some(ProofPoint { seconds, nodes, value: at.objective, bound })
    };
    let points: Vec<ProofPoint> = fit.trace().iter().filter_map(point).collect();
    let words = match fit.certificate().in_words(fit.objective()) {
        Some(_) => String::new(),
        None => "Nothing was proven: the choice may be the best one, but no bound says so.".to_owned(),
    };
    (!points.is_empty()).then_some(ProofStory { words, points })
}

pub(super) fn trace(fit: &Fit) -> Vec<TracePoint> {
    let point = |at: &proxdist::trace::Progress| TracePoint {
        step: at.step,
        objective: at.objective,
        distance: at.distance,
        rho: at.rho,
        nonzeros: at.nonzeros,
        seconds: at.elapsed.as_secs_f64(),
    };
    fit.trace().iter().filter(|at| at.phase != Phase::Proof).map(point).collect()
}

pub(super) fn settings(model: &Model, is_scaled: bool) -> Vec<Fact> {
    vec![
        Fact::new("loss", model.loss.as_str()),
        Fact::new("constraint", model.constraint.as_str()),
        Fact::new("ridge", number(model.ridge)),
        Fact::new(
            "columns",
            if is_scaled { "scaled for the fit, coefficients in the units of the file" } else { "as they are" },
        ),
        Fact::new("method", model.method.as_str()),
        Fact::new("schedule", model.schedule.as_str()),
        Fact::new("batch size", model.batch_size.to_string()),
        Fact::new("steps", model.steps.to_string()),
    ]
}
