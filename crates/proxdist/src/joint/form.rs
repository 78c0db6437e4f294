//! The second derivatives of F at a point as a quadratic form, column by column: what exchanges are worked out with.
//!
//! $A = \nabla^2F(\theta)$ exactly, so the form is the best quadratic model of F there. Its diagonal takes one look at all columns, $O(np)$, and a column that is asked for another.

use super::objective::Function;
use crate::error::Result;
use crate::outputs::QuadraticForm;
use crate::polish::Smooth;
use std::collections::HashMap;

/// The form at the point at which a function is linearised.
pub(crate) struct Form<'f, 'p> {
    function: &'f Function<'p>,
    diagonal: Vec<f64>,
    columns: HashMap<usize, Vec<f64>>,
}

impl<'f, 'p> Form<'f, 'p> {
    pub(crate) fn at(function: &'f mut Function<'p>, point: &[f64]) -> Result<Self> {
        function.linearise(point)?;
        let diagonal = function.diagonal()?;
        Ok(Self { function, diagonal, columns: HashMap::new() })
    }
}

impl QuadraticForm for Form<'_, '_> {
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn need(&mut self, features: &[usize]) -> Result<()> {
        let mut missing: Vec<usize> = features.iter().copied().filter(|j| !self.columns.contains_key(j)).collect();
        missing.sort_unstable();
        missing.dedup();
        for (&j, column) in missing.iter().zip(self.function.hessian_columns(&missing)?) {
            self.columns.insert(j, column);
        }
        Ok(())
    }

    fn column(&self, feature: usize) -> &[f64] {
        &self.columns[&feature]
    }
}
