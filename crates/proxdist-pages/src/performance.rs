//! How well the model predicts: measures with their intervals, rows that it has not seen first; residuals.

use crate::words::{count, range};
use crate::{Crossed, Judged, LEVEL, Subject};
use proxdist::inference::Reference;
use proxdist::metrics::{Evaluation, Measured};
use proxdist_report::{Residual, Section, number};

/// `95 %`.
pub fn level_in_words() -> String {
    format!("{} %", number(100.0 * LEVEL, 4))
}

/// How intervals of measures are made, for the page.
pub fn intervals_by_formula(names: &[&str]) -> String {
    let mut ways = Vec::new();
    let has = |name: &str| names.contains(&name);
    if has("AUC") {
        ways.push("DeLong's formula on the scale of log odds for the AUC, and with it for Gini");
    }
    if has("accuracy") {
        ways.push("Wilson's for the accuracy");
    }
    if names.iter().any(|name| !["AUC", "accuracy", "Gini", "KS"].contains(name)) {
        ways.push("the delta method on the scale of logarithms for averages and shares explained");
    }
    format!("{} intervals take rows as independent and the model as given: {}.", level_in_words(), ways.join(", "))
}

pub(crate) fn sections(subject: &Subject, judged: &[(Judged, Vec<Measured>)]) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    let Some((first, measures)) = judged.first() else { return out };
    let is_unseen = !first.is_training;
    let mut columns = vec!["measure".to_owned()];
    for (rows, _) in judged {
        columns.push(format!("{}, {}", rows.label, count(rows.response.len(), "row")));
        if !rows.is_training {
            columns.push(format!("{} interval", level_in_words()));
        }
    }
    columns.push("what it is".to_owned());
    let row = |measure: &Measured| {
        let mut cells = vec![shown(measure.name).to_owned()];
        for (rows, measures) in judged {
            let own = measures.iter().find(|one| one.name == measure.name);
            cells.push(own.map_or_else(|| "–".to_owned(), |own| number(own.value, 4)));
            if !rows.is_training {
                cells.push(own.and_then(|own| own.interval).map_or_else(|| "–".to_owned(), range));
            }
        }
        cells.push(meaning(measure.name, subject).to_owned());
        cells
    };
    let text = if is_unseen && judged.len() > 1 {
        format!(
            "The first column is what to expect: {} that the model has not seen. On the rows of its fit it looks as good as or better than it is, so figures there have no intervals.",
            count(first.response.len(), "row")
        )
    } else if is_unseen {
        format!("On {}.", count(first.response.len(), "row"))
    } else {
        "No rows were held out. On the rows of its fit a model looks better than on new ones, so these figures have no intervals; rows that are held out tell what to expect.".to_owned()
    };
    let mut notes: Vec<String> = subject.crossed.iter().map(crossed).collect();
    if is_unseen {
        let names: Vec<&str> = measures.iter().map(|one| one.name).collect();
        notes.push(intervals_by_formula(&names));
    }
    out.push(Section {
        heading: "Performance".to_owned(),
        text,
        columns,
        rows: measures.iter().map(row).collect(),
        notes,
        ..Section::default()
    });
    out
}

/// What cross-validation says of the model, with an interval.
fn crossed(crossed: &Crossed) -> String {
    let degrees = crossed.folds.saturating_sub(1).max(1) as f64;
    let half = Reference::Student { degrees }.quantile(LEVEL) * crossed.standard_error;
    format!(
        "{}-fold cross-validation: {} {}, {} interval {} (mean ± Student's t with {degrees} degrees of freedom times its standard error over the folds, which share rows, so it is a rough one; the best of several is chosen, so \
         its score is a little flattering).",
        crossed.folds,
        crossed.score,
        number(crossed.mean, 4),
        level_in_words(),
        range((crossed.mean - half, crossed.mean + half))
    )
}

fn shown(name: &str) -> &str {
    match name {
        "R2" => "R²",
        "D2" => "D²",
        other => other,
    }
}

fn meaning(name: &str, subject: &Subject) -> &'static str {
    match name {
        "AUC" => "chance that a row of the positive class scores above one of the other; 0.5 is guessing",
        "accuracy" => "share of right decisions at the usual threshold",
        "log loss" => "mean of −log of the probability given to what happened; lower is better",
        "Gini" => "2 AUC − 1; 0 is guessing, 1 is perfect",
        "KS" => "largest difference between the shares of both classes above a threshold; no interval by formula",
        "R2" => "share of the variance explained; 0 is the mean, 1 is perfect",
        "D2" if subject.loss.kinked().is_some() => "share of the pinball loss of the best constant that is explained",
        "D2" => "share of the deviance explained; 0 is the mean, 1 is perfect",
        "deviance" => "mean deviance; lower is better",
        "pinball" => "mean pinball loss; lower is better",
        "MSE" => "mean squared error",
        "MAE" => "mean size of an error, in units of what is predicted",
        _ => "",
    }
}

/// Residuals of the rows that are shown first, for regression.
pub(crate) fn residuals(subject: &Subject, judged: &[(Judged, Vec<Measured>)]) -> Vec<Residual> {
    let Some((rows, _)) = judged.first() else { return Vec::new() };
    let of = Evaluation::of(subject.loss, &rows.predictors, &rows.response, rows.weights.as_deref());
    if !matches!(of, Ok(Evaluation::Regression(_))) {
        return Vec::new();
    }
    let residual = |(eta, y): (&f64, &f64)| {
        let fitted = subject.loss.mean(*eta);
        Residual { fitted, residual: y - fitted }
    };
    rows.predictors.iter().zip(&rows.response).map(residual).collect()
}
