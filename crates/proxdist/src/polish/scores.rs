//! What every exchange of features would do to F, from one pass over the data.
//!
//! At a minimiser on the support S (with the intercept, if there is one, always in it) let $A$ be the Hessian on S, $C$ its part
//! between S and the candidates, $d$ its diagonal and $g$ the gradient at the candidates. With $a = A^{-1}$ and $B = aC$, removing
//! $j \in S$ costs $\tfrac12\theta_j^2/a_{jj}$; then adding $i \notin S$ gains $\tfrac12$ of
//! $$\frac{(g_i - \theta_jB_{ji}/a_{jj})^2}{d_i - C_i^TB_i + B_{ji}^2/a_{jj}}.$$
//! This is exact for squared loss and the quadratic model otherwise, for all pairs at $O(|S|)$ a pair.

use super::on_data::RowDerivatives;
use crate::data::{Support, added, over_rows};
use crate::error::Result;
use crate::linalg::{Cholesky, add_transposed_product, axpy};
use crate::objective::Objective;

/// Derivatives at a point, for all columns.
pub(crate) struct Sweep {
    /// F.
    pub(crate) value: f64,
    /// Gradient, with the entry of the intercept last if there is one.
    pub(crate) gradient: Vec<f64>,
    /// $\sum_i w_i\ell''_ix_{ij}^2 + \lambda$ for every column.
    pub(crate) diagonal: Vec<f64>,
    /// Second derivatives between every column and the support (with the intercept), if they were asked for and are few
    /// enough to keep.
    crosses: Option<Vec<f64>>,
}

impl Sweep {
    /// F and its gradient from all data, second derivatives from a sample of them: on many rows a fraction of the work.
    pub(crate) fn estimated(objective: Objective, sample: Objective, theta: &[f64], support: &[usize]) -> Result<Self> {
        let mut gradient = vec![0.0; theta.len()];
        let value = objective.gradient(theta, &mut gradient)?;
        Ok(Self { value, gradient, ..sweep(sample, theta, support, None)? })
    }

    /// Whether the second derivatives with the support are known for all columns.
    pub(crate) fn has_crosses(&self) -> bool {
        self.crosses.is_some()
    }
}

/// Numbers of second derivatives that are kept: 32 MB.
const MOST_CROSSES: usize = 1 << 22;

/// Measures all columns at `theta` in one pass. A diagonal that is known already (squared loss: it never changes) saves work.
pub(crate) fn sweep(
    objective: Objective,
    theta: &[f64],
    support: &[usize],
    diagonal: Option<Vec<f64>>,
) -> Result<Sweep> {
    let columns = objective.data.columns();
    let intercept = theta.len() > columns;
    let size = support.len() + usize::from(intercept);
    let keeps_crosses = columns.saturating_mul(size + 1) <= MOST_CROSSES;
    // Beside each row stand its slope and, weighted with its curvature, its entries in the support.
    let width = if keeps_crosses { size + 1 } else { 1 };
    let needs_diagonal = diagonal.is_none();
    // At the end of the sums stand the derivative of the intercept and F.
    let length = columns * (width + usize::from(needs_diagonal)) + 2;
    let few = Support::of(&theta[..columns]);
    let parts = over_rows(
        objective.data,
        length,
        || (vec![0.0; length], Vec::new(), Vec::new(), RowDerivatives::default()),
        |(part, held, beside, derived), rows, range| {
            part[length - 1] += derived.measure(objective, theta, &few, rows, range.clone());
            let kept = if keeps_crosses { support } else { &[] };
            held.clear();
            rows.pick(kept, held);
            beside.clear();
            for (i, (slope, weight)) in derived.slopes.iter().zip(&derived.curvatures).enumerate() {
                beside.push(*slope);
                beside.extend(held[i * kept.len()..(i + 1) * kept.len()].iter().map(|x| weight * x));
                beside.extend((keeps_crosses && intercept).then_some(*weight));
            }
            part[length - 2] += derived.slopes.iter().sum::<f64>();
            rows.add_transposed_product(beside, width, &mut part[..columns * width]);
            if needs_diagonal {
                rows.add_weighted_squares(&derived.curvatures, &mut part[columns * width..length - 2]);
            }
            Ok(())
        },
    )?;
    let total = added(parts.into_iter().map(|(part, ..)| part).collect());
    let ridge = objective.ridge;
    let mut gradient: Vec<f64> = (0..columns).map(|j| total[j * width] + ridge * theta[j]).collect();
    gradient.extend(intercept.then_some(total[length - 2]));
    let diagonal = diagonal.unwrap_or_else(|| total[columns * width..length - 2].iter().map(|d| d + ridge).collect());
    let crosses = keeps_crosses
        .then(|| total[..columns * width].chunks_exact(width).flat_map(|row| &row[1..]).copied().collect());
    Ok(Sweep { value: total[length - 1] + objective.ridge_term(theta), gradient, diagonal, crosses })
}

