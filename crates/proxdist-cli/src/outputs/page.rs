//! The page about a fit or an evaluation of several outputs: the certificate, coefficients by output as a table and as a heat map, the factors of low rank with a biplot, ROC curves, how often classes were taken for each other.

use super::Done;
use super::tell::{by_size, name_of};
use crate::report;
use crate::words::number;
use proxdist::inference::Reference;
use proxdist::metrics::{RocPoint, wilson};
use proxdist::outputs::{OutputsEvaluation, OutputsModel, roc_curves};
use proxdist_pages::{Grid, Measures, percent};
use proxdist_report::{Biplot, CoefficientMatrix, Fact, Notice, Place, Report, RocCurve, Section};

/// The page about a fit.
pub(super) fn of_fit(done: &Done) -> Report {
    let Done { model, fit, .. } = *done;
    let is_weighted = done.table.weights.is_some();
    let mut performance = Vec::new();
    if let Some(heldout) = done.heldout {
        performance.extend(measured("on rows kept out of the fit", heldout, !is_weighted));
    }
    performance.extend(measured("on the rows of the fit", done.training, false));
    let grid = model.names.as_deref().and_then(Grid::of);
    let unit = |j: usize| done.deviations.and_then(|all| all.get(j)).copied().unwrap_or(1.0);
    let effect = |j: usize, k: usize| fit.model().coefficient(j, k) * unit(j);
    let mut sections: Vec<Section> = grid.map(|grid| grid.effects(&model.outputs, &effect)).into_iter().collect();
    sections.extend(factors(fit.model(), done.is_scaled, grid));
    sections.push(coefficients(model));
    let mut scores = facts(done.heldout.unwrap_or(done.training));
    scores.push(Fact::new("features used", model.support().len().to_string()));
    scores.push(Fact::new("objective F", number(fit.objective())));
    let mut notices = Vec::new();
    let separation = model.separation();
    if separation.is_there() {
        notices.push(Notice::warning(format!("No minimum: {separation}. --ridge 1e-3 or a ball gives them one.")));
    }
    if !fit.stop().is_success() {
        notices.push(Notice::warning(format!("The fit is {}.", fit.stop())));
    }
    let certificate = fit.certificate();
    let Report { command, versions, .. } = report::repeat(None);
    Report {
        title: format!("{} on {}", model.constraint, done.source),
        headline: headline(model, (done.training, done.heldout), done.table.schema.target.as_deref()),
        result: format!(
            "A model of {} outputs with the {} loss and {}; {}.",
            model.outputs.len(),
            model.loss,
            done.spec.words(),
            model.unique
        ),
        scores,
        notices,
        performance,
        guarantees: proxdist_pages::guarantees(certificate, fit.objective(), &done.spec.words()),
        certificate: proxdist_pages::lines(certificate, Measures { objective: fit.objective(), schedule: None }),
        matrix: grid.is_none().then(|| matrix(model)),
        roc: done.roc.to_vec(),
        model: sections,
        data: report::table_facts(done.source, done.table),
        data_notes: done.table.notices.clone(),
        settings: vec![
            Fact::new("set", model.constraint.clone()),
            Fact::new("ridge", number(model.ridge)),
            Fact::new("seed", model.seed.to_string()),
        ],
        seconds: Some(done.seconds.1),
        command,
        versions,
        ..Report::default()
    }
}

