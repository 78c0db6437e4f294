//! Newton's method with a line search, for any way of solving its linear systems.
//!
//! The driver only sees the predictors: along a direction they move as $\eta + t\,\delta$, and the penalty
//! $q = \tfrac12\|\theta - z\|_D^2$ is a quadratic in $t$ of which the system reports slope and curvature. So one line search
//! serves all paths: the full step if it lowers $\psi$ enough (Armijo), else the point where $\psi$ is least along the direction. Shortening steps until they lower
//! $\psi$ would not do: under Huber and squared hinge losses a row on a flat piece can jump to and fro across its curved piece, a little lower each time, a hundred times.

use super::{Path, Taken};
use crate::data::Batch;
use crate::error::{Error, Result};
use crate::linalg::{dot, norm_squared};
use crate::loss::Loss;

/// A way to solve the Newton systems of one prox. It holds the current point.
pub(super) trait System {
    /// $\|\nabla\psi\| = \|X^Ts + D(\theta - z)\|$, where `slopes` is $s = v \circ \ell'(\eta)$.
    fn gradient_norm(&mut self, slopes: &[f64]) -> f64;

    /// Finds a descent direction, Newton's to the relative `precision`; writes the change of η into `change`.
    fn direction(&mut self, slopes: &[f64], curvatures: &[f64], precision: f64, change: &mut [f64]) -> Option<Along>;

    /// Moves by `t` times the last direction.
    fn advance(&mut self, t: f64);

    /// Whether the system has spent what it was allowed.
    fn is_out_of_budget(&self) -> bool {
        false
    }
}

/// The penalty along a direction: $q(t) = q(0) + t\,\mathrm{slope} + \tfrac12 t^2\,\mathrm{curvature}$.
pub(super) struct Along {
    pub(super) slope: f64,
    pub(super) curvature: f64,
}

/// How a run of the driver ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Converged,
    Unfinished,
}

/// Memory of the driver: everything of length b.
#[derive(Default)]
pub(super) struct Newton {
    predictors: Vec<f64>,
    trial: Vec<f64>,
    change: Vec<f64>,
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
    trial_slopes: Vec<f64>,
}

impl Newton {
    /// Fits the buffers to the batch; the caller fills in the predictors at the anchor.
    pub(super) fn start(&mut self, batch: &Batch) -> &mut [f64] {
        let buffers = [
            &mut self.predictors,
            &mut self.trial,
            &mut self.change,
            &mut self.slopes,
            &mut self.curvatures,
            &mut self.trial_slopes,
        ];
        buffers.into_iter().for_each(|buffer| buffer.resize(batch.len(), 0.0));
        &mut self.predictors
    }

    /// Slopes and curvatures at the current predictors.
    pub(super) fn differentiate(&mut self, loss: &dyn Loss, batch: &Batch) {
        loss.weighted_slopes(&self.predictors, batch.response(), batch.weights(), &mut self.slopes);
        loss.weighted_curvatures(&self.predictors, batch.response(), batch.weights(), &mut self.curvatures);
    }

    /// Predictors at `t` times the change.
    fn try_at(&mut self, t: f64) {
        for (trial, (eta, change)) in self.trial.iter_mut().zip(self.predictors.iter().zip(&self.change)) {
            *trial = eta + t * change;
        }
    }

    pub(super) fn predictors(&self) -> &[f64] {
        &self.predictors
    }

    /// Whether no slope is larger than `most` in size, or NaN.
    pub(super) fn has_slopes_within(&self, most: f64) -> bool {
        self.slopes.iter().all(|slope| slope.abs() <= most)
    }

    pub(super) fn curvatures(&self) -> &[f64] {
        &self.curvatures
    }
}

