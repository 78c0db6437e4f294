//! The sum of two losses of the same observation, $\ell(\eta; y) = \ell_1(\eta; y) + \ell_2(\eta; y)$, written `squared + huber:2`.
//!
//! A prediction means what it means for the first of the two; a sum of different losses for classes is not a likelihood, so its predictor is a margin and no
//! probability.

use super::{Link, Loss, Task};

/// Two losses added up.
#[derive(Clone, Copy, Debug)]
pub struct Sum<A, B>(pub A, pub B);

impl<A: Loss, B: Loss> Loss for Sum<A, B> {
    fn value(&self, predictor: f64, response: f64) -> f64 {
        self.0.value(predictor, response) + self.1.value(predictor, response)
    }
    fn slope(&self, predictor: f64, response: f64) -> f64 {
        self.0.slope(predictor, response) + self.1.slope(predictor, response)
    }
    fn curvature(&self, predictor: f64, response: f64) -> f64 {
        self.0.curvature(predictor, response) + self.1.curvature(predictor, response)
    }
    fn infimum(&self, response: f64) -> f64 {
        self.0.infimum(response) + self.1.infimum(response)
    }
    fn curvature_bound(&self) -> Option<f64> {
        Some(self.0.curvature_bound()? + self.1.curvature_bound()?)
    }
    fn least_curvature(&self, predictor: f64, response: f64, radius: f64) -> f64 {
        self.0.least_curvature(predictor, response, radius) + self.1.least_curvature(predictor, response, radius)
    }
    fn has_straight_pieces(&self) -> bool {
        self.0.has_straight_pieces() || self.1.has_straight_pieces()
    }
    fn majorant_curvature(&self, predictor: f64, response: f64) -> Option<f64> {
        let first = self.0.majorant_curvature(predictor, response);
        let second = self.1.majorant_curvature(predictor, response);
        if first.is_none() && second.is_none() {
            return None;
        }
        Some(first.or_else(|| self.0.curvature_bound())? + second.or_else(|| self.1.curvature_bound())?)
    }
    fn is_differentiable(&self) -> bool {
        self.0.is_differentiable() && self.1.is_differentiable()
    }
    fn is_quadratic(&self) -> bool {
        self.0.is_quadratic() && self.1.is_quadratic()
    }
    fn task(&self) -> Task {
        self.0.task().both(self.1.task())
    }
    fn link(&self) -> Link {
        let (first, second) = (self.0.link(), self.1.link());
        if first != second && self.task() == Task::TwoClasses { Link::Margin } else { first }
    }
    fn mean(&self, predictor: f64) -> f64 {
        if self.link() == Link::Own { self.0.mean(predictor) } else { self.link().mean(predictor) }
    }
    fn check_response(&self, response: f64) -> Result<(), &'static str> {
        self.0.check_response(response).and_then(|()| self.1.check_response(response))
    }
    fn spec(&self) -> String {
        format!("{} + {}", self.0.spec(), self.1.spec())
    }
}
