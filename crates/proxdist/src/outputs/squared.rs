//! Rows for squared loss: F is a quadratic form, exchanges are exact algebra, and coefficients come from one Cholesky factor for all outputs.
//!
//! The search grows a support feature by feature and exchanges until no exchange helps; then once more from twice as many features, shrunk; the better one is kept. Where choices are few, all of them
//! are looked at.

use super::exchange::{At, Quadratic, QuadraticForm as _};
use super::form::Form;
use super::objective::Objective;
use crate::error::Result;
use crate::exchanges::Exchanges;
use crate::linalg::{Cholesky, axpy};
use crate::polish::Poll;

/// Choices up to which every one is looked at.
const FEW_CHOICES: f64 = 20_000.0;
/// Steps of refinement with the residuals of the data themselves.
const REFINEMENTS: usize = 1;

/// A support and what is known about others.
pub(crate) struct Chosen {
    pub(crate) support: Vec<usize>,
    pub(crate) exchanges: Exchanges,
    /// A parameter that tells the classes of all rows apart, where there is no minimum.
    pub(crate) apart: Option<Vec<f64>>,
}

impl Chosen {
    fn new(support: Vec<usize>, exchanges: Exchanges) -> Self {
        Self { support, exchanges, apart: None }
    }
}

/// The form of squared loss, with the means of the responses.
pub(crate) struct Squares<'p> {
    pub(crate) form: Form<'p>,
    /// $\sum_iw_i(x_i - \bar x)(y_i - \bar y)^T/\sum_iw_i$, row by row.
    pub(crate) right: Vec<f64>,
    pub(crate) means: Vec<f64>,
    /// Half the mean square of the responses: what F can fall by at most.
    pub(crate) scale: f64,
}

impl<'p> Squares<'p> {
    pub(crate) fn of(objective: Objective<'p>) -> Result<Self> {
        let (data, outputs) = (objective.data, objective.outputs());
        let ridge: Vec<f64> = (0..data.columns()).map(|j| objective.ridge.at(j)).collect();
        let form = Form::new(data, objective.has_intercepts, &ridge)?;
        // Squares know no difference between an offset and a smaller response.
        let y = objective.responses.without_offset();
        let mut means = vec![0.0; outputs];
        if objective.has_intercepts {
            y.chunks_exact(outputs)
                .enumerate()
                .for_each(|(i, y)| axpy(data.weight(i) / data.weight_sum(), y, &mut means));
        }
        let away: Vec<f64> = y.chunks_exact(outputs).flat_map(|y| y.iter().zip(&means).map(|(y, m)| y - m)).collect();
        let squares = away.chunks_exact(outputs).enumerate();
        let scale = squares.map(|(i, y)| 0.5 * data.weight(i) * y.iter().map(|y| y * y).sum::<f64>()).sum::<f64>();
        let right = form.with(&away, outputs)?;
        Ok(Self { form, right, means, scale: scale / data.weight_sum() })
    }

