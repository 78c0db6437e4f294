//! Small problems: every choice of features is fitted, or excluded by a bound, so that the best of all is known.
//!
//! For a quadratic F the minimum on a support without regard to the convex set is a small linear system (`gram.rs`) and bounds what the
//! set allows from below. Choices are fitted in the order of their bounds, until a bound is above the best F found. Other losses are
//! fitted choice by choice where those are few.

use super::Until;
use super::convex::minimise;
use super::gram::Gram;
use super::refit::{Budget, EXACT, Fitted, SHORT, Selecting, Watch};
use crate::constraint::Structure;
use crate::error::Result;
use std::ops::ControlFlow;

/// Choices that are listed at most, and the operations that their bounds and fits may take.
const MOST_CHOICES: f64 = 60_000.0;
const BOUNDS: f64 = 6e7;
const FITS: f64 = 1e8;
/// Operations of a fit in the quadratic form, for each coefficient.
const SMALL_FIT: f64 = 2e4;
/// How far above the best F a value from the quadratic form may be and still be looked at on the data: relative to F, and to F without
/// features.
pub(super) const MARGIN: f64 = 1e-6;
pub(super) const MARGIN_AT_ZERO: f64 = 1e-9;

/// The best choice that was found, from `best` on, and whether all were fitted or excluded.
pub(super) struct Looked {
    pub(super) best: Fitted,
    pub(super) at_all: bool,
}

/// The best of all choices, if they are few enough to be looked at; `best` is the best known.
pub(super) fn best_of_all(
    problem: &Selecting,
    gram: Option<&mut Gram>,
    best: &Fitted,
    watch: &mut Watch,
) -> Result<Option<Looked>> {
    watch.begin();
    let count = problem.choice.count();
    let size = best.support.len() as f64;
    let mut budget = Budget::of(FITS);
    match gram {
        Some(gram) if count <= MOST_CHOICES && count * size * size * (size + 10.0) <= BOUNDS => {
            let mut choices = Vec::new();
            problem.choice.every(usize::MAX, &mut |units| {
                let bound = gram.least(&problem.choice.support(units)).unwrap_or(f64::NEG_INFINITY);
                choices.push((bound, units.to_vec()));
                if choices.len() % 1000 == 0 && watch.is_over() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            choices.sort_by(|a, b| a.0.total_cmp(&b.0));
            Look { problem, gram, budget: &mut budget, watch }.in_order(choices, best).map(Some)
        }
        None if count * problem.cost(best.support.len()) <= FITS => {
            let mut choices = Vec::new();
            problem.choice.every(usize::MAX, &mut |units| {
                choices.push(units.to_vec());
                ControlFlow::Continue(())
            });
            let mut best = best.clone();
            for units in choices {
                let theta = problem.spread(&best);
                if let Some(lower) = problem.refit_below(best.value, units, &theta, watch)? {
                    best = lower;
                }
                if watch.is_over() {
                    break;
                }
            }
            Ok(Some(Looked { best, at_all: watch.is_sure() }))
        }
        _ => Ok(None),
    }
}

/// A look at choices: of a problem with its quadratic form, as far as budget and clock allow.
pub(super) struct Look<'l, 'p, 'w> {
    pub(super) problem: &'l Selecting<'p>,
    pub(super) gram: &'l Gram,
    pub(super) budget: &'l mut Budget,
    pub(super) watch: &'l mut Watch<'w>,
}

impl Look<'_, '_, '_> {
    /// Looks at choices that come with lower bounds in ascending order.
    pub(super) fn in_order(mut self, choices: Vec<(f64, Vec<usize>)>, best: &Fitted) -> Result<Looked> {
        let (problem, mut best) = (self.problem, best.clone());
        for (bound, units) in choices {
            if bound > best.value + margin(problem, best.value) {
                break;
            }
            if units == best.units {
                continue;
            }
            let Some(theta) = self.promising(&units, bound, &best)? else { continue };
            if self.watch.is_over() || !self.budget.spend(problem.cost(best.support.len())) {
                return Ok(Looked { best, at_all: false });
            }
            if let Some(lower) = problem.refit_below(best.value, units, &theta, self.watch)? {
                best = lower;
            }
        }
        Ok(Looked { best, at_all: self.watch.is_sure() })
    }

    /// Where a fit on the data should start, unless the quadratic form says that it would not be lower.
    fn promising(&mut self, units: &[usize], bound: f64, best: &Fitted) -> Result<Option<Vec<f64>>> {
        let (problem, gram) = (self.problem, self.gram);
        let support = problem.choice.support(units);
        let Some(set) = problem.choosing.on_support(&support) else { return Ok(None) };
        let theta = problem.spread(best);
        // Without a set the bound is the minimum itself; with columns that are nearly dependent only the data can tell.
        let is_plain = matches!(set.structure(), Structure::WholeSpace);
        if is_plain || bound == f64::NEG_INFINITY || !self.budget.spend(SMALL_FIT * (support.len() + 1) as f64) {
            return Ok(Some(theta));
        }
        let mut point: Vec<f64> = support.iter().map(|&j| theta[j]).collect();
        let mut never = || ControlFlow::Continue(());
        let mut until = Until { tolerance: EXACT, poll: &mut never };
        let ended = minimise(&mut gram.restricted(&support), &*set, &mut point, &mut until)?;
        let is_promising = ended.value <= best.value + margin(problem, best.value) || ended.stationarity > SHORT;
        Ok(is_promising.then(|| gram.spread(&support, &point)))
    }
}

pub(super) fn margin(problem: &Selecting, value: f64) -> f64 {
    MARGIN * value.abs() + MARGIN_AT_ZERO * problem.at_zero.abs()
}
