//! The best matrix of low rank for squared loss, in closed form (reduced-rank regression, Izenman 1975).
//!
//! With $A$ the form of the features (the ridge included) and $\hat\Theta$ the minimiser without any set, $F(\Theta) = F(\hat\Theta) + \tfrac12\|L^T(\Theta - \hat\Theta)\|^2$ for $A = LL^T$. By Eckart and Young the best
//! $\Theta$ of rank $r$ is $\hat\Theta VV^T$ with $V$ the $r$ leading eigenvectors of $\hat\Theta^TA\hat\Theta$, and what is lost is half the sum of the other eigenvalues. So the least F of every rank is known, and with it how far the result is above it.

use super::form::Form;
use super::objective::Objective;
use super::squared::Squares;
use crate::error::Result;
use crate::gap::{Gap, OUTWARDS, Proof, ROUNDING};
use crate::linalg::{Eigen, add_transposed_product, axpy};

/// Share of F without features that the rounding of all sums may be.
const SUMS: f64 = 1e-13;

/// The result, and the bound that its closed form proves.
pub(crate) struct Reduced<'p> {
    pub(crate) theta: Vec<f64>,
    pub(crate) gap: Gap,
    /// The form of the features, all columns known.
    pub(crate) form: Form<'p>,
}

/// The best parameter of this rank; `None` where features depend on each other or a decomposition fails.
pub(crate) fn closed_form(objective: Objective<'_>, rank: usize) -> Result<Option<Reduced<'_>>> {
    let mut squares = Squares::of(objective)?;
    let (features, outputs, layout) = (objective.data.columns(), objective.outputs(), objective.arrangement());
    let all: Vec<usize> = (0..features).collect();
    let Some(best) = squares.fit(objective, &all)? else { return Ok(None) };
    let full = layout.coefficients(&best);
    // ΘᵀAΘ = ΘᵀC
    let mut matrix = vec![0.0; outputs * outputs];
    add_transposed_product(full, &squares.right, outputs, outputs, &mut matrix);
    for k in 0..outputs {
        for m in k + 1..outputs {
            matrix[k * outputs + m] = 0.5 * (matrix[k * outputs + m] + matrix[m * outputs + k]);
        }
    }
    let Some(eigen) = Eigen::of(&matrix, outputs) else { return Ok(None) };
    let rank = rank.min(outputs).min(features);
    let mut theta = layout.zeros();
    let (coefficients, intercepts) = layout.split_mut(&mut theta);
    for number in outputs - rank..outputs {
        let vector = eigen.vector(number);
        for (row, full) in coefficients.chunks_exact_mut(outputs).zip(full.chunks_exact(outputs)) {
            axpy(crate::linalg::dot(full, vector), vector, row);
        }
    }
    if !intercepts.is_empty() {
        intercepts.copy_from_slice(&squares.means);
        for (row, mean) in coefficients.chunks_exact(outputs).zip(squares.form.means()) {
            axpy(-mean, row, intercepts);
        }
    }
    let lost: f64 = eigen.values[..outputs - rank].iter().map(|value| 0.5 * value.max(0.0)).sum();
    let (reached, least) = (objective.value(&theta)?, objective.value(&best)?);
    let above = (reached - least - lost).max(0.0);
    let value = OUTWARDS * above + SUMS * squares.scale + ROUNDING * reached.abs();
    Ok(Some(Reduced { theta, gap: Gap { value, proof: Proof::ClosedForm }, form: squares.form }))
}
