//! The page about a fit or an evaluation of several outputs: the certificate, coefficients by output as a table and as a heat map, the factors of low rank with a biplot, ROC curves, how often classes were taken for each other.

use super::Done;
use super::tell::{by_size, name_of};
use crate::words::number;
use proxdist::Exchanges;
use proxdist::metrics::RocPoint;
use proxdist::outputs::{OutputsEvaluation, OutputsModel, roc_curves};
use proxdist_report::{
    Biplot, CertificateLine, CoefficientMatrix, Fact, LinePlot, Notice, Place, Report, RocCurve, Section, Series,
};

/// The page about a fit.
pub(super) fn of_fit(done: &Done) -> Report {
    let Done { model, fit, .. } = *done;
    let mut sections = vec![coefficients(model)];
    sections.extend(factors(fit.model(), done.is_scaled));
    sections.extend(measured("on the rows of the fit", done.training));
    let mut scores = vec![Fact::new("objective F", number(fit.objective()))];
    scores.push(Fact::new("features used", model.support().len().to_string()));
    scores.extend(facts(done.heldout.unwrap_or(done.training)));
    if let Some(heldout) = done.heldout {
        sections.extend(measured("on rows kept out of the fit", heldout));
    }
    let mut notices = Vec::new();
    let separation = model.separation();
    if separation.is_there() {
        notices.push(Notice::warning(format!("No minimum: {separation}. --ridge 1e-3 or a ball gives them one.")));
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
        roc: done.roc.to_vec(),
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
pub(super) fn of_evaluation(
    model: &OutputsModel,
    source: &str,
    evaluation: &OutputsEvaluation,
    roc: Vec<RocCurve>,
) -> Report {
    Report {
        title: format!("{} model on {source}", model.constraint),
        result: format!(
            "A model of {} outputs with the {} loss, on rows it is compared with.",
            model.outputs.len(),
            model.loss
        ),
        scores: facts(evaluation),
        roc,
        sections: measured("on these rows", evaluation).into_iter().collect(),
        ..Report::default()
    }
}

/// The used rows of the coefficient matrix; with none, one row of zeros.
fn matrix(model: &OutputsModel) -> CoefficientMatrix {
    let (used, columns) = (model.support(), model.outputs.len());
    let values = used.iter().flat_map(|&j| (0..columns).map(move |k| model.coefficient(j, k))).collect();
    let row_names = used.iter().map(|&j| name_of(model, j)).collect();
    CoefficientMatrix { rows: used.len().max(1), columns, values, row_names, column_names: model.outputs.clone() }
}

/// The ROC curve of each class against the rest, by the linear predictors of some rows; none for responses.
pub(super) fn roc(
    model: &OutputsModel,
    predictors: &[f64],
    classes: &[f64],
    weights: &[f64],
) -> proxdist::Result<Vec<RocCurve>> {
    if !model.loss.is_classification() {
        return Ok(Vec::new());
    }
    let curves = roc_curves(predictors, classes, weights, model.outputs.len())?;
    let named = |(label, curve): (&String, Option<Vec<RocPoint>>)| {
        let points = curve?.iter().map(|at| (at.false_positive_rate, at.true_positive_rate)).collect();
        Some(RocCurve { label: format!("{label} against the rest"), auc: None, points })
    };
    Ok(model.outputs.iter().zip(curves).filter_map(named).collect())
}

/// Singular values, and features and outputs on the first two factors; for low rank.
fn factors(model: &OutputsModel, is_scaled: bool) -> Vec<Section> {
    let Some(factors) = model.constraint.contains("rank:").then(|| model.factors()).flatten() else {
        return Vec::new();
    };
    let (rank, squares) = (factors.values.len(), factors.values.iter().map(|value| value * value).sum::<f64>());
    let units = if is_scaled { "of scaled columns" } else { "in the units of the file" };
    let row = |(number_of, value): (usize, &f64)| {
        vec![(number_of + 1).to_string(), number(*value), format!("{:.1} %", 100.0 * value * value / squares)]
    };
    let points = factors.values.iter().enumerate().map(|(k, value)| ((k + 1) as f64, *value)).collect();
    let mut sections = vec![Section {
        heading: "Factors".to_owned(),
        text: format!(
            "The coefficient matrix {units} is a sum of {rank} factors, each a pattern of features times a pattern of outputs. A singular value is the size of a factor."
        ),
        columns: ["factor", "singular value", "share of the squares"].map(str::to_owned).to_vec(),
        rows: factors.values.iter().enumerate().map(row).collect(),
        plot: (rank > 2).then(|| LinePlot {
            title: "Singular values".to_owned(),
            x_label: "factor".to_owned(),
            y_label: "singular value".to_owned(),
            series: vec![Series::new("", points)],
            ..LinePlot::default()
        }),
        ..Section::default()
    }];
    if rank > 1 {
        let place = |name: String, all: &[f64], at: usize| Place { name, x: all[at * rank], y: all[at * rank + 1] };
        let used = model.support();
        sections.push(Section {
            heading: "Features and outputs on the first two factors".to_owned(),
            text: "The coefficient of a feature for an output is the product of their lengths and the cosine of the angle between them, as far as two factors tell: a feature far out along an arrow raises that output, one on the other side lowers it.".to_owned(),
            biplot: Some(Biplot {
                title: "Biplot".to_owned(),
                x_label: format!("first factor ({})", number(factors.values[0])),
                y_label: format!("second factor ({})", number(factors.values[1])),
                points_label: "features".to_owned(),
                points: used.iter().map(|&j| place(name_of(model, j), &factors.features, j)).collect(),
                arrows_label: "outputs".to_owned(),
                arrows: (0..model.outputs.len()).map(|k| place(model.outputs[k].clone(), &factors.outputs, k)).collect(),
            }),
            ..Section::default()
        });
    }
    sections
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
            let mut facts =
                vec![Fact::new("accuracy", number(found.accuracy)), Fact::new("log loss", number(found.log_loss))];
            facts.extend(found.macro_auc.map(|area| Fact::new("AUC, mean over classes", number(area))));
            facts
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
            let ends = ["class".to_owned(), "AUC".to_owned()];
            let columns = ends.into_iter().chain(found.classes.iter().cloned()).collect();
            let row = |((label, weights), area): ((&String, &Vec<f64>), &Option<f64>)| -> Vec<String> {
                let area = area.map_or_else(|| "-".to_owned(), number);
                [label.clone(), area].into_iter().chain(weights.iter().map(|weight| number(*weight))).collect()
            };
            let rows = found.classes.iter().zip(&found.confusion).zip(&found.auc).map(row).collect();
            let text = format!(
                "How many rows of each class (down) were taken for each class (across), {which}, and the area under the ROC curve of the class against the rest; accuracy {}, log loss {}.",
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
