//! The page about a fit or an evaluation of times or ordered labels: certificate, coefficients with hazard or odds ratios, baseline survival or thresholds, measures.

use super::Done;
use super::tell::{by_size, list, loss, name_of, ratio};
use crate::report;
use crate::words::{number, plural};
use proxdist::joint::{JointEvaluation, JointKind, JointModel};
use proxdist::survival::BaselineStratum;
use proxdist_pages::Measures;
use proxdist_report::{Fact, LinePlot, Notice, Report, Section, Series};

/// Points of a survival curve at most, and strata with a curve.
const MOST_POINTS: usize = 2000;
const MOST_STRATA: usize = 8;

/// The page about a fit.
pub(super) fn of_fit(done: &Done) -> Report {
    let Done { model, fit, .. } = *done;
    let mut performance = Vec::new();
    if let Some(heldout) = done.heldout {
        performance.extend(measured("on rows kept out of the fit", heldout));
    }
    performance.extend(measured("on the rows of the fit", done.training));
    let mut scores = facts(done.heldout.unwrap_or(done.training));
    scores.push(Fact::new("features used", model.support().len().to_string()));
    scores.push(Fact::new("objective F", number(fit.objective())));
    let mut notices = Vec::new();
    if !fit.stop().is_success() {
        notices.push(Notice::warning(format!("The fit is {}.", fit.stop())));
    }
    if !fit.undetermined().is_empty() {
        let names: Vec<String> = fit.undetermined().iter().take(5).map(|&j| name_of(model, j)).collect();
        let which = names.join(", ");
        notices.push(Notice::warning(format!("No minimum: F only falls as coefficients of features that tell rows apart without error grow ({which}). --ridge 1e-3 or a ball gives them a size.")));
    }
    let certificate = fit.certificate();
    let Report { command, versions, .. } = report::repeat(None);
    Report {
        title: format!("{} on {}", model.constraint, done.source),
        headline: headline(model, (done.training, done.heldout), done.table.schema.target.as_deref()),
        result: format!("A model with the {} and {}.", loss(model), done.spec.words()),
        scores,
        notices,
        performance,
        model: std::iter::once(coefficients(model)).chain(own(model)).collect(),
        guarantees: proxdist_pages::guarantees(certificate, fit.objective(), &done.spec.words()),
        certificate: proxdist_pages::lines(certificate, Measures { objective: fit.objective(), schedule: None }),
        data: report::table_facts(done.source, done.table),
        data_notes: done.table.notices.clone(),
        settings: vec![
            Fact::new("set", model.constraint.clone()),
            Fact::new("ridge", number(model.ridge)),
            Fact::new("rows", done.rows.to_string()),
        ],
        seconds: Some(done.seconds.1),
        command,
        versions,
        ..Report::default()
    }
}

/// What, from what, how well.
fn headline(
    model: &JointModel,
    (training, heldout): (&JointEvaluation, Option<&JointEvaluation>),
    target: Option<&str>,
) -> String {
    let (used, all) = (model.support().len(), model.coefficients.len());
    let from = if used == all {
        format!("all {}", proxdist_pages::count(all, "feature"))
    } else {
        format!("{used} of {}", proxdist_pages::count(all, "feature"))
    };
    let value = |evaluation: &JointEvaluation| match evaluation {
        JointEvaluation::Times(found) => found.concordance.map(|value| proxdist_report::number(value, 3)),
        JointEvaluation::Levels(found) => Some(proxdist_pages::percent(found.accuracy)),
        _ => None,
    };
    let whole = |evaluation: &JointEvaluation| {
        let value = value(evaluation)?;
        Some(match evaluation {
            JointEvaluation::Times(_) => format!("concordance {value}"),
            _ => format!("{value} of the rows are given the right label"),
        })
    };
    let what = match model.kind {
        JointKind::Cox { .. } => format!("Risk of the event ({})", target.unwrap_or("time")),
        _ => target.unwrap_or("The ordered label").to_owned(),
    };
    let unseen = heldout.and_then(value);
    proxdist_pages::sentence(&what, &from, whole(training).as_deref(), unseen.as_deref().map(|v| ("held out", v)))
}

/// The page about an evaluation.
pub(super) fn of_evaluation(model: &JointModel, source: &str, evaluation: &JointEvaluation) -> Report {
    let Report { command, versions, .. } = report::repeat(None);
    Report {
        title: format!("{} model on {source}", model.constraint),
        headline: headline(model, (evaluation, None), None),
        result: format!("A model with the {}, on rows it is compared with.", loss(model)),
        scores: facts(evaluation),
        performance: measured("on these rows", evaluation).into_iter().collect(),
        data: vec![Fact::new("file", source)],
        command,
        versions,
        ..Report::default()
    }
}

