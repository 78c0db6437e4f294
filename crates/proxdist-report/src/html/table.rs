//! The coefficients: a figure of the largest, and all of them in a table that scripts can search and sort.

use super::sections::figure;
use super::{Report, effects, embedded};
use crate::escape::escape;
use crate::figures;
use crate::input::Coefficient;
use crate::number::{count, number};
use serde::Serialize;

const CONTROLS: &str = include_str!("../template/table.html");
const PAGER: &str = include_str!("../template/pager.html");

/// Rows of a page, and of the table without scripts.
const PAGE: usize = 200;

/// What the script needs: all names, and the values that are not zero with their places.
#[derive(Serialize)]
struct Data<'a> {
    names: Vec<&'a str>,
    index: Vec<usize>,
    values: Vec<f64>,
}

fn content(coefficients: &[Coefficient], intercept: Option<f64>, has_figure: bool) -> String {
    let mut order: Vec<usize> = (0..coefficients.len()).filter(|&j| coefficients[j].value != 0.0).collect();
    let data = Data {
        names: coefficients.iter().map(|c| c.name.as_str()).collect(),
        index: order.clone(),
        values: order.iter().map(|&j| coefficients[j].value).collect(),
    };
    let finite = |j: &usize| coefficients[*j].value.is_finite();
    let largest = order.iter().filter(|j| finite(j)).map(|&j| coefficients[j].value.abs()).fold(0.0, f64::max);
    let size = |j: usize| if coefficients[j].value.is_nan() { f64::INFINITY } else { coefficients[j].value.abs() };
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    let mut out = format!(
        "<p>{} of {} coefficients are not zero{}.</p>\n",
        count(order.len()),
        count(coefficients.len()),
        intercept.map_or(String::new(), |b| format!("; the intercept is {}", number(b, 6)))
    );
    if has_figure {
        out.push_str(&figure(|style| figures::coefficients(coefficients, style), ""));
    }
    out.push_str(CONTROLS);
    out.push_str("<tbody>\n");
    for &j in order.iter().take(PAGE) {
        let Coefficient { name, value } = &coefficients[j];
        let share = if value.is_finite() && largest > 0.0 { 100.0 * value.abs() / largest } else { 0.0 };
        let class = if *value < 0.0 { " class=\"negative\"" } else { "" };
        let shown = if value.is_finite() { number(*value, 6) } else { "not finite".into() };
        out.push_str(&format!(
            "<tr><td class=\"rank number\">{}</td><td>{}</td><td class=\"number\">{shown}</td><td class=\"bar\"><span{class} style=\"width:{share:.1}%\"></span></td></tr>\n",
            j + 1,
            escape(name)
        ));
    }
    out.push_str("</tbody></table>\n");
    out.push_str(PAGER);
    if order.len() > PAGE || order.len() < coefficients.len() {
        let shown = count(order.len().min(PAGE));
        out.push_str(&format!("<p class=\"quiet no-js\">The {shown} largest are shown; searching, sorting and the others need JavaScript.</p>\n"));
    }
    out + &embedded("coefficient-data", &data)
}

/// The coefficients: what they do first, all of them in a table that can be searched, folded away where it would say the same again.
pub(super) fn section(report: &Report) -> String {
    let mut out = String::new();
    if let Some(matrix) = &report.matrix {
        out.push_str(&super::section("Coefficient matrix", &figure(|style| figures::heat_map(matrix, style), "")));
    }
    let all = &report.coefficients;
    match &report.effects {
        None if all.is_empty() => {}
        None if report.matrix.is_some() => {
            let line = format!("All {} coefficients", count(all.len()));
            out.push_str(&super::folded(&line, &content(all, report.intercept, true)));
        }
        None => out.push_str(&super::section("Coefficients", &content(all, report.intercept, true))),
        Some(effects) => {
            let mut content = effects::content(effects);
            if !all.is_empty() {
                let line = format!("All {} coefficients, to search and sort", count(all.len()));
                // The bars above compare effects; paper has them all already.
                let table = self::content(all, report.intercept, false);
                content.push_str(&super::folded(&line, &table).replacen("<details>", "<details class=\"again\">", 1));
            }
            out.push_str(&super::section("Coefficients", &content));
        }
    }
    out
}
