//! What the coefficients do: effects of standard deviations as bars, then a table with the units of the data, ratios and intervals.

use super::notes;
use super::sections::figure;
use crate::escape::escape;
use crate::figures;
use crate::model_input::{Effect, Effects};
use crate::number::{count, number};

/// Rows of the table; the list of all coefficients has the rest.
const MOST: usize = 200;

pub(super) fn content(effects: &Effects) -> String {
    let mut out = String::new();
    if !effects.text.is_empty() {
        out.push_str(&format!("<p>{}</p>\n", escape(&effects.text)));
    }
    out.push_str(&figure(|style| figures::effects(effects, style), ""));
    out.push_str(&table(effects));
    if effects.rows.len() > MOST {
        out.push_str(&format!(
            "<p class=\"quiet\">The {MOST} largest of {} are shown.</p>\n",
            count(effects.rows.len())
        ));
    }
    out + &notes(&effects.notes)
}

fn table(effects: &Effects) -> String {
    let rows: Vec<&Effect> = effects.rows.iter().take(MOST).chain(&effects.intercept).collect();
    let has = |value: &dyn Fn(&Effect) -> bool| rows.iter().any(|row| value(row));
    let columns = Columns {
        effect: has(&|row| row.effect.is_some()),
        interval: has(&|row| row.interval.is_some()),
        ratio: (!effects.ratio_label.is_empty() && has(&|row| row.ratio.is_some()))
            .then(|| has(&|row| row.ratio_interval.is_some())),
    };
    let interval = if effects.interval_label.is_empty() { "interval" } else { &effects.interval_label };
    let mut heads = vec![("feature", false)];
    if columns.effect {
        heads.push((&effects.effect_label, true));
    }
    heads.push(("coefficient", true));
    if columns.interval {
        heads.push((interval, true));
    }
    if let Some(has_interval) = columns.ratio {
        heads.push((&effects.ratio_label, true));
        if has_interval {
            heads.push((interval, true));
        }
    }
    let head = |(name, is_number): &(&str, bool)| {
        format!("<th scope=\"col\"{}>{}</th>", if *is_number { " class=\"number\"" } else { "" }, escape(name))
    };
    let head: String = heads.iter().map(head).collect();
    let body: String = rows.iter().map(|row| line(row, &columns, &heads)).collect();
    format!(
        "<div class=\"scroll\"><table class=\"stack effects\"><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

struct Columns {
    effect: bool,
    interval: bool,
    /// Whether ratios have intervals, if there are any ratios.
    ratio: Option<bool>,
}

fn line(row: &Effect, columns: &Columns, heads: &[(&str, bool)]) -> String {
    let range = |interval: Option<(f64, f64)>| {
        interval.map_or_else(|| "–".to_owned(), |(low, high)| format!("{} to {}", number(low, 4), number(high, 4)))
    };
    let plain = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| number(value, 4));
    let mut cells = Vec::new();
    if columns.effect {
        cells.push(plain(row.effect));
    }
    cells.push(if row.value.is_finite() { number(row.value, 5) } else { "not finite".to_owned() });
    if columns.interval {
        cells.push(range(row.interval));
    }
    if let Some(has_interval) = columns.ratio {
        cells.push(plain(row.ratio));
        if has_interval {
            cells.push(range(row.ratio_interval));
        }
    }
    // On a phone each cell stands on a line of its own, under its name.
    let cell = |(text, (name, _)): (&String, &(&str, bool))| {
        format!("<td class=\"number\" data-label=\"{}\">{}</td>", escape(name), escape(text))
    };
    let cells: String = cells.iter().zip(&heads[1..]).map(cell).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(&row.name))
}
