//! The sets that one number tells apart, and how to change that number inside a specification.

use crate::spec::{Block, Number, SetSpec, sets};

/// A kind of sets that are told apart by one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    name: &'static str,
    counts: bool,
}

impl Family {
    /// All of them, in the order of the table of sets.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        sets().iter().filter_map(|entry| {
            let counts = matches!(SetSpec::parse(entry.example).ok()?.number()?, Number::Count(_));
            Some(Self { name: entry.name, counts })
        })
    }

    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// Whether the number is a count.
    pub(super) fn counts(self) -> bool {
        self.counts
    }

    /// A set of the family by itself, unless more than the number has to be told, as for groups.
    pub(super) fn set(self, value: f64) -> Option<SetSpec> {
        let mut set = SetSpec::parse(&format!("{}:1", self.name)).ok()?;
        self.replace(&mut set, value).then_some(set)
    }

    /// Replaces the parameter if `set` is of the family, and says whether it is.
    pub(super) fn replace(self, set: &mut SetSpec, value: f64) -> bool {
        if set.name() != Some(self.name) {
            return false;
        }
        match set.number() {
            Some(Number::Count(count)) => *count = value as usize,
            Some(Number::Size(size)) => *size = value,
            None => return false,
        }
        true
    }

    /// Replaces the parameter, or the whole set by a template with that parameter, wherever the family occurs; returns how
    /// often it did.
    pub(super) fn replace_all(self, set: &mut SetSpec, value: f64, template: Option<&SetSpec>) -> usize {
        match set {
            SetSpec::Intersection(parts) => parts.iter_mut().map(|part| self.replace_all(part, value, template)).sum(),
            SetSpec::Blocks(blocks) => {
                blocks.iter_mut().map(|Block { set, .. }| self.replace_all(set, value, template)).sum()
            }
            set => {
                let is_member = self.replace(set, value);
                if let (true, Some(template)) = (is_member, template) {
                    set.clone_from(template);
                    self.replace(set, value);
                }
                usize::from(is_member)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_the_sets_of_one_number() {
        let counted: Vec<&str> = Family::all().filter(|family| family.counts()).map(Family::name).collect();
        let measured: Vec<&str> = Family::all().filter(|family| !family.counts()).map(Family::name).collect();
        assert_eq!(counted, ["sparsity", "rank", "rows", "jumps", "kinks", "group-sparsity"]);
        assert_eq!(measured, ["ball", "l1", "linf", "simplex", "cone", "fused"]);
    }

    #[test]
    fn a_set_by_itself_has_the_number_and_groups_have_to_be_told() {
        for family in Family::all() {
            let text = family.set(3.0).map(|set| set.to_string());
            let expected = (family.name() != "group-sparsity").then(|| format!("{}:3", family.name()));
            assert_eq!(text, expected);
        }
    }
}
