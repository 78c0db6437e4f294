//! The quadratic model of F at a minimiser on a support: one pass over the data says what every exchange would do.
//!
//! With $H$ the Hessian on the support and the intercept, $C$ its part between them and the other columns, $A = H^{-1}$ and $B = AC$, the formulas of `scores.rs`
//! hold for the model; the intercept is a member that never leaves. Columns are divided by the root of their second derivative, so that units do not
//! matter.

use super::climb::Place;
use super::crosses::{Crosses, Measured};
use super::scores::{Scores, Swap};
use crate::error::Result;
use crate::layout::Layout;
use crate::linalg::product;
use crate::loss::Loss;
use crate::objective::Objective;
use crate::polish::{crosses, inverse, screened, sweep};

/// Columns that are looked at where there are too many to keep second derivatives of all.
const SCREENED: usize = 4000;
/// Part of a column's second derivative that must be left for its gain to be trusted.
const INDEPENDENT: f64 = 1e-8;

/// A loss with second derivatives half way to those of parabolas above it: where its own vanish on whole intervals, they say too little about exchanges.
struct Above<'l>(&'l dyn Loss);

impl Loss for Above<'_> {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        self.0.value(predictor, response)
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        self.0.slope(predictor, response)
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        let own = self.0.curvature(predictor, response);
        self.0.majorant_curvature(predictor, response).map_or(own, |above| 0.5 * (own + above))
    }
}

/// The model at a place.
pub(super) struct Model {
    /// Coefficients and intercept.
    point: Vec<f64>,
    /// $A$
    inverse: Vec<f64>,
    own: Vec<f64>,
    /// The rows of $B$ that belong to features, columns scaled.
    rows: Vec<Vec<f64>>,
    /// The row of $B$ that belongs to the intercept, columns scaled.
    free: Vec<f64>,
    slope: Vec<f64>,
    left: Vec<f64>,
    scales: Vec<f64>,
}

impl Model {
    /// Looks at all columns in one pass, with what is known of second derivatives; `None` if the Hessian on the support cannot be inverted.
    pub(super) fn at(objective: Objective, layout: Layout, place: &Place, known: &mut Crosses) -> Result<Option<Self>> {
        let (columns, support) = (layout.features(), &place.support);
        let (count, size) = (support.len(), place.point.len());
        let mut theta = layout.zeros();
        support.iter().zip(&place.point).for_each(|(&j, &value)| theta[j] = value);
        layout.split_mut(&mut theta).1.copy_from_slice(&place.point[count..]);
        let above = Above(objective.loss);
        let objective =
            if objective.loss.has_straight_pieces() { Objective { loss: &above, ..objective } } else { objective };
        let (measured, candidates) = if let Some(measured) = known.at(objective, layout, support, &theta)? {
            (measured, (0..columns).collect::<Vec<_>>())
        } else {
            let every = sweep(objective, &theta, support, None)?;
            let chosen = screened(&every, support, SCREENED);
            let across = crosses(objective, &theta, support, &chosen)?;
            let hessian = every.hessian(objective, &theta, support)?;
            (Measured { gradient: every.gradient, diagonal: every.diagonal, across, hessian }, chosen)
        };
        let Some(inverse) = inverse(&measured.hessian, size) else { return Ok(None) };
        let (inverse, across) = (inverse.entries, &measured.across);
        let scales: Vec<f64> = measured.diagonal.iter().map(|d| d.sqrt()).collect();
        let mut left = vec![f64::INFINITY; columns];
        let mut all = vec![vec![0.0; columns]; size];
        let mut solved = vec![0.0; across.len()];
        if size > 0 {
            product(across, &inverse, &mut solved, size, size);
        }
        for (at, &j) in candidates.iter().enumerate() {
            let (c, b) = (&across[at * size..(at + 1) * size], &solved[at * size..(at + 1) * size]);
            let explained: f64 = c.iter().zip(b).map(|(c, b)| c * b).sum();
            let rest = (measured.diagonal[j] - explained) / measured.diagonal[j];
            if rest.is_finite() {
                left[j] = rest;
                all.iter_mut().zip(b).for_each(|(row, b)| row[j] = b / scales[j]);
            }
        }
        support.iter().for_each(|&j| left[j] = f64::INFINITY);
        let slope = measured.gradient.iter().zip(&scales).map(|(g, s)| if *s > 0.0 { -g / s } else { 0.0 }).collect();
        let free = if size > count { all.pop().unwrap_or_default() } else { Vec::new() };
        let own = (0..count).map(|at| inverse[at * size + at]).collect();
        Ok(Some(Self { point: place.point.clone(), inverse, own, rows: all, free, slope, left, scales }))
    }

    pub(super) fn scores(&self) -> Scores<'_> {
        let Self { own, rows, slope, left, .. } = self;
        Scores { theta: &self.point[..own.len()], own, rows, slope, left, floor: INDEPENDENT }
    }

    /// $B_{:i}$ for the features of the support and the intercept.
    fn along(&self, enters: usize) -> Vec<f64> {
        let mut along: Vec<f64> = self.rows.iter().map(|row| row[enters]).collect();
        along.extend(self.free.get(enters));
        along
    }

    /// Where the model has its minimum once a feature has come: the coefficients of the support, the intercept, and the coefficient of the feature.
    pub(super) fn after_addition(&self, enters: usize) -> (Vec<f64>, f64) {
        let step = self.slope[enters] / self.left[enters];
        let moved = self.point.iter().zip(self.along(enters)).map(|(x, b)| x - b * step).collect();
        (moved, step / self.scales[enters])
    }

    /// The same once one feature has left, whose coefficient is then of no meaning, and another has come.
    pub(super) fn after_swap(&self, swap: Swap) -> (Vec<f64>, f64) {
        let (at, size) = (swap.leaves, self.point.len());
        let column = &self.inverse[at * size..(at + 1) * size];
        let (own, theta, along) = (column[at], self.point[at], self.along(swap.enters));
        let across = along[at];
        let curvature = self.left[swap.enters] + across * across / own;
        let step = (self.slope[swap.enters] + across * theta / own) / curvature;
        let moved = (0..size).map(|k| {
            let without = self.point[k] - column[k] * theta / own;
            without - (along[k] - column[k] * across / own) * step
        });
        (moved.collect(), step / self.scales[swap.enters])
    }
}
