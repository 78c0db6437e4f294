//! Decisions at a threshold that the reader moves. Without scripts the first one is shown.

use super::embedded;
use crate::escape::escape;
use crate::model_input::{Cut, Thresholds};
use crate::number::number;

/// The table, the shares and the slider; empty without thresholds.
pub(super) fn content(thresholds: &Thresholds) -> String {
    let Some(cut) = thresholds.cuts.get(thresholds.start).or(thresholds.cuts.first()) else { return String::new() };
    let start = thresholds.start.min(thresholds.cuts.len() - 1);
    let name = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let (positive, negative) = (name(&thresholds.positive, "positive"), name(&thresholds.negative, "negative"));
    let (label, rows) = (name(&thresholds.label, "score"), name(&thresholds.rows, "rows"));
    let mut out = format!(
        "<h3>Decisions at a threshold</h3>\n<p>Rows are taken for <b>{}</b> where the {} is above <b id=\"threshold-value\">{}</b>; {}.</p>\n",
        escape(&positive),
        escape(&label),
        number(cut.threshold, 4),
        escape(&rows)
    );
    out.push_str(&format!(
        "<p class=\"js slider\"><label for=\"threshold\">threshold</label> <input type=\"range\" id=\"threshold\" min=\"0\" max=\"{}\" value=\"{start}\" step=\"1\"></p>\n",
        thresholds.cuts.len() - 1
    ));
    let cell = |id: &str, value: f64| format!("<td class=\"number\" id=\"cut-{id}\">{}</td>", number(value, 6));
    out.push_str(&format!(
        "<div class=\"pair\">\n<table class=\"confusion\"><thead><tr><th scope=\"col\">truly</th><th scope=\"col\" class=\"number\">taken for {0}</th><th scope=\"col\" class=\"number\">taken for {1}</th></tr></thead><tbody>\n\
         <tr><th scope=\"row\">{0}</th>{2}{3}</tr>\n<tr><th scope=\"row\">{1}</th>{4}{5}</tr>\n</tbody></table>\n",
        escape(&positive),
        escape(&negative),
        cell("tp", cut.true_positives),
        cell("fn", cut.false_negatives),
        cell("fp", cut.false_positives),
        cell("tn", cut.true_negatives)
    ));
    let shares = shares(cut);
    let row = |(id, name, value): &(&str, String, Option<f64>)| {
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\" id=\"cut-{id}\">{}</td></tr>\n",
            escape(name),
            percent(*value)
        )
    };
    let named = [
        ("accuracy", "right decisions".to_owned(), shares[0]),
        ("precision", format!("of those taken for {positive}, truly so (precision)"), shares[1]),
        ("recall", format!("of all {positive}, found (recall)"), shares[2]),
        ("specificity", format!("of all {negative}, left alone (specificity)"), shares[3]),
        ("taken", format!("of all rows, taken for {positive}"), shares[4]),
    ];
    out.push_str("<table class=\"facts\"><tbody>\n");
    named.iter().for_each(|one| out.push_str(&row(one)));
    out.push_str("</tbody></table>\n</div>\n");
    let data: Vec<[f64; 5]> = thresholds
        .cuts
        .iter()
        .map(|c| [c.threshold, c.true_positives, c.false_positives, c.true_negatives, c.false_negatives])
        .collect();
    out + &embedded("threshold-data", &data)
}

/// Accuracy, precision, recall, specificity and the share taken for positive; `None` where nothing is to be divided by.
fn shares(cut: &Cut) -> [Option<f64>; 5] {
    let share = |part: f64, all: f64| (all > 0.0).then(|| part / all);
    let (taken, ones) = (cut.true_positives + cut.false_positives, cut.true_positives + cut.false_negatives);
    let zeros = cut.true_negatives + cut.false_positives;
    [
        share(cut.true_positives + cut.true_negatives, ones + zeros),
        share(cut.true_positives, taken),
        share(cut.true_positives, ones),
        share(cut.true_negatives, zeros),
        share(taken, ones + zeros),
    ]
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}
