//! Rows on their way into a table: numbers go straight into the final matrix, texts become codes.

use crate::error::{Error, Place, Result, excerpt};
use crate::labels::Labels;
use crate::layout::{Layout, Role};
use crate::number;
use crate::options::{Missing, ReadOptions, Task, Unknown};
use crate::outlet::Outlet;
use crate::schema::ColumnKind;
use crate::statistics::Statistics;
use crate::text_column::TextColumn;

/// Code of a missing text.
pub(crate) const MISSING: u32 = u32::MAX;
/// Code of a text that did not occur in training.
pub(crate) const UNKNOWN: u32 = u32::MAX - 1;

/// Where a field stands: lines count in text files, rows in binary ones.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    Line(u64),
    Row(u64),
}

/// A table in the making.
pub(crate) struct Collector<'a> {
    pub(crate) source: String,
    pub(crate) layout: Layout,
    pub(crate) options: ReadOptions,
    /// Where rows go once there are enough of them here.
    pub(crate) outlet: Outlet<'a>,
    /// Numeric features of the current row.
    pub(crate) row: Vec<f64>,
    codes: Vec<u32>,
    current: Special,
    /// The current row has a missing value that cannot be filled.
    drop: bool,
    /// Row-major numeric features, `NaN` where missing.
    pub(crate) numbers: Vec<f64>,
    pub(crate) texts: Vec<TextColumn>,
    pub(crate) response: Vec<f64>,
    pub(crate) labels: Option<Labels>,
    pub(crate) weights: Vec<f64>,
    pub(crate) offset: Vec<f64>,
    /// Rows that are held here.
    pub(crate) rows: usize,
    /// Rows that were kept in all.
    pub(crate) kept: u64,
    /// Rows of all files so far, and those of the files before this one.
    pub(crate) seen: u64,
    pub(crate) before: u64,
    /// Rows left out, counted from 0, and how many there were in all.
    pub(crate) dropped: Vec<u64>,
    pub(crate) left_out: u64,
    pub(crate) statistics: Statistics,
    /// An optional target was missing in some row, so there is no response.
    pub(crate) response_absent: bool,
    /// By column of the file: the schema knows no value to fill in. Empty without a schema.
    unfillable: Vec<bool>,
    /// By column of the file: missing numbers have a bin of their own.
    has_own_bin: Vec<bool>,
    pub(crate) notices: Vec<String>,
    /// Fields of the current row that are handed on, and those of all rows since the last block.
    pub(crate) keeping: Vec<String>,
    pub(crate) echoed: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Default)]
struct Special {
    target: f64,
    weight: f64,
    offset: f64,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(source: &str, mut layout: Layout, options: &ReadOptions, outlet: Outlet<'a>) -> Self {
        let mut texts: Vec<TextColumn> = std::iter::repeat_with(TextColumn::default).take(layout.texts).collect();
        let mut unfillable = Vec::new();
        let mut has_own_bin: Vec<bool> =
            layout.bins.iter().map(|asked| asked.is_some_and(|asked| asked.rule.missing)).collect();
        if let Some(schema) = &options.schema {
            unfillable.resize(layout.names.len(), false);
            for (&column, known) in layout.features.iter().zip(&schema.columns) {
                unfillable[column] = match &known.kind {
                    ColumnKind::Levels { fill, .. } => fill.is_none() && !known.marked,
                    ColumnKind::Number { fill } | ColumnKind::Bins { fill, .. } => fill.is_none(),
                };
                has_own_bin[column] = matches!(&known.kind, ColumnKind::Bins { bins, .. } if bins.missing);
                if let (ColumnKind::Levels { levels, .. }, Role::Text(slot)) = (&known.kind, layout.roles[column]) {
                    texts[slot].close(levels);
                }
            }
        }
        let classes = options.task == Task::Classes && layout.target.is_some();
        let notices = std::mem::take(&mut layout.notices);
        Self {
            source: source.to_owned(),
            row: vec![f64::NAN; layout.numbers],
            codes: vec![MISSING; layout.texts],
            statistics: Statistics::new(layout.numbers, layout.texts),
            keeping: vec![String::new(); layout.kept.len()],
            echoed: Vec::new(),
            layout,
            options: options.clone(),
            outlet,
            current: Special::default(),
            drop: false,
            numbers: Vec::new(),
            texts,
            response: Vec::new(),
            labels: classes.then(Labels::default),
            weights: Vec::new(),
            offset: Vec::new(),
            rows: 0,
            kept: 0,
            seen: 0,
            before: 0,
            dropped: Vec::new(),
            left_out: 0,
            response_absent: false,
            unfillable,
            has_own_bin,
            notices,
        }
    }

