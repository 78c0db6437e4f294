//! Many rows, most of which are clearly on one side of their kink (Portnoy and Koenker 1997).
//!
//! A fit to a sample says roughly where the residuals are, a rough fit to the quarter of the rows that are nearest to their kinks says it well. Rows whose residuals are then large keep their signs at the minimum, most likely, and are one linear
//! function together; the method runs to its end on the few others. Afterwards all rows are looked at: those that have changed sides join the others and it runs again. When none has, the slopes of all rows are those of a minimum of
//! the whole, and what is proven of it is computed from all of them as ever: guesses cost time when they are wrong, and nothing else.

use super::bends::Bends;
use super::design::Copied;
use super::interior::{EXACT, Ended, Program};
use super::middle;
use super::walls::Walls;
use crate::error::Result;
use crate::objective::Objective;
use crate::polish::Poll;
use crate::sampling::monitor_sample;

/// Rows from which on it is worth it, for each column at least so many, and the rows of the sample for each column.
const MANY: usize = 15_000;
const FOR_EACH_COLUMN: usize = 60;
const SAMPLE: usize = 25;
/// What the sample and the rough fit are minimised to.
const OF_SAMPLE: f64 = 1e-2;
const ROUGH: f64 = 1e-4;
/// Shares of the rows that are looked at closely: for the rough fit, and at the end, for each column at least so many.
const CLOSE: f64 = 0.25;
const CLOSER: f64 = 0.06;
const CLOSER_FOR_EACH_COLUMN: usize = 6;
const ROUNDS: usize = 6;
/// What is left of gap and residuals where the method has failed.
const ENDED: f64 = 1e-6;
/// The share of the mean residual that the nearest rows may have to move.
const REACH: f64 = 0.01;

/// The minimum of a program on all rows of an objective, if they are many and it is found this way.
pub(super) fn minimise<'p>(
    whole: Program<'p>,
    objective: Objective,
    seed: u64,
    poll: Poll,
) -> Result<Option<Ended<'p>>> {
    let (bends, width) = (whole.bends, whole.design.width());
    let rows = bends.len();
    if rows < MANY || rows < FOR_EACH_COLUMN * width || objective.data.random_access().is_err() {
        return Ok(None);
    }
    let mut sampled = monitor_sample(seed, rows, (SAMPLE * width).max(MANY / 5));
    sampled.sort_unstable();
    let all: f64 = sampled.iter().map(|&i| bends.weights[i]).sum();
    if all <= 0.0 {
        return Ok(None);
    }
    let (design, part) = (Copied::of_rows(objective, &sampled)?, bends.some(&sampled, 1.0 / all));
    let mut start = vec![0.0; width];
    start[whole.conic.features..].fill(middle(bends));
    let on_sample = Program { design: &design, bends: &part, ..whole };
    let first = on_sample.minimise_to(OF_SAMPLE, &start, poll)?.theta;
    drop(design);
    let mut residuals = vec![0.0; rows];
    look(&whole, &first, &mut residuals)?;
    let sides = Sides { whole, objective };
    let close = nearest(&residuals, ((CLOSE * rows as f64) as usize).max(sampled.len()));
    let rough = sides.minimise(&close, &residuals, (&first, ROUGH), poll)?.0;
    look(&whole, &rough.theta, &mut residuals)?;
    let start = rough.theta;
    let mut close = nearest(&residuals, ((CLOSER * rows as f64) as usize).max(CLOSER_FOR_EACH_COLUMN * width));
    for _ in 0..ROUNDS {
        if close.len() > rows / 2 {
            return Ok(None);
        }
        let (ended, far_slopes) = sides.minimise(&close, &residuals, (&start, EXACT), poll)?;
        if ended.quality > ENDED && !ended.was_stopped {
            return Ok(None);
        }
        look(&whole, &ended.theta, &mut residuals)?;
        // A row is on its side as long as its loss is that of its line, which may be zero, as for the hinge. Those that are looked at closely have a slope of zero here.
        let mut is_close = vec![false; rows];
        close.iter().for_each(|&i| is_close[i] = true);
        let has_crossed = |i: usize| {
            let line = far_slopes[i] * residuals[i];
            !is_close[i] && bends.counts(i) && bends.loss(i, residuals[i]) > line
        };
        let crossed: Vec<usize> = (0..rows).filter(|&i| has_crossed(i)).collect();
        if crossed.is_empty() || ended.was_stopped {
            let mut slopes = far_slopes;
            close.iter().zip(&ended.slopes).for_each(|(&i, a)| slopes[i] = *a);
            return Ok(Some(Ended { slopes, ..ended }));
        }
        close.extend(crossed);
        close.sort_unstable();
    }
    Ok(None)
}

