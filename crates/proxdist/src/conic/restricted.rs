//! A set of rows and balls on some coordinates when all others are zero.

use super::{Conic, Round, Row};

impl Conic {
    /// The set on the coordinates of `support`, in ascending order, the others being zero; `None` if a row or a ball alone shows that there is no such point.
    /// A magnitude of coordinates that are all zero is zero too, and its rows hold.
    pub(crate) fn restricted(&self, support: &[usize]) -> Option<Self> {
        let is_in = |j: usize| support.binary_search(&j).is_ok();
        let is_kept = |&t: &usize| self.magnitudes[t].of.iter().any(|&(j, _)| is_in(j));
        let kept: Vec<usize> = (0..self.magnitudes.len()).filter(is_kept).collect();
        let place = |j: usize| match j.checked_sub(self.features) {
            None => support.binary_search(&j).ok(),
            Some(t) => kept.binary_search(&t).ok().map(|at| support.len() + at),
        };
        let mut set = Self { features: support.len(), ..Self::default() };
        set.magnitudes.extend(kept.iter().filter_map(|&t| self.magnitudes[t].moved(place)));
        for Row { terms, right, is_equality } in &self.rows {
            let terms: Vec<(usize, f64)> =
                terms.iter().filter(|(_, a)| *a != 0.0).filter_map(|&(j, a)| Some((place(j)?, a))).collect();
            if !terms.is_empty() {
                set.rows.push(Row { terms, right: *right, is_equality: *is_equality });
            } else if *right < 0.0 || (*is_equality && *right != 0.0) {
                return None;
            }
        }
        for Round { coordinates, center, radius, growth } in &self.balls {
            let growth = growth.and_then(|(k, a)| Some((place(k)?, a)));
            let mut ball = Round { coordinates: Vec::new(), center: Vec::new(), radius: *radius, growth };
            let mut outside = 0.0_f64;
            for (&j, &c) in coordinates.iter().zip(center) {
                match place(j) {
                    Some(at) => {
                        ball.coordinates.push(at);
                        ball.center.push(c);
                    }
                    None => outside = outside.hypot(c),
                }
            }
            if let Some((k, a)) = growth {
                // Centers of cones are zero, so that nothing is left of the coordinates outside.
                if ball.coordinates.is_empty() {
                    set.rows.push(Row { terms: vec![(k, -a)], right: *radius, is_equality: false });
                } else {
                    set.balls.push(ball);
                }
                continue;
            }
            if outside > *radius {
                return None;
            }
            ball.radius = ((radius - outside) * (radius + outside)).sqrt();
            if ball.radius == 0.0 {
                let only = ball.coordinates.iter().zip(&ball.center);
                set.rows.extend(only.map(|(&j, &c)| Row { terms: vec![(j, 1.0)], right: c, is_equality: true }));
            } else if !ball.coordinates.is_empty() {
                set.balls.push(ball);
            }
        }
        Some(set)
    }

    /// The rows that speak of several coefficients, and of nothing but coefficients.
    pub(crate) fn joint_rows(&self) -> impl Iterator<Item = &Row> {
        let is_joint = |row: &&Row| row.terms.len() > 1 && row.terms.iter().all(|&(j, _)| j < self.features);
        self.rows.iter().filter(is_joint)
    }

    /// The limits of each coefficient that rows about one of them give; `None` if they leave no number for one.
    pub(crate) fn limits(&self) -> Option<Vec<(f64, f64)>> {
        let mut limits = vec![(f64::NEG_INFINITY, f64::INFINITY); self.features];
        for row in &self.rows {
            let [(j, a)] = row.terms[..] else { continue };
            if j >= self.features || a == 0.0 {
                continue;
            }
            let (lower, upper) = &mut limits[j];
            let at = row.right / a;
            if row.is_equality || a > 0.0 {
                *upper = upper.min(at);
            }
            if row.is_equality || a < 0.0 {
                *lower = lower.max(at);
            }
        }
        limits.iter().all(|(lower, upper)| lower <= upper).then_some(limits)
    }
}
