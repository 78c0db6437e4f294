//! A support with no more than what one feature that enters, or one that leaves, needs: half the work of `state.rs`, which also knows all exchanges.
//!
//! In the symbols of `scores.rs`, the rows of $B$ are not kept; the one that is needed comes from the rows of $G$ of the support, $O(ps)$. When $i$ enters, with
//! $a = AG_{Si}$ and $u = G_{i,:} - a^TG_{S,:}$, and when the feature at position $q$ leaves, with $a = A_{:q}$ and $u = a^TG_{S,:} = B_{q,:}$,
//! $$r \leftarrow r - u\frac{r_i}{d_i}, \quad d \leftarrow d - \frac{u^2}{d_i} \qquad\text{and}\qquad r \leftarrow r + u\frac{\theta_q}{a_q}, \quad d \leftarrow d + \frac{u^2}{a_q},$$
//! while $A$ and $\theta$ change as in `state.rs`, $O(s^2)$. What enters is chosen by $r$ and $d$ as they were updated; its own $r_i$ and $d_i$ are computed afresh. After
//! some moves everything is.

use super::form::{Form, INDEPENDENT};
use crate::linalg::{Cholesky, add_rows, axpy, dot, wide};

/// Moves after which everything is computed afresh.
const MOVES: usize = 400;
/// Rounding of the numbers here, in units of $A_{jj}$.
const ROUNDING: f64 = 1e-14;
/// Maxima that run side by side, so that the compiler may use wide registers, and columns after which they are brought together.
const LANES: usize = 8;
const BLOCK: usize = 32 * LANES;

/// The state of a support.
#[derive(Default)]
pub(super) struct Light {
    /// The support, in no order.
    members: Vec<usize>,
    /// $A$
    inverse: Vec<Vec<f64>>,
    theta: Vec<f64>,
    /// $r$
    slope: Vec<f64>,
    /// $d$
    left: Vec<f64>,
    /// One for each feature that may enter, otherwise zero.
    open: Vec<f64>,
    moves: usize,
    work: Vec<f64>,
    cholesky: Cholesky,
}

impl Light {
    /// Brings the state to a support, from where every other feature may enter; `false` if its columns are too nearly dependent.
    pub(super) fn load(&mut self, form: &Form, support: &[usize]) -> bool {
        self.open.clear();
        self.open.extend(form.is_usable.iter().map(|&is| f64::from(u8::from(is))));
        self.members.clear();
        self.members.extend_from_slice(support);
        self.refresh(form)
    }

    /// Computes everything afresh, feature after feature.
    fn refresh(&mut self, form: &Form) -> bool {
        let members = std::mem::take(&mut self.members);
        self.inverse.clear();
        self.theta.clear();
        self.slope.clone_from(&form.linear);
        self.left.clone_from(&form.diagonal);
        let is_sound = members.iter().all(|&enters| self.enter(form, enters));
        self.moves = 0;
        is_sound
    }

    /// The features.
    pub(super) fn members(&self) -> &[usize] {
        &self.members
    }

    /// The minimum on the support, less the value without features.
    pub(super) fn value(&self, form: &Form) -> f64 {
        -0.5 * self.members.iter().zip(&self.theta).map(|(&j, value)| form.linear[j] * value).sum::<f64>()
    }

    /// The same computed afresh; infinite if columns are too nearly dependent.
    pub(super) fn exact_value(&mut self, form: &Form) -> f64 {
        if !form.factor(&self.members, &mut self.cholesky) {
            return f64::INFINITY;
        }
        let linear: Vec<f64> = self.members.iter().map(|&j| form.linear[j]).collect();
        let mut theta = linear.clone();
        self.cholesky.solve(&mut theta);
        -0.5 * dot(&linear, &theta)
    }

    /// What the function rises by when the feature at a position leaves, doubled.
    pub(super) fn cost(&self, at: usize) -> f64 {
        self.theta[at] * self.theta[at] / self.inverse[at][at]
    }

    /// What is left of a column must be above this to be more than rounding.
    fn floor(&self) -> f64 {
        let inflation = self.inverse.iter().enumerate().map(|(at, row)| row[at]).fold(1.0, f64::max);
        INDEPENDENT.max(ROUNDING * inflation)
    }

    /// Forbids a feature to enter, or no longer does; it must not be in the support.
    pub(super) fn allow(&mut self, feature: usize, may_enter: bool) {
        self.open[feature] = f64::from(u8::from(may_enter));
    }

    /// The feature that lowers the function most by entering, the first of equals.
    pub(super) fn best_addition(&self) -> Option<usize> {
        let floor = self.floor();
        let gain = |i: usize| {
            let square = self.slope[i] * self.slope[i] * self.open[i];
            if self.left[i] > floor { square / self.left[i] } else { 0.0 }
        };
        let (mut most, mut block) = (0.0, 0);
        for first in (0..self.slope.len()).step_by(BLOCK) {
            let range = first..(first + BLOCK).min(self.slope.len());
            let gain = largest(&self.slope[range.clone()], &self.left[range.clone()], &self.open[range], floor);
            if gain > most {
                (most, block) = (gain, first);
            }
        }
        (block..(block + BLOCK).min(self.slope.len())).find(|&i| most > 0.0 && gain(i) >= most)
    }