/// One feature out, another in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swap {
    /// Position in the support of the feature that leaves; `None` if there is room.
    pub(crate) out: Option<usize>,
    /// Column that enters.
    pub(crate) enters: usize,
    /// Predicted change of F.
    pub(crate) change: f64,
}

/// The current minimiser on a support, as the scores need it.
pub(crate) struct Held<'a> {
    pub(crate) support: &'a [usize],
    /// Coefficients of the support, then the intercept if there is one.
    pub(crate) point: &'a [f64],
    /// Hessian on the same, full and symmetric.
    pub(crate) hessian: &'a [f64],
}

/// The inverse of a Hessian, nudged if it is singular. Symmetric, full.
pub(crate) fn inverse(hessian: &[f64], size: usize) -> Option<Vec<f64>> {
    let trace: f64 = (0..size).map(|j| hessian[j * size + j]).sum();
    let mut cholesky = Cholesky::default();
    [0.0, 1e-12, 1e-9, 1e-6].iter().find_map(|nudge| {
        let matrix = cholesky.matrix(size);
        matrix.copy_from_slice(hessian);
        (0..size).for_each(|j| matrix[j * size + j] += nudge * trace / size as f64);
        if !cholesky.factor() {
            return None;
        }
        let mut columns = vec![0.0; size * size];
        for (j, column) in columns.chunks_exact_mut(size).enumerate() {
            column[j] = 1.0;
            cholesky.solve(column);
        }
        Some(columns)
    })
}

/// The best swap for each candidate column, best first. With room in the support, additions instead. Gains are multiplied by
/// `caution`, which is above one where second derivatives are estimates.
pub(crate) fn swaps(
    objective: Objective,
    theta: &[f64],
    held: &Held,
    sweep: &Sweep,
    candidates: &[usize],
    has_room: bool,
    caution: f64,
) -> Result<Vec<Swap>> {
    let size = held.point.len();
    let Some(inverse) = inverse(held.hessian, size) else { return Ok(Vec::new()) };
    let separate = match sweep.crosses {
        Some(_) => None,
        None => Some(crosses(objective, theta, held.support, size, candidates)?),
    };
    let removable = held.support.len();
    let mut b = vec![0.0; size];
    let mut found: Vec<Swap> = Vec::with_capacity(candidates.len());
    for (at, &column) in candidates.iter().enumerate() {
        let cross = match (&sweep.crosses, &separate) {
            (Some(all), _) => &all[column * size..(column + 1) * size],
            (None, Some(some)) => &some[at * size..(at + 1) * size],
            (None, None) => &[],
        };
        b.fill(0.0);
        for (k, &c) in cross.iter().enumerate() {
            axpy(c, &inverse[k * size..(k + 1) * size], &mut b);
        }
        let explained: f64 = cross.iter().zip(&b).map(|(c, b)| c * b).sum();
        let left = (sweep.diagonal[column] - explained).max(0.0);
        let slope = sweep.gradient[column];
        // Below this a column is a combination of the others, and nothing can be gained from it.
        let least = 1e-10 * sweep.diagonal[column];
        let mut best = Swap { out: None, enters: column, change: 0.0 };
        if has_room {
            best.change = if left > least { -0.5 * slope * slope / left } else { 0.0 };
        } else {
            for j in 0..removable {
                let (own, value) = (inverse[j * size + j], held.point[j]);
                let curvature = left + b[j] * b[j] / own;
                if curvature > least {
                    let moved = slope - value * b[j] / own;
                    let change = 0.5 * (value * value / own - caution * moved * moved / curvature);
                    if change < best.change {
                        best = Swap { out: Some(j), enters: column, change };
                    }
                }
            }
        }
        if best.change < 0.0 {
            found.push(best);
        }
    }
    found.sort_by(|a, b| a.change.total_cmp(&b.change).then(a.enters.cmp(&b.enters)));
    Ok(found)
}