    /// F as a function of the choice of rows.
    pub(super) fn quadratic(&mut self, outputs: usize) -> Quadratic<'_> {
        Quadratic { form: &mut self.form, right: self.right.clone(), outputs, scale: self.scale }
    }

    /// The best support of `limit` features that the search finds, not worse than those it starts from.
    pub(crate) fn search(&mut self, outputs: usize, limit: usize, starts: &[Vec<usize>], poll: Poll) -> Result<Chosen> {
        let features = self.form.features();
        let limit = limit.min(features);
        if limit == features {
            return Ok(Chosen::new((0..features).collect(), Exchanges::EveryChoice));
        }
        let mut quadratic = self.quadratic(outputs);
        if binomial(features, limit) <= FEW_CHOICES
            && let Some(support) = every_choice(&mut quadratic, limit)?
        {
            return Ok(Chosen::new(support, Exchanges::EveryChoice));
        }
        let Some(empty) = quadratic.at(&[])? else {
            return Ok(Chosen::new(Vec::new(), Exchanges::CutShort));
        };
        let grown = quadratic.grown(empty, limit)?;
        let support = grown.support.clone();
        let (mut best, mut is_exhausted) = quadratic.settled(grown)?;
        let mut others = vec![support];
        others.extend(starts.iter().filter(|start| start.len() <= limit).cloned());
        for (number, start) in others.iter().enumerate() {
            if poll().is_break() {
                is_exhausted = false;
                break;
            }
            let Some(at) = quadratic.at(start)? else { continue };
            let wide = if number == 0 { (2 * limit).min(features) } else { limit };
            let at = quadratic.grown(at, wide)?;
            let at = quadratic.shrunk(at, limit)?;
            let (at, exhausted) = quadratic.settled(at)?;
            if at.value < best.value {
                (best, is_exhausted) = (at, exhausted);
            }
        }
        let is_full = best.support.len() == limit;
        let exchanges = if is_exhausted && is_full { Exchanges::Algebra } else { Exchanges::CutShort };
        Ok(Chosen::new(best.support, exchanges))
    }

    /// The best coefficients on a support, as a whole parameter; `None` if its features depend on each other.
    pub(crate) fn fit(&mut self, objective: Objective, support: &[usize]) -> Result<Option<Vec<f64>>> {
        self.form.need(support)?;
        let (size, outputs, layout) = (support.len(), objective.outputs(), objective.arrangement());
        let mut cholesky = Cholesky::default();
        let matrix = cholesky.matrix(size);
        for (place, &i) in support.iter().enumerate() {
            let column = self.form.column(i);
            support.iter().enumerate().for_each(|(other, &j)| matrix[place * size + other] = column[j]);
        }
        if size > 0 && !cholesky.factor() {
            return Ok(None);
        }
        let mut theta = layout.zeros();
        layout.split_mut(&mut theta).1.copy_from_slice(if objective.has_intercepts { &self.means } else { &[] });
        let mut pull: Vec<f64> = self.right.iter().map(|c| -c).collect();
        for step in 0..=REFINEMENTS {
            let mut column = vec![0.0; size];
            for k in 0..outputs {
                column.iter_mut().zip(support).for_each(|(out, &j)| *out = -pull[j * outputs + k]);
                if size > 0 {
                    cholesky.solve(&mut column);
                }
                let (coefficients, intercepts) = layout.split_mut(&mut theta);
                for (change, &j) in column.iter().zip(support) {
                    coefficients[j * outputs + k] += change;
                    if let Some(intercept) = intercepts.get_mut(k) {
                        *intercept -= change * self.form.means()[j];
                    }
                }
            }
            if step == REFINEMENTS {
                break;
            }
            let mut gradient = vec![0.0; theta.len()];
            objective.gradient(&theta, &mut gradient)?;
            // The intercepts first, which no support limits.
            let (along, free) = layout.split(&gradient);
            pull.copy_from_slice(along);
            let free = free.to_vec();
            for (j, row) in pull.chunks_exact_mut(outputs).enumerate() {
                row.iter_mut().zip(&free).for_each(|(g, f)| *g -= self.form.means()[j] * f);
            }
            layout.split_mut(&mut theta).1.iter_mut().zip(&free).for_each(|(b, f)| *b -= f);
        }
        Ok(Some(theta))
    }
}

/// Number of choices of `some` of `all`.
pub(crate) fn binomial(all: usize, some: usize) -> f64 {
    (0..some.min(all - some)).fold(1.0, |product, i| product * (all - i) as f64 / (i + 1) as f64)
}

/// Calls `visit` on every choice of `size` of `all`, ascending.
pub(crate) fn each_choice(all: usize, size: usize, visit: &mut dyn FnMut(&[usize]) -> Result<()>) -> Result<()> {
    let mut chosen: Vec<usize> = (0..size).collect();
    loop {
        visit(&chosen)?;
        let Some(place) = (0..size).rev().find(|&place| chosen[place] < all - size + place) else { return Ok(()) };
        chosen[place] += 1;
        (place + 1..size).for_each(|later| chosen[later] = chosen[later - 1] + 1);
    }
}

/// The best of all supports of this size; `None` if some of them have features that depend on each other, which algebra cannot compare.
fn every_choice(quadratic: &mut Quadratic, size: usize) -> Result<Option<Vec<usize>>> {
    let (mut best, mut is_complete): (Option<At>, bool) = (None, true);
    each_choice(quadratic.form.features(), size, &mut |support| {
        match quadratic.at(support)? {
            Some(at) if best.as_ref().is_none_or(|best| at.value < best.value) => best = Some(at),
            Some(_) => {}
            None => is_complete = false,
        }
        Ok(())
    })?;
    Ok(best.filter(|_| is_complete).map(|at| at.support))
}
