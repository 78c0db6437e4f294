//! Where F is no larger than a number $U$: an ellipsoid, and with it an interval for every predictor and every coefficient.
//!
//! Let $z^\circ$ be about the minimiser of F over some columns, $r = \nabla F(z^\circ)$, and let row $i$ have a parabola of curvature $k_i$ that touches its loss at $z^\circ$ and is below it
//! while the predictor moves by at most $R_i$ ([`crate::loss::Loss::least_chord`]). With $M = \sum_iw_ik_ix_ix_i^T + \Lambda$ then
//! $$F(z^\circ + d) \ge F(z^\circ) - \|r\|_{M^{-1}}\|d\|_M + \tfrac12\|d\|_M^2 \quad\text{while all } |x_i^Td| \le R_i.$$
//! Let $\tfrac12\rho^2 - \|r\|_{M^{-1}}\rho > U - F(z^\circ)$. On the ellipsoid $\|d\|_M \le \rho$ predictors move by at most $\rho\|x_i\|_{M^{-1}}$. If that is no more than $R_i$ for every row, F is above $U$ all over the boundary,
//! and everywhere beyond it since F is convex: all points with $F \le U$ are inside.
//!
//! The $R_i$ are found from below: each attempt takes a little more than the last one would have needed. What rounding may do is covered by a margin of one per cent on all lengths, which is far more than it
//! can be as long as the pivots of $M$, in units of its diagonal, are not tiny; where they are, there is no region.

use super::table::{At, Point, Table};
use crate::linalg::{Cholesky, product};

/// Attempts to find radii that suffice, and how much more than needed each of them takes.
const ATTEMPTS: usize = 25;
const MORE: f64 = 1.08;
/// Margin on lengths.
const OUTWARDS: f64 = 1.01;
/// The least pivot of a matrix with ones on its diagonal at which its inverse is trusted with that margin: errors are about $10^{-16}$ times the size, divided by its square.
const LEAST_PIVOT: f64 = 3e-5;
/// Part of the curvature at the centre below which it is given up.
const LEAST_CURVATURE: f64 = 1e-3;

/// The region, in the units of a table.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// $z^\circ$, on the columns of the region.
    pub(super) centre: Point,
    /// A coefficient of the region is no further than this from the centre's; in the order of the centre.
    pub(super) reach: Vec<f64>,
    /// The least and the largest predictor of every row.
    pub(super) between: Vec<(f64, f64)>,
    /// F is nowhere below this number on these columns.
    pub(super) floor: f64,
}

/// An ellipsoid with its margins.
struct Ellipsoid {
    reach: Vec<f64>,
    radii: Vec<f64>,
    /// $\|r\|_{M^{-1}}$
    residual: f64,
    /// $\sum_iw_ik_i$
    curvature: f64,
}

impl Region {
    /// The points on the columns of `centre` with an F of at most `level`; none where no radii are found, or `is_over`.
    pub(super) fn of(table: &Table, centre: Point, level: f64, is_over: &mut dyn FnMut() -> bool) -> Option<Self> {
        let at = table.at(&centre);
        let (gradient, doubt) = table.gradient(&at, &centre, &centre.places);
        let excess = (level - at.value).max(0.0) + at.doubt;
        if !excess.is_finite() {
            return None;
        }
        let (mut radii, mut most) = (vec![0.0; table.rows()], None);
        for _ in 0..ATTEMPTS {
            if is_over() {
                return None;
            }
            let found = ellipsoid(table, (&centre, &at, &radii), (&gradient, &doubt), excess)?;
            if found.radii.iter().zip(&radii).all(|(needed, had)| needed <= had) {
                let ends = |(eta, radius): (&f64, &f64)| ((eta - radius).next_down(), (eta + radius).next_up());
                let between = at.predictors.iter().zip(&found.radii).map(ends).collect();
                // Beyond the region F is above the level.
                let floor = (at.value - at.doubt - 0.51 * found.residual * found.residual).min(level);
                return Some(Self { centre, reach: found.reach, between, floor });
            }
            for (radius, needed) in radii.iter_mut().zip(&found.radii) {
                *radius = radius.max(MORE * needed);
            }
            // Where so little is left, more room leaves even less.
            let is_hopeful = found.curvature > LEAST_CURVATURE * *most.get_or_insert(found.curvature);
            if !is_hopeful {
                return None;
            }
        }
        None
    }

