//! Limits on how much may be selected: so many units of each pool, and so many of all pools of a family together.
//!
//! Pools do not overlap, and neither do families, so the allowed sets are the independent sets of a laminar matroid. The allowed set with the largest sum is found greedily: the largest of each
//! pool, as many as it has room for, then the largest of these in each family, as many as that has room for ([`Top`]). In a matroid, what a unit that is forced in pushes out is the smallest of the
//! smallest limit around it that is used up: its pool's, or its family's. What takes the place of a unit that is left out is the largest of those that its going makes room for: of its own pool, or of
//! any pool of its family that is not used up. These two numbers for each pool are all that screening needs.

use super::water::level;

/// A unit without a pool, which is always in.
pub(super) const NO_POOL: u32 = u32::MAX;

/// The pool of each unit, and the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Family {
    pub(super) pools: Vec<u32>,
    pub(super) keep: Vec<usize>,
    /// The family of each pool, and the limits of families.
    pub(super) families: Vec<usize>,
    pub(super) totals: Vec<usize>,
}

/// What the limits leave once some units are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) pools: Vec<usize>,
    families: Vec<usize>,
    totals: Vec<usize>,
}

impl Family {
    /// One pool of so many units.
    pub(super) fn plain(units: usize, keep: usize) -> Self {
        Self { pools: vec![0; units], keep: vec![keep], families: vec![0], totals: vec![keep] }
    }

    /// The room beside units that are in; limits that these exceed have none.
    pub(super) fn room(&self, selected: impl IntoIterator<Item = usize>) -> Room {
        let mut room = Room { pools: self.keep.clone(), families: self.families.clone(), totals: self.totals.clone() };
        selected.into_iter().for_each(|unit| room.take(self.pools[unit]));
        room
    }
}

impl Room {
    /// Whether a unit of a pool may come in.
    pub(super) fn has(&self, pool: u32) -> bool {
        let is_open = |pool: usize| self.pools[pool] > 0 && self.totals[self.families[pool]] > 0;
        pool == NO_POOL || is_open(pool as usize)
    }

    /// How many units there is room for at most.
    pub(super) fn most(&self) -> usize {
        let most =
            |(family, total): (usize, &usize)| self.of_family(family).map(|p| self.pools[p]).sum::<usize>().min(*total);
        self.totals.iter().enumerate().map(most).sum()
    }

    /// Uses up the place of a unit.
    pub(super) fn take(&mut self, pool: u32) {
        if pool != NO_POOL {
            let (pool, family) = (pool as usize, self.families[pool as usize]);
            self.pools[pool] = self.pools[pool].saturating_sub(1);
            self.totals[family] = self.totals[family].saturating_sub(1);
        }
    }

    /// Gives the place of a unit back.
    pub(super) fn give(&mut self, pool: u32) {
        if pool != NO_POOL {
            self.pools[pool as usize] += 1;
            self.totals[self.families[pool as usize]] += 1;
        }
    }

    /// Whether there is room for this many units of each pool.
    pub(super) fn holds(&self, counts: &[usize]) -> bool {
        let of_family = |family: usize| self.of_family(family).map(|pool| counts[pool]).sum::<usize>();
        let fits = |(family, total): (usize, &usize)| of_family(family) <= *total;
        counts.iter().zip(&self.pools).all(|(count, room)| count <= room) && self.totals.iter().enumerate().all(fits)
    }

    /// The number of families.
    pub(super) fn families(&self) -> usize {
        self.totals.len()
    }

    /// The family of a pool.
    pub(super) fn family(&self, pool: usize) -> usize {
        self.families[pool]
    }

    fn of_family(&self, family: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.pools.len()).filter(move |&pool| self.families[pool] == family)
    }
}

/// The largest sum of an allowed set, and the numbers beside the cut for each pool.
#[derive(Clone, Debug)]
pub(super) struct Top {
    pub(super) sum: f64,
    /// What a unit that is forced in pushes out; zero if there is room.
    pub(super) last_in: Vec<f64>,
    /// What comes in for a unit that is left out; zero if nothing does.
    pub(super) first_out: Vec<f64>,
}