fn coefficients(model: &JointModel) -> Section {
    let row = |j: usize| {
        let value = model.coefficients[j];
        vec![name_of(model, j), number(value), number(value.exp())]
    };
    let text = match model.kind {
        JointKind::Cox { .. } => "The hazard ratio is the factor on the hazard for one unit more of the feature.",
        _ => "The odds ratio is the factor on the odds of a higher label for one unit more of the feature.",
    };
    Section {
        heading: "Coefficients".to_owned(),
        text: format!("One row for each feature that is used, the largest coefficient first. {text}"),
        columns: ["feature", "coefficient", ratio(model)].map(str::to_owned).to_vec(),
        rows: by_size(model).into_iter().map(row).collect(),
        notes: vec![
            "There are no intervals: standard errors are not available for times and ordered labels.".to_owned(),
        ],
        ..Section::default()
    }
}

/// What a model has besides its coefficients.
fn own(model: &JointModel) -> Option<Section> {
    match &model.kind {
        JointKind::Cox { baseline, .. } => {
            let series = baseline.strata.iter().take(MOST_STRATA).map(curve).collect();
            let plot = LinePlot {
                title: "Baseline survival".to_owned(),
                x_label: "time".to_owned(),
                y_label: "chance to be without the event".to_owned(),
                series,
                ..LinePlot::default()
            };
            let text =
                "The chance of a row with the mean predictor of the fit to be without the event after each time.";
            let heading = "Baseline survival".to_owned();
            Some(Section { heading, text: text.to_owned(), plot: Some(plot), ..Section::default() })
        }
        JointKind::Ordinal { levels, thresholds } => {
            let row = |(pair, cut): (&[String], &f64)| vec![format!("{} | {}", pair[0], pair[1]), number(*cut)];
            Some(Section {
                heading: "Thresholds".to_owned(),
                text: "A row whose predictor is at a threshold is as likely below as above it.".to_owned(),
                columns: ["between", "threshold"].map(str::to_owned).to_vec(),
                rows: levels.windows(2).zip(thresholds).map(row).collect(),
                ..Section::default()
            })
        }
        _ => None,
    }
}

/// Steps, thinned out where there are very many.
fn curve(stratum: &BaselineStratum) -> Series {
    let every = stratum.times.len().div_ceil(MOST_POINTS).max(1);
    let mut points = vec![(0.0, 1.0)];
    for (time, hazard) in stratum.times.iter().zip(&stratum.hazard).step_by(every) {
        let before = points.last().map_or(1.0, |last| last.1);
        points.push((*time, before));
        points.push((*time, (-hazard).exp()));
    }
    Series::new(stratum.name.clone(), points)
}

fn facts(evaluation: &JointEvaluation) -> Vec<Fact> {
    list(evaluation).into_iter().filter_map(|(name, value)| Some(Fact::new(name, number(value?)))).collect()
}

fn measured(which: &str, evaluation: &JointEvaluation) -> Option<Section> {
    match evaluation {
        JointEvaluation::Times(found) => {
            let rows = list(evaluation)
                .into_iter()
                .map(|(name, value)| vec![name.to_owned(), value.map_or_else(|| "-".to_owned(), number)])
                .collect();
            let text = format!("{}, {}.", plural(found.rows, "row"), plural(found.events, "event"));
            let columns = ["measure", "value"].map(str::to_owned).to_vec();
            Some(Section { heading: format!("Measures {which}"), text, columns, rows, ..Section::default() })
        }
        JointEvaluation::Levels(found) => {
            let columns = std::iter::once("label".to_owned()).chain(found.levels.iter().cloned()).collect();
            let row = |(label, weights): (&String, &Vec<f64>)| -> Vec<String> {
                std::iter::once(label.clone()).chain(weights.iter().map(|weight| number(*weight))).collect()
            };
            let rows = found.levels.iter().zip(&found.confusion).map(row).collect();
            let text = format!(
                "How many rows of each label (down) were taken for each label (across), {which}; accuracy {}, log loss {}.",
                number(found.accuracy),
                number(found.log_loss)
            );
            Some(Section { heading: format!("Labels {which}"), text, columns, rows, ..Section::default() })
        }
        _ => None,
    }
}
