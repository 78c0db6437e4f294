//! How coordinates are put into groups.

use super::coordinates::Coordinates;
use super::names::Names;
use crate::constraint::SetFault;
use std::collections::HashMap;
use std::hash::Hash;

/// How coordinates are put into groups.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Groups {
    /// Groups of `size` neighbours.
    Consecutive {
        /// Entries in each group.
        size: usize,
    },
    /// Each group a list of coordinates.
    Listed(Vec<Coordinates>),
    /// Features whose names begin with the same text up to a separator.
    Prefix {
        /// What ends the beginning; a name without it is its own beginning.
        separator: String,
    },
    /// The indicators of one text column are a group, and so is every other feature; who reads the data knows them.
    Source,
    /// A table of two columns, feature and group, which whoever reads files has to bring: see [`super::SetSpec::with_files`].
    File(String),
}

impl Groups {
    /// Groups given index by index, from 0; neighbours are written as ranges.
    pub fn listed(groups: &[Vec<usize>]) -> Self {
        Self::Listed(groups.iter().map(|group| Coordinates::positions(group)).collect())
    }

    /// Whether only positions are used.
    pub fn is_resolved(&self) -> bool {
        match self {
            Self::Consecutive { .. } => true,
            Self::Listed(groups) => groups.iter().all(Coordinates::is_resolved),
            Self::Prefix { .. } | Self::Source | Self::File(_) => false,
        }
    }

    /// The same groups by positions.
    pub(super) fn resolve(&self, names: &Names) -> Result<Self, SetFault> {
        self.resolve_some(names, true)
    }

    /// The same groups by positions; whether each feature must be in one is up to the set.
    pub(super) fn resolve_some(&self, names: &Names, has_all: bool) -> Result<Self, SetFault> {
        match self {
            Self::Consecutive { .. } => Ok(self.clone()),
            Self::Listed(groups) if groups.iter().all(Coordinates::is_resolved) => Ok(self.clone()),
            Self::Listed(groups) => {
                let groups = groups.iter().map(|group| names.find(group)).collect::<Result<Vec<_>, _>>()?;
                let mut group_of = vec![None; names.len()];
                for (g, group) in groups.iter().enumerate() {
                    for &j in group {
                        if group_of[j].replace(g).is_some() {
                            return Err(SetFault::from(format!("the feature {} is in two groups", names.name(j))));
                        }
                    }
                }
                match group_of.iter().position(Option::is_none) {
                    Some(j) if has_all => Err(SetFault::from(format!("the feature {} is in no group", names.name(j)))),
                    _ => Ok(Self::listed(&groups)),
                }
            }
            Self::Prefix { separator } if names.are_given() => {
                let beginning = |name: &str| match name.find(separator.as_str()) {
                    Some(end) if !separator.is_empty() => name[..end].to_owned(),
                    _ => name.to_owned(),
                };
                Ok(Self::by_label((0..names.len()).map(|j| beginning(&names.name(j)))))
            }
            Self::Prefix { .. } => Err(SetFault::from("groups by prefix need features with names")),
            Self::Source => match names.origins() {
                Some(origins) => Ok(Self::by_label(origins)),
                None => Err(SetFault::from(
                    "groups by source need data from a file, which knows the columns features come from",
                )),
            },
            Self::File(path) => Err(SetFault::from(format!("the table of groups {path} has not been read"))),
        }
    }

    /// The groups of a table of two columns, feature and group, a pair a line: cells apart by a comma, a semicolon or a tab, in double quotes where they
    /// hold one. A first line `feature,group` is a heading. The error says what is wrong with which line.
    pub fn table(text: &str) -> Result<Self, String> {
        let (mut groups, mut place): (Vec<Vec<String>>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let cells = cells(line).filter(|cells| cells.len() == 2 && cells.iter().all(|cell| !cell.is_empty()));
            let Some(cells) = cells else {
                return Err(format!("line {} is not a feature and its group, as in age,person", at + 1));
            };
            let [feature, group] = [0, 1].map(|k| cells[k].clone());
            let is_heading = feature.eq_ignore_ascii_case("feature") && group.eq_ignore_ascii_case("group");
            if at == 0 && is_heading {
                continue;
            }
            let k = *place.entry(group).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[k].push(feature);
        }
        if groups.is_empty() {
            return Err("there is no line with a feature and its group".to_owned());
        }
        Ok(Self::Listed(groups.into_iter().map(Coordinates::names).collect()))
    }

    /// Features with the same label are a group; groups come in the order of their first feature.
    fn by_label<L: Hash + Eq>(labels: impl IntoIterator<Item = L>) -> Self {
        let (mut groups, mut place): (Vec<Vec<usize>>, HashMap<L, usize>) = (Vec::new(), HashMap::new());
        for (j, label) in labels.into_iter().enumerate() {
            let group = *place.entry(label).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(j);
        }
        Self::listed(&groups)
    }
}

/// The cells of a line; nothing if a quotation is left open or followed by more.
pub(super) fn cells(line: &str) -> Option<Vec<String>> {
    let is_separator = |c: char| matches!(c, ',' | ';' | '\t');
    let (mut cells, mut rest) = (Vec::new(), line.trim_start_matches('\u{feff}'));
    loop {
        rest = rest.trim_start_matches(' ');
        if let Some(inside) = rest.strip_prefix('"') {
            let (cell, after) = quotation(inside)?;
            cells.push(cell);
            rest = after.trim_start_matches([' ', '\r']);
        } else {
            let end = rest.find(is_separator).unwrap_or(rest.len());
            cells.push(rest[..end].trim().to_owned());
            rest = &rest[end..];
        }
        match rest.chars().next() {
            None => return Some(cells),
            Some(c) if is_separator(c) => rest = &rest[1..],
            Some(_) => return None,
        }
    }
}

/// What stands up to the closing quote, doubled ones being one, and what follows.
fn quotation(mut rest: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    loop {
        let end = rest.find('"')?;
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        let Some(more) = rest.strip_prefix('"') else { return Some((cell, rest)) };
        cell.push('"');
        rest = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_features_and_groups() {
        let text = "Feature,Group\r\nage,person\n\"income, net\";money\n\n sex\tperson \n\"a \"\"b\"\"\",money\n";
        let groups = [vec!["age", "sex"], vec!["income, net", "a \"b\""]].map(Coordinates::names);
        assert_eq!(Groups::table(text), Ok(Groups::Listed(groups.to_vec())));
        for (text, wrong) in [
            ("age", "line 1"),
            ("age,person\nincome", "line 2"),
            ("age,\"per", "line 1"),
            ("age,\"a\"b", "line 1"),
            ("age,a,b", "line 1"),
            (",a", "line 1"),
            ("feature,group\n", "no line"),
            ("", "no line"),
        ] {
            assert!(Groups::table(text).is_err_and(|reason| reason.contains(wrong)), "{text}");
        }
    }
}
