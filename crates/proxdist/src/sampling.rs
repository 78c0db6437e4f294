//! Which rows enter step k, from a seed.
//!
//! Without replacement, the batch is the head of a Fisher–Yates shuffle of $0, \dots, n-1$ that is carried out only as far as
//! needed: displaced positions are remembered in a map, so a draw costs O(b) time and memory however large n is.

use crate::random::{Purpose, below, stream};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// How batches are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sampling {
    /// `b` of `n` rows without replacement, anew at each step (the paper). With `b = 1`, single rows.
    #[default]
    WithoutReplacement,
    /// Passes over the data in a new random order each; the fewer than `b` rows left at the end of a pass are passed over.
    Reshuffled,
    /// Batches of consecutive rows, from the first to the last and round again; a batch may go on from the last row to the first.
    Cyclic,
    /// All rows in order, whatever the batch size: the deterministic method.
    FullBatch,
}

/// Draws batches; the batch of a step depends on the seed and the step only.
#[derive(Debug)]
pub struct Sampler {
    sampling: Sampling,
    rows: usize,
    batch_size: usize,
    seed: u64,
    displaced: HashMap<usize, usize>,
    order: Vec<usize>,
    order_of_pass: Option<u64>,
}

impl Sampler {
    /// A sampler of `batch_size` of `rows` rows; the size is cut to the number of rows.
    pub fn new(sampling: Sampling, rows: usize, batch_size: usize, seed: u64) -> Self {
        let batch_size = if sampling == Sampling::FullBatch { rows } else { batch_size.clamp(1, rows.max(1)) };
        let displaced = HashMap::with_capacity(2 * batch_size);
        Self { sampling, rows, batch_size, seed, displaced, order: Vec::new(), order_of_pass: None }
    }

    /// Rows a step, b.
    pub fn batch_size(&self) -> usize {
        self.batch_size
    }

    /// Whether every batch is the whole data set in order.
    pub fn is_full_batch(&self) -> bool {
        self.sampling == Sampling::FullBatch
    }

    /// Replaces `batch` by the rows of step `step`, counted from 1.
    pub fn draw(&mut self, step: u64, batch: &mut Vec<usize>) {
        batch.clear();
        match self.sampling {
            Sampling::FullBatch => batch.extend(0..self.rows),
            Sampling::Cyclic => {
                let rows = self.rows as u64;
                let first = ((step - 1) % rows) * (self.batch_size as u64 % rows) % rows;
                batch.extend((first as usize..self.rows).chain(0..first as usize).take(self.batch_size));
            }
            Sampling::WithoutReplacement => {
                let generator = stream(self.seed, Purpose::Batch, step);
                sample(generator, self.rows, self.batch_size, &mut self.displaced, batch);
            }
            Sampling::Reshuffled => {
                let batches = (self.rows / self.batch_size).max(1) as u64;
                let (pass, number) = ((step - 1) / batches, ((step - 1) % batches) as usize);
                if self.order_of_pass != Some(pass) {
                    self.shuffle(pass);
                }
                let start = number * self.batch_size;
                batch.extend_from_slice(&self.order[start..start + self.batch_size]);
            }
        }
    }

    fn shuffle(&mut self, pass: u64) {
        self.order.clear();
        self.order.extend(0..self.rows);
        let mut generator = stream(self.seed, Purpose::Pass, pass);
        for i in 0..self.rows.saturating_sub(1) {
            let j = i + below(&mut generator, (self.rows - i) as u64) as usize;
            self.order.swap(i, j);
        }
        self.order_of_pass = Some(pass);
    }
}

/// `count` of `rows` rows in increasing order, for a fixed sample that is looked at again and again.
pub(crate) fn monitor_sample(seed: u64, rows: usize, count: usize) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(count);
    sample(stream(seed, Purpose::Monitor, 0), rows, count, &mut HashMap::new(), &mut chosen);
    chosen.sort_unstable();
    chosen
}

/// Appends `count` different rows in the order they are drawn: a shuffle that only remembers what it has moved.
fn sample(
    mut generator: ChaCha8Rng,
    rows: usize,
    count: usize,
    displaced: &mut HashMap<usize, usize>,
    chosen: &mut Vec<usize>,
) {
    displaced.clear();
    for i in 0..count {
        let j = i + below(&mut generator, (rows - i) as u64) as usize;
        let at_i = displaced.get(&i).copied().unwrap_or(i);
        chosen.push(displaced.insert(j, at_i).unwrap_or(j));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(sampler: &mut Sampler, step: u64) -> Vec<usize> {
        let mut batch = Vec::new();
        sampler.draw(step, &mut batch);
        batch
    }

    /// Frozen: a change here changes every seeded result users have published.
    #[test]
    fn the_batches_of_a_seed_never_change() {
        let mut sampler = Sampler::new(Sampling::WithoutReplacement, 1000, 6, 7);
        assert_eq!(drawn(&mut sampler, 1), [982, 927, 11, 307, 847, 218]);
        assert_eq!(drawn(&mut sampler, 2), [858, 634, 418, 968, 388, 179]);
        let mut sampler = Sampler::new(Sampling::Reshuffled, 12, 5, 7);
        assert_eq!(drawn(&mut sampler, 3), [7, 5, 0, 10, 2]);
    }

    #[test]
    fn a_batch_has_distinct_rows_and_depends_on_seed_and_step_only() {
        let mut sampler = Sampler::new(Sampling::WithoutReplacement, 50, 30, 1);
        for step in 1..200 {
            let batch = drawn(&mut sampler, step);
            let mut sorted = batch.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 30);
            assert!(sorted.iter().all(|&row| row < 50));
            assert_eq!(batch, drawn(&mut Sampler::new(Sampling::WithoutReplacement, 50, 30, 1), step));
        }
        assert_ne!(drawn(&mut sampler, 1), drawn(&mut Sampler::new(Sampling::WithoutReplacement, 50, 30, 2), 1));
    }

    #[test]
    fn every_row_is_equally_likely() {
        let (rows, size, steps) = (20, 5, 20_000);
        let mut sampler = Sampler::new(Sampling::WithoutReplacement, rows, size, 3);
        let mut counts = vec![0.0; rows];
        for step in 1..=steps {
            drawn(&mut sampler, step).into_iter().for_each(|row| counts[row] += 1.0);
        }
        let expected = steps as f64 * size as f64 / rows as f64;
        // Chi-squared with 19 degrees of freedom, shrunk by the finite population: 45 is far in its tail.
        let statistic: f64 = counts.iter().map(|c| (c - expected).powi(2) / expected).sum();
        assert!(statistic < 45.0, "{statistic}");
    }

    #[test]
    fn cyclic_batches_go_round_in_order() {
        let mut sampler = Sampler::new(Sampling::Cyclic, 5, 2, 9);
        let seen: Vec<usize> = (1..=5).flat_map(|step| drawn(&mut sampler, step)).collect();
        assert_eq!(seen, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
        assert_eq!(drawn(&mut sampler, u64::MAX).len(), 2);
    }

    #[test]
    fn a_reshuffled_pass_visits_every_row_once() {
        let mut sampler = Sampler::new(Sampling::Reshuffled, 12, 4, 9);
        let mut seen: Vec<usize> = (4..=6).flat_map(|step| drawn(&mut sampler, step)).collect();
        assert_ne!(seen, (0..12).collect::<Vec<_>>());
        seen.sort_unstable();
        assert_eq!(seen, (0..12).collect::<Vec<_>>());
    }
}
