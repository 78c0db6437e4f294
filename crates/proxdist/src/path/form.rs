//! F of a quadratic loss as a function of the coefficients alone, in units without units.
//!
//! With the intercept at its optimum and every column divided by its size, $\hat\theta_j = s_j\theta_j$ with $s_j^2 = S_{jj}/\sum w$,
//! $$F = F_0 - b^T\hat\theta + \tfrac12\hat\theta^TG\hat\theta, \qquad G_{jk} = \frac{S_{jk}}{\sqrt{S_{jj}S_{kk}}} + \frac{\lambda_j}{s_j^2}1\{j = k\}, \quad b_j = \frac{S_{jz}}{s_j\sum w}.$$
//! $G$ is kept whole where it fits the memory; beyond that ([`OnDemand`]) only rows of features that were asked for.

use super::centred::Centred;
use super::on_demand::OnDemand;
use crate::error::Result;
use crate::linalg::{Cholesky, all_finite, dot, mirror};
use crate::proof::Summed;
use crate::ridge::Ridge;
use crate::scaling::Scaling;

/// Columns whose rest beside others is smaller than this share of them count as combinations of those.
pub(super) const INDEPENDENT: f64 = 1e-9;

/// Where rows of $G$ come from.
enum Products<'a> {
    Whole(Vec<f64>),
    OnDemand(Box<OnDemand<'a>>),
}

/// The quadratic form.
pub(super) struct Form<'a> {
    products: Products<'a>,
    /// $b$
    pub(super) linear: Vec<f64>,
    /// The diagonal of $G$, with the ridge.
    pub(super) diagonal: Vec<f64>,
    /// Whether a column varies at all.
    pub(super) is_usable: Vec<bool>,
    /// F without any feature, up to a constant.
    pub(super) at_zero: f64,
    units: FormUnits,
}

/// The way back to the units of the problem.
#[derive(Clone, Debug)]
pub(super) struct FormUnits {
    /// $s_j$
    pub(super) scales: Vec<f64>,
    pub(super) means: Vec<f64>,
    pub(super) mean_response: f64,
    /// $\sum_ic_i/\sum_iw_i$, the second derivative of the intercept.
    pub(super) bend: f64,
    pub(super) has_intercept: bool,
}

impl FormUnits {
    /// The problem sees these columns scaled.
    fn see_scaled(&mut self, scaling: &Scaling) {
        for (j, (mean, factor)) in scaling.means.iter().zip(&scaling.factors).enumerate() {
            self.scales[j] *= factor;
            self.means[j] = (self.means[j] - mean) * factor;
        }
    }

    /// Coefficients on a support with the best intercept, if there is one.
    fn point(&self, support: &[usize], scaled: &[f64]) -> Vec<f64> {
        let mut point: Vec<f64> = support.iter().zip(scaled).map(|(&j, value)| value / self.scales[j]).collect();
        if self.has_intercept {
            let shift: f64 = support.iter().zip(&point).map(|(&j, value)| self.means[j] * value).sum();
            point.push(self.mean_response - shift);
        }
        point
    }
}

impl<'a> Form<'a> {
    /// The whole matrix from sums of rows, whose columns the problem may see scaled. `None` if the numbers are too extreme.
    pub(super) fn whole(sums: Centred, scaling: Option<&Scaling>, has_intercept: bool) -> Option<Self> {
        let columns = sums.means.len();
        let is_usable: Vec<bool> = (0..columns).map(|j| sums.has(j, has_intercept)).collect();
        let Centred { mass, bend, means, mean_response, second: mut matrix, linear, square, .. } = sums;
        let root = |j: usize| if is_usable[j] { matrix[j * columns + j].sqrt() } else { 1.0 };
        let roots: Vec<f64> = (0..columns).map(root).collect();
        for j in 0..columns {
            let column = &mut matrix[j * columns + j..(j + 1) * columns];
            let size = roots[j];
            column.iter_mut().zip(&roots[j..]).for_each(|(s, root)| *s /= size * root);
        }
        mirror(&mut matrix, columns);
        let scales = roots.iter().map(|root| root / mass.sqrt()).collect();
        let linear: Vec<f64> = linear.iter().zip(&roots).map(|(b, root)| b / (root * mass.sqrt())).collect();
        let mut units = FormUnits { scales, means, mean_response, bend: bend / mass, has_intercept };
        if let Some(scaling) = scaling {
            units.see_scaled(scaling);
        }
        let form = Self::new(Products::Whole(matrix), linear, is_usable, 0.5 * square / mass, units);
        form.is_finite().then_some(form)
    }

    /// Rows of the matrix when they are asked for.
    pub(super) fn on_demand(source: OnDemand<'a>, scaling: Option<&Scaling>) -> Option<Self> {
        let (linear, is_usable, at_zero, mut units) = source.form();
        if let Some(scaling) = scaling {
            units.see_scaled(scaling);
        }
        let form = Self::new(Products::OnDemand(Box::new(source)), linear, is_usable, at_zero, units);
        form.is_finite().then_some(form)
    }

    fn new(products: Products<'a>, linear: Vec<f64>, is_usable: Vec<bool>, at_zero: f64, units: FormUnits) -> Self {
        let diagonal = vec![1.0; linear.len()];
        Self { products, linear, diagonal, is_usable, at_zero, units }
    }

