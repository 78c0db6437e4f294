//! Which rows of $\Theta$ to use for the quadratic function $\tfrac12\mathrm{tr}\,\Theta^TA\Theta - \mathrm{tr}\,C^T\Theta$, $C \in \mathbb R^{p \times K}$.
//!
//! For a support $S$ the minimiser is $B = A_{SS}^{-1}C_S$ and the least value $-\tfrac12\mathrm{tr}\,C_S^TB$. With $G = A_{SS}^{-1}$, $v_j = GA_{Sj}$, $r_j = C_j - A_{jS}B$ and $d_j = A_{jj} - A_{jS}v_j$, all for all outputs
//! with one inverse:
//! - feature $j$ in: the value falls by $\tfrac12\|r_j\|^2/d_j$;
//! - feature $i$ out: it rises by $\tfrac12\|B_i\|^2/G_{ii}$;
//! - $i$ out and $j$ in: with $t = v_{ji}/G_{ii}$ it falls by $\tfrac12\|r_j + tB_i\|^2/(d_j + tv_{ji}) - \tfrac12\|B_i\|^2/G_{ii}$.
//!
//! These are exact, so a support at which no exchange promises anything is one where no exchange of one feature lowers the function.

use crate::error::Result;
use crate::linalg::{Cholesky, dot, norm_squared};

/// Share of $A_{jj}$ below which what a feature has of its own is rounding: it depends on those of the support.
const DEPENDENT: f64 = 1e-9;
/// Falls of the function below this share of all that it can fall are rounding.
const ROUNDING: f64 = 1e-12;
/// Exchanges in a row, for each feature of a support.
const MOST_EXCHANGES: usize = 50;
/// Columns that are made at a time: those of the most promising features.
const AHEAD: usize = 8;

/// The matrix $A$, whose columns are made when they are asked for.
pub(crate) trait QuadraticForm {
    /// $A_{jj}$
    fn diagonal(&self) -> &[f64];

    /// Makes columns that are not known yet.
    fn need(&mut self, features: &[usize]) -> Result<()>;

    /// A column that was asked for.
    fn column(&self, feature: usize) -> &[f64];

    /// Features, p.
    fn features(&self) -> usize {
        self.diagonal().len()
    }
}

/// The function: a form, and $C$ row by row.
pub(crate) struct Quadratic<'f> {
    pub(crate) form: &'f mut (dyn QuadraticForm + 'f),
    pub(crate) right: Vec<f64>,
    pub(crate) outputs: usize,
    /// What changes are compared with: all that the function can fall by at most.
    pub(crate) scale: f64,
}

/// A support, ascending, and what is known there.
pub(crate) struct At {
    pub(crate) support: Vec<usize>,
    /// $B$, row by row.
    pub(crate) coefficients: Vec<f64>,
    /// $G_{ii}$
    diagonal: Vec<f64>,
    /// $v_j$ of all features: that of feature $j$ and place $i$ of the support is at `i * p + j`.
    beside: Vec<f64>,
    /// $r_j$ and $d_j$
    residuals: Vec<f64>,
    own: Vec<f64>,
    /// The value of the function, not above zero.
    pub(crate) value: f64,
}

/// An exchange and by how much the function falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Swap {
    pub(crate) out: usize,
    pub(crate) into: usize,
    pub(crate) fall: f64,
}

/// A row of numbers for the outputs.
fn row_of(flat: &[f64], row: usize, outputs: usize) -> &[f64] {
    &flat[row * outputs..(row + 1) * outputs]
}

