//! Tidy rows: named columns, one observation a row. All that an experiment measures goes through this form, so that what is
//! drawn and judged is exactly what stands in the CSV file.

use std::fmt::Write as _;

/// A table of short texts and numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// An entry on its way into a frame.
#[derive(Clone, Debug)]
pub struct Entry(String);

impl From<&str> for Entry {
    fn from(text: &str) -> Self {
        // The only characters with a meaning in the file; our own labels have none of them.
        Entry(text.replace([',', '"', '\n', '\r'], " "))
    }
}

impl From<String> for Entry {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<usize> for Entry {
    fn from(count: usize) -> Self {
        Entry(count.to_string())
    }
}

impl From<u64> for Entry {
    fn from(count: u64) -> Self {
        Entry(count.to_string())
    }
}

impl From<f64> for Entry {
    /// Six digits: more than any comparison needs, and files stay small.
    fn from(value: f64) -> Self {
        let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        let plain = rounded == 0.0 || (1e-3..1e7).contains(&rounded.abs());
        Entry(if plain { rounded.to_string() } else { format!("{rounded:e}") })
    }
}

impl Frame {
    /// No rows yet.
    pub fn new(columns: &[&str]) -> Self {
        Frame { columns: columns.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row with one entry a column.
    pub fn push<const N: usize>(&mut self, row: [Entry; N]) {
        debug_assert_eq!(N, self.columns.len());
        self.rows.push(row.into_iter().map(|entry| entry.0).collect());
    }

    /// Adds the rows of another frame with the same columns.
    pub fn extend(&mut self, other: Frame) {
        if self.columns.is_empty() {
            self.columns = other.columns;
        }
        self.rows.extend(other.rows);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows that have these texts in these columns.
    #[must_use]
    pub fn only(&self, wanted: &[(&str, &str)]) -> Frame {
        let places: Vec<_> = wanted.iter().map(|(column, text)| (self.place(column), *text)).collect();
        let is_wanted = |row: &&Vec<String>| places.iter().all(|(place, text)| place.is_some_and(|j| row[j] == *text));
        Frame { columns: self.columns.clone(), rows: self.rows.iter().filter(is_wanted).cloned().collect() }
    }

    /// All columns but these.
    #[must_use]
    pub fn without(&self, columns: &[&str]) -> Frame {
        let kept: Vec<usize> =
            (0..self.columns.len()).filter(|&j| !columns.contains(&self.columns[j].as_str())).collect();
        let pick = |row: &Vec<String>| kept.iter().map(|&j| row[j].clone()).collect();
        Frame { columns: pick(&self.columns), rows: self.rows.iter().map(pick).collect() }
    }

    /// A column as numbers; what is none is NaN.
    pub fn numbers(&self, column: &str) -> Vec<f64> {
        let place = self.place(column);
        self.rows.iter().map(|row| place.and_then(|j| row[j].parse().ok()).unwrap_or(f64::NAN)).collect()
    }

    /// Two columns as points.
    pub fn points(&self, x: &str, y: &str) -> Vec<(f64, f64)> {
        self.numbers(x).into_iter().zip(self.numbers(y)).collect()
    }

    /// The different texts of a column, in order of appearance.
    pub fn levels(&self, column: &str) -> Vec<String> {
        let Some(place) = self.place(column) else { return Vec::new() };
        let mut levels: Vec<String> = Vec::new();
        for row in &self.rows {
            if !levels.contains(&row[place]) {
                levels.push(row[place].clone());
            }
        }
        levels
    }

    fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// The frame as CSV with a header.
    pub fn to_csv(&self) -> String {
        let mut text = self.columns.join(",");
        text.push('\n');
        for row in &self.rows {
            let _ = writeln!(text, "{}", row.join(","));
        }
        text
    }

    /// Reads what [`Frame::to_csv`] has written; `None` where a row has not one entry a column.
    pub fn from_csv(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let columns = lines.next()?;
        let rows: Vec<Vec<String>> = lines.collect();
        rows.iter().all(|row| row.len() == columns.len()).then_some(Frame { columns, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut frame = Frame::new(&["set", "step", "error"]);
        frame.push(["unit ball, p".into(), 10_u64.into(), 1.234_567_89e-9.into()]);
        frame.push(["sparsity".into(), 20_u64.into(), f64::NAN.into()]);
        let back = Frame::from_csv(&frame.to_csv()).unwrap();
        assert_eq!(back, frame);
        assert_eq!(back.only(&[("step", "10")]).numbers("error"), [1.23457e-9]);
        assert!(back.only(&[("set", "sparsity")]).numbers("error")[0].is_nan());
        assert_eq!(back.without(&["set", "error"]).to_csv(), "step\n10\n20\n");
        assert_eq!(back.levels("set"), ["unit ball  p", "sparsity"]);
        assert_eq!(Frame::from_csv("a,b\n1\n"), None);
    }
}
