//! From the support of a size to its point: the minimiser on the data, to all digits.
//!
//! For a quadratic F the matrix gives the minimiser up to its own rounding, and a Newton step with the gradient on the data gives what is missing.
//! Everything else, and whatever stays short of the goal, goes the way of the exact finish (`polish/convex.rs`). Where F has no minimum the point
//! is stretched until next to nothing is left of F.

use super::climb::Place;
use super::criterion::log_choices;
use super::form::Form;
use super::point::PathPoint;
use crate::constraint::WholeSpace;
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{Cholesky, axpy};
use crate::objective::Objective;
use crate::polish::{Block, OnColumns, Smooth, Until, floored, metric, minimise, relative};
use std::ops::ControlFlow;

/// Stationarity that is aimed at, and that which is good enough.
const GOAL: f64 = 1e-13;
const GOOD: f64 = 1e-10;
/// Newton steps with the matrix at most.
const STEPS: usize = 3;
/// Share of F without features that is left of F where there is no minimum, and doublings on the way there.
const NEXT_TO_NOTHING: f64 = 1e-6;
const DOUBLINGS: usize = 40;

/// What the points of a path share.
pub(super) struct Finish<'p> {
    pub(super) objective: Objective<'p>,
    pub(super) layout: Layout,
    /// F without any feature.
    pub(super) at_zero: f64,
    /// A number that the mean loss is never below.
    pub(super) infimum: f64,
    /// The columns of all supports, copied once if they are few.
    pub(super) block: Option<Block>,
}

/// A minimiser on a support and how good it is.
struct Settled {
    point: Vec<f64>,
    stationarity: f64,
}

impl<'p> Finish<'p> {
    /// For places of one ridge.
    pub(super) fn new(objective: Objective<'p>, layout: Layout, places: &[Option<Place>]) -> Result<Self> {
        let at_zero = objective.value(&layout.zeros())?;
        let mut columns: Vec<usize> = places.iter().flatten().flat_map(|place| &place.support).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let block = Block::of(objective.data, &columns)?;
        Ok(Self { objective, layout, at_zero, infimum: objective.infimum()?, block })
    }

    /// The points of all sizes; where a size has no place, or one that turns out not to be lower, the point before stands.
    pub(super) fn points(
        &self,
        places: &[Option<Place>],
        mut form: Option<&mut Form>,
        is_interrupted: bool,
    ) -> Result<Vec<PathPoint>> {
        let known = if is_interrupted {
            places.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
        } else {
            places.len()
        };
        let mut points: Vec<PathPoint> = Vec::with_capacity(known);
        for (size, place) in places[..known].iter().enumerate() {
            let found = match place {
                Some(place) => Some(self.point(size, place, form.as_deref_mut())?),
                None => None,
            };
            let before = points.last().map(|before| PathPoint { size, ..before.clone() });
            points.extend(match (found, before) {
                (Some(found), Some(before)) if found.objective > before.objective => {
                    Some(PathPoint { is_separated: before.is_separated || found.is_separated, ..before })
                }
                (found, before) => found.or(before),
            });
        }
        Ok(points)
    }

    pub(super) fn point(&self, size: usize, place: &Place, form: Option<&mut Form>) -> Result<PathPoint> {
        let settled = match form {
            Some(form) => self.by_form(place, form)?,
            None if place.is_separated => {
                let point = stretched(&mut self.function(&place.support)?, &place.point)?;
                Settled { point, stationarity: f64::INFINITY }
            }
            None => self.on_data(&place.support, place.point.clone())?,
        };
        let mut theta = self.layout.zeros();
        let (coefficients, intercepts) = self.layout.split_mut(&mut theta);
        let (values, intercept) = settled.point.split_at(place.support.len());
        place.support.iter().zip(values).for_each(|(&j, &value)| coefficients[j] = value);
        intercepts.copy_from_slice(intercept);
        let objective = self.objective.value(&theta)?;
        Ok(PathPoint {
            size,
            ridge: self.objective.ridge.weight(),
            support: place.support.clone(),
            deviance: deviance(self.objective, self.infimum, &theta, objective)?,
            objective,
            theta,
            stationarity: settled.stationarity,
            is_separated: place.is_separated,
            gap: None,
            log_choices: log_choices(self.layout.features(), place.support.len()),
        })
    }