/// $C$ for some candidates only, `size` numbers each, in a pass of its own.
fn crosses(
    objective: Objective,
    theta: &[f64],
    support: &[usize],
    size: usize,
    candidates: &[usize],
) -> Result<Vec<f64>> {
    let length = candidates.len() * size;
    let few = Support::of(&theta[..objective.data.columns()]);
    let parts = over_rows(
        objective.data,
        length,
        || (vec![0.0; length], Vec::new(), Vec::new(), RowDerivatives::default()),
        |(part, block, weighted, derived), rows, range| {
            derived.measure(objective, theta, &few, rows, range.clone());
            block.clear();
            rows.pick(support, block);
            weighted.clear();
            for (i, weight) in derived.curvatures.iter().enumerate() {
                let x = &block[i * support.len()..(i + 1) * support.len()];
                weighted.extend(x.iter().map(|x| weight * x));
                weighted.extend((size > support.len()).then_some(*weight));
            }
            block.clear();
            rows.pick(candidates, block);
            add_transposed_product(block, weighted, range.len(), candidates.len(), size, part);
            Ok(())
        },
    )?;
    Ok(added(parts.into_iter().map(|(part, ..)| part).collect()))
}

/// Columns outside the support that are worth looking at: all if there are at most `most`, else those with the largest $g^2/d$.
pub(crate) fn screened(sweep: &Sweep, support: &[usize], most: usize) -> Vec<usize> {
    let columns = sweep.diagonal.len();
    let mut rest: Vec<usize> = (0..columns).filter(|j| support.binary_search(j).is_err()).collect();
    if columns <= most {
        return rest;
    }
    let score = |j: usize| {
        let gain = sweep.gradient[j] * sweep.gradient[j] / sweep.diagonal[j];
        if gain.is_finite() { gain } else { 0.0 }
    };
    rest.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    rest.truncate(most);
    rest.sort_unstable();
    rest
}

/// Predicted support of `keep` columns after removing features one by one, cheapest first, on the quadratic model.
pub(crate) fn eliminate(held: &Held, keep: usize) -> Option<Vec<usize>> {
    let size = held.point.len();
    let mut inverse = inverse(held.hessian, size)?;
    let mut point = held.point.to_vec();
    let mut alive: Vec<usize> = (0..held.support.len()).collect();
    while alive.len() > keep {
        let cost = |&j: &usize| point[j] * point[j] / inverse[j * size + j].max(f64::MIN_POSITIVE);
        let at = (0..alive.len()).min_by(|&a, &b| cost(&alive[a]).total_cmp(&cost(&alive[b])))?;
        let j = alive.remove(at);
        let own = inverse[j * size + j];
        let column: Vec<f64> = inverse[j * size..(j + 1) * size].to_vec();
        axpy(-point[j] / own, &column, &mut point);
        for k in 0..size {
            axpy(-column[k] / own, &column, &mut inverse[k * size..(k + 1) * size]);
        }
    }
    Some(alive.into_iter().map(|j| held.support[j]).collect())
}

/// Support of the nonzero coefficients of a full point.
pub(crate) fn support_of(theta: &[f64], columns: usize) -> Vec<usize> {
    let support = Support::of(&theta[..columns]);
    match support.indices() {
        Some(few) => few.to_vec(),
        None => (0..columns).filter(|&j| theta[j] != 0.0).collect(),
    }
}
