//! A quadratic function below F wherever F is no larger than a number.
//!
//! On the region of `region`, row $i$ has a parabola that touches its loss at $a_i = x_i^T\hat z$ and is below it for all predictors $[l_i, u_i]$ of the region, of curvature $k_i$. With
//! $g = \nabla F(\hat z)$ and $M = \sum_iw_ik_ix_ix_i^T + \Lambda$
//! $$F(z) \ge F(\hat z) + g^T(z - \hat z) + \tfrac12(z - \hat z)^TM(z - \hat z) \quad\text{on the region.}$$
//! The intercept is taken out by moving columns to their mean $c$ under the weights $w_ik_i$, where it decouples: with $g_c = g - g_\beta c$, $G = \sum_iw_ik_i(x_i - c)(x_i - c)^T + \Lambda$ and
//! $K = \sum_iw_ik_i$, the least value over it is
//! $$Q(\theta) = F(\hat z) - \tfrac{g_\beta^2}{2K} + g_c^T(\theta - \hat\theta) + \tfrac12(\theta - \hat\theta)^TG(\theta - \hat\theta).$$
//!
//! Rounding: columns are brought to $G_{jj} = 1$. Sums of $n$ products are then off by $\delta = (n + 40)u$ at most, so $G \succeq \hat G - p\delta I$, which is taken off the diagonal (twice). What is not
//! sure about $g_c$, and what is lost when $Q$ is written as $\tfrac12\theta^TG\theta - b^T\theta + c$, is a linear function with coefficients known up to $\epsilon_j$; it is at most
//! $\sum_j\epsilon_j\max|\theta_j - \hat\theta_j|$ on the region, and that is taken off $c$.

use super::positive::UNIT;
use super::quadratic::Quadratic;
use super::region::Region;
use super::table::{At, Point, Table};
use crate::linalg::{dot, gram};

/// The function, with its units.
#[derive(Debug)]
pub(super) struct Minorant {
    pub(super) quadratic: Quadratic,
    /// A coefficient of the quadratic function is that of the table times this.
    pub(super) scales: Vec<f64>,
}

/// The sums over rows, on moved columns of unit size.
struct Sums {
    gram: Vec<f64>,
    gradient: Vec<f64>,
    doubt: Vec<f64>,
    scales: Vec<f64>,
}

impl Minorant {
    /// On the columns of the region, touching F at a point on some of them; none if it has no curvature along one of them.
    pub(super) fn of(table: &Table, region: &Region, point: &Point) -> Option<Self> {
        let at = table.at(point);
        let loss = table.objective.loss;
        let curvature = |i: usize| {
            let (low, high) = region.between[i];
            let eta = at.predictors[i];
            loss.least_chord(eta, table.response[i], (low.min(eta), high.max(eta)))
        };
        let is_counted = |i: usize| table.weights[i] > 0.0;
        let curvatures: Vec<f64> = (0..table.rows()).map(|i| if is_counted(i) { curvature(i) } else { 0.0 }).collect();
        let places: Vec<usize> =
            region.centre.places.iter().copied().filter(|place| *place < table.features()).collect();
        let mut lost = at.doubt;
        if table.objective.has_intercept {
            let (slope, doubt) = table.gradient(&at, point, &[table.features()]);
            let slope = slope[0].abs() + doubt[0];
            let total: f64 = table.weights.iter().zip(&curvatures).map(|(w, k)| w * k).sum();
            lost += 1.01 * slope * slope / total;
        }
        let sums = Sums::of(table, (&at, point), &places, &curvatures)?;
        let theta: Vec<f64> = places.iter().map(|&place| point.at(place)).collect();
        let way: Vec<f64> = places.iter().zip(&theta).map(|(&place, t)| region.distance(place, *t)).collect();
        sums.quadratic(at.value - lost, &theta, &way, region.floor)
    }
}

