//! One page that holds everything about a fit: no network, no other file.
//!
//! The page is readable without JavaScript; scripts add search, sorting and tooltips. Every text from outside is escaped, and a
//! content security policy lets no other script run and nothing be fetched.

// A page is text appended to text; the few spare allocations are nothing beside the figures.
#![allow(clippy::format_push_string)]

mod comparison;
mod effects;
mod formula;
mod problem;
mod sections;
mod table;
mod thresholds;

pub use comparison::ComparisonTable;
pub use problem::Problem;
pub use sections::figure;

use crate::escape::{escape, script_json};
use crate::input::{
    CalibrationBin, CertificateLine, Coefficient, CoefficientMatrix, CvCurve, Fact, Notice, ProofStory, Residual,
    RocCurve, Section, TracePoint,
};
use crate::model_input::{Effects, Thresholds};
use serde::{Deserialize, Serialize};

const HEAD: &str = include_str!("../template/head.html");
const STYLE: &str = include_str!("../template/style.css");
const SCRIPT: &str = include_str!("../template/script.js");

/// Everything about a fit, in the order in which a reader asks: what is it, how good, what does it say, what is certain, what else was possible, from which data, how was it computed. Sections without content are
/// left out of the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Title of the page, as tabs and bookmarks show it.
    pub title: String,
    /// The result in one sentence, for those who read no more; the title stands in for it.
    pub headline: String,
    /// A second sentence.
    pub result: String,
    /// A few numbers to see first, such as the AUC or the number of nonzeros.
    pub scores: Vec<Fact>,
    /// What the reader should know.
    pub notices: Vec<Notice>,
    /// What the page is mainly about, if not the fit: sections before all others.
    pub opening: Vec<Section>,
    /// How good predictions are, rows that the model has not seen first.
    pub performance: Vec<Section>,
    /// Cross-validation, for `tune`.
    pub cross_validation: Option<CvCurve>,
    /// Receiver operating characteristics, for classes.
    pub roc: Vec<RocCurve>,
    /// Observed shares against predicted probabilities, for classes.
    pub calibration: Vec<CalibrationBin>,
    /// Decisions at thresholds, for two classes.
    pub thresholds: Option<Thresholds>,
    /// Residuals, for regression.
    pub residuals: Vec<Residual>,
    /// Several runs side by side, for `compare`.
    pub comparison: Option<ComparisonTable>,
    /// The coefficients that are not zero and what they mean.
    pub effects: Option<Effects>,
    /// The unconstrained intercept, if there is one.
    pub intercept: Option<f64>,
    /// All coefficients, zeros included, in the order of the data.
    pub coefficients: Vec<Coefficient>,
    /// The coefficients as a matrix, for models that have one.
    pub matrix: Option<CoefficientMatrix>,
    /// What else there is to say about the coefficients, such as how each feature acts.
    pub model: Vec<Section>,
    /// What is certain about the result, in plain words.
    pub guarantees: Vec<String>,
    /// How good the result is, by number.
    pub certificate: Vec<CertificateLine>,
    /// What was proven about the choice of features, and how, if that was asked for.
    pub proof: Option<ProofStory>,
    /// Other models that were near.
    pub alternatives: Vec<Section>,
    /// Whatever else there is to say.
    pub sections: Vec<Section>,
    /// Where the model comes from: rows, columns, what was left out or encoded.
    pub data: Vec<Fact>,
    /// The same in sentences.
    pub data_notes: Vec<String>,
    /// What was solved.
    pub problem: Option<Problem>,
    /// The run, checkpoint by checkpoint.
    pub trace: Vec<TracePoint>,
    /// A value that the objective is compared with in the figure of the run, such as that of the polished result.
    pub reference: Option<f64>,
    /// How the run ended, in a sentence.
    pub ending: String,
    /// Settings of the run.
    pub settings: Vec<Fact>,
    /// Versions of the programs.
    pub versions: Vec<Fact>,
    /// The seed, which fixes the result.
    pub seed: Option<u64>,
    /// The command that repeats the run.
    pub command: String,
    /// Time taken.
    pub seconds: Option<f64>,
}

