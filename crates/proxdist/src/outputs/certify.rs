//! The certificate of a fit with several outputs, and the model that comes out. It says only what was measured.

use super::finish::{Reached, Run, with_free};
use super::function::Function;
use super::model::{OutputsModel, Unique};
use super::problem::OutputsFit;
use crate::certificate::Certificate;
use crate::constraint::{Constraint, Structure, Workspace, projected};
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::gap::{Gap, Proof};
use crate::layout::Layout;
use crate::linalg::norm;
use crate::polish::{Measure, distance, floored, metric, relative, support_gap};
use crate::solver::{Stop, notes_of_outputs};
use crate::trace::{Phase, Progress};

/// Share of F without any feature up to which the distance from a perfect fit is worth a word.
const PERFECT: f64 = 1e-9;

impl Run<'_> {
    /// Measures the result on all data, and says only what was measured.
    pub(super) fn certify(self, reached: Reached) -> Result<OutputsFit> {
        let (problem, constraint, layout) = (self.problem, self.problem.constraint(), self.problem.layout());
        let objective = problem.objective();
        let is_softmax = problem.output_loss().is_classification();
        let Reached { mut theta, exchanges, gap, stationarity, iterated, is_finish, separation } = reached;
        if is_softmax {
            center(layout, &mut theta, self.is_shift_free());
        }
        let mut gradient = layout.zeros();
        let value = objective.gradient(&theta, &mut gradient)?;
        let at_zero = objective.value(&layout.zeros())?;
        let reference = floored(value, at_zero);
        let stationarity = match stationarity {
            Some(known) => known,
            None => relative(self.residual(&theta, &gradient)?, reference),
        };
        if !value.is_finite() || !stationarity.is_finite() || !theta.iter().all(|value| value.is_finite()) {
            return Err(objective.overflow(&theta));
        }
        let coefficients = layout.coefficients(&theta);
        let nearest = projected(constraint, coefficients)?;
        let simple = constraint.is_convex().then(|| support_gap(constraint, layout, &gradient, &theta)).flatten();
        let simple = simple.map(|bound| Gap { value: bound + 1e-15 * value.abs(), proof: Proof::SupportFunction });
        // No loss is negative, and no ridge.
        let above = value;
        let perfect = (above <= PERFECT * at_zero.abs()).then_some(Gap { value: above, proof: Proof::PerfectFit });
        let gaps = [gap, simple, perfect];
        let mut certificate = Certificate {
            distance: distance(&nearest, coefficients),
            iterate_distance: iterated.as_ref().map(|iterated| iterated.distance),
            stationarity,
            gap: gaps.into_iter().flatten().min_by(|a, b| a.value.total_cmp(&b.value)),
            nodes: None,
            exchanges,
            schedule_meets_theory: iterated.as_ref().is_some_and(|iterated| iterated.schedule.meets_theory()),
        };
        let is_finished = certificate.is_finished(&constraint.structure(), reference);
        if !is_finished && certificate.exchanges.are_exhausted() {
            certificate.exchanges = Exchanges::CutShort;
        }
        let stop = match (self.ended, &iterated) {
            (Some(stop), _) => stop,
            (None, _) if is_finish && is_finished => Stop::Polished,
            (None, _) if is_finish => Stop::Unfinished,
            (None, Some(iterated)) => iterated.stop,
            (None, None) => Stop::Unfinished,
        };
        let steps = iterated.as_ref().map_or(0, |iterated| iterated.steps);
        let mut trace = iterated.as_ref().map(|iterated| iterated.trace.clone()).unwrap_or_default();
        trace.push(Progress {
            phase: Phase::Polish,
            step: steps,
            objective: value,
            distance: certificate.distance,
            rho: trace.last().map_or(0.0, |last| last.rho),
            nonzeros: coefficients.iter().filter(|value| **value != 0.0).count(),
            rows_seen: trace.last().map_or(0, |last| last.rows_seen),
            elapsed: self.began.elapsed(),
            bound: None,
            nodes: None,
        });
        if let Some(last) = trace.last() {
            let _ = self.observer.checkpoint(last);
        }
        let (coefficients, intercepts) = layout.split(&theta);
        let model = OutputsModel {
            coefficients: coefficients.to_vec(),
            intercepts: problem.layout().has_intercepts().then(|| intercepts.to_vec()),
            outputs: problem.output_names(),
            names: problem.data().feature_names().map(<[String]>::to_vec),
            loss: problem.output_loss(),
            unique: self.unique(),
            constraint: constraint.spec().to_string(),
            ridge: problem.ridge_weight(),
            seed: self.settings.seed,
            batch_size: iterated.as_ref().map_or(0, |iterated| iterated.batch_size),
            rho1: iterated.as_ref().and_then(|iterated| iterated.rho1),
            schedule: iterated.as_ref().map_or_else(|| "none".to_owned(), |iterated| iterated.schedule.spec()),
            settings: self.settings.changes(),
            steps,
            stop,
            objective: value,
            certificate,
            separation,
        };
        let notes = notes_of_outputs(self.settings, iterated.is_some());
        Ok(OutputsFit { model, trace, notes })
    }

    fn unique(&self) -> Unique {
        match self.problem.output_loss().is_classification() {
            false => Unique::ByLoss,
            true if !self.is_shift_free() => Unique::Intercepts,
            true if self.problem.ridge_weight() > 0.0 => Unique::Ridge,
            true => Unique::ZeroSum,
        }
    }

    /// The distance of the negative gradient from the normal cone, on scaled columns; for choices on the entries that were chosen.
    fn residual(&self, theta: &[f64], gradient: &[f64]) -> Result<f64> {
        let (constraint, layout) = (self.problem.constraint(), self.problem.layout());
        let mut function = Function::new(self.problem.objective());
        let metric = metric(&mut function, theta)?;
        let count = layout.coefficient_count();
        let chosen: Option<(Vec<usize>, Box<dyn Constraint + '_>)> = match constraint.structure() {
            Structure::Choice(choosing) => {
                let choice = choosing.choice(count);
                let support = choice.support(&choice.active(layout.coefficients(theta)));
                choosing.on_support(&support).map(|rest| (support, rest))
            }
            _ => Some(((0..count).collect(), Box::new(constraint))),
        };
        if let Some((support, rest)) = chosen {
            let places: Vec<usize> = support.iter().copied().chain(count..layout.len()).collect();
            let set = with_free(&*rest, support.len(), layout.intercept_count())?;
            if places.is_empty() {
                return Ok(0.0);
            }
            if let Some(conic) = set.structure().conic(places.len()) {
                let part = |all: &[f64]| -> Vec<f64> { places.iter().map(|&place| all[place]).collect() };
                let metric = part(&metric);
                let measure = Measure { conic: &conic, layout: Layout::vector(places.len()), metric: &metric };
                let residual = measure.residual(&part(theta), &part(gradient));
                if residual.is_finite() {
                    return Ok(residual);
                }
            }
        }
        // Only a projection is known.
        let curvature = metric.iter().fold(f64::MIN_POSITIVE, |top: f64, bend| top.max(*bend)) * count as f64;
        let mut moved: Vec<f64> = theta.iter().zip(gradient).map(|(t, g)| t - g / curvature).collect();
        constraint.project(layout.coefficients_mut(&mut moved), &mut Workspace::default())?;
        moved.iter_mut().zip(theta).for_each(|(m, t)| *m -= t);
        Ok(curvature.sqrt() * norm(&moved))
    }
}

/// Makes intercepts sum to zero over the classes, and coefficients too where the set allows it: no probability changes.
fn center(layout: Layout, theta: &mut [f64], with_coefficients: bool) {
    let size = layout.output_count();
    let (coefficients, intercepts) = layout.split_mut(theta);
    let rows = if with_coefficients { coefficients } else { &mut [] };
    for row in rows.chunks_exact_mut(size).chain(intercepts.chunks_exact_mut(size)) {
        let mean = row.iter().sum::<f64>() / size as f64;
        row.iter_mut().for_each(|value| *value -= mean);
    }
}
