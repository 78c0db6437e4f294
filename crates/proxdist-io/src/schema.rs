//! How a training table was encoded, so that another file can be encoded in exactly the same way.

use proxdist::binning::Bins;
use serde::{Deserialize, Serialize};

use crate::layout::numbered_names;
use crate::options::Coding;

/// More columns than this in a sparse file are taken for a mistake, whatever is said about them: a fit holds some dozens of
/// numbers for each.
pub const MOST_COLUMNS: usize = 1 << 26;

/// Columns that a sparse file may have unless their number is stated. Few entries with large indices would otherwise take memory
/// out of all proportion to the file.
pub(crate) fn believed_columns(entries: usize) -> usize {
    entries.saturating_mul(16).clamp(1 << 22, MOST_COLUMNS)
}

/// Columns, categories and labels of a training table; save it beside the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The columns of the file that became features, in the order of the features; empty if they are just numbered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<SchemaColumn>,
    /// The features are plain numbers `V1`, …, `Vp`, as in a matrix without names: this is `p`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbered: Option<usize>,
    /// Name of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Negative and positive label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<[String; 2]>,
    /// All labels of a target of more than two, in the order of their codes 0, 1, …; empty for other targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Whether every other label counts as negative.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_against_rest: bool,
    /// First index of an svmlight file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_base: Option<u8>,
}

/// One column of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchemaColumn {
    /// Its name in the file.
    pub name: String,
    /// What it became.
    #[serde(flatten)]
    pub kind: ColumnKind,
    /// Whether one more feature, the last of the column, is 1 where the value is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub marked: bool,
}

impl SchemaColumn {
    /// A column of numbers, with nothing to fill in.
    pub fn number(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: ColumnKind::Number { fill: None }, marked: false }
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.kind.width() + usize::from(self.marked)
    }
}

/// What a column of the file became.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ColumnKind {
    /// One feature.
    Number {
        /// Filled in for missing values, if the training file was read with means.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
    /// One indicator for each coded level.
    Levels {
        /// All values that occurred in training, in order.
        levels: Vec<String>,
        /// Which of them have a column.
        coding: Coding,
        /// Most frequent value, filled in for missing ones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<String>,
    },
    /// One indicator for each coded bin.
    Bins {
        /// Where they are.
        bins: Bins,
        /// Which of them have a column.
        coding: Coding,
        /// Filled in for missing values, if the training file was read with means and they have no bin.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
}

impl Schema {
    /// Plain numeric columns `V1`, …, `Vp`.
    pub(crate) fn numbered(columns: usize) -> Self {
        Self { numbered: Some(columns), ..Self::default() }
    }

    /// These columns, and nothing else known yet.
    pub(crate) fn from_columns(columns: Vec<SchemaColumn>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The same with every column written out, for files whose columns have names.
    pub(crate) fn written_out(&self) -> Self {
        match self.numbered {
            Some(count) => {
                let columns = numbered_names(count).into_iter().map(SchemaColumn::number).collect();
                Self { columns, numbered: None, ..self.clone() }
            }
            None => self.clone(),
        }
    }

    /// Whether each feature is a column of numbers as it stands in the file.
    pub(crate) fn is_plain(&self) -> bool {
        self.columns.iter().all(|column| matches!(column.kind, ColumnKind::Number { .. }) && !column.marked)
    }

    /// The same with nothing to fill in: rows of numbers can be taken as they are.
    pub fn is_as_it_stands(&self) -> bool {
        self.is_plain() && self.columns.iter().all(|column| column.kind == ColumnKind::Number { fill: None })
    }

    /// Names of the features, as in [`Table::names`](crate::Table::names).
    pub fn names(&self) -> Vec<String> {
        if let Some(count) = self.numbered {
            return numbered_names(count);
        }
        let mut names = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            match &column.kind {
                ColumnKind::Number { .. } => names.push(column.name.clone()),
                ColumnKind::Levels { levels, coding, .. } => {
                    names.extend(levels[coding.first_coded(levels.len())..].iter().map(|level| {
                        // An empty level cannot be told from a missing one, so it never occurs here.
                        format!("{}={level}", column.name)
                    }));
                }
                ColumnKind::Bins { bins, coding, .. } => {
                    names.extend(
                        (coding.first_coded(bins.count())..bins.count()).map(|bin| bins.name(&column.name, bin)),
                    );
                }
            }
            if column.marked {
                names.push(format!("{}=missing", column.name));
            }
        }
        names
    }

    /// For each feature, the number of the file's column that it comes from, among those that became features: indicators of one text column share it.
    pub fn origins(&self) -> Vec<usize> {
        if let Some(count) = self.numbered {
            return (0..count).collect();
        }
        let each = self.columns.iter().enumerate();
        each.flat_map(|(k, column)| std::iter::repeat_n(k, column.width())).collect()
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.numbered.unwrap_or_else(|| self.columns.iter().map(SchemaColumn::width).sum())
    }
}

impl ColumnKind {
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::Levels { levels, coding, .. } => levels.len() - coding.first_coded(levels.len()),
            Self::Bins { bins, coding, .. } => bins.count() - coding.first_coded(bins.count()),
        }
    }
}

impl Coding {
    /// Levels from this one on have a column.
    pub fn first_coded(self, levels: usize) -> usize {
        match self {
            Self::Full => 0,
            Self::DropFirst => levels.min(1),
            Self::Auto => usize::from(levels <= 2).min(levels),
        }
    }
}
