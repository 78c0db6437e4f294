//! Several runs side by side: a table, and their lines in one figure.

use super::section;
use crate::escape::escape;
use crate::figures;
use crate::input::LinePlot;
use crate::svg::Style;
use serde::{Deserialize, Serialize};

/// Runs side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComparisonTable {
    /// What the numbers are about, in a sentence.
    pub caption: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// One row a run: its name, numbers, and words about its end.
    pub rows: Vec<Vec<String>>,
    /// Their lines.
    pub plot: LinePlot,
}

impl ComparisonTable {
    pub(super) fn section(&self) -> String {
        // Numbers stand between the name of a run and the words about its end.
        let class = |i: usize| if i > 0 && i + 1 < self.columns.len() { " class=\"number\"" } else { "" };
        let heading = |(i, name): (usize, &String)| format!("<th scope=\"col\"{}>{}</th>", class(i), escape(name));
        let head: String = self.columns.iter().enumerate().map(heading).collect();
        let cell = |(i, text): (usize, &String)| match i {
            0 => format!("<th scope=\"row\">{}</th>", escape(text)),
            _ => format!("<td{}>{}</td>", class(i), escape(text)),
        };
        let row = |row: &Vec<String>| format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
        let body: String = self.rows.iter().map(row).collect();
        let figure = figures::lines(&self.plot, Style::inline());
        let content = format!(
            "<p>{}</p>\n<figure>{figure}</figure>\n<div class=\"scroll\"><table class=\"comparison\"><thead><tr>{head}</tr></thead>\
             <tbody>\n{body}</tbody></table></div>\n",
            escape(&self.caption)
        );
        section("Methods", &content)
    }
}
