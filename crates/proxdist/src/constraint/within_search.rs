//! The nearest point of a choice of features within a few rows, by branch and bound.
//!
//! With multipliers $\lambda$ ($\ge 0$ for inequalities) and $z = y - A^T\lambda$, every point $x$ of the set has
//! $$\tfrac12\|x - y\|^2 \ge \tfrac12\|y\|^2 - \lambda^Tb - \tfrac12\max_S\sum_{j \in S}\gamma_j(z_j),$$
//! where $\gamma_j(z) = c(2z - c)$, $c = \mathrm{clip}(z)$, is what letting entry $j$ be nonzero gains, and $S$ runs over the choices; the greedy choice attains the maximum (`picking.rs`), or
//! exceeds it where units need each other. Balls are left out of the bound. $\lambda$ is raised along supergradients $Ax(\lambda) - b$ with Polyak's steps. The choice at the best
//! $\lambda$ is projected onto exactly, which often meets the bound. Where entries are tied, as at zero, a single $\lambda$ chooses all of one row or none, so the units that were chosen most
//! along the way are tried, too; and the multipliers of the nearest point so far, $y - x = A^T\lambda$ on entries within their limits, are tried as $\lambda$, which ends the search where
//! steps would only come near. Where the bound is not met, the unit with the largest gain that is not decided is left out or put in.
//! If that takes more than [`MOST_NODES`] branches there is an error, never a point that is not nearest.

use super::ProjectionFault;
use super::bounds::clip;
use super::picking::{Place, greedy, ordered};
use super::within::{Plan, gain};
use crate::conic::Row;
use crate::error::Result;
use crate::linalg::{axpy, dot, norm};
use std::collections::HashSet;

/// Branches that are looked at before the search is given up.
const MOST_NODES: usize = 5000;
/// Steps for the multipliers, at the root and later.
const FIRST_STEPS: usize = 150;
const STEPS: usize = 25;
/// Steps after which the units that were chosen most are tried.
const TRIAL: usize = 10;
/// Excess of a row that counts as none, and what is left of a row that counts as a combination of others.
const TOUCHING: f64 = 1e-9;
/// Part of the squared distance that counts as none.
const NEGLIGIBLE: f64 = 1e-13;

type Found = Option<(Vec<usize>, Vec<f64>)>;

/// The coordinates of the nearest point, and its entries there; nothing if the set is empty.
pub(super) fn nearest_choice(plan: &Plan, point: &[f64]) -> Result<std::result::Result<Found, ProjectionFault>> {
    if point.iter().any(|x| !x.is_finite()) {
        return Ok(Err(ProjectionFault::TooLarge));
    }
    let size: f64 = point.iter().map(|x| x * x).sum();
    let mut search = Search { plan, point, size, best: None, known: None, seen: HashSet::new(), nodes: 0 };
    let places = vec![Place::Free; plan.choice.units()];
    let mut open = vec![(places, vec![0.0; plan.rows.len()])];
    while let Some((places, start)) = open.pop() {
        search.nodes += 1;
        if search.nodes > MOST_NODES {
            return Ok(Err(ProjectionFault::TooManyBranches { most: MOST_NODES }));
        }
        search.look(places, start, &mut open)?;
    }
    Ok(Ok(search.best.map(|(_, support, nearest)| (support, nearest))))
}

/// What is decided about each unit, and multipliers to begin with.
type Branch = (Vec<Place>, Vec<f64>);

struct Search<'p> {
    plan: &'p Plan,
    point: &'p [f64],
    /// $\|y\|^2$
    size: f64,
    /// The nearest point so far, with its squared distance.
    best: Option<(f64, Vec<usize>, Vec<f64>)>,
    /// The multipliers of the nearest point so far.
    known: Option<Vec<f64>>,
    /// The supports that were projected onto.
    seen: HashSet<Vec<usize>>,
    nodes: usize,
}

/// What multipliers show about a branch.
struct Shown {
    /// A lower bound of the squared distance.
    bound: f64,
    chosen: Vec<usize>,
    gains: Vec<f64>,
    slope: Vec<f64>,
}