    fn is_finite(&self) -> bool {
        let is_finite = match &self.products {
            Products::Whole(matrix) => all_finite(matrix),
            Products::OnDemand(_) => true,
        };
        is_finite && self.at_zero.is_finite() && all_finite(&self.linear) && self.units.bend > 0.0
    }

    /// The way back to the units of the problem.
    pub(super) fn units(&self) -> &FormUnits {
        &self.units
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.linear.len()
    }

    /// Puts a ridge on the diagonal in place of the one before.
    pub(super) fn set_ridge(&mut self, ridge: Ridge) {
        let columns = self.columns();
        for j in 0..columns {
            let scale = self.units.scales[j];
            self.diagonal[j] = if self.is_usable[j] { 1.0 + ridge.at(j) / (scale * scale) } else { 1.0 };
            match &mut self.products {
                Products::Whole(matrix) => matrix[j * columns + j] = self.diagonal[j],
                Products::OnDemand(source) => source.set_diagonal(j, self.diagonal[j]),
            }
        }
    }

    /// The function for proofs, on data of so many rows; `None` where the matrix is not whole.
    pub(super) fn summed(self, rows: usize) -> Option<Summed> {
        let columns = self.columns();
        let Products::Whole(mut gram) = self.products else { return None };
        let mut linear = self.linear;
        for j in (0..columns).filter(|&j| !self.is_usable[j]) {
            // Such a column changes nothing.
            linear[j] = 0.0;
            (0..columns).for_each(|k| (gram[j * columns + k], gram[k * columns + j]) = (0.0, 0.0));
        }
        Summed::new(gram, linear, self.at_zero, self.units.scales, rows)
    }

    /// Makes sure that rows are there; `likely` are those that may be asked for soon.
    pub(super) fn fetch(&mut self, needed: &[usize], likely: &[usize]) -> Result<()> {
        match &mut self.products {
            Products::Whole(_) => Ok(()),
            Products::OnDemand(source) => source.fetch(needed, likely, &self.diagonal),
        }
    }

    /// Whether rows cost a pass over the data.
    pub(super) fn is_on_demand(&self) -> bool {
        matches!(self.products, Products::OnDemand(_))
    }

    /// A row of $G$ that is there.
    pub(super) fn row(&self, column: usize) -> &[f64] {
        let columns = self.columns();
        match &self.products {
            Products::Whole(matrix) => &matrix[column * columns..(column + 1) * columns],
            Products::OnDemand(source) => source.row(column),
        }
    }

    /// $G_{SS}$, factored; `false` if its columns are too nearly dependent.
    pub(super) fn factor(&self, support: &[usize], cholesky: &mut Cholesky) -> bool {
        let count = support.len();
        let matrix = cholesky.matrix(count);
        for (a, &j) in support.iter().enumerate() {
            let row = self.row(j);
            support.iter().enumerate().for_each(|(b, &k)| matrix[a * count + b] = row[k]);
        }
        if count == 0 {
            return true;
        }
        let least = if cholesky.factor() { cholesky.least_pivot() } else { f64::NAN };
        least * least > INDEPENDENT
    }

    /// The minimiser on a support in the units of the problem, with the intercept if there is one; `None` if its columns are too nearly
    /// dependent.
    pub(super) fn minimiser(&mut self, support: &[usize], cholesky: &mut Cholesky) -> Result<Option<Vec<f64>>> {
        self.fetch(support, &[])?;
        if !self.factor(support, cholesky) {
            return Ok(None);
        }
        let mut scaled: Vec<f64> = support.iter().map(|&j| self.linear[j]).collect();
        if !scaled.is_empty() {
            cholesky.solve(&mut scaled);
        }
        Ok(Some(self.units.point(support, &scaled)))
    }

    /// The Newton step that takes a gradient on a support to zero; the support is the one that was factored last.
    pub(super) fn step(&self, support: &[usize], gradient: &[f64], cholesky: &mut Cholesky) -> Vec<f64> {
        let FormUnits { scales, means, bend, has_intercept, .. } = &self.units;
        let slope = if *has_intercept { gradient[support.len()] } else { 0.0 };
        let mut step: Vec<f64> =
            support.iter().zip(gradient).map(|(&j, g)| -(g - means[j] * slope) / scales[j]).collect();
        if !step.is_empty() {
            cholesky.solve(&mut step);
        }
        support.iter().zip(&mut step).for_each(|(&j, d)| *d /= scales[j]);
        if *has_intercept {
            let means: Vec<f64> = support.iter().map(|&j| means[j]).collect();
            let shift = dot(&means, &step);
            step.push(-slope / bend - shift);
        }
        step
    }

    /// The second derivatives of F along the coefficients of a support, then along the intercept.
    pub(super) fn curvatures(&self, support: &[usize]) -> Vec<f64> {
        let FormUnits { scales, means, bend, has_intercept, .. } = &self.units;
        let mean = |j: usize| if *has_intercept { bend * means[j] * means[j] } else { 0.0 };
        let mut all: Vec<f64> = support.iter().map(|&j| scales[j] * scales[j] * self.diagonal[j] + mean(j)).collect();
        all.extend(has_intercept.then_some(*bend));
        all
    }
}
