//! How good a result is, from measurements on all data. A certificate says only what was computed, in types.

use crate::constraint::{Constraint, Structure, Workspace};
use crate::data::Batch;
use crate::doubt::doubt;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::gap::{Gap, Measured, Proof, Proven};
use crate::linalg::norm;
use crate::objective::Objective;
use crate::polish::{Measure, OnData, Smooth, floored, free_part, metric, relative, support_gap};
use crate::proof::Summed;
use crate::sampling::monitor_sample;
use crate::solver::NormPenalty;
use serde::{Deserialize, Serialize};

/// What can be said about a result $\hat\theta$.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored")]
#[non_exhaustive]
pub struct Certificate {
    /// $\|\hat\theta - P_C(\hat\theta)\|$, as measured.
    pub distance: f64,
    /// Distance to the set of the last iterate, before it was projected; `None` if there was no iteration.
    pub iterate_distance: Option<f64>,
    /// The distance of $-\nabla F(\hat\theta)$ from the normal cone of the set, on all data and in the metric of the scaled columns, relative to
    /// $\sqrt{2F}$: zero at a stationary point, and the same in whatever units columns and responses are measured. For sparsity and groups on the
    /// chosen coordinates; for rank the gradient along the set.
    pub stationarity: f64,
    /// An upper bound on $F(\hat\theta) - \min_C F$ and how it was proven, where there is a proof.
    pub gap: Option<Gap>,
    /// Nodes of the search by branch and bound, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// For sets that limit how many features or groups are used: what is known about other choices.
    pub exchanges: Exchanges,
    /// Whether the convergence theorems cover the schedule.
    pub schedule_meets_theory: bool,
}

/// Stationarity up to which a result counts as stationary.
const STATIONARY: f64 = 1e-9;
/// The same where the result is the end of a search along a curved set.
const STATIONARY_RANK: f64 = 2e-8;
/// Gap, relative to F, up to which a result counts as optimal.
const NEGLIGIBLE_GAP: f64 = 1e-9;

impl Certificate {
    /// Whether the result is stationary: no small move within the set lowers F by an amount that could be measured.
    pub fn is_stationary(&self) -> bool {
        self.stationarity <= STATIONARY
    }

    /// How near the global optimum the result was proven to be, for an F of this value there: by a bound, or since every choice of features was looked at.
    pub fn proven(&self, value: f64) -> Option<Proven> {
        let share = self.gap.map(|gap| if gap.value <= 0.0 { 0.0 } else { gap.value / value.abs() });
        match share {
            Some(share) if share <= Proven::NEGLIGIBLE => Some(Proven::Optimal),
            _ if self.exchanges == Exchanges::EveryChoice => Some(Proven::Optimal),
            // Losses are not negative: that F is less than F below its minimum needs no proof.
            Some(share) if share < 1.0 => Some(Proven::Within(share)),
            _ => None,
        }
    }

    /// What was proven about the global optimum in a sentence or two, for an F of this value there.
    pub fn in_words(&self, value: f64) -> Option<String> {
        let others = match self.exchanges {
            Exchanges::NotApplicable => "no point of the set",
            _ => "no point of the set, whatever features it uses,",
        };
        let how = match (self.exchanges, self.gap) {
            (Exchanges::EveryChoice, _) => "every choice of features was fitted or excluded by a bound".to_owned(),
            (_, Some(gap)) => gap.proof.to_string(),
            (_, None) => return None,
        };
        let nodes = match self.nodes {
            Some(1) => ", 1 node".to_owned(),
            Some(nodes) => format!(", {nodes} nodes"),
            None => String::new(),
        };
        Some(match self.proven(value)? {
            Proven::Optimal => {
                format!(
                    "This is the global optimum: {others} has an F that is lower by more than a millionth of it ({how}{nodes})."
                )
            }
            within @ Proven::Within(_) => {
                let share = within.to_string();
                let share = share.trim_start_matches("proven within ");
                format!(
                    "This is within {share} of the global optimum: {others} has an F that is lower by more than {share} of it ({how}{nodes}). It may still be the best there is."
                )
            }
        })
    }

    /// Whether the exact finish has done its work on a set of this structure: a stationary point, or a proof that there is nothing to gain.
    pub(crate) fn is_finished(&self, structure: &Structure, reference: f64) -> bool {
        let most = if matches!(structure, Structure::Rank { .. }) { STATIONARY_RANK } else { STATIONARY };
        self.stationarity <= most || self.gap.is_some_and(|gap| gap.value <= NEGLIGIBLE_GAP * reference)
    }
}