impl Top {
    /// Of numbers that are not negative, by pool; their order changes.
    pub(super) fn of(buckets: &mut [Vec<f64>], room: &Room) -> Self {
        let count = buckets.len();
        let (mut first_out, mut smallest) = (vec![0.0_f64; count], vec![0.0_f64; count]);
        let (mut chosen, mut sums) = (vec![0; count], vec![0.0; count]);
        for (pool, values) in buckets.iter_mut().enumerate() {
            let cut = Cut::of(values, room.pools[pool]);
            (first_out[pool], smallest[pool]) = (cut.first_out, cut.last_in);
            chosen[pool] = cut.count;
            sums[pool] = cut.sum;
        }
        let mut last_in = vec![0.0; count];
        for (family, &total) in room.totals.iter().enumerate() {
            let pools = room.of_family(family);
            let all: usize = pools.clone().map(|pool| chosen[pool]).sum();
            if all > total {
                let mut together: Vec<(f64, usize)> = Vec::with_capacity(all);
                for pool in pools.clone() {
                    together.extend(buckets[pool][..chosen[pool]].iter().map(|&value| (value, pool)));
                    (chosen[pool], smallest[pool], sums[pool]) = (0, f64::INFINITY, 0.0);
                }
                together.select_nth_unstable_by(total, |a, b| b.0.total_cmp(&a.0));
                let (kept, cut) = together.split_at(total);
                for &(value, pool) in kept {
                    chosen[pool] += 1;
                    sums[pool] += value;
                    smallest[pool] = smallest[pool].min(value);
                }
                cut.iter().for_each(|&(value, pool)| first_out[pool] = first_out[pool].max(value));
            }
            let is_used_up = |pool: &usize| chosen[*pool] == room.pools[*pool];
            let of_all = pools.clone().filter(|&pool| chosen[pool] > 0).map(|pool| smallest[pool]);
            let least = if all >= total { of_all.reduce(f64::min).unwrap_or(0.0) } else { 0.0 };
            let others = pools.clone().filter(|pool| !is_used_up(pool)).map(|pool| first_out[pool]).fold(0.0, f64::max);
            for pool in pools {
                last_in[pool] = if is_used_up(&pool) && chosen[pool] > 0 { smallest[pool] } else { least };
                first_out[pool] = first_out[pool].max(others);
            }
        }
        Self { sum: sums.iter().sum(), last_in, first_out }
    }

    /// The sum alone.
    pub(super) fn sum_of(buckets: &mut [Vec<f64>], room: &Room) -> f64 {
        match buckets {
            [values] => Cut::of(values, room.pools[0].min(room.totals[0])).sum,
            _ => Self::of(buckets, room).sum,
        }
    }
}

/// The largest numbers of one pool.
pub(super) struct Cut {
    pub(super) sum: f64,
    count: usize,
    /// The smallest that is in the sum; zero if none is.
    pub(super) last_in: f64,
    first_out: f64,
}

impl Cut {
    /// Of the `count` largest; the order of the numbers changes.
    pub(super) fn of(values: &mut [f64], count: usize) -> Self {
        let mut first_out = 0.0;
        if count < values.len() {
            first_out = *values.select_nth_unstable_by(count, |a, b| b.total_cmp(a)).1;
        }
        let kept = &values[..count.min(values.len())];
        let last_in = kept.iter().copied().reduce(f64::min).unwrap_or(0.0);
        Self { sum: kept.iter().sum(), count: kept.len(), last_in, first_out }
    }
}

/// The level of each pool, see `water`: its own, or the one that all pools of its family share that the family's limit holds back.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Levels {
    pub(super) pools: Vec<f64>,
    /// Whether a pool has the common level.
    pub(super) is_common: Vec<bool>,
    /// The room that the pools of the common level have together, for each family.
    pub(super) common_rooms: Vec<usize>,
}

impl Levels {
    /// Of magnitudes by pool, which are used up.
    ///
    /// With a level $\lambda$ for the family, a pool has the larger one of $\lambda$ and its own. All pools together at one level need at least the right $\lambda$; those whose own
    /// level is above it keep that, and the others have the rest of the room, until nothing changes.
    pub(super) fn of(buckets: &mut [Vec<f64>], room: &Room) -> Self {
        let count = buckets.len();
        let mut levels =
            Self { pools: vec![0.0; count], is_common: vec![false; count], common_rooms: vec![0; room.totals.len()] };
        for (family, &total) in room.totals.iter().enumerate() {
            let needed: usize = room.of_family(family).map(|pool| buckets[pool].len().min(room.pools[pool])).sum();
            if needed <= total {
                room.of_family(family)
                    .for_each(|pool| levels.pools[pool] = level(&mut buckets[pool], room.pools[pool]));
            } else {
                levels.share(family, buckets, room);
            }
        }
        levels
    }

