//! A set that leaves a choice, where only some columns may be chosen: what a search on gathered columns is given.

use crate::constraint::{Choice, Choosing, Constraint, Structure, Workspace};
use crate::error::Result;
use crate::spec::SetSpec;

/// The points of a set that are zero outside some columns, as vectors of these columns.
pub(super) struct Restricted<'c> {
    whole: &'c dyn Constraint,
    choosing: &'c dyn Choosing,
    choice: Choice,
    columns: &'c [usize],
    /// Columns of the whole.
    length: usize,
}

impl<'c> Restricted<'c> {
    /// The set on these columns, in ascending order; every column that must not be zero is to be among them.
    pub(super) fn new(
        whole: &'c dyn Constraint,
        choosing: &'c dyn Choosing,
        columns: &'c [usize],
        length: usize,
    ) -> Self {
        let choice = choosing.choice(length).only(columns);
        Self { whole, choosing, choice, columns, length }
    }
}

impl Choosing for Restricted<'_> {
    fn choice(&self, _length: usize) -> Choice {
        self.choice.clone()
    }

    fn on_support(&self, support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        let named: Vec<usize> = support.iter().map(|&at| self.columns[at]).collect();
        self.choosing.on_support(&named)
    }
}

impl Constraint for Restricted<'_> {
    fn project(&self, point: &mut [f64], work: &mut Workspace) -> Result<()> {
        let mut all = vec![0.0; self.length];
        self.columns.iter().zip(&*point).for_each(|(&j, value)| all[j] = *value);
        self.whole.project(&mut all, work)?;
        point.iter_mut().zip(self.columns).for_each(|(value, &j)| *value = all[j]);
        Ok(())
    }

    fn is_convex(&self) -> bool {
        false
    }

    fn is_scale_free(&self) -> bool {
        self.whole.is_scale_free()
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Choice(self)
    }

    fn spec(&self) -> SetSpec {
        self.whole.spec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{GroupSparsity, Sparsity};

    #[test]
    fn a_choice_of_some_columns_keeps_its_rules() {
        let set = Sparsity::at_most(2);
        let part = Restricted::new(&set, &set, &[1, 4, 7], 9);
        assert_eq!(part.choice(3), Choice::of_coordinates(2, 0..3));
        assert_eq!(part.plain_size(3), Some(2));
        let groups = GroupSparsity::of_size(2, 2).unwrap();
        let columns = [0, 2, 3, 6, 7];
        let part = Restricted::new(&groups, &groups, &columns, 8);
        // The first group is not there as a whole.
        assert_eq!(part.choice(5), Choice::of_units(2, [vec![1, 2], vec![3, 4]]));
        let mut point = vec![9.0, 1.0, 1.0, 2.0, 0.0];
        part.project(&mut point, &mut Workspace::default()).unwrap();
        assert_eq!(point[3..], [2.0, 0.0]);
    }
}
