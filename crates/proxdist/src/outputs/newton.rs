//! Newton's method for F on a few features, quick and to a goal: for decisions between supports.
//!
//! The step solves with the whole Hessian, scaled to a unit diagonal and damped by next to nothing; half of its slope is what F can still fall by. It ends when that is below the goal, or when F cannot get below a ceiling any more.
//! Where classes are told apart without error there is no minimum, and the descent ends as soon as that is seen (`separation.rs`). Where a full step does not descend, the second derivatives are moved towards those of a function above F, along which every step descends.

use super::function::Function;
use super::separation::Separation;
use crate::constraint::WholeSpace;
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, axpy, dot};
use crate::polish::{Smooth, Until, minimise};
use std::ops::ControlFlow;

/// Unknowns up to which the Hessian is factored.
pub(crate) const DENSE: usize = 1200;
const MOST_STEPS: usize = 60;
const DAMPING: f64 = 1e-12;
const ARMIJO: f64 = 1e-4;
/// How much further than a quadratic model says F may fall, before a fit counts as hopeless.
const HOPE: f64 = 3.0;
/// Fall of F relative to F at which there is no doubt about where a step leads.
const CERTAIN: f64 = 1e-13;
/// Tolerance where the Hessian is too large.
const ROUGH: f64 = 1e-7;

/// A function that may have no minimum, as where classes are told apart without error; by itself it has one.
pub(crate) trait Descent: Smooth {
    /// Whether coefficients may grow without end.
    fn can_separate(&self) -> bool {
        false
    }

    /// Whether every row is on its own side at a point, so that nothing is left of F along the ray through it.
    fn tells_apart(&self, _point: &[f64]) -> Result<bool> {
        Ok(false)
    }

    /// Whether a step moves rows so far that it leads to infinity.
    fn goes_far(&self, _step: &[f64]) -> Result<bool> {
        Ok(false)
    }
}

impl Descent for Function<'_> {
    fn can_separate(&self) -> bool {
        self.objective.can_separate()
    }

    fn tells_apart(&self, point: &[f64]) -> Result<bool> {
        self.objective.tells_apart(point)
    }

    fn goes_far(&self, step: &[f64]) -> Result<bool> {
        self.objective.goes_far(step)
    }
}

/// Where a descent ended.
pub(crate) struct Descended {
    /// F there.
    pub(crate) value: f64,
    /// Whether what F can still fall by is below the goal.
    pub(crate) is_settled: bool,
    /// Whether there is no minimum; F is then as low as it can get.
    pub(crate) separation: Separation,
}

/// Lowers F until what it can still fall by is below `goal` times F, or until it cannot get below the ceiling.
pub(crate) fn descend(function: &mut dyn Descent, point: &mut [f64], goal: f64, ceiling: f64) -> Result<Descended> {
    let size = point.len();
    if size > DENSE {
        let until = &mut Until { tolerance: ROUGH.min(goal.sqrt()), poll: &mut || ControlFlow::Continue(()) };
        let ended = minimise(function, &WholeSpace, point, until)?;
        let is_settled = ended.stationarity <= until.tolerance;
        let is_apart = function.can_separate() && function.tells_apart(point)?;
        return Ok(if is_apart {
            apart()
        } else {
            Descended { value: ended.value, is_settled, separation: Separation::No }
        });
    }
    let (mut gradient, mut next_gradient, mut trial) = (vec![0.0; size], vec![0.0; size], point.to_vec());
    let mut value = function.gradient(point, &mut gradient)?;
    // Without a function above F there is nothing to move towards: steps are only shortened.
    let least_caution = if function.has_majorant() { 0.0 } else { 1.0 };
    let (mut caution, mut is_settled, mut separation) = (least_caution, false, Separation::No);
    let can_separate = function.can_separate();
    let (mut cholesky, mut hessian) = (Cholesky::default(), vec![0.0; size * size]);
    for _ in 0..MOST_STEPS {
        if !value.is_finite() {
            break;
        }
        function.linearise_with(point, caution)?;
        function.hessian(&mut hessian)?;
        let Some(step) = solve(&mut cholesky, &hessian, &gradient) else { break };
        let slope = dot(&gradient, &step);
        let fall = -0.5 * slope;
        let is_lost = can_separate && fall <= CERTAIN * value.abs() && function.goes_far(&step)?;
        if is_lost {
            separation = Separation::SomeRows;
            break;
        }
        if fall <= goal * value.abs() || value - HOPE * fall > ceiling {
            is_settled = fall <= goal * value.abs();
            // The last step costs no other Hessian.
            if fall > 0.0 && value <= ceiling {
                trial.iter_mut().zip(&*point).zip(&step).for_each(|((t, p), s)| *t = p + s);
                let last = function.value(&trial)?;
                if last <= value {
                    point.copy_from_slice(&trial);
                    value = last;
                }
            }
            break;
        }
        let mut length = 1.0;
        let mut is_taken = false;
        while length > 1e-3 {
            trial.copy_from_slice(point);
            axpy(length, &step, &mut trial);
            let next = function.gradient(&trial, &mut next_gradient)?;
            if next <= value + ARMIJO * length * slope {
                (value, is_taken) = (next, true);
                point.copy_from_slice(&trial);
                std::mem::swap(&mut gradient, &mut next_gradient);
                break;
            }
            if caution < 1.0 && length < 0.3 {
                break;
            }
            length *= 0.5;
        }
        if is_taken && can_separate && function.tells_apart(point)? {
            return Ok(apart());
        }
        if is_taken {
            caution = if caution < 0.1 { 0.0 } else { 0.3 * caution }.max(least_caution);
        } else if caution >= 1.0 {
            break;
        } else {
            caution = (caution + 0.5).min(1.0);
        }
    }
    Ok(Descended { value, is_settled, separation })
}

/// All rows are told apart: nothing is left of F along the ray through the point.
fn apart() -> Descended {
    Descended { value: 0.0, is_settled: true, separation: Separation::AllRows }
}

/// $-H^{-1}g$, nearly; nothing if there is none.
fn solve(cholesky: &mut Cholesky, hessian: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
    let size = gradient.len();
    let scales: Vec<f64> =
        (0..size).map(|j| hessian[j * size + j]).map(|bend| if bend > 0.0 { 1.0 / bend.sqrt() } else { 1.0 }).collect();
    let mut damping = DAMPING;
    while damping < 1.0 {
        let matrix = cholesky.matrix(size);
        for j in 0..size {
            for i in j..size {
                matrix[j * size + i] = hessian[j * size + i] * scales[i] * scales[j];
            }
            matrix[j * size + j] += damping;
        }
        if cholesky.factor() {
            let mut step: Vec<f64> = gradient.iter().zip(&scales).map(|(g, s)| -g * s).collect();
            cholesky.solve(&mut step);
            step.iter_mut().zip(&scales).for_each(|(x, s)| *x *= s);
            return all_finite(&step).then_some(step);
        }
        damping *= 100.0;
    }
    None
}
