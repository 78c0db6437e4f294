//! A quadratic function and a set in variables of equal curvature, rows of unit length and gradients of unit size, so that neither the units of the
//! columns nor those of the response matter to an interior-point method.

use super::{Conic, Hessian, Quadratic, Row, without_flat};

/// What decides the size of the points that matter: the numbers in the description of the set, the way to the minimiser without it, or the
/// smaller of the two. Which is right depends on which rows matter; they are tried in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reach {
    Smaller,
    Set,
    Function,
    /// A size that is known, in units of the variables of largest curvature.
    Known(f64),
}

impl Reach {
    /// All, the likeliest first.
    pub(crate) const ALL: [Self; 3] = [Self::Smaller, Self::Set, Self::Function];
}

/// A row in scaled variables, of unit length.
pub(super) struct ScaledRow {
    pub(super) terms: Vec<(usize, f64)>,
    pub(super) right: f64,
}

impl ScaledRow {
    pub(super) fn times(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|&(j, a)| a * x[j]).sum()
    }

    pub(super) fn add_to(&self, factor: f64, out: &mut [f64]) {
        self.terms.iter().for_each(|&(j, a)| out[j] += factor * a);
    }
}

/// $\tfrac12(\sum_j w_j(x_j - a_j)^2 - \rho)$ with $\max w = 1/\rho$.
pub(super) struct ScaledBall {
    pub(super) terms: Vec<(usize, f64, f64)>,
    pub(super) half_square: f64,
    /// What a multiplier of one is in the units of the set.
    pub(super) multiplier_unit: f64,
    /// The cone that it is instead, where the radius grows; then the numbers above say nothing but for the unit.
    pub(super) cone: Option<ScaledCone>,
}

/// $\|(w_j(x_j - a_j))_j\| \le r + bx_k$
pub(super) struct ScaledCone {
    pub(super) terms: Vec<(usize, f64, f64)>,
    pub(super) right: f64,
    pub(super) growth: (usize, f64),
}

impl ScaledBall {
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        0.5 * self.terms.iter().map(|&(j, w, a)| w * (x[j] - a) * (x[j] - a)).sum::<f64>() - self.half_square
    }

    pub(super) fn gradient(&self, x: &[f64]) -> Vec<(usize, f64)> {
        self.terms.iter().map(|&(j, w, a)| (j, w * (x[j] - a))).collect()
    }
}

/// The problem in variables $x_j / u_j$ with a Hessian of unit diagonal and a linear term of unit size.
pub(super) struct Scaled {
    pub(super) units: Vec<f64>,
    pub(super) hessian: Hessian,
    pub(super) linear: Vec<f64>,
    pub(super) rows: Vec<ScaledRow>,
    /// Places of the inequalities and equations among the rows of the set.
    pub(super) inequalities: Vec<usize>,
    pub(super) equations: Vec<ScaledRow>,
    pub(super) equalities: Vec<usize>,
    pub(super) balls: Vec<ScaledBall>,
}

