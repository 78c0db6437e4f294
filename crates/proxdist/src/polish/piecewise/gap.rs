//! What the slopes of a fit prove.
//!
//! Slopes $-d_i \le a_i \le c_i$ give a function below F: with $g = \Lambda\hat\theta - X^T(v \circ a)$ and $\varepsilon = \sum_iv_i(\ell_i(\hat u_i) - a_i\hat u_i) \ge 0$, for every $\theta = \hat\theta + \delta$
//! $$F(\theta) \ge F(\hat\theta) - \varepsilon + g^T\delta + \tfrac12\delta^T\Lambda\delta.$$
//! Multipliers $\lambda \ge 0$ of the walls and $\nu$ of the equations of the set leave a residual $\rho = g + \sum_k\lambda_kn_k + E^T\nu$, and $n_k^T\delta \le g_k(\hat\theta)$ on the set, so
//! $$F(\hat\theta) - \min F \le \varepsilon + \sum_k\lambda_kg_k(\hat\theta) + \max_\delta\big(-\rho^T\delta - \tfrac12\delta^T\Lambda\delta\big).$$
//! The last term is what rounding has left. It is bounded in one of three ways, all for points with $F(\theta) \le F(\hat\theta)$:
//!
//! - with a ridge on every coefficient, $\rho_j^2/2\lambda_j$ each; the intercept is bounded since both lines of the losses are below F;
//! - where both lines of every row rise, $\sum_iv_im_i|u_i| \le F$ with $m_i = \min(c_i, d_i)$, so with $X^T(v \circ m \circ Xz) = \rho$ it is at most $2F(\hat\theta)\max_i|(Xz)_i|$;
//! - over a bounded set, by how far each coefficient can move.
//!
//! Where none of them applies, as for the hinge without a ridge, nothing is claimed.

use super::interior::{Ended, Program};
use super::newton_matrix::NewtonMatrix;
use crate::constraint::Constraint;
use crate::error::Result;
use crate::linalg::dot;

/// A point with what is proven of it.
pub(super) struct Judged {
    /// F.
    pub(super) value: f64,
    /// $g$, for the columns of the design.
    pub(super) gradient: Vec<f64>,
    /// $\varepsilon + \sum_k\lambda_kg_k$
    pub(super) slack: f64,
    /// The largest entry of $\rho$, relative to the size that gradients have.
    pub(super) residual: f64,
    /// A bound on $F(\hat\theta) - \min F$.
    pub(super) gap: Option<f64>,
}

/// Rest of a residual that counts as rounding, relative to the size that gradients have.
const ROUNDING: f64 = 1e-12;
/// Rounding of sums, relative to F.
const OF_SUMS: f64 = 1e-14;
/// Rounds of refinement.
const ROUNDS: usize = 3;

/// Judges a point of the set, near that where the method ended.
pub(super) fn judge(program: &Program, ended: &mut Ended, theta: &[f64], set: &dyn Constraint) -> Result<Judged> {
    let (bends, features) = (program.bends, program.conic.features);
    let mut residuals = vec![0.0; bends.len()];
    program.design.times(theta, &mut residuals)?;
    residuals.iter_mut().zip(&bends.at).for_each(|(u, at)| *u = at - *u);
    let ridge_term: f64 = program.ridge.iter().zip(theta).map(|(l, t)| 0.5 * l * t * t).sum();
    let value = bends.value(&residuals) + ridge_term;
    let weighted: Vec<f64> = ended.slopes.iter().zip(&bends.weights).map(|(a, v)| a * v).collect();
    let mut gradient = vec![0.0; program.design.width()];
    program.design.transpose_times(&weighted, &mut gradient)?;
    gradient.iter_mut().for_each(|g| *g = -*g);
    gradient.iter_mut().zip(program.ridge.iter().zip(theta)).for_each(|(g, (l, t))| *g += l * t);
    let rest = left_over(program, ended, theta, &gradient);
    let slack = bends.slack(&residuals, &ended.slopes) + ended.walls.slack();
    let relative = rest.iter().zip(&ended.sizes).map(|(r, s)| if *r == 0.0 { 0.0 } else { r.abs() / s });
    let residual = relative.fold(0.0, f64::max);
    let at = At { program, residuals: &residuals, value, theta, features };
    let bounds = [at.by_ridge(&rest)?, at.by_lines(&rest, &ended.sizes)?, at.by_extent(&rest, set)?];
    let least = bounds.into_iter().flatten().fold(f64::INFINITY, f64::min);
    let gap = (least.is_finite() && slack.is_finite()).then_some(1.01 * (slack + least) + OF_SUMS * value);
    Ok(Judged { value, gradient, slack, residual, gap })
}

/// $\rho$ for the columns of the design; those of magnitudes are taken up by the multipliers of their rows.
fn left_over(program: &Program, ended: &mut Ended, theta: &[f64], gradient: &[f64]) -> Vec<f64> {
    let conic = program.conic;
    let mut lifted = conic.lifted(&theta[..conic.features]);
    lifted.extend_from_slice(&theta[conic.features..]);
    ended.walls.look(&lifted);
    let forces = |ended: &Ended| {
        let mut all = vec![0.0; lifted.len()];
        ended.walls.add_forces(&mut all);
        for (row, nu) in ended.walls.equations.iter().zip(&ended.equations) {
            row.terms.iter().for_each(|&(j, a)| all[j] += nu * a);
        }
        all
    };
    let first = forces(ended);
    for (t, magnitude) in conic.magnitudes.iter().enumerate() {
        let at = conic.features + t;
        ended.walls.take_up(at, magnitude.price + first[at]);
    }
    let all = forces(ended);
    let variables = conic.variables();
    let of = |j: usize| if j < conic.features { j } else { j - conic.features + variables };
    gradient.iter().enumerate().map(|(j, g)| g + all[of(j)]).collect()
}

