//! What an experiment is: cells to compute, and a section of the page made from their rows.

use crate::cell::Cell;
use crate::error::Result;
use crate::frame::Frame;
use proxdist_report::{Fact, Style};

/// A figure or table of the paper.
pub(crate) trait Experiment: Sync {
    /// The work; their rows are joined in this order.
    fn cells(&self) -> Vec<Cell>;

    /// Work that depends on the rows of the first cells, such as runs at tuned settings; their rows follow.
    fn second(&self, first: &Frame) -> Result<Vec<Cell>> {
        let _ = first;
        Ok(Vec::new())
    }

    /// Expected seconds of that work, before it is known.
    fn second_weight(&self) -> f64 {
        0.0
    }

    /// Columns that belong to another experiment with the same cells.
    fn foreign_columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// What came out, judged.
    fn section(&self, results: &Frame) -> Result<Section>;
}

/// Whether our result bears out the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ours says the same.
    Agrees,
    /// Ours says otherwise, or more cautiously.
    Differs,
    /// Not a matter of agreement: there is nothing to compare with, or the comparison cannot be made here.
    Note,
}

impl Verdict {
    /// Agreement or not, by a condition.
    pub(crate) fn when(condition: bool) -> Self {
        if condition { Verdict::Agrees } else { Verdict::Differs }
    }
}

/// A statement of the paper beside what was measured.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Short name, for tests and for the reader.
    pub name: String,
    /// What the paper says, with its place.
    pub paper: String,
    /// What was measured.
    pub ours: String,
    /// Whether they agree.
    pub verdict: Verdict,
}

impl Statement {
    pub(crate) fn new(name: &str, paper: impl Into<String>, ours: impl Into<String>, verdict: Verdict) -> Self {
        Statement { name: name.to_owned(), paper: paper.into(), ours: ours.into(), verdict }
    }
}

/// A figure that can be drawn at any width.
pub(crate) struct Picture {
    /// Its file name without extension.
    pub(crate) name: String,
    pub(crate) caption: String,
    pub(crate) draw: Box<dyn Fn(Style) -> String>,
}

/// A table of the page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub(crate) caption: String,
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Grid {
    pub(crate) fn new(caption: &str, head: &[&str]) -> Self {
        Grid { caption: caption.into(), head: head.iter().map(|&h| h.to_owned()).collect(), rows: Vec::new() }
    }
}

/// What the page says about an experiment.
pub(crate) struct Section {
    pub(crate) title: String,
    /// What the paper shows, and where.
    pub(crate) paper: String,
    pub(crate) setting: Vec<Fact>,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) tables: Vec<Grid>,
    pub(crate) statements: Vec<Statement>,
    /// Remarks below everything else.
    pub(crate) remarks: Vec<String>,
}

impl Section {
    pub(crate) fn new(title: &str, paper: &str) -> Self {
        Section {
            title: title.into(),
            paper: paper.into(),
            setting: Vec::new(),
            pictures: Vec::new(),
            tables: Vec::new(),
            statements: Vec::new(),
            remarks: Vec::new(),
        }
    }

    pub(crate) fn fact(&mut self, label: &str, value: impl Into<String>) {
        self.setting.push(Fact::new(label, value));
    }

    pub(crate) fn picture(&mut self, name: &str, caption: &str, draw: impl Fn(Style) -> String + 'static) {
        self.pictures.push(Picture { name: name.into(), caption: caption.into(), draw: Box::new(draw) });
    }
}
