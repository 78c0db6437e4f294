//! A uniform sample of rows in one reading, without knowing how many rows there are.
//!
//! Row $i$ of part $k$ has the key `hash(seed, k, i)`; the sample is the rows with the `m` smallest keys. That is the same sample whoever draws it, and
//! the `m` smallest of some parts are among the `m` smallest of each. Rows stay in the order of the parts.

use super::part::Block;
use super::request::SurveyRequest;
use super::table::Table;
use crate::error::Result;
use serde::{Deserialize, Serialize};

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
    use crate::large::{Part, Strip};

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
