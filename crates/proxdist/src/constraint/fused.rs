//! Vectors of small total variation, $C = \{x : \sum_j |x_{j+1} - x_j| \le r\}$: the fused constraint $Dx \in$ L1 ball, with $D$ the matrix of differences.
//!
//! The nearest point is that of total variation denoising, $x(\lambda) = \arg\min \tfrac12\|x - y\|^2 + \lambda\sum_j|x_{j+1} - x_j|$, at the $\lambda$ where the variation is
//! $r$. As $\lambda$ grows, neighbours that have met stay together (Friedman, Hastie, Höfling, Tibshirani 2007), and between two meetings a group $g$ of $n_g$ entries sits at its
//! mean plus $\lambda c_g/n_g$, with $c_g$ the number of its higher neighbours minus that of its lower ones, counted by sides. So the variation falls along straight lines,
//! $\sum \pm(m_{g+1} - m_g) - \lambda\sum_g c_g^2/n_g$, and following them gives $\lambda$ exactly. $O(p)$ for each meeting. Convex, unique.
//!
//! The same with differences of a higher order $k$, $D_k = D_1D_{k-1}$ (of order 2: little change of slope), or with any matrix $D$, is a quadratic program. $Dx$ with few
//! nonzero entries is `jumps` for order 1 and `kinks` for order 2; $Dx \ge 0$ is a set of rows (`monotone`, `convex`, `polyhedron`).

use super::{Constraint, ProjectionFault, RowsAndBalls, SetFault, Structure, Workspace, projection_failure, refusal};
use crate::conic::Conic;
use crate::error::Result;
use crate::shape::Shape;
use crate::spec::{Differences, SetSpec};

/// A limit on the sum of the magnitudes of differences.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    radius: f64,
    of: Differences,
}

impl Fused {
    /// Total variation of at most `radius`, which is zero or positive.
    pub fn radius(radius: f64) -> Result<Self> {
        let set = Self { radius, of: Differences::Order(1) };
        let is_sound = radius >= 0.0 && radius.is_finite();
        if is_sound { Ok(set) } else { Err(refusal(set.spec(), SetFault::Radius)) }
    }

    /// The same for other differences.
    pub fn of(self, of: Differences) -> Result<Self> {
        let fault = match &of {
            Differences::Order(1..=MOST_ORDER) => None,
            Differences::Order(_) => Some(format!("the order of differences must be from 1 to {MOST_ORDER}")),
            Differences::Rows(rows) => {
                let length = rows.first().map_or(0, Vec::len);
                let wrong = |row: &Vec<f64>| row.len() != length || row.iter().any(|a| !a.is_finite());
                match rows.iter().position(wrong) {
                    _ if length == 0 => Some("the matrix has no row".to_owned()),
                    Some(at) => Some(format!(
                        "row {} of the matrix must have {length} finite numbers, as the first has",
                        at + 1
                    )),
                    None => None,
                }
            }
        };
        let set = Self { of, ..self };
        match fault {
            Some(fault) => Err(refusal(set.spec(), fault)),
            None => Ok(set),
        }
    }

    /// The combinations of entries of a vector of this length whose magnitudes are limited.
    fn combinations(&self, length: usize) -> Vec<Vec<(usize, f64)>> {
        let is_there = |terms: &Vec<(usize, f64)>| !terms.is_empty();
        match &self.of {
            Differences::Order(order) => {
                // The binomial coefficients with alternating signs, the last one positive.
                let mut factors = vec![1.0];
                for _ in 0..*order {
                    let shifted = factors.iter().copied().chain([0.0]);
                    factors =
                        std::iter::once(0.0).chain(factors.iter().copied()).zip(shifted).map(|(b, a)| b - a).collect();
                }
                (0..length.saturating_sub(*order))
                    .map(|first| factors.iter().enumerate().map(|(k, a)| (first + k, *a)).collect())
                    .collect()
            }
            Differences::Rows(rows) => rows
                .iter()
                .map(|row| row.iter().copied().enumerate().filter(|(_, a)| *a != 0.0).collect())
                .filter(is_there)
                .collect(),
        }
    }
}

/// Differences of a higher order are not told apart from rounding.
const MOST_ORDER: usize = 10;