/// Newton steps after which a prox that still has not met its tolerance is given up.
const MOST_STEPS: usize = 100;
/// Trial points of a line search; a third of them halve the interval.
const MOST_TRIALS: usize = 120;
/// Residual that is still good enough where rounding keeps the tolerance out of reach.
const ACCEPTABLE: f64 = 1e-6;
/// Rounding of sums, relative to the sizes of their terms; a few times what it is, since sums are long.
const ROUNDING: f64 = 1e-13;
/// A gradient whose square is not a number any more.
const VANISHING: f64 = 1e-140;
/// Shares of its largest entry by which the diagonal of a matrix is lifted until rounding no longer hides that it is positive definite. The direction is
/// still one of descent: the matrix stands for a model that is bent more.
pub(super) const LIFTS: [f64; 4] = [0.0, 1e-14, 1e-11, 1e-8];

/// One solve; it may be run on a second system, which then goes on from where the first one stopped.
pub(super) struct Driver<'d, 'a> {
    loss: &'d dyn Loss,
    batch: &'d Batch<'a>,
    tolerance: f64,
    memory: &'d mut Newton,
    penalty: f64,
    first_norm: Option<f64>,
    residual: f64,
    steps: usize,
    /// Whether ψ has been lowered at all.
    has_moved: bool,
}

impl<'d, 'a> Driver<'d, 'a> {
    /// Starts at the anchor, where `memory` holds predictors and derivatives already.
    pub(super) fn new(loss: &'d dyn Loss, batch: &'d Batch<'a>, tolerance: f64, memory: &'d mut Newton) -> Self {
        Self {
            loss,
            batch,
            tolerance,
            memory,
            penalty: 0.0,
            first_norm: None,
            residual: 1.0,
            steps: 0,
            has_moved: false,
        }
    }

    pub(super) fn taken(&self, path: Path) -> Taken {
        Taken { path, newton_steps: self.steps, residual: self.residual }
    }

    fn loss_at(&self, predictors: &[f64]) -> f64 {
        self.loss.weighted_value(predictors, self.batch.response(), self.batch.weights())
    }

    /// Runs a system that has no successor. Where it falls short of the tolerance, a point below the anchor is as good a step as double precision or patience
    /// allow; not to get below it is an error, and so is falling short if `is_strict`.
    pub(super) fn run_to_the_end(&mut self, system: &mut dyn System, anchor: &[f64], is_strict: bool) -> Result<()> {
        match self.run(system, anchor) {
            Outcome::Unfinished if is_strict || !self.has_moved => {
                Err(Error::ProxStalled { residual: self.residual, tolerance: self.tolerance })
            }
            _ => Ok(()),
        }
    }

    /// Steps until the gradient is small relative to the first one.
    pub(super) fn run(&mut self, system: &mut dyn System, anchor: &[f64]) -> Outcome {
        loop {
            let norm = system.gradient_norm(&self.memory.slopes);
            let first_norm = *self.first_norm.get_or_insert(norm);
            self.residual = if norm == 0.0 { 0.0 } else { norm / first_norm };
            if self.residual <= self.tolerance {
                return Outcome::Converged;
            }
            if system.is_out_of_budget() {
                return Outcome::Unfinished;
            }
            if self.steps >= MOST_STEPS || !self.step(system) {
                // No decrease is left that this system can see in double precision.
                let is_noise = norm <= VANISHING || norm <= self.rounding(anchor);
                return if is_noise || self.residual <= ACCEPTABLE { Outcome::Converged } else { Outcome::Unfinished };
            }
        }
    }

    /// The size of a gradient $X^Ts$ that rounding alone can leave. The slopes carry their own rounding and, through $\ell'$, that of the predictors, whose
    /// terms $x_{ij}z_j$ at the anchor may be far larger than their sum. A row at a kink is bent on one side only, so both are looked at.
    fn rounding(&self, anchor: &[f64]) -> f64 {
        let (rows, batch) = (self.batch.rows(), self.batch);
        let intercept = rows.layout().intercept(anchor);
        let of_row = |i: usize| {
            let (eta, y, weight) = (self.memory.predictors[i], batch.response()[i], batch.weights()[i]);
            if weight == 0.0 {
                return 0.0;
            }
            let terms: f64 = rows.row(i).map(|(j, x)| (x * anchor[j]).abs()).sum();
            let size = terms + intercept.map_or(0.0, f64::abs) + batch.offset()[i].abs() + eta.abs();
            let slope = self.loss.slope(eta, y);
            let moved = |by: f64| (self.loss.slope(eta + by, y) - slope).abs();
            let uncertain = moved(ROUNDING * size).max(moved(-ROUNDING * size)) + ROUNDING * slope.abs();
            let length = rows.row_norm_squared(i) + f64::from(u8::from(intercept.is_some()));
            weight * uncertain * length.sqrt()
        };
        (0..rows.len()).map(of_row).sum()
    }

