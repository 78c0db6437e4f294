//! Models of all sizes of times or ordered labels: the table, for people and for programs.

use crate::args::Select;
use crate::csv::field;
use crate::failure::Result;
use crate::path::{Request, name};
use crate::terminal::visible;
use crate::words::{number, plural};
use comfy_table::{CellAlignment, ContentArrangement};
use proxdist::joint::{JointPath, JointSelection};
use proxdist::path::Criterion;
use proxdist::selection::Score;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Names shown in a cell.
const NAMES: usize = 6;

/// What was found, and what is taken.
pub(super) struct Sized<'a> {
    request: &'a Request,
    path: &'a JointPath,
    scores: Option<&'a [Score]>,
    /// AIC, BIC and EBIC of all points.
    criteria: [Vec<f64>; 3],
    best: Option<usize>,
    pub(super) chosen: Option<usize>,
    names: Vec<String>,
}

impl<'a> Sized<'a> {
    pub(super) fn new(
        request: &'a Request,
        path: &'a JointPath,
        selection: Option<&'a JointSelection>,
        names: Vec<String>,
    ) -> Result<Self> {
        let extended = match request.select {
            Select::Criterion(criterion @ Criterion::ExtendedBayes { .. }) => criterion,
            _ => Select::EXTENDED,
        };
        let criteria =
            [path.criterion(Criterion::Akaike)?, path.criterion(Criterion::Bayes)?, path.criterion(extended)?];
        let (best, chosen) = match (selection, request.select) {
            (Some(selection), _) => (Some(selection.best), Some(selection.chosen)),
            (None, Select::Criterion(criterion)) => {
                let least = path.least(criterion)?;
                (Some(least), Some(least))
            }
            _ => (None, None),
        };
        let scores = selection.map(|selection| &selection.table.scores[..]);
        Ok(Self { request, path, scores, criteria, best, chosen, names })
    }

    fn size(&self, at: usize) -> usize {
        self.path.points[at].point.constraint.size().unwrap_or(0)
    }

    fn ridge(&self, at: usize) -> f64 {
        self.path.points[at].point.ridge
    }

    fn support(&self, at: usize) -> Vec<&str> {
        let used = self.path.points[at].fit.model().support();
        used.into_iter().map(|j| self.names.get(j).map_or("", String::as_str)).collect()
    }

    fn is_without_minimum(&self, at: usize) -> bool {
        !self.path.points[at].fit.undetermined().is_empty()
    }

    /// Folds in which F has no minimum, or in which it was not reached.
    fn short_folds(&self, at: usize) -> usize {
        self.scores.map_or(0, |scores| scores[at].folds.len() - scores[at].converged)
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let is_there = (0..self.path.points.len()).any(|at| self.is_without_minimum(at) || self.short_folds(at) > 0);
        let text = "some sizes are separated: F has no minimum there, its coefficients only grow; weights above 0, as in --ridge-grid 1e-4,1e-3,1e-2, give it one";
        if is_there { vec![text.to_owned()] } else { Vec::new() }
    }

    fn measure(&self) -> Option<String> {
        match self.request.select {
            Select::CrossValidation => Some("held-out loss".to_owned()),
            Select::Criterion(criterion) => Some(name(criterion).split(' ').next().unwrap_or_default().to_owned()),
            Select::Nothing => None,
        }
    }

    fn measured(&self, at: usize) -> String {
        if let Some(scores) = self.scores {
            return format!("{} ± {}", number(scores[at].mean), number(scores[at].standard_error));
        }
        let place = match self.request.select {
            Select::Criterion(Criterion::Akaike) => 0,
            Select::Criterion(Criterion::Bayes) => 1,
            _ => 2,
        };
        format!("{:.2}", self.criteria[place][at])
    }

    fn marks(&self, at: usize) -> String {
        let mut marks = Vec::new();
        if self.chosen == Some(at) {
            marks.push("chosen".to_owned());
        }
        if self.best == Some(at) && self.chosen != self.best {
            marks.push("best".to_owned());
        }
        if self.is_without_minimum(at) {
            marks.push("separated".to_owned());
        }
        match self.short_folds(at) {
            0 => {}
            folds => marks.push(format!("{folds} of {} folds separated", self.request.folds)),
        }
        let point = &self.path.points[at];
        marks.extend(point.fit.certificate().proven(point.fit.objective()).map(|proven| proven.to_string()));
        marks.join(", ")
    }

    /// Points of the ridge that the table is about, and those of the others if nothing is chosen.
    fn shown(&self) -> Vec<usize> {
        let ridge = self.chosen.map(|at| self.ridge(at));
        let is_shown = |&at: &usize| ridge.is_none_or(|ridge| self.ridge(at).total_cmp(&ridge).is_eq());
        (0..self.path.points.len()).filter(is_shown).collect()
    }

    fn change(&self, before: Option<usize>, at: usize) -> (Vec<&str>, Vec<&str>) {
        let (new, old) = (self.support(at), before.map(|before| self.support(before)).unwrap_or_default());
        let entered = new.iter().copied().filter(|name| !old.contains(name)).collect();
        let left = old.iter().copied().filter(|name| !new.contains(name)).collect();
        (entered, left)
    }