impl Search<'_> {
    /// Looks at a branch, and leaves the two that it falls into behind where it may hold a nearer point.
    fn look(&mut self, mut places: Vec<Place>, start: Vec<f64>, open: &mut Vec<Branch>) -> Result<()> {
        if !self.settle(&mut places) {
            return Ok(());
        }
        let Some((lambda, shown)) = self.raised(&places, start)? else { return Ok(()) };
        if self.is_beaten(shown.bound) {
            return Ok(());
        }
        let free = shown.chosen.iter().copied().filter(|&unit| places[unit] == Place::Free);
        // Where everything is decided the only choice was projected onto.
        if let Some(unit) = free.max_by(|&a, &b| shown.gains[a].total_cmp(&shown.gains[b]).then(b.cmp(&a))) {
            for place in [Place::Out, Place::In] {
                places[unit] = place;
                open.push((places.clone(), lambda.clone()));
            }
        }
        Ok(())
    }

    /// Whether nothing with this bound can be nearer than what is known.
    fn is_beaten(&self, bound: f64) -> bool {
        self.best.as_ref().is_some_and(|(square, ..)| bound >= square - NEGLIGIBLE * (self.size + square))
    }

    /// Units whose needs can no longer be met are out; `false` if one of them must be in.
    fn settle(&self, places: &mut [Place]) -> bool {
        loop {
            let mut has_changed = false;
            for need in self.plan.choice.needs() {
                if need.one_of.iter().all(|&unit| places[unit] == Place::Out) && places[need.unit] != Place::Out {
                    if places[need.unit] == Place::In {
                        return false;
                    }
                    places[need.unit] = Place::Out;
                    has_changed = true;
                }
            }
            if !has_changed {
                return true;
            }
        }
    }

    /// The best multipliers that were found, and what they show; `None` if what must be in does not fit.
    fn raised(&mut self, places: &[Place], start: Vec<f64>) -> Result<Option<(Vec<f64>, Shown)>> {
        let steps = if self.nodes == 1 { FIRST_STEPS } else { STEPS };
        let mut lambda = start;
        let Some(mut shown) = self.shown(places, &lambda) else { return Ok(None) };
        let mut best = (lambda.clone(), shown.bound);
        let (mut often, mut used) = (vec![0.0; places.len()], None);
        for step in 0..steps {
            self.try_choice(&shown.chosen)?;
            shown.chosen.iter().for_each(|&unit| often[unit] += shown.gains[unit]);
            if step % TRIAL == TRIAL - 1
                && let Some(chosen) = greedy(&self.plan.choice, &ordered(&often), places)
            {
                self.try_choice(&chosen)?;
            }
            if self.known.is_some() && self.known != used {
                used.clone_from(&self.known);
                if let Some(known) = &used
                    && let Some(other) = self.shown(places, known)
                    && other.bound > best.1
                {
                    best = (known.clone(), other.bound);
                    (lambda, shown) = (known.clone(), other);
                }
            }
            let square: f64 = shown.slope.iter().map(|g| g * g).sum();
            if self.is_beaten(best.1) || square <= f64::MIN_POSITIVE {
                break;
            }
            // The bound is of the squared distance, twice what λ belongs to.
            let length = match &self.best {
                Some((known, ..)) => 0.5 * (known - shown.bound).max(0.0) / square,
                None => (self.size.sqrt() + 1.0) / ((step + 1) as f64 * square.sqrt()),
            };
            for ((x, g), row) in lambda.iter_mut().zip(&shown.slope).zip(&self.plan.rows) {
                *x += length * g;
                *x = if row.is_equality { *x } else { x.max(0.0) };
            }
            match self.shown(places, &lambda) {
                Some(next) => shown = next,
                None => return Ok(None),
            }
            if shown.bound > best.1 {
                best = (lambda.clone(), shown.bound);
            }
        }
        self.try_choice(&shown.chosen)?;
        let last = self.shown(places, &best.0);
        if let Some(last) = &last {
            self.try_choice(&last.chosen)?;
        }
        Ok(last.map(|shown| (best.0, shown)))
    }

    fn shown(&self, places: &[Place], lambda: &[f64]) -> Option<Shown> {
        let plan = self.plan;
        let mut moved = self.point.to_vec();
        let mut bound = self.size;
        for (row, x) in plan.rows.iter().zip(lambda) {
            row.terms.iter().for_each(|&(j, a)| moved[j] -= x * a);
            bound -= 2.0 * x * row.right;
        }
        let gain = |&j: &usize| gain(moved[j], plan.limits[j]);
        let gains: Vec<f64> =
            (0..plan.choice.units()).map(|unit| plan.choice.unit(unit).iter().map(gain).sum()).collect();
        let chosen = greedy(&plan.choice, &ordered(&gains), places)?;
        bound -= plan.choice.always_in().iter().map(gain).sum::<f64>();
        bound -= chosen.iter().map(|&unit| gains[unit]).sum::<f64>();
        let mut nearest = vec![0.0; moved.len()];
        let units = chosen.iter().flat_map(|&unit| plan.choice.unit(unit));
        for &j in plan.choice.always_in().iter().chain(units) {
            nearest[j] = clip(moved[j], plan.limits[j]);
        }
        let slope = plan.rows.iter().zip(lambda).map(|(row, x)| {
            let excess = row.terms.iter().map(|&(j, a)| a * nearest[j]).sum::<f64>() - row.right;
            if !row.is_equality && *x == 0.0 { excess.max(0.0) } else { excess }
        });
        let slope = slope.collect();
        Some(Shown { bound, chosen, gains, slope })
    }

    /// Projects onto a choice, if it is one that was not seen.
    fn try_choice(&mut self, chosen: &[usize]) -> Result<()> {
        let mut units = chosen.to_vec();
        units.sort_unstable();
        let choice = &self.plan.choice;
        if !choice.is_closed(&units) {
            return Ok(());
        }
        let support = choice.support(&units);
        if !self.seen.insert(support.clone()) {
            return Ok(());
        }
        if let Some((square, nearest)) = self.plan.on(&support, self.point)?
            && self.best.as_ref().is_none_or(|best| square < best.0)
        {
            self.known = Some(self.multipliers(&support, &nearest));
            self.best = Some((square, support, nearest));
        }
        Ok(())
    }

    /// Least squares of $y - x = A^T\lambda$ over the rows that hold with equality and the entries strictly within their limits. Any numbers are multipliers of a
    /// bound that holds; these make it meet the distance where the point is nearest among all choices and the bound can show it.
    fn multipliers(&self, support: &[usize], nearest: &[f64]) -> Vec<f64> {
        let plan = self.plan;
        let mut own = vec![0.0; self.point.len()];
        support.iter().zip(nearest).for_each(|(&j, x)| own[j] = *x);
        let is_inside = |j: usize| own[j] != 0.0 && plan.limits[j].0 < own[j] && own[j] < plan.limits[j].1;
        let at = |row: &Row| row.terms.iter().map(|&(j, a)| a * own[j]).sum::<f64>() - row.right;
        let touching: Vec<usize> =
            (0..plan.rows.len()).filter(|&r| plan.rows[r].is_equality || at(&plan.rows[r]) >= -TOUCHING).collect();
        let column = |r: usize| {
            let mut column = vec![0.0; self.point.len()];
            plan.rows[r].terms.iter().filter(|(j, _)| is_inside(*j)).for_each(|&(j, a)| column[j] = a);
            column
        };
        let mut rest: Vec<f64> =
            (0..own.len()).map(|j| if is_inside(j) { self.point[j] - own[j] } else { 0.0 }).collect();
        // Rows made orthogonal one after the other, each with what it is of the rows it was made from.
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let mut lambda = vec![0.0; plan.rows.len()];
        for r in touching {
            let mut vector = column(r);
            let mut made_of = vec![0.0; plan.rows.len()];
            made_of[r] = 1.0;
            for (unit, of) in basis.iter().chain(&basis) {
                let along = dot(&vector, unit);
                axpy(-along, unit, &mut vector);
                axpy(-along, of, &mut made_of);
            }
            let length = norm(&vector);
            if length > TOUCHING {
                vector.iter_mut().chain(&mut made_of).for_each(|x| *x /= length);
                basis.push((vector, made_of));
            }
        }
        for (unit, of) in basis.iter().chain(&basis) {
            let along = dot(&rest, unit);
            axpy(-along, unit, &mut rest);
            axpy(along, of, &mut lambda);
        }
        let signed = lambda.iter().zip(&plan.rows).map(|(x, row)| if row.is_equality { *x } else { x.max(0.0) });
        signed.collect()
    }
}
