//! A sample of a stream, in memory that does not depend on its length.
//!
//! With $N_t = 1 + 2^{-1/h}N_{t-1}$, the number of rows that count (just $t$ without a half-life), row $t$ takes a place of the $R$ there are with probability $\min(1, R/N_t)$, a random one once all are taken. From the row on
//! with which $N_t \ge R$, a row of age $a$ is in the sample with probability $R\,2^{-a/h}/N_t$: the factors $1 - 1/N_i = 2^{-1/h}N_{i-1}/N_i$ of the rows after it cancel in pairs. So the sample is uniform where nothing is
//! forgotten, and fades with the stream where something is; it then has no more than $h/\ln 2$ places, since no more rows count. The weight of a row does not change its chance; it stays with it.
//!
//! One random number for each row, from the seed and the number of the row alone: the sample does not depend on how rows are cut into blocks.

use super::rows::KeptRows;
use crate::data::{Data, Wanted, length};
use crate::error::Result;
use crate::random::{Purpose, stream, uniform};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The sample, and how to go on with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reservoir {
    /// Places there are, $R$.
    places: usize,
    /// Rows so far.
    seen: u64,
    /// $N$
    counting: f64,
    rows: KeptRows,
}

/// Rows whose random numbers come from one generator.
const GROUP: u64 = 1024;

impl Reservoir {
    /// An empty sample of at most `places` rows.
    pub(crate) fn new(places: usize, half_life: Option<f64>, rows: KeptRows) -> Self {
        let most = half_life.map_or(f64::INFINITY, |half_life| (half_life / std::f64::consts::LN_2).ceil());
        // Any number of places is one that a count can hold.
        let places = if (places as f64) > most { most as usize } else { places };
        Self { places, seen: 0, counting: 0.0, rows }
    }

    /// The sample.
    pub(crate) fn rows(&self) -> &KeptRows {
        &self.rows
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.rows.is_sound() && self.rows.len() <= self.places && self.counting >= 0.0 && self.counting.is_finite()
    }

    /// Offers it the rows of a block.
    pub(crate) fn add(&mut self, block: &Data, half_life: Option<f64>, seed: u64) -> Result<()> {
        let kept = half_life.map_or(1.0, |half_life| (-1.0 / half_life).exp2());
        let wanted = Wanted { rows: 0..block.rows(), length: length(block.columns()), columns: None };
        let mut generator = self.generator(seed);
        block.chunks(&wanted, &mut |chunk| {
            for row in 0..chunk.len() {
                if self.seen.is_multiple_of(GROUP) {
                    generator = self.generator(seed);
                }
                self.seen += 1;
                self.counting = kept * self.counting + 1.0;
                let drawn = uniform(&mut generator) * self.counting;
                let place = if self.rows.len() < self.places { Some(self.rows.len()) } else { self.place(drawn) };
                if let Some(place) = place {
                    self.rows.put(place, chunk, row);
                }
            }
        })
    }

    /// The place of a row that has drawn a number below $N$, if it gets one.
    fn place(&self, drawn: f64) -> Option<usize> {
        // While fewer rows count than there are places, every row gets one.
        let drawn = if self.counting < self.places as f64 { drawn / self.counting * self.places as f64 } else { drawn };
        Some(drawn as usize).filter(|place| *place < self.places)
    }

    /// The generator of the next row, before its number is drawn.
    fn generator(&self, seed: u64) -> ChaCha8Rng {
        let mut generator = stream(seed, Purpose::Reservoir, self.seen / GROUP);
        // A number takes two words.
        generator.set_word_pos(2 * u128::from(self.seen % GROUP));
        generator
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::Flat;
    use super::*;

    /// Numbers of the rows in the sample, after a stream of `rows` rows cut into blocks of these sizes.
    fn sample(rows: usize, sizes: &[usize], places: usize, half_life: Option<f64>, seed: u64) -> Vec<usize> {
        let x: Vec<f64> = (0..rows).map(|i| i as f64 + 1.0).collect();
        let mut reservoir = Reservoir::new(places, half_life, KeptRows::new(1, false));
        let (mut first, mut sizes) = (0, sizes.iter().cycle());
        while first < rows {
            let end = rows.min(first + sizes.next().unwrap());
            let block = Data::dense(&x[first..end], 1, &x[first..end]).unwrap();
            reservoir.add(&block, half_life, seed).unwrap();
            first = end;
        }
        assert!(reservoir.is_sound());
        let mut flat = Flat::default();
        let data = reservoir.rows().data(&mut flat).unwrap();
        data.response().iter().map(|y| *y as usize - 1).collect()
    }

    #[test]
    fn the_sample_does_not_depend_on_the_blocks() {
        for half_life in [None, Some(700.0)] {
            let whole = sample(5000, &[5000], 40, half_life, 3);
            for sizes in [&[1][..], &[7, 64, 1, 1500], &[1024]] {
                assert_eq!(sample(5000, sizes, 40, half_life, 3), whole);
            }
            assert_ne!(sample(5000, &[5000], 40, half_life, 4), whole);
        }
    }

    /// The chance of each row, by 3000 samples: uniform, or fading with age as the formula says.
    #[test]
    fn every_row_has_the_chance_that_the_rule_gives_it() {
        let (rows, places, repeats) = (60, 12, 3000);
        for half_life in [None, Some(10.0), Some(40.0)] {
            let mut counts = vec![0.0; rows];
            for seed in 0..repeats {
                let chosen = sample(rows, &[rows], places, half_life, seed);
                assert_eq!(chosen.len(), places);
                chosen.iter().for_each(|&row| counts[row] += 1.0);
            }
            let share = |age: usize| half_life.map_or(1.0, |h: f64| (-(age as f64) / h).exp2());
            let counting: f64 = (0..rows).map(share).sum();
            // Exact from the row on with which as many rows count as there are places.
            let first = (1..=rows).find(|&t| (0..t).map(share).sum::<f64>() >= places as f64).unwrap();
            for row in first..rows {
                let chance = places as f64 * share(rows - 1 - row) / counting;
                let error = (chance * (1.0 - chance) / repeats as f64).sqrt();
                let found = counts[row] / repeats as f64;
                assert!((found - chance).abs() <= 4.5 * error + 1e-12, "row {row}: {found} {chance}");
            }
        }
    }

    #[test]
    fn a_sample_has_no_more_places_than_rows_that_count() {
        assert_eq!(sample(5000, &[100], 4000, Some(100.0), 1).len(), 145);
        assert_eq!(sample(30, &[10], 4000, None, 1), (0..30).collect::<Vec<_>>());
    }
}
