//! Repetitions of a fit on rows that are drawn from a seed, as many at a time as there are threads.
//!
//! A repetition is known by its number, which decides its rows, and its result does not depend on what else runs: the results are the same at any number of threads,
//! and those of an earlier run can be taken over. One that is interrupted is left out.

use super::procedure::{Procedure, Replicate};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::pool::in_pool;
use crate::random::{Purpose, below, stream};
use crate::trace::{Observer, Progress};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Who is told of each repetition, and asked whether to go on.
pub trait Audience: Sync {
    /// One more is done.
    fn done(&self, replicate: &Replicate);
    /// Whether to end now.
    fn is_over(&self) -> bool;
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Audience for Nobody {
    fn done(&self, _replicate: &Replicate) {}
    fn is_over(&self) -> bool {
        false
    }
}

/// How rows are drawn for a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// As many as there are, with replacement.
    WithReplacement,
    /// Half of them; repetitions $2b$ and $2b + 1$ have no row in common.
    Halves,
}

impl Draw {
    /// The rows of a repetition.
    pub(super) fn rows(self, rows: usize, seed: u64, number: u64) -> Vec<usize> {
        match self {
            Self::WithReplacement => {
                let mut generator = stream(seed, Purpose::Resampling, number);
                let mut drawn: Vec<usize> = (0..rows).map(|_| below(&mut generator, rows as u64) as usize).collect();
                drawn.sort_unstable();
                drawn
            }
            Self::Halves => {
                // A place of its own among the streams.
                let order = shuffled(rows, seed, (1 << 40) + number / 2);
                let (half, start) = (rows / 2, (number % 2) as usize * (rows / 2));
                let mut part = order[start..start + half].to_vec();
                part.sort_unstable();
                part
            }
        }
    }
}

/// The rows in a random order.
pub(super) fn shuffled(rows: usize, seed: u64, counter: u64) -> Vec<usize> {
    let mut generator = stream(seed, Purpose::Resampling, counter);
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        order.swap(last, below(&mut generator, last as u64 + 1) as usize);
    }
    order
}

/// Ends a fit when the audience wants it.
pub(super) struct Ear<'a>(pub(super) &'a dyn Audience);

impl Observer for Ear<'_> {
    fn checkpoint(&mut self, _progress: &Progress) -> ControlFlow<()> {
        self.poll()
    }
    fn poll(&mut self) -> ControlFlow<()> {
        if self.0.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Repetitions 0, …, `count` − 1 in order, without those that were interrupted; `known` are those of an earlier run.
pub fn repetitions(
    procedure: &Procedure,
    data: &Data,
    (draw, count, seed): (Draw, u64, u64),
    known: &BTreeMap<u64, Replicate>,
    audience: &dyn Audience,
) -> Result<Vec<Replicate>> {
    // Rows are needed in any order.
    data.random_access()?;
    if draw == Draw::Halves && data.rows() < 4 {
        return Err(Error::Inference(super::InferenceFault::TooFewRows { rows: data.rows(), parameters: 4 }));
    }
    in_pool(procedure.settings.threads_value(), || {
        let one = |number: u64| {
            if let Some(replicate) = known.get(&number) {
                return Ok(Some(replicate.clone()));
            }
            if audience.is_over() {
                return Ok(None);
            }
            let part = data.subset(draw.rows(data.rows(), seed, number))?;
            let found = match part.data() {
                Ok(rows) => procedure.repeat(&rows, number, &mut Ear(audience)),
                // All weights of the rows that were drawn may be zero.
                Err(error) => {
                    let failure = Some(error.to_string());
                    Some(Replicate { number, nonzero: Vec::new(), intercept: None, failure })
                }
            };
            if let Some(replicate) = &found {
                audience.done(replicate);
            }
            Ok(found)
        };
        let all: Vec<Result<Option<Replicate>>> = (0..count).into_par_iter().map(one).collect();
        Ok(all.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_share_no_row_and_are_those_of_the_seed() {
        let halves = |seed| [0, 1].map(|number| Draw::Halves.rows(11, seed, number));
        let [first, second] = halves(3);
        assert_eq!((first.len(), second.len()), (5, 5));
        assert!(first.iter().all(|row| !second.contains(row)));
        assert_eq!(halves(3), [first.clone(), second]);
        assert_ne!(halves(4)[0], first);
        assert_ne!(Draw::Halves.rows(11, 3, 2), first);
    }
}