    /// Reserves room for about this many rows; a guess that cannot be met is ignored.
    pub(crate) fn expect_rows(&mut self, rows: u64) {
        let rows = usize::try_from(rows).unwrap_or(0).min(self.outlet.most_rows(&self.layout));
        if let Some(entries) = rows.checked_mul(self.layout.numbers) {
            // A failed reservation only means that room is made step by step.
            let _ = self.numbers.try_reserve_exact(entries);
        }
    }

    pub(crate) fn place(&self, column: usize, at: At) -> Place {
        let place = Place::file(&self.source);
        let place = match at {
            At::Line(line) => place.line(line),
            At::Row(row) => place.row(row),
        };
        place.column(column, self.layout.names.get(column).map_or("", String::as_str))
    }

    /// Forgets what was noted about a row that was begun but not ended.
    pub(crate) fn begin_row(&mut self) {
        self.drop = false;
    }

    /// Hands on the fields of a row, whether it is left out or not.
    pub(crate) fn echo(&mut self) {
        if !self.keeping.is_empty() {
            self.echoed.push(self.keeping.clone());
        }
    }

    /// Whether the row at hand must be left out; forgets it.
    pub(crate) fn take_drop(&mut self) -> bool {
        std::mem::take(&mut self.drop)
    }

    /// Takes the field of any column, as text.
    pub(crate) fn field(&mut self, column: usize, text: &[u8], at: At) -> Result<()> {
        match self.layout.roles[column] {
            Role::Skip => Ok(()),
            Role::Text(slot) => {
                self.codes[slot] = if number::is_missing(text) {
                    self.missing(column, text, at)?;
                    MISSING
                } else {
                    self.text_code(slot, column, text, at)?
                };
                Ok(())
            }
            Role::Target if self.labels.is_some() => {
                if number::is_missing(text) {
                    return self.missing(column, text, at);
                }
                self.current.target = self.label_code(column, text, at)?;
                Ok(())
            }
            role => {
                let value = self.number(column, text, at)?;
                match role {
                    Role::Number(slot) => self.row[slot] = value,
                    Role::Target => self.current.target = value,
                    Role::Weights => self.current.weight = value,
                    _ => self.current.offset = value,
                }
                Ok(())
            }
        }
    }

    /// A finite number, or `NaN` for a missing one.
    pub(crate) fn number(&mut self, column: usize, text: &[u8], at: At) -> Result<f64> {
        let Some(value) = number::parse_decimal(text, self.options.decimal_comma) else {
            if number::is_missing(text) {
                self.missing(column, text, at)?;
                return Ok(f64::NAN);
            }
            let place = self.place(column, at).boxed();
            return Err(Error::NotANumber { place, text: excerpt(text) });
        };
        self.checked(column, value, at, || excerpt(text))
    }

    /// A value that must be finite; `NaN` counts as missing where missing values are allowed.
    pub(crate) fn checked(&mut self, column: usize, value: f64, at: At, text: impl Fn() -> String) -> Result<f64> {
        if value.is_nan() && (self.options.missing != Missing::Error || self.has_own_bin[column]) {
            self.missing(column, b"NaN", at)?;
        } else if !value.is_finite() {
            return Err(Error::NotFinite { place: self.place(column, at).boxed(), text: text() });
        } else if value < 0.0 && self.layout.roles[column] == Role::Weights {
            return Err(Error::NegativeWeight { place: self.place(column, at).boxed(), value });
        } else if self.options.is_exposure() && self.layout.roles[column] == Role::Offset {
            return known_part(value).ok_or_else(|| Error::Exposure { place: self.place(column, at).boxed(), value });
        }
        Ok(value)
    }

    /// Notes a missing value in the current row, or refuses it.
    pub(crate) fn missing(&mut self, column: usize, text: &[u8], at: At) -> Result<()> {
        let role = self.layout.roles[column];
        if role == Role::Target && self.layout.target_optional {
            self.response_absent = true;
            return Ok(());
        }
        if self.has_own_bin[column] {
            return Ok(());
        }
        let feature = matches!(role, Role::Number(_) | Role::Text(_));
        match self.options.missing {
            Missing::Mean | Missing::Indicator if feature && self.unfillable.get(column) != Some(&true) => Ok(()),
            Missing::Mean | Missing::Indicator if !feature => {
                self.drop = true;
                Ok(())
            }
            Missing::Drop => {
                self.drop = true;
                Ok(())
            }
            Missing::Mean | Missing::Indicator => {
                Err(Error::NoFill { place: self.place(column, at).boxed(), text: excerpt(text) })
            }
            Missing::Error => Err(Error::MissingValue { place: self.place(column, at).boxed(), text: excerpt(text) }),
        }
    }