    /// Lets a feature enter; `false`, with an unusable state, if nothing is left of it beside the support.
    pub(super) fn add(&mut self, form: &Form, enters: usize) -> bool {
        self.enter(form, enters) && self.after(form)
    }

    fn enter(&mut self, form: &Form, enters: usize) -> bool {
        let row = form.row(enters);
        let beside: Vec<f64> = self.members.iter().map(|&j| row[j]).collect();
        let along: Vec<f64> = self.inverse.iter().map(|inverse| dot(inverse, &beside)).collect();
        let left = form.diagonal[enters] - dot(&along, &beside);
        // A column that has become dependent is found here at the latest.
        if !(left > self.floor() && left.is_finite()) {
            return false;
        }
        let step = (form.linear[enters] - dot(&self.theta, &beside)) / left;
        let against: Vec<f64> = along.iter().map(|a| -a).collect();
        self.work.clear();
        self.work.extend_from_slice(row);
        add_rows(&against, |k| form.row(self.members[k]), &mut self.work);
        self.shift(-step, -1.0 / left);
        for (at, inverse) in self.inverse.iter_mut().enumerate() {
            axpy(along[at] / left, &along, inverse);
            inverse.push(-along[at] / left);
        }
        let mut last: Vec<f64> = along.iter().map(|a| -a / left).collect();
        last.push(1.0 / left);
        self.inverse.push(last);
        axpy(-step, &along, &mut self.theta);
        self.theta.push(step);
        self.members.push(enters);
        self.open[enters] = 0.0;
        true
    }

    /// Takes out the feature at a position, which may come back; `false` if the state became unusable.
    pub(super) fn remove(&mut self, form: &Form, at: usize) -> bool {
        let column = self.inverse.swap_remove(at);
        let (own, theta) = (column[at], self.theta[at]);
        self.work.clear();
        self.work.resize(self.slope.len(), 0.0);
        add_rows(&column, |k| form.row(self.members[k]), &mut self.work);
        self.shift(theta / own, 1.0 / own);
        let gone = self.members.swap_remove(at);
        self.theta.swap_remove(at);
        let mut others = column;
        others.swap_remove(at);
        for (inverse, other) in self.inverse.iter_mut().zip(&others) {
            inverse.swap_remove(at);
            axpy(-other / own, &others, inverse);
        }
        axpy(-theta / own, &others, &mut self.theta);
        self.slope[gone] = theta / own;
        self.left[gone] = 1.0 / own;
        self.open[gone] = 1.0;
        self.after(form)
    }

    /// $r \leftarrow r + \text{slope}\,u$ and $d \leftarrow d + \text{share}\,u^2$
    fn shift(&mut self, slope: f64, share: f64) {
        let (u, r, d) = (&self.work[..], &mut self.slope[..], &mut self.left[..]);
        wide(
            #[inline(always)]
            move || {
                for ((r, d), u) in r.iter_mut().zip(d).zip(u) {
                    *r += slope * u;
                    *d += share * (u * u);
                }
            },
        );
    }

    /// Now and then everything is computed afresh, and at once where rounding has spoiled it.
    fn after(&mut self, form: &Form) -> bool {
        self.moves += 1;
        let is_sound = self.inverse.iter().enumerate().all(|(at, row)| row[at] > 0.0 && row[at].is_finite());
        if is_sound && self.moves < MOVES { true } else { self.refresh(form) }
    }
}

/// The largest gain of features with these slopes and second derivatives. Quotients are compared without being divided.
#[allow(clippy::needless_bitwise_bool)]
fn largest(slope: &[f64], left: &[f64], open: &[f64], floor: f64) -> f64 {
    let (squares, curvatures) = wide(
        #[inline(always)]
        move || {
            let (mut squares, mut curvatures) = ([0.0_f64; LANES], [1.0_f64; LANES]);
            let whole = slope.len() / LANES * LANES;
            let chunks = slope[..whole].chunks_exact(LANES).zip(left[..whole].chunks_exact(LANES));
            for ((slope, left), open) in chunks.zip(open[..whole].chunks_exact(LANES)) {
                for lane in 0..LANES {
                    let (square, curvature) = (slope[lane] * slope[lane] * open[lane], left[lane]);
                    let is_larger = (square * curvatures[lane] > squares[lane] * curvature) & (curvature > floor);
                    squares[lane] = if is_larger { square } else { squares[lane] };
                    curvatures[lane] = if is_larger { curvature } else { curvatures[lane] };
                }
            }
            for i in whole..slope.len() {
                let (square, curvature) = (slope[i] * slope[i] * open[i], left[i]);
                if square * curvatures[0] > squares[0] * curvature && curvature > floor {
                    (squares[0], curvatures[0]) = (square, curvature);
                }
            }
            (squares, curvatures)
        },
    );
    squares.iter().zip(&curvatures).map(|(square, curvature)| square / curvature).fold(0.0, f64::max)
}