    /// How precisely the next linear system deserves to be solved: fully if one step is exact, else in step with the
    /// quadratic convergence of Newton's method.
    fn precision(&self) -> f64 {
        let needed = 0.5 * self.tolerance / self.residual;
        if self.loss.is_quadratic() { needed } else { needed.max((0.1 * self.residual).min(0.001)) }
    }

    /// One Newton step; `false` if it finds no decrease.
    fn step(&mut self, system: &mut dyn System) -> bool {
        self.steps += 1;
        let precision = self.precision();
        let Newton { slopes, curvatures, change, .. } = &mut *self.memory;
        let Some(along) = system.direction(slopes, curvatures, precision, change) else { return false };
        let value = self.loss_at(&self.memory.predictors) + self.penalty;
        let slope = dot(&self.memory.slopes, &self.memory.change) + along.slope;
        if slope.is_nan() || slope >= 0.0 {
            return false;
        }
        // Rounding in the sums that make up ψ; a step within it is a step.
        let slack = 1e-14 * value.abs();
        self.memory.try_at(1.0);
        let reached = self.loss_at(&self.memory.trial) + self.penalty + along.slope + 0.5 * along.curvature;
        let is_enough = reached <= value + 1e-4 * slope + slack;
        let found = if is_enough { Some(1.0) } else { self.least_along(&along, slope, value + slack) };
        let Some(t) = found else { return false };
        std::mem::swap(&mut self.memory.predictors, &mut self.memory.trial);
        self.penalty += t * along.slope + 0.5 * t * t * along.curvature;
        system.advance(t);
        self.has_moved = true;
        self.memory.differentiate(self.loss, self.batch);
        norm_squared(&self.memory.slopes).is_finite()
    }

    /// Where ψ is least along the direction, between 0 and a full step that went too far: its derivative, which rises with t, has fallen to a tenth there, and ψ is not
    /// above `limit`. The trial predictors are left at that place.
    fn least_along(&mut self, along: &Along, slope: f64, limit: f64) -> Option<f64> {
        // Both ends with the derivative there; regula falsi (Illinois), with bisection in between for derivatives that rise by orders of magnitude.
        let (mut low, mut high) = ((0.0, slope), (1.0, f64::NAN));
        let (mut t, mut was_below) = (1.0, None);
        for number in 0..MOST_TRIALS {
            self.memory.try_at(t);
            let Newton { trial, trial_slopes, change, .. } = &mut *self.memory;
            self.loss.weighted_slopes(trial, self.batch.response(), self.batch.weights(), trial_slopes);
            let derivative = dot(trial_slopes, change) + along.slope + t * along.curvature;
            if derivative.abs() <= 0.1 * slope.abs() {
                // ψ is convex: where it still falls, it lies below its start.
                let penalty = self.penalty + t * along.slope + 0.5 * t * t * along.curvature;
                if derivative <= 0.0 || self.loss_at(&self.memory.trial) + penalty <= limit {
                    return Some(t);
                }
            }
            let is_below = derivative < 0.0;
            // An end that stays twice pulls the next point towards itself.
            let pull = if was_below == Some(is_below) { 0.5 } else { 1.0 };
            if is_below {
                (low, high.1) = ((t, derivative), pull * high.1);
            } else {
                (high, low.1) = ((t, derivative), pull * low.1);
            }
            was_below = Some(is_below);
            let share = if number % 3 == 2 || !high.1.is_finite() { 0.5 } else { low.1 / (low.1 - high.1) };
            t = low.0 + share * (high.0 - low.0);
        }
        None
    }
}