/// What, from what, how well.
fn headline(
    model: &OutputsModel,
    (training, heldout): (&OutputsEvaluation, Option<&OutputsEvaluation>),
    target: Option<&str>,
) -> String {
    let (used, all) = (model.support().len(), model.features());
    let rank = model.factors().filter(|_| model.constraint.contains("rank:"));
    let rank = rank.map_or_else(String::new, |found| format!(", coefficients of rank {}", found.values.len()));
    let from = if used == all {
        format!("all {}{rank}", proxdist_pages::count(all, "feature"))
    } else {
        format!("{used} of {}{rank}", proxdist_pages::count(all, "feature"))
    };
    let value = |evaluation: &OutputsEvaluation| match evaluation {
        OutputsEvaluation::Classes(found) => Some(percent(found.accuracy)),
        evaluation => mean_r_squared(evaluation).map(percent),
    };
    let whole = |evaluation: &OutputsEvaluation| {
        let value = value(evaluation)?;
        Some(match evaluation {
            OutputsEvaluation::Classes(_) => format!("{value} of the rows are taken for the right one"),
            _ => format!("explains {value} of the variance on average"),
        })
    };
    let count = model.outputs.len();
    let what = match (model.loss.is_classification(), target) {
        (true, Some(target)) => format!("{target}, one of {count} classes,"),
        (true, None) => format!("One of {count} classes"),
        (false, _) => format!("{count} responses"),
    };
    let unseen = heldout.and_then(value);
    proxdist_pages::sentence(&what, &from, whole(training).as_deref(), unseen.as_deref().map(|v| ("held out", v)))
}

/// The mean over the responses that have one.
fn mean_r_squared(evaluation: &OutputsEvaluation) -> Option<f64> {
    let OutputsEvaluation::Responses { responses, .. } = evaluation else { return None };
    let known: Vec<f64> = responses.iter().filter_map(|found| found.r_squared).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

/// The page about an evaluation.
pub(super) fn of_evaluation(
    model: &OutputsModel,
    source: &str,
    evaluation: &OutputsEvaluation,
    roc: Vec<RocCurve>,
) -> Report {
    let Report { command, versions, .. } = report::repeat(None);
    Report {
        title: format!("{} model on {source}", model.constraint),
        headline: headline(model, (evaluation, None), None),
        result: format!(
            "A model of {} outputs with the {} loss, on rows it is compared with.",
            model.outputs.len(),
            model.loss
        ),
        scores: facts(evaluation),
        roc,
        performance: measured("on these rows", evaluation, false).into_iter().collect(),
        data: vec![Fact::new("file", source)],
        command,
        versions,
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
fn factors(model: &OutputsModel, is_scaled: bool, grid: Option<Grid>) -> Vec<Section> {
    let Some(factors) = model.constraint.contains("rank:").then(|| model.factors()).flatten() else {
        return Vec::new();
    };
    let rank = factors.values.len();
    let units = if is_scaled { "of scaled columns" } else { "in the units of the file" };
    let shown = proxdist_pages::Factors { values: &model.coefficients, columns: model.outputs.len(), units, grid };
    let mut sections: Vec<Section> = proxdist_pages::factors(shown).into_iter().collect();
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
    let text = "One row for each feature that any output uses, the largest first; pictures have them in the order of the data.";
    let notes = vec!["There are no intervals: standard errors are for models of one output.".to_owned()];
    let heading = "Coefficients by output".to_owned();
    Section { heading, text: text.to_owned(), columns, rows, notes, ..Section::default() }
}

fn facts(evaluation: &OutputsEvaluation) -> Vec<Fact> {
    match evaluation {
        OutputsEvaluation::Classes(found) => {
            let mut facts =
                vec![Fact::new("accuracy", number(found.accuracy)), Fact::new("log loss", number(found.log_loss))];
            facts.extend(found.macro_auc.map(|area| Fact::new("AUC, mean over classes", number(area))));
            facts
        }
        evaluation => mean_r_squared(evaluation).map(|mean| Fact::new("mean R2", number(mean))).into_iter().collect(),
    }
}

/// The measures of some rows; with Wilson's interval of the accuracy where rows are independent, alike and not those of the fit.
fn measured(which: &str, evaluation: &OutputsEvaluation, has_interval: bool) -> Option<Section> {
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
            let z = Reference::Normal.quantile(proxdist_pages::LEVEL);
            let (low, high) = wilson(found.accuracy, found.rows as f64, z);
            let level = proxdist_pages::level_in_words();
            let note = format!("{level} interval of the accuracy: {} to {} (Wilson's).", percent(low), percent(high));
            let notes = if has_interval { vec![note] } else { Vec::new() };
            Section { heading: format!("Classes {which}"), text, columns, rows, notes, ..Section::default() }
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
