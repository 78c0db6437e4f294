//! From a fit to the page and the picture about it.

use crate::comparison::{COLUMNS, Comparison};
use crate::input::name_of;
use crate::measures;
use crate::summary::{has_converged, separation};
use crate::words::number;
use proxdist::metrics::Evaluation;
use proxdist::spec::SetSpec;
use proxdist::trace::Phase;
use proxdist::{Certificate, Data, Exchanges, Fit, Model, Proven, Result, Shape, Stop};
use proxdist_io::Table;
use proxdist_report::{
    CalibrationBin, CertificateLine, Coefficient, CoefficientMatrix, ComparisonTable, Fact, Notice, Problem,
    ProofPoint, ProofStory, Report, Residual, RocCurve, Style, TracePoint, figures,
};

/// Everything the page about a fit needs.
pub(crate) struct About<'a> {
    /// The result.
    pub(crate) fit: &'a Fit,
    /// Its model in the units of the file.
    pub(crate) model: &'a Model,
    /// Whether the columns were scaled for the fit, as they are in `data`.
    pub(crate) is_scaled: bool,
    /// The rows it was fitted to.
    pub(crate) data: &'a Data<'a>,
    /// The table they come from.
    pub(crate) table: &'a Table,
    /// Name of the file.
    pub(crate) source: &'a str,
    /// The set.
    pub(crate) spec: &'a SetSpec,
    /// On rows kept out, if there are any.
    pub(crate) heldout: Option<&'a Evaluation>,
    /// Seconds of the fit.
    pub(crate) seconds: f64,
}

/// The page about a fit; `tune` adds its curve.
pub(crate) fn page(about: &About) -> Result<Report> {
    let (fit, model) = (about.fit, about.model);
    let training = Evaluation::of_model(fit.model(), about.data)?;
    let shown = about.heldout.unwrap_or(&training);
    let mut report = Report {
        title: format!("{} on {}", model.constraint, file_name(about.source)),
        result: result(about),
        scores: scores(about, &training),
        notices: notices(about),
        problem: Some(problem(about)),
        certificate: certificate(fit.certificate(), model),
        proof: proof(fit),
        trace: trace(fit),
        intercept: model.intercept,
        coefficients: (0..model.coefficients.len())
            .map(|j| Coefficient::new(name_of(model, j), model.coefficients[j]))
            .collect(),
        matrix: match model.shape {
            Shape::Matrix { rows, columns } => Some(CoefficientMatrix {
                rows,
                columns,
                values: model.coefficients.clone(),
                ..CoefficientMatrix::default()
            }),
            Shape::Vector(_) => None,
        },
        settings: settings(model, about.is_scaled),
        seconds: Some(about.seconds),
        ..repeat(Some(model.seed))
    };
    let others = about.heldout.map(|heldout| ("kept-out rows", heldout));
    let all: Vec<(&str, &Evaluation)> = [("training rows", &training)].into_iter().chain(others).collect();
    add_predictions(&mut report, &all, shown);
    if matches!(shown, Evaluation::Regression(_)) {
        report.residuals = residuals(fit.model(), about.data)?;
    }
    Ok(report)
}

/// The page about an evaluation.
pub(crate) fn evaluation_page(model: &Model, data: &Data, source: &str, evaluation: &Evaluation) -> Result<Report> {
    let facts =
        measures::list(evaluation).into_iter().filter_map(|(name, value)| Some(Fact::new(name, number(value?))));
    let mut report = Report {
        title: format!("{} model on {}", model.constraint, file_name(source)),
        result: format!("A model with the {} loss, predicting {} rows it is compared with.", model.loss, data.rows()),
        scores: facts.collect(),
        ..repeat(None)
    };
    add_predictions(&mut report, &[("these rows", evaluation)], evaluation);
    if matches!(evaluation, Evaluation::Regression(_)) {
        report.residuals = residuals(model, data)?;
    }
    Ok(report)
}

/// The page about several methods.
pub(crate) fn comparison_page(comparison: &Comparison, seed: u64) -> Report {
    let columns = COLUMNS.iter().copied().chain(["stop"]).map(str::to_owned).collect();
    Report {
        title: format!("Methods on {}", file_name(&comparison.source)),
        result: format!("{} rows, the same batches for every method.", comparison.rows),
        comparison: Some(ComparisonTable {
            caption: format!("{}.", comparison.headline()),
            columns,
            rows: comparison.rows_of_text(),
            plot: comparison.line_plot(),
        }),
        ..repeat(Some(seed))
    }
}

/// The picture of a run.
pub(crate) fn convergence(fit: &Fit) -> String {
    figures::convergence(&trace(fit), None, Style::standalone())
}

/// The last part of a path, for a title.
pub(crate) fn file_name(source: &str) -> &str {
    std::path::Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or(source)
}

/// What it takes to run the same command again.
pub(crate) fn repeat(seed: Option<u64>) -> Report {
    let version = Fact::new("proxdist", env!("CARGO_PKG_VERSION"));
    Report { command: command(), versions: vec![version], seed, ..Report::default() }
}

