//! How much of a stream has been seen, and the penalty that follows from it; the rule is in the documentation of the [module](super).

use serde::{Deserialize, Serialize};

/// Rows and votes so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// Steps taken.
    pub(crate) steps: u64,
    /// $N$, rows that count, by their age if there is a half-life.
    rows: f64,
    /// $W$, the same for weights.
    weight: f64,
}

/// What is left of a count after `rows` more rows: $2^{-n/h}$, or all of it.
pub(crate) fn kept(rows: usize, half_life: Option<f64>) -> f64 {
    half_life.map_or(1.0, |half_life| (-(rows as f64) / half_life).exp2())
}

/// What is the same for every step of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Rows of a full batch, b.
    pub(crate) batch_size: usize,
    pub(crate) gamma: f64,
    pub(crate) half_life: Option<f64>,
}

impl Clock {
    /// As if so many rows of weight one had been seen.
    pub(crate) fn after(rows: u64) -> Self {
        Self { steps: 0, rows: rows as f64, weight: rows as f64 }
    }

    /// Rows of this weight pass.
    pub(crate) fn pass(&mut self, rows: usize, weight: f64, pace: Pace) {
        let kept = kept(rows, pace.half_life);
        self.rows = kept * self.rows + rows as f64;
        self.weight = kept * self.weight + weight;
    }

    /// $\rho$ of a step whose rows, of this weight, have just passed.
    pub(crate) fn rho(&self, rho1: f64, weight: f64, pace: Pace) -> f64 {
        let rho = rho1 * (self.weight / weight);
        // Powers of one are by far the most used, and exact that way.
        if pace.gamma == 1.0 { rho } else { rho * self.batches(pace).powf(pace.gamma - 1.0) }
    }

    /// $N/b$, full batches that would count as much as what was seen.
    pub(crate) fn batches(&self, pace: Pace) -> f64 {
        self.rows / pace.batch_size as f64
    }

    /// $N$
    pub(crate) fn effective_rows(&self) -> f64 {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(gamma: f64, half_life: Option<f64>) -> Pace {
        Pace { batch_size: 64, gamma, half_life }
    }

    #[test]
    fn full_batches_of_equal_weights_have_the_schedule_of_a_fit() {
        for gamma in [1.0, 0.6] {
            let (pace, mut clock) = (pace(gamma, None), Clock::default());
            for k in 1..=20 {
                clock.pass(64, 64.0, pace);
                let expected = 0.3 * f64::from(k).powf(gamma);
                assert!((clock.rho(0.3, 64.0, pace) / expected - 1.0).abs() < 1e-12, "{k}");
            }
        }
    }

    #[test]
    fn the_penalty_of_a_stream_that_forgets_has_a_limit() {
        let (pace, mut clock) = (pace(1.0, Some(1000.0)), Clock::default());
        let mut before = 0.0;
        for _ in 0..5000 {
            clock.pass(64, 64.0, pace);
            let rho = clock.rho(1.0, 64.0, pace);
            assert!(rho >= before);
            before = rho;
        }
        // The sum of the geometric series, close to h/(b ln 2).
        let limit = 1.0 / (1.0 - (-64.0_f64 / 1000.0).exp2());
        assert!((before / limit - 1.0).abs() < 1e-12);
        assert!((before / (1000.0 / (64.0 * std::f64::consts::LN_2)) - 1.0).abs() < 0.03);
    }

    /// Two steps of half a batch move a parameter as much as one of a whole, to first order: each has a penalty twice as large.
    #[test]
    fn short_and_weighted_batches_count_for_what_they_hold() {
        let pace = pace(1.0, None);
        let mut clock = Clock::default();
        (0..10).for_each(|_| clock.pass(64, 64.0, pace));
        let (mut short, mut heavy) = (clock, clock);
        clock.pass(64, 64.0, pace);
        short.pass(32, 32.0, pace);
        heavy.pass(32, 64.0, pace);
        assert!((short.rho(1.0, 32.0, pace) / clock.rho(1.0, 64.0, pace) - 2.0).abs() < 0.1);
        assert_eq!(heavy.rho(1.0, 64.0, pace), clock.rho(1.0, 64.0, pace));
    }

    /// A mean is the parameter of the simplest loss; its steps are the recursion of the exponentially weighted mean.
    #[test]
    fn votes_are_those_of_the_exponentially_weighted_mean() {
        let values = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, 6.0];
        let pace = Pace { batch_size: 1, gamma: 1.0, half_life: Some(2.5) };
        let (mut clock, mut mean) = (Clock::default(), 0.0);
        for value in values {
            clock.pass(1, 1.0, pace);
            mean += (value - mean) / clock.rho(1.0, 1.0, pace);
        }
        let share = |i: usize| (-((values.len() - 1 - i) as f64) / 2.5).exp2();
        let total: f64 = (0..values.len()).map(share).sum();
        let expected: f64 = values.iter().enumerate().map(|(i, value)| share(i) * value).sum::<f64>() / total;
        assert!((mean - expected).abs() < 1e-14);
    }
}