impl Sums {
    fn of(table: &Table, (at, point): (&At, &Point), places: &[usize], curvatures: &[f64]) -> Option<Self> {
        let (rows, size) = (table.rows(), places.len());
        let weights: Vec<f64> = table.weights.iter().zip(curvatures).map(|(w, k)| w * k).collect();
        let total: f64 = weights.iter().sum();
        let has_intercept = table.objective.has_intercept;
        if has_intercept && !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let (gradient, doubt) = table.gradient(at, point, places);
        let slope = has_intercept.then(|| table.gradient(at, point, &[table.features()]));
        let (own, unsure) = slope.map_or((0.0, 0.0), |(slope, doubt)| (slope[0], doubt[0]));
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let mut sums = Self { gram: vec![0.0; size * size], gradient, doubt, scales: Vec::with_capacity(size) };
        let mut moved = Vec::with_capacity(size * rows);
        for (j, &place) in places.iter().enumerate() {
            let column = table.column(place);
            let mut centre = 0.0;
            if has_intercept {
                // Twice, so that what is left of the mean is of second order.
                centre = dot(column, &weights) / total;
                centre += column.iter().zip(&weights).map(|(x, w)| (x - centre) * w).sum::<f64>() / total;
            }
            let from = moved.len();
            moved.extend(column.iter().zip(&roots).map(|(x, root)| (x - centre) * root));
            let square = dot(&moved[from..], &moved[from..]) + table.ridge[place];
            let scale = square.sqrt();
            // Also where it is not a number.
            let is_usable = scale > 0.0 && scale.is_finite();
            if !is_usable {
                return None;
            }
            moved[from..].iter_mut().for_each(|x| *x /= scale);
            sums.scales.push(scale);
            sums.gradient[j] = (sums.gradient[j] - own * centre) / scale;
            let rounding = (rows + 40) as f64 * UNIT * (own * centre).abs();
            sums.doubt[j] = (sums.doubt[j] + unsure * centre.abs() + rounding) / scale;
        }
        gram(&moved, size, rows, &mut sums.gram);
        let delta = (rows + 40) as f64 * UNIT;
        for (j, &place) in places.iter().enumerate() {
            let scale = sums.scales[j];
            sums.gram[j * size + j] += table.ridge[place] / (scale * scale) - 2.0 * size as f64 * delta;
        }
        Some(sums)
    }

    /// $Q$ as a function of coefficients, below what it is by all that rounding may have added.
    fn quadratic(self, value: f64, theta: &[f64], way: &[f64], floor: f64) -> Option<Minorant> {
        let size = theta.len();
        let Self { gram, gradient, doubt, scales } = self;
        let scaled: Vec<f64> = theta.iter().zip(&scales).map(|(t, scale)| t * scale).collect();
        let used: Vec<usize> = (0..size).filter(|&j| scaled[j] != 0.0).collect();
        let share = (used.len() + 12) as f64 * UNIT;
        let (mut linear, mut constant, mut lost) =
            (Vec::with_capacity(size), value, (size + 12) as f64 * UNIT * value.abs());
        for j in 0..size {
            let row = &gram[j * size..(j + 1) * size];
            let (mut image, mut terms) = (0.0, 0.0);
            for &k in &used {
                image += row[k] * scaled[k];
                terms += (row[k] * scaled[k]).abs();
            }
            linear.push(image - gradient[j]);
            let t = scaled[j];
            constant += t * (0.5 * image - gradient[j]);
            let magnitude = terms + gradient[j].abs();
            lost += (share + size as f64 * UNIT) * t.abs() * magnitude;
            // θ is within `way` of θ̂ and so of size |θ̂| + way at most.
            lost += 1.01 * (doubt[j] * way[j] * scales[j] + share * magnitude * (t.abs() + way[j] * scales[j]));
        }
        let quadratic = Quadratic::new(gram, linear, constant - lost)?.never_below(floor);
        Some(Minorant { quadratic, scales })
    }
}