/// A certificate as it may stand in a file; version 0.1 wrote a residual in the units of the data, with the curvature and the size it was compared
/// with.
#[derive(Deserialize)]
struct Stored {
    distance: Option<f64>,
    #[serde(default)]
    iterate_distance: Option<f64>,
    stationarity: Option<f64>,
    #[serde(default)]
    curvature: Option<f64>,
    #[serde(default)]
    negligible: Option<f64>,
    #[serde(default)]
    gap: Option<StoredGap>,
    #[serde(default)]
    nodes: Option<u64>,
    #[serde(default)]
    exchanges: Exchanges,
    schedule_meets_theory: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StoredGap {
    Number(f64),
    Proven(Gap),
}

impl From<Stored> for Certificate {
    fn from(stored: Stored) -> Self {
        let residual = stored.stationarity.unwrap_or(f64::INFINITY);
        // Version 0.1 called a point stationary if residual²/2L ≤ 1e-8 F.
        let (distance, iterate_distance, stationarity) = match (stored.curvature, stored.negligible) {
            (Some(curvature), negligible) => {
                let size = 1e8 * negligible.unwrap_or(f64::MIN_POSITIVE);
                (0.0, stored.distance, relative(residual / curvature.sqrt(), size))
            }
            (None, _) => (stored.distance.unwrap_or(f64::INFINITY), stored.iterate_distance, residual),
        };
        Self {
            distance,
            iterate_distance,
            stationarity,
            gap: stored.gap.map(|gap| match gap {
                StoredGap::Number(value) => Gap { value, proof: Proof::SupportFunction },
                StoredGap::Proven(gap) => gap,
            }),
            nodes: stored.nodes,
            exchanges: stored.exchanges,
            schedule_meets_theory: stored.schedule_meets_theory,
        }
    }
}

/// Rows on which the largest curvature is estimated, and power iterations for it.
const SAMPLE: usize = 500;
const POWER_STEPS: usize = 12;

/// The largest eigenvalue of the Hessian of F at `theta`, from a sample of rows; a little too large rather than too small.
pub(crate) fn largest_curvature(objective: Objective, theta: &[f64], seed: u64) -> Result<f64> {
    let Objective { data, loss, ridge, .. } = objective;
    let layout = objective.layout();
    let rows = monitor_sample(seed, data.rows(), SAMPLE.min(data.rows()));
    let mut batch = Batch::default();
    batch.fill(data, &rows)?;
    let block = batch.rows();
    let every_column = crate::data::Support::default();
    let (coefficients, intercept) = objective.split(theta);
    let mut predictors = vec![0.0; rows.len()];
    block.times(coefficients, &every_column, &mut predictors);
    for (predictor, offset) in predictors.iter_mut().zip(batch.offset()) {
        *predictor += offset + intercept;
    }
    let mut curvatures = vec![0.0; rows.len()];
    loss.weighted_curvatures(&predictors, batch.response(), batch.weights(), &mut curvatures);
    if curvatures.iter().all(|curvature| *curvature < SMALLEST_CURVATURE) {
        // All rows lie on straight pieces of the loss; its steepest bend says how far a step may trust the gradient.
        let bend = loss.curvature_bound().unwrap_or(1.0);
        curvatures.iter_mut().zip(batch.weights()).for_each(|(curvature, weight)| *curvature = bend * weight);
    }
    // A start that no eigenvector is orthogonal to in practice: unequal entries of both signs.
    let mut v: Vec<f64> = (0..layout.len()).map(|j| ((j as f64 + 1.0) * 0.754_877_666).fract() - 0.4).collect();
    let mut largest = 0.0;
    for _ in 0..POWER_STEPS {
        let length = norm(&v);
        if length == 0.0 || !length.is_finite() {
            break;
        }
        v.iter_mut().for_each(|v| *v /= length);
        let (along, shift) = objective.split(&v);
        block.times(along, &every_column, &mut predictors);
        predictors.iter_mut().zip(&curvatures).for_each(|(p, w)| *p = (*p + shift) * w);
        v.fill(0.0);
        block.add_transpose_times(&predictors, layout.coefficients_mut(&mut v));
        if let Some(free) = layout.intercept_mut(&mut v) {
            *free = predictors.iter().sum();
        }
        largest = norm(&v);
    }
    Ok((1.1 * largest + ridge.largest(data.columns())).max(f64::MIN_POSITIVE))
}

/// A result, and what is known of it before it is measured.
pub(crate) struct Reached {
    pub(crate) theta: Vec<f64>,
    /// Distance to the set of the iterate it is the projection of.
    pub(crate) iterate_distance: Option<f64>,
    /// F and its gradient on all data, if the finish has seen them.
    pub(crate) known: Option<(f64, Vec<f64>)>,
    /// The diagonal of the Hessian of a quadratic F, if the finish has seen it.
    pub(crate) diagonal: Option<Vec<f64>>,
    /// For rank sets: the relative gradient along the set.
    pub(crate) stationarity: Option<f64>,
    pub(crate) exchanges: Exchanges,
    /// F through its sums, if the finish needed them.
    pub(crate) summed: Option<Summed>,
    /// A bound on the gap that was proven by looking at all choices of features, and the nodes of the search for it.
    pub(crate) proven: Option<(Gap, Option<u64>)>,
}

impl Reached {
    /// A point that nothing is known of yet.
    pub(crate) fn at(theta: Vec<f64>, iterate_distance: Option<f64>) -> Self {
        let exchanges = Exchanges::NotApplicable;
        let (known, diagonal, stationarity) = (None, None, None);
        Self { theta, iterate_distance, known, diagonal, stationarity, exchanges, summed: None, proven: None }
    }
}

/// What was measured on all rows of a fit whose rows are not in memory.
pub(crate) struct Evidence {
    pub(crate) gradient: Vec<f64>,
    /// The diagonal of the Hessian.
    pub(crate) metric: Vec<f64>,
    /// F without any feature.
    pub(crate) at_zero: f64,
    /// A number that F is never below.
    pub(crate) infimum: f64,
    /// A bound that was proven.
    pub(crate) gap: Option<Gap>,
}

/// What certifying gives.
pub(crate) struct Certified {
    pub(crate) certificate: Certificate,
    /// F at the result.
    pub(crate) value: f64,
    /// The F that residuals and gaps are compared with.
    pub(crate) reference: f64,
}

/// How a result is to be judged.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'p> {
    pub(crate) objective: Objective<'p>,
    pub(crate) constraint: &'p dyn Constraint,
    /// Weight of an L1 penalty that belongs to F.
    pub(crate) l1: f64,
    pub(crate) schedule_meets_theory: bool,
    pub(crate) seed: u64,
}

