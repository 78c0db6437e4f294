//! Which column of a file plays which part.

use std::collections::HashMap;

use crate::bins::{self, Asked};
use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::schema::{ColumnKind, Schema};

/// What the fields of a column look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
}

/// Where the fields of a column go; slots count the columns of that kind in the order of the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Skip,
    Number(usize),
    Text(usize),
    Target,
    Weights,
    Offset,
}

/// The columns of a file and their roles.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) names: Vec<String>,
    pub(crate) roles: Vec<Role>,
    /// Columns of the file that become features, in the order of the features.
    pub(crate) features: Vec<usize>,
    pub(crate) numbers: usize,
    pub(crate) texts: usize,
    pub(crate) target: Option<usize>,
    /// The target comes from the schema: a file for prediction may leave it empty.
    pub(crate) target_optional: bool,
    pub(crate) notices: Vec<String>,
    /// Columns whose fields are handed on as they are.
    pub(crate) kept: Vec<usize>,
    /// By column of the file: the rule for its bins, where they are learned.
    pub(crate) bins: Vec<Option<Asked>>,
    /// Whether some column becomes bins.
    pub(crate) is_binned: bool,
}

/// Names `V1`, …, for files without a header.
pub(crate) fn numbered_names(columns: usize) -> Vec<String> {
    (1..=columns).map(|number| format!("V{number}")).collect()
}

/// Fails where a file has other columns than the first one of the data set.
pub(crate) fn same_columns(source: &str, names: &[String], first: &str, expected: &[String]) -> Result<()> {
    let differing = (0..names.len().max(expected.len())).find(|&column| names.get(column) != expected.get(column));
    let Some(column) = differing else { return Ok(()) };
    let said = |names: &[String]| names.get(column).map_or_else(|| "not there".to_owned(), |name| format!("{name:?}"));
    let (source_name, first) = (source.to_owned(), first.to_owned());
    let (found, expected) = (said(names), said(expected));
    Err(Error::DifferentColumns { source_name, column: column + 1, found, first, expected })
}

struct Finder<'a> {
    source: &'a str,
    names: &'a [String],
    index: HashMap<&'a str, usize>,
}

impl<'a> Finder<'a> {
    fn new(source: &'a str, names: &'a [String]) -> Result<Self> {
        let mut index = HashMap::with_capacity(names.len());
        for (column, name) in names.iter().enumerate() {
            if let Some(first) = index.insert(name.as_str(), column) {
                let (first, second) = (first + 1, column + 1);
                let (source_name, name) = (source.to_owned(), name.clone());
                return Err(Error::DuplicateName { source_name, name, first, second });
            }
        }
        Ok(Self { source, names, index })
    }

    /// A column by name, or by one-based number if no column has that name.
    fn find(&self, wanted: &str) -> Option<usize> {
        let wanted = wanted.trim();
        let by_number = || {
            let number: usize = wanted.parse().ok()?;
            number.checked_sub(1).filter(|&column| column < self.names.len())
        };
        self.index.get(wanted).copied().or_else(by_number)
    }

    fn need(&self, wanted: &str, role: &'static str) -> Result<usize> {
        self.find(wanted).ok_or_else(|| Error::UnknownColumn {
            source_name: self.source.to_owned(),
            role,
            wanted: wanted.to_owned(),
            nearest: nearest(wanted, self.names),
            columns: self.names.len(),
        })
    }
}

impl Layout {
    /// Gives each column its role; `kinds` tells what the fields of a column look like.
    pub(crate) fn new(
        source: &str,
        names: Vec<String>,
        header: bool,
        kinds: &[Kind],
        options: &ReadOptions,
    ) -> Result<Self> {
        let finder = Finder::new(source, &names)?;
        let mut taken: HashMap<usize, &'static str> = HashMap::new();
        let mut notices = Vec::new();
        let mut claim = |wanted: &Option<String>, role: &'static str| -> Result<Option<usize>> {
            let Some(wanted) = wanted else { return Ok(None) };
            let column = finder.need(wanted, role)?;
            if let Some(first) = taken.insert(column, role) {
                let (source_name, column) = (source.to_owned(), names[column].clone());
                return Err(Error::TwoRoles { source_name, column, first, second: role });
            }
            Ok(Some(column))
        };
        let mut target = claim(&options.target, "target")?;
        let weights = claim(&options.weights, "weights")?;
        let offset = claim(&options.offset, "offset")?;

