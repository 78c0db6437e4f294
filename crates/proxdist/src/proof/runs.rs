//! The columns of a part as units: runs of neighbouring columns that are selected together.

use super::family::{Family, Room};
use super::part::Place;
use std::ops::Range;

/// Which columns are one unit, and the pool of each unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runs {
    /// Where each unit starts, and the end of the last one.
    starts: Vec<usize>,
    pools: Vec<u32>,
    is_single: bool,
}

impl Runs {
    /// From the unit of each column; the columns of a unit are neighbours.
    pub(super) fn of(units: impl Iterator<Item = usize>, family: &Family) -> Self {
        let (mut starts, mut pools, mut last) = (Vec::new(), Vec::new(), None);
        let mut count = 0;
        for unit in units {
            if last != Some(unit) {
                starts.push(count);
                pools.push(family.pools[unit]);
                last = Some(unit);
            }
            count += 1;
        }
        let is_single = starts.len() == count;
        starts.push(count);
        Self { starts, pools, is_single }
    }

    /// Number of units.
    pub(super) fn len(&self) -> usize {
        self.pools.len()
    }

    /// Whether every unit is one column.
    pub(super) fn is_single(&self) -> bool {
        self.is_single
    }

    /// The columns of a unit.
    pub(super) fn columns(&self, unit: usize) -> Range<usize> {
        if self.is_single { unit..unit + 1 } else { self.starts[unit]..self.starts[unit + 1] }
    }

    /// The first column of a unit.
    pub(super) fn first(&self, unit: usize) -> usize {
        if self.is_single { unit } else { self.starts[unit] }
    }

    /// The unit of a column.
    pub(super) fn of_column(&self, column: usize) -> usize {
        if self.is_single { column } else { self.starts.partition_point(|start| *start <= column) - 1 }
    }

    pub(super) fn pool(&self, unit: usize) -> u32 {
        self.pools[unit]
    }

    /// The units in a place; all columns of a unit are in the same one.
    pub(super) fn in_place<'r>(
        &'r self,
        places: &'r [Place],
        place: Place,
    ) -> impl Iterator<Item = usize> + Clone + 'r {
        (0..self.len()).filter(move |&unit| places[self.first(unit)] == place)
    }

    /// Decides about a unit.
    pub(super) fn put(&self, places: &mut [Place], unit: usize, place: Place) {
        places[self.columns(unit)].fill(place);
    }

    /// Free units of pools that have no room left go out.
    pub(super) fn close_full_pools(&self, places: &mut [Place], room: &Room) {
        for unit in 0..self.len() {
            if places[self.first(unit)] == Place::Free && !room.has(self.pools[unit]) {
                self.put(places, unit, Place::Out);
            }
        }
    }

    /// The runs of some of the columns, which rise; none of the others of their units need be there.
    pub(super) fn on(&self, kept: &[usize]) -> Self {
        let (mut starts, mut pools) = (Vec::with_capacity(kept.len() + 1), Vec::with_capacity(kept.len()));
        let (mut unit, mut last) = (0, None);
        for (at, &column) in kept.iter().enumerate() {
            while self.starts[unit + 1] <= column {
                unit += 1;
            }
            if last != Some(unit) {
                starts.push(at);
                pools.push(self.pools[unit]);
                last = Some(unit);
            }
        }
        starts.push(kept.len());
        let is_single = pools.len() == kept.len();
        Self { starts, pools, is_single }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_keep_their_pools_when_columns_go() {
        use Place::{Free, In, Out};
        let family = Family { pools: vec![0, 1, 1, 0], keep: vec![0, 2], families: vec![0, 1], totals: vec![1, 2] };
        let runs = Runs::of([0, 0, 1, 2, 2, 2, 3].into_iter(), &family);
        assert_eq!((runs.len(), runs.columns(2), runs.pool(3), runs.is_single()), (4, 3..6, 0, false));
        let fewer = runs.on(&[1, 3, 5, 6]);
        assert_eq!((fewer.len(), fewer.columns(1), fewer.pool(0), fewer.pool(1)), (3, 1..3, 0, 1));
        assert!(runs.on(&[0, 2, 4]).is_single());
        let mut places = vec![Place::Free; 7];
        runs.put(&mut places, 1, Place::In);
        runs.close_full_pools(&mut places, &family.room([1]));
        assert_eq!(places, [Out, Out, In, Free, Free, Free, Out]);
    }
}
