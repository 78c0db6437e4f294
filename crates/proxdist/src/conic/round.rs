//! Balls, and balls that grow with a variable: second-order cones.

/// $\|x_J - c\| \le r$ for some of the coordinates, or $\|x_J - c\| \le r + ax_k$, a second-order cone.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// $J$
    pub coordinates: Vec<usize>,
    /// $c$, in the order of the coordinates.
    pub center: Vec<f64>,
    /// $r > 0$; any number where the radius grows.
    pub radius: f64,
    /// $k$, which is none of the coordinates, and $a > 0$, where the radius grows with a variable.
    pub growth: Option<(usize, f64)>,
}

impl Round {
    /// Distance from the center.
    pub(crate) fn distance(&self, x: &[f64]) -> f64 {
        // Scaled by the largest entry, so that squares neither overflow nor vanish.
        let away = || self.coordinates.iter().zip(&self.center).map(|(&j, c)| x[j] - c);
        let top = away().fold(0.0_f64, |top, d| top.max(d.abs()));
        if top == 0.0 || !top.is_finite() {
            return top;
        }
        top * away().map(|d| (d / top) * (d / top)).sum::<f64>().sqrt()
    }

    /// $r + ax_k$
    pub(crate) fn reach(&self, x: &[f64]) -> f64 {
        self.radius + self.growth.map_or(0.0, |(k, a)| a * x[k])
    }

    /// The size of the numbers that cancel where a point is compared with the boundary.
    pub(crate) fn size(&self, x: &[f64]) -> f64 {
        match self.growth {
            None => self.radius,
            Some((k, a)) => (self.radius.abs() + (a * x[k]).abs()).max(self.distance(x)),
        }
    }

    /// How far outside a point is, relative to that size; zero inside.
    pub(super) fn violation(&self, x: &[f64]) -> f64 {
        let outside = self.distance(x) - self.reach(x);
        if outside > 0.0 || outside.is_nan() { outside / self.size(x) } else { 0.0 }
    }

    /// $\lambda\|x_J - c\|$ times the gradient of $\|x_J - c\| - r - ax_k$ is added to `gradient`.
    pub(super) fn add_force(&self, multiplier: f64, x: &[f64], gradient: &mut [f64]) {
        let away = self.coordinates.iter().zip(&self.center);
        away.for_each(|(&j, c)| gradient[j] += multiplier * (x[j] - c));
        if let Some((k, a)) = self.growth {
            gradient[k] -= multiplier * a * self.distance(x);
        }
    }

    /// The gradient of $\|x_J - c\|$, for all variables.
    pub(super) fn direction(&self, x: &[f64]) -> Vec<f64> {
        let (mut normal, distance) = (vec![0.0; x.len()], self.distance(x));
        self.coordinates.iter().zip(&self.center).for_each(|(&j, c)| normal[j] = (x[j] - c) / distance);
        normal
    }
}
