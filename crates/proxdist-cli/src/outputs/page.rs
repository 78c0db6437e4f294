//! The page about a fit or an evaluation of several outputs: the certificate, coefficients by output as a table and as a heat map, how often classes were taken for each other.

use super::Done;
use super::tell::{by_size, name_of};
use crate::words::number;
use proxdist::Exchanges;
use proxdist::outputs::{OutputsEvaluation, OutputsModel};
use proxdist_report::{CertificateLine, CoefficientMatrix, Fact, Notice, Report, Section};

/// The page about a fit.
pub(super) fn of_fit(done: &Done) -> Report {
    let Done { model, fit, .. } = *done;
    let mut sections = vec![coefficients(model)];
    sections.extend(measured("on the rows of the fit", done.training));
    let mut scores = vec![Fact::new("objective F", number(fit.objective()))];
    scores.push(Fact::new("features used", model.support().len().to_string()));
    scores.extend(facts(done.heldout.unwrap_or(done.training)));
    if let Some(heldout) = done.heldout {
        sections.extend(measured("on rows kept out of the fit", heldout));
    }
    let mut notices = Vec::new();
    if model.separates_classes() {
        let text = "The model separates the classes of all rows: its coefficients have no natural size.";
        notices.push(Notice::warning(text));
    }
    if !fit.stop().is_success() {
        notices.push(Notice::warning(format!("The fit is {}.", fit.stop())));
    }
    Report {
        title: format!("{} on {}", model.constraint, done.source),
        result: format!(
            "A model of {} outputs with the {} loss and {}; {}.",
            model.outputs.len(),
            model.loss,
            done.spec.words(),
            model.unique
        ),
        scores,
        notices,
        certificate: certificate(done),
        matrix: Some(matrix(model)),
        sections,
        settings: vec![
            Fact::new("set", model.constraint.clone()),
            Fact::new("ridge", number(model.ridge)),
            Fact::new("seed", model.seed.to_string()),
        ],
        seconds: Some(done.seconds.1),
        ..Report::default()
    }
}

/// The page about an evaluation.
pub(super) fn of_evaluation(model: &OutputsModel, source: &str, evaluation: &OutputsEvaluation) -> Report {
    Report {
        title: format!("{} model on {source}", model.constraint),
        result: format!(
            "A model of {} outputs with the {} loss, on rows it is compared with.",
            model.outputs.len(),
            model.loss
        ),
        scores: facts(evaluation),
        sections: measured("on these rows", evaluation).into_iter().collect(),
        ..Report::default()
    }
}

/// The used rows of the coefficient matrix; with none, one row of zeros.
fn matrix(model: &OutputsModel) -> CoefficientMatrix {
    let (used, columns) = (model.support(), model.outputs.len());
    let values = used.iter().flat_map(|&j| (0..columns).map(move |k| model.coefficient(j, k))).collect();
    CoefficientMatrix { rows: used.len().max(1), columns, values }
}

fn coefficients(model: &OutputsModel) -> Section {
    let columns = std::iter::once("feature".to_owned()).chain(model.outputs.iter().cloned()).collect();
    let row = |name: String, values: &mut dyn Iterator<Item = f64>| -> Vec<String> {
        std::iter::once(name).chain(values.map(number)).collect()
    };
    let mut rows = Vec::new();
    if let Some(intercepts) = &model.intercepts {
        rows.push(row("(intercept)".to_owned(), &mut intercepts.iter().copied()));
    }
    for j in by_size(model) {
        rows.push(row(name_of(model, j), &mut (0..model.outputs.len()).map(|k| model.coefficient(j, k))));
    }
    let text = "One row for each feature that any output uses, the largest first; the heat map has them in the order of the data.";
    Section { heading: "Coefficients by output".to_owned(), text: text.to_owned(), columns, rows, ..Section::default() }
}

fn facts(evaluation: &OutputsEvaluation) -> Vec<Fact> {
    match evaluation {
        OutputsEvaluation::Classes(found) => {
            vec![Fact::new("accuracy", number(found.accuracy)), Fact::new("log loss", number(found.log_loss))]
        }
        OutputsEvaluation::Responses { responses, .. } => {
            let known: Vec<f64> = responses.iter().filter_map(|found| found.r_squared).collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            if known.is_empty() { Vec::new() } else { vec![Fact::new("mean R2", number(mean))] }
        }
        _ => Vec::new(),
    }
}

fn measured(which: &str, evaluation: &OutputsEvaluation) -> Option<Section> {
    Some(match evaluation {
        OutputsEvaluation::Classes(found) => {
            let columns = std::iter::once("class".to_owned()).chain(found.classes.iter().cloned()).collect();
            let row = |(label, weights): (&String, &Vec<f64>)| -> Vec<String> {
                std::iter::once(label.clone()).chain(weights.iter().map(|weight| number(*weight))).collect()
            };
            let rows = found.classes.iter().zip(&found.confusion).map(row).collect();
            let text = format!(
                "How many rows of each class (down) were taken for each class (across), {which}; accuracy {}, log loss {}.",
                number(found.accuracy),
                number(found.log_loss)
            );
            Section { heading: format!("Classes {which}"), text, columns, rows, ..Section::default() }
        }
        OutputsEvaluation::Responses { responses, .. } => {
            let columns = ["response", "R2", "MSE", "MAE"].map(str::to_owned).to_vec();
            let row = |found: &proxdist::outputs::ResponseEvaluation| {
                let r_squared = found.r_squared.map_or_else(|| "-".to_owned(), number);
                vec![found.name.clone(), r_squared, number(found.mean_squared_error), number(found.mean_absolute_error)]
            };
            let rows = responses.iter().map(row).collect();
            Section { heading: format!("Responses {which}"), columns, rows, ..Section::default() }
        }
        _ => return None,
    })
}

fn certificate(done: &Done) -> Vec<CertificateLine> {
    let certificate = done.fit.certificate();
    let line = |label: &str, value: String, verdict: String, good| CertificateLine {
        label: label.to_owned(),
        value,
        verdict,
        good,
    };
    let is_stationary = certificate.is_stationary();
    let verdict = if is_stationary { "no small move within the set lowers F" } else { "zero at a stationary point" };
    let mut lines = vec![
        line(
            "distance to the set",
            number(certificate.distance),
            "the coefficients lie in the set".to_owned(),
            Some(true),
        ),
        line("stationarity", number(certificate.stationarity), verdict.to_owned(), Some(is_stationary)),
    ];
    if let Some(gap) = certificate.gap {
        let verdict = format!("F is above its minimum over the set by at most this, {}", gap.proof);
        lines.push(line("gap", number(gap.value), verdict, None));
    }
    if certificate.exchanges != Exchanges::NotApplicable {
        let good = certificate.exchanges.are_exhausted().then_some(true);
        lines.push(line("exchanges", certificate.exchanges.name().to_owned(), certificate.exchanges.to_string(), good));
    }
    lines
}