impl Judge<'_> {
    /// Measures a result on all data.
    pub(crate) fn certify(&self, reached: Reached) -> Result<Certified> {
        let Self { objective, constraint, .. } = *self;
        let Reached { theta, iterate_distance, known, diagonal, stationarity, exchanges, proven, .. } = reached;
        let theta = &theta[..];
        let (mut value, gradient) = if let Some(known) = known {
            known
        } else {
            let mut gradient = vec![0.0; theta.len()];
            (objective.gradient(theta, &mut gradient)?, gradient)
        };
        if self.l1 > 0.0 {
            value += self.l1 * objective.l1_norm(theta);
        }
        // No row of X is read for zero coefficients.
        let at_zero = objective.value(&vec![0.0; theta.len()])?;
        let reference = floored(value, at_zero);
        let metric = self.metric(theta, diagonal)?;
        let measured = Measured { theta, value, gradient: &gradient, metric: &metric };
        let stationarity = match stationarity {
            // Where no row bends, the finish has no scale for its residual.
            Some(known) if known.is_finite() => known,
            _ => relative(self.residual(measured)?, reference),
        };
        let distance = self.distance(theta)?;
        // A slope of a loss with a kink is one of many: bounds from it are those of the finish, or none.
        let is_smooth = objective.loss.is_differentiable();
        let convex = if is_smooth && constraint.is_convex() && self.l1 == 0.0 { self.gap(measured)? } else { None };
        let others = least([self.perfect_fit(value, at_zero)?, proven.map(|(gap, _)| gap), convex]);
        let is_known = exchanges == Exchanges::EveryChoice || !is_smooth;
        let gap = if is_known { others } else { least([others, self.any_set(measured, others)?, None]) };
        let nodes = proven.and_then(|(_, nodes)| nodes);
        let schedule_meets_theory = self.schedule_meets_theory;
        let (stationarity, gap) = match doubt(objective, theta, reference, self.seed)? {
            Some(doubt) => {
                let gap = gap.map(|gap| Gap { value: gap.value + doubt.value, ..gap });
                (stationarity.max(doubt.stationarity), gap.filter(|gap| gap.value.is_finite()))
            }
            None => (stationarity, gap),
        };
        let certificate =
            Certificate { distance, iterate_distance, stationarity, gap, nodes, exchanges, schedule_meets_theory };
        Ok(Certified { certificate, value, reference })
    }

    /// The same from what was measured elsewhere, on rows that are not in memory; `known` holds F, and the objective is that of a sample, which only tells units.
    pub(crate) fn certify_by(&self, reached: Reached, evidence: Evidence) -> Result<Certified> {
        let Evidence { gradient, metric, at_zero, infimum, gap } = evidence;
        let Reached { theta, iterate_distance, known, stationarity, exchanges, .. } = reached;
        let value = known.map_or(f64::NAN, |(value, _)| value);
        let measured = Measured { theta: &theta, value, gradient: &gradient, metric: &metric };
        let reference = floored(value, at_zero);
        let above = (value - infimum).max(0.0);
        let perfect = (above <= PERFECT * at_zero.abs()).then_some(Gap { value: above, proof: Proof::PerfectFit });
        let simple = if self.constraint.is_convex() { self.simple_gap(measured) } else { None };
        let certificate = Certificate {
            distance: self.distance(&theta)?,
            iterate_distance,
            stationarity: match stationarity {
                Some(known) => known,
                None => relative(self.residual(measured)?, reference),
            },
            gap: least([perfect, simple, gap]),
            nodes: None,
            exchanges,
            schedule_meets_theory: self.schedule_meets_theory,
        };
        Ok(Certified { certificate, value, reference })
    }

    /// $\|\theta - P_C(\theta)\|$
    fn distance(&self, theta: &[f64]) -> Result<f64> {
        let coefficients = self.objective.layout().coefficients(theta);
        let mut nearest = coefficients.to_vec();
        self.constraint.project(&mut nearest, &mut Workspace::default())?;
        Ok(crate::polish::distance(&nearest, coefficients))
    }

    /// The bound by the support function of a bounded set.
    fn simple_gap(&self, measured: Measured) -> Option<Gap> {
        let Measured { theta, value, gradient, .. } = measured;
        support_gap(self.constraint, self.objective.layout(), gradient, theta)
            .map(|bound| Gap { value: bound + 1e-15 * value.abs(), proof: Proof::SupportFunction })
    }

    /// The stationarity of a point, as in a certificate.
    pub(crate) fn stationarity(&self, theta: &[f64]) -> Result<f64> {
        let mut gradient = vec![0.0; theta.len()];
        let value = self.objective.gradient(theta, &mut gradient)?;
        let at_zero = self.objective.value(&vec![0.0; theta.len()])?;
        let metric = self.metric(theta, None)?;
        let measured = Measured { theta, value, gradient: &gradient, metric: &metric };
        Ok(relative(self.residual(measured)?, floored(value, at_zero)))
    }

    /// The diagonal of the Hessian, which may be known; on very many rows that of a sample, which is good enough for a metric.
    fn metric(&self, theta: &[f64], known: Option<Vec<f64>>) -> Result<Vec<f64>> {
        let Objective { data, loss, ridge, .. } = self.objective;
        let most = MOST_NUMBERS / data.columns().max(1);
        let diagonal = |objective: Objective| {
            if loss.kinked().is_none() {
                return metric(&mut OnData::new(objective), theta);
            }
            // Without curvature, one in the units of F: a row bends as if a residual of the size of F took it from one line to the other.
            let bend = 1.0 / (objective.value(theta)?.max(f64::MIN_POSITIVE) * objective.data.weight_sum());
            let rows = objective.data.rows();
            let curvatures = (0..rows).map(|row| bend * objective.data.weight(row)).collect();
            OnData::with_curvatures(objective, curvatures).diagonal()
        };
        let mut found = if let Some(known) = known {
            known
        } else if data.rows() > most.max(SAMPLE) {
            let part = data.subset(monitor_sample(self.seed, data.rows(), most.max(SAMPLE)))?;
            match part.data() {
                Ok(sample) => diagonal(self.objective.on(&sample))?,
                // A sample whose weights are all zero says nothing.
                Err(_) => diagonal(self.objective)?,
            }
        } else {
            diagonal(self.objective)?
        };
        // What is left of curvatures that underflow is no scale.
        found.iter_mut().filter(|d| **d < SMALLEST_CURVATURE).for_each(|d| *d = 0.0);
        let layout = self.objective.layout();
        let ridge_at = |j| if layout.is_coefficient(j) { ridge.at(j) } else { ridge.largest(data.columns()) };
        // Where no row bends, as where all are classified beyond doubt, the steepest bend of the loss says how far a step may trust the gradient.
        if found.iter().enumerate().all(|(j, d)| *d <= ridge_at(j)) {
            let bend = loss.curvature_bound().unwrap_or(1.0);
            let scale = largest_curvature(self.objective, theta, self.seed)?;
            found.iter_mut().for_each(|d| *d = d.max(scale.min(bend.max(f64::MIN_POSITIVE))));
        }
        Ok(found)
    }

    /// The distance of the negative gradient from the normal cone, on scaled columns.
    pub(crate) fn residual(&self, measured: Measured) -> Result<f64> {
        let Measured { theta, gradient, metric, .. } = measured;
        let Self { objective, constraint, .. } = *self;
        let layout = objective.layout();
        let (features, coefficients) = (layout.coefficient_count(), layout.coefficients(theta));
        if self.l1 > 0.0 {
            let free = free_part(layout, gradient, metric);
            return Ok(NormPenalty::L1(self.l1).residual(coefficients, gradient, metric).hypot(free));
        }
        let chosen: Option<(Vec<usize>, Box<dyn Constraint + '_>)> = match constraint.structure() {
            Structure::Choice(choosing) => {
                let choice = choosing.choice(features);
                let support = choice.support(&choice.active(coefficients));
                let rest = choosing.on_support(&support);
                rest.map(|rest| (support, rest))
            }
            _ => Some(((0..features).collect(), Box::new(constraint))),
        };
        if let Some((support, set)) = chosen
            && let Some(conic) = set.structure().conic(support.len())
        {
            let part = |all: &[f64]| layout.gathered(&support, all);
            let metric = part(metric);
            let measure = Measure { conic: &conic, layout: layout.reduced_to(support.len()), metric: &metric };
            let residual = measure.residual(&part(theta), &part(gradient));
            if residual.is_finite() {
                return Ok(residual);
            }
        }
        // Only a projection is known: the step to P(θ − g/L), in units of the columns as they are.
        let curvature = largest_curvature(objective, theta, self.seed)?;
        let mut moved: Vec<f64> = theta.iter().zip(gradient).map(|(t, g)| t - g / curvature).collect();
        constraint.project(layout.coefficients_mut(&mut moved), &mut Workspace::default())?;
        moved.iter_mut().zip(theta).for_each(|(m, t)| *m -= t);
        Ok(curvature.sqrt() * norm(&moved))
    }

    /// The better of two bounds: by the support function of a bounded set, and by multipliers and curvature.
    fn gap(&self, measured: Measured) -> Result<Option<Gap>> {
        let value = measured.value;
        let simple = self.simple_gap(measured);
        if simple.is_some_and(|gap| gap.value <= 1e-14 * value.abs()) {
            return Ok(simple);
        }
        let curved = crate::gap::by_curvature(self.objective, self.constraint, measured)?
            .map(|value| Gap { value, proof: Proof::Curvature });
        Ok(least([simple, curved, None]))
    }

    /// The bound that every set has, where no better one is known.
    fn any_set(&self, measured: Measured, known: Option<Gap>) -> Result<Option<Gap>> {
        let is_done = known.is_some_and(|gap| gap.value <= NEGLIGIBLE_GAP * measured.value.abs());
        if is_done || self.l1 > 0.0 || self.constraint.is_convex() && known.is_some() {
            return Ok(None);
        }
        let bound = crate::gap::by_projection(self.objective, self.constraint, measured)?;
        // That F is not below zero needs no proof.
        let bound = bound.filter(|bound| *bound < measured.value.abs());
        Ok(bound.map(|value| Gap { value, proof: Proof::Projection }))
    }

    /// How far F is above the least value that its losses have at all, if next to nothing: true of every set.
    fn perfect_fit(&self, value: f64, at_zero: f64) -> Result<Option<Gap>> {
        let above = (value - self.objective.infimum()?).max(0.0);
        Ok((above <= PERFECT * at_zero.abs()).then_some(Gap { value: above, proof: Proof::PerfectFit }))
    }
}

/// The smallest of some bounds.
fn least(gaps: [Option<Gap>; 3]) -> Option<Gap> {
    gaps.into_iter().flatten().min_by(|a, b| a.value.total_cmp(&b.value))
}

/// Share of F without any feature up to which the distance from a perfect fit is worth a word.
const PERFECT: f64 = 1e-9;
/// Curvature below which there is none, far above where numbers lose their digits.
const SMALLEST_CURVATURE: f64 = 1e-200;
/// Numbers of X that are read for the metric at most.
const MOST_NUMBERS: usize = 50_000_000;
