//! Coefficients whose size the data do not determine: F has no minimum, but falls towards a limit along a ray.
//!
//! Along $\theta + td$, $t \to \infty$, a loss of these kinds grows in proportion to the worst pair of rows that $v = Xd$ puts in the wrong order, and falls if no pair is wrong and some are right: every death has the largest $v$ of those at risk (`cox`), or
//! no row is above one of a higher label (`ordinal`). Without a ridge there is a minimum exactly if there is no such $d$ in the set's directions.
//!
//! A ray is found by a ridge that vanishes: $\theta(\lambda)$ minimises $F + \tfrac\lambda2\sum_jm_j\theta_j^2$. Along a ray it grows by about $\log c$ each time that $\lambda$ falls by a factor $c$, in the direction of the largest margin; towards a minimum its steps shrink with $\lambda$. So
//! the last of these steps is taken for $d$, if it is about as long as the one before, if the order of rows that it makes is the one above up to rounding, if F is not higher further along it or a minimum from there stays there, and if the set goes on along it. All of this is measured, in any units of the columns.

use super::objective::{Function, Objective, Restricted};
use crate::constraint::{Constraint, Structure, Workspace};
use crate::error::Result;
use crate::linalg::{Cholesky, norm};
use crate::outputs::{DENSE, descend};
use crate::polish::{Smooth as _, Until, minimise};
use crate::ridge::Ridge;
use std::ops::ControlFlow;

/// Range of the predictors below which no pair of rows counts for nothing.
const RANGE: f64 = 10.0;
/// Curvature in some direction, relative to that at zero, above which there is a minimum near by.
const CURVED: f64 = 1e-8;
/// The ridges, and what their minima are found to.
const RIDGES: [f64; 3] = [1e-4, 1e-6, 1e-8];
const FALL: f64 = 1e-19;
const TOLERANCE: f64 = 1e-11;
/// How much of a step the next one is along a ray, at least; and how far it moves a pair of rows.
const AS_LONG: f64 = 0.7;
const FAR: f64 = 1.0;
/// Share of the differences the right way by which others may be wrong: what is left of the parts that do have a size.
const ROUNDING: f64 = 1e-4;
/// How much further along a ray F is looked at and minimised from, in units of the predictors, halved until F is a number there, and the same for fits that do not end from so far; and the share of that way that such a minimum stays at.
const FURTHER: f64 = 1e4;
const NEARER: f64 = 100.0;
const HALVINGS: usize = 20;
const STAYS: f64 = 0.5;
/// A point this far away, in units of the predictors, is in the set if the set goes on; by this share of the way.
const AWAY: f64 = 1e12;
const OUTSIDE: f64 = 1e-6;

/// The features along a ray, ascending; none where F has a minimum, as far as is seen.
pub(super) fn undetermined(objective: Objective, constraint: &dyn Constraint, theta: &[f64]) -> Result<Vec<usize>> {
    if objective.ridge.is_positive() {
        return Ok(Vec::new());
    }
    let Some((support, set)) = chosen(constraint, theta) else { return Ok(Vec::new()) };
    if support.is_empty() || range(&objective.predictors(theta)?) < RANGE {
        return Ok(Vec::new());
    }
    let restricted = Restricted::to(objective, &support)?;
    let mut point = theta.to_vec();
    let found = restricted.with(objective, &mut point, |function, point| {
        function.linearise(&vec![0.0; point.len()])?;
        let metric: Vec<f64> = function.diagonal()?.iter().map(|bend| bend.max(f64::MIN_POSITIVE)).collect();
        if is_curved(function, point, &metric)? {
            return Ok(Vec::new());
        }
        let Some(ray) = ray(function.objective, &*set, &metric)? else { return Ok(Vec::new()) };
        let effects: Vec<f64> = ray.iter().zip(&metric).map(|(d, m)| d.abs() * m.sqrt()).collect();
        let most = effects.iter().fold(0.0, |most: f64, effect| most.max(*effect));
        Ok((0..ray.len()).filter(|&j| effects[j] > ROUNDING * most).collect())
    })?;
    Ok(found.into_iter().map(|j: usize| support[j]).collect())
}

/// The features that were chosen, and the set on them; all of them for sets that choose none.
pub(super) fn chosen<'c>(
    constraint: &'c dyn Constraint,
    theta: &[f64],
) -> Option<(Vec<usize>, Box<dyn Constraint + 'c>)> {
    match constraint.structure() {
        Structure::Choice(choosing) => {
            let choice = choosing.choice(theta.len());
            let support = choice.support(&choice.active(theta));
            choosing.on_support(&support).map(|rest| (support, rest))
        }
        _ => Some(((0..theta.len()).collect(), Box::new(constraint))),
    }
}

