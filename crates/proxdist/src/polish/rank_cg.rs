//! Newton's direction along the low-rank matrices without a matrix: conjugate gradients, each at one pass over the rows. See
//! [`super::rank`].
//!
//! The intercept is eliminated: its best value for a direction $\xi$ is $-\langle k, \xi\rangle/c$ with $k = \sum c_iX_i$, $c = \sum c_i$, so columns far
//! from zero do no harm. The directions are matrices in the tangent space.
//!
//! The preconditioner pretends that the entries of the rows are uncorrelated, with curvatures $h_{ij}$ of their own. Then the normal
//! equations in $A$ alone fall apart into a small matrix $U^T\mathrm{diag}(h_{\cdot j})U$ for each column $j$, those in $B$ into
//! $V^T\mathrm{diag}(h_{i\cdot})V$ for each row $i$, and the residual $R$ becomes $UA + BV^T$ with $A$, $B$ their solutions for $U^TR$ and $RV$. So
//! entries in different units, and curvatures that differ along $U$ and $V$, need no more products than others.
//!
//! The length of a direction is limited in the metric of the preconditioner after a failure (Steihaug 1983). Where the model bends down along a
//! direction, that limit ends it, or, if there is none yet, what was found before.

use super::factors::{Factors, transposed};
use super::on_data::OnData;
use super::rank::Model;
use super::rank_ball::within_ball;
use super::rank_place::Place;
use super::smooth::Smooth;
use crate::error::Result;
use crate::linalg::{Cholesky, axpy, dot};
use crate::objective::Objective;

/// Products for one direction.
const MOST_PRODUCTS: usize = 1000;
/// The residual of a direction relative to the gradient, at most.
const FORCING: f64 = 0.1;
/// Added to the small matrices, relative to their mean diagonal.
const LEAST: f64 = 1e-12;
/// The limit relative to the first one at which there is no hope.
const SHORTEST: f64 = 1e-30;
/// The next limit relative to a direction that was refused.
const SHORTER: f64 = 1.0 / 64.0;

/// F with the curvatures of its rows, and the limit.
pub(super) struct MatrixFree<'p> {
    function: OnData<'p>,
    /// Whether the curvatures are those of the current point.
    is_linearised: bool,
    limit: f64,
    /// Length of the last direction, and of the first that was refused.
    length: f64,
    first_refused: Option<f64>,
    /// The intercept's curvature counts as larger by this factor and one, since the limit does not see the intercept.
    caution: f64,
    products: usize,
}

impl<'p> MatrixFree<'p> {
    pub(super) fn new(objective: Objective<'p>) -> Self {
        Self {
            function: OnData::new(objective),
            is_linearised: false,
            limit: f64::INFINITY,
            length: 0.0,
            first_refused: None,
            caution: 0.0,
            products: 0,
        }
    }
}

impl Model for MatrixFree<'_> {
    fn needs_normal(&self) -> bool {
        false
    }

    fn direction(&mut self, at: &Place, bend: bool, goal: f64) -> Result<Option<Vec<f64>>> {
        if !self.is_linearised {
            self.function.linearise(&at.theta)?;
            self.is_linearised = true;
        }
        let along_intercept = (1.0 + self.caution) * at.now.intercept_curvature;
        within_ball(at, |multiplier| {
            let mut tangent = Tangent::new(at, bend, multiplier);
            let (matrix, intercept) = at.set.layout().split(&at.now.gradient);
            let mut residual = matrix.to_vec();
            axpy(multiplier, at.set.layout().coefficients(&at.theta), &mut residual);
            if let Some(slope) = intercept.first().filter(|_| along_intercept > 0.0) {
                axpy(-slope / along_intercept, &at.now.cross, &mut residual);
            }
            let residual = at.factors.tangent(&residual);
            let matrix = self.conjugate_gradients(at, &mut tangent, residual, goal)?;
            Ok(Some(with_intercept(at, matrix, along_intercept, true)))
        })
    }

    fn accepted(&mut self, is_full: bool) {
        self.is_linearised = false;
        self.first_refused = None;
        self.limit *= if is_full { 10.0 } else { 1.0 };
        self.caution = if is_full && self.caution < 1.0 { 0.0 } else { 0.1 * self.caution };
    }

    fn refused(&mut self) -> bool {
        let first = *self.first_refused.get_or_insert(self.length);
        self.limit = SHORTER * self.length;
        self.caution = (self.caution / SHORTER).max(1.0);
        self.limit > SHORTEST * first
    }

    fn products(&self) -> usize {
        self.products
    }
}

