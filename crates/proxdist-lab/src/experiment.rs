//! What an experiment is: cells to compute, and a section of the page made from their rows.

use crate::cell::Cell;
use crate::error::Result;
use crate::frame::Frame;
use proxdist_report::{Fact, Style};

/// A figure or table of the paper.
pub(crate) trait Experiment: Sync {
    /// The work that needs nothing but the settings; rows are joined in this order.
    fn cells(&self) -> Vec<Cell>;

    /// The work of a stage, given the rows of all stages before it, such as runs at tuned rates after those that tuned them.
    /// Stage 0 is [`Experiment::cells`]; a stage without work ends the experiment.
    fn stage(&self, stage: usize, so_far: &Frame) -> Result<Vec<Cell>> {
        let _ = so_far;
        Ok(if stage == 0 { self.cells() } else { Vec::new() })
    }

    /// Expected seconds of a stage and those after it, before its work is known.
    fn expected(&self, stage: usize) -> f64 {
        let _ = stage;
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
