//! A uniform sample of rows in one reading, without knowing how many rows there are.
//!
//! Row $i$ of part $k$ has the key `hash(seed, k, i)`; the sample is the rows with the `m` smallest keys. That is the same sample whoever draws it, and
//! the `m` smallest of some parts are among the `m` smallest of each. Rows stay in the order of the parts.
//!
//! How many rows? A larger sample finds a better start and spares readings. Where rows are read by this process it costs next to nothing beside them: 20 million numbers. Where answers travel
//! between processes, moving the sample and fitting it while the workers wait can take longer than everything else, so that it has one row in twenty, or few enough to travel in a moment.

use super::backend::Backend;
use super::part::Block;
use super::request::SurveyRequest;
use super::table::Table;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Numbers in the sample: as many as the memory allows up to so many, 160 MB.
const NUMBERS: usize = 20_000_000;
/// The share of the memory that the sample may take, with the copies that are made of it.
const SHARE: usize = 4;
/// Rows without which a sample says nothing.
const FEWEST_ROWS: usize = 50;
/// A sample that travels has one row in so many,
const ONE_IN: u64 = 20;
/// or so many rows, or so many numbers (16 MB) if that is more.
const FEW_ROWS: u64 = 20_000;
const FEW_NUMBERS: u64 = 2_000_000;

/// Rows of the sample of a fit that may hold so many bytes.
pub(super) fn size(backend: &dyn Backend, budget: usize) -> Result<usize> {
    let columns = backend.columns();
    let most = NUMBERS.min(budget / (8 * SHARE)) / columns;
    if most < FEWEST_ROWS {
        let needed = (FEWEST_ROWS * columns * 8 * SHARE) as u64;
        let what = "a sample of the rows";
        return Err(Error::Memory { what, needed, allowed: budget as u64, remedy: "fewer columns" });
    }
    Ok(match backend.rows().filter(|_| backend.answers_travel()) {
        Some(all) => most.min((all / ONE_IN).max(FEW_ROWS).max(FEW_NUMBERS / columns as u64) as usize),
        None => most,
    })
}

/// Rows with the smallest keys so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The key of each row.
    pub keys: Vec<u64>,
    /// The rows, in their units.
    pub table: Table,
}

/// The key of a row: equal inputs have equal keys, and keys of different rows are spread evenly.
pub(super) fn key(seed: u64, part: usize, row: usize) -> u64 {
    let place = mixed(mixed(seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_add(part as u64));
    mixed(place.wrapping_add(row as u64))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that changes half of the bits for each bit of its input.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Rows beyond the wanted number that are kept before the largest keys are dropped.
const SLACK: usize = 1024;

impl Sample {
    /// Looks at the rows of a block.
    pub(super) fn take(&mut self, request: SurveyRequest, part: usize, block: &Block<'_>) {
        let most = (request.share.clamp(0.0, 1.0) * 2.0_f64.powi(64)) as u64;
        if self.table.columns == 0 {
            self.table = Table::like(block.rows.width(), block.rows.is_sparse());
        }
        for at in 0..block.rows.len() {
            let key = key(request.seed, part, block.first + at);
            if key <= most {
                self.keys.push(key);
                self.table.push(block, at);
            }
        }
        if self.keys.len() > 2 * request.rows.saturating_add(SLACK) {
            self.cut(request.rows);
        }
    }

    /// Drops all but the rows with the smallest keys; rows stay in order.
    pub(super) fn cut(&mut self, rows: usize) {
        if self.keys.len() <= rows {
            return;
        }
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.select_nth_unstable_by_key(rows, |&at| (self.keys[at], at));
        order.truncate(rows);
        order.sort_unstable();
        self.keys = order.iter().map(|&at| self.keys[at]).collect();
        self.table = self.table.chosen(&order);
    }

    /// Adds the rows of the parts that follow.
    pub(super) fn append(&mut self, other: Self, rows: usize) -> Result<()> {
        self.keys.extend(other.keys);
        self.table.append(other.table)?;
        if self.keys.len() > rows.saturating_add(rows / 2).saturating_add(SLACK) {
            self.cut(rows);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Data;
    use crate::large::{Part, Request, Strip, Take};
    use crate::loss::Loss;

    /// So many rows and columns, here or elsewhere.
    struct Sizes(u64, usize, bool);

    impl Backend for Sizes {
        fn columns(&self) -> usize {
            self.1
        }

        fn parts(&self) -> usize {
            1
        }

        fn rows(&self) -> Option<u64> {
            Some(self.0)
        }

        fn answers_travel(&self) -> bool {
            self.2
        }

        fn map(&self, _: &Request, _: &dyn Loss, _: &mut Take<'_>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_sample_that_travels_is_smaller_and_never_larger_than_memory_allows() {
        let all = usize::MAX;
        assert_eq!(size(&Sizes(400_000, 100, false), all).unwrap(), 200_000);
        assert_eq!(size(&Sizes(400_000, 100, true), all).unwrap(), 20_000);
        assert_eq!(size(&Sizes(2_000_000, 100, true), all).unwrap(), 100_000);
        assert_eq!(size(&Sizes(1_000_000_000, 100, true), all).unwrap(), 200_000);
        assert_eq!(size(&Sizes(400_000, 10, true), all).unwrap(), 200_000);
        assert_eq!(size(&Sizes(400_000, 5000, true), all).unwrap(), 4000);
        assert_eq!(size(&Sizes(400_000, 100, true), 32 * 100 * 700).unwrap(), 700);
        assert!(matches!(size(&Sizes(400_000, 100, true), 32 * 100 * 49), Err(Error::Memory { .. })));
    }

    /// The sample does not depend on when rows are dropped, and every row is equally likely.
    #[test]
    fn the_smallest_keys_are_kept_wherever_parts_are_cut_off() {
        let x: Vec<f64> = (0..6000).map(f64::from).collect();
        let y = vec![0.0; 3000];
        let data = Data::dense(&x, 2, &y).unwrap();
        let mut counts = vec![0_u32; 3];
        for seed in 0..40 {
            let request = SurveyRequest { seed, rows: 30, share: 1.0 };
            let mut total = Sample::default();
            for (number, range) in [0..1000, 1000..1001, 1001..3000].into_iter().enumerate() {
                let mut found = Sample::default();
                let part = Strip::new(&data, range);
                part.read(None, &mut |block| {
                    found.take(request, number, &block);
                    Ok(())
                })
                .unwrap();
                found.cut(request.rows);
                total.append(found, request.rows).unwrap();
            }
            total.cut(request.rows);
            assert_eq!((total.keys.len(), total.table.rows(), total.table.values.len()), (30, 30, 60));
            let rows: Vec<usize> = total.table.values.chunks(2).map(|row| row[0] as usize / 2).collect();
            assert!(rows.is_sorted());
            let place = |row: usize| {
                if row < 1000 {
                    (0, row)
                } else if row < 1001 {
                    (1, 0)
                } else {
                    (2, row - 1001)
                }
            };
            let mut keys: Vec<u64> = (0..3000).map(|row| key(seed, place(row).0, place(row).1)).collect();
            assert!(rows.iter().zip(&total.keys).all(|(&row, &found)| keys[row] == found));
            let largest = *total.keys.iter().max().unwrap();
            keys.sort_unstable();
            assert_eq!(keys[29], largest);
            rows.iter().for_each(|row| counts[row / 1000] += 1);
        }
        assert!(counts.iter().all(|count| (340..460).contains(count)), "{counts:?}");
    }
}
