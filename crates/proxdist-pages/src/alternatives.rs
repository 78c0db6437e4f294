//! Choices near that of the model: features that almost made it, features that are hardly needed, and what that costs.

use crate::Subject;
use crate::words::{count, percent};
use proxdist::Result;
use proxdist::inference::{Alternative, Alternatives, alternatives};
use proxdist_report::{Section, number};

/// Features whose absence is listed.
const MOST_FEWER: usize = 10;
/// Additions that are listed.
const MOST_MORE: usize = 2;

pub(crate) fn section(subject: &Subject) -> Result<Option<Section>> {
    let Some(training) = subject.training.filter(|_| !subject.is_matrix()) else { return Ok(None) };
    let at = (subject.model.coefficients, subject.model.intercept);
    let Some(found) = alternatives(training.procedure, training.data, at)? else { return Ok(None) };
    if found.swaps.is_empty() && found.fewer.is_empty() {
        return Ok(None);
    }
    Ok(Some(told(subject, &found)))
}

fn told(subject: &Subject, found: &Alternatives) -> Section {
    let gain = found.without_features - found.objective;
    let row = |one: &Alternative| {
        let name = |feature: Option<usize>| feature.map(|j| subject.name(j)).unwrap_or_default();
        let what = match (one.leaves, one.enters) {
            (Some(_), Some(_)) => format!("{} instead of {}", name(one.enters), name(one.leaves)),
            (Some(_), None) => format!("without {}", name(one.leaves)),
            (None, _) => format!("{} as well", name(one.enters)),
        };
        let change = one.objective - found.objective;
        let share = if gain > 0.0 { change / gain } else { f64::NAN };
        let sign = if change > 0.0 { "+" } else { "" };
        let share = if share.is_finite() { format!("{sign}{}", percent(share)) } else { "–".to_owned() };
        vec![what, number(one.objective, 6), format!("{sign}{}", number(change, 3)), share]
    };
    let fewer = &found.fewer[..found.fewer.len().min(MOST_FEWER)];
    let more = &found.more[..found.more.len().min(MOST_MORE)];
    let mut rows: Vec<Vec<String>> = found.swaps.iter().map(row).collect();
    rows.extend(fewer.iter().map(row));
    rows.extend(more.iter().map(row));
    let mut notes = vec![format!(
        "Each F is that of a fit of these features to the rows of the fit ({}). Of {} of one feature that the constraint allows, {} scored, and the most promising one of each newcomer was fitted.",
        count(found.fits, "fit"),
        count(found.possible, "exchange"),
        if found.scored >= found.possible {
            "all were".to_owned()
        } else {
            format!("{} were", proxdist_report::count(found.scored))
        }
    )];
    if found.fewer.len() > fewer.len() {
        notes.push(format!(
            "Of {} the {MOST_FEWER} that are missed least are shown.",
            count(found.fewer.len(), "feature")
        ));
    }
    if found.is_cut {
        notes.push("Not all of them could be fitted: on data of this size that takes too long.".to_owned());
    }
    Section {
        heading: "Alternatives".to_owned(),
        text: format!(
            "F, the average loss, is {} for this model and {} without any feature. Where another choice costs next to nothing, these rows cannot tell which one is right.",
            number(found.objective, 6),
            number(found.without_features, 6)
        ),
        columns: ["choice", "F", "change of F", "of what the features gain"].map(str::to_owned).to_vec(),
        rows,
        notes,
        ..Section::default()
    }
}
