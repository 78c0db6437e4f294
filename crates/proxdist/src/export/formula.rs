//! One line for people, with numbers that read back: `log(mean of claims) = -1.2 + 0.3 age + 0.5 [region = "north"]`.

use super::{InputKind, KnownPart, ScoreLink, Scorer};
use crate::binning::Bins;

pub(super) fn written(scorer: &Scorer) -> String {
    let target = scorer.target.as_ref().map_or_else(|| "y".to_owned(), |target| name(target));
    let left = match (scorer.link, &scorer.labels) {
        (ScoreLink::Identity, _) => target,
        (ScoreLink::Log, _) => format!("log(mean of {target})"),
        (ScoreLink::Logit, Some([_, positive])) => format!("log odds of {target} = {positive:?}"),
        (ScoreLink::Logit, None) => format!("log odds of {target}"),
        (ScoreLink::Margin, labels) => {
            let positive = labels.as_ref().map_or_else(|| "1".to_owned(), |[_, positive]| format!("{positive:?}"));
            format!("margin (above 0: {positive})")
        }
    };
    let mut right = String::new();
    let mut add = |factor: f64, what: &str| {
        let sign = match (right.is_empty(), factor < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let factor = factor.abs();
        let product = match (what.is_empty(), factor) {
            (true, _) => factor.to_string(),
            (false, 1.0) => what.to_owned(),
            _ => format!("{factor} {what}"),
        };
        right += sign;
        right += &product;
    };
    if scorer.intercept != 0.0 || (scorer.inputs.is_empty() && scorer.known.is_none()) {
        add(scorer.intercept, "");
    }
    for input in &scorer.inputs {
        match &input.kind {
            InputKind::Bins { edges, adds, missing, .. } => {
                let bins = Bins { edges: edges.clone(), missing: missing.is_some() };
                for (bin, adds) in adds.iter().chain(missing).enumerate().filter(|(_, adds)| **adds != 0.0) {
                    add(*adds, &format!("[{} {}]", name(&input.column), bins.text(bin)));
                }
            }
            InputKind::Number { coefficient, .. } => add(*coefficient, &name(&input.column)),
            InputKind::Text { levels, .. } => {
                for (level, adds) in levels.iter().filter(|(_, adds)| *adds != 0.0) {
                    add(*adds, &format!("[{} = {level:?}]", name(&input.column)));
                }
            }
        }
    }
    match &scorer.known {
        Some(KnownPart::Offset(column)) => add(1.0, &name(column)),
        Some(KnownPart::Exposure(column)) => add(1.0, &format!("log({})", name(column))),
        None => {}
    }
    format!("{left} = {right}\n")
}

/// A name as it is where it is plain, in backticks otherwise.
fn name(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && text.chars().next().is_some_and(|c| !c.is_numeric());
    if is_plain { text.to_owned() } else { format!("`{}`", text.escape_debug()) }
}