        let mut roles = vec![Role::Skip; names.len()];
        let features;
        let mut text: Vec<bool> = kinds.iter().map(|&kind| kind == Kind::Text).collect();
        if let Some(schema) = &options.schema {
            let by_order = !header && schema_fits_by_order(schema, &finder, &taken);
            if by_order {
                features = (0..names.len()).filter(|column| !taken.contains_key(column)).collect();
                notices.push(format!("{source} has no header: its columns are taken in the order of training"));
            } else {
                let columns = schema.columns.iter();
                features = columns.map(|column| finder.need(&column.name, "feature")).collect::<Result<Vec<_>>>()?;
                if target.is_none() {
                    target = schema.target.as_deref().and_then(|name| finder.index.get(name).copied());
                }
            }
            for (column, known) in features.iter().zip(&schema.columns) {
                text[*column] = matches!(known.kind, ColumnKind::Levels { .. });
            }
        } else {
            for name in &options.ignore {
                claim(&Some(name.clone()), "ignored column")?;
            }
            for name in &options.categorical {
                text[finder.need(name, "categorical column")?] = true;
            }
            features = (0..names.len()).filter(|column| !taken.contains_key(column)).collect();
        }
        if features.is_empty() {
            return Err(Error::NoFeatures { source_name: source.to_owned() });
        }
        let (mut numbers, mut texts) = (0, 0);
        for &column in &features {
            let second = if roles[column] == Role::Skip { taken.get(&column).copied() } else { Some("feature") };
            if let Some(second) = second {
                let (source_name, column) = (source.to_owned(), names[column].clone());
                return Err(Error::TwoRoles { source_name, column, first: "feature", second });
            }
            let (role, count) =
                if text[column] { (Role::Text(texts), &mut texts) } else { (Role::Number(numbers), &mut numbers) };
            roles[column] = role;
            *count += 1;
        }
        let special = [(target, Role::Target), (weights, Role::Weights), (offset, Role::Offset)];
        for (column, role) in special {
            if let Some(column) = column {
                roles[column] = role;
            }
        }
        let extra = roles.iter().filter(|&&role| role == Role::Skip).count();
        if options.schema.is_some() && extra > 0 {
            notices.push(format!("{extra} columns that the model does not use are left out"));
        }
        let target_optional = options.target.is_none() && options.schema.is_some() && !options.need_target;
        let kept = options.keep.iter().map(|name| finder.need(name, "kept column")).collect::<Result<Vec<_>>>()?;
        let bins = bins::asked(source, &names, (&features, &roles), options)?;
        let has_bins =
            |schema: &Schema| schema.columns.iter().any(|column| matches!(column.kind, ColumnKind::Bins { .. }));
        let is_binned = bins.iter().any(Option::is_some) || options.schema.as_ref().is_some_and(has_bins);
        Ok(Self { names, roles, features, numbers, texts, target, target_optional, notices, kept, bins, is_binned })
    }

    /// The place of a column among those that are handed on.
    pub(crate) fn kept_at(&self, column: usize) -> Option<usize> {
        self.kept.iter().position(|&kept| kept == column)
    }
}

/// Without a header the names say nothing: a file with exactly the features of the model is taken in order.
fn schema_fits_by_order(schema: &Schema, finder: &Finder<'_>, taken: &HashMap<usize, &'static str>) -> bool {
    let by_name = schema.columns.iter().all(|column| finder.index.contains_key(column.name.as_str()));
    !by_name && finder.names.len() - taken.len() == schema.columns.len()
}

/// Up to three names that could have been meant.
pub(crate) fn nearest(wanted: &str, names: &[String]) -> Vec<String> {
    let start: String = wanted.to_lowercase().chars().take(40).collect();
    let length = start.chars().count();
    let limit = (length / 3).max(1) + 1;
    let close = |name: &&String| name.len().abs_diff(length) <= limit + 8;
    let mut found: Vec<(usize, &String)> = (names.iter().filter(close))
        .map(|name| (strsim::levenshtein(&start, &name.to_lowercase().chars().take(48).collect::<String>()), name))
        .filter(|(distance, _)| *distance <= limit && *distance < length.max(1))
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    let best = found.first().map_or(0, |(distance, _)| *distance);
    found.into_iter().filter(|(distance, _)| *distance == best).take(3).map(|(_, name)| name.clone()).collect()
}
