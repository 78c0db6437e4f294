//! The way of a fit: the finish that the set has, and what is known of the result. It says only what was measured.

use super::gap::{Measured, bound};
use super::model::JointModel;
use super::objective::{Function, Objective, Restricted};
use super::problem::{JointFit, JointProblem};
use super::sampled;
use super::search::Search;
use super::undetermined::{chosen, undetermined};
use crate::certificate::Certificate;
use crate::constraint::{Constraint, Structure, WholeSpace, Workspace, projected};
use crate::error::{Error, Result};
use crate::exchanges::Exchanges;
use crate::gap::{Gap, Proof};
use crate::layout::Layout;
use crate::linalg::norm;
use crate::outputs::descend;
use crate::polish::{Measure, Smooth as _, Until, distance, floored, metric, minimise, relative, support_gap};
use crate::solver::{Settings, Stop, notes_of_outputs};
use crate::trace::{Observer, Phase, Progress};
use std::ops::ControlFlow;
use std::time::Instant;

const TOLERANCE: f64 = 1e-11;
/// What F may still fall by, relative to F, where only rounding is left.
const LEAST_FALL: f64 = 1e-20;
/// Share of F without any feature up to which the distance from a perfect fit is worth a word.
const PERFECT: f64 = 1e-9;

/// A fit on its way.
pub(super) struct Run<'r> {
    pub(super) problem: &'r JointProblem<'r>,
    pub(super) settings: &'r Settings,
    pub(super) observer: &'r mut dyn Observer,
}

/// Where the finish ended.
struct Reached {
    theta: Vec<f64>,
    exchanges: Exchanges,
    /// Why it ended early, if it did.
    ended: Option<Stop>,
}

impl Run<'_> {
    pub(super) fn fit(self) -> Result<JointFit> {
        let began = Instant::now();
        let objective = self.problem.objective();
        let at_zero = Function::new(objective).value(&vec![0.0; objective.data.columns()])?;
        if !at_zero.is_finite() {
            return Err(Error::Overflows { objective: at_zero });
        }
        let Self { problem, settings, observer } = self;
        let mut ended = None;
        let mut poll = || {
            let is_late = settings.time_limit.is_some_and(|limit| began.elapsed() >= limit);
            ended =
                if observer.poll().is_break() { Some(Stop::Interrupted) } else { is_late.then_some(Stop::TimeLimit) };
            if ended.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let (theta, exchanges) = reach(problem, settings, objective, &mut poll)?;
        let reached = Reached { theta, exchanges, ended };
        certify(problem, settings, observer, reached, (at_zero, began))
    }
}

