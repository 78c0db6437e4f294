//! The sentence at the head of the page, for those who read no more, and a few figures beside it.

use crate::words::{count, percent};
use crate::{Judged, Subject};
use proxdist::Shape;
use proxdist::constraint::Structure;
use proxdist::loss::Task;
use proxdist::metrics::Measured;
use proxdist::outputs::factors_of;
use proxdist_report::{Fact, number};

/// What, from what, how well: `Salary from 8 of 19 features; explains 53 % of the variance (held out: 49 %).` `how_well` is on the rows of the fit, or on those that are shown; `unseen` on others, with their name.
pub fn sentence(what: &str, from: &str, how_well: Option<&str>, unseen: Option<(&str, &str)>) -> String {
    let how_well = how_well.map_or_else(String::new, |text| format!("; {text}"));
    let unseen = unseen.map_or_else(String::new, |(label, text)| format!(" ({label}: {text})"));
    format!("{what} from {from}{how_well}{unseen}.")
}

/// The measure that says most for a task: its name, the words around its value.
pub(crate) struct Main {
    pub(crate) name: &'static str,
    before: &'static str,
    after: &'static str,
    is_share: bool,
}

/// The first measure of the list, which is ordered so that it says most.
pub(crate) fn main_of(subject: &Subject, measured: &[Measured]) -> Option<Main> {
    let first = measured.first()?;
    let is_quantile = subject.loss.kinked().is_some() && subject.loss.task() == Task::Regression;
    let (before, after, is_share) = match first.name {
        "R2" => ("explains ", " of the variance", true),
        "D2" if is_quantile => ("explains ", " of the pinball loss", true),
        "D2" => ("explains ", " of the deviance", true),
        "accuracy" => ("", " of the decisions are right", true),
        "AUC" => ("AUC ", "", false),
        _ => ("", "", false),
    };
    Some(Main { name: first.name, before, after, is_share })
}

impl Main {
    pub(crate) fn value(&self, measured: &[Measured]) -> Option<String> {
        let found = measured.iter().find(|one| one.name == self.name)?.value;
        Some(if self.is_share { percent(found) } else { number(found, 3) })
    }

    fn label(&self) -> &'static str {
        match self.name {
            "R2" => "variance explained",
            "D2" => "explained (D2)",
            name => name,
        }
    }
}

/// The sentence about a model.
pub(crate) fn of(subject: &Subject, judged: &[(Judged, Vec<Measured>)]) -> String {
    let what = match (&subject.classes, &subject.target) {
        (Some([_, positive]), Some(target)) => format!("{target} = {positive}"),
        (Some([_, positive]), None) => format!("Label {positive}"),
        (None, Some(target)) => target.clone(),
        (None, None) => "The response".to_owned(),
    };
    let from = from(subject);
    let Some(main) = judged.first().and_then(|(_, measured)| main_of(subject, measured)) else {
        return sentence(&what, &from, None, None);
    };
    let training = judged.iter().find(|(rows, _)| rows.is_training);
    let other = judged.iter().find(|(rows, _)| !rows.is_training);
    let whole =
        |measured: &[Measured]| main.value(measured).map(|value| format!("{}{value}{}", main.before, main.after));
    match (training, other) {
        (Some((_, own)), Some((rows, unseen))) => {
            let unseen = main.value(unseen);
            let unseen = unseen.as_deref().map(|value| (rows.label.as_str(), value));
            sentence(&what, &from, whole(own).as_deref(), unseen)
        }
        (Some((_, own)), None) => {
            let crossed = subject.crossed.as_ref().map(|crossed| match subject.cross_validated_share() {
                Some(share) => ("held out, by cross-validation".to_owned(), percent(share)),
                None => (crossed.score.clone(), number(crossed.mean, 3)),
            });
            let crossed = crossed.as_ref().map(|(label, value)| (label.as_str(), value.as_str()));
            sentence(&what, &from, whole(own).as_deref(), crossed)
        }
        (None, Some((rows, measured))) => {
            let text = whole(measured).map(|text| format!("{text}, {}", rows.label));
            sentence(&what, &from, text.as_deref(), None)
        }
        (None, None) => sentence(&what, &from, None, None),
    }
}

/// What the prediction is made from.
fn from(subject: &Subject) -> String {
    if let Shape::Matrix { rows, columns } = subject.model.shape {
        let rank = factors_of(subject.model.coefficients, columns).map_or(0, |found| found.values.len());
        let full = rows.min(columns);
        let rank = if rank < full { format!(" of rank {rank}") } else { String::new() };
        return format!("a {rows} × {columns} matrix of features, coefficients{rank}{}", under(subject));
    }
    let (used, all) = (subject.support().len(), subject.model.coefficients.len());
    let features = match used {
        0 => format!("none of {}", count(all, "feature")),
        used if used == all && all == 1 => "its only feature".to_owned(),
        used if used == all => format!("all {}", count(all, "feature")),
        used => format!("{} of {}", proxdist_report::count(used), count(all, "feature")),
    };
    features + &under(subject)
}

/// The set, where the number of features does not say it all.
fn under(subject: &Subject) -> String {
    let Some(training) = subject.training else { return String::new() };
    let length = subject.model.coefficients.len();
    let is_told = match training.procedure.set.structure() {
        Structure::WholeSpace | Structure::Rank { .. } => true,
        Structure::Choice(choosing) => choosing.counted(length).is_some(),
        _ => subject.set.is_empty(),
    };
    if is_told { String::new() } else { format!(" under the constraint “{}”", subject.set) }
}

/// A few figures.
pub(crate) fn tiles(subject: &Subject, judged: &[(Judged, Vec<Measured>)]) -> Vec<Fact> {
    let mut tiles = Vec::new();
    for (rows, measured) in judged {
        let Some(main) = main_of(subject, measured) else { continue };
        tiles.extend(main.value(measured).map(|value| Fact::new(format!("{}, {}", main.label(), rows.label), value)));
    }
    if let Some(crossed) = &subject.crossed {
        let value = format!("{} ± {}", number(crossed.mean, 4), number(crossed.standard_error, 2));
        tiles.push(Fact::new(format!("{}, {} folds", crossed.score, crossed.folds), value));
    }
    if !subject.is_matrix() {
        let (used, all) = (subject.support().len(), subject.model.coefficients.len());
        tiles.push(Fact::new("features used", format!("{used} of {}", proxdist_report::count(all))));
    }
    if let Some(training) = subject.training {
        tiles.push(Fact::new("rows of the fit", proxdist_report::count(training.data.rows())));
    }
    tiles.extend(subject.model.objective.map(|value| Fact::new("objective F", number(value, 6))));
    tiles
}
