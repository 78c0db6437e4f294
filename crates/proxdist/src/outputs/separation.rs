//! Classes that a model tells apart without error: without a ridge F then has no minimum, and coefficients only grow.
//!
//! If at some $(\Theta, b)$ every row has the largest predictor at its own class, then $F(t\Theta, tb) \to 0$ as $t \to \infty$: zero is the infimum over every set that holds all multiples of its points, so that
//! no other choice has a lower one, and a search ends there. The point is then doubled until next to nothing is left of F ([`stretched`]).
//!
//! Where only some rows can be moved to infinity F has no minimum either. Newton's steps stay long then while F hardly falls; such ends are marked as [`Separation::SomeRows`], which is what was seen, not a proof.

use super::function::Function;
use super::objective::Objective;
use crate::data::Pass;
use crate::error::Result;
use crate::polish::Smooth as _;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Share of F without features that a result has left: a perfect fit, as far as a certificate can tell.
pub(super) const NOTHING: f64 = 1e-17;
/// The same for models that are compared on other rows, as in a path of one output.
pub(super) const NEXT_TO_NOTHING: f64 = 1e-6;
/// Doublings of a point at most.
const DOUBLINGS: usize = 60;
/// A last step that moves a predictor by this much goes to infinity.
const FAR: f64 = 0.1;

/// Whether classes are told apart without error, so that F has no minimum without a ridge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Separation {
    /// Not as far as was seen.
    #[default]
    No,
    /// Some rows move to infinity while F hardly falls.
    SomeRows,
    /// Every row is on the side of its own class.
    AllRows,
}

impl Separation {
    /// Whether F has no minimum.
    pub fn is_there(self) -> bool {
        self != Self::No
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
    pub(super) fn is_absent(&self) -> bool {
        *self == Self::No
    }
}

impl fmt::Display for Separation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::No => "F has a minimum",
            Self::SomeRows => {
                "some rows are told apart without error: F has no minimum there, and coefficients have no natural size"
            }
            Self::AllRows => "the model separates the classes of all rows: its coefficients have no natural size",
        })
    }
}

impl Objective<'_> {
    /// Whether coefficients may grow without end: there are classes, and no ridge.
    pub(super) fn can_separate(&self) -> bool {
        self.output_loss().is_classification() && !self.ridge.is_positive()
    }

    /// Whether every row has its largest predictor at its own class, offsets aside.
    pub(super) fn tells_apart(&self, point: &[f64]) -> Result<bool> {
        let (size, few) = (self.outputs(), self.few(self.arrangement().coefficients(point)));
        let wrong = Pass::over(self.data, 1).sum(1, Vec::new, |wrong, predictors: &mut Vec<f64>, chunk| {
            self.multiply(point, few.as_deref(), chunk, predictors);
            for (i, (eta, y)) in predictors.chunks_exact(size).zip(self.responses(chunk)).enumerate() {
                let class = *y as usize;
                let is_right = (0..size).all(|k| k == class || eta[k] < eta[class]);
                wrong[0] += f64::from(u8::from(!is_right && chunk.weight(i) > 0.0));
            }
        })?;
        Ok(wrong[0] == 0.0)
    }

    /// F below which every row is on the side of its own class: its loss is then below $\log 2$. Zero if coefficients may not grow without end.
    pub(super) fn all_right(&self) -> f64 {
        if !self.can_separate() {
            return 0.0;
        }
        let weights = (0..self.data.rows()).map(|row| self.data.weight(row)).filter(|weight| *weight > 0.0);
        std::f64::consts::LN_2 * weights.fold(f64::INFINITY, f64::min) / self.data.weight_sum()
    }

    /// Whether a step moves a predictor far.
    pub(super) fn goes_far(&self, step: &[f64]) -> Result<bool> {
        let few = self.few(self.arrangement().coefficients(step));
        let far = Pass::over(self.data, 1).sum(1, Vec::new, |far, moves: &mut Vec<f64>, chunk| {
            self.multiply(step, few.as_deref(), chunk, moves);
            far[0] += f64::from(u8::from(moves.iter().any(|eta| eta.abs() > FAR)));
        })?;
        Ok(far[0] > 0.0)
    }
}

/// A point that tells all rows apart, doubled until no more than a share of F without features is left.
pub(super) fn stretched(function: &Function, start: &[f64], share: f64) -> Result<Vec<f64>> {
    // A gauge grows with the point, unless predictors sum to zero to the last bit.
    let mut function = Function::new(function.objective.plain());
    let at_zero = function.value(&vec![0.0; start.len()])?;
    let (mut point, mut value) = (start.to_vec(), function.value(start)?);
    for _ in 0..DOUBLINGS {
        if value <= share * at_zero {
            break;
        }
        let further: Vec<f64> = point.iter().map(|x| 2.0 * x).collect();
        let lower = function.value(&further)?;
        if lower.is_nan() || lower >= value {
            break;
        }
        (point, value) = (further, lower);
    }
    Ok(point)
}