    /// Whether a column with so many gaps in training gets an indicator of them.
    pub(crate) fn is_marked(&self, gaps: usize) -> bool {
        self.options.missing == Missing::Indicator && gaps > 0
    }

    /// The code of a text.
    pub(crate) fn text_code(&mut self, slot: usize, column: usize, text: &[u8], at: At) -> Result<u32> {
        if let Some(code) = self.texts[slot].known(text) {
            return Ok(code);
        }
        let Ok(valid) = std::str::from_utf8(text) else {
            return Err(Error::NotUtf8 { place: self.place(column, at).boxed(), text: excerpt(text) });
        };
        if let Some(code) = self.texts[slot].learn(valid) {
            return Ok(code);
        }
        if !self.texts[slot].closed {
            let limit = self.options.max_categories;
            if self.texts[slot].levels.len() >= limit.min(UNKNOWN as usize) {
                return Err(Error::TooManyCategories { place: self.place(column, at).boxed(), limit });
            }
            return Ok(self.texts[slot].push(valid));
        }
        if self.options.unknown == Unknown::Zero {
            return Ok(UNKNOWN);
        }
        let known = self.texts[slot].levels.clone();
        Err(Error::UnknownCategory { place: self.place(column, at).boxed(), value: valid.to_owned(), known })
    }

    /// The code of a label, as a number because it waits in the response.
    pub(crate) fn label_code(&mut self, column: usize, text: &[u8], at: At) -> Result<f64> {
        let Ok(valid) = std::str::from_utf8(text) else {
            return Err(Error::NotUtf8 { place: self.place(column, at).boxed(), text: excerpt(text) });
        };
        let place = self.place_of_target();
        let Some(labels) = &mut self.labels else { return Ok(0.0) };
        labels.code(valid).map(|code| code as f64).ok_or_else(|| labels.too_many(place))
    }

    pub(crate) fn place_of_target(&self) -> Place {
        let place = Place::file(&self.source);
        match self.layout.target {
            Some(column) => place.column(column, &self.layout.names[column]),
            None => place,
        }
    }

    /// Appends the current row, or leaves it out.
    pub(crate) fn end_row(&mut self) -> Result<()> {
        self.seen += 1;
        if self.take_drop() {
            self.dropped.push(self.seen - 1);
            self.left_out += 1;
            return Ok(());
        }
        self.grow(1)?;
        self.numbers.extend_from_slice(&self.row);
        for (column, &code) in self.texts.iter_mut().zip(&self.codes) {
            column.codes.push(code);
        }
        if self.layout.target.is_some() && !self.response_absent {
            self.response.push(self.current.target);
            if let Some(labels) = &mut self.labels {
                labels.count(self.current.target as usize);
            }
        }
        if self.options.weights.is_some() {
            self.weights.push(self.current.weight);
        }
        if self.options.offset.is_some() {
            self.offset.push(self.current.offset);
        }
        self.rows += 1;
        self.kept += 1;
        self.relieve()
    }

    /// Lets rows go where they are to go once there are enough of them.
    pub(crate) fn relieve(&mut self) -> Result<()> {
        if self.rows < self.outlet.most_rows(&self.layout) {
            return Ok(());
        }
        match std::mem::take(&mut self.outlet) {
            Outlet::Memory => Ok(()),
            Outlet::Pack(mut pack) => {
                pack.take(self)?;
                self.outlet = Outlet::Pack(pack);
                Ok(())
            }
            Outlet::Blocks(mut blocks) => {
                blocks.take(self)?;
                self.outlet = Outlet::Blocks(blocks);
                Ok(())
            }
        }
    }

    /// Begins another file of the same data set.
    pub(crate) fn next_file(&mut self, source: &str) {
        source.clone_into(&mut self.source);
        self.before = self.seen;
    }

    /// Makes room for `rows` more rows of numbers.
    pub(crate) fn grow(&mut self, rows: usize) -> Result<()> {
        let entries = rows.checked_mul(self.layout.numbers);
        if entries.is_some_and(|entries| number::reserve(&mut self.numbers, entries).is_ok()) {
            return Ok(());
        }
        let what = format!("{} rows of {} numbers", self.kept as usize + rows, self.layout.numbers);
        Err(Error::TooLarge { source_name: self.source.clone(), what })
    }
}

/// The offset that an exposure stands for: its logarithm, if it is above zero; a missing one stays missing.
pub(crate) fn known_part(exposure: f64) -> Option<f64> {
    (exposure > 0.0 || exposure.is_nan()).then(|| exposure.ln())
}