fn range(values: &[f64]) -> f64 {
    let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    most - least
}

/// Whether F bends in every direction at a point, in the metric of its second derivatives at zero. Beyond what can be factored the answer is no.
fn is_curved(function: &mut Function, point: &[f64], metric: &[f64]) -> Result<bool> {
    let size = point.len();
    if size > DENSE {
        return Ok(false);
    }
    let mut hessian = vec![0.0; size * size];
    function.linearise(point)?;
    function.hessian(&mut hessian)?;
    let mut cholesky = Cholesky::default();
    let matrix = cholesky.matrix(size);
    for (place, (entry, bend)) in matrix.iter_mut().zip(&hessian).enumerate() {
        let (i, j) = (place / size, place % size);
        *entry = bend / (metric[i] * metric[j]).sqrt() - if i == j { CURVED } else { 0.0 };
    }
    Ok(cholesky.factor())
}

/// Minimises over a set.
fn settle(function: &mut Function, set: &dyn Constraint, point: &mut [f64]) -> Result<()> {
    if matches!(set.structure(), Structure::WholeSpace) && point.len() <= DENSE {
        descend(function, point, FALL, f64::INFINITY)?;
    } else {
        let until = &mut Until { tolerance: TOLERANCE, poll: &mut || ControlFlow::Continue(()) };
        minimise(function, set, point, until)?;
    }
    Ok(())
}

/// A direction of the set along which F falls without end, if there is one.
fn ray(objective: Objective, set: &dyn Constraint, metric: &[f64]) -> Result<Option<Vec<f64>>> {
    let mut point = vec![0.0; metric.len()];
    set.project(&mut point, &mut Workspace::default())?;
    let mut ends: Vec<Vec<f64>> = Vec::new();
    for ridge in RIDGES {
        let mut function = Function::new(Objective { ridge: Ridge::on_effects(ridge, metric), ..objective });
        settle(&mut function, set, &mut point)?;
        ends.push(point.clone());
    }
    let step = |from: usize| -> Vec<f64> { ends[from + 1].iter().zip(&ends[from]).map(|(b, a)| b - a).collect() };
    let (before, last) = (step(0), step(1));
    let order = |step: &[f64]| -> Result<_> { Ok(objective.loss.order(&objective.movements(step)?)) };
    let (earlier, found) = (order(&before)?, order(&last)?);
    let goes_on = found.kept_by >= FAR && found.kept_by >= AS_LONG * earlier.kept_by;
    if !goes_on || found.broken_by > ROUNDING * found.kept_by {
        return Ok(None);
    }
    // Where some pair is wrong by little, F rises further on, and its minimum is back here.
    let stays = |way: f64| -> Result<bool> {
        let (mut function, mut way, mut further) = (Function::new(objective), way / found.kept_by, point.clone());
        let mut there = f64::NAN;
        for _ in 0..HALVINGS {
            further.iter_mut().zip(point.iter().zip(&last)).for_each(|(f, (p, d))| *f = p + way * d);
            there = function.value(&further)?;
            if there.is_finite() {
                break;
            }
            way *= 0.5;
        }
        if there <= function.value(&point)? {
            return Ok(true);
        }
        set.project(&mut further, &mut Workspace::default())?;
        settle(&mut function, set, &mut further)?;
        let moved: Vec<f64> = further.iter().zip(&point).map(|(a, b)| a - b).collect();
        Ok(order(&moved)?.kept_by >= STAYS * way * found.kept_by)
    };
    if !(stays(FURTHER)? || stays(NEARER)?) {
        return Ok(None);
    }
    // Whether the set has it: a far point along the ray is next to its projection.
    let way: Vec<f64> = last.iter().map(|d| AWAY / found.kept_by * d).collect();
    let far: Vec<f64> = point.iter().zip(&way).map(|(p, d)| p + d).collect();
    let mut inside = far.clone();
    set.project(&mut inside, &mut Workspace::default())?;
    let scaled = |v: &mut dyn Iterator<Item = f64>| norm(&v.zip(metric).map(|(d, m)| d * m.sqrt()).collect::<Vec<_>>());
    let (outside, length) =
        (scaled(&mut far.iter().zip(&inside).map(|(a, b)| a - b)), scaled(&mut way.iter().copied()));
    Ok((outside <= OUTSIDE * length).then_some(last))
}
