//! The quadratic model of F in a basis in which breaks are nonzero entries, as a least squares problem.
//!
//! With Hessian $H$ and gradient $g$ at $\theta_0$ (the intercept eliminated) the model is $\tfrac12\theta^TH\theta - c^T\theta$, $c = H\theta_0 - g$. From $H = V\Lambda V^T$ it is
//! $\tfrac12\|\Lambda^{1/2}V^T\theta - \Lambda^{-1/2}V^Tc\|^2$ up to a constant: as many rows as $H$ has rank. Written in the basis, $\theta = T\phi$, the rows become $\Lambda^{1/2}V^TT$, where $v^TT$ is a running sum
//! for steps, and a running sum of running sums for hinges.

use super::{OnData, Smooth};
use crate::constraint::{Breaks, Choice, Choosing, Constraint, WholeSpace};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Eigen, dot};
use crate::objective::Objective;
use crate::spec::Break;

/// Eigenvalues below this, relative to the largest, are rounding.
const NO_CURVATURE: f64 = 1e-13;

/// The model, as rows and responses.
pub(super) struct Model {
    kind: Break,
    places: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Model {
    /// The model at a point; `None` if F is not curved there.
    pub(super) fn at(objective: Objective, set: &Breaks, theta: &[f64]) -> Result<Option<Self>> {
        let layout = objective.layout();
        let (size, columns) = (layout.len(), layout.coefficient_count());
        let mut function = OnData::new(objective);
        let (mut gradient, mut hessian) = (layout.zeros(), vec![0.0; size * size]);
        function.gradient(theta, &mut gradient)?;
        function.linearise(theta)?;
        function.hessian(&mut hessian)?;
        let mut linear: Vec<f64> =
            (0..size).map(|i| dot(&hessian[i * size..(i + 1) * size], theta) - gradient[i]).collect();
        let mut inner: Vec<f64> = (0..columns).flat_map(|i| hessian[i * size..i * size + columns].to_vec()).collect();
        if let Some(free) = layout.place_of_intercept() {
            let bend = hessian[free * size + free];
            if bend > 0.0 {
                for i in 0..columns {
                    let share = hessian[i * size + free] / bend;
                    linear[i] -= share * linear[free];
                    (0..columns).for_each(|j| inner[i * columns + j] -= share * hessian[free * size + j]);
                }
            }
        }
        let Some(eigen) = Eigen::of(&inner, columns) else { return Ok(None) };
        let top = eigen.values.last().copied().unwrap_or(0.0);
        let mut model = Self { kind: set.kind(), places: set.places(columns), x: Vec::new(), y: Vec::new() };
        for (number, &value) in eigen.values.iter().enumerate().filter(|(_, value)| **value > NO_CURVATURE * top) {
            let (vector, root) = (eigen.vector(number), value.sqrt());
            model.y.push(dot(vector, &linear[..columns]) / root);
            let row = model.in_basis(vector);
            model.x.extend(row.iter().map(|entry| root * entry));
        }
        Ok((!model.y.is_empty()).then_some(model))
    }

    /// $v^TT$
    fn in_basis(&self, vector: &[f64]) -> Vec<f64> {
        let size = vector.len();
        let mut sums = vec![0.0; size + 1];
        (0..size).rev().for_each(|j| sums[j] = sums[j + 1] + vector[j]);
        match self.kind {
            Break::Jump => sums[..size].to_vec(),
            Break::Kink => {
                let mut hinges = vec![0.0; size];
                (0..size.saturating_sub(1)).rev().for_each(|j| {
                    hinges[j] = hinges[j + 1] + (self.places[j + 1] - self.places[j]) * sums[j + 1];
                });
                std::iter::once(sums[0]).chain(hinges.into_iter().take(size - 1)).collect()
            }
        }
    }

    /// The rows as data.
    pub(super) fn data(&self) -> Result<Data<'_>> {
        Data::dense(&self.x, self.places.len(), &self.y)
    }

    /// The coordinates of a vector with these breaks in the basis.
    pub(super) fn coordinates(&self, theta: &[f64], breaks: &[usize]) -> Vec<f64> {
        let mut phi = vec![0.0; theta.len()];
        phi[0] = theta[0];
        let slope = |j: usize| (theta[j + 1] - theta[j]) / (self.places[j + 1] - self.places[j]);
        match self.kind {
            Break::Jump => breaks.iter().for_each(|&j| phi[j] = theta[j] - theta[j - 1]),
            Break::Kink if theta.len() > 1 => {
                phi[1] = slope(0);
                breaks.iter().for_each(|&j| phi[j + 1] = slope(j) - slope(j - 1));
            }
            Break::Kink => {}
        }
        phi
    }
}

/// At most so many nonzero entries, but for the first one or two, which are always in.
pub(super) struct BreakChoice {
    always: usize,
    most: usize,
}

impl BreakChoice {
    pub(super) fn of(set: &Breaks, columns: usize) -> Self {
        let always = match set.kind() {
            Break::Jump => 1,
            Break::Kink => 2,
        };
        Self { always: always.min(columns), most: set.most(columns) }
    }

    /// The breaks of a vector in the basis.
    pub(super) fn breaks(&self, phi: &[f64]) -> Vec<usize> {
        // The hinge of entry j comes after two columns, the step of entry j after one.
        (self.always..phi.len()).filter(|&j| phi[j] != 0.0).map(|j| j + 1 - self.always.min(2)).collect()
    }
}

impl Choosing for BreakChoice {
    fn choice(&self, length: usize) -> Choice {
        let rest = Choice::of_coordinates(self.most, 0..length - self.always);
        Choice::always(0..self.always).beside(&rest, |j| j + self.always)
    }

    fn on_support(&self, _support: &[usize]) -> Option<Box<dyn Constraint + '_>> {
        Some(Box::new(WholeSpace))
    }
}
