//! Choices near that of a model and what they cost: features that almost made it, features that are hardly needed.
//!
//! Every F is that of a fit to all rows with the same loss, ridge and convex sets; which exchanges are fitted is decided by scores that rank all of them. This is about F on the rows of the fit: a choice with
//! nearly the same F may do as well on new rows.

use super::Procedure;
use crate::constraint::Structure;
use crate::data::Data;
use crate::error::Result;
use crate::objective::Objective;
use crate::polish::{Neighbours, near};
use crate::preparation::Preparation;
use serde::Serialize;
use std::ops::ControlFlow;

/// Newcomers that are fitted.
const NEWCOMERS: usize = 5;
/// Rows and columns beyond which looking takes longer than a report may.
const MOST_NUMBERS: f64 = 4e8;
/// Share of F by which a fit on the features of the model may be below it: then the model was not finished.
const FINISHED: f64 = 1e-6;

/// Another choice and its F.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// The feature that leaves, from 0.
    pub leaves: Option<usize>,
    /// The feature that enters, from 0.
    pub enters: Option<usize>,
    /// F of the best fit with these features.
    pub objective: f64,
}

/// Choices near that of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternatives {
    /// F of the model.
    pub objective: f64,
    /// F of the best constant, or of no coefficient at all where there is no intercept.
    pub without_features: f64,
    /// One feature exchanged for another, the lowest F first.
    pub swaps: Vec<Alternative>,
    /// One feature less, the lowest F first.
    pub fewer: Vec<Alternative>,
    /// One feature more than the set allows, the lowest F first.
    pub more: Vec<Alternative>,
    /// Exchanges that the set allows.
    pub possible: usize,
    /// Those that were scored.
    pub scored: usize,
    /// Fits that were made.
    pub fits: usize,
    /// Whether not all fits that were planned could be made.
    pub is_cut: bool,
}

/// The choices near that of a model on the rows of its fit; `None` where the set leaves no choice of single features, the loss has kinks, the data are too large to look again, or the model is not the best one
/// of its features.
pub fn alternatives(
    procedure: &Procedure,
    data: &Data,
    (coefficients, intercept): (&[f64], Option<f64>),
) -> Result<Option<Alternatives>> {
    let Structure::Choice(choosing) = procedure.set.structure() else { return Ok(None) };
    let numbers = data.rows() as f64 * data.columns() as f64;
    if !procedure.loss.is_differentiable() || numbers > MOST_NUMBERS || data.random_access().is_err() {
        return Ok(None);
    }
    let units = Preparation::decide(procedure.standardize, [procedure.set], procedure.intercept)?
        .units(data, procedure.ridge)?;
    let scaled = units.view(data)?;
    let objective = Objective::new(scaled.as_ref().unwrap_or(data), procedure.loss, units.ridge(procedure.ridge))
        .intercept(procedure.intercept);
    let mut theta = match units.scaling() {
        Some(scaling) => {
            let (mut theta, free) = scaling.scaled_start(coefficients, intercept.unwrap_or(0.0));
            theta.extend(intercept.map(|_| free));
            theta
        }
        None => coefficients.iter().copied().chain(intercept).collect(),
    };
    let value = objective.value(&theta)?;
    let found = near(objective, choosing, &theta, NEWCOMERS, &mut || ControlFlow::Continue(()))?;
    let Some(found) = found.filter(|found| value - found.value <= FINISHED * value.abs()) else { return Ok(None) };
    theta[..coefficients.len()].fill(0.0);
    let without_features = constant(objective, &mut theta, coefficients.len())?;
    Ok(Some(sorted(&found, value, without_features)))
}

/// F at the best intercept alone, by Newton's method, which stops as soon as F does not fall.
fn constant(objective: Objective, theta: &mut [f64], place: usize) -> Result<f64> {
    const STEPS: usize = 50;
    let mut gradient = vec![0.0; theta.len()];
    let mut value = objective.gradient(theta, &mut gradient)?;
    if theta.len() == place {
        return Ok(value);
    }
    let data = objective.data;
    for _ in 0..STEPS {
        let at = theta[place];
        let curvature: f64 = (0..data.rows())
            .map(|row| data.weight(row) * objective.loss.curvature(at + data.offset_of(row), data.response()[row]))
            .sum::<f64>()
            / data.weight_sum();
        if !(curvature > 0.0 && gradient[place].abs() > 1e-14 * value.abs()) {
            break;
        }
        theta[place] = at - gradient[place] / curvature;
        let next = objective.gradient(theta, &mut gradient)?;
        if next.is_nan() || next >= value {
            break;
        }
        value = next;
    }
    Ok(value)
}

