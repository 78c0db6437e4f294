//! The page that shows every figure and table beside the paper's statements.

// A page is text appended to text; the few spare allocations are nothing beside the figures.
#![allow(clippy::format_collect)]

use crate::experiment::{Grid, Picture, Section, Statement, Verdict};
use proxdist_report::{Fact, escape, figure, page};
use std::fmt::Write as _;

/// What a page is made of.
pub(crate) struct Contents<'a> {
    /// The run: seed, machine, time.
    pub(crate) run: &'a [Fact],
    /// Names and sections, in the order of the paper.
    pub(crate) sections: &'a [(&'static str, Section)],
    /// Experiments that have not been run, or not finished.
    pub(crate) missing: &'a [&'static str],
}

/// Our additions to the look of the reports.
const STYLE: &str = "<style>.statements td:last-child{white-space:nowrap}.statements td{min-width:6em}\
    nav{columns:2;margin:1rem 0}nav a{color:var(--link)}.grid{font-size:.86rem}.grid .number{padding:.3rem 0 .3rem .7rem}\
    .grid th{white-space:normal;overflow-wrap:normal}.grid td:first-child{white-space:nowrap}\
    @media(max-width:36rem){nav{columns:1}}</style>\n";

/// The page.
pub(crate) fn html(contents: &Contents) -> String {
    let mut body = String::from(STYLE);
    let all = || contents.sections.iter().flat_map(|(_, section)| &section.statements);
    let count = |verdict| all().filter(|statement| statement.verdict == verdict).count();
    let _ = writeln!(
        body,
        "<p class=\"result\">Every figure and table of the paper, computed anew beside what the paper says: {} statements \
         agree, {} differ; {} are remarks. Where a number of ours is worse, it stands here like the others.</p>",
        count(Verdict::Agrees),
        count(Verdict::Differs),
        count(Verdict::Note)
    );
    body.push_str("<nav>\n");
    for (name, section) in contents.sections {
        let _ = writeln!(body, "<div><a href=\"#{name}\">{}</a></div>", escape(&section.title));
    }
    body.push_str("</nav>\n");
    if !contents.missing.is_empty() {
        let _ = writeln!(
            body,
            "<p class=\"notice warning\">Not run, or not finished: {}.</p>",
            escape(&contents.missing.join(", "))
        );
    }
    body.push_str(&facts(contents.run));
    for (name, section) in contents.sections {
        body.push_str(&self::section(name, section));
    }
    body.push_str("<footer>Written by <code>proxdist reproduce</code>. This file is complete in itself.</footer>\n");
    page("The paper, reproduced", &body)
}

fn section(name: &str, section: &Section) -> String {
    let mut out =
        format!("<section id=\"{name}\">\n<h2>{}</h2>\n<p>{}</p>\n", escape(&section.title), escape(&section.paper));
    out.push_str(&facts(&section.setting));
    section.pictures.iter().for_each(|Picture { draw, caption, .. }| out.push_str(&figure(draw, caption)));
    section.tables.iter().for_each(|table| out.push_str(&grid(table)));
    out.push_str(&statements(&section.statements));
    for remark in &section.remarks {
        let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escape(remark));
    }
    let _ = writeln!(out, "<p class=\"quiet\">Rows: <code>{name}.csv</code></p>\n</section>");
    out
}

fn statements(statements: &[Statement]) -> String {
    if statements.is_empty() {
        return String::new();
    }
    let row = |statement: &Statement| {
        let (class, mark) = match statement.verdict {
            Verdict::Agrees => ("good", "✓ agrees"),
            Verdict::Differs => ("bad", "✗ differs"),
            Verdict::Note => ("", "· remark"),
        };
        format!(
            "<tr><td>{}</td><td>{}</td><td class=\"{class}\">{mark}</td></tr>\n",
            escape(&statement.paper),
            escape(&statement.ours)
        )
    };
    let rows: String = statements.iter().map(row).collect();
    format!(
        "<div class=\"scroll\"><table class=\"stack statements\"><thead><tr><th>the paper</th><th>here</th><th></th></tr></thead>\
         <tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn grid(table: &Grid) -> String {
    let cell = |tag: &str, (i, text): (usize, &String)| {
        let class = if i == 0 { "" } else { " class=\"number\"" };
        format!("<{tag}{class}>{}</{tag}>", escape(text))
    };
    let line = |tag: &str, row: &[String]| row.iter().enumerate().map(|c| cell(tag, c)).collect::<String>();
    let rows: String = table.rows.iter().map(|row| format!("<tr>{}</tr>\n", line("td", row))).collect();
    format!(
        "<div class=\"scroll\"><table class=\"grid\"><caption class=\"quiet\">{}</caption><thead><tr>{}</tr></thead><tbody>\n{rows}</tbody></table></div>\n",
        escape(&table.caption),
        line("th", &table.head)
    )
}

fn facts(facts: &[Fact]) -> String {
    let row = |f: &Fact| format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(&f.label), escape(&f.value));
    if facts.is_empty() {
        return String::new();
    }
    format!("<table class=\"facts\"><tbody>\n{}</tbody></table>\n", facts.iter().map(row).collect::<String>())
}