impl MatrixFree<'_> {
    /// The minimiser of the model within the limit, for its gradient at zero.
    fn conjugate_gradients(
        &mut self,
        at: &Place,
        tangent: &mut Tangent,
        mut residual: Vec<f64>,
        goal: f64,
    ) -> Result<Vec<f64>> {
        let mut x = vec![0.0; residual.len()];
        let mut d: Vec<f64> = tangent.preconditioned(&residual).iter().map(|z| -z).collect();
        let mut size = -dot(&residual, &d);
        let relative = (size / (2.0 * at.size)).sqrt().sqrt();
        let target = (FORCING.min(relative) * size.max(0.0).sqrt()).max(goal);
        // ‖x‖², ⟨x, d⟩ and ‖d‖² in the metric of the preconditioner
        let (mut xx, mut xd, mut dd) = (0.0, 0.0, size);
        self.length = 0.0;
        for number in 0..MOST_PRODUCTS {
            if size.is_nan() || size <= 0.0 {
                break;
            }
            let (image, straight) = self.product(at, tangent, &d)?;
            let curvature = dot(&d, &image);
            let downwards = curvature.is_nan() || curvature <= 1e-14 * dd * f64::from(number > 0);
            if downwards && self.limit.is_infinite() {
                if number == 0 {
                    let along = dot(&d, &straight);
                    axpy(if along > 0.0 { size / along } else { 1.0 }, &d, &mut x);
                    xx = dd;
                }
                break;
            }
            let length = size / curvature;
            let ahead = xx + 2.0 * length * xd + length * length * dd;
            if downwards || ahead >= self.limit * self.limit {
                let room = (self.limit * self.limit - xx).max(0.0);
                let t = room / (xd + (xd * xd + dd * room).sqrt());
                axpy(t, &d, &mut x);
                xx = self.limit * self.limit;
                break;
            }
            axpy(length, &d, &mut x);
            axpy(length, &image, &mut residual);
            xx = ahead;
            let z = tangent.preconditioned(&residual);
            let next = dot(&residual, &z);
            if next.max(0.0).sqrt() <= target {
                break;
            }
            let ratio = next / size;
            d.iter_mut().zip(&z).for_each(|(d, z)| *d = ratio * *d - z);
            (xd, dd) = (ratio * (xd + length * dd), next + ratio * ratio * dd);
            size = next;
        }
        self.length = xx.sqrt();
        Ok(x)
    }

    /// The Hessian times a direction, with the bend and without.
    pub(super) fn product(&mut self, at: &Place, tangent: &Tangent, d: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let along_intercept = (1.0 + self.caution) * at.now.intercept_curvature;
        let full = with_intercept(at, d.to_vec(), along_intercept, false);
        let mut image = vec![0.0; full.len()];
        self.function.hessian_times(&full, &mut image)?;
        self.products += 1;
        let matrix = at.set.layout().coefficients_mut(&mut image);
        axpy(tangent.multiplier, d, matrix);
        let straight = at.factors.tangent(matrix);
        let mut image = straight.clone();
        if let Some(outside) = &tangent.outside {
            axpy(1.0, &at.factors.bent(outside, d), &mut image);
        }
        Ok((image, straight))
    }
}

/// A direction of the matrix, followed by that of the intercept, of curvature `bend`, which is best for it: with the slope that the intercept
/// has already, or without.
fn with_intercept(at: &Place, mut matrix: Vec<f64>, bend: f64, with_slope: bool) -> Vec<f64> {
    if let Some(slope) = at.set.layout().intercept(&at.now.gradient) {
        let along = dot(&at.now.cross, &matrix) + if with_slope { slope } else { 0.0 };
        matrix.push(if bend > 0.0 { -along / bend } else { 0.0 });
    }
    matrix
}

/// The tangent space and the preconditioner on it.
pub(super) struct Tangent<'a> {
    factors: &'a Factors,
    /// $G_\perp$, where the bend is used.
    outside: Option<Vec<f64>>,
    /// The small matrices, for each column of the matrix and for each row.
    columns: Vec<Cholesky>,
    rows: Vec<Cholesky>,
    /// The multiplier of a ball.
    multiplier: f64,
}

impl<'a> Tangent<'a> {
    pub(super) fn new(at: &'a Place, bend: bool, multiplier: f64) -> Self {
        let factors = &at.factors;
        let outside = bend.then(|| factors.outside(at.set.layout().coefficients(&at.now.gradient)));
        let (p, q) = (factors.rows, factors.columns);
        let curvatures: Vec<f64> = at.now.curvatures.iter().map(|h| h + multiplier).collect();
        let floor = LEAST * curvatures.iter().sum::<f64>() / curvatures.len().max(1) as f64;
        let flipped = transposed(&curvatures, p, q);
        let columns = flipped.chunks_exact(p.max(1)).map(|h| small(&factors.left, h, factors.rank, floor)).collect();
        let rows = curvatures.chunks_exact(q.max(1)).map(|h| small(&factors.right, h, factors.rank, floor)).collect();
        Self { factors, outside, columns, rows, multiplier }
    }

    fn preconditioned(&mut self, z: &[f64]) -> Vec<f64> {
        let rank = self.factors.rank;
        let (mut a, mut b) = (self.factors.transpose_times_left(z), self.factors.times_right(z));
        for (solver, x) in self.columns.iter_mut().zip(a.chunks_exact_mut(rank.max(1))) {
            solver.solve(x);
        }
        for (solver, x) in self.rows.iter_mut().zip(b.chunks_exact_mut(rank.max(1))) {
            solver.solve(x);
        }
        self.factors.spanned(&transposed(&a, self.factors.columns, rank), &b)
    }
}

/// $W^T\mathrm{diag}(h)W$ for the row-major $W$ of `rank` columns, factored.
fn small(w: &[f64], h: &[f64], rank: usize, floor: f64) -> Cholesky {
    let mut cholesky = Cholesky::default();
    let mut sum = vec![0.0; rank * rank];
    for (row, h) in w.chunks_exact(rank.max(1)).zip(h) {
        for k in 0..rank {
            axpy(h * row[k], &row[k..], &mut sum[k * rank + k..(k + 1) * rank]);
        }
    }
    let mean = (0..rank).map(|k| sum[k * rank + k]).sum::<f64>() / rank.max(1) as f64;
    let mut more = LEAST * mean + floor;
    if more.is_nan() || more <= 0.0 {
        more = 1.0;
    }
    loop {
        let matrix = cholesky.matrix(rank);
        matrix.copy_from_slice(&sum);
        (0..rank).for_each(|k| matrix[k * rank + k] += more);
        // Ends: with enough on the diagonal every finite matrix can be factored, and one that is not becomes the identity.
        if cholesky.factor() {
            return cholesky;
        }
        more *= 100.0;
        if !more.is_finite() || !mean.is_finite() {
            sum.fill(0.0);
            more = 1.0;
        }
    }
}
