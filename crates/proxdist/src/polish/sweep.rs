//! First and second derivatives of F for all columns, from one pass over the data.

use super::Smooth as _;
use super::on_columns::OnColumns;
use super::on_data::RowDerivatives;
use crate::data::{Pass, Support};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::{add_transposed_product, dot};
use crate::objective::Objective;

/// Derivatives at a point, for all columns.
pub(crate) struct Sweep {
    /// F.
    pub(crate) value: f64,
    /// Gradient, with the entry of the intercept last if there is one.
    pub(crate) gradient: Vec<f64>,
    /// $\sum_i w_i\ell''_ix_{ij}^2 + \lambda$ for every column.
    pub(crate) diagonal: Vec<f64>,
    /// $\sum_i w_i\ell''_i$, the second derivative of the intercept.
    bend: f64,
    /// Second derivatives between every column and the support (with the intercept), if they were asked for and are few
    /// enough to keep.
    pub(crate) crosses: Option<Vec<f64>>,
}

impl Sweep {
    /// F and its gradient from all data, second derivatives from a sample of them: on many rows a fraction of the work.
    pub(crate) fn estimated(objective: Objective, sample: Objective, theta: &[f64], support: &[usize]) -> Result<Self> {
        let mut gradient = vec![0.0; theta.len()];
        let value = objective.gradient(theta, &mut gradient)?;
        Ok(Self { value, gradient, ..sweep(sample, theta, support, None)? })
    }

    /// The Hessian on the support and the intercept, full and symmetric; the support must be that of the sweep.
    pub(crate) fn hessian(&self, objective: Objective, theta: &[f64], support: &[usize]) -> Result<Vec<f64>> {
        let (whole, own) = (objective.layout(), objective.layout().reduced_to(support.len()));
        if let Some(hessian) = self.hessian_on(support, own) {
            return Ok(hessian);
        }
        let mut hessian = vec![0.0; own.len() * own.len()];
        let mut function = OnColumns::new(objective, support)?;
        function.linearise(&whole.gathered(support, theta))?;
        function.hessian(&mut hessian)?;
        Ok(hessian)
    }

    /// Derivatives that were measured elsewhere: F and its gradient, the diagonal with the ridge, the second derivative of the intercept, and those between every
    /// column and the support with the intercept.
    pub(crate) fn known((value, gradient): (f64, Vec<f64>), diagonal: Vec<f64>, bend: f64, crosses: Vec<f64>) -> Self {
        Self { value, gradient, diagonal, bend, crosses: Some(crosses) }
    }

    /// The Hessian on the support and the intercept from the second derivatives with it, if they were kept.
    pub(crate) fn hessian_on(&self, support: &[usize], own: Layout) -> Option<Vec<f64>> {
        let crosses = self.crosses.as_ref()?;
        let size = own.len();
        let mut hessian = vec![0.0; size * size];
        for (a, &j) in support.iter().enumerate() {
            for b in 0..size {
                let entry = crosses[j * size + b];
                hessian[a * size + b] = entry;
                hessian[b * size + a] = entry;
            }
        }
        // The diagonal includes the ridge.
        support.iter().enumerate().for_each(|(a, &j)| hessian[a * size + a] = self.diagonal[j]);
        if let Some(free) = own.place_of_intercept() {
            hessian[free * size + free] = self.bend;
        }
        Some(hessian)
    }

    /// Whether the second derivatives with the support are known for all columns.
    pub(crate) fn has_crosses(&self) -> bool {
        self.crosses.is_some()
    }
}

/// Numbers of second derivatives that are kept: 32 MB.
pub(super) const MOST_CROSSES: usize = 1 << 22;