impl Constraint for Fused {
    fn project(&self, point: &mut [f64], _work: &mut Workspace) -> Result<()> {
        let top = super::magnitude::largest(point.iter().copied());
        if !top.is_finite() {
            return Err(projection_failure(self, ProjectionFault::TooLarge));
        }
        if top == 0.0 {
            return Ok(());
        }
        if self.of != Differences::Order(1) {
            let conic = Conic::everything(point.len()).with_variation(self.combinations(point.len()), self.radius);
            return super::program::project(self, &conic, point);
        }
        let scaled: Vec<f64> = point.iter().map(|x| x / top).collect();
        let Some(groups) = shrunk(&scaled, self.radius / top) else { return Ok(()) };
        let mut entries = point.iter_mut();
        for (value, count) in groups {
            entries.by_ref().take(count).for_each(|x| *x = value * top);
        }
        Ok(())
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_cone(&self) -> bool {
        self.radius == 0.0
    }

    fn check(&self, shape: Shape) -> Result<()> {
        match &self.of {
            Differences::Rows(rows) => super::require_dimension(self, rows.first().map_or(0, Vec::len), shape.len()),
            Differences::Order(_) => Ok(()),
        }
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Convex(self)
    }

    fn spec(&self) -> SetSpec {
        SetSpec::Fused { radius: self.radius, of: Box::new(self.of.clone()) }
    }
}

impl RowsAndBalls for Fused {
    fn conic(&self, features: usize) -> Option<Conic> {
        if matches!(&self.of, Differences::Rows(rows) if rows.iter().any(|row| row.len() != features)) {
            return None;
        }
        Some(Conic::everything(features).with_variation(self.combinations(features), self.radius))
    }
}

/// A run of equal entries.
#[derive(Clone, Copy)]
struct Run {
    mean: f64,
    count: usize,
}

/// The groups of the nearest vector whose variation is at most `radius`, as values and lengths; `None` if that of `y` is.
fn shrunk(y: &[f64], radius: f64) -> Option<Vec<(f64, usize)>> {
    let mut runs: Vec<Run> = Vec::new();
    for &value in y {
        match runs.last_mut() {
            Some(run) if run.mean == value => run.count += 1,
            _ => runs.push(Run { mean: value, count: 1 }),
        }
    }
    // +1 where the next run is higher, -1 where it is lower: this never changes while the two are apart.
    let mut signs: Vec<f64> = runs.windows(2).map(|pair| (pair[1].mean - pair[0].mean).signum()).collect();
    let variation: f64 = runs.windows(2).map(|pair| (pair[1].mean - pair[0].mean).abs()).sum();
    if variation <= radius {
        return None;
    }
    let mut lambda = 0.0_f64;
    loop {
        let pull = |g: usize| {
            let (before, after) = (if g == 0 { 0.0 } else { signs[g - 1] }, signs.get(g).copied().unwrap_or(0.0));
            after - before
        };
        let slopes: Vec<f64> = (0..runs.len()).map(|g| pull(g) / runs[g].count as f64).collect();
        let apart: f64 = runs.windows(2).zip(&signs).map(|(pair, sign)| sign * (pair[1].mean - pair[0].mean)).sum();
        let fall: f64 = (0..runs.len()).map(|g| pull(g) * slopes[g]).sum();
        let wanted = if fall > 0.0 { (apart - radius) / fall } else { f64::INFINITY };
        let meeting = (0..signs.len()).filter_map(|g| {
            let closing = signs[g] * (slopes[g] - slopes[g + 1]);
            (closing > 0.0).then(|| (signs[g] * (runs[g + 1].mean - runs[g].mean) / closing, g))
        });
        let next = meeting.min_by(|a, b| a.0.total_cmp(&b.0));
        match next {
            Some((at, g)) if at < wanted => {
                lambda = lambda.max(at);
                let (left, right) = (runs[g], runs.remove(g + 1));
                signs.remove(g);
                let count = left.count + right.count;
                let share = right.count as f64 / count as f64;
                runs[g] = Run { mean: left.mean + (right.mean - left.mean) * share, count };
            }
            _ => {
                let lambda = if wanted.is_finite() { wanted.max(lambda) } else { lambda };
                return Some(
                    runs.iter().zip(&slopes).map(|(run, slope)| (run.mean + lambda * slope, run.count)).collect(),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::projected;

    #[test]
    fn peaks_are_taken_off_first() -> Result<()> {
        let set = Fused::radius(2.0)?;
        assert_eq!(projected(&set, &[0.0, 0.0, 1.0])?, [0.0, 0.0, 1.0]);
        // Variation 4: the peak gives up 1 on each side for half a unit of its neighbours.
        let met = projected(&set, &[0.0, 2.0, 0.0])?;
        assert!((met[1] - met[0] - 1.0).abs() < 1e-15 && met[0] == met[2], "{met:?}");
        assert_eq!(projected(&Fused::radius(0.0)?, &[1.0, 2.0, 6.0])?, [3.0, 3.0, 3.0]);
        assert!(Fused::radius(-1.0).is_err());
        Ok(())
    }
}
