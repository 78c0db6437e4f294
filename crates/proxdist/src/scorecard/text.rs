//! A card as text.

use super::{Line, Measured, Scorecard};
use crate::words;
use std::fmt;

/// Names longer than this are cut.
const WIDEST: usize = 48;

impl Scorecard {
    /// What it took to round, in a sentence or two.
    pub fn cost(&self) -> String {
        self.measured.as_ref().map_or_else(String::new, Measured::sentence)
    }

    /// What the search has shown, in a sentence.
    pub fn proof(&self) -> String {
        match &self.search {
            None => String::new(),
            Some(search) if search.is_proven => {
                format!("No card within reach has a smaller loss on these rows: proven ({}).", boxes(search.nodes))
            }
            Some(search) => format!(
                "The search ended after {}: no card within reach has a loss smaller by more than {:.1e}.",
                boxes(search.nodes),
                search.loss - search.bound
            ),
        }
    }

    /// What a score means, in a sentence.
    pub fn meaning(&self, [negative, positive]: [&str; 2]) -> String {
        let label = if self.scale.of_negative { negative } else { positive };
        format!(
            "{} points are odds of {} to 1 for {label}; {} more points double them. Log odds = (score - {}) / {}.",
            words::number(self.scale.points),
            words::number(self.scale.odds),
            words::number(self.scale.pdo),
            words::number(self.scale.offset()),
            words::number(self.scale.factor().abs()),
        )
    }

    /// What is to be said about the card; labels are the negative and the positive one.
    pub fn sentences(&self, labels: [&str; 2]) -> Vec<String> {
        let range = self.range().map_or_else(String::new, |(low, high)| format!("Scores are from {low} to {high}."));
        let mut said = vec![self.meaning(labels), range, self.cost(), self.proof()];
        said.retain(|text| !text.is_empty());
        said
    }

    /// A few numbers to see first.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let attributes = self.lines.iter().filter(|line| line.points != 0).count();
        let mut facts = vec![("lines with points", attributes.to_string())];
        if let Some(measured) = &self.measured {
            facts.push(("AUC", format!("{:.4}", measured.auc)));
            facts.push(("AUC before rounding", format!("{:.4}", measured.auc_model)));
            facts.push(("log loss", format!("{:.5}", measured.log_loss)));
            facts.push(("log loss before rounding", format!("{:.5}", measured.log_loss_model)));
        }
        facts
    }

    /// The least and the largest score that attributes allow; none if a number has points per unit.
    pub fn range(&self) -> Option<(i64, i64)> {
        if self.lines.iter().any(|line| line.unit.is_some()) {
            return None;
        }
        let (mut low, mut high) = (self.base, self.base);
        for lines in self.lines.chunk_by(|a, b| a.feature == b.feature) {
            // An indicator alone may also be 0.
            let points = || lines.iter().map(|line| line.points).chain((lines.len() == 1).then_some(0));
            low += points().min().unwrap_or(0);
            high += points().max().unwrap_or(0);
        }
        Some((low, high))
    }
}

fn boxes(count: usize) -> String {
    if count == 1 { "1 box".to_owned() } else { format!("{count} boxes") }
}

impl Measured {
    /// Losses and areas in a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "On {} rows the log loss is {:.6} with whole points and {:.6} before ({:+.1e}), the AUC {:.5} and {:.5}.",
            self.rows,
            self.log_loss,
            self.log_loss_model,
            self.log_loss - self.log_loss_model,
            self.auc,
            self.auc_model
        )
    }
}

impl Line {
    /// The attribute, or what the points are for.
    pub fn what(&self) -> String {
        match (&self.attribute, self.unit) {
            (Some(attribute), _) => attribute.clone(),
            (None, Some(1.0)) => "for each 1".to_owned(),
            (None, unit) => format!("for each {}", words::number(unit.unwrap_or(1.0))),
        }
    }
}

/// What the columns of [`Scorecard::table`] are.
pub const COLUMNS: [&str; 7] = ["feature", "attribute", "points", "before rounding", "rows", "share", "positive"];

impl Scorecard {
    /// The card as people read it, row by row: the base, then every line.
    pub fn table(&self) -> Vec<[String; 7]> {
        let share = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{:.1} %", 100.0 * value));
        let none = String::new;
        let base = [
            "base points".to_owned(),
            none(),
            self.base.to_string(),
            format!("{:.2}", self.base_real),
            none(),
            none(),
            none(),
        ];
        let lines = self.lines.iter().map(|line| {
            let (points, real) = (line.points.to_string(), format!("{:.2}", line.real));
            let rows = line.rows.map_or_else(String::new, |rows| rows.to_string());
            [line.feature.clone(), line.what(), points, real, rows, share(line.share), share(line.rate)]
        });
        std::iter::once(base).chain(lines).collect()
    }
}

impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |text: &str| -> String {
            if text.chars().count() <= WIDEST {
                text.to_owned()
            } else {
                text.chars().take(WIDEST - 1).chain(['…']).collect()
            }
        };
        let mut rows = vec![COLUMNS.map(str::to_owned)];
        let mut last = String::new();
        for row in self.table() {
            let mut shown = row.each_ref().map(|text| cut(text));
            // A feature is named once.
            if row[0] == last {
                shown[0].clear();
            }
            last.clone_from(&row[0]);
            rows.push(shown);
        }
        // Without rows there is nothing to count.
        let columns = if self.measured.is_some() { COLUMNS.len() } else { 4 };
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &rows {
            let texts = row.iter().zip(&widths).enumerate().map(|(at, (text, width))| match at {
                0 | 1 => format!("{text:<width$}"),
                _ => format!("{text:>width$}"),
            });
            writeln!(f, "{}", texts.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}