    /// The levels of a family whose limit holds it back.
    fn share(&mut self, family: usize, buckets: &[Vec<f64>], room: &Room) {
        let pools = room.of_family(family);
        for pool in pools.clone() {
            self.pools[pool] = level(&mut buckets[pool].clone(), room.pools[pool]);
            self.is_common[pool] = true;
        }
        loop {
            let of_common: Vec<usize> = pools.clone().filter(|&pool| self.is_common[pool]).collect();
            let taken: usize = pools.clone().filter(|&pool| !self.is_common[pool]).map(|pool| room.pools[pool]).sum();
            let common_room = room.totals[family].saturating_sub(taken);
            let mut together: Vec<f64> = of_common.iter().flat_map(|&pool| buckets[pool].iter().copied()).collect();
            // Only rounding leaves no room; then no level of a pool is far from the right one.
            let highest = || pools.clone().map(|pool| self.pools[pool]).fold(0.0, f64::max);
            let common = if common_room == 0 { highest() } else { level(&mut together, common_room) };
            let above: Vec<usize> = of_common.iter().copied().filter(|&pool| self.pools[pool] > common).collect();
            if above.is_empty() {
                of_common.iter().for_each(|&pool| self.pools[pool] = common);
                self.common_rooms[family] = common_room;
                return;
            }
            above.iter().for_each(|&pool| self.is_common[pool] = false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Numbers;
    use super::*;

    /// Numbers in pools, and limits.
    fn random(numbers: &mut Numbers) -> (Vec<Vec<f64>>, Room) {
        let pools = 1 + numbers.below(3);
        let buckets: Vec<Vec<f64>> =
            (0..pools).map(|_| (0..numbers.below(5)).map(|_| 0.1 * numbers.below(9) as f64).collect()).collect();
        let families = 1 + numbers.below(pools);
        let room = Room {
            pools: (0..pools).map(|_| 1 + numbers.below(3)).collect(),
            families: (0..pools).map(|_| numbers.below(families)).collect(),
            totals: (0..families).map(|_| 1 + numbers.below(5)).collect(),
        };
        (buckets, room)
    }

    /// The largest sum of an allowed set, among those for which a unit is in or not.
    fn best(buckets: &[Vec<f64>], room: &Room, wanted: Option<(usize, usize, bool)>) -> Option<f64> {
        let flat: Vec<(usize, usize)> =
            buckets.iter().enumerate().flat_map(|(pool, values)| (0..values.len()).map(move |at| (pool, at))).collect();
        let mut best: Option<f64> = None;
        for set in 0..1_usize << flat.len() {
            let members: Vec<(usize, usize)> =
                flat.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1).map(|(_, unit)| *unit).collect();
            let mut counts = vec![0; buckets.len()];
            members.iter().for_each(|(pool, _)| counts[*pool] += 1);
            let is_wanted = wanted.is_none_or(|(pool, at, is_in)| members.contains(&(pool, at)) == is_in);
            if room.holds(&counts) && is_wanted {
                let sum: f64 = members.iter().map(|&(pool, at)| buckets[pool][at]).sum();
                best = Some(best.map_or(sum, |best: f64| best.max(sum)));
            }
        }
        best
    }

    #[test]
    fn the_top_of_a_laminar_family_is_the_best_allowed_set() {
        let mut numbers = Numbers::new(3);
        for _ in 0..400 {
            let (buckets, room) = random(&mut numbers);
            let top = Top::of(&mut buckets.clone(), &room);
            assert!((top.sum - best(&buckets, &room, None).unwrap()).abs() < 1e-12, "{buckets:?} {room:?}");
            for (pool, values) in buckets.iter().enumerate() {
                for (at, value) in values.iter().enumerate() {
                    let with = top.sum - (top.last_in[pool] - value).max(0.0);
                    let without = top.sum - (value - top.first_out[pool]).max(0.0);
                    let truth = |is_in| best(&buckets, &room, Some((pool, at, is_in))).unwrap();
                    assert!((with - truth(true)).abs() < 1e-12, "with {pool} {at}: {buckets:?} {room:?}");
                    assert!((without - truth(false)).abs() < 1e-12, "without {pool} {at}: {buckets:?} {room:?}");
                }
            }
        }
    }

    #[test]
    fn levels_fill_the_room_of_pools_and_total() {
        let mut numbers = Numbers::new(4);
        for _ in 0..400 {
            let (mut buckets, room) = random(&mut numbers);
            buckets.iter_mut().flatten().for_each(|value| *value += 0.05 + 0.01 * numbers.next());
            let levels = Levels::of(&mut buckets.clone(), &room);
            let filled: Vec<f64> = buckets
                .iter()
                .zip(&levels.pools)
                .map(|(values, level)| values.iter().map(|a| (a / level).min(1.0)).sum())
                .collect();
            for (family, &limit) in room.totals.iter().enumerate() {
                let total: f64 = room.of_family(family).map(|pool| filled[pool]).sum();
                assert!(total <= limit as f64 + 1e-9, "{buckets:?} {room:?} {levels:?}");
                let common: Vec<usize> = room.of_family(family).filter(|&pool| levels.is_common[pool]).collect();
                if !common.is_empty() {
                    let used: f64 = common.iter().map(|&pool| filled[pool]).sum();
                    let wanted = levels.common_rooms[family] as f64;
                    assert!((used - wanted).abs() < 1e-9, "{buckets:?} {room:?} {levels:?}");
                    assert!((total - limit as f64).abs() < 1e-9, "{buckets:?} {room:?} {levels:?}");
                }
            }
            let least = |of: usize| {
                let common = room.of_family(room.families[of]).filter(|&pool| levels.is_common[pool]);
                common.map(|pool| levels.pools[pool]).fold(f64::INFINITY, f64::min)
            };
            for pool in 0..buckets.len() {
                assert!(filled[pool] <= room.pools[pool] as f64 + 1e-9);
                // A level of its own above the common one is for a pool that is used up.
                if !levels.is_common[pool] && levels.pools[pool] > 0.0 {
                    assert!((filled[pool] - room.pools[pool] as f64).abs() < 1e-9);
                    assert!(least(pool).is_infinite() || levels.pools[pool] >= least(pool) - 1e-12);
                }
            }
        }
    }
}