struct At<'a> {
    program: &'a Program<'a>,
    residuals: &'a [f64],
    value: f64,
    theta: &'a [f64],
    features: usize,
}

impl At<'_> {
    /// How far the intercept can be from here where F is not above its value, apart from what the coefficients do to it; and by how much each of them does at most.
    fn intercept(&self) -> Result<Option<(f64, Vec<f64>)>> {
        let (bends, design) = (self.program.bends, self.program.design);
        let (mut most, mut pull) = (0.0_f64, vec![0.0_f64; self.features]);
        for (slopes, sign) in [(&bends.rise, -1.0), (&bends.fall, 1.0)] {
            let weighted: Vec<f64> = slopes.iter().zip(&bends.weights).map(|(s, v)| s * v).collect();
            let total: f64 = weighted.iter().sum();
            if total <= 0.0 {
                return Ok(None);
            }
            most = most.max((self.value + sign * dot(&weighted, self.residuals)).abs() / total);
            let mut sums = vec![0.0; design.width()];
            design.transpose_times(&weighted, &mut sums)?;
            pull.iter_mut().zip(&sums).for_each(|(pull, sum): (&mut f64, &f64)| *pull = pull.max(sum.abs() / total));
        }
        Ok(Some((most, pull)))
    }

    /// The residuals of the coefficients with what that of the intercept adds to them, and what it adds by itself.
    fn without_intercept(&self, rest: &[f64]) -> Result<Option<(Vec<f64>, f64)>> {
        let (along, free) = rest.split_at(self.features);
        let sizes: Vec<f64> = along.iter().map(|r| r.abs()).collect();
        match free {
            [free] if *free != 0.0 => Ok(self.intercept()?.map(|(most, pull)| {
                (sizes.iter().zip(pull).map(|(r, pull)| r + free.abs() * pull).collect(), free.abs() * most)
            })),
            _ => Ok(Some((sizes, 0.0))),
        }
    }

    fn by_ridge(&self, rest: &[f64]) -> Result<Option<f64>> {
        let ridge = self.program.ridge;
        if ridge.iter().any(|l| *l <= 0.0) {
            return Ok(None);
        }
        let found = self.without_intercept(rest)?;
        Ok(found.map(|(along, free)| free + along.iter().zip(ridge).map(|(r, l)| r * r / (2.0 * l)).sum::<f64>()))
    }

    fn by_extent(&self, rest: &[f64], set: &dyn Constraint) -> Result<Option<f64>> {
        let Some((along, free)) = self.without_intercept(rest)? else { return Ok(None) };
        let mut total = free;
        let mut direction = vec![0.0; self.features];
        for (j, size) in along.iter().enumerate().filter(|(_, size)| **size > 0.0) {
            let mut widest = 0.0_f64;
            for sign in [1.0, -1.0] {
                direction[j] = sign;
                let Some(reach) = set.support_function(&direction).filter(|reach| reach.is_finite()) else {
                    return Ok(None);
                };
                widest = widest.max(reach - sign * self.theta[j]);
            }
            direction[j] = 0.0;
            total += size * widest;
        }
        Ok(Some(total))
    }

    fn by_lines(&self, rest: &[f64], sizes: &[f64]) -> Result<Option<f64>> {
        let (bends, design) = (self.program.bends, self.program.design);
        let both = |i: usize| bends.rise[i].min(bends.fall[i]);
        if (0..bends.len()).any(|i| bends.counts(i) && both(i) <= 0.0) {
            return Ok(None);
        }
        if rest.iter().all(|r| *r == 0.0) {
            return Ok(Some(0.0));
        }
        let weights: Vec<f64> = (0..bends.len()).map(|i| bends.weights[i] * both(i)).collect();
        let width = design.width();
        let mut newton = NewtonMatrix::default();
        newton.matrix.resize(width * width, 0.0);
        design.cross(&weights, &mut newton.matrix)?;
        if !newton.factor(width, &[]) {
            return Ok(None);
        }
        let (mut left, mut total, mut images) = (rest.to_vec(), 0.0, vec![0.0; bends.len()]);
        for _ in 0..ROUNDS {
            let mut z = left.clone();
            newton.solve(&mut z, &[], &[]);
            design.times(&z, &mut images)?;
            let rows = images.iter().enumerate().filter(|(i, _)| bends.counts(*i));
            total += rows.map(|(_, image)| image.abs()).fold(0.0, f64::max);
            images.iter_mut().zip(&weights).for_each(|(image, w)| *image *= w);
            let mut explained = vec![0.0; width];
            design.transpose_times(&images, &mut explained)?;
            left.iter_mut().zip(&explained).for_each(|(left, explained)| *left -= explained);
        }
        let is_explained = left.iter().zip(sizes).all(|(left, size)| left.abs() <= ROUNDING * size);
        Ok((is_explained && total.is_finite()).then_some(2.0 * self.value * total))
    }
}
