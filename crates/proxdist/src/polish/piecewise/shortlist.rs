//! Many rows, most of which are clearly on one side of their kink (Portnoy and Koenker 1997).
//!
//! A fit to a sample says about where the residuals are. Rows whose residuals are large keep their signs at the minimum, most likely, and are then one linear function together; the method runs on the others. Afterwards all rows
//! are looked at: those that have changed sides join the others and it runs again. When none has, the slopes of all rows are those of a minimum of the whole, and what is proven of it is computed from
//! all of them as ever.

use super::bends::Bends;
use super::design::Copied;
use super::interior::{Ended, Program};
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
/// Share of the rows that is looked at closely at first, and rounds.
const CLOSE: f64 = 0.25;
const ROUNDS: usize = 4;

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
    let first = on_sample.minimise(&start, poll)?.theta;
    drop(design);
    let mut residuals = vec![0.0; rows];
    look(&whole, &first, &mut residuals)?;
    let mut sizes: Vec<f64> = residuals.iter().map(|u| u.abs()).collect();
    let at = ((CLOSE * rows as f64) as usize).max(sampled.len()).min(rows - 1);
    let (_, &mut limit, _) = sizes.select_nth_unstable_by(at, f64::total_cmp);
    // Rows at a distance of exactly the limit may be many, where responses are repeated.
    let mut is_close: Vec<bool> = residuals.iter().map(|u| u.abs() <= limit).collect();
    for _ in 0..ROUNDS {
        let close: Vec<usize> = (0..rows).filter(|&i| is_close[i]).collect();
        if close.len() > rows / 2 {
            return Ok(None);
        }
        let far_slopes = far(bends, &is_close, &residuals);
        let weighted: Vec<f64> = far_slopes.iter().zip(&bends.weights).map(|(a, v)| -a * v).collect();
        let mut linear = vec![0.0; width];
        whole.design.transpose_times(&weighted, &mut linear)?;
        let constant = -weighted.iter().zip(&bends.at).map(|(a, at)| a * at).sum::<f64>();
        let (design, part) = (Copied::of_rows(objective, &close)?, bends.some(&close, 1.0));
        let on_close = Program { design: &design, bends: &part, beside: Some((&linear, constant)), ..whole };
        let ended = on_close.minimise(&start, poll)?;
        look(&whole, &ended.theta, &mut residuals)?;
        // A row is on its side as long as its loss is that of its line, which may be zero, as for the hinge.
        let has_crossed = |i: usize| {
            let line = far_slopes[i] * residuals[i];
            !is_close[i] && bends.counts(i) && bends.loss(i, residuals[i]) > line
        };
        let crossed: Vec<usize> = (0..rows).filter(|&i| has_crossed(i)).collect();
        if crossed.is_empty() || ended.was_stopped {
            let mut slopes = far_slopes;
            close.iter().zip(&ended.slopes).for_each(|(&i, a)| slopes[i] = *a);
            let Ended { theta, walls, equations, sizes, was_stopped, .. } = ended;
            let walls = Walls::with_state_of(whole.conic, &walls);
            return Ok(Some(Ended { theta, slopes, walls, equations, sizes, was_stopped }));
        }
        crossed.iter().for_each(|&i| is_close[i] = true);
    }
    Ok(None)
}

/// $u$ at a point.
fn look(whole: &Program, theta: &[f64], residuals: &mut [f64]) -> Result<()> {
    whole.design.times(theta, residuals)?;
    residuals.iter_mut().zip(&whole.bends.at).for_each(|(u, at)| *u = at - *u);
    Ok(())
}

/// The slopes of rows that are far from their kink, and zeros.
fn far(bends: &Bends, is_close: &[bool], residuals: &[f64]) -> Vec<f64> {
    let slope = |i: usize| match residuals[i] {
        _ if is_close[i] || !bends.counts(i) => 0.0,
        u if u >= 0.0 => bends.rise[i],
        _ => -bends.fall[i],
    };
    (0..bends.len()).map(slope).collect()
}