/// Measures all columns at `theta` in one pass. A diagonal that is known already (squared loss: it never changes) saves work.
pub(crate) fn sweep(
    objective: Objective,
    theta: &[f64],
    support: &[usize],
    diagonal: Option<Vec<f64>>,
) -> Result<Sweep> {
    let layout = objective.layout();
    let (columns, size) = (layout.coefficient_count(), layout.reduced_to(support.len()).len());
    let keeps_crosses = columns.saturating_mul(size + 1) <= MOST_CROSSES;
    // Beside each row stand its slope and, weighted with its curvature, its entries in the support.
    let width = if keeps_crosses { size + 1 } else { 1 };
    let needs_diagonal = diagonal.is_none();
    // At the end of the sums stand the two derivatives of the intercept and F.
    let length = columns * (width + usize::from(needs_diagonal)) + 3;
    let few = Support::of(layout.coefficients(theta));
    let total = Pass::over(objective.data, length).sum(
        length,
        || (Vec::new(), Vec::new(), RowDerivatives::default()),
        |part, (held, beside, derived): &mut (Vec<f64>, Vec<f64>, RowDerivatives), chunk| {
            part[length - 1] += derived.measure(objective, theta, &few, chunk);
            let kept = if keeps_crosses { support } else { &[] };
            held.clear();
            chunk.rows.pick(kept, held);
            beside.clear();
            for (i, (slope, weight)) in derived.slopes.iter().zip(&derived.curvatures).enumerate() {
                beside.push(*slope);
                beside.extend(held[i * kept.len()..(i + 1) * kept.len()].iter().map(|x| weight * x));
                beside.extend((keeps_crosses && layout.has_intercepts()).then_some(*weight));
            }
            part[length - 2] += derived.slopes.iter().sum::<f64>();
            part[length - 3] += derived.curvatures.iter().sum::<f64>();
            chunk.rows.add_transposed_product(beside, width, &mut part[..columns * width]);
            if needs_diagonal {
                chunk.rows.add_weighted_squares(&derived.curvatures, &mut part[columns * width..length - 3]);
            }
        },
    )?;
    let ridge = objective.ridge;
    let mut gradient: Vec<f64> = (0..columns).map(|j| total[j * width] + ridge.at(j) * theta[j]).collect();
    gradient.extend(layout.has_intercepts().then_some(total[length - 2]));
    let squares = || total[columns * width..length - 3].iter().enumerate();
    let diagonal = diagonal.unwrap_or_else(|| squares().map(|(j, d)| d + ridge.at(j)).collect());
    let crosses = keeps_crosses
        .then(|| total[..columns * width].chunks_exact(width).flat_map(|row| &row[1..]).copied().collect());
    let value = total[length - 1] + objective.ridge_term(theta);
    Ok(Sweep { value, gradient, diagonal, bend: total[length - 3], crosses })
}

/// Gradients at several points that are zero outside `support`, in one pass: for each column one number a point.
pub(crate) fn gradients(objective: Objective, support: &[usize], points: &[Vec<f64>]) -> Result<Vec<f64>> {
    let (columns, width) = (objective.data.columns(), points.len());
    let layout = objective.layout().reduced_to(support.len());
    let mut total = Pass::over(objective.data, columns * width).sum(
        columns * width,
        || (Vec::new(), Vec::new(), RowDerivatives::default()),
        |part, (held, beside, derived): &mut (Vec<f64>, Vec<f64>, RowDerivatives), chunk| {
            held.clear();
            chunk.rows.pick(support, held);
            beside.clear();
            beside.resize(chunk.len() * width, 0.0);
            for (at, point) in points.iter().enumerate() {
                let (coefficients, intercept) = (layout.coefficients(point), layout.intercept(point));
                let products =
                    (0..chunk.len()).map(|i| dot(&held[i * support.len()..(i + 1) * support.len()], coefficients));
                derived.predict(objective, products, intercept.unwrap_or(0.0), chunk);
                derived.differentiate(objective, chunk);
                derived.slopes.iter().enumerate().for_each(|(i, slope)| beside[i * width + at] = *slope);
            }
            chunk.rows.add_transposed_product(beside, width, part);
        },
    )?;
    for (at, point) in points.iter().enumerate() {
        support.iter().zip(point).for_each(|(&j, value)| total[j * width + at] += objective.ridge.at(j) * value);
    }
    Ok(total)
}

/// $C$ for some candidates only, one number for each of the support and the intercept, in a pass of its own.
pub(crate) fn crosses(
    objective: Objective,
    theta: &[f64],
    support: &[usize],
    candidates: &[usize],
) -> Result<Vec<f64>> {
    let layout = objective.layout();
    let size = layout.reduced_to(support.len()).len();
    let length = candidates.len() * size;
    let few = Support::of(layout.coefficients(theta));
    Pass::over(objective.data, length).sum(
        length,
        || (Vec::new(), Vec::new(), RowDerivatives::default()),
        |part, (block, weighted, derived): &mut (Vec<f64>, Vec<f64>, RowDerivatives), chunk| {
            derived.measure(objective, theta, &few, chunk);
            block.clear();
            chunk.rows.pick(support, block);
            weighted.clear();
            for (i, weight) in derived.curvatures.iter().enumerate() {
                let x = &block[i * support.len()..(i + 1) * support.len()];
                weighted.extend(x.iter().map(|x| weight * x));
                weighted.extend(layout.has_intercepts().then_some(*weight));
            }
            block.clear();
            chunk.rows.pick(candidates, block);
            add_transposed_product(block, weighted, candidates.len(), size, part);
        },
    )
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