    fn function<'s>(&'s self, support: &'s [usize]) -> Result<OnColumns<'s>> {
        OnColumns::near(self.objective, support, self.block.as_ref())
    }

    /// From the matrix, with Newton steps on the data.
    fn by_form(&self, place: &Place, form: &mut Form) -> Result<Settled> {
        let support = &place.support;
        let mut cholesky = Cholesky::default();
        let zeros = || vec![0.0; support.len() + self.layout.intercept_count()];
        let Some(mut point) = form.minimiser(support, &mut cholesky)? else { return self.on_data(support, zeros()) };
        let (curvatures, mut function) = (form.curvatures(support), self.function(support)?);
        let mut gradient = zeros();
        let mut best = Settled { point: point.clone(), stationarity: f64::INFINITY };
        for _ in 0..STEPS {
            let value = function.gradient(&point, &mut gradient)?;
            let stationarity = self.stationarity(&gradient, &curvatures, value);
            let is_better = stationarity < 0.5 * best.stationarity;
            if stationarity < best.stationarity {
                best = Settled { point: point.clone(), stationarity };
            }
            if !is_better || stationarity <= GOAL {
                break;
            }
            axpy(1.0, &form.step(support, &gradient, &mut cholesky), &mut point);
        }
        if best.stationarity <= GOOD { Ok(best) } else { self.on_data(support, best.point) }
    }

    fn stationarity(&self, gradient: &[f64], curvatures: &[f64], value: f64) -> f64 {
        let squares = gradient.iter().zip(curvatures).map(|(g, d)| if *g == 0.0 { 0.0 } else { g * g / d });
        relative(squares.sum::<f64>().sqrt(), floored(value, self.at_zero))
    }

    /// By Newton's method on the columns of the support.
    fn on_data(&self, support: &[usize], mut point: Vec<f64>) -> Result<Settled> {
        let mut function = self.function(support)?;
        let mut never = || ControlFlow::Continue(());
        let ended =
            minimise(&mut function, &WholeSpace, &mut point, &mut Until { tolerance: 1e-12, poll: &mut never })?;
        let stationarity = match ended.gradient {
            Some(gradient) => {
                let curvatures = metric(&mut function, &point)?;
                self.stationarity(&gradient, &curvatures, ended.value)
            }
            None => ended.stationarity,
        };
        Ok(Settled { point, stationarity })
    }
}

/// $2(\ell - \inf\ell)$ in the mean at a point where F has this value; `infimum` is what the mean loss is never below.
pub(super) fn deviance(objective: Objective, infimum: f64, theta: &[f64], value: f64) -> Result<Option<f64>> {
    let Objective { data, loss, .. } = objective;
    if loss.deviance(0.0, data.response()[0]).is_none() {
        return Ok(None);
    }
    if infimum.is_finite() {
        return Ok(Some((2.0 * (value - objective.ridge_term(theta) - infimum)).max(0.0)));
    }
    let (coefficients, intercept) = objective.split(theta);
    let predictors = crate::metrics::linear_predictors(data, coefficients, intercept)?;
    let one = |(row, &eta): (usize, &f64)| match data.weight(row) {
        0.0 => Some(0.0),
        weight => loss.deviance(eta, data.response()[row]).map(|deviance| weight * deviance),
    };
    let total: Option<f64> = predictors.iter().enumerate().map(one).sum();
    Ok(total.map(|total| total / data.weight_sum()))
}

/// Larger and larger coefficients in the direction in which F falls for ever, until next to nothing is left of F.
pub(super) fn stretched(function: &mut dyn Smooth, start: &[f64]) -> Result<Vec<f64>> {
    let at_zero = function.value(&vec![0.0; start.len()])?;
    let (mut point, mut value) = (start.to_vec(), function.value(start)?);
    for _ in 0..DOUBLINGS {
        let further: Vec<f64> = point.iter().map(|x| 2.0 * x).collect();
        let lower = function.value(&further)?;
        if value <= NEXT_TO_NOTHING * at_zero || lower.is_nan() || lower >= value {
            break;
        }
        (point, value) = (further, lower);
    }
    Ok(point)
}
