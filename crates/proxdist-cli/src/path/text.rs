//! The findings for people: a table of sizes.

use super::{Findings, name};
use crate::args::Select;
use crate::terminal::visible;
use crate::words::{number, plural};
use comfy_table::{CellAlignment, ContentArrangement, Table};
use proxdist::selection::Choice;
use std::fmt::Write as _;

/// Names shown in a cell.
const NAMES: usize = 6;

impl Findings {
    /// What was looked for, the table of sizes and that of ridges.
    pub(crate) fn text(&self, styled: bool) -> String {
        let request = &self.request;
        let mut text = String::new();
        let _ = writeln!(text, "the best models found of sizes {}, {}", request.sizes, request.ridges_in_words());
        if !request.is_plain() {
            let (set, most) = (request.set.to_string(), request.sizes.largest());
            let _ = writeln!(text, "in {}, with each size in place of {most}", visible(&set));
        }
        let _ = writeln!(text, "chosen by {}\n", request.rule());
        let ridges = if self.chosen.is_some() { vec![self.main_ridge()] } else { self.ridges() };
        for ridge in ridges {
            if self.request.ridges.weights().len() > 1 {
                let _ = writeln!(text, "ridge {}", number(ridge));
            }
            let _ = writeln!(text, "{}\n", lines(&self.sizes(ridge, styled)));
        }
        if let Some(table) = self.ridge_table(styled) {
            let _ = writeln!(text, "{}\n", lines(&table));
        }
        text
    }

    /// The heading of the column that the choice is made by.
    pub(super) fn measure(&self) -> Option<String> {
        match self.request.select {
            Select::CrossValidation => self.scores.as_ref().map(|_| "held-out loss".to_owned()),
            Select::Criterion(criterion) => Some(name(criterion).split(' ').next().unwrap_or_default().to_owned()),
            Select::Nothing => None,
        }
    }

    /// What the choice is made by at a point, in words.
    pub(super) fn measured(&self, at: usize) -> String {
        if let Some(scores) = &self.scores {
            let decimals = self.decimals();
            let short = |value: f64| match decimals {
                Some(decimals) if value.is_finite() => format!("{value:.decimals$}"),
                _ => number(value),
            };
            return format!("{} ± {}", short(scores[at].mean), short(scores[at].standard_error));
        }
        match (self.request.select, &self.criteria) {
            (Select::Criterion(criterion), Some(criteria)) => format!("{:.2}", criteria.values(criterion)[at]),
            _ => String::new(),
        }
    }

    /// Decimals of held-out losses: two digits of the smallest standard error, where that is a moderate number.
    fn decimals(&self) -> Option<usize> {
        let scores = self.scores.as_ref()?;
        let errors = self.shown().map(|at| scores[at].standard_error);
        let least = errors.filter(|error| *error > 0.0).fold(f64::INFINITY, f64::min);
        (1e-6..1e5).contains(&least).then(|| (1.0 - least.log10().floor()).max(0.0) as usize)
    }

    /// What is special about a point.
    pub(super) fn marks(&self, at: usize) -> String {
        let mut marks = Vec::new();
        if self.chosen == Some(at) {
            marks.push("chosen".to_owned());
        }
        if self.best == Some(at) && self.chosen != self.best {
            marks.push("best".to_owned());
        }
        if self.path.points[at].is_separated {
            marks.push("separated".to_owned());
        }
        marks.extend(self.path.points[at].proven().map(|proven| proven.to_string()));
        match self.separated_folds(at) {
            0 => {}
            folds => marks.push(format!("{folds} of {} folds separated", self.request.folds)),
        }
        marks.join(", ")
    }

    /// One line for each size with a ridge.
    fn sizes(&self, ridge: f64, styled: bool) -> Table {
        let mut table = empty(styled);
        let header = ["size".to_owned(), "F".to_owned()].into_iter().chain(self.measure());
        table.set_header(header.chain(["enters", "leaves", ""].map(str::to_owned)));
        let mut before = None;
        for at in self.shown_of(ridge) {
            let point = &self.path.points[at];
            let (enters, leaves) = self.change(before, at);
            let numbers = [point.size.to_string(), number(point.objective)].into_iter();
            let numbers = numbers.chain(self.measure().map(|_| self.measured(at)));
            table.add_row(numbers.chain([some(&enters), some(&leaves), self.marks(at)]));
            before = Some(at);
        }
        align(&mut table, if self.measure().is_some() { 3 } else { 2 });
        table
    }

    /// The best of each ridge, where there are several.
    fn ridge_table(&self, styled: bool) -> Option<Table> {
        let (scores, chosen) = (self.scores.as_ref()?, self.chosen_point()?);
        let ridges = self.ridges();
        if ridges.len() < 2 {
            return None;
        }
        let mut table = empty(styled);
        table.set_header(["ridge", "best size", "held-out loss", ""]);
        for ridge in ridges {
            let points = self.shown_of(ridge);
            let Some(best) = points.into_iter().min_by(|&a, &b| scores[a].mean.total_cmp(&scores[b].mean)) else {
                continue;
            };
            let mark = match self.request.choice {
                _ if chosen.ridge.total_cmp(&ridge).is_ne() => String::new(),
                Choice::Best => "chosen".to_owned(),
                _ => format!("chosen with {}", plural(chosen.size, self.request.unit())),
            };
            table.add_row([number(ridge), scores[best].size.to_string(), self.measured(best), mark]);
        }
        align(&mut table, 3);
        Some(table)
    }
}

/// The first few names, and how many more there are.
fn some(names: &[&str]) -> String {
    let shown: Vec<_> = names.iter().take(NAMES).map(|name| visible(name)).collect();
    let rest = names.len().saturating_sub(NAMES);
    if rest == 0 { shown.join(", ") } else { format!("{} and {rest} more", shown.join(", ")) }
}

fn empty(styled: bool) -> Table {
    let mut table = Table::new();
    table.load_style(if styled { comfy_table::presets::UTF8_FULL_CONDENSED } else { comfy_table::presets::NOTHING });
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// Numbers to the right.
fn align(table: &mut Table, columns: usize) {
    for column in 0..columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