impl Report {
    /// The page.
    pub fn to_html(&self) -> String {
        let title = if self.title.is_empty() { "Model report" } else { &self.title };
        let headline = if self.headline.is_empty() { title } else { &self.headline };
        let mut page = head(title);
        page.push_str(&format!("<header>\n<h1>{}</h1>\n", escape(headline)));
        if !self.result.is_empty() {
            page.push_str(&format!("<p class=\"result\">{}</p>\n", escape(&self.result)));
        }
        page.push_str(&sections::scores(&self.scores));
        page.push_str("</header>\n");
        page.push_str(&sections::notices(&self.notices));
        self.opening.iter().for_each(|section| page.push_str(&sections::free(section)));
        page.push_str(&self.judged());
        if let Some(comparison) = &self.comparison {
            page.push_str(&comparison.section());
        }
        page.push_str(&table::section(self));
        self.model.iter().for_each(|section| page.push_str(&sections::free(section)));
        page.push_str(&sections::guarantees(&self.guarantees, &self.certificate));
        if let Some(proof) = &self.proof {
            page.push_str(&sections::proof(proof));
        }
        self.alternatives.iter().for_each(|section| page.push_str(&sections::free(section)));
        self.sections.iter().for_each(|section| page.push_str(&sections::free(section)));
        page.push_str(&sections::data(&self.data, &self.data_notes));
        page.push_str(&self.computed());
        page.push_str("<footer>Written by proxdist. This file is complete in itself: it can be mailed, stored and printed.</footer>\n");
        page.push_str(&format!("</main>\n<script nonce=\"proxdist\">\n{SCRIPT}</script>\n</body>\n</html>\n"));
        page
    }

    /// How good predictions are.
    fn judged(&self) -> String {
        let mut out = String::new();
        // Curves belong to the measures, whatever else there is comes after them.
        self.performance.iter().take(1).for_each(|section| out.push_str(&sections::free(section)));
        if let Some(curve) = &self.cross_validation {
            out.push_str(&sections::cross_validation(curve));
        }
        out.push_str(&sections::classes(&self.roc, &self.calibration, self.thresholds.as_ref()));
        out.push_str(&sections::residuals(&self.residuals));
        self.performance.iter().skip(1).for_each(|section| out.push_str(&sections::free(section)));
        out
    }

    /// How the result was computed, folded away: few readers need it, and it must not be lost.
    fn computed(&self) -> String {
        let mut content = String::new();
        if !self.ending.is_empty() {
            content.push_str(&format!("<p>{}</p>\n", escape(&self.ending)));
        }
        content.push_str(&self.problem.as_ref().map_or_else(String::new, Problem::section));
        content.push_str(&sections::convergence(&self.trace, self.reference));
        content.push_str(&sections::run(self));
        if content.is_empty() {
            return content;
        }
        let heading = "<h2>How it was computed</h2>";
        format!("<details class=\"log\"><summary>{heading}</summary>\n{content}</details>\n")
    }
}

/// Everything up to the content of a page.
fn head(title: &str) -> String {
    let title = escape(title);
    format!("{HEAD}<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n")
}

/// A page in the look of the reports around content of one's own, which must be HTML, escaped where it needs to be.
pub fn page(title: &str, content: &str) -> String {
    format!("{}<h1>{}</h1>\n{content}</main>\n</body>\n</html>\n", head(title), escape(title))
}

/// Data for the scripts, in a form that no browser takes for code. Numbers that are not finite become `null`.
fn embedded(id: &str, data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).unwrap_or_else(|_| "null".into());
    format!("<script type=\"application/json\" id=\"{id}\">{}</script>\n", script_json(&json))
}

/// A section with a heading.
fn section(heading: &str, content: &str) -> String {
    format!("<section>\n<h2>{}</h2>\n{content}</section>\n", escape(heading))
}

/// A part of a section with a heading.
fn part(heading: &str, content: &str) -> String {
    format!("<h3>{}</h3>\n{content}", escape(heading))
}

/// Content that is shown when its line is opened.
fn folded(line: &str, content: &str) -> String {
    format!("<details><summary>{}</summary>\n{content}</details>\n", escape(line))
}

/// Quiet remarks.
fn notes(notes: &[String]) -> String {
    let quiet = |note: &String| format!("<p class=\"quiet\">{}</p>\n", escape(note));
    notes.iter().map(quiet).collect()
}

/// A table of labelled values.
fn facts(facts: &[Fact]) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let row = |f: &Fact| format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(&f.label), escape(&f.value));
    format!("<table class=\"facts\"><tbody>\n{}</tbody></table>\n", facts.iter().map(row).collect::<String>())
}