/// The command line, quoted for a shell.
fn command() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    let quoted = |word: String| {
        let is_plain = word.chars().all(plain) && !word.is_empty();
        if is_plain { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("proxdist".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn result(about: &About) -> String {
    let (fit, model) = (about.fit, about.fit.model());
    let nonzero = model.support().len();
    let stop = match fit.stop() {
        Stop::Converged => format!("The run converged after {} steps", fit.steps()),
        Stop::Polished if fit.steps() == 0 => "The optimum was found directly, without an iteration".to_owned(),
        Stop::Polished => format!("The run took {} steps and was finished on a stationary point", fit.steps()),
        Stop::Unfinished => {
            format!("The run took {} steps and was not finished: no stationary point was reached", fit.steps())
        }
        stop => format!("The run ended after {} steps: {stop}", fit.steps()),
    };
    format!("{stop}; {nonzero} of {} coefficients are nonzero.", model.coefficients.len())
}

fn scores(about: &About, training: &Evaluation) -> Vec<Fact> {
    let mut scores = vec![Fact::new("objective F", number(about.fit.objective()))];
    let (suffix, evaluation) = about.heldout.map_or(("training", training), |heldout| ("kept-out", heldout));
    for (name, value) in measures::list(evaluation) {
        scores.extend(value.map(|value| Fact::new(format!("{name}, {suffix} rows"), number(value))));
    }
    scores.push(Fact::new("nonzero coefficients", about.fit.support().len().to_string()));
    scores
}

fn notices(about: &About) -> Vec<Notice> {
    let mut notices: Vec<Notice> = about.table.notices.iter().map(|text| Notice::remark(text.as_str())).collect();
    if !has_converged(about.fit.stop()) {
        notices.push(Notice::warning(format!("The run has not converged: {}.", about.fit.stop())));
    }
    notices.extend(separation(about.fit.model()).map(Notice::warning));
    notices
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

fn certificate(certificate: &Certificate, model: &Model) -> Vec<CertificateLine> {
    let line = |label: &str, value: String, verdict: &str, good: Option<bool>| CertificateLine {
        label: label.to_owned(),
        value,
        verdict: verdict.to_owned(),
        good,
    };
    let mut lines = vec![line(
        "distance to the set",
        number(certificate.distance),
        "of the coefficients, as measured by projecting them",
        Some(true),
    )];
    if let Some(distance) = certificate.iterate_distance {
        lines.push(line("distance of the last iterate", number(distance), "before the last projection", None));
    }
    let (verdict, good) = if certificate.is_stationary() {
        ("a stationary point: no small move within the set lowers F", Some(true))
    } else {
        ("0 at a stationary point of F on the set", None)
    };
    lines.push(line("stationarity", number(certificate.stationarity), verdict, good));
    if let Some(gap) = certificate.gap {
        let verdict = format!("F is above its minimum over the set by at most this, {}", gap.proof);
        lines.push(line("gap", number(gap.value), &verdict, None));
    }
    if let Some(proven) = certificate.proven(model.objective) {
        let verdict = match proven {
            Proven::Optimal => "no point of the set has a lower F, up to a millionth of it",
            Proven::Within(_) => "no point of the set has an F that is lower by more than this share",
        };
        lines.push(line("global optimum", proven.to_string(), verdict, Some(proven == Proven::Optimal)));
    }
    let exchanges = certificate.exchanges;
    if exchanges != Exchanges::NotApplicable {
        let good = exchanges.are_exhausted().then_some(true);
        lines.push(line("exchanges", exchanges.name().to_owned(), &exchanges.to_string(), good));
    }
    if model.steps > 0 {
        let covered = certificate.schedule_meets_theory;
        let verdict =
            if covered { "covered by the convergence theorems" } else { "not covered by the convergence theorems" };
        lines.push(line("schedule", model.schedule.clone(), verdict, Some(covered)));
    }
    lines
}

/// What was proven, and how it closed where that took a search.
fn proof(fit: &Fit) -> Option<ProofStory> {
    let point = |at: &proxdist::trace::Progress| {
        let bound = at.bound.filter(|_| at.phase == Phase::Proof)?;
        let (seconds, nodes) = (at.elapsed.as_secs_f64(), at.nodes.unwrap_or(0));
        Some(ProofPoint { seconds, nodes, value: at.objective, bound })
    };
    let points: Vec<ProofPoint> = fit.trace().iter().filter_map(point).collect();
    let words = fit.certificate().in_words(fit.objective());
    if words.is_none() && points.is_empty() {
        return None;
    }
    let nothing = "Nothing was proven: the choice may be the best one, but no bound says so.";
    Some(ProofStory { words: words.unwrap_or_else(|| nothing.to_owned()), points })
}

fn trace(fit: &Fit) -> Vec<TracePoint> {
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

fn settings(model: &Model, is_scaled: bool) -> Vec<Fact> {
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

/// Curves of all evaluations, calibration of one.
fn add_predictions(report: &mut Report, all: &[(&str, &Evaluation)], shown: &Evaluation) {
    for (label, evaluation) in all {
        if let Evaluation::Classification(result) = evaluation {
            let points = result.roc.iter().map(|at| (at.false_positive_rate, at.true_positive_rate)).collect();
            report.roc.push(RocCurve { label: (*label).to_owned(), auc: result.auc, points });
        }
    }
    report.roc.retain(|curve| !curve.points.is_empty());
    if let Evaluation::Classification(result) = shown {
        let bin = |bin: &proxdist::metrics::CalibrationBin| CalibrationBin {
            predicted: bin.mean_predicted,
            observed: bin.observed_rate,
            count: bin.count as f64,
        };
        report.calibration = result.calibration.iter().map(bin).collect();
    }
}

fn residuals(model: &Model, data: &Data) -> Result<Vec<Residual>> {
    let loss = model.loss.known()?;
    let predictors = model.linear_predictors(data.source())?;
    let residual = |(row, eta): (usize, f64)| {
        let fitted = loss.mean(eta + data.offset_of(row));
        Residual { fitted, residual: data.response()[row] - fitted }
    };
    Ok(predictors.into_iter().enumerate().map(residual).collect())
}