impl Scaled {
    pub(super) fn of(quadratic: &Quadratic, conic: &Conic, start: &[f64], reach: Reach) -> Self {
        let size = quadratic.size();
        let bends = without_flat((0..size).map(|j| quadratic.diagonal(j)));
        let unit = |j: usize| {
            let own = match conic.magnitudes.get(j.wrapping_sub(conic.features)) {
                Some(magnitude) if j >= conic.features => magnitude.bend(|k| bends[k]),
                _ => bends[j],
            };
            1.0 / own.sqrt()
        };
        let mut units: Vec<f64> = (0..size).map(unit).collect();
        // Two sizes: that of gradients, and that of the points that matter, which a small set bounds.
        let slope = quadratic.gradient(start).iter().zip(&units).map(|(g, u)| (g * u).abs()).fold(0.0, f64::max);
        let has_slope = slope > 0.0 && slope.is_finite();
        let slope = if has_slope { slope } else { 1.0 };
        let away = start.iter().zip(&units).map(|(x, u)| (x / u).abs()).fold(0.0, f64::max);
        let extent = extent(conic, &units);
        let reach = match reach {
            Reach::Smaller if has_slope => slope.min(extent).max(away),
            Reach::Function if has_slope => slope.max(away),
            Reach::Known(size) => size,
            _ => extent.max(away),
        };
        let reach = if reach > 0.0 && reach.is_finite() { reach } else { slope };
        units.iter_mut().for_each(|u| *u *= reach);
        let objective = reach * slope;
        let hessian = match &quadratic.hessian {
            Hessian::Diagonal(diagonal) => {
                Hessian::Diagonal((0..size).map(|j| diagonal[j] * units[j] * units[j] / objective).collect())
            }
            Hessian::Dense(all) => {
                let entry = |(at, h): (usize, &f64)| h * (units[at / size] * units[at % size] / objective);
                Hessian::Dense(all.iter().enumerate().map(entry).collect())
            }
        };
        let linear = quadratic.linear.iter().zip(&units).map(|(c, u)| c * u / objective).collect();
        let row = |row: &Row| {
            let mut terms: Vec<(usize, f64)> = row.terms.iter().map(|&(j, a)| (j, a * units[j])).collect();
            let length = terms.iter().map(|(_, a)| a * a).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            terms.iter_mut().for_each(|(_, a)| *a /= length);
            ScaledRow { terms, right: row.right / length }
        };
        let inequalities: Vec<usize> = (0..conic.rows.len()).filter(|&i| !conic.rows[i].is_equality).collect();
        let equalities: Vec<usize> = (0..conic.rows.len()).filter(|&i| conic.rows[i].is_equality).collect();
        let balls = conic.balls.iter().map(|ball| {
            if let Some((k, a)) = ball.growth {
                let widest = ball.coordinates.iter().map(|&j| units[j]).fold(a * units[k], f64::max);
                let terms =
                    ball.coordinates.iter().zip(&ball.center).map(|(&j, c)| (j, units[j] / widest, c / units[j]));
                let cone = ScaledCone {
                    terms: terms.collect(),
                    right: ball.radius / widest,
                    growth: (k, a * units[k] / widest),
                };
                let multiplier_unit = objective / (widest * widest);
                return ScaledBall { terms: Vec::new(), half_square: 0.0, multiplier_unit, cone: Some(cone) };
            }
            let widest = ball.coordinates.iter().map(|&j| units[j]).fold(0.0, f64::max);
            let terms = ball.coordinates.iter().zip(&ball.center).map(|(&j, c)| {
                let w = units[j] / widest;
                (j, w * w / (ball.radius / widest), c / units[j])
            });
            // Divided by the radius, so that the gradient on the sphere has unit size.
            let radius = ball.radius / widest;
            // λ∇b in scaled variables, divided by the unit of each, is λ·objective/(widest²·radius) times x − c.
            let multiplier_unit = objective / (widest * widest * radius);
            ScaledBall { terms: terms.collect(), half_square: 0.5 * radius, multiplier_unit, cone: None }
        });
        let balls = balls.collect();
        let rows = inequalities.iter().map(|&i| row(&conic.rows[i])).collect();
        let equations = equalities.iter().map(|&i| row(&conic.rows[i])).collect();
        Self { units, hessian, linear, rows, inequalities, equations, equalities, balls }
    }
}

/// The size of the numbers in the description of a set: where it is small, so are its points.
fn extent(conic: &Conic, units: &[f64]) -> f64 {
    let rows = conic.rows.iter().filter(|row| row.right != 0.0).map(|row| {
        let length = row.terms.iter().map(|&(j, a)| (a * units[j]).powi(2)).sum::<f64>().sqrt();
        row.right.abs() / length
    });
    let balls = conic.balls.iter().flat_map(|ball| {
        let farthest = |(&j, c): (&usize, &f64)| (c.abs() + ball.radius) / units[j];
        ball.coordinates.iter().zip(&ball.center).map(farthest)
    });
    let largest = rows.chain(balls).filter(|size| size.is_finite()).fold(0.0, f64::max);
    if largest > 0.0 { largest } else { f64::INFINITY }
}
