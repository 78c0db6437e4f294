//! Losses of rows that have $K$ linear predictors $\eta = (\eta_1, \dots, \eta_K)$, one for each output of a model.
//!
//! Everything that a method needs of such a loss are its value, its gradient $\nabla\ell \in \mathbb R^K$ and its Hessian $\nabla^2\ell \in \mathbb R^{K \times K}$,
//! symmetric and positive semidefinite. A [`Loss`] is the case $K = 1$: it is a `RowLoss` as it stands, and the numbers are the same.
//!
//! The parameter of $K$ outputs is $\Theta \in \mathbb R^{p \times K}$ with $\eta = \Theta^Tx$ for a row $x$. Then $\nabla_\Theta\ell = x\,\nabla\ell^T$, and a batch of $b$ rows has
//! a prox in $bK$ dimensions: the coordinates of row $i$ are a block of $K$, the curvatures $v_i\ell''_i$ of the scalar case become blocks $v_i\nabla^2\ell_i$.
//! Methods for one predictor go on asking the [`Loss`] for whole slices of rows; this trait is for those that see a row at a time.

use super::Loss;

/// A convex loss of the predictors of one row.
pub trait RowLoss: Send + Sync {
    /// How many predictors a row has, $K$.
    fn predictors(&self) -> usize;

    /// $\ell(\eta; y)$; the response is one number, or more if the loss is about several.
    fn row_value(&self, predictors: &[f64], response: &[f64]) -> f64;

    /// $\partial\ell/\partial\eta_k$ into `out`, of length $K$.
    fn row_gradient(&self, predictors: &[f64], response: &[f64], out: &mut [f64]);

    /// $\partial^2\ell/\partial\eta_j\partial\eta_k$ into `out`, $K \times K$ row by row, or a generalised second derivative.
    fn row_hessian(&self, predictors: &[f64], response: &[f64], out: &mut [f64]);
}

impl<L: Loss + ?Sized> RowLoss for L {
    fn predictors(&self) -> usize {
        1
    }
    fn row_value(&self, predictors: &[f64], response: &[f64]) -> f64 {
        self.value(predictors[0], response[0])
    }
    fn row_gradient(&self, predictors: &[f64], response: &[f64], out: &mut [f64]) {
        out[0] = self.slope(predictors[0], response[0]);
    }
    fn row_hessian(&self, predictors: &[f64], response: &[f64], out: &mut [f64]) {
        out[0] = self.curvature(predictors[0], response[0]);
    }
}
