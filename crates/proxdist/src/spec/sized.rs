//! The number that says how many features or groups may be chosen, where a set has exactly one.

use super::{Block, Names, SetSpec};
use crate::constraint::{is_empty, projected};
use crate::error::Result;
use crate::shape::Shape;

impl SetSpec {
    /// How many features, or groups, may be chosen; `None` if the set has no such number, or several.
    pub fn size(&self) -> Option<usize> {
        let mut set = self.clone();
        match &set.sizes_mut()[..] {
            [size] => Some(**size),
            _ => None,
        }
    }

    /// The same set with another such number.
    pub fn with_size(&self, size: usize) -> Option<Self> {
        let mut set = self.clone();
        match &mut set.sizes_mut()[..] {
            [own] => **own = size,
            _ => return None,
        }
        Some(set)
    }

    /// The least such number with which the set has a point, for features of these names; at most its own.
    pub fn least_size(&self, shape: Shape, names: &Names) -> Result<usize> {
        let most = self.size().unwrap_or(0);
        for size in 0..most {
            let Some(set) = self.with_size(size) else { break };
            let set = set.build_with(shape, names);
            match set.and_then(|set| projected(&set, &vec![0.0; shape.len()])) {
                Ok(_) => return Ok(size),
                Err(error) if is_empty(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(most)
    }

    /// Whether that number counts groups.
    pub fn counts_groups(&self) -> bool {
        match self {
            Self::GroupSparsity { .. } => true,
            Self::Selection(rules) => rules.units.is_some(),
            Self::Intersection(parts) => parts.iter().any(Self::counts_groups),
            Self::Blocks(blocks) => blocks.iter().any(|block| block.set.counts_groups()),
            _ => false,
        }
    }

    fn sizes_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Sparsity { keep } | Self::Rows { keep } | Self::GroupSparsity { keep, .. } => vec![keep],
            Self::Selection(rules) => vec![&mut rules.most],
            Self::Intersection(parts) => parts.iter_mut().flat_map(Self::sizes_mut).collect(),
            Self::Blocks(blocks) => blocks.iter_mut().flat_map(|Block { set, .. }| set.sizes_mut()).collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_with_one_number_of_features_take_another() -> Result<()> {
        for (text, other) in [
            ("sparsity:3", "sparsity:7"),
            ("sparsity:3;keep=a", "sparsity:7;keep=a"),
            ("group-sparsity:3;size=2", "group-sparsity:7;size=2"),
            ("rows:3", "rows:7"),
            ("simplex & sparsity:3", "simplex & sparsity:7"),
            ("blocks[1-4: sparsity:3][5-6: nonneg]", "blocks[1-4: sparsity:7][5-6: nonneg]"),
        ] {
            let set = SetSpec::parse(text)?;
            assert_eq!(set.size(), Some(3), "{text}");
            assert_eq!(set.with_size(7), Some(SetSpec::parse(other)?));
            assert_eq!(set.counts_groups(), text.starts_with("group"));
        }
        let least = |text: &str| SetSpec::parse(text)?.least_size(Shape::Vector(6), &Names::of_shape(Shape::Vector(6)));
        assert_eq!(least("sparsity:4")?, 0);
        assert_eq!(least("sparsity:4;keep=1,3")?, 2);
        assert_eq!(least("sparsity:5 & simplex & box:0,0.3")?, 4);
        assert_eq!(least("sparsity:5 & simplex")?, 1);
        for text in ["ball:2", "blocks[1-4: sparsity:3][5-8: sparsity:2]"] {
            let set = SetSpec::parse(text)?;
            assert_eq!((set.size(), set.with_size(2)), (None, None), "{text}");
        }
        Ok(())
    }
}
