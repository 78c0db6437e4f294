//! How coordinates are put into groups.

use super::coordinates::Coordinates;
use super::names::Names;
use crate::constraint::SetFault;
use std::collections::HashMap;

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
    /// A table of two columns, feature and group, which whoever reads files has to bring: see [`super::SetSpec::with_tables`].
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
            Self::Source => {
                Err(SetFault::from("groups by source need a file with text columns, whose indicators are groups"))
            }
            Self::File(path) => Err(SetFault::from(format!("the table of groups {path} has not been read"))),
        }
    }

    /// Features with the same label are a group; groups come in the order of their first feature.
    pub fn by_label(labels: impl IntoIterator<Item = String>) -> Self {
        let (mut groups, mut place): (Vec<Vec<usize>>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
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
