//! $Q(\theta) = \tfrac12\theta^TG\theta - b^T\theta + c$ with $G \succeq 0$.
//!
//! Columns may have any units. They are brought to $1 \le G_{jj} < 4$ by powers of two, which is exact: what is proven of the
//! scaled function is true of the one given. A column that has no effect at all ($G_{jj} = 0$) is never selected.

use super::positive::UNIT;

/// A quadratic function of coefficients, as its second derivatives, its slope at zero and its value there.
#[derive(Clone, Debug)]
pub struct Quadratic {
    /// Scaled, full and symmetric.
    pub(super) gram: Vec<f64>,
    pub(super) linear: Vec<f64>,
    pub(super) constant: f64,
    /// Powers of two: a scaled coefficient is the coefficient times this.
    pub(super) scales: Vec<f64>,
    /// Something that is known to be no larger than the function anywhere.
    pub(super) floor: f64,
}

impl Quadratic {
    /// From the lower triangle (column-major) of $G$, from $b$ and $c$. `None` if sizes do not fit, numbers are not finite, or a column
    /// alone shows that the function has no minimum.
    pub fn new(mut gram: Vec<f64>, mut linear: Vec<f64>, constant: f64) -> Option<Self> {
        let size = linear.len();
        let is_finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        if gram.len() != size * size || !is_finite(&gram) || !is_finite(&linear) || !constant.is_finite() {
            return None;
        }
        crate::linalg::mirror(&mut gram, size);
        let mut scales = vec![1.0; size];
        for j in 0..size {
            let curvature = gram[j * size + j];
            let is_flat = gram[j * size..(j + 1) * size].iter().all(|g| *g == 0.0) && linear[j] == 0.0;
            if curvature <= 0.0 && !is_flat {
                return None;
            }
            if !is_flat {
                scales[j] = power_of_two_root(curvature);
            }
        }
        for (j, row) in gram.chunks_exact_mut(size.max(1)).enumerate() {
            row.iter_mut().zip(&scales).for_each(|(g, scale)| *g = *g / scale / scales[j]);
        }
        linear.iter_mut().zip(&scales).for_each(|(b, scale)| *b /= scale);
        (is_finite(&gram) && is_finite(&linear)).then_some(Self { gram, linear, constant, scales, floor: -f64::MAX })
    }

    /// Says that the function is nowhere below this number (zero for a sum of squares): the bound where nothing better is found.
    #[must_use]
    pub fn never_below(mut self, floor: f64) -> Self {
        self.floor = if floor.is_nan() { self.floor } else { floor.clamp(-f64::MAX, f64::MAX) };
        self
    }

    /// Columns of which the ones before them leave no more than this part: nothing is proven while they are there, unless a ridge is added.
    pub fn dependent_columns(&self, part: f64) -> Vec<usize> {
        let size = self.columns();
        let mut rest = self.gram.clone();
        let mut dependent = Vec::new();
        for j in 0..size {
            let pivot = rest[j * size + j];
            if pivot <= part * self.row(j)[j] {
                dependent.push(j);
                continue;
            }
            let (above, below) = rest.split_at_mut((j + 1) * size);
            let row = &above[j * size..];
            for (i, other) in below.chunks_exact_mut(size).enumerate() {
                let i = i + j + 1;
                crate::linalg::axpy(-row[i] / pivot, &row[i..], &mut other[i..]);
            }
        }
        dependent
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.linear.len()
    }

    /// Row of the scaled matrix.
    pub(super) fn row(&self, column: usize) -> &[f64] {
        &self.gram[column * self.columns()..(column + 1) * self.columns()]
    }

    /// Whether a column has an effect.
    pub(super) fn is_effective(&self, column: usize) -> bool {
        self.row(column)[column] > 0.0
    }

    /// A number that the function surely does not exceed at a point on a support, given in scaled units.
    pub(super) fn value_above(&self, support: &[usize], theta: &[f64]) -> f64 {
        let (mut value, mut size) = (0.0, self.constant.abs());
        for (&j, &x) in support.iter().zip(theta) {
            let row = self.row(j);
            let (mut product, mut magnitude) = (0.0, 0.0);
            for (&k, &y) in support.iter().zip(theta) {
                product += row[k] * y;
                magnitude += (row[k] * y).abs();
            }
            value += x * (0.5 * product - self.linear[j]);
            size += x.abs() * (0.5 * magnitude + self.linear[j].abs());
        }
        self.constant + value + UNIT * (2 * support.len() + 8) as f64 * size
    }
}

/// The power of two whose square is at most `value` and more than a quarter of it.
fn power_of_two_root(value: f64) -> f64 {
    let mut root = value.log2().div_euclid(2.0).exp2();
    // The logarithm may be rounded across a boundary.
    while root * root > value {
        root *= 0.5;
    }
    while 4.0 * root * root <= value {
        root *= 2.0;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_scaled_exactly() {
        for value in [1.0, 3.999, 4.0, 0.25, 1e-9, 7.3e11, 0.1] {
            let root = power_of_two_root(value);
            assert!((1.0..4.0).contains(&(value / (root * root))), "{value}");
            assert_eq!(root.log2().fract(), 0.0);
        }
    }

    #[test]
    fn columns_that_depend_on_others_are_named() {
        let gram = vec![2.0, 1.0, 3.0, 1.0, 2.0, 3.0, 3.0, 3.0, 6.0];
        assert_eq!(Quadratic::new(gram, vec![1.0; 3], 1.0).unwrap().dependent_columns(1e-10), [2]);
    }

    #[test]
    fn what_is_no_quadratic_function_with_a_minimum_is_refused() {
        assert!(Quadratic::new(vec![1.0], vec![1.0, 2.0], 0.0).is_none());
        assert!(Quadratic::new(vec![f64::NAN], vec![1.0], 0.0).is_none());
        assert!(Quadratic::new(vec![0.0], vec![1.0], 0.0).is_none());
        assert!(Quadratic::new(vec![0.0], vec![0.0], 0.0).is_some());
    }
}