fn sorted(found: &Neighbours, objective: f64, without_features: f64) -> Alternatives {
    let of = |has_left: bool, has_come: bool| {
        let is_such =
            |near: &&crate::polish::Near| near.leaves.is_some() == has_left && near.enters.is_some() == has_come;
        let told = |near: &crate::polish::Near| Alternative {
            leaves: near.leaves,
            enters: near.enters,
            objective: near.value,
        };
        let mut list: Vec<Alternative> = found.near.iter().filter(is_such).map(told).collect();
        list.sort_by(|a, b| a.objective.total_cmp(&b.objective));
        list
    };
    Alternatives {
        objective,
        without_features,
        swaps: of(true, true),
        fewer: of(true, false),
        more: of(false, true),
        possible: found.possible,
        scored: found.scored,
        fits: found.fits,
        is_cut: found.is_cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{Constraint, Sparsity};
    use crate::loss::{Logistic, Loss, Squared};
    use crate::preparation::Standardize;
    use crate::simulate::{Response, Truth, vector};
    use crate::{Problem, Settings};

    fn procedure<'a>(loss: &'a dyn Loss, set: &'a dyn Constraint, ridge: f64) -> Procedure<'a> {
        let (standardize, settings) = (Standardize::Auto, Settings::default());
        Procedure { loss, set, ridge, intercept: true, standardize, settings }
    }

    /// F of the best fit on some columns, by a fit of its own on a matrix that has no others.
    fn refitted(data: &Data, loss: &dyn Loss, ridge: f64, support: &[usize]) -> f64 {
        let mut buffer = crate::data::RowBuffer::default();
        let rows: Vec<usize> = (0..data.rows()).collect();
        data.random_access().unwrap().gather(&rows, Some(support), &mut buffer).unwrap();
        let mut work = Vec::new();
        let block = buffer.rows().spread(&mut work).to_vec();
        let weights = crate::metrics::weights(data);
        let chosen = Data::dense(&block, support.len(), data.response()).unwrap().weights(&weights).unwrap();
        let scaling = crate::Scaling::of(&chosen, true).unwrap();
        let chosen = chosen.scaled(scaling).unwrap();
        let problem = Problem::new(&chosen, loss, crate::constraint::WholeSpace).intercept(true).ridge(ridge);
        problem.fit(&Settings::default()).unwrap().objective()
    }

    /// All exchanges are fitted by themselves: what is told is among the best, and its F is right.
    #[test]
    fn alternatives_are_those_of_brute_force() {
        for (response, loss, ridge) in
            [(Response::Linear, &Squared as &dyn Loss, 0.0), (Response::Logistic, &Logistic, 1e-3)]
        {
            let simulated = vector(response, Truth::Sparse(4), 150, 9, 3).unwrap();
            let weights: Vec<f64> = (0..150).map(|i| f64::from(i % 3) + 0.5).collect();
            let data = simulated.data().unwrap().weights(&weights).unwrap();
            let set = Sparsity::at_most(3);
            let scaling = crate::Scaling::of(&data, true).unwrap();
            let fit = {
                let data = simulated.data().unwrap().weights(&weights).unwrap().scaled(scaling.clone()).unwrap();
                Problem::new(&data, loss, set).intercept(true).ridge(ridge).fit(&Settings::default()).unwrap()
            };
            let model = scaling.restored(fit.model()).unwrap();
            let at = (&model.coefficients[..], model.intercept);
            let found = alternatives(&procedure(loss, &set, ridge), &data, at).unwrap().unwrap();
            let support = model.support();
            let close = |a: f64, b: f64| (a - b).abs() < 1e-7 * b.abs();
            assert!(close(found.objective, fit.objective()), "{} {}", found.objective, fit.objective());
            assert_eq!((found.fewer.len(), found.possible, found.scored), (3, 3 * 6, 3 * 6));
            let after = |one: &Alternative| {
                let kept = support.iter().copied().filter(|&j| Some(j) != one.leaves);
                let mut columns: Vec<usize> = kept.chain(one.enters).collect();
                columns.sort_unstable();
                columns
            };
            for one in found.swaps.iter().chain(&found.fewer).chain(&found.more) {
                let alone = refitted(&data, loss, ridge, &after(one));
                assert!(close(one.objective, alone), "{one:?}: {alone}");
            }
            // The best exchange of all.
            let outside: Vec<usize> = (0..9).filter(|j| !support.contains(j)).collect();
            let pairs = support.iter().flat_map(|&leaves| outside.iter().map(move |&enters| (leaves, enters)));
            let all = pairs.map(|(leaves, enters)| {
                let one = Alternative { leaves: Some(leaves), enters: Some(enters), objective: 0.0 };
                refitted(&data, loss, ridge, &after(&one))
            });
            let best = all.fold(f64::INFINITY, f64::min);
            // Scores are exact where F is quadratic; elsewhere they only propose what is fitted.
            let first = found.swaps[0].objective;
            let is_right = if loss.is_quadratic() { close(first, best) } else { first >= best * (1.0 - 1e-9) };
            assert!(is_right, "{first} {best}");
            assert!(found.objective <= best * (1.0 + 1e-9) && found.objective < found.without_features);
            assert!(found.more[0].objective <= found.objective && found.fewer[0].objective >= found.objective);
        }
    }

    #[test]
    fn there_are_none_without_a_choice_or_for_a_model_that_is_not_the_best_of_its_features() {
        let simulated = vector(Response::Linear, Truth::Sparse(2), 60, 5, 1).unwrap();
        let data = simulated.data().unwrap();
        let theta = [1.0, 0.0, 0.5, 0.0, 0.0];
        let set = Sparsity::at_most(2);
        assert_eq!(alternatives(&procedure(&Squared, &set, 0.0), &data, (&theta, Some(9.0))).unwrap(), None);
        let free = crate::constraint::WholeSpace;
        assert_eq!(alternatives(&procedure(&Squared, &free, 0.0), &data, (&theta, None)).unwrap(), None);
    }
}