/// The rows with the smallest residuals, so many or as many as are at the same distance: where responses are repeated these may be more. Ascending.
fn nearest(residuals: &[f64], count: usize) -> Vec<usize> {
    let mut sizes: Vec<f64> = residuals.iter().map(|u| u.abs()).collect();
    let at = count.min(sizes.len() - 1);
    let (_, &mut limit, _) = sizes.select_nth_unstable_by(at, f64::total_cmp);
    (0..residuals.len()).filter(|&i| residuals[i].abs() <= limit).collect()
}

/// A program whose rows are taken for straight but for some.
#[derive(Clone, Copy)]
struct Sides<'p, 'o> {
    whole: Program<'p>,
    objective: Objective<'o>,
}

impl<'p> Sides<'p, '_> {
    /// Minimises with the rows that are close as they are and the others on the sides that their residuals are on, from a start to a goal; returns the slopes of the others, too.
    fn minimise(
        &self,
        close: &[usize],
        residuals: &[f64],
        (start, goal): (&[f64], f64),
        poll: Poll,
    ) -> Result<(Ended<'p>, Vec<f64>)> {
        let (whole, bends) = (self.whole, self.whole.bends);
        let mut slopes = far(bends, residuals);
        close.iter().for_each(|&i| slopes[i] = 0.0);
        let weighted: Vec<f64> = slopes.iter().zip(&bends.weights).map(|(a, v)| -a * v).collect();
        let mut linear = vec![0.0; whole.design.width()];
        whole.design.transpose_times(&weighted, &mut linear)?;
        let constant = -weighted.iter().zip(&bends.at).map(|(a, at)| a * at).sum::<f64>();
        let (design, part) = (Copied::of_rows(self.objective, close)?, bends.some(close, 1.0));
        // Where responses are repeated, the nearest rows may all be fitted at the start.
        let reach = REACH * residuals.iter().zip(&bends.weights).map(|(u, v)| v * u.abs()).sum::<f64>();
        let on_close = Program { design: &design, bends: &part, beside: Some((&linear, constant)), reach, ..whole };
        let Ended { theta, slopes: own, walls, equations, sizes, quality, was_stopped } =
            on_close.minimise_to(goal, start, poll)?;
        let walls = Walls::with_state_of(whole.conic, &walls);
        Ok((Ended { theta, slopes: own, walls, equations, sizes, quality, was_stopped }, slopes))
    }
}

/// $u$ at a point.
fn look(whole: &Program, theta: &[f64], residuals: &mut [f64]) -> Result<()> {
    whole.design.times(theta, residuals)?;
    residuals.iter_mut().zip(&whole.bends.at).for_each(|(u, at)| *u = at - *u);
    Ok(())
}

/// The slope of the line that each row is on.
fn far(bends: &Bends, residuals: &[f64]) -> Vec<f64> {
    let slope = |i: usize| match residuals[i] {
        _ if !bends.counts(i) => 0.0,
        u if u >= 0.0 => bends.rise[i],
        _ => -bends.fall[i],
    };
    (0..bends.len()).map(slope).collect()
}