    /// How far from a point any coefficient of the region can be.
    pub(super) fn distance(&self, place: usize, value: f64) -> f64 {
        self.centre
            .places
            .binary_search(&place)
            .map_or(value.abs(), |at| OUTWARDS * ((self.centre.values[at] - value).abs() + self.reach[at]))
    }
}

/// The ellipsoid for these radii; none if $M$ is not clearly positive definite.
fn ellipsoid(
    table: &Table,
    (centre, at, radii): (&Point, &At, &[f64]),
    (gradient, doubt): (&[f64], &[f64]),
    excess: f64,
) -> Option<Ellipsoid> {
    let (places, rows) = (&centre.places, table.rows());
    let loss = table.objective.loss;
    let curvature = |i: usize| {
        let (eta, radius, size) = (at.predictors[i], radii[i], at.share * at.sizes[i]);
        loss.least_chord(eta, table.response[i], ((eta - radius - size).next_down(), (eta + radius + size).next_up()))
    };
    let curvatures: Vec<f64> = (0..rows).map(|i| if table.weights[i] > 0.0 { curvature(i) } else { 0.0 }).collect();
    let total: f64 = table.weights.iter().zip(&curvatures).map(|(w, k)| w * k).sum();
    let inverse = inverse(table.products(places, &curvatures), places.len())?;
    let size = places.len();
    // rᵀM⁻¹r, and the doubt about r in the same norm.
    let mut residual = 0.0;
    for (j, row) in inverse.chunks_exact(size.max(1)).enumerate() {
        residual += gradient[j] * row.iter().zip(gradient).map(|(m, g)| m * g).sum::<f64>();
    }
    let unsure: f64 = (0..size).map(|j| doubt[j] * inverse[j * size + j].max(0.0).sqrt()).sum();
    let residual = OUTWARDS * (residual.max(0.0).sqrt() + unsure);
    let rho = OUTWARDS * (residual + (residual * residual + 2.0 * excess).sqrt());
    let reach = (0..size).map(|j| OUTWARDS * rho * inverse[j * size + j].max(0.0).sqrt()).collect();
    let mut x = Vec::with_capacity(size * rows);
    places.iter().for_each(|&place| x.extend_from_slice(table.column(place)));
    let mut images = vec![0.0; size * rows];
    product(&inverse, &x, &mut images, size, rows);
    let mut squares = vec![0.0; rows];
    for (x, image) in x.chunks_exact(rows.max(1)).zip(images.chunks_exact(rows.max(1))) {
        squares.iter_mut().zip(x.iter().zip(image)).for_each(|(square, (x, image))| *square += x * image);
    }
    let radius = |(square, i): (f64, usize)| {
        // A row that does not count may be anywhere.
        let way = OUTWARDS * rho * square.max(0.0).sqrt() + 2.0 * at.share * at.sizes[i];
        if table.weights[i] > 0.0 { way } else { 0.0 }
    };
    let radii: Vec<f64> = squares.into_iter().zip(0..).map(radius).collect();
    let is_finite = rho > 0.0 && rho.is_finite() && radii.iter().all(|radius| radius.is_finite());
    is_finite.then_some(Ellipsoid { reach, radii, residual, curvature: total })
}

/// The inverse of a matrix whose factorisation leaves no doubt about it.
fn inverse(mut matrix: Vec<f64>, size: usize) -> Option<Vec<f64>> {
    let roots: Vec<f64> = (0..size).map(|j| matrix[j * size + j].sqrt()).collect();
    if roots.iter().any(|root| !root.is_finite() || *root <= 0.0) {
        return None;
    }
    for (j, row) in matrix.chunks_exact_mut(size.max(1)).enumerate() {
        row.iter_mut().zip(&roots).for_each(|(m, root)| *m /= root * roots[j]);
    }
    let mut cholesky = Cholesky::default();
    cholesky.matrix(size).copy_from_slice(&matrix);
    if size > 0 && !(cholesky.factor() && cholesky.least_pivot() > LEAST_PIVOT) {
        return None;
    }
    if size > 0 {
        cholesky.inverse(&mut matrix);
    }
    for (j, row) in matrix.chunks_exact_mut(size.max(1)).enumerate() {
        row.iter_mut().zip(&roots).for_each(|(m, root)| *m /= root * roots[j]);
    }
    Some(matrix)
}