impl Quadratic<'_> {
    /// Looks at a support; `None` if its features depend on each other.
    pub(crate) fn at(&mut self, support: &[usize]) -> Result<Option<At>> {
        self.form.need(support)?;
        let (size, features, outputs) = (support.len(), self.form.features(), self.outputs);
        let (mut cholesky, mut inverse) = (Cholesky::default(), vec![0.0; size * size]);
        if size > 0 {
            let matrix = cholesky.matrix(size);
            for (place, &i) in support.iter().enumerate() {
                let column = self.form.column(i);
                support.iter().enumerate().for_each(|(other, &j)| matrix[place * size + other] = column[j]);
            }
            if !cholesky.factor() {
                return Ok(None);
            }
            cholesky.inverse(&mut inverse);
            let own = |(place, &j): (usize, &usize)| 1.0 / (inverse[place * size + place] * self.form.diagonal()[j]);
            if support.iter().enumerate().map(own).any(|share| share.is_nan() || share < DEPENDENT) {
                return Ok(None);
            }
        }
        let mut coefficients = vec![0.0; size * outputs];
        for (row, weights) in coefficients.chunks_exact_mut(outputs).zip(inverse.chunks_exact(size.max(1))) {
            for (&j, weight) in support.iter().zip(weights) {
                crate::linalg::axpy(*weight, &self.right[j * outputs..(j + 1) * outputs], row);
            }
        }
        let mut beside = vec![0.0; size * features];
        for (row, weights) in beside.chunks_exact_mut(features).zip(inverse.chunks_exact(size.max(1))) {
            support.iter().zip(weights).for_each(|(&j, weight)| crate::linalg::axpy(*weight, self.form.column(j), row));
        }
        let (mut residuals, mut own) = (self.right.clone(), self.form.diagonal().to_vec());
        for (place, &i) in support.iter().enumerate() {
            let (column, b) = (self.form.column(i), &coefficients[place * outputs..(place + 1) * outputs]);
            let v = &beside[place * features..(place + 1) * features];
            for j in 0..features {
                crate::linalg::axpy(-column[j], b, &mut residuals[j * outputs..(j + 1) * outputs]);
                own[j] -= column[j] * v[j];
            }
        }
        let value =
            -0.5 * support.iter().enumerate().map(|(place, &j)| self.along(&coefficients, place, j)).sum::<f64>();
        let diagonal = (0..size).map(|i| inverse[i * size + i]).collect();
        Ok(Some(At { support: support.to_vec(), coefficients, diagonal, beside, residuals, own, value }))
    }

    fn along(&self, coefficients: &[f64], place: usize, feature: usize) -> f64 {
        let k = self.outputs;
        dot(&coefficients[place * k..(place + 1) * k], &self.right[feature * k..(feature + 1) * k])
    }

    /// Whether a feature has something of its own beyond a support.
    fn is_independent(&self, own: f64, feature: usize) -> bool {
        own > DEPENDENT * self.form.diagonal()[feature] && own > 0.0
    }

    /// Whether a feature outside the support depends on those in it, or nearly, so that algebra cannot tell what it would do.
    fn has_dependent(&self, at: &At) -> bool {
        let outside = (0..self.form.features()).filter(|j| at.support.binary_search(j).is_err());
        outside.into_iter().any(|j| self.form.diagonal()[j] > 0.0 && !self.is_independent(at.own[j], j))
    }

    /// What each feature outside the support would lower the function by, the largest first.
    fn additions(&self, at: &At) -> Vec<(usize, f64)> {
        let outside = (0..self.form.features()).filter(|j| at.support.binary_search(j).is_err());
        let mut found: Vec<(usize, f64)> = outside
            .filter(|&j| self.is_independent(at.own[j], j))
            .map(|j| (j, 0.5 * norm_squared(row_of(&at.residuals, j, self.outputs)) / at.own[j]))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }

    /// The support with more features, one after the other, the best each time.
    pub(crate) fn grown(&mut self, mut at: At, size: usize) -> Result<At> {
        while at.support.len() < size {
            let found = self.additions(&at);
            let Some(&(best, fall)) = found.first() else { break };
            if fall <= ROUNDING * self.scale {
                break;
            }
            let ahead: Vec<usize> =
                found.iter().take(AHEAD.min(2 * (size - at.support.len()))).map(|(j, _)| *j).collect();
            self.form.need(&ahead)?;
            let mut support = at.support.clone();
            support.push(best);
            support.sort_unstable();
            match self.at(&support)? {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(at)
    }

    /// The support with fewer features, the least missed one out each time.
    pub(crate) fn shrunk(&mut self, mut at: At, size: usize) -> Result<At> {
        while at.support.len() > size {
            let rise = |place: usize| norm_squared(row_of(&at.coefficients, place, self.outputs)) / at.diagonal[place];
            let least = (0..at.support.len()).min_by(|&a, &b| rise(a).total_cmp(&rise(b)));
            let Some(least) = least else { break };
            let mut support = at.support.clone();
            support.remove(least);
            match self.at(&support)? {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(at)
    }

    /// All exchanges that promise a lower value, the best first.
    pub(crate) fn swaps(&self, at: &At) -> Vec<Swap> {
        let (features, outputs) = (self.form.features(), self.outputs);
        let mut found = Vec::new();
        for (place, &out) in at.support.iter().enumerate() {
            let (b, g) = (row_of(&at.coefficients, place, outputs), at.diagonal[place]);
            let (size, v) = (norm_squared(b), &at.beside[place * features..(place + 1) * features]);
            let rise = size / g;
            for into in (0..features).filter(|j| at.support.binary_search(j).is_err()) {
                let t = v[into] / g;
                let own = at.own[into] + t * v[into];
                if !self.is_independent(own, into) {
                    continue;
                }
                let r = row_of(&at.residuals, into, outputs);
                let gain = (norm_squared(r) + 2.0 * t * dot(r, b) + t * t * size) / own;
                let fall = 0.5 * (gain - rise);
                if fall > ROUNDING * self.scale {
                    found.push(Swap { out, into, fall });
                }
            }
        }
        found.sort_by(|a, b| b.fall.total_cmp(&a.fall).then((a.out, a.into).cmp(&(b.out, b.into))));
        found
    }

    /// Exchanges one feature for another, the best each time, until none lowers the function. The second says whether that is certain.
    pub(crate) fn settled(&mut self, mut at: At) -> Result<(At, bool)> {
        for _ in 0..MOST_EXCHANGES * at.support.len().max(1) {
            let found = self.swaps(&at);
            let mut moved = false;
            let ahead: Vec<usize> = found.iter().take(AHEAD).map(|swap| swap.into).collect();
            self.form.need(&ahead)?;
            for swap in found.iter().take(AHEAD) {
                if let Some(next) = self.at(&swapped(&at.support, *swap))?
                    && next.value < at.value - ROUNDING * self.scale
                {
                    (at, moved) = (next, true);
                    break;
                }
            }
            if !moved {
                let is_certain = found.len() <= AHEAD && !self.has_dependent(&at);
                return Ok((at, is_certain));
            }
        }
        Ok((at, false))
    }
}

/// A support after an exchange.
pub(crate) fn swapped(support: &[usize], swap: Swap) -> Vec<usize> {
    let mut next: Vec<usize> = support.iter().map(|&j| if j == swap.out { swap.into } else { j }).collect();
    next.sort_unstable();
    next
}
