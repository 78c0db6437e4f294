//! A page that is mainly one table: a scorecard, for example.

// A page is text appended to text.
#![allow(clippy::format_push_string)]

use crate::escape::escape;
use crate::html::page;
use crate::input::Fact;

/// A table with what is to be said about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TablePage {
    /// Title of the page.
    pub title: String,
    /// Sentences above the table.
    pub sentences: Vec<String>,
    /// A few numbers to see first.
    pub scores: Vec<Fact>,
    /// Names of the columns; the first two hold text, the others numbers.
    pub columns: Vec<String>,
    /// The rows. A first cell that is that of the row before is not shown again.
    pub rows: Vec<Vec<String>>,
    /// What the reader should know, below the table.
    pub notes: Vec<String>,
}

impl TablePage {
    /// The page.
    pub fn to_html(&self) -> String {
        let class = |at: usize| if at > 1 { " class=\"number\"" } else { "" };
        let paragraph = |text: &String| format!("<p>{}</p>\n", escape(text));
        let tile =
            |fact: &Fact| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(&fact.label), escape(&fact.value));
        let head = |(at, name): (usize, &String)| format!("<th scope=\"col\"{}>{}</th>", class(at), escape(name));
        let mut content: String = self.sentences.iter().map(paragraph).collect();
        if !self.scores.is_empty() {
            content += &format!("<dl class=\"tiles\">\n{}</dl>\n", self.scores.iter().map(tile).collect::<String>());
        }
        let names: String = self.columns.iter().enumerate().map(head).collect();
        content +=
            &format!("<div class=\"scroll\"><table class=\"comparison\"><thead><tr>{names}</tr></thead><tbody>\n");
        for (number, row) in self.rows.iter().enumerate() {
            let is_again = number > 0 && row.first() == self.rows[number - 1].first();
            let cell = |(at, text): (usize, &String)| match at {
                0 if is_again => "<td></td>".to_owned(),
                0 => format!("<th scope=\"row\">{}</th>", escape(text)),
                _ => format!("<td{}>{}</td>", class(at), escape(text)),
            };
            content += &format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
        }
        content += "</tbody></table></div>\n";
        content.extend(self.notes.iter().map(|note| format!("<p class=\"notice\">{}</p>\n", escape(note))));
        content += "<footer>Written by proxdist. This file is complete in itself: it can be mailed, stored and printed.</footer>\n";
        page(&self.title, &content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_repeated_features_are_shown_once() {
        let row = |feature: &str, attribute: &str| vec![feature.to_owned(), attribute.to_owned(), "12".to_owned()];
        let table = TablePage {
            title: "<card>".into(),
            sentences: vec!["a < b".into()],
            scores: vec![Fact::new("AUC", "0.9 & more")],
            columns: vec!["feature".into(), "attribute".into(), "points".into()],
            rows: vec![
                row("<script>alert(1)</script>", "\"x\" < 3"),
                row("<script>alert(1)</script>", "x >= 3"),
                row("b", "y"),
            ],
            notes: vec!["<b>".into()],
        };
        let html = table.to_html();
        assert!(!html.contains("<script>alert") && !html.contains("<b>") && !html.contains("<card>"));
        assert_eq!(html.matches("&lt;script&gt;").count(), 1);
        assert!(html.contains("<td class=\"number\">12</td>") && html.contains("0.9 &amp; more"));
        assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
    }
}