    fn cells(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let header = ["size".to_owned(), "F".to_owned()].into_iter().chain(self.measure());
        let header = header.chain(["enters", "leaves", ""].map(str::to_owned)).collect();
        let mut before = None;
        let row = |at: usize| {
            let (enters, leaves) = self.change(before.filter(|&before| self.size(before) < self.size(at)), at);
            before = Some(at);
            let numbers = [self.size(at).to_string(), number(self.path.points[at].fit.objective())].into_iter();
            let numbers = numbers.chain(self.measure().map(|_| self.measured(at)));
            numbers.chain([some(&enters), some(&leaves), self.marks(at)]).collect()
        };
        let rows = self.shown().into_iter().map(row).collect();
        (header, rows)
    }

    /// How many the criteria count.
    fn counted(&self) -> String {
        match self.path.points.first().map(|point| point.fit.model().kind.loss()) {
            Some("cox") => plural(self.path.count, "event"),
            _ => plural(self.path.count, "row"),
        }
    }

    fn rule(&self) -> String {
        let rule = self.request.rule();
        match self.request.select {
            Select::Criterion(Criterion::Akaike) | Select::CrossValidation | Select::Nothing => rule,
            Select::Criterion(_) => format!("{rule}, which counts {}", self.counted()),
        }
    }

    pub(super) fn text(&self) -> String {
        let request = self.request;
        let mut text = format!("the best models found of sizes {}, {}\n", request.sizes, request.ridges_in_words());
        let _ = writeln!(text, "chosen by {}\n", self.rule());
        if let Some(at) = self.chosen.filter(|_| request.ridges.weights().len() > 1) {
            let _ = writeln!(text, "ridge {}", number(self.ridge(at)));
        }
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let (header, rows) = self.cells();
        table.set_header(header);
        rows.into_iter().for_each(|row| {
            table.add_row(row);
        });
        for column in 0..2 + usize::from(self.measure().is_some()) {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        let _ = writeln!(text, "{}\n", lines.join("\n"));
        text
    }

    pub(super) fn section(&self) -> proxdist_report::Section {
        let (columns, rows) = self.cells();
        let text = format!("The best models found of each size. Chosen by {}.", self.rule());
        proxdist_report::Section { heading: "Sizes".to_owned(), text, columns, rows, ..Default::default() }
    }

    pub(super) fn json(&self, fit: &Value) -> Value {
        let place = |at: usize| json!({"size": self.size(at), "ridge": self.ridge(at), "support": self.support(at)});
        let point = |at: usize| {
            let found = &self.path.points[at];
            let score = self.scores.map(|scores| &scores[at]);
            json!({
                "size": self.size(at),
                "ridge": self.ridge(at),
                "objective": found.fit.objective(),
                "deviance": found.deviance,
                "aic": self.criteria[0][at],
                "bic": self.criteria[1][at],
                "ebic": self.criteria[2][at],
                "mean": score.map(|score| score.mean),
                "standard_error": score.map(|score| score.standard_error),
                "folds": score.map(|score| &score.folds),
                "separated": self.is_without_minimum(at),
                "separated_folds": self.short_folds(at),
                "proven": found.fit.certificate().proven(found.fit.objective()).map(|proven| proven.to_string()),
                "support": self.support(at),
            })
        };
        let points: Vec<Value> = (0..self.path.points.len()).map(point).collect();
        json!({
            "command": "path",
            "version": env!("CARGO_PKG_VERSION"),
            "sizes": self.request.sizes.to_string(),
            "constraint": self.request.set.to_string(),
            "ridges": self.request.ridges.weights(),
            "select": self.request.select.to_string(),
            "rule": self.rule(),
            "counted": self.path.count,
            "folds": self.request.folds,
            "choice": self.request.choice.to_string(),
            "seed": self.request.seed,
            "points": points,
            "best": self.best.map(place),
            "chosen": self.chosen.map(place),
            "interrupted": false,
            "notes": self.notes(),
            "fit": fit,
        })
    }

    /// One line for each ridge and size; what there is none of is empty.
    pub(super) fn table(&self) -> String {
        let mut text =
            "ridge,size,objective,mean,standard_error,aic,bic,ebic,separated,separated_folds,chosen,support\n"
                .to_owned();
        for (at, point) in self.path.points.iter().enumerate() {
            let score = self.scores.map(|scores| &scores[at]);
            let shown = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{}",
                self.ridge(at),
                self.size(at),
                point.fit.objective(),
                shown(score.map(|score| score.mean)),
                shown(score.map(|score| score.standard_error)),
                self.criteria[0][at],
                self.criteria[1][at],
                self.criteria[2][at],
                self.is_without_minimum(at),
                self.short_folds(at),
                self.chosen == Some(at),
                field(&self.support(at).join(";"), false),
            );
        }
        text
    }
}

/// The first few names, and how many more there are.
fn some(names: &[&str]) -> String {
    let shown: Vec<_> = names.iter().take(NAMES).map(|name| visible(name)).collect();
    let rest = names.len().saturating_sub(NAMES);
    if rest == 0 { shown.join(", ") } else { format!("{} and {rest} more", shown.join(", ")) }
}
