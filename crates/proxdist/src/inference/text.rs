//! A summary as plain text: tables with aligned columns, then the notes.

use super::distributions::Reference;
use super::summary::Summary;
use super::wald::Wald;
use crate::words::{number, plural};
use std::fmt;
use std::fmt::Write as _;

/// Features that are listed beyond those of the model.
const OTHERS: usize = 10;
/// Width of notes.
const WIDTH: usize = 100;

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [all, chosen] = self.features;
        writeln!(
            f,
            "{} loss, {}: {} of {}, {}",
            self.loss,
            self.constraint,
            chosen,
            plural(all, "feature"),
            plural(self.rows, "row")
        )?;
        if let Some(wald) = &self.wald {
            write!(f, "\n{}", estimates(wald))?;
        }
        if let Some(prices) = self.prices.as_ref().filter(|prices| !prices.active.is_empty()) {
            let mut table = Table::new(&["active constraint", "price"]);
            prices.active.iter().for_each(|active| table.row(&[active.constraint.clone(), number(active.price)]));
            write!(f, "\n{table}")?;
            writeln!(f, "(price: by how much F falls for each unit that the limit gives way)")?;
        }
        if let Some(found) = &self.bootstrap {
            let share = number(100.0 * found.level);
            let interval = format!("{share} % percentiles");
            let mut table = Table::new(&["bootstrap", "in the model", "mean", "std. dev.", &interval, "chosen"]);
            let in_model = found.varied.iter().filter(|v| v.value != 0.0 || v.feature.is_none()).count();
            for v in found.varied.iter().take(in_model + OTHERS) {
                let interval = format!("{} to {}", short(v.low), short(v.high));
                let chosen = if v.feature.is_some() { percent(v.frequency) } else { String::new() };
                table.row(&[v.name.clone(), short(v.value), short(v.mean), short(v.error), interval, chosen]);
            }
            write!(f, "\n{table}{}", more(found.varied.len(), in_model + OTHERS))?;
        }
        if let Some(found) = &self.stability {
            let mut table = Table::new(&["stability selection", "chosen", ""]);
            for one in found.frequencies.iter().take(2 * OTHERS) {
                let word = if one.is_stable { "stable" } else { "" };
                table.row(&[one.name.clone(), percent(one.frequency), word.to_owned()]);
            }
            write!(f, "\n{table}{}", more(found.frequencies.len(), 2 * OTHERS))?;
            let stable = found.frequencies.iter().filter(|one| one.is_stable).count();
            writeln!(
                f,
                "{} at threshold {}, {} of halves; at most {} of them expected to be chosen no more often than by chance",
                plural(stable, "stable feature"),
                number(found.threshold),
                plural(found.pairs, "pair"),
                number(found.bound)
            )?;
        }
        if let Some(found) = &self.split {
            write!(
                f,
                "\nchosen on {}, estimated on the other {}:\n{}",
                plural(found.choosing, "row"),
                found.estimating,
                estimates(&found.wald)
            )?;
        }
        if !self.notes.is_empty() {
            writeln!(f)?;
        }
        self.notes.iter().try_for_each(|note| wrapped(f, note))
    }
}

fn estimates(wald: &Wald) -> String {
    let interval = format!("{} % interval", number(100.0 * wald.level));
    let mut table = Table::new(&["", "estimate", "std. error", wald.reference.letter(), "p-value", &interval]);
    for one in &wald.estimates {
        let ends = format!("{} to {}", short(one.low), short(one.high));
        table.row(&[
            one.name.clone(),
            short(one.value),
            short(one.error),
            fixed(one.statistic),
            p_value(one.p_value),
            ends,
        ]);
    }
    let mut text = table.to_string();
    let compared = match wald.reference {
        Reference::Normal => "the normal distribution".to_owned(),
        Reference::Student { degrees } => format!("Student's t with {} degrees of freedom", number(degrees)),
    };
    let dispersion = wald.dispersion.map_or_else(String::new, |value| format!(", dispersion {}", number(value)));
    let _ = writeln!(text, "({} errors, {compared}{dispersion})", wald.covariance.words());
    text
}

fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs().log10().floor();
    if (-4.0..6.0).contains(&size) {
        let decimals = (4.0 - size).clamp(0.0, 8.0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.4e}")
    }
}

fn fixed(value: f64) -> String {
    if value.abs() < 1e5 { format!("{value:.3}") } else { format!("{value:.2e}") }
}

fn p_value(value: f64) -> String {
    if value >= 1e-4 || value == 0.0 { format!("{value:.4}") } else { format!("{value:.1e}") }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn more(all: usize, shown: usize) -> String {
    if all > shown { format!("and {} more\n", all - shown) } else { String::new() }
}

/// A note, broken into lines, the later ones set back.
fn wrapped(f: &mut fmt::Formatter<'_>, note: &str) -> fmt::Result {
    let mut line = "- ".to_owned();
    let mut is_fresh = true;
    for word in note.split_whitespace() {
        if !is_fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{line}")?;
            (line, is_fresh) = ("  ".to_owned(), true);
        }
        if !is_fresh {
            line.push(' ');
        }
        line += word;
        is_fresh = false;
    }
    writeln!(f, "{line}")
}

/// Rows of cells: the first column to the left, the others to the right.
struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    fn row(&mut self, cells: &[String]) {
        // A name may hold anything, a line break too.
        let clean = |cell: &String| cell.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        self.rows.push(cells.iter().map(clean).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |at: usize| self.rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (at, cell) in row.iter().enumerate() {
                let gap = " ".repeat(widths[at] - cell.chars().count());
                line.extend(if at == 0 { ["", cell, &gap] } else { ["   ", &gap, cell] });
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