/// The finish that the set has.
pub(super) fn reach(
    problem: &JointProblem,
    settings: &Settings,
    objective: Objective,
    poll: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(Vec<f64>, Exchanges)> {
    let constraint = problem.constraint();
    let sampled = sampled::start(problem, settings, poll)?;
    let start = match settings.start.as_ref().or(sampled.as_ref()) {
        Some(start) => projected(constraint, start)?,
        None => projected(constraint, &vec![0.0; objective.data.columns()])?,
    };
    let Structure::Choice(choosing) = constraint.structure() else {
        let mut theta = start;
        let mut function = Function::new(objective);
        if matches!(constraint.structure(), Structure::WholeSpace) {
            descend(&mut function, &mut theta, LEAST_FALL, f64::INFINITY)?;
        }
        minimise(&mut function, constraint, &mut theta, &mut Until { tolerance: TOLERANCE, poll })?;
        return Ok((theta, Exchanges::NotApplicable));
    };
    let starts: Vec<Vec<f64>> = settings.start.iter().chain(&sampled).map(|_| start.clone()).collect();
    let Some(chosen) = Search::new(objective, choosing).run(&starts, sampled.is_some(), poll)? else {
        return Ok((start, Exchanges::CutShort));
    };
    let mut theta = chosen.theta;
    if let Some(set) = choosing.on_support(&chosen.support).filter(|_| !chosen.support.is_empty()) {
        let restricted = Restricted::to(objective, &chosen.support)?;
        restricted.with(objective, &mut theta, |function, point| {
            if matches!(set.structure(), Structure::WholeSpace) {
                descend(function, point, LEAST_FALL, f64::INFINITY)?;
                return minimise(function, &WholeSpace, point, &mut Until { tolerance: TOLERANCE, poll });
            }
            minimise(function, &*set, point, &mut Until { tolerance: TOLERANCE, poll })
        })?;
    }
    Ok((theta, chosen.exchanges))
}

fn certify(
    problem: &JointProblem,
    settings: &Settings,
    observer: &mut dyn Observer,
    reached: Reached,
    (at_zero, began): (f64, Instant),
) -> Result<JointFit> {
    let Reached { theta, exchanges, ended } = reached;
    let (constraint, objective) = (problem.constraint(), problem.objective());
    let mut function = Function::new(objective);
    let mut gradient = vec![0.0; theta.len()];
    let value = function.gradient(&theta, &mut gradient)?;
    let thresholds = function.free.clone();
    let reference = floored(value, at_zero);
    let metric = metric(&mut function, &theta)?;
    let measured = Measured { theta: &theta, value, gradient: &gradient, metric: &metric };
    let stationarity = relative(residual(constraint, measured)?, reference);
    if !value.is_finite() || !stationarity.is_finite() || !theta.iter().all(|value| value.is_finite()) {
        return Err(Error::Overflows { objective: value });
    }
    let nearest = projected(constraint, &theta)?;
    let layout = Layout::vector(theta.len());
    let (mut gaps, is_convex) = (Vec::new(), constraint.is_convex());
    if is_convex {
        let simple = support_gap(constraint, layout, &gradient, &theta);
        gaps.extend(simple.map(|bound| Gap { value: bound + 1e-15 * value.abs(), proof: Proof::SupportFunction }));
        gaps.extend(bound(&mut function, constraint, measured)?);
    }
    // Neither loss nor ridge is negative; and no loss is below that of the best predictors there are.
    let above = value - problem.least();
    if above <= PERFECT * at_zero {
        gaps.push(Gap { value: above.max(0.0), proof: Proof::PerfectFit });
    }
    let mut certificate = Certificate {
        distance: distance(&nearest, &theta),
        iterate_distance: None,
        stationarity,
        gap: gaps.into_iter().min_by(|a, b| a.value.total_cmp(&b.value)),
        nodes: None,
        exchanges,
        schedule_meets_theory: false,
    };
    let is_finished = certificate.is_finished(&constraint.structure(), reference);
    if !is_finished && certificate.exchanges.are_exhausted() {
        certificate.exchanges = Exchanges::CutShort;
    }
    let stop = ended.unwrap_or(if is_finished { Stop::Polished } else { Stop::Unfinished });
    let trace = vec![Progress {
        phase: Phase::Polish,
        step: 0,
        objective: value,
        distance: certificate.distance,
        rho: 0.0,
        nonzeros: theta.iter().filter(|value| **value != 0.0).count(),
        rows_seen: 0,
        elapsed: began.elapsed(),
        bound: None,
        nodes: None,
    }];
    if let Some(last) = trace.last() {
        let _ = observer.checkpoint(last);
    }
    let undetermined = undetermined(objective, constraint, &theta)?;
    if !undetermined.is_empty() {
        // There is no minimum to be near to, and other choices were compared by values that none of them has.
        certificate.gap = None;
        if certificate.exchanges != Exchanges::NotApplicable {
            certificate.exchanges = Exchanges::CutShort;
        }
    }
    let kind = problem.kind(&objective.predictors(&theta)?, thresholds);
    let model = JointModel {
        coefficients: theta,
        names: objective.data.feature_names().map(<[String]>::to_vec),
        kind,
        constraint: constraint.spec().to_string(),
        ridge: problem.ridge_weight(),
        settings: settings.changes(),
        stop,
        objective: value,
        certificate,
    };
    Ok(JointFit { model, trace, notes: notes_of_outputs(settings, false), undetermined })
}

/// The distance of the negative gradient from the normal cone, on scaled columns; for choices on the features that were chosen.
fn residual(constraint: &dyn Constraint, measured: Measured) -> Result<f64> {
    let Measured { theta, gradient, metric, .. } = measured;
    let size = theta.len();
    if let Some((support, rest)) = chosen(constraint, theta) {
        if support.is_empty() {
            return Ok(0.0);
        }
        if let Some(conic) = rest.structure().conic(support.len()) {
            let part = |all: &[f64]| -> Vec<f64> { support.iter().map(|&place| all[place]).collect() };
            let metric = part(metric);
            let measure = Measure { conic: &conic, layout: Layout::vector(support.len()), metric: &metric };
            let residual = measure.residual(&part(theta), &part(gradient));
            if residual.is_finite() {
                return Ok(residual);
            }
        }
    }
    // Only a projection is known.
    let curvature = metric.iter().fold(f64::MIN_POSITIVE, |top: f64, bend| top.max(*bend)) * size as f64;
    let mut moved: Vec<f64> = theta.iter().zip(gradient).map(|(t, g)| t - g / curvature).collect();
    constraint.project(&mut moved, &mut Workspace::default())?;
    moved.iter_mut().zip(theta).for_each(|(m, t)| *m -= t);
    Ok(curvature.sqrt() * norm(&moved))
}
